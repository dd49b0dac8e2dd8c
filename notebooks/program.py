"""Runs rubric: the program that the environment variable RUBRIC_BIN names, else the one on PATH."""

from __future__ import annotations

import functools
import json
import os
import shlex
import shutil
import subprocess
import tempfile

# The folder for all files that a notebook makes. It is removed at the end.
FOLDER = tempfile.TemporaryDirectory(prefix="rubric-tour-")


def rubric(arguments: str, status: int = 0, show: bool = True) -> str:
    """Runs `rubric ARGUMENTS`, shows command and output, and returns the output. Another exit status than this one is an error."""
    program = shutil.which(os.environ.get("RUBRIC_BIN") or "rubric")
    if program is None:
        raise SystemExit("rubric is not found: put it on PATH, or set RUBRIC_BIN to its path")
    done = subprocess.run([os.path.abspath(program), *shlex.split(arguments)], cwd=FOLDER.name, capture_output=True, text=True)
    if show or done.returncode != status:
        print(f"$ rubric {arguments}", done.stdout + done.stderr, sep="\n")
    if done.returncode != status:
        raise SystemExit(f"rubric ended with status {done.returncode} and not {status}")
    return done.stdout


@functools.cache
def lists() -> dict[str, list]:
    """The lists of `rubric report --list`: figures, claims, criteria, finders, styles of series, sizes of experiments."""
    return json.loads(rubric("report --list --format json", show=False))


def published(claim: str) -> float:
    """The number that a paper states in a claim, by the claim's name."""
    return next(one["published"] for one in lists()["claims"] if one["id"] == claim)


def path(name: str) -> str:
    """The path of a file that rubric has made."""
    return os.path.join(FOLDER.name, name)
