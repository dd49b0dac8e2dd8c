//! The memory behind the directories.
//!
//! A request takes effect when it is accepted, so a read returns all writes accepted before it and
//! none after. Responses for one line arrive in the order of the requests; those for different
//! lines may overtake each other if the latency is random.
//!
//! With a queue of writes, responses take as long as those of gem5's `MemCtrl`: a write is answered as soon as it is in the queue, and
//! so is a read of a line that is there. The programs here have too few lines to fill the queue, so lines that were written stay in
//! it. Other reads take as long as DRAM takes. Then the response goes through a buffer of the directory.

use super::delays::{Delays, Latency};
use super::line_map::LineMap;
use super::{Misuse, block};

/// Cycles from a request to the response of the queue, in gem5's default memory.
const QUEUED: Latency = Latency::Constant(10);

/// Cycles from a request to the response of DRAM: a row that is open and one that is not.
const DRAM: Latency = Latency::Between(39, 65);

/// The contents of memory, and its latency.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    block_words: usize,
    latency: Latency,
    /// If there is a queue of writes, whether the buffer behind it delays responses at random.
    queue: Option<bool>,
    /// The index of each line that was accessed.
    lines: LineMap,
    /// The data of those lines, block by block.
    data: Vec<u64>,
    /// The tick at which the last response of each line arrives.
    answered: Vec<u64>,
    /// Whether each line was written by a request.
    written: Vec<bool>,
}

impl Memory {
    /// Creates a memory of zeros with this latency.
    pub(crate) fn new(block_bytes: u64, latency: Latency) -> Memory {
        Memory {
            block_words: block_bytes as usize / 8,
            latency,
            queue: None,
            lines: LineMap::default(),
            data: Vec::new(),
            answered: Vec::new(),
            written: Vec::new(),
        }
    }

    /// From now on, there is a queue of writes; responses are delayed at random if `is_random`.
    pub(crate) fn queue_writes(&mut self, is_random: bool) {
        self.queue = Some(is_random);
    }

    fn line_of(&self, address: u64) -> u64 {
        address & !(self.block_words as u64 * 8 - 1)
    }

    /// The index of the line that contains an address.
    fn index(&mut self, address: u64) -> usize {
        let line = self.line_of(address);
        if let Some(index) = self.lines.get(line) {
            return index as usize;
        }
        let index = self.answered.len();
        self.lines.insert(line, index as u64);
        self.answered.push(0);
        self.written.push(false);
        self.data.resize(self.data.len() + self.block_words, 0);
        index
    }

    /// The tick at which the response arrives to a request for a line that is accepted now.
    fn answer(&mut self, index: usize, now: u64, random: &mut Delays) -> u64 {
        let latency = match self.queue {
            None => self.latency.draw(random).max(1),
            Some(is_random) => {
                let memory = if self.written[index] { QUEUED } else { DRAM };
                memory.draw(random) + if is_random { random.of_message() } else { 1 }
            }
        };
        let tick = now + latency;
        let last = &mut self.answered[index];
        *last = tick.max(*last);
        *last
    }

    /// Accepts a request that the memory answers with the request's own data, and returns the tick
    /// at which the response arrives: in older protocols the directory's entries hold the data.
    pub(crate) fn echo(&mut self, address: u64, now: u64, random: &mut Delays) -> u64 {
        let index = self.index(address);
        self.answer(index, now, random)
    }

    /// Accepts a read of the line that contains an address: copies the block, and returns the tick
    /// at which the response arrives.
    pub(crate) fn read(
        &mut self,
        address: u64,
        now: u64,
        into: &mut [u64],
        random: &mut Delays,
    ) -> u64 {
        let index = self.index(address);
        into.copy_from_slice(self.block(index));
        self.answer(index, now, random)
    }

    /// Accepts a write of a line or, if `length` is not 0, of `length` bytes from `address` on,
    /// taken from the same offset of the block. Returns the tick at which the acknowledgement
    /// arrives.
    pub(crate) fn write(
        &mut self,
        address: u64,
        length: u64,
        now: u64,
        from: &[u64],
        random: &mut Delays,
    ) -> Result<u64, Misuse> {
        self.poke(address, length, from)?;
        let index = self.index(address);
        self.written[index] = true;
        Ok(self.answer(index, now, random))
    }

    fn block(&self, index: usize) -> &[u64] {
        &self.data[index * self.block_words..][..self.block_words]
    }

    /// The present block that contains an address; `None` if it was never accessed, and hence is
    /// zero.
    pub(crate) fn peek(&self, address: u64) -> Option<&[u64]> {
        let index = self.lines.get(self.line_of(address))?;
        Some(self.block(index as usize))
    }

    /// Writes what [`Memory::write`] writes without a request, as for an initial image or a
    /// functional access.
    ///
    /// # Errors
    /// Fails if the bytes do not lie in one block.
    pub(crate) fn poke(&mut self, address: u64, length: u64, from: &[u64]) -> Result<(), Misuse> {
        let index = self.index(address);
        let into = &mut self.data[index * self.block_words..][..self.block_words];
        if length == 0 {
            into.copy_from_slice(from);
            return Ok(());
        }
        let size = self.block_words as u64 * 8;
        let offset = address % size;
        let end = offset.saturating_add(length);
        if end > size {
            return Err(Misuse::OutsideBlock { offset, end, size });
        }
        for at in offset..end {
            let byte = block::byte(from, at)?;
            block::write(into, at, 1, u64::from(byte))?;
        }
        Ok(())
    }

    /// Forgets the ticks of past responses.
    pub(crate) fn rest(&mut self) {
        self.answered.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_the_queue_of_writes_are_faster() {
        let mut memory = Memory::new(16, Latency::Constant(7));
        memory.queue_writes(false);
        let (mut random, mut block) = (Delays::new(0), [0; 2]);
        assert!((40..=66).contains(&memory.read(0x10, 0, &mut block, &mut random)));
        assert_eq!(memory.write(0x20, 0, 100, &[1, 2], &mut random).unwrap(), 111);
        assert_eq!(memory.read(0x20, 200, &mut block, &mut random), 211);
        memory.queue_writes(true);
        assert!(memory.read(0x20, 300, &mut block, &mut random) > 310);
    }

    #[test]
    fn a_read_returns_the_writes_before_it() {
        let mut random = Delays::new(0);
        let mut memory = Memory::new(16, Latency::Constant(10));
        let mut block = [9; 2];
        assert_eq!(memory.read(64, 5, &mut block, &mut random), 15);
        assert_eq!(block, [0; 2]);
        assert_eq!(memory.write(64, 0, 6, &[1, 2], &mut random), Ok(16));
        assert_eq!(memory.read(72, 7, &mut block, &mut random), 17);
        assert_eq!(block, [1, 2]);
        assert_eq!((memory.peek(64), memory.peek(80)), (Some(&[1, 2][..]), None));
        assert_eq!(memory.lines.sorted(), [(64, 0)]);
    }

    #[test]
    fn a_partial_write_writes_its_bytes() {
        let mut random = Delays::new(0);
        let mut memory = Memory::new(16, Latency::Constant(1));
        memory.write(71, 2, 0, &[!0, !0], &mut random).unwrap();
        assert_eq!(memory.peek(64), Some(&[0xFF << 56, 0xFF][..]));
        assert!(memory.write(79, 2, 0, &[0, 0], &mut random).is_err());
        assert_eq!(memory.peek(64), Some(&[0xFF << 56, 0xFF][..]));
    }

    #[test]
    fn responses_overtake_those_of_other_lines_only() {
        let mut random = Delays::new(4);
        let mut memory = Memory::new(16, Latency::Between(1, 50));
        let mut last = [0; 2];
        let mut overtaken = false;
        for now in 0..1000 {
            let line = (now % 2) as usize;
            let tick = memory.read(16 * line as u64, now, &mut [0; 2], &mut random);
            assert!(tick >= last[line] && tick > now);
            overtaken |= tick < last[1 - line];
            last[line] = tick;
        }
        assert!(overtaken);
    }
}
