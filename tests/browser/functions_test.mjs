// The page's functions that need no browser: what the tables of a sweep say, where bounds lie, how policies look.
//   node functions_test.mjs FOLDER_OF_THE_PAGE
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const context = vm.createContext({});
for (const name of ["format", "chart", "table", "map"]) vm.runInContext(readFileSync(`${process.argv[2]}/${name}.js`, "utf8"), context);
const call = (code, values = {}) => { Object.assign(context, values); return JSON.parse(JSON.stringify(vm.runInContext(code, context))); };

const curve = (policy, mean) => ({ policy, x: [5, 20], mean, low: mean.map((m) => m - 1), high: mean.map((m) => m + 1) });
const slice = (name, a, b) => ({ name, measures: [{ name: "regret", curves: [curve("a", a), curve("b", b)] }] });
const pair = (name, low, high) => ({ name, pairs: [{ a: "a", b: "b", mean: (low + high) / 2, low, high }] });
const section = {
  time: false, xName: "window, rounds", bounds: [],
  policies: ["a", "b"].map((name) => ({ name, setting: "censored", quantiles: [], risk: {} })),
  slices: [slice("epsilon = 0", [10, 30], [20, 29]), slice("epsilon = 0.5", [11, 31], [21, 25])],
  cells: [pair("censor = 5, epsilon = 0", -11, -9), pair("censor = 5, epsilon = 0.5", -11, -9), pair("censor = 20, epsilon = 0", -1, 3), pair("censor = 20, epsilon = 0.5", 4, 8)],
};

const map = call('mapOf(section, "regret")', { section });
assert.deepEqual(map.xs, [5, 20]);
assert.deepEqual(map.rows.map((row) => row.cells.map((cell) => [cell.policy, cell.sure])), [[["a", true], ["b", false]], [["a", true], ["b", true]]]);

const table = call("tableOf({ section, slice: 0, sort: null })", { section });
assert.deepEqual(table.columns.slice(0, 3), ["window, rounds", "and", "policy"]);
assert.equal(table.rows.length, 8, "both axes, every policy");
assert.deepEqual(table.rows.map((row) => row[1].text).filter((text, i, all) => all.indexOf(text) === i), ["epsilon = 0", "epsilon = 0.5"]);

const one = call("tableOf({ section, slice: 0, sort: null })", { section: { ...section, slices: section.slices.slice(0, 1) } });
assert.deepEqual(one.columns.slice(0, 2), ["window, rounds", "policy"]);
assert.equal(one.rows.length, 4);

// Slopes alone can be compared: no curve is below the line of a lower bound, none above that of an upper one, and one touches it.
const crossing = [{ x: [1, 20, 50, 100], mean: [0, 5, 12, 25] }, { x: [1, 20, 50, 100], mean: [0, 20, 20.5, 21] }];
for (const lower of [true, false]) {
  const line = call("boundLine(crossing, 7, [1, 20, 50, 100], lower)", { crossing, lower });
  assert.equal(line[0], null, "from a fifth of the horizon on");
  const gaps = crossing.flatMap(({ mean }) => mean.map((value, i) => (line[i] === null ? null : lower ? value - line[i] : line[i] - value))).filter((gap) => gap !== null);
  assert.ok(gaps.length >= 4 && gaps.every((gap) => gap > -1e-9) && Math.min(...gaps) < 1e-9, `${lower}: ${gaps}`);
}

// Policies of one colour differ by mark or dash, also the settings of one policy; alone each has the colour and mark it has among all.
const places = Array.from({ length: 40 }, (_, i) => [`p${i}`, i]).concat(Array.from({ length: 12 }, (_, i) => [`p3(epsilon=${i})`, 3]));
const looks = call("[...looksOf(places)]", { places });
assert.equal(new Set(looks.map(([, look]) => JSON.stringify(look))).size, places.length, "no two look the same");
for (let i = 0; i < 40; ++i) {
  const [[, alone]] = call("[...looksOf([places[i]])]", { places, i });
  assert.deepEqual([alone.color, alone.mark], [looks[i][1].color, looks[i][1].mark]);
}

// Marks: every value of a sweep, about nine of a long curve, whatever is seen of it.
const xs = Array.from({ length: 200 }, (_, i) => i + 1);
assert.equal(call("marked([1, 2, 3], [4, 5, 6], [1, 3], false, 0)").length, 3);
assert.equal(call("marked(xs, xs, [1, 200], false, 1)", { xs }).length, 9);
assert.ok(call("marked(xs, xs, [50, 100], true, 2)", { xs }).every((i) => xs[i] >= 50 && xs[i] <= 100));
