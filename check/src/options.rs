//! [`Options`]: the algorithm and the limits that the caller of [`check`](crate::check()) chooses.

use std::time::Duration;

use history::OpId;

use crate::algorithm::Algorithm;

/// The algorithm to run, and its limits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The algorithm that decides the history.
    pub algorithm: Algorithm,
    /// Time limit for one history and model; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Memory that the process may occupy, in bytes; `None` for no limit.
    pub max_memory: Option<u64>,
    /// Maximum number of contradictions that a search or the SAT solver may meet.
    pub budget: u64,
    /// Whether the algorithms of HPCA 2006 sort without inferring edges first.
    pub no_baseline: bool,
    /// For the algorithms of HPCA 2006: the order of all writes of each location, one location after the
    /// other or interleaved. Locations that only one thread uses may be left out.
    pub store_order: Option<Vec<OpId>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Stages,
            timeout: None,
            max_memory: None,
            budget: u64::MAX,
            no_baseline: false,
            store_order: None,
        }
    }
}
