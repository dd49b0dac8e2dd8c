//! [`HistoryBuilder`]: builds a [`History`] from operations in any order.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use settings::Setting;
use thiserror::Error;

use crate::annotation::Annotation;
use crate::dependency::{Dependencies, Dependency, DependencyKind};
use crate::history::{Final, History};
use crate::initial;
use crate::kind::Kind;
use crate::layout::{self, Layout};
use crate::operation::{NONE32, NONE64, OpId, OperationFlags, Thread};
use crate::permutation::{ranks, rows_by_label, sort_by_sequence};
use crate::provenance::{Provenance, Sizes};
use crate::structure::StructureColumns;

/// The memory that an operation accesses, as far as the trace shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// No memory: the operation is a fence.
    Nowhere,
    /// A cell without a size.
    Cell(u64),
    /// `size` bytes (1 to 8) at an address; the size was recorded.
    Bytes {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes.
        size: u8,
    },
    /// Bytes at an address; their number was not recorded, so a size is assumed. The byte at `address`
    /// is the lowest of a value.
    Unsized {
        /// Address of the first byte.
        address: u64,
        /// Largest number of bytes that the access can have.
        available: u8,
        /// Whether the values are bytes of a block, of which only the first belong to the access. They
        /// are cut to the assumed size.
        mask: bool,
    },
}

impl Place {
    /// Address of the first byte, or number of the cell; 0 for a fence.
    fn address(&self) -> u64 {
        match *self {
            Place::Nowhere => 0,
            Place::Cell(address)
            | Place::Bytes { address, .. }
            | Place::Unsized { address, .. } => address,
        }
    }
}

/// One operation as the reader of a trace found it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Number of the thread in the trace.
    pub thread: u32,
    /// Key of program order: the operations of a thread are sorted by it, and operations with equal keys stay in the
    /// order of [`HistoryBuilder::push`].
    pub sequence: u64,
    /// Kind of the operation.
    pub kind: Kind,
    /// Acquire or release annotation; ignored for a fence.
    pub annotation: Annotation,
    /// The memory that is accessed.
    pub place: Place,
    /// Value read, if the kind reads and the trace shows it.
    pub read: Option<u64>,
    /// Value written, if the kind writes and the trace shows it.
    pub written: Option<u64>,
    /// Tick at which the operation was issued.
    pub issued: Option<u64>,
    /// Tick at which the operation completed.
    pub completed: Option<u64>,
    /// Trace line that shows the operation, from 1.
    pub line: Option<u64>,
    /// Key of the order of completions (for a store, of commits), such as a line number;
    /// `None` if the trace does not say.
    pub order: Option<u64>,
    /// Whether the operation is a further part of the access pushed before it for this thread.
    pub continues: bool,
}

impl Access {
    /// An operation of which only thread, kind and place are known.
    pub fn new(thread: u32, kind: Kind, place: Place) -> Access {
        Access {
            thread,
            sequence: 0,
            kind,
            annotation: Annotation::None,
            place,
            read: None,
            written: None,
            issued: None,
            completed: None,
            line: None,
            order: None,
            continues: false,
        }
    }
}

/// The size, in bytes, to assume for accesses whose size was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumedSize {
    /// The largest power of two, at most this number, for which no access overlaps another in part; 1 if there is none.
    UpTo(u8),
    /// This size. Accesses that overlap in part are then split.
    Exactly(u8),
}

impl Default for AssumedSize {
    fn default() -> Self {
        AssumedSize::UpTo(8)
    }
}

/// The values that memory holds at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// Memory is 0 everywhere.
    #[default]
    Zero,
    /// Each location holds the value that reads return there and no write writes, if there is such a value.
    Infer,
    /// Memory holds these values, by address or cell, and 0 elsewhere.
    Given(HashMap<u64, u64>),
}

/// Why a history could not be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BuildError {
    /// The trace has more operations or lines than 32 bits can count.
    #[error("more than {} operations or lines: split the trace ({}, {})", u32::MAX - 1, Setting::FromTick, Setting::ToTick)]
    TooLarge,
    /// Two final values are stated for one location.
    #[error("two different final values are stated at {address:#x}: one was expected")]
    TwoFinals {
        /// The address, or the number of the cell.
        address: u64,
    },
    /// A value does not fit the size that the user gave.
    #[error("line {}: the value {value:#x} at {address:#x} has more than {size} bytes: give a larger {}", .line.map_or("?".to_owned(), |line| line.to_string()), Setting::AccessSize)]
    TooWide {
        /// Trace line of the access.
        line: Option<u64>,
        /// The address of the access.
        address: u64,
        /// The value that does not fit.
        value: u64,
        /// The size given.
        size: u8,
    },
}

/// A final value as it was stated.
#[derive(Clone, Copy, Debug)]
struct StatedFinal {
    address: u64,
    /// The place that has the value, if its size was stated.
    place: Option<u32>,
    value: u64,
    line: Option<u64>,
}

/// Collects operations in any order and lays them out as a [`History`].
///
/// Memory while building: about 60 bytes an operation.
#[derive(Debug, Default)]
pub struct HistoryBuilder {
    thread: Vec<u32>,
    sequence: Vec<u64>,
    kind: Vec<Kind>,
    known: Vec<OperationFlags>,
    place: Vec<u32>,
    read: Vec<u64>,
    written: Vec<u64>,
    issued: Vec<u64>,
    completed: Vec<u64>,
    line: Vec<u32>,
    order: Vec<u64>,
    places: Vec<Place>,
    place_ids: FxHashMap<Place, u32>,
    finals: Vec<StatedFinal>,
    /// The row that depends, the kind of the dependency, and the row that it depends on.
    dependencies: Vec<(u32, DependencyKind, u32)>,
    too_large: bool,
}

impl HistoryBuilder {
    /// A builder without operations.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of operations added so far.
    pub fn len(&self) -> usize {
        self.thread.len()
    }

    /// Whether no operation was added so far.
    pub fn is_empty(&self) -> bool {
        self.thread.is_empty()
    }

    /// Adds an operation.
    pub fn push(&mut self, access: Access) {
        let mut known = 0;
        if access.kind.reads() && access.read.is_some() {
            known |= OperationFlags::READ;
        }
        if access.kind.writes() && access.written.is_some() {
            known |= OperationFlags::WRITTEN;
        }
        if access.continues {
            known |= OperationFlags::CONTINUES;
        }
        self.thread.push(access.thread);
        self.sequence.push(access.sequence);
        self.kind.push(access.kind);
        let annotation = if access.kind.is_fence() { Annotation::None } else { access.annotation };
        self.known.push(OperationFlags(known).with(annotation));
        self.read.push(access.read.unwrap_or(0));
        self.written.push(access.written.unwrap_or(0));
        self.issued.push(access.issued.unwrap_or(NONE64));
        self.completed.push(access.completed.unwrap_or(NONE64));
        self.order.push(access.order.unwrap_or(NONE64));
        let line = access.line.map_or(Ok(NONE32), u32::try_from);
        self.too_large |= line.is_err() || self.thread.len() >= NONE32 as usize;
        self.line.push(line.unwrap_or(NONE32));
        let place = self.place_id(access.place);
        self.place.push(place);
    }

    /// Makes the operation that was added last depend on the `on`-th operation that was added, counted from 0. A
    /// dependency on an operation of another thread, or on one that does not come before it in program order, is
    /// ignored. A read-modify-write may depend on itself ([`DependencyKind::may_be_own`]).
    pub fn depend(&mut self, kind: DependencyKind, on: usize) {
        let Some(last) = self.len().checked_sub(1) else { return };
        if on < last || (on == last && kind.may_be_own(self.kind[last])) {
            self.dependencies.push((last as u32, kind, on as u32));
        }
    }

    /// Forgets the order of completions, for a reader that finds out that the order has no meaning.
    pub fn forget_order(&mut self) {
        self.order.fill(NONE64);
    }

    /// States the final value of an address or cell. It has the size of the widest access that begins there.
    pub fn final_value(&mut self, address: u64, value: u64, line: Option<u64>) {
        self.finals.push(StatedFinal { address, place: None, value, line });
    }

    /// States the final value of a place, and adds its locations to the history, even if no operation accesses them.
    pub(crate) fn final_value_of(&mut self, place: Place, value: u64, line: Option<u64>) {
        let id = self.place_id(place);
        self.finals.push(StatedFinal { address: place.address(), place: Some(id), value, line });
    }

    /// Adds the locations of a place to the history, even if no operation accesses them.
    pub(crate) fn mention(&mut self, place: Place) {
        self.place_id(place);
    }

    fn place_id(&mut self, place: Place) -> u32 {
        if place == Place::Nowhere {
            return NONE32;
        }
        let places = &mut self.places;
        *self.place_ids.entry(place).or_insert_with(|| {
            places.push(place);
            (places.len() - 1) as u32
        })
    }

    /// Builds the history: assumes sizes that were not recorded, splits accesses that overlap in part,
    /// sorts threads by label and operations by program order, and resolves initial values. The
    /// `provenance` is completed with the assumptions made.
    ///
    /// # Errors
    /// Returns [`BuildError::TooLarge`] if there are more operations or lines than 32 bits can count,
    /// [`BuildError::TwoFinals`] if two final values are stated for a location, and
    /// [`BuildError::TooWide`] if a value does not fit a size given by [`AssumedSize::Exactly`].
    pub fn finish(
        mut self,
        assumed: AssumedSize,
        initial: &Initial,
        mut provenance: Provenance,
    ) -> Result<History, BuildError> {
        if self.too_large {
            return Err(BuildError::TooLarge);
        }
        let mut layout = Layout::settle(&self.places, assumed);
        for last in &self.finals {
            layout.ensure(last.address);
        }
        provenance.sizes = layout.sizes();
        provenance.split |= layout.is_split();
        if let AssumedSize::Exactly(size) = assumed {
            self.check_widths(size)?;
        }
        self.mask_values(&layout);

        let permutation = self.program_order();
        let locations = layout.locations().to_vec();
        let mut history = History { locations, ..History::empty(provenance) };
        let threads = self.lay_out_threads(&permutation);
        let kinds = self.move_columns(&mut history, &permutation);
        let location = |&row: &u32| match self.place[row as usize] {
            NONE32 => NONE32,
            place => layout.whole(place),
        };
        let locations = permutation.iter().map(location).collect();
        history.structure =
            StructureColumns { threads, kinds, locations, ..Default::default() }.into();
        if layout.is_split() {
            history = layout::split(history, &layout, &self.place, &permutation);
        }
        if history.len() >= NONE32 as usize {
            return Err(BuildError::TooLarge);
        }
        history.find_parts();
        history.dependencies = self.lay_out_dependencies(&history, &layout, &permutation);
        history.finals = self.lay_out_finals(&mut layout)?;
        initial::resolve(&mut history, initial);
        Ok(history)
    }

    /// Returns the dependencies between the operations of the history. Each part of a split access depends on what the
    /// access depended on, and an operation that depended on the access depends on each of its parts. Of an access that
    /// depended on itself, each part depends on itself.
    fn lay_out_dependencies(
        &self,
        history: &History,
        layout: &Layout,
        permutation: &[u32],
    ) -> Dependencies {
        if self.dependencies.is_empty() {
            return Dependencies::default();
        }
        // By row, the operations that it became.
        let mut parts = vec![0..0; permutation.len()];
        let mut start = 0;
        for &row in permutation {
            let place = self.place[row as usize];
            let end = start + if place == NONE32 { 1 } else { layout.covered(place) };
            parts[row as usize] = start..end;
            start = end;
        }
        let mut all = Vec::new();
        for &(row, kind, on) in &self.dependencies {
            for op in parts[row as usize].clone().map(OpId) {
                let is_source = |&it: &OpId| if on == row { it == op } else { it < op };
                let on = parts[on as usize].clone().map(OpId).filter(is_source);
                let own = on.filter(|&on| history.thread_of(on) == history.thread_of(op));
                all.extend(own.map(|on| Dependency { op, kind, on }));
            }
        }
        Dependencies::new(all)
    }

    /// Returns the final values by location. A value that covers several locations is split as an access to them would
    /// be.
    fn lay_out_finals(&self, layout: &mut Layout) -> Result<Vec<Final>, BuildError> {
        let mut widest: FxHashMap<u64, u32> = FxHashMap::default();
        if !self.finals.is_empty() {
            for (place, address) in self.places.iter().map(Place::address).enumerate() {
                let best = widest.entry(address).or_insert(place as u32);
                if layout.size_of(place as u32) > layout.size_of(*best) {
                    *best = place as u32;
                }
            }
        }
        let mut finals: FxHashMap<u32, Final> = FxHashMap::default();
        for &StatedFinal { address, place, value, line } in &self.finals {
            let parts = match place.or_else(|| widest.get(&address).copied()) {
                Some(place) => layout.parts(place, value),
                None => vec![(layout.ensure(address), value)],
            };
            for (location, value) in parts {
                let last = Final { location, value, line };
                let stated = finals.entry(location).or_insert(last);
                if stated.value != value {
                    return Err(BuildError::TwoFinals { address });
                }
            }
        }
        let mut finals: Vec<Final> = finals.into_values().collect();
        finals.sort_by_key(|last| last.location);
        Ok(finals)
    }

    /// Checks that values fit the size that was given, except those of a block, which are cut to it.
    fn check_widths(&self, size: u8) -> Result<(), BuildError> {
        for row in 0..self.place.len() {
            let Some(Place::Unsized { address, mask: false, .. }) =
                self.places.get(self.place[row] as usize)
            else {
                continue;
            };
            let value = self.read[row].max(self.written[row]);
            if value > layout::low_bytes(size) {
                return Err(BuildError::TooWide {
                    line: (self.line[row] != NONE32).then_some(u64::from(self.line[row])),
                    address: *address,
                    value,
                    size,
                });
            }
        }
        Ok(())
    }

    /// Cuts the values of a block to the size of the access.
    fn mask_values(&mut self, layout: &Layout) {
        for row in 0..self.place.len() {
            let place = self.place[row];
            if place == NONE32
                || !matches!(self.places[place as usize], Place::Unsized { mask: true, .. })
            {
                continue;
            }
            let mask = layout::low_bytes(layout.size_of(place));
            self.read[row] &= mask;
            self.written[row] &= mask;
        }
    }

    /// Rows sorted by thread, then program order, then arrival.
    fn program_order(&self) -> Vec<u32> {
        let mut rows = rows_by_label(&self.thread);
        let label = |row: &u32| self.thread[*row as usize];
        for own in rows.chunk_by_mut(|a, b| label(a) == label(b)) {
            sort_by_sequence(own, |row| self.sequence[row as usize]);
        }
        rows
    }

    fn lay_out_threads(&self, permutation: &[u32]) -> Vec<Thread> {
        let mut threads: Vec<Thread> = Vec::new();
        for (position, &row) in permutation.iter().enumerate() {
            let label = self.thread[row as usize];
            match threads.last_mut() {
                Some(thread) if thread.label == label => thread.end += 1,
                _ => {
                    threads.push(Thread { label, start: position as u32, end: position as u32 + 1 })
                }
            }
        }
        threads
    }

    /// Gathers each column in turn and frees the builder's copy, to keep peak memory low. Returns that of kinds.
    fn move_columns(&mut self, history: &mut History, permutation: &[u32]) -> Vec<Kind> {
        let is_in_order = permutation.is_sorted();
        let kinds = gather(&mut self.kind, permutation, is_in_order);
        history.known = gather(&mut self.known, permutation, is_in_order);
        history.read = gather(&mut self.read, permutation, is_in_order);
        history.written = gather(&mut self.written, permutation, is_in_order);
        history.issued = gather(&mut self.issued, permutation, is_in_order);
        history.completed = gather(&mut self.completed, permutation, is_in_order);
        history.line = gather(&mut self.line, permutation, is_in_order);
        let keys = gather(&mut self.order, permutation, is_in_order);
        history.order = ranks(&keys);
        kinds
    }
}

/// Takes a column out of the builder and returns it in the order of the permutation. `is_in_order` says that the
/// permutation is the identity.
fn gather<T: Copy>(column: &mut Vec<T>, permutation: &[u32], is_in_order: bool) -> Vec<T> {
    let column = std::mem::take(column);
    if is_in_order {
        return column;
    }
    permutation.iter().map(|&row| column[row as usize]).collect()
}

impl Sizes {
    /// How the sizes of these places are known; `assumed` is the size in bytes that some of them were given. Cells and
    /// bytes never mix.
    pub(crate) fn of(places: &[Place], assumed: Option<u8>) -> Sizes {
        match assumed {
            Some(bytes) => Sizes::Assumed(bytes),
            None if places.iter().any(|place| matches!(place, Place::Bytes { .. })) => {
                Sizes::Recorded
            }
            None => Sizes::Cells,
        }
    }
}
