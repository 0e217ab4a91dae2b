"""The package as a whole: its examples, its types, its example script, its installation."""

import ast
import doctest
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import dbandit
from dbandit import _policy, _result, _study

SOURCE = Path(os.environ["DBANDIT_SOURCE"])
BUILD = Path(os.environ["DBANDIT_BUILD"])


# What a user with a type checker writes: every line is right, but for the last two.
TYPED = '''
import dataclasses
from typing import Any
import numpy as np
from numpy.typing import NDArray
import dbandit

r = dbandit.run(theta=[.1, .05], delay="geometric:100", censor=300, horizon=2000, policies=["d-klucb"], replicas=1000)
x: float = r["d-klucb"].final.mean
m: NDArray[Any] = r.regret.mean
d: float = r.difference("d-klucb", "d-klucb").low
t: NDArray[Any] = r.t

@dataclasses.dataclass
class Mine(dbandit.Policy):
    share: float
    def start(self, arms: int, replicas: int, rng: dbandit.Rng) -> None:
        self.rng = rng
    def choose(self, t: int, books: dbandit.Books) -> NDArray[Any]:
        return books.conversions / books.exposure
    def observe(self, t: int, arms: NDArray[Any], disclosed: NDArray[Any]) -> None:
        pass

s = dbandit.sweep(theta=[.1, .05], delay="geometric:5", censor=30, horizon=100, policies=[Mine(.1), "d-ucb"], vary={"horizon": [100, 200]})
a: NDArray[Any] = s.final.mean
f = dbandit.fit({"start": [0., 1], "conversion": [2., np.nan]}, round=1)
g: dict[str, Any] = f.spec
dbandit.compare(r, "folder")
dbandit.claims("lemma8", quick=True)
dbandit.plan(theta=[.1], delay="geometric:5", horizon=10, policies=["ud-ucb"])
dbandit.run(theta="x")
dbandit.run(theta=[.1], horizon=[1])
'''


class Documentation(unittest.TestCase):
    def test_examples_run(self):
        for module, least in ((dbandit, 15), (_result, 8), (_policy, 4), (_study, 10)):
            failed, attempted = doctest.testmod(module)
            self.assertEqual(failed, 0)
            self.assertGreaterEqual(attempted, least)

    def test_the_blocks_of_the_page_run(self):
        page = (SOURCE / "docs" / "python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
        self.assertGreaterEqual(len(blocks), 2)
        names, folder = {}, os.getcwd()
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            try:
                for statement in ast.parse("\n".join(blocks)).body:
                    try:
                        exec(compile(ast.Module([statement], []), "docs/python.md", "exec"), names)
                    except ImportError as missing:  # pandas and matplotlib are as the reader likes
                        self.assertRegex(str(missing), "pandas|matplotlib")
            finally:
                os.chdir(folder)

    def test_everything_public_is_documented(self):
        for name in dbandit.__all__:
            self.assertTrue(getattr(dbandit, name).__doc__, name)


class Types(unittest.TestCase):
    def test_the_stub_knows_every_keyword_and_every_name(self):
        package = Path(dbandit.__file__).parent
        self.assertTrue((package / "py.typed").exists())
        stub = ast.parse((package / "__init__.pyi").read_text())
        run = next(node for node in stub.body if isinstance(node, ast.FunctionDef) and node.name == "run")
        keywords = [argument.arg for argument in run.args.kwonlyargs]
        self.assertEqual(keywords, [*(name for name, *_ in dbandit._engine.keys()), "threads", "progress", "samples"])
        for node in stub.body:
            if isinstance(node, ast.FunctionDef) and node.name in ("run", "sweep", "plan", "trace"):
                declared = [argument.arg for argument in (*node.args.posonlyargs, *node.args.kwonlyargs)]
                self.assertEqual(declared, list(inspect.signature(getattr(dbandit, node.name)).parameters), node.name)
        names = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        names |= {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        self.assertLessEqual(set(dbandit.__all__), names)
        engine = ast.parse((package / "_engine.pyi").read_text())
        declared = {node.name for node in engine.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(declared, {name for name in vars(dbandit._engine) if not name.startswith("_")})


    def test_the_types_satisfy_a_strict_checker_and_find_a_mistake(self):
        with tempfile.TemporaryDirectory() as folder:
            # As pip installs it: in a folder of packages, whose own files are not judged.
            packages = Path(folder, "site-packages")
            shutil.copytree(BUILD / "python" / "dbandit", packages / "dbandit")
            Path(folder, "user.py").write_text(TYPED)
            words = ["mypy", "--strict", "--follow-imports=silent", "--no-incremental", "--python-executable", sys.executable, "user.py"]
            try:
                checked = subprocess.run(words, cwd=folder, env={**os.environ, "MYPYPATH": str(packages)}, capture_output=True, text=True)
            except FileNotFoundError:
                self.skipTest("no mypy")
        wrong = [line for line in checked.stdout.splitlines() if "error:" in line]
        self.assertEqual(len(wrong), 2, checked.stdout + checked.stderr)
        for line, keyword in zip(wrong, ("theta", "horizon")):
            self.assertIn(f'Argument "{keyword}" to "run" has incompatible type', line)

    def test_the_stub_admits_every_exposure_that_runs(self):
        stub = ast.parse((Path(dbandit.__file__).parent / "__init__.pyi").read_text())
        run = next(node for node in stub.body if isinstance(node, ast.FunctionDef) and node.name == "run")
        types = {argument.arg: argument.annotation for argument in run.args.kwonlyargs}

        def admits(annotation, word):
            if isinstance(annotation, ast.BinOp):
                return admits(annotation.left, word) or admits(annotation.right, word)
            if isinstance(annotation, ast.Subscript):
                return word in [element.value for element in annotation.slice.elts]
            return annotation.id == "str"

        for word in ("auto", "buffer", "recursion", "approx:1e-6"):
            self.assertTrue(admits(types["exposure"], word), word)
        self.assertFalse(admits(types["engine"], "gpu"))
        self.assertNotIn("approx:ERROR", ast.unparse(types["exposure"]))


class Example(unittest.TestCase):
    def test_figure_1_is_drawn(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        with tempfile.TemporaryDirectory() as folder:
            figure = Path(folder, "figure1.png")
            script = SOURCE / "src/python/examples/figure1.py"
            subprocess.run([sys.executable, "-B", script, "--replicas", "64", "-o", figure], check=True, capture_output=True)
            self.assertEqual(figure.read_bytes()[1:4], b"PNG")


class Installation(unittest.TestCase):
    def test_below_a_prefix_is_importable_where_debian_looks(self):
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        for prefix, where in (("usr/local", f"lib/{version}/dist-packages"), ("usr", "lib/python3/dist-packages")):
            with self.subTest(prefix), tempfile.TemporaryDirectory() as root:
                target = Path(root, prefix)
                subprocess.run(["cmake", "--install", BUILD, "--prefix", target, "--component", "python"], check=True, capture_output=True)
                script = "import dbandit; print(dbandit.__file__); print(dbandit.run(theta=[.1,.05], delay='geometric:100', censor=300, horizon=2000, policies=['d-klucb'], replicas=100))"
                environment = {**os.environ, "PYTHONPATH": str(target / where), "PYTHONDONTWRITEBYTECODE": "1"}
                printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment, cwd=root)
                self.assertTrue(printed.stdout.startswith(str(target / where / "dbandit")), printed.stdout)
                self.assertIn("d-klucb", printed.stdout)
                self.assertEqual({file.name for file in (target / where / "dbandit").iterdir() if file.suffix in (".pyi", ".typed")},
                                 {"__init__.pyi", "_engine.pyi", "py.typed"})


if __name__ == "__main__":
    unittest.main()
