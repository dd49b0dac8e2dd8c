//! Reads a trace on a thread of its own, so that reading and checking go on at the same time.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use history::{Access, Source};
use ingest::input::Lines;
use ingest::{Live, LiveEnd, Options};

use super::WatchError;

/// Largest number of operations in a batch, unless one line shows more.
const BATCH_OPERATIONS: usize = 4096;
/// Largest number of batches that wait for the receiver.
const WAITING_BATCHES: usize = 8;

/// Operations that were read together, and how far reading has come.
pub(super) struct Batch {
    /// The operations, in the order of their completion.
    pub accesses: Vec<Access>,
    /// Whether the reader has all operations in memory at once, as [`Live::holds_all`] returns it.
    pub reader_holds_all: bool,
    /// For each thread whose operations are not numbered consecutively, a number before which all its operations have
    /// completed, as [`Live::completed_before`] returns it.
    pub completed_before: Vec<(u32, u64)>,
    /// The kind of trace lines that the operations come from, if it is known.
    pub source: Option<Source>,
    /// Number of lines read so far.
    pub line: u64,
    /// What the end of the trace shows; `None` except in the last batch.
    pub end: Option<LiveEnd>,
}

/// The receiver of the batches that the reading thread sends.
pub(super) type Batches = Receiver<Result<Batch, WatchError>>;

/// Starts the reading thread. It ends with the trace, or when the receiver is dropped.
pub(super) fn begin(
    reader: Box<dyn Read + Send>,
    file: String,
    options: Options,
) -> (Batches, JoinHandle<()>) {
    let (sender, receiver) = sync_channel(WAITING_BATCHES);
    let reading = thread::spawn(move || {
        if let Err(error) = read(reader, &file, &options, &sender) {
            // The receiver is gone if the watch has ended already.
            let _ = sender.send(Err(error));
        }
    });
    (receiver, reading)
}

fn read(
    reader: Box<dyn Read + Send>,
    file: &str,
    options: &Options,
    sender: &SyncSender<Result<Batch, WatchError>>,
) -> Result<(), WatchError> {
    let mut lines = Lines::new(reader, file, options.lossy)?;
    let mut live = Live::new(options);
    let mut accesses = Vec::new();
    let send = |live: &Live<'_>, accesses: &mut Vec<Access>, line, end| {
        let batch = Batch {
            reader_holds_all: live.holds_all(),
            completed_before: live.completed_before(),
            accesses: std::mem::take(accesses),
            source: live.source(),
            line,
            end,
        };
        sender.send(Ok(batch)).is_ok()
    };
    while live.advance(&mut lines)? {
        let mut fetched = live.fetch();
        if accesses.is_empty() {
            accesses = fetched;
        } else {
            accesses.append(&mut fetched);
        }
        // A batch is sent before input has to be waited for.
        let is_due = accesses.len() >= BATCH_OPERATIONS
            || (!accesses.is_empty() && !live.is_at_hand(&lines));
        if is_due && !send(&live, &mut accesses, lines.number(), None) {
            return Ok(());
        }
    }
    let mut end = live.finish(&lines)?;
    accesses.append(&mut end.accesses);
    send(&live, &mut accesses, lines.number(), Some(end));
    Ok(())
}
