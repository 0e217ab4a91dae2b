// The report page in a real browser.
//   node page_test.mjs PROGRAM [FOLDER]    FOLDER: where to leave screenshots
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./chromium.mjs";

const [program, pictures] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "dbandit-page-"));
const dbandit = (...words) => execFileSync(program, words, { cwd: scratch, encoding: "utf8" });
const page = (name) => pathToFileURL(join(scratch, name)).href;
const problem = ["--theta", "0.1,0.05,0.03", "--delay", "geometric:100", "--censor", "300", "--horizon", "4000", "--replicas", "300", "--quiet"];
const alerts = "globalThis.alerted = []; alert = (what) => alerted.push(what);";
// What is written on the canvases since it was last asked for: the only way to see what an axis says.
const listen = `(() => { globalThis.written = []; const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { written.push({text, x, y, turned: this.getTransform().b !== 0}); return write.call(this, text, x, y); }; })()`;

let browser;
const steps = [];
const step = (name, action) => steps.push([name, action]);
/** The texts of the axes as drawn by the last action, x axis first. */
const axes = async (action) => {
  await browser.eval("written.length = 0");
  await action();
  const labels = (await browser.eval("written")).filter(({ turned, text }) => !turned && /^[\d.]+[kM]?$/.test(text));
  const bottom = Math.max(...labels.map(({ y }) => y));
  return { x: labels.filter(({ y }) => y === bottom), y: labels.filter(({ y }) => y !== bottom).map(({ text }) => Number(text)) };
};
const legend = () => browser.eval("[...document.querySelectorAll('.toggle')].map((e) => [e.querySelector('.name').textContent, e.getAttribute('aria-pressed'), e.querySelector('.value').textContent])");
const picture = () => browser.eval("document.querySelector('.chart canvas').toDataURL()");

step("loads without a complaint and asks for nothing but itself", async () => {
  dbandit("run", ...problem, "--policies", "d-klucb,d-ucb,ud-klucb,uniform", "--out", "first", "--report");
  browser.requests.length = 0;
  await browser.open(page("first/report.html"));
  assert.deepEqual(browser.requests.filter((url) => !url.startsWith("data:")), [page("first/report.html")]);
  assert.equal(await browser.eval("document.querySelectorAll('canvas').length"), 1);
  assert.deepEqual((await legend()).map(([name]) => name), ["d-klucb", "d-ucb", "ud-klucb", "uniform"]);
});
step("a click hides a policy, and the axis follows those that are left", async () => {
  const before = await picture();
  const { y } = await axes(() => browser.click(".toggle:nth-child(4)"));
  assert.deepEqual((await legend())[3], ["uniform", "false", "off"]);
  assert.notEqual(await picture(), before);
  const shown = await axes(() => browser.click(".toggle:nth-child(4)"));
  assert.equal((await legend())[3][1], "true");
  assert.ok(Math.max(...y) < Math.max(...shown.y), `${Math.max(...y)} < ${Math.max(...shown.y)}`);
  assert.equal(await picture(), before);
});
step("the log switch changes the axis: equal steps are equal factors", async () => {
  const linear = await axes(() => browser.click("input[value=linear]"));
  const log = await axes(() => browser.click("input[value=log]"));
  assert.deepEqual(log.x.map(({ text }) => text), ["10", "100", "1k"]);
  const [a, b, c] = log.x.map(({ x }) => x);
  assert.ok(Math.abs(c - b - (b - a)) < 2, `${a} ${b} ${c}`);
  const back = await axes(() => browser.click("input[value=linear]"));
  assert.ok(back.x.length > 3 && back.x[0].text === "0", JSON.stringify(back.x));
  assert.ok(linear.x.length === 0 || linear.x[0].text === "0");
});
step("measure and shade change the picture", async () => {
  const seen = new Set([await picture()]);
  for (const value of ["pseudo_regret", "realised_regret", "regret", "band", "none"]) {
    await browser.click(`input[value=${value}]`);
    seen.add(await picture());
  }
  assert.equal(seen.size, 5, "regret twice the same, all others different");
  await browser.click("input[value=interval]");
});
step("values follow the pointer; a drag zooms, a button shows the whole again", async () => {
  const box = await browser.eval("(() => { const r = document.querySelector('.u-over').getBoundingClientRect(); return {x: r.x, y: r.y, w: r.width, h: r.height}; })()");
  const at = (share) => ({ x: box.x + share * box.w, y: box.y + box.h / 2 });
  const end = await legend();
  await browser.hover(at(0.3));
  assert.notDeepEqual(await legend(), end);
  const { x } = await axes(() => browser.drag(at(0.25), at(0.5)));
  assert.ok(x.length > 2 && x.every(({ text }) => ["1k", "2k"].includes(text) || /^1\.\d+k$/.test(text)), JSON.stringify(x));
  const whole = await axes(() => browser.click(".zooms button:nth-child(3)"));
  assert.equal(whole.x.at(-1).text, "4k");
});
step("bounds are drawn and taken away", async () => {
  const before = await picture();
  await browser.click(".bound input");
  assert.notEqual(await picture(), before);
  await browser.click(".bound input");
});
step("the keyboard reads the chart and reaches every control", async () => {
  await browser.eval("document.querySelector('.chart').focus()");
  await browser.key("End");
  const last = await browser.eval("byId('said').textContent");
  assert.match(last, /^at round 4000: d-klucb [\d.]+\s±\s[\d.]+, d-ucb /);
  await browser.key("ArrowLeft");
  assert.notEqual(await browser.eval("byId('said').textContent"), last);
  await browser.key("Tab");
  assert.equal(await browser.eval("document.activeElement.className"), "toggle");
});
step("a heading sorts the table, a second click turns it round", async () => {
  const order = () => browser.eval("[...document.querySelectorAll('tbody th')].map((e) => e.textContent)");
  await browser.click("thead th:nth-child(3) button");
  const up = await order();
  assert.equal(up[3], "uniform");
  await browser.click("thead th:nth-child(3) button");
  assert.deepEqual(await order(), up.toReversed());
  assert.equal(await browser.eval("document.querySelector('thead th:nth-child(3)').getAttribute('aria-sort')"), "descending");
});
step("paired differences are against whom one chooses", async () => {
  const names = () => browser.eval("[...document.querySelector('.strip').querySelectorAll('.name')].map((e) => e.textContent)");
  assert.deepEqual(await names(), ["d-ucb", "uniform"]);
  await browser.eval("(() => { const s = document.querySelector('.note select'); s.value = 'd-ucb'; s.dispatchEvent(new Event('change')); })()");
  assert.deepEqual(await names(), ["d-klucb", "uniform"]);
});
step("the copied command gives the same bytes", async () => {
  await browser.click(".copy");
  const command = await browser.eval("navigator.clipboard.readText()");
  assert.match(command, /^dbandit run --theta /);
  execFileSync("sh", ["-c", command], { cwd: scratch, env: { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` } });
  for (const file of readdirSync(join(scratch, "again"))) {
    if (file === "manifest.json" || file === "checkpoint") continue; // they hold times
    assert.ok(readFileSync(join(scratch, "again", file)).equals(readFileSync(join(scratch, "first", file))), file);
  }
});
step("dark and light differ, by the system and by the button", async () => {
  const ground = () => browser.eval("getComputedStyle(document.body).backgroundColor");
  const light = await ground();
  await browser.open(page("first/report.html"), { dark: true });
  const dark = await ground();
  assert.notEqual(dark, light);
  await browser.click("#theme");
  assert.equal(await ground(), light);
});
step("fits a phone", async () => {
  await browser.open(page("first/report.html"), { width: 360, height: 740, phone: true });
  assert.equal(await browser.eval("document.documentElement.scrollWidth"), 360);
  assert.ok((await browser.eval("document.querySelector('.chart canvas').getBoundingClientRect().right")) <= 360);
});
step("prints in light colours", async () => {
  await browser.open(page("first/report.html"), { dark: true });
  await browser.eval("addEventListener('beforeprint', () => { globalThis.printed = document.documentElement.dataset.theme; })");
  await browser.pdf(join(scratch, "page.pdf"));
  assert.equal(await browser.eval("printed"), "light");
  assert.equal(await browser.eval("document.documentElement.dataset.theme"), "dark");
});
step("a sweep has a page of its own kind, whose command gives the same bytes", async () => {
  dbandit("sweep", ...problem, "--policies", "d-klucb,d-ucb", "--vary", "censor=log:30:1000:4", "--vary", "epsilon=0,0.5", "--out", "grid", "--report");
  await browser.open(page("grid/report.html"));
  assert.equal(await browser.eval("document.querySelectorAll('.bar select option').length"), 2);
  assert.ok(await browser.eval("document.querySelector('input[value=log]').checked"), "a logarithmic grid opens logarithmic");
  await browser.click("input[value=linear]");
  const log = await axes(() => browser.click("input[value=log]"));
  assert.ok(log.x.some(({ text }) => text === "100"), JSON.stringify(log.x));
  rmSync(join(scratch, "again"), { recursive: true });
  const command = await browser.eval("document.querySelector('.command code').textContent");
  execFileSync("sh", ["-c", command], { cwd: scratch, stdio: "ignore", env: { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` } });
  for (const file of ["sweep.csv", "paired.csv"]) assert.equal(readFileSync(join(scratch, "again", file), "utf8"), readFileSync(join(scratch, "grid", file), "utf8"));
});
step("hostile names and specs are text, and nothing of them runs", async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`;
  dbandit("run", ...problem, "--policies", "d-klucb,d-ucb", "--out", "<i>evil");
  const edit = (file, change) => writeFileSync(join(scratch, "<i>evil", file), change(readFileSync(join(scratch, "<i>evil", file), "utf8")));
  for (const file of ["curve.csv", "band.csv", "distribution.csv", "risk.csv"]) edit(file, (text) => text.replaceAll("d-klucb,", `${evil},`));
  edit("summary.json", (text) => text.replaceAll('"d-klucb"', JSON.stringify(evil)));
  edit("manifest.json", (text) => text.replace('"cpu"', '"__proto__"').replace(/"version":"[^"]*"/, `"version":${JSON.stringify(evil)}`));
  edit("spec.toml", (text) => `# ${evil}\n${text}`);
  dbandit("report", "<i>evil", "-o", "evil.html");
  await browser.open(page("evil.html"));
  assert.equal((await legend())[0][0], evil);
  assert.equal(await browser.eval("document.querySelectorAll('img, i').length"), 0);
  assert.equal(await browser.eval("document.querySelector('main pre').textContent.split('\\n')[0]"), `# ${evil}`);
  await browser.click(".toggle");
  assert.deepEqual(await browser.eval("alerted"), []);
  assert.match(await browser.eval("document.querySelector('h2').textContent"), /^<i>evil$/);
});
step("several results share one page", async () => {
  dbandit("report", "first", "grid", "-o", "both.html");
  await browser.open(page("both.html"));
  assert.equal(await browser.eval("document.querySelectorAll('section').length"), 2);
  assert.equal(await browser.eval("document.querySelectorAll('canvas').length"), 2);
});
step("what is not the page's own is forbidden", async () => {
  assert.deepEqual(browser.complaints, [], "until here nothing was");
  const refused = await browser.eval(`(async () => {
    const seen = []; addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
    try { const script = document.createElement("script"); script.text = "globalThis.ran = true"; document.body.append(script); } catch { seen.push("script"); }
    try { document.body.innerHTML += "<b>markup</b>"; } catch { seen.push("markup"); }
    await fetch("http://127.0.0.1:9/").catch(() => seen.push("fetch"));
    return { ran: globalThis.ran ?? false, seen };
  })()`);
  assert.equal(refused.ran, false);
  for (const what of ["script", "markup", "fetch"]) assert.ok(refused.seen.includes(what), `${what}: ${refused.seen}`);
});

let failed = 0;
try {
  browser = await Browser.start();
  await browser.prepare(listen + ";" + alerts);
  for (const [name, action] of steps) {
    try {
      await action();
      console.log(`ok    ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAIL  ${name}\n${error.stack}`);
    }
  }
  if (pictures && existsSync(join(scratch, "first"))) {
    const seen = { light: ["first", {}], dark: ["first", { dark: true }], phone: ["first", { width: 390, height: 844, phone: true, dark: true }], sweep: ["grid", {}] };
    for (const [name, [folder, how]] of Object.entries(seen)) {
      await browser.open(page(`${folder}/report.html`), how);
      await browser.screenshot(join(pictures, `${name}.png`), true);
    }
  }
} finally {
  await browser?.stop();
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
