//! [`Fifo`]: the requests that a sequencer accepted and has not completed.

use std::collections::VecDeque;

use crate::gem5::lines::message::Command;
use crate::gem5::lines::raw::RequestType;

/// An accepted request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub command: Command,
    pub address: u64,
    pub port: u16,
    pub begin: RequestType,
    /// Position in the order in which the requests of all sequencers were accepted.
    pub sequence: u64,
    pub issued: Option<u64>,
    pub line: u64,
    /// Whether the request becomes an operation of a history, as far as that is known when it is accepted.
    pub counts: bool,
}

/// The outstanding requests of a sequencer, in the order in which they were accepted; there are few. Requests to one
/// byte address, and requests to one cache line, complete in that order.
#[derive(Debug, Default)]
pub(crate) struct Fifo(VecDeque<Request>);

impl Fifo {
    pub(crate) fn push(&mut self, request: Request) {
        self.0.push_back(request);
    }

    /// The oldest request to an address.
    pub(crate) fn first_mut(&mut self, address: u64) -> Option<&mut Request> {
        self.0.iter_mut().find(|request| request.address == address)
    }

    /// The only outstanding request, if there is one.
    pub(crate) fn single(&self) -> Option<&Request> {
        self.0.front().filter(|_| self.0.len() == 1)
    }

    /// Removes the oldest request to an address.
    pub(crate) fn pop(&mut self, address: u64) -> Option<Request> {
        let at = self.0.iter().position(|request| request.address == address)?;
        self.0.remove(at)
    }

    /// An outstanding request of the same cache line that was accepted earlier.
    pub(crate) fn earlier_in_line(&self, request: &Request, block: u64) -> Option<&Request> {
        let line = request.address / block.max(1);
        let mut earlier = self.0.iter().take_while(|other| other.sequence < request.sequence);
        earlier.find(|other| other.address / block.max(1) == line)
    }

    /// All outstanding requests, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.0.iter()
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
            begin: RequestType::Other,
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
        assert_eq!([pop(8), pop(8), pop(16), pop(16)], [Some(0), Some(2), Some(1), None]);
        fifo.push(request(8, 4));
        let left: Vec<u64> = fifo.iter().map(|request| request.sequence).collect();
        assert_eq!(left, [3, 4]);
        assert_eq!(fifo.pop(8).map(|request| request.sequence), Some(3));
    }
}
