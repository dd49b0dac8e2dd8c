"""Tests and executes the notebooks: run.py RUBRIC OUT. Executed copies are written to OUT, as notebooks and as HTML.

The package `rubric` is installed in the environment of this Python, from a wheel. The notebooks read the tables in RUBRIC_RESULTS, else the
stored ones of fixtures/results; then what comes out must be what is stored, or is stored if the environment variable STORE is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from run import install  # noqa: E402

import stored  # noqa: E402

# The tables that the outputs of the notebooks are of.
RESULTS = HERE.parent / "fixtures" / "results"
# The compiled part of the package, as cargo names it.
LIBRARY = "lib_rubric.so"
# Options for a page that loads nothing from the network.
PAGE = ["--to", "html", *(f"--HTMLExporter.{name}_url=" for name in ["mathjax", "require_js", "jquery"])]


def library(rubric: Path) -> Path:
    """The compiled part of the package, which is built together with the program: beside it, or in `deps` where cargo made it for tests."""
    made = [path for path in (rubric.with_name(LIBRARY), rubric.parent / "deps" / LIBRARY) if path.exists()]
    if not made:
        sys.exit(f"there is no {LIBRARY} beside {rubric}: build it with `cargo build --package rubric-python`")
    return max(made, key=lambda path: path.stat().st_mtime_ns)


def execute(notebook: Path, out: Path) -> list[str]:
    """Executes a notebook, and writes it and a page of it. Those of an earlier run are removed first. Returns what went wrong."""
    executed = out / notebook.name
    executed.unlink(missing_ok=True)
    executed.with_suffix(".html").unlink(missing_ok=True)
    steps = [["--to", "notebook", "--execute", "--output-dir", out, notebook], [*PAGE, executed]]
    for step in steps:
        done = subprocess.run([sys.executable, "-m", "nbconvert", *step], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            return [done.stdout]
    return []


def settle(notebook: Path, executed: Path, keeps: bool) -> list[str]:
    """Compares an executed notebook with the stored one, or stores it. Returns what differs."""
    anew, before = stored.stored(executed.read_text(encoding="utf-8")), notebook.read_text(encoding="utf-8")
    size = stored.largest_picture(anew)
    if size > stored.LARGEST:
        return [f"{notebook.name}: a picture has {size} bytes, and {stored.LARGEST} are the most: draw less, or smaller"]
    differences = stored.differences(notebook.name, before, anew)
    if keeps and differences:
        notebook.write_text(anew, encoding="utf-8")
    return [] if keeps else [f"{one}; `make notebooks STORE=1` stores it" for one in differences]


def run(notebook: Path, out: Path, compares: bool) -> bool:
    """Executes a notebook and compares it with the stored one if it is about the stored tables. Returns whether all is as it should be."""
    wrong = execute(notebook, out)
    if not wrong and compares:
        wrong = settle(notebook, out / notebook.name, bool(os.environ.get("STORE")))
    print(*wrong, f"notebook {notebook.name} ... {'FAILED' if wrong else 'ok'}", sep="\n" if wrong else "", flush=True)
    return not wrong


def main() -> int:
    """Runs the tests, executes the notebooks, and prints how many succeeded in the format of cargo."""
    found, out = shutil.which(sys.argv[1]), Path(sys.argv[2]).resolve()
    if found is None:
        sys.exit(f"{sys.argv[1]} is not a program: build it, or set RUBRIC_BIN to where it is")
    rubric = Path(found).resolve()
    install(library(rubric))
    out.mkdir(parents=True, exist_ok=True)
    results = Path(os.environ.get("RUBRIC_RESULTS") or RESULTS).resolve()
    # No compiled modules are written beside the notebooks.
    os.environ.update(RUBRIC_BIN=str(rubric), RUBRIC_RESULTS=str(results), PYTHONDONTWRITEBYTECODE="1")
    notebooks = sorted(HERE.glob("*.ipynb"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        executed = list(pool.map(lambda notebook: run(notebook, out, results == RESULTS), notebooks))
    # After the notebooks, which may have been stored anew.
    tests = subprocess.run([sys.executable, HERE.parent / ".ci/python_tests.py", HERE / "test_notebooks.py"])
    passed, failed = executed.count(True), executed.count(False)
    print(f"test result: {'FAILED' if failed else 'ok'}. {passed} passed; {failed} failed; 0 ignored;")
    print(f"The notebooks as pages: {os.path.relpath(out)}")
    return int(failed > 0 or tests.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
