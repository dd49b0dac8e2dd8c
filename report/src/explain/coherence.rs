//! Lists the states of the controllers for the cache lines of a violation, and where caches violated the single-writer,
//! multiple-readers (SWMR) invariant.

mod gaps;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use check::Model;
use history::{History, OpId};
use ingest::{Transition, Transitions};

use super::why;
use crate::picture::{CacheLine, LineRow};

/// Largest number of rows of a cache line: operations, and the transitions nearest to them.
const ROWS: usize = 48;

/// Largest number of transitions that are shown from before the first operation.
const BEFORE: usize = 8;

/// Marks a transition that leaves the controller in the same state.
const STAYS: &str = " (stays)";

/// The largest size of a cache line, in bytes.
const LONGEST_LINE: u64 = 4096;

/// The operations that a state of a cache permits its core, ordered from fewer to more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Loads.
    Read,
    /// Loads and stores.
    Write,
}

impl Permission {
    /// Returns the permission for the name of an access permission in SLICC, such as `Read_Only`; `None` if it permits
    /// neither loads nor stores.
    pub fn from_name(name: &str) -> Option<Permission> {
        match name {
            "Read_Write" => Some(Permission::Write),
            "Read_Only" => Some(Permission::Read),
            _ => None,
        }
    }
}

/// A function that returns what a machine (first argument) in a state (second argument) permits its core. `None` if it
/// permits nothing, if the machine is not a core's own cache, or if the protocol is unknown.
pub type Permissions<'a> = &'a dyn Fn(&str, &str) -> Option<Permission>;

/// Returns tables of the cache lines of operations, from shortly before the first of them was issued until the last had
/// completed.
///
/// If a model with store buffers allows the operations (`allowed_by`) and all caches kept the SWMR invariant, a table
/// shows only the transitions by which the caches of the operations get and lose the line: the order of these explains
/// the violation. Otherwise the protocol may be at fault, and other transitions are shown, too.
pub fn lines(
    history: &History,
    transitions: &Transitions,
    permissions: Permissions<'_>,
    owners: &Owners<'_>,
    ops: &[OpId],
    allowed_by: Option<Model>,
) -> Vec<CacheLine> {
    let bases: BTreeSet<u64> = transitions.iter().map(|it| it.address).collect();
    let base = |op: OpId| {
        let address = history.locations()[history.location(op)? as usize].address;
        let base = bases.range(..=address).next_back()?;
        (address - base < LONGEST_LINE).then_some(*base)
    };
    let mut by_line: BTreeMap<u64, LineOps> = BTreeMap::new();
    for &op in ops {
        if let Some(base) = base(op) {
            by_line.entry(base).or_default().ops.push(op);
        }
    }
    for op in history.ops() {
        let Some(own) = base(op).and_then(|base| by_line.get_mut(&base)) else { continue };
        let operation = history.operation(op);
        own.served.extend(operation.completed);
        if operation.written.is_some() && !own.ops.contains(&op) {
            own.writes.push(op);
        }
    }
    let lines = by_line.into_iter();
    lines
        .map(|(base, ops)| {
            line(history, transitions, permissions, owners, (base, &ops), allowed_by)
        })
        .collect()
}

/// The operations on a cache line.
#[derive(Default)]
struct LineOps {
    /// The operations of the violation.
    ops: Vec<OpId>,
    /// The writes that are not operations of the violation.
    writes: Vec<OpId>,
    /// The ticks at which operations took effect. A transition at such a tick that keeps the controller's state only
    /// serves an operation.
    served: BTreeSet<u64>,
}

fn line(
    history: &History,
    transitions: &Transitions,
    permissions: Permissions<'_>,
    owners: &Owners<'_>,
    (base, LineOps { ops, writes, served }): (u64, &LineOps),
    allowed_by: Option<Model>,
) -> CacheLine {
    let ticks = ops.iter().flat_map(|&op| {
        let operation = history.operation(op);
        [operation.issued, operation.completed]
    });
    let ticks: Vec<u64> = ticks.flatten().collect();
    let first = ticks.iter().copied().min().unwrap_or(0);
    let last = ticks.iter().copied().max().unwrap_or(u64::MAX);
    let own: Vec<Transition<'_>> =
        transitions.iter().filter(|it| it.address == base && it.tick <= last).collect();
    let controllers: BTreeSet<(&str, u32)> =
        own.iter().map(|it| (it.machine, it.version)).collect();
    let controllers: Vec<(&str, u32)> = controllers.into_iter().collect();
    let mut states = vec![String::new(); controllers.len()];
    let mut events: Vec<_> =
        own.iter().map(|it| ((it.tick, 0, u64::from(it.line)), Event::Transition(*it))).collect();
    let is_meanwhile = |op: &&OpId| {
        history.operation(**op).completed.is_some_and(|tick| (first..=last).contains(&tick))
    };
    // The trace line of an operation may be the one that shows its issue. So operations are sorted by the tick at which
    // they took effect, after the transitions of that tick.
    events.extend(ops.iter().chain(writes.iter().filter(is_meanwhile)).map(|&op| {
        let operation = history.operation(op);
        let tick = operation.completed.or(operation.issued).unwrap_or(last);
        let line = operation.line.unwrap_or(0);
        ((tick, 1, line), Event::Operation(op))
    }));
    events.sort_by_key(|event| event.0);
    let mut rows = Vec::new();
    // The rows of operations that read from the store buffer of their own thread, so that no cache has served them.
    let mut buffered = BTreeSet::new();
    for (_, event) in events {
        let mut row = LineRow::default();
        match event {
            Event::Operation(op) => {
                if reads_own_buffer(history, op) {
                    buffered.insert(rows.len());
                }
                row.is_other = !ops.contains(&op);
                row.tick = history.operation(op).completed;
                row.line = history.line(op);
                row.what = format!("{} {}", why::label(history, op), history.describe(op));
                let owner = owners.get(&history.thread_of(op));
                row.served_by = owner.and_then(|owner| controllers.binary_search(owner).ok());
                let values = history.operation(op);
                row.value = values.written.or(values.read).map(|value| format!("{value:#x}"));
            }
            Event::Transition(it) => {
                let at = controllers.binary_search(&(it.machine, it.version)).unwrap_or(0);
                states[at] = it.next_state.to_owned();
                if it.state == it.next_state && served.contains(&it.tick) {
                    continue;
                }
                let stays = if it.state == it.next_state { STAYS } else { "" };
                row.tick = Some(it.tick);
                row.line = Some(it.line.into());
                row.what = format!("{} {}: {}{stays}", it.machine, it.version, it.event);
                row.changed = Some(at);
            }
        }
        row.states.clone_from(&states);
        row.conflicting = conflicting(&controllers, &states, permissions);
        rows.push(row);
    }
    let violation = rows.iter().find(|row| !row.conflicting.is_empty());
    let finding = violation.map(|row| holders(row, &controllers, base));
    let mut swmr_violation = violation.map(|row| swmr_violation(row, &controllers));
    let cause = cause(&rows);
    if let (Some(at), Some(told)) = (cause, &mut swmr_violation) {
        rows[at].is_cause = true;
        *told += &kept(&rows[at]);
    }
    let threads = ops.iter().map(|&op| history.thread_of(op));
    let own = threads.filter_map(|thread| controllers.binary_search(owners.get(&thread)?).ok());
    let own: BTreeSet<usize> = own.collect();
    let held = allowed_by.filter(|_| swmr_violation.is_none()).and_then(|model| {
        Some((model, possession(&rows, &buffered, &controllers, permissions, &own)?))
    });
    let (rows, allowed_by) = match held {
        Some((model, kept)) => (gaps::marked(rows, &kept), Some(model.to_string())),
        None => {
            let is_before = |row: &&LineRow| row.changed.is_some() && row.tick < Some(first);
            let before = rows.iter().take_while(is_before).count();
            let begins = before.saturating_sub(BEFORE).min(cause.unwrap_or(usize::MAX));
            let kept = nearest(&rows, begins, &own);
            (gaps::marked(rows, &kept), None)
        }
    };
    let left_out = rows.iter().map(|row| row.left_out).sum();
    CacheLine {
        title: format!("Cache line {base:#x}: the states of its controllers"),
        controllers: controllers
            .iter()
            .map(|own| {
                let cores = owners.iter().filter(|(_, owner)| *owner == own);
                let cores =
                    cores.map(|(thread, _)| format!("T{}", history.threads()[*thread].label));
                let cores: Vec<String> = cores.collect();
                let cores = if cores.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", cores.join(", "))
                };
                format!("{} {}{cores}", own.0, own.1)
            })
            .collect(),
        rows,
        left_out,
        allowed_by,
        swmr_violation,
        finding,
    }
}

/// Returns the rows that show when the caches of the operations may use the line: the operations, the transitions by
/// which each operation's cache got the line before, and, from the first operation on, those by which these caches lose
/// the line and any cache gets the permission to write it. `buffered` holds the rows of operations that no cache has
/// served. Returns `None` if it is unknown which cache served another operation, or if a cache served an operation
/// without having got the line.
fn possession(
    rows: &[LineRow],
    buffered: &BTreeSet<usize>,
    controllers: &[Cache<'_>],
    permissions: Permissions<'_>,
    own: &BTreeSet<usize>,
) -> Option<BTreeSet<usize>> {
    let permission = |row: usize, at: usize| permissions(controllers[at].0, &rows[row].states[at]);
    // For each row, the permissions of its controller before and after it.
    let mut latest = vec![None; controllers.len()];
    let mut changes = Vec::new();
    for (row, it) in rows.iter().enumerate() {
        changes.push(it.changed.map(|at| {
            let after = permission(row, at);
            (std::mem::replace(&mut latest[at], after), after)
        }));
    }
    let first = rows.iter().position(LineRow::is_of_violation)?;
    let mut kept = BTreeSet::new();
    for row in first..rows.len() {
        if rows[row].is_other {
            continue;
        }
        let Some(at) = rows[row].changed else {
            kept.insert(row);
            if !buffered.contains(&row) {
                kept.extend(getting(rows, &changes, row)?);
            }
            continue;
        };
        let (before, after) = changes[row]?;
        let is_lost = after < before && own.contains(&at);
        let is_got = after > before && after == Some(Permission::Write);
        if is_lost || is_got {
            kept.insert(row);
        }
    }
    Some(kept)
}

/// Returns the transitions by which the cache of an operation, given by its row, got the line: those that changed the
/// cache's state since it last lost the line. `None` if there are none.
fn getting(
    rows: &[LineRow],
    changes: &[Option<(Option<Permission>, Option<Permission>)>],
    operation: usize,
) -> Option<BTreeSet<usize>> {
    let cache = rows[operation].served_by?;
    let own = (0..operation).rev().filter(|&row| rows[row].changed == Some(cache));
    let is_loss = |row: usize| changes[row].is_some_and(|(before, after)| after < before);
    let since = own.take_while(|&row| !is_loss(row));
    let since: BTreeSet<usize> = since.filter(|&row| !rows[row].what.ends_with(STAYS)).collect();
    (!since.is_empty()).then_some(since)
}

/// Whether an operation reads a value that was overwritten in memory before the operation was issued: a stale value,
/// which a correct protocol prevents.
pub(super) fn reads_late(history: &History, op: OpId) -> bool {
    let own = history.operation(op);
    let (Some(read), Some(issued)) = (own.read, own.issued) else { return false };
    let writes = history.ops().filter(|&it| history.location(it) == own.location);
    let mut writes: Vec<(u64, u64)> = writes
        .filter_map(|it| {
            let write = history.operation(it);
            Some((write.completed?, write.written?))
        })
        .collect();
    writes.sort_unstable();
    let source = writes.iter().position(|(_, written)| *written == read);
    let next = writes.get(source.map_or(0, |at| at + 1));
    next.is_some_and(|(tick, _)| *tick < issued)
}

/// Whether an operation reads a value that its own thread wrote and that reached memory only later.
fn reads_own_buffer(history: &History, op: OpId) -> bool {
    let own = history.operation(op);
    let mut before = history.thread_ops(history.thread_of(op)).take_while(|&it| it < op);
    own.read.is_some()
        && before.any(|it| {
            let write = history.operation(it);
            (write.location, write.written) == (own.location, own.read)
                && write.completed.is_none_or(|tick| own.completed.is_some_and(|own| own < tick))
        })
}

/// A cache: a machine and its number.
type Cache<'a> = (&'a str, u32);

/// The caches of threads, by the thread's index.
pub type Owners<'a> = BTreeMap<usize, Cache<'a>>;

/// How many times the operations of each thread, by its index, completed when a cache took a transition for their line.
type Coincidences<'a> = BTreeMap<usize, BTreeMap<Cache<'a>, usize>>;

/// Returns the cache that serves each thread: the cache that takes transitions for a line at the ticks at which the
/// thread's operations on the line complete, or one tick before, if that fits more operations. (RubricTester's cores
/// receive responses one tick after Ruby has performed the request.) A thread has no cache here if none fits more of
/// its operations than all others together.
pub fn owners<'a>(
    history: &History,
    transitions: &'a Transitions,
    permissions: Permissions<'_>,
) -> Owners<'a> {
    let mut core_caches: BTreeMap<&str, bool> = BTreeMap::new();
    for it in transitions.iter() {
        let is_known = core_caches.entry(it.machine).or_default();
        *is_known = *is_known || permissions(it.machine, it.next_state).is_some();
    }
    let mut taken: BTreeMap<u64, Vec<(u64, Cache<'_>)>> = BTreeMap::new();
    for it in transitions.iter().filter(|it| core_caches.get(it.machine) == Some(&true)) {
        taken.entry(it.tick).or_default().push((it.address, (it.machine, it.version)));
    }
    let delays = [0, 1].map(|delay| coincidences(history, &taken, delay));
    let fitting = |counts: &Coincidences<'_>| -> usize {
        counts.values().filter_map(|caches| caches.values().max()).sum()
    };
    // Of delays that fit equally well, `max_by_key` takes the last, which is 0.
    let counts = delays.into_iter().rev().max_by_key(fitting).unwrap_or_default();
    let most = counts.into_iter().filter_map(|(thread, caches)| {
        let all: usize = caches.values().sum();
        let (cache, most) = caches.into_iter().max_by_key(|(_, count)| *count)?;
        (2 * most > all).then_some((thread, cache))
    });
    most.collect()
}

/// Counts the transitions that each cache took for the line of an operation `delay` ticks before it completed. `taken`
/// holds the transitions by tick, each with the address of its line.
fn coincidences<'a>(
    history: &History,
    taken: &BTreeMap<u64, Vec<(u64, Cache<'a>)>>,
    delay: u64,
) -> Coincidences<'a> {
    let mut counts = Coincidences::new();
    for op in history.ops() {
        let Some(location) = history.location(op) else { continue };
        let address = history.locations()[location as usize].address;
        let tick = history.operation(op).completed.and_then(|tick| tick.checked_sub(delay));
        let own = tick.and_then(|tick| taken.get(&tick)).into_iter().flatten();
        let own =
            own.filter(|(base, _)| address.checked_sub(*base).is_some_and(|it| it < LONGEST_LINE));
        for (_, cache) in own {
            *counts.entry(history.thread_of(op)).or_default().entry(*cache).or_default() += 1;
        }
    }
    counts
}

/// Returns the row of the transition by which a cache kept its permission although another cache got one that excludes
/// it: the last transition of that cache before the SWMR violation, if it kept the state.
fn cause(rows: &[LineRow]) -> Option<usize> {
    let violation = rows.iter().position(|row| !row.conflicting.is_empty())?;
    let others = rows[violation].conflicting.iter();
    let others = others.filter(|at| Some(**at) != rows[violation].changed);
    let last = others.filter_map(|&at| {
        let last = rows[..violation].iter().rposition(|row| row.changed == Some(at))?;
        rows[last].what.ends_with(STAYS).then_some(last)
    });
    last.max()
}

/// Says at which event a cache kept its permission, such as `; L1Cache 1 kept the line at Fwd_GETX (line 241)`.
fn kept(row: &LineRow) -> String {
    let what = row.what.trim_end_matches(STAYS);
    let (controller, event) = what.split_once(": ").unwrap_or((what, ""));
    let line = row.line.map_or(String::new(), |line| format!(" (line {line})"));
    format!("; {controller} kept the line at {event}{line}")
}

/// Names the caches that violate the SWMR invariant, such as `L1Cache 1 in M and L1Cache 2 in M hold line 0x1000 at
/// once`.
fn holders(row: &LineRow, controllers: &[(&str, u32)], base: u64) -> String {
    let names = row.conflicting.iter().map(|&at| {
        let (machine, version) = controllers[at];
        format!("{machine} {version} in {}", row.states[at])
    });
    format!("{} hold line {base:#x} at once", names.collect::<Vec<_>>().join(" and "))
}

/// Returns the controllers that violate the SWMR invariant: all that may read or write, if there are several and one of
/// them may write. Empty if the invariant holds.
fn conflicting(
    controllers: &[(&str, u32)],
    states: &[String],
    permissions: Permissions<'_>,
) -> Vec<usize> {
    let each = controllers.iter().zip(states).enumerate();
    let permitted =
        each.filter_map(|(at, ((machine, _), state))| Some((at, permissions(machine, state)?)));
    let permitted: Vec<(usize, Permission)> = permitted.collect();
    let has_writer = permitted.iter().any(|(_, it)| *it == Permission::Write);
    if !has_writer || permitted.len() < 2 {
        return Vec::new();
    }
    permitted.into_iter().map(|(at, _)| at).collect()
}

/// Describes a violation, such as `SWMR violation from tick 1058 (line 538): L1Cache 1 in M, L1Cache 2 in M`.
fn swmr_violation(row: &LineRow, controllers: &[(&str, u32)]) -> String {
    let holders = row.conflicting.iter().map(|&at| {
        let (machine, version) = controllers[at];
        format!("{machine} {version} in {}", row.states[at])
    });
    let holders: Vec<String> = holders.collect();
    let line = row.line.map_or(String::new(), |line| format!(" (line {line})"));
    let tick = row.tick.unwrap_or(0);
    format!("SWMR violation from tick {tick}{line}: {}", holders.join(", "))
}

/// Returns the rows of the operations of the violation and the rows nearest to them, from `begins` on. Changes in the
/// caches that serve these operations (`own`) come first, since one of them may be the fault at any distance, and so do
/// other writes, without which the changes are hard to follow. A transition that keeps its state counts as farther
/// away: it is less likely to be the fault.
fn nearest(rows: &[LineRow], begins: usize, own: &BTreeSet<usize>) -> BTreeSet<usize> {
    /// The number of rows by which a transition that keeps its state counts as farther away.
    const STAYS_FARTHER: usize = 6;
    let is_operation = |at: &usize| rows[*at].is_of_violation();
    let operations: Vec<usize> = (0..rows.len()).filter(is_operation).collect();
    let room = ROWS.saturating_sub(operations.len());
    let distance = |at: usize| {
        let after = operations.partition_point(|&it| it < at);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let near = near.filter_map(|it| operations.get(it)).map(|it| it.abs_diff(at));
        near.min().unwrap_or(usize::MAX / 2)
    };
    let stays = |at: usize| usize::from(rows[at].what.ends_with(STAYS));
    let is_own = |at: usize| {
        stays(at) == 0 && rows[at].changed.is_none_or(|controller| own.contains(&controller))
    };
    let mut others: Vec<usize> = (begins..rows.len()).filter(|at| !is_operation(at)).collect();
    others.sort_by_cached_key(|&at| {
        let farther = distance(at) + STAYS_FARTHER * stays(at);
        (!rows[at].is_cause, !is_own(at), farther, at)
    });
    others.into_iter().take(room).chain(operations).collect()
}

/// A transition of a controller, or an operation on the line.
enum Event<'a> {
    Transition(Transition<'a>),
    Operation(OpId),
}

/// Writes the tables of cache lines as text.
pub fn words(lines: &[CacheLine]) -> String {
    let mut text = String::new();
    for line in lines {
        let _ = writeln!(text, "\n  {}", line.title);
        if let Some(violation) = &line.swmr_violation {
            let _ = writeln!(text, "    {violation}");
        }
        if let Some(omission) = line.omission() {
            let _ = writeln!(text, "    {omission}");
        }
        for row in &line.rows {
            let number = |it: Option<u64>| it.map_or(String::new(), |it| it.to_string());
            let held =
                line.controllers.iter().zip(&row.states).filter(|(_, state)| !state.is_empty());
            let held: Vec<String> = held.map(|(name, state)| format!("{name} {state}")).collect();
            let mark = if row.is_cause { "  <- keeps the line" } else { "" };
            let place = if row.left_out > 0 {
                String::new()
            } else {
                format!("tick {:>8}  line {:>8}", number(row.tick), number(row.line))
            };
            let _ = writeln!(text, "    {place:28}  {:40} {}{mark}", row.what, held.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests;
