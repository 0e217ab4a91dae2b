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
from collections.abc import Callable
from typing import Any

from . import _engine
from ._documents import Document, Fit, Trace
from ._engine import Books, Error, Rng, __version__
from ._keywords import file_of, texts_of
from ._policy import Policy
from ._progress import bar
from ._result import Band, Estimate, PolicyResult, Result, load
from ._study import Sweep, bounds, claim_list, claims, compare, fit, plan, sweep, trace

__all__ = [
    "Band",
    "Books",
    "Document",
    "Error",
    "Estimate",
    "Fit",
    "Policy",
    "PolicyResult",
    "Result",
    "Rng",
    "Sweep",
    "Trace",
    "bounds",
    "claim_list",
    "claims",
    "compare",
    "fit",
    "load",
    "plan",
    "policies",
    "run",
    "sweep",
    "trace",
]

atexit.register(_engine.join_abandoned)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def run(spec=None, /, *, threads=0, progress=None, samples=False, **keys):
    texts, own = texts_of(keys)
    with bar(progress) as show:
        return Result(_engine.run(file_of(spec), texts, own, threads, show, samples))


def policies() -> dict[str, str]:
    """The policies that `run` knows by name, and what each is.

    >>> import dbandit
    >>> dbandit.policies()["d-ucb"]
    'censored: delay-corrected UCB, conversions later than the window are lost (§5.2, §6)'
    """
    return {name: f"{setting}: {summary}" for name, setting, summary in _engine.catalogue()}


def _documented(function: Callable[..., Any]) -> str:
    """The keywords of a spec are known to the table that drives the flags: it writes their signature, and returns their help."""
    kind = inspect.Parameter
    keys = _engine.keys()
    keywords = [kind(name, kind.KEYWORD_ONLY, default=kind.empty if required else None) for name, _, _, required in keys]
    own = inspect.signature(function).parameters
    named = [parameter for name, parameter in own.items() if name not in ("spec", "keys")]
    function.__signature__ = inspect.Signature([own["spec"], *keywords, *named])  # type: ignore[attr-defined]
    return "\n".join(f"    {name}: {allowed}{' (required)' if required else ''}" for name, _, allowed, required in keys)


_RUN_DOC = """Simulate policies on one problem; what `dbandit run` does.

The keywords are the keys of a spec file and the flags of the command line, with _ for -:

@KEYS@

    spec: a TOML file with the same keys; keywords override it
    threads: 0, the default, is all cores; changes no number
    progress: True or False; by default in terminals and notebooks; or a function of (done, all)
    samples: True keeps the final regret of every replica, as r.samples

`delay` may also be an array, the probabilities of the delays 0, 1, 2, … (or how often each was seen), or an object with a `cdf`,
as scipy.stats has them: of a continuous X it is ⌊X⌋.

In `policies` an object with a method `choose` is a policy of its own (dbandit.Policy), and so is a function of (pulls, exposure,
conversions, t), called by its `__name__`; they are listed after the others. A function sees arrays [arm, replica] as they are
after round t - 1 and answers for round t with an arm for each replica (integers), or with an index for each arm and replica, of
which the largest is played and ties are broken as they are for every policy. Rounds 1 to K play each arm once without asking.
Each replica numbers the arms in an order of its own, so that a function that gives ties to the first, as np.argmax does, gains
nothing where the best arm is listed first.

The interpreter is free for other threads while built-in policies run. Ctrl-C raises KeyboardInterrupt. What cannot run is
an Error, a ValueError with the line that the command line would print, keywords for flags:

>>> import dbandit
>>> dbandit.run(theta=[.1, 2], delay="geometric:100", horizon=1000, policies=["ud-ucb"])
Traceback (most recent call last):
    ...
dbandit.Error: theta: 2 does not belong in a list of 1 to 65535 numbers from 0 to 1

>>> r = dbandit.run(theta=[.1, .05], delay="geometric:100", censor=300, horizon=2000, policies=["d-klucb"], replicas=1000)
>>> print(r)                                # doctest: +ELLIPSIS
θ = 0.1, 0.05 · geometric:100 · window 300 · T = 2000 · 1000 replicas · seed 1 · ε = 0
<BLANKLINE>
policy         regret  pseudo-regret  slope/bound  time/round
d-klucb  ...
"""

run.__doc__ = _RUN_DOC.replace("@KEYS@", _documented(run))
for _function in (sweep, plan, trace):
    _documented(_function)
