// What the page is made of, and what its controls do.

const data = JSON.parse(byId("data").textContent);
const state = { measure: "regret", log: data.sections.length > 0 && data.sections.every((section) => section.log), shade: "interval", hidden: new Set(), theme: null, printing: false };
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => !state.printing && (state.theme ?? (darkSystem.matches ? "dark" : "light")) === "dark";

const looks = looksOf(data.sections.flatMap((section) => section.policies.map((policy) => [policy.name, policy.ink])));
function inkOf(policy) {
  const { color, dash, mark } = looks.get(policy);
  return { color: inks[isDark() ? "dark" : "light"][color], dash: dashes[dash], mark: marks[mark] };
}
function swatch(policy) {
  const { color, dash, mark } = inkOf(policy);
  return draw("svg", { class: "swatch", width: 20, height: 12, "aria-hidden": "true" },
    draw("line", { x1: 0, x2: 20, y1: 6, y2: 6, stroke: color, "stroke-width": 2, "stroke-dasharray": dash.length > 0 ? dash.join(" ") : null }),
    draw("path", { d: mark.path, transform: "translate(10 6)", class: mark.open ? "open" : null, stroke: color, fill: mark.open ? null : color }));
}
const say = (text) => { byId("said").textContent = text; };

/** A row of choices of which one holds: radio buttons, so that arrow keys work as everywhere. */
function choice(name, legend, options, chosen, choose) {
  return make("fieldset", {}, make("legend", {}, legend), make("div", { class: "segments" }, ...options.map(([value, text]) =>
    make("label", {}, make("input", { type: "radio", name, value, checked: value === chosen, change: () => choose(value) }), make("span", {}, text)))));
}

function buildControls() {
  const measures = [...new Set(data.sections.flatMap((section) => section.slices.flatMap((slice) => slice.measures.map((measure) => measure.name))))];
  if (!measures.includes(state.measure)) state.measure = measures[0];
  const timed = data.sections.some((section) => section.time);
  const banded = data.sections.some((section) => section.slices.some((slice) => slice.measures.some((measure) => measure.curves.some((curve) => curve.band))));
  const set = (key) => (value) => { state[key] = value; redraw(); };
  byId("controls").append(
    choice("measure", "Measure", measures.map((name) => [name, measureName(name)]), state.measure, set("measure")),
    choice("time", timed ? "Time" : "Axis", [["linear", "Linear"], ["log", "Logarithmic"]], state.log ? "log" : "linear", (value) => {
      state.log = value === "log";
      for (const view of views) { view.zoom = null; view.unzoom.disabled = true; }
      redraw();
    }),
    choice("shade", "Shade", [["interval", "95 % interval"], ...(banded ? [["band", "10–90 % of replicas"]] : []), ["none", "None"]], state.shade, set("shade")));
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
}

function facts(pairs, named) {
  return make("dl", { class: named }, ...pairs.flatMap(([key, value]) => [make("div", {}, make("dt", {}, key), make("dd", {}, value))]));
}
/** "Least regret at T", setting by setting: regrets of different settings cannot be compared. */
function headline(section) {
  const settings = [...new Set(section.policies.map((policy) => policy.setting))];
  const lines = settings.flatMap((setting) => {
    const best = bestOf(section, setting);
    const rivals = section.policies.filter((policy) => policy.setting === setting && policy.name !== best?.policy)
      .map((policy) => ({ name: policy.name, pair: behind(section, policy.name, best?.policy) })).filter((rival) => rival.pair);
    if (!best || rivals.length === 0) return [];
    const next = rivals.reduce((a, b) => (b.pair.mean < a.pair.mean ? b : a));
    const sure = next.pair.low > 0;
    return [make("p", { class: "headline" }, settings.length > 1 ? `${setting}: ` : "", "least final regret ", swatch(best.policy), make("strong", {}, best.policy), ` ${interval(best.mean.at(-1), best.low.at(-1), best.high.at(-1))}, next `,
      swatch(next.name), make("strong", {}, next.name), ` ${interval(next.pair.mean, next.pair.low, next.pair.high, true)}${sure ? "" : ", within chance"}`)];
  });
  return make("div", { class: "headlines" }, ...lines);
}

function legendOf(view) {
  view.legend = view.section.policies.map((policy) => {
    const value = make("span", { class: "value" });
    const click = () => {
      if (!state.hidden.delete(policy.name)) state.hidden.add(policy.name);
      redraw();
    };
    const button = make("button", { type: "button", class: "toggle", "aria-pressed": "true", click }, swatch(policy.name), make("span", { class: "name" }, policy.name), value);
    return { policy: policy.name, button, value };
  });
  const bounds = view.section.bounds.map((bound) => {
    const change = (event) => {
      if (event.target.checked) view.bounds.add(bound.name);
      else view.bounds.delete(bound.name);
      drawChart(view);
    };
    return make("label", { class: "bound" }, make("input", { type: "checkbox", checked: view.bounds.has(bound.name), change }),
      make("span", {}, bound.name), make("span", { class: "value" }, short(bound.slope)));
  });
  view.place = make("p", { class: "place" });
  return make("div", { class: "legend" }, view.place, make("div", { class: "toggles", role: "group", "aria-label": "Policies shown" }, ...view.legend.map((entry) => entry.button)),
    bounds.length > 0 ? make("fieldset", { class: "bounds" }, make("legend", {}, "Bounds: slope per ln t"), ...bounds) : null);
}

function selector(label, options, chosen, change) {
  const select = make("select", { change }, ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
  return [make("label", { class: "select" }, label, " ", select), select];
}

function copyButton(text) {
  const said = "Copied";
  const button = make("button", { type: "button", class: "copy", click: async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Some browsers keep the clipboard from pages on disk: an old way still works there.
      const area = make("textarea", { class: "unseen" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = said;
    say(said);
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return button;
}

function buildSection(section, index) {
  const view = { section, slice: 0, cell: 0, zoom: null, sort: null, bounds: new Set(section.bounds.filter((bound) => bound.lower).map((bound) => bound.name)) };
  const measure = make("span", { class: "measure" });
  view.measure = measure;
  const zoom = (text, label, click) => make("button", { type: "button", "aria-label": label, title: label, click }, text);
  view.unzoom = zoom("⤢", "Show the whole chart", () => zoomTo(view, null));
  view.unzoom.disabled = true;
  view.box = make("div", { class: "chart", tabindex: "0", role: "group", "aria-label": `Chart of ${section.name}: arrow keys read values, plus and minus zoom`, keydown: (event) => chartKey(view, event) });
  const slices = section.slices.length > 1
    ? selector("Curves at", section.slices.map((slice, i) => [String(i), slice.name]), "0", (event) => { view.slice = Number(event.target.value); drawChart(view); drawTable(view); })[0] : null;
  const first = bestOf(section, section.policies[0].setting)?.policy ?? section.policies[0].name;
  const [against, reference] = selector("against", section.policies.map((policy) => [policy.name, policy.name]), first, () => drawPairs(view));
  view.reference = reference;
  const cells = section.cells.length > 1 ? selector("at", section.cells.map((cell, i) => [String(i), cell.name]), "0", (event) => { view.cell = Number(event.target.value); drawPairs(view); })[0] : null;
  view.pairsBox = make("div", { class: "strip" });
  view.spreadBox = make("div", { class: "strip" });
  view.tableBox = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" });
  view.hasMap = section.slices.length > 1;
  view.mapBox = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Map of both axes" });
  const hasPairs = section.cells.some((cell) => cell.pairs.length > 0), hasSpread = section.policies.some((policy) => policy.quantiles.length > 0);
  const strips = hasPairs || hasSpread ? make("div", { class: "pair" },
    hasPairs ? make("div", { class: "card" }, make("h3", {}, "Paired differences"), make("p", { class: "note" }, "final regret in the same worlds, 95 % interval ", against, cells ? " " : null, cells), view.pairsBox) : null,
    hasSpread ? make("div", { class: "card" }, make("h3", {}, "Final regret of a single run"), make("p", { class: "note" }, "how the replicas spread; dot: median, bar: 10 % to 90 %"), view.spreadBox) : null) : null;
  const command = make("code", {}, section.command);
  byId("results").append(make("section", { id: `result-${index + 1}`, "aria-label": section.name },
    make("h2", {}, section.name), facts(section.problem, "facts"), section.time ? headline(section) : null,
    make("div", { class: "card figure" },
      make("div", { class: "bar" }, make("h3", {}, measure), slices, make("div", { class: "zooms" }, zoom("+", "Zoom in", () => zoomBy(view, 0.5)), zoom("−", "Zoom out", () => zoomBy(view, 2)), view.unzoom)),
      make("div", { class: "plot" }, view.box, legendOf(view))),
    view.hasMap ? make("div", { class: "card" }, make("h3", {}, "Both axes: who has the least"), make("p", { class: "note" }, "the policy of the smallest mean in each cell, and that mean; =: the next one is within chance"), view.mapBox) : null,
    strips,
    make("div", { class: "card" }, make("h3", {}, section.time ? "At the horizon" : "All values"), make("p", { class: "note" }, "mean ± 95 % interval; a click on a heading sorts"), view.tableBox),
    make("div", { class: "card" }, make("h3", {}, "Run it again"), make("p", { class: "note" }, section.command.split(" ")[2] === "spec.toml" ? "with spec.toml as it is in the folder and under Spec below; gives the same bytes, whatever the machine" : "gives the same bytes, whatever the machine"), make("div", { class: "command" }, command, copyButton(section.command))),
    make("div", { class: "pair" },
      make("details", { class: "card" }, make("summary", {}, "Spec"), make("pre", {}, section.spec)),
      make("details", { class: "card" }, make("summary", {}, "Provenance"), facts(section.provenance, "provenance")))));
  view.hasPairs = hasPairs;
  view.hasSpread = hasSpread;
  byId("contents").append(make("a", { href: `#result-${index + 1}` }, section.name));
  return view;
}

function redraw() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  byId("theme").textContent = isDark() ? "☀ Light" : "☾ Dark";
  byId("theme").setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  for (const old of document.querySelectorAll(".headline .swatch")) old.replaceWith(swatch(old.nextSibling.textContent));
  for (const view of views) {
    view.measure.textContent = measureText(measureOf(view).name);
    for (const entry of view.legend) {
      entry.button.setAttribute("aria-pressed", String(!state.hidden.has(entry.policy)));
      entry.button.firstChild.replaceWith(swatch(entry.policy));
    }
    drawChart(view);
    if (view.hasMap) drawMap(view);
    if (view.hasPairs) drawPairs(view);
    if (view.hasSpread) drawDistribution(view);
    drawTable(view);
  }
}

byId("theme").addEventListener("click", () => { state.theme = isDark() ? "light" : "dark"; redraw(); });
darkSystem.addEventListener("change", redraw);
addEventListener("beforeprint", () => { state.printing = true; for (const detail of document.querySelectorAll("main details")) detail.open = true; redraw(); });
addEventListener("afterprint", () => { state.printing = false; redraw(); });
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) requestAnimationFrame(redraw);
  width = innerWidth;
});

const views = data.sections.map(buildSection);
buildControls();
redraw();
