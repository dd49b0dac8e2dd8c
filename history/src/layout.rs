//! Lays out the memory that operations access as disjoint locations ([`Layout`]): assumes the sizes of accesses that
//! were not recorded, and splits accesses that overlap in part.
//!
//! An access whose size is unknown gets an assumed one. Accesses that still overlap in part are
//! split at their common boundaries into accesses to disjoint locations, performed one after the
//! other in program order. Every execution of the whole accesses is also one of the parts, so a
//! violation of the split history is a violation of the original; the converse need not hold.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rustc_hash::FxHashMap;

use crate::builder::{AssumedSize, Place};
use crate::history::{History, Location};
use crate::kind::Kind;
use crate::operation::{NONE32, OpId, OperationFlags, Thread};
use crate::provenance::Sizes;
use crate::structure::StructureColumns;

/// A mask for the lowest `bytes` bytes of a value: all of it for 8 bytes or more.
pub fn low_bytes(bytes: u8) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

/// The locations of a history, and the locations that each place covers.
#[derive(Debug)]
pub(crate) struct Layout {
    locations: Vec<Location>,
    /// Per place, the first location that it covers, and the number of locations.
    cover: Vec<(u32, u32)>,
    /// Per place, its size in bytes.
    sizes: Vec<u8>,
    /// The assumed size, if any place needs one.
    assumed: Option<u8>,
    /// How the sizes are known.
    origin: Sizes,
    /// Whether some place covers several locations.
    split: bool,
}

impl Layout {
    /// Chooses the assumed size and cuts the address space at every boundary of an access.
    pub(crate) fn settle(places: &[Place], assumed: AssumedSize) -> Layout {
        let size = assumed_size(places, assumed);
        let any_unsized = places.iter().any(|place| matches!(place, Place::Unsized { .. }));
        let spans: Vec<Span> = places.iter().map(|place| Span::of(place, size)).collect();
        let locations = disjoint(&spans);
        let cover: Vec<(u32, u32)> = spans
            .iter()
            .map(|span| {
                let first = locations.partition_point(|location| location.address < span.address);
                let count = locations[first..]
                    .iter()
                    .take_while(|location| {
                        span.size.is_some() && u128::from(location.address) < span.end()
                    })
                    .count()
                    .max(1);
                (first as u32, count as u32)
            })
            .collect();
        let assumed = any_unsized.then_some(size);
        Layout {
            split: cover.iter().any(|&(_, count)| count > 1),
            sizes: spans.iter().map(|span| span.size.unwrap_or(8)).collect(),
            origin: Sizes::of(places, assumed),
            locations,
            cover,
            assumed,
        }
    }

    pub(crate) fn locations(&self) -> &[Location] {
        &self.locations
    }

    pub(crate) fn sizes(&self) -> Sizes {
        self.origin
    }

    pub(crate) fn is_split(&self) -> bool {
        self.split
    }

    pub(crate) fn size_of(&self, place: u32) -> u8 {
        self.sizes[place as usize]
    }

    /// The location of a place, in a layout that is not split.
    pub(crate) fn whole(&self, place: u32) -> u32 {
        self.cover[place as usize].0
    }

    /// The locations that a place covers, each with its part of `value`.
    pub(crate) fn parts(&self, place: u32, value: u64) -> Vec<(u32, u64)> {
        let (first, count) = self.cover[place as usize];
        let mut offset = 0;
        (first..first + count)
            .map(|location| {
                let bytes = self.locations[location as usize].size.unwrap_or(8);
                let part = (value >> (8 * u32::from(offset))) & low_bytes(bytes);
                offset += bytes;
                (location, part)
            })
            .collect()
    }

    /// Number of locations that a place covers.
    pub(crate) fn covered(&self, place: u32) -> u32 {
        self.cover[place as usize].1
    }

    /// The location at an address, which is added if no access touches it.
    pub(crate) fn ensure(&mut self, address: u64) -> u32 {
        let at = self.locations.partition_point(|location| location.address < address);
        if self.locations.get(at).is_some_and(|l| l.address == address) {
            return at as u32;
        }
        let size = match self.origin {
            Sizes::Cells => None,
            _ => Some(self.assumed.unwrap_or(8)),
        };
        self.locations.insert(at, Location { address, size });
        for (first, _) in &mut self.cover {
            *first += u32::from(*first as usize >= at);
        }
        at as u32
    }
}

/// The bytes of a place; a cell has no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    address: u64,
    size: Option<u8>,
}

impl Span {
    fn of(place: &Place, assumed: u8) -> Span {
        match *place {
            Place::Nowhere => unreachable!("fences are not registered as places"),
            Place::Cell(address) => Span { address, size: None },
            Place::Bytes { address, size } => Span { address, size: Some(size) },
            Place::Unsized { address, available, .. } => {
                Span { address, size: Some(assumed.min(available)) }
            }
        }
    }

    /// One past the last byte, which may be 2^64.
    fn end(&self) -> u128 {
        u128::from(self.address) + u128::from(self.size.unwrap_or(1))
    }
}

/// The size to assume for accesses whose size is unknown.
fn assumed_size(places: &[Place], assumed: AssumedSize) -> u8 {
    let largest = match assumed {
        AssumedSize::Exactly(size) => return size,
        AssumedSize::UpTo(largest) => largest,
    };
    [8, 4, 2, 1]
        .into_iter()
        .filter(|&size| size <= largest)
        .find(|&size| fits(places, size))
        .unwrap_or(1)
}

/// Whether every access of unknown size, taken to have `size` bytes, stays within its block and overlaps no other
/// access in part.
fn fits(places: &[Place], size: u8) -> bool {
    let spills =
        |place: &Place| matches!(place, Place::Unsized { available, .. } if *available < size);
    if places.iter().any(spills) {
        return false;
    }
    let mut spans: Vec<(Span, bool)> = places
        .iter()
        .map(|place| (Span::of(place, size), matches!(place, Place::Unsized { .. })))
        .collect();
    spans.sort_unstable();
    // The furthest end so far, of the spans of unknown size and of all spans.
    let (mut end_unsized, mut end_all) = (0, 0);
    for pair in spans.chunk_by(|a, b| a.0 == b.0) {
        let (span, _) = pair[0];
        let is_unsized = pair.iter().any(|&(_, is_unsized)| is_unsized);
        if u128::from(span.address) < if is_unsized { end_all } else { end_unsized } {
            return false;
        }
        end_all = end_all.max(span.end());
        if is_unsized {
            end_unsized = end_unsized.max(span.end());
        }
    }
    true
}

/// The locations that result from cutting the spans at every boundary of another span inside them.
fn disjoint(spans: &[Span]) -> Vec<Location> {
    let mut cells: Vec<Location> = Vec::new();
    let mut cuts: BTreeSet<u128> = BTreeSet::new();
    let mut covered: Vec<(u128, u128)> = Vec::new();
    for span in spans {
        if span.size.is_none() {
            cells.push(Location { address: span.address, size: None });
        } else {
            let start = u128::from(span.address);
            cuts.extend([start, span.end()]);
            covered.push((start, span.end()));
        }
    }
    cells.sort_unstable();
    covered.sort_unstable();
    let mut locations = cells;
    let mut reach = 0;
    let mut next = 0;
    let bounds: Vec<u128> = cuts.into_iter().collect();
    for pair in bounds.windows(2) {
        while next < covered.len() && covered[next].0 <= pair[0] {
            reach = reach.max(covered[next].1);
            next += 1;
        }
        if reach > pair[0] {
            locations
                .push(Location { address: pair[0] as u64, size: Some((pair[1] - pair[0]) as u8) });
        }
    }
    locations
}

/// The value at a location, from values of up to 8 bytes given by address; 0 if none covers it.
pub(crate) fn value_at(values: &HashMap<u64, u64>, location: Location) -> u64 {
    let Some(size) = location.size else {
        return values.get(&location.address).copied().unwrap_or(0);
    };
    // A value given for several bytes begins up to 7 bytes before the location.
    let covering = (0..8u64).find_map(|offset| {
        let value = values.get(&location.address.checked_sub(offset)?)?;
        Some(value >> (8 * offset))
    });
    covering.unwrap_or(0) & low_bytes(size)
}

/// Replaces each access by its parts, and fixes the sources of reads whose whole value was written once (see
/// `fix_sources`).
pub(crate) fn split(history: History, layout: &Layout, place: &[u32], rows: &[u32]) -> History {
    let mut result = History {
        name: history.name.clone(),
        locations: history.locations.clone(),
        ..History::empty(history.provenance.clone())
    };
    let mut parts: Vec<u32> = Vec::with_capacity(history.len() + 1);
    let mut structure = StructureColumns::default();
    for thread in history.threads() {
        let start = structure.kinds.len() as u32;
        for op in (thread.start..thread.end).map(OpId) {
            parts.push(structure.kinds.len() as u32);
            let place = place[rows[op.at()] as usize];
            push_parts(&mut result, &mut structure, &history, op, layout, place);
        }
        let end = structure.kinds.len() as u32;
        structure.threads.push(Thread { label: thread.label, start, end });
    }
    parts.push(structure.kinds.len() as u32);
    result.structure = structure.into();
    fix_sources(&mut result, &history, &parts, place, rows);
    result
}

fn push_parts(
    result: &mut History,
    structure: &mut StructureColumns,
    history: &History,
    op: OpId,
    layout: &Layout,
    place: u32,
) {
    let (first, count) = if place == NONE32 { (NONE32, 1) } else { layout.cover[place as usize] };
    let mut offset = 0;
    for part in 0..count {
        let (location, bytes) = if place == NONE32 {
            (NONE32, 8)
        } else {
            let location = layout.locations[(first + part) as usize];
            (first + part, location.size.unwrap_or(8))
        };
        let cut = |value: u64| (value >> (8 * u32::from(offset))) & low_bytes(bytes);
        let continues = if part > 0 { OperationFlags::CONTINUES } else { 0 };
        structure.kinds.push(history.kind(op));
        result.known.push(OperationFlags(history.known[op.at()].0 | continues));
        structure.locations.push(location);
        result.read.push(cut(history.read[op.at()]));
        result.written.push(cut(history.written[op.at()]));
        result.issued.push(history.issued[op.at()]);
        result.completed.push(history.completed[op.at()]);
        result.line.push(history.line[op.at()]);
        result.order.push(history.order[op.at()]);
        offset += bytes;
    }
}

/// Fixes the sources of the parts of a read. If exactly one write to the same bytes wrote the whole
/// value, and no access to other bytes wrote the value of any part, each part reads from that write's
/// part, unless the whole value is the initial one ([`crate::initial::free_sources`]). If another write may have supplied a part,
/// since its value is not shown, the other parts may be older ones.
fn fix_sources(
    result: &mut History,
    history: &History,
    parts: &[u32],
    place: &[u32],
    rows: &[u32],
) {
    let place_of = |op: OpId| place[rows[op.at()] as usize];
    let mut writers: FxHashMap<(u32, u64), Option<OpId>> = FxHashMap::default();
    for op in history.ops() {
        if let Some(value) = may_write(history, op) {
            // What an operation writes back was there before, so it is not the only source of the value.
            let is_new = history.read(op) != Some(value);
            writers
                .entry((place_of(op), value))
                .and_modify(|writer| *writer = None)
                .or_insert(is_new.then_some(op));
        }
    }
    let part_writers = PartWriters::of(result, history, parts, &place_of);
    let hidden = result.hidden_writes();
    let is_hidden = |part: OpId| result.location(part).is_some_and(|at| hidden[at as usize]);
    let mut sources = BTreeMap::new();
    for op in history.ops() {
        let Some(value) = history.read(op) else {
            continue;
        };
        let Some(&Some(writer)) = writers.get(&(place_of(op), value)) else {
            continue;
        };
        let (from, to) = (parts[writer.at()], parts[op.at()]);
        let mut own_parts = (to..parts[op.at() + 1]).map(OpId);
        if !own_parts
            .all(|part| !is_hidden(part) && part_writers.only_from(result, part, place_of(op)))
        {
            continue;
        }
        for part in 0..parts[op.at() + 1] - to {
            sources.insert(to + part, from + part);
        }
    }
    result.fixed_sources = sources;
}

/// The value that an operation writes, or may write: a silent read-modify-write may have written back what it read.
fn may_write(history: &History, op: OpId) -> Option<u64> {
    let is_silent = history.kind(op) == Kind::SilentRmw;
    if is_silent { history.read(op) } else { history.written(op) }
}

/// The places of the accesses whose parts write each value to each location.
struct PartWriters {
    /// The place by location and value; `None` if accesses to several places wrote the value.
    places: FxHashMap<(u32, u64), Option<u32>>,
}

impl PartWriters {
    fn of(
        result: &History,
        history: &History,
        parts: &[u32],
        place_of: &impl Fn(OpId) -> u32,
    ) -> PartWriters {
        let mut places: FxHashMap<(u32, u64), Option<u32>> = FxHashMap::default();
        for op in history.ops().filter(|&op| may_write(history, op).is_some()) {
            let place = place_of(op);
            for part in (parts[op.at()]..parts[op.at() + 1]).map(OpId) {
                let location = result.structure.locations()[part.at()];
                let Some(value) = may_write(result, part) else { continue };
                places
                    .entry((location, value))
                    .and_modify(|known| *known = known.filter(|&known| known == place))
                    .or_insert(Some(place));
            }
        }
        PartWriters { places }
    }

    /// Whether no access to another place wrote the value that a part of a read returns.
    fn only_from(&self, result: &History, part: OpId, place: u32) -> bool {
        let value = (result.structure.locations()[part.at()], result.read[part.at()]);
        self.places.get(&value).is_none_or(|&known| known == Some(place))
    }
}
