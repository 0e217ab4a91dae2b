"""Policies with a state: what they are told, what they draw, what they are called."""

import dataclasses
import unittest

import numpy as np

import dbandit

WORLD = dict(theta=[0.5, 0.4, 0.3], delay="geometric:8", censor=20, horizon=200, replicas=300)


class Recorder(dbandit.Policy):
    """Plays at random, by address, and keeps its own books."""

    name = "recorder"

    def __init__(self):
        self.starts, self.books, self.told = [], [], []

    def start(self, arms, replicas, rng):
        self.starts.append((arms, replicas))
        self.rng = rng
        self.pulls, self.conversions = np.zeros((arms, replicas)), np.zeros((arms, replicas))

    def choose(self, t, books):
        self.books.append((t, books))
        np.testing.assert_array_equal(books.pulls, self.pulls)
        np.testing.assert_array_equal(books.conversions, self.conversions)
        return self.rng.uniform(t, stream=range(len(books.pulls)))

    def observe(self, t, arms, disclosed):
        self.told.append((t, arms, disclosed))
        self.pulls[arms, np.arange(len(arms))] += 1
        self.conversions += disclosed


@dataclasses.dataclass
class Greedy:
    """No base class: what has a method `choose` is a policy."""

    share: float
    rounds: int = 0

    def start(self, arms, replicas, rng):
        self.arms, self.rng = arms, rng

    def choose(self, t, books):
        explore = (self.rng.uniform(t) < self.share) | (t <= self.rounds)
        other = (self.rng.uniform(t, stream=1) * self.arms).astype(int)
        return np.where(explore, other, np.argmax(books.conversions / books.exposure, axis=0))


class States(unittest.TestCase):
    def test_kept_from_what_rounds_tell_are_the_books_that_decisions_see(self):
        policy = Recorder()
        dbandit.run(**WORLD, policies=[policy])
        self.assertEqual(policy.starts, [(3, 300)])
        self.assertEqual([t for t, *_ in policy.told], list(range(1, 201)))  # the first rounds, which play each arm once, too
        self.assertEqual([t for t, _ in policy.books], list(range(4, 201)))
        self.assertGreater(policy.conversions.sum(), 0)

    def test_begin_anew_for_further_replicas_and_results_do_not_depend_on_how_they_are_grouped(self):
        many = {**WORLD, "horizon": 30, "replicas": 5000}
        policy = Recorder()
        r = dbandit.run(**many, policies=[policy], samples=True)
        self.assertEqual(policy.starts, [(3, 4096), (3, 904)])
        few = dbandit.run(**{**many, "replicas": 300}, policies=[Recorder()], samples=True)
        np.testing.assert_array_equal(r.samples[:, :300], few.samples)

    def test_pending_pulls_are_those_that_the_reference_says_may_still_convert(self):
        for censor in (20, None):
            world = {**WORLD, "censor": censor, "replicas": 3}
            built_in = "d-ucb" if censor else "ud-ucb"
            seen = {}

            class Mine(dbandit.Policy):
                def choose(self, t, books):
                    seen[t] = books.pending
                    return (books.conversions + np.sqrt(books.pulls * np.log(t) / 2)) / books.exposure

            r = dbandit.run(**world, policies=[built_in, Mine()])
            self.assertLess(r.difference("Mine", built_in).stderr, 1e-9)
            for replica in range(3):
                table = dbandit.trace(**{k: v for k, v in world.items() if k != "replicas"}, policies=[built_in], replica=replica, rounds=200)
                played = table["arm"] == table["played"]
                arm, delay = table["arm"][played], table["delay"][played]
                converts = ~np.isnan(delay)
                for t in (4, 30, 77, 200):
                    age = t - np.arange(1, t)  # of the pulls before round t
                    known = converts[: t - 1] & (delay[: t - 1] < age)  # disclosed in round s + delay at the latest t - 1
                    if censor:
                        known &= delay[: t - 1] <= censor
                        known |= age > censor
                    expected = [np.sum(~known & (arm[: t - 1] == k)) for k in range(3)]
                    # Each replica shows the arms in an order of its own.
                    self.assertEqual(sorted(seen[t][:, replica]), sorted(expected), (censor, replica, t))

    def test_of_parametrised_instances_have_names_of_their_own_in_one_paired_run(self):
        r = dbandit.run(**WORLD, policies=["d-ucb", Greedy(0.1), Greedy(0.5), Greedy(0.1, rounds=50)])
        names = ["d-ucb", "Greedy(share=0.1,rounds=0)", "Greedy(share=0.5,rounds=0)", "Greedy(share=0.1,rounds=50)"]
        self.assertEqual(r.policies, names)
        self.assertGreater(r.difference(names[2], names[1]).low, 0)
        alone = dbandit.run(**WORLD, policies=[Greedy(0.5)])
        self.assertEqual(alone[names[2]].final, r[names[2]].final)

    def test_are_asked_by_the_mechanism_that_asks_functions(self):
        def index(pulls, exposure, conversions, t):
            return (conversions + np.sqrt(pulls * np.log(t) / 2)) / exposure

        class Index(dbandit.Policy):
            name = "object"

            def choose(self, t, books):
                return index(books.pulls, books.exposure, books.conversions, t)

        r = dbandit.run(**WORLD, policies=["d-ucb", index, Index()])
        for name in ("index", "object"):
            self.assertLess(r.difference(name, "d-ucb").stderr, 1e-9)

    def test_refuse_a_class_and_what_cannot_choose(self):
        with self.assertRaisesRegex(dbandit.Error, r"^policies: Greedy is a class; allowed is an instance, as in Greedy\(\)$"):
            dbandit.run(**WORLD, policies=[Greedy])
        with self.assertRaisesRegex(NotImplementedError, r"Policy.choose\(t, books\) is missing"):
            dbandit.run(**WORLD, policies=[dbandit.Policy()])
        with self.assertRaisesRegex(dbandit.Error, r"^policies: 'recorder' is the name of two policies"):
            dbandit.run(**WORLD, policies=[Recorder(), Recorder()])

    def test_that_fail_fail_with_their_own_exception(self):
        class Broken(dbandit.Policy):
            def observe(self, t, arms, disclosed):
                raise KeyError("observed")

            def choose(self, t, books):
                return books.conversions

        with self.assertRaisesRegex(KeyError, "observed"):
            dbandit.run(**WORLD, policies=[Broken()])


class Draws(unittest.TestCase):
    def rng(self, **keys):
        class Taker(dbandit.Policy):
            def start(self, arms, replicas, rng):
                self.rng = rng

            def choose(self, t, books):
                return books.pulls

        taker = Taker()
        dbandit.run(**{**WORLD, "horizon": 5, **keys}, policies=[taker])
        return taker.rng

    def test_are_a_function_of_seed_replica_round_and_stream(self):
        rng, again, other = self.rng(), self.rng(replicas=40), self.rng(seed=2)
        self.assertEqual((rng.seed, other.seed), (1, 2))
        np.testing.assert_array_equal(rng.replicas, np.arange(300))
        np.testing.assert_array_equal(rng.uniform(7, 3)[:40], again.uniform(7, 3))
        for different in (other.uniform(7, 3), rng.uniform(8, 3), rng.uniform(7, 4)):
            self.assertFalse((rng.uniform(7, 3) == different).any())
        both = rng.uniform(7, [3, 4])
        self.assertEqual(both.shape, (2, 300))
        np.testing.assert_array_equal(both[1], rng.uniform(7, 4))

    def test_are_uniform_and_gamma(self):
        rng = self.rng()
        u = rng.uniform(1, range(400)).ravel()
        self.assertTrue(((0 < u) & (u < 1)).all())
        # 5 standard errors of the mean and of the mean square of 120 000 uniforms.
        self.assertLess(abs(u.mean() - 1 / 2), 5 * np.sqrt(1 / 12 / len(u)))
        self.assertLess(abs((u**2).mean() - 1 / 3), 5 * np.sqrt(4 / 45 / len(u)))
        g = rng.gamma(1, 2.5, range(400)).ravel()
        self.assertLess(abs(g.mean() - 2.5), 5 * np.sqrt(2.5 / len(g)))
        np.testing.assert_array_equal(np.argsort(g), np.argsort(u))  # the quantiles at the uniforms of the same address

    def test_thompson_sampling_in_python_has_the_regret_of_the_built_in_one(self):
        class Thompson(dbandit.Policy):
            def start(self, arms, replicas, rng):
                self.arms, self.rng = range(arms), rng

            def choose(self, t, books):
                return self.rng.gamma(t, 1 + books.conversions, self.arms) / (1 + books.exposure)

        difference = dbandit.run(**{**WORLD, "replicas": 4000}, policies=["d-ts", Thompson()]).difference("Thompson", "d-ts")
        self.assertLess(abs(difference.mean), 4 * difference.stderr)  # other draws of the same law
        self.assertGreater(difference.stderr, 0)

    def test_say_what_an_address_may_be(self):
        rng = self.rng()
        for call, words in (
            (lambda: rng.uniform(-1), "t: -1 is not a round from 0 to"),
            (lambda: rng.uniform(1, -1), "stream: -1 is not an integer from 0 to 16777215, or a list of them"),
            (lambda: rng.uniform(1, 0.5), "stream: 0.5 is not an integer"),
            (lambda: rng.uniform(1, [[1]]), r"stream: \[\[1\]\] is not an integer"),
            (lambda: rng.gamma(1, 0.0), "shape: 0 is not a number above 0"),
        ):
            with self.assertRaisesRegex(dbandit.Error, words):
                call()


if __name__ == "__main__":
    unittest.main()
