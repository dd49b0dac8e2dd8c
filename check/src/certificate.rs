//! [`Answer::certify`]: the certificate of an answer.

use std::borrow::Borrow;
use std::io::{self, Write};
use std::iter;

use certify::certificate::{self, Claim, Name};
use history::{History, OpId, ReadSource, ReadsFrom};
use memory::Model;
use memory::machine::{Machine, Step};
use memory::weak::order;

use crate::answer::Answer;
use crate::engine::steps::steps;
use crate::verdict::Verdict;

impl<H: Borrow<History>> Answer<H> {
    /// Writes the certificate of the answer: the run or memory order, or the proof, of each case. `file` is the name of the history's
    /// file, and `arguments` are the options with which it was read. Returns the number of all steps; `None`, with nothing written, if the
    /// answer has no certificate.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn certify(
        &self,
        mut out: &mut dyn Write,
        file: Option<String>,
        arguments: &str,
    ) -> io::Result<Option<usize>> {
        let (word, criterion) = match self.verdict() {
            Verdict::Consistent(_) => ("consistent", None),
            Verdict::Violation(_) => ("violation", None),
            Verdict::CriterionViolation(violation) => ("violation", Some(violation.criterion)),
            Verdict::Undecided(_) | Verdict::Unproved | Verdict::Satisfied => return Ok(None),
        };
        let whole = self.whole.borrow();
        let claim = Claim { file, criterion, ..Claim::new(whole, self.model, arguments) };
        certificate::write_header(&mut out, &claim, word)?;
        let others = self.cases.others.iter();
        let others = others.map(|it| (&it.supposed, &it.history, &it.reads_from, &it.verdict));
        let first = (&self.cases.supposed, self.history(), &self.reads_from, self.verdict());
        let mut written = 0;
        for (supposed, history, reads_from, verdict) in iter::once(first).chain(others) {
            if !supposed.is_empty() {
                let named = supposed.iter().map(|it| (Name::of(whole, it.op), it.wrote));
                certificate::write_case(&mut out, &named.collect::<Vec<_>>())?;
            }
            written += write_evidence(&mut out, self.model, history, reads_from, verdict)?;
        }
        certificate::write_end(&mut out)?;
        Ok(Some(written))
    }
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

/// The sources that a run gives to the reads whose values do not determine them, each after its read.
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
