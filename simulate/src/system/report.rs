//! Describes faults in words.

use slicc::compile::types::{Field, Type, TypeKind};

use super::fault::{Fault, FaultKind, Trap};
use super::{Controller, MOST_RECORDED, RecordedEvent, System};

/// Largest number of events that a report shows.
const MOST_SHOWN: usize = 24;

impl System {
    /// The fault of the current controller.
    pub(super) fn fault(&mut self, trap: Trap) -> Box<Fault> {
        let controller = &self.controllers[self.current];
        let machine = &self.program.machines[controller.machine];
        let name = format!("{} {}", machine.name, controller.version);
        let address = self.current_address();
        let span = self.program.spans.get(self.pc).copied();
        // gem5 crashes here, or says something else for each place in its library.
        let misuse = |what: &dyn std::fmt::Display| {
            let row = self.row_text();
            let message = format!("{what} ({name}, tick {}, address {address:#x}{row})", self.now);
            (FaultKind::Misuse, message)
        };
        let names_event = matches!(trap, Trap::NoTransition { .. });
        let (kind, message) = match trap {
            Trap::NoTransition { state, event } => (
                FaultKind::InvalidTransition,
                format!(
                    "Invalid transition: {name} time: {} addr: {address:#x} event: {} state: {}",
                    self.now,
                    machine.events[usize::from(event)],
                    machine.states[usize::from(state)]
                ),
            ),
            Trap::Error(text) => {
                let text = self.program.texts.get(text as usize).map_or("", |text| text);
                (
                    FaultKind::Error,
                    format!("Runtime Error: {name} time: {} addr: {address:#x}: {text}", self.now),
                )
            }
            Trap::Assert => (
                FaultKind::Assertion,
                format!("assert failure: {name} time: {} addr: {address:#x}", self.now),
            ),
            Trap::Null => misuse(&"a null pointer was followed"),
            Trap::Misuse(what) => misuse(&what),
            Trap::Sequencer(what) => misuse(&what),
            Trap::Other(what) => misuse(&what),
            Trap::Unsupported(what) => misuse(&format!("{what} is not simulated")),
        };
        let mut recent = self.recent(address);
        if !names_event {
            recent.extend(self.handled());
        }
        Box::new(Fault {
            kind,
            message,
            tick: self.now,
            controller: Some(name),
            address: Some(address),
            span,
            recent,
        })
    }

    /// A fault that is not about a place in the protocol's code.
    pub(super) fn plain_fault(&self, kind: FaultKind, message: String) -> Box<Fault> {
        Box::new(Fault {
            kind,
            message,
            tick: self.now,
            controller: None,
            address: None,
            span: None,
            recent: Vec::new(),
        })
    }

    /// The fault that a request has waited too long.
    pub(super) fn stuck(&self, sequencer: usize, message: String) -> Box<Fault> {
        let address = self.sequencers[sequencer]
            .oldest()
            .map(|(_, address)| self.sequencers[sequencer].line_of(address));
        let recent = address.map(|address| self.stopped(address)).unwrap_or_default();
        Box::new(Fault { address, recent, ..*self.plain_fault(FaultKind::Deadlock, message) })
    }

    /// The fault of a core that gets responses but makes no progress.
    pub(super) fn no_progress(&self, thread: usize, since: u64) -> Box<Fault> {
        let device = thread.checked_sub(self.cores);
        if let Some(fault) = device.and_then(|device| self.stuck_device(device)) {
            return fault;
        }
        let message = format!(
            "Livelock: thread {thread} has been at the same operation since time {since}, although its requests are \
             answered; current time: {}",
            self.now
        );
        let oldest = self.sequencers.get(thread).and_then(|one| one.oldest());
        let address = oldest.map(|(_, address)| self.line_of(address));
        let recent = address.map(|address| self.stopped(address)).unwrap_or_default();
        let fault = *self.plain_fault(FaultKind::Deadlock, message);
        Box::new(Fault { address, recent, ..fault })
    }

    /// The fault that a DMA device waits for its request for ever, if it does: the protocol starves it, or has lost the
    /// request.
    fn stuck_device(&self, device: usize) -> Option<Box<Fault>> {
        let one = &self.dma_sequencers[device];
        let (since, address) = one.oldest()?;
        let message = format!(
            "Deadlock: DMA sequencer {} has waited for {address:#x} since tick {since}; current time: {}",
            one.number(),
            self.now
        );
        let address = self.line_of(address);
        let fault = *self.plain_fault(FaultKind::Deadlock, message);
        Some(Box::new(Fault { address: Some(address), recent: self.stopped(address), ..fault }))
    }

    /// The fault of a system in which no event is left while cores or DMA devices wait.
    pub(super) fn quiescence(&self) -> Box<Fault> {
        let waiting = self
            .sequencers
            .iter()
            .filter(|one| one.oldest().is_some())
            .min_by_key(|one| one.oldest());
        let mut devices = 0..self.dma_sequencers.len();
        let stuck_device = devices.find_map(|device| self.stuck_device(device));
        match waiting {
            Some(one) => {
                let (since, address) = one.oldest().unwrap_or_default();
                let message = format!(
                    "Deadlock: nothing is going to happen any more, but sequencer {} has waited for {address:#x} since tick \
                     {since}; current time: {}",
                    one.version(),
                    self.now
                );
                self.stuck(one.version() as usize, message)
            }
            None => stuck_device.unwrap_or_else(|| {
                let message = format!(
                    "Deadlock: no core has a request outstanding, and none makes progress; current time: {}",
                    self.now
                );
                self.plain_fault(FaultKind::Deadlock, message)
            }),
        }
    }

    /// The fault of controllers that wake each other for ever, so that time stands still.
    pub(super) fn livelock(&self) -> Box<Fault> {
        let controller = self.controllers.get(self.current).map(|controller| {
            format!("{} {}", self.program.machines[controller.machine].name, controller.version)
        });
        let address = self.current_address();
        let message = format!(
            "Livelock: controllers wake each other without end at time {}, the last of them {} for addr: {address:#x}",
            self.now,
            controller.as_deref().unwrap_or("none")
        );
        let recent = self.recent(address);
        let fault = *self.plain_fault(FaultKind::Deadlock, message);
        Box::new(Fault { controller, address: Some(address), recent, ..fault })
    }

    /// The fault of a run in which all cores have finished and none has completed an operation, so that the history says
    /// nothing about the protocol.
    pub fn nothing_completed(&self) -> Option<Box<Fault>> {
        let has_some = self.cores().any(|core| !core.records().is_empty());
        (!has_some).then(|| {
            let message = format!(
                "The run ended without any operation completed; current time: {}",
                self.now
            );
            self.plain_fault(FaultKind::NothingCompleted, message)
        })
    }

    /// Describes the last events for the line of an address, and what waits for it.
    pub(super) fn stopped(&self, address: u64) -> Vec<String> {
        let mut lines = self.recent(address);
        lines.extend(self.waiting(address));
        lines
    }

    /// The last transitions and messages for the line of an address, the oldest first.
    pub(super) fn recent(&self, address: u64) -> Vec<String> {
        let line = self.line_of(address);
        let count = self.happened.min(MOST_RECORDED);
        let newest_first = (1..=count)
            .map(|back| self.happened - back)
            .filter(|&number| self.line_of(self.event(number).address) == line)
            .filter(|&number| !self.is_own_trigger(number))
            .map(|number| self.event(number));
        let mut recent = Recent::default();
        for event in newest_first {
            if !recent.add(event, self.changes_nothing(event)) {
                break;
            }
        }
        let mut shown = recent.shown;
        shown.reverse();
        shown.sort_by_key(|event| event.tick);
        shown.iter().map(|event| self.describe(event)).collect()
    }

    /// Whether the event is a transition to the same state, such as that of a request that waits.
    pub(super) fn changes_nothing(&self, event: &RecordedEvent) -> bool {
        let machine = self.controllers[event.controller as usize].machine;
        let transitions = &self.program.machines[machine].transitions;
        !event.is_message && transitions[event.what as usize].state == event.after
    }

    /// The type of a message, and the value of its field for the kind of message: `RequestMsg GETX`.
    pub(super) fn message_name(&self, of: usize, kind: u32) -> String {
        let types = &self.program.types;
        let named = type_field(&types[of]).and_then(|field| match &types[field.of].kind {
            TypeKind::Enumeration { values, .. } => values.get(kind as usize),
            _ => None,
        });
        match named {
            Some(kind) => format!("{} {kind}", types[of].name),
            None => types[of].name.to_string(),
        }
    }

    /// The message at the head of the port that the current controller is handling, as the last line of a report.
    fn handled(&self) -> Option<String> {
        let controller = &self.controllers[self.current];
        let machine = &self.program.machines[controller.machine];
        let port = machine.in_ports.get(self.port).filter(|port| !port.timers)?;
        let buffer = controller.ports[self.port].object;
        let message = self.buffers[buffer as usize].head()?;
        let of = self.words.type_of(message);
        let kind = self.kinds[of]
            .map_or(0, |offset| self.words.words[message as usize + usize::from(offset)] as u32);
        Some(format!(
            "{:>10}: {} has {} at the head of {}, and stops",
            self.now,
            self.name_of(controller),
            self.message_name(of, kind),
            port.name
        ))
    }

    /// The name of a controller, with its role if its machine has several: `Cache 6 (HNF 0)`.
    pub(super) fn name_of(&self, controller: &Controller) -> String {
        let machine = &self.program.machines[controller.machine].name;
        match &controller.role {
            Some(role) => format!("{machine} {} ({role})", controller.version),
            None => format!("{machine} {}", controller.version),
        }
    }

    /// Whether an event is a message without a type that a controller sends to itself. The transition that follows says as
    /// much.
    fn is_own_trigger(&self, number: usize) -> bool {
        let event = self.event(number);
        event.is_message
            && type_field(&self.program.types[event.what as usize]).is_none()
            && self.goes_only_to(number, event.controller as usize)
    }

    /// Describes an event in words.
    fn describe(&self, event: &RecordedEvent) -> String {
        let controller = &self.controllers[event.controller as usize];
        let machine = &self.program.machines[controller.machine];
        let who = format!("{:>10}: {}", event.tick, self.name_of(controller));
        if event.is_message {
            return format!("{who} sends {}", self.message_name(event.what as usize, event.kind));
        }
        let transition = &machine.transitions[event.what as usize];
        let after = machine.states.get(usize::from(event.after)).map_or("?", |state| state);
        let repeated = match event.repeated {
            0 => String::new(),
            1 => format!(" (once more, at {})", event.until),
            more => format!(" ({more} times more until {})", event.until),
        };
        format!(
            "{who} {}: {} > {after}{repeated}",
            machine.events[usize::from(transition.event)],
            machine.states[usize::from(transition.state)]
        )
    }
}

/// The field that holds the kind of a message, for which gem5's protocols have different names.
pub(super) fn type_field(of: &Type) -> Option<&Field> {
    ["Type", "type", "Class"].iter().find_map(|name| of.fields.get(*name))
}

/// The last events for a line, collected from the newest on.
#[derive(Default)]
struct Recent {
    /// The events, the newest first.
    shown: Vec<RecordedEvent>,
    /// The indices of shown transitions that change nothing, after which their controllers did
    /// nothing else.
    open: Vec<usize>,
}

impl Recent {
    /// Adds an earlier event. If it is a repetition that its controller did nothing else after, it
    /// is only counted, since retries would hide the event for which they wait. Returns whether
    /// there is room.
    fn add(&mut self, event: &RecordedEvent, changes_nothing: bool) -> bool {
        let is_its = |shown: &RecordedEvent| shown.controller == event.controller;
        let same = self.open.iter().find(|&&at| {
            let shown = &self.shown[at];
            changes_nothing && is_its(shown) && shown.what == event.what
        });
        if let Some(&at) = same {
            let shown = &mut self.shown[at];
            shown.until = shown.until.max(shown.tick);
            shown.tick = event.tick;
            shown.repeated += 1 + event.repeated;
            return true;
        }
        if self.shown.len() == MOST_SHOWN {
            return false;
        }
        if changes_nothing {
            self.open.push(self.shown.len());
        } else {
            let shown = &self.shown;
            self.open.retain(|&at| !is_its(&shown[at]));
        }
        self.shown.push(*event);
        true
    }
}
