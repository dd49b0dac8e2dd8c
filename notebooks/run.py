"""Tests and executes the notebooks: run.py RUBRIC OUT. Executed copies are written to OUT as HTML.

The package `rubric` is installed in the environment of this Python, from a wheel. The notebooks read the tables in RUBRIC_RESULTS. If that is not set, quick tables are made in OUT with the program RUBRIC.
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
# The experiments whose tables the notebooks read.
EXPERIMENTS = ["gcc-unordered", "wsc-kernel", "wsc-fig6", "qadeer-cycles", "burnim-table1", "burnim-table2", "mutants"]
# The compiled part of the package, as cargo names it.
LIBRARY = "lib_rubric.so"
# Options for a page that loads nothing from the network.
PAGE = ["--to", "html", *(f"--HTMLExporter.{name}_url=" for name in ["mathjax", "require_js", "jquery"])]


def quick_tables(rubric: Path, folder: Path) -> None:
    """Makes the quick tables that are missing. Removes those that another build of the program has made."""
    state = rubric.stat()
    program = f"{rubric} {state.st_size} {state.st_mtime_ns}"
    made_by = folder / "made-by.txt"
    if not made_by.exists() or made_by.read_text() != program:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        made_by.write_text(program)
    command = [rubric, "experiment", *EXPERIMENTS, "--size", "quick", "--quiet", "-o", folder]
    # The output is dropped, since the tables contain the same.
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def library(rubric: Path) -> Path:
    """The compiled part of the package, which is built together with the program: beside it, or in `deps` where cargo made it for tests."""
    made = [path for path in (rubric.with_name(LIBRARY), rubric.parent / "deps" / LIBRARY) if path.exists()]
    if not made:
        sys.exit(f"there is no {LIBRARY} beside {rubric}: build it with `cargo build --package rubric-python`")
    return max(made, key=lambda path: path.stat().st_mtime_ns)


def execute(notebook: Path, out: Path) -> bool:
    """Executes a notebook and writes it as a page. The page of an earlier run is removed first."""
    (out / notebook.with_suffix(".html").name).unlink(missing_ok=True)
    command = [sys.executable, "-m", "nbconvert", *PAGE, "--execute", "--output-dir", out, notebook]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout)
    print(f"notebook {notebook.name} ... {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
    return done.returncode == 0


def main() -> int:
    """Runs the tests, executes the notebooks, and prints how many succeeded in the format of cargo."""
    found, out = shutil.which(sys.argv[1]), Path(sys.argv[2]).resolve()
    if found is None:
        sys.exit(f"{sys.argv[1]} is not a program: build it, or set RUBRIC_BIN to where it is")
    rubric = Path(found).resolve()
    install(library(rubric))
    out.mkdir(parents=True, exist_ok=True)
    if "RUBRIC_RESULTS" not in os.environ:
        quick_tables(rubric, out / "results")
    results = Path(os.environ.get("RUBRIC_RESULTS") or out / "results").resolve()
    # No compiled modules are written beside the notebooks.
    os.environ.update(RUBRIC_BIN=str(rubric), RUBRIC_RESULTS=str(results), PYTHONDONTWRITEBYTECODE="1")
    tests = subprocess.run([sys.executable, HERE.parent / ".ci/python_tests.py", HERE / "test_notebooks.py"])
    notebooks = sorted(HERE.glob("*.ipynb"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        executed = list(pool.map(execute, notebooks, [out] * len(notebooks)))
    passed, failed = executed.count(True), executed.count(False)
    print(f"test result: {'FAILED' if failed else 'ok'}. {passed} passed; {failed} failed; 0 ignored;")
    print(f"The notebooks as pages: {os.path.relpath(out)}")
    return int(failed > 0 or tests.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
