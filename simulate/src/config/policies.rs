//! Policies that random programs and walks draw. Of CHI's controllers: which lines a controller keeps, which messages it uses, and how many
//! requests it handles at a time. gem5's users choose them in scripts derived from `configs/ruby/CHI_config.py`. Of other protocols: whether
//! their prefetchers are on.

use history::random::Rng;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::Sizes;
use super::chi::{Role, is_chi};
use super::contradictions;
use super::known::SEND_EVICTIONS;

/// Separates the choice of policies from others with the same seed.
const PURPOSE: u64 = 0x50_4f_4c_49;
/// Of 100 flags, how many are the opposite of what gem5's script sets; the same for how many numbers are drawn.
const CHANGED_PERCENT: u32 = 20;

/// Flags of a controller that are drawn where its machine declares them. Those that are left out belong to a role (`is_HN`), or say what a
/// core must be told (`send_evictions`).
const FLAGS: [&str; 19] = [
    "alloc_on_readshared",
    "alloc_on_readunique",
    "alloc_on_readonce",
    "alloc_on_writeback",
    "alloc_on_atomic",
    "alloc_on_seq_line_write",
    "dealloc_on_unique",
    "dealloc_on_shared",
    "dealloc_backinv_unique",
    "dealloc_backinv_shared",
    "dealloc_wait_for_tag",
    "enable_DMT",
    "enable_DMT_early_dealloc",
    "enable_DCT",
    "fwd_unique_on_readshared",
    "allow_SD",
    "unify_repl_TBEs",
    "comp_wu",
    "comp_anr",
];

/// Numbers of a controller, with values that keep it short of room.
const NUMBERS: [(&str, [u64; 3]); 4] = [
    ("number_of_TBEs", [1, 2, 4]),
    ("number_of_repl_TBEs", [1, 1, 2]),
    ("number_of_snoop_TBEs", [1, 1, 2]),
    ("policy_type", [1, 1, 1]),
];

/// The parameter by which protocols other than CHI turn their prefetchers on.
const PREFETCH: &str = "enable_prefetch";

/// Numbers of slots of CHI's other nodes, with values that keep them short of room.
const SLOTS: [(&str, &str, [u64; 3]); 2] =
    [("Memory", "number_of_TBEs", [1, 2, 4]), ("MiscNode", "number_of_DVM_TBEs", [2, 3, 4])];
/// Separates the choice of these numbers from others with the same seed.
const OF_SLOTS: u64 = 0x53_4c_4f_54;
/// Of 100 systems, how many have a drawn number of slots in nodes of a kind.
const SHORT_PERCENT: u32 = 40;

/// The numbers of slots of memory nodes and of the MiscNode for a seed, as settings; other protocols than CHI have none.
pub fn slots(protocol: &Protocol, seed: u64) -> Vec<Setting> {
    let mut rng = Rng::new(seed, OF_SLOTS);
    let drawn = SLOTS.map(|(machine, parameter, values)| {
        let value = rng.one_of(&values);
        rng.percent(SHORT_PERCENT).then(|| Setting::of(machine, parameter, value))
    });
    // Early releases have no MiscNode.
    let has = |name: &str| protocol.machines().any(|one| &*one.name.text == name);
    let is_there = |one: &Setting| one.machine.as_deref().is_some_and(has);
    let drawn = drawn.into_iter().flatten().filter(is_there);
    if is_chi(protocol) { drawn.collect() } else { Vec::new() }
}

/// Separates the choice of prefetchers from others with the same seed.
const OF_PREFETCHERS: u64 = 0x50_46_43_48;
/// Of 100 systems, how many have prefetchers in the caches of a role.
const PREFETCH_PERCENT: u32 = 30;

/// The prefetchers of CHI's caches for a seed, as settings; other protocols than CHI have none here. The caches of data have none if a set
/// has a single way: there a prefetch takes away the line of each load-linked, so that no store-conditional succeeds.
pub fn prefetchers(protocol: &Protocol, seed: u64, sizes: &Sizes) -> Vec<Setting> {
    let mut rng = Rng::new(seed, OF_PREFETCHERS);
    let drawn = [Role::L1I, Role::L1D, Role::L2].map(|role| {
        let is_on = rng.percent(PREFETCH_PERCENT);
        let keeps_lines = role != Role::L1D || sizes.l1_data.ways > 1;
        (is_on && keeps_lines).then(|| Setting::of(role.name(), contradictions::PREFETCHES, true))
    });
    // Early releases of CHI know no prefetchers.
    let is_known = is_chi(protocol) && has_parameter(protocol, contradictions::PREFETCHES);
    if is_known { drawn.into_iter().flatten().collect() } else { Vec::new() }
}

/// Separates the choice of what cores are told from others with the same seed.
const OF_EVICTIONS: u64 = 0x45_56_49_43;
/// Of 100 systems, how many do not tell cores of lines that leave their caches.
const UNTOLD_PERCENT: u32 = 50;

/// Whether CHI's caches tell cores of lines that leave them, for a seed, as a setting: gem5's library has caches tell only those cores that
/// need to know. Other protocols than CHI have none here, since other scripts set it as the cores need it.
pub fn evictions(protocol: &Protocol, seed: u64) -> Option<Setting> {
    let is_untold = Rng::new(seed, OF_EVICTIONS).percent(UNTOLD_PERCENT);
    let is_known = is_chi(protocol) && has_parameter(protocol, SEND_EVICTIONS);
    (is_untold && is_known).then(|| Setting::of(Role::L1D.name(), SEND_EVICTIONS, false))
}

/// Whether there are policies to choose of a protocol.
pub(super) fn has_policies(protocol: &Protocol) -> bool {
    is_chi(protocol) || has_prefetchers(protocol)
}

fn has_prefetchers(protocol: &Protocol) -> bool {
    has_parameter(protocol, PREFETCH)
}

fn has_parameter(protocol: &Protocol, name: &str) -> bool {
    let mut parameters = protocol.machines().flat_map(|machine| &machine.parameters);
    parameters.any(|parameter| &*parameter.name.text == name)
}

/// The policies of a seed: settings of the roles of CHI's controllers that do not contradict each other, or whether the prefetchers of
/// another protocol are on.
pub fn policies(protocol: &Protocol, seed: u64) -> Vec<Setting> {
    if !is_chi(protocol) {
        let is_on = has_prefetchers(protocol) && Rng::new(seed, PURPOSE).percent(50);
        return if is_on { vec![Setting::of_all(PREFETCH, true)] } else { Vec::new() };
    }
    let declared: Vec<&str> = protocol
        .machines()
        .filter(|machine| &*machine.name.text == "Cache")
        .flat_map(|machine| &machine.parameters)
        .map(|parameter| &*parameter.name.text)
        .collect();
    let has = |name: &str| declared.contains(&name) || name == "number_of_TBEs";
    let mut rng = Rng::new(seed, PURPOSE);
    let mut settings = Vec::new();
    for role in Role::ALL {
        // A prefix of the same choices for all roles, so that a flag that a release does not have changes no other.
        let flags = FLAGS.map(|name| {
            let value = role.value(name).is_some_and(|value| value == 1);
            (name, value != rng.percent(CHANGED_PERCENT))
        });
        let numbers = NUMBERS.map(|(name, values)| {
            let value = rng.one_of(&values);
            (name, rng.percent(CHANGED_PERCENT).then_some(value))
        });
        let own = without_contradictions(role, flags);
        let changed = own.into_iter().filter(|(name, value)| {
            has(name) && role.value(name).unwrap_or(0) != u64::from(*value)
        });
        let flags = changed.map(|(name, value)| (name, value.to_string()));
        let numbers = numbers.into_iter().filter(|(name, _)| has(name));
        let numbers = numbers.filter_map(|(name, value)| Some((name, value?.to_string())));
        let all = flags.chain(numbers);
        settings.extend(all.map(|(parameter, value)| Setting::of(role.name(), parameter, value)));
    }
    settings
}

/// The flags of a role, of which those that contradict others are as gem5's script sets them.
fn without_contradictions<const N: usize>(
    role: Role,
    mut flags: [(&'static str, bool); N],
) -> [(&'static str, bool); N] {
    let script = |name: &str| role.value(name).is_some_and(|value| value == 1);
    for at in 0..N {
        let own = |name: &str| {
            let drawn = flags.iter().find(|(flag, _)| *flag == name);
            Some(drawn.map_or(script(name), |(_, value)| *value))
        };
        if contradictions::find(role, own).is_none() {
            break;
        }
        flags[at].1 = script(flags[at].0);
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Caches;

    #[test]
    fn drawn_flags_do_not_contradict_each_other() {
        let mut rng = Rng::new(1, PURPOSE);
        for role in Role::ALL {
            for _ in 0..200 {
                let drawn = FLAGS.map(|name| (name, rng.percent(50)));
                let flags = without_contradictions(role, drawn);
                let script = |name: &str| role.value(name).is_some_and(|value| value == 1);
                let own = |name: &str| {
                    let flag = flags.iter().find(|(flag, _)| *flag == name);
                    Some(flag.map_or(script(name), |(_, value)| *value))
                };
                assert_eq!(contradictions::find(role, own).map(|it| it.message), None);
            }
        }
    }

    #[test]
    fn protocols_other_than_chi_have_no_policies() {
        let protocol = Protocol::open("MI_example").unwrap();
        assert_eq!(policies(&protocol, 1), []);
        let sizes = Caches::Tiny.sizes();
        (0..20).for_each(|seed| assert_eq!(prefetchers(&protocol, seed, &sizes), []));
    }
}
