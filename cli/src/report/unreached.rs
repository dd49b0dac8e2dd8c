//! Transitions that no run of a protocol can take, which coverage does not count.

use mutate::unreached::{self, Asked};
use report::page::Unreached;
use tables::Coverage;

use lab::protocols::Opened;

/// Returns the unreachable transitions of the protocols in a table of coverage. If a table of an older version does not have
/// them, they are taken from the protocols' files, if these still exist.
pub(super) fn of(coverage: &[Coverage]) -> Vec<Unreached> {
    let mut all = Vec::new();
    for rows in coverage.chunk_by(|a, b| a.protocol == b.protocol) {
        let known = rows.iter().filter_map(Unreached::of);
        let before = all.len();
        all.extend(known);
        if all.len() == before {
            all.extend(in_files(&rows[0].protocol));
        }
    }
    all
}

fn in_files(given: &str) -> Vec<Unreached> {
    let Ok(opened) = Opened::new(given, None) else {
        return Vec::new();
    };
    let entries = unreached::of(&opened.protocol, Asked::default()).into_iter();
    let told = entries.map(|(place, reason)| Unreached {
        protocol: opened.given.clone(),
        machine: place.machine,
        state: place.state,
        event: place.event,
        reason,
    });
    told.collect()
}
