//! Rows of the table of verdicts, and their summary by folder.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::Path;

use check::engine::proof::Contradiction;
use check::{Answer, Verdict};
use history::{History, OpId};
use tables::VerdictRow;

use crate::load::Input;
use crate::order;

/// The verdict in the row of a file that cannot be checked.
const ERROR: &str = "error";

/// The row of an answer about a history of an input.
pub fn row<H: Borrow<History>>(input: &Input, answer: &Answer<H>) -> VerdictRow {
    let history = answer.history();
    let provenance = &history.provenance;
    let (cycle, first) = cycle(answer.verdict()).unzip();
    VerdictRow {
        history: history.name.clone(),
        model: Some(answer.subject().to_owned()),
        verdict: answer.verdict().word().to_owned(),
        algorithm: Some(answer.algorithm.name().to_owned()),
        decided_by: Some(answer.outcome.decided_by.to_string()),
        threads: Some(history.threads().len() as u32),
        operations: Some(history.operations() as u64),
        locations: Some(history.locations().len() as u64),
        seconds: Some(answer.seconds),
        protocol: provenance.protocol.clone(),
        mutant: provenance.mutant.clone(),
        ended: provenance.ended.clone(),
        crashed: provenance.crash.is_some(),
        cycle: cycle.map(|length| length as u32),
        line: first.flatten().and_then(|op| history.operation(op).line),
        reason: answer.undecided().map(|reason| reason.describe(history)),
        ..of_file(&input.file)
    }
}

/// The row of a file that cannot be checked, or of a history in it.
pub fn unreadable(file: &str, why: &str) -> VerdictRow {
    VerdictRow { verdict: ERROR.to_owned(), reason: Some(why.to_owned()), ..of_file(file) }
}

fn of_file(file: &str) -> VerdictRow {
    let folder = Path::new(file).parent().map(|folder| folder.display().to_string());
    VerdictRow {
        file: file.to_owned(),
        folder: folder.unwrap_or_default(),
        ..VerdictRow::default()
    }
}

/// The length of the cycle of a violation, and its first operation.
fn cycle(verdict: &Verdict) -> Option<(usize, Option<OpId>)> {
    match verdict {
        Verdict::Violation(violation) => match &violation.last()?.end {
            Contradiction::Cycle(edges) => {
                Some((edges.len(), violation.operations(|_| None).first().copied()))
            }
            _ => None,
        },
        Verdict::CriterionViolation(violation) => {
            let operations = violation.operations();
            Some((operations.len(), operations.first().copied()))
        }
        _ => None,
    }
}

/// The [`rank`] of a history that satisfies its model, and whose run did not crash.
pub const CONSISTENT: u8 = 4;

/// The order in which rows are shown: violations and crashes, files that cannot be checked, undecided ones, then the others.
pub fn rank(row: &VerdictRow) -> u8 {
    match row.verdict.as_str() {
        "violation" => 0,
        _ if row.crashed => 1,
        ERROR => 2,
        "undecided" => 3,
        _ => CONSISTENT,
    }
}

/// The rows about one history, or about a file that cannot be read.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The rows, at least one.
    pub rows: Vec<&'a VerdictRow>,
    /// The smallest [`rank`] of a row.
    pub rank: u8,
}

/// The rows by history, histories with violations first; else in the natural order of the files' names.
pub fn groups(rows: &[VerdictRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known = None;
    for row in rows {
        // Histories of a file may have the same name, or none.
        let is_same = |group: &&mut Group<'_>| {
            known == Some((&row.file, &row.history))
                && group
                    .rows
                    .iter()
                    .all(|one| (&one.model, &one.algorithm) != (&row.model, &row.algorithm))
        };
        match groups.last_mut().filter(is_same) {
            Some(group) => {
                group.rank = group.rank.min(rank(row));
                group.rows.push(row);
            }
            None => groups.push(Group { rows: vec![row], rank: rank(row) }),
        }
        known = Some((&row.file, &row.history));
    }
    groups.sort_by(|one, other| {
        let file = |group: &Group<'_>| Path::new(&group.rows[0].file).to_owned();
        one.rank.cmp(&other.rank).then_with(|| order::of_paths(&file(one), &file(other)))
    });
    groups
}

/// The rows, histories with violations first; else in the natural order of the files' names.
pub fn sorted(rows: &[VerdictRow]) -> Vec<VerdictRow> {
    groups(rows).into_iter().flat_map(|group| group.rows).cloned().collect()
}

/// Numbers of traces, each counted once by the worst of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All traces.
    pub traces: usize,
    /// The traces that violate a model.
    pub violations: usize,
    /// The traces whose run crashed, without a violation.
    pub crashed: usize,
    /// The traces that cannot be checked.
    pub errors: usize,
    /// The traces that are undecided.
    pub undecided: usize,
}

impl Counts {
    fn add(&mut self, rank: u8) {
        self.traces += 1;
        match rank {
            0 => self.violations += 1,
            1 => self.crashed += 1,
            2 => self.errors += 1,
            3 => self.undecided += 1,
            _ => {}
        }
    }
}

/// Counts traces by folder, in the order of the folders' names.
pub fn by_folder(rows: &[VerdictRow]) -> BTreeMap<&str, Counts> {
    let mut worst: BTreeMap<(&str, &str), u8> = BTreeMap::new();
    for row in rows {
        let known = worst.entry((&row.folder, &row.file)).or_insert(u8::MAX);
        *known = rank(row).min(*known);
    }
    let mut folders: BTreeMap<&str, Counts> = BTreeMap::new();
    for ((folder, _), rank) in worst {
        folders.entry(folder).or_default().add(rank);
    }
    folders
}
