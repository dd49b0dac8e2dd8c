//! The controllers of a system, and the values of their parameters: what [`planner`](super::planner) computes.

use slicc::scripts::Declared;

use super::chi::Group;
use crate::ruby::cache::CacheParameters;
use crate::ruby::directory::Interleaving;
use crate::ruby::network::Endpoint;
use crate::ruby::prefetcher::PrefetcherSettings;

/// The controllers of a protocol, and the values of their parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The machines in the order of their types, which is that of node numbers, including those
    /// without a controller.
    pub machines: Vec<MachinePlan>,
    /// The number of buffers.
    pub buffers: u32,
    /// The number of sequencers. The first ones belong to the threads; the others stay idle, unless
    /// they fetch instructions.
    pub sequencers: u32,
    /// The sequencer through which each thread fetches instructions.
    pub fetchers: Vec<u32>,
    /// Whether the protocol gets atomic instructions as atomics, not as stores: it may perform them outside of the
    /// first-level cache.
    pub sends_atomics: bool,
    /// Whether the protocol gets load-linkeds as such, not as loads.
    pub tells_linked: bool,
    /// Whether the protocol gets store-conditionals as such, not as stores.
    pub tells_conditional: bool,
    /// Whether functional reads collect the bytes of a line from several controllers.
    pub reads_in_parts: bool,
    /// The number of DMA sequencers. The first ones belong to the DMA devices; the others stay idle.
    pub dma_sequencers: u32,
    /// The wires between machines. Both ends refer to a wire by its name.
    pub wires: Vec<Wire>,
}

/// A direct connection between two machines: a WireBuffer, or a buffer of both machines that is not
/// attached to the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The name at both ends.
    pub name: Box<str>,
    /// Whether it is ordered.
    pub ordered: bool,
}

/// The controllers of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachinePlan {
    /// The name of the machine.
    pub name: Box<str>,
    /// The number of the machine type.
    pub kind: u32,
    /// The index among the declared machines.
    pub declared: usize,
    /// The controllers, by number.
    pub instances: Vec<Instance>,
    /// Largest number of transitions in a wakeup.
    pub transitions_per_cycle: u64,
    /// Number of cycles until a recycled message is handled again.
    pub recycle_latency: u64,
    /// Number of cycles from a sequencer to the machine.
    pub mandatory_queue_latency: u64,
    /// The mapping from addresses to controllers (`mapAddressToMachine`).
    pub interleaving: Interleaving,
    /// Whether lines are dealt to the controllers by their addresses, so that each line has one, however many there are.
    pub is_dealt: bool,
}

/// A controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The values of the parameters, in the order in which they are declared.
    pub values: Vec<Value>,
    /// The number of TBEs (`number_of_TBEs`).
    pub tbes: u64,
    /// The controllers to which it sends requests (`mapAddressToDownstreamMachine`), if the script
    /// says so.
    pub downstream: Option<Group>,
    /// The controllers that it snoops (`allUpstreamDest`), if the script says so.
    pub upstream: Option<Group>,
    /// The router of the mesh to which it is attached; 0 if there is no mesh.
    pub router: u32,
    /// The role of the controller, where its machine has controllers of several roles: `HNF 0` or
    /// `L1D of core 1` for one of CHI's caches.
    pub role: Option<String>,
}

/// Marks a sequencer through which the thread of the next one fetches instructions.
pub const FETCHER: u32 = u32::MAX;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, a latency, or 0 or 1 for a flag.
    Number(u64),
    /// A string, or another value in quotes.
    Text(Box<str>),
    /// A value of an enumeration.
    Enumerator {
        /// The enumeration.
        family: Box<str>,
        /// The value.
        value: Box<str>,
    },
    /// The null pointer, such as of a prefetcher of gem5's classic caches.
    Null,
    /// A prefetcher of these sizes.
    Prefetcher(PrefetcherSettings),
    /// A message buffer.
    Buffer(Buffer),
    /// A cache.
    Cache(CacheParameters),
    /// The directory memory of the controller with this number.
    Directory(u32),
    /// A sequencer.
    Sequencer {
        /// The number among all sequencers, which is that of its thread if it has one.
        number: u32,
        /// The number among the sequencers of its controller, from 0 (`contextId`); or [`FETCHER`].
        core: u32,
    },
    /// The DMA sequencer with this number.
    DmaSequencer(u32),
    /// The sequencer of a request node of CHI that serves a DMA device, by its number among DMA sequencers. The protocol
    /// sees it as that of a core.
    RequestNode(u32),
    /// A timer table.
    Timer,
    /// A wire buffer, as an index into [`Plan::wires`].
    Wire(u32),
}

/// A message buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The number among all buffers.
    pub number: u32,
    /// Whether it is ordered.
    pub ordered: bool,
    /// Whether it is for events of its own controller, which are never delayed at random and may
    /// arrive in the cycle in which they are sent.
    pub trigger: bool,
    /// Whether messages are never delayed at random.
    pub steady: bool,
    /// Largest number of messages; 0 stands for any number.
    pub capacity: usize,
    /// Whether it leads to a memory that keeps no data, as in older protocols.
    pub echo: bool,
    /// If the buffer is an end of the network, its direction and the number of its virtual network.
    pub network: Option<(Direction, u32)>,
}

/// The direction of a buffer at an end of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The controller writes it.
    To,
    /// The controller reads it.
    From,
}

impl Plan {
    /// The number of each machine's type with the number of its controllers.
    pub fn counts(&self) -> Vec<(u64, u64)> {
        let count =
            |machine: &MachinePlan| (u64::from(machine.kind), machine.instances.len() as u64);
        self.machines.iter().map(count).collect()
    }

    /// The buffers at one end of the network.
    pub fn endpoints(&self, direction: Direction) -> Vec<Endpoint> {
        let mut found = Vec::new();
        for machine in &self.machines {
            for (number, instance) in (0..).zip(&machine.instances) {
                let ends = instance.values.iter().filter_map(|value| value.end(direction));
                found.extend(ends.map(|(buffer, vnet)| Endpoint {
                    buffer: buffer.number,
                    machine: machine.kind,
                    number,
                    vnet,
                    ordered: buffer.ordered,
                    router: instance.router,
                }));
            }
        }
        found
    }
}

impl Value {
    /// The buffer and its virtual network, if it is an end of the network in this direction.
    fn end(&self, direction: Direction) -> Option<(Buffer, u32)> {
        match self {
            Value::Buffer(buffer) => {
                let (of, vnet) = buffer.network?;
                (of == direction).then_some((*buffer, vnet))
            }
            _ => None,
        }
    }
}

/// The value of a parameter among those of a controller.
pub(super) fn value_of<'a>(
    machine: &Declared,
    values: &'a [Value],
    name: &str,
) -> Option<&'a Value> {
    let at = machine.parameters.iter().position(|one| *one.name.text == *name)?;
    values.get(at)
}
