"""Writes __init__.pyi: the signatures of the functions that take a spec, whose keys the engine's table knows.

stub.py MODULE OUTPUT
"""

import importlib.util
import sys

# The module alone: the package would import NumPy, which a build need not have.
_spec = importlib.util.spec_from_file_location("_engine", sys.argv[1])
assert _spec and _spec.loader
_engine = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_engine)

HEAD = '''# Written by the build from the table of keys.
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol

from numpy.typing import NDArray

from ._documents import Document as Document
from ._documents import Fit as Fit
from ._documents import Trace as Trace
from ._engine import Books as Books
from ._engine import Error as Error
from ._engine import Rng as Rng
from ._engine import __version__ as __version__
from ._result import Band as Band
from ._result import Estimate as Estimate
from ._result import PolicyResult as PolicyResult
from ._result import Result as Result
from ._result import load as load
from ._policy import Policy as Policy
from ._study import Sweep as Sweep
from ._study import bounds as bounds
from ._study import claim_list as claim_list
from ._study import claims as claims
from ._study import compare as compare
from ._study import fit as fit

Array = NDArray[Any]
Index = Callable[[Array, Array, Array, int], Array]
Progress = bool | Callable[[float, float], object] | None
Vary = str | Sequence[str] | Mapping[str, Sequence[float] | Array | str]

class Law(Protocol):
    def cdf(self, x: Any, /) -> Any: ...

def policies() -> dict[str, str]: ...
'''

# name, what it returns, its keywords beside those of a spec
FUNCTIONS = (
    ("run", "Result", ("threads: int = 0", "progress: Progress = None", "samples: bool = False")),
    ("sweep", "Sweep", ("vary: Vary", "threads: int = 0", "progress: Progress = None")),
    ("plan", "Document", ("vary: Vary | None = None", "threads: int = 0")),
    ("trace", "Trace", ("replica: int = 0", "rounds: int | tuple[int, int] = 40")),
)
DELAYS = "str | Array | Law | Sequence[float | str | Array | Law]"

# Whatever is required may come from a spec file, so no keyword is.
with open(sys.argv[2], "w", encoding="utf-8") as stub:
    stub.write(HEAD)
    for function, returns, own in FUNCTIONS:
        stub.write(f"def {function}(\n    spec: str | PathLike[str] | None = None,\n    /,\n    *,\n")
        for name, annotation, _, _ in _engine.keys():
            stub.write(f"    {name}: {DELAYS if name in ('delay', 'assume_delay') else annotation} = ...,\n")
        stub.write("".join(f"    {keyword},\n" for keyword in own) + f") -> {returns}: ...\n")
