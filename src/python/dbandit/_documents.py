"""What a study found: a document to compute with, shown as the program prints it."""

from __future__ import annotations

import csv
import html
import io
import json
from typing import Any

import numpy as np


class Document(dict[str, Any]):
    """The JSON that the command of the same name prints, as a dict; shown as the table that it prints."""

    def __init__(self, values: dict[str, Any], text: str) -> None:
        super().__init__(values)
        self.text = text

    @classmethod
    def of_json(cls, document: tuple[str, str]) -> Document:
        return cls(json.loads(document[0]), document[1])

    def __reduce__(self) -> Any:
        return type(self), (dict(self), self.text)

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Fit(Document):
    """A fitted log. `spec` has the keywords of `run` that it found: theta, delay and, where the log has a window, censor."""

    spec: dict[str, Any]

    def __init__(self, values: dict[str, Any], text: str, spec: dict[str, Any]) -> None:
        super().__init__(values, text)
        self.spec = spec

    def __reduce__(self) -> Any:
        return type(self), (dict(self), self.text, self.spec)


class Trace(Document):
    """The columns of `dbandit trace --csv` as arrays, a row for every round and arm; shown as the table of rounds."""

    @classmethod
    def of_csv(cls, document: tuple[str, str]) -> Trace:
        rows = list(csv.DictReader(io.StringIO(document[0])))
        return cls({name: _column([row[name] for row in rows]) for name in rows[0]} if rows else {}, document[1])

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(dict(self))


def _column(texts: list[str]) -> Any:
    """Whole numbers, numbers with NaN where a cell is empty, or text."""
    for kind, empty in ((int, None), (float, "nan")):
        try:
            return np.array([kind(text or empty) for text in texts])
        except (TypeError, ValueError):
            continue
    return np.array(texts)
