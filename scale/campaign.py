"""Runs a campaign or an experiment of rubric in shards, on many cores or many machines.

Every shard is a Dask task that runs `rubric … --shard I/N -o DIR`. Dask's workers are processes on this machine, or
jobs of Slurm, PBS or SGE. If a worker dies, another one resumes its shard, since rubric stores every run as it ends. At
the end `rubric report DIR` prints the results of all shards.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import dask
import dask.distributed
from dask.distributed import Client, LocalCluster

EXAMPLES = """\
examples:
  python scale/campaign.py --workers 4 -o mi -- campaign MI_example --sample all --runs 100
  python scale/campaign.py --cluster slurm --workers 20 --shards 100 --queue short --cores 8 --memory 16GB \\
      --walltime 02:00:00 -o all -- campaign all --sample all --runs 1000
  python scale/campaign.py --cluster pbs --workers 20 -o results -- experiment gcc-fig4 --size paper

Exit status: that of `rubric report`; 2 if a shard cannot be done.
"""

# A part of rubric's message if another process is running the same shard.
BUSY = "another process is writing"
# Seconds that a shard waits for the other process: a network file system releases the locks of a lost machine late.
BUSY_SECONDS = 180
# Seconds after which jobs that ended too early are replaced.
POLL_SECONDS = 5
# Option of Linux's prctl: the signal that a process gets when the thread that started it ends.
PR_SET_PDEATHSIG = 1


class Outcome(NamedTuple):
    """How a shard ended."""

    status: int
    message: str
    seconds: float


def run_shard(command: list[str], threads: int) -> Outcome:
    """Runs rubric on a worker. Returns its exit status and messages; raises an error if rubric crashed or was killed."""
    prctl = ctypes.CDLL(None).prctl
    worker = os.getpid()

    def die_with_worker() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != worker:
            os._exit(1)

    def run() -> subprocess.CompletedProcess:
        # In a session of its own, so that Ctrl-C reaches only the program that controls the workers.
        return subprocess.run(
            command,
            env={**os.environ, "RAYON_NUM_THREADS": str(threads)},
            preexec_fn=die_with_worker,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    start = time.monotonic()
    done = run()
    while done.returncode == 2 and BUSY in done.stderr and time.monotonic() - start < BUSY_SECONDS:
        time.sleep(1)
        done = run()
    if done.returncode not in (0, 1, 2, 3):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return Outcome(done.returncode, done.stderr.strip(), time.monotonic() - start)


def make_cluster(options: argparse.Namespace):
    """Creates the cluster. A worker runs one shard at a time, which has several threads."""
    if options.cluster == "local":
        return LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            resources={"shard": 1},
            dashboard_address=options.dashboard,
        )
    import dask_jobqueue

    kinds = {
        "slurm": dask_jobqueue.SLURMCluster,
        "pbs": dask_jobqueue.PBSCluster,
        "sge": dask_jobqueue.SGECluster,
    }
    # Options that are not given have the values of the user's configuration of dask-jobqueue.
    wishes = {"queue": options.queue, "walltime": options.walltime, "interface": options.interface}
    return kinds[options.cluster](
        cores=options.cores,
        memory=options.memory,
        processes=1,
        job_extra_directives=options.directive,
        worker_extra_args=["--resources", "shard=1"],
        log_directory=str(options.output / "jobs"),
        scheduler_options={"dashboard_address": options.dashboard},
        **{name: wish for name, wish in wishes.items() if wish is not None},
    )


def run(options: argparse.Namespace, cluster) -> int:
    """Runs all shards. Returns 0, or 2 after printing why a shard cannot be done."""
    with Client(cluster) as client:
        say(f"{options.shards} shards on {options.workers} workers; dashboard: {client.dashboard_link}")
        futures = {submit(client, options, number): number for number in range(1, options.shards + 1)}
        try:
            return follow(options, cluster, futures)
        finally:
            client.cancel(list(futures))


def submit(client: Client, options: argparse.Namespace, number: int):
    """Submits a shard as a task."""
    shard = f"{number}/{options.shards}"
    command = [options.rubric, *options.arguments, "--shard", shard, "-o", str(options.output)]
    return client.submit(
        run_shard,
        command,
        options.cores,
        key=f"shard-{number}-of-{options.shards}",
        retries=options.retries,
        resources={"shard": 1},
    )


def follow(options: argparse.Namespace, cluster, futures: dict) -> int:
    """Waits for all shards, prints which have ended, and replaces jobs that reached their time limit. Returns 0, or 2 if a shard
    cannot be done."""
    pending = set(futures)
    while pending:
        try:
            done, pending = dask.distributed.wait(pending, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        except dask.distributed.TimeoutError:
            done = set()
        for future in done:
            shard = f"shard {futures[future]}/{options.shards}"
            try:
                outcome = future.result()
            except Exception as error:  # of any kind: it remained after all retries
                say(f"{shard} is given up: {error}")
                return 2
            if outcome.status == 2:
                say(f"{shard} cannot be done:\n{outcome.message}")
                return 2
            count = options.shards - len(pending)
            say(f"{count} of {options.shards} done: {shard} after {outcome.seconds:.0f} s")
        if options.cluster != "local":
            cluster.scale(jobs=options.workers)
    return 0


def say(text: str) -> None:
    """Prints progress to standard error, since standard output is for the report."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def positive(text: str) -> int:
    """Parses a number from 1 on."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a number from 1 on was expected, not {text}")
    return int(text)


def parse(words: list[str]) -> argparse.Namespace:
    """Parses the arguments: options, then `--`, then the arguments for rubric."""
    own, arguments = words, []
    if "--" in words:
        own, arguments = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [options] -o DIR -- campaign|experiment ARGUMENTS…",
    )
    add = parser.add_argument
    add("--cluster", choices=["local", "slurm", "pbs", "sge"], default="local", help="where workers run [local]")
    add("--workers", type=positive, metavar="N", help="shards at a time: processes or jobs [2]", default=2)
    add("--shards", type=positive, metavar="M", help="parts of the work [2 for each worker]")
    add("--rubric", default="rubric", metavar="PATH", help="the program, by a path that is the same on all machines [rubric]")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="folder that all machines share")
    add("--cores", type=positive, metavar="N", help="cores of a worker [local: all, divided; jobs: 1]")
    add("--memory", default="4GB", metavar="SIZE", help="memory of a job [4GB]")
    add("--queue", metavar="NAME", help="queue or partition of jobs")
    add("--walltime", metavar="HH:MM:SS", help="time limit of a job; another job resumes its shard")
    add("--interface", metavar="NAME", help="network by which jobs reach this machine, such as ib0")
    add("--directive", action="append", default=[], metavar="TEXT", help="a further line of the job's header")
    add("--retries", type=int, default=10, metavar="N", help="how often a shard may lose its worker [10]")
    add("--dashboard", default=":8787", metavar="ADDRESS", help="address of the dashboard [:8787]")
    add("--print-job", action="store_true", help="print the job script, and do nothing")
    options = parser.parse_args(own)
    options.arguments = arguments
    if not arguments:
        parser.error("give the arguments for rubric after --, such as: -- campaign MI_example")
    taken = [word for word in arguments if word.split("=")[0] in ("-o", "--output", "--shard")]
    if taken:
        parser.error(f"{taken[0]} is added for every shard: give -o before --, and leave out --shard")
    found = shutil.which(options.rubric)
    if not found:
        parser.error(f"{options.rubric}: there is no such program; give its path with --rubric")
    options.rubric = str(Path(found).absolute())
    options.output = options.output.absolute()
    options.shards = options.shards or 2 * options.workers
    share = max(1, (os.cpu_count() or 1) // options.workers)
    options.cores = options.cores or (share if options.cluster == "local" else 1)
    return options


def main(words: list[str]) -> int:
    """Runs the program and returns its exit status."""
    options = parse(words)
    # A batch system ends this program with SIGTERM, which is handled like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    dask.config.set({"distributed.scheduler.allowed-failures": options.retries})
    try:
        with make_cluster(options) as cluster:
            if options.print_job:
                print("" if options.cluster == "local" else cluster.job_script())
                return 0
            if options.cluster != "local":
                submits = cluster.job_cls.submit_command
                if not shutil.which(submits.split()[0]):
                    say(f"there is no {submits} here: run this where jobs are submitted, or with --cluster local")
                    return 2
                cluster.scale(jobs=options.workers)
            status = run(options, cluster)
        return status or subprocess.run([options.rubric, "report", str(options.output)]).returncode
    except KeyboardInterrupt:
        say("interrupted; the same command resumes the work")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
