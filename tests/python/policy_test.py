"""Policies written in Python, in the worlds of the built-in ones."""

import functools
import tempfile
import unittest

import numpy as np

import dbandit

WORLD = dict(theta=[0.1, 0.05, 0.03], delay="geometric:50", censor=100, horizon=1000, replicas=300)


def my_ucb(pulls, exposure, conversions, t):
    return (conversions + np.sqrt(pulls * np.log(t) / 2)) / exposure


class PythonPolicies(unittest.TestCase):
    def test_d_ucb_in_python_plays_the_trajectories_of_the_built_in_one(self):
        # One replica, every round recorded, distinct gaps: the pseudo-regret tells each arm that was played.
        for seed in range(1, 9):
            r = dbandit.run(**{**WORLD, "replicas": 1}, seed=seed, at=range(1, 1001), policies=["d-ucb", my_ucb])
            steps = np.diff(r.pseudo_regret.mean, axis=1)
            np.testing.assert_allclose(steps[1], steps[0], atol=1e-9)
            self.assertGreater(len(np.unique(steps[0].round(6))), 2)
            np.testing.assert_array_equal(r.realised_regret.mean[1], r.realised_regret.mean[0])

    def test_are_paired_with_the_built_in_ones_replica_by_replica(self):
        r = dbandit.run(**WORLD, policies=["d-ucb", "d-klucb", my_ucb])
        self.assertEqual(r.policies, ["d-ucb", "d-klucb", "my_ucb"])
        self.assertLess(abs(r.difference("my_ucb", "d-ucb").mean), 1e-9)
        self.assertLess(r.difference("my_ucb", "d-ucb").stderr, 1e-9)
        self.assertAlmostEqual(r.difference("my_ucb", "d-klucb").stderr, r.difference("d-ucb", "d-klucb").stderr, 9)
        self.assertEqual(r["d-klucb"].final, dbandit.run(**WORLD, policies=["d-klucb"])["d-klucb"].final)
        np.testing.assert_allclose(r["my_ucb"].pulls, r["d-ucb"].pulls)
        self.assertIn("my_ucb", repr(r))

    def test_without_a_window_play_the_uncensored_setting(self):
        r = dbandit.run(**{**WORLD, "censor": None}, policies=["ud-ucb", my_ucb])
        self.assertLess(r.difference("my_ucb", "ud-ucb").stderr, 1e-9)

    def test_may_answer_with_arms(self):
        seen = []

        def last_arm(pulls, exposure, conversions, t):
            seen.append(pulls)
            return np.full(pulls.shape[1], 2)

        r = dbandit.run(**WORLD, policies=[last_arm])
        np.testing.assert_array_equal(seen[-1], np.repeat([[1], [1], [997]], 300, axis=1))  # the start, then what was said
        # Which arm of the problem that is differs from replica to replica: each in a third of them, within 5 standard errors.
        np.testing.assert_allclose(r["last_arm"].pulls, 1000 / 3, atol=5 * 997 * np.sqrt(2 / 9 / 300))

    def test_that_give_ties_to_the_first_arm_gain_nothing_from_the_order_of_the_problem(self):
        def argmax(pulls, exposure, conversions, t):
            explore = rng.random(pulls.shape[1]) < 0.1
            return np.where(explore, rng.integers(0, len(pulls), pulls.shape[1]), np.argmax(conversions / exposure, axis=0))

        finals = []
        for theta in ([0.1, 0.05, 0.03], [0.03, 0.05, 0.1]):
            rng = np.random.default_rng(1)
            world = dict(theta=theta, delay="geometric:500", censor=1000, horizon=1000, replicas=2000)
            finals.append(dbandit.run(**world, policies=[argmax])["argmax"].final)
        # 5 standard errors of the difference, fixed seeds.
        self.assertLess(abs(finals[0].mean - finals[1].mean), 5 * np.hypot(finals[0].stderr, finals[1].stderr))

    def test_see_the_books_of_all_replicas_after_the_round_before(self):
        seen = []

        def look(pulls, exposure, conversions, t):
            seen.append((pulls.copy(), exposure.copy(), conversions.copy(), t))
            return my_ucb(pulls, exposure, conversions, t)

        dbandit.run(**{**WORLD, "horizon": 50}, policies=[look])
        self.assertEqual([t for *_, t in seen], list(range(4, 51)))
        for pulls, exposure, conversions, t in seen:
            self.assertEqual(pulls.shape, (3, 300))
            np.testing.assert_array_equal(pulls.sum(axis=0), t - 1)
            self.assertTrue(((0 < exposure) & (exposure <= pulls) & (conversions <= pulls)).all())

    def test_may_keep_and_change_what_they_are_given(self):
        kept = []

        def keep(pulls, exposure, conversions, t):
            kept.append(pulls)
            index = my_ucb(pulls, exposure, conversions, t)
            pulls[:] = 0
            return index

        r = dbandit.run(**{**WORLD, "horizon": 50}, policies=["d-ucb", keep])
        self.assertLess(r.difference("keep", "d-ucb").stderr, 1e-9)
        self.assertEqual(len({array.ctypes.data for array in kept}), len(kept))

    def test_that_answer_wrongly_are_told_what_is_allowed(self):
        allowed = r"in round 4 is not an arm for each replica \(300 integers from 0 to 2\) or an index for each arm and replica \(3 x 300 numbers\)"
        for answer, said in (
            (np.zeros(300), "300 of float64"),
            (np.zeros((300, 3)), "300 x 3 of float64"),
            (np.full(300, 3), "arm 3"),
            (np.full(300, -1), "arm -1"),
            (np.full((3, 300), np.nan), "an index that is NaN"),
            (1, "a scalar of int64"),
            (None, "a scalar of object"),
            ([[1, 2], [3]], "what is no array"),
        ):
            with self.subTest(said), self.assertRaisesRegex(dbandit.Error, f"^wrong: {said} {allowed}$"):

                def wrong(pulls, exposure, conversions, t, answer=answer):
                    return answer

                dbandit.run(**WORLD, policies=[wrong])

    def test_whose_code_fails_fail_with_their_own_exception(self):
        def broken(pulls, exposure, conversions, t):
            return {}["missing"]

        with self.assertRaisesRegex(KeyError, "missing"):
            dbandit.run(**WORLD, policies=["d-ucb", broken])

    def test_need_names_of_their_own_and_a_valid_spec(self):
        def named(name):
            def policy(pulls, exposure, conversions, t):
                return conversions / exposure

            policy.__name__ = name
            return policy

        for first, second, why in (
            (named("mine"), named("mine"), "'mine' is the name of two policies"),
            (functools.partial(my_ucb), functools.partial(my_ucb), "'partial' is the name of two policies"),
            ("uniform", named("d-ucb"), "'d-ucb' is a policy of the catalogue"),
        ):
            with self.assertRaisesRegex(dbandit.Error, f"^policies: {why}; .*f.__name__ = "):
                dbandit.run(**WORLD, policies=[first, second])
            second.__name__ = "other"  # what the line proposes
            self.assertIn("other", dbandit.run(**WORLD, policies=[first, second]).policies)
        with self.assertRaisesRegex(dbandit.Error, "^theta: 2 does not belong"):
            dbandit.run(**{**WORLD, "theta": [0.1, 2]}, policies=[my_ucb])

    def test_are_stored_by_their_names_and_loaded_again(self):
        r = dbandit.run(**{**WORLD, "horizon": 20}, policies=["d-ucb", my_ucb])
        with tempfile.TemporaryDirectory() as folder:
            r.save(folder)
            again = dbandit.load(folder)
        self.assertEqual(again.spec["policies"], ["d-ucb", "guest:my_ucb"])
        self.assertEqual(again.policies, ["d-ucb", "my_ucb"])
        self.assertEqual(again["my_ucb"].final.mean, r["my_ucb"].final.mean)


if __name__ == "__main__":
    unittest.main()
