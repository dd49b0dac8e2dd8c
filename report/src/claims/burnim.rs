//! Claims of *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models*.

use super::measure::{AtSize, time};
use super::paper::{
    LOCKS_OVERHEAD, MUTUAL_EXCLUSION, PROGRAMS, PublishedClaim, ROUGHLY, STRUCTURES_OVERHEAD,
};
use super::speed::all;
use super::{Decision, Evidence, Missing};
use crate::statistics::{Estimate, mean, median};
use tables::Trial;

/// The experiments: one with up to one preemption, the other with up to two.
const TABLES: [&str; 2] = ["burnim-table1", "burnim-table2"];
/// The algorithm that explores without a monitor.
const ALONE: &str = "explore";
/// The algorithms that explore with a monitor.
const MONITORS: [&str; 2] = ["monitor-tso", "monitor-pso"];

/// The rows of an algorithm about each of the paper's programs, from both tables.
fn rows<'a>(
    results: AtSize<'a>,
    algorithm: &str,
) -> Result<Vec<(&'static str, Vec<&'a Trial>)>, Missing> {
    let all: Vec<&Trial> = TABLES.iter().flat_map(|table| results.rows(table)).collect();
    if all.is_empty() {
        return Err(Missing::Experiment(TABLES[0]));
    }
    let of = |program: &str| {
        let rows = all.iter().filter(|row| row.point == program && row.algorithm == algorithm);
        rows.copied().collect::<Vec<&Trial>>()
    };
    let programs: Vec<_> = PROGRAMS.iter().map(|it| (it.name, of(it.name))).collect();
    match programs.iter().find(|(_, rows)| rows.is_empty()) {
        Some((program, _)) => Err(Missing::Rows(TABLES[0], program)),
        None => Ok(programs),
    }
}

/// The monitor that those of the paper are compared with.
const SOBER: &str = "monitor-sober";

/// What a cell of Tables 1 and 2 counts.
#[derive(Clone, Copy)]
pub(super) enum Cell {
    /// The interleavings that were explored.
    Interleavings,
    /// The distinct violations that the monitor of TSO, or of PSO, found.
    Violations(usize),
}

/// Compares a number of Table 1 or 2, of a program with up to `preemptions`.
pub(super) fn number(
    results: AtSize<'_>,
    stated: PublishedClaim,
    program: &str,
    cell: Cell,
) -> Result<Evidence, Missing> {
    let algorithm = match cell {
        Cell::Interleavings => ALONE,
        Cell::Violations(monitor) => MONITORS[monitor],
    };
    let table = stated.experiment;
    // A table counts only as a whole.
    let all = rows(results, algorithm)?;
    let own = all.into_iter().filter(|(name, _)| *name == program).flat_map(|(_, rows)| rows);
    let rows: Vec<&Trial> = own.filter(|row| row.experiment == table).collect();
    if rows.is_empty() {
        return Err(Missing::Experiment(table));
    }
    if rows.iter().any(|row| row.said.is_cut_off()) {
        return Err(Missing::TimedOut(table));
    }
    let counted = rows.iter().filter_map(|row| match cell {
        Cell::Interleavings => row.nodes,
        Cell::Violations(_) => row.pairs,
    });
    let ours = counted.max().ok_or(Missing::Rows(table, "this number"))?;
    let found = stated.number(
        Estimate::exactly(ours as f64),
        None,
        format!("{table}, size {}.", results.size),
    );
    Ok(match cell {
        Cell::Interleavings => found.because(
            "Here a thread can be preempted before each of its accesses to shared memory. The paper's tool also counts \
             its own scheduling points, and its programs may be longer."
                .to_owned(),
        ),
        Cell::Violations(_) => found,
    })
}

/// Compares SOBER's monitor with that of TSO: how often they signal, and which violations they find.
pub(super) fn sober(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let (ours, theirs) = (rows(results, MONITORS[0])?, rows(results, SOBER)?);
    let (mut told, mut more, mut same) = (Vec::new(), 0, true);
    let (mut fewer, mut pairs) = (false, Vec::new());
    for ((name, ours), (_, theirs)) in ours.iter().zip(&theirs) {
        for table in TABLES {
            let most = |rows: &[&Trial], of: fn(&Trial) -> Option<u64>| {
                let rows = rows.iter().filter(|row| row.experiment == table);
                rows.filter_map(|row| of(row)).max()
            };
            let signals = (most(ours, |row| row.signals), most(theirs, |row| row.signals));
            let (Some(one), Some(other)) = signals else {
                continue;
            };
            let found = [ours, theirs].map(|rows| most(rows, |row| row.pairs).unwrap_or(0));
            same &= (found[0] > 0) == (found[1] > 0);
            if found[0] != found[1] {
                pairs.push(format!("{name} {} against {} ({table})", found[1], found[0]));
            }
            more += usize::from(other > one);
            fewer |= other < one;
            if one.max(other) > 0 {
                told.push(format!("{name} {other} against {one} ({table})"));
            }
        }
    }
    if told.is_empty() {
        return Err(Missing::Rows(TABLES[0], "signals of the monitors"));
    }
    let pairs = match pairs.len() {
        0 => "as many violations".to_owned(),
        _ => format!("violations: {}", pairs.join(", ")),
    };
    Ok(Evidence {
        ours: format!("signals: {}; {pairs}", told.join(", ")),
        holds: (more > 0 && !fewer && same).into(),
        difference: String::new(),
        basis: basis(results),
    })
}

/// The largest number of pairs found in a program, and whether all its interleavings were explored.
fn most(rows: &[&Trial]) -> (u64, bool) {
    let pairs = rows.iter().filter_map(|row| row.pairs);
    let is_whole = !rows.iter().any(|row| row.said.is_cut_off());
    (pairs.max().unwrap_or(0), is_whole)
}

/// The number of pairs by program, as text.
fn listed(counts: &[(&str, u64)]) -> String {
    let words: Vec<String> = counts.iter().map(|(name, pairs)| format!("{name} {pairs}")).collect();
    words.join(", ")
}

/// The experiments that the result rests on, as a sentence.
fn basis(results: AtSize<'_>) -> String {
    let ran = TABLES.iter().filter(|table| results.rows(table).next().is_some());
    let ran: Vec<&str> = ran.copied().collect();
    format!("{}, size {}.", ran.join(" and "), results.size)
}

pub(super) fn none_under_tso(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let mut programs = rows(results, MONITORS[0])?;
    programs.retain(|(name, _)| !MUTUAL_EXCLUSION.contains(name));
    let counts: Vec<(&str, u64)> =
        programs.iter().map(|(name, rows)| (*name, most(rows).0)).collect();
    let with = counts.iter().filter(|(_, pairs)| *pairs > 0).count();
    let is_whole = programs.iter().all(|(_, rows)| most(rows).1);
    Ok(Evidence {
        ours: format!("{with} of {} ({})", counts.len(), listed(&counts)),
        holds: match (with, is_whole) {
            (0, false) => Decision::TimedOut,
            (0, true) => Decision::Yes,
            _ => Decision::No,
        },
        difference: String::new(),
        basis: basis(results),
    })
}

pub(super) fn some_under_pso(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let programs = rows(results, MONITORS[1])?;
    let counts: Vec<(&str, u64)> =
        programs.iter().map(|(name, rows)| (*name, most(rows).0)).collect();
    let with = counts.iter().filter(|(_, pairs)| *pairs > 0).count();
    let is_whole = programs.iter().all(|(_, rows)| most(rows).1 || most(rows).0 > 0);
    Ok(Evidence {
        ours: format!("{with} of {} ({})", counts.len(), listed(&counts)),
        holds: match (with == counts.len(), is_whole) {
            (true, _) => Decision::Yes,
            (false, true) => Decision::No,
            (false, false) => Decision::TimedOut,
        },
        difference: String::new(),
        basis: basis(results),
    })
}

/// Compares the time that both monitors add, as a share of the time of exploring.
pub(super) fn overhead(results: AtSize<'_>) -> Result<Evidence, Missing> {
    let alone = rows(results, ALONE)?;
    let [tso, pso] = [rows(results, MONITORS[0])?, rows(results, MONITORS[1])?];
    // The table with more interleavings gives the more precise times.
    let table = if alone.iter().flat_map(|(_, rows)| rows).any(|row| row.experiment == TABLES[1]) {
        TABLES[1]
    } else {
        TABLES[0]
    };
    let middle = |rows: &[&Trial]| {
        let times = rows.iter().filter(|row| row.experiment == table).filter_map(|row| time(row));
        median(&times.collect::<Vec<Estimate>>())
    };
    let (mut locks, mut structures) = (Vec::new(), Vec::new());
    for (at, (name, rows)) in alone.iter().enumerate() {
        let times = [middle(rows), middle(&tso[at].1), middle(&pso[at].1)];
        let [Some(alone), Some(tso), Some(pso)] = times else {
            return Err(Missing::TimedOut(TABLES[0]));
        };
        let more = (tso.low + pso.low) / alone.low - 2.0;
        let group = if MUTUAL_EXCLUSION.contains(name) { &mut locks } else { &mut structures };
        group.push(Estimate::exactly(more));
    }
    let (Some(locks), Some(structures)) = (mean(&locks), mean(&structures)) else {
        return Err(Missing::TimedOut(TABLES[0]));
    };
    let shown = |share: Estimate| crate::numbers::percent((share.low * 100.0).round() / 100.0);
    Ok(Evidence {
        ours: format!(
            "{} for data structures, {} for mutual exclusion",
            shown(structures),
            shown(locks)
        ),
        holds: all([(structures, STRUCTURES_OVERHEAD), (locks, LOCKS_OVERHEAD)]
            .map(|(ours, theirs)| (ours.low - theirs).abs() <= ROUGHLY * theirs)),
        difference: [
            ("data structures", structures, STRUCTURES_OVERHEAD),
            ("mutual exclusion", locks, LOCKS_OVERHEAD),
        ]
        .into_iter()
        .filter(|(_, ours, theirs)| (ours.low - theirs).abs() > ROUGHLY * theirs)
        .map(|(what, ours, theirs)| {
            let direction = if ours.low > theirs { "higher" } else { "lower" };
            format!("Ours is {direction} for {what}.")
        })
        .collect::<Vec<_>>()
        .join(" "),
        basis: format!(
            "Times of {table}, each the mean of many explorations. A step of a program that is interpreted takes less than one of a C program whose threads are switched, \
             so the same monitor is a larger part of it."
        ),
    })
}
