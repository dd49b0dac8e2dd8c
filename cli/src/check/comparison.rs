//! The verdicts of all algorithms on one history under one model.

use check::algorithm::Power;
use check::kernel::write_pairs;
use check::{Answer, Reason, Verdict};
use history::History;

use super::Decided;
use crate::status::Status;

/// The verdicts of the algorithms that apply; the first is that of the engine's stages.
pub(super) struct Comparison<'a> {
    /// The verdict of each algorithm that applies.
    pub decided: Vec<Decided<'a>>,
}

impl Comparison<'_> {
    /// Whether a verdict says that the history is consistent with the model; `None` if it does not say.
    fn holds(decided: &Decided<'_>) -> Option<bool> {
        match decided.answer.verdict() {
            Verdict::Consistent(_) => Some(true),
            // That a weaker criterion holds says nothing about the model.
            Verdict::Satisfied | Verdict::Undecided(_) => None,
            Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => {
                Some(false)
            }
        }
    }

    /// The exit status of all verdicts together.
    pub(super) fn status(&self) -> Status {
        let mut answers = self.decided.iter().filter_map(Self::holds);
        match answers.next() {
            Some(true) => Status::Done,
            Some(false) => Status::Violation,
            None => Status::Undecided,
        }
    }

    /// Describes an algorithm that is wrong, or two of which one must be; `None` if there is none.
    pub(super) fn disagreement(&self) -> Option<String> {
        let defect = |decided: &&Decided<'_>| {
            matches!(
                decided.answer.undecided(),
                Some(Reason::FreeReads | Reason::Refuted(_) | Reason::ProofRefused)
            )
        };
        if let Some(wrong) = self.decided.iter().find(defect) {
            let name = wrong.answer.algorithm.name();
            return Some(format!("{name} contradicts the operational machine"));
        }
        let find = |wanted: bool| {
            let mut all = self.decided.iter();
            all.find(|decided| Self::holds(decided) == Some(wanted))
        };
        let (one, other) = (find(true)?, find(false)?);
        let described = |decided: &Decided<'_>| {
            let Answer { algorithm, .. } = decided.answer;
            let power = match algorithm.power() {
                Power::Complete => " (complete)",
                _ => "",
            };
            format!("{}{power} says {}", algorithm.name(), decided.answer.verdict().word())
        };
        Some(format!(
            "the algorithms disagree about {}: {}, {}",
            one.answer.model,
            described(one),
            described(other)
        ))
    }
}

/// The number and share of the pairs of writes that an algorithm ordered before any search, as text.
pub(super) fn pairs(answer: &Answer<&History>) -> String {
    let Some(ordered) = answer.outcome.statistics.ordered else {
        return String::new();
    };
    let all = write_pairs(answer.history());
    let percent = 100.0 * ordered as f64 / all.max(1) as f64;
    format!("{ordered}/{all} {percent:5.1} %")
}

/// The work of a search or a SAT solver, the criterion that fired, or the reason why there is no verdict, as text.
pub(super) fn effort(answer: &Answer<&History>) -> String {
    let statistics = &answer.outcome.statistics;
    let mut parts = Vec::new();
    if let Some(reason) = answer.undecided() {
        parts.push(reason.brief().to_owned());
    }
    if let Some(fired) = statistics.fired {
        parts.push(format!("by {}", fired.name()));
    }
    if let Some(nodes) = statistics.nodes {
        parts.push(format!("{nodes} nodes"));
    }
    if statistics.backtracks > 0 && statistics.sat.is_none() {
        parts.push(format!("{} backtracks", statistics.backtracks));
    }
    if let Some(sat) = statistics.sat {
        parts.push(format!(
            "{} variables, {} clauses, {} conflicts",
            sat.variables, sat.clauses, sat.learned
        ));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::verdict::{Stage, Statistics};
    use check::{Algorithm, Cases, Model, Outcome};

    /// The exit status and the disagreement for these verdicts of algorithms.
    fn compared(said: Vec<(Algorithm, Verdict)>) -> (Status, Option<String>) {
        let history = History::empty(history::Provenance::made());
        let input = lab::load::Input {
            file: "test.axe".to_owned(),
            format: "axe",
            histories: Vec::new(),
            transitions: Default::default(),
            ending: Default::default(),
            statistics: Default::default(),
        };
        let decided = said.into_iter().map(|(algorithm, verdict)| Decided {
            input: &input,
            answer: Answer {
                whole: &history,
                form: None,
                reads_from: history::ReadsFrom::given(&history, |_| None),
                model: Model::SC,
                algorithm,
                outcome: Outcome {
                    verdict,
                    decided_by: Stage::By(algorithm),
                    statistics: Statistics::default(),
                },
                cases: Cases::default(),
                seconds: 0.0,
            },
            certificate: None,
        });
        let comparison = Comparison { decided: decided.collect() };
        (comparison.status(), comparison.disagreement())
    }

    #[test]
    fn complete_algorithms_that_disagree_are_named() {
        let run = (Algorithm::Stages, Verdict::Consistent(Vec::new()));
        let none = (papers::DBCOP, Verdict::Unproved);
        let (_, what) = compared(vec![run.clone(), none]);
        let what = what.unwrap();
        for part in ["stages (complete)", "dbcop (complete)", "consistent", "violation"] {
            assert!(what.contains(part), "{what}");
        }
        let defect = Verdict::Undecided(Reason::Refuted(papers::HEU));
        assert!(compared(vec![run, (papers::HEU, defect)]).1.is_some());
    }

    #[test]
    fn a_weaker_criterion_that_holds_contradicts_nobody() {
        let refuted = (papers::DBCOP, Verdict::Unproved);
        let holds = (papers::CC, Verdict::Satisfied);
        let open = (papers::HEU, Verdict::Undecided(Reason::Timeout));
        let found = compared(vec![holds.clone(), refuted, open.clone()]);
        assert_eq!(found, (Status::Violation, None));
        assert_eq!(compared(vec![holds, open]), (Status::Undecided, None));
    }
}
