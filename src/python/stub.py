"""Writes __init__.pyi: the signature of run(), which the engine's table of keys knows.

stub.py FOLDER_OF_THE_PACKAGE OUTPUT
"""

import sys

sys.path.insert(0, sys.argv[1])
from dbandit import _engine  # noqa: E402

HEAD = '''# Written by the build from the table of keys.
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal

from numpy.typing import NDArray

from ._engine import Error as Error
from ._engine import __version__ as __version__
from ._result import Band as Band
from ._result import Estimate as Estimate
from ._result import PolicyResult as PolicyResult
from ._result import Result as Result
from ._result import load as load

Array = NDArray[Any]
Policy = Callable[[Array, Array, Array, int], Array]

def policies() -> dict[str, str]: ...
def run(
    spec: str | PathLike[str] | None = None,
    /,
    *,
'''
TAIL = '''    threads: int = 0,
    progress: bool | Callable[[float, float], object] | None = None,
) -> Result: ...
'''

# Whatever is required by run() may come from a spec file, so no keyword is.
with open(sys.argv[2], "w", encoding="utf-8") as stub:
    stub.write(HEAD)
    for name, annotation, _, _ in _engine.keys():
        stub.write(f"    {name}: {annotation} = ...,\n")
    stub.write(TAIL)
