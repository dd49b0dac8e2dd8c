"""Runs rubric: the program that the environment variable RUBRIC_BIN names, else the one on PATH."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile

# Everything that a notebook makes goes here, and away with it.
FOLDER = tempfile.TemporaryDirectory(prefix="rubric-tour-")


def rubric(arguments: str, status: int = 0, show: bool = True) -> str:
    """Runs `rubric ARGUMENTS`, shows command and output, and returns the output. Another exit status than this one is an error."""
    program = shutil.which(os.environ.get("RUBRIC_BIN") or "rubric")
    if program is None:
        raise SystemExit("rubric is not found: put it on PATH, or set RUBRIC_BIN to where it is")
    done = subprocess.run([os.path.abspath(program), *shlex.split(arguments)], cwd=FOLDER.name, capture_output=True, text=True)
    if show or done.returncode != status:
        print(f"$ rubric {arguments}", done.stdout + done.stderr, sep="\n")
    if done.returncode != status:
        raise SystemExit(f"rubric ended with status {done.returncode} and not {status}")
    return done.stdout


def path(name: str) -> str:
    """Where a file is that rubric has made."""
    return os.path.join(FOLDER.name, name)
