//! Reads a trace on a thread of its own, so that reading and checking go on at the same time.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use history::{Access, Source};
use ingest::input::Lines;
use ingest::{Live, LiveEnd, Options};

use super::WatchError;

/// Most operations in a batch.
const BATCH_OPERATIONS: usize = 4096;
/// Most batches that wait for the receiver.
const WAITING_BATCHES: usize = 8;

/// Operations that were read together.
pub struct Batch {
    /// Operations, as they completed.
    pub accesses: Vec<Access>,
    /// As [`Live::holds_all`].
    pub reader_holds_all: bool,
    /// As [`Live::completed_before`].
    pub completed_before: Vec<(u32, u64)>,
    /// The lines that the operations are from, if that is known.
    pub source: Option<Source>,
    /// How many lines were read.
    pub line: u64,
    /// What the end of the trace shows, in the last batch.
    pub end: Option<LiveEnd>,
}

/// The batches that come from the thread that reads.
pub type Batches = Receiver<Result<Batch, WatchError>>;

/// Begins to read. The thread ends with the trace, or when the receiver is dropped.
pub fn begin(
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
