//! The decisions of gem5's script for GPU_VIPER_Region, which gem5 had from 2016 to 2020: coherence is kept for regions of
//! several lines, by a region directory and a region buffer beside each core pair and beside the GPU.
//!
//! The region directory knows one region buffer of cores, and each region buffer of cores sends to the first core pair, so
//! the protocol works for the two cores of one pair.

use super::Options;

/// Number of lines of a region, as the script's option `--blocks-per-region` has it.
const BLOCKS_PER_REGION: u64 = 16;

/// The parameter for the number of lines of a region.
pub(super) const BLOCKS: &str = "blocksPerRegion";

/// The number of core pairs.
pub(super) fn pairs(options: &Options) -> u32 {
    const CORES_OF_A_PAIR: u32 = 2;
    options.threads.div_ceil(CORES_OF_A_PAIR.min(options.threads_per_machine).max(1))
}

/// The number of controllers of a machine, if the script decides it: a region buffer for each core pair, then that of the
/// GPU, which stays idle here.
pub(super) fn count(machine: &str, options: &Options) -> Option<u32> {
    match machine {
        "RegionBuffer" => Some(pairs(options) + 1),
        "RegionDir" | "Directory" => Some(1),
        _ => None,
    }
}

/// The value that the script gives a parameter of the controller with this number.
pub(super) fn value(machine: &str, number: u32, parameter: &str, options: &Options) -> Option<u64> {
    match (machine, parameter) {
        ("CorePair", "regionBufferNum") => Some(u64::from(number)),
        ("CorePair", "issue_latency") => Some(1),
        ("Directory", "response_latency") => Some(25),
        ("Directory", "l3_hit_latency") => Some(20),
        ("RegionBuffer", "isOnCPU") => Some(u64::from(number < pairs(options))),
        ("RegionBuffer", "toDirLatency") => Some(60),
        ("RegionBuffer", "toRegionDirLatency") => Some(120),
        ("RegionDir", "toDirLatency") => Some(4),
        ("RegionDir", "cpuRegionBufferNum") => Some(0),
        ("RegionDir", "gpuRegionBufferNum") => Some(u64::from(pairs(options))),
        ("RegionBuffer" | "RegionDir", BLOCKS) => Some(BLOCKS_PER_REGION),
        ("RegionBuffer" | "RegionDir", "noTCCdir") => Some(1),
        _ => None,
    }
}

/// The number of address bits within a region, beside those within a line; 0 for caches of lines. `set` is the user's setting of
/// the number of lines.
pub(super) fn index_bits(machine: &str, set: Option<u64>) -> u32 {
    let is_of_regions = matches!(machine, "RegionBuffer" | "RegionDir");
    if is_of_regions { set.unwrap_or(BLOCKS_PER_REGION).max(1).ilog2() } else { 0 }
}
