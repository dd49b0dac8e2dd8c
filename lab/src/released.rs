//! The known faults of gem5's released protocols.
//!
//! `fixtures/protocols/released.csv` lists them; each has been checked by reading gem5's source. A fault has a repair
//! (`mutate::repair`), by which [`testing`](crate::testing) recognises what it causes. [`crashes`] recognises faults by the message of a
//! crash, and [`words`] describes them.
//!
//! ```
//! for fault in lab::released::all() {
//!     assert!(!fault.what.is_empty(), "{}", fault.name);
//! }
//! ```

pub mod crashes;
pub mod words;

use std::sync::LazyLock;

use serde::Deserialize;

/// A known fault of a released protocol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Released {
    /// The name of the fault.
    pub name: String,
    /// The protocol, by the name in its `protocol` line.
    pub protocol: String,
    /// The version of gem5 whose files were read.
    pub version: String,
    /// The releases that have it, of those in [`RELEASES`], and the pull requests that brought or removed it:
    /// `25.0.0.0 to 25.1.0.0 (since #1944, removed by #3255)`.
    pub releases: String,
    /// File and line in that version, such as `MESI_Two_Level-L1cache.sm:1275`.
    pub place: String,
    /// What happens, and why.
    pub what: String,
    /// The repair that takes it out, by name; empty if there is none yet.
    pub repair: String,
    /// How a crash shows it, beside the undefined transitions that the repair adds: signs separated by `; ` (see [`crashes`]).
    pub crash: String,
    /// How to see it on a gem5 tree of one's own.
    pub see: String,
    /// How it was shown: `by reading`, `by rubric`, or `by rubric and in gem5 itself`.
    pub shown: String,
}

/// The releases of gem5 whose files were read for the table, the oldest first. Those between two of them (24.1.0.2, 24.1.0.3 and
/// 25.0.0.1) have the protocol files of the one before.
pub const RELEASES: [&str; 5] = ["24.0.0.1", "24.1.0.0", "24.1.0.1", "25.0.0.0", "25.1.0.0"];

impl Released {
    /// Whether a release of [`RELEASES`] has the fault; `None` if the row does not say it.
    pub fn is_in(&self, release: &str) -> Option<bool> {
        let range = self.releases.split(" (").next()?;
        let (first, last) = range.split_once(" to ").unwrap_or((range, range));
        Some((number(first)?..=number(last)?).contains(&number(release)?))
    }
}

/// The parts of the number of a release.
fn number(release: &str) -> Option<Vec<u32>> {
    let parts: Result<Vec<u32>, _> = release.split('.').map(str::parse).collect();
    parts.ok().filter(|parts| parts.len() == 4)
}

static ALL: LazyLock<Vec<Released>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(fixtures::RELEASED.as_bytes()).into_deserialize();
    // A table that cannot be read has no rows; a test reads it.
    rows.collect::<Result<Vec<Released>, csv::Error>>().unwrap_or_default()
});

/// The known faults, protocol by protocol.
pub fn all() -> &'static [Released] {
    &ALL
}

/// The faults that a repair takes out.
pub fn of_repair(repair: &str) -> impl Iterator<Item = &'static Released> {
    all().iter().filter(move |fault| fault.repair == repair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mutate::repair;

    #[test]
    fn the_table_can_be_read_and_names_repairs_that_exist() {
        let rows = csv::Reader::from_reader(fixtures::RELEASED.as_bytes()).into_deserialize();
        let read: Vec<Released> = rows.collect::<Result<_, csv::Error>>().unwrap();
        assert_eq!(read, all());
        for fault in &read {
            let found = repair::find(&fault.repair);
            assert!(
                fault.repair.is_empty() || found.is_some_and(|one| one.protocol == fault.protocol),
                "{}",
                fault.name
            );
            let with = RELEASES.map(|release| fault.is_in(release));
            assert!(with.contains(&Some(true)), "{}: {}", fault.name, fault.releases);
        }
    }

    #[test]
    fn every_repair_is_of_a_released_fault() {
        for repair in repair::all() {
            let mut faults = of_repair(&repair.name);
            assert!(faults.any(|fault| fault.protocol == repair.protocol), "{}", repair.name);
        }
    }
}
