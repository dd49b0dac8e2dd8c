//! The decisions of gem5's Python scripts: how many controllers a protocol has of each machine, and
//! the values of their parameters (`docs/slicc.md`, "What gem5's scripts decide").
//!
//! [`Options`] are the choices of a user; a [`Plan`] is the resulting system for a protocol.
//!
//! - `plan`: the contents of a plan, which `planner` computes;
//! - `value`: the values of single parameters, `known`: those that gem5's scripts give, `chi`: the script for CHI;
//! - `placement`: routers of controllers;
//! - `sequencers`: which machines serve cores and DMA devices; `requests`: which requests a protocol handles;
//! - `absent`: machines to which a protocol sends and that the system does not have;
//! - `clusters`: which cores of CHI share a second level;
//! - `owner`: the controllers for which a setting is;
//! - `policies`: settings of CHI that are drawn;
//! - `contradictions`: settings of CHI that exclude each other; `complaints`: errors about options and settings.

mod absent;
mod chi;
mod clusters;
mod complaints;
mod contradictions;
mod known;
mod owner;
mod placement;
mod plan;
mod planner;
mod policies;
mod regions;
mod requests;
mod sequencers;
mod systems;
mod value;

use std::fmt;
use std::str::FromStr;

use slicc::setting::Setting;

use crate::ruby::cache::Policy;
use crate::ruby::delays::Latency;
use crate::ruby::mesh::Mesh;
use crate::ruby::network::UNLOADED;
use slicc::error::ParseError;

pub use absent::absent;
pub use chi::{Group, is_chi};
pub use clusters::clusters;
pub use plan::{Buffer, Direction, FETCHER, Instance, MachinePlan, Plan, Value, Wire};
pub use policies::{evictions, policies, prefetchers, slots};
pub use requests::{
    asked, handled, lacks_reservations, most_threads, performs_atomics_far, takes_flushes,
    takes_invalidations, unhandled,
};
pub use sequencers::has_dma;
pub use systems::Systems;

/// The options of a simulated system.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Number of threads, each with a sequencer.
    pub threads: u32,
    /// Number of DMA devices, each with a DMA controller.
    pub devices: u32,
    /// Largest number of sequencers used per controller of a machine that has several, such as a core pair.
    pub threads_per_machine: u32,
    /// The sizes of the caches.
    pub caches: Caches,
    /// Size of a block in bytes: a power of two, at least 8.
    pub block_bytes: u64,
    /// Number of directories, or of memory nodes of CHI: a power of two.
    pub directories: u32,
    /// Number of L2 caches that are shared by all threads, or of home nodes of CHI: a power of two.
    pub l2_banks: u32,
    /// Size of the memory in bytes; addresses from there on belong to no directory.
    pub memory_bytes: u64,
    /// The lowest of the address bits that are hashed to choose a directory, if any.
    pub directory_hash: Option<u32>,
    /// Whether buffers delay messages at random (`docs/slicc.md`, "Message buffers").
    pub random_delays: bool,
    /// The seed of delays and of the choices of cores, if it differs from that of the program.
    pub timing: Option<u64>,
    /// The latency of the network, between controllers of the same router if it is a mesh.
    pub network: Latency,
    /// The mesh of routers that forms the network; without one, all controllers are equally far apart.
    pub mesh: Option<Mesh>,
    /// The latency of memory.
    pub memory: Latency,
    /// Whether network and memory have the latencies of gem5's scripts instead of those above: a crossbar whose buffers
    /// delay messages like other buffers, and a controller of DRAM with a queue of writes.
    pub gem5_latencies: bool,
    /// Whether cores are told about lines that leave their caches.
    pub send_evictions: bool,
    /// Whether functional reads that fail are made in the usual way, instead of ending the run.
    pub suppresses_functional_errors: bool,
    /// Settings of parameters.
    pub settings: Vec<Setting>,
    /// Whether mistakes that gem5 accepts are faults, which end a run, instead of warnings.
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 4,
            devices: 0,
            threads_per_machine: u32::MAX,
            caches: Caches::Tiny,
            block_bytes: 64,
            directories: 1,
            l2_banks: 1,
            memory_bytes: 1 << 32,
            directory_hash: None,
            random_delays: true,
            timing: None,
            network: Latency::Between(1, 3 * UNLOADED),
            mesh: None,
            memory: Latency::Between(20, 100),
            gem5_latencies: false,
            send_evictions: false,
            suppresses_functional_errors: false,
            settings: Vec::new(),
            strict: false,
        }
    }
}

impl Options {
    /// The same options without random delays: every delay is as long as in an idle system.
    pub fn steady(self) -> Options {
        Options {
            random_delays: false,
            network: Latency::Constant(UNLOADED),
            memory: Latency::Constant(50),
            ..self
        }
    }
}

/// The sizes of the caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caches {
    /// Small sizes as in gem5's tester scripts, so that lines are replaced often.
    #[default]
    Tiny,
    /// The sizes of gem5's other scripts.
    Default,
    /// Sizes that the user chose.
    Given(Sizes),
}

impl Caches {
    /// The size and the number of ways of each cache.
    pub fn sizes(self) -> Sizes {
        match self {
            Caches::Given(sizes) => sizes,
            Caches::Tiny => Sizes {
                l1_instructions: CacheGeometry::new(256, 2),
                l1_data: CacheGeometry::new(256, 2),
                l2: CacheGeometry::new(512, 2),
                // 16 blocks; with gem5's 16 ways, there would be a single set.
                l3: CacheGeometry::new(1024, 4),
            },
            Caches::Default => Sizes {
                l1_instructions: CacheGeometry::new(32 << 10, 2),
                l1_data: CacheGeometry::new(64 << 10, 2),
                l2: CacheGeometry::new(2 << 20, 8),
                l3: CacheGeometry::new(16 << 20, 16),
            },
        }
    }
}

/// The sizes of the caches of each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// First level, instructions.
    pub l1_instructions: CacheGeometry,
    /// First level, data.
    pub l1_data: CacheGeometry,
    /// Second level. A probe filter is twice as large, with twice as many ways but at most 4.
    pub l2: CacheGeometry,
    /// Third level.
    pub l3: CacheGeometry,
}

/// The size and organisation of a cache, without latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheGeometry {
    /// The size in bytes.
    pub size: u64,
    /// The number of ways of a set.
    pub ways: u32,
    /// The replacement policy.
    pub policy: Policy,
}

impl CacheGeometry {
    /// Creates a geometry with tree-PLRU replacement.
    pub const fn new(size: u64, ways: u32) -> CacheGeometry {
        let policy = Policy::TreePlru;
        CacheGeometry { size, ways, policy }
    }
}

impl fmt::Display for CacheGeometry {
    /// Writes what [`FromStr`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.size, self.ways)?;
        match self.policy {
            Policy::TreePlru => Ok(()),
            Policy::Lru => f.write_str(":lru"),
        }
    }
}

impl FromStr for CacheGeometry {
    type Err = ParseError;

    /// Parses `SIZE:WAYS` or `SIZE:WAYS:lru`; the size may end with `k`, `kB`, `M` or `MB`.
    fn from_str(text: &str) -> Result<CacheGeometry, ParseError> {
        const EXPECTED: &str = "expected the size of a cache, such as 256:2, 64kB:2 or 1MB:8:lru";
        let wrong = || ParseError::new(text, EXPECTED);
        let mut parts = text.split(':');
        let (Some(size), Some(ways)) = (parts.next(), parts.next()) else {
            return Err(wrong());
        };
        let policy = match (parts.next(), parts.next()) {
            (None, _) | (Some("plru"), None) => Policy::TreePlru,
            (Some("lru"), None) => Policy::Lru,
            _ => return Err(wrong()),
        };
        Ok(CacheGeometry {
            size: parse_size(size).ok_or_else(wrong)?,
            ways: ways.parse().map_err(|_| wrong())?,
            policy,
        })
    }
}

/// Parses a number of bytes with an optional unit.
fn parse_size(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(unit.unwrap_or(text.len()));
    let factor = match unit {
        "" | "B" => 1,
        "k" | "kB" | "KiB" => 1 << 10,
        "M" | "MB" | "MiB" => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_written() {
        assert_eq!("256:2".parse(), Ok(CacheGeometry::new(256, 2)));
        assert_eq!("64kB:4".parse(), Ok(CacheGeometry::new(64 << 10, 4)));
        let lru = CacheGeometry { policy: Policy::Lru, ..CacheGeometry::new(1 << 20, 3) };
        assert_eq!("1MB:3:lru".parse(), Ok(lru));
        for text in ["256:2", "1048576:3:lru"] {
            assert_eq!(text.parse::<CacheGeometry>().unwrap().to_string(), text);
        }
        for wrong in ["256", "256:x", "256:2:fifo", "256:2:lru:", "1GB:2", ":2", ""] {
            assert!(wrong.parse::<CacheGeometry>().is_err(), "{wrong}");
        }
    }
}
