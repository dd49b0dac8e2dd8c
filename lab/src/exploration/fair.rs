//! The report of a search for starvation, as text and as JSON.

use std::io::{self, Write};

use explore::protocol::fair::{Fair, Fate, Starvation};
use schemars::JsonSchema;
use serde::Serialize;

use super::json;
use super::moves::{Step, listed, reason, steps};
use crate::outcome::Outcome;
use crate::text::{counted, tame};

/// What a search for starvation came to.
pub(super) fn outcome(fair: &Fair) -> Outcome {
    match fair.fate {
        Fate::Completes => Outcome::Clean,
        Fate::Starves(_) => Outcome::Found,
        Fate::Stopped(_) => Outcome::Undecided,
    }
}

/// Writes the result of a search for starvation.
pub(super) fn write(fair: &Fair, out: &mut dyn Write) -> io::Result<()> {
    let states = fair.progress.states;
    match &fair.fate {
        Fate::Completes => writeln!(
            out,
            "  no starvation: in every fair run each request completes ({states} states, without symmetry)"
        ),
        Fate::Stopped(why) => writeln!(
            out,
            "  starvation undecided: {} ({states} states, without symmetry)",
            reason(*why)
        ),
        Fate::Starves(found) => {
            writeln!(out, "  found: {}", tame(&found.sentence()))?;
            match &found.stem[..] {
                [] => writeln!(out, "  from the beginning, for ever:")?,
                stem => {
                    writeln!(out, "  first {}:", counted(stem.len(), "move"))?;
                    listed(stem, 1, out)?;
                    writeln!(out, "  and then, for ever, {}:", counted(found.cycle.len(), "move"))?;
                }
            }
            listed(&found.cycle, 1 + found.stem.len(), out)
        }
    }
}

/// The result of a search for starvation as JSON.
#[derive(Serialize, JsonSchema)]
pub struct FairJson<'a> {
    /// The number of states, without symmetry.
    states: usize,
    /// The number of moves.
    moves: u64,
    #[serde(flatten)]
    fate: FateJson<'a>,
}

/// How a search for starvation ended.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "lowercase")]
enum FateJson<'a> {
    /// In every fair run each request completes.
    Clean,
    /// A limit came first.
    Stopped {
        /// The limit.
        #[schemars(extend("enum" = json::STATE_LIMITS))]
        stopped: &'static str,
    },
    /// A request may starve.
    Found {
        /// The starvation in a sentence.
        what: String,
        /// The moves that lead to the cycle.
        stem: Vec<Step<'a>>,
        /// The moves that may repeat for ever.
        cycle: Vec<Step<'a>>,
    },
}

/// The result of a search for starvation as JSON.
pub(super) fn document(fair: &Fair) -> FairJson<'_> {
    let fate = match &fair.fate {
        Fate::Completes => FateJson::Clean,
        Fate::Stopped(why) => FateJson::Stopped { stopped: why.name("states") },
        Fate::Starves(found) => FateJson::Found {
            what: found.sentence(),
            stem: steps(&found.stem),
            cycle: steps(&found.cycle),
        },
    };
    FairJson { states: fair.progress.states, moves: fair.progress.moves, fate }
}

/// The starvation that was found; `None` if none was found or none was looked for.
pub fn starves(fair: Option<&Fair>) -> Option<&Starvation> {
    match &fair?.fate {
        Fate::Starves(found) => Some(found),
        Fate::Completes | Fate::Stopped(_) => None,
    }
}
