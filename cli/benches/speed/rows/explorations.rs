//! Rows of explorations.

use super::{Bench, Measure, Row, Work, words};

/// Two caches and two lines, with room for one line a cache.
const SMALL: &str = "--threads 2 --locations 2 --tiny --format json --quiet";

impl Bench {
    /// The rows that explore protocols, on one core and on two.
    pub(super) fn explorations(&self) -> Vec<Row> {
        let row = |protocol: &str, jobs: u32| Row {
            name: format!("explore {protocol}, 2x2, {jobs} threads"),
            unit: "million states/s",
            peer: None,
            command: words(&format!(
                "explore protocol {protocol} {SMALL} --jobs {jobs} --max-states 2M"
            )),
            measure: Measure::Stated,
            work: Work::Printed("states_per_second"),
        };
        ["MI_example", "MESI_Two_Level"]
            .into_iter()
            .flat_map(|protocol| [1, 2].map(|jobs| row(protocol, jobs)))
            .collect()
    }
}
