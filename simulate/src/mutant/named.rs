//! The mutants that come with the program, by name.

use super::{Mutant, near};

/// A mutant of the fixtures.
struct Named {
    name: &'static str,
    protocol: &'static str,
    text: &'static str,
}

/// The mutants of a protocol.
macro_rules! mutants {
    ($($protocol:literal: $($name:literal),+;)*) => {
        &[$($(Named {
            name: $name,
            protocol: $protocol,
            text: include_str!(concat!("../../../fixtures/protocols/mutants/", $name, ".patch")),
        }),+),*]
    };
}

/// All of them.
const NAMED: &[Named] = mutants! {
    "MI_example":
        "mi-l1-forward-blocks-queue",
        "mi-l1-late-inv-missing",
        "mi-l1-nack-before-forward",
        "mi-l1-replace-no-notify",
        "mi-l1-evict-locked-line",
        "mi-l1-replacement-state-touched-twice",
        "mi-dir-putx-not-written",
        "mi-dir-fetch-without-tbe",
        "mi-dir-dma-during-dma-missing",
        "mi-dir-dma-write-offset",
        "mi-dir-dma-wrong-queue-recycled",
        "mi-dir-dmaread-owner-data-not-written",
        "mi-dir-dmawrite-clobbers-line",
        "mi-dir-mdwri-getx-missing",
        "mi-dir-notowner-putx-missing";
    "MESI_Two_Level":
        "mesi2-l1-is-inv-no-notify",
        "mesi2-l1-sm-inv-no-notify",
        "mesi2-l1-m-inv-no-notify",
        "mesi2-l1-s-inv-no-notify",
        "mesi2-l1-fwdgetx-no-notify",
        "mesi2-l1-sc-not-cleared",
        "mesi2-l1-evict-locked-line",
        "mesi2-l1-replacement-state-touched-twice",
        "mesi2-l1-pf-ifetch-missing",
        "mesi2-l1-pf-is-i-missing",
        "mesi2-l1-pf-late-block-used",
        "mesi2-l1-pf-replacement-wrong-queue",
        "mesi2-l1-pf-sm-missing",
        "mesi2-l2-clean-putx-copied",
        "mesi2-replacement-race",
        "mesi2-dir-cleanreplacement-during-dma",
        "mesi2-dir-data-parks-request",
        "mesi2-dir-dma-partial-offset",
        "mesi2-dir-dma-reply-by-type",
        "mesi2-dir-dmawrite-drops-owner-data";
    "MOESI_hammer":
        "hammer-l1-upgrade-keeps-reservation",
        "hammer-l1-flush-end-no-notify",
        "hammer-dir-dma-during-flush-missing",
        "hammer-dir-filter-drops-owner-data",
        "hammer-dir-wb-states-swapped",
        "hammer-dir-data-type-rejected",
        "hammer-dir-ack-count-one",
        "hammer-dir-no-tbe-check",
        "hammer-l1-dma-read-keeps-modified",
        "hammer-uniproc-owner-getx-unanswered",
        "hammer-flush-blockack-missing",
        "hammer-l1-mr-flush-missing",
        "hammer-l1-empty-stall",
        "hammer-l1-reserved-hit-no-wakeup",
        "hammer-l1-ss-no-wakeup",
        "hammer-trigger-queue-ordered",
        "hammer-l1-idle-blocks-kept",
        "hammer-l1-s-othergetx-no-notify",
        "hammer-l1-migratory-gets-no-notify",
        "hammer-l1-replacement-no-notify",
        "hammer-l1-evict-locked-line",
        "hammer-l1-migrates-locked-line";
    "MOESI_AMD_Base":
        "amd-pair-store-no-notify",
        "amd-pair-locked-rmw-split",
        "amd-pair-stall-blocks-unlock",
        "amd-corepair-recycles-probe-queue",
        "amd-l1i-replacement-undefined",
        "amd-clean-victim-blank-data",
        "amd-stale-dirty-victim",
        "amd-stalewb-undefined",
        "amd-dir-memory-write-overtaken",
        "amd-dir-dma-l3hit-undefined",
        "amd-dir-dma-no-wakeup",
        "amd-dir-dmaread-stall-missing",
        "amd-dir-bdrm-no-wakeup",
        "amd-dir-probe-empty-destination",
        "amd-dir-dma-probes-absent-gpu",
        "amd-dir-dma-response-vnet-class",
        "amd-dir-wt-unblock-wakes-one-queue",
        "amd-dir-response-before-merge",
        "amd-dir-private-copy-of-memory",
        "amd-corepair-evict-locked-line";
};

impl Named {
    fn mutant(&self) -> Mutant {
        Mutant::of_patch(self.name, self.protocol, self.text)
    }
}

/// All named mutants, protocol by protocol.
pub fn all() -> impl Iterator<Item = Mutant> {
    NAMED.iter().map(Named::mutant)
}

/// The named mutants of a protocol.
pub fn of(protocol: &str) -> impl Iterator<Item = Mutant> {
    NAMED
        .iter()
        .filter(move |one| one.protocol == protocol)
        .map(Named::mutant)
}

/// The one of this name, or with this other name.
pub fn find(name: &str) -> Option<Mutant> {
    let found = NAMED.iter().find(|one| one.name == name);
    let found = found.map(Named::mutant);
    found.or_else(|| all().find(|one| one.aliases.iter().any(|alias| alias == name)))
}

/// Names that somebody may have meant, the likeliest first: those that have a part of the name in
/// them, or differ little from it.
pub fn nearest(name: &str) -> Vec<&'static str> {
    near::nearest(name, NAMED.iter().map(|one| one.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        assert!(of("MI_example").all(|one| one.protocol == "MI_example"));
        assert!(all().all(|one| find(&one.name) == Some(one)));
        let other = find("mesi-lq-is-inv").map(|one| one.name);
        assert_eq!(other.as_deref(), Some("mesi2-l1-is-inv-no-notify"));
        assert_eq!(find("no-such-mutant"), None);
    }

    #[test]
    fn every_one_says_what_it_is() {
        for one in all() {
            let about = &one.description;
            assert!(about.ends_with('.') && about.len() > 40, "{}", one.name);
        }
    }

    #[test]
    fn near_names() {
        assert_eq!(
            nearest("mesi2-l1-is-inv-not-notify")[0],
            "mesi2-l1-is-inv-no-notify"
        );
        assert_eq!(nearest("clobbers"), ["mi-dir-dmawrite-clobbers-line"]);
        assert!(nearest("something-else-entirely-that-is-long").is_empty());
        assert!(nearest("").is_empty());
    }
}
