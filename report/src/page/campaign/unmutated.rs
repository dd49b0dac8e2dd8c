//! Shows the runs of unmutated protocols, and compares guided programs with unguided (blind) ones.

use maud::{Markup, html};

use crate::answers::{Alarm, Answers, Effort};
use crate::numbers::{counted, halves};
use crate::page::cell::Cell;
use crate::page::table::Table;

/// Shows the runs of unmutated protocols, with their alarms and warnings.
pub(super) fn alarms(answers: &Answers) -> Option<Markup> {
    let found = &answers.alarms;
    if found.runs.is_empty() {
        return None;
    }
    let heads = ["Protocol", "Cores", "Model", "Runs", "Violations", "Failures", "Undecided"];
    let mut table = Table::new("Runs of protocols that are not mutated", &heads);
    for one in &found.runs {
        table.push(vec![
            Cell::text(&one.protocol),
            Cell::text(&one.client),
            Cell::text(&one.model.to_uppercase()),
            Cell::count(one.runs),
            Cell::count(one.violations),
            Cell::count(one.failures),
            Cell::count(one.undecided),
        ]);
    }
    let mut alarms = Table::new(
        "Alarms",
        &[
            "Protocol",
            "Cores",
            "Model",
            "End",
            "Violates",
            "Message",
            "Known fault",
            "Reproduce with",
        ],
    );
    for one in &found.alarms {
        alarms.push(vec![
            Cell::text(&one.protocol),
            Cell::text(&one.client),
            Cell::text(&one.model.to_uppercase()),
            Cell::text(one.outcome),
            Cell::text(&one.violates.join(" ")),
            Cell::text(one.message.as_deref().unwrap_or("")),
            Cell::text(&known(one)),
            Cell::code(&one.command),
        ]);
    }
    Some(html! {
        @match found.alarms.len() {
            0 => p { "No run of an unmutated protocol violates what its cores guarantee, and none fails." },
            some => {
                p { strong { (counted(some, "alarm", "alarms")) ": " } "a fault of an unmutated protocol, or of rubric." }
                (alarms.markup())
            },
        }
        (table.markup())
    })
}

/// Names the known faults of gem5's released protocol that explain an alarm, by their repairs; empty if no explanation
/// was searched.
pub(in crate::page) fn known(alarm: &Alarm) -> String {
    match &alarm.known {
        None => String::new(),
        Some(repairs) if repairs.is_empty() => "not known".to_owned(),
        Some(repairs) => repairs.join(", "),
    }
}

/// Shows the number of runs until each generator finds a named mutant, for mutants that both generators ran.
pub(super) fn generators(answers: &Answers) -> Option<Markup> {
    let compared = answers.generators.iter();
    let compared: Vec<_> =
        compared.filter_map(|one| Some((one, one.blind?, one.guided?))).collect();
    if compared.is_empty() {
        return None;
    }
    let heads = ["Bug", "Cores", "Blind, median", "found", "Guided, median", "found", "Gain"];
    let mut table =
        Table::new("Runs until a named bug shows, and in how many repetitions it did", &heads);
    for (one, blind, guided) in compared {
        table.push(vec![
            Cell::code(&one.mutant),
            Cell::text(&one.client),
            median(blind),
            found(blind),
            median(guided),
            found(guided),
            one.gain.map_or_else(
                || Cell::missing("·"),
                |gain| Cell::number(&format!("{gain:.2}"), gain),
            ),
        ]);
    }
    Some(table.markup())
}

fn median(effort: Effort) -> Cell {
    effort.median.map_or_else(|| Cell::missing("·"), |median| Cell::number(&halves(median), median))
}

fn found(effort: Effort) -> Cell {
    let text = format!("{} of {}", effort.detected, effort.repetitions);
    Cell::number(&text, effort.detected as f64)
}
