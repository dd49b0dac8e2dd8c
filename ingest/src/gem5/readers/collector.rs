//! [`Collector`]: collects operations for a history, or for a reader that fetches them while the trace is still being
//! written.

use history::{Access, HistoryBuilder};

/// The operations that were collected so far.
#[derive(Debug)]
pub(crate) enum Collector {
    /// Operations of a history, which is built at the end of the trace.
    History(Box<HistoryBuilder>),
    /// Operations that the reader has not fetched yet.
    Live(Vec<Access>),
}

impl Default for Collector {
    fn default() -> Collector {
        Collector::History(Box::default())
    }
}

impl Collector {
    pub(crate) fn push(&mut self, access: Access) {
        match self {
            Collector::History(builder) => builder.push(access),
            Collector::Live(accesses) => accesses.push(access),
        }
    }

    /// The builder with the operations; empty for a live reader.
    pub(crate) fn into_builder(self) -> HistoryBuilder {
        match self {
            Collector::History(builder) => *builder,
            Collector::Live(_) => HistoryBuilder::new(),
        }
    }

    /// Takes the operations that were not fetched yet; none for a history.
    pub(crate) fn fetch(&mut self) -> Vec<Access> {
        match self {
            Collector::History(_) => Vec::new(),
            Collector::Live(accesses) => std::mem::take(accesses),
        }
    }
}
