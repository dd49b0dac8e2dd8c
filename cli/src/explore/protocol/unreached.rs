//! The transitions of the table that no run takes.

use std::io::{self, Write};

use explore::protocol::{Exploration, Verdict};
use serde_json::{Value, json};
use slicc::mutant::touched::TableEntry;

use lab::text::tame;

/// Prints them, each with the reason, if that is known.
pub fn print(
    rest: &[(TableEntry, Option<String>)],
    exploration: &Exploration,
    out: &mut dyn Write,
) -> io::Result<()> {
    let what = if is_proved(exploration) {
        "that no run of this size takes"
    } else {
        "not taken by the runs that were looked at, which are not all"
    };
    writeln!(out, "  {} transitions of the table {what}:", rest.len())?;
    for (TableEntry { machine, state, event }, reason) in rest {
        let name = format!("{machine} {state} {event}");
        match reason {
            Some(reason) => writeln!(out, "    {:40}  {}", tame(&name), tame(reason))?,
            None => writeln!(out, "    {}", tame(&name))?,
        }
    }
    Ok(())
}

/// The same as JSON.
pub fn value(rest: &[(TableEntry, Option<String>)], exploration: &Exploration) -> Value {
    let row = |(place, reason): &(TableEntry, Option<String>)| {
        let TableEntry { machine, state, event } = place;
        json!({ "machine": machine, "state": state, "event": event, "reason": reason })
    };
    let transitions: Vec<Value> = rest.iter().map(row).collect();
    json!({ "proved": is_proved(exploration), "transitions": transitions })
}

/// Whether all runs were looked at.
fn is_proved(exploration: &Exploration) -> bool {
    matches!(exploration.verdict, Verdict::Clean)
}
