//! States of systems with any number of caches, as far as a few of them see them: what proofs are made of.
//!
//! A [`Config`] has up to four *named* caches. It consists of a [`Section`] for each of them (the lines, transactions and
//! variables of its controller and the request of its core), the sections of all other controllers, memory, and
//! messages. A word in which another cache is named says that it is *another*: there is one number for all of these,
//! [`OTHERS`]. A set has this number if it has any of them.
//!
//! - [`Config::seen_by`] is what is left of a configuration if fewer caches have names. Messages that neither come from a cache with
//!   a name nor go to one, and name none, are not shown, unless they are of other controllers alone. Of the others from or to
//!   caches without names it is said whether there is one, or more that are alike.
//! - [`Sections::take`] makes a move: it lets the runtime handle one message, or one request of a core, where only that
//!   message has arrived. All other messages stay in flight, those that were set aside as well.
//!
//! What code may ask about others has several results (`system::others`), so a move has several outcomes.
//!
//! A message that the controller leaves waiting, or sets aside, is in flight again afterwards: in its place in the first case,
//! without any order in the second. So no configuration says that a message has arrived, and more can happen than in
//! the simulator: a message may be looked at again at any time.

mod token;
mod words;

use std::collections::BTreeSet;

use slicc::compile::types::TypeId;
use slicc::protocol::Protocol;
use slicc::source::Span;

use super::actions::Action;
use super::moves::Move;
use super::symmetry::words::WordKind;
use super::{Stepping, Symmetry};
use crate::stepper::{Scope, Stepper, StepperError};
pub use token::{Names, OTHERS, Token, TokenKind};
use words::{Known, Place};

pub use crate::system::others::{FEWEST, Law};

/// The most caches that have names.
pub const NAMED: usize = 4;

/// Other numbers of caches, for which parameters must have the same values.
const OTHER_SIZES: [u32; 2] = [FEWEST, crate::stepper::MOST];

/// The words of a controller or of a message, with what they mean.
pub type Section = Vec<Token>;

/// A controller, as sender or receiver of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The cache with a number, which is [`OTHERS`] if it has no name.
    Cache(u8),
    /// Another controller, by its number among these.
    Shared(u8),
}

/// The order of a message among those that have the same sender and receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// It has none.
    Free,
    /// It arrives after those that its sender has sent before from the same buffer, which is given by its number among the
    /// sender's buffers.
    From(u8),
    /// It arrives after those that are in the same lane of the receiver's buffer: of messages to itself, or from memory.
    Own(u8),
}

/// A message in flight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// The receiver, or the controller whose memory receives it.
    pub to: End,
    /// The number of the buffer among those of the receiver.
    pub buffer: u8,
    /// The sender.
    pub from: End,
    /// Its order.
    pub lane: Lane,
    /// The content.
    pub content: Section,
    /// Whether there is more than one such message. This is so only of messages from or to caches without names.
    pub many: bool,
}

/// What a few caches see of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Config {
    /// The sections of the caches with names.
    pub caches: [Option<Section>; NAMED],
    /// The sections of all other controllers, and of memory at the end.
    pub shared: Vec<Section>,
    /// The messages. Those of a lane are in their order, the others sorted.
    pub messages: Vec<Message>,
}

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The core of a cache asks to load or to store.
    Ask {
        /// The cache.
        cache: u8,
        /// Whether it asks to store.
        stores: bool,
        /// Whether the cache handles the request at once. Otherwise it may have done something else first.
        at_once: bool,
    },
    /// A message arrives, given by its place.
    Arrive(usize),
}

/// What a move leads to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The configuration afterwards, with the same caches, or what is wrong.
    pub after: Result<Config, String>,
    /// Whether a core has written.
    pub writes: bool,
    /// Whether messages were sent to caches without names.
    pub sends_to_others: bool,
    /// Whether it depends on a choice about others.
    pub is_open: bool,
    /// Whether a law has excluded results.
    pub by_law: bool,
}

/// The reason why nothing can be proved about a protocol by its sections.
#[derive(Debug, thiserror::Error)]
pub enum SectionsError {
    /// The system cannot be built.
    #[error("the system cannot be built")]
    Stepper(StepperError),
    /// The protocol does something that sections do not show.
    #[error("{0}")]
    Unfit(String),
}

/// A protocol as a system whose states are configurations.
pub struct Sections {
    stepper: Stepper,
    /// The controller of each cache, and the other controllers.
    caches: Vec<usize>,
    shared: Vec<usize>,
    /// The words of controllers and objects that are known to count caches.
    counters: BTreeSet<Place>,
    /// Those that were found since the last call of [`Sections::learn_counters`].
    found: BTreeSet<Place>,
    /// The number of the caches' machine type.
    kind: u64,
    /// The address of each message of the configuration.
    addresses: Vec<u64>,
    /// The addresses of the message with which a move begins, and of a second one that stands for the rest of those that are
    /// alike, if there are more.
    rest: Option<(u64, u64)>,
    /// Which word of a request names the core.
    context: (TypeId, u16),
    /// Whether messages keep their order where the network does. Otherwise any may overtake others.
    is_ordered: bool,
}

impl Sections {
    /// Prepares a protocol. `scope` says which network it has; its number of caches is ignored.
    ///
    /// # Errors
    /// Fails if the system cannot be built, or if its caches are not all alike, or do something that configurations do not show.
    pub fn new(protocol: &Protocol, scope: &Scope) -> Result<Sections, SectionsError> {
        let scope = Scope {
            caches: u32::from(OTHERS) + 1,
            lines: 1,
            symmetries: vec![Symmetry::Cores],
            live_variables: true,
            ..scope.clone()
        };
        let mut stepper = Stepper::new(protocol, &scope).map_err(SectionsError::Stepper)?;
        if let Some((_, why)) = stepper.group.unused().first() {
            return Err(SectionsError::Unfit(format!("caches are not treated alike: {why}")));
        }
        let caches = stepper.system.homes_of[..=usize::from(OTHERS)].to_vec();
        let shared = 0..stepper.system.controllers.len();
        let shared: Vec<usize> = shared.filter(|number| !caches.contains(number)).collect();
        stepper.check_fit(&caches, &shared).map_err(SectionsError::Unfit)?;
        for other in OTHER_SIZES {
            let scope = Scope { caches: other, ..scope.clone() };
            let other = Stepper::new(protocol, &scope).map_err(SectionsError::Stepper)?;
            if let Some(name) = stepper.differs(&other) {
                let why = format!("{name} depends on the number of caches");
                return Err(SectionsError::Unfit(why));
            }
        }
        let machine = stepper.system.controllers[caches[0]].machine;
        let kind = u64::from(stepper.system.program.machines[machine].kind);
        let word = stepper.system.machines.word(kind);
        let is_aware = word.is_some_and(|word| stepper.system.begin_awareness(kind, word));
        if !is_aware || kind == 0 {
            let why = "the protocol has constants that could be taken for numbers of caches";
            return Err(SectionsError::Unfit(why.to_owned()));
        }
        let context = stepper.system.request_fields.context;
        let context = (stepper.system.program.types.known.request, context);
        Ok(Sections {
            stepper,
            caches,
            shared,
            counters: BTreeSet::new(),
            found: BTreeSet::new(),
            kind,
            addresses: Vec::new(),
            rest: None,
            context,
            is_ordered: true,
        })
    }

    /// Whether messages keep their order where the network does, as they do at first. If they do not, configurations are fewer and
    /// stand for more.
    pub fn keep_order(&mut self, is_ordered: bool) {
        self.is_ordered = is_ordered;
    }

    /// The initial state, with as many named caches as possible.
    pub fn first(&mut self) -> Config {
        let first = self.stepper.first();
        self.see(&first)
    }

    /// What the named caches see of a state of a system with one more cache. A state does not say who has sent its messages, so each
    /// seems to come from some controller.
    pub fn see(&mut self, state: &[u8]) -> Config {
        self.stepper.thaw(state);
        self.addresses.clear();
        self.begin(NAMED as u32, &[]);
        let none = self.stepper.renaming(&[]);
        self.read(NAMED, &none, None, &Known::new())
    }

    fn begin(&mut self, named: u32, script: &[bool]) {
        self.stepper.system.others.begin(named, script);
    }

    /// The words that count caches, so that a constant that is added to one is taken for a change of the part of the cache that has
    /// sent the message: whether the word is one of a controller, the machine or type, and the offset.
    pub fn counters(&self) -> impl Iterator<Item = (bool, usize, u16)> {
        self.counters.iter().copied()
    }

    /// Sets the words that count caches.
    pub fn set_counters(&mut self, counters: impl IntoIterator<Item = (bool, usize, u16)>) {
        self.counters = counters.into_iter().collect();
        self.found.clear();
    }

    /// Learns which words were found to count caches. Returns whether there are new ones. Then configurations until now have
    /// no meaning any more.
    pub fn learn_counters(&mut self) -> bool {
        let known = self.counters.len();
        self.counters.append(&mut self.found);
        self.counters.len() > known
    }

    /// Why moves until now say nothing, if one of them does something that configurations do not show, and the place in
    /// the protocol.
    pub fn refusal(&self) -> Option<(Option<Span>, &'static str)> {
        let system = &self.stepper.system;
        if let Some((pc, why)) = system.others.refused {
            return Some((system.program.spans.get(pc).copied(), why));
        }
        if self.stepper.mistakes_states() {
            return Some((None, "a transition begins in another state than its line has"));
        }
        let order = self.stepper.observed(Symmetry::Cores)?;
        Some((Some(order), "the result depends on the order of caches"))
    }

    /// The moves of a configuration: requests of cores that have none, and messages that may arrive at caches with names
    /// and at other controllers. A message of a cache without a name may arrive at a cache alone: others may have sent messages before it.
    pub fn steps(&self, config: &Config) -> Vec<Step> {
        let mut steps = Vec::new();
        for (cache, section) in config.caches.iter().enumerate() {
            if section.as_ref().and_then(|words| words.first()).is_some_and(|code| code.word == 0) {
                let ask =
                    |stores: bool, at_once: bool| Step::Ask { cache: cache as u8, stores, at_once };
                let all = [(false, true), (true, true), (false, false), (true, false)];
                steps.extend(all.map(|(stores, at_once)| ask(stores, at_once)));
            }
        }
        let mut before: Option<&Message> = None;
        for (at, message) in config.messages.iter().enumerate() {
            let place = |one: &Message| (one.to, one.buffer, one.from, one.lane);
            let follows = before.is_some_and(|before| {
                place(before) == place(message)
                    && (message.lane != Lane::Free || before.content == message.content)
            });
            before = Some(message);
            let others = End::Cache(OTHERS);
            let is_free = message.to != others
                && (message.from != others || matches!(message.to, End::Cache(_)));
            if !follows && is_free {
                steps.push(Step::Arrive(at));
            }
        }
        steps
    }

    /// Makes a move, in all ways that are possible by what is known of numbers that it adds.
    pub fn take(&mut self, config: &Config, step: Step, laws: &[Law]) -> Vec<Outcome> {
        self.stepper.system.others.laws = laws.to_vec();
        let mut outcomes = Vec::new();
        let mut script = Vec::new();
        loop {
            outcomes.push(self.take_by(config, step, &script));
            let others = &self.stepper.system.others;
            let chosen = others.chosen;
            if others.refused.is_some() {
                return outcomes;
            }
            script.resize(chosen, false);
            while script.last() == Some(&true) {
                script.pop();
            }
            match script.last_mut() {
                Some(last) => *last = true,
                None => return outcomes,
            }
        }
    }

    fn take_by(&mut self, config: &Config, step: Step, script: &[bool]) -> Outcome {
        let named = config.caches.iter().take_while(|cache| cache.is_some()).count();
        self.write(config);
        self.write_rest(config, step);
        self.begin(named as u32, script);
        self.stepper.begin_step();
        let (chosen, begun) = self.chosen(config, step);
        let done = match (step, chosen) {
            (Step::Ask { at_once: false, .. }, Move::Ask { core, line, action, value }) => {
                self.stepper.system.current = self.stepper.system.homes_of[core];
                self.stepper.request_of_core(core, line, action, value);
                Ok(())
            }
            _ => self.stepper.carry_out(chosen),
        };
        let performed = self.stepper.performed(&[], chosen);
        let holders = self.stepper.holders();
        let mut outcome = Outcome {
            after: Err(String::new()),
            writes: performed.iter().any(|access| access.writes),
            sends_to_others: false,
            is_open: false,
            by_law: false,
        };
        if let Err(trap) = done {
            let fault = self.stepper.fault(trap);
            outcome.after = Err(fault.message);
        } else if let Some(access) = performed.iter().find(|access| access.is_wrong()) {
            outcome.after = Err(format!("core {} reads a stale value", access.core));
        } else if holders.iter().any(|holders| holders.clash()) {
            outcome.after =
                Err("a cache may write the line while another may read or write it".to_owned());
        } else {
            self.check_shown();
            let renaming = self.stepper.renaming(&performed);
            outcome.sends_to_others = self.sends_to_others(named);
            let known: Known = self.addresses.iter().copied().zip(&config.messages).collect();
            outcome.after = Ok(self.read(named, &renaming, begun, &known));
        }
        outcome.by_law = self.stepper.system.others.has_used_laws;
        outcome.is_open = self.stepper.system.others.chosen > 0;
        outcome
    }

    /// The move of the runtime, and the message with which it begins.
    fn chosen<'a>(&self, config: &'a Config, step: Step) -> (Move, Option<&'a Message>) {
        let ask = |cache: u8, action: Action| {
            let core = usize::from(cache);
            (Move::Ask { core, line: 0, action, value: 0 }, None)
        };
        match step {
            Step::Ask { cache, stores: false, .. } => ask(cache, Action::Load),
            Step::Ask { cache, stores: true, .. } => ask(cache, Action::Store),
            Step::Arrive(at) => {
                let message = &config.messages[at];
                let buffer = self.buffer(message.to, message.buffer);
                let queue = &self.stepper.system.buffers[buffer];
                let address = self.addresses[at];
                let at = queue.in_flight().position(|one| one.message == address).unwrap_or(0);
                let consumer = self.stepper.system.consumers[buffer] as usize;
                let requests = self.stepper.system.controllers[consumer].requests_to_memory;
                let chosen = if requests == Some(buffer as u32) {
                    Move::Memory { buffer, at }
                } else {
                    Move::Arrive { buffer, at }
                };
                (chosen, Some(message))
            }
        }
    }

    /// Says that the move is not followed if it has left something that configurations do not show.
    fn check_shown(&mut self) {
        let system = &self.stepper.system;
        let mut why = None;
        for buffer in system.buffers.iter() {
            let looked = buffer.looked();
            if looked.in_flight {
                why = Some("it looks at messages that have not arrived");
            }
            if looked.deferred || !buffer.deferred().is_empty() {
                why = Some("it defers messages");
            }
        }
        if system.controllers.iter().any(|controller| !controller.blocked.is_empty()) {
            why = Some("it blocks a line");
        }
        if system.timers.iter().any(|table| !table.timers().is_empty()) {
            why = Some("it sets a timer");
        }
        if system.persistents.iter().any(|table| table.all().next().is_some()) {
            why = Some("it has persistent requests");
        }
        if let Some(why) = why {
            self.stepper.system.others.refuse(usize::MAX, why);
        }
    }

    /// Whether messages were sent in the move to caches without names.
    fn sends_to_others(&self, named: usize) -> bool {
        let unnamed = &self.caches[named..];
        let buffers = self.stepper.system.buffers.iter().zip(&self.stepper.system.consumers);
        let mut unnamed = buffers.filter(|(_, consumer)| unnamed.contains(&(**consumer as usize)));
        unnamed.any(|(buffer, _)| buffer.in_flight().any(|one| one.is_new))
    }

    /// A move in words, and the transition that it leads to.
    pub fn describe(&mut self, config: &Config, step: Step) -> String {
        self.write(config);
        let named = config.caches.iter().take_while(|cache| cache.is_some()).count();
        self.begin(named as u32, &[]);
        self.stepper.begin_step();
        let (chosen, begun) = self.chosen(config, step);
        let mut text = self.stepper.cause_text(chosen, None);
        if let Step::Ask { at_once: false, .. } = step {
            text.push_str(", and the cache does not look yet");
        }
        if begun.is_some_and(|message| message.from == End::Cache(OTHERS)) {
            text.push_str(" (from another cache)");
        }
        text
    }

    fn buffer(&self, end: End, rank: u8) -> usize {
        self.stepper.owned[self.controller(end)].buffers[usize::from(rank)]
    }

    fn controller(&self, end: End) -> usize {
        match end {
            End::Cache(cache) => self.caches[usize::from(cache)],
            End::Shared(number) => self.shared[usize::from(number)],
        }
    }

    fn end(&self, controller: usize) -> End {
        match self.caches.iter().position(|&cache| cache == controller) {
            Some(cache) => End::Cache(cache as u8),
            None => {
                let at = self.shared.iter().position(|&shared| shared == controller);
                End::Shared(at.unwrap_or(0) as u8)
            }
        }
    }
}

impl Stepping {
    /// A parameter that has another value in another system of the same protocol.
    fn differs(&self, other: &Stepping) -> Option<String> {
        let first = |of: &Stepping, machine: usize| {
            let all = of.system.controllers.iter();
            all.enumerate().find(|(_, one)| one.machine == machine).map(|(number, _)| number)
        };
        for (number, machine) in self.system.program.machines.iter().enumerate() {
            let (Some(one), Some(two)) = (first(self, number), first(other, number)) else {
                continue;
            };
            for member in &machine.parameters {
                let at = usize::from(member.offset);
                let is_same = self.bases[one][at] == other.bases[two][at];
                if !self.handles[number][at] && !is_same {
                    return Some(format!("{}.{}", machine.name, member.name));
                }
            }
        }
        None
    }

    /// The reason why configurations do not show all of a system, if there is one.
    fn check_fit(&self, caches: &[usize], shared: &[usize]) -> Result<(), String> {
        let system = &self.system;
        let name = |number: usize| self.name(number);
        let machine = |number: usize| system.controllers[number].machine;
        if caches.iter().any(|&cache| machine(cache) != machine(caches[0]))
            || self.has_shared_caches()
        {
            return Err("cores have caches of different kinds, or share them".to_owned());
        }
        for (number, controller) in system.controllers.iter().enumerate() {
            let of = &system.program.machines[controller.machine];
            if shared.contains(&number) && machine(caches[0]) == controller.machine {
                return Err(format!("{} is the cache of no core", name(number)));
            }
            let several = system.machines.count(u64::from(of.kind)) > 1;
            if several && shared.contains(&number) {
                return Err(format!("there are several controllers such as {}", name(number)));
            }
            if controller.ports.iter().any(|port| !port.idle && (port.timers || !port.guarded)) {
                return Err(format!(
                    "{} has a port that does not wait for a message",
                    name(number)
                ));
            }
            if !self.internal[number].is_empty() {
                return Err(format!("{} has internal events", name(number)));
            }
            let kinds = &self.kinds.controls[controller.machine];
            if kinds.contains(&WordKind::Block) {
                return Err(format!("a variable of {} holds a block", of.name));
            }
        }
        Ok(())
    }
}
