//! Human-readable report of a comparison.

use std::io::{self, Write};

use slicc::difference::{MachineDifference, NameChanges, TableRow, TransitionDifference};
use slicc::outline::TableEntry;

use super::Compared;
use crate::protocols::Opened;
use crate::testing::options::Options;
use crate::testing::text::{
    Explain, extent, first_found, given_up, kinds_of_cores, occurrence, repaired, shown, untried,
};
use crate::testing::{Explored, Finding, Known};
use crate::text::{counted, tame};

/// Writes the report. `explain` shows the violation of a part.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(
    compared: &Compared,
    options: &Options,
    explain: Explain<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    tables(compared, out)?;
    writeln!(out, "\n{}", headline(compared, options))?;
    for line in coverage(compared) {
        writeln!(out, "  {line}")?;
    }
    for (system, extents) in explored(compared) {
        writeln!(out, "  explored {system}: {extents}")?;
    }
    group("only the new version has", &compared.only_new, explain, out)?;
    group("only the old version has", &compared.only_old, explain, out)?;
    if !compared.both.is_empty() {
        writeln!(out, "\n{} that both versions have", counted(compared.both.len(), "finding"))?;
    }
    for (old, new) in &compared.both {
        let sets = new.known.iter().flat_map(Known::sets).filter(|set| !set.is_empty());
        let sets: Vec<String> = sets.map(|set| set.join(", ")).collect();
        match sets.len() {
            0 => writeln!(out, "  {}", new.signature)?,
            _ => writeln!(out, "  {} (known: {})", new.signature, sets.join("; or "))?,
        }
        writeln!(out, "    old version: {}", occurrence(old))?;
        writeln!(out, "    new version: {}", occurrence(new))?;
        writeln!(out, "    reproduce with: {}", new.command)?;
    }
    match not_reached(compared, options) {
        Some(line) => writeln!(out, "\n{line}"),
        None => Ok(()),
    }
}

/// A sentence about the changed, added and removed transitions that no program took; `None` if there are none.
pub fn not_reached(compared: &Compared, options: &Options) -> Option<String> {
    let all: Vec<u64> = [&compared.reached, &compared.reached_removed]
        .into_iter()
        .flatten()
        .map(|(_, count)| *count)
        .collect();
    let never = all.iter().filter(|count| **count == 0).count();
    let what = format!("{never} of {} transitions that differ", all.len());
    (never > 0).then(|| untried(&what, &[&compared.old, &compared.new], options))
}

/// The extent of the tests in a sentence: programs, kinds of cores, operations, seed and time.
pub fn headline(compared: &Compared, options: &Options) -> String {
    format!(
        "Both versions: {} on each of {}, {} operations, seed {}{}; {:.0} s{}",
        counted(compared.runs as usize, "program"),
        kinds_of_cores(options),
        compared.operations,
        options.seed,
        given_up(compared.given_up),
        compared.elapsed.as_secs_f64(),
        first_found(compared.first_found),
    )
}

/// Lines that say how many of the changed transitions were taken, and which never were: those of the new version that were added or changed,
/// and those of the old version that were removed.
pub fn coverage(compared: &Compared) -> Vec<String> {
    let changed = taken("changed transitions taken", "never taken", &compared.reached);
    let removed = taken(
        "removed transitions taken by the old version",
        "never taken by the old version",
        &compared.reached_removed,
    );
    changed.into_iter().chain(removed).collect()
}

/// Lines that say how many transitions were taken, and which never were.
fn taken(what: &str, never: &str, reached: &[(TableEntry, u64)]) -> Vec<String> {
    if reached.is_empty() {
        return Vec::new();
    }
    let count = reached.iter().filter(|(_, count)| *count > 0).count();
    let mut lines = vec![format!("{what}: {count} of {}", reached.len())];
    let missed = reached.iter().filter(|(_, count)| *count == 0);
    lines.extend(missed.map(|(entry, _)| format!("{never}: {entry}")));
    lines
}

/// The small systems that were explored, each with the extent of the exploration of each version, in words.
pub fn explored(compared: &Compared) -> Vec<(String, String)> {
    // A system for which one version had no time may be missing in it.
    let in_old = |new: &Explored| compared.explored_old.iter().find(|old| old.system == new.system);
    let both = compared.explored_new.iter().map(|new| {
        let (old, new_extent) = (in_old(new).map(extent), extent(new));
        let extents = match old {
            Some(old) if old != new_extent => format!("{new_extent} (old version: {old})"),
            _ => new_extent,
        };
        (new.system.to_string(), extents)
    });
    both.collect()
}

fn group(
    which: &str,
    findings: &[Finding],
    explain: Explain<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match findings.len() {
        0 => writeln!(out, "\nNo findings that {which}")?,
        count => writeln!(out, "\n{} that {which}", counted(count, "finding"))?,
    }
    for finding in findings {
        writeln!(out)?;
        shown(finding, explain, out)?;
    }
    Ok(())
}

/// Writes the names of the two versions, and the differences between their files.
fn tables(compared: &Compared, out: &mut dyn Write) -> io::Result<()> {
    let (old, new) = (tame(&compared.old.given), tame(&compared.new.given));
    let applied = |opened: &Opened| opened.protocol.loaded.repairs.clone();
    let (of_old, of_new) = (applied(&compared.old), applied(&compared.new));
    match of_old == of_new && !of_old.is_empty() {
        true => writeln!(out, "{old} and {new}\n  repaired in both: {}", of_new.join(", "))?,
        false => {
            writeln!(out, "{old}{} and {new}{}", repaired(&compared.old), repaired(&compared.new))?;
        }
    }
    lines(compared).iter().try_for_each(|line| writeln!(out, "  {line}"))
}

const SAME: &str = "no difference but comments, formatting and the order of declarations";

/// The differences between the files, as lines.
pub fn lines(compared: &Compared) -> Vec<String> {
    if compared.difference.is_empty() {
        return vec![SAME.to_owned()];
    }
    let mut lines = names("", &compared.difference.declarations);
    for machine in &compared.difference.machines {
        lines.push(machine.machine.clone());
        lines.extend(machine_lines(machine).into_iter().map(|line| format!("  {line}")));
    }
    lines.iter().map(|line| tame(line)).collect()
}

fn machine_lines(machine: &MachineDifference) -> Vec<String> {
    let mut lines = names("state ", &machine.states);
    lines.extend(names("event ", &machine.events));
    lines.extend(machine.transitions.iter().map(transition));
    lines.extend(names("action ", &machine.actions));
    lines.extend(names("", &machine.declarations));
    lines
}

/// Lines with `- ` before names that only the old version has, `+ ` before those that only the new one has, and `~ ` before names
/// whose content differs.
fn names(kind: &str, changes: &NameChanges) -> Vec<String> {
    let marked = [("-", &changes.removed), ("+", &changes.added), ("~", &changes.changed)];
    let lines = marked
        .into_iter()
        .flat_map(|(mark, names)| names.iter().map(move |name| format!("{mark} {kind}{name}")));
    let renamed = changes.renamed.iter();
    let renamed = renamed.map(|(old, new)| format!("~ {kind}{old}: renamed to {new}"));
    lines.chain(renamed).collect()
}

fn transition(one: &TransitionDifference) -> String {
    let (state, event) = (&one.entry.state, &one.entry.event);
    match (&one.old, &one.new) {
        (None, Some(new)) => format!("+ transition ({state}, {event}){}", row(state, new)),
        (Some(old), None) => format!("- transition ({state}, {event}){}", row(state, old)),
        (Some(old), Some(new)) => {
            format!("~ transition ({state}, {event}): {}", changes(old, new, one).join("; "))
        }
        (None, None) => String::new(),
    }
}

/// A row of the transition table in words: the next state, unless it is the same, and the actions.
fn row(state: &str, row: &TableRow) -> String {
    let next = if row.next == state { String::new() } else { format!(" to {}", row.next) };
    format!("{next} {{{}}}", row.actions.join("; "))
}

/// The differences between two versions of a row, in words.
fn changes(old: &TableRow, new: &TableRow, one: &TransitionDifference) -> Vec<String> {
    let mut changes = Vec::new();
    if old.next != new.next {
        changes.push(format!("to {} instead of {}", new.next, old.next));
    }
    let only = |these: &TableRow, others: &TableRow| -> Vec<String> {
        these.actions.iter().filter(|action| !others.actions.contains(action)).cloned().collect()
    };
    let (removed, added) = (only(old, new), only(new, old));
    if !removed.is_empty() {
        changes.push(format!("without {}", removed.join(", ")));
    }
    if !added.is_empty() {
        changes.push(format!("with {}", added.join(", ")));
    }
    if removed.is_empty() && added.is_empty() && old.actions != new.actions {
        changes.push(format!(
            "{{{}}} instead of {{{}}}",
            new.actions.join("; "),
            old.actions.join("; ")
        ));
    }
    if !one.changed_actions.is_empty() {
        changes.push(format!("other code in {}", one.changed_actions.join(", ")));
    }
    changes
}
