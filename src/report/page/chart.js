// The curves, by uPlot. A chart is made anew from the state whenever that changes: it takes milliseconds.

/** Where `x` is in the increasing `xs`, or the last one before it. */
function indexBefore(xs, x) {
  let low = 0, high = xs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

const measureOf = (view) => {
  const measures = view.section.slices[view.slice].measures;
  return measures.find((measure) => measure.name === state.measure) ?? measures[0];
};

/** The columns that are drawn: xs, then for each visible curve its mean and the edges of its shade, then the bounds. */
function columnsOf(view) {
  const curves = measureOf(view).curves.filter((curve) => !state.hidden.has(curve.policy));
  const xs = [...new Set(curves.flatMap((curve) => curve.x))].filter(finite).sort((a, b) => a - b);
  const at = new Map(xs.map((x, i) => [x, i]));
  const spread = (from, values) => {
    const column = Array(xs.length).fill(null);
    from.forEach((x, i) => { if (at.has(x) && finite(values[i])) column[at.get(x)] = values[i]; });
    return column;
  };
  const lines = curves.map((curve) => {
    const shade = state.shade === "band" ? curve.band : state.shade === "interval" ? curve : null;
    return {
      curve, mean: spread(curve.x, curve.mean),
      edges: shade ? [spread(shade.x, shade.high), spread(shade.x, shade.low)] : null,
    };
  });
  return { xs, lines, slopes: slopesOf(view, curves, xs) };
}

/**
 * slope · ln t from a fifth of the horizon on. Only slopes can be compared, and a line that crossed a curve would look like a violated bound:
 * a lower bound is moved down until it is below all curves, an upper one up until it is above them.
 */
function boundLine(curves, slope, xs, lower) {
  const from = Math.max(...curves.map((curve) => curve.x.at(-1))) / 5;
  const points = curves.flatMap((curve) => curve.x.map((x, i) => [x, curve.mean[i]])).filter(([x, mean]) => x >= from && finite(mean));
  const offset = (lower ? Math.min : Math.max)(...points.map(([x, mean]) => mean - slope * Math.log(x))), floor = Math.min(0, ...points.map(([, mean]) => mean));
  return xs.map((x) => (x < from ? null : offset + slope * Math.log(x))).map((y) => (y === null || y < floor ? null : y));
}
function slopesOf(view, curves, xs) {
  if (measureOf(view).name !== "regret" || !view.section.time) return [];
  return view.section.bounds.filter((bound) => view.bounds.has(bound.name)).flatMap((bound) => {
    const meant = curves.filter((curve) => bound.policies.includes(curve.policy));
    return meant.length === 0 ? [] : [{ bound, values: boundLine(meant, bound.slope, xs, bound.lower) }];
  });
}

/** Where a curve gets its marks: at every value where there are few, else about nine over what is seen. */
function marked(xs, mean, [low, high], log, shift) {
  const there = xs.map((_, i) => i).filter((i) => finite(mean[i]) && xs[i] >= low && xs[i] <= high);
  if (xs.length < 30) return there;
  const to = log ? Math.log : Number, count = 9, places = new Set();
  for (let i = 0; i < count && there.length > 0; ++i) {
    const wanted = to(low) + ((to(high) - to(low)) * (i + 0.35 + 0.3 * (shift % 3))) / count;
    places.add(there.reduce((best, j) => (Math.abs(to(xs[j]) - wanted) < Math.abs(to(xs[best]) - wanted) ? j : best)));
  }
  return [...places];
}
function drawMarks(plot, view, card) {
  const { ctx } = plot, { left, top, width, height } = plot.bbox, { xs, lines } = view.columns;
  const { min, max } = plot.scales.x;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - 8 * devicePixelRatio, top, width + 16 * devicePixelRatio, height);
  ctx.clip();
  lines.forEach(({ curve, mean }, shift) => {
    const { color, mark } = inkOf(curve.policy), shape = new Path2D(mark.path);
    for (const i of marked(xs, mean, [min, max], isLog(view, xs), shift)) {
      ctx.save();
      ctx.translate(plot.valToPos(xs[i], "x", true), plot.valToPos(mean[i], "y", true));
      ctx.scale(devicePixelRatio, devicePixelRatio);
      ctx.fillStyle = mark.open ? card : color;
      ctx.strokeStyle = color;
      ctx.lineWidth = 1.5;
      ctx.fill(shape);
      ctx.stroke(shape);
      ctx.restore();
    }
  });
  ctx.restore();
}

/** Whether time can be logarithmic: a sweep may vary something that is 0 somewhere. */
const isLog = (view, xs) => state.log && xs.length > 0 && xs[0] > 0;

/** What is seen before any zoom. Of logarithmic time the last three decades: before that nobody can have learned. */
function wholeRange(view, xs) {
  const last = xs.at(-1);
  const first = isLog(view, xs) && view.section.time ? Math.max(xs[0], last / 1000) : isLog(view, xs) ? xs[0] : Math.min(view.section.time ? 0 : xs[0], xs[0]);
  return first < last ? [first, last] : [first * 0.9, last * 1.1 || 1];
}

function drawChart(view) {
  view.plot?.destroy();
  view.plot = null;
  view.box.querySelector(".empty")?.remove();
  const columns = columnsOf(view);
  const { xs, lines, slopes } = columns;
  view.columns = columns;
  view.box.dataset.axis = isLog(view, xs) ? "log" : "linear";
  if (lines.length === 0 || xs.length === 0) {
    view.box.append(make("p", { class: "empty" }, "Every policy is switched off."));
    readOut(view, null);
    return;
  }
  const css = getComputedStyle(document.documentElement);
  const color = (name) => css.getPropertyValue(name).trim();
  const series = [{}], data = [xs], bands = [], pointed = new Set();
  for (const { curve, mean, edges } of lines) {
    const ink = inkOf(curve.policy);
    if (edges) {
      const edge = { stroke: ink.color + "55", width: state.shade === "band" ? 1 : 0, spanGaps: true, points: { show: false } };
      bands.push({ series: [series.length, series.length + 1], fill: ink.color + (state.shade === "band" ? "1f" : "40") });
      series.push({ ...edge }, { ...edge });
      data.push(...edges);
    }
    pointed.add(series.length);
    series.push({ label: curve.policy, stroke: ink.color, width: 2, dash: ink.dash, spanGaps: true, points: { show: false } });
    data.push(mean);
  }
  for (const { bound, values } of slopes) {
    series.push({ stroke: color("--text"), width: 1.5, dash: bound.lower ? [8, 5] : [2, 3], points: { show: false } });
    data.push(values);
  }
  const axis = {
    stroke: color("--quiet"), font: "12px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif", labelSize: 22, labelGap: 0,
    grid: { stroke: color("--grid"), width: 1 }, ticks: { stroke: color("--grid"), width: 1, size: 5 },
  };
  const log = isLog(view, xs), range = view.zoom ?? wholeRange(view, xs);
  const decade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  view.plot = new uPlot({
    width: Math.max(200, view.box.clientWidth), height: view.box.clientWidth < 520 ? 280 : 430, padding: [12, 14, 0, 0],
    legend: { show: false },
    cursor: {
      y: false, drag: { x: true, y: false, dist: 6 },
      points: { show: (plot, index) => (pointed.has(index) ? make("div") : null), size: 9, fill: (plot, index) => plot.series[index].stroke(plot, index) },
    },
    scales: {
      x: { time: false, distr: log ? 3 : 1, range: (plot, low, high) => (low === null ? range : [low, high]) },
      y: { range: (plot, low, high) => (low === null ? [0, 1] : [Math.min(0, low * 1.05), high > 0 ? high * 1.05 : 1]) },
    },
    axes: [
      { ...axis, size: 34, label: view.section.xName + (log ? ", logarithmic" : ""), values: (plot, ticks) => ticks.map((value) => (log && !decade(value) && range[1] / range[0] > 20 ? "" : tick(value))) },
      { ...axis, label: measureName(measureOf(view).name).toLowerCase(), values: (plot, ticks) => ticks.map(tick), size: 48 },
    ],
    series, bands,
    hooks: {
      draw: [(plot) => drawMarks(plot, view, color("--card"))],
      setCursor: [(plot) => readOut(view, plot.cursor.idx ?? null)],
      setSelect: [(plot) => {
        if (plot.select.width > 6) zoomTo(view, plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x"));
      }],
    },
  }, data, view.box);
  view.plot.over.addEventListener("dblclick", () => zoomTo(view, null));
  view.plot.setScale("x", { min: range[0], max: range[1] });
  readOut(view, null);
}

/** Zooms to [low, high] as far as there is something to see; without numbers: all of it. */
function zoomTo(view, low, high) {
  const xs = view.columns.xs, whole = wholeRange(view, xs);
  view.zoom = null;
  if (finite(low) && xs.length > 1) {
    const zoom = [Math.max(low, whole[0]), Math.min(high, whole[1])];
    if (zoom[0] < zoom[1] && (zoom[0] > whole[0] || zoom[1] < whole[1])) view.zoom = zoom;
  }
  view.unzoom.disabled = view.zoom === null;
  drawChart(view);
}
/** By a factor, about the middle of what is seen, in the measure of the axis. */
function zoomBy(view, factor) {
  if (!view.plot) return;
  const log = isLog(view, view.columns.xs), to = log ? Math.log : Number, back = log ? Math.exp : Number;
  const { min, max } = view.plot.scales.x;
  const middle = (to(min) + to(max)) / 2, half = ((to(max) - to(min)) / 2) * factor;
  zoomTo(view, back(middle - half), back(middle + half));
}

/** The legend's values: where the pointer is, else at the end. */
function readOut(view, index) {
  const { xs, lines } = view.columns;
  const i = index ?? xs.length - 1, x = xs[i];
  view.place.textContent = !finite(x) ? "" : `at ${view.section.xName} ${short(x, 7)}`;
  const words = [];
  for (const entry of view.legend) {
    const line = lines.find((candidate) => candidate.curve.policy === entry.policy);
    entry.value.textContent = line ? valueText(line.curve, x) : "off";
    if (line) words.push(`${entry.policy} ${entry.value.textContent}`);
  }
  view.words = `${view.place.textContent}: ${words.join(", ")}`;
}
function valueText(curve, x) {
  const i = indexBefore(curve.x, x);
  if (state.shade === "band" && curve.band) {
    // The band has fewer rounds than the curve; between them it is read where it is drawn.
    const b = indexBefore(curve.band.x, x), next = Math.min(b + 1, curve.band.x.length - 1);
    const share = next > b ? Math.max(0, (x - curve.band.x[b]) / (curve.band.x[next] - curve.band.x[b])) : 0;
    const edge = (values) => short(values[b] + share * (values[next] - values[b]), 3);
    return `${short(curve.mean[i])} (${edge(curve.band.low)} to ${edge(curve.band.high)})`;
  }
  return state.shade === "none" ? short(curve.mean[i]) : interval(curve.mean[i], curve.low[i], curve.high[i]);
}

function chartKey(view, event) {
  if (!view.plot) return;
  const plot = view.plot, xs = view.columns.xs;
  const seen = [indexBefore(xs, plot.scales.x.min), indexBefore(xs, plot.scales.x.max)];
  const step = event.shiftKey ? 10 : 1;
  const now = plot.cursor.idx ?? (event.key === "ArrowLeft" ? seen[1] + step : seen[0] - step);
  const keys = {
    ArrowLeft: () => now - step, ArrowRight: () => now + step, Home: () => seen[0], End: () => seen[1],
    "+": () => zoomBy(view, 0.5), "=": () => zoomBy(view, 0.5), "-": () => zoomBy(view, 2), 0: () => zoomTo(view, null), Escape: () => zoomTo(view, null),
  };
  if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const index = keys[event.key]();
  if (!finite(index)) return;
  const wanted = Math.min(Math.max(index, seen[0]), seen[1]);
  plot.setCursor({ left: plot.valToPos(xs[wanted], "x"), top: 10 });
  say(view.words);
}
