//! [`Sink`]: collects the operations of sequencers and clients.

use history::Access;

use crate::gem5::readers::client::Client;
use crate::gem5::readers::collector::Collector;
use crate::options::Options;
use crate::statistics::Statistics;

/// Collects operations for the histories that a trace may hold.
pub(crate) struct Sink<'o> {
    pub options: &'o Options,
    pub statistics: Statistics,
    /// The operations that Ruby saw; `None` if another history is wanted.
    pub ruby: Option<Collector>,
    /// The operations that the client printed.
    pub client: Client,
    /// Whether a write that is not selected may have supplied a value of a selected read.
    pub outside_writes: bool,
}

impl Sink<'_> {
    /// Takes in an operation that a sequencer completed, or a part of one. `address` is the first byte of the whole
    /// operation.
    pub(crate) fn ruby(&mut self, access: Access, address: u64) {
        if !access.continues {
            self.statistics.ruby_operations += 1;
            if let (true, Some(value)) = (access.kind.writes(), access.written) {
                self.client.commit(&access, address, value, self.options);
            }
        }
        self.outside_writes |= access.kind.writes() && self.options.may_reach_in(address);
        let wanted =
            self.options.wants_address(address) && self.options.wants_tick(access.completed);
        if let Some(collector) = &mut self.ruby
            && wanted
        {
            collector.push(access);
        }
    }
}
