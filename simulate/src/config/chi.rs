//! The decisions of gem5's script for CHI: which nodes there are, which controllers they consist of, the parameters of
//! these, and which controllers they send requests to.
//!
//! Caches of all levels are controllers of one machine, `Cache`. Each core is a request node (RNF)
//! with three of them: the first levels for instructions and data, and a second level. Then
//! come the home nodes (HNF), between which the lines are dealt, as they are between the
//! memory nodes (SNF), controllers of the machine `Memory`. A DMA device has a request node of its
//! own without a cache (RNI), one more controller of `Cache`. The one `MiscNode` distributes
//! invalidations of TLBs, which no core here requests.

use slicc::protocol::Protocol;
use slicc::scripts::{KnownProtocol, Script};

use super::known::machine_type;
use super::{CacheGeometry, Options, Sizes};
use crate::ruby::directory::Interleaving;

/// The role of a controller of the machine `Cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The first level of a core for instructions.
    L1I,
    /// The first level of a core for data.
    L1D,
    /// The second level of a core.
    L2,
    /// A home node.
    Hnf,
    /// The request node of a DMA device, which allocates no lines.
    Rni,
}

/// The controllers of a core's request node, in the order in which the script makes them.
const REQUEST_NODE: [Role; 3] = [Role::L1I, Role::L1D, Role::L2];

/// The controllers of the machine `Cache`, in the order of their numbers: the role of each, and the number of its node among
/// those of its kind.
fn caches(options: &Options) -> impl Iterator<Item = (Role, u32)> {
    let cores = (0..options.threads).flat_map(|node| REQUEST_NODE.map(|role| (role, node)));
    let homes = (0..options.l2_banks).map(|node| (Role::Hnf, node));
    let devices = (0..options.devices).map(|node| (Role::Rni, node));
    cores.chain(homes).chain(devices)
}

/// The number of the controller of a role in a node.
fn number_of(role: Role, node: u32, options: &Options) -> Option<u32> {
    let at = caches(options).position(|it| it == (role, node))?;
    Some(at as u32)
}

impl Role {
    /// All roles.
    pub(super) const ALL: [Role; 5] = [Role::L1I, Role::L1D, Role::L2, Role::Hnf, Role::Rni];

    /// The role of a controller, by its machine and number.
    pub(super) fn of(machine: &str, number: u32, options: &Options) -> Option<Role> {
        Role::in_node(machine, number, options).map(|(role, _)| role)
    }

    /// The number of the node, among those of its kind, to which a controller of the machine `Cache`
    /// belongs.
    pub(super) fn node(machine: &str, number: u32, options: &Options) -> Option<u32> {
        Role::in_node(machine, number, options).map(|(_, node)| node)
    }

    fn in_node(machine: &str, number: u32, options: &Options) -> Option<(Role, u32)> {
        caches(options).nth(number as usize).filter(|_| machine == "Cache")
    }

    /// The name of the role, by which settings may name it in place of the machine.
    pub(super) fn name(self) -> &'static str {
        match self {
            Role::L1I => "L1I",
            Role::L1D => "L1D",
            Role::L2 => "L2",
            Role::Hnf => "HNF",
            Role::Rni => "RNI",
        }
    }

    /// Whether controllers of this role have a sequencer.
    pub(super) fn has_sequencer(self) -> bool {
        self.is_first_level() || self == Role::Rni
    }

    /// Whether a thread runs on the sequencer.
    pub(super) fn is_driven(self) -> bool {
        self == Role::L1D
    }

    fn is_first_level(self) -> bool {
        matches!(self, Role::L1I | Role::L1D)
    }

    /// The value that gem5's script for CHI gives a parameter of controllers of this role, if any.
    pub(super) fn value(self, parameter: &str) -> Option<u64> {
        let home = self == Role::Hnf;
        let device = self == Role::Rni;
        let first = self.is_first_level();
        let flag = |flag: bool| Some(u64::from(flag));
        match parameter {
            "is_HN" | "enable_DMT" | "enable_DCT" | "alloc_on_atomic" | "dealloc_on_unique" => {
                flag(home)
            }
            "allow_SD" | "alloc_on_readshared" | "alloc_on_readonce" | "alloc_on_writeback" => {
                flag(!device)
            }
            "alloc_on_readunique" | "dealloc_backinv_unique" | "dealloc_backinv_shared" => {
                flag(!home && !device)
            }
            "alloc_on_seq_line_write"
            | "dealloc_on_shared"
            | "unify_repl_TBEs"
            | "use_prefetcher" => flag(false),
            "alloc_on_seq_acc" | "send_evictions" => flag(first),
            "sc_lock_enabled" => flag(self == Role::L1D),
            "number_of_repl_TBEs" if device => Some(1),
            "number_of_TBEs" | "number_of_repl_TBEs" => Some(if first || device { 16 } else { 32 }),
            "number_of_snoop_TBEs" => Some(match self {
                Role::L1I | Role::L1D => 4,
                Role::L2 => 16,
                Role::Hnf | Role::Rni => 1,
            }),
            "number_of_DVM_TBEs" => Some(if first { 16 } else { 1 }),
            "number_of_DVM_snoop_TBEs" => Some(if first { 4 } else { 1 }),
            _ => None,
        }
    }

    /// The size and organisation of the cache.
    pub(super) fn geometry(self, sizes: &Sizes, block_bytes: u64) -> CacheGeometry {
        match self {
            Role::L1I => sizes.l1_instructions,
            Role::L1D => sizes.l1_data,
            Role::L2 => sizes.l2,
            Role::Hnf => sizes.l3,
            // This cache stays empty.
            Role::Rni => CacheGeometry::new(block_bytes.max(128), 1),
        }
    }

    /// The latencies of the tags and of the data of the cache, in cycles.
    pub(super) fn latencies(self) -> (u64, u64) {
        match self {
            Role::L1I => (1, 1),
            Role::L1D => (1, 2),
            Role::L2 => (2, 6),
            Role::Hnf => (2, 10),
            Role::Rni => (1, 0),
        }
    }
}

/// The width of gem5's network in bytes, and thus the size of a data message.
const DATA_WIDTH: u64 = 32;

/// The value of a parameter of a controller other than a cache, or of all controllers.
pub(super) fn common_value(options: &Options, machine: &str, parameter: &str) -> Option<u64> {
    match (machine, parameter) {
        // A message is no longer than a line.
        (_, "data_channel_size") => Some(DATA_WIDTH.min(options.block_bytes)),
        ("MiscNode", "number_of_DVM_TBEs") => Some(16),
        ("MiscNode", "number_of_non_sync_TBEs") => Some(1),
        ("MiscNode", "early_nonsync_comp") => Some(0),
        _ => None,
    }
}

/// The number of controllers of a machine.
pub(super) fn count(machine: &str, options: &Options) -> u32 {
    match machine {
        "Cache" => caches(options).count() as u32,
        "Memory" => options.directories,
        _ => 1,
    }
}

/// Controllers of one machine, of which each serves some of the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number of the machine type.
    pub kind: u32,
    /// The number of the first controller.
    pub first: u32,
    /// Number of controllers from the first to the last.
    pub count: u32,
    /// Distance between the numbers of consecutive controllers of the group.
    pub step: u32,
    /// Which of them serves an address; the controllers are counted from the first one.
    pub interleaving: Interleaving,
}

/// The controllers to which a controller sends requests.
pub(super) fn downstream(machine: &str, number: u32, options: &Options) -> Option<Group> {
    let dealt = |count: u32| Interleaving {
        end: options.memory_bytes,
        low: options.block_bytes.ilog2(),
        bits: count.ilog2(),
        hash: None,
    };
    let group = |machine: &str, first: u32, count: u32| {
        let kind = machine_type(machine)?;
        Some(Group { kind, first, count, step: 1, interleaving: dealt(count) })
    };
    let (role, node) = Role::in_node(machine, number, options)?;
    match role {
        Role::L1I | Role::L1D => group("Cache", number_of(Role::L2, node, options)?, 1),
        Role::L2 | Role::Rni => group("Cache", number_of(Role::Hnf, 0, options)?, options.l2_banks),
        Role::Hnf => group("Memory", 0, options.directories),
    }
}

/// The controllers that the MiscNode snoops, whatever the address is. Other machines have none.
pub(super) fn upstream(machine: &str, options: &Options) -> Option<Group> {
    let kind = machine_type("Cache")?;
    let interleaving = Interleaving { end: 0, low: 0, bits: 0, hash: None };
    (machine == "MiscNode").then_some(Group {
        kind,
        first: number_of(Role::L1D, 0, options)?,
        count: options.threads,
        step: REQUEST_NODE.len() as u32,
        interleaving,
    })
}

/// Whether a protocol has gem5's script for CHI.
pub(super) fn is_chi(protocol: &Protocol) -> bool {
    let script = Script::find(protocol.name(), &protocol.declared());
    script.is_some_and(|script| script.known == KnownProtocol::Chi)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options { threads: 2, l2_banks: 4, directories: 2, ..Options::default() }
    }

    #[test]
    fn devices_come_after_cores_and_home_nodes() {
        let options = options();
        assert_eq!(count("Cache", &options), 2 * 3 + 4);
        assert_eq!((count("Memory", &options), count("MiscNode", &options)), (2, 1));
        let roles: Vec<_> =
            (0..8).filter_map(|at| Role::of("Cache", at, &options)).map(Role::name).collect();
        assert_eq!(roles, ["L1I", "L1D", "L2", "L1I", "L1D", "L2", "HNF", "HNF"]);
        assert_eq!(Role::of("Memory", 0, &options), None);
        let options = Options { devices: 2, ..options };
        assert_eq!(count("Cache", &options), 2 * 3 + 4 + 2);
        assert_eq!(Role::of("Cache", 9, &options), Some(Role::Hnf));
        assert_eq!(Role::of("Cache", 10, &options), Some(Role::Rni));
        assert_eq!(Role::node("Cache", 11, &options), Some(1));
    }

    #[test]
    fn requests_go_down_to_the_node_of_their_line() {
        let options = options();
        let serves = |number: u32, address: u64| {
            let group = downstream("Cache", number, &options)?;
            Some((group.kind, group.first + group.interleaving.home(address) as u32))
        };
        let (cache, memory) = (machine_type("Cache").unwrap(), machine_type("Memory").unwrap());
        // Both first levels of the second core send to its second level, which sends to home nodes.
        assert_eq!(serves(3, 0x1040), Some((cache, 5)));
        assert_eq!(serves(4, 0x1040), Some((cache, 5)));
        assert_eq!(serves(5, 0x1040), Some((cache, 7)));
        assert_eq!(serves(5, 0x10c0), Some((cache, 9)));
        // Home nodes send to memory nodes.
        assert_eq!(serves(7, 0x1040), Some((memory, 1)));
        assert_eq!(downstream("Memory", 0, &options), None);
    }

    #[test]
    fn the_misc_node_snoops_the_first_levels_for_data() {
        let group = upstream("MiscNode", &options()).unwrap();
        let numbers: Vec<u32> = (0..group.count).map(|at| group.first + at * group.step).collect();
        assert_eq!(numbers, [1, 4]);
        assert_eq!(upstream("Cache", &options()), None);
    }

    #[test]
    fn each_role_has_its_values() {
        assert_eq!(Role::Hnf.value("is_HN"), Some(1));
        assert_eq!(Role::L2.value("is_HN"), Some(0));
        assert_eq!(Role::L1I.value("number_of_TBEs"), Some(16));
        assert_eq!(Role::Hnf.value("request_latency"), None);
        assert_eq!(Role::ALL.map(Role::has_sequencer), [true, true, false, false, true]);
        assert_eq!(Role::Rni.value("alloc_on_seq_acc"), Some(0));
        assert_eq!(Role::Rni.value("alloc_on_readonce"), Some(0));
    }
}
