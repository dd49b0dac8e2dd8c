//! Builds the history of the selected accesses: those to addresses that the user chose, or to locations that threads share.

use std::collections::BTreeSet;
use std::ops::Range;

use history::{
    Access, Annotation, Doubt, Gap, HistoryBuilder, Kind, NotUnderstood, Place, Unfinished,
    WeakFence,
};

use crate::dependencies::{AccessSources, Dependencies};
use crate::hart::Hart;
use crate::log::{Entry, EntryKind, Log};
use crate::shared::Shared;
use crate::spaces::{is_kernel, plain};

/// The history of the selected accesses, and remarks on the others.
#[derive(Debug, Default)]
pub struct Selected {
    /// The operations.
    pub builder: HistoryBuilder,
    /// Stores and store-conditionals that may or may not have been performed.
    pub unfinished: Vec<Unfinished>,
    /// Instructions that were not understood, the first of each kind of gap.
    pub not_understood: Vec<NotUnderstood>,
    /// Lines of fences whose kind the trace does not show.
    pub unknown_fences: Vec<u64>,
    /// Whether a write that is not selected reaches into the selected range.
    pub outside_writes: bool,
    /// Addresses whose accesses were not selected, but are among the operations, without values, because they order others.
    pub order_only: BTreeSet<u64>,
    /// The addresses that the program announces, if they select the accesses.
    pub announced: Option<Range<u64>>,
    /// Whether the program announces its shared variables, although sharing selects the accesses.
    pub announces: bool,
    /// Number of bytes that threads share, if sharing selects the accesses.
    pub shared_bytes: Option<u64>,
    /// Line and address of the first selected access to memory of a program, if sharing selects the accesses.
    pub of_program: Option<(u64, u64)>,
    /// Number of accesses that were not selected.
    pub left_out: u64,
    /// Number of dependencies that the trace does not show.
    pub unknown_dependencies: u64,
}

/// Makes the history of the selected accesses.
///
/// `vector` is the largest size of a vector register in bytes, where it is known. `chosen` are the addresses that are
/// selected; without them, the locations that threads share are.
pub(crate) fn history(
    log: Log,
    shared: &Shared,
    harts: &[Hart],
    vector: Option<u64>,
    chosen: Option<Range<u64>>,
) -> Selected {
    let mut selection = Selection {
        shared,
        harts,
        vector,
        chosen: chosen.clone(),
        orders: harts.iter().map(|_| Orders::default()).collect(),
        dependencies: harts.iter().map(|hart| Dependencies::new(hart.edges())).collect(),
        selected: Selected {
            shared_bytes: chosen.is_none().then(|| shared.bytes()),
            ..Selected::default()
        },
    };
    log.drain(|entry| selection.entry(&entry));
    selection.selected.unknown_fences.sort_unstable();
    selection.selected
}

/// The selection in progress.
struct Selection<'a> {
    shared: &'a Shared,
    harts: &'a [Hart],
    vector: Option<u64>,
    /// The addresses that were chosen; `None` selects the bytes that threads share.
    chosen: Option<Range<u64>>,
    orders: Vec<Orders>,
    dependencies: Vec<Dependencies<'a>>,
    selected: Selected,
}

/// The fences and unselected accesses since a thread's last selected access that may order its accesses.
///
/// An acquire or a release orders accesses under weak models, whatever location it accesses. Under the models with
/// store buffers, a read-modify-write of any location empties the store buffer, a release follows the stores before it
/// and precedes a later acquire, and stores follow a read that follows a fence of stores before reads. Such accesses
/// are added to the history without their values, and the models derive the order. Any other access that is not
/// selected orders nothing by itself: the models with store buffers preserve all program order except that after a
/// store, and for weak models [`Dependencies`] passes its dependencies on.
#[derive(Debug, Default)]
struct Orders {
    /// Whether an access was selected. Without one, fences have nothing to order.
    accessed: bool,
    /// Whether a store was selected. Without one, the store buffer is empty.
    stored: bool,
    /// Whether a release was added or is waiting, selected or not.
    released: bool,
    /// Whether there was a fence that orders stores before reads but not before stores, and no read since.
    fenced: bool,
    /// The fences and accesses, with the sources of accesses.
    waiting: Vec<(Entry, AccessSources)>,
}

impl Selection<'_> {
    fn entry(&mut self, entry: &Entry) {
        if matches!(entry.what(), EntryKind::Fence(_) | EntryKind::UnknownFence) {
            return self.orders[entry.hart()].fence(*entry);
        }
        let sources = self.dependencies[entry.hart()].of(entry.line());
        match entry.what() {
            EntryKind::Unplaced { .. } => self.note_doubt(entry),
            _ if self.was_executed_again(entry) => self.executed_again(entry, &sources),
            _ if !self.wants(entry) => self.left_out(entry, &sources),
            EntryKind::Access(kind, _) => self.access(entry, kind, &sources),
            EntryKind::PossibleStore => self.possible_store(entry, &sources),
            _ => self.note_doubt(entry),
        }
    }

    fn left_out(&mut self, entry: &Entry, sources: &AccessSources) {
        if let EntryKind::Access(kind, annotation) = entry.what() {
            self.orders[entry.hart()].not_selected(*entry, kind, annotation, sources);
        }
        self.dependencies[entry.hart()].left_out(entry, sources);
        self.selected.left_out += 1;
        self.selected.outside_writes |= entry.may_write() && self.reaches_in(entry);
    }

    /// Whether an access is part of the history.
    fn wants(&self, entry: &Entry) -> bool {
        match (&self.chosen, entry.what()) {
            (None, _) => self.shared.is_shared(entry.address, entry.reach(self.vector)),
            (Some(range), EntryKind::Unknown(_) | EntryKind::Crossing(_)) => {
                let start = plain(entry.address);
                start < range.end && range.start < start.saturating_add(entry.reach(self.vector))
            }
            (Some(range), _) => range.contains(&plain(entry.address)),
        }
    }

    fn reaches_in(&self, entry: &Entry) -> bool {
        self.chosen.as_ref().is_some_and(|range| {
            let start = plain(entry.address);
            start < range.start && range.start < start.saturating_add(entry.longest_reach())
        })
    }

    /// Whether a store was printed again because it had faulted. That is certain only of a thread
    /// that shows all of its instructions.
    fn was_executed_again(&self, entry: &Entry) -> bool {
        entry.repetition().is_some() && self.harts[entry.hart()].shows_all()
    }

    fn access(&mut self, entry: &Entry, kind: Kind, sources: &AccessSources) {
        if let Some(line) = entry.repetition() {
            let doubt = Some(Doubt::Repeats(entry.line()));
            self.not_understood(entry, line, Gap::Write, doubt);
        }
        let annotation = annotation_of(entry);
        self.push_orders(entry.hart());
        self.orders[entry.hart()].selected(kind, annotation);
        self.push(entry, kind, (entry.read(), entry.written()), sources);
    }

    /// Takes in a store that was printed again. If its thread executed other instructions in between, it may have
    /// faulted, or the second may be another store, of another task.
    fn executed_again(&mut self, entry: &Entry, sources: &AccessSources) {
        if entry.was_left() && self.wants(entry) {
            self.possible_store(entry, sources);
        }
    }

    /// Takes in a store that may or may not have been performed; reads of its location may return any value.
    fn possible_store(&mut self, entry: &Entry, sources: &AccessSources) {
        self.selected.unfinished.push(Unfinished {
            thread: self.harts[entry.hart()].label,
            address: entry.address,
            writes: true,
            issued: entry.tick(),
            line: Some(entry.line()),
        });
        self.push(entry, Kind::Store, (None, None), sources);
    }

    /// Adds an access to the history, with the value read and the value written.
    fn push(
        &mut self,
        entry: &Entry,
        kind: Kind,
        (read, written): (Option<u64>, Option<u64>),
        sources: &AccessSources,
    ) {
        if self.chosen.is_none() && !is_kernel(entry.address) {
            let earlier = self.selected.of_program.is_some_and(|it| it.0 < entry.line());
            if !earlier {
                self.selected.of_program = Some((entry.line(), entry.address));
            }
        }
        let bytes = |address| Place::Bytes { address, size: 4 };
        let is_split = entry.is_unsized()
            && entry.address.is_multiple_of(8)
            && self.shared.is_upper_used(entry.address);
        let place = if is_split { bytes(entry.address) } else { entry.place() };
        let access = self.as_access(entry, kind, place);
        self.selected.builder.push(Access { read, written, ..access });
        let selected = &mut self.selected;
        selected.unknown_dependencies +=
            self.dependencies[entry.hart()].record(entry, sources, &mut selected.builder);
        // The access may have 8 bytes, and then it also writes the upper four, which other accesses use.
        if is_split && kind.writes() {
            let upper = self.as_access(entry, Kind::Store, bytes(entry.address + 4));
            self.selected.builder.push(Access { annotation: Annotation::None, ..upper });
        }
    }

    fn as_access(&self, entry: &Entry, kind: Kind, place: Place) -> Access {
        Access {
            annotation: annotation_of(entry),
            sequence: entry.line(),
            line: Some(entry.line()),
            order: Some(entry.line()),
            completed: entry.tick(),
            ..Access::new(self.harts[entry.hart()].label, kind, place)
        }
    }

    /// Adds the waiting entries of a thread to the history, since a selected access follows them.
    fn push_orders(&mut self, hart: usize) {
        for (entry, sources) in std::mem::take(&mut self.orders[hart].waiting) {
            let (kind, place) = match entry.what() {
                EntryKind::Fence(kind) => (kind, Place::Nowhere),
                EntryKind::Access(kind, _) => {
                    let address = entry.address;
                    self.selected.order_only.insert(address);
                    (kind, Place::Bytes { address, size: 1 })
                }
                _ => {
                    self.note_doubt(&entry);
                    self.selected.unknown_fences.push(entry.line());
                    (Kind::Fence, Place::Nowhere)
                }
            };
            let access = self.as_access(&entry, kind, place);
            let Selected { builder, unknown_dependencies, .. } = &mut self.selected;
            builder.push(access);
            let dependencies = &mut self.dependencies[hart];
            *unknown_dependencies += if kind.is_fence() {
                dependencies.record_fence(&entry, builder)
            } else {
                dependencies.record(&entry, &sources, builder)
            };
        }
    }

    fn note_doubt(&mut self, entry: &Entry) {
        if let Some((gap, doubt)) = entry.doubt() {
            self.not_understood(entry, entry.line(), gap, doubt);
        }
    }

    /// Notes an instruction that leaves a gap; the first one of each kind of gap is kept.
    fn not_understood(&mut self, entry: &Entry, line: u64, gap: Gap, doubt: Option<Doubt>) {
        let hart = &self.harts[entry.hart()];
        let known = self.selected.not_understood.iter_mut();
        let found = NotUnderstood {
            gap,
            line,
            instruction: hart.described(line).unwrap_or("an instruction").to_owned(),
            doubt,
        };
        match known.into_iter().find(|it| it.gap == gap) {
            Some(first) if first.line <= found.line => {}
            Some(first) => *first = found,
            None => self.selected.not_understood.push(found),
        }
    }
}

fn annotation_of(entry: &Entry) -> Annotation {
    match entry.what() {
        EntryKind::Access(_, annotation) => annotation,
        _ => Annotation::None,
    }
}

impl Orders {
    /// Notes a fence. A full fence makes the other entries superfluous, and of each kind of fence one is enough.
    fn fence(&mut self, fence: Entry) {
        if !self.accessed {
            return;
        }
        self.fenced |= matches!(
            fence.what(),
            EntryKind::Fence(Kind::WeakFence(weak)) if weak.orders_store_load() && !weak.orders_store_store()
        );
        let is_full = |it: &Entry| it.what() == EntryKind::Fence(Kind::Fence);
        // Of several instruction barriers, the last has the most branches before it, so it is the one to keep.
        let isb = EntryKind::Fence(Kind::WeakFence(WeakFence::Instruction));
        if fence.what() == isb {
            self.waiting.retain(|(it, _)| it.what() != isb);
        }
        if self.waiting.iter().any(|(it, _)| is_full(it) || it.what() == fence.what()) {
            return;
        }
        if is_full(&fence) {
            self.waiting.clear();
        }
        self.waiting.push((fence, AccessSources::default()));
    }

    /// Notes an access that is not selected.
    fn not_selected(
        &mut self,
        access: Entry,
        kind: Kind,
        annotation: Annotation,
        sources: &AccessSources,
    ) {
        let is_release = kind.may_be_buffered() && annotation.releases();
        let is_acquire = self.released && kind.reads() && annotation.acquires_in_order();
        let is_first_read = kind.reads() && std::mem::take(&mut self.fenced);
        let is_buffered = kind.is_atomic() || is_release || is_acquire || is_first_read;
        let is_annotated = annotation.acquires() || annotation.releases();
        if !(self.stored && is_buffered || self.accessed && is_annotated) {
            return;
        }
        self.released |= is_release;
        // The first and the last entry of a kind order everything that those between them do.
        let is_full = |it: &Entry| it.what() == EntryKind::Fence(Kind::Fence);
        if self.waiting.iter().any(|(it, _)| is_full(it)) {
            return;
        }
        let is_same = |&at: &usize| self.waiting[at].0.what() == access.what();
        let mut positions = (0..self.waiting.len()).filter(is_same);
        if let (Some(_), Some(last)) = (positions.next(), positions.next()) {
            self.waiting.remove(last);
        }
        self.waiting.push((access.without_values(), sources.clone()));
    }

    /// Notes an access that is selected.
    fn selected(&mut self, kind: Kind, annotation: Annotation) {
        self.accessed = true;
        self.stored |= kind.may_be_buffered();
        self.released |= kind.may_be_buffered() && annotation.releases();
        self.fenced &= !kind.reads();
    }
}
