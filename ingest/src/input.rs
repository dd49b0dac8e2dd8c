//! Splits input into lines ([`Lines`]): plain or compressed, read in large pieces, with bounded memory.

mod ahead;
mod blocks;
mod damage;
mod gzip;
mod terminal;
mod text;
mod wrapped;

use std::cell::Cell;
use std::io::{self, Read};
use std::mem;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::error::Error;
use ahead::{Ahead, FREE_IN_FRONT};
pub(crate) use blocks::{LineReader, read_lines};
pub(crate) use damage::LineCount;
use gzip::{decompress, look};
pub(crate) use terminal::cleaned;
use text::Text;
use wrapped::Joined;
pub(crate) use wrapped::{Wrap, columns};

/// Default limit of the length of a line, in bytes ([`Lines::set_limit`]).
pub const LINE_LIMIT: usize = 1 << 20;

/// Number of bytes from which the format is detected.
const HEAD: usize = 64 << 10;

/// Size of a piece that is read at once, and of a block of lines, in bytes. It is small in tests, so that lines cross
/// the ends of pieces.
const CHUNK: usize = if cfg!(test) { 64 } else { 256 << 10 };

/// The lines of an input, streamed: memory is one buffer, whatever the length of the text.
///
/// ```
/// let mut lines = ingest::input::Lines::new(&b"0: sync\ncheck\n"[..], "t.axe", false)?;
/// while lines.advance()? {
///     println!("{}:{}: {:?}", lines.file(), lines.number(), lines.line());
/// }
/// assert_eq!(lines.number(), 2);
/// # Ok::<(), ingest::Error>(())
/// ```
pub struct Lines<'a> {
    file: String,
    source: Bytes<'a>,
    compressed: bool,
    lossy: bool,
    /// Whether a line may end with CR LF, as what a serial line transmits.
    carriage_returns: bool,
    /// Whether truncated compressed data are accepted.
    truncated: bool,
    limit: usize,
    /// The bytes that were read and not yet returned as lines.
    text: Text,
    /// Unused memory, for the next block.
    spare: Vec<u8>,
    /// Number of bytes at the start of `text` that are known to have no line end.
    scanned: usize,
    ended: bool,
    failure: Option<io::Error>,
    line: (usize, usize),
    number: u64,
    bytes: u64,
    complete: bool,
    skipped: u64,
    /// Whether compressed data are corrupt, and not only cut off.
    is_corrupt: bool,
    /// Number of the first line that was skipped, for its length or by the reader of the format.
    first_skipped: Cell<Option<u64>>,
    /// Description of the damage of compressed data that was skipped, and the number of the last line before it.
    damage: Option<(String, u64)>,
    /// The lines from which escape sequences, and a byte order mark, were removed.
    escapes: LineCount,
    marks: LineCount,
    /// Whether the current line had rare bytes when it was read.
    odd: bool,
    /// How the text was wrapped, if it was.
    wrap: Option<Wrap>,
    joined: Joined,
}

/// The origin of the bytes.
enum Bytes<'a> {
    Reader(Box<dyn Read + 'a>),
    Ahead(Ahead),
}

impl<'a> Lines<'a> {
    /// Lines of `reader`, decompressed if it holds gzip data. `file` is its name in messages; with
    /// `lossy`, damaged compressed data and lines over the limit are skipped and counted.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if the first bytes cannot be read.
    pub fn new(reader: impl Read + 'a, file: &str, lossy: bool) -> Result<Lines<'a>, Error> {
        let (compressed, whole) = look(reader).map_err(failed(file))?;
        let source: Box<dyn Read + 'a> =
            if compressed { Box::new(decompress(whole)) } else { Box::new(whole) };
        Ok(Lines::from_source(Bytes::Reader(source), compressed, file, lossy))
    }

    /// Lines of a reader that can be moved to another thread, as [`Lines::new`] returns them. Compressed data are
    /// decompressed in that thread.
    ///
    /// # Errors
    /// As [`Lines::new`].
    pub fn ahead_of(
        reader: impl Read + Send + 'static,
        file: &str,
        lossy: bool,
    ) -> Result<Lines<'static>, Error> {
        let (compressed, whole) = look(reader).map_err(failed(file))?;
        let source = if compressed {
            Bytes::Ahead(Ahead::of(decompress(whole)).map_err(failed(file))?)
        } else {
            Bytes::Reader(Box::new(whole))
        };
        Ok(Lines::from_source(source, compressed, file, lossy))
    }

    fn from_source(source: Bytes<'a>, compressed: bool, file: &str, lossy: bool) -> Lines<'a> {
        Lines {
            file: file.to_owned(),
            source,
            compressed,
            lossy,
            carriage_returns: false,
            truncated: false,
            limit: LINE_LIMIT,
            text: Text::default(),
            spare: Vec::new(),
            scanned: 0,
            ended: false,
            failure: None,
            line: (0, 0),
            number: 0,
            bytes: 0,
            complete: true,
            skipped: 0,
            is_corrupt: false,
            first_skipped: Cell::new(None),
            damage: None,
            escapes: LineCount::default(),
            marks: LineCount::default(),
            odd: false,
            wrap: None,
            joined: Joined::default(),
        }
    }

    /// Whether the next line is in the buffer, so that [`Lines::advance`] does not wait for input.
    pub fn is_at_hand(&self) -> bool {
        memchr(b'\n', self.text.get()).is_some()
    }

    /// Moves to the next line; false at the end of the input.
    ///
    /// # Errors
    /// Returns an error for input that cannot be read, for damaged compressed data, and for a line that is over the limit or
    /// ends with CR LF.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if self.wrap.is_some() {
            return self.advance_joined();
        }
        self.advance_one()
    }

    /// Moves to the next line of the input, even if it is a part of one that was wrapped.
    fn advance_one(&mut self) -> Result<bool, Error> {
        loop {
            let from = self.text.start + self.scanned;
            if let Some(at) = memchr(b'\n', &self.text.bytes[from..self.text.end]) {
                if self.take_line(from + at, true)? {
                    return Ok(true);
                }
                continue;
            }
            self.scanned = self.text.len();
            if self.scanned > self.limit {
                self.long_line()?;
            } else if !self.ended {
                self.fill();
            } else if self.failure.is_some() {
                return self.fail();
            } else if self.text.len() > 0 {
                if self.take_line(self.text.end, false)? {
                    return Ok(true);
                }
            } else {
                self.line = (self.text.end, self.text.end);
                return Ok(false);
            }
        }
    }

    /// Moves to the next line of the block that was entered; false at its end.
    ///
    /// # Errors
    /// As [`Lines::advance`].
    fn advance_in_buffer(&mut self) -> Result<bool, Error> {
        while let Some(at) = memchr(b'\n', self.text.get()) {
            if self.take_line(self.text.start + at, true)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads ahead, and returns whether at least [`CHUNK`] bytes follow the current line. The position stays.
    fn has_block(&mut self) -> bool {
        while self.text.len() < CHUNK && !self.ended {
            self.fill();
        }
        self.text.len() >= CHUNK
    }

    /// Takes out the next block of whole lines, of about [`CHUNK`] bytes, or fewer at the end of the input. Returns
    /// `None` if only the beginning of a line is left, or if the next line is longer than the buffer.
    fn take_block(&mut self) -> Option<Text> {
        self.has_block();
        let end = self.text.start + memrchr(b'\n', self.text.get())? + 1;
        self.scanned = 0;
        Some(self.text.split_off_front(end, mem::take(&mut self.spare)))
    }

    /// Moves into a block that was taken out, and returns the text after it.
    fn enter(&mut self, block: Text) -> Text {
        self.scanned = 0;
        mem::replace(&mut self.text, block)
    }

    /// Leaves a block after its last line, and continues with the text after it.
    fn leave(&mut self, behind: Text) {
        let block = mem::replace(&mut self.text, behind);
        self.line = (self.text.start, self.text.start);
        self.scanned = 0;
        self.reuse(block.bytes);
    }

    /// Moves to the next line of the block that was entered. The line ends before the byte `end` and is known to have
    /// no fault.
    fn step(&mut self, end: usize) {
        self.line = (self.text.start, end);
        self.number += 1;
        self.complete = true;
        self.bytes += (end + 1 - self.text.start) as u64;
        self.text.start = end + 1;
    }

    /// Moves to the next line and returns it, without its line end; `None` at the end.
    ///
    /// # Errors
    /// As [`Lines::advance`].
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        Ok(if self.advance()? { Some(self.line()) } else { None })
    }

    /// The line that [`Lines::advance`] moved to, without its line end.
    pub fn line(&self) -> &[u8] {
        if let Some(line) = self.joined.line() {
            return line;
        }
        &self.text.bytes[self.line.0..self.line.1]
    }

    /// Number of the current line, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.joined.number().unwrap_or(self.number)
    }

    /// Whether the current line may have bytes that are rare in text: an escape character, a tab, or the first byte of a
    /// space that does not break.
    pub(crate) fn is_odd(&self) -> bool {
        self.odd || self.wrap.is_some()
    }

    /// Whether the current line has a line end.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// The file, as messages show it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Bytes of the lines so far, uncompressed, line ends included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Allows lines of at most `bytes` bytes.
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// Accepts lines that end with CR LF.
    pub(crate) fn accept_carriage_returns(&mut self) {
        self.carriage_returns = true;
    }

    /// Accepts truncated compressed data; the damage is noted.
    pub(crate) fn allow_truncation(&mut self) {
        self.truncated = true;
    }

    /// The next line, or its first 64 KiB. The position stays.
    pub(crate) fn peek(&mut self) -> &[u8] {
        loop {
            let ahead = self.text.get();
            let end = memchr(b'\n', ahead);
            if end.is_some() || ahead.len() >= HEAD || self.ended {
                let end = end.unwrap_or(ahead.len());
                return &self.text.get()[..end];
            }
            self.fill();
        }
    }

    /// The beginning of the text that has not been returned yet, at least 64 KiB unless the input ends before. The
    /// position stays.
    pub fn head(&mut self) -> &[u8] {
        while self.text.len() < HEAD && !self.ended {
            self.fill();
        }
        self.text.get()
    }

    /// The next bytes: at least `count`, or all that are left. The position stays. This is for formats that are not
    /// text.
    ///
    /// # Errors
    /// Returns an error for input that cannot be read and for damaged compressed data.
    pub(crate) fn ahead(&mut self, count: usize) -> Result<&[u8], Error> {
        while self.text.len() < count && !self.ended {
            self.fill();
        }
        if self.text.len() < count && self.failure.is_some() {
            self.fail()?;
        }
        Ok(self.text.get())
    }

    /// The next bytes that have already been read.
    pub(crate) fn buffered(&self) -> &[u8] {
        self.text.get()
    }

    /// Waits for more bytes than are buffered; false at the end of the input.
    ///
    /// # Errors
    /// As [`Lines::ahead`].
    pub(crate) fn wait(&mut self) -> Result<bool, Error> {
        let buffered = self.buffered().len();
        Ok(self.ahead(buffered + 1)?.len() > buffered)
    }

    /// Moves past bytes that [`Lines::ahead`] or [`Lines::buffered`] has returned.
    pub(crate) fn consume(&mut self, count: usize) {
        let next = self.text.end.min(self.text.start + count);
        self.bytes += (next - self.text.start) as u64;
        self.text.start = next;
        self.scanned = 0;
        // Binary formats have no current line.
        self.line = (next, next);
    }

    /// Moves to the next place where the input has these bytes, among the next `limit` bytes, and returns whether there is one. Lines are
    /// counted. What cannot be read counts as the end.
    pub(crate) fn seek(&mut self, needle: &[u8], limit: u64) -> bool {
        let end = self.bytes.saturating_add(limit);
        loop {
            let found = memmem::find(self.text.get(), needle);
            // The needle may begin at the end of what was read.
            let passed = found.unwrap_or((self.text.len() + 1).saturating_sub(needle.len()));
            self.number += memchr_iter(b'\n', &self.text.get()[..passed]).count() as u64;
            self.consume(passed);
            if found.is_some() || self.ended || self.bytes >= end {
                return found.is_some();
            }
            self.fill();
        }
    }

    /// Moves to the end of the input and ignores errors.
    pub(crate) fn skip_rest(&mut self) {
        loop {
            self.consume(self.text.len());
            if self.ended {
                return;
            }
            self.fill();
        }
    }

    /// An error about the current line.
    pub fn syntax(
        &self,
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) -> Error {
        Error::Syntax {
            file: self.file.clone(),
            line: self.number(),
            found: found.into(),
            expected: expected.into(),
            hint: hint.into(),
        }
    }

    /// Moves to a line that ends before the byte `end`; false if it is too long and is skipped.
    fn take_line(&mut self, end: usize, complete: bool) -> Result<bool, Error> {
        self.line = (self.text.start, end);
        self.number += 1;
        self.complete = complete;
        let next = end + usize::from(complete);
        self.bytes += (next - self.text.start) as u64;
        self.text.start = next;
        self.scanned = 0;
        self.clean();
        let (start, end) = self.line;
        if end > start && self.text.bytes[end - 1] == b'\r' {
            if self.carriage_returns {
                self.line.1 -= 1;
                return Ok(true);
            }
            return Err(Error::CrLf { file: self.file.clone(), line: self.number });
        }
        if end - self.line.0 > self.limit {
            self.refuse_long()?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Removes escape sequences and a byte order mark from the current line.
    fn clean(&mut self) {
        let (start, end) = self.line;
        let line = &self.text.bytes[start..end];
        self.odd = terminal::has_odd_bytes(line);
        if !self.odd && !terminal::has_mark(line) {
            return;
        }
        let (length, removed) = terminal::clean(&mut self.text.bytes[start..end]);
        self.line.1 = start + length;
        if removed.escapes {
            self.escapes.add(self.number);
        }
        if removed.mark {
            self.marks.add(self.number);
        }
    }

    /// Skips or refuses a line of which the buffer already holds more bytes than a line may have.
    fn long_line(&mut self) -> Result<(), Error> {
        self.number += 1;
        self.scanned = 0;
        self.refuse_long()?;
        loop {
            if let Some(at) = memchr(b'\n', self.text.get()) {
                self.bytes += at as u64 + 1;
                self.text.start += at + 1;
                break;
            }
            self.bytes += self.text.len() as u64;
            self.text.start = self.text.end;
            if self.ended {
                break;
            }
            self.fill();
        }
        Ok(())
    }

    /// Appends another piece of the input to the buffer.
    fn fill(&mut self) {
        let read = match &mut self.source {
            Bytes::Reader(reader) => {
                self.text.make_room(CHUNK);
                let read = reader.read(&mut self.text.bytes[self.text.end..]);
                self.text.end += *read.as_ref().unwrap_or(&0);
                read
            }
            Bytes::Ahead(ahead) => match ahead.next() {
                Some(Ok(piece)) => {
                    let count = piece.len() - FREE_IN_FRONT;
                    ahead.reuse(self.text.append(piece, FREE_IN_FRONT));
                    // The line that was returned last may have been in the other buffer.
                    self.line = (self.text.start, self.text.start);
                    Ok(count)
                }
                Some(Err(error)) => Err(error),
                None => Ok(0),
            },
        };
        match read {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.failure = Some(error);
                self.ended = true;
            }
        }
    }

    /// Keeps memory for the next piece or block.
    fn reuse(&mut self, memory: Vec<u8>) {
        match &self.source {
            Bytes::Ahead(ahead) => ahead.reuse(memory),
            Bytes::Reader(_) => self.spare = memory,
        }
    }
}

fn failed(file: &str) -> impl FnOnce(io::Error) -> Error {
    let file = file.to_owned();
    |error| Error::Io { file, error }
}
