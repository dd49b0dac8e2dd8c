//! [`History`]: the operations of an execution, stored as columns.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::annotation::Annotation;
use crate::dependency::{Dependencies, Dependency};
use crate::fence::WeakFence;
use crate::kind::Kind;
use crate::operation::{NONE32, NONE64, OpId, Operation, OperationFlags, Thread};
use crate::provenance::{Gap, InitialMode, Provenance};
use crate::structure::{Structure, StructureColumns};
use crate::{permutation, unrecorded};

/// A shared location: bytes of memory, or a cell of the axe format, which has no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Number of the cell, or address of the first byte.
    pub address: u64,
    /// Number of bytes; `None` for a cell.
    pub size: Option<u8>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            None => write!(f, "M[{}]", self.address),
            Some(_) => write!(f, "{:#x}", self.address),
        }
    }
}

/// The value that a location holds at the end, when all stores have reached memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Final {
    /// Index into [`History::locations`].
    pub location: u32,
    /// The value.
    pub value: u64,
    /// Line of the trace that states the value.
    pub line: Option<u64>,
}

/// An execution of a shared memory: per thread a sequence of operations, stored as columns.
///
/// Memory: 46 bytes an operation. Build one with [`crate::HistoryBuilder`].
#[derive(Clone, Debug)]
pub struct History {
    /// Name of the test, where the input gives one.
    pub name: Option<String>,
    /// Where the history came from, and what was assumed in reading it.
    pub provenance: Provenance,
    pub(crate) structure: Structure,
    pub(crate) locations: Vec<Location>,
    pub(crate) initial: Vec<Option<u64>>,
    pub(crate) finals: Vec<Final>,
    pub(crate) fixed_sources: BTreeMap<u32, u32>,
    pub(crate) known: Vec<OperationFlags>,
    pub(crate) read: Vec<u64>,
    pub(crate) written: Vec<u64>,
    pub(crate) issued: Vec<u64>,
    pub(crate) completed: Vec<u64>,
    pub(crate) line: Vec<u32>,
    pub(crate) order: Vec<u32>,
    pub(crate) dependencies: Dependencies,
    /// The operations that are further parts of accesses, ascending (see `find_parts`).
    pub(crate) continued: Vec<u32>,
}

impl History {
    /// A history without operations.
    pub fn empty(provenance: Provenance) -> History {
        History {
            name: None,
            provenance,
            structure: Structure::default(),
            locations: Vec::new(),
            initial: Vec::new(),
            finals: Vec::new(),
            fixed_sources: BTreeMap::new(),
            known: Vec::new(),
            read: Vec::new(),
            written: Vec::new(),
            issued: Vec::new(),
            completed: Vec::new(),
            line: Vec::new(),
            order: Vec::new(),
            dependencies: Dependencies::default(),
            continued: Vec::new(),
        }
    }

    /// Number of operations in the columns, fences and further parts of split accesses included.
    pub fn len(&self) -> usize {
        self.structure.kinds().len()
    }

    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.structure.kinds().is_empty()
    }

    /// Every operation, thread by thread, in program order.
    pub fn ops(&self) -> impl DoubleEndedIterator<Item = OpId> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(OpId)
    }

    /// Number of operations in the trace: a split access counts once.
    pub fn operations(&self) -> usize {
        self.threads().iter().map(|thread| self.thread_operations(thread)).sum()
    }

    /// Number of operations of one thread in the trace: a split access counts once.
    pub fn thread_operations(&self, thread: &Thread) -> usize {
        let range = thread.start as usize..thread.end as usize;
        self.known[range].iter().filter(|known| !known.has(OperationFlags::CONTINUES)).count()
    }

    /// The threads, by ascending label.
    pub fn threads(&self) -> &[Thread] {
        self.structure.threads()
    }

    /// The operations of the `thread`-th thread, in program order.
    pub fn thread_ops(
        &self,
        thread: usize,
    ) -> impl DoubleEndedIterator<Item = OpId> + ExactSizeIterator + use<> {
        (self.threads()[thread].start..self.threads()[thread].end).map(OpId)
    }

    /// Index into [`History::threads`] of the thread that performs `op`. Cost: logarithmic in
    /// the number of threads.
    pub fn thread_of(&self, op: OpId) -> usize {
        self.threads().partition_point(|thread| thread.end <= op.0)
    }

    /// Position of `op` among the operations of its thread, parts of split accesses counted each. It is
    /// [`History::access_index`] that users see.
    pub fn index_of(&self, op: OpId) -> u32 {
        op.0 - self.threads()[self.thread_of(op)].start
    }

    /// The operation at this position in the thread with this label, if there is one. Parts of split accesses count each
    /// ([`History::find_part`] counts accesses).
    pub fn find(&self, label: u32, index: u32) -> Option<OpId> {
        let at = self.threads().binary_search_by_key(&label, |thread| thread.label).ok()?;
        let op = self.threads()[at].start.checked_add(index)?;
        (op < self.threads()[at].end).then_some(OpId(op))
    }

    /// The locations, by ascending address.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// The index of a location in `whole`, the history that this one is a restriction of.
    pub fn location_in(&self, location: u32, whole: &History) -> u32 {
        let place = self.locations[location as usize];
        whole.locations.partition_point(|other| *other < place) as u32
    }

    /// The value that a location holds at the start; `None` if it is not known.
    pub fn initial(&self, location: u32) -> Option<u64> {
        self.initial[location as usize]
    }

    /// The final values that the input states.
    pub fn finals(&self) -> &[Final] {
        &self.finals
    }

    /// Kind of an operation.
    pub fn kind(&self, op: OpId) -> Kind {
        self.structure.kinds()[op.at()]
    }

    /// Acquire and release annotation of an operation.
    pub fn annotation(&self, op: OpId) -> Annotation {
        self.known[op.at()].annotation()
    }

    /// Location of an operation, as an index into [`History::locations`]; `None` for a fence.
    pub fn location(&self, op: OpId) -> Option<u32> {
        let location = self.structure.locations()[op.at()];
        (location != NONE32).then_some(location)
    }

    /// Value that an operation reads, if it reads and the trace shows it.
    pub fn read(&self, op: OpId) -> Option<u64> {
        self.known[op.at()].has(OperationFlags::READ).then(|| self.read[op.at()])
    }

    /// Value that an operation writes, if it writes and the trace shows it.
    pub fn written(&self, op: OpId) -> Option<u64> {
        self.known[op.at()].has(OperationFlags::WRITTEN).then(|| self.written[op.at()])
    }

    /// The dependencies of an operation on earlier ones, as the input states them. Cost: logarithmic.
    pub fn dependencies(&self, op: OpId) -> &[Dependency] {
        self.dependencies.of(op)
    }

    /// The dependencies of all operations, by operation.
    pub fn all_dependencies(&self) -> &[Dependency] {
        self.dependencies.all()
    }

    /// Tick at which an operation was issued, if it is known.
    pub fn issued(&self, op: OpId) -> Option<u64> {
        Some(self.issued[op.at()]).filter(|&tick| tick != NONE64)
    }

    /// Tick at which an operation completed, if it is known.
    pub fn completed(&self, op: OpId) -> Option<u64> {
        Some(self.completed[op.at()]).filter(|&tick| tick != NONE64)
    }

    /// Line of the trace that shows the operation, from 1.
    pub fn line(&self, op: OpId) -> Option<u64> {
        let line = self.line[op.at()];
        (line != NONE32).then_some(u64::from(line))
    }

    /// The position of an operation in the trace: its line, or its number if lines are unknown.
    pub(crate) fn trace_position(&self, op: OpId) -> u64 {
        self.line(op).unwrap_or(u64::from(op.0))
    }

    /// Rank of the operation in the trace's order of completions (for a store, of commits), the
    /// earliest first. `None` if unknown; a store is then last.
    pub fn order(&self, op: OpId) -> Option<u32> {
        let order = self.order[op.at()];
        (order != NONE32).then_some(order)
    }

    /// Whether the trace gives any order of completions.
    pub fn has_order(&self) -> bool {
        self.order.iter().any(|&order| order != NONE32)
    }

    /// All operations in the trace's order of completions; those whose completion is not known come last. Cost: linear.
    pub fn in_order_of_completion(&self) -> Vec<OpId> {
        permutation::rows_by_rank(&self.order).into_iter().map(OpId).collect()
    }

    /// Whether `op` is a further part of the access before it.
    pub fn continues(&self, op: OpId) -> bool {
        self.known[op.at()].has(OperationFlags::CONTINUES)
    }

    /// The load-linked whose reservation a store-conditional used: the nearest earlier load-linked of
    /// its thread and location, with no other write of that thread to the location in between.
    ///
    /// Cost: linear the first time, then constant.
    pub fn linked_load(&self, op: OpId) -> Option<OpId> {
        if self.kind(op) != Kind::StoreConditional {
            return None;
        }
        self.structure.pair_of(op).filter(|pair| !pair.is_crossed).map(|pair| pair.load)
    }

    /// The nearest earlier load-linked of a store-conditional's thread and location with no other store-conditional to
    /// the location in between; other writes of the thread may come in between.
    ///
    /// Cost: linear the first time, then constant.
    pub fn linked_load_across_writes(&self, op: OpId) -> Option<OpId> {
        self.structure.pair_of(op).map(|pair| pair.load)
    }

    /// The load-linked of a store-conditional if the two exclude writes of other threads in between, as they do unless their thread
    /// certainly wrote the location.
    ///
    /// Cost: linear the first time, then constant.
    pub fn excluding_load(&self, op: OpId) -> Option<OpId> {
        self.structure.pair_of(op).filter(|pair| pair.excludes_others).map(|pair| pair.load)
    }

    /// The read whose value decides the effect of an operation: the operation itself if it reads, the load-linked of a
    /// store-conditional, `None` for others.
    pub fn observing_read(&self, op: OpId) -> Option<OpId> {
        if self.kind(op).reads() { Some(op) } else { self.linked_load(op) }
    }

    /// The source of a read that was found by matching whole accesses before they were split, in a history with
    /// accesses of mixed sizes; `None` for other reads.
    pub fn fixed_source(&self, op: OpId) -> Option<OpId> {
        self.fixed_sources.get(&op.0).copied().map(OpId)
    }

    /// The history to search for violations: this one without the assumptions that could cause a violation. Fences
    /// whose ordering the trace does not show order nothing in it. In a history that may lack writes, an inferred
    /// initial value is unknown if a write has it too, unless it is 0. Cost: linear.
    pub fn basis_of_violations(&self) -> Cow<'_, History> {
        let infers =
            self.provenance.initial == InitialMode::Infer && self.provenance.unrecorded_writes;
        let has_fences = !self.provenance.unknown_fences.is_empty();
        if !infers && !has_fences {
            return Cow::Borrowed(self);
        }
        let mut weaker = self.clone();
        if has_fences {
            weaker.forget_unknown_fences();
        }
        if (infers && unrecorded::forget_assumed(&mut weaker)) || has_fences {
            Cow::Owned(weaker)
        } else {
            Cow::Borrowed(self)
        }
    }

    /// Replaces the fences whose ordering the trace does not show by fences that order nothing.
    fn forget_unknown_fences(&mut self) {
        let lines = std::mem::take(&mut self.provenance.unknown_fences);
        let not_understood = &mut self.provenance.not_understood;
        not_understood.retain(|it| it.gap != Gap::Fence);
        let is_unknown = |line| lines.binary_search(&line).is_ok();
        let kinds = self.structure.with_kinds(|op, kind| match kind {
            Kind::Fence if self.line(op).is_some_and(is_unknown) => {
                Kind::WeakFence(WeakFence::Unknown)
            }
            kind => kind,
        });
        self.structure = kinds.into();
    }

    /// This history with other values of some reads, and with other final values. A value that is `None` is not known. Cost: linear.
    pub fn with_results(
        &self,
        reads: impl IntoIterator<Item = (OpId, Option<u64>)>,
        finals: Vec<Final>,
    ) -> History {
        let mut history = History { finals, ..self.clone() };
        for (op, value) in reads {
            let known = &mut history.known[op.at()];
            match value {
                Some(value) => {
                    *known = OperationFlags(known.0 | OperationFlags::READ);
                    history.read[op.at()] = value;
                }
                None => *known = OperationFlags(known.0 & !OperationFlags::READ),
            }
        }
        history
    }

    /// Returns the history of the operations that `keep` selects, and for each of them its operation in this history.
    /// Threads keep their labels, locations their addresses and initial values; locations without an operation are
    /// dropped. A final value is kept if all operations that write it are, and no write of its location has an unknown
    /// value.
    pub fn restrict(&self, keep: impl Fn(OpId) -> bool) -> (History, Vec<OpId>) {
        let kept: Vec<OpId> = self.ops().filter(|&op| keep(op)).collect();
        fn gather<T: Copy>(column: &[T], kept: &[OpId]) -> Vec<T> {
            kept.iter().map(|op| column[op.at()]).collect()
        }
        let place = |op: u32| kept.binary_search(&OpId(op)).ok().map(|at| at as u32);
        let mut used: Vec<u32> = kept.iter().filter_map(|&op| self.location(op)).collect();
        used.sort_unstable();
        used.dedup();
        let number = |location: u32| match used.binary_search(&location) {
            Ok(at) => at as u32,
            Err(_) => NONE32,
        };
        let bound = |op: u32| kept.partition_point(|kept| kept.0 < op) as u32;
        let next = |op: OpId| {
            let next = kept.get(bound(op.0) as usize)?;
            (self.thread_of(*next) == self.thread_of(op)).then(|| OpId(bound(op.0)))
        };
        let dependencies = self.dependencies.restrict(|op| Some(OpId(place(op.0)?)), next);
        let threads = self.threads().iter().map(|thread| Thread {
            label: thread.label,
            start: bound(thread.start),
            end: bound(thread.end),
        });
        let place_of = |op: &OpId| number(self.structure.locations()[op.at()]);
        let kept_of = |ops: &[OpId]| ops.iter().filter_map(|op| place(op.0).map(OpId)).collect();
        let structure = StructureColumns {
            threads: threads.filter(|thread| thread.start < thread.end).collect(),
            kinds: gather(self.structure.kinds(), &kept),
            locations: kept.iter().map(place_of).collect(),
            exceptions: kept_of(self.structure.exceptions()),
            ignored: kept_of(self.structure.ignored()),
        };
        let mut history = History {
            name: self.name.clone(),
            continued: Vec::new(),
            provenance: self.provenance.clone(),
            structure: structure.into(),
            locations: used.iter().map(|&l| self.locations[l as usize]).collect(),
            initial: used.iter().map(|&l| self.initial[l as usize]).collect(),
            finals: self.finals_written_by(&kept, number),
            fixed_sources: self
                .fixed_sources
                .iter()
                .filter_map(|(&to, &from)| Some((place(to)?, place(from)?)))
                .collect(),
            known: kept.iter().map(|&op| self.known_without(op, place)).collect(),
            read: gather(&self.read, &kept),
            written: gather(&self.written, &kept),
            issued: gather(&self.issued, &kept),
            completed: gather(&self.completed, &kept),
            line: gather(&self.line, &kept),
            order: gather(&self.order, &kept),
            dependencies,
        };
        history.find_parts();
        (history, kept)
    }

    /// The flags of an operation in a restriction. It continues an access only if the part before it is kept.
    fn known_without(&self, op: OpId, place: impl Fn(u32) -> Option<u32>) -> OperationFlags {
        let known = self.known[op.at()];
        let has_first = op.0.checked_sub(1).is_some_and(|before| place(before).is_some());
        if known.has(OperationFlags::CONTINUES) && !has_first {
            return OperationFlags(known.0 & !OperationFlags::CONTINUES);
        }
        known
    }

    /// Whether an operation is a read-modify-write that writes back the value that it read, or the write of a split one.
    pub fn writes_back(&self, op: OpId) -> bool {
        let is_second_part = self.continues(op) && self.kind(op) == Kind::StoreConditional;
        let read = if is_second_part { OpId(op.0 - 1) } else { op };
        self.read(read).is_some_and(|value| self.written(op) == Some(value))
    }

    /// Per location, whether the trace does not show the value of some write to it. Reads of such a location may return
    /// any value. Cost: linear.
    pub fn hidden_writes(&self) -> Vec<bool> {
        let mut hidden = vec![false; self.locations.len()];
        for op in self.ops() {
            if let Some(location) = self.location(op) {
                hidden[location as usize] |= self.kind(op).writes() && self.written(op).is_none();
            }
        }
        hidden
    }

    /// The final values whose writers were all kept, with locations renumbered (see
    /// [`History::restrict`]).
    fn finals_written_by(&self, kept: &[OpId], number: impl Fn(u32) -> u32) -> Vec<Final> {
        if self.finals.is_empty() {
            return Vec::new();
        }
        let hidden = self.hidden_writes();
        let writers = |ops: &mut dyn Iterator<Item = OpId>| {
            let mut writers: FxHashMap<(u32, u64), u32> = FxHashMap::default();
            for write in ops.filter_map(|op| Some((self.location(op)?, self.written(op)?))) {
                *writers.entry(write).or_default() += 1;
            }
            writers
        };
        let (all, left) = (writers(&mut self.ops()), writers(&mut kept.iter().copied()));
        self.finals
            .iter()
            .filter(|last| !hidden[last.location as usize])
            .filter(|last| {
                let write = (last.location, last.value);
                left.contains_key(&write) && left.get(&write) == all.get(&write)
            })
            .map(|last| Final { location: number(last.location), ..*last })
            .collect()
    }

    /// Whether a store without a completion in the trace may have written to a location.
    pub fn may_be_unfinished(&self, location: u32) -> bool {
        let location = self.locations[location as usize];
        let end = location.address.saturating_add(u64::from(location.size.unwrap_or(1)));
        self.provenance.unfinished.iter().any(|request| {
            request.writes
                && request.address < end
                && location.address < request.address.saturating_add(8)
        })
    }

    /// All columns of one operation.
    pub fn operation(&self, op: OpId) -> Operation {
        let thread = self.threads()[self.thread_of(op)];
        Operation {
            thread: thread.label,
            index: self.access_index(op),
            kind: self.kind(op),
            annotation: self.annotation(op),
            location: self.location(op),
            read: self.read(op),
            written: self.written(op),
            issued: self.issued(op),
            completed: self.completed(op),
            line: self.line(op),
            continues: self.continues(op),
        }
    }

    /// The name of a location in the input, or its number or address if it has none there.
    fn place_name(&self, place: Location) -> String {
        let name = self.provenance.names.get(&place.address);
        name.map_or_else(|| place.to_string(), String::clone)
    }

    /// A short description of an operation, such as `store M[1] := 2`, `load (acquire) 0x1000 == 7` or
    /// `fence w,w`. A part of a split access is described as the access, with the bytes of the part.
    pub fn describe(&self, op: OpId) -> String {
        let mut text = self.describe_access(op);
        if let Some(location) = self.location(op).filter(|_| self.whole_access(op).is_some()) {
            text += &self.bytes_of_part(location);
        }
        text
    }

    /// A short description of the access that an operation is or is a part of.
    pub fn describe_access(&self, op: OpId) -> String {
        let value = |value: Option<u64>| match (value, self.location(op)) {
            (None, _) => "?".to_owned(),
            (Some(value), Some(location)) if self.locations[location as usize].size.is_some() => {
                format!("{value:#x}")
            }
            (Some(value), _) => value.to_string(),
        };
        let Some(location) = self.location(op) else {
            return self.kind(op).name().to_owned();
        };
        let name = match self.annotation(op) {
            Annotation::None => self.kind(op).name().to_owned(),
            annotation => format!("{} ({})", self.kind(op).name(), annotation.name()),
        };
        let (place, read, written) = match self.whole_access(op) {
            Some(whole) => (whole.location(), whole.read, whole.written),
            None => (self.locations[location as usize], self.read(op), self.written(op)),
        };
        let place = self.place_name(place);
        match (self.kind(op).reads(), self.kind(op).writes()) {
            (true, true) => format!("{name} {place} == {}, := {}", value(read), value(written)),
            (true, false) => format!("{name} {place} == {}", value(read)),
            _ => format!("{name} {place} := {}", value(written)),
        }
    }

    /// The bytes of a part of a split access, in words that follow the description of the access.
    fn bytes_of_part(&self, location: u32) -> String {
        let Location { address, size } = self.locations[location as usize];
        match size {
            None | Some(0 | 1) => format!(" (its byte at {address:#x})"),
            Some(size) => format!(" (its {size} bytes at {address:#x})"),
        }
    }
}
