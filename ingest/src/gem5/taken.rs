//! Where operations are collected: for a history, or to be given away while the trace still grows.

use history::{Access, HistoryBuilder};

/// Operations that were taken in.
#[derive(Debug)]
pub(crate) enum Taken {
    /// They make a history at the end.
    History(Box<HistoryBuilder>),
    /// Somebody fetches them.
    Live(Vec<Access>),
}

impl Default for Taken {
    fn default() -> Taken {
        Taken::History(Box::default())
    }
}

impl Taken {
    pub fn push(&mut self, access: Access) {
        match self {
            Taken::History(builder) => builder.push(access),
            Taken::Live(accesses) => accesses.push(access),
        }
    }

    /// What makes the history.
    pub fn into_builder(self) -> HistoryBuilder {
        match self {
            Taken::History(builder) => *builder,
            Taken::Live(_) => HistoryBuilder::new(),
        }
    }

    /// What nobody has fetched.
    pub fn fetch(&mut self) -> Vec<Access> {
        match self {
            Taken::History(_) => Vec::new(),
            Taken::Live(accesses) => std::mem::take(accesses),
        }
    }
}
