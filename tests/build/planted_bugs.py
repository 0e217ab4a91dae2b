#!/usr/bin/env python3
"""Do the tests notice? Plants the bugs of planted_bugs.toml one at a time and lists the test that caught each.

    tests/build/planted_bugs.py                    all of them, in a clone of HEAD in a temporary folder
    tests/build/planted_bugs.py --only checkpoint  those whose file or bug has that word
    tests/build/planted_bugs.py --clone DIR        in DIR, which is kept: the next time only what changed is built
    tests/build/planted_bugs.py --check            nothing is built: every text to be replaced stands exactly once in its file (a test)

The checkout is never touched. Exit 1 if a bug survived, did not compile, or has no place any more. A row of the table:

    [[bug]]
    file = "src/sim/until.cpp"                     # where
    old  = "std::abs(moments.mean)"                # text that stands there exactly once
    new  = "moments.mean"                          # what is planted instead
    test = "test_sim Until.AShareIsOfTheSizeOf*"   # a test program and a gtest filter; or a file of tests/python and a test of it
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

TABLE = Path(__file__).resolve().with_name("planted_bugs.toml")
PROJECT = TABLE.parents[2]
KEYS = {"file", "old", "new", "test"}
TEST_LIMIT = 600  # seconds; a bug that makes a test wait for ever is caught


def misplaced(bug, project):
    """Why this row cannot be planted, or None."""
    if set(bug) != KEYS:
        return f"a row has the keys {' '.join(sorted(KEYS))}, not {' '.join(sorted(bug))}"
    file = project / bug["file"]
    if not file.is_file():
        return "there is no such file"
    found = file.read_text().count(bug["old"])
    if found != 1:
        return f"stands there {found} times, not once: {bug['old']}"
    return None


def tests_of(bug):
    """(what to build, the command that runs the test)."""
    name, _, which = bug["test"].partition(" ")
    if name.endswith(".py"):
        return ["dbandit", "dbandit_python"], ["{python}", "-B", f"tests/python/{name}", *which.split()]
    return [name, "dbandit"] if name.startswith("test_cli") else [name], [f"build/release/tests/{name}", f"--gtest_filter={which}"]


def run(command, cwd, log, limit=None, env=None):
    """The exit code; 124 when it took too long."""
    with open(log, "w") as out:
        child = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})}, start_new_session=True)
        try:
            return child.wait(limit)
        except subprocess.TimeoutExpired:
            return 124
        finally:
            if child.poll() is None:  # too slow, or we are interrupted: it and what it started
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def end_of(log):
    return Path(log).read_text(errors="replace")[-3000:]


def failed_tests(log):
    """By name; of a program that died, the test that it was in."""
    text = Path(log).read_text(errors="replace")
    names = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", text, re.MULTILINE) + re.findall(r"^(?:FAIL|ERROR): (\w+)", text, re.MULTILINE)
    last = re.findall(r"^\[ (?:RUN     |      OK) \] ([\w/]+\.[\w/]+)", text, re.MULTILINE)[-1:]
    return list(dict.fromkeys(names)) or last


class Clone:
    """A clone of HEAD with a build tree of its own."""

    def __init__(self, folder, jobs):
        self.root = folder / "project"
        self.log = folder / "log"
        self.jobs = jobs
        # ccache, where there is one, finds what any other checkout has compiled.
        self.env = {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
        if shutil.which("ccache"):
            self.env["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        head = subprocess.check_output(["git", "-C", PROJECT, "rev-parse", "HEAD"], text=True).strip()
        if not self.root.exists():
            subprocess.check_call(["git", "clone", "-q", "--no-hardlinks", PROJECT, self.root])
        subprocess.check_call(["git", "-C", self.root, "fetch", "-q", PROJECT, head])
        subprocess.check_call(["git", "-C", self.root, "checkout", "-qf", "--detach", head])
        self.must(["cmake", "--preset", "release", "-DDBANDIT_BUILD_TESTS=ON"])

    def must(self, command):
        if run(command, self.root, self.log, env=self.env) != 0:
            sys.exit(f"planted_bugs: the unchanged project fails: {' '.join(command)}\n{end_of(self.log)}")

    def build(self, targets):
        return run(["ninja", "-C", "build/release", f"-j{self.jobs}", *targets], self.root, self.log, env=self.env) == 0

    def test(self, command):
        build = self.root / "build/release"
        python = re.search(r"^DBANDIT_PYTHON_EXECUTABLE:INTERNAL=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
        words = [python[1] if python and word == "{python}" else word for word in command]
        env = {"PYTHONPATH": str(build / "python"), "DBANDIT_PROGRAM": str(build / "src/dbandit"), "DBANDIT_SOURCE": str(self.root), "DBANDIT_BUILD": str(build)}
        return run(words, self.root, self.log, TEST_LIMIT, env)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", metavar="WORD", help="bugs whose row has this word")
    arguments.add_argument("--clone", type=Path, metavar="DIR", help="where to clone and build; kept")
    arguments.add_argument("--check", action="store_true", help="only see that every bug still has its place")
    arguments.add_argument("--table", type=Path, default=TABLE, metavar="FILE", help="other bugs than those beside this script")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilers at a time")
    given = arguments.parse_args()

    chosen = [bug for bug in tomllib.loads(given.table.read_text())["bug"] if given.only in " ".join(bug.values())]
    wrong = [f"{bug.get('file', '?')}: {why}" for bug in chosen if (why := misplaced(bug, PROJECT))]
    if wrong or not chosen:
        sys.exit("\n".join(wrong) or f"planted_bugs: no row has '{given.only}'")
    if given.check:
        print(f"{len(chosen)} bugs, each with its place")
        return

    folder = (given.clone or Path(tempfile.mkdtemp(prefix="planted-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        clone = Clone(folder, given.jobs)
        targets = sorted({target for bug in chosen for target in tests_of(bug)[0]})
        clone.must(["ninja", "-C", "build/release", f"-j{given.jobs}", *targets])
        for command in {tuple(tests_of(bug)[1]) for bug in chosen}:
            if clone.test(command) != 0 or "[==========] Running 0 tests" in end_of(clone.log):
                sys.exit(f"planted_bugs: without any bug this fails, or there is no such test: {' '.join(command)}\n{end_of(clone.log)}")
        survived = 0
        for number, bug in enumerate(chosen, 1):
            start = time.monotonic()
            file, (needed, command) = clone.root / bug["file"], tests_of(bug)
            text = file.read_text()
            file.write_text(text.replace(bug["old"], bug["new"]))
            try:
                if not clone.build(needed):
                    verdict = "DOES NOT COMPILE\n" + end_of(clone.log)
                elif (code := clone.test(command)) == 0:
                    verdict = f"SURVIVED {bug['test']}"
                else:
                    caught = failed_tests(clone.log)
                    verdict = "caught by " + (", ".join(caught) if caught else f"{bug['test']} (exit {code})")
            finally:
                file.write_text(text)
            survived += not verdict.startswith("caught")
            short = [" ".join(bug[key].split())[:70] for key in ("old", "new")]
            print(f"{number:3}/{len(chosen)}  {bug['file']}  {short[0]}  ->  {short[1]}\n         {verdict}  ({time.monotonic() - start:.0f} s)", flush=True)
        print(f"{len(chosen) - survived} of {len(chosen)} planted bugs caught")
        sys.exit(1 if survived else 0)
    finally:
        if not given.clone:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
