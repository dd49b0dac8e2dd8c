//! The decisions of gem5's script for CHI: which nodes there are, which controllers they consist of, the parameters of
//! these, and which controllers they send requests to.
//!
//! Caches of all levels are controllers of one machine, `Cache`. Each core is a request node (RNF)
//! with three of them: the first levels for instructions and data, and a second level. Settings may make
//! nodes of several cores that share a second level, or have none (`clusters`). Then
//! come the home nodes (HNF), between which the lines are dealt, as they are between the
//! memory nodes (SNF), controllers of the machine `Memory`. A DMA device has a request node of its
//! own without a cache (RNI), one more controller of `Cache`. The one `MiscNode` distributes
//! invalidations of TLBs, which no core here requests.

use slicc::protocol::Protocol;
use slicc::scripts::{KnownProtocol, Script};

use super::clusters::Clusters;
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

/// A controller of the machine `Cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub role: Role,
    /// The number among the controllers of this role.
    pub number: u32,
    /// The number of its node, among those of its kind. The nodes of cores are their clusters.
    pub node: u32,
}

/// The controllers of the machine `Cache`, in the order of their numbers: with private second levels those of each core, else
/// the first levels of all cores and then the second levels, as gem5's script numbers them.
fn members(options: &Options) -> Vec<Member> {
    let clusters = Clusters::of(options);
    let first_levels = |core: u32| {
        let node = clusters.of_core(core);
        [Role::L1I, Role::L1D].map(|role| Member { role, number: core, node })
    };
    let numbered =
        |role: Role, nodes: u32| (0..nodes).map(move |node| Member { role, number: node, node });
    let mut members: Vec<Member> = (0..options.threads).flat_map(first_levels).collect();
    let banks = |(node, banks)| (0..banks).map(move |_| node);
    let second_levels = clusters.of_system(options.threads).into_iter().flat_map(banks);
    members.extend((0..).zip(second_levels).map(|(number, node)| Member {
        role: Role::L2,
        number,
        node,
    }));
    if clusters == Clusters::default() {
        members.sort_by_key(|member| member.node);
    }
    members.extend(numbered(Role::Hnf, options.l2_banks));
    members.extend(numbered(Role::Rni, options.devices));
    members
}

/// The numbers of the controllers of a role, of one node or of all: that of the first, and how many there are.
fn numbers_of(role: Role, node: Option<u32>, options: &Options) -> (u32, u32) {
    let members = members(options);
    let is_one =
        |member: &&Member| member.role == role && node.is_none_or(|node| member.node == node);
    let first = members.iter().position(|member| is_one(&member)).unwrap_or_default();
    (first as u32, members.iter().filter(is_one).count() as u32)
}

impl Member {
    /// The controller of the machine `Cache` with a number; `None` for one of another machine.
    pub(super) fn of(machine: &str, number: u32, options: &Options) -> Option<Member> {
        members(options).get(number as usize).copied().filter(|_| machine == "Cache")
    }

    /// What users call the controller: `L1D of core 1`, `HNF 0`.
    pub(super) fn name(self) -> String {
        let joint = if self.role.is_first_level() { " of core " } else { " " };
        format!("{}{joint}{}", self.role.name(), self.number)
    }

    /// The number of banks among which the lines are dealt that this controller shares with others of its role and node.
    pub(super) fn banks(self, options: &Options) -> u32 {
        match self.role {
            Role::Hnf => options.l2_banks,
            Role::L2 => numbers_of(Role::L2, Some(self.node), options).1,
            Role::L1I | Role::L1D | Role::Rni => 1,
        }
    }
}

impl Role {
    /// All roles.
    pub(super) const ALL: [Role; 5] = [Role::L1I, Role::L1D, Role::L2, Role::Hnf, Role::Rni];

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

    /// The number of controllers of this role.
    pub(super) fn count(self, options: &Options) -> u32 {
        numbers_of(self, None, options).1
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
        "Cache" => members(options).len() as u32,
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
    let Member { role, node, .. } = Member::of(machine, number, options)?;
    let second_level = numbers_of(Role::L2, Some(node), options);
    let homes = numbers_of(Role::Hnf, None, options);
    let (machine, (first, count)) = match role {
        Role::L1I | Role::L1D if second_level.1 > 0 => ("Cache", second_level),
        Role::L1I | Role::L1D | Role::L2 | Role::Rni => ("Cache", homes),
        Role::Hnf => ("Memory", (0, options.directories)),
    };
    let interleaving = Interleaving {
        end: options.memory_bytes,
        low: options.block_bytes.ilog2(),
        bits: count.ilog2(),
        hash: None,
    };
    Some(Group { kind: machine_type(machine)?, first, count, step: 1, interleaving })
}

/// The controllers that the MiscNode snoops, whatever the address is. Other machines have none.
pub(super) fn upstream(machine: &str, options: &Options) -> Option<Group> {
    let kind = machine_type("Cache")?;
    let interleaving = Interleaving { end: 0, low: 0, bits: 0, hash: None };
    let (first, count) = numbers_of(Role::L1D, None, options);
    let mut data = members(options).into_iter().skip(first as usize + 1);
    let step = data.position(|member| member.role == Role::L1D).map_or(1, |at| at as u32 + 1);
    (machine == "MiscNode").then_some(Group { kind, first, count, step, interleaving })
}

/// Whether a protocol has gem5's script for CHI.
pub fn is_chi(protocol: &Protocol) -> bool {
    let script = Script::find(protocol.name(), &protocol.declared());
    script.is_some_and(|script| script.known == KnownProtocol::Chi)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options { threads: 2, l2_banks: 4, directories: 2, ..Options::default() }
    }

    fn roles(options: &Options) -> Vec<&'static str> {
        members(options).into_iter().map(|member| member.role.name()).collect()
    }

    #[test]
    fn cores_of_a_cluster_share_a_second_level_or_have_none() {
        let settings = vec!["clusters=2:2,1:0".parse().unwrap()];
        let options = Options { threads: 4, settings, ..options() };
        let expected = "L1I L1D L1I L1D L1I L1D L1I L1D L2 L2 L2 L2 HNF HNF HNF HNF";
        assert_eq!(roles(&options).join(" "), expected);
        let down = |number| downstream("Cache", number, &options).map(|one| (one.first, one.count));
        // The second and the last core share their levels with others, the third asks the home nodes.
        assert_eq!(
            [2, 3, 4, 5, 6, 8].map(down),
            [(8, 2), (8, 2), (12, 4), (12, 4), (10, 2), (12, 4)].map(Some)
        );
        let nodes = |number| Member::of("Cache", number, &options).map(|one| one.node);
        assert_eq!([3, 4, 6, 9, 10].map(nodes), [0, 1, 2, 0, 2].map(Some));
        let snooped = upstream("MiscNode", &options).unwrap();
        assert_eq!((snooped.first, snooped.count, snooped.step), (1, 4, 2));
    }

    #[test]
    fn controllers_are_called_by_their_roles() {
        let options = Options { devices: 1, ..options() };
        let names: Vec<String> = members(&options).into_iter().map(Member::name).collect();
        assert_eq!(names[3..7], ["L1I of core 1", "L1D of core 1", "L2 1", "HNF 0"]);
        assert_eq!(names[10], "RNI 0");
    }

    #[test]
    fn devices_come_after_cores_and_home_nodes() {
        let options = options();
        assert_eq!(count("Cache", &options), 2 * 3 + 4);
        assert_eq!((count("Memory", &options), count("MiscNode", &options)), (2, 1));
        assert_eq!(roles(&options)[..8], ["L1I", "L1D", "L2", "L1I", "L1D", "L2", "HNF", "HNF"]);
        assert_eq!(Member::of("Memory", 0, &options), None);
        let options = Options { devices: 2, ..options };
        assert_eq!(count("Cache", &options), 2 * 3 + 4 + 2);
        assert_eq!(roles(&options)[9..], ["HNF", "RNI", "RNI"]);
        assert_eq!(Member::of("Cache", 11, &options).map(|one| one.node), Some(1));
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
