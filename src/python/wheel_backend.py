"""A build backend (PEP 517): CMake builds the package, this file packs it. The standard library alone, so that no index is needed.

pip install .                                           builds in build/wheel-cp311
pip install --config-settings=build-dir=build/release . takes the module from a tree that is configured already
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"
TAG = f"{PYTHON}-{PYTHON}-{re.sub('[-.]', '_', sysconfig.get_platform())}"

Settings = dict[str, Any] | None


class UnsupportedOperation(Exception):
    """What PEP 517 has a backend raise."""


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    package = _built(config_settings)
    files = {f"dbandit/{file.name}": file.read_bytes() for file in sorted(package.iterdir()) if file.is_file()}
    files |= _metadata()
    record = f"{_info()}/RECORD"
    files[record] = "".join(f"{name},{_digest(content)},{len(content)}\n" for name, content in files.items()).encode() + f"{record},,\n".encode()
    name = f"dbandit-{_version()}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # of a fixed date: the same files are the same bytes
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    for name, content in _metadata().items():
        file = Path(metadata_directory, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return _info()


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    raise UnsupportedOperation("dbandit is built from its repository; allowed are pip install . and pip wheel .")


def _built(settings: Settings) -> Path:
    """The package as CMake leaves it, its module for this interpreter."""
    given = (settings or {}).get("build-dir")
    build = Path(given) if given else ROOT / "build" / f"wheel-{PYTHON}"
    build = build if build.is_absolute() else ROOT / build
    if not (build / "CMakeCache.txt").exists():
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        off = [f"-D{option}=OFF" for option in ("DBANDIT_BUILD_TESTS", "DBANDIT_BUILD_BENCHMARKS", "DBANDIT_MPI")]
        _cmake("-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DDBANDIT_WHEEL=ON", f"-DPython_EXECUTABLE={sys.executable}", *off)
    _cmake("--build", build, "--target", "dbandit_python", "--parallel", os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count())))
    package = build / "python" / "dbandit"
    module = package / f"_engine{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():
        raise SystemExit(f"{build}: has no module for {sys.executable}; allowed is a tree configured with -DPython_EXECUTABLE={sys.executable}")
    return package


def _cmake(*arguments: str | Path) -> None:
    if shutil.which("cmake") is None:
        raise SystemExit("cmake is missing; on Debian: apt install cmake g++, and what docs/python.md names")
    # The isolated environment of a build belongs to pip, not to the interpreter that CMake asks and the stub is made by.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(["cmake", *map(str, arguments)], check=True, env=environment)


def _version() -> str:
    found = re.search(r"project\(dbandit VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert found
    return found[1]


def _info() -> str:
    return f"dbandit-{_version()}.dist-info"


def _metadata() -> dict[str, bytes]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", "Name: dbandit", f"Version: {_version()}", f"Summary: {project['description']}"]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in needed)]
    lines += ["License-File: LICENSE", "Description-Content-Type: text/markdown", "", (ROOT / "docs" / "python.md").read_text()]
    wheel = ["Wheel-Version: 1.0", "Generator: dbandit", "Root-Is-Purelib: false", f"Tag: {TAG}", ""]
    return {
        f"{_info()}/METADATA": "\n".join(lines).encode(),
        f"{_info()}/WHEEL": "\n".join(wheel).encode(),
        f"{_info()}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
