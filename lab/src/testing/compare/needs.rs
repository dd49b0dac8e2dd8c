//! What a change needs to be tested: the kinds of requests, devices and settings that its words are about.
//!
//! A changed row that ends reservations goes wrong only where cores have load-linked and store-conditional, and code that asks for
//! `enable_DCT` wants systems with either value. The words of a change ([`Difference::words`](slicc::difference::Difference::words)) tell; they may
//! tell of something that does not matter, so only some of the tests follow them.

use std::collections::BTreeSet;

use simulate::config::is_chi;
use simulate::program::Extras;
use slicc::protocol::Protocol;

use crate::covering::pool::Need;

/// What cores do beside loads and stores, by its name in `simulate::stepper::Repertoire::NAMES`, and parts of words that are about it.
const SIGNS: [(&str, &[&str]); 7] = [
    ("linked", &["reserv", "linked", "conditional", "invalidatesc", "llsc"]),
    ("locked", &["lock"]),
    ("atomic", &["atomic"]),
    ("flush", &["flush"]),
    ("fetch", &["ifetch", "inst", "l1i", "icache"]),
    ("early", &["evict"]),
    ("prefetch", &["prefetch", "pf_"]),
];
/// Parts of words that are about DMA devices, among them the requests of CHI that only I/O nodes begin.
const OF_DEVICES: [&str; 4] = ["dma", "readonce", "snponce", "writeunique"];
/// A part of words that are about invalidations of TLBs.
const OF_TRANSLATIONS: &str = "dvm";
/// Parts of words that only look like signs of a lock.
const NO_LOCKS: [&str; 2] = ["block", "clock"];

/// What a change needs.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// What systems have, each a kind of request, devices, or a value of a parameter.
    pub systems: Vec<Need>,
    /// Whether invalidations of TLBs are needed.
    translations: bool,
}

impl Needs {
    /// Reads them off the words of a change.
    pub(super) fn of(words: &BTreeSet<String>, protocol: &Protocol) -> Needs {
        let small: Vec<String> = words.iter().map(|word| simplified(word)).collect();
        let has =
            |signs: &[&str]| small.iter().any(|word| signs.iter().any(|sign| word.contains(sign)));
        // No port of CHI waits for a lock.
        let is_kept = |part: &str| part != "locked" || !is_chi(protocol);
        let parts = SIGNS.iter().filter(|(part, signs)| is_kept(part) && has(signs));
        let parts = parts.map(|(part, _)| Need::Part(part));
        let devices = has(&OF_DEVICES).then_some(Need::Devices);
        let parameters = protocol.machines().flat_map(|machine| &machine.parameters);
        let parameters: BTreeSet<&str> =
            parameters.map(|one| &*one.name.text).filter(|name| words.contains(*name)).collect();
        let settings = parameters.into_iter().map(|name| Need::Setting(name.to_owned()));
        Needs {
            systems: parts.chain(devices).chain(settings).collect(),
            translations: has(&[OF_TRANSLATIONS]),
        }
    }

    /// The additional requests of programs that are needed, as far as the protocols handle them.
    pub(super) fn extras(&self, handled: Extras) -> Extras {
        let needs = |need: &Need| self.systems.contains(need);
        let asks = |need: bool, most: u32| if need { most } else { 0 };
        Extras {
            devices: asks(needs(&Need::Devices), handled.devices.min(1)),
            flushes: asks(needs(&Need::Part("flush")), handled.flushes),
            atomics: asks(needs(&Need::Part("atomic")), handled.atomics),
            dvm: asks(self.translations, handled.dvm),
            // Which parts of CHI take a row, and how, is often a matter of policies that the change does not name.
            policies: handled.policies,
            ..Extras::default()
        }
    }

    /// What cores do beside loads and stores that is needed, by name. Flushes are explored in any case, and atomics and prefetches are rarer
    /// than what they add to an exploration.
    pub(super) fn parts(&self) -> Vec<&'static str> {
        let part = |need: &Need| match need {
            Need::Part("flush" | "atomic" | "prefetch") => None,
            Need::Part(part) => Some(*part),
            _ => None,
        };
        self.systems.iter().filter_map(part).collect()
    }
}

fn simplified(word: &str) -> String {
    NO_LOCKS.iter().fold(word.to_lowercase(), |word, part| word.replace(part, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_change_tell_what_it_needs() {
        let protocol = Protocol::open("MOESI_hammer").unwrap();
        let needs = |words: &[&str]| {
            let words: BTreeSet<String> = words.iter().map(|&word| word.to_owned()).collect();
            Needs::of(&words, &protocol)
        };
        assert!(needs(&["DataBlk", "clockEdge", "address", "sharers"]).systems.is_empty());
        let about = needs(&["invalidateSC", "isLocked", "DMA_WRITE", "probe_filter_enabled"]);
        let expected = [
            Need::Part("linked"),
            Need::Part("locked"),
            Need::Devices,
            Need::Setting("probe_filter_enabled".to_owned()),
        ];
        assert_eq!(about.systems, expected);
        assert_eq!(about.parts(), ["linked", "locked"]);
        let handled = Extras { devices: 2, flushes: 10, policies: 4, ..Extras::default() };
        let asked = Extras { devices: 1, policies: 4, ..Extras::default() };
        assert_eq!(about.extras(handled), asked);
        let asked = Extras { flushes: 10, policies: 4, ..Extras::default() };
        assert_eq!(needs(&["Flush_line", "DvmSync"]).extras(handled), asked);
    }
}
