// The table: a row per policy; of a sweep, per policy and value. Every column sorts.

/** The rows of a view: each cell {text, key}, the key being what sorts. */
function tableOf(view) {
  const { section } = view, { measures } = section.slices[view.slice];
  const number = (value, text = short(value)) => ({ text, key: finite(value) ? value : Infinity });
  // Of a second axis every value has its rows; runs have one slice without a name.
  const slices = section.slices.length > 1 ? section.slices : [section.slices[view.slice]];
  const columns = [...(section.time ? [] : [section.xName]), ...(slices.length > 1 ? ["and"] : []), "policy", "setting", ...measures.map((measure) => measureName(measure.name)), ...(section.time ? ["behind the best", "median", "10–90\u00a0%", "p95", "p99", "worst 5\u00a0%", "above uniform / 4", "slope / bound", "best arm"] : [])];
  const rows = [];
  for (const slice of slices) for (const policy of section.policies) {
    const own = slice.measures.map((measure) => measure.curves.find((curve) => curve.policy === policy.name));
    const base = slice.measures[0].curves.find((curve) => curve.policy === policy.name);
    if (!base) continue;
    for (let i = section.time ? base.x.length - 1 : 0; i < base.x.length; ++i) {
      const row = section.time ? [] : [number(base.x[i], short(base.x[i], 7))];
      if (slices.length > 1) row.push({ text: slice.name, key: slices.indexOf(slice) });
      row.push({ text: policy.name, key: policy.name, ink: policy.name }, { text: policy.setting, key: policy.setting });
      for (const curve of own) row.push(curve ? number(curve.mean[i], interval(curve.mean[i], curve.low[i], curve.high[i])) : number(NaN));
      if (section.time) row.push(...endCells(view, policy, base, number));
      rows.push(row);
    }
  }
  return { columns, rows };
}

function endCells(view, policy, curve, number) {
  const { section } = view;
  const quantile = (percent) => policy.quantiles.find(([at]) => at === percent)?.[1];
  const best = bestOf(section, policy.setting);
  const pair = best && behind(section, policy.name, best.policy);
  // From the last record not later than T/2, as the program's own table has it.
  const from = indexBefore(curve.x, curve.x.at(-1) / 2);
  const bound = section.bounds.find((one) => one.lower && one.policies.includes(policy.name));
  const slope = (curve.mean.at(-1) - curve.mean[from]) / Math.log(curve.x.at(-1) / curve.x[from]);
  return [
    best?.policy === policy.name ? { text: "best", key: 0 } : pair ? number(pair.mean, interval(pair.mean, pair.low, pair.high, true)) : number(NaN),
    number(quantile(50)),
    { text: finite(quantile(10)) ? `${short(quantile(10), 3)} – ${short(quantile(90), 3)}` : "–", key: quantile(90) ?? Infinity },
    ...["p95", "p99", "shortfall"].map((figure) => riskCell(policy, figure, 1, number)),
    riskCell(policy, "above", 100, number),
    bound && from < curve.x.length - 1 && curve.x[from] * 2 <= curve.x.at(-1) ? number(slope / bound.slope, (slope / bound.slope).toFixed(2)) : number(NaN),
    number(policy.bestShare, finite(policy.bestShare) ? `${(100 * policy.bestShare).toFixed(1)} %` : "–"),
  ];
}

/** A figure of risk.csv with its interval; an end that the replicas cannot have is a question mark. */
function riskCell(policy, figure, scale, number) {
  const [value, low, high] = (policy.risk[figure] ?? [NaN, NaN, NaN]).map((one) => (finite(one) ? one * scale : one));
  const end = (one) => (finite(one) ? short(one, 3) : "?");
  return finite(value) ? number(value, `${end(value)}${scale === 100 ? " %" : ""} [${end(low)}, ${end(high)}]`) : number(NaN);
}

/** The curve of least final regret in a setting. */
function bestOf(section, setting) {
  const names = new Set(section.policies.filter((policy) => policy.setting === setting).map((policy) => policy.name));
  const curves = section.slices[0].measures[0].curves.filter((curve) => names.has(curve.policy));
  return curves.length > 0 ? curves.reduce((a, b) => (b.mean.at(-1) < a.mean.at(-1) ? b : a)) : null;
}
function behind(section, name, reference) {
  const pair = section.cells[0]?.pairs.find((one) => (one.a === name && one.b === reference) || (one.b === name && one.a === reference));
  if (!pair) return null;
  return pair.a === name ? pair : { mean: -pair.mean, low: -pair.high, high: -pair.low };
}

function drawTable(view) {
  const { columns, rows } = tableOf(view);
  const textual = new Set(["policy", "setting"]);
  if (view.sort) {
    const { column, down } = view.sort, compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    rows.sort((a, b) => (down ? -1 : 1) * compare(a[column].key, b[column].key));
  }
  const heads = columns.map((name, column) => {
    const sorted = view.sort?.column === column;
    const click = () => {
      view.sort = { column, down: sorted && !view.sort.down };
      drawTable(view);
      view.tableBox.querySelectorAll("th button")[column].focus();
    };
    return make("th", { scope: "col", class: textual.has(name) ? null : "number", "aria-sort": sorted ? (view.sort.down ? "descending" : "ascending") : "none" },
      make("button", { type: "button", click }, name, make("span", { "aria-hidden": "true", class: "arrow" }, sorted ? (view.sort.down ? "↓" : "↑") : "")));
  });
  const line = (row) => make("tr", {}, ...row.map((cell, i) =>
    make(textual.has(columns[i]) && cell.ink ? "th" : "td", { scope: cell.ink ? "row" : null, class: textual.has(columns[i]) ? null : "number" },
      cell.ink ? swatch(cell.ink) : null, cell.text)));
  view.tableBox.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows.map(line))));
}
