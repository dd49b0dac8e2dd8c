"""Tests of campaign.py: `make test-scale`, or .ci/python_tests.py with this file in an environment with requirements.txt."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import polars
import psutil

import campaign

RUBRIC = os.path.realpath(os.environ.get("RUBRIC_BIN", "target/debug/rubric"))
# Seconds after which a test gives up waiting.
TIMEOUT_SECONDS = 60
CAMPAIGN = ["campaign", "MI_example", "--sample", "12", "--runs", "24", "--stop", "never"]


def command(folder: Path, *options: str, arguments: list[str] = CAMPAIGN) -> list[str]:
    """The command that runs campaign.py."""
    own = ["--workers", "2", "--dashboard", ":0", "--rubric", RUBRIC, "-o", str(folder), *options]
    return [sys.executable, campaign.__file__, *own, "--", *arguments]


def run(words: list[str], **more) -> subprocess.CompletedProcess:
    """Runs a command to its end."""
    return subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, **more)


def rows(folder: Path, table: str) -> polars.DataFrame:
    """The rows of the tables in a folder, without times, which differ from run to run."""
    tables = [polars.read_parquet(path) for path in folder.glob(f"{table}*.parquet")]
    rows = polars.concat(tables)
    timeless = rows.drop([name for name in rows.columns if name.endswith("seconds")])
    # Every shard runs the unmutated protocols, so their rows occur several times.
    return timeless.unique().sort(by=timeless.columns)


def timeless(value):
    """A value of JSON without times, which differ from run to run."""
    if isinstance(value, dict):
        return {name: timeless(part) for name, part in value.items() if not name.endswith("seconds")}
    if isinstance(value, list):
        return [timeless(part) for part in value]
    return value


def report(folder: Path):
    """What `rubric report` says of a folder, without times."""
    done = run([RUBRIC, "report", str(folder), "--format", "json"])
    return timeless(json.loads(done.stdout))


def wait_for(what: str, found):
    """Waits until `found` returns something, and returns it."""
    start = time.monotonic()
    while time.monotonic() - start < TIMEOUT_SECONDS:
        result = found()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError(f"there is no {what} after {TIMEOUT_SECONDS} s")


def rubrics(processes, folder: Path) -> list[psutil.Process]:
    """The processes that are rubric and work in a folder."""
    found = []
    for process in processes:
        try:
            # Not `exe()`, which psutil caches: just before its start the process was the worker's Python.
            words = process.cmdline()
            if words[:1] == [RUBRIC] and str(folder) in words:
                found.append(process)
        except psutil.Error:
            pass  # it has ended meanwhile
    return found


def lines(path: Path) -> int:
    """The number of runs in a log."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


class CampaignTest(unittest.TestCase):
    """Compares campaign.py with a single process of rubric."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def start(self, *arguments, **more) -> subprocess.Popen:
        """Starts campaign.py, with its output in a file."""
        self.output = self.folder / "output"
        with open(self.output, "w") as output:
            process = subprocess.Popen(command(*arguments, **more), stdout=output, stderr=output)
        self.addCleanup(process.kill)
        return process

    def end(self, process: subprocess.Popen) -> str:
        """Waits for the end of a process, which must succeed, and returns the output."""
        status = process.wait(TIMEOUT_SECONDS)
        self.assertEqual(status, 0, self.output.read_text())
        return self.output.read_text()

    def test_a_killed_worker_loses_nothing(self):
        shards, whole = self.folder / "shards", self.folder / "whole"
        process = self.start(shards, "--shards", "2")
        log = shards / "runs.1-of-2.jsonl"
        wait_for("run of shard 1", lambda: lines(log) >= 5)
        children = psutil.Process(process.pid).children(recursive=True)
        victim = next(child for child in rubrics(children, shards) if "1/2" in child.cmdline())
        before = lines(log)
        os.kill(victim.ppid(), signal.SIGKILL)
        # The worker's child ends with the worker, and another worker resumes the shard.
        psutil.wait_procs([victim], timeout=10)
        self.assertFalse(victim.is_running())
        self.assertFalse((shards / "runs.1-of-2.parquet").exists(), "the kill came too late")
        said = self.end(process)
        self.assertIn("2 of 2 done", said)
        self.assertGreater(lines(log), before)
        self.assertEqual(run([RUBRIC, *CAMPAIGN, "-o", str(whole)]).returncode, 0)
        for table in ("runs", "equivalents"):
            found, expected = rows(shards, table), rows(whole, table)
            self.assertGreater(expected.height, 10)
            self.assertTrue(found.equals(expected), f"{found}\n{expected}")
        self.assertEqual(report(shards), report(whole))

    def test_an_interrupt_ends_everything(self):
        path = self.folder / "c"
        process = self.start(path, "--shards", "2")
        found = wait_for("shard at work", lambda: rubrics(psutil.process_iter(), path))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT_SECONDS), 130, self.output.read_text())
        _, alive = psutil.wait_procs(found, timeout=5)
        self.assertEqual(alive, [])
        self.assertIn("resumes the work", self.output.read_text())

    def test_a_shard_waits_for_one_that_is_about_to_end(self):
        path = self.folder / "c"
        path.mkdir()
        arguments = ["campaign", "MI_example", "--mutants", "none", "--runs", "1"]
        with open(path / "runs.1-of-1.jsonl", "w") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            process = self.start(path, "--shards", "1", arguments=arguments)
            # The settings are written before the shard is refused for the first time.
            wait_for("settings", (path / "campaign.1-of-1.json").exists)
            time.sleep(1)
            self.assertIsNone(process.poll(), self.output.read_text())
        self.end(process)

    def test_what_rubric_refuses_ends_the_program(self):
        done = run(command(self.folder / "c", arguments=["campaign", "MI_exmaple"]))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("MI_exmaple: there is no such file", done.stderr)

    def test_wrong_options_are_refused(self):
        for arguments, what in [
            (["campaign", "--shard", "1/2"], "--shard is added for every shard"),
            (["campaign", "--output=x"], "-o before --"),
            ([], "give the arguments for rubric after --"),
        ]:
            errors = io.StringIO()
            with self.assertRaises(SystemExit) as refused, contextlib.redirect_stderr(errors):
                campaign.parse(command(self.folder, arguments=arguments)[2:])
            self.assertEqual(refused.exception.code, 2)
            self.assertIn(what, errors.getvalue())

    def test_jobs_have_what_was_asked_for(self):
        asked = ["--queue", "short", "--cores", "8", "--memory", "16GiB", "--walltime", "02:00:00"]
        expected = {
            "slurm": ["-p short", "--cpus-per-task=8", "--mem=16G", "-t 02:00:00", "#SBATCH -A physics"],
            "pbs": ["-q short", "-l select=1:ncpus=8:mem=16GB", "walltime=02:00:00", "#PBS -A physics"],
            "sge": ["-q short", "h_rt=02:00:00", "#$ -A physics"],
        }
        for cluster, parts in expected.items():
            options = ["--cluster", cluster, *asked, "--directive=-A physics", "--print-job"]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                self.assertEqual(campaign.main(command(self.folder / "c", *options)[2:]), 0)
            for part in [*parts, "--resources shard=1", "--memory-limit 16.00GiB"]:
                self.assertIn(part, printed.getvalue())

    def test_jobs_that_end_too_early_are_replaced(self):
        # A batch system in a few lines: a job is a process group, and has its number.
        for name, text in {
            "sbatch": f'cp "$1" {self.folder}/job\nsetsid sh {self.folder}/job >/dev/null 2>&1 &\necho job $! | tee -a {self.folder}/jobs',
            "scancel": "kill -KILL -$1",
        }.items():
            (self.folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.folder / name).chmod(0o755)
        more = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "1s",
        }
        path = self.folder / "c"
        with unittest.mock.patch.dict(os.environ, more):
            process = self.start(path, "--cluster", "slurm", "--workers", "1", "--shards", "1")
        log = path / "runs.1-of-1.jsonl"
        wait_for("run", lambda: lines(log) >= 5)
        [child] = rubrics(psutil.process_iter(), path)
        os.killpg(os.getpgid(child.ppid()), signal.SIGKILL)
        self.assertIn("1 of 1 done", self.end(process))
        self.assertEqual(lines(self.folder / "jobs"), 2)
        self.assertTrue((path / "runs.1-of-1.parquet").exists())
