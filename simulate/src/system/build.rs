//! Builds a system from a compiled protocol and a plan.

mod fields;
mod members;

use std::collections::VecDeque;
use std::sync::Arc;

use slicc::compile::code::{InPort, Machine, Member, Program};
use slicc::compile::op::control;
use slicc::compile::types::TypeKind;
use slicc::cplusplus::evaluate;

use self::fields::{dma_fields, envelope, field};
use self::members::Parts;
use super::buffers::Buffers;
use super::coverage::TakenCounts;
use super::functional::Accesses;
use super::library::order::Observed;
use super::line_tables::LineTables;
use super::others::Others;
use super::polls::{Poll, WakeupLog};
use super::recycled::Recycled;
use super::report::type_field;
use super::words::{STACK, Words};
use super::{
    Controller, DEADLOCK_THRESHOLD, MemoryFields, Owners, Port, RequestFields, Resume, Role,
    System, Tally, Thread,
};
use crate::client::Core;
use crate::config::{Direction, Instance, MachinePlan, Options, Plan, Value};
use crate::error::SetupError;
use crate::ruby::delays::Delays;
use crate::ruby::mask::Mask;
use crate::ruby::memory::Memory;
use crate::ruby::network::Network;
use crate::ruby::sets::Machines;
use crate::ruby::wheel::Wheel;
use crate::sequencer::dma::DmaSequencer;
use crate::sequencer::{Config, Effects, Sequencer};
use crate::trace::Trace;

/// The parts and parameters from which a system is built.
pub struct Setup<'a> {
    /// The protocol.
    pub program: Arc<Program>,
    /// The controllers and their parameters.
    pub plan: &'a Plan,
    /// The options from which the plan was made.
    pub options: &'a Options,
    /// The cores, one for each thread, and then the DMA devices of the options.
    pub cores: Vec<Box<dyn Core>>,
    /// The trace, if it is printed.
    pub trace: Option<Trace>,
    /// The seed of all delays.
    pub seed: u64,
    /// Number of cycles after which an unanswered request is reported as a deadlock.
    pub deadlock_threshold: Option<u64>,
}

impl System {
    /// Builds a system.
    ///
    /// # Errors
    /// Fails if a parameter or variable of the protocol cannot have the value or type that the plan has for it, or if
    /// there are more threads than sequencers.
    pub fn new(setup: Setup<'_>) -> Result<System, SetupError> {
        let Setup { program, plan, options, cores, trace, seed, deadlock_threshold } = setup;
        let block_words = (options.block_bytes / 8) as usize;
        let machines = Machines::new(&plan.counts())?;
        let receivers = plan.endpoints(Direction::From);
        let mut network =
            Network::new(options.network, options.mesh, &plan.endpoints(Direction::To), &receivers);
        let mut memory = Memory::new(options.block_bytes, options.memory);
        if options.gem5_latencies {
            memory.queue_writes(options.random_delays);
            if options.random_delays {
                network.use_crossbar(&receivers);
            }
        }
        let buffers = plan.buffers as usize + plan.wires.len();
        let sequencers = plan.sequencers as usize;
        let types = &program.types;
        let envelopes = types.iter().map(|(_, of)| envelope(of, types)).collect();
        let kinds = types.iter().map(|(_, of)| type_field(of).map(|field| field.offset)).collect();
        let largest = types.iter().map(|(_, of)| of.initial.len()).max().unwrap_or(0);
        let mut homes = vec![None; 64];
        for machine in &plan.machines {
            homes[machine.kind as usize] = Some(machine.interleaving);
        }
        let Recycled { words, happenings, deliveries } = Recycled::take();
        let mut system = System {
            words: Words::new(types.iter().count(), largest, program.largest_frame, words),
            controllers: Vec::new(),
            buffers: Buffers::new(buffers),
            roles: vec![Role::Own; buffers],
            consumers: vec![0; buffers],
            line_tables: LineTables { offset: options.block_bytes - 1, ..LineTables::default() },
            elements: Vec::new(),
            timers: Vec::new(),
            timer_owners: Vec::new(),
            persistents: Vec::new(),
            owners: Owners::default(),
            prefetchers: Vec::new(),
            prefetches: Vec::new(),
            proxies: Vec::new(),
            sequencers: Vec::new(),
            dma_sequencers: (0..plan.dma_sequencers)
                .map(|number| DmaSequencer::new(number, options.block_bytes))
                .collect(),
            threads: Vec::new(),
            cores: cores.len().saturating_sub(options.devices as usize),
            network,
            machines,
            memory,
            mask: Mask::new(options.block_bytes),
            delays: Delays::new(seed),
            random_delays: options.random_delays,
            wheel: Wheel::new(),
            now: 0,
            trace,
            taken: TakenCounts::new(&program),
            stalled: program
                .machines
                .iter()
                .map(|machine| vec![0; machine.transitions.len()])
                .collect(),
            tally: Tally::default(),
            deadlock_threshold: deadlock_threshold.unwrap_or(DEADLOCK_THRESHOLD).max(1),
            envelopes,
            kinds,
            memory_fields: MemoryFields {
                address: field(&types[types.known.memory], "addr"),
                kind: field(&types[types.known.memory], "Type"),
                sender: field(&types[types.known.memory], "Sender"),
                original: field(&types[types.known.memory], "OriginalRequestorMachId"),
                block: field(&types[types.known.memory], "DataBlk"),
                length: field(&types[types.known.memory], "Len"),
            },
            request_fields: RequestFields {
                line: field(&types[types.known.request], "LineAddress"),
                address: field(&types[types.known.request], "PhysicalAddress"),
                kind: field(&types[types.known.request], "Type"),
                mode: field(&types[types.known.request], "AccessMode"),
                size: field(&types[types.known.request], "Size"),
                context: field(&types[types.known.request], "contextId"),
                mask: field(&types[types.known.request], "writeMask"),
                prefetch: field(&types[types.known.request], "Prefetch"),
                is_tlbi: field(&types[types.known.request], "isTlbi"),
                transaction: field(&types[types.known.request], "tlbiTransactionUid"),
            },
            dma_fields: dma_fields(types),
            block_words,
            accesses: Accesses::new(plan.reads_in_parts, options.suppresses_functional_errors),
            effects: Effects::default(),
            current: 0,
            port: 0,
            transition: 0,
            wakeup_log: WakeupLog::default(),
            resume: Resume::default(),
            calls: Vec::new(),
            calling: usize::MAX,
            in_transition: false,
            strict: options.strict,
            warnings: Vec::new(),
            pc: 0,
            comment: String::new(),
            is_watched: false,
            observed: Observed::default(),
            others: Others::default(),
            states_at: Vec::new(),
            told_of_eviction: Vec::new(),
            happenings,
            happened: 0,
            deliveries,
            delivered: 0,
            homes,
            fetchers: plan.fetchers.clone(),
            homes_of: vec![0; sequencers],
            dma_homes: vec![0; plan.dma_sequencers as usize],
            monitors: vec![None; sequencers],
            moments: 0,
            program: Arc::clone(&program),
        };
        for number in 0..sequencers as u32 {
            let sequencer = system.sequencer(number, 0, plan);
            system.sequencers.push(sequencer);
        }
        for machine in &plan.machines {
            let found = program.machines.iter().position(|compiled| compiled.kind == machine.kind);
            let Some(place) = found else { continue };
            for (version, instance) in machine.instances.iter().enumerate() {
                system.controller(place, version, instance, machine, plan)?;
                system.ask_latencies();
            }
        }
        for core in cores {
            system.threads.push(Thread {
                core: Some(core),
                answers: VecDeque::new(),
                done: false,
                position: 0,
                moved: 0,
            });
        }
        if system.cores > sequencers {
            return Err(SetupError::Threads { threads: system.cores, sequencers });
        }
        Ok(system)
    }

    fn sequencer(&self, number: u32, core: u32, plan: &Plan) -> Sequencer {
        Sequencer::new(Config {
            block_bytes: self.block_words as u64 * 8,
            sends_atomics: plan.sends_atomics,
            tells_linked: plan.tells_linked,
            tells_conditional: plan.tells_conditional,
            ..Config::new(number, core)
        })
    }

    /// Adds a controller.
    fn controller(
        &mut self,
        place: usize,
        version: usize,
        instance: &Instance,
        machine: &MachinePlan,
        plan: &Plan,
    ) -> Result<(), SetupError> {
        let program = Arc::clone(&self.program);
        let compiled = &program.machines[place];
        let number = self.controllers.len();
        let control = self.words.reserve(&compiled.initial);
        let id = u64::from(compiled.kind) << 32 | version as u64;
        for (offset, value) in [
            (control::VERSION, version as u64),
            (control::MACHINE, id),
            (control::RECYCLE, machine.recycle_latency),
        ] {
            self.words.words[control as usize + usize::from(offset)] = value;
        }
        let mut parts = Parts::default();
        for (member, value) in compiled.parameters.iter().zip(&instance.values) {
            let word = self.parameter(number, member, value, machine, plan, &mut parts)?;
            self.words.words[control as usize + usize::from(member.offset)] = word;
        }
        // The number of TBEs, and the values of parameters, by the names that constructors use.
        let known = |name: &str| -> Option<i64> {
            if name == "number_of_TBEs" {
                return Some(instance.tbes as i64);
            }
            let at = compiled.parameters.iter().position(|member| &*member.name == name)?;
            match instance.values.get(at)? {
                Value::Number(number) => Some(*number as i64),
                _ => None,
            }
        };
        let capacity = |member: &Member| -> u64 {
            let text = member.constructor.as_deref().unwrap_or("m_number_of_TBEs");
            let text = text.strip_prefix("this,").unwrap_or(text);
            evaluate(text, &known).map_or(instance.tbes, |value| value.max(0) as u64)
        };
        for member in &compiled.variables {
            if let Some(text) = &member.default {
                let value = self.default_of(text, control, compiled).ok_or_else(|| {
                    SetupError::Variable {
                        member: format!("{}.{}", machine.name, member.name),
                        of: text.to_string(),
                    }
                })?;
                self.words.words[control as usize + usize::from(member.offset)] = value as u64;
            }
            if let Some(word) = self.variable(number, member, machine, &capacity)? {
                self.words.words[control as usize + usize::from(member.offset)] = word;
            }
            self.size_tracker(control, compiled, member, &capacity, machine)?;
            self.connect_proxy(control, compiled, member);
        }
        let word = |offset: u16| self.words.words[control as usize + usize::from(offset)];
        let at = |offset: u16| word(offset) as u32;
        let port = |declared: &InPort| Port {
            object: at(declared.buffer),
            start: declared.code.start,
            rank: declared.rank,
            timers: declared.timers,
            guarded: declared.guarded,
            idle: declared.enabled_by.is_some_and(|parameter| word(parameter) == 0),
        };
        let ports: Vec<Port> = compiled.in_ports.iter().map(port).collect();
        for port in ports.iter().filter(|port| !port.timers) {
            self.consumers[port.object as usize] = number as u32;
        }
        for sequencer in &parts.sequencers {
            self.homes_of[*sequencer as usize] = number;
        }
        // Several sequencers with several data caches: each has its own, in the order of
        // declaration.
        let data: Vec<u32> = if parts.data_caches.is_empty() {
            parts.first_caches.clone()
        } else {
            parts.data_caches.clone()
        };
        for (index, sequencer) in parts.sequencers.iter().enumerate() {
            self.monitors[*sequencer as usize] = data.get(index).or(data.first()).copied();
        }
        if let Some(buffer) = parts.requests_to_memory {
            self.consumers[buffer as usize] = number as u32;
        }
        let members = compiled.parameters.iter().zip(&instance.values);
        let buffers = members.filter_map(|(member, value)| match value {
            Value::Buffer(buffer) => Some(buffer.number),
            // A buffer that two machines share, unlike a WireBuffer.
            Value::Wire(wire) if &*program.types[member.of].name == "MessageBuffer" => {
                Some(plan.buffers + wire)
            }
            _ => None,
        });
        self.controllers.push(Controller {
            machine: place,
            version: version as u32,
            role: instance.role.clone(),
            control,
            has_idle_port: ports.iter().any(|port| port.idle),
            ports,
            transitions_per_cycle: machine.transitions_per_cycle,
            blocked: Vec::new(),
            waiting: Vec::new(),
            rank: 0,
            buffers: buffers.collect(),
            requests_to_memory: parts.requests_to_memory,
            memory_echoes: parts.memory_echoes,
            responses_from_memory: parts.responses_from_memory,
            mandatory: parts.mandatory.map(|buffer| (buffer, machine.mandatory_queue_latency)),
            mandatory_latencies: Vec::new(),
            downstream: instance.downstream,
            upstream: instance.upstream,
            may_repeat: compiled.only_looks,
            poll: Poll::default(),
        });
        Ok(())
    }

    /// The initial value of a variable that depends on parameters and earlier variables, whose words begin at `control`.
    fn default_of(&self, text: &str, control: u64, compiled: &Machine) -> Option<i64> {
        self.program.types.evaluated(text, &|name| {
            let mut members = compiled.parameters.iter().chain(&compiled.variables);
            let member = members.find(|member| &*member.name == name)?;
            let is_number = self.program.types[member.of].kind == TypeKind::Scalar;
            let at = control as usize + usize::from(member.offset);
            is_number.then(|| self.words.words[at] as i64)
        })
    }

    /// Asks the controller that was added last for the latencies of requests to the mandatory queue, by type. gem5 asks
    /// for every request, but the answers of protocols depend only on the type and on fixed caches.
    fn ask_latencies(&mut self) {
        self.current = self.controllers.len() - 1;
        let controller = &self.controllers[self.current];
        let program = Arc::clone(&self.program);
        let Some(code) = &program.machines[controller.machine].mandatory_latency else {
            return;
        };
        let Some((_, otherwise)) = controller.mandatory else {
            return;
        };
        let types = program.types.find(None, "RubyRequestType");
        let kinds = match types.map(|of| &program.types[of].kind) {
            Some(TypeKind::Enumeration { values, .. }) => values.len() as u64,
            _ => 0,
        };
        let at = controller.control as usize + usize::from(control::AFTER);
        let before = self.words.words[at];
        for kind in 0..kinds {
            self.words.words[at] = kind;
            let ending = self.run(&program, code.start, STACK);
            self.words.settle();
            // Types that the machine does not know are an error when asked for, and are never sent.
            let latency = ending.map_or(otherwise, |_| self.words.words[at]);
            self.controllers[self.current].mandatory_latencies.push(latency);
        }
        self.words.words[at] = before;
    }
}
