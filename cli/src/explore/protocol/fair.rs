//! The report of a search for starvation, as text and as JSON.

use std::io::{self, Write};

use explore::protocol::fair::{Fair, Fate, Starvation};
use lab::text::tame;
use serde_json::{Value, json};

use super::moves::{counted, listed, reason, steps};
use crate::status::Status;

/// The exit status of a search for starvation: a violation if a request may starve.
pub fn status(fair: &Fair) -> Status {
    match fair.fate {
        Fate::Completes => Status::Done,
        Fate::Starves(_) => Status::Violation,
        Fate::Stopped(_) => Status::Undecided,
    }
}

/// Prints the result of a search for starvation.
pub fn print(fair: &Fair, out: &mut dyn Write) -> io::Result<()> {
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
                    writeln!(out, "  first {}:", counted(stem.len()))?;
                    listed(stem, 1, out)?;
                    writeln!(out, "  and then, for ever, {}:", counted(found.cycle.len()))?;
                }
            }
            listed(&found.cycle, 1 + found.stem.len(), out)
        }
    }
}

/// The result of a search for starvation as JSON.
pub fn value(fair: &Fair) -> Value {
    let mut value = json!({ "states": fair.progress.states, "moves": fair.progress.moves });
    match &fair.fate {
        Fate::Completes => value["outcome"] = "clean".into(),
        Fate::Stopped(why) => {
            value["outcome"] = "stopped".into();
            value["stopped"] = why.name("states").into();
        }
        Fate::Starves(found) => {
            value["outcome"] = "found".into();
            value["what"] = found.sentence().into();
            value["stem"] = steps(&found.stem).into();
            value["cycle"] = steps(&found.cycle).into();
        }
    }
    value
}

/// The starvation that was found; `None` if none was found or none was looked for.
pub fn starves(fair: Option<&Fair>) -> Option<&Starvation> {
    match &fair?.fate {
        Fate::Starves(found) => Some(found),
        Fate::Completes | Fate::Stopped(_) => None,
    }
}
