//! Runs all code that the runtime may start, until nothing new comes of it.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::calls::indices;
use super::environment::Environment;
use super::interpreter::{Context, Interpreter, Row};
use super::memo::Piece;
use super::model::Model;
use super::store::{Channel, Message};
use super::under_way::Lines;
use super::value::{Pointer, Value};
use crate::ast::{self, Function, InPort, StatementKind};
use crate::compile::types::TypeKind;
use crate::outline::Next;
use crate::source::Span;
use crate::visit::{self, Node};

/// The functions that the runtime calls for transitions, with the arguments that belong to them.
const HOOKS: [&str; 6] = [
    "getState",
    "setState",
    "setAccessPermission",
    "getNextState",
    "checkResourceAvailable",
    "recordRequestType",
];

/// The functions that the runtime calls at any time. So it does those that no code of the protocol calls.
const ANYTIME: [&str; 12] = [
    "getAccessPermission",
    "functionalRead",
    "functionalWrite",
    "functionalReadPriority",
    "functionalReadBuffers",
    "mandatoryQueueLatency",
    "regProbePoints",
    "notifyCoalesced",
    "coalesce",
    "inCache",
    "hasBeenPrefetched",
    "inMissQueue",
];

/// The function by which a prefetcher asks for lines.
const PREFETCH: &str = "enqueuePrefetch";

/// The buffer through which the requests of cores and devices come.
const MANDATORY: &str = "mandatoryQueue";

/// What the types of requests begin with that are commands of hardware transactions.
const OF_TRANSACTIONS: &str = "HTM_";

/// The requests about translation buffers, whose messages say so in a field.
const OF_TRANSLATION: [&str; 4] = ["TLBI", "TLBI_SYNC", "TLBI_EXT_SYNC", "TLBI_EXT_SYNC_COMP"];

/// Runs the code of a protocol abstractly until its memory grows no more.
pub(super) fn solve<'m, 'a>(model: &'m Model<'a>) -> Interpreter<'m, 'a> {
    solve_without(model, &FxHashSet::default())
}

/// The same, but entries of the tables that are left out are not run: pairs of state and event, each with the index of its machine.
pub(super) fn solve_without<'m, 'a>(
    model: &'m Model<'a>,
    left_out: &FxHashSet<(usize, u16, u16)>,
) -> Interpreter<'m, 'a> {
    let is_run = |(instance, state, event): Row| {
        !left_out.contains(&(model.instances[instance].machine, state, event))
    };
    let mut interpreter = Interpreter::new(model);
    for instance in 0..model.instances.len() {
        interpreter.instance = instance;
        interpreter.fill_buffers();
    }
    loop {
        interpreter.store.has_grown = false;
        for instance in 0..model.instances.len() {
            interpreter.instance = instance;
            interpreter.run_ports();
            interpreter.run_functions();
        }
        interpreter.follow_lines();
        let rows = interpreter.rows.iter();
        let rows = rows.flat_map(|(row, contexts)| contexts.iter().map(|one| (*row, *one)));
        let rows = rows.filter(|(row, context)| is_run(*row) && interpreter.allows(*row, context));
        let rows: Vec<(Row, Context<'a>)> = rows.collect();
        for (row, context) in rows {
            let known = interpreter.done.get(&(row, context));
            if known.is_none_or(|reads| interpreter.store.is_stale(reads)) {
                let clock = interpreter.store.begin();
                interpreter.run_row(row, context);
                let reads = interpreter.store.end(clock);
                interpreter.done.insert((row, context), reads);
            }
        }
        if !interpreter.store.has_grown || interpreter.gave_up {
            return interpreter;
        }
    }
}

impl<'a> Interpreter<'_, 'a> {
    /// Whether some instance of a machine may take an entry of its table.
    pub(super) fn takes(&self, machine: usize, state: u16, event: u16) -> bool {
        let mut instances = self.model.instances.iter().enumerate();
        let takes = |at| self.is_taken((at, state, event));
        self.gave_up || instances.any(|(at, one)| one.machine == machine && takes(at))
    }

    /// An environment without a transition.
    fn outside(&mut self) -> Environment<'a> {
        (self.frame, self.is_action, self.is_dead) = (0, false, false);
        (self.event, self.next) = (Value::Any, Value::Any);
        let own = self.model.machine(self.instance).program;
        Environment::new(Pointer::any(own.entry), Pointer::any(own.tbe))
    }

    /// Puts the messages of the runtime into the buffers that it may fill: those of the types that it declares.
    fn fill_buffers(&mut self) {
        let ports: Vec<&'a InPort> =
            self.model.machine(self.instance).in_ports.values().copied().collect();
        for port in ports {
            let channels = self.model.sources(self.instance, port).unwrap_or_default();
            let Some(channel @ Channel::Own(..)) = channels.first().copied() else { continue };
            for name in peeked(port) {
                let Some(of) = self.find(name) else { continue };
                let found = &self.model.types[of];
                let is_answer = of == self.model.types.known.memory && self.model.has_answers;
                if found.kind == TypeKind::Message && found.declared.file == 0 && !is_answer {
                    self.fill(channel, of, &port.buffer.text);
                }
            }
        }
    }

    /// Puts messages of a type into a buffer: for requests, one of each type of request.
    fn fill(&mut self, channel: Channel<'a>, of: usize, buffer: &str) {
        let found = &self.model.types[of];
        let fields =
            found.order.iter().map(|name| self.model.typed(Value::Any, found.fields[name].of));
        let message = Message { of, fields: fields.collect() };
        let is_request = matches!(&*found.name, "RubyRequest" | "SequencerMsg");
        let kind = self.model.field(of, "Type").filter(|_| is_request);
        let Some((kind, kinds)) = kind else {
            return self.store.send(channel, message, &[]);
        };
        let TypeKind::Enumeration { values, .. } = &self.model.types[kinds].kind else { return };
        let allowed =
            (self.model.world.requests)(&self.model.instances[self.instance].role, buffer);
        let has_transactions =
            |names: &BTreeSet<String>| names.iter().any(|one| one.starts_with(OF_TRANSACTIONS));
        let is_outside = allowed.as_ref().is_some_and(|names| !has_transactions(names));
        let mut message = message;
        if let Some((at, _)) = self.model.field(of, "htmFromTransaction").filter(|_| is_outside) {
            message.fields[at] = Value::word(0);
        }
        let about_translation = self.model.field(of, "isTlbi").map(|(at, _)| at);
        for (word, name) in values.iter().enumerate() {
            if allowed.as_ref().is_some_and(|allowed| !allowed.contains(&**name)) {
                continue;
            }
            let mut message = message.clone();
            message.fields[kind] = Value::word(word as i64);
            let is_of_translation = OF_TRANSLATION.contains(&&**name);
            if let Some(at) = about_translation {
                message.fields[at] = Value::word(i64::from(is_of_translation));
            }
            // Sequencers hold back neither these nor commands of transactions.
            let is_passed = is_of_translation || name.starts_with(OF_TRANSACTIONS);
            let context = self.model.field(of, "contextId").map(|(at, _)| at);
            let Some(context) = context.filter(|_| !is_passed) else {
                self.store.send(channel, message, &[kind]);
                continue;
            };
            // Contexts are numbered across controllers, so that of a sequencer is known up to a multiple of their number.
            let count = self.lines.get(&self.instance).map_or(0, Lines::sequencers);
            for rest in 0..count.max(1) {
                if count > 0 {
                    message.fields[context] = Value::Residue { rest, of: count };
                }
                self.store.send(channel, message.clone(), &[kind, context]);
            }
        }
    }

    /// Runs the code of an instance at a place, unless nothing that it has read has changed since.
    fn run_if_stale(&mut self, place: Span, run: impl FnOnce(&mut Self)) {
        let key = (self.instance, place);
        if self.ran.get(&key).is_none_or(|reads| self.store.is_stale(reads)) {
            let clock = self.store.begin();
            run(self);
            self.ran.insert(key, self.store.end(clock));
        }
    }

    fn run_ports(&mut self) {
        let machine = self.model.machine(self.instance);
        for port in machine.in_ports.values().copied() {
            self.run_if_stale(port.span, |this| {
                let now = this.outside();
                this.block(&port.body, now);
            });
        }
    }

    /// Runs the functions that the runtime may call, with any arguments.
    fn run_functions(&mut self) {
        let machine = self.model.machine(self.instance);
        for (name, functions) in &machine.functions {
            let is_anytime = ANYTIME.contains(name) || !machine.called.contains(name);
            if *name != PREFETCH && (HOOKS.contains(name) || !is_anytime) {
                continue;
            }
            for function in functions {
                let function: &'a Function = function;
                self.run_if_stale(function.span, |this| {
                    let values = this.any_arguments(function);
                    let mut now = this.outside();
                    this.run(function, &values, &[], &mut now);
                    this.is_dead = false;
                });
            }
        }
    }

    /// Any arguments of a function, but for prefetches only the allowed types of requests.
    fn any_arguments(&self, function: &Function) -> Vec<Value> {
        let is_prefetch = &*function.name.text == PREFETCH;
        let request = self.find("RubyRequestType");
        let of = |parameter: &ast::Parameter| {
            let of = self.find(&parameter.kind.text);
            if is_prefetch && of == request { self.prefetched() } else { Value::Any }
        };
        function.parameters.iter().map(of).collect()
    }

    /// The types of requests that prefetchers make.
    fn prefetched(&self) -> Value {
        let machine = self.model.machine(self.instance);
        let role = &self.model.instances[self.instance].role;
        let Some(request) = self.find("RubyRequestType") else { return Value::Any };
        let mut all = Vec::new();
        for port in machine.in_ports.values() {
            let buffer = &*port.buffer.text;
            if buffer == MANDATORY || !peeked(port).contains(&"RubyRequest") {
                continue;
            }
            let Some(names) = (self.model.world.requests)(role, buffer) else { return Value::Any };
            let words = names.iter().filter_map(|name| self.model.types[request].enumerator(name));
            all.extend(words.map(|word| word as i64));
        }
        Value::words(all)
    }

    /// Takes an entry of the table.
    fn run_row(&mut self, row: Row, context: Context<'a>) {
        let (instance, state, event) = row;
        self.instance = instance;
        let machine = self.model.machine(instance);
        let Some(at) = machine.table.get(&(state, event)) else { return };
        let (outline, own) = (machine.outline, machine.program);
        let entry = &outline.entries[*at];
        let pointer = |has: bool, of| if has { Pointer::valid(of) } else { Pointer::null() };
        let mut now = self.outside();
        now.entry = pointer(context.has_entry, own.entry);
        now.tbe = pointer(context.has_tbe, own.tbe);
        now.head = context.head;
        self.event = Value::word(i64::from(event));
        let next = match entry.next {
            Next::State(next) => Value::word(i64::from(next)),
            Next::Computed => self.hook("getNextState", &[], &mut now),
        };
        self.next = next.clone();
        if std::mem::take(&mut self.is_dead) {
            return;
        }
        for request in entry.requests.iter() {
            let hooks = ["checkResourceAvailable", "recordRequestType"];
            let value = Value::word(i64::from(*request));
            match self.run_hooks(Piece::Request(*request), row, hooks, &value, now) {
                Some(after) => now = after,
                None => return,
            }
        }
        for action in entry.actions.iter() {
            let name = &*outline.actions[usize::from(*action)].name;
            let Some(body) = machine.actions.get(name).map(|action| &action.body) else { continue };
            let after = self.remembered(Piece::Action(*action), row, now, |this, now| {
                this.is_action = true;
                let after = this.block(body, now);
                this.is_action = false;
                after.map(|mut after| {
                    after.truncate(0, 0);
                    after
                })
            });
            match after {
                Some(after) => now = after,
                None => return,
            }
        }
        self.note_end(row, context, &next, &now);
        for next in indices(&next, outline.states.len()) {
            let hooks = ["setState", "setAccessPermission"];
            let value = Value::word(i64::from(next));
            self.run_hooks(Piece::State(next), row, hooks, &value, now.clone());
        }
    }

    /// Runs two functions that get the same value.
    fn run_hooks(
        &mut self,
        piece: Piece,
        row: Row,
        hooks: [&str; 2],
        value: &Value,
        now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        self.remembered(piece, row, now, |this, mut now| {
            for hook in hooks {
                this.hook(hook, std::slice::from_ref(value), &mut now);
                now = this.alive(now)?;
            }
            Some(now)
        })
    }
}

/// The names of the types of messages at which a port's code looks, and as which it is declared.
fn peeked(port: &InPort) -> Vec<&str> {
    let mut names = vec![&*port.message.text];
    visit::block(&port.body, &mut |node| {
        if let Node::Statement(statement) = node
            && let StatementKind::Peek { port: other, message, .. } = &statement.kind
            && other.text == port.name.text
        {
            names.push(&message.text);
        }
    });
    names.sort_unstable();
    names.dedup();
    names
}
