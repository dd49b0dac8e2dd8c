//! Requests that a sequencer accepted and has not completed.

use rustc_hash::FxHashMap;

use crate::gem5::message::Command;
use crate::gem5::raw::Begin;

/// An accepted request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub command: Command,
    pub address: u64,
    pub port: u16,
    pub begin: Begin,
    /// Place in the order in which requests of the whole trace were accepted.
    pub sequence: u64,
    pub issued: Option<u64>,
    pub line: u64,
    /// Whether it makes an operation of a history, as far as one can tell when it is accepted.
    pub counts: bool,
}

const NONE: u32 = u32::MAX;

/// First in, first out for each byte address. Requests to different addresses of one cache line keep
/// their order too, which [`Fifo::earlier_in_line`] can check once the block size is known.
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    slots: Vec<(Option<Request>, u32)>,
    free: Vec<u32>,
    /// First and last slot of each address with outstanding requests.
    queues: FxHashMap<u64, (u32, u32)>,
}

impl Fifo {
    pub(crate) fn push(&mut self, request: Request) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = (Some(request), NONE);
                slot
            }
            None => {
                self.slots.push((Some(request), NONE));
                (self.slots.len() - 1) as u32
            }
        };
        let slots = &mut self.slots;
        self.queues
            .entry(request.address)
            .and_modify(|(_, last)| {
                slots[*last as usize].1 = slot;
                *last = slot;
            })
            .or_insert((slot, slot));
    }

    /// The oldest request to an address.
    pub(crate) fn first_mut(&mut self, address: u64) -> Option<&mut Request> {
        let &(first, _) = self.queues.get(&address)?;
        self.slots.get_mut(first as usize)?.0.as_mut()
    }

    /// Takes the oldest request to an address out.
    pub(crate) fn pop(&mut self, address: u64) -> Option<Request> {
        let &(first, last) = self.queues.get(&address)?;
        let (request, next) = std::mem::replace(self.slots.get_mut(first as usize)?, (None, NONE));
        self.free.push(first);
        if first == last {
            self.queues.remove(&address);
        } else {
            self.queues.insert(address, (next, last));
        }
        request
    }

    /// An outstanding request of the same cache line that was accepted earlier.
    pub(crate) fn earlier_in_line(&self, request: &Request, block: u64) -> Option<&Request> {
        let line = request.address / block.max(1);
        self.iter()
            .find(|other| other.address / block.max(1) == line && other.sequence < request.sequence)
    }

    /// All outstanding requests, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.slots
            .iter()
            .filter_map(|(request, _)| request.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(address: u64, sequence: u64) -> Request {
        Request {
            command: Command::Read,
            address,
            port: 0,
            begin: Begin::Other,
            sequence,
            issued: None,
            line: 0,
            counts: true,
        }
    }

    #[test]
    fn order_is_kept_for_each_address() {
        let mut fifo = Fifo::default();
        for (address, sequence) in [(8, 0), (16, 1), (8, 2), (8, 3)] {
            fifo.push(request(address, sequence));
        }
        let mut pop = |address| fifo.pop(address).map(|request| request.sequence);
        assert_eq!(
            [pop(8), pop(8), pop(16), pop(16)],
            [Some(0), Some(2), Some(1), None]
        );
        fifo.push(request(8, 4));
        let mut left: Vec<u64> = fifo.iter().map(|request| request.sequence).collect();
        left.sort_unstable();
        assert_eq!(left, [3, 4]);
        assert_eq!(fifo.pop(8).map(|request| request.sequence), Some(3));
    }
}
