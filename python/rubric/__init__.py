"""Decides whether an execution of a shared memory is sequentially consistent (SC), or allowed by a weaker memory model, and proves it.

>>> import rubric
>>> run = rubric.simulate("MI_example", mutant="mi-l1-replace-no-notify", client="early")
>>> verdict = run.history.check("sc")
>>> verdict.verdict
'violation'
>>> small = verdict.shrink()
>>> len(small.history) < 10
True

`read` opens a trace of gem5, or a file of histories. A `History` is checked (`check`, `kernel`), and is a table for polars, pyarrow and pandas.
A `Verdict` has its cycle, reasons and certificate, and shows itself (`explain`). `simulate` runs a coherence protocol, `campaign` puts faults into
it, `check_files` checks many traces, and `litmus` finds the outcomes of a litmus test. Long calls let other threads run, and stop at Ctrl-C.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence

from rubric import _rubric
from rubric._progress import Progress
from rubric._rubric import (
    Campaign,
    CertificateError,
    Error,
    Explanation,
    History,
    InputError,
    Kernel,
    LitmusTest,
    ProtocolError,
    Shrunk,
    Simulation,
    Table,
    Verdict,
    Verified,
    __version__,
    litmus,
    parse,
    read,
    read_all,
    simulate,
    verify,
)

__all__ = [
    "Campaign",
    "CertificateError",
    "Error",
    "Explanation",
    "History",
    "InputError",
    "Kernel",
    "LitmusTest",
    "ProtocolError",
    "Shrunk",
    "Simulation",
    "Table",
    "Verdict",
    "Verified",
    "__version__",
    "campaign",
    "check_files",
    "litmus",
    "parse",
    "read",
    "read_all",
    "simulate",
    "verify",
]


def check_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    models: str | Sequence[str] = (),
    *,
    timeout: float | None = None,
    jobs: int | None = None,
    progress: bool = True,
) -> Table:
    """Checks many traces on all cores: a table with a row for each history and model.

    `paths` are traces, gem5's output folders, folders of any of these, and patterns such as `"runs/**/*.gz"`. Without `models` a history is checked
    for the model of the CPUs whose instructions the trace shows, else for `sc`. A file that cannot be read does not stop the others: it is
    a row whose `verdict` is `error`, with the `reason`. A verdict takes at most `timeout` seconds. `jobs` is the number of threads.

    >>> import pathlib, rubric, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for seed in range(3):
    ...         run = rubric.simulate("MI_example", seed=seed, trace=pathlib.Path(folder, f"{seed}.trace.gz"))
    ...     verdicts = rubric.check_files(folder, ["sc", "tso"], progress=False)
    >>> len(verdicts), verdicts.columns[:5]
    (6, ['file', 'folder', 'history', 'model', 'verdict'])
    """
    names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    with Progress(progress) as bar:
        return _rubric.check_files(
            names,
            [models] if isinstance(models, str) else list(models),
            timeout=timeout,
            jobs=jobs,
            watch=bar.show if progress else None,
        )


def campaign(
    protocols: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = "all",
    *,
    output: str | os.PathLike[str] | None = None,
    mutants: Sequence[str] = ("made", "named"),
    operators: Sequence[str] = (),
    sample: int | None = 400,
    clients: Sequence[str] = ("in-order", "store-buffer", "early"),
    runs: int = 20,
    seed: int = 1,
    repair: str | Sequence[str] | None = None,
    repeat: int = 1,
    budget: float | None = None,
    timeout: float | None = None,
    progress: bool = True,
) -> Campaign:
    """Runs mutants of protocols with random programs, to find out which checker finds which fault.

    `protocols` are built-in names or paths of `.slicc` files. `mutants` are `"made"` (by mutation operators), `"named"`, or mutants as
    `rubric mutants list` has them; `sample` is the number of those made by operators, `None` for all. The unmutated protocols run first. A mutant
    runs on each kind of core at most `runs` times, until something finds it. After `budget` seconds no further run is started, and a verdict takes
    at most `timeout` seconds (10).

    With `output`, a folder keeps all runs, and the same call again resumes an interrupted campaign. A progress bar is shown by tqdm where that is
    installed, and as a line on a terminal elsewhere.

    >>> import rubric
    >>> found = rubric.campaign("MI_example", mutants=["mi-l1-nack-before-forward"], clients=["early"], runs=5, progress=False)
    >>> [mutant["mutant"] for mutant in found.caught]
    ['mi-l1-nack-before-forward']
    >>> found.runs.columns[:3]
    ['protocol', 'mutant', 'operator']
    """
    names = [protocols] if isinstance(protocols, (str, os.PathLike)) else list(protocols)

    def run(folder: str) -> Campaign:
        with Progress(progress) as bar:
            return _rubric.campaign(
                [os.fspath(name) for name in names],
                folder,
                mutants=list(mutants),
                operators=list(operators),
                sample=sample,
                clients=list(clients),
                runs=runs,
                seed=seed,
                repair=repair,
                repeat=repeat,
                budget=budget,
                timeout=timeout,
                watch=bar.show if progress else None,
            )

    if output is not None:
        return run(os.fspath(output))
    with tempfile.TemporaryDirectory(prefix="rubric-") as folder:
        return run(folder)
