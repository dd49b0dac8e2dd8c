//! Collects the operations of sequencers and clients.

use history::Access;

use crate::gem5::client::Client;
use crate::gem5::collector::Collector;
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
    /// Whether a write that is not selected may have supplied a value that is.
    pub outside_writes: bool,
}

impl Sink<'_> {
    /// Takes in (a part of) an operation that a sequencer completed, `address` being the first
    /// byte of the whole.
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
