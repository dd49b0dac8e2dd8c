//! Decodes the records of a log: [`decode`] returns a [`Record`].

use history::{Annotation, DependencyKind, Kind, WeakFence, dependency_from_text};

use crate::error::excerpt;
use crate::tester::{MAGIC, MAGIC_OF_ANY};

/// Largest length of a record, in bytes.
pub(super) const LONGEST: usize = 4096;

/// Upper bound of the number of threads of a run; a run has fewer.
const MOST_THREADS: u64 = 1 << 20;

/// The fault of a record: descriptions of what was found and of what was expected.
#[derive(Debug)]
pub(super) struct Flaw {
    pub found: String,
    pub expected: String,
}

impl Flaw {
    pub(super) fn new(found: impl Into<String>, expected: impl Into<String>) -> Flaw {
        Flaw { found: found.into(), expected: expected.into() }
    }
}

/// The properties of a run that its first record states.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub threads: u32,
    /// Size of a cache line in bytes, a power of two; 64 if the log has another number.
    pub line_size: u64,
    pub name: String,
    pub client: String,
}

/// An operation as it is issued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issue {
    pub kind: Kind,
    pub address: u64,
    pub size: u8,
    pub written: Option<u64>,
    pub annotation: Annotation,
}

impl Issue {
    fn new(kind: Kind, address: u64, size: u8, written: Option<u64>) -> Issue {
        Issue { kind, address, size, written, annotation: Annotation::None }
    }

    /// The operation with its annotation and the kind of its fence.
    pub(super) fn ordered(self, ordering: &Ordering) -> Issue {
        let kind = match ordering.fence {
            Some(fence) if self.kind.is_fence() => Kind::WeakFence(fence),
            _ => self.kind,
        };
        Issue { kind, annotation: ordering.annotation, ..self }
    }
}

/// The operation that a record is about, and the tick of the record.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperationRef {
    pub thread: u32,
    pub index: u32,
    /// Ticks since the record before.
    pub after: u64,
}

/// The ordering of an operation under weak models besides its kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Ordering {
    pub annotation: Annotation,
    pub fence: Option<WeakFence>,
    /// The dependencies of the operation: the part that depends, and the index of the earlier operation in its thread.
    pub depends: Vec<(DependencyKind, u32)>,
}

/// A transition that a controller took.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransitionRecord {
    /// The numbers of the names of machine, event, state and next state.
    pub names: [u64; 4],
    pub version: u32,
    /// Address of the cache line.
    pub address: u64,
    /// Ticks since the record before.
    pub after: u64,
}

/// A record.
#[derive(Clone, Debug)]
pub(super) enum Record {
    /// The first line of a log.
    Magic,
    Run(Head),
    End {
        after: u64,
        is_complete: bool,
    },
    Issue(OperationRef, Issue),
    /// The ordering of the operation that is issued next.
    Order(OperationRef, Ordering),
    Complete(OperationRef, Option<u64>),
    /// A name of the run; transitions refer to it by its number, which counts names from 0.
    Name(String),
    Transition(TransitionRecord),
}

/// Decodes the record at the start of `bytes`, which hold all that is left or at least [`LONGEST`] bytes. Returns it
/// with its length, or `None` if there are no bytes.
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(Record, usize)>, Flaw> {
    let Some((&first, rest)) = bytes.split_first() else {
        return Ok(None);
    };
    if bytes.starts_with(MAGIC_OF_ANY) {
        return magic(bytes).map(Some);
    }
    let mut numbers = RecordBytes { rest };
    let record = match first {
        0x01 => numbers.head()?,
        0x02 => {
            let after = numbers.next()?;
            let is_complete = numbers.below(2, "0 or 1 as the reason of the end")? == 0;
            Record::End { after, is_complete }
        }
        0x10 => numbers.issue(Kind::Load)?,
        0x11 => numbers.issue(Kind::Store)?,
        0x12 => numbers.issue(Kind::Rmw)?,
        0x13 => numbers.issue(Kind::Fence)?,
        0x14 => numbers.issue(Kind::LoadLinked)?,
        0x15 => numbers.issue(Kind::StoreConditional)?,
        0x16 => {
            let which = numbers.which()?;
            Record::Order(which, ordering(&numbers.text()?)?)
        }
        0x20 => Record::Complete(numbers.which()?, None),
        0x21 => Record::Complete(numbers.which()?, Some(numbers.next()?)),
        0x30 => Record::Name(numbers.text()?),
        0x31 => Record::Transition(numbers.took()?),
        other => {
            return Err(Flaw::new(
                format!("a record of kind {other:#04x}"),
                "a kind that version 1 of the format has",
            ));
        }
    };
    Ok(Some((record, bytes.len() - numbers.rest.len())))
}

/// The ordering that words separated by `/` state.
fn ordering(text: &str) -> Result<Ordering, Flaw> {
    let mut ordering = Ordering::default();
    for word in text.split('/') {
        let fence = word.strip_prefix("fence:").and_then(fence_of);
        let annotation = word.strip_prefix("annotation:").and_then(Annotation::from_name);
        match (fence, annotation, dependency_from_text(word)) {
            (Some(fence), ..) => ordering.fence = Some(fence),
            (_, Some(annotation), _) => ordering.annotation = annotation,
            (.., Some(dependency)) => ordering.depends.push(dependency),
            _ => {
                let expected = "fence:KIND, annotation:KIND or a dependency such as address:3";
                return Err(Flaw::new(format!("`{}`", excerpt(word.as_bytes(), 40)), expected));
            }
        }
    }
    Ok(ordering)
}

/// The fence of a name in which `-` stands for spaces.
fn fence_of(name: &str) -> Option<WeakFence> {
    WeakFence::ALL.into_iter().find(|fence| fence.name().replace(' ', "-") == name)
}

/// Decodes the first line of a log, which must be of version 1.
fn magic(bytes: &[u8]) -> Result<(Record, usize), Flaw> {
    if bytes.starts_with(MAGIC) {
        return Ok((Record::Magic, MAGIC.len()));
    }
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let version = excerpt(&line[MAGIC_OF_ANY.len()..], 20);
    Err(Flaw::new(format!("a log of version `{version}`"), "version 1, which this rubric reads"))
}

impl Flaw {
    /// Whether the log ends within a record, as that of a run that was killed does.
    pub(super) fn is_end_of_log(&self) -> bool {
        self.found.starts_with(END_OF_LOG)
    }
}

/// How what is found is described if the log ends within a record.
const END_OF_LOG: &str = "the end of the log within";

/// The bytes of a record that were not decoded yet.
struct RecordBytes<'a> {
    rest: &'a [u8],
}

impl RecordBytes<'_> {
    /// The next number.
    fn next(&mut self) -> Result<u64, Flaw> {
        let mut number = 0_u64;
        for (at, &byte) in self.rest.iter().enumerate() {
            let part = u64::from(byte & 0x7f);
            let shift = 7 * at as u32;
            if shift > 63 || part << shift >> shift != part {
                return Err(Flaw::new("a number of more than 64 bits", "one of at most 64 bits"));
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                self.rest = &self.rest[at + 1..];
                return Ok(number);
            }
        }
        Err(Flaw::new(format!("{END_OF_LOG} a record"), "the rest of the record"))
    }

    /// The next number, which is below a bound.
    fn below(&mut self, bound: u64, expected: &str) -> Result<u64, Flaw> {
        match self.next()? {
            number if number < bound => Ok(number),
            number => Err(Flaw::new(number.to_string(), expected)),
        }
    }

    fn head(&mut self) -> Result<Record, Flaw> {
        self.below(1, "0 as the version of the core")?;
        let threads = self.below(MOST_THREADS, "at most 1048576 threads")? as u32;
        let size = self.next()?;
        let line_size = if size.is_power_of_two() { size } else { 64 };
        Ok(Record::Run(Head { threads, line_size, name: self.text()?, client: self.text()? }))
    }

    fn text(&mut self) -> Result<String, Flaw> {
        let length = self.below(LONGEST as u64 / 4, "a text of at most 1023 bytes")? as usize;
        let Some((text, rest)) = self.rest.split_at_checked(length) else {
            return Err(Flaw::new(format!("{END_OF_LOG} a text"), "the rest of the text"));
        };
        self.rest = rest;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn which(&mut self) -> Result<OperationRef, Flaw> {
        let thread = self.below(MOST_THREADS, "the number of a thread")? as u32;
        let index = self.below(1 << 32, "the index of an operation, below 2^32")? as u32;
        Ok(OperationRef { thread, index, after: self.next()? })
    }

    fn took(&mut self) -> Result<TransitionRecord, Flaw> {
        let names = [self.next()?, self.next()?, self.next()?, self.next()?];
        let version = self.below(1 << 32, "the number of a controller, below 2^32")? as u32;
        Ok(TransitionRecord { names, version, address: self.next()?, after: self.next()? })
    }

    fn issue(&mut self, kind: Kind) -> Result<Record, Flaw> {
        let which = self.which()?;
        if kind.is_fence() {
            return Ok(Record::Issue(which, Issue::new(kind, 0, 0, None)));
        }
        let address = self.next()?;
        let size = self.next()?;
        if !(1..=8).contains(&size) || address.checked_add(size).is_none() {
            return Err(Flaw::new(
                format!("an access of {size} bytes at {address:#x}"),
                "1 to 8 bytes below 2^64",
            ));
        }
        let written = if kind.writes() { Some(self.next()?) } else { None };
        Ok(Record::Issue(which, Issue::new(kind, address, size as u8, written)))
    }
}
