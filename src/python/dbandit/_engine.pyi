from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

__version__: str

class Error(ValueError): ...

class Result:
    policies: list[str]
    spec_text: str
    replicas: int
    seconds: float
    bounds: dict[str, dict[str, float] | None]
    t: Array
    pulls: tuple[Array, Array, Array, Array]
    paired: tuple[Array, Array, Array, Array]
    band: tuple[Array, Array, Array, Array]
    def curve(self, measure: str) -> tuple[Array, Array, Array, Array]: ...
    def table(self) -> str: ...
    def save(self, folder: str) -> None: ...

def keys() -> list[tuple[str, str, str, bool]]: ...
def catalogue() -> list[tuple[str, str, str]]: ...
def run(
    file: str | None,
    texts: dict[str, str],
    functions: list[tuple[str, Callable[..., Any]]],
    threads: int,
    progress: Callable[[float, float], object] | None,
    /,
) -> Result: ...
def join_abandoned() -> None: ...
def stored_table(
    spec_text: str, replicas: float, complete: bool, curves: list[tuple[Array, ...]], paired: tuple[Array, ...], /
) -> str: ...
