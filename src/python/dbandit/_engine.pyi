from collections.abc import Callable
from typing import Any

from numpy import ndarray

__version__: str

class Error(ValueError): ...

class Result:
    policies: list[str]
    spec_text: str
    replicas: int
    seconds: float
    bounds: dict[str, dict[str, float] | None]
    t: ndarray
    pulls: tuple[ndarray, ndarray, ndarray, ndarray]
    paired: tuple[ndarray, ndarray, ndarray, ndarray]
    band: tuple[ndarray, ndarray, ndarray, ndarray]
    def curve(self, measure: str) -> tuple[ndarray, ndarray, ndarray, ndarray]: ...
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
    spec_text: str, replicas: float, curves: list[tuple[ndarray, ndarray]], paired: tuple[ndarray, ndarray], /
) -> str: ...
