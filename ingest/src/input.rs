//! Splits input into lines: plain or compressed, read in large pieces, with bounded memory.

mod ahead;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use memchr::memchr;

use crate::error::Error;
use ahead::Ahead;

/// The most bytes a line may have, unless the limit is lifted.
pub const LINE_LIMIT: usize = 1 << 20;

/// Number of bytes by which the format is detected.
const HEAD: usize = 64 << 10;

const CHUNK: usize = 256 << 10;

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
    source: Box<dyn Read + 'a>,
    compressed: bool,
    lossy: bool,
    /// Whether compressed data may be truncated.
    truncated: bool,
    limit: usize,
    buffer: Vec<u8>,
    /// The bytes of the buffer that were read and not yet returned as lines.
    start: usize,
    end: usize,
    /// Number of those bytes that are known to hold no line end.
    scanned: usize,
    ended: bool,
    failure: Option<io::Error>,
    line: (usize, usize),
    number: u64,
    bytes: u64,
    complete: bool,
    skipped: u64,
    damage: Option<String>,
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
        Ok(Lines::from_source(source, compressed, file, lossy))
    }

    /// Lines of an open file, as [`Lines::new`] has them. Compressed data are decompressed in another thread.
    ///
    /// # Errors
    /// As [`Lines::new`].
    pub fn of_file(input: File, file: &str, lossy: bool) -> Result<Lines<'static>, Error> {
        let (compressed, whole) = look(input).map_err(failed(file))?;
        let source: Box<dyn Read> = if compressed {
            Box::new(Ahead::of(decompress(whole)).map_err(failed(file))?)
        } else {
            Box::new(whole)
        };
        Ok(Lines::from_source(source, compressed, file, lossy))
    }

    fn from_source(
        source: Box<dyn Read + 'a>,
        compressed: bool,
        file: &str,
        lossy: bool,
    ) -> Lines<'a> {
        Lines {
            file: file.to_owned(),
            source,
            compressed,
            lossy,
            truncated: false,
            limit: LINE_LIMIT,
            buffer: vec![0; 2 * CHUNK],
            start: 0,
            end: 0,
            scanned: 0,
            ended: false,
            failure: None,
            line: (0, 0),
            number: 0,
            bytes: 0,
            complete: true,
            skipped: 0,
            damage: None,
        }
    }

    /// Whether the next line is in the buffer, so that [`Lines::advance`] does not wait for input.
    pub fn is_at_hand(&self) -> bool {
        memchr(b'\n', &self.buffer[self.start..self.end]).is_some()
    }

    /// Moves to the next line; false at the end of the input.
    ///
    /// # Errors
    /// Returns an error for input that cannot be read, for damaged compressed data, and for a line that is over the limit or
    /// ends with CR LF.
    pub fn advance(&mut self) -> Result<bool, Error> {
        loop {
            let from = self.start + self.scanned;
            if let Some(at) = memchr(b'\n', &self.buffer[from..self.end]) {
                return self.take_line(from + at, true).map(|()| true);
            }
            self.scanned = self.end - self.start;
            if self.scanned > self.limit {
                self.long_line()?;
            } else if !self.ended {
                self.fill();
            } else if self.failure.is_some() {
                return self.fail();
            } else if self.start < self.end {
                return self.take_line(self.end, false).map(|()| true);
            } else {
                self.line = (self.end, self.end);
                return Ok(false);
            }
        }
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
        &self.buffer[self.line.0..self.line.1]
    }

    /// Number of that line, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether that line had a line end.
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

    /// Lines that were skipped because they were too long.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The damage of compressed data that was skipped, in words.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Allows lines of at most `bytes` bytes.
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// Accepts truncated compressed data, which are noted as damage.
    pub(crate) fn allow_truncation(&mut self) {
        self.truncated = true;
    }

    /// The next line, or its first 64 KiB. Looking does not move.
    pub(crate) fn peek(&mut self) -> &[u8] {
        loop {
            let ahead = &self.buffer[self.start..self.end];
            let end = memchr(b'\n', ahead);
            if end.is_some() || ahead.len() >= HEAD || self.ended {
                let end = self.start + end.unwrap_or(ahead.len());
                return &self.buffer[self.start..end];
            }
            self.fill();
        }
    }

    /// The beginning of what has not been returned yet, at least 64 KiB unless the input ends
    /// before. Looking does not move.
    pub fn head(&mut self) -> &[u8] {
        while self.end - self.start < HEAD && !self.ended {
            self.fill();
        }
        &self.buffer[self.start..self.end]
    }

    /// The bytes that come next: at least `count`, or all that are left. For formats that are not text; looking does not move.
    ///
    /// # Errors
    /// Returns an error for input that cannot be read and for damaged compressed data.
    pub(crate) fn ahead(&mut self, count: usize) -> Result<&[u8], Error> {
        while self.end - self.start < count && !self.ended {
            self.fill();
        }
        if self.end - self.start < count && self.failure.is_some() {
            self.fail()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// The bytes that come next, as far as they have been read.
    pub(crate) fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
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
        let next = self.end.min(self.start + count);
        self.bytes += (next - self.start) as u64;
        self.start = next;
        self.scanned = 0;
        // There is no line to speak of.
        self.line = (next, next);
    }

    /// Moves to the end of the input, whatever comes.
    pub(crate) fn skip_rest(&mut self) {
        loop {
            self.consume(self.end - self.start);
            if self.ended {
                return;
            }
            self.fill();
        }
    }

    /// Whether reading has met damaged data.
    pub(crate) fn is_damaged(&self) -> bool {
        self.failure.is_some() || self.damage.is_some()
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
            line: self.number,
            found: found.into(),
            expected: expected.into(),
            hint: hint.into(),
        }
    }

    /// Reads what is left, to find out whether compressed data are sound to their end. Other errors are ignored.
    pub(crate) fn check_rest(&mut self) -> Option<Error> {
        if !self.compressed {
            return None;
        }
        let good = self.number.saturating_sub(1);
        self.scanned = 0;
        while !self.ended {
            self.start = self.end;
            self.fill();
        }
        let error = self.failure.take()?;
        Some(Error::Damaged { file: self.file.clone(), line: good, what: describe(&error) })
    }

    fn take_line(&mut self, end: usize, complete: bool) -> Result<(), Error> {
        self.line = (self.start, end);
        self.number += 1;
        self.complete = complete;
        let next = end + usize::from(complete);
        self.bytes += (next - self.start) as u64;
        self.start = next;
        self.scanned = 0;
        if end > self.line.0 && self.buffer[end - 1] == b'\r' {
            return Err(Error::CrLf { file: self.file.clone(), line: self.number });
        }
        if end - self.line.0 > self.limit {
            self.refuse_long(self.number)?;
            self.line = (end, end);
        }
        Ok(())
    }

    /// Skips a line of which the buffer already holds more than a line may have, or refuses it.
    fn long_line(&mut self) -> Result<(), Error> {
        self.refuse_long(self.number + 1)?;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.bytes += at as u64 + 1;
                self.start += at + 1;
                break;
            }
            self.bytes += (self.end - self.start) as u64;
            self.start = self.end;
            if self.ended {
                break;
            }
            self.fill();
        }
        self.number += 1;
        self.scanned = 0;
        Ok(())
    }

    fn refuse_long(&mut self, line: u64) -> Result<(), Error> {
        if self.lossy {
            self.skipped += 1;
            return Ok(());
        }
        Err(Error::LongLine { file: self.file.clone(), line, limit: self.limit })
    }

    /// Reads another piece behind what the buffer holds.
    fn fill(&mut self) {
        if self.start > 0 && self.buffer.len() - self.end < CHUNK {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < CHUNK {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.failure = Some(error);
                self.ended = true;
            }
        }
    }

    /// Handles a failure of the input after the last whole line.
    fn fail(&mut self) -> Result<bool, Error> {
        let Some(error) = self.failure.take() else {
            return Ok(false);
        };
        if !self.compressed {
            let file = self.file.clone();
            return Err(Error::Io { file, error });
        }
        let what = describe(&error);
        let is_allowed = self.truncated && error.kind() == io::ErrorKind::UnexpectedEof;
        if !self.lossy && !is_allowed {
            return Err(Error::Damaged { file: self.file.clone(), line: self.number, what });
        }
        self.skipped += u64::from(self.start < self.end);
        self.damage = Some(format!("the gzip data {what} up to line {}", self.number));
        self.start = self.end;
        self.scanned = 0;
        self.line = (self.end, self.end);
        Ok(false)
    }
}

/// Whether the first bytes of an input are those of gzip, and the whole input.
fn look<R: Read>(mut reader: R) -> io::Result<(bool, impl Read + use<R>)> {
    let mut magic = [0; 2];
    let mut have = 0;
    while have < magic.len() {
        match reader.read(&mut magic[have..]) {
            Ok(0) => break,
            Ok(count) => have += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let compressed = have == 2 && magic == [0x1f, 0x8b];
    Ok((compressed, Cursor::new(magic).take(have as u64).chain(reader)))
}

fn decompress<R: Read>(reader: R) -> MultiGzDecoder<BufReader<R>> {
    MultiGzDecoder::new(BufReader::with_capacity(CHUNK, reader))
}

fn failed(file: &str) -> impl FnOnce(io::Error) -> Error {
    let file = file.to_owned();
    |error| Error::Io { file, error }
}

/// Describes damage of compressed data, to stand between "the gzip data" and "up to line 7".
fn describe(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        "end too early (the file is truncated); the text is good".to_owned()
    } else {
        // A wrong byte is noticed only at the checksum, at the end of the data.
        format!("are corrupt ({error}); the text seems good")
    }
}
