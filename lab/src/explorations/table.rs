//! A table of explored mutants: a line each, and the number of those found.

use std::io::{self, Write};

use serde_json::Value;

use super::Row;
use crate::outcome::Outcome;
use crate::text::{counted, tame};

/// The key of a result that says whether a run reaches the change of the mutant.
const REACHED: &str = "change_reached";

/// The lines of a table, and the counts of its last line.
#[derive(Default)]
pub struct Table {
    /// The number of characters of the longest name of a mutant, from [`width`].
    pub width: usize,
    /// The numbers of mutants with a finding, without a finding, and undecided.
    counts: [usize; 3],
    /// The number of mutants without a finding whose change no run reaches.
    unreached: usize,
    /// The number of mutants without a finding for which it is unknown whether a run reaches their change.
    unknown: usize,
    /// What all explorations came to.
    pub outcome: Outcome,
}

/// The number of characters of the longest name.
pub fn width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or_default()
}

impl Table {
    /// The names of the columns.
    pub fn heading(&self) -> String {
        let width = self.width;
        format!("{:width$}  {:>9}  {:>6}  {:>8}  found", "mutant", "states", "moves", "seconds")
    }

    /// Counts an exploration, and returns its line. The line after a finding is the command that reproduces it.
    pub fn add(&mut self, row: &Row) -> String {
        let outcome = Outcome::of_status(row.status);
        self.outcome = self.outcome.max(outcome);
        match outcome {
            Outcome::Found => self.counts[0] += 1,
            Outcome::Clean => self.counts[1] += 1,
            Outcome::Undecided => self.counts[2] += 1,
        }
        if outcome == Outcome::Clean {
            self.unreached += usize::from(row.result[REACHED] == false);
            self.unknown += usize::from(is_unknown(&row.result));
        }
        let (moves, found) = in_words(&row.result);
        let width = self.width;
        let line = format!(
            "{:width$}  {:>9}  {moves:>6}  {:>8.2}  {}",
            name(row),
            row.result["states"].as_u64().unwrap_or_default(),
            row.result["seconds"].as_f64().unwrap_or_default(),
            tame(&found)
        );
        match outcome {
            Outcome::Found => format!("{line}\n    {}", tame(&row.command)),
            _ => line,
        }
    }

    /// Whether there are mutants whose change no run reaches.
    pub fn has_unreached(&self) -> bool {
        self.unreached > 0
    }

    /// The last line of the table, with the numbers of mutants.
    pub fn end(&self) -> String {
        let [found, nothing, undecided] = self.counts;
        let part =
            |count: usize, what: &str| (count > 0).then(|| format!("{count} of them {what}"));
        let of_these: Vec<String> = [
            part(self.unreached, "change what no run of this size comes to"),
            part(self.unknown, "may do so, which is not known"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let of_these =
            if of_these.is_empty() { String::new() } else { format!(" ({})", of_these.join(", ")) };
        let all = counted(found + nothing + undecided, "mutant");
        format!(
            "{all}: {found} found, {nothing} without a finding{of_these}, {undecided} undecided"
        )
    }
}

/// The name of the mutant that was explored.
fn name(row: &Row) -> &str {
    row.result["mutant"].as_str().unwrap_or_default()
}

/// Writes explorations that were stored: their JSON, or a table for each protocol and size, by the commands that repeat them.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(rows: &[Row], is_json: bool, out: &mut dyn Write) -> io::Result<Outcome> {
    let size = |row: &Row| row.command.replace(&format!(" --mutant {}", name(row)), "");
    let mut outcome = Outcome::Clean;
    for part in rows.chunk_by(|one, next| size(one) == size(next)) {
        let mut table = Table { width: width(part.iter().map(name)), ..Table::default() };
        let lines: Vec<String> = part.iter().map(|row| table.add(row)).collect();
        outcome = outcome.max(table.outcome);
        if is_json {
            part.iter().try_for_each(|row| writeln!(out, "{}", row.result))?;
            continue;
        }
        writeln!(out, "{}\n{}", tame(&size(&part[0])), table.heading())?;
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "{}", table.end())?;
    }
    Ok(outcome)
}

/// Whether it is unknown if a run reaches the change of the mutant.
fn is_unknown(result: &Value) -> bool {
    result.get(REACHED).is_some_and(Value::is_null)
}

/// Text that follows the outcome of a mutant without a finding, if no run is known to reach its change.
fn unreached(result: &Value) -> &'static str {
    match &result[REACHED] {
        Value::Bool(false) => ": no run that was looked at comes to what the mutant changes",
        _ if is_unknown(result) => {
            ": no run that was looked at takes a transition that the mutant changes, but it changes more"
        }
        _ => "",
    }
}

/// The number of moves of the run to the finding, and the finding, in words.
fn in_words(result: &Value) -> (String, String) {
    let text = |key: &str| result[key].as_str().unwrap_or_default();
    match text("outcome") {
        "clean" => (String::new(), format!("nothing{}", unreached(result))),
        "unproved" => {
            let missed = result["missed"].as_f64().unwrap_or_default();
            (
                String::new(),
                format!("nothing, but states were missed with probability {missed:.1e}"),
            )
        }
        "stopped" => {
            let limit = match text("stopped") {
                "states" => "limit of states",
                "memory" => "memory limit",
                _ => "time limit",
            };
            (String::new(), format!("undecided, the {limit} came first{}", unreached(result)))
        }
        _ => {
            let found = &result["found"];
            let moves = found["steps"].as_array().map_or(0, Vec::len);
            (moves.to_string(), found["what"].as_str().unwrap_or_default().to_owned())
        }
    }
}
