//! What controllers did with the cache lines of a violation, around it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use history::{History, OpId};
use ingest::{Transition, Transitions};
use report::picture::{CacheLine, LineRow};

use super::worded;
use crate::check::why;

/// Rows of a cache line that are shown; earlier ones are left out.
const ROWS: usize = 48;

/// Transitions that are shown from before the first operation.
const BEFORE: usize = 8;

/// How far from the beginning of its cache line a location is at most.
const LONGEST_LINE: u64 = 4096;

/// The cache lines of operations, from shortly before the first of them was issued until the last had completed.
pub(super) fn lines(history: &History, transitions: &Transitions, ops: &[OpId]) -> Vec<CacheLine> {
    let bases: BTreeSet<u64> = transitions.iter().map(|it| it.address).collect();
    let mut by_line: BTreeMap<u64, Vec<OpId>> = BTreeMap::new();
    for &op in ops {
        let address = history
            .location(op)
            .map(|at| history.locations()[at as usize].address);
        let base = address.and_then(|address| {
            let base = bases.range(..=address).next_back()?;
            (address - base < LONGEST_LINE).then_some(*base)
        });
        if let Some(base) = base {
            by_line.entry(base).or_default().push(op);
        }
    }
    let lines = by_line.into_iter();
    lines
        .map(|(base, ops)| line(history, transitions, base, &ops))
        .collect()
}

fn line(history: &History, transitions: &Transitions, base: u64, ops: &[OpId]) -> CacheLine {
    let ticks = ops.iter().flat_map(|&op| {
        let operation = history.operation(op);
        [operation.issued, operation.completed]
    });
    let ticks: Vec<u64> = ticks.flatten().collect();
    let first = ticks.iter().copied().min().unwrap_or(0);
    let last = ticks.iter().copied().max().unwrap_or(u64::MAX);
    let own: Vec<Transition<'_>> = transitions
        .iter()
        .filter(|it| it.address == base && it.tick <= last)
        .collect();
    let controllers: BTreeSet<(&str, u32)> =
        own.iter().map(|it| (it.machine, it.version)).collect();
    let controllers: Vec<(&str, u32)> = controllers.into_iter().collect();
    let mut states = vec![String::new(); controllers.len()];
    let mut events: Vec<(u64, Event<'_>)> = own
        .iter()
        .map(|it| (u64::from(it.line), Event::Transition(*it)))
        .collect();
    events.extend(
        ops.iter()
            .filter_map(|&op| Some((history.line(op)?, Event::Operation(op)))),
    );
    events.sort_by_key(|event| event.0);
    let mut rows = Vec::new();
    for (_, event) in events {
        let mut row = LineRow::default();
        match event {
            Event::Operation(op) => {
                row.tick = history.operation(op).completed;
                row.line = history.line(op);
                row.what = format!("{} {}", why::label(history, op), history.describe(op));
            }
            Event::Transition(it) => {
                let at = controllers
                    .binary_search(&(it.machine, it.version))
                    .unwrap_or(0);
                states[at] = it.next_state.to_owned();
                if it.state == it.next_state {
                    continue;
                }
                row.tick = Some(it.tick);
                row.line = Some(it.line.into());
                row.what = format!("{} {}: {}", it.machine, it.version, it.event);
                row.changed = Some(at);
            }
        }
        row.states.clone_from(&states);
        rows.push(row);
    }
    let is_before = |row: &&LineRow| row.changed.is_some() && row.tick < Some(first);
    let before = rows.iter().take_while(is_before).count();
    let left_out = before
        .saturating_sub(BEFORE)
        .max(rows.len().saturating_sub(ROWS));
    rows.drain(..left_out);
    CacheLine {
        title: format!("Cache line {base:#x}: the states of its controllers"),
        controllers: controllers
            .iter()
            .map(|(machine, version)| format!("{machine} {version}"))
            .collect(),
        rows,
        left_out,
    }
}

/// What changes who holds a line, or looks at it.
enum Event<'a> {
    Transition(Transition<'a>),
    Operation(OpId),
}

/// The same in words.
pub(super) fn words(lines: &[CacheLine]) -> String {
    worded(|out| {
        for line in lines {
            writeln!(out, "\n  {}", line.title)?;
            if line.left_out > 0 {
                writeln!(
                    out,
                    "    {} earlier transitions are left out",
                    line.left_out
                )?;
            }
            for row in &line.rows {
                let number = |it: Option<u64>| it.map_or(String::new(), |it| it.to_string());
                let held = line
                    .controllers
                    .iter()
                    .zip(&row.states)
                    .filter(|(_, state)| !state.is_empty());
                let held: Vec<String> = held
                    .map(|(name, state)| format!("{name} {state}"))
                    .collect();
                writeln!(
                    out,
                    "    tick {:>8}  line {:>8}  {:40} {}",
                    number(row.tick),
                    number(row.line),
                    row.what,
                    held.join(", ")
                )?;
            }
        }
        Ok(())
    })
}
