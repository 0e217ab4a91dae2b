"""How far a run is, as text: on a terminal's standard error, or below the cell of a notebook."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

Show = Callable[[float, float], object]

_WIDTH = 30


def in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def _time_left(seconds: float) -> str:
    whole = int(seconds) + 1
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _line(done: float, all: float, seconds: float) -> str:
    share = min(1.0, done / all) if all else 1.0
    filled = int(share * _WIDTH)
    text = f"[{'=' * filled}{' ' * (_WIDTH - filled)}] {100 * share:3.0f} %"
    return text + (f"  ETA {_time_left(seconds * (1 - share) / share)}" if share > 0 else "")


@contextlib.contextmanager
def bar(wanted: bool | Show | None) -> Iterator[Show | None]:
    """None when nothing is to be shown; else a function of (done, all) whose text is wiped at the end."""
    if callable(wanted):
        yield wanted
        return
    notebook = in_notebook()
    stream = sys.stdout if notebook else sys.stderr
    if wanted is None:
        wanted = notebook or (stream is not None and stream.isatty())
    if not wanted or stream is None:
        yield None
        return
    start = time.monotonic()
    longest = 0

    def show(done: float, all: float) -> None:
        nonlocal longest
        text = _line(done, all, time.monotonic() - start)
        longest = max(longest, len(text))
        stream.write("\r" + text.ljust(longest))
        stream.flush()

    try:
        yield show
    finally:
        if longest:
            stream.write("\r" + " " * longest + "\r")  # a notebook knows no escape codes
            stream.flush()
