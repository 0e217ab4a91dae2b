"""The package as a whole: its examples, its types, its example script, its installation."""

import ast
import doctest
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import dbandit
from dbandit import _policy, _result, _study

SOURCE = Path(os.environ["DBANDIT_SOURCE"])
BUILD = Path(os.environ["DBANDIT_BUILD"])


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
