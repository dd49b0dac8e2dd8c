//! Creates the library objects of a controller: those of its parameters, and those of its variables.

use std::sync::Arc;

use slicc::compile::code::{Machine, Member};
use slicc::compile::trackers;
use slicc::compile::types::TypeKind;

use crate::config::{Direction, FETCHER, MachinePlan, Plan, Value};
use crate::error::SetupError;
use crate::ruby::buffer::{MessageBuffer, Settings};
use crate::ruby::cache::CacheMemory;
use crate::ruby::directory::DirectoryMemory;
use crate::ruby::next_line::NextLine;
use crate::ruby::persistent::PersistentTable;
use crate::ruby::prefetcher::Prefetcher;
use crate::ruby::tbe::TbeTable;
use crate::ruby::timer::TimerTable;
use crate::sequencer::dma::Interface;
use crate::system::{Role, System};

/// The objects among the parameters of a controller.
#[derive(Default)]
pub(super) struct Parts {
    pub mandatory: Option<u32>,
    pub requests_to_memory: Option<u32>,
    pub memory_echoes: bool,
    pub responses_from_memory: Option<u32>,
    pub sequencers: Vec<u32>,
    pub first_caches: Vec<u32>,
    pub data_caches: Vec<u32>,
}

/// Whether a cache holds a core's data, by its name; reservations are stored there.
fn is_data_cache(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("dcache") || name.contains("l1d")
}

impl System {
    /// Creates the object of a parameter; returns the word that the parameter holds.
    pub(super) fn parameter(
        &mut self,
        controller: usize,
        member: &Member,
        value: &Value,
        machine: &MachinePlan,
        plan: &Plan,
        parts: &mut Parts,
    ) -> Result<u64, SetupError> {
        let program = Arc::clone(&self.program);
        let of = &program.types[member.of];
        Ok(match value {
            Value::Number(number) => *number,
            Value::Null => 0,
            Value::Text(text) => match program.texts.iter().position(|known| known == text) {
                Some(at) => at as u64,
                // A text with which no code of the protocol compares anything.
                None => program.texts.len() as u64,
            },
            Value::Enumerator { value, .. } => {
                of.enumerator(value).ok_or_else(|| SetupError::Enumerator {
                    member: format!("{}.{}", machine.name, member.name),
                    value: value.to_string(),
                    of: of.name.to_string(),
                })?
            }
            Value::Buffer(buffer) => {
                let at = buffer.number as usize;
                *self.buffers.edit(at) = MessageBuffer::new(Settings {
                    ordered: buffer.ordered,
                    capacity: buffer.capacity,
                    allow_zero_latency: buffer.trigger,
                    steady: buffer.steady,
                    ..Settings::default()
                });
                self.consumers[at] = controller as u32;
                if let Some((Direction::To, vnet)) = buffer.network {
                    self.roles[at] = Role::To { vnet };
                }
                match &*member.name {
                    "mandatoryQueue" => parts.mandatory = Some(buffer.number),
                    "requestToMemory" => {
                        parts.requests_to_memory = Some(buffer.number);
                        parts.memory_echoes = buffer.echo;
                    }
                    "responseFromMemory" => parts.responses_from_memory = Some(buffer.number),
                    _ => {}
                }
                u64::from(buffer.number)
            }
            Value::Cache(geometry) => {
                let cache =
                    CacheMemory::new(*geometry, self.block_words as u64 * 8).map_err(|error| {
                        SetupError::Cache {
                            member: format!("{}.{}", machine.name, member.name),
                            error,
                        }
                    })?;
                self.line_tables.caches.push(cache);
                self.owners.caches.push(controller as u32);
                let number = self.line_tables.caches.len() as u32 - 1;
                parts.first_caches.push(number);
                if is_data_cache(&member.name) {
                    parts.data_caches.push(number);
                }
                u64::from(number)
            }
            Value::Directory(number) => {
                self.line_tables
                    .directories
                    .push(DirectoryMemory::new(machine.interleaving, u64::from(*number)));
                self.owners.directories.push(controller as u32);
                self.line_tables.directories.len() as u64 - 1
            }
            Value::Sequencer { number, core } => {
                let core = if *core == FETCHER { 0 } else { *core };
                self.sequencers[*number as usize] = self.sequencer(*number, core, plan);
                parts.sequencers.push(*number);
                u64::from(*number)
            }
            Value::DmaSequencer(number) => {
                self.dma_homes[*number as usize] = controller;
                u64::from(*number)
            }
            // Its number comes after those of the sequencers of cores.
            Value::RequestNode(number) => {
                self.dma_homes[*number as usize] = controller;
                self.dma_sequencers[*number as usize].interface = Interface::Requests;
                u64::from(plan.sequencers + number)
            }
            Value::Prefetcher(settings) => {
                self.prefetchers.push(Prefetcher::new(*settings, self.block_words as u64 * 8));
                self.prefetchers.len() as u64 - 1
            }
            Value::Timer => self.timers_for(controller),
            Value::Wire(number) => {
                let at = plan.buffers + number;
                // The reader becomes its consumer when the port is found.
                let settings = Settings {
                    ordered: plan.wires[*number as usize].ordered,
                    ..Settings::default()
                };
                *self.buffers.edit(at as usize) = MessageBuffer::new(settings);
                u64::from(at)
            }
        })
    }

    fn timers_for(&mut self, controller: usize) -> u64 {
        self.timers.push(TimerTable::new());
        self.timer_owners.push(controller as u32);
        self.timers.len() as u64 - 1
    }

    /// Creates the prefetcher behind a variable if that is a `RubyPrefetcherProxy`. Its constructor names the parameter
    /// that is the queue of prefetches.
    pub(super) fn connect_proxy(&mut self, control: u64, compiled: &Machine, member: &Member) {
        if &*self.program.types[member.of].name != "RubyPrefetcherProxy" {
            return;
        }
        let text = member.constructor.as_deref().unwrap_or("");
        let queue = text.rsplit(',').next().and_then(|last| {
            let name = last.trim().strip_prefix("m_")?.strip_suffix("_ptr")?;
            compiled.parameters.iter().find(|parameter| &*parameter.name == name)
        });
        let Some(queue) = queue else { return };
        let word = |offset: u16| control as usize + usize::from(offset);
        let buffer = self.words.words[word(queue.offset)] as u32;
        self.words.words[word(member.offset)] = self.proxies.len() as u64;
        self.proxies.push((NextLine::default(), buffer));
    }

    /// Sets the number of slots of a `TBEStorage`, and the storages of an `MN_TBEStorage`.
    pub(super) fn size_tracker(
        &mut self,
        control: u64,
        compiled: &Machine,
        member: &Member,
        capacity: &dyn Fn(&Member) -> u64,
        machine: &MachinePlan,
    ) -> Result<(), SetupError> {
        let at = control as usize + usize::from(member.offset);
        let wrong = || SetupError::Variable {
            member: format!("{}.{}", machine.name, member.name),
            of: self.program.types[member.of].name.to_string(),
        };
        match self.program.types[member.of].short_name(Some(&machine.name)) {
            "TBEStorage" => {
                let slots = capacity(member);
                if slots > trackers::MOST_SLOTS as u64 {
                    return Err(wrong());
                }
                self.words.words[at + trackers::storage::CAPACITY] = slots;
            }
            "MN_TBEStorage" => {
                let text = member.constructor.as_deref().unwrap_or("");
                let names = text
                    .split(['{', ',', '}', ' '])
                    .filter_map(|word| word.strip_prefix("m_")?.strip_suffix("_ptr"));
                let found: Vec<u64> = names
                    .filter_map(|name| compiled.variables.iter().find(|one| &*one.name == name))
                    .map(|storage| control + u64::from(storage.offset))
                    .collect();
                let [general, reserved] = found[..] else {
                    return Err(wrong());
                };
                self.words.words[at + trackers::partitions::STORAGES] = general;
                self.words.words[at + trackers::partitions::STORAGES + 1] = reserved;
            }
            _ => {}
        }
        Ok(())
    }

    /// Creates the object of a variable of a library type.
    pub(super) fn variable(
        &mut self,
        controller: usize,
        member: &Member,
        machine: &MachinePlan,
        capacity: &dyn Fn(&Member) -> u64,
    ) -> Result<Option<u64>, SetupError> {
        let of = &self.program.types[member.of];
        if of.kind != TypeKind::Library {
            return Ok(None);
        }
        let name =
            of.name.strip_prefix(&*format!("{}_", machine.name)).unwrap_or(&of.name).to_owned();
        Ok(Some(match (&*name, member.element) {
            ("TBETable" | "MN_TBETable", Some(element)) => {
                self.line_tables.tables.push(TbeTable::new(capacity(member) as usize));
                self.owners.tables.push(controller as u32);
                self.elements.push(element);
                self.line_tables.tables.len() as u64 - 1
            }
            ("PerfectCacheMemory", Some(element)) => {
                // These tables have no capacity.
                self.line_tables.tables.push(TbeTable::new(usize::MAX / 2));
                self.owners.tables.push(controller as u32);
                self.elements.push(element);
                self.line_tables.tables.len() as u64 - 1
            }
            ("TimerTable", _) => self.timers_for(controller),
            ("PersistentTable", _) => {
                self.persistents.push(PersistentTable::new());
                self.owners.persistents.push(controller as u32);
                self.persistents.len() as u64 - 1
            }
            ("RubyPrefetcherProxy", _) => 0,
            // An object of a fork of gem5 that only counts: the compiler refuses calls of what has no behaviour.
            _ if of.declared.file > 0 => 0,
            _ => {
                return Err(SetupError::Variable {
                    member: format!("{}.{}", machine.name, member.name),
                    of: name.to_owned(),
                });
            }
        }))
    }
}
