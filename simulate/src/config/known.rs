//! The values that the scripts of gem5's own protocols set, and the meanings of parameter names.

use slicc::outline::MACHINE_TYPES;
use slicc::scripts::KnownProtocol;

use super::{CacheGeometry, Options, Sizes};
use crate::ruby::cache::BankSettings;
use crate::ruby::prefetcher::PrefetcherSettings;

/// The number of a machine type.
pub(super) fn machine_type(name: &str) -> Option<u32> {
    let at = MACHINE_TYPES.iter().position(|&known| known == name);
    at.map(|at| at as u32)
}

/// The value that a script gives a parameter, if it differs from the declared default.
pub(super) fn script_value(known: KnownProtocol, machine: &str, parameter: &str) -> Option<u64> {
    match (known, machine, parameter) {
        (KnownProtocol::MoesiHammer, "L1Cache", "no_mig_atomic") => Some(1),
        // From the options --l0_transitions_per_cycle and --l1_transitions_per_cycle.
        (KnownProtocol::MesiThreeLevel, "L0Cache" | "L1Cache", "transitions_per_cycle") => Some(32),
        // From the option --timeout-latency. It is used only with dynamic_timeout_enabled=0.
        (KnownProtocol::MoesiCmpToken, "L1Cache", "fixed_timeout_latency") => Some(300),
        (KnownProtocol::MoesiAmdBase, "CorePair", "issue_latency") => Some(15),
        (KnownProtocol::MoesiAmdBase, "CorePair", "mandatory_queue_latency") => Some(2),
        (KnownProtocol::MoesiAmdBase, "Directory", "response_latency") => Some(30),
        (KnownProtocol::MoesiAmdBase, "Directory", "l3_hit_latency") => Some(20),
        (KnownProtocol::MoesiAmdBase, "Directory", "CPUonly") => Some(1),
        _ => None,
    }
}

/// Whether a script never creates controllers of a machine.
pub(super) fn leaves_out(known: KnownProtocol, machine: &str) -> bool {
    // The third level is part of the directory, and no core here is a GPU.
    const NEVER: [&str; 5] = ["L3Cache", "TCP", "SQC", "TCC", "TCCdir"];
    match known {
        // GPU_RfO includes the file of the region buffer, and its script makes none.
        KnownProtocol::MoesiAmdBase => NEVER.contains(&machine) || machine == "RegionBuffer",
        KnownProtocol::GpuViperRegion => NEVER.contains(&machine),
        _ => false,
    }
}

/// The parameter by which scripts say whether cores are told of lines that leave their cache.
pub(super) const SEND_EVICTIONS: &str = "send_evictions";

/// The value of a parameter of this name in every protocol that declares it without a default; of [`SEND_EVICTIONS`] also in those
/// that declare a default.
pub(super) fn common_value(options: &Options, parameter: &str) -> Option<u64> {
    Some(match parameter {
        SEND_EVICTIONS => u64::from(options.send_evictions),
        "l2_select_num_bits" => u64::from(options.l2_banks.ilog2()),
        "l2_select_low_bit" => u64::from(options.block_bytes.ilog2()),
        "enable_prefetch" | "probe_filter_enabled" | "full_bit_dir_enabled" => 0,
        "TCC_select_num_bits" | "L2isWB" => 0,
        // For files of 2009, which have one DMA controller.
        "dma_select_num_bits" => 0,
        "dma_select_low_bit" => u64::from(options.block_bytes.ilog2()),
        "CPUonly" | "no_mig_atomic" => 1,
        // One for each cache that may need one, and one for the owner.
        "N_tokens" => u64::from(options.threads) + 1,
        _ => return None,
    })
}

/// Parameters that every machine has without declaring them.
pub(super) const BASE: [&str; 4] =
    ["transitions_per_cycle", "recycle_latency", "number_of_TBEs", "mandatory_queue_latency"];

/// The value of a parameter of [`BASE`] that has no setting.
pub(super) fn base_value(known: Option<KnownProtocol>, machine: &str, name: &str) -> u64 {
    if let Some(value) = known.and_then(|known| script_value(known, machine, name)) {
        return value;
    }
    let first_levels = ["L0Cache", "L1Cache", "L2Cache", "DMA"];
    match name {
        "transitions_per_cycle" if known == Some(KnownProtocol::Chi) => 1024,
        "transitions_per_cycle"
            if matches!(
                known,
                Some(
                    KnownProtocol::MoesiAmdBase
                        | KnownProtocol::GpuViperRegion
                        | KnownProtocol::Msi
                )
            ) =>
        {
            32
        }
        "transitions_per_cycle" if first_levels.contains(&machine) => 4,
        "transitions_per_cycle" => 32,
        "recycle_latency" => 10,
        "number_of_TBEs" => 256,
        _ => 1,
    }
}

/// The geometry of a cache, chosen by the name of the parameter, or else by the machine.
pub(super) fn cache_shape(sizes: &Sizes, machine: &str, parameter: &str) -> CacheGeometry {
    let lower = parameter.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    if has("probefilter") {
        // A probe filter has at least as many sets as the second level, so that it fits wherever
        // that does.
        let ways = sizes.l2.ways.saturating_mul(2).min(4);
        return CacheGeometry::new(sizes.l2.size.saturating_mul(2), ways);
    }
    let instructions = has("icache");
    let first = || {
        if instructions { sizes.l1_instructions } else { sizes.l1_data }
    };
    if has("l3") {
        sizes.l3
    } else if has("l2") {
        sizes.l2
    } else if has("l1") || has("l0") || instructions {
        first()
    } else {
        match machine {
            "L2Cache" | "RegionBuffer" => sizes.l2,
            "L3Cache" | "Directory" | "RegionDir" => sizes.l3,
            _ => first(),
        }
    }
}

/// The latency of a cache's tags and data in cycles, for which protocols can ask.
pub(super) fn cache_latency(known: Option<KnownProtocol>, machine: &str) -> u64 {
    match (known, machine) {
        (Some(KnownProtocol::MoesiCmpDirectory), "L2Cache") => 20,
        _ => 1,
    }
}

/// The sizes of the prefetcher of a first-level cache.
pub(super) fn prefetcher(known: Option<KnownProtocol>) -> PrefetcherSettings {
    match known {
        Some(KnownProtocol::MesiThreeLevel) => PrefetcherSettings {
            streams: 16,
            neighbours: 256,
            pages: 256,
            misses: 5,
            ahead: 4,
            cross_pages: true,
        },
        _ => PrefetcherSettings::USUAL,
    }
}

/// The banks of a cache, if the script enables them.
pub(super) fn cache_banks(known: Option<KnownProtocol>, parameter: &str) -> Option<BankSettings> {
    let has_banks =
        matches!(known, Some(KnownProtocol::MoesiAmdBase | KnownProtocol::GpuViperRegion));
    let matter = has_banks && parameter == "L3CacheMemory";
    matter.then_some(BankSettings {
        data_banks: 16,
        tag_banks: 16,
        data_latency: 20,
        tag_latency: 15,
    })
}
