//! [`Sequencer`]: the state of one sequencer, with its requests and completions, and the kinds of requests of its
//! ports.

use history::{Access, Kind, Unfinished};

use crate::gem5::lines::message::{Command, DataKind};
use crate::gem5::lines::raw::RequestType;
use crate::gem5::readers::fifo::{Fifo, Request};
use crate::gem5::readers::operation::{Completed, Values};

/// Number of prefetches that a sequencer remembers until they are answered, more than can be outstanding.
const MOST_PREFETCHES: usize = 256;

/// The kinds of requests that entered the protocol through a port.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Port {
    pub fetches: bool,
    pub others: bool,
}

impl Port {
    pub(crate) fn only_fetches(self) -> bool {
        self.fetches && !self.others
    }
}

/// A data line whose completion has not come yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub kind: DataKind,
    pub line: u64,
    /// Address of the request, known if a `Done` line came directly before.
    pub address: Option<u64>,
}

/// A packet that a CPU offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub sequencer: usize,
    pub port: u16,
    pub begin: RequestType,
    pub tick: Option<u64>,
    pub line: u64,
}

/// The read half of a locked read-modify-write.
#[derive(Clone, Debug)]
pub(crate) struct Half {
    pub completed: Completed,
    pub size: Option<u64>,
    pub values: Values,
}

/// One sequencer.
#[derive(Debug, Default)]
pub(crate) struct Sequencer {
    pub path: String,
    pub version: Option<u32>,
    pub ports: Vec<Port>,
    pub fifo: Fifo,
    /// Number of outstanding requests that become operations.
    pub outstanding: u64,
    pub data: Option<Data>,
    /// Text of the block before an atomic operation, if the last data lines show one.
    pub original: Vec<u8>,
    /// Text of the block of the last data line.
    pub block: Vec<u8>,
    /// The last completed request, until a later line shows its size or cannot show it any more.
    pub last: Option<Completed>,
    pub half: Option<Half>,
    /// The addresses of prefetches that entered the protocol and were not answered.
    pub prefetches: Vec<u64>,
    /// Whether a request was offered to it.
    pub has_offered: bool,
    /// The addresses with several outstanding requests, of which one may have been completed by a line that was skipped, once for each further
    /// request.
    pub mixed: Vec<u64>,
    /// Whether a line was skipped since the last load-linked, so that a store-conditional may belong to another one.
    pub is_reservation_lost: bool,
    /// Operations that completed before the version was known, each with its address.
    pub unbound: Vec<(Access, u64)>,
    /// Writes whose completions were damaged.
    pub lost: Vec<Unfinished>,
    pub data_lines: u64,
    pub hits: u64,
    /// Number of completions without the data line that they should have.
    pub dataless: u64,
    /// Line of the first completion without data.
    pub first_dataless: u64,
    pub dataless_writes: u64,
    /// Line of the first completion before any request was offered, which answers a request from before the trace starts.
    pub first_earlier: Option<u64>,
    /// Line of the first completion without data that is not that of a store, so that a value that was read is not known.
    pub first_unshown: Option<u64>,
    /// The line of a store's data that was skipped, as long as the completion is not read.
    pub hidden_store: Option<u64>,
}

impl Sequencer {
    pub(crate) fn port(&self, port: u16) -> Port {
        self.ports.get(usize::from(port)).copied().unwrap_or_default()
    }

    /// Whether a port belongs to a page-table walker or a similar unit: a CPU's data requests use port 1, a tester's
    /// port 0.
    pub(crate) fn is_walker(&self, port: u16) -> bool {
        port >= 2
    }

    pub(crate) fn is_fetch(&self, begin: RequestType, port: u16) -> bool {
        begin == RequestType::Fetch
            || (begin == RequestType::Coalesced && self.port(port).only_fetches())
    }

    /// Takes in a prefetch that enters the protocol.
    pub(crate) fn note_prefetch(&mut self, address: u64) {
        // Damaged traces may lack answers.
        if self.prefetches.len() == MOST_PREFETCHES {
            self.prefetches.remove(0);
        }
        self.prefetches.push(address);
    }

    /// Whether an answer from the protocol for an address is that of a prefetch, which ends.
    pub(crate) fn end_prefetch(&mut self, address: u64) -> bool {
        let at = self.prefetches.iter().position(|&other| other == address);
        at.map(|at| self.prefetches.swap_remove(at)).is_some()
    }

    /// Whether it is uncertain which request a completion answers, since a line was skipped.
    pub(crate) fn end_mixed(&mut self, address: u64) -> bool {
        let is_mixed = self.mixed.contains(&address);
        if is_mixed && self.fifo.iter().all(|request| request.address != address) {
            self.mixed.retain(|&other| other != address);
        }
        is_mixed
    }

    /// Takes in that a completion or another data line was read. `is_its_own` says whether it is the completion of the store whose data was
    /// skipped.
    pub(crate) fn end_hidden_store(&mut self, is_its_own: bool) {
        if let Some(line) = self.hidden_store.take().filter(|_| !is_its_own) {
            self.first_unshown.get_or_insert(line);
        }
    }

    /// The kind of an operation, which is a store if it is not certain to which load-linked a store-conditional belongs.
    pub(crate) fn with_reservation(&mut self, kind: Kind) -> Kind {
        self.is_reservation_lost &= kind != Kind::LoadLinked;
        if self.is_reservation_lost && kind == Kind::StoreConditional { Kind::Store } else { kind }
    }

    /// Drops the request of a data line whose completion is missing, so that later requests to its address are matched
    /// correctly.
    pub(crate) fn lose(&mut self, data: Data) {
        let address = data.address.or_else(|| {
            let mut outstanding = self.fifo.iter().map(|request| request.address);
            let first = outstanding.next();
            first.filter(|_| outstanding.next().is_none())
        });
        let Some(request) = address.and_then(|address| self.fifo.pop(address)) else {
            return;
        };
        self.outstanding -= u64::from(request.counts);
        if request.command.writes() {
            let (_, lost) = unfinished(&request, 0);
            self.lost.push(lost);
        }
    }

    /// Whether a request becomes an operation of a history.
    pub(crate) fn counts(&self, command: Command, begin: RequestType, port: u16) -> bool {
        command.accesses()
            && begin != RequestType::NoAddress
            && !self.is_walker(port)
            && !self.is_fetch(begin, port)
    }
}

pub(crate) fn unfinished(request: &Request, thread: u32) -> (u64, Unfinished) {
    let unfinished = Unfinished {
        thread,
        address: request.address,
        writes: request.command.writes(),
        issued: request.issued,
        line: Some(request.line),
    };
    (request.sequence, unfinished)
}

/// The number at the end of the last part of an object's path that ends with one; 0 if none does.
pub(crate) fn trailing_number(path: &str) -> u32 {
    path.rsplit('.')
        .map(|part| part.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .find_map(|digits| digits.parse().ok())
        .unwrap_or(0)
}
