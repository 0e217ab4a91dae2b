"""Bandits whose rewards come late, simulated by the thousand.

>>> import dbandit
>>> r = dbandit.run(theta=[.1, .05, .03], delay="geometric:500", censor=1000,
...                 horizon=10_000, policies=["d-klucb", "d-ucb"], replicas=1000)
>>> r.policies
['d-klucb', 'd-ucb']
>>> r["d-klucb"].final.mean.round(2)
39.09
>>> r.difference("d-ucb", "d-klucb").mean.round(1)      # on the same worlds
68.5
>>> r.regret.mean.shape, r.t[-1]
((2, 200), 10000)

An idea is a function of arrays [arm, replica], and meets the same worlds:

>>> import numpy as np
>>> def greedy(pulls, exposure, conversions, t):
...     return conversions / exposure                   # an index per arm, or an arm per replica
>>> r = dbandit.run(theta=[.4, .5], delay="geometric:20", censor=50, horizon=2000,
...                 policies=["d-ucb", greedy], replicas=1000)
>>> r.difference("greedy", "d-ucb").mean.round(1)       # it gives up the better arm too often
24.9
"""

from __future__ import annotations

import atexit
import inspect
import os
from collections.abc import Iterable
from typing import Any

from . import _engine
from ._engine import Error, __version__
from ._progress import bar
from ._result import Band, Estimate, PolicyResult, Result, load

__all__ = ["Band", "Error", "Estimate", "PolicyResult", "Result", "load", "policies", "run"]

# What None says something to; to the others it is not given.
_TAKE_NONE = {name for name, annotation, _, _ in _engine.keys() if "None" in annotation}
_ALLOWED = {name: allowed for name, _, allowed, _ in _engine.keys()}

atexit.register(_engine.join_abandoned)


def _text(key: str, value: Any, element: bool = False) -> str:
    """A keyword's value as its flag has it: numbers in their shortest exact form, lists with commas."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        value = value.tolist()
    if isinstance(value, Iterable):
        if element:  # a flag has no brackets: the rows of a table would look like one long list
            raise Error(f"--{key.replace('_', '-')}: a list of lists is not {_ALLOWED.get(key, 'a list')}")
        return ",".join(_text(key, part, element=True) for part in value)
    return repr(value)


def run(spec=None, /, *, threads=0, progress=None, **keys):
    given = dict(keys)
    functions = []
    chosen = given.get("policies")
    if callable(chosen):
        chosen = [chosen]
    if chosen is not None and not isinstance(chosen, str):
        chosen = list(chosen)
        functions = [(getattr(p, "__name__", type(p).__name__), p) for p in chosen if callable(p)]
        names = [p for p in chosen if not callable(p)]
        if names or not functions:
            given["policies"] = names
        else:
            del given["policies"]
    texts = {key.replace("_", "-"): _text(key, value) for key, value in given.items() if value is not None or key in _TAKE_NONE}
    file = None if spec is None else os.fspath(spec)
    with bar(progress) as show:
        return Result(_engine.run(file, texts, functions, threads, show))


def policies() -> dict[str, str]:
    """The policies that `run` knows by name, and what each is.

    >>> import dbandit
    >>> dbandit.policies()["d-ucb"]
    'censored: delay-corrected UCB, conversions later than the window are lost (§5.2, §6)'
    """
    return {name: f"{setting}: {summary}" for name, setting, summary in _engine.catalogue()}


def _documented() -> None:
    """The keywords of `run` are the keys of a spec, so the table that drives the flags writes its signature and its help."""
    kind = inspect.Parameter
    keys = _engine.keys()
    keywords = [
        kind(name, kind.KEYWORD_ONLY, default=kind.empty if required else None) for name, _, _, required in keys
    ]
    own = inspect.signature(run).parameters
    run.__signature__ = inspect.Signature([own["spec"], *keywords, own["threads"], own["progress"]])
    lines = [f"    {name}: {allowed}{' (required)' if required else ''}" for name, _, allowed, required in keys]
    run.__doc__ = _RUN_DOC.replace("@KEYS@", "\n".join(lines))


_RUN_DOC = """Simulate policies on one problem; what `dbandit run` does.

The keywords are the keys of a spec file and the flags of the command line, with _ for -:

@KEYS@

    spec: a TOML file with the same keys; keywords override it
    threads: 0, the default, is all cores; changes no number
    progress: True or False; by default in terminals and notebooks; or a function of (done, all)

In `policies` a function of (pulls, exposure, conversions, t) is a policy of its own, called by its `__name__` (set it when two
would have the same) and listed after the others. It sees arrays [arm, replica] as they are after round t - 1 and answers for round t with an arm for each
replica (integers), or with an index for each arm and replica, of which the largest is played and ties are broken as they
are for every policy. Rounds 1 to K play each arm once without asking. Each replica numbers the arms in an order of its own,
so that a function that gives ties to the first, as np.argmax does, gains nothing where the best arm is listed first.

The interpreter is free for other threads while built-in policies run. Ctrl-C raises KeyboardInterrupt. What cannot run is
an Error, a ValueError with the line that the command line would print:

>>> import dbandit
>>> dbandit.run(theta=[.1, 2], delay="geometric:100", horizon=1000, policies=["ud-ucb"])
Traceback (most recent call last):
    ...
dbandit.Error: --theta: 2 does not belong in a list of 1 to 65535 numbers from 0 to 1

>>> r = dbandit.run(theta=[.1, .05], delay="geometric:100", censor=300, horizon=2000, policies=["d-klucb"], replicas=1000)
>>> print(r)                                # doctest: +ELLIPSIS
θ = 0.1, 0.05 · geometric:100 · window 300 · T = 2000 · 1000 replicas · seed 1 · ε = 0
<BLANKLINE>
policy         regret  pseudo-regret  slope/bound  time/round
d-klucb  ...
"""

_documented()
