//! Actions and transitions.
//!
//! The code of a transition is that of its actions, one after the other, and then that which stores the new state. Transitions
//! with the same actions share it: the states are in control words.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Compiler;
use super::body::{Context, Outcome, Symbol, Value, ValuePlace};
use super::code::{self, Function, Need, Op, control, stall};
use super::expressions::constant;
use crate::ast::{self, Block, Declaration, Name, StatementKind};
use crate::outline::{Entry, MachineOutline, Next};
use crate::source::{Severity, Span};

/// Slots that an action needs: by port or table.
type Slots = Vec<(Box<str>, u32)>;

/// An action, and the room that it needs.
struct Action<'a> {
    declared: &'a ast::Action,
    ports: Slots,
    tables: Slots,
}

/// What decides the code of a transition: actions, request types, and whether the next state is computed.
type Key = (Vec<u16>, Vec<u16>, bool);

impl<'a> Compiler<'a> {
    /// Compiles the transitions of a machine. The outline has found their actions already.
    pub(super) fn transitions(
        &mut self,
        machine: &'a ast::Machine,
        outline: &MachineOutline,
    ) -> Vec<code::Transition> {
        let mut actions = FxHashMap::default();
        for declaration in &machine.body {
            if let Declaration::Action(action) = declaration {
                self.check(action);
                actions.insert(&*action.name.text, Action::new(action));
            }
        }
        if self.diagnostics.iter().any(|one| one.severity == Severity::Error) {
            return Vec::new();
        }
        let mut codes: FxHashMap<Key, (Function, Arc<[u32]>)> = FxHashMap::default();
        let mut transitions = Vec::new();
        for entry in &outline.entries {
            let name = |at: &u16| &*outline.actions[usize::from(*at)].name;
            let used: Vec<&Action<'_>> =
                entry.actions.iter().filter_map(|at| actions.get(name(at))).collect();
            let stalls = entry.actions.iter().any(|at| name(at) == "z_stall");
            let next = match entry.next {
                Next::State(state) => Some(state),
                Next::Computed => None,
            };
            let key = (entry.actions.to_vec(), entry.requests.to_vec(), next.is_none());
            let (code, parts) = match codes.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let before = self.begin(Context::Transition);
                    let parts = self.transition(entry, &used, stalls).unwrap_or_default();
                    let known = (self.finish(before), Arc::from(parts));
                    codes.insert(key, known.clone());
                    known
                }
            };
            let mut needs = self.needs(used.iter().map(|action| &action.ports), false);
            needs.extend(self.needs(used.iter().map(|action| &action.tables), true));
            let (state, event, span) = (entry.state, entry.event, entry.span);
            transitions.push(code::Transition {
                state,
                event,
                next,
                stalls,
                needs,
                code,
                actions: parts,
                span,
            });
        }
        transitions
    }

    /// Compiles an action by itself, to see what is wrong with it, once.
    fn check(&mut self, action: &ast::Action) {
        let end = self.code.len();
        let before = self.begin(Context::Action);
        self.action(action);
        self.finish(before);
        self.code.truncate(end);
        self.spans.truncate(end);
    }

    fn action(&mut self, action: &ast::Action) {
        let mark = self.top();
        self.open_apart();
        for (name, of, offset) in [
            ("address", Some(self.types.known.addr), control::ADDRESS),
            ("cache_entry", self.entry, control::ENTRY),
            ("tbe", self.tbe, control::TBE),
        ] {
            if let Some(of) = of {
                let value = Value::fixed(of, ValuePlace::Control(offset));
                let _ = self.declare(name, action.span, Symbol::Value(value));
            }
        }
        self.block(&action.body);
        self.close();
        self.release(mark);
    }

    /// Compiles a transition. Returns where the actions begin, and where the last one ends.
    fn transition(
        &mut self,
        entry: &Entry,
        actions: &[&Action<'_>],
        stalls: bool,
    ) -> Outcome<Vec<u32>> {
        let span = entry.span;
        if matches!(entry.next, Next::Computed) {
            let next = self.hook("getNextState", &[], span)?;
            let from = self.load(next, span)?;
            let offset = control::AFTER;
            self.emit(Op::StoreControl { offset, from }, span);
        }
        self.requests(entry, span)?;
        if stalls {
            let how = stall::PROTOCOL as u16;
            self.emit(Op::Stall { how }, span);
            return Ok(Vec::new());
        }
        let mut parts = Vec::with_capacity(actions.len() + 1);
        for action in actions {
            parts.push(self.here());
            self.body().context = Context::Action;
            self.action(action.declared);
        }
        parts.push(self.here());
        self.body().context = Context::Transition;
        self.emit(Op::Done, span);
        let state = self.resolve(&Name { text: "State".into(), span })?;
        let after = Value::fixed(state, ValuePlace::Control(control::AFTER));
        self.hook("setState", &[after], span)?;
        self.hook("setAccessPermission", &[after], span)?;
        self.emit(Op::End, span);
        Ok(parts)
    }

    /// What the request types of a transition ask for.
    fn requests(&mut self, entry: &Entry, span: Span) -> Outcome<()> {
        let Some(of) = self.types.find(self.machine_name(), "RequestType") else {
            return Ok(());
        };
        let requests: Vec<Value> =
            entry.requests.iter().map(|at| constant(of, u64::from(*at))).collect();
        for value in &requests {
            let available = self.hook("checkResourceAvailable", &[*value], span)?;
            let condition = self.load(available, span)?;
            let target = 0;
            let fine = self.emit(Op::JumpIf { condition, target }, span);
            let how = stall::RESOURCE as u16;
            self.emit(Op::Stall { how }, span);
            let here = self.here();
            self.aim(fine, here);
        }
        for value in &requests {
            self.hook("recordRequestType", &[*value], span)?;
        }
        Ok(())
    }

    /// What a transition needs room for. gem5 does not add up what the actions need: it takes the last action that uses
    /// a port, and doubles that if an earlier one used it, too.
    fn needs<'s>(&self, actions: impl Iterator<Item = &'s Slots>, table: bool) -> Vec<Need> {
        let mut needs: Slots = Vec::new();
        for (name, slots) in actions.flatten() {
            match needs.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = 2 * slots,
                None => needs.push((name.clone(), *slots)),
            }
        }
        let need = |(name, slots): (Box<str>, u32)| {
            let object = match self.members.get(&name)? {
                Symbol::Port(port) => port.buffer,
                Symbol::Value(Value { place: ValuePlace::Control(offset), .. }) => *offset,
                Symbol::Value(_) => return None,
            };
            Some(Need { object, table, slots })
        };
        needs.into_iter().filter_map(need).collect()
    }
}

impl<'a> Action<'a> {
    fn new(declared: &'a ast::Action) -> Action<'a> {
        let mut action = Action { declared, ports: Slots::new(), tables: Slots::new() };
        action.count(&declared.body);
        action
    }

    /// Counts the messages that a block may send by each port, and the room it asks for in tables.
    fn count(&mut self, block: &Block) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Enqueue { port, body, .. }
                | StatementKind::Defer { port, body, .. } => {
                    add(&mut self.ports, port);
                    self.count(body);
                }
                StatementKind::Peek { body, .. } => self.count(body),
                StatementKind::If { then, otherwise, .. } => {
                    self.count(then);
                    if let Some(otherwise) = otherwise {
                        self.count(otherwise);
                    }
                }
                StatementKind::CheckAllocate(table) => add(&mut self.tables, table),
                _ => {}
            }
        }
    }
}

fn add(slots: &mut Slots, name: &Name) {
    match slots.iter_mut().find(|(known, _)| *known == name.text) {
        Some((_, count)) => *count += 1,
        None => slots.push((name.text.clone(), 1)),
    }
}
