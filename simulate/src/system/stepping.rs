//! A system without time that is taken from state to state, on which `stepper` is built.
//!
//! - `actions`: the actions of cores and DMA devices, and the memos that are kept about them;
//! - `symmetry`: the permutations of cores and lines, and the kinds of words, which decide how they are renamed;
//! - `coding`: words as bytes;
//! - `freeze` and `thaw`: a system to bytes and back;
//! - `view`: the renaming that applies while a state is written;
//! - `values`: the relevant part of the contents of blocks;
//! - `asking`: how requests begin;
//! - `moves`: the possible moves and their outcomes;
//! - `urgent`: internal events, which are handled before any other move;
//! - `parts`: the same moves in states that are vectors of numbered parts, much faster;
//! - `describe`: moves in words;
//! - `left`: the requests, transactions and messages that wait in a state, in words;
//! - `signals`: moves as signals between cores, controllers and memory.

mod actions;
mod asking;
mod backlog;
mod coding;
mod describe;
mod freeze;
mod left;
mod moves;
pub mod parts;
pub mod sections;
mod signals;
mod symmetry;
mod thaw;
mod urgent;
mod values;
mod view;

use std::cell::Cell;
use std::sync::Arc;

use slicc::compile::code::Machine;
use slicc::compile::types::{TypeId, TypeKind, Types};
use slicc::live::DeadWords;
use slicc::source::Span;

use super::{System, Thread};
use crate::error::SetupError;
use crate::request::Response;
use crate::ruby::network::Order;
use coding::Dictionary;

use actions::Memo;
pub use actions::{Access, Action, Repertoire};
pub use describe::DescribedMove;
pub use moves::{Holders, Move, Outcome};
pub use signals::{Party, Signal, UnderWay};
use symmetry::words::Kinds;
pub use symmetry::{Group, Symmetry};
use values::{Classes, Counts, Renaming};
pub use values::{Freshness, Values};
use view::View;

/// A cache, with the part of it that holds lines.
#[derive(Debug)]
struct Store {
    /// The index of the cache.
    cache: usize,
    /// The sets of the lines.
    sets: Vec<usize>,
    /// Whether a line may have to be evicted for another, so that the ways of lines and the order
    /// of uses matter.
    overflows: bool,
}

/// The numbers of the objects that only one controller uses.
#[derive(Debug)]
struct Owned {
    /// The cores and DMA devices whose requests it handles.
    agents: Vec<usize>,
    /// The buffers that it reads, and those from which it sends into the network.
    buffers: Vec<usize>,
    /// The places of its caches in [`Stepping::stores`].
    stores: Vec<usize>,
    tables: Vec<usize>,
    directories: Vec<usize>,
    timers: Vec<usize>,
    persistents: Vec<usize>,
}

/// The size of the system under exploration.
pub struct Size {
    /// The number of cores, which are those of the first sequencers.
    pub cores: usize,
    /// Largest number of outstanding requests of a core.
    pub requests: usize,
    /// Most messages on their way between a controller and memory.
    pub memory_queue: usize,
    /// The actions of cores in addition to loads and stores, and the number of DMA devices.
    pub repertoire: Repertoire,
    /// Which messages keep their order.
    pub order: Order,
    /// The lines that cores access.
    pub lines: Vec<u64>,
    /// The words of objects that are not read before they are written, if states that differ only in these are to count as
    /// equal.
    pub dead: Vec<(TypeId, DeadWords)>,
}

/// A system that is taken from state to state.
pub struct Stepping {
    system: System,
    /// The lines that cores access.
    lines: Vec<u64>,
    cores: usize,
    /// Largest number of outstanding requests of a core.
    requests: usize,
    memory_queue: usize,
    repertoire: Repertoire,
    /// The memo of each agent and line.
    memos: Vec<Memo>,
    values: Values,
    /// For each type, the dead words of its objects.
    dead: Vec<Option<DeadWords>>,
    /// The kinds of the words of objects and controllers, which say how they are renamed.
    kinds: Kinds,
    /// For each machine, which control words name an object, and never change.
    handles: Vec<Vec<bool>>,
    dictionary: Dictionary,
    /// The first address after the objects that always exist.
    top: usize,
    /// The initial control words of each controller.
    bases: Vec<Vec<u64>>,
    stores: Vec<Store>,
    /// The caches of each core's controller.
    caches_of: Vec<Vec<usize>>,
    /// For each table, whether it holds TBEs.
    transactions: Vec<bool>,
    /// What each controller owns.
    owned: Arc<[Owned]>,
    /// The classes of the values in the words that were written since this was cleared.
    classes: Cell<Classes>,
    /// For each buffer, whether a port of its consumer reads it.
    read: Vec<bool>,
    /// For each controller, the ports of its internal events.
    internal: Vec<Box<[usize]>>,
    /// For each controller, whether it could not handle the internal events that have arrived.
    stuck: Vec<bool>,
    /// For each controller with a prefetcher, the buffer to which its requests come.
    prefetch_queues: Vec<Option<usize>>,
    /// The buffers to which requests of the prefetchers of gem5's classic caches come.
    proxied: Vec<usize>,
    /// The responses of the last move.
    answers: Vec<(usize, Response)>,
    /// The first state.
    first: Vec<u8>,
    scratch: Vec<u8>,
}

impl Stepping {
    /// Prepares a system that has just been built. If controllers have several sequencers, there
    /// may be more of these than cores; the others stay idle.
    ///
    /// # Errors
    /// Fails if the protocol does something that is not supported.
    pub fn new(mut system: System, size: Size, values: Values) -> Result<Stepping, SetupError> {
        let Size { cores, requests, memory_queue, repertoire, order, lines, dead: dead_words } =
            size;
        let types = if dead_words.is_empty() { 0 } else { system.program.types.iter().count() };
        let mut dead = vec![None; types];
        system.states_at = vec![None; types];
        for (of, words) in dead_words {
            system.states_at[of] = Some(words.state);
            dead[of] = Some(words);
        }
        system.network.hold(order);
        system.cores = cores;
        let counts = Counts { agents: cores + repertoire.devices as usize, lines: lines.len() };
        for _ in 0..counts.agents {
            system.threads.push(Thread {
                core: None,
                answers: Default::default(),
                done: false,
                position: 0,
                moved: 0,
            });
        }
        system.is_watched = true;
        system.prefetchers.clear();
        let proxied = system.proxies.drain(..).map(|(_, queue)| queue as usize).collect();
        // A move is one transition.
        for controller in &mut system.controllers {
            controller.transitions_per_cycle = 1;
        }
        if system.block_words != 1 {
            return Err(SetupError::BlockSize);
        }
        if system.controllers.iter().any(|controller| controller.memory_echoes) {
            return Err(SetupError::DataInDirectories);
        }
        for (at, line) in lines.iter().enumerate() {
            let initial = values.initial(at, counts);
            system.memory.poke(*line, 0, &[initial])?;
        }
        no_pointers(&system.program.types)?;
        let mut stepping = Stepping {
            cores,
            requests,
            memory_queue,
            repertoire,
            memos: vec![Memo::default(); counts.agents * counts.lines],
            values,
            dead,
            kinds: Kinds::of(&system.program, &system.machines),
            handles: system
                .program
                .machines
                .iter()
                .map(|of| handles(of, &system.program.types))
                .collect(),
            dictionary: Dictionary::new(machines(&system)),
            top: system.words.top(),
            bases: Vec::new(),
            stores: Vec::new(),
            caches_of: Vec::new(),
            transactions: Vec::new(),
            owned: Arc::default(),
            classes: Cell::default(),
            read: Vec::new(),
            internal: Vec::new(),
            stuck: Vec::new(),
            prefetch_queues: Vec::new(),
            proxied,
            answers: Vec::new(),
            first: Vec::new(),
            scratch: Vec::new(),
            lines,
            system,
        };
        stepping.prepare()?;
        let nothing = Renaming::new(values, counts.agents, vec![0; counts.lines]);
        stepping.first = stepping.freeze(View::new(&nothing));
        Ok(stepping)
    }

    /// Computes the parts that do not change in an exploration.
    fn prepare(&mut self) -> Result<(), SetupError> {
        let system = &self.system;
        self.read = vec![false; system.buffers.len()];
        let mut caches = Vec::new();
        for controller in &system.controllers {
            let machine = &system.program.machines[controller.machine];
            let start = controller.control as usize;
            let control = &system.words.words[start..start + machine.initial.len()];
            self.bases.push(control.to_vec());
            for (port, buffer) in machine.in_ports.iter().zip(controller.port_objects()) {
                if !port.timers {
                    self.read[buffer as usize] = true;
                }
            }
            if let Some(buffer) = controller.requests_to_memory {
                self.read[buffer as usize] = true;
            }
            let types = &system.program.types;
            let own = machine.parameters.iter();
            let own = own.filter(|member| &*types[member.of].name == "CacheMemory");
            caches.push(
                own.map(|member| control[usize::from(member.offset)] as usize).collect::<Vec<_>>(),
            );
            if let Some(member) =
                machine.variables.iter().find(|member| types[member.of].kind == TypeKind::Entry)
            {
                let member = format!("{}.{}", machine.name, member.name);
                return Err(SetupError::EntryPointer(member, "a variable"));
            }
        }
        self.stuck = vec![false; system.controllers.len()];
        self.internal =
            (0..system.controllers.len()).map(|number| self.internal_ports(number)).collect();
        let homes = system.homes_of.iter().take(self.cores);
        self.caches_of = homes.map(|&home| caches[home].clone()).collect();
        self.transactions = system
            .elements
            .iter()
            .map(|of| {
                let machines = system.program.machines.iter();
                machines.filter_map(|machine| machine.tbe).any(|tbe| tbe == *of)
            })
            .collect();
        self.prefetch_queues =
            (0..system.controllers.len()).map(|number| self.prefetch_queue(number)).collect();
        self.stores = (0..system.line_tables.caches.len()).map(|cache| self.store(cache)).collect();
        self.owned = (0..system.controllers.len()).map(|number| self.owned(number)).collect();
        Ok(())
    }

    fn owned(&self, controller: usize) -> Owned {
        let system = &self.system;
        let of = |owners: &[u32]| {
            let numbers = owners.iter().enumerate();
            let own = numbers.filter(|(_, owner)| **owner as usize == controller);
            own.map(|(number, _)| number).collect()
        };
        Owned {
            agents: (0..self.agents())
                .filter(|&agent| self.controller_of(agent) == controller)
                .collect(),
            buffers: of(&system.consumers),
            // There is a store for each cache.
            stores: of(&system.owners.caches),
            tables: of(&system.owners.tables),
            directories: of(&system.owners.directories),
            timers: of(&system.timer_owners),
            persistents: of(&system.owners.persistents),
        }
    }

    fn store(&self, cache: usize) -> Store {
        let of = &self.system.line_tables.caches[cache];
        let mut sets: Vec<usize> = self.lines.iter().map(|&line| of.set(line)).collect();
        sets.sort_unstable();
        let overflows = sets.chunk_by(|a, b| a == b).any(|same| same.len() > of.ways());
        sets.dedup();
        Store { cache, sets, overflows }
    }

    /// The place of the first library call, in any move until now, whose result depends on the order of the cores or
    /// lines that a symmetry exchanges.
    pub fn observed(&self, symmetry: Symmetry) -> Option<Span> {
        match symmetry {
            Symmetry::Cores => self.system.observed.cores,
            Symmetry::Lines => self.system.observed.lines,
        }
    }

    /// Whether a transition has begun in another state than its entry or TBE had, in any move until now. Then words may have been
    /// taken for dead that are not.
    pub fn mistakes_states(&self) -> bool {
        self.system.observed.states
    }

    /// The system, for its statistics.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The number of cores.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// The number of cores and DMA devices.
    pub(super) fn agents(&self) -> usize {
        self.cores + self.repertoire.devices as usize
    }

    /// Whether two cores have the same controller.
    pub fn has_shared_caches(&self) -> bool {
        let homes = &self.system.homes_of[..self.cores];
        (1..homes.len()).any(|core| homes[..core].contains(&homes[core]))
    }

    /// The number of lines.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    fn counts(&self) -> Counts {
        Counts { agents: self.agents(), lines: self.lines.len() }
    }

    /// The controller that handles the requests of an agent.
    fn controller_of(&self, agent: usize) -> usize {
        match agent.checked_sub(self.cores) {
            None => self.system.homes_of[agent],
            Some(device) => self.system.dma_homes[device],
        }
    }

    /// The index of a line among those that cores access.
    fn line_number(&self, line: u64) -> Option<usize> {
        self.lines.iter().position(|&known| known == line)
    }
}

/// Which control words of a machine name an object of the library.
fn handles(machine: &Machine, types: &Types) -> Vec<bool> {
    let mut handles = vec![false; machine.initial.len()];
    for member in machine.parameters.iter().chain(&machine.variables) {
        handles[usize::from(member.offset)] |= types[member.of].kind == TypeKind::Library;
    }
    handles
}

/// Refuses fields that point to an entry: its address would differ between states that are the same.
fn no_pointers(types: &Types) -> Result<(), SetupError> {
    let holds_fields =
        |kind: &TypeKind| matches!(kind, TypeKind::Structure | TypeKind::Message | TypeKind::Entry);
    for (_, of) in types.iter().filter(|(_, of)| holds_fields(&of.kind)) {
        let mut fields = of.fields.iter();
        if let Some((name, _)) = fields.find(|(_, field)| types[field.of].kind == TypeKind::Entry) {
            return Err(SetupError::EntryPointer(format!("{}.{name}", of.name), "a field"));
        }
    }
    Ok(())
}

/// The identifiers of all controllers, which occur in messages.
fn machines(system: &System) -> Vec<u64> {
    let controllers = system.controllers.iter();
    let mut names: Vec<u64> = controllers
        .map(|controller| {
            let kind = system.program.machines[controller.machine].kind;
            u64::from(kind) << 32 | u64::from(controller.version)
        })
        .collect();
    // The invalid machine.
    names.push(20 << 32);
    names
}

#[cfg(test)]
mod tests;
