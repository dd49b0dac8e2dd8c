"""Mutants found and transitions reached by a campaign, counted by the rules of `rubric report`."""

from __future__ import annotations

import polars as pl

import program

# The models that imply each criterion, from weak to strong criteria. Violating a criterion that the client's model does not imply is no
# fault: store buffers violate SC with any protocol.
IMPLIED_BY = {criterion["name"]: criterion["models"] for criterion in program.lists()["criteria"]}
CRITERIA = list(IMPLIED_BY)
# The criteria, and the ways in which a protocol itself fails.
FINDERS = program.lists()["finders"]
# The named mutants that are known to be harmless, each with the reason.
HARMLESS = program.lists()["harmless"]
# The columns that a run shares with that of the unmutated protocol.
ORIGIN = ["protocol", "client", "lineage"]


def implied(model: str) -> list[str]:
    """The criteria that every history of a model satisfies."""
    return [criterion for criterion in CRITERIA if model in IMPLIED_BY[criterion]]


def counts(finder: str) -> pl.Expr:
    """Whether a finder counts for the client of a run."""
    return pl.col("model").is_in(IMPLIED_BY[finder]) if finder in CRITERIA else pl.lit(True)


def finds(finder: str) -> pl.Expr:
    """Whether a finder finds something in a run."""
    if finder not in CRITERIA:
        return pl.col("outcome") == finder
    return counts(finder) & (pl.col(finder) == "violation").fill_null(False)


def violates() -> pl.Expr:
    """Whether a run violates what its client guarantees."""
    return (pl.col("outcome") == "violation") | pl.any_horizontal(*map(finds, CRITERIA))


def detects() -> pl.Expr:
    """Whether a run shows that something is wrong with the protocol."""
    return violates() | pl.col("outcome").is_in([finder for finder in FINDERS if finder not in CRITERIA])


def tried(runs: pl.DataFrame, equivalents: pl.DataFrame) -> pl.DataFrame:
    """The runs that can show something about a mutant. Leaves out mutants that are equivalent to their protocol, named ones that are known
    to be harmless and that no run finds, and runs in which the unmutated protocol fails as well."""
    spoilt = runs.filter(pl.col("mutant").is_null() & detects())
    rows = runs.filter(pl.col("mutant").is_not_null()).join(spoilt, on=ORIGIN, how="anti")
    if len(equivalents):
        rows = rows.join(equivalents, on=["protocol", "mutant"], how="anti")
    found = detects().any().over("protocol", "mutant")
    rows = rows.filter(~pl.col("mutant").is_in(list(HARMLESS)) | found)
    return rows.with_columns(pl.col("operator").fill_null(""))


def mutants(tried: pl.DataFrame) -> pl.DataFrame:
    """A row for each mutant: whether anything found it, and for each finder whether it did, null if it counts for no client."""
    def found(finder: str) -> pl.Expr:
        return pl.when(counts(finder).any()).then(finds(finder).any()).alias(finder)

    return tried.group_by("protocol", "mutant", "operator", maintain_order=True).agg(
        pl.len().alias("runs"), detects().any().alias("found"), *map(found, FINDERS)
    )


def kill_matrix(tried: pl.DataFrame) -> pl.DataFrame:
    """A row for each operator: its mutants, how many of them were found, and how many by each finder."""
    sums = [pl.col(name).sum() for name in ["found", *FINDERS]]
    return mutants(tried).group_by("operator").agg(pl.len().alias("mutants"), *sums).sort("operator")


def reached(coverage: pl.DataFrame) -> pl.DataFrame:
    """A row for each machine: how many transitions were `reached`, how many are `reachable` (not known to
    be unreachable, or taken by a run), how many the `table` has, and `reached` as a `share` of `reachable`. Entries that stall do not count."""
    taken = pl.col("count") > 0
    return (
        coverage.filter(~pl.col("stalls"))
        .group_by("protocol", "machine", maintain_order=True)
        .agg(taken.sum().alias("reached"), (taken | pl.col("unreached").is_null()).sum().alias("reachable"), pl.len().alias("table"))
        .with_columns((pl.col("reached") / pl.col("reachable")).alias("share"))
    )
