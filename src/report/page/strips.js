// Two small drawings with a row per policy: paired differences, and the distribution of the final regret.

/** Round ends and steps for an axis that has to hold low and high. */
function niceTicks(low, high, count) {
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) ticks.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  return ticks;
}

/** rows: {name, color, value, shape(scale, base)}; shape gives SVG elements, `scale` takes a number to its place. */
function drawStrip(box, rows, [low, high], title, rowHeight = 44) {
  const width = Math.max(260, box.clientWidth), bottom = 26;
  const left = 8, right = width - 12, height = rows.length * rowHeight + bottom;
  const pad = (high - low || 1) * 0.04, from = low - pad, to = high + pad;
  const scale = (value) => left + ((value - from) / (to - from)) * (right - left);
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ${rows.map((row) => `${row.name} ${row.value}`).join("; ")}` });
  for (const value of niceTicks(from, to, Math.max(3, Math.floor(width / 110)))) {
    svg.append(draw("line", { class: value === 0 ? "zero" : "rule", x1: scale(value), x2: scale(value), y1: 0, y2: height - bottom + 4 }),
      draw("text", { x: scale(value), y: height - 7, "text-anchor": "middle", class: "quiet" }, tick(value).replace("-", "−")));
  }
  rows.forEach((row, i) => {
    const top = i * rowHeight;
    svg.append(...row.shape(scale, top + rowHeight - 14),
      draw("text", { x: left, y: top + 15, class: "name halo" }, row.name),
      draw("text", { x: right, y: top + 15, "text-anchor": "end", class: "quiet halo" }, row.value));
  });
  box.replaceChildren(svg);
}

function drawPairs(view) {
  const { section } = view;
  const pairs = section.cells[view.cell]?.pairs ?? [];
  const reference = view.reference.value;
  const setting = section.policies.find((policy) => policy.name === reference)?.setting;
  const rows = [];
  for (const policy of section.policies) {
    if (policy.name === reference || policy.setting !== setting || state.hidden.has(policy.name)) continue;
    const pair = pairs.find((one) => (one.a === policy.name && one.b === reference) || (one.b === policy.name && one.a === reference));
    if (!pair || !finite(pair.mean)) continue;
    const sign = pair.a === policy.name ? 1 : -1, mean = sign * pair.mean;
    const ends = [pair.low, pair.high].map((end) => (finite(end) ? sign * end : mean)).sort((a, b) => a - b);
    rows.push({ name: policy.name, mean, ends });
  }
  rows.sort((a, b) => a.mean - b.mean);
  view.pairsBox.replaceChildren();
  if (rows.length === 0) return view.pairsBox.append(make("p", { class: "empty" }, "Nobody else in this setting is switched on."));
  const extent = [Math.min(0, ...rows.map((row) => row.ends[0])), Math.max(0, ...rows.map((row) => row.ends[1]))];
  drawStrip(view.pairsBox, rows.map((row) => ({
    name: row.name, value: interval(row.mean, row.ends[0], row.ends[1], true),
    shape: (scale, y) => {
      const stroke = inkOf(row.name).color;
      return [
        draw("line", { x1: scale(0), x2: scale(row.mean), y1: y, y2: y, stroke, "stroke-opacity": 0.35, "stroke-width": 8 }),
        draw("line", { x1: scale(row.ends[0]), x2: scale(row.ends[1]), y1: y, y2: y, stroke, "stroke-width": 2.5 }),
        ...row.ends.map((end) => draw("line", { x1: scale(end), x2: scale(end), y1: y - 6, y2: y + 6, stroke, "stroke-width": 2 })),
        draw("circle", { cx: scale(row.mean), cy: y, r: 4.5, fill: stroke }),
      ];
    },
  })), extent, `Final regret minus that of ${reference}`);
}

/** Shares of the replicas in equal bins, from the quantiles: between two of them the replicas are taken as evenly spread. */
function shares(quantiles, low, high, bins) {
  const below = (x) => {
    const i = quantiles.findIndex(([, value]) => value > x);
    if (i <= 0) return quantiles.at(i)[0] / 100;
    const [p0, v0] = quantiles[i - 1], [p1, v1] = quantiles[i];
    return (p0 + (p1 - p0) * ((x - v0) / (v1 - v0))) / 100;
  };
  const raw = Array.from({ length: bins }, (_, i) => below(low + ((high - low) * (i + 1)) / bins) - below(low + ((high - low) * i) / bins));
  return raw.map((value, i) => ((raw[i - 1] ?? 0) + 2 * value + (raw[i + 1] ?? 0)) / 4);
}

function drawDistribution(view) {
  const policies = view.section.policies.filter((policy) => policy.quantiles.length > 0 && !state.hidden.has(policy.name));
  view.spreadBox.replaceChildren();
  if (policies.length === 0) return view.spreadBox.append(make("p", { class: "empty" }, "Nobody is switched on."));
  const values = policies.flatMap((policy) => policy.quantiles.map(([, value]) => value)).filter(finite);
  const low = Math.min(...values), high = Math.max(...values);
  const at = (policy, percent) => policy.quantiles.reduce((a, b) => (Math.abs(b[0] - percent) < Math.abs(a[0] - percent) ? b : a))[1];
  drawStrip(view.spreadBox, policies.map((policy) => ({
    name: policy.name, value: `${short(at(policy, 50), 3)} (${short(at(policy, 10), 3)} to ${short(at(policy, 90), 3)})`,
    shape: (scale, y) => {
      const color = inkOf(policy.name).color, parts = [];
      if (policy.quantiles.length > 10 && high > low) {
        const own = [policy.quantiles[0][1], policy.quantiles.at(-1)[1]];
        const bins = Math.max(8, Math.min(48, Math.round((scale(own[1]) - scale(own[0])) / 5)));
        const mass = shares(policy.quantiles, own[0], own[1], bins), most = Math.max(...mass) || 1;
        const points = mass.map((share, i) => `${scale(own[0] + ((own[1] - own[0]) * (i + 0.5)) / bins).toFixed(1)},${(y + 6 - (share / most) * 30).toFixed(1)}`);
        parts.push(draw("polygon", { points: [`${scale(own[0])},${y + 6}`, ...points, `${scale(own[1])},${y + 6}`].join(" "), fill: color, "fill-opacity": 0.28, stroke: color, "stroke-width": 1 }));
      }
      parts.push(draw("line", { x1: scale(at(policy, 10)), x2: scale(at(policy, 90)), y1: y + 6, y2: y + 6, stroke: color, "stroke-width": 3.5, "stroke-linecap": "round" }),
        draw("circle", { cx: scale(at(policy, 50)), cy: y + 6, r: 4.5, fill: color }),
        ...(policy.quantiles.length > 10 ? [95, 99] : []).map((percent) => draw("line", { x1: scale(at(policy, percent)), x2: scale(at(policy, percent)), y1: y, y2: y + 12, stroke: color, "stroke-width": 2 })));
      return parts;
    },
  })), [low, high], "Final regret: median, 10 to 90 % of the replicas, and marks at 95 and 99 %", 58);
}
