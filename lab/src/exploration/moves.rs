//! Moves of runs, and the reason why a search ended, as text and as JSON.

use std::io::{self, Write};

use explore::protocol::PartialOrder;
use explore::search::Stopped;
use schemars::JsonSchema;
use serde::Serialize;
use simulate::stepper::DescribedMove;

use crate::text::{counted, tame};

/// The heading of a run of this many moves.
pub fn heading_of_run(moves: usize, order: PartialOrder) -> String {
    let apart = match order {
        PartialOrder::On => " (shortest apart from those of memory)",
        PartialOrder::Off | PartialOrder::Refused => "",
    };
    format!("a shortest run, of {}{apart}", counted(moves, "move"))
}

/// Writes moves, numbered from one on.
pub(super) fn listed(steps: &[DescribedMove], first: usize, out: &mut dyn Write) -> io::Result<()> {
    for (number, step) in (first..).zip(steps) {
        writeln!(out, "    {number:3}  {}", tame(&step.happens))?;
        for effect in &step.effects {
            writeln!(out, "           {}", tame(effect))?;
        }
    }
    Ok(())
}

/// A move as JSON.
#[derive(Serialize, JsonSchema)]
pub struct Step<'a> {
    /// The event.
    happens: &'a str,
    /// The transition that it leads to, what is sent, and what memory performs.
    effects: &'a [String],
}

/// Moves as JSON.
pub(super) fn steps(steps: &[DescribedMove]) -> Vec<Step<'_>> {
    steps.iter().map(|step| Step { happens: &step.happens, effects: &step.effects }).collect()
}

/// The reason why an exploration ended, in words.
pub(super) fn reason(why: Stopped) -> &'static str {
    match why {
        Stopped::Time => "the time limit came first",
        Stopped::Memory => "the memory limit came first",
        Stopped::Count => "the limit of states came first",
        Stopped::Interrupted => "it was interrupted",
    }
}
