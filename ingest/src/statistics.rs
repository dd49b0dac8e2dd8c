//! [`Statistics`]: counts of the lines, transitions and requests of a trace.

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
    /// Number of times that the transition was taken.
    pub count: u64,
}

/// Counts of everything that was read. Counts that a format does not have are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of lines.
    pub lines: u64,
    /// Number of bytes, uncompressed.
    pub bytes: u64,
    /// Smallest tick of a line.
    pub first_tick: Option<u64>,
    /// Largest tick of a line.
    pub last_tick: Option<u64>,
    /// The coherence protocol, where it was recognised.
    pub protocol: Option<String>,
    /// Size of a cache line in bytes, where a data block or the configuration shows it.
    pub block_size: Option<u32>,
    /// Number of sequencers that accepted or completed requests.
    pub sequencers: u64,
    /// Number of sequencers in the configuration of the run, if it was read.
    pub configured_sequencers: Option<u64>,
    /// Damaged lines that were skipped (only when reading lossily).
    pub skipped: u64,
    /// Number of the first line that was skipped.
    pub first_skipped: Option<u64>,
    /// Lines that are ignored: lines of other debug flags, and output of the simulated program.
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
    /// Software prefetches that sequencers accepted.
    pub prefetches: u64,
    /// Completed flushes and other requests without data.
    pub flushes: u64,
    /// Completed requests whose command is not understood.
    pub other_requests: u64,
    /// Completed requests of sequencers that show no data, such as those of devices.
    pub device_requests: u64,
    /// Requests that a sequencer refused; each is offered again.
    pub refused: u64,
    /// Store-conditionals that failed.
    pub failed_store_conditionals: u64,
    /// Fences that order less than a full one.
    pub weak_fences: u64,
    /// Loads that the client prints as served by a store buffer.
    pub forwarded_loads: u64,
    /// Stores that the client printed and that never reached memory.
    pub uncommitted_stores: u64,
    /// Requests that were accepted while another of the same sequencer was outstanding.
    pub overlapping: u64,
    /// Completions without a request (only when reading lossily).
    pub unmatched: u64,
    /// Operations that the client printed.
    pub client_operations: u64,
    /// Completed operations of sequencers.
    pub ruby_operations: u64,
    /// Lines of executed instructions.
    pub exec_lines: u64,
    /// Memory accesses of executed instructions.
    pub exec_operations: u64,
}
