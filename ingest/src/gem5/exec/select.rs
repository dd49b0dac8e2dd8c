//! The history of what is selected: addresses that the user chose, or locations that threads share.

use history::{Access, Doubt, Gap, HistoryBuilder, Kind, NotUnderstood, Place, Unfinished};

use super::hart::Hart;
use super::log::{Entry, Log, What};
use super::shared::Shared;
use crate::options::Options;

/// What was selected of the executed instructions.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    pub builder: HistoryBuilder,
    /// Store-conditionals that may or may not have stored.
    pub unfinished: Vec<Unfinished>,
    /// Instructions that were not understood, the first of each sort.
    pub not_understood: Vec<NotUnderstood>,
    /// Lines of fences that the trace shows too little of.
    pub unknown_fences: Vec<u64>,
    /// Whether a write that is not selected reaches into what is.
    pub outside_writes: bool,
    /// Bytes that threads share, if the locations were found by that.
    pub shared_bytes: Option<u64>,
    /// Accesses that were not selected.
    pub left_out: u64,
}

/// Makes the history.
pub(super) fn history(log: Log, shared: &Shared, harts: &[Hart], options: &Options) -> Selected {
    let mut selection = Selection {
        shared,
        harts,
        options,
        fences: harts.iter().map(|_| Fences::default()).collect(),
        selected: Selected {
            shared_bytes: options.addresses.is_none().then(|| shared.bytes()),
            ..Selected::default()
        },
    };
    log.drain(|entry| selection.entry(&entry));
    selection.selected.unknown_fences.sort_unstable();
    selection.selected
}

/// The selection as it goes along.
struct Selection<'a> {
    shared: &'a Shared,
    harts: &'a [Hart],
    options: &'a Options,
    fences: Vec<Fences>,
    selected: Selected,
}

/// The fences of a thread since its last access that was selected.
#[derive(Debug, Default)]
struct Fences {
    /// Whether there was such an access: else they have nothing to order.
    accessed: bool,
    waiting: Vec<Entry>,
}

impl Selection<'_> {
    fn entry(&mut self, entry: &Entry) {
        match entry.what() {
            What::Fence(_) | What::SomeFence => {
                let fences = &mut self.fences[entry.hart as usize];
                if fences.accessed {
                    fences.add(*entry);
                }
            }
            What::Nowhere(_) => self.note_doubt(entry),
            _ if self.was_executed_again(entry) => {}
            _ if !self.wants(entry) => {
                self.selected.left_out += 1;
                self.selected.outside_writes |= entry.may_write() && self.reaches_in(entry);
            }
            What::Access(kind, _) => self.access(entry, kind),
            What::Maybe => self.selected.unfinished.push(Unfinished {
                thread: self.harts[entry.hart as usize].label,
                address: entry.address,
                writes: true,
                issued: entry.tick(),
                line: Some(entry.line()),
            }),
            What::Unknown(_) | What::Crossing(_) => self.note_doubt(entry),
        }
    }

    /// Whether an access is part of the history.
    fn wants(&self, entry: &Entry) -> bool {
        match (&self.options.addresses, entry.what()) {
            (None, _) => self.shared.is_shared(entry.address, entry.reach()),
            (Some(range), What::Unknown(_) | What::Crossing(_)) => {
                entry.address < range.end
                    && range.start < entry.address.saturating_add(entry.reach())
            }
            (Some(range), _) => range.contains(&entry.address),
        }
    }

    fn reaches_in(&self, entry: &Entry) -> bool {
        let range = self.options.addresses.as_ref();
        range.is_some_and(|range| {
            entry.address < range.start && range.start < entry.address.saturating_add(entry.reach())
        })
    }

    /// Whether a store was printed again because it had faulted. That is certain only of a thread
    /// that shows all of its instructions.
    fn was_executed_again(&self, entry: &Entry) -> bool {
        entry.repetition().is_some() && self.harts[entry.hart as usize].shows_all()
    }

    fn access(&mut self, entry: &Entry, kind: Kind) {
        if let Some(line) = entry.repetition() {
            let doubt = Some(Doubt::Repeats(entry.line()));
            self.not_understood(entry, line, Gap::Write, doubt);
        }
        self.push_fences(entry.hart);
        let access = self.as_access(entry, kind, entry.place());
        self.selected.builder.push(Access {
            read: entry.read(),
            written: entry.written(),
            ..access
        });
    }

    fn as_access(&self, entry: &Entry, kind: Kind, place: Place) -> Access {
        let annotation = match entry.what() {
            What::Access(_, annotation) => annotation,
            _ => history::Annotation::None,
        };
        Access {
            annotation,
            sequence: entry.line(),
            line: Some(entry.line()),
            order: Some(entry.line()),
            completed: entry.tick(),
            ..Access::new(self.harts[entry.hart as usize].label, kind, place)
        }
    }

    /// An access follows the fences that wait for one.
    fn push_fences(&mut self, hart: u32) {
        let fences = &mut self.fences[hart as usize];
        fences.accessed = true;
        for fence in std::mem::take(&mut fences.waiting) {
            let kind = match fence.what() {
                What::Fence(kind) => kind,
                _ => {
                    self.note_doubt(&fence);
                    self.selected.unknown_fences.push(fence.line());
                    Kind::Fence
                }
            };
            let access = self.as_access(&fence, kind, Place::Nowhere);
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
        let hart = &self.harts[entry.hart as usize];
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

impl Fences {
    /// A full fence makes those beside it superfluous, and one of a kind is enough.
    fn add(&mut self, fence: Entry) {
        let is_full = |it: &Entry| it.what() == What::Fence(Kind::Fence);
        if self
            .waiting
            .iter()
            .any(|it| is_full(it) || it.what() == fence.what())
        {
            return;
        }
        if is_full(&fence) {
            self.waiting.clear();
        }
        self.waiting.push(fence);
    }
}
