//! The pairs of writes of one location that a saturated order leaves unordered.

use crate::bounds::Bounds;
use crate::events::Events;
use crate::saturate::Saturation;

/// How often the bounds are looked at, in writes.
const LOOKS: usize = 1024;
/// Bytes that a pair takes, here and in what is built on it.
const BYTES: usize = 200;

/// The unordered pairs of events, by location and ascending rank of neither: the one of lower rank
/// comes first in each. `None` if a bound was met. Cost: for each write O(threads) steps and those
/// of the pairs.
pub fn unordered(saturation: &Saturation<'_>, bounds: &Bounds) -> Option<Vec<(u32, u32)>> {
    let events = saturation.events;
    let rank = saturation.ranks();
    let mut pairs = Vec::new();
    let mut looks = 0usize;
    for location in 0..events.locations() as u32 {
        for (write, others) in intervals(events, saturation, location) {
            looks += 1;
            if looks.is_multiple_of(LOOKS)
                && (bounds.passed() || !bounds.allows(BYTES * pairs.len()))
            {
                return None;
            }
            pairs.extend(others.iter().map(|&other| {
                if rank[write as usize] < rank[other as usize] {
                    (write, other)
                } else {
                    (other, write)
                }
            }));
        }
    }
    bounds.allows(BYTES * pairs.len()).then_some(pairs)
}

/// How many unordered pairs there are. Cost: for each write O(threads) steps.
pub fn count_unordered(saturation: &Saturation<'_>) -> u64 {
    let events = saturation.events;
    let locations = 0..events.locations() as u32;
    let intervals = locations.flat_map(|location| intervals(events, saturation, location));
    intervals.map(|(_, others)| others.len() as u64).sum()
}

/// For each write and each later chain of its location, the writes there that are unordered with
/// it; they follow each other.
fn intervals<'e>(
    events: &'e Events,
    saturation: &Saturation<'e>,
    location: u32,
) -> impl Iterator<Item = (u32, &'e [u32])> {
    let index = &events.write_index;
    let groups = index.groups(location);
    let with_later = groups.iter().enumerate();
    with_later.flat_map(move |(at, group)| {
        let writes = index.members(group).iter();
        writes.flat_map(move |&write| {
            groups[at + 1..].iter().map(move |other| {
                let known = saturation.clock(write)[other.slot as usize];
                let start = index.count_up_to(other, known);
                let rest = &index.members(other)[start..];
                let end = rest.partition_point(|&member| !saturation.precedes(write, member));
                (write, &rest[..end])
            })
        })
    })
}
