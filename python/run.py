"""Installs the package from a wheel and runs the tests in a file: run.py FILE.

RUBRIC_PACKAGE is a wheel, or the compiled part of the package, of which a wheel is made. It is tried in an empty environment first, which has
this wheel and nothing else; the tests need packages that read tables, which this environment has.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The first example of the documentation needs no other package.
FIRST = 'import rubric; print(rubric.simulate("MI_example").history.check("sc"))'


def pip(python: Path | str, *arguments: Path | str) -> None:
    """Runs pip, which has no access to the network, for an environment's Python."""
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    subprocess.run([*command, *arguments], check=True)


def install(package: Path) -> None:
    """Installs a wheel, or one that is made of a compiled library, in place of an earlier one. Fails if it needs anything but Python."""
    with tempfile.TemporaryDirectory() as folder:
        if package.suffix != ".whl":
            import pack

            package = pack.wheel(package, Path(folder))
        empty = Path(folder, "empty")
        venv.create(empty)
        pip(empty / "bin" / "python", package)
        subprocess.run([empty / "bin" / "python", "-c", FIRST], cwd=folder, check=True)
        pip(sys.executable, "--force-reinstall", "--no-deps", package)


def main() -> None:
    """Replaces this process by the one that runs the tests, which imports the package as users do."""
    install(Path(os.environ["RUBRIC_PACKAGE"]).resolve())
    tests = HERE.parent / ".ci" / "python_tests.py"
    os.execv(sys.executable, [sys.executable, str(tests), *sys.argv[1:]])


if __name__ == "__main__":
    main()
