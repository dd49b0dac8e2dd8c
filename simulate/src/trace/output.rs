//! The output of a trace: to memory, or to a second thread that compresses and writes it.

use std::fmt;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use flate2::Compression;
use flate2::write::GzEncoder;

use ingest::gem5::text::Text;

/// Largest number of pieces of text that wait for the thread: enough to smooth the load, few enough
/// to limit memory.
const WAITING: usize = 4;

/// The destination of a trace.
pub enum Output {
    /// The trace stays in memory.
    Memory,
    /// A file, pipe or the like.
    Plain(Box<dyn Write + Send>),
    /// The same, compressed with gzip.
    Gzip(Box<dyn Write + Send>),
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Output::Memory => "Memory",
            Output::Plain(_) => "Plain",
            Output::Gzip(_) => "Gzip",
        })
    }
}

/// Receives pieces of text and writes them, in order.
#[derive(Debug)]
pub(super) struct Writer {
    kept: Vec<u8>,
    thread: Option<Thread>,
    error: Option<io::Error>,
    /// Whether the output has failed, so that further text is dropped.
    failed: bool,
}

#[derive(Debug)]
struct Thread {
    pieces: SyncSender<Vec<u8>>,
    /// Pieces that have been written come back for reuse.
    empty: Receiver<Vec<u8>>,
    handle: JoinHandle<io::Result<()>>,
}

impl Writer {
    pub(super) fn new(output: Output) -> Writer {
        let mut writer = Writer { kept: Vec::new(), thread: None, error: None, failed: false };
        let (to, gzip) = match output {
            Output::Memory => return writer,
            Output::Plain(to) => (to, false),
            Output::Gzip(to) => (to, true),
        };
        match start(to, gzip) {
            Ok(thread) => writer.thread = Some(thread),
            Err(error) => writer.fail(error),
        }
        writer
    }

    /// Takes over the text and leaves an empty one.
    pub(super) fn write(&mut self, text: &mut Text) {
        let Some(thread) = &self.thread else {
            if !self.failed {
                self.kept.extend_from_slice(text.bytes());
            }
            return text.clear();
        };
        let mut empty = thread.empty.try_recv().unwrap_or_default();
        empty.clear();
        let piece = text.replace(empty);
        if thread.pieces.send(piece).is_err() {
            // The thread only ends because of an error.
            let result = self.join();
            if let Err(error) = result {
                self.fail(error);
            }
        }
    }

    /// The error of the output; it is returned once.
    pub(super) fn error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Writes the last piece and waits until everything is written.
    pub(super) fn finish(mut self, text: Vec<u8>) -> io::Result<Vec<u8>> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.failed {
            return Err(io::Error::other("the trace could not be written"));
        }
        match &self.thread {
            None => {
                self.kept.extend_from_slice(&text);
                return Ok(self.kept);
            }
            // If the thread has ended, joining it returns the error.
            Some(thread) => drop(thread.pieces.send(text)),
        }
        self.join()?;
        Ok(Vec::new())
    }

    fn join(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        drop(thread.pieces);
        match thread.handle.join() {
            Ok(result) => result,
            Err(_) => Err(io::Error::other("the thread that writes the trace panicked")),
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.failed = true;
        self.error = Some(error);
    }
}

fn start(to: Box<dyn Write + Send>, gzip: bool) -> io::Result<Thread> {
    let (pieces, to_write) = sync_channel(WAITING);
    let (written, empty) = channel();
    let body = move || {
        if gzip {
            compress(to, &to_write, &written)
        } else {
            copy(to, &to_write, &written).and_then(|mut to| to.flush())
        }
    };
    let builder = std::thread::Builder::new().name("trace".to_owned());
    Ok(Thread { pieces, empty, handle: builder.spawn(body)? })
}

/// Writes pieces compressed. The header has no time stamp, and pieces are cut by length alone, so the same trace gives
/// the same bytes.
fn compress(
    to: Box<dyn Write + Send>,
    pieces: &Receiver<Vec<u8>>,
    written: &Sender<Vec<u8>>,
) -> io::Result<()> {
    let encoder = GzEncoder::new(to, Compression::fast());
    let encoder = copy(encoder, pieces, written)?;
    encoder.finish()?.flush()
}

fn copy<W: Write>(
    mut to: W,
    pieces: &Receiver<Vec<u8>>,
    written: &Sender<Vec<u8>>,
) -> io::Result<W> {
    while let Ok(piece) = pieces.recv() {
        to.write_all(&piece)?;
        // The receiver may have ended already.
        let _ = written.send(piece);
    }
    Ok(to)
}
