//! The table of verdicts as Markdown, short enough for the comment of a pull request.

use std::path::Path;

use lab::verdicts::{self, Group, groups};
use tables::VerdictRow;
use tables::escape::markdown;

use super::table::name;
use crate::error::Error;
use crate::files;

/// Most histories that the table lists.
const MOST: usize = 50;

/// Writes how many traces are wrong, and the table, with the violations first.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(super) fn write(path: &Path, rows: &[VerdictRow]) -> Result<(), Error> {
    let text = text(rows);
    files::create(path, |out| out.write_all(text.as_bytes()).map_err(Error::Output))
}

fn text(rows: &[VerdictRow]) -> String {
    let groups = groups(rows);
    let models = groups.iter().map(|group| &group.rows).max_by_key(|rows| rows.len());
    let models = models.into_iter().flatten().filter_map(|row| row.model.as_deref());
    let mut heads = vec!["trace", "threads", "operations"];
    heads.extend(models);
    heads.push("");
    let width = heads.len();
    let mut text = format!("{}\n\n", totals(rows));
    text += &line(heads.iter().map(|head| (*head).to_owned()));
    text += &format!("|{}\n", "---|".repeat(width));
    text.extend(groups.iter().take(MOST).map(|group| line(cells(group, width).into_iter())));
    match groups.len().saturating_sub(MOST) {
        0 => {}
        more => text += &format!("\nAnd {more} more.\n"),
    }
    text
}

/// The number of traces, and of those that are not consistent, in words.
fn totals(rows: &[VerdictRow]) -> String {
    let folders = verdicts::by_folder(rows);
    let sum = |of: fn(&verdicts::Counts) -> usize| folders.values().map(of).sum::<usize>();
    let traces = sum(|counts| counts.traces);
    let parts = [
        (sum(|counts| counts.violations), "with a violation"),
        (sum(|counts| counts.crashed), "crashed"),
        (sum(|counts| counts.undecided), "undecided"),
        (sum(|counts| counts.errors), "cannot be checked"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("**{count}** {what}")).collect();
    if parts.is_empty() {
        format!("{traces} traces, all of them consistent.")
    } else {
        format!("{traces} traces: {}.", parts.join(", "))
    }
}

/// The cells of a history: its name and size, its verdicts, and where a violation begins or why there is no verdict.
fn cells(group: &Group<'_>, width: usize) -> Vec<String> {
    let first = group.rows[0];
    let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let mut cells =
        vec![name(first), number(first.threads.map(u64::from)), number(first.operations)];
    cells.extend(group.rows.iter().map(|row| row.verdict.clone()));
    cells.resize(width - 1, String::new());
    let line = group.rows.iter().find_map(|row| row.line);
    // A message begins with the file, which the first cell has.
    let named = format!("{}: ", first.file);
    let reasons = group.rows.iter().filter_map(|row| row.reason.as_deref());
    let reason = reasons.map(|reason| reason.strip_prefix(&named).unwrap_or(reason)).next();
    cells.push(match (line, reason) {
        _ if first.crashed => "crashed".to_owned(),
        (Some(line), _) => format!("line {line}"),
        (None, reason) => reason.unwrap_or_default().to_owned(),
    });
    cells
}

/// A line of the table.
fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.map(|cell| markdown(&cell)).collect::<Vec<_>>().join(" | "))
}
