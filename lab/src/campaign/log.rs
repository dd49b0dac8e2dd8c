//! The journal of a campaign: a line for each run that ended, from which a killed campaign is resumed.

use serde::{Deserialize, Serialize};
use tables::{CampaignRun, Generator, RunOutcome};

use super::rounds::Origin;
use crate::journal::Row;

/// A line of the journal: a run, and what resuming the campaign needs of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The row of the table of runs.
    pub row: CampaignRun,
    /// The transitions that it reached, by number, and how often. Where these neither guide later runs nor count as coverage, only
    /// transitions that are new in the stream are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<(u32, u64)>,
}

/// Identifies a run of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The protocol, and the mutant if there is one.
    pub subject: (String, Option<String>),
    /// The kind of core.
    pub client: String,
    pub generator: Generator,
    /// The number of the repetition.
    pub repetition: u32,
    /// The number of the run in its stream.
    pub number: u32,
}

impl Entry {
    /// Whether the protocol failed, or the run violates the model that the client guarantees.
    pub(crate) fn fails(&self) -> bool {
        use RunOutcome::{Deadlock, ProtocolError, Violation};
        matches!(self.row.outcome, Violation | ProtocolError | Deadlock)
    }

    /// Protocol, client and lineage.
    pub(crate) fn origin(&self) -> Origin {
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
