//! [`write()`]: the certificate of a verdict.

use std::io::{self, Write};

use certify::certificate::{self, Claim, Name};
use history::{History, OpId, ReadSource, ReadsFrom};
use memory::Model;
use memory::machine::{Machine, Step};
use memory::weak::order;

use crate::engine::steps::steps;
use crate::settle::{Cases, Settled};
use crate::verdict::Verdict;

/// A verdict as it was [settled](crate::settle()), with what proves it.
#[derive(Clone, Copy, Debug)]
pub struct Proved<'a> {
    /// The history as it was read.
    pub whole: &'a History,
    /// The history as the model sees it, in the first case.
    pub history: &'a History,
    /// The reads-from of that history, from which the verdict was derived.
    pub reads_from: &'a ReadsFrom,
    /// The verdict on that history, which is the same in all cases.
    pub verdict: &'a Verdict,
    /// The cases by which it is proved.
    pub cases: &'a Cases,
}

impl<'a> Proved<'a> {
    /// The verdict on a history that was read as `whole`.
    pub fn of(whole: &'a History, settled: &'a Settled<'_>) -> Proved<'a> {
        let Settled { history, reads_from, outcome, cases } = settled;
        Proved { whole, history, reads_from, verdict: &outcome.verdict, cases }
    }
}

/// Writes the certificate of a verdict: the run or memory order, or the proof, of each case. Returns the number of all steps; `None`,
/// with nothing written, if the verdict has no certificate. `claim` must be about the history as it was read, and the same model.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(out: &mut dyn Write, claim: &Claim, proved: Proved<'_>) -> io::Result<Option<usize>> {
    let mut out = out;
    let Proved { whole, history, reads_from, verdict, cases } = proved;
    match verdict {
        Verdict::Consistent(_) => certificate::write_header(&mut out, claim, "consistent")?,
        Verdict::Violation(_) => certificate::write_header(&mut out, claim, "violation")?,
        Verdict::CriterionViolation(violation) => {
            let claim = Claim { criterion: Some(violation.criterion), ..claim.clone() };
            certificate::write_header(&mut out, &claim, "violation")?;
        }
        Verdict::Undecided(_) | Verdict::Unproved | Verdict::Satisfied => return Ok(None),
    }
    let others = cases.others.iter();
    let others = others.map(|it| (&it.supposed, &it.history, &it.reads_from, &it.verdict));
    let mut written = 0;
    for (supposed, history, reads_from, verdict) in
        std::iter::once((&cases.supposed, history, reads_from, verdict)).chain(others)
    {
        if !supposed.is_empty() {
            let named = supposed.iter().map(|it| (Name::of(whole, it.op), it.wrote));
            certificate::write_case(&mut out, &named.collect::<Vec<_>>())?;
        }
        written += write_evidence(&mut out, claim.model, history, reads_from, verdict)?;
    }
    certificate::write_end(&mut out)?;
    Ok(Some(written))
}

/// Writes what proves a verdict, in one case, and returns the number of steps.
fn write_evidence(
    mut out: &mut dyn Write,
    model: Model,
    history: &History,
    reads_from: &ReadsFrom,
    verdict: &Verdict,
) -> io::Result<usize> {
    match verdict {
        Verdict::Consistent(run) => {
            let sources = chosen_sources(history, reads_from, model, run);
            certificate::write_run(&mut out, history, &sources, run)?;
            Ok(run.len())
        }
        Verdict::Violation(violation) => {
            let proof = steps(history, violation);
            certificate::write_proof(&mut out, &proof)?;
            Ok(proof.len())
        }
        Verdict::CriterionViolation(violation) => {
            let proof = violation.steps(history);
            certificate::write_proof(&mut out, &proof)?;
            Ok(proof.len())
        }
        Verdict::Undecided(_) | Verdict::Unproved | Verdict::Satisfied => Ok(0),
    }
}

/// The sources that a run gives to the reads whose values do not determine them, each behind its read.
fn chosen_sources(
    history: &History,
    reads_from: &ReadsFrom,
    model: Model,
    run: &[Step],
) -> Vec<(Name, Name)> {
    if reads_from.ambiguous() == 0 {
        return Vec::new();
    }
    let mut sources = if model.is_weak() {
        sources_in_order(history, model, run)
    } else {
        sources_in_run(history, model, run)
    };
    sources.retain(|(read, _)| reads_from.source(*read) == Some(ReadSource::Ambiguous));
    let named = sources.into_iter().filter_map(|(read, source)| {
        let location = history.location(read)?;
        let initial = Name::Initial(history.locations()[location as usize].address);
        let source = source.map_or(initial, |write| Name::of(history, write));
        Some((Name::of(history, read), source))
    });
    named.collect()
}

/// A read and its source; the source is `None` for the initial value.
type Source = (OpId, Option<OpId>);

/// The sources of the reads in a run of the model's machine.
fn sources_in_run(history: &History, model: Model, run: &[Step]) -> Vec<Source> {
    let mut machine = Machine::new(history, model);
    let mut sources = Vec::new();
    for &step in run {
        if let Step::Execute(op) = step
            && history.kind(op).reads()
        {
            sources.push((op, machine.visible(op)));
        }
        if machine.step(step).is_err() {
            break;
        }
    }
    sources
}

/// The sources of the reads in a memory order of a weak model.
fn sources_in_order(history: &History, model: Model, run: &[Step]) -> Vec<Source> {
    let executed = run.iter().filter_map(|step| match step {
        Step::Execute(op) => Some(*op),
        Step::Commit(_) => None,
    });
    let order: Vec<OpId> = executed.collect();
    let Ok(reads_from) = order::check(history, model, &order) else { return Vec::new() };
    let known = order.into_iter().filter_map(|read| match reads_from.source(read)? {
        ReadSource::Write(write) => Some((read, Some(write))),
        ReadSource::Initial => Some((read, None)),
        _ => None,
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use history::Ambiguity;

    use super::*;

    /// The run of a weak model is a memory order, in which no store waits in a buffer.
    #[test]
    fn chosen_sources_of_a_weak_model_are_those_of_the_memory_order() {
        let text = "0: M[0] := 1\n1: M[0] := 1\n2: M[0] == 1\ncheck\n";
        let trace = ingest::read(text.as_bytes(), "test", &ingest::Options::default()).unwrap();
        let history = &trace.histories[0];
        let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
        let order = [0, 2, 1].map(|thread| history.find(thread, 0).unwrap());
        let run = order.map(Step::Execute);
        let sources = chosen_sources(history, &reads_from, Model::RVWMO, &run);
        assert_eq!(sources, [(Name::Op(2, 0), Name::Op(0, 0))]);
    }
}
