//! Counts of what a trace holds besides its history.

/// How often a transition was taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransitionCount {
    /// Type of the controller.
    pub machine: String,
    /// State before.
    pub state: String,
    /// The event that triggered it.
    pub event: String,
    /// State after.
    pub next_state: String,
    /// How often.
    pub count: u64,
}

/// Counts of everything that was read. Counts that a format does not have are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Lines.
    pub lines: u64,
    /// Bytes, uncompressed.
    pub bytes: u64,
    /// Smallest tick of a line.
    pub first_tick: Option<u64>,
    /// Largest tick of a line.
    pub last_tick: Option<u64>,
    /// The coherence protocol, where it was recognised.
    pub protocol: Option<String>,
    /// Bytes of a cache line, where a data block or the configuration shows them.
    pub block_size: Option<u32>,
    /// Sequencers that completed or accepted requests.
    pub sequencers: u64,
    /// Sequencers that the configuration of the run has.
    pub configured_sequencers: Option<u64>,
    /// Damaged lines that were skipped (only when reading lossily).
    pub skipped: u64,
    /// The first of these lines.
    pub first_skipped: Option<u64>,
    /// Lines that are not understood: those of other debug flags, and output of the simulated program.
    pub ignored: u64,
    /// How often each controller transition was taken, sorted by its names.
    pub transitions: Vec<TransitionCount>,
    /// Lines of transitions that were not taken.
    pub stalls: u64,
    /// Requests to read that the trace never completes.
    pub unfinished_loads: u64,
    /// Requests to write that the trace never completes.
    pub unfinished_stores: u64,
    /// How the run ended, in words.
    pub ended: Option<String>,
    /// Completed instruction fetches, whether kept or not.
    pub fetches: u64,
    /// Completed requests of page-table walkers.
    pub walks: u64,
    /// Completed software prefetches.
    pub prefetches: u64,
    /// Completed flushes and other requests without data.
    pub flushes: u64,
    /// Completed requests whose command is not understood.
    pub other_requests: u64,
    /// Completed requests of ports that show no data, such as those of devices.
    pub device_requests: u64,
    /// Requests that a sequencer refused; each is offered again.
    pub refused: u64,
    /// Store-conditionals that failed.
    pub failed_store_conditionals: u64,
    /// Fences that order less than a full one.
    pub weak_fences: u64,
    /// Loads that a store buffer served, as a client says.
    pub forwarded_loads: u64,
    /// A client's stores that never reached memory.
    pub uncommitted_stores: u64,
    /// Requests that were accepted while another of the same sequencer was outstanding.
    pub overlapping: u64,
    /// Completions without a request (only when reading lossily).
    pub unmatched: u64,
    /// Operations of a client's own lines.
    pub client_operations: u64,
    /// Completed operations of sequencers.
    pub ruby_operations: u64,
    /// Lines of executed instructions.
    pub exec_lines: u64,
    /// Memory accesses of executed instructions.
    pub exec_operations: u64,
}
