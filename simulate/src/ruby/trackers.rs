//! The objects with which CHI's transactions keep track of messages and TBEs: [`expected`] messages, queues of [`events`]
//! and of [`records`], and the slots of a [`storage`] of TBEs.
//!
//! The functions work on the words of an object, whose layout `slicc::compile::trackers` describes.

/// Messages that a transaction waits for (`ExpectedMap`).
pub mod expected {
    use crate::ruby::Misuse;
    use slicc::compile::trackers::expected::*;

    /// Forgets everything; a data message consists of `chunks` messages from now on.
    pub fn clear(words: &mut [u64], chunks: u64) {
        words[..WIDTH].fill(0);
        words[DATA_CHUNKS] = chunks;
    }

    /// The number of messages received; data counts when all of its chunks have been received.
    pub fn received(words: &[u64]) -> i64 {
        (words[DATA_RECEIVED] + words[RESPONSES_RECEIVED]) as i64
    }

    /// The number of messages that are still expected.
    pub fn left(words: &[u64]) -> i64 {
        words[TOTAL] as i64 - received(words)
    }

    /// Receives a response. Returns whether its type was expected.
    ///
    /// # Errors
    /// Fails if no message is expected.
    pub fn take_response(words: &mut [u64], kind: u64) -> Result<bool, Misuse> {
        if left(words) <= 0 {
            return Err(Misuse::NothingExpected);
        }
        let bit = 1 << (kind & 63);
        let expected = words[RESPONSE_TYPES] & bit != 0;
        if expected {
            words[RESPONSE_TYPES_RECEIVED] |= bit;
            words[RESPONSES_RECEIVED] += 1;
        }
        Ok(expected)
    }

    /// Receives a chunk of data. Returns whether its type was expected.
    ///
    /// # Errors
    /// Fails if more messages were received than were expected.
    pub fn take_data(words: &mut [u64], kind: u64) -> Result<bool, Misuse> {
        if left(words) < 0 {
            return Err(Misuse::NothingExpected);
        }
        let bit = 1 << (kind & 63);
        let expected = words[DATA_TYPES] & bit != 0;
        if expected {
            words[DATA_TYPES_RECEIVED] |= bit;
            words[CURRENT_CHUNK] += 1;
            if words[CURRENT_CHUNK] == words[DATA_CHUNKS] {
                words[DATA_RECEIVED] += 1;
                words[CURRENT_CHUNK] = 0;
            }
        }
        Ok(expected)
    }
}

/// Queues of events (`TriggerQueue`): a length, then four events a word, each with a mark. Unused
/// places are 0, so that equal queues have equal words.
pub mod events {
    use crate::ruby::Misuse;
    use slicc::compile::trackers::{EVENTS_PER_WORD, MOST_EVENTS};

    const MARK: u64 = 1 << 15;
    const BITS: usize = 64 / EVENTS_PER_WORD;
    const WIDTH: usize = 1 + MOST_EVENTS / EVENTS_PER_WORD;

    fn coded(event: u64, marked: bool) -> u64 {
        (event % MARK) | if marked { MARK } else { 0 }
    }

    fn get(words: &[u64], at: usize) -> u64 {
        words[1 + at / EVENTS_PER_WORD] >> (BITS * (at % EVENTS_PER_WORD)) & 0xFFFF
    }

    fn set(words: &mut [u64], at: usize, event: u64) {
        let shift = BITS * (at % EVENTS_PER_WORD);
        let word = &mut words[1 + at / EVENTS_PER_WORD];
        *word = *word & !(0xFFFF << shift) | event << shift;
    }

    /// Adds an event at the back.
    ///
    /// # Errors
    /// Fails if the queue is full.
    pub fn push(words: &mut [u64], event: u64, marked: bool) -> Result<(), Misuse> {
        let length = words[0] as usize;
        if length >= MOST_EVENTS {
            return Err(Misuse::QueueFull(MOST_EVENTS as u64));
        }
        set(words, length, coded(event, marked));
        words[0] += 1;
        Ok(())
    }

    /// Adds an event at the front.
    ///
    /// # Errors
    /// Fails if the queue is full.
    pub fn push_front(words: &mut [u64], event: u64, marked: bool) -> Result<(), Misuse> {
        push(words, 0, false)?;
        for word in (2..WIDTH).rev() {
            words[word] = words[word] << BITS | words[word - 1] >> (64 - BITS);
        }
        words[1] <<= BITS;
        set(words, 0, coded(event, marked));
        Ok(())
    }

    /// Removes the event at the front.
    ///
    /// # Errors
    /// Fails if the queue is empty.
    pub fn pop(words: &mut [u64]) -> Result<(), Misuse> {
        words[0] = words[0].checked_sub(1).ok_or(Misuse::QueueEmpty)?;
        for word in 1..WIDTH {
            let next = if word + 1 < WIDTH { words[word + 1] } else { 0 };
            words[word] = words[word] >> BITS | next << (64 - BITS);
        }
        Ok(())
    }

    /// The event at the front or, with `back`, at the back, and whether it is marked.
    ///
    /// # Errors
    /// Fails if the queue is empty.
    pub fn end(words: &[u64], back: bool) -> Result<(u64, bool), Misuse> {
        let last = words[0].checked_sub(1).ok_or(Misuse::QueueEmpty)?;
        let event = get(words, if back { last as usize } else { 0 });
        Ok((event & !MARK, event & MARK != 0))
    }
}

/// Queues of structures.
pub mod records {
    use std::ops::Range;

    use crate::ruby::Misuse;
    use slicc::compile::trackers::MOST_RECORDS;
    use slicc::compile::trackers::records::*;

    /// Makes room for a structure at the back. Returns the place of its words.
    ///
    /// # Errors
    /// Fails if the queue is full.
    pub fn push(words: &mut [u64]) -> Result<Range<usize>, Misuse> {
        if words[LENGTH] as usize >= MOST_RECORDS {
            return Err(Misuse::QueueFull(MOST_RECORDS as u64));
        }
        words[LENGTH] += 1;
        Ok(place(words, words[LENGTH] as usize - 1))
    }

    /// The place of the words of a structure.
    pub fn place(words: &[u64], at: usize) -> Range<usize> {
        let width = words[ELEMENT] as usize;
        FIRST + at * width..FIRST + (at + 1) * width
    }

    /// The place of the words of the structure at the front.
    ///
    /// # Errors
    /// Fails if the queue is empty.
    pub fn front(words: &[u64]) -> Result<Range<usize>, Misuse> {
        match words[LENGTH] {
            0 => Err(Misuse::QueueEmpty),
            _ => Ok(place(words, 0)),
        }
    }

    /// Removes the structure with an index; later ones move up.
    ///
    /// # Errors
    /// Fails if there is no such structure.
    pub fn remove(words: &mut [u64], at: usize) -> Result<(), Misuse> {
        let length = words[LENGTH] as usize;
        if at >= length {
            return Err(Misuse::QueueEmpty);
        }
        let (gone, last) = (place(words, at), place(words, length - 1));
        words.copy_within(gone.end..last.end, gone.start);
        words[last].fill(0);
        words[LENGTH] -= 1;
        Ok(())
    }
}

/// The slots of a `TBEStorage`. A slot may be shared by up to three TBEs.
pub mod storage {
    use crate::ruby::Misuse;
    use slicc::compile::trackers::SLOT_WORDS;
    use slicc::compile::trackers::storage::*;

    /// The number of slots that are taken.
    pub fn used(words: &[u64]) -> i64 {
        let taken = |at: usize| (words[LOW + at] | words[HIGH + at]).count_ones();
        (0..SLOT_WORDS).map(|at| i64::from(taken(at))).sum()
    }

    /// The number of slots that are neither taken nor reserved; more may be reserved than there are.
    pub fn free(words: &[u64]) -> i64 {
        words[CAPACITY] as i64 - used(words) - words[RESERVED] as i64
    }

    /// Ends a reservation.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn unreserve(words: &mut [u64]) -> Result<(), Misuse> {
        words[RESERVED] = words[RESERVED].checked_sub(1).ok_or(Misuse::NothingReserved)?;
        Ok(())
    }

    fn count(words: &[u64], slot: u64) -> u64 {
        let (word, bit) = (slot as usize / 64, slot % 64);
        (words[LOW + word] >> bit & 1) + 2 * (words[HIGH + word] >> bit & 1)
    }

    fn set_count(words: &mut [u64], slot: u64, count: u64) {
        let (word, bit) = (slot as usize / 64, slot % 64);
        for (plane, value) in [(LOW, count & 1), (HIGH, count >> 1)] {
            words[plane + word] = words[plane + word] & !(1 << bit) | value << bit;
        }
    }

    /// Takes the highest free slot.
    ///
    /// # Errors
    /// Fails if no slot is free.
    pub fn take(words: &mut [u64]) -> Result<u64, Misuse> {
        if free(words) <= 0 {
            return Err(Misuse::NoFreeSlot);
        }
        let mut slots = (0..words[CAPACITY]).rev();
        let slot = slots.find(|slot| count(words, *slot) == 0).ok_or(Misuse::NoFreeSlot)?;
        set_count(words, slot, 1);
        Ok(slot)
    }

    /// Adds a TBE to a slot that is taken.
    ///
    /// # Errors
    /// Fails if the slot is free, or has three TBEs.
    pub fn share(words: &mut [u64], slot: u64) -> Result<(), Misuse> {
        match used_by(words, slot)? {
            3 => Err(Misuse::SlotShared),
            count => {
                set_count(words, slot, count + 1);
                Ok(())
            }
        }
    }

    /// Removes a TBE from its slot.
    ///
    /// # Errors
    /// Fails if the slot is free.
    pub fn give_back(words: &mut [u64], slot: u64) -> Result<(), Misuse> {
        let count = used_by(words, slot)?;
        set_count(words, slot, count - 1);
        Ok(())
    }

    /// The number of TBEs in a slot that is taken.
    fn used_by(words: &[u64], slot: u64) -> Result<u64, Misuse> {
        let is_slot = slot < words[CAPACITY];
        let used = if is_slot { count(words, slot) } else { 0 };
        if used == 0 { Err(Misuse::SlotFree(slot)) } else { Ok(used) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slicc::compile::trackers as layout;

    #[test]
    fn events_leave_in_order_and_the_front_goes_first() {
        let mut words = layout::initial("TriggerQueue").unwrap();
        for event in 0..30 {
            events::push(&mut words, event, event % 3 == 0).unwrap();
        }
        events::push_front(&mut words, 77, true).unwrap();
        assert_eq!(events::end(&words, false), Ok((77, true)));
        assert_eq!(events::end(&words, true), Ok((29, false)));
        events::pop(&mut words).unwrap();
        for event in 0..30 {
            assert_eq!(events::end(&words, false), Ok((event, event % 3 == 0)));
            events::pop(&mut words).unwrap();
        }
        assert_eq!(words, layout::initial("TriggerQueue").unwrap());
        assert!(events::pop(&mut words).is_err());
    }

    #[test]
    fn data_counts_when_it_is_complete() {
        let mut words = layout::initial("ExpectedMap").unwrap();
        expected::clear(&mut words, 2);
        words[layout::expected::DATA_TYPES] = 1 << 5;
        words[layout::expected::TOTAL] = 1;
        assert_eq!(expected::take_data(&mut words, 4), Ok(false));
        assert_eq!(expected::take_data(&mut words, 5), Ok(true));
        assert_eq!(expected::left(&words), 1);
        assert_eq!(expected::take_data(&mut words, 5), Ok(true));
        assert_eq!(expected::left(&words), 0);
        assert!(expected::take_response(&mut words, 0).is_err());
    }

    #[test]
    fn slots_are_taken_shared_and_given_back() {
        let mut words = layout::initial("TBEStorage").unwrap();
        words[layout::storage::CAPACITY] = 2;
        assert_eq!(storage::take(&mut words), Ok(1));
        words[layout::storage::RESERVED] = 1;
        assert!(storage::take(&mut words).is_err());
        storage::unreserve(&mut words).unwrap();
        assert!(storage::unreserve(&mut words).is_err());
        assert!(storage::share(&mut words, 0).is_err());
        storage::share(&mut words, 1).unwrap();
        assert_eq!((storage::used(&words), storage::free(&words)), (1, 1));
        storage::give_back(&mut words, 1).unwrap();
        storage::give_back(&mut words, 1).unwrap();
        assert_eq!(storage::free(&words), 2);
        assert!(storage::give_back(&mut words, 1).is_err());
    }

    #[test]
    fn records_close_up() {
        let mut words = layout::collection_of("RecordQueue", 2, None).unwrap();
        for value in 1..4 {
            let place = records::push(&mut words).unwrap();
            words[place].fill(value);
        }
        records::remove(&mut words, 1).unwrap();
        let front = records::front(&words).unwrap();
        assert_eq!(words[front], [1, 1]);
        records::remove(&mut words, 0).unwrap();
        assert_eq!(words[records::place(&words, 0)], [3, 3]);
        records::remove(&mut words, 0).unwrap();
        assert!(records::front(&words).is_err());
    }
}
