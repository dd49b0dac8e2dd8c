"""The lists of the program rubric: the one that the environment variable RUBRIC_BIN names, else the one on PATH."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess


@functools.cache
def lists() -> dict[str, list | dict]:
    """The lists of `rubric report --list`: figures, claims, criteria, finders, harmless mutants, styles of series, sizes of experiments."""
    program = shutil.which(os.environ.get("RUBRIC_BIN") or "rubric")
    if program is None:
        raise SystemExit("rubric is not found: put it on PATH, or set RUBRIC_BIN to its path")
    command = [os.path.abspath(program), "report", "--list", "--format", "json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def published(claim: str) -> float:
    """The number that a paper states in a claim, by the claim's name."""
    return next(one["published"] for one in lists()["claims"] if one["id"] == claim)
