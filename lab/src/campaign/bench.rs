//! [`Bench`]: the interface by which a campaign makes its runs, on rubric's simulator (`runner`) or in gem5 (`in_gem5`).

use simulate::client::Client;
use simulate::recipe::Lineage;
use tables::CampaignRun;

use super::log::Entry;
use super::rounds::Stream;
use crate::error::Error;

/// The name of a subject in tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Title {
    /// The protocol, as it was given.
    pub protocol: String,
    /// The mutant; none for the unmutated protocol.
    pub mutant: Option<String>,
}

/// Makes a campaign's runs, on rubric's simulator or in binaries of gem5.
pub(super) trait Bench: Sync {
    /// How many runs of a stream the first round has, and the largest number that any has.
    fn pace(&self) -> (u32, u32);

    /// Begins runs of a subject on a kind of core. `streams` are run at the same time.
    fn session<'b>(
        &'b self,
        subject: usize,
        client: Client,
        streams: usize,
    ) -> Box<dyn BenchSession + 'b>;
}

/// Runs of one subject on one kind of core.
pub(super) trait BenchSession {
    /// Makes the next run of a stream and checks its history. The caller means to make runs until the stream has `aim` of them.
    ///
    /// # Errors
    /// Fails if the run cannot be made, if its trace cannot be written, or if a certificate is rejected, which is a defect of rubric.
    fn run(&mut self, stream: &Stream, lineage: &Lineage, aim: usize) -> Result<Entry, Error>;

    /// Repeats a run to write its trace, if traces are kept and that one is missing.
    ///
    /// # Errors
    /// Fails if the run cannot be repeated or a file not be written.
    fn keep(&mut self, lineage: &Lineage, row: &CampaignRun) -> Result<(), Error>;
}
