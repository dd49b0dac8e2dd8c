//! [`Observer`] follows the progress of a campaign or an experiment.

use std::time::Duration;

use slicc::setting::Setting;

use crate::protocols::Opened;

/// A part of the work whose progress an [`Observer`] follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Mutants are compared with their protocol.
    Mutants,
    /// The runs of a campaign or a test are made.
    Runs,
    /// Mutants are explored.
    Explorations,
    /// Findings are matched with known faults, and their evidence is made small.
    Findings,
    /// The histories of the experiment with this name are made and checked.
    Histories(&'static str),
}

/// Called with the progress of a campaign or an experiment, from any thread. The default of every method does nothing.
pub trait Observer: Sync {
    /// Called with each protocol of a test before its first run, and the settings of all its runs.
    fn opened(&self, _protocol: &Opened, _settings: &[Setting]) {}

    /// Called when a stage begins, before its number of pieces is known.
    fn begin(&self, _stage: Stage) {}

    /// Called with the number of pieces of the stage whenever more is known about it.
    fn total(&self, _pieces: u64) {}

    /// Called when the stage ends after this time from its beginning, whatever is done by then.
    fn lasts(&self, _time: Duration) {}

    /// Called for each piece that is done.
    fn advance(&self) {}

    /// Called with the number of mutants that were found in this stage so far.
    fn caught(&self, _mutants: usize) {}

    /// Called when a stage has come to its end without an error.
    fn end(&self) {}

    /// Whether no further run is to start, as when the time is over; false by default. What was done counts, and a campaign can be resumed.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
