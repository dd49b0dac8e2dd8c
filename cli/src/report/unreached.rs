//! Transitions that no run of a protocol can come to, so that its coverage is not held against it.

use std::collections::BTreeSet;

use report::page::Unreached;
use report::tables::Coverage;
use simulate::mutant::unreached;

use crate::simulate::protocols::Opened;

/// Those of the protocols whose coverage this is. Of one whose files are gone nothing is known.
pub fn of(coverage: &[Coverage]) -> Vec<Unreached> {
    let protocols: BTreeSet<&str> = coverage.iter().map(|row| &*row.protocol).collect();
    let opened = protocols
        .into_iter()
        .filter_map(|given| Opened::new(given, None).ok());
    let all = opened.flat_map(|opened| {
        let entries = unreached::of(&opened.protocol).into_iter();
        entries.map(move |(place, reason)| Unreached {
            protocol: opened.given.clone(),
            machine: place.machine,
            state: place.state,
            event: place.event,
            reason,
        })
    });
    all.collect()
}
