//! Builds the history of the selected accesses: those to addresses that the user chose, or to locations that threads share.

use history::{
    Access, Annotation, Doubt, Gap, HistoryBuilder, Kind, NotUnderstood, Place, Unfinished,
};

use super::hart::Hart;
use super::log::{Entry, EntryKind, Log};
use super::shared::Shared;
use super::spaces::{is_kernel, plain};
use crate::options::Options;

/// The selected accesses, and what is to be said about the others.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    pub builder: HistoryBuilder,
    /// Store-conditionals that may or may not have stored.
    pub unfinished: Vec<Unfinished>,
    /// Instructions that were not understood, the first of each kind of gap.
    pub not_understood: Vec<NotUnderstood>,
    /// Lines of fences whose kind the trace does not show.
    pub unknown_fences: Vec<u64>,
    /// Whether a write that is not selected reaches into what is.
    pub outside_writes: bool,
    /// Bytes that threads share, if the locations were found by that.
    pub shared_bytes: Option<u64>,
    /// Line and address of the first access to memory of a program, where the locations were found.
    pub of_program: Option<(u64, u64)>,
    /// Accesses that were not selected.
    pub left_out: u64,
}

/// Makes the history.
///
/// `vector` is how many bytes a vector register has at most, where that is known.
pub(super) fn history(
    log: Log,
    shared: &Shared,
    harts: &[Hart],
    vector: Option<u64>,
    options: &Options,
) -> Selected {
    let mut selection = Selection {
        shared,
        harts,
        vector,
        options,
        orders: harts.iter().map(|_| Orders::default()).collect(),
        selected: Selected {
            shared_bytes: options.addresses.is_none().then(|| shared.bytes()),
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
    options: &'a Options,
    orders: Vec<Orders>,
    selected: Selected,
}

/// What orders the accesses of a thread, since the last one that was selected: fences, and accesses
/// that are not selected.
///
/// A read-modify-write empties the store buffer wherever it is. A release follows the stores before it and precedes an acquire
/// behind it, and stores follow a read that follows a fence of stores before reads. Such accesses stay, without their values,
/// and the models do the rest. Any other access that is not selected orders nothing: the models preserve all program order
/// except that after a store.
#[derive(Debug, Default)]
struct Orders {
    /// Whether an access was selected: else fences have nothing to order.
    accessed: bool,
    /// Whether a store was selected: else nothing waits in a buffer.
    stored: bool,
    /// Whether there was a release since.
    released: bool,
    /// Whether no read follows the last fence of stores before reads alone.
    fenced: bool,
    waiting: Vec<Entry>,
}

impl Selection<'_> {
    fn entry(&mut self, entry: &Entry) {
        match entry.what() {
            EntryKind::Fence(_) | EntryKind::UnknownFence => {
                self.orders[entry.hart()].fence(*entry)
            }
            EntryKind::Unplaced { .. } => self.note_doubt(entry),
            _ if self.was_executed_again(entry) => self.executed_again(entry),
            _ if !self.wants(entry) => {
                if let EntryKind::Access(kind, annotation) = entry.what() {
                    self.orders[entry.hart()].not_selected(*entry, kind, annotation);
                }
                self.selected.left_out += 1;
                self.selected.outside_writes |= entry.may_write() && self.reaches_in(entry);
            }
            EntryKind::Access(kind, _) => self.access(entry, kind),
            EntryKind::PossibleStore => self.possible_store(entry),
            EntryKind::Unknown(_) | EntryKind::Crossing(_) => self.note_doubt(entry),
        }
    }

    /// Whether an access is part of the history.
    fn wants(&self, entry: &Entry) -> bool {
        match (&self.options.addresses, entry.what()) {
            (None, _) => self.shared.is_shared(entry.address, entry.reach(self.vector)),
            (Some(range), EntryKind::Unknown(_) | EntryKind::Crossing(_)) => {
                let start = plain(entry.address);
                start < range.end && range.start < start.saturating_add(entry.reach(self.vector))
            }
            (Some(range), _) => range.contains(&plain(entry.address)),
        }
    }

    fn reaches_in(&self, entry: &Entry) -> bool {
        let range = self.options.addresses.as_ref();
        range.is_some_and(|range| {
            let start = plain(entry.address);
            start < range.start && range.start < start.saturating_add(entry.longest_reach())
        })
    }

    /// Whether a store was printed again because it had faulted. That is certain only of a thread
    /// that shows all of its instructions.
    fn was_executed_again(&self, entry: &Entry) -> bool {
        entry.repetition().is_some() && self.harts[entry.hart()].shows_all()
    }

    fn access(&mut self, entry: &Entry, kind: Kind) {
        if let Some(line) = entry.repetition() {
            let doubt = Some(Doubt::Repeats(entry.line()));
            self.not_understood(entry, line, Gap::Write, doubt);
        }
        let annotation = annotation_of(entry);
        self.push_orders(entry.hart());
        self.orders[entry.hart()].selected(kind, annotation);
        self.push(entry, kind, entry.read(), entry.written());
    }

    /// A store that was printed again. If its thread executed other instructions in between it may
    /// have faulted, or may be another one, of another task.
    fn executed_again(&mut self, entry: &Entry) {
        if entry.was_left() && self.wants(entry) {
            self.possible_store(entry);
        }
    }

    /// A store that may or may not have been performed: reads of its location show nothing.
    fn possible_store(&mut self, entry: &Entry) {
        self.selected.unfinished.push(Unfinished {
            thread: self.harts[entry.hart()].label,
            address: entry.address,
            writes: true,
            issued: entry.tick(),
            line: Some(entry.line()),
        });
        self.push(entry, Kind::Store, None, None);
    }

    fn push(&mut self, entry: &Entry, kind: Kind, read: Option<u64>, written: Option<u64>) {
        if self.options.addresses.is_none() && !is_kernel(entry.address) {
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

    /// Adds the waiting entries of a thread, since an access follows them.
    fn push_orders(&mut self, hart: usize) {
        for entry in std::mem::take(&mut self.orders[hart].waiting) {
            let (kind, place) = match entry.what() {
                EntryKind::Fence(kind) => (kind, Place::Nowhere),
                EntryKind::Access(kind, _) => {
                    let address = entry.address;
                    (kind, Place::Bytes { address, size: 1 })
                }
                _ => {
                    self.note_doubt(&entry);
                    self.selected.unknown_fences.push(entry.line());
                    (Kind::Fence, Place::Nowhere)
                }
            };
            let access = self.as_access(&entry, kind, place);
            self.selected.builder.push(access);
        }
    }

    fn note_doubt(&mut self, entry: &Entry) {
        if let Some((gap, doubt)) = entry.doubt() {
            self.not_understood(entry, entry.line(), gap, doubt);
        }
    }

    /// Notes what the instruction of a line leaves open.
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
    /// Notes a fence. A full fence makes the others superfluous, and one of each kind is enough.
    fn fence(&mut self, fence: Entry) {
        if !self.accessed {
            return;
        }
        self.fenced |= matches!(
            fence.what(),
            EntryKind::Fence(Kind::WeakFence(weak)) if weak.orders_store_load() && !weak.orders_store_store()
        );
        let is_full = |it: &Entry| it.what() == EntryKind::Fence(Kind::Fence);
        if self.waiting.iter().any(|it| is_full(it) || it.what() == fence.what()) {
            return;
        }
        if is_full(&fence) {
            self.waiting.clear();
        }
        self.waiting.push(fence);
    }

    /// Notes an access that is not selected.
    fn not_selected(&mut self, access: Entry, kind: Kind, annotation: Annotation) {
        let is_release = kind.may_be_buffered() && annotation.releases();
        let is_acquire = self.released && kind.reads() && annotation.acquires_in_order();
        let is_first_read = kind.reads() && std::mem::take(&mut self.fenced);
        if !self.stored || !(kind.is_atomic() || is_release || is_acquire || is_first_read) {
            return;
        }
        self.released |= is_release;
        // The first and the last of a kind order all that those between them do.
        let is_full = |it: &Entry| it.what() == EntryKind::Fence(Kind::Fence);
        if self.waiting.iter().any(is_full) {
            return;
        }
        let same = |it: &Entry| it.what() == access.what();
        let mut positions = (0..self.waiting.len()).filter(|&at| same(&self.waiting[at]));
        if let (Some(_), Some(last)) = (positions.next(), positions.next()) {
            self.waiting.remove(last);
        }
        self.waiting.push(access.without_values());
    }

    /// Notes an access that is selected.
    fn selected(&mut self, kind: Kind, annotation: Annotation) {
        self.accessed = true;
        self.stored |= kind.may_be_buffered();
        self.released |= kind.may_be_buffered() && annotation.releases();
        self.fenced &= !kind.reads();
    }
}
