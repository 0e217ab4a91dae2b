"""What run(), load() and Result promise, against the program itself."""

import contextlib
import gc
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import dbandit

PROGRAM = os.environ["DBANDIT_PROGRAM"]
SMALL = dict(theta=[0.1, 0.05], delay="geometric:20", censor=60, horizon=500, policies=["d-klucb", "d-ucb"], replicas=300)

LONGER = {**SMALL, "horizon": 5000, "replicas": 5000}  # half a second


def flags(**keys):
    texts = ((key, ",".join(map(str, value)) if isinstance(value, list) else str(value)) for key, value in keys.items())
    return [part for key, text in texts for part in (f"--{key.replace('_', '-')}", text)]


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


class Numbers(unittest.TestCase):
    def test_are_those_of_the_program_to_the_last_bit(self):
        r = dbandit.run(**SMALL)
        document = json.loads(program("run", *flags(**SMALL), "--json").stdout)
        for index, policy in enumerate(document["policies"]):
            for measure in ("regret", "pseudo_regret", "realised_regret"):
                ours = getattr(r, measure).at(index)
                theirs = [point[measure] for point in policy["curve"]]
                self.assertEqual(ours.mean.tolist(), [e["mean"] for e in theirs])
                self.assertEqual(ours.stderr.tolist(), [e["stderr"] for e in theirs])
                self.assertEqual([list(ends) for ends in zip(ours.low, ours.high)], [e["ci95"] for e in theirs])
            self.assertEqual(r.pulls[index].tolist(), [arm["mean"] for arm in policy["pulls"]])
            self.assertEqual(r.band.p90[index, -1], policy["final_regret"]["p90"])
        pair = document["paired"][0]["regret_difference"]
        self.assertEqual(r.difference("d-klucb", "d-ucb").mean, pair["mean"])
        self.assertEqual(r.difference("d-ucb", "d-klucb").mean, -pair["mean"])
        self.assertEqual(r.difference("d-ucb", "d-klucb").high, -pair["ci95"][0])
        self.assertEqual(r.bounds, document["bounds"])
        self.assertEqual({**r.spec, "censor": 60}, document["spec"])

    def test_of_every_policy_arm_round_and_pair_are_where_the_program_has_them(self):
        three = {**SMALL, "theta": [0.1, 0.05, 0.03], "policies": ["d-ucb", "uniform", "d-klucb", "ud-ucb"], "at": [50, 200, 500]}
        r = dbandit.run(**three)
        document = json.loads(program("run", *flags(**three), "--json").stdout)
        names = three["policies"]
        self.assertEqual(r.t.tolist(), three["at"])
        self.assertEqual(r.replicas, three["replicas"])
        self.assertEqual(r.band.t.tolist(), three["at"])
        for index, policy in enumerate(document["policies"]):
            self.assertEqual(policy["policy"], r.policies[index])
            self.assertEqual(r.regret.mean[index].tolist(), [point["regret"]["mean"] for point in policy["curve"]])
            self.assertEqual(r.pulls[index].tolist(), [arm["mean"] for arm in policy["pulls"]])
            self.assertEqual(r.pulls_stderr[index].tolist(), [arm["stderr"] for arm in policy["pulls"]])
            self.assertEqual([part[index, -1] for part in r.band[1:]], [policy["final_regret"][q] for q in ("p10", "p50", "p90")])
        self.assertEqual(len(document["paired"]), 6)
        for pair in document["paired"]:
            there, back, expected = r.difference(pair["a"], pair["b"]), r.difference(pair["b"], pair["a"]), pair["regret_difference"]
            self.assertEqual([there.mean, there.stderr, there.low, there.high], [expected["mean"], expected["stderr"], *expected["ci95"]])
            self.assertEqual([back.mean, back.stderr, back.low, back.high], [-expected["mean"], expected["stderr"], *(-end for end in reversed(expected["ci95"]))])
        with tempfile.TemporaryDirectory() as folder:
            r.save(folder)
            loaded = repr(dbandit.load(folder)).splitlines()
        # The row of each policy: its regret, and by how much it is behind; only what it cost is not in a folder.
        # The first row of each: below them is the risk.
        shown = {line.split()[0]: line.split() for line in reversed(repr(r).splitlines()) if line.split()[:1] and line.split()[0] in names}
        stored = {line.split()[0]: line.split() for line in loaded if line.split()[:1] and line.split()[0] in names}
        self.assertEqual(set(stored), set(names))
        for name, row in stored.items():
            self.assertEqual(row, shown[name][: len(row)])
            self.assertGreater(len(row), 7)

    def test_do_not_depend_on_threads(self):
        one, three = (dbandit.run(**SMALL, threads=n) for n in (1, 3))
        np.testing.assert_array_equal(one.regret.mean, three.regret.mean)

    def test_are_views_that_keep_the_result_alive_and_cannot_be_written(self):
        r = dbandit.run(**SMALL)
        mean, expected = r.regret.mean, r.regret.mean.copy()
        self.assertFalse(mean.flags.owndata)
        self.assertFalse(mean.flags.writeable)
        self.assertIs(mean.base, r._held)
        self.assertTrue(np.shares_memory(r["d-ucb"].regret.mean, mean))
        self.assertTrue(np.shares_memory(r.regret.mean, r._held.curve("regret")[0]))
        del r
        gc.collect()
        [np.ones(100_000) for _ in range(20)]
        np.testing.assert_array_equal(mean, expected)

    def test_of_a_single_replica_have_no_interval(self):
        r = dbandit.run(**{**SMALL, "replicas": 1})
        self.assertEqual(r["d-ucb"].final.high, np.inf)
        with tempfile.TemporaryDirectory() as folder:
            r.save(folder)
            self.assertEqual(dbandit.load(folder)["d-ucb"].final.high, np.inf)

    def test_come_from_a_spec_file_that_keywords_override(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "spec.toml")
            file.write_text('theta = [0.1, 0.05]\ndelay = "geometric:20"\ncensor = 60\nhorizon = 900\npolicies = ["d-ucb"]\n')
            r = dbandit.run(file, horizon=500, replicas=300)
        np.testing.assert_array_equal(r["d-ucb"].regret.mean, dbandit.run(**SMALL)["d-ucb"].regret.mean)


class Keywords(unittest.TestCase):
    def test_take_what_python_has(self):
        expected = dbandit.run(**SMALL).regret.mean
        for other in (
            dict(theta=np.array([0.1, 0.05]), horizon=np.int64(500), replicas=np.int32(300)),
            dict(theta=(0.1, np.float64(0.05)), policies=("d-klucb", "d-ucb")),
            dict(theta="0.1, 0.05", policies="d-klucb,d-ucb"),
            dict(seed=1, epsilon=0.0, clamp="one"),
            dict(seed=None, at=None, engine=None),
        ):
            np.testing.assert_array_equal(dbandit.run(**{**SMALL, **other}).regret.mean, expected)

    def test_censor_none_is_uncensored(self):
        r = dbandit.run(**{**SMALL, "censor": None, "policies": ["ud-ucb"]})
        self.assertIsNone(r.spec["censor"])
        self.assertIsNone(r.bounds["censored"])

    def test_are_the_keys_of_a_spec(self):
        import inspect

        names = [name for name, *_ in dbandit._engine.keys()]
        self.assertEqual(list(inspect.signature(dbandit.run).parameters), ["spec", *names, "threads", "progress", "samples"])
        self.assertLessEqual({name.replace("_", "-") for name in names}, set(dbandit.run(**SMALL).spec))
        for name in names:
            self.assertIn(f"    {name}: ", dbandit.run.__doc__)


class Errors(unittest.TestCase):
    def test_are_value_errors_with_the_line_of_the_program_in_keywords(self):
        for wrong in (
            dict(theta=[0.1, 1.5]),
            dict(horizon=1),
            dict(horizon=500.5),
            dict(replicas=-3),
            dict(policies=["d-ubc"]),
            dict(policies=["d-ucb", "d-ucb"]),
            dict(delay="geometric"),
            dict(engine="gpu"),
            dict(replicas=True),
            {"prior_shape": 0, "policies": ["d-ts"]},
        ):
            keys = {**SMALL, **wrong}
            with self.subTest(**wrong), self.assertRaises(dbandit.Error) as caught:
                dbandit.run(**keys)
            self.assertIsInstance(caught.exception, ValueError)
            printed = program("run", *flags(**keys))
            self.assertEqual(printed.returncode, 2)
            in_keywords = re.sub(r"--([a-z-]+)", lambda flag: flag[1].replace("-", "_"), printed.stderr.replace("('dbandit list policies')", "(dbandit.policies())"))
            self.assertEqual(f"dbandit: {caught.exception}\n", in_keywords)

    def test_refuse_tables_where_a_list_is_meant(self):
        for theta in ([[0.1, 0.05]], [[0.1], [0.05]], np.array([[0.1, 0.05], [0.2, 0.3]]), np.zeros((1, 1, 2))):
            with self.assertRaisesRegex(dbandit.Error, "^theta: (a list of lists|an array of shape .*) is not a list of 1 to 65535 numbers from 0 to 1$"):
                dbandit.run(**{**SMALL, "theta": theta})
        with self.assertRaisesRegex(dbandit.Error, r"^theta: an array of shape \(2, 2\) is not a list of 1 to 65535 numbers from 0 to 1$"):
            dbandit.run(**{**SMALL, "theta": np.full((2, 2), 0.1)})
        with self.assertRaisesRegex(dbandit.Error, r"^policies: 'ubc' is not a policy; see dbandit.policies\(\)$"):
            dbandit.run(**{**SMALL, "policies": ["ubc"]})
        with self.assertRaisesRegex(dbandit.Error, "^at: a list of lists is not "):
            dbandit.run(**SMALL, at=[[10], [20]])

    def test_speak_of_python_not_of_the_command_line(self):
        for wrong, says in (
            (dict(theta=[]), "theta: an empty list is not a list of 1 to 65535 numbers from 0 to 1"),
            (dict(policies=[]), "policies: an empty list is not a list of policies (dbandit.policies())"),
            (dict(censor=None), "censor: none, but policy 'd-klucb' needs a window; add censor with an integer from 1 to 1000000000, as in censor=1000"),
            (dict(delay="geom:3"), "delay: 'geom:3': unknown law; did you mean 'geometric'?; allowed: geometric mixture uniform"),
            (dict(delay=[-1, 2]), "which sum to 1, or how often each was seen (integers); some are negative"),
            (dict(delay=[0.5, 0.6]), "; these sum to 1.1"),
            (dict(delay=np.ones((2, 2))), "delay: an array of shape (2, 2) is not the probability of each delay"),
        ):
            with self.subTest(**wrong), self.assertRaises(dbandit.Error) as caught:
                dbandit.run(**{**SMALL, **wrong})
            self.assertIn(says, str(caught.exception))
            self.assertNotRegex(str(caught.exception), r"--[a-z]|dbandit list")
        with self.assertRaisesRegex(dbandit.Error, r"^claims: 'nonsense' is not a claim; dbandit.claim_list\(\) has them$"):
            dbandit.claims("nonsense")
        with self.assertRaisesRegex(dbandit.Error, r"^log: line 1: no column is called 'conversion'; columns=\{'conversion': NAME\} says which one it is$"):
            dbandit.fit({"start": [0, 1]})
        with self.assertRaisesRegex(dbandit.Error, "^'nowhere': there is no such folder; allowed is a folder that Result.save or 'dbandit run --out' wrote$"):
            dbandit.compare(dbandit.run(**SMALL), "nowhere")

    def test_say_what_an_unknown_keyword_may_have_meant(self):
        with self.assertRaisesRegex(dbandit.Error, "replics: is unknown; did you mean 'replicas'"):
            dbandit.run(**SMALL, replics=3)

    def test_name_what_cannot_be_read_or_is_not_there(self):
        with self.assertRaisesRegex(dbandit.Error, "spec.toml': cannot be read"):
            dbandit.load("no-such-folder")
        with self.assertRaisesRegex(KeyError, "'ucb' is not one of: d-klucb d-ucb"):
            dbandit.run(**SMALL)["ucb"]
        with tempfile.TemporaryDirectory() as folder:
            dbandit.run(**SMALL).save(folder)
            Path(folder, "summary.json").write_text("{}")
            with self.assertRaisesRegex(dbandit.Error, "is not a result folder"):
                dbandit.load(folder)


class Folders(unittest.TestCase):
    def test_have_the_bytes_of_the_program_and_load_to_equal_results(self):
        r = dbandit.run(**SMALL)
        with tempfile.TemporaryDirectory() as root:
            r.save(Path(root, "ours"))
            self.assertEqual(program("run", *flags(**SMALL), "--out", f"{root}/theirs", "--quiet").returncode, 0)
            for name in ("spec.toml", "curve.csv", "band.csv", "summary.json"):
                self.assertEqual(Path(root, "ours", name).read_bytes(), Path(root, "theirs", name).read_bytes(), name)
            self.assertLessEqual(set(os.listdir(f"{root}/ours")), set(os.listdir(f"{root}/theirs")))  # a run may keep what it resumes from
            loaded = dbandit.load(Path(root, "theirs"))
            loaded.save(Path(root, "again"))
            self.assertEqual(Path(root, "again", "summary.json").read_bytes(), Path(root, "ours", "summary.json").read_bytes())
        for ours, theirs in (
            (r.regret, loaded.regret),
            (r.pseudo_regret, loaded.pseudo_regret),
            (r.realised_regret, loaded.realised_regret),
            (r.paired, loaded.paired),
            (r.band, loaded.band),
            (r.final, loaded.final),
            ((r.t, r.pulls, r.pulls_stderr), (loaded.t, loaded.pulls, loaded.pulls_stderr)),
        ):
            for a, b in zip(ours, theirs):
                np.testing.assert_array_equal(a, b)
        self.assertEqual((r.spec, r.bounds, r.replicas, r.policies), (loaded.spec, loaded.bounds, loaded.replicas, loaded.policies))
        # The folder does not say what each policy cost; all other columns are those of the run.
        shown = [line.split() for line in repr(r).splitlines()]
        for line in repr(loaded).splitlines()[:4]:
            self.assertTrue(any(line.split() == full[: len(line.split())] for full in shown), line)


class Settings(unittest.TestCase):
    def test_of_one_policy_stand_in_its_name(self):
        r = dbandit.run(**{**SMALL, "policies": ["d-klucb", "d-klucb(epsilon=0.2)", "d-ts(prior-rate=2,prior-shape=10)"]})
        self.assertEqual(r.policies, ["d-klucb", "d-klucb(epsilon=0.2)", "d-ts(prior-shape=10,prior-rate=2)"])
        alone = dbandit.run(**{**SMALL, "policies": ["d-klucb"], "epsilon": 0.2})
        self.assertEqual(r["d-klucb(epsilon=0.2)"].final.mean, alone["d-klucb"].final.mean)
        with tempfile.TemporaryDirectory() as folder:
            r.save(folder)
            self.assertEqual(dbandit.load(folder).policies, r.policies)
        with self.assertRaisesRegex(dbandit.Error, "has no setting 'gamma'; it has: epsilon clamp ties start"):
            dbandit.run(**{**SMALL, "policies": ["d-klucb(gamma=1)"]})


class Shown(unittest.TestCase):
    def test_the_table_is_the_programs(self):
        ours, theirs = repr(dbandit.run(**SMALL)), program("run", *flags(**SMALL)).stdout
        self.assertEqual(ours.splitlines()[:3], theirs.splitlines()[:3])
        self.assertIn("d-klucb", ours)

    def test_html_has_no_markup_but_its_own(self):
        def rogue(pulls, exposure, conversions, t):
            return conversions

        rogue.__name__ = "<script>"
        text = dbandit.run(**{**SMALL, "policies": [rogue]})._repr_html_()
        self.assertNotIn("<script>", text)
        self.assertIn("&lt;script&gt;", text)
        rogue.__name__ = "<script>alert(1)</script>"
        with self.assertRaisesRegex(dbandit.Error, "is not the name of a guest"):
            dbandit.run(**{**SMALL, "policies": [rogue]})

    def test_the_frame_is_the_curve_file(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        r = dbandit.run(**SMALL)
        with tempfile.TemporaryDirectory() as folder:
            r.save(folder)
            stored = pandas.read_csv(Path(folder, "curve.csv"), float_precision="round_trip")
        order = ["policy", "t", "measure"]
        ours = r.to_frame().sort_values(order).reset_index(drop=True)
        pandas.testing.assert_frame_equal(ours, stored.sort_values(order).reset_index(drop=True), check_exact=True)

    def test_the_figure_has_a_line_for_each_policy_and_the_bound(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        ax = dbandit.run(**SMALL).plot(log=True)
        labels = [line.get_label() for line in ax.get_lines()]
        self.assertEqual(labels[:2], ["d-klucb", "d-ucb"])
        self.assertRegex(labels[2], r"^how fast the lower bound rises: \d+\.\d\d per ln t$")
        self.assertEqual(ax.get_xscale(), "log")

    def test_no_line_of_a_figure_looks_like_another_and_the_legend_is_beside_the_data(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        r = dbandit.run(**{**SMALL, "policies": list(dbandit.policies()), "replicas": 20})
        ax = r.plot()
        ax.figure.canvas.draw()
        looks = [(line.get_color(), line.get_marker(), line.get_markerfacecolor(), line.get_linestyle(), line._unscaled_dash_pattern) for line in ax.get_lines()]
        self.assertEqual(len(set(map(repr, looks))), len(r.policies))
        self.assertGreater(ax.get_legend().get_window_extent().x0, ax.get_window_extent().x1)
        self.addCleanup(matplotlib.pyplot.close, "all")
        for policy, line in zip(r.policies, ax.get_lines()):
            alone = r.plot(policies=[policy], ax=matplotlib.figure.Figure().add_subplot()).get_lines()[0]
            self.assertEqual((alone.get_color(), alone.get_marker()), (line.get_color(), line.get_marker()))

    def test_the_bound_of_a_figure_is_below_every_curve(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        r = dbandit.run(theta=[0.1, 0.05], delay="geometric:20", censor=50, horizon=2000, policies=["d-klucb", "d-ucb", "d-ts"], replicas=200)
        *curves, bound = (line.get_xydata() for line in r.plot().get_lines())
        gaps = [y - dict(map(tuple, bound))[t] for curve in curves for t, y in curve if t >= bound[0][0]]
        self.assertGreater(min(gaps), -1e-9)
        self.assertAlmostEqual(min(gaps), 0)

    def test_progress_reports_and_text_is_wiped(self):
        seen = []
        dbandit.run(**LONGER, threads=1, progress=lambda done, all: seen.append((done, all)))
        self.assertTrue(seen)
        self.assertTrue(all(0 <= done <= total for done, total in seen))
        for progress, pattern in ((True, rb"\r\[=* *\] +\d+ %.* +\r$"), (None, b"^$")):
            script = f"import dbandit; dbandit.run(**{LONGER}, threads=1, progress={progress})"
            printed = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
            self.assertEqual(printed.stdout, b"")
            self.assertRegex(printed.stderr, pattern)

    def test_progress_in_a_notebook_is_text_below_the_cell(self):
        for notebook in (True, False):
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch("dbandit._progress.in_notebook", lambda: notebook):
                with dbandit._progress.bar(None) as show:
                    if notebook:
                        show(1, 4)
                    else:
                        self.assertIsNone(show)
            self.assertEqual(err.getvalue(), "")
            if notebook:
                self.assertRegex(out.getvalue(), r"^\r\[=======  +\]  25 %  ETA \d+ s\r +\r$")


LONG = "theta=[.1,.05], delay='geometric:100', censor=300, horizon=10_000, replicas=10**8"


class Interrupts(unittest.TestCase):
    def interrupted(self, arguments):
        script = f"import dbandit\nprint('go', flush=True)\ntry:\n    dbandit.run({LONG}, {arguments})\nexcept KeyboardInterrupt:\n    print('stopped', flush=True)\n"
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "go\n")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=60)
        return output, child.returncode

    def test_ctrl_c_raises_while_the_engine_runs(self):
        self.assertEqual(self.interrupted("policies=['d-ucb']"), ("stopped\n", 0))

    def test_ctrl_c_raises_while_a_python_policy_plays(self):
        self.assertEqual(self.interrupted("policies=[lambda pulls, exposure, conversions, t: conversions / exposure]"), ("stopped\n", 0))

    def test_the_interpreter_is_free_while_the_engine_runs(self):
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(1)
                time.sleep(0.001)

        other = threading.Thread(target=tick)
        other.start()
        dbandit.run(**LONGER, threads=1)
        stop.set()
        other.join()
        self.assertGreater(len(ticks), 10)


if __name__ == "__main__":
    unittest.main()
