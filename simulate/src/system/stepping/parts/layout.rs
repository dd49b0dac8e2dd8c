//! [`Layout`]: the parts of a state, and the facts about the system that moves need.

use super::super::moves::Move;
use crate::stepper::Stepper;
use crate::system::Role;

/// A part of a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// The objects that one controller owns, its variables, and the messages that have arrived.
    Owned(usize),
    /// The messages in flight to a buffer.
    InFlight(usize),
    /// The content of memory.
    Memory,
}

/// The facts about a buffer that concern messages in flight to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver {
    /// The place of the part with its messages in flight, if it receives any.
    pub at: Option<usize>,
    /// The controller that reads it.
    pub consumer: usize,
    /// Whether a controller reads it at all.
    pub is_read: bool,
    /// Whether it takes requests to memory.
    pub is_memory: bool,
    /// Whether its messages come through the network.
    pub is_networked: bool,
    /// The first port that reads it.
    pub port: Option<usize>,
}

/// The parts of a state, and the system around them.
#[derive(Debug)]
pub(super) struct Layout {
    /// The parts of a state, in its order.
    pub parts: Vec<Part>,
    /// The place of each controller's part.
    pub owned_at: Vec<usize>,
    pub receivers: Vec<Receiver>,
    pub memory_at: usize,
    /// The buffers of requests to memory, each with the place of its part.
    pub memory_requests: Vec<(usize, usize)>,
    /// For each controller with memory, the buffers of requests and responses, each with the place of its part.
    pub memories: Vec<Vec<(usize, usize)>>,
    /// Most messages in the buffers of one controller with memory.
    pub memory_queue: usize,
    /// The first place of each group of parts: that of each controller, and memory.
    pub groups: Vec<usize>,
    /// The controller of each core and device.
    pub homes: Vec<usize>,
    /// The first core or device of each controller that has one.
    pub first_cores: Vec<Option<usize>>,
    /// Whether each controller has access to memory.
    pub uses_memory: Vec<bool>,
    /// The controller of each table of timers.
    pub timer_owners: Vec<usize>,
    /// The port of each table of timers.
    pub timer_ports: Vec<Option<usize>>,
    /// The controllers that have internal events.
    pub internal: Vec<usize>,
}

impl Layout {
    pub(super) fn new(stepper: &Stepper) -> Layout {
        let system = &stepper.system;
        let receives = |buffer: &usize| matches!(system.roles[*buffer], Role::Own);
        let mut parts = Vec::new();
        let mut in_flight_at = vec![None; system.buffers.len()];
        let mut owned_at = Vec::new();
        // Neighbours in a state change together.
        for (controller, owned) in stepper.owned.iter().enumerate() {
            owned_at.push(parts.len());
            parts.push(Part::Owned(controller));
            for &buffer in owned.buffers.iter().filter(|buffer| receives(buffer)) {
                in_flight_at[buffer] = Some(parts.len());
                parts.push(Part::InFlight(buffer));
            }
        }
        let memory_at = parts.len();
        parts.push(Part::Memory);
        let receivers = in_flight_at.into_iter().enumerate().map(|(buffer, at)| {
            let consumer = system.consumers[buffer] as usize;
            let requests =
                system.controllers.get(consumer).and_then(|reader| reader.requests_to_memory);
            let is_memory = requests == Some(buffer as u32);
            let is_networked = system.network.receives(buffer as u32);
            let port = stepper.port_of(consumer, buffer, false);
            let is_read = stepper.read[buffer];
            Receiver { at, consumer, is_read, is_memory, is_networked, port }
        });
        let receivers: Vec<Receiver> = receivers.collect();
        let requests = receivers.iter().enumerate().filter(|(_, receiver)| receiver.is_memory);
        let place = |buffer: usize| Some((buffer, receivers[buffer].at?));
        let numbers = 0..system.controllers.len();
        let memories =
            numbers.map(|number| stepper.memory_buffers(number).filter_map(place).collect());
        let controllers = system.controllers.iter();
        let timer_owners: Vec<usize> =
            system.timer_owners.iter().map(|&owner| owner as usize).collect();
        let timer_ports = timer_owners.iter().enumerate();
        let internal = 0..system.controllers.len();
        Layout {
            memories: memories.filter(|buffers: &Vec<_>| !buffers.is_empty()).collect(),
            memory_queue: stepper.memory_queue,
            memory_requests: requests
                .filter_map(|(buffer, receiver)| Some((buffer, receiver.at?)))
                .collect(),
            parts,
            groups: owned_at.iter().copied().chain([memory_at]).collect(),
            owned_at,
            receivers,
            memory_at,
            homes: (0..stepper.agents()).map(|agent| stepper.controller_of(agent)).collect(),
            first_cores: stepper.owned.iter().map(|owned| owned.agents.first().copied()).collect(),
            uses_memory: controllers.map(|one| one.requests_to_memory.is_some()).collect(),
            timer_ports: timer_ports
                .map(|(table, &owner)| stepper.port_of(owner, table, true))
                .collect(),
            timer_owners,
            internal: internal.filter(|&number| !stepper.internal[number].is_empty()).collect(),
        }
    }

    /// The controller that makes a move.
    pub(super) fn controller_of(&self, chosen: Move) -> usize {
        match chosen {
            Move::Ask { core, .. } => self.homes[core],
            Move::Arrive { buffer, .. } | Move::Memory { buffer, .. } => {
                self.receivers[buffer].consumer
            }
            Move::Wake { controller } => controller,
            Move::Timer { table, .. } => self.timer_owners[table],
        }
    }
}
