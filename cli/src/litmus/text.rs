//! The table of several litmus tests.

use std::io::{self, Write};

use super::Ran;

/// A row of the table.
pub struct Row {
    is_met: bool,
    kind: &'static str,
    observation: &'static str,
    states: usize,
    model: &'static str,
    name: String,
}

/// herd's word for a condition that is met or not.
pub fn verdict(is_met: bool) -> &'static str {
    if is_met { "Ok" } else { "No" }
}

impl Row {
    /// The row of a test.
    pub fn of(ran: &Ran) -> Row {
        Row {
            is_met: ran.is_met(),
            kind: ran.test.condition.quantifier.kind(),
            observation: ran.outcomes.observation().name(),
            states: ran.outcomes.states.len(),
            model: ran.model.name(),
            name: ran.test.name.clone(),
        }
    }
}

/// Prints the table, the tests whose condition is not met first.
pub fn table(mut rows: Vec<Row>, out: &mut dyn Write) -> io::Result<()> {
    rows.sort_by_key(|row| row.is_met);
    for row in &rows {
        let verdict = verdict(row.is_met);
        writeln!(
            out,
            "{verdict:3} {:9} {:9} {:5} states  {:5}  {}",
            row.kind, row.observation, row.states, row.model, row.name
        )?;
    }
    let met = rows.iter().filter(|row| row.is_met).count();
    writeln!(out, "{} tests: {met} Ok, {} No", rows.len(), rows.len() - met)
}
