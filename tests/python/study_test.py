"""sweep, bounds, plan, fit, claims, trace, compare and report: the program's own numbers and words."""

import csv
import io
import json
import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import dbandit

PROGRAM = os.environ["DBANDIT_PROGRAM"]
SMALL = dict(theta=[0.1, 0.05], delay="geometric:20", censor=60, horizon=500, policies=["d-klucb", "d-ucb"], replicas=300)
PROBLEM = {key: SMALL[key] for key in ("theta", "delay", "censor")}


def flags(**keys):
    texts = ((key, ",".join(map(str, value)) if isinstance(value, list) else str(value)) for key, value in keys.items())
    return [part for key, text in texts for part in (f"--{key}", text)]


def program(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def greedy(pulls, exposure, conversions, t):
    return conversions / exposure


def without_times(files):
    return {name: content for name, content in files.items() if name != "manifest.json"}


class Sweeps(unittest.TestCase):
    def test_have_the_bytes_of_the_program(self):
        s = dbandit.sweep(vary={"censor": [20, 60]}, **{k: v for k, v in SMALL.items() if k != "censor"})
        with tempfile.TemporaryDirectory() as root:
            printed = program("sweep", "--vary", "censor=20,60", *flags(**{k: v for k, v in SMALL.items() if k != "censor"}), "--out", f"{root}/a", "--quiet")
            s.save(f"{root}/b")
            for name in ("spec.toml", "sweep.csv", "paired.csv"):
                self.assertEqual(Path(root, "a", name).read_bytes(), Path(root, "b", name).read_bytes(), name)
        self.assertTrue(printed.startswith(repr(s)))

    def test_hold_the_results_of_their_cells_in_the_shape_of_their_axes(self):
        s = dbandit.sweep(vary={"censor": [20, 60, 100], "horizon": np.array([300, 500])}, **{**SMALL, "censor": None, "horizon": None})
        self.assertEqual({name: values.tolist() for name, values in s.axes.items()}, {"censor": [20, 60, 100], "horizon": [300, 500]})
        self.assertEqual(s.results.shape, (3, 2))
        self.assertEqual(s.final.mean.shape, (3, 2, 2))
        alone = dbandit.run(**SMALL)
        self.assertEqual(s.results[1, 1].t.tolist(), [500])
        self.assertEqual(s.results[1, 1].difference("d-ucb", "d-klucb"), alone.difference("d-ucb", "d-klucb"))
        self.assertEqual(s.final.mean[1, 1].tolist(), alone.final.mean.tolist())
        again = pickle.loads(pickle.dumps(s))
        np.testing.assert_array_equal(again.final.mean, s.final.mean)
        self.assertEqual(repr(again), repr(s))

    def test_of_one_axis_are_drawn(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        ax = dbandit.sweep(vary={"censor": [20, 60]}, **SMALL).plot(log=True)
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["d-klucb", "d-ucb"])
        with self.assertRaisesRegex(dbandit.Error, "^plot: a sweep of 2 axes"):
            dbandit.sweep(vary={"censor": [20, 60], "horizon": [300, 500]}, **SMALL).plot()

    def test_take_policies_of_ones_own_and_the_text_of_the_flag(self):
        s = dbandit.sweep(vary="censor=lin:20:60:2", **{**SMALL, "policies": ["d-ucb", greedy]})
        self.assertEqual(s.policies, ["d-ucb", "greedy"])
        self.assertEqual(s.results[1]["greedy"].final, dbandit.run(**{**SMALL, "policies": ["d-ucb", greedy]})["greedy"].final)
        with self.assertRaisesRegex(dbandit.Error, "^vary: 'gain' is not one of"):
            dbandit.sweep(vary={"gain": [1, 2]}, **SMALL)


class Documents(unittest.TestCase):
    def test_of_bounds_are_the_programs(self):
        ours = dbandit.bounds(**PROBLEM)
        self.assertEqual(dict(ours), json.loads(program("bounds", *flags(**PROBLEM), "--json")))
        self.assertEqual(ours.text, program("bounds", *flags(**PROBLEM)))
        self.assertIsNone(dbandit.bounds(theta=[0.1, 0.05], delay="geometric:20")["bounds"]["censored"])

    def test_of_plan_count_what_the_program_counts(self):
        ours, theirs = dbandit.plan(**SMALL), json.loads(program("plan", *flags(**SMALL), "--json"))
        for key in ("problems", "cells", "blocks", "block_replicas", "replica_rounds", "disk_bytes", "threads", "target"):
            self.assertEqual(ours[key], theirs[key], key)
        self.assertEqual(set(ours), set(theirs))
        self.assertIn("nothing was run", repr(ours))
        self.assertEqual(dbandit.plan(vary={"censor": [20, 60]}, **SMALL)["problems"], 2)
        with self.assertRaisesRegex(dbandit.Error, "^policies: 'greedy' is a policy of your own"):
            dbandit.plan(**{**SMALL, "policies": [greedy]})

    def test_of_trace_are_the_rows_of_the_program(self):
        problem = {**PROBLEM, "policies": ["d-ucb", "d-klucb"]}
        ours = dbandit.trace(**problem, replica=3, rounds=(5, 60))
        rows = list(csv.DictReader(io.StringIO(program("trace", *flags(**problem), "--replica", "3", "--rounds", "5..60", "--csv"))))
        self.assertEqual(list(ours), list(rows[0]))
        self.assertEqual(ours["index"].tolist(), [float(row["index"]) for row in rows])
        self.assertEqual(ours["policy"].tolist(), [row["policy"] for row in rows])
        self.assertEqual(ours["round"].tolist(), [int(row["round"]) for row in rows])
        self.assertEqual(ours.text, program("trace", *flags(**problem), "--replica", "3", "--rounds", "5..60"))
        with self.assertRaisesRegex(dbandit.Error, r"^rounds: 9, 3 is not LAST or \(FIRST, LAST\)"):
            dbandit.trace(**problem, rounds=(9, 3))

    def test_of_trace_show_policies_of_ones_own_which_are_asked_once(self):
        seen = []

        class Mine(dbandit.Policy):
            def choose(self, t, books):
                seen.append((t, books.pulls[:, 0].tolist(), books.pending[:, 0].tolist()))
                return (books.conversions + np.sqrt(books.pulls * np.log(t) / 2)) / books.exposure

        problem = dict(theta=[0.5, 0.4, 0.3], delay="geometric:8", censor=20)
        both = dbandit.trace(**problem, policies=["d-ucb", Mine()], replica=5, rounds=150)
        mine, theirs = ({name: column[both["policy"] == policy] for name, column in both.items()} for policy in ("Mine", "d-ucb"))
        for column in ("round", "played", "arm", "pulls", "conversions", "exposure", "disclosed"):
            np.testing.assert_array_equal(mine[column], theirs[column], column)
        asked = mine["round"] > 3
        np.testing.assert_allclose(mine["index"][asked], theirs["index"][asked], rtol=1e-12)
        self.assertEqual([t for t, *_ in seen], list(range(4, 151)))
        self.assertIn("Mine, replica 5", repr(both))
        # The engine's books are the reference's, pending pulls included, in the order in which the replica shows the arms.
        literal, seen[:] = list(seen), []

        class Engine(Mine):
            def choose(self, t, books):
                seen.append((t, books.pulls[:, 5].tolist(), books.pending[:, 5].tolist()))
                return (books.conversions + np.sqrt(books.pulls * np.log(t) / 2)) / books.exposure

        dbandit.run(**problem, horizon=150, policies=[Engine()], replicas=6)
        self.assertEqual(seen, literal)

    def test_of_fit_are_the_programs_for_a_file_and_for_columns(self):
        rng = np.random.default_rng(7)
        start = np.arange(3000.0)
        delay = np.where(rng.random(3000) < 0.4, rng.geometric(1 / 31, 3000) - 1.0, np.nan)
        columns = {"clicked": start, "sold": start + delay}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "log.csv")
            file.write_text("clicked,sold\n" + "".join(f"{s!r},{'' if c != c else repr(c)}\n" for s, c in zip(start.tolist(), (start + delay).tolist())))
            given = dict(columns={"start": "clicked", "conversion": "sold"}, round=1, window=200, laws=["geometric", "weibull"])
            ours = dbandit.fit(file, **given)
            theirs = ("fit", str(file), "--columns", "start=clicked,conversion=sold", "--round", "1", "--window", "200", "--laws", "geometric,weibull")
            self.assertEqual(dict(ours), json.loads(program(*theirs, "--json")))
            self.assertEqual(ours.text, program(*theirs))
            self.assertEqual(dict(dbandit.fit(columns, **given)), dict(ours))
            with self.assertRaisesRegex(dbandit.Error, "^laws: 'zeta' is not one of"):
                dbandit.fit(file, **{**given, "laws": ["zeta"]})
        self.assertEqual(set(ours.spec), {"theta", "delay", "censor"})
        dbandit.run(**{**ours.spec, "theta": [*ours.spec["theta"], 0.1]}, horizon=300, policies=["d-ucb"], replicas=64)
        self.assertEqual(pickle.loads(pickle.dumps(ours)).spec, ours.spec)

    def test_of_claims_are_the_programs(self):
        ids = [name for name, *_ in dbandit.claim_list()]
        self.assertEqual(len(ids), len(program("claims", "--list").splitlines()) - 1)
        some = ("ucb-low", "bound-rises")  # one that needs a run, one that needs none
        with tempfile.TemporaryDirectory() as folder:
            printed = program("claims", *some, "--quick", "--out", folder, "--quiet")
            theirs = json.loads(Path(folder, "claims.json").read_text())
        ours = dbandit.claims(*some, quick=True)
        self.assertEqual(dict(ours), theirs)
        self.assertTrue(printed.startswith(ours.text))
        with self.assertRaisesRegex(dbandit.Error, "is not a claim"):
            dbandit.claims("nonsense")


class Delays(unittest.TestCase):
    def law(self, delay, **keys):
        return dbandit.run(**{**SMALL, "replicas": 2, "delay": delay, **keys}).spec["delay"]

    def test_may_be_an_array_of_probabilities_or_of_counts(self):
        self.assertEqual(self.law(np.array([0.5, 0.25, 0.0, 0.25])), "empirical:2*0+1*1+1*3")
        self.assertEqual(self.law([0.5, 0.5]), "empirical:1*0+1*1")
        self.assertEqual(self.law(np.array([10, 0, 20])), "empirical:1*0+2*2")
        self.assertEqual(self.law(["geometric:5", [0.5, 0.5]]), "geometric:5,empirical:1*0+1*1")
        expected = dbandit.run(**{**SMALL, "delay": "uniform:0..3"}).regret.mean
        np.testing.assert_allclose(dbandit.run(**{**SMALL, "delay": [0.25] * 4}).regret.mean, expected, rtol=1e-9)

    def test_may_be_anything_with_a_cdf_the_floor_of_a_continuous_one(self):
        class Weibull:  # as scipy.stats.weibull_min(0.7, scale=40)
            def pdf(self, x): ...
            def cdf(self, x):
                return 1 - np.exp(-((np.maximum(x, 0) / 40) ** 0.7))

        class Poisson:
            def pmf(self, k): ...
            def cdf(self, k):
                terms = np.exp(-3.0) * np.cumprod(np.append(1.0, 3.0 / np.arange(1, 60)))
                return np.where(np.asarray(k) < 0, 0.0, np.cumsum(terms)[np.clip(np.asarray(k).astype(int), 0, 59)])

        by_name = dbandit.run(**{**SMALL, "delay": "weibull:0.7,40", "at": [500]})
        by_cdf = dbandit.run(**{**SMALL, "delay": Weibull(), "at": [500]})
        np.testing.assert_allclose(by_cdf.regret.mean, by_name.regret.mean, rtol=1e-6)  # the same draws, inverted alike
        law = self.law(Poisson())
        counts = dict(reversed(tuple(map(int, part.split("*")))) for part in law.removeprefix("empirical:").split("+"))
        self.assertAlmostEqual(sum(d * n for d, n in counts.items()) / sum(counts.values()), 3, 9)
        # Beyond 4096 different delays they are rounded; the bounds see nearly the same law.
        a, b = (dbandit.bounds(theta=[0.1, 0.05], delay=law, censor=30000) for law in (_Slow(), "weibull:0.7,20000"))
        self.assertAlmostEqual(a["bounds"]["censored"]["lower"] / b["bounds"]["censored"]["lower"], 1, 3)

    def test_of_scipy_are_taken_where_it_is_installed(self):
        try:
            from scipy import stats
        except ImportError:
            self.skipTest("no scipy")
        ours = dbandit.run(**{**SMALL, "delay": stats.weibull_min(0.7, scale=40), "at": [500]})
        np.testing.assert_allclose(ours.regret.mean, dbandit.run(**{**SMALL, "delay": "weibull:0.7,40", "at": [500]}).regret.mean, rtol=1e-6)
        self.assertEqual(self.law(stats.randint(0, 4)), "empirical:1*0+1*1+1*2+1*3")

    def test_that_are_no_laws_are_refused(self):
        class Normal:
            def cdf(self, x):
                return np.full(np.shape(x), 0.5)

        for delay, words in (
            ([0.5, 0.4], "delay: an array is the probability of each delay 0, 1, 2, …, which sum to 1, or .*; these sum to 0.9"),
            ([0.5, -0.5, 1.0], "delay: an array is the probability"),
            ([0.5, float("nan")], "delay: an array is the probability"),
            (np.zeros((2, 2)), r"delay: an array of shape \(2, 2\) is not the probability of each delay"),
            (Normal(), "delay: the law's cdf is not that of a delay"),
            (500, "delay: 500 is not a law, as in 'geometric:500', an array"),
        ):
            with self.subTest(words), self.assertRaisesRegex(dbandit.Error, f"^{words}"):
                dbandit.run(**{**SMALL, "delay": delay})


class _Slow:
    def pdf(self, x): ...
    def cdf(self, x):
        return 1 - np.exp(-((np.maximum(x, 0) / 20000) ** 0.7))


class Samples(unittest.TestCase):
    def test_are_the_final_regrets_whose_means_the_result_has(self):
        r = dbandit.run(**SMALL, samples=True)
        self.assertEqual(r.samples.shape, (2, 300))
        np.testing.assert_allclose(r.samples.mean(axis=1), r.final.mean, rtol=1e-6)
        np.testing.assert_allclose(r.samples.std(axis=1, ddof=1) / np.sqrt(300), r.final.stderr, rtol=1e-6)
        np.testing.assert_array_equal(r.samples, dbandit.run(**SMALL, samples=True, threads=1).samples)
        np.testing.assert_array_equal(r["d-ucb"].samples, r.samples[1])
        self.assertIsNone(dbandit.run(**SMALL).samples)

    def test_are_those_of_each_replica_alone(self):
        r = dbandit.run(**SMALL, samples=True)
        first = dbandit.run(**{**SMALL, "replicas": 5}, samples=True)
        np.testing.assert_array_equal(first.samples, r.samples[:, :5])

    def test_end_where_the_run_has_its_precision(self):
        r = dbandit.run(**{**SMALL, "replicas": 40000, "until": "regret:5%"}, samples=True)
        self.assertLess(r.replicas, 40000)
        self.assertEqual(r.samples.shape, (2, r.replicas))
        self.assertTrue(np.isfinite(r.samples).all())


class Results(unittest.TestCase):
    def setUp(self):
        self.r = dbandit.run(**{**SMALL, "policies": ["d-ucb", greedy]}, samples=True)

    def test_with_policies_of_ones_own_pickle(self):
        again = pickle.loads(pickle.dumps(self.r))
        self.assertEqual(again.policies, ["d-ucb", "greedy"])
        for measure in ("regret", "pseudo_regret", "realised_regret", "paired", "final", "band"):
            for ours, theirs in zip(getattr(self.r, measure), getattr(again, measure)):
                np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(again.samples, self.r.samples)
        self.assertEqual((again.spec, again.bounds, again.replicas), (self.r.spec, self.r.bounds, self.r.replicas))
        twice = pickle.loads(pickle.dumps(again))
        np.testing.assert_array_equal(twice.regret.mean, self.r.regret.mean)
        self.assertEqual(pickle.loads(pickle.dumps(self.r["greedy"])).final, self.r["greedy"].final)
        self.assertEqual(str(pickle.loads(pickle.dumps(dbandit.bounds(**PROBLEM)))), str(dbandit.bounds(**PROBLEM)))

    def test_with_policies_of_ones_own_compare(self):
        other = dbandit.run(**{**SMALL, "policies": ["d-ucb", greedy], "epsilon": 0.5})
        c = self.r.compare(other)
        self.assertEqual([row["policy"] for row in c["policies"]], ["d-ucb", "greedy"])
        self.assertIn("epsilon", repr(c))
        with tempfile.TemporaryDirectory() as root:
            self.r.save(f"{root}/a")
            other.save(f"{root}/b")
            self.assertEqual(dbandit.compare(f"{root}/a", f"{root}/b")["policies"], c["policies"])
            done = subprocess.run([PROGRAM, "compare", f"{root}/a", f"{root}/b", "--json"], capture_output=True, text=True, check=False)
            self.assertEqual(json.loads(done.stdout)["policies"], c["policies"])
        self.assertNotIn("/tmp", repr(c))

    def test_with_policies_of_ones_own_have_a_page(self):
        with tempfile.TemporaryDirectory() as root:
            page = Path(root, "mine.html")
            try:
                self.r.report(page)
            except dbandit.Error as missing:
                self.assertIn("chart library", str(missing))
                self.skipTest("built without the chart library")
            self.assertIn("greedy", page.read_text())
            dbandit.sweep(vary={"censor": [20, 60]}, **SMALL).report(Path(root, "sweep.html"))
            self.assertIn("censor", Path(root, "sweep.html").read_text())

    def test_print_with_the_digits_of_the_program(self):
        table = repr(self.r)
        for name in self.r.policies:
            self.assertIn(str(self.r[name].final), table)
            self.assertIn(str(self.r[name].final), repr(self.r[name]))
            self.assertIn(str(self.r[name].final), self.r._repr_html_())


if __name__ == "__main__":
    unittest.main()
