"""What a run measured: arrays, a table, a frame, a figure, a folder."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _engine
from ._documents import Document
from ._engine import Error

Array = NDArray[Any]
T = TypeVar("T")  # a number or an array
MEASURES = ("regret", "pseudo_regret", "realised_regret")
_FILES = ("spec.toml", "curve.csv", "band.csv", "summary.json", "manifest.json")
_LATER_FILES = ("distribution.csv", "risk.csv")  # older folders have none
_WORDS = {
    "regret": "regret: conversions lost so far",
    "pseudo_regret": "pseudo-regret: conversions lost, seen or not",
    "realised_regret": "realised regret: conversions fewer than the best arm's",
}


class Estimate(NamedTuple, Generic[T]):
    """A mean over the replicas, its standard error and its 95 % interval: numbers, or arrays of one shape."""

    mean: T
    stderr: T
    low: T
    high: T

    def at(self, *index: Any) -> Estimate[Any]:
        """The same of a part: `r.regret.at(0)` is the curve of the first policy, without a copy."""
        parts: Any = self
        return Estimate(*(part[index] for part in parts))

    def __repr__(self) -> str:
        """One number as the command line prints it, "39.09 ± 0.94"; arrays as NumPy prints them."""
        if np.ndim(self.mean) == 0:
            return _pm(self)
        return f"Estimate({', '.join(f'{name}={part!r}' for name, part in zip(self._fields, self))})"


class Band(NamedTuple):
    """Quantiles of the regret over the replicas, [policy, round] at rounds `t`, or [round] of one policy."""

    t: Array
    p10: Array
    p50: Array
    p90: Array


class PolicyResult:
    """One policy of a result: `r["d-ucb"]`. Its arrays are rows of the result's."""

    t: Array
    regret: Estimate[Array]
    pseudo_regret: Estimate[Array]
    realised_regret: Estimate[Array]
    final: Estimate[float]
    samples: Array | None

    def __init__(self, result: Result, index: int) -> None:
        self.name = result.policies[index]
        self.t = result.t
        self.regret = result.regret.at(index)
        self.pseudo_regret = result.pseudo_regret.at(index)
        self.realised_regret = result.realised_regret.at(index)
        self.final = self.regret.at(-1)
        self.pulls = result.pulls[index]
        self.pulls_stderr = result.pulls_stderr[index]
        self.band = Band(result.band.t, *(part[index] for part in result.band[1:]))
        self.samples = None if result.samples is None else result.samples[index]

    def __repr__(self) -> str:
        return f"<{self.name}: regret {_pm(self.final)} at t = {self.t[-1]}>"


class Result:
    """What `run` measured or `load` read.

    >>> import dbandit
    >>> r = dbandit.run(theta=[.1, .05], delay="geometric:100", censor=300, horizon=2000, policies=["d-klucb", "d-ucb"])
    >>> r.regret.mean.shape == (len(r.policies), len(r.t))      # arrays [policy, round], views of the engine's memory
    True
    >>> mean, stderr, low, high = r["d-ucb"].final
    >>> bool(low < mean < high)
    True
    >>> float(r.pulls.sum(axis=1).round()[0])                   # [policy, arm]
    2000.0
    >>> bool(r.difference("d-ucb", "d-klucb").low > 0)          # paired: KL-UCB is better here, beyond chance
    True
    >>> round(r.bounds["censored"]["lower"], 3)
    3.006
    """

    policies: list[str]
    spec: dict[str, Any]
    replicas: int
    t: Array
    regret: Estimate[Array]
    pseudo_regret: Estimate[Array]
    realised_regret: Estimate[Array]
    final: Estimate[Array]
    pulls: Array
    pulls_stderr: Array
    band: Band
    paired: Estimate[Array]
    bounds: dict[str, Any]
    seconds: float
    samples: Array | None
    """Final regret of every replica, [policy, replica], where `run` was asked for it: samples=True."""

    def __init__(self, held: Any) -> None:
        self._held = held
        self.policies = held.policies
        self.spec = _spec(held.spec_text)
        self.replicas = held.replicas
        self.t = held.t
        for measure in MEASURES:
            setattr(self, measure, Estimate(*held.curve(measure)))
        self.final = self.regret.at(slice(None), -1)
        self.pulls, self.pulls_stderr = held.pulls[:2]
        self.band = Band(*held.band)
        self.paired = Estimate(*held.paired)
        self.bounds = held.bounds
        self.seconds = held.seconds
        self.samples = None if held.samples is None else held.samples[:, : self.replicas]

    def __reduce__(self) -> Any:
        return _restored, (self._held.files(), None if self.samples is None else np.array(self.samples))

    def __getitem__(self, policy: str) -> PolicyResult:
        return PolicyResult(self, self._index(policy))

    def _index(self, policy: str) -> int:
        if policy not in self.policies:
            raise KeyError(f"{policy!r} is not one of: {' '.join(self.policies)}")
        return self.policies.index(policy)

    def difference(self, a: str, b: str) -> Estimate[float]:
        """Final regret of `a` minus that of `b`, replica by replica on the same worlds."""
        return self.paired.at(self._index(a), self._index(b))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the folder that `dbandit run --out` writes, byte for byte but for the times in manifest.json.

        >>> import dbandit, tempfile
        >>> r = dbandit.run(theta=[.1, .05], delay="geometric:20", horizon=200, policies=["ud-ucb"], replicas=64)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     r.save(folder)
        ...     again = dbandit.load(folder)
        >>> bool((again.regret.mean == r.regret.mean).all())
        True
        """
        _engine.write(os.fspath(folder), self._held.files())

    def report(self, file: str | os.PathLike[str]) -> None:
        """Write the page of `dbandit report`: one HTML file with charts, tables and provenance, for a browser."""
        write_page(self._held.files(), file)

    def compare(self, other: Result | str | os.PathLike[str], *, threshold: float = 0.0) -> Document:
        """This result against another: `dbandit.compare(self, other)`."""
        return Document.of_json(compared(self, other, threshold))

    def to_frame(self) -> Any:
        """The curves as a tidy pandas DataFrame, with the columns of curve.csv."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("to_frame() needs pandas; on Debian: apt install python3-pandas") from missing
        rounds = len(self.t)
        frames = []
        for measure in MEASURES:
            curve = getattr(self, measure)
            frames.append(
                pandas.DataFrame(
                    {
                        "policy": np.repeat(self.policies, rounds),
                        "t": np.tile(self.t, len(self.policies)),
                        "measure": measure,
                        "mean": curve.mean.ravel(),
                        "stderr": curve.stderr.ravel(),
                        "ci_low": curve.low.ravel(),
                        "ci_high": curve.high.ravel(),
                    }
                )
            )
        return pandas.concat(frames, ignore_index=True)

    def plot(
        self,
        measure: str = "regret",
        *,
        ax: Any = None,
        policies: list[str] | None = None,
        log: bool = False,
        band: bool = True,
        bound: bool = True,
    ) -> Any:
        """Draw the curves with their 95 % intervals by matplotlib; returns the axes.

        band: shade 10 % to 90 % of the replicas, of up to six policies; bound: the slope of the lower bound, from T/5 on, placed below
        the curves, since only slopes can be compared; both for the regret alone.
        log: logarithmic time, in which a bound is a straight line.
        """
        if measure not in MEASURES:
            raise Error(f"{measure!r} is not one of: {' '.join(MEASURES)}")
        ax = axes_of(ax)
        shown = self.policies if policies is None else policies
        many = len(shown) > 6  # shades of many curves over each other show nothing
        for place, (name, ink) in enumerate(zip(shown, _engine.inks(shown))):
            color, index = ink[0], self._index(name)
            curve = getattr(self, measure).at(index)
            if measure == "regret" and band and not many:
                ax.fill_between(self.band.t, self.band.p10[index], self.band.p90[index], color=color, alpha=0.15, linewidth=0)
            ax.fill_between(self.t, curve.low, curve.high, color=color, alpha=0.4, linewidth=0)
            marked = _marked(self.t, log, place)
            ax.plot(self.t, curve.mean, label=name, markevery=marked, **style(ink))
        if measure == "regret" and bound:
            self._plot_bound(ax, shown)
        if log:
            ax.set_xscale("log")
        ax.set(xlabel="round", ylabel=_WORDS[measure], xlim=(max(1, self.t[-1] / 1000) if log else 0, self.t[-1]))
        lowest = min(float(getattr(self, measure).mean[self._index(name)].min()) for name in shown)  # negative with delays by arm
        ax.set_ylim(min(0.0, 1.05 * lowest), max(1.05 * ax.dataLim.y1, ax.get_ylim()[1]))  # axes may be shared with earlier ones
        legend_beside(ax)
        return ax

    def _plot_bound(self, ax: Any, shown: list[str]) -> None:
        """From T/5 on, below all that is shown; only when one bound holds for all of it."""
        slopes = {self._lower_bound(name) for name in shown}
        if len(slopes) != 1 or (slope := slopes.pop()) <= 0:
            return
        anchor = int(np.searchsorted(self.t, self.t[-1] / 5))
        t = self.t[anchor:]
        curves = self.regret.mean[[self._index(name) for name in shown], anchor:]
        line = slope * np.log(t)
        ax.plot(t, line + (curves - line).min(), "--", color="black", label=f"how fast the lower bound rises: {slope:.2f} per ln t")

    def _lower_bound(self, policy: str) -> float:
        uncensored = self.spec["censor"] is None or _SETTINGS.get(policy) == "uncensored"
        return float(self.bounds["uncensored" if uncensored else "censored"]["lower"])

    def __repr__(self) -> str:
        return str(self._held.table())

    def _repr_html_(self) -> str:
        spec = self.spec
        window = "uncensored" if spec["censor"] is None else f"window {spec['censor']}"
        caption = (
            f"θ = {', '.join(map(str, spec['theta']))} · {spec['delay']} · {window} · T = {spec['horizon']} · "
            f"{self.replicas} replicas · seed {spec['seed']}"
        )
        heading = ["policy", *(f"{m.replace('_', '-')} at T" for m in MEASURES), "regret of 10 – 90 % of the replicas", "pulls of each arm"]
        rows = []
        for index, name in enumerate(self.policies):
            cells = [_pm(getattr(self, measure).at(index, -1)) for measure in MEASURES]
            cells.append(f"{self.band.p10[index, -1]:.4g} – {self.band.p90[index, -1]:.4g}")
            cells.append(", ".join(f"{pulls:.4g}" for pulls in self.pulls[index][:8]) + (", …" if len(self.pulls[index]) > 8 else ""))
            rows.append([name, *cells])
        return (
            f"<table><caption>{html.escape(caption)}</caption><thead>{_row('th', heading)}</thead>"
            f"<tbody>{''.join(_row('td', row) for row in rows)}</tbody></table>"
        )


class _Stored:
    """What a folder holds, in the shape in which the engine holds it."""

    def __init__(self, files: dict[str, bytes], where: str, samples: Array | None = None) -> None:
        self._files, self.samples = files, samples
        try:
            self._take(json.loads(self._files["summary.json"]))
            self.seconds = float(json.loads(self._files["manifest.json"])["seconds"])
        except (KeyError, IndexError, TypeError, ValueError) as wrong:
            raise Error(f"'{where}': is not a result folder of this version: {type(wrong).__name__} {wrong}") from wrong

    def _take(self, summary: dict[str, Any]) -> None:
        self.spec_text = self._files["spec.toml"].decode()
        spec, rows = summary["spec"], summary["policies"]
        self.policies = [row["policy"] for row in rows]
        self._complete = "partial" not in summary
        # Fewer than the spec's when the run was cut short, or had its precision before.
        self.replicas = (summary.get("partial") or summary.get("until") or spec)["replicas"]
        self.bounds = summary["bounds"]
        self.t = np.array([point["t"] for point in rows[0]["curve"]])
        self._curves = {m: _estimates([[point[m] for point in row["curve"]] for row in rows]) for m in MEASURES}
        pulls = np.array([[(arm["mean"], arm["stderr"]) for arm in row["pulls"]] for row in rows])
        self.pulls = (pulls[:, :, 0], pulls[:, :, 1])
        self.paired = tuple(np.zeros((len(rows), len(rows))) for _ in range(4))
        for pair in summary["paired"]:
            a, b = self.policies.index(pair["a"]), self.policies.index(pair["b"])
            mean, stderr, low, high = (part[0, 0] for part in _estimates([[pair["regret_difference"]]]))
            for part, forth, back in zip(self.paired, (mean, stderr, low, high), (-mean, stderr, -high, -low)):
                part[a, b], part[b, a] = forth, back
        band = list(csv.DictReader(io.StringIO(self._files["band.csv"].decode())))
        t = np.array([int(row["t"]) for row in band if row["policy"] == self.policies[0]])
        shape = (len(self.policies), len(t))
        self.band = (t, *(np.array([float(row[q]) for row in band]).reshape(shape) for q in ("p10", "p50", "p90")))

    def curve(self, measure: str) -> tuple[Array, ...]:
        return self._curves[measure]

    def table(self) -> str:
        curves = [self._curves[measure][:2] for measure in MEASURES]
        return _engine.stored_table(self.spec_text, self.replicas, self._complete, curves, self.paired[:2])

    def files(self) -> dict[str, bytes]:
        return self._files


def load(folder: str | os.PathLike[str]) -> Result:
    """Read the folder that `dbandit run --out` or `Result.save` wrote: the same numbers, to the last bit."""
    path = Path(folder)
    files = {name: _read(path / name) for name in _FILES} | {name: _read(path / name) for name in _LATER_FILES if (path / name).exists()}
    return Result(_Stored(files, os.fspath(folder)))


def _restored(files: dict[str, bytes], samples: Array | None) -> Result:
    return Result(_Stored(files, "pickle", samples))


def write_page(files: dict[str, bytes], file: str | os.PathLike[str]) -> None:
    """The engine reads what it shows from a folder, whose name heads the page: that of the file."""
    page = Path(file)
    with tempfile.TemporaryDirectory() as scratch:
        folder = str(Path(scratch, page.stem))
        _engine.write(folder, files)
        content = _engine.page(folder).encode()
    _engine.write(str(page.parent), {page.name: content})


def compared(a: Result | str | os.PathLike[str], b: Result | str | os.PathLike[str], threshold: float) -> tuple[str, str]:
    with tempfile.TemporaryDirectory() as scratch:

        def folder(given: Result | str | os.PathLike[str], name: str) -> str:
            if not isinstance(given, Result):
                return os.fspath(given)
            _engine.write(f"{scratch}/{name}", given._held.files())
            return f"{scratch}/{name}"

        document, text = _engine.compare(folder(a, "a"), folder(b, "b"), threshold)
        return document.replace(scratch + "/", ""), text.replace(scratch + "/", "")


def axes_of(ax: Any) -> Any:
    """The axes that are given, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("plot() needs matplotlib; on Debian: apt install python3-matplotlib") from missing
    return plt.figure(figsize=(7, 4.5), layout="constrained").add_subplot()


# gnuplot's point types, by which the engine calls a policy's mark; those without a fill are open.
_MARKERS = {7: "o", 9: "^", 5: "s", 11: "v", 13: "D", 6: "o", 8: "^", 4: "s"}
_OPEN = (6, 8, 4)


def style(ink: tuple[str, int, str]) -> dict[str, Any]:
    """Of a line in matplotlib's words: the colour, mark and dash ("solid" or "(12,5)") that the policy has in every figure and page."""
    color, mark, dash = ink
    line = dash if dash == "solid" else (0, tuple(float(part) / 3 for part in dash.strip("()").split(",")))
    fill = "white" if mark in _OPEN else color
    return {"color": color, "linestyle": line, "marker": _MARKERS[mark], "markersize": 5, "markerfacecolor": fill}


def legend_beside(ax: Any) -> None:
    """Right of the axes, never over the data."""
    columns = 1 + (len(ax.get_legend_handles_labels()[1]) - 1) // 20
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, ncols=columns, fontsize="medium" if columns == 1 else "small")


def _marked(t: Array, log: bool, shift: int) -> list[int]:
    """About nine places of a curve, evenly over the axis, and not those of its neighbours."""
    first = max(1.0, t[-1] / 1000) if log else 0.0
    share = (np.arange(9) + 0.35 + 0.3 * (shift % 3)) / 9
    wanted = first * (t[-1] / first) ** share if log else t[-1] * share
    return sorted({int(np.abs(t - place).argmin()) for place in wanted})


_SETTINGS = {name: setting for name, setting, _ in _engine.catalogue()}


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as wrong:
        raise Error(f"'{file}': cannot be read: {wrong.strerror}") from wrong


def _spec(text: str) -> dict[str, Any]:
    spec = tomllib.loads(text)
    if spec["censor"] == "none":
        spec["censor"] = None
    return spec


def _estimates(rows: list[list[dict[str, Any]]]) -> tuple[Array, ...]:
    """Of JSON; the interval of a single replica is null there, and infinite."""
    parts = [[(e["mean"], e["stderr"], *(bound if bound is not None else np.nan for bound in e["ci95"])) for e in row] for row in rows]
    mean, stderr, low, high = np.moveaxis(np.array(parts, dtype=float), 2, 0)
    return mean, stderr, np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _pm(estimate: Estimate[Any]) -> str:
    return _engine.mean_text(float(estimate.mean), float(estimate.high - estimate.low) / 2)


def _row(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
