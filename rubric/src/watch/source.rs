//! Reading on a thread of its own, so that what is read and what follows from it take their time beside each other.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use history::{Access, Crash, Source, Unfinished};
use ingest::gem5::Live;
use ingest::input::Lines;
use ingest::{Ending, Options};

use super::WatchError;

/// Most operations in a batch, and batches that wait.
const BATCH: usize = 4096;
const WAITING: usize = 8;

/// What was read.
pub struct Batch {
    /// Operations, as they completed.
    pub accesses: Vec<Access>,
    /// Of each thread of Ruby, a place before which nothing is outstanding.
    pub settled: Vec<(u32, u64)>,
    /// Which lines they are from.
    pub source: Option<Source>,
    /// How many lines were read.
    pub line: u64,
    /// What the end of the trace leaves over.
    pub end: Option<End>,
}

/// What the end of a trace shows.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// Requests that were not answered.
    pub unfinished: Vec<Unfinished>,
    /// Whether values may come from outside.
    pub outside_writes: bool,
    /// How the run ended, in words.
    pub ended: Option<String>,
    /// The message with which gem5 crashed.
    pub crash: Option<Crash>,
    /// What the trace shows of the end.
    pub ending: Ending,
}

/// What comes from the thread that reads.
pub type Batches = Receiver<Result<Batch, WatchError>>;

/// Begins to read. The thread ends with the trace, or when nobody wants more.
pub fn begin(
    reader: Box<dyn Read + Send>,
    file: String,
    options: Options,
) -> (Batches, JoinHandle<()>) {
    let (sender, receiver) = sync_channel(WAITING);
    let reading = thread::spawn(move || {
        if let Err(error) = read(reader, &file, &options, &sender) {
            // If nobody wants to know, nobody does.
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
            settled: live.settled(),
            accesses: std::mem::take(accesses),
            source: live.source(),
            line,
            end,
        };
        sender.send(Ok(batch)).is_ok()
    };
    loop {
        match live.advance(&mut lines) {
            Ok(true) => {}
            Ok(false) => break,
            // Whoever gives it another format is helped by another word.
            Err(error) if live.source().is_none() => {
                return Err(WatchError::Format(error));
            }
            Err(error) => return Err(error.into()),
        }
        accesses.append(&mut live.fetch());
        // What is known is said before somebody has to be waited for.
        let is_due = accesses.len() >= BATCH || (!accesses.is_empty() && !lines.is_at_hand());
        if is_due && !send(&live, &mut accesses, lines.number(), None) {
            return Ok(());
        }
    }
    accesses.append(&mut live.finish(&lines)?);
    let end = End {
        unfinished: live.unfinished().to_vec(),
        outside_writes: live.outside_writes(),
        ended: live.ended().map(str::to_owned),
        crash: live.crash().cloned(),
        ending: live.ending().clone(),
    };
    send(&live, &mut accesses, lines.number(), Some(end));
    Ok(())
}
