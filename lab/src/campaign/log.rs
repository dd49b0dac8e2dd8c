//! The journal of a campaign: a line for each run that ended, from which a killed campaign is resumed.

use serde::{Deserialize, Serialize};
use tables::{CampaignRun, Generator, RunOutcome};

use super::rounds::Origin;
use crate::journal::Row;

/// A run, and what is needed to go on from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its row of the table.
    pub row: CampaignRun,
    /// What it reached, by number, and how often; where nobody learns from that, only what is new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<(u32, u64)>,
}

/// What tells runs apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The protocol, and the mutant if it is one.
    pub subject: (String, Option<String>),
    /// The kind of cores.
    pub client: String,
    /// The generator.
    pub generator: Generator,
    /// Which time everything is done.
    pub repetition: u32,
    /// The number of the run in its stream.
    pub number: u32,
}

impl Entry {
    /// Whether the protocol failed, or broke what the client guarantees.
    pub fn fails(&self) -> bool {
        use RunOutcome::{Deadlock, ProtocolError, Violation};
        matches!(self.row.outcome, Violation | ProtocolError | Deadlock)
    }

    /// Protocol, client and lineage.
    pub fn origin(&self) -> Origin {
        let row = &self.row;
        [row.protocol.clone(), row.client.clone(), row.lineage.clone()]
    }
}

impl Row for Entry {
    type Key = Key;
    const ADVICE: &'static str = "remove the line, whose run is then done again";

    fn key(&self) -> Key {
        Key {
            subject: (self.row.protocol.clone(), self.row.mutant.clone()),
            client: self.row.client.clone(),
            generator: self.row.generator,
            repetition: self.row.repetition,
            number: self.row.number,
        }
    }
}
