//! Writes the results as Markdown, short enough for the comment of a pull request.

use std::fmt::Write;

use tables::escape::markdown as markdown_of;

use super::Page;
use super::campaign::hints::Hints;
use super::campaign::unmutated::known;
use super::overview::{Fact, found, ran};
use super::sheet::{Row, rows};
use crate::answers::{Alarm, Answers};

/// Largest number of alarms, and of mutants, that are listed.
const MOST: usize = 20;

/// Writes what was run and found, the alarms, the protocols side by side, the kinds of cores, the claims, and the
/// mutants that nothing found.
pub fn markdown(page: &Page<'_>) -> String {
    let mut text = format!("# {}\n", super::title(page));
    for (title, facts) in [("What was run", ran(page)), ("What was found", found(page))] {
        list(&mut text, title, &facts);
    }
    if let Some(answers) = page.answers {
        alarms(&mut text, answers);
    }
    let rows = rows(page);
    pivot(
        &mut text,
        "Protocols side by side",
        "Protocol",
        rows.iter().filter(|row| row.section == "protocol"),
    );
    pivot(
        &mut text,
        "Mutants that each kind of core found",
        "Protocol and cores",
        rows.iter().filter(|row| row.section == "cores"),
    );
    let tested: Vec<_> = page.claims.iter().filter(|claim| claim.has_numbers()).collect();
    let lines = tested.iter().map(|claim| {
        let verdict = claim.verdict.name().to_owned();
        vec![verdict, claim.statement.clone(), claim.theirs.clone(), claim.ours.clone()]
    });
    table(
        &mut text,
        "Published results and ours",
        &["", "Claim", "Published", "Ours"],
        lines.collect(),
    );
    if let Some(answers) = page.answers {
        let hints = Hints::of(answers, page.known);
        let lines = answers.survivors.iter().take(MOST).map(|one| {
            vec![
                format!("`{}`", one.mutant),
                one.protocol.clone(),
                one.runs.to_string(),
                hints.about(one),
            ]
        });
        let heads = ["Mutant", "Protocol", "Runs", "What would have found it"];
        table(&mut text, "Mutants that nothing found", &heads, lines.collect());
        and_more(&mut text, answers.survivors.len());
    }
    text
}

/// Writes the alarms of unmutated protocols, with the commands that reproduce them.
fn alarms(text: &mut String, answers: &Answers) {
    let all = &answers.alarms.alarms;
    let lines = all.iter().take(MOST).map(|one| {
        let command = format!("`{}`", one.command);
        vec![one.protocol.clone(), one.client.clone(), shown_by(one), known(one), command]
    });
    let heads = ["Protocol", "Cores", "What it shows", "Known fault", "Reproduce with"];
    table(text, "Alarms of protocols that are not mutated", &heads, lines.collect());
    and_more(text, all.len());
}

/// Says how a run ended, with the criteria that it violates or the message of the fault.
fn shown_by(alarm: &Alarm) -> String {
    let violates = (!alarm.violates.is_empty()).then(|| alarm.violates.join(" "));
    let parts = [Some(alarm.outcome.to_owned()), violates, alarm.message.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

/// Says how many lines of a table were left out.
fn and_more(text: &mut String, all: usize) {
    if let more @ 1.. = all.saturating_sub(MOST) {
        *text += &format!("\nAnd {more} more.\n");
    }
}

fn list(text: &mut String, title: &str, facts: &[Fact]) {
    if !facts.is_empty() {
        *text += &format!("\n## {title}\n\n");
    }
    for fact in facts {
        *text += &format!("- **{}**: {}\n", fact.label, escaped(&fact.text));
    }
}

/// Writes a table with a line for each subject and a column for each measure.
fn pivot<'r>(text: &mut String, title: &str, subject: &str, rows: impl Iterator<Item = &'r Row>) {
    let rows: Vec<&Row> = rows.collect();
    let mut measures: Vec<&str> = Vec::new();
    for row in &rows {
        if !measures.contains(&row.measure) {
            measures.push(row.measure);
        }
    }
    let lines = rows.chunk_by(|a, b| a.subject == b.subject).map(|own| {
        let value = |measure: &&str| {
            let row = own.iter().find(|row| row.measure == *measure);
            row.map_or_else(String::new, |row| row.value.clone())
        };
        std::iter::once(own[0].subject.clone()).chain(measures.iter().map(value)).collect()
    });
    let lines: Vec<Vec<String>> = lines.collect();
    let mut heads = vec![subject];
    heads.extend(&measures);
    table(text, title, &heads, lines);
}

fn table(text: &mut String, title: &str, heads: &[&str], lines: Vec<Vec<String>>) {
    if lines.is_empty() {
        return;
    }
    *text +=
        &format!("\n## {title}\n\n| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for line in lines {
        let cells: Vec<String> = line.iter().map(|cell| escaped(cell)).collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// Escapes a text so that nothing in it is taken for markup or the end of a cell. Text in backticks, such as a command,
/// stays as it is, but for the end of a cell.
fn escaped(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // A backtick without its partner would make code of what follows.
        return markdown_of(text);
    }
    let in_code = |part: &str| part.replace(char::is_control, " ").replace('|', "\\|");
    let parts = parts.into_iter().enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { markdown_of(part) } else { in_code(part) });
    parts.collect::<Vec<_>>().join("`")
}
