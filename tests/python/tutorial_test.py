"""docs/tutorial.ipynb, run from top to bottom without Jupyter. With DBANDIT_REWRITE_PAGES=1 what is printed is written into it."""

import ast
import contextlib
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

NOTEBOOK = Path(os.environ["DBANDIT_SOURCE"], "docs", "tutorial.ipynb")


def outputs(source, names, count):
    """What a notebook would show: what is printed, and the value of a last line that is an expression."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed, shown = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        text = {"text/plain": repr(value).splitlines(keepends=True)}
        shown.append({"data": text, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return shown


def words(shown):
    """Without what is of the machine: times, and how far columns are apart because of them."""
    text = "".join(line for output in shown for line in output.get("text") or output["data"]["text/plain"])
    return re.sub(r"\s+", " ", re.sub(r"\d[\d.]* (ns|µs|ms|s)\b", "TIME", text))


class Tutorial(unittest.TestCase):
    def test_every_cell_prints_what_it_shows(self):
        notebook = json.loads(NOTEBOOK.read_text())
        self.assertEqual(notebook["nbformat"], 4)
        names, folder, count = {"__name__": "__main__"}, os.getcwd(), 0
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            try:
                for cell in notebook["cells"]:
                    if cell["cell_type"] != "code":
                        continue
                    count += 1
                    shown = outputs("".join(cell["source"]), names, count)
                    if os.environ.get("DBANDIT_REWRITE_PAGES"):
                        cell["outputs"], cell["execution_count"] = shown, count
                        continue
                    with self.subTest(cell=cell["id"]):
                        self.assertEqual(words(shown), words(cell["outputs"]))
            finally:
                os.chdir(folder)
        self.assertGreaterEqual(count, 10)
        if os.environ.get("DBANDIT_REWRITE_PAGES"):
            NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")

    def test_is_small(self):
        self.assertLess(NOTEBOOK.stat().st_size, 40_000)


if __name__ == "__main__":
    unittest.main()
