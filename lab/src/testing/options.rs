//! The options of tests and comparisons.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use simulate::client::Client;
use simulate::program::Extras;
use slicc::setting::Setting;

use crate::protocols::Repairs;

/// The options of a test. The default takes a minute.
#[derive(Clone, Debug)]
pub struct Options {
    /// The extent of the test.
    pub extent: Extent,
    /// The seed of the first program; the next one has the next number.
    pub seed: u64,
    /// The requests that programs make in addition to their accesses, if the protocol handles them. If none, programs differ: some make no
    /// such requests, others some of those that the protocol handles.
    pub extras: Option<Extras>,
    /// The kinds of cores.
    pub clients: Vec<Client>,
    /// The repairs of known faults that are applied to the protocol before the test.
    pub repairs: Repairs,
    /// Values of parameters of the protocol that replace what would be chosen, such as `requestToDir=ordered`.
    pub settings: Vec<Setting>,
    /// Whether small systems are explored.
    pub explores: bool,
    /// The memory that the process may occupy, in bytes, before a verdict or an exploration is given up.
    pub max_memory: u64,
    /// Ends the test when it is set, as its time would; what was found until then is reported.
    pub interrupted: Option<&'static AtomicBool>,
}

/// The extent of a test, as a number of runs or as a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// This number of programs on each kind of core, and explorations of up to [`STATES`] states: the same result every time.
    Runs(u32),
    /// As much as fits into this time, including the analysis of the findings.
    Time(Duration),
}

/// The largest number of states of an exploration when the number of runs is given.
pub const STATES: usize = 50_000;

/// The default time of a test.
pub const BUDGET: Duration = Duration::from_secs(60);

impl Default for Options {
    fn default() -> Options {
        Options {
            extent: Extent::Time(BUDGET),
            seed: 1,
            extras: None,
            clients: Client::all().collect(),
            repairs: Repairs::None,
            settings: Vec::new(),
            explores: true,
            max_memory: 16 << 30,
            interrupted: None,
        }
    }
}
