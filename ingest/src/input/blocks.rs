//! Reads long texts on several cores: other threads parse blocks of whole lines, and the calling thread takes in their
//! lines one after the other, in order.
//!
//! A format whose lines can be parsed one by one implements [`LineReader`], and [`read_lines`] reads with it. The calls
//! that a reader gets and the errors do not depend on the number of threads: for each line the reader is called with
//! [`Lines`] at that line. Memory is bounded by a few blocks for each thread.

use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};

use memchr::{memchr_iter, memchr2};

use super::Lines;
use super::text::Text;
use crate::error::Error;

/// Number of blocks for each thread that are read before their lines are taken in.
const BLOCKS_AHEAD: usize = 3;

/// Largest number of parsing threads, besides the one that takes lines in. More of them would wait for that one.
const MOST_THREADS: usize = 6;

/// Reads a text line by line.
pub(crate) trait LineReader {
    /// The result of parsing a line without knowledge of the lines before it.
    type Parsed: Send;

    /// Parses a line; `None` if [`LineReader::line`] must read it.
    fn parse(line: &[u8]) -> Option<Self::Parsed>;

    /// Takes in the line that `lines` is at, which has its line end and was parsed by [`LineReader::parse`].
    fn parsed(&mut self, parsed: Self::Parsed, lines: &Lines<'_>) -> Result<(), Error>;

    /// Reads the line that `lines` is at.
    fn line(&mut self, lines: &Lines<'_>) -> Result<(), Error>;
}

/// Reads all lines. After an error the text cannot be read on; [`Lines::line`] is the line that the error is about.
///
/// # Errors
/// Returns the error of the first line that has one.
pub(crate) fn read_lines<R: LineReader>(
    lines: &mut Lines<'_>,
    reader: &mut R,
) -> Result<(), Error> {
    read_lines_on(thread::available_parallelism().map_or(1, usize::from), lines, reader)
}

fn read_lines_on<R: LineReader>(
    cores: usize,
    lines: &mut Lines<'_>,
    reader: &mut R,
) -> Result<(), Error> {
    if cores > 1 && lines.wrap.is_none() && lines.has_block() {
        let limit = lines.limit;
        return thread::scope(|scope| {
            let workers =
                (0..cores.min(MOST_THREADS)).map_while(|_| Worker::start(scope, limit, R::parse));
            Blocks::new(workers.collect()).read(lines, reader)
        });
    }
    while lines.advance()? {
        reader.line(lines)?;
    }
    Ok(())
}

/// A block whose lines were parsed: for each line its end, and the result of [`LineReader::parse`]. `lines` is `None`
/// if the block has a line that may be an error in every format: one that is too long or ends with CR LF.
struct ParsedBlock<P> {
    text: Text,
    lines: Option<ParsedLines<P>>,
}

type ParsedLines<P> = Vec<(u32, Option<P>)>;

/// Parses the lines of a text, whose last one has its line end. `lines` is empty memory. A line with an escape sequence
/// or a space that does not break, which may have been added after the text was printed, is left to [`LineReader::line`].
fn parse_block<P>(
    text: Text,
    mut lines: ParsedLines<P>,
    limit: usize,
    parse: fn(&[u8]) -> Option<P>,
) -> ParsedBlock<P> {
    let mut start = text.start;
    // Most blocks have none, and to search a whole block is much faster than to search each line.
    let is_odd = has_odd_bytes(text.get());
    for end in memchr_iter(b'\n', text.get()).map(|at| text.start + at) {
        let line = &text.bytes[start..end];
        let has_return = line.last() == Some(&b'\r') || (is_odd && line.contains(&b'\r'));
        if line.len() > limit || has_return {
            return ParsedBlock { text, lines: None };
        }
        let is_plain = !is_odd || !has_odd_bytes(line);
        lines.push((end as u32, if is_plain { parse(line) } else { None }));
        start = end + 1;
    }
    ParsedBlock { text, lines: Some(lines) }
}

/// Whether a text has an escape character, or the first byte of a space that does not break.
fn has_odd_bytes(text: &[u8]) -> bool {
    memchr2(0x1b, 0xc2, text).is_some()
}

/// A thread that parses blocks, and returns them in the order in which it receives them.
struct Worker<P> {
    todo: Sender<(Text, ParsedLines<P>)>,
    done: Receiver<ParsedBlock<P>>,
}

impl<P: Send> Worker<P> {
    /// Starts a thread, which ends when the worker is dropped; `None` if the system refuses it.
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        limit: usize,
        parse: fn(&[u8]) -> Option<P>,
    ) -> Option<Worker<P>>
    where
        P: 'scope,
    {
        let (todo, texts) = channel();
        let (results, done) = channel();
        let work = move || {
            for (text, memory) in texts {
                if results.send(parse_block(text, memory, limit, parse)).is_err() {
                    return;
                }
            }
        };
        let started = thread::Builder::new().name("parse".to_owned()).spawn_scoped(scope, work);
        started.ok().map(|_| Worker { todo, done })
    }
}

/// The blocks that are being parsed.
struct Blocks<P> {
    workers: Vec<Worker<P>>,
    /// The worker that parses the next block.
    next: usize,
    /// Number of blocks that workers have.
    ahead: usize,
    /// Memory that is reused for the lines of a block.
    spare: ParsedLines<P>,
}

impl<P: Send> Blocks<P> {
    fn new(workers: Vec<Worker<P>>) -> Blocks<P> {
        Blocks { workers, next: 0, ahead: 0, spare: Vec::new() }
    }

    fn read<R: LineReader<Parsed = P>>(
        mut self,
        lines: &mut Lines<'_>,
        reader: &mut R,
    ) -> Result<(), Error> {
        loop {
            self.hand_out(lines);
            match self.first() {
                Some(block) => self.spare = take_in(block, lines, reader)?,
                // The rest is the end of the text, or a line that is longer than a block.
                None if lines.advance()? => reader.line(lines)?,
                None => return Ok(()),
            }
        }
    }

    /// Gives blocks to the workers in turn, as many as may be read ahead.
    fn hand_out(&mut self, lines: &mut Lines<'_>) {
        while self.ahead < BLOCKS_AHEAD * self.workers.len() {
            let Some(text) = lines.take_block() else {
                return;
            };
            let worker = (self.next + self.ahead) % self.workers.len();
            // A worker runs until this side drops its channels.
            if self.workers[worker].todo.send((text, mem::take(&mut self.spare))).is_ok() {
                self.ahead += 1;
            }
        }
    }

    /// Waits for the first of the blocks that workers have; `None` if they have none.
    fn first(&mut self) -> Option<ParsedBlock<P>> {
        if self.ahead == 0 {
            return None;
        }
        let block = self.workers[self.next].done.recv().ok();
        self.next = (self.next + 1) % self.workers.len();
        self.ahead -= 1;
        block
    }
}

/// Takes in the lines of a block. Returns memory that is free for reuse.
fn take_in<R: LineReader>(
    block: ParsedBlock<R::Parsed>,
    lines: &mut Lines<'_>,
    reader: &mut R,
) -> Result<ParsedLines<R::Parsed>, Error> {
    let behind = lines.enter(block.text);
    let mut memory = Vec::new();
    match block.lines {
        Some(mut parsed) => {
            for (end, parsed) in parsed.drain(..) {
                lines.step(end as usize);
                match parsed {
                    Some(parsed) => reader.parsed(parsed, lines)?,
                    None => {
                        lines.clean();
                        reader.line(lines)?
                    }
                }
            }
            memory = parsed;
        }
        None => {
            while lines.advance_in_buffer()? {
                reader.line(lines)?;
            }
        }
    }
    lines.leave(behind);
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::CHUNK;
    use super::*;

    /// Reader that records its calls. Lines that begin with `?` are not parsed in advance, and lines that end with `!`
    /// are errors.
    #[derive(Default)]
    struct Log(Vec<String>);

    impl Log {
        fn note(&mut self, lines: &Lines<'_>) -> Result<(), Error> {
            let line = String::from_utf8_lossy(lines.line()).into_owned();
            if line.ends_with('!') {
                return Err(lines.syntax("an end", "none", "go on"));
            }
            self.0.push(format!(
                "{} {line} {} {}",
                lines.number(),
                lines.complete(),
                lines.bytes()
            ));
            Ok(())
        }
    }

    impl LineReader for Log {
        type Parsed = Vec<u8>;

        fn parse(line: &[u8]) -> Option<Vec<u8>> {
            (line.first() != Some(&b'?')).then(|| line.to_vec())
        }

        fn parsed(&mut self, parsed: Vec<u8>, lines: &Lines<'_>) -> Result<(), Error> {
            assert_eq!(parsed, lines.line());
            self.note(lines)
        }

        fn line(&mut self, lines: &Lines<'_>) -> Result<(), Error> {
            self.note(lines)
        }
    }

    /// Reads a text, and returns the calls of the reader and a description of the end.
    fn read(cores: usize, bytes: &[u8], lossy: bool) -> (Vec<String>, String) {
        let mut lines =
            Lines::ahead_of(std::io::Cursor::new(bytes.to_vec()), "file", lossy).unwrap();
        lines.set_limit(150);
        let mut log = Log::default();
        let result = read_lines_on(cores, &mut lines, &mut log).map_err(|error| error.to_string());
        let failed = result.is_err();
        let end = format!("{result:?} {} {:?}", lines.number(), lines.line());
        let rest = if failed {
            format!("{:?}", lines.check_rest(None).map(|error| error.to_string()))
        } else {
            format!("{} {} {:?}", lines.bytes(), lines.skipped(), lines.damage())
        };
        let end = format!("{end} {rest}");
        (log.0, end)
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![
            40 => "[a-z?]{0,30}".prop_map(|line| line + "\n"),
            1 => Just("wrong!\n".to_owned()),
            1 => Just("dos\r\n".to_owned()),
            1 => (140usize..400).prop_map(|length| "l".repeat(length) + "\n"),
        ];
        let end = prop_oneof![Just(String::new()), Just("no end".to_owned())];
        (vec(line, 0..120), end).prop_map(|(lines, end)| (lines.concat() + &end).into_bytes())
    }

    /// Strategy for texts that are plain, compressed, or compressed and cut off.
    fn input() -> impl Strategy<Value = Vec<u8>> {
        (text(), 0..4u8, any::<prop::sample::Index>()).prop_map(|(text, how, at)| {
            if how < 2 {
                return text;
            }
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&text).unwrap();
            let mut bytes = encoder.finish().unwrap();
            if how == 3 {
                bytes.truncate(12.max(at.index(bytes.len())));
            }
            bytes
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn the_number_of_threads_changes_nothing(bytes in input(), lossy in any::<bool>()) {
            let one = read(1, &bytes, lossy);
            for cores in [2, 3, 8] {
                prop_assert_eq!(&one, &read(cores, &bytes, lossy), "{} threads", cores);
            }
        }
    }

    #[test]
    fn long_texts_are_read_in_blocks() {
        let text = "line\n".repeat(CHUNK);
        let (log, end) = read(2, text.as_bytes(), false);
        assert_eq!(log.len(), CHUNK, "{end}");
        let mut lines = Lines::new(text.as_bytes(), "file", false).unwrap();
        assert!(lines.take_block().is_some_and(|block| block.len() >= CHUNK / 2));
    }
}
