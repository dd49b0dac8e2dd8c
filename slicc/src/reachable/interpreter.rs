//! Abstract runs of statements. Those that are reached add to the abstract memory.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::environment::{Environment, Head, join};
use super::memo::Memo;
use super::model::Model;
use super::store::{Message, Place, Reads, Store};
use super::under_way::{CoreActions, Lines};
use super::value::{Pointer, Value};
use crate::ast::{Block, Expression, ExpressionKind, Name, Statement, StatementKind};
use crate::compile::types::TypeKind;
use crate::source::Span;

/// An entry of the table of an instance, as the number of the instance and the indices of state and event.
pub(super) type Row = (usize, u16, u16);

/// What is known of a run when it takes an entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Context<'a> {
    /// The message that triggered the event.
    pub head: Option<Head<'a>>,
    /// Whether there is a cache entry.
    pub has_entry: bool,
    /// Whether there is a TBE.
    pub has_tbe: bool,
    /// The sequencer, by its number in the controller, whose request for the line triggered the event.
    pub sequencer: Option<u8>,
}

/// The branches of an `if` that some run takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Branches {
    pub then: bool,
    pub otherwise: bool,
}

/// Runs code of one instance after the other.
pub(super) struct Interpreter<'m, 'a> {
    pub model: &'m Model<'a>,
    pub store: Store<'a>,
    /// The instance whose code runs.
    pub instance: usize,
    /// Where the local variables of the current function begin.
    pub frame: usize,
    /// Whether the code is that of an action, in which some names are implicit.
    pub is_action: bool,
    /// Whether the expression that was just evaluated never ends.
    pub is_dead: bool,
    /// The results of the functions that are being called, with what is true where they return.
    pub returns: Vec<Vec<(Value, Environment<'a>)>>,
    /// The event and the next states of the running transition.
    pub event: Value,
    pub next: Value,
    /// The entries of the tables that some run may take.
    pub rows: FxHashMap<Row, FxHashSet<Context<'a>>>,
    /// What each entry depends on that was run, so that it is run again only if that changes.
    pub done: FxHashMap<(Row, Context<'a>), Reads>,
    /// What ports and functions that the runtime starts depend on, by instance and place.
    pub ran: FxHashMap<(usize, Span), Reads>,
    pub memo: Memo<'a>,
    /// The lines of the instances that serve cores.
    pub lines: FxHashMap<usize, Lines<'a>>,
    /// The branches of each `if` of each instance.
    pub branches: FxHashMap<(usize, Span), Branches>,
    /// The comparisons of each instance whose operands may be equal.
    pub equal: FxHashSet<(usize, Span)>,
    /// The statements' code of each instance that some run reaches: functions, actions and ports by their span.
    pub reached: FxHashSet<(usize, Span)>,
    /// Whether the protocol has code that the analysis does not understand, so that its result means nothing.
    pub gave_up: bool,
}

impl<'m, 'a> Interpreter<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Interpreter<'m, 'a> {
        let followed = |at| Some((at, Lines::new(CoreActions::of(model.machine(at))?)));
        let lines = (0..model.instances.len()).filter_map(followed);
        Interpreter {
            model,
            store: Store::default(),
            instance: 0,
            frame: 0,
            is_action: false,
            is_dead: false,
            returns: Vec::new(),
            event: Value::Any,
            next: Value::Any,
            rows: FxHashMap::default(),
            done: FxHashMap::default(),
            ran: FxHashMap::default(),
            memo: Memo::default(),
            lines: lines.collect(),
            branches: FxHashMap::default(),
            equal: FxHashSet::default(),
            reached: FxHashSet::default(),
            gave_up: false,
        }
    }

    /// Runs a block. Returns what is true after it, or `None` if its end is never reached.
    pub(super) fn block(
        &mut self,
        block: &'a Block,
        mut now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        let locals = now.locals.len();
        self.reached.insert((self.instance, block.span));
        for statement in &block.statements {
            now = self.statement(statement, now)?;
        }
        // Messages stay: a variable of an outer block may name one.
        now.locals.truncate(locals);
        Some(now)
    }

    fn statement(
        &mut self,
        statement: &'a Statement,
        mut now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        match &statement.kind {
            StatementKind::Expression(inner) => self.effect(inner, now),
            StatementKind::Return(inner) => {
                let value = self.expression(inner, &mut now);
                let now = self.alive(now)?;
                if let Some(returns) = self.returns.last_mut() {
                    returns.push((value, now));
                }
                None
            }
            StatementKind::Assign { target, value } => {
                let value = self.expression(value, &mut now);
                let mut now = self.alive(now)?;
                self.assign(target, value, &mut now);
                self.alive(now)
            }
            StatementKind::If { condition, then, otherwise } => {
                let (holds, fails) = self.decide(condition, now);
                let known = self.branches.entry((self.instance, statement.span)).or_default();
                known.then |= holds.is_some();
                known.otherwise |= fails.is_some();
                let holds = holds.and_then(|now| self.block(then, now));
                let fails = match otherwise {
                    Some(block) => fails.and_then(|now| self.block(block, now)),
                    None => fails,
                };
                join(holds, fails)
            }
            StatementKind::Enqueue { port, message, latency, bypass, body } => {
                for inner in latency.iter().chain(bypass) {
                    self.expression(inner, &mut now);
                }
                self.send(port, message, body, now)
            }
            StatementKind::Defer { port, message, body } => self.send(port, message, body, now),
            StatementKind::Peek { port, message, body, .. } => self.peek(port, message, body, now),
            StatementKind::StallAndWait { .. } | StatementKind::WakeupPort { .. } => {
                now.head = None;
                Some(now)
            }
            StatementKind::CheckOnCacheProbe { .. }
            | StatementKind::CheckAllocate(_)
            | StatementKind::CheckNextCycle
            | StatementKind::CheckStopSlots => Some(now),
        }
    }

    /// Evaluates an expression for its effect.
    fn effect(
        &mut self,
        whole: &'a Expression,
        mut now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        if let ExpressionKind::Call { function, arguments } = &whole.kind {
            match (&*function.text, &**arguments) {
                // A run ends here.
                ("error", _) => return None,
                ("assert", [condition]) => return self.decide(condition, now).0,
                _ => {}
            }
        }
        self.expression(whole, &mut now);
        self.alive(now)
    }

    /// Runs the body of an `enqueue`, then sends the message.
    fn send(
        &mut self,
        port: &'a Name,
        message: &Name,
        body: &'a Block,
        mut now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        let of = self.find(&message.text);
        let of = of.filter(|of| self.model.types[*of].kind == TypeKind::Message);
        let Some(of) = of else {
            self.gave_up = true;
            return Some(now);
        };
        let (locals, at) = (now.locals.len(), now.messages.len());
        now.messages.push(self.model.fresh_message(of).into());
        now.locals.push(("out_msg", Value::Message(at)));
        let mut now = self.block(body, now)?;
        let channel = self.model.target(self.instance, &port.text);
        let mut sent = Message::clone(&now.messages[at]);
        if of == self.model.types.known.memory && self.model.has_answers {
            self.model.answer(self.instance, &mut sent);
        }
        self.store.send(channel, sent, &self.model.kinds(of));
        now.truncate(locals, at);
        Some(now)
    }

    /// Runs the body of a `peek` for each message that may be at the head of the buffer.
    fn peek(
        &mut self,
        port: &'a Name,
        message: &Name,
        body: &'a Block,
        now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        let declared = self.model.machine(self.instance).in_ports.get(&*port.text).copied();
        let sources = declared.and_then(|port| self.model.sources(self.instance, port));
        let (Some(declared), Some(sources)) = (declared, sources) else {
            let (locals, messages) = (now.locals.len(), now.messages.len());
            let mut now = now;
            now.locals.push(("in_msg", Value::Any));
            let mut now = self.block(body, now)?;
            now.truncate(locals, messages);
            return Some(now);
        };
        let buffer: &'a str = &declared.buffer.text;
        self.memo.looks_at_head = true;
        let of = self.find(&message.text);
        let mut after = None;
        for (source, channel) in sources.iter().enumerate() {
            for at in 0..self.store.messages(*channel).len() {
                let peeked: Message = self.store.messages(*channel)[at].clone();
                let head = (buffer, source, at);
                let is_other = |known: Head<'a>| known.0 == buffer && known != head;
                let arrives = self.model.may_arrive(self.instance, *channel, &peeked);
                if Some(peeked.of) != of || !arrives || now.head.is_some_and(is_other) {
                    continue;
                }
                let mut now = now.clone();
                let (locals, messages) = (now.locals.len(), now.messages.len());
                let before = now.head;
                now.messages.push(peeked.into());
                now.locals.push(("in_msg", Value::Message(messages)));
                if !self.is_action {
                    now.head = Some(head);
                }
                let ended = self.block(body, now).map(|mut now| {
                    now.truncate(locals, messages);
                    if !self.is_action {
                        now.head = before;
                    }
                    now
                });
                after = join(after, ended);
            }
        }
        after
    }

    /// Assigns a value to a place.
    pub(super) fn assign(
        &mut self,
        target: &'a Expression,
        value: Value,
        now: &mut Environment<'a>,
    ) {
        match &target.kind {
            ExpressionKind::Local { kind, name } => {
                let value = match (self.find(&kind.text), value) {
                    // A copy: the variable does not change with the other message.
                    (Some(_), Value::Message(at)) => {
                        now.messages.push(now.messages[at].clone());
                        Value::Message(now.messages.len() - 1)
                    }
                    (Some(of), value) => self.model.typed(value, of),
                    (None, _) => Value::Any,
                };
                now.locals.push((&name.text, value));
            }
            ExpressionKind::Name(name) => self.assign_name(name, value, now),
            ExpressionKind::Field { object, field } => {
                let object = self.expression(object, now);
                self.write(&object, &field.text, value, now);
            }
            // Flags and addresses within library objects, which are not followed.
            _ => drop(self.expression(target, now)),
        }
    }

    fn assign_name(&mut self, name: &'a Name, value: Value, now: &mut Environment<'a>) {
        if let Some(at) = self.local_at(&name.text, now) {
            match (now.locals[at].1.clone(), value) {
                (Value::Message(to), value) => self.copy_message(to, &value, now),
                (Value::Pointer(known), Value::Any) => {
                    now.locals[at].1 = Value::Pointer(Pointer::any(known.of));
                }
                (_, Value::Message(from)) => now.locals[at].1 = self.spill(from, now),
                (_, value) => now.locals[at].1 = value,
            }
            return;
        }
        let own = self.model.machine(self.instance).program;
        let pointer = |of| match value {
            Value::Pointer(pointer) => Pointer { of: pointer.of.or(of), ..pointer },
            _ => Pointer::any(of),
        };
        match &*name.text {
            "tbe" if self.is_action => now.tbe = pointer(own.tbe),
            "cache_entry" if self.is_action => now.entry = pointer(own.entry),
            _ => {
                let value = self.stored(value, now);
                self.store.write(Place::Variable(self.instance, &name.text), &value);
            }
        }
    }

    /// Copies a message over another.
    fn copy_message(&mut self, to: usize, value: &Value, now: &mut Environment<'a>) {
        let of = now.messages[to].of;
        let fields = match value {
            Value::Message(from) if now.messages[*from].of == of => {
                now.messages[*from].fields.clone()
            }
            _ => {
                let names = &self.model.types[of].order;
                names.iter().map(|name| self.read(value, name, now)).collect()
            }
        };
        now.messages[to] = Message { of, fields }.into();
    }

    /// Assigns to a field of an object.
    fn write(&mut self, object: &Value, field: &str, value: Value, now: &mut Environment<'a>) {
        let value = self.stored(value, now);
        if let Value::Message(message) = object {
            if let Some((at, _)) = self.model.field(now.messages[*message].of, field) {
                Rc::make_mut(&mut now.messages[*message]).fields[at] = value;
            }
            return;
        }
        if let Value::Pointer(Pointer { of: Some(of), .. }) = object
            && let Some((at, _)) = self.model.field(*of, field)
        {
            return self.store.write(Place::Field(self.instance, *of, at), &value);
        }
        // The type of the object is not known, so it may be any that has such a field.
        for (of, _) in self.model.types.iter() {
            if let Some((at, _)) = self.model.field(of, field) {
                self.store.write(Place::Field(self.instance, of, at), &value);
            }
        }
        for message in &mut now.messages {
            if let Some((at, _)) = self.model.field(message.of, field) {
                let known = &mut Rc::make_mut(message).fields[at];
                *known = known.join(&value);
            }
        }
    }

    /// A value that may be kept: messages are copied to the objects of their type.
    fn stored(&mut self, value: Value, now: &Environment<'a>) -> Value {
        match value {
            Value::Message(from) => self.spill(from, now),
            value => value,
        }
    }

    /// Copies a message to the objects that the instance keeps.
    pub(super) fn spill(&mut self, from: usize, now: &Environment<'a>) -> Value {
        let Message { of, fields } = &*now.messages[from];
        for (at, value) in fields.iter().enumerate() {
            self.store.write(Place::Field(self.instance, *of, at), value);
        }
        Value::Pointer(Pointer::valid(Some(*of)))
    }
}
