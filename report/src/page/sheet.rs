//! The results as rows for spreadsheets: a number or word a row, so that all sections fit one table.

use serde::Serialize;

use super::Page;
use super::campaign::hints::Hints;
use super::campaign::unmutated::known;
use super::overview::{found, ran};
use super::protocols::compared;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The section: `run`, `found`, `alarm`, `protocol`, `cores`, `claim` or `mutant`.
    pub section: &'static str,
    /// The subject of the row: the label of a summary, the command that reproduces an alarm, a protocol, a protocol and
    /// a kind of core, the id of a claim, or a mutant.
    pub subject: String,
    /// The name of the value, such as `found` or `verdict`.
    pub measure: &'static str,
    /// The value; shares are fractions, times seconds.
    pub value: String,
    /// A remark on the value, such as the statement of a claim or the reason why a mutant is excluded; may be empty.
    pub note: String,
}

fn row(section: &'static str, subject: &str, measure: &'static str, value: String) -> Row {
    Row { section, subject: subject.to_owned(), measure, value, note: String::new() }
}

/// Returns all rows: the summary, the alarms, the protocols, the kinds of cores, the claims, and every mutant with its
/// finders.
pub fn rows(page: &Page<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (section, facts) in [("run", ran(page)), ("found", found(page))] {
        rows.extend(facts.into_iter().map(|fact| row(section, fact.label, "summary", fact.text)));
    }
    for one in page.answers.iter().flat_map(|answers| &answers.alarms.alarms) {
        let mut add =
            |measure, value: String| rows.push(row("alarm", &one.command, measure, value));
        add("protocol", one.protocol.clone());
        add("cores", one.client.clone());
        add("end", one.outcome.to_owned());
        add("violates", one.violates.join(" "));
        add("message", one.message.clone().unwrap_or_default());
        add("known fault", known(one));
    }
    for one in compared(page) {
        let result = &one.result;
        let mut add = |measure, value: String| rows.push(row("protocol", one.name, measure, value));
        if result.mutants > 0 {
            add("mutants", result.mutants.to_string());
            add("excluded", excluded(page, one.name).to_string());
            add("found", result.found.to_string());
            add("share found", share(result.found, result.mutants));
            add("runs until found", number(result.median_run));
            add("operations until detected", number(result.median_operations));
            add("seconds per run", format!("{:.4}", result.seconds / result.runs.max(1) as f64));
        }
        if let Some(reached) = one.reached {
            add("transitions taken", reached.reached.to_string());
            add("transitions reachable", reached.reachable.to_string());
            add("coverage", share(reached.reached as u64, reached.reachable as u64));
        }
        if result.unmutated > 0 {
            add("alarms unmutated", result.alarms.to_string());
        }
    }
    for one in page.answers.iter().flat_map(|answers| &answers.clients) {
        let subject = format!("{} on {}", one.protocol, one.client);
        let mut add = |measure, value: String| rows.push(row("cores", &subject, measure, value));
        add("mutants", one.mutants.to_string());
        add("found", one.found.to_string());
        add("share found", share(one.found, one.mutants));
        add("runs until found", number(one.median_run));
        add("operations until detected", number(one.median_operations));
        add("runs", one.runs.to_string());
    }
    for claim in page.claims {
        let mut add = |measure, value: &str, note: &str| {
            let note = note.to_owned();
            rows.push(Row { note, ..row("claim", claim.id, measure, value.to_owned()) });
        };
        add("verdict", claim.verdict.name(), &claim.statement);
        add("published", &claim.theirs, &format!("{}, {}", claim.paper, claim.place));
        add("ours", &claim.ours, &claim.note);
    }
    if let Some(answers) = page.answers {
        let hints = Hints::of(answers, page.known);
        for one in &answers.caught {
            let note = one.command.clone();
            let found = row("mutant", &one.mutant, "found by", one.finders.join(" "));
            rows.push(Row { note, ..found });
        }
        for one in &answers.survivors {
            let missed = row("mutant", &one.mutant, "found by", "nothing".to_owned());
            rows.push(Row { note: hints.about(one), ..missed });
        }
        for one in &answers.equivalents {
            let excluded = row("mutant", &one.mutant, "excluded", one.kind.clone());
            rows.push(Row { note: one.reason.clone(), ..excluded });
        }
    }
    rows
}

/// The number of mutants of a protocol that are known to be equivalent, unreachable or harmless.
fn excluded(page: &Page<'_>, protocol: &str) -> usize {
    let all = page.answers.iter().flat_map(|answers| &answers.equivalents);
    all.filter(|one| one.protocol == protocol).count()
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        whole => format!("{:.4}", part as f64 / whole as f64),
    }
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}
