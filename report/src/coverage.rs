//! Coverage of a protocol's transition table: one definition for everything that prints it.
//!
//! The *table* has the transitions of the machines that the system has, but for those that stall: an
//! event that has to wait takes none. Of these the *reachable* ones are those that no reason is known
//! why no run comes to them, such as a device that is not simulated, and any that a run took. Of a
//! protocol that nothing is known about, all are reachable. *Reached* are those that a run took.
//!
//! ```
//! use report::coverage::Reached;
//!
//! let mut reached = Reached::default();
//! (0..98).for_each(|number| reached.add(number < 56, false));
//! (0..4).for_each(|_| reached.add(false, true));
//! assert_eq!(reached.to_string(), "57.1 % of reachable (56 of 98; 54.9 % of the table's 102)");
//! assert_eq!(reached.brief(), "56 of 98 (102)");
//! ```

use std::fmt;

use serde::Serialize;

use tables::Coverage;

/// The number of transitions reached, reachable, and in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// The transitions that a run took.
    pub reached: usize,
    /// The transitions that no known reason excludes, and those that a run took.
    pub reachable: usize,
    /// All transitions of the table that do not stall.
    pub table: usize,
}

impl Reached {
    /// Adds a transition of the table that does not stall: whether a run took it, and whether a reason is
    /// known why none does. What was taken is reachable, whatever was thought.
    pub fn add(&mut self, is_taken: bool, is_excluded: bool) {
        self.reached += usize::from(is_taken);
        self.reachable += usize::from(is_taken || !is_excluded);
        self.table += 1;
    }

    /// The coverage of rows; `is_excluded` is true of rows with a known reason why no run takes them.
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

    /// `56 of 98 (102)`, for a column of a table: reached, reachable, and all of the table.
    pub fn brief(&self) -> String {
        format!("{} of {} ({})", self.reached, self.reachable, self.table)
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reached { reached, reachable, table } = *self;
        let percent = |of: usize| 100.0 * reached as f64 / of.max(1) as f64;
        write!(
            f,
            "{:.1} % of reachable ({reached} of {reachable}; {:.1} % of the table's {table})",
            percent(reachable),
            percent(table)
        )
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
    fn an_empty_table_divides_nothing() {
        let text = Reached::default().to_string();
        assert_eq!(text, "0.0 % of reachable (0 of 0; 0.0 % of the table's 0)");
    }
}
