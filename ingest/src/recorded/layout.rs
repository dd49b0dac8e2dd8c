//! [`Layout`]: what the words that a thread records in a round mean.
//!
//! A thread records the values of its loads, in program order, and then the final values of the locations of which it has charge:
//! location L, counted from 0 by ascending address, belongs to thread L modulo the number of threads. As *values*, each is a word.
//! As a *signature* (Lee and Bertacco, MTraceCheck, ISCA 2017), each is a digit of a number in a mixed radix. The N writes of a
//! location write the values 1 to N, so what a load returns is itself the number of its source, and a digit of the radix N + 1. A
//! word holds as many digits as fit. Two words follow for values that are no digits, which no write explains: the last of these,
//! and its number among the thread's values, counted from 1, plus 2^32 times how many there were.

use history::{Final, History, OpId};

/// How a program records the values of its loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// Each value is stored in a log.
    Values,
    /// Values are digits of a number that is kept in registers.
    Signature,
}

impl Recording {
    /// All ways to record.
    pub const ALL: [Recording; 2] = [Recording::Values, Recording::Signature];

    /// The name in records and options.
    pub fn name(self) -> &'static str {
        match self {
            Recording::Values => "values",
            Recording::Signature => "signature",
        }
    }
}

/// What a recorded value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The value that an operation reads.
    Read(OpId),
    /// The final value of a location.
    Final(u32),
}

/// A value of a thread, and the radix of its digit.
#[derive(Clone, Copy, Debug)]
struct Item {
    target: Target,
    radix: u64,
}

/// The values that the threads of a program record in a round, and their words.
#[derive(Clone, Debug)]
pub struct Layout {
    recording: Recording,
    threads: Vec<Vec<Item>>,
}

impl Layout {
    /// The layout for a program: a history without values of reads.
    ///
    /// # Errors
    /// Fails for signatures if the values that a location is written are not 1, 2, 3, …
    pub fn new(program: &History, recording: Recording) -> Result<Layout, String> {
        let mut writes = vec![0_u64; program.locations().len()];
        for op in program.ops().filter(|&op| program.kind(op).writes()) {
            writes[program.location(op).map_or(0, |at| at as usize)] += 1;
        }
        if recording == Recording::Signature {
            check_values(program, &writes)?;
        }
        let count = program.threads().len();
        let item = |target, location: u32| Item { target, radix: writes[location as usize] + 1 };
        let threads = (0..count).map(|thread| {
            let reads = program.thread_ops(thread).filter(|&op| program.kind(op).reads());
            let reads = reads.filter_map(|op| Some(item(Target::Read(op), program.location(op)?)));
            let finals = (thread as u32..program.locations().len() as u32).step_by(count.max(1));
            reads.chain(finals.map(|at| item(Target::Final(at), at))).collect()
        });
        Ok(Layout { recording, threads: threads.collect() })
    }

    /// How values are recorded.
    pub fn recording(&self) -> Recording {
        self.recording
    }

    /// How many words each thread records.
    pub fn words(&self) -> impl Iterator<Item = usize> {
        self.threads.iter().map(|items| match self.recording {
            Recording::Values => items.len(),
            Recording::Signature => groups(items).count() + 2,
        })
    }

    /// Per value of a thread, its radix, and whether it is the last digit of its word.
    pub fn digits(&self, thread: usize) -> Vec<(u64, bool)> {
        let groups = groups(&self.threads[thread]);
        groups
            .flat_map(|items| {
                let last = items.len() - 1;
                items.iter().enumerate().map(move |(at, item)| (item.radix, at == last))
            })
            .collect()
    }

    /// Checks that a round can have these words.
    ///
    /// # Errors
    /// Fails for words that no round has.
    pub(super) fn check(&self, words: &[u64]) -> Result<(), String> {
        match self.recording {
            Recording::Values => Ok(()),
            Recording::Signature => self.values(words).map(|_| ()),
        }
    }

    /// The history of a round with these words, from the program that the layout is of. A value that is not known is left out.
    ///
    /// # Errors
    /// Fails for words that no round has.
    pub(super) fn history(&self, program: &History, words: &[u64]) -> Result<History, String> {
        let mut reads = Vec::new();
        let mut finals = Vec::new();
        for (target, value) in self.values(words)? {
            match (target, value) {
                (Target::Read(op), value) => reads.push((op, value)),
                (Target::Final(location), Some(value)) => {
                    finals.push(Final { location, value, line: None });
                }
                (Target::Final(_), None) => {}
            }
        }
        finals.sort_unstable_by_key(|last| last.location);
        Ok(program.with_results(reads, finals))
    }

    /// The values that the words of a round stand for.
    fn values(&self, words: &[u64]) -> Result<Vec<(Target, Option<u64>)>, String> {
        let mut values = Vec::new();
        let mut rest = words;
        for (items, count) in self.threads.iter().zip(self.words()) {
            let (own, others) = rest.split_at_checked(count).ok_or("too few words")?;
            rest = others;
            let targets = items.iter().map(|item| item.target);
            match self.recording {
                Recording::Values => values.extend(targets.zip(own.iter().copied().map(Some))),
                Recording::Signature => values.extend(targets.zip(decode(items, own)?)),
            }
        }
        Ok(values)
    }
}

/// Checks that the values written to each location are 1, 2, 3, …
fn check_values(program: &History, writes: &[u64]) -> Result<(), String> {
    let mut seen: Vec<Vec<bool>> =
        writes.iter().map(|&count| vec![false; count as usize]).collect();
    for op in program.ops().filter(|&op| program.kind(op).writes()) {
        let location = program.location(op).map_or(0, |at| at as usize);
        let at = program.written(op).and_then(|value| value.checked_sub(1)).unwrap_or(u64::MAX);
        match seen[location].get_mut(at as usize) {
            Some(is_seen) if !*is_seen => *is_seen = true,
            _ => {
                return Err(format!(
                    "{}: with signatures, the {} writes of a location write the values 1 to {}, each once",
                    program.describe(op),
                    writes[location],
                    writes[location]
                ));
            }
        }
    }
    Ok(())
}

/// The values whose digits share a word.
fn groups(items: &[Item]) -> impl Iterator<Item = &[Item]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut product = 1_u64;
        let fits = |item: &&Item| match product.checked_mul(item.radix) {
            Some(next) => {
                product = next;
                true
            }
            None => false,
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (group, others) = rest.split_at(count);
        rest = others;
        (!group.is_empty()).then_some(group)
    })
}

/// The values of a thread's signature.
fn decode(items: &[Item], words: &[u64]) -> Result<Vec<Option<u64>>, String> {
    let [signatures @ .., strange, place] = words else { return Err("too few words".to_owned()) };
    let (number, count) = ((place & 0xffff_ffff) as usize, place >> 32);
    let mut values = Vec::with_capacity(items.len());
    for (group, &signature) in groups(items).zip(signatures) {
        let mut left = signature;
        let first = values.len();
        for item in group.iter().rev() {
            values.push(Some(left % item.radix));
            left /= item.radix;
        }
        if left != 0 {
            return Err(format!(
                "the signature {signature:#x}, which is larger than its digits allow"
            ));
        }
        values[first..].reverse();
    }
    if (count > 0) != (1..=items.len()).contains(&number) {
        return Err(format!("{count} values that are no digits, the last of them value {number}"));
    }
    if count > 1 {
        // Which of the digits 0 stand for other values is not known.
        values.iter_mut().filter(|value| **value == Some(0)).for_each(|value| *value = None);
    }
    if count > 0 {
        values[number - 1] = Some(*strange);
    }
    Ok(values)
}
