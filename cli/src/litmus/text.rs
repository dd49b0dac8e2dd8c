//! The table of several litmus tests.

use std::io::{self, Write};

use super::Ran;

/// A row of the table.
pub(super) struct Row {
    verdict: &'static str,
    kind: &'static str,
    /// How often the proposition holds, and the number of states.
    found: Option<(&'static str, usize)>,
    model: &'static str,
    name: String,
}

impl Row {
    /// The row of a test.
    pub(super) fn of(ran: &Ran) -> Row {
        Row {
            verdict: ran.verdict(),
            kind: ran.test.condition.quantifier.kind(),
            found: ran.outcomes.as_ref().ok().map(|it| (it.observation().name(), it.states.len())),
            model: ran.model.name(),
            name: ran.test.name.clone(),
        }
    }
}

/// Prints the table: the tests whose condition is not met first, then those without an answer.
pub(super) fn table(mut rows: Vec<Row>, out: &mut dyn Write) -> io::Result<()> {
    const VERDICTS: [&str; 3] = ["No", "Undecided", "Ok"];
    let width = rows.iter().map(|row| row.verdict.len()).max().unwrap_or(0).max(3);
    rows.sort_by_key(|row| VERDICTS.iter().position(|verdict| *verdict == row.verdict));
    for row in &rows {
        let found = match row.found {
            Some((observation, states)) => format!("{observation:9} {states:5} states"),
            None => format!("{:22}", "a limit was met"),
        };
        writeln!(
            out,
            "{:width$} {:9} {found}  {:5}  {}",
            row.verdict, row.kind, row.model, row.name
        )?;
    }
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    write!(out, "{} tests: {} Ok, {} No", rows.len(), count("Ok"), count("No"))?;
    match count("Undecided") {
        0 => writeln!(out),
        open => writeln!(out, ", {open} undecided"),
    }
}
