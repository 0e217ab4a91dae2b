"""The commands beside `run`: the same functions under the same names."""

from __future__ import annotations

import csv
import os
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _engine
from ._documents import Document, Fit, Trace
from ._engine import Error
from ._keywords import file_of, number_text, texts_of
from ._progress import bar
from ._result import Estimate, Result, axes_of, compared, legend_beside, style, write_page

Spec = str | os.PathLike[str] | None


class Sweep:
    """What `sweep` measured. Arrays have the axes that vary first, in their order.

    axes: {name: values}; results: an array of Result; final: regret at the horizon, [*axes, policy].
    """

    axes: dict[str, Any]
    policies: list[str]
    results: Any
    final: Estimate[NDArray[Any]]

    def __init__(self, axes: dict[str, Any], results: list[Result], files: dict[str, bytes], text: str) -> None:
        shape = tuple(len(values) for values in axes.values())
        self.axes, self.policies, self.text, self._files = axes, results[0].policies, text, files
        self.results = np.empty(shape, dtype=object)
        self.results.ravel()[:] = results
        parts = zip(*(result.final for result in results))
        self.final = Estimate(*(np.array(part).reshape(*shape, len(self.policies)) for part in parts))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write spec.toml, sweep.csv, paired.csv and manifest.json, as `dbandit sweep --out` does."""
        _engine.write(os.fspath(folder), self._files)

    def report(self, file: str | os.PathLike[str]) -> None:
        """Write the page of `dbandit report`: one HTML file for a browser."""
        write_page(self._files, file)

    def plot(self, *, ax: Any = None, log: bool = False) -> Any:
        """Final regret against what varies, with 95 % intervals, by matplotlib; of a sweep of one axis. Returns the axes."""
        if len(self.axes) != 1:
            raise Error(f"plot: a sweep of {len(self.axes)} axes is not one line per policy; allowed is one axis")
        ax = axes_of(ax)
        (name, values), = self.axes.items()
        for place, ink in enumerate(_engine.inks(self.policies)):
            half = (self.final.high - self.final.low)[:, place] / 2
            ax.errorbar(values, self.final.mean[:, place], half, capsize=2, label=self.policies[place], **style(ink))
        if log:
            ax.set_xscale("log")
        ax.set(xlabel=name, ylabel="regret at the horizon: conversions lost")
        legend_beside(ax)
        return ax

    def __repr__(self) -> str:
        return self.text.rstrip("\n")


def sweep(spec: Spec = None, /, *, vary: Any, threads: int = 0, progress: Any = None, **keys: Any) -> Sweep:
    """Vary one or two settings over a grid, every cell in the same worlds; what `dbandit sweep` does.

    vary: {"censor": [10, 100, 1000]}, of one or two settings, or the text of the flag, "censor=log:10:10000:7", or a list of
    such texts; the other keywords are those of `run`.

    >>> import dbandit
    >>> s = dbandit.sweep(vary={"censor": [20, 200]}, theta=[.1, .05], delay="geometric:50", horizon=1000,
    ...                   policies=["d-klucb", "d-ucb"], replicas=200)
    >>> s.final.mean.shape                              # [censor, policy]
    (2, 2)
    >>> s.results[1]["d-ucb"].t[-1]
    1000
    """
    texts, own = texts_of(keys)
    with bar(progress) as show:
        axes, held, files, text = _engine.sweep(file_of(spec), texts, own, _axes(vary), threads, show)
    return Sweep({name: np.array(values) for name, values in axes}, [Result(result) for result in held], files, text)


def bounds(
    spec: Spec = None, /, *, theta: Any = None, delay: Any = None, censor: Any = None, epsilon: float | None = None
) -> Document:
    """How fast the regret must grow, and what the paper grants: slopes per ln t; what `dbandit bounds` prints.

    >>> import dbandit
    >>> round(dbandit.bounds(theta=[.1, .05], delay="geometric:100", censor=300)["bounds"]["censored"]["lower"], 3)
    3.006
    """
    keys = {"theta": theta, "delay": delay, "epsilon": epsilon} | ({} if spec is not None and censor is None else {"censor": censor})
    return Document.of_json(_engine.bounds(file_of(spec), texts_of(keys)[0]))


def plan(spec: Spec = None, /, *, vary: Any = None, threads: int = 0, **keys: Any) -> Document:
    """What a run, or with `vary` a sweep, would cost: cells, memory, disk, time; what `dbandit plan` prints. Nothing is run.

    >>> import dbandit
    >>> p = dbandit.plan(theta=[.1, .05], delay="geometric:50", censor=100, horizon=1000, policies=["d-ucb"], replicas=4000)
    >>> p["replica_rounds"]
    4000000.0
    """
    texts, own = texts_of(keys)
    if own:
        raise Error(f"policies: {own[0][0]!r} is a policy of your own; allowed are those of the catalogue, whose time is known")
    return Document.of_json(_engine.plan(file_of(spec), texts, [] if vary is None else _axes(vary), threads))


def trace(spec: Spec = None, /, *, replica: int = 0, rounds: int | tuple[int, int] = 40, **keys: Any) -> Trace:
    """One replica round by round, as the paper written literally plays it; what `dbandit trace` prints.

    rounds: the last round, or (first, last). Columns: policy, round, played, tied, arm, pulls, conversions, exposure, index,
    converts, delay, disclosed; a row for every round and arm. Policies of one's own are traced, too: arms are numbered as the
    problem lists them, which the policy itself does not know.

    >>> import dbandit
    >>> t = dbandit.trace(theta=[.5, .4], delay="geometric:5", censor=10, policies=["d-ucb"], rounds=20)
    >>> bool((t["pulls"][t["round"] == 20].sum()) == 19)        # before the round
    True
    """
    first, last = rounds if isinstance(rounds, Iterable) else (1, rounds)
    texts, own = texts_of(keys)
    return Trace.of_csv(_engine.trace(file_of(spec), texts, own, replica, first, last))


def fit(
    log: str | os.PathLike[str] | Mapping[str, Any],
    *,
    round: Any = None,
    window: Any = None,
    end: Any = None,
    unit: str | None = None,
    columns: Mapping[str, str] | None = None,
    laws: Iterable[str] | None = None,
    threads: int = 0,
) -> Fit:
    """Rates and the law of the delays, by maximum likelihood from a log of clicks; what `dbandit fit` prints.

    log: a CSV file with a header, or a dict (or DataFrame) of columns: start, conversion (empty or NaN: none yet), and if you
    like arm and end. round, window: times in the log's unit, or text as in "10m"; columns: {"start": "click_time"}.

    >>> import dbandit, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> start = np.arange(4000.0)
    >>> delay = np.where(rng.random(4000) < 0.3, rng.geometric(1 / 51, 4000) - 1, np.nan)
    >>> f = dbandit.fit({"start": start, "conversion": start + delay}, round=1, laws=["geometric"])
    >>> 0.25 < f.spec["theta"][0] < 0.35, f.spec["delay"].startswith("geometric:")
    (True, True)
    """
    texts = {name: number_text(value) for name, value in (("round", round), ("window", window), ("end", end)) if value is not None}
    if unit is not None:
        texts["unit"] = unit
    if columns is not None:
        texts["columns"] = ",".join(f"{role}={name}" for role, name in columns.items())
    if laws is not None:
        texts["laws"] = laws if isinstance(laws, str) else ",".join(laws)
    if isinstance(log, (str, os.PathLike)):
        found = _engine.fit(os.fspath(log), texts, threads)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "log.csv")
            _write_log(file, log)
            try:
                found = _engine.fit(str(file), texts, threads)
            except Error as wrong:  # the file is ours, not the caller's
                raise Error(str(wrong).replace(f"'{file}'", "log")) from None
    document = Document.of_json(found[:2])
    return Fit(dict(document), document.text, tomllib.loads(found[2]))


def claims(*ids: str, quick: bool = False, seed: int | None = None, threads: int = 0, progress: Any = None) -> Document:
    """What the paper says, judged by simulation; what `dbandit claims` prints. Without ids all of them: with `quick` about a
    minute on two cores, without it hours.

    >>> import dbandit
    >>> dbandit.claim_list()[0][0] in [row[0] for row in dbandit.claim_list()]
    True
    """
    texts, _ = texts_of({} if seed is None else {"seed": seed})
    with bar(progress) as show:
        return Document.of_json(_engine.claims(list(ids), quick, texts, threads, show))


def claim_list() -> list[tuple[str, str, str]]:
    """What can be judged: (id, where the paper says so, the sentence)."""
    return _engine.claim_list()


def compare(a: Result | str | os.PathLike[str], b: Result | str | os.PathLike[str], *, threshold: float = 0.0) -> Document:
    """Two results, or the folders of two: what was set differently, and by how much the regret differs; what `dbandit compare`
    prints. threshold: a share of A's regret by which B may be worse.

    >>> import dbandit
    >>> keys = dict(theta=[.1, .05], delay="geometric:50", censor=100, horizon=1000, policies=["d-ucb"], replicas=200)
    >>> c = dbandit.compare(dbandit.run(**keys), dbandit.run(**keys, epsilon=0.5))
    >>> c["policies"][0]["policy"]
    'd-ucb'
    """
    return Document.of_json(compared(a, b, threshold))


def _axes(vary: Any) -> list[str]:
    if isinstance(vary, str):
        return [vary]
    if isinstance(vary, Mapping):
        return [f"{name.replace('_', '-')}={_values(values)}" for name, values in vary.items()]
    return list(vary)


def _values(values: Any) -> str:
    if isinstance(values, str):
        return values
    return ",".join(number_text(value) for value in (values.tolist() if hasattr(values, "tolist") else values))


def _write_log(file: Path, log: Mapping[str, Any]) -> None:
    columns = {str(name): np.asarray(log[name]).tolist() for name in log}
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow("" if cell is None or cell != cell else cell for cell in row)  # NaN is not equal to itself
