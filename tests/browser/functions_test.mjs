// The page's functions that need no browser: what the tables of a sweep say.
//   node functions_test.mjs FOLDER_OF_THE_PAGE
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const context = vm.createContext({});
for (const name of ["format", "table", "map"]) vm.runInContext(readFileSync(`${process.argv[2]}/${name}.js`, "utf8"), context);
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
