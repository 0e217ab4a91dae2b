"""Policies of one's own: what the engine asks them, and what they are called."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ._engine import Books, Error, Rng

Array = NDArray[Any]
Index = Callable[[Array, Array, Array, int], Array]


class Policy:
    """A policy with a state. `choose` is required; `start` and `observe` may be left out, and so may this base class.

    start(arms, replicas, rng): before the first round of some replicas, and again for the next ones; forget what was.
    choose(t, books): an arm for each replica (integers) or an index for each arm and replica, of which the largest is played.
    observe(t, arms, disclosed): after every round, the first ones included: the arm that each replica played, and the
    conversions [arm, replica] that were disclosed in that round.

    All of it for many replicas at once: arrays [arm, replica] or [replica]. Randomness comes from `rng` (dbandit.Rng), so that a
    result depends neither on threads nor on how replicas are grouped. A policy is called by its attribute `name`; without one a
    dataclass is called by its class and fields, `Greedy(share=0.1)`, and any other by its class.

    >>> import dataclasses, dbandit, numpy as np
    >>> @dataclasses.dataclass
    ... class Greedy(dbandit.Policy):
    ...     share: float                                     # of the rounds that explore
    ...     def start(self, arms, replicas, rng):
    ...         self.arms, self.rng = arms, rng
    ...     def choose(self, t, books):
    ...         explore = self.rng.uniform(t, stream=0) < self.share
    ...         other = (self.rng.uniform(t, stream=1) * self.arms).astype(int)
    ...         return np.where(explore, other, np.argmax(books.conversions / books.exposure, axis=0))
    >>> r = dbandit.run(theta=[.4, .5], delay="geometric:20", censor=50, horizon=2000, replicas=1000,
    ...                 policies=["d-ucb", Greedy(0.1), Greedy(0.3)])
    >>> r.policies
    ['d-ucb', 'Greedy(share=0.1)', 'Greedy(share=0.3)']
    """

    def start(self, arms: int, replicas: int, rng: Rng) -> None: ...

    def choose(self, t: int, books: Books) -> Array:
        raise NotImplementedError(f"{type(self).__name__}.choose(t, books) is missing")

    def observe(self, t: int, arms: Array, disclosed: Array) -> None: ...


class _Function:
    """A function of (pulls, exposure, conversions, t) as a policy without a state."""

    def __init__(self, function: Index) -> None:
        self._function = function

    def choose(self, t: int, books: Books) -> Array:
        return self._function(books.pulls, books.exposure, books.conversions, t)


def is_own(given: Any) -> bool:
    return callable(given) or hasattr(given, "choose")


def as_policy(given: Any) -> tuple[str, Any]:
    """Its name and what the engine asks: one mechanism for functions and for objects with a state."""
    if isinstance(given, type):
        raise Error(f"policies: {given.__name__} is a class; allowed is an instance, as in {given.__name__}()")
    name = str(getattr(given, "name", None) or getattr(given, "__name__", None) or _class_name(given))
    if not hasattr(given, "choose"):
        return name, _Function(given)
    return name, _Asked(given)


class _Asked:
    """What a policy overrides of `Policy`: the engine does not call what does nothing."""

    def __init__(self, policy: Any) -> None:
        self.choose = policy.choose
        for method in ("start", "observe"):
            own = getattr(policy, method, None)
            if own is not None and getattr(own, "__func__", own) is not getattr(Policy, method):
                setattr(self, method, own)


def _class_name(given: Any) -> str:
    kind = type(given).__name__
    if not dataclasses.is_dataclass(given):
        return kind
    fields = [f"{field.name}={getattr(given, field.name)}" for field in dataclasses.fields(given) if field.init and field.repr]
    return f"{kind}({','.join(fields)})" if fields else kind
