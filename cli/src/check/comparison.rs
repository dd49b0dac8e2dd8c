//! What all algorithms say of one history under one model.

use check::pairs::write_pairs;
use check::{Power, Reason, Verdict};

use super::{Decided, text};
use crate::status::Status;

/// The verdicts; the first is that of the stages.
pub struct Comparison<'a> {
    /// One of each algorithm that applies.
    pub decided: Vec<Decided<'a>>,
}

impl Comparison<'_> {
    /// Whether a verdict says that the model holds, or does not; `None` if neither.
    fn says(decided: &Decided<'_>) -> Option<bool> {
        match decided.outcome.verdict {
            Verdict::Consistent(_) => Some(true),
            // That a weaker criterion holds says nothing about the model.
            Verdict::Satisfied | Verdict::Undecided(_) => None,
            Verdict::Violation(_) | Verdict::Unproved | Verdict::Breach(_) => Some(false),
        }
    }

    /// What the algorithms found together.
    pub fn status(&self) -> Status {
        let mut said = self.decided.iter().filter_map(Self::says);
        match said.next() {
            Some(true) => Status::Done,
            Some(false) => Status::Violation,
            None => Status::Undecided,
        }
    }

    /// Two algorithms one of which must be wrong, in words.
    pub fn disagreement(&self) -> Option<String> {
        let defect = |decided: &&Decided<'_>| {
            let reason = match &decided.outcome.verdict {
                Verdict::Undecided(reason) => reason,
                _ => return false,
            };
            matches!(reason, Reason::FreeReads | Reason::Refuted(_))
        };
        if let Some(wrong) = self.decided.iter().find(defect) {
            let name = wrong.algorithm.name();
            return Some(format!("{name} contradicts the operational machine"));
        }
        let find = |wanted: bool| {
            let mut all = self.decided.iter();
            all.find(|decided| Self::says(decided) == Some(wanted))
        };
        let (one, other) = (find(true)?, find(false)?);
        let said = |decided: &Decided<'_>| {
            let power = match decided.algorithm.power() {
                Power::Complete => " (complete)",
                _ => "",
            };
            let word = text::word(&decided.outcome.verdict);
            format!("{}{power} says {word}", decided.algorithm.name())
        };
        Some(format!(
            "the algorithms disagree about {}: {}, {}",
            one.model,
            said(one),
            said(other)
        ))
    }
}

/// How many of the pairs of writes an algorithm ordered before any search.
pub fn pairs(decided: &Decided<'_>) -> String {
    let Some(ordered) = decided.outcome.statistics.ordered else {
        return String::new();
    };
    let all = write_pairs(decided.history);
    let percent = 100.0 * ordered as f64 / all.max(1) as f64;
    format!("{ordered}/{all} {percent:5.1} %")
}

/// What a search or a SAT solver did, which criterion fired, or why there is no verdict.
pub fn effort(decided: &Decided<'_>) -> String {
    let statistics = &decided.outcome.statistics;
    let mut said = Vec::new();
    if let Verdict::Undecided(reason) = &decided.outcome.verdict {
        said.push(reason.brief().to_owned());
    }
    if let Some(fired) = statistics.fired {
        said.push(format!("by {}", fired.name()));
    }
    if let Some(nodes) = statistics.nodes {
        said.push(format!("{nodes} nodes"));
    }
    if statistics.backtracks > 0 && statistics.sat.is_none() {
        said.push(format!("{} backtracks", statistics.backtracks));
    }
    if let Some(sat) = statistics.sat {
        said.push(format!(
            "{} variables, {} clauses, {} conflicts",
            sat.variables, sat.clauses, sat.learned
        ));
    }
    said.join("; ")
}
