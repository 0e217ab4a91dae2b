"use strict";
// Elements and numbers. Everything that came from a file becomes text: nothing here or below writes markup.

const byId = (id) => document.getElementById(id);

/** An element; attributes that are functions listen, null ones are left out, children are elements or text. */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const finite = (value) => typeof value === "number" && Number.isFinite(value);

/** 12345.6 as "12 346", 0.012345 as "0.0123": digits that a reader can use. */
function short(value, digits = 4) {
  if (!finite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2).replace("e+", "e");
  const decimals = size === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return grouped(Number(value.toFixed(Math.min(decimals, 12))).toString());
}
/** Ticks of an axis: 20000 as "20k". */
function tick(value) {
  if (!finite(value)) return "";
  for (const [power, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= power) return `${Number((value / power).toPrecision(6))}${letter}`;
  }
  return String(Number(value.toPrecision(6)));
}
function grouped(text) {
  const [whole, fraction] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, whole.replace("-", "").length > 4 ? "\u202f" : "");
  return (fraction ? `${spaced}.${fraction}` : spaced).replace("-", "−");
}
/** "39.34 ± 0.70": both to the interval's second digit. */
function interval(mean, low, high, sign = false) {
  const half = (high - low) / 2;
  const plus = sign && mean > 0 ? "+" : "";
  if (!finite(half) || half <= 0) return plus + short(mean);
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
  return `${plus}${grouped(mean.toFixed(decimals))}\u00a0±\u00a0${half.toFixed(decimals)}`;
}

const measureWords = {
  regret: ["Regret", "regret: conversions lost so far"],
  pseudo_regret: ["Pseudo-regret", "pseudo-regret: conversions lost, seen or not"],
  realised_regret: ["Realised regret", "realised regret: conversions fewer than the best arm's on the same draws"],
};
const measureName = (name) => (Object.hasOwn(measureWords, name) ? measureWords[name][0] : name);
const measureText = (name) => (Object.hasOwn(measureWords, name) ? measureWords[name][1] : name);

// Okabe and Ito's colours, which the colour-blind can tell apart, in an order in which neighbours differ in grey as well.
const inks = {
  light: ["#0072b2", "#d98200", "#00845f", "#b8578f", "#a03c00", "#3d9bd6", "#6a3d9a", "#444b57"],
  dark: ["#5cb8f5", "#f5b83d", "#35cfa0", "#eb9fcb", "#ff9166", "#a9dcff", "#b79bdf", "#c6ccd8"],
};
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 4], [10, 3, 2, 3, 2, 3]];
// The marks of the figures, as paths about the origin; the last three are open.
const marks = [
  { path: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z" }, { path: "M0,-5L5,4L-5,4Z" }, { path: "M-4,-4H4V4H-4Z" }, { path: "M0,5L5,-4L-5,-4Z" }, { path: "M0,-5L5,0L0,5L-5,0Z" },
  { path: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", open: true }, { path: "M0,-5L5,4L-5,4Z", open: true }, { path: "M-4,-4H4V4H-4Z", open: true },
];
/** Colour, mark and dash of each policy, by its place among the inks: colour and mark are those of every figure, and no two policies look the same. */
function looksOf(places) {
  const looks = new Map(), colors = inks.light.length, markOf = (place) => (place + Math.floor(place / colors)) % marks.length;
  for (const [name, place] of places) {
    const color = place % colors, alike = [...looks.values()].filter((other) => other.color === color);
    // The dash says how many of the colour came before; where that look is taken, the next one that is free.
    for (let i = 0; i < dashes.length * marks.length && !looks.has(name); ++i) {
      const look = { color, dash: (alike.length + i) % dashes.length, mark: markOf(place + Math.floor(i / dashes.length) * colors) };
      if (!alike.some((other) => other.dash === look.dash && other.mark === look.mark)) looks.set(name, look);
    }
    if (!looks.has(name)) looks.set(name, { color, dash: 0, mark: markOf(place) });
  }
  return looks;
}
