//! Accesses to parts of words, aligned or not, and the values that tell their bytes apart.
//!
//! Where accesses of several sizes overlap, a history splits them down to single bytes, and a byte has 255 values beside the
//! initial 0. So values are numbered for each byte: the n-th write to a byte writes n there. Once all values of a byte were
//! written, the accesses that would write it again read it instead.

use history::random::Rng;
use rustc_hash::FxHashMap;

use super::{Bytes, Operation, Program};
use crate::request::WordValues;

/// Separates the choice of parts from other choices with the same seed.
const PURPOSE: u64 = 0x50_41_52_54 << 32;
/// The sizes of accesses, in bytes.
const SIZES: [u8; 4] = [1, 2, 4, 8];
/// Of 100 accesses to parts, how many are aligned to their size.
const ALIGNED_PERCENT: u32 = 50;

impl Program {
    /// Turns `percent` of 100 loads and stores into accesses of 1, 2, 4 or 8 bytes at any place that overlaps their
    /// word, within its line. Instruction fetches, read-modify-writes and transfers of DMA devices remain accesses to
    /// words.
    pub(super) fn divide(&mut self, percent: u32, line_bytes: u64, seed: u64) {
        if percent == 0 {
            return;
        }
        for (thread, steps) in (0_u64..).zip(&mut self.threads) {
            let mut rng = Rng::new(seed, PURPOSE + thread);
            for step in steps {
                let is_part = rng.percent(percent);
                if let Operation::Load(bytes) | Operation::Store(bytes, _) = &mut step.operation
                    && is_part
                {
                    *bytes = part(bytes.address, line_bytes, &mut rng);
                }
            }
        }
        self.number_bytes();
    }

    /// Gives writes the next values of their bytes, in rounds over all threads and devices.
    fn number_bytes(&mut self) {
        let mut values = ByteValues::default();
        let threads = self.threads.iter().map(Vec::len);
        let steps = threads.chain(self.devices.iter().map(Vec::len)).max().unwrap_or(0);
        for at in 0..steps {
            for step in self.threads.iter_mut().filter_map(|steps| steps.get_mut(at)) {
                values.number(&mut step.operation);
            }
            for step in self.devices.iter_mut().filter_map(|steps| steps.get_mut(at)) {
                let bytes = step.address..step.address + 8 * u64::from(step.words);
                step.written = step.written.and_then(|_| values.one_for_all(bytes));
            }
        }
    }
}

/// Draws an access that overlaps a word and stays in its line.
fn part(word: u64, line_bytes: u64, rng: &mut Rng) -> Bytes {
    let size = rng.one_of(&SIZES);
    let bytes = u64::from(size);
    if rng.percent(ALIGNED_PERCENT) {
        return Bytes { address: word + rng.below(8 / bytes) * bytes, size };
    }
    let line = word & !(line_bytes - 1);
    let first = line.max(word.saturating_sub(bytes - 1));
    let last = (word + 7).min(line + line_bytes - bytes);
    Bytes { address: first + rng.up_to(last - first), size }
}

/// Number of values that were written to each byte.
#[derive(Default)]
struct ByteValues {
    written: FxHashMap<u64, u8>,
}

impl ByteValues {
    fn last(&self, address: u64) -> u8 {
        self.written.get(&address).copied().unwrap_or(0)
    }

    /// Whether there is a value left for each byte.
    fn has_more(&self, mut addresses: impl Iterator<Item = u64>) -> bool {
        addresses.all(|address| self.last(address) < u8::MAX)
    }

    /// The next value of some bytes, each of which has one.
    fn next(&mut self, bytes: Bytes) -> u64 {
        bytes.addresses().rev().fold(0, |value, address| {
            let last = self.written.entry(address).or_default();
            *last += 1;
            value << 8 | u64::from(*last)
        })
    }

    /// Gives an operation that writes its value. One whose bytes have none left becomes a load.
    fn number(&mut self, operation: &mut Operation) {
        let (Operation::Store(bytes, _) | Operation::Rmw { bytes, .. }) = *operation else {
            return;
        };
        if !self.has_more(bytes.addresses()) {
            *operation = Operation::Load(bytes);
        } else if let Some(value) = operation.value_mut() {
            *value = self.next(bytes);
        }
    }

    /// Returns a value for all of these words whose bytes are equal and new at each address, and counts it as written;
    /// `None` if a byte has no value left.
    fn one_for_all(&mut self, addresses: std::ops::Range<u64>) -> Option<WordValues> {
        if !self.has_more(addresses.clone()) {
            return None;
        }
        let last = addresses.clone().map(|address| self.last(address)).max().unwrap_or(0);
        let value = last + 1;
        self.written.extend(addresses.map(|address| (address, value)));
        Some(WordValues { first: u64::from_le_bytes([value; 8]), step: 0 })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::program::{Extras, ProgramSize};

    fn program(partial: u32, operations: u32) -> Program {
        let extras = Extras { partial, devices: 1, ..Extras::default() };
        Program::random(&ProgramSize {
            extras,
            operations,
            rmws: 10,
            locations: 4,
            per_line: 2,
            ..ProgramSize::default()
        })
    }

    fn accesses(program: &Program) -> impl Iterator<Item = (Bytes, Option<u64>)> {
        program.threads.iter().flatten().filter_map(|step| match step.operation {
            Operation::Store(bytes, value) | Operation::Rmw { bytes, value, .. } => {
                Some((bytes, Some(value)))
            }
            operation => operation.bytes().map(|bytes| (bytes, None)),
        })
    }

    #[test]
    fn accesses_have_all_sizes_and_places_within_a_line() {
        let program = program(100, 400);
        let drawn: BTreeSet<(u8, u64)> =
            accesses(&program).map(|(bytes, _)| (bytes.size, bytes.address % 64)).collect();
        for size in SIZES {
            let places: BTreeSet<u64> =
                drawn.iter().filter(|it| it.0 == size).map(|it| it.1 % 8).collect();
            assert_eq!(places.len(), 8, "{size}");
        }
        assert!(drawn.iter().all(|&(size, offset)| offset + u64::from(size) <= 64));
        let is_word = |it: &&(u8, u64)| it.0 == 8 && it.1.is_multiple_of(8);
        assert!(drawn.iter().filter(is_word).count() >= 2);
    }

    #[test]
    fn each_byte_is_written_with_each_value_once() {
        for operations in [100, 2000] {
            let program = program(60, operations);
            let mut written = BTreeSet::new();
            for (bytes, value) in accesses(&program) {
                let parts = bytes.addresses().map(|address| (address, Bytes { address, size: 1 }));
                for (address, part) in parts.filter(|_| value.is_some()) {
                    let byte = bytes.part_of(value.unwrap_or(0), part);
                    assert!(byte != 0 && written.insert((address, byte)), "{address:#x} {byte}");
                }
            }
            let transfers = program.devices.iter().flatten();
            for (step, values) in transfers.filter_map(|step| Some((step, step.written?))) {
                for address in step.address..step.address + 8 * u64::from(step.words) {
                    assert!(written.insert((address, values.word(0) & 0xff)));
                }
            }
            assert!(
                written.len() > if operations == 100 { 500 } else { 4000 },
                "{}",
                written.len()
            );
        }
    }

    #[test]
    fn nothing_else_of_a_program_changes() {
        let (whole, divided) = (program(0, 200), program(50, 200));
        let pairs = whole.threads.iter().flatten().zip(divided.threads.iter().flatten());
        let mut parts = 0;
        for (one, other) in pairs {
            assert_eq!((one.think, one.flush), (other.think, other.flush));
            assert_eq!(one.operation.kinds(), other.operation.kinds());
            if let (Some(one), Some(other)) = (one.operation.bytes(), other.operation.bytes()) {
                assert!(one.overlaps(other));
                parts += u32::from(one != other);
            }
        }
        assert!((200..400).contains(&parts), "{parts}");
    }
}
