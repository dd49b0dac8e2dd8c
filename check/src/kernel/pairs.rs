//! Counts and lists the pairs of writes of one location that a saturated order orders or leaves unordered.
//! Initial writes are left out, and each pair counts once, whatever its order.

use history::History;
use host::Bounds;

use crate::engine::saturate::Saturation;

/// Number of groups of unordered pairs between two checks of the bounds.
const CHECK_INTERVAL: usize = 1024;
/// Memory of a pair, here and in the structures that are built from it, in bytes.
const BYTES_PER_PAIR: usize = 200;

/// The number of pairs of writes of one location in a history. Cost: linear.
pub fn write_pairs(history: &History) -> u64 {
    let mut writes = vec![0u64; history.locations().len()];
    for op in history.ops().filter(|&op| history.kind(op).writes()) {
        if let Some(location) = history.location(op) {
            writes[location as usize] += 1;
        }
    }
    writes.iter().map(|&n| n * n.saturating_sub(1) / 2).sum()
}

/// The ordered pairs of writes of one location, as events, the earlier one first. The saturation must be at its
/// fixpoint. Cost: O(threads) for each write, and the number of pairs.
pub fn ordered(saturation: &Saturation<'_>) -> impl Iterator<Item = (u32, u32)> {
    before(saturation)
        .flat_map(|(write, others)| others.iter().map(move |&earlier| (earlier, write)))
}

/// The number of ordered pairs of writes of one location. Cost: O(threads) for each write.
pub fn count_ordered(saturation: &Saturation<'_>) -> u64 {
    before(saturation).map(|(_, others)| others.len() as u64).sum()
}

/// The unordered pairs of writes, as events, grouped by location. In each pair, the event of lower rank comes
/// first. `None` if a bound was met. Cost: O(threads) for each write, and the number of pairs.
pub fn unordered(saturation: &Saturation<'_>, bounds: &Bounds) -> Option<Vec<(u32, u32)>> {
    let events = saturation.events;
    let rank = saturation.ranks();
    let mut pairs = Vec::new();
    let mut checked = 0usize;
    for location in 0..events.locations() as u32 {
        for (write, others) in unordered_at(saturation, location) {
            checked += 1;
            if checked.is_multiple_of(CHECK_INTERVAL)
                && (bounds.passed() || !bounds.allows(BYTES_PER_PAIR * pairs.len()))
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
    bounds.allows(BYTES_PER_PAIR * pairs.len()).then_some(pairs)
}

/// The number of unordered pairs of writes of one location. Cost: O(threads) for each write.
pub fn count_unordered(saturation: &Saturation<'_>) -> u64 {
    let locations = 0..saturation.events.locations() as u32;
    let unordered = locations.flat_map(|location| unordered_at(saturation, location));
    unordered.map(|(_, others)| others.len() as u64).sum()
}

/// For each write and each chain with writes of its location: the write, and the writes of the chain and
/// location that precede it.
fn before<'s>(saturation: &'s Saturation<'_>) -> impl Iterator<Item = (u32, &'s [u32])> {
    let events = saturation.events;
    let writes = (0..events.len() as u32).filter(|&event| events.writes(event));
    writes.flat_map(move |write| {
        let index = events.write_index();
        let groups = index.groups(events.location[write as usize]).iter();
        groups.map(move |group| {
            let known = saturation.clock(write)[group.slot as usize];
            (write, &index.members(group)[..index.count_up_to(group, known)])
        })
    })
}

/// For each write of a location and each later chain with writes of the location: the write, and the writes of
/// the chain that are unordered with it, which are consecutive.
fn unordered_at<'s>(
    saturation: &'s Saturation<'_>,
    location: u32,
) -> impl Iterator<Item = (u32, &'s [u32])> {
    let index = saturation.events.write_index();
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
