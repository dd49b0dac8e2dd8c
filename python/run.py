"""Installs the package with the compiled part in RUBRIC_LIBRARY, if that is not `-`, and runs the tests in a file: run.py FILE."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent


def install(library: Path) -> None:
    """Copies the package to where Python looks for packages. An earlier copy is removed."""
    target = Path(sysconfig.get_path("platlib"), "rubric")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(HERE / "rubric", target, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(library, target / "_rubric.abi3.so")


def main() -> None:
    """Replaces this process by the one that runs the tests, which imports the package as users do."""
    if (library := os.environ["RUBRIC_LIBRARY"]) != "-":
        install(Path(library).resolve())
    tests = HERE.parent / ".ci" / "python_tests.py"
    os.execv(sys.executable, [sys.executable, str(tests), *sys.argv[1:]])


if __name__ == "__main__":
    main()
