//! Functions of the objects with which CHI's transactions keep track of messages and TBEs.

use slicc::compile::trackers::{
    expected as words_of_expected, partitions, records as words_of_records,
    storage as words_of_storage,
};
use slicc::library::{ExpectedFunction, PartitionFunction, TrackerFunction};

use crate::ruby::Misuse;
use crate::ruby::trackers::{events, expected, records, storage};
use crate::system::System;
use crate::system::fault::Trap;

impl System {
    /// Carries out a function of a storage or a queue, whose arguments after the object begin at `at`.
    pub(super) fn tracker(
        &mut self,
        function: TrackerFunction,
        object: u64,
        at: usize,
    ) -> Result<u64, Trap> {
        use TrackerFunction::*;
        let b = self.words.words[at];
        let words = &mut self.words.words[object as usize..];
        let nothing = |result: Result<(), Misuse>| result.map(|()| 0);
        Ok(match function {
            QueuePush => nothing(events::push(words, b, false))?,
            QueuePushMarked => nothing(events::push(words, b, true))?,
            QueuePushFront => nothing(events::push_front(words, b, false))?,
            QueuePushFrontMarked => nothing(events::push_front(words, b, true))?,
            QueueFront => events::end(words, false)?.0,
            QueueBack => events::end(words, true)?.0,
            QueueFrontMarked => u64::from(events::end(words, false)?.1),
            QueueBackMarked => u64::from(events::end(words, true)?.1),
            QueuePop => nothing(events::pop(words))?,
            QueueEmpty => u64::from(words[words_of_records::LENGTH] == 0),

            RecordEmplace => self.add_record(object, at as u64)?,
            RecordPush => self.add_record(object, b)?,
            RecordFront => {
                let front = records::front(words)?;
                self.copy_record(object, front.start, b)
            }
            RecordPop => nothing(records::remove(words, 0))?,

            SlotsUsed => storage::used(words) as u64,
            SlotsCapacity => words[words_of_storage::CAPACITY],
            SlotsReserved => words[words_of_storage::RESERVED],
            SlotsFree => storage::free(words) as u64,
            SlotsAvailable => u64::from(storage::free(words) >= b as i64),
            SlotsReserve => {
                words[words_of_storage::RESERVED] += 1;
                0
            }
            SlotsUnreserve => nothing(storage::unreserve(words))?,
            SlotsTake => storage::take(words)?,
            SlotsShare => nothing(storage::share(words, b))?,
            SlotsGiveBack => nothing(storage::give_back(words, b))?,
        })
    }

    /// Adds a structure to a queue. Its words begin at `from`.
    fn add_record(&mut self, queue: u64, from: u64) -> Result<u64, Trap> {
        let queue = queue as usize;
        let place = records::push(&mut self.words.words[queue..])?;
        let from = from as usize..from as usize + place.len();
        self.words.words.copy_within(from, queue + place.start);
        Ok(0)
    }

    /// Copies the structure at an offset of a queue to an address.
    fn copy_record(&mut self, queue: u64, offset: usize, to: u64) -> u64 {
        let start = queue as usize + offset;
        let width = self.words.words[queue as usize + words_of_records::ELEMENT] as usize;
        self.words.words.copy_within(start..start + width, to as usize);
        0
    }

    /// Carries out a function of a storage with a general and a reserved partition.
    pub(super) fn partitioned(
        &mut self,
        function: PartitionFunction,
        object: u64,
        [b, c]: [u64; 2],
    ) -> Result<u64, Trap> {
        use PartitionFunction::*;
        let part =
            |partition: u64| object as usize + partitions::STORAGES + partition.min(1) as usize;
        let parts = [0, 1].map(|partition| self.words.words[part(partition)] as usize);
        if parts.contains(&0) {
            return Err(Trap::Null);
        }
        let words = &mut self.words.words;
        let both = |of: &dyn Fn(&[u64]) -> u64| of(&words[parts[0]..]) + of(&words[parts[1]..]);
        let free = |words: &[u64], partition: u64| {
            let general = storage::free(&words[parts[0]..]);
            if partition == 0 { general } else { general + storage::free(&words[parts[1]..]) }
        };
        let queue = object as usize + partitions::RETRIES;
        // The first transaction in the queue of retries that has a slot.
        let next_retry = |words: &[u64]| {
            let flag = words[object as usize + partitions::FLAG] as usize;
            let length = words[queue + words_of_records::LENGTH] as usize;
            (0..length).find(|&index| {
                let start = queue + records::place(&words[queue..], index).start;
                free(words, words[start + flag]) >= 1
            })
        };
        // The partition that a transaction of this kind uses: its own as long as that has room.
        let own_if = |is_own: bool| if is_own { parts[1] } else { parts[0] };
        Ok(match function {
            PartsUsed => both(&|words| storage::used(words) as u64),
            PartsCapacity => both(&|words| words[words_of_storage::CAPACITY]),
            PartsReserved => both(&|words| words[words_of_storage::RESERVED]),
            PartsFree => free(words, b) as u64,
            PartsAvailable => u64::from(free(words, c) >= b as i64),
            PartsReserve => {
                let chosen = own_if(b != 0 && storage::free(&words[parts[1]..]) >= 1);
                words[chosen + words_of_storage::RESERVED] += 1;
                0
            }
            PartsUnreserve => {
                let chosen = own_if(b != 0 && words[parts[1] + words_of_storage::RESERVED] > 0);
                storage::unreserve(&mut words[chosen..]).map(|()| 0)?
            }
            PartsTake => {
                let is_own = b != 0 && storage::free(&words[parts[1]..]) >= 1;
                let slot = storage::take(&mut words[own_if(is_own)..])?;
                let before = words[parts[b.min(1) as usize] + words_of_storage::CAPACITY];
                if is_own { slot } else { before + slot }
            }
            PartsGiveBack => {
                let before = words[parts[c.min(1) as usize] + words_of_storage::CAPACITY];
                match b.checked_sub(before) {
                    None => storage::give_back(&mut words[parts[c.min(1) as usize]..], b)?,
                    Some(slot) => storage::give_back(&mut words[parts[0]..], slot)?,
                }
                0
            }
            PartsAddRetry => self.add_record(queue as u64, b)?,
            PartsMayRetry => u64::from(next_retry(words).is_some()),
            PartsNextRetry => {
                let index = next_retry(words).ok_or(Misuse::QueueEmpty)?;
                let start = records::place(&words[queue..], index).start;
                self.copy_record(queue as u64, start, b);
                records::remove(&mut self.words.words[queue..], index)?;
                0
            }
        })
    }
}

/// Carries out a function of an `ExpectedMap`.
pub(super) fn expectation(
    function: ExpectedFunction,
    words: &mut [u64],
    b: u64,
) -> Result<u64, Misuse> {
    use ExpectedFunction::*;
    use words_of_expected::*;
    Ok(match function {
        ExpectClear => {
            expected::clear(words, b);
            0
        }
        ExpectResponse => expect(words, RESPONSE_TYPES, RESPONSE_TYPES_RECEIVED, b),
        ExpectData => expect(words, DATA_TYPES, DATA_TYPES_RECEIVED, b),
        ExpectSetCount => {
            words[TOTAL] = b;
            0
        }
        ExpectAddCount => {
            words[TOTAL] = words[TOTAL].wrapping_add(b);
            0
        }
        ExpectAny => u64::from(expected::left(words) != 0),
        ExpectLeft => expected::left(words) as u64,
        ExpectReceived => expected::received(words) as u64,
        ExpectHasResponse => u64::from(words[RESPONSES_RECEIVED] != 0),
        ExpectHasData => u64::from(words[DATA_RECEIVED] != 0),
        ExpectTakeResponse => u64::from(expected::take_response(words, b)?),
        ExpectTakeData => u64::from(expected::take_data(words, b)?),
        ExpectTookResponse => words[RESPONSE_TYPES_RECEIVED] >> (b & 63) & 1,
        ExpectTookData => words[DATA_TYPES_RECEIVED] >> (b & 63) & 1,
    })
}

/// Adds a type to those that are expected, and takes it from those that were received.
fn expect(words: &mut [u64], types: usize, received: usize, b: u64) -> u64 {
    words[types] |= 1 << (b & 63);
    words[received] &= !(1 << (b & 63));
    0
}
