//! A system without time that is taken from state to state, on which `stepper` is built.
//!
//! - `layout`: the places of blocks in objects;
//! - `coding`: words as bytes;
//! - `freeze` and `thaw`: a system to bytes and back;
//! - `values`: the relevant part of the contents of blocks;
//! - `moves`: the possible moves and their outcomes;
//! - `describe`: moves in words;
//! - `signals`: moves as signals between cores, controllers and memory.

mod coding;
mod describe;
mod freeze;
mod layout;
mod moves;
mod signals;
mod thaw;
mod values;

use slicc::compile::types::TypeKind;

use super::{System, Thread};
use crate::error::SetupError;
use crate::request::Response;
use coding::Dictionary;
use layout::Layout;

pub use describe::DescribedMove;
pub use moves::{Holders, Move, Outcome};
pub use signals::{Party, Signal};
use values::Renaming;
pub use values::{Access, Action, Freshness, Values};

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

/// The size of the system under exploration.
pub struct Size {
    /// The number of cores, which are those of the first sequencers.
    pub cores: usize,
    /// Largest number of outstanding requests of a core.
    pub requests: usize,
    /// The lines that cores access.
    pub lines: Vec<u64>,
}

/// A system that is taken from state to state.
pub struct Stepping {
    system: System,
    /// The lines that cores access.
    lines: Vec<u64>,
    cores: usize,
    /// Largest number of outstanding requests of a core.
    requests: usize,
    values: Values,
    layouts: Vec<Layout>,
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
    /// For each buffer, whether a port of its consumer reads it.
    read: Vec<bool>,
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
        let Size { cores, requests, lines } = size;
        system.network.hold();
        for _ in 0..cores {
            system.threads.push(Thread {
                core: None,
                answers: Default::default(),
                done: false,
                position: 0,
                moved: 0,
            });
        }
        system.prefetchers.clear();
        system.proxies.clear();
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
            let initial = values.initial(at, cores);
            system.memory.poke(*line, 0, &[initial])?;
        }
        let mut stepping = Stepping {
            cores,
            requests,
            values,
            layouts: layout::layouts(&system.program.types)?,
            dictionary: Dictionary::new(machines(&system)),
            top: system.words.top(),
            bases: Vec::new(),
            stores: Vec::new(),
            caches_of: Vec::new(),
            transactions: Vec::new(),
            read: Vec::new(),
            answers: Vec::new(),
            first: Vec::new(),
            scratch: Vec::new(),
            lines,
            system,
        };
        stepping.prepare()?;
        let nothing = Renaming::new(values, cores, vec![0; stepping.lines.len()]);
        stepping.first = stepping.freeze(&nothing);
        Ok(stepping)
    }

    /// Computes what does not change.
    fn prepare(&mut self) -> Result<(), SetupError> {
        let system = &self.system;
        self.read = vec![false; system.buffers.len()];
        let mut caches = Vec::new();
        for controller in &system.controllers {
            let machine = &system.program.machines[controller.machine];
            let start = controller.control as usize;
            let control = &system.words.words[start..start + machine.initial.len()];
            self.bases.push(control.to_vec());
            for (port, buffer) in machine.in_ports.iter().zip(&controller.ports) {
                if !port.timers {
                    self.read[*buffer as usize] = true;
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
        self.stores = (0..system.caches.len()).map(|cache| self.store(cache)).collect();
        Ok(())
    }

    fn store(&self, cache: usize) -> Store {
        let of = &self.system.caches[cache];
        let mut sets: Vec<usize> = self.lines.iter().map(|&line| of.set(line)).collect();
        sets.sort_unstable();
        let overflows = sets.chunk_by(|a, b| a == b).any(|same| same.len() > of.ways());
        sets.dedup();
        Store { cache, sets, overflows }
    }

    /// The system, for its statistics.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The number of cores.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// The number of lines.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The index of a line among those that cores access.
    fn line_number(&self, line: u64) -> Option<usize> {
        self.lines.iter().position(|&known| known == line)
    }
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
