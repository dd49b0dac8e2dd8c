//! Why a final state of a litmus test is or is not reachable.

use std::fmt::Write;

use check::{Options, Question, Verdict};
use history::{Ambiguity, ReadsFrom};
use litmus::test::{Proposition, Quantifier};
use litmus::{Outcomes, histories_within};
use report::explain::words as proofs;

use super::Ran;
use crate::error::Error;
use crate::limits::Limits;

/// Most histories whose violation is shown; the rest are counted.
const SHOWN: usize = 3;

/// A memory order with which the proposition of a test's condition holds, or the reasons why there is none.
///
/// # Errors
/// Returns an error if the histories cannot be listed, or if the engine disagrees with the enumeration.
pub(super) fn words(
    ran: &Ran,
    outcomes: &Outcomes,
    unroll: usize,
    limits: &Limits,
) -> Result<String, Error> {
    let wanted = wanted(ran);
    let options = Options {
        timeout: limits.timeout,
        max_memory: Some(limits.max_memory),
        ..Options::default()
    };
    let found = match histories_within(&ran.test, &wanted, unroll, &limits.bounds()) {
        Err(litmus::Error::Stopped { exceeded, .. }) => {
            return Ok(format!("Not explained: {}\n", limits.met(Some(exceeded))));
        }
        Err(error @ litmus::Error::TooLarge { .. }) => {
            return Ok(format!("Not explained: {error}\n"));
        }
        found => found?,
    };
    let mut out = String::new();
    let mut forbidden = 0;
    let reachable = is_reachable(ran, outcomes);
    for whole in &found {
        let derived = ReadsFrom::derive(whole, Ambiguity::Keep);
        let reads_from = derived.map_err(|twice| Error::written_twice(&ran.file, whole, &twice))?;
        let answer = Question::new(ran.model, &options).ask(whole, &reads_from);
        let history = answer.history();
        match answer.verdict() {
            Verdict::Consistent(_) if whole.provenance.split && !reachable => {
                forbidden += 1;
                if forbidden <= SHOWN {
                    out += "  forbidden because accesses of different sizes are performed whole; their parts \
                            alone could be ordered\n";
                }
            }
            Verdict::Consistent(steps) => {
                let of_parts = if whole.provenance.split {
                    " (accesses of different sizes are shown in parts)"
                } else {
                    ""
                };
                return Ok(format!(
                    "Reachable under {}{of_parts}:\n{}",
                    ran.model,
                    proofs::memory_order(history, steps)
                ));
            }
            Verdict::Violation(violation) => {
                forbidden += 1;
                if forbidden <= SHOWN {
                    out += &proofs::explanation(history, violation);
                }
            }
            Verdict::Undecided(reason) => {
                out += &format!("  undecided: {}\n", reason.describe(history));
            }
            _ => out += "  forbidden, but no proof was found in time\n",
        }
    }
    if reachable && forbidden == found.len() {
        let what = "the enumeration finds an execution, and the engine none".to_owned();
        return Err(Error::Disagreement { file: ran.file.clone(), what });
    }
    let mut head = match found.len() {
        0 => return Ok("Unreachable: no run of the programs ends so under any model.\n".to_owned()),
        1 => format!("Unreachable: {} forbids the only history that ends so:\n", ran.model),
        count => format!("Unreachable: {} forbids the {count} histories that end so:\n", ran.model),
    };
    if forbidden > SHOWN {
        let _ = writeln!(out, "  and {} more", forbidden - SHOWN);
    }
    head += &out;
    Ok(head)
}

/// The proposition to explain: that of the condition, negated for `forall`, together with the test's filter.
fn wanted(ran: &Ran) -> Proposition {
    let asked = ran.test.condition.proposition.clone();
    let asked = match ran.test.condition.quantifier {
        Quantifier::ForAll => Proposition::Not(Box::new(asked)),
        Quantifier::Exists | Quantifier::NotExists => asked,
    };
    match &ran.test.filter {
        Some(filter) => Proposition::And(vec![filter.clone(), asked]),
        None => asked,
    }
}

/// Whether the enumeration found a state in which the explained proposition holds.
fn is_reachable(ran: &Ran, outcomes: &Outcomes) -> bool {
    let states = &outcomes.states;
    match ran.test.condition.quantifier {
        Quantifier::ForAll => states.iter().any(|state| !state.holds),
        Quantifier::Exists | Quantifier::NotExists => states.iter().any(|state| state.holds),
    }
}
