"""The tables that rubric writes, as polars frames.

They are read from the folder that the environment variable RUBRIC_RESULTS names, else from ../results, and from its subfolders, whole
or in shards. Duplicate rows count once. The columns of a file show which table it is. All this is as in `rubric report`, so that a
notebook and a report of the same folder agree.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import NamedTuple

import polars as pl

import program

# Sizes of experiments, in ascending order.
SIZES = program.lists()["sizes"]


class Kind(NamedTuple):
    """A kind of table."""

    # Columns that no other kind has all of.
    columns: set[str]
    # Columns that identify a row.
    key: list[str]


# In the order in which they are tried.
KINDS = {
    "trials": Kind({"experiment", "said"}, ["experiment", "size", "part", "point", "number", "model", "algorithm"]),
    "runs": Kind({"lineage", "outcome", "operator"}, ["protocol", "mutant", "client", "generator", "repetition", "number"]),
    "equivalents": Kind({"mutant", "kind", "reason"}, ["protocol", "mutant"]),
    "coverage": Kind({"machine", "event", "count"}, ["protocol", "machine", "state", "event"]),
}


def folder() -> Path:
    """The folder of the tables."""
    return Path(os.environ.get("RUBRIC_RESULTS") or Path(__file__).resolve().parent.parent / "results")


def kind(path: str) -> str | None:
    """The kind of table that a file is; none if it is not a table of rubric."""
    try:
        columns = pl.read_parquet_schema(path).keys()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"{path} cannot be read ({error}): remove it, and repeat the command that made it") from None
    return next((name for name, kind in KINDS.items() if kind.columns <= columns), None)


def read(name: str) -> pl.DataFrame:
    """All rows of a kind; an empty frame without columns if there are none."""
    # Unfinished files of a killed program have hidden names, which a glob skips.
    paths = sorted(glob.glob(f"{glob.escape(str(folder()))}/**/*.parquet", recursive=True))
    tables = [pl.read_parquet(path) for path in paths if kind(path) == name]
    if not tables:
        return pl.DataFrame()
    # Tables of other versions may lack columns.
    rows = pl.concat(tables, how="diagonal_relaxed")
    key = KINDS[name].key
    if name == "coverage":
        # All shards make the same runs of the unmutated protocols, so their counts must not be added.
        rows = rows.sort("count", descending=True, maintain_order=True)
    rows = rows.unique(key, keep="first", maintain_order=True)
    if name != "trials":
        return rows.sort(key)
    points = sorted(rows["point"].unique(), key=parameters)
    ranks = {point: rank for rank, point in enumerate(points)}
    order = [pl.col(column).replace_strict(ranks) if column == "point" else pl.col(column) for column in key]
    return rows.sort(order)


def parameters(point: str) -> list[tuple[str, int]]:
    """The parameters of a point, so that points are ordered by them as numbers."""
    pairs = (parameter.partition("=") for parameter in point.split(","))
    return [(name, int(value)) if value.isdecimal() else (name + equals + value, 0) for name, equals, value in pairs]


def trials(*experiments: str) -> pl.DataFrame:
    """The trials of these experiments, or of all, each at the largest size that exists, since sizes differ in points and limits."""
    rows = read("trials")
    if len(rows) and experiments:
        rows = rows.filter(pl.col("experiment").is_in(experiments))
    known = set(rows["experiment"]) if len(rows) else set()
    for experiment in experiments:
        if experiment not in known:
            missing(f"trials of {experiment}", experiment)
    if not known:
        if not experiments:
            missing("trials", "all")
        return pl.DataFrame()
    rank = pl.col("size").replace_strict(SIZES, range(1, len(SIZES) + 1), default=0)
    return rows.filter(rank == rank.max().over("experiment"))


def runs() -> pl.DataFrame:
    """The runs of campaigns."""
    return campaign("runs")


def equivalents() -> pl.DataFrame:
    """The mutants that are equivalent to their protocol."""
    return campaign("equivalents")


def coverage() -> pl.DataFrame:
    """How often unmutated protocols took their transitions, and why some are unreachable. Older versions did not write the reasons."""
    rows = campaign("coverage")
    if len(rows) and "unreached" not in rows.columns:
        rows = rows.with_columns(pl.lit(None, pl.String).alias("unreached"))
    return rows


def campaign(name: str) -> pl.DataFrame:
    """A table of a campaign."""
    rows = read(name)
    if not len(rows):
        missing(name, "mutants")
    return rows


def missing(what: str, experiment: str) -> None:
    """Prints which table is missing, and the command that makes it."""
    print(f"There are no {what} in {os.path.relpath(folder())}. This makes them, in some minutes:")
    print(f"    rubric experiment {experiment} -o {os.path.relpath(folder())}")
