// Chromium without a window, spoken to through a pipe in its own protocol: no driver and no package is needed.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const chromium = ["chromium", "chromium-browser", "google-chrome"].find((name) => spawnSync(name, ["--version"]).status === 0);

export class Browser {
  #child; #profile; #next = 1; #waiting = new Map(); #heard = ""; #session;
  complaints = []; // what the page logged as an error, threw, or was forbidden to do
  requests = []; // what it asked for

  static async start() {
    const browser = new Browser();
    browser.#profile = mkdtempSync(join(tmpdir(), "dbandit-browser-"));
    browser.#child = spawn(chromium, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
      "--remote-debugging-pipe", `--user-data-dir=${browser.#profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.#child.stdio[4].on("data", (bytes) => browser.#hear(bytes));
    const { targetId } = await browser.#send("Target.createTarget", { url: "about:blank" }, null);
    ({ sessionId: browser.#session } = await browser.#send("Target.attachToTarget", { targetId, flatten: true }, null));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await browser.#send(`${domain}.enable`);
    await browser.#send("Browser.grantPermissions", { permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"] }, null);
    return browser;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.on("exit", resolve));
    this.#send("Browser.close", {}, null).catch(() => {});
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), 10000);
    await ended;
    clearTimeout(killer);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #send(method, params = {}, sessionId = this.#session) {
    const id = this.#next++;
    this.#child.stdio[3].write(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }) + "\0");
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, method }));
  }
  #hear(bytes) {
    this.#heard += bytes;
    for (let end; (end = this.#heard.indexOf("\0")) >= 0;) {
      const message = JSON.parse(this.#heard.slice(0, end));
      this.#heard = this.#heard.slice(end + 1);
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) waiting?.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else if (waiting) waiting.resolve(message.result);
      else this.#event(message.method, message.params);
    }
  }
  #event(method, params) {
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) this.complaints.push(JSON.stringify(params.args));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.complaints.push(params.entry.text);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Page.loadEventFired") this.#loaded?.();
  }
  #loaded = null;

  /** Runs before every page that is opened from now on, whatever the page forbids. */
  prepare(source) { return this.#send("Page.addScriptToEvaluateOnNewDocument", { source }); }
  async open(url, { width = 1280, height = 900, dark = false, phone = false } = {}) {
    await this.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: phone ? 2 : 1, mobile: phone });
    await this.#send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    const loaded = new Promise((resolve) => { this.#loaded = resolve; });
    await this.#send("Page.navigate", { url });
    await loaded;
    await this.settle();
  }
  /** The value of an expression in the page; promises are awaited. */
  async eval(expression) {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }
  settle() { return this.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"); }
  /** A real click in the middle of the first element that the selector finds. */
  async click(selector) {
    const at = await this.eval(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({block: "center", behavior: "instant"});
      const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()`);
    await this.drag(at, at);
  }
  async drag(from, to) {
    const mouse = (type, at, buttons) => this.#send("Input.dispatchMouseEvent", { type, ...at, button: "left", buttons, clickCount: 1 });
    await mouse("mouseMoved", from, 0);
    await mouse("mousePressed", from, 1);
    if (from.x !== to.x || from.y !== to.y) await mouse("mouseMoved", to, 1);
    await mouse("mouseReleased", to, 0);
    await this.settle();
  }
  async hover(at) {
    await this.#send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
    await this.settle();
  }
  async key(key) {
    for (const type of ["keyDown", "keyUp"]) await this.#send("Input.dispatchKeyEvent", { type, key, code: key, ...(key.length === 1 ? { text: key } : {}) , ...(key === "Tab" ? { windowsVirtualKeyCode: 9 } : {})});
    await this.settle();
  }
  async screenshot(file, whole = false) {
    const { data } = await this.#send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole, ...(whole ? { clip: await this.#whole() } : {}) });
    writeFileSync(file, Buffer.from(data, "base64"));
  }
  async #whole() {
    const { cssContentSize } = await this.#send("Page.getLayoutMetrics");
    return { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 };
  }
  async pdf(file) { writeFileSync(file, Buffer.from((await this.#send("Page.printToPDF", { printBackground: true })).data, "base64")); }
}
