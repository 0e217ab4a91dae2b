// A sweep of two axes: who has the least of the measure in each cell, the first axis across, the second down.

/** The columns and rows of the map: {xs, rows: [{name, cells: [{policy, value, sure}]}]}. A lead within chance is not sure. */
function mapOf(section, measureName) {
  const xs = [...new Set(section.slices.flatMap((slice) => slice.measures[0].curves.flatMap((curve) => curve.x)))].sort((a, b) => a - b);
  const rows = section.slices.map((slice) => {
    const measure = slice.measures.find((one) => one.name === measureName) ?? slice.measures[0];
    const cells = xs.map((x) => {
      const found = measure.curves.flatMap((curve) => {
        const i = curve.x.indexOf(x);
        return i >= 0 && finite(curve.mean[i]) ? [{ policy: curve.policy, value: curve.mean[i], low: curve.low[i], high: curve.high[i] }] : [];
      }).sort((a, b) => a.value - b.value);
      if (found.length === 0) return null;
      const [first, second] = found;
      return { policy: first.policy, value: first.value, low: first.low, high: first.high, sure: !second || isApart(section, slice.name, x, first.policy, second.policy) };
    });
    return { name: slice.name, cells };
  });
  return { xs, rows };
}

/** Whether the paired difference of two policies in a cell, "censor = 5, epsilon = 0.5", is beyond chance. */
function isApart(section, slice, x, a, b) {
  const cell = section.cells.find((one) => one.name.endsWith(`, ${slice}`) && Number(one.name.split(", ")[0].split(" = ")[1]) === x);
  const pair = cell?.pairs.find((one) => (one.a === a && one.b === b) || (one.a === b && one.b === a));
  return Boolean(pair) && finite(pair.low) && finite(pair.high) && (pair.low > 0 || pair.high < 0);
}

function drawMap(view) {
  const { xs, rows } = mapOf(view.section, measureOf(view).name);
  const head = make("tr", {}, make("th", { scope: "col" }, view.section.xName), ...xs.map((x) => make("th", { scope: "col", class: "number" }, short(x, 4))));
  const line = (row) => make("tr", {}, make("th", { scope: "row" }, row.name), ...row.cells.map((cell) => make("td", { class: "number" },
    ...(cell ? [swatch(cell.policy), make("span", {}, `${cell.sure ? cell.policy : "="} ${short(cell.value, 3)}`)] : ["–"]))));
  view.mapBox.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.map(line))));
}
