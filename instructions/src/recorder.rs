//! [`Recorder`]: the entries of all threads, and what they say about locations.

use history::Kind;

use crate::announced::Announced;
use crate::log::{Entry, EntryKind, Log};
use crate::options::Options;
use crate::shared::Shared;
use crate::spaces::plain;

/// The entries of all threads, and the locations that threads share or the program announces.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub options: Options,
    pub log: Log,
    pub shared: Shared,
    pub announced: Announced,
}

impl Recorder {
    /// A recorder of the entries that these options select.
    pub(crate) fn new(options: Options) -> Recorder {
        Recorder { options, ..Recorder::default() }
    }

    /// Moves each entry of a thread to the thread that `owner` returns for its trace line.
    pub(crate) fn distribute(&mut self, thread: usize, owner: impl Fn(u64) -> usize) {
        let shared = &mut self.shared;
        self.log.distribute(thread, |entry| {
            let owner = owner(entry.line());
            if owner != thread {
                note_shared(shared, owner, entry);
            }
            owner
        });
    }

    /// Adds an entry, unless the options exclude it.
    pub(crate) fn keep(&mut self, entry: Entry) {
        if !self.options.wants_tick(entry.tick()) {
            return;
        }
        let entry = entry.bounded();
        if let (EntryKind::Access(Kind::Store, _), Some(value)) = (entry.what(), entry.written()) {
            self.announced.store(entry.hart(), plain(entry.address), value);
        }
        if entry.has_place() && self.options.wants_address(plain(entry.address)) {
            note_shared(&mut self.shared, entry.hart(), &entry);
        }
        self.log.push(entry);
    }
}

/// Notes the bytes that an entry of a thread accesses. Longer accesses are those of vector registers, which are not part of the history, so
/// their further bytes need not be noted.
fn note_shared(shared: &mut Shared, thread: usize, entry: &Entry) {
    let bytes = (entry.address, entry.longest_reach().min(256));
    shared.access(thread as u32, bytes, !entry.is_unsized(), entry.may_write());
}
