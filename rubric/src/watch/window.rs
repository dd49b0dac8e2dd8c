//! [`Window`]: the operations of a trace as they arrive, and the online checker that takes them.
//!
//! A trace seldom shows how many bytes an access has. As for a whole trace, the window assumes the largest power of two
//! up to 8 with which no access overlaps another in part. When a later access shows that a smaller size is right, all
//! operations so far are processed again; that is possible only while the log holds all of them.

use std::collections::{BTreeMap, BTreeSet};

use check::online::{Arrival, ArrivalError, Lazy, SEQUENCE_LIMIT};
use check::{Bounds, Model};
use history::{
    Access, AssumedSize, History, HistoryBuilder, Initial, Kind, Place, Provenance, Sizes, Source,
    low_bytes,
};
use memory::Label;
use settings::Setting;

use super::places::Places;

/// Largest number of operations that are kept to be processed again.
const MOST_LOGGED: usize = 1 << 18;

/// Number of operations after which a trace that has shown the sizes of all accesses so far is expected to show those of the others.
const SIZED_OPERATIONS_UNTIL_LOG_ENDS: usize = 4096;

/// Number of positions that may be kept beyond four for each remembered operation, before the superfluous ones are
/// forgotten.
const SPARE_PLACES: usize = 1 << 14;

/// Largest size of an access, in bytes.
const LARGEST_SIZE: u8 = 8;

/// Why an operation could not be added.
pub(super) enum Problem {
    /// The online checker refuses the operation: it completes a violation, exceeds a bound, or cannot be ordered.
    Arrival(ArrivalError),
    /// The operation cannot be watched; holds the reason.
    Unsuitable(String),
}

/// The operations that have arrived and can still be part of a violation.
pub struct Window {
    model: Model,
    online: Lazy,
    bounds: Bounds,
    /// Size of accesses whose size the trace does not show, in bytes. `is_given` says whether the user gave it.
    size: u8,
    is_given: bool,
    /// Addresses of the accesses whose size the trace does not show.
    addresses: BTreeSet<u64>,
    /// Sizes that the trace shows, in bytes, by address; 0 for a cell, which has no size.
    shown: BTreeMap<u64, u8>,
    /// All operations so far, in the batches in which they came; `None` once there are more than [`MOST_LOGGED`].
    log: Option<Vec<Vec<Access>>>,
    /// Number of operations in `log`.
    logged: usize,
    /// The numbers of the operations that have arrived, by thread.
    arrived: BTreeMap<u32, Places>,
    assumes: bool,
}

impl Window {
    /// Creates an empty window, which refuses operations once the bounds are exceeded. `size` is the access size that
    /// the user gave, in bytes.
    pub(super) fn new(model: Model, size: Option<u8>, bounds: Bounds) -> Window {
        Window {
            model,
            online: Lazy::new(model).bounded(bounds.clone()),
            bounds,
            size: size.unwrap_or(LARGEST_SIZE),
            is_given: size.is_some(),
            addresses: BTreeSet::new(),
            shown: BTreeMap::new(),
            log: Some(Vec::new()),
            logged: 0,
            arrived: BTreeMap::new(),
            assumes: false,
        }
    }

    /// The model that the trace is checked against.
    pub(super) fn model(&self) -> Model {
        self.model
    }

    /// Number of operations that have arrived.
    pub fn arrived(&self) -> u64 {
        self.online.arrived()
    }

    /// Number of operations that are remembered, since they can still be part of a violation.
    pub fn remembered(&self) -> usize {
        self.online.remembered()
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.arrived.len()
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.addresses.len() + self.shown.len()
    }

    /// Whether a run was found that explains all operations.
    pub(super) fn is_explained(&self) -> bool {
        self.online.is_explained()
    }

    /// Where loads take their values from under the model.
    pub(super) fn holder(&self) -> &'static str {
        if self.model.buffers() { "memory or its thread's store buffer" } else { "memory" }
    }

    /// Whether no operation was forgotten.
    pub(super) fn is_whole(&self) -> bool {
        self.online.arrived() == self.online.remembered() as u64
    }

    /// Takes an operation in. `before` holds the operations that were taken in since the last call of [`Window::log`].
    pub(super) fn take(&mut self, access: &Access, before: &[Access]) -> Result<(), Problem> {
        if access.continues {
            return Err(Problem::Unsuitable("an access of several parts".to_owned()));
        }
        let label = Label { kind: access.kind, annotation: access.annotation };
        if self.model.refines(label) {
            return Err(Problem::Unsuitable(format!(
                "a {}{}, which cannot be watched under {}",
                access.kind.name(),
                if access.kind.is_fence() { "" } else { " with a release" },
                self.model
            )));
        }
        if access.kind == Kind::Rmw && access.read.is_some() && access.read == access.written {
            return Err(Problem::Unsuitable(
                "a read-modify-write that writes the value that it read, so reads of the value have several possible sources"
                    .to_owned(),
            ));
        }
        if !self.fits(access)? {
            self.start_over(before)?;
        }
        self.arrive(access)
    }

    /// Keeps the operations that were taken in since the last call, as long as there are few and sizes may be assumed.
    pub(super) fn log(&mut self, batch: Vec<Access>) {
        let Some(log) = &mut self.log else { return };
        self.logged += batch.len();
        log.push(batch);
        let shows_sizes = !self.assumes && self.logged >= SIZED_OPERATIONS_UNTIL_LOG_ENDS;
        if shows_sizes || self.logged > MOST_LOGGED {
            self.log = None;
        }
    }

    /// Returns whether an access overlaps no other in part. Otherwise reduces the assumed size so that it overlaps
    /// none.
    fn fits(&mut self, access: &Access) -> Result<bool, Problem> {
        match access.place {
            Place::Nowhere => Ok(true),
            Place::Cell(address) => {
                self.shown.insert(address, 0);
                Ok(true)
            }
            // A place that is known was compared with its neighbours when it was inserted.
            Place::Bytes { address, size } if self.shown.get(&address) == Some(&size) => Ok(true),
            Place::Bytes { address, size } => {
                let known = *self.shown.entry(address).or_insert(size);
                let near = self.shown.range(..address).next_back();
                let overlaps = near.is_some_and(|(at, size)| at + u64::from(*size) > address)
                    || self.shown.range(address + 1..address + u64::from(size)).next().is_some();
                let contains_others =
                    self.addresses.range(address + 1..address + u64::from(size)).next().is_some();
                if known != size || overlaps || contains_others {
                    return Err(different_sizes(address));
                }
                let before = self.addresses.range(..address).next_back().map(|it| address - it);
                let same = self.addresses.contains(&address).then_some(u64::from(size));
                self.fits_into(address, [before, same])
            }
            Place::Unsized { address, available, .. } => {
                // Operations whose sizes are shown do not depend on the assumed one, so they need not be processed again.
                let is_first = !std::mem::replace(&mut self.assumes, true);
                if !self.addresses.insert(address) && available >= self.size {
                    return Ok(true);
                }
                let shown_before = self.shown.range(..address).next_back();
                if shown_before.is_some_and(|(at, size)| at + u64::from(*size) > address) {
                    return Err(different_sizes(address));
                }
                let before = self.addresses.range(..address).next_back().map(|it| address - it);
                let after = self.addresses.range(address + 1..).next().map(|it| it - address);
                let same = self.shown.get(&address).map(|&size| u64::from(size));
                let shown_after = self.shown.range(address + 1..).next().map(|it| it.0 - address);
                let room = [before, after, same, shown_after, Some(u64::from(available))];
                Ok(self.fits_into(address, room)? || is_first)
            }
        }
    }

    /// Returns whether accesses of the assumed size have at most as many bytes as there is room for, next to the access at
    /// `address`. Otherwise makes the assumed size smaller.
    fn fits_into(
        &mut self,
        address: u64,
        room: impl IntoIterator<Item = Option<u64>>,
    ) -> Result<bool, Problem> {
        let room = room.into_iter().flatten().min().unwrap_or(u64::from(LARGEST_SIZE));
        let mut size = self.size;
        while u64::from(size) > room {
            size /= 2;
        }
        let fits = size == self.size;
        if !fits && (self.is_given || size == 0) {
            return Err(Problem::Unsuitable(format!(
                "an access at {address:#x} overlaps another in part"
            )));
        }
        self.size = size;
        // Where the size of some accesses is shown and that of others is assumed, both must be the same.
        let differs = |at: u64| {
            let shown = self.shown.get(&at).copied().filter(|_| self.addresses.contains(&at));
            shown.is_some_and(|shown| shown != size)
        };
        let wrong = if fits {
            Some(address).filter(|&at| differs(at))
        } else {
            self.addresses.iter().copied().find(|&at| differs(at))
        };
        wrong.map_or(Ok(fits), |at| Err(different_sizes(at)))
    }

    /// Processes all operations again, with the reduced size. `latest` holds the operations that are not in the log
    /// yet.
    fn start_over(&mut self, latest: &[Access]) -> Result<(), Problem> {
        let is_kept = self.logged + latest.len() <= MOST_LOGGED;
        let Some(log) = self.log.take().filter(|_| is_kept) else {
            return Err(Problem::Unsuitable(format!(
                "accesses turn out to have {size} bytes after {} operations, which are not all kept; say so with {}",
                self.online.arrived(),
                Setting::AccessSize.to(self.size),
                size = self.size
            )));
        };
        self.online = Lazy::new(self.model).bounded(self.bounds.clone());
        self.arrived.clear();
        let seen = log.iter().flatten().chain(latest).try_for_each(|access| self.arrive(access));
        self.log = Some(log);
        seen
    }

    fn arrive(&mut self, access: &Access) -> Result<(), Problem> {
        let arrival = self.arrival(access)?;
        self.arrived.entry(access.thread).or_default().note(arrival.sequence);
        self.online.arrive(arrival).map_err(Problem::Arrival)
    }

    fn arrival(&self, access: &Access) -> Result<Arrival, Problem> {
        let sequence = u32::try_from(access.sequence).ok().filter(|&it| it < SEQUENCE_LIMIT);
        let sequence = sequence.ok_or_else(|| {
            Problem::Unsuitable("more than 2 billion operations of a thread".to_owned())
        })?;
        let (location, mask) = match access.place {
            Place::Nowhere => (None, u64::MAX),
            Place::Cell(address) | Place::Bytes { address, .. } => (Some(address), u64::MAX),
            Place::Unsized { address, mask, .. } => {
                (Some(address), if mask { low_bytes(self.size) } else { u64::MAX })
            }
        };
        Ok(Arrival {
            thread: access.thread,
            sequence,
            kind: access.kind,
            location,
            read: access.read.map(|value| value & mask),
            written: access.written.map(|value| value & mask),
            tag: access.line.unwrap_or(0),
        })
    }

    /// Tells the checker up to which number the operations of each thread have arrived, so that it can forget
    /// operations. `completed_before` holds the threads whose operations are not numbered consecutively.
    pub(super) fn settle(&mut self, completed_before: &[(u32, u64)]) {
        for &(thread, sequence) in completed_before {
            let sequence = u32::try_from(sequence).unwrap_or(u32::MAX);
            self.online.settle(thread, sequence);
            if let Some(arrived) = self.arrived.get_mut(&thread) {
                arrived.settle(sequence);
            }
        }
        for (&thread, arrived) in &self.arrived {
            self.online.settle(thread, arrived.all());
        }
        let places: usize = self.arrived.values().map(Places::remembered).sum();
        if places > 4 * self.online.remembered() + SPARE_PLACES {
            self.forget_places();
        }
    }

    /// Forgets the places of operations before the first one of each thread that is remembered.
    fn forget_places(&mut self) {
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        for arrival in self.online.window() {
            first.entry(arrival.thread).or_insert(arrival.sequence);
        }
        for (thread, arrived) in &mut self.arrived {
            arrived.forget(first.get(thread).copied().unwrap_or(arrived.all()));
        }
    }

    /// Returns an operation as messages show it: `T0:12 (load 0x40 == 0x7, line 33)`.
    pub(super) fn named(&self, it: &Arrival) -> String {
        let value = |sign: &str, value: Option<u64>| {
            value.map_or(String::new(), |value| format!(" {sign} {value:#x}"))
        };
        let place = it.location.map_or(String::new(), |at| format!(" {at:#x}"));
        let line = match it.tag {
            0 => String::new(),
            line => format!(", line {line}"),
        };
        format!(
            "T{}:{} ({}{place}{}{}{line})",
            it.thread,
            self.place(it),
            it.kind.name(),
            value("==", it.read),
            value(":=", it.written),
        )
    }

    /// Returns an operation's position among those of its thread.
    fn place(&self, it: &Arrival) -> u32 {
        let arrived = self.arrived.get(&it.thread);
        arrived.map_or(it.sequence, |arrived| arrived.of(it.sequence))
    }

    /// Replaces the numbers of operations in an explanation of `Window::history`, which numbers them anew, by their
    /// positions in the trace.
    pub fn renamed(&self, explanation: &str) -> String {
        let mut places: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for arrival in self.online.window() {
            places.entry(arrival.thread).or_default().push(self.place(&arrival));
        }
        let renamed = |name: &str| {
            let (thread, index) = name.split_once(':')?;
            let places = places.get(&thread.parse().ok()?)?;
            let place = places.get(index.parse::<usize>().ok()?)?;
            Some(format!("{thread}:{place}"))
        };
        let mut text = String::new();
        let mut rest = explanation;
        while let Some(at) = rest.find('T') {
            let (before, name) = rest.split_at(at + 1);
            text += before;
            let end = name.find(|it: char| !it.is_ascii_digit() && it != ':').unwrap_or(name.len());
            // A colon after a name belongs to the sentence.
            let end = name[..end].trim_end_matches(':').len();
            text += &renamed(&name[..end]).unwrap_or_else(|| name[..end].to_owned());
            rest = &name[end..];
        }
        text + rest
    }

    /// Ends the trace: checks the conditions that can be decided only at its end.
    pub(super) fn finish(&mut self) -> Result<(), ArrivalError> {
        self.online.finish()
    }

    /// Whether the value of a read may come from a write to an address, whose size is not known.
    pub(super) fn reaches(&self, address: u64, read: &Arrival) -> bool {
        read.location.is_some_and(|at| at.abs_diff(address) < u64::from(LARGEST_SIZE))
    }

    /// Returns the thread whose last operation is the oldest.
    pub(super) fn idle(&self) -> Option<u32> {
        let window = self.online.window();
        let mut last: BTreeMap<u32, u64> = BTreeMap::new();
        for arrival in window {
            let known = last.entry(arrival.thread).or_default();
            *known = arrival.tag.max(*known);
        }
        last.into_iter().min_by_key(|it| it.1).map(|it| it.0)
    }

    /// The operations that are remembered, as a history; `None` if they contradict each other.
    pub(super) fn history(&self) -> Option<History> {
        let mut builder = HistoryBuilder::new();
        for arrival in self.online.window() {
            let place = match arrival.location {
                None => Place::Nowhere,
                Some(address) => match self.shown.get(&address).copied().unwrap_or(self.size) {
                    0 => Place::Cell(address),
                    size => Place::Bytes { address, size },
                },
            };
            let line = (arrival.tag > 0).then_some(arrival.tag);
            builder.push(Access {
                sequence: u64::from(arrival.sequence),
                read: arrival.read,
                written: arrival.written,
                line,
                order: line,
                ..Access::new(arrival.thread, arrival.kind, place)
            });
        }
        let built = builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made());
        built.ok()
    }

    /// The provenance of the operations: the kind of lines they come from, and which sizes were assumed.
    pub fn provenance(&self, source: Option<Source>) -> Provenance {
        let is_assumed = self.assumes && !self.is_given;
        Provenance {
            sizes: if is_assumed { Sizes::Assumed(self.size) } else { Sizes::Recorded },
            // As long as the trace has shown no operation, its source is not known, and nothing is assumed of memory.
            ..Provenance::of(source.unwrap_or(Source::Axe))
        }
    }
}

/// The problem that accesses of different sizes overlap.
fn different_sizes(address: u64) -> Problem {
    Problem::Unsuitable(format!("accesses of different sizes overlap at {address:#x}"))
}
