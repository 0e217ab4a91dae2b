"""Keywords as the keys of a spec: text, as their flags have it. The engine reads it and says what is wrong with it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _engine
from ._engine import Error
from ._policy import as_policy, is_own

_ALLOWED = {name: allowed.replace("('dbandit list policies')", "(dbandit.policies())") for name, _, allowed, _ in _engine.keys()}
# What None says something to; to the others it is not given.
_TAKE_NONE = {name for name, annotation, _, _ in _engine.keys() if "None" in annotation}
_DELAYS = ("delay", "assume_delay")

_MOST_DELAYS = 4096  # different ones of an empirical law
_LONGEST = 1_000_000
_TOTAL = 10**12  # of the counts that stand for probabilities


def texts_of(keys: Mapping[str, Any]) -> tuple[dict[str, str], list[tuple[str, Any]]]:
    """What is given of a spec as {key: text}, and the policies of one's own as [(name, policy)]."""
    given, own = dict(keys), []
    chosen = given.get("policies")
    if chosen is not None and not isinstance(chosen, str):
        chosen = [chosen] if is_own(chosen) else list(chosen)
        own = [as_policy(policy) for policy in chosen if is_own(policy)]
        given["policies"] = [policy for policy in chosen if not is_own(policy)]
        if own and not given["policies"]:
            del given["policies"]
    horizon = given.get("horizon")
    for key in _DELAYS:
        if given.get(key) is not None:
            given[key] = _delays(key, given[key], horizon)
    return {key.replace("_", "-"): _text(key, value) for key, value in given.items() if value is not None or key in _TAKE_NONE}, own


def file_of(spec: str | os.PathLike[str] | None) -> str | None:
    return None if spec is None else os.fspath(spec)


def number_text(value: Any) -> str:
    """A number in its shortest exact form; text as it is."""
    return value if isinstance(value, str) else repr(value.tolist() if hasattr(value, "tolist") else value)


def _text(key: str, value: Any, element: bool = False) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        if getattr(value, "ndim", 0) > 1:
            raise Error(f"{key}: an array of shape {value.shape} is not {_ALLOWED.get(key, 'a list')}")
        value = value.tolist()
    if isinstance(value, Iterable):
        if element:  # a flag has no brackets: the rows of a table would look like one long list
            raise Error(f"{key}: a list of lists is not {_ALLOWED.get(key, 'a list')}")
        parts = [_text(key, part, element=True) for part in value]
        if not parts:
            raise Error(f"{key}: an empty list is not {_ALLOWED.get(key, 'a list')}")
        return ",".join(parts)
    return repr(value)


def _delays(key: str, given: Any, horizon: Any) -> str | None:
    """A law by its name, by the probabilities of the delays 0, 1, …, or by its CDF; or a list with one of these for each arm."""
    if isinstance(given, str):
        return given
    if hasattr(given, "cdf"):
        return _by_cdf(key, given, horizon)
    if isinstance(given, Iterable):
        parts: Any = given if hasattr(given, "ndim") else list(given)
        if getattr(given, "ndim", 1) != 1:
            raise Error(f"{key}: an array of shape {np.shape(given)} is not the probability of each delay 0, 1, 2, …")
        if len(parts) > 0 and not any(isinstance(part, str) or hasattr(part, "cdf") or np.ndim(part) > 0 for part in parts):
            return _by_probabilities(key, parts)
        return ",".join(str(_delays(key, part, horizon)) for part in parts)
    raise Error(f"{key}: {given!r} is not a law, as in 'geometric:500', an array of probabilities or an object with a cdf")


def _by_probabilities(key: str, given: Any) -> str:
    try:
        shares = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        shares = np.array([np.nan])
    whole = np.asarray(given).dtype.kind in "iu"
    allowed = "the probability of each delay 0, 1, 2, …, which sum to 1, or how often each was seen (integers)"
    if not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() <= 0 or (not whole and abs(shares.sum() - 1) > 1e-6):
        wrong = "not all are numbers" if not np.isfinite(shares).all() else "some are negative" if (shares < 0).any() else f"these sum to {shares.sum():.10g}"
        raise Error(f"{key}: an array is {allowed}; {wrong}")
    counts = shares if whole else np.rint(shares / shares.sum() * _TOTAL)
    return _empirical(np.arange(len(counts)), counts)


def _by_cdf(key: str, law: Any, horizon: Any) -> str:
    """⌊X⌋ of a continuous X, as the laws of the catalogue are; a discrete one as it is.

    What comes after the horizon is never seen: it is put there. Delays beyond 1000 are rounded where there would be too many,
    each to less than 0.3 % of itself.
    """
    kinds = {kind.__name__ for kind in type(getattr(law, "dist", law)).__mro__}
    discrete = "rv_discrete" in kinds or (hasattr(law, "pmf") and not hasattr(law, "pdf"))
    last = min(_LONGEST, int(horizon) if isinstance(horizon, (int, float, np.integer, np.floating)) else _LONGEST)
    delays = np.arange(last + 1)
    if len(delays) > _MOST_DELAYS:
        near = 1024
        far = np.unique(np.rint(np.geomspace(near, last, _MOST_DELAYS - near)).astype(np.int64))
        delays = np.unique(np.concatenate([np.arange(near), far]))
    ends = np.append(delays[1:] - 1, last)  # a delay speaks for those up to the next
    below = np.asarray(law.cdf(ends + (0 if discrete else 1)), dtype=float)
    before = float(np.asarray(law.cdf(-1 if discrete else 0)))
    if not np.isfinite(below).all() or (np.diff(below) < -1e-12).any() or abs(before) > 1e-9 or below[-1] <= 0:
        raise Error(f"{key}: the law's cdf is not that of a delay, a number that is not negative")
    below[-1] = 1.0
    return _empirical(delays, np.rint(np.diff(below, prepend=0.0) * _TOTAL))


def _empirical(delays: Any, counts: Any) -> str:
    kept = [(int(delay), int(count)) for delay, count in zip(delays, counts) if count > 0]
    divisor = math.gcd(*(count for _, count in kept))
    return "empirical:" + "+".join(f"{count // divisor}*{delay}" for delay, count in kept)
