//! Derives the dependencies between the operations of a history from those between the lines of a thread
//! ([`Dependencies`]).
//!
//! Most accesses of a thread are left out of the history, since no other thread accesses their locations. But the
//! values that a thread loads pass through them: a value is stored on the stack and loaded from there, or is the
//! address of a private location. The models order a left-out load after the loads that its address depends on, and
//! after those that the store whose value it returns depends on (RVWMO 9 and 12; Armv8 likewise). So an operation that
//! depends on the left-out load depends on these loads as well. All later writes are ordered after the loads that the
//! address of a left-out access depends on (RVWMO 13), as they are after those that a branch depends on.

use history::{DependencyKind, HistoryBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{Edge, UNKNOWN, origin};
use crate::log::Entry;

/// The operations that an address, a value or a branch depends on, by their rows in the builder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources {
    rows: Vec<u32>,
    /// The operations that it depends on through a choice.
    picked: Vec<u32>,
    /// Whether it may depend on further operations, which are unknown.
    is_open: bool,
}

impl Sources {
    fn of(row: u32) -> Sources {
        Sources { rows: vec![row], ..Sources::default() }
    }

    fn add(&mut self, other: &Sources) {
        for (own, more) in [(&mut self.rows, &other.rows), (&mut self.picked, &other.picked)] {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
        self.is_open |= other.is_open;
    }

    /// The same operations, each through a choice.
    fn as_picked(&self) -> Sources {
        let mut picked = Sources { is_open: self.is_open, ..Sources::default() };
        picked.picked = self.all().collect();
        picked.add(&Sources::default());
        picked
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().chain(&self.picked).copied()
    }

    fn is_none(&self) -> bool {
        self.rows.is_empty() && self.picked.is_empty() && !self.is_open
    }
}

/// The operations that the address and the data of an access depend on.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessSources {
    address: Sources,
    data: Sources,
    /// Whether the value that the access writes is computed from the one that it reads.
    updates: bool,
}

/// Finds the dependencies of one thread, access by access in the order of lines.
pub(crate) struct Dependencies<'a> {
    edges: &'a [Edge],
    /// The line of the last access and its sources, for lines with two accesses.
    last: Option<(u64, AccessSources)>,
    /// The operations that stand for each load: the load itself, or if it was left out, those that it depends on. A
    /// load without an entry depends on none.
    loads: FxHashMap<u32, Sources>,
    stored: Stored,
    controls: Controls,
}

/// The operations that branches depend on, for branches after which no operation was added yet.
#[derive(Default)]
struct Controls {
    /// The line of each branch, and the row that it depends on.
    waiting: Vec<(u64, u32)>,
    /// The line of the first branch that may depend on unknown operations.
    open: Option<u64>,
    /// Rows that later operations are already known to depend on.
    known: FxHashSet<u32>,
}

impl<'a> Dependencies<'a> {
    pub(crate) fn new(edges: &'a [Edge]) -> Dependencies<'a> {
        Dependencies {
            edges,
            last: None,
            loads: FxHashMap::default(),
            stored: Stored::default(),
            controls: Controls::default(),
        }
    }

    /// The sources of the access of a line. Takes in all branches up to this line.
    pub(crate) fn of(&mut self, line: u64) -> AccessSources {
        if let Some((_, sources)) = self.last.as_ref().filter(|(last, _)| *last == line) {
            return sources.clone();
        }
        let mut sources = AccessSources::default();
        let count = self.edges.partition_point(|edge| u64::from(edge.line) <= line);
        let (edges, rest) = self.edges.split_at(count);
        self.edges = rest;
        for edge in edges {
            if u64::from(edge.line) == line && edge.on == origin(edge.line, false) {
                sources.updates = true;
                continue;
            }
            let on = self.resolve(edge.on);
            match edge.kind {
                DependencyKind::Control => self.controls.add(u64::from(edge.line), &on),
                _ if u64::from(edge.line) < line => {}
                DependencyKind::Address => sources.address.add(&on),
                DependencyKind::Data => sources.data.add(&on),
                DependencyKind::Choice => sources.data.add(&on.as_picked()),
            }
        }
        self.last = Some((line, sources.clone()));
        sources
    }

    fn resolve(&self, on: u32) -> Sources {
        match on {
            UNKNOWN => Sources { is_open: true, ..Sources::default() },
            load => self.loads.get(&load).cloned().unwrap_or_default(),
        }
    }

    /// Records the dependencies of the operation that was added last, which is `entry`. Returns the number of its
    /// dependencies that the trace does not show.
    pub(crate) fn record(
        &mut self,
        entry: &Entry,
        sources: &AccessSources,
        builder: &mut HistoryBuilder,
    ) -> u64 {
        let row = builder.len() as u32 - 1;
        let kinds =
            [(DependencyKind::Address, &sources.address), (DependencyKind::Data, &sources.data)];
        for (kind, sources) in kinds {
            sources.rows.iter().for_each(|&on| builder.depend(kind, on as usize));
        }
        if entry.may_write() {
            let picked = sources.address.picked.iter().chain(&sources.data.picked);
            picked.for_each(|&on| builder.depend(DependencyKind::Choice, on as usize));
        }
        if sources.updates {
            builder.depend(DependencyKind::Data, row as usize);
        }
        self.controls.add(
            entry.line(),
            &Sources { rows: sources.address.picked.clone(), ..Sources::default() },
        );
        // An acquire or an atomic of private memory is left out at first, and added without its value if a selected access follows it.
        // A choice that reached it through memory cannot be followed beyond it then.
        let before = self.loads.insert(name_of(entry), Sources::of(row)).unwrap_or_default();
        let is_cut = before.picked.iter().any(|on| !sources.address.picked.contains(on));
        let is_open = [sources.address.is_open, sources.data.is_open, is_cut];
        let unknown = is_open.into_iter().map(u64::from).sum::<u64>();
        unknown + self.controls.record(entry.line(), builder)
    }

    /// Records the control dependencies of the fence that was added last. Returns the number of its dependencies that
    /// the trace does not show.
    pub(crate) fn record_fence(&mut self, entry: &Entry, builder: &mut HistoryBuilder) -> u64 {
        self.controls.record(entry.line(), builder)
    }

    /// Takes in an access that is left out of the history.
    pub(crate) fn left_out(&mut self, entry: &Entry, sources: &AccessSources) {
        self.controls.add(entry.line(), &sources.address);
        let mut through = sources.address.clone();
        if entry.may_read() {
            through.add(&self.stored.at(entry));
            // A read-modify-write may be one event or two.
            through.is_open |= entry.may_write() && !sources.data.is_none();
            if !through.is_none() {
                self.loads.insert(name_of(entry), through);
            }
        }
        if entry.may_write() {
            let mut written = sources.address.clone();
            written.add(&sources.data);
            if sources.updates {
                written.add(&self.stored.at(entry));
            }
            self.stored.put(entry, written);
        }
    }
}

/// The name of an entry, if it is a load ([`origin`]).
fn name_of(entry: &Entry) -> u32 {
    origin(entry.line() as u32, entry.is_second())
}

impl Controls {
    fn add(&mut self, line: u64, on: &Sources) {
        let new = on.all().filter(|row| self.known.insert(*row));
        self.waiting.extend(new.map(|row| (line, row)));
        if on.is_open {
            self.open.get_or_insert(line);
        }
    }

    /// Records the branches before a line as control dependencies of the operation that was added last.
    fn record(&mut self, line: u64, builder: &mut HistoryBuilder) -> u64 {
        self.waiting.retain(|&(branch, row)| {
            let is_before = branch < line;
            if is_before {
                builder.depend(DependencyKind::Control, row as usize);
            }
            !is_before
        });
        u64::from(self.open.take_if(|branch| *branch < line).is_some())
    }
}

/// The operations that values in private memory of a thread depend on.
#[derive(Default)]
struct Stored {
    /// By the number of the aligned group of 8 bytes.
    granules: FxHashMap<u64, Granule>,
}

/// The operations that the values of 8 aligned bytes depend on.
#[derive(Default)]
struct Granule {
    /// The bytes of each store that are not overwritten, as a mask, and the operations that its address and value
    /// depend on.
    parts: Vec<(u8, Sources)>,
    /// Bytes, as a mask, for which it is unknown which of several stores wrote them.
    open: u8,
}

impl Stored {
    fn put(&mut self, entry: &Entry, written: Sources) {
        for (number, certain, possible) in bytes(entry) {
            let granule = self.granules.entry(number).or_default();
            for (mask, sources) in &mut granule.parts {
                let kept = *mask & !possible;
                let maybe = *mask & possible & !certain;
                granule.open |= if sources.is_none() { 0 } else { maybe };
                *mask = kept;
            }
            granule.open &= !certain;
            if !written.is_none() {
                granule.open |= possible & !certain;
                granule.parts.push((certain, written.clone()));
            }
            granule.parts.retain(|(mask, _)| *mask != 0);
            if granule.parts.is_empty() && granule.open == 0 {
                self.granules.remove(&number);
            }
        }
    }

    /// The operations that a load depends on through the stores whose values it may have returned.
    fn at(&self, entry: &Entry) -> Sources {
        let mut all = Sources::default();
        for (number, certain, possible) in bytes(entry) {
            let Some(granule) = self.granules.get(&number) else { continue };
            for (mask, sources) in &granule.parts {
                if mask & certain != 0 {
                    all.add(sources);
                } else if mask & possible != 0 {
                    all.is_open = true;
                }
            }
            all.is_open |= granule.open & possible != 0;
        }
        all
    }
}

/// The bytes of an access in each aligned group of 8, as masks: those that it certainly accesses, and those that it may
/// access.
fn bytes(entry: &Entry) -> impl Iterator<Item = (u64, u8, u8)> {
    let (least, most) = entry.sizes();
    let start = u128::from(entry.address);
    let mask = move |number: u64, size: u64| {
        let first = u128::from(number) * 8;
        let inside =
            |bit: &u32| (start..start + u128::from(size)).contains(&(first + u128::from(*bit)));
        (0..8).filter(inside).fold(0, |mask: u8, bit| mask | 1 << bit)
    };
    let last = entry.address.saturating_add(most.max(1) - 1);
    (entry.address >> 3..=last >> 3)
        .map(move |number| (number, mask(number, least), mask(number, most)))
}

#[cfg(test)]
mod tests {
    use history::{Access, Kind, Place};

    use super::*;
    use crate::decode::action::Operation;
    use crate::log::LinePosition;

    fn entry(line: u64, address: u64, operation: Operation) -> Entry {
        Entry::access(
            LinePosition { hart: 0, line, tick: None, is_second: false },
            address,
            operation,
        )
    }

    fn edge(line: u32, kind: DependencyKind, on: u32) -> Edge {
        Edge { line, kind, on: if on == UNKNOWN { on } else { origin(on, false) } }
    }

    /// Adds a store to the builder, and returns the numbers of its known and of its unknown dependencies.
    fn store_at(line: u64, found: &mut Dependencies<'_>) -> (usize, u64) {
        let mut builder = HistoryBuilder::new();
        for _ in 0..2 {
            builder.push(Access::new(0, Kind::Load, Place::Cell(1)));
        }
        let store = entry(line, 0x80, Operation::store(8, Some(1)));
        let sources = found.of(line);
        let unknown = found.record(&store, &sources, &mut builder);
        (sources.address.rows.len() + sources.data.rows.len(), unknown)
    }

    #[test]
    fn values_pass_through_memory_that_is_left_out() {
        use DependencyKind::{Address, Data};
        let load = |line, address, size| entry(line, address, Operation::load(size, Some(0)));
        let passes = |address: u64, size: u8| {
            let edges = [edge(2, Data, 1), edge(4, Data, 3)];
            let mut found = Dependencies::new(&edges);
            found.loads.insert(origin(1, false), Sources::of(0));
            let saved = entry(2, 0x1000, Operation::store(4, Some(0)));
            let sources = found.of(2);
            found.left_out(&saved, &sources);
            let sources = found.of(3);
            found.left_out(&load(3, address, size), &sources);
            store_at(4, &mut found)
        };
        assert_eq!(passes(0x1000, 4), (1, 0));
        assert_eq!(passes(0x1003, 1), (1, 0));
        assert_eq!(passes(0x1004, 4), (0, 0));
        // The load has 4 or 8 bytes.
        assert_eq!(passes(0x1000, 0), (1, 0));
        assert_eq!(passes(0xffc, 0), (0, 1));
        let edges = [edge(3, Address, 1), edge(4, Data, 3)];
        let mut found = Dependencies::new(&edges);
        found.loads.insert(origin(1, false), Sources::of(0));
        let sources = found.of(3);
        found.left_out(&load(3, 0x2000, 8), &sources);
        assert_eq!(store_at(4, &mut found), (1, 0));
    }

    /// An acquire of private memory, which is added to the history since it orders other accesses.
    #[test]
    fn a_choice_that_ends_at_an_added_load_is_counted() {
        let unknown = |kind: DependencyKind, address: u64| {
            let edges = [edge(2, kind, 1)];
            let mut found = Dependencies::new(&edges);
            found.loads.insert(origin(1, false), Sources::of(0));
            let saved = entry(2, 0x1000, Operation::store(8, Some(0)));
            let sources = found.of(2);
            found.left_out(&saved, &sources);
            let load = entry(3, address, Operation::load(8, Some(0)));
            let sources = found.of(3);
            found.left_out(&load, &sources);
            let mut builder = HistoryBuilder::new();
            for _ in 0..2 {
                builder.push(Access::new(0, Kind::Load, Place::Cell(1)));
            }
            found.record(&load, &sources, &mut builder)
        };
        assert_eq!(unknown(DependencyKind::Choice, 0x1000), 1);
        assert_eq!(unknown(DependencyKind::Choice, 0x2000), 0);
        assert_eq!(unknown(DependencyKind::Data, 0x1000), 0);
    }

    #[test]
    fn what_is_not_known_is_counted() {
        use DependencyKind::{Address, Control, Data};
        let edges = [edge(2, Control, UNKNOWN), edge(4, Address, UNKNOWN), edge(4, Data, UNKNOWN)];
        let mut found = Dependencies::new(&edges);
        assert_eq!(store_at(4, &mut found), (0, 3));
        assert_eq!(store_at(5, &mut found), (0, 0));
    }
}
