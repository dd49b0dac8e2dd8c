//! Coverage of a protocol's transition table: one definition for everything that prints it.
//!
//! - The *table* has the transitions of the machines in the system, except those that stall, since a stalled event takes no
//!   transition.
//! - *Reachable* are those that are not known to be unreachable, for example because they need a device that is not simulated, and
//!   those that a run took. For a protocol without such knowledge, all are reachable.
//! - *Reached* are those that a run took.
//!
//! ```
//! use tables::reached::Reached;
//!
//! let mut reached = Reached::default();
//! (0..98).for_each(|number| reached.add(number < 56, false));
//! (0..4).for_each(|_| reached.add(false, true));
//! assert_eq!(reached.to_string(), "57.1 % of reachable (56 of 98; 54.9 % of the table's 102)");
//! assert_eq!(reached.brief(), "56 of 98 (102)");
//! ```
//!
//! If no transition is known to be unreachable, only the share of the table is shown: `54.9 % of the table (56 of
//! 102)`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::Coverage;

/// The number of transitions reached, reachable, and in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reached {
    /// The transitions that a run took.
    pub reached: usize,
    /// The transitions that are not known to be unreachable, and those that a run took.
    pub reachable: usize,
    /// All transitions of the table that do not stall.
    pub table: usize,
}

impl Reached {
    /// Adds a transition of the table that does not stall. `is_excluded` says that the transition is known to be
    /// unreachable, which is ignored if a run took it.
    pub fn add(&mut self, is_taken: bool, is_excluded: bool) {
        self.reached += usize::from(is_taken);
        self.reachable += usize::from(is_taken || !is_excluded);
        self.table += 1;
    }

    /// The coverage of rows. `is_excluded` is true of transitions that are known to be unreachable.
    pub fn of<'a>(
        rows: impl IntoIterator<Item = &'a Coverage>,
        is_excluded: impl Fn(&Coverage) -> bool,
    ) -> Reached {
        let mut reached = Reached::default();
        for row in rows.into_iter().filter(|row| !row.stalls) {
            reached.add(row.count > 0, is_excluded(row));
        }
        reached
    }

    /// The coverage for a column of a table, such as `56 of 98 (102)`: reached, reachable, and the size of the table unless all of it
    /// counts as reachable.
    pub fn brief(&self) -> String {
        if self.reachable == self.table {
            format!("{} of {}", self.reached, self.table)
        } else {
            format!("{} of {} ({})", self.reached, self.reachable, self.table)
        }
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reached { reached, reachable, table } = *self;
        let percent = |of: usize| 100.0 * reached as f64 / of.max(1) as f64;
        if reachable == table {
            return write!(f, "{:.1} % of the table ({reached} of {table})", percent(table));
        }
        write!(
            f,
            "{:.1} % of reachable ({reached} of {reachable}; {:.1} % of the table's {table})",
            percent(reachable),
            percent(table)
        )
    }
}

/// The coverage of a machine of a protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MachineCoverage {
    /// The protocol.
    pub protocol: String,
    /// The machine.
    pub machine: String,
    /// The transitions that do not stall.
    #[serde(flatten)]
    pub reached: Reached,
    /// The number of entries of the table that stall, without those that are known to be unreachable.
    pub stalls: usize,
    /// The number of stalling entries that runs met.
    pub stalls_met: usize,
    /// The events of each state whose transitions no run took although they are not known to be unreachable.
    pub never: BTreeMap<String, Vec<String>>,
}

impl MachineCoverage {
    /// The coverage of each machine, in the order of the rows, in which those of a machine are together. `is_excluded` is true of
    /// transitions that are known to be unreachable.
    pub fn of(rows: &[Coverage], is_excluded: impl Fn(&Coverage) -> bool) -> Vec<MachineCoverage> {
        let machines = rows.chunk_by(|a, b| a.protocol == b.protocol && a.machine == b.machine);
        machines.map(|rows| MachineCoverage::of_one(rows, &is_excluded)).collect()
    }

    fn of_one(rows: &[Coverage], is_excluded: &impl Fn(&Coverage) -> bool) -> MachineCoverage {
        let counts = |row: &&Coverage| row.count > 0 || !is_excluded(row);
        let stalls: Vec<&Coverage> = rows.iter().filter(|row| row.stalls).filter(counts).collect();
        let mut never: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in rows.iter().filter(|row| !row.stalls && row.count == 0).filter(counts) {
            never.entry(row.state.clone()).or_default().push(row.event.clone());
        }
        MachineCoverage {
            protocol: rows.first().map_or_else(String::new, |row| row.protocol.clone()),
            machine: rows.first().map_or_else(String::new, |row| row.machine.clone()),
            reached: Reached::of(rows, is_excluded),
            stalls_met: stalls.iter().filter(|row| row.count > 0).count(),
            stalls: stalls.len(),
            never,
        }
    }
}

/// For example `88.9 % of reachable (40 of 45; 78.4 % of the table's 51); of 6 that stall 2 were met`.
impl fmt::Display for MachineCoverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MachineCoverage { reached, stalls, stalls_met, .. } = self;
        match stalls {
            0 => write!(f, "{reached}"),
            stalls => write!(f, "{reached}; of {stalls} that stall {stalls_met} were met"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(stalls: bool, count: u64, unreached: Option<&str>) -> Coverage {
        Coverage { stalls, count, unreached: unreached.map(str::to_owned), ..Coverage::default() }
    }

    #[test]
    fn what_stalls_does_not_count_and_what_was_taken_is_reachable() {
        let rows = [
            row(false, 3, None),
            row(false, 0, None),
            row(false, 0, Some("needs DMA")),
            row(false, 1, Some("rare, it was thought")),
            row(true, 9, None),
            row(true, 0, Some("needs DMA")),
        ];
        let reached = Reached::of(&rows, |row| row.unreached.is_some());
        let expected = Reached { reached: 2, reachable: 3, table: 4 };
        assert_eq!(reached, expected);
    }

    #[test]
    fn machines_are_summed_up_apart() {
        let of = |machine: &str, state: &str, row: Coverage| Coverage {
            machine: machine.to_owned(),
            state: state.to_owned(),
            event: "Load".to_owned(),
            ..row
        };
        let rows = [
            of("L1Cache", "I", row(false, 3, None)),
            of("L1Cache", "M", row(false, 0, None)),
            of("L1Cache", "IM", row(true, 2, None)),
            of("L1Cache", "MI", row(true, 0, Some("impossible"))),
            of("Directory", "I", row(false, 0, Some("needs DMA"))),
        ];
        let machines = MachineCoverage::of(&rows, |row| row.unreached.is_some());
        let shown: Vec<String> = machines.iter().map(ToString::to_string).collect();
        let expected = [
            "50.0 % of the table (1 of 2); of 1 that stall 1 were met",
            "0.0 % of reachable (0 of 0; 0.0 % of the table's 1)",
        ];
        assert_eq!(shown, expected);
        assert_eq!(machines[0].never["M"], ["Load"]);
        assert!(machines[1].never.is_empty());
    }

    #[test]
    fn an_empty_table_divides_nothing() {
        assert_eq!(Reached::default().to_string(), "0.0 % of the table (0 of 0)");
    }

    #[test]
    fn without_unreachable_transitions_only_the_table_is_named() {
        let reached = Reached { reached: 56, reachable: 102, table: 102 };
        assert_eq!(reached.to_string(), "54.9 % of the table (56 of 102)");
        assert_eq!(reached.brief(), "56 of 102");
    }
}
