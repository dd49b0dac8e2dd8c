//! Compiles actions and transitions.
//!
//! The code of a transition consists of the code of its actions, followed by the code that stores
//! the new state. Transitions with the same actions share code, since the states are in control
//! words. An action is compiled once, and its instructions are copied to the transitions that have it
//! ([`Snippets`]).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Compiler;
use super::body::{Context, Outcome, Symbol, Value, ValuePlace};
use super::code::{self, Function, Need, Room};
use super::expressions::constant;
use super::op::{Op, Register, control, stall};
use super::snippet::Snippet;
use super::types::TypeKind;
use crate::ast::{self, Block, Declaration, Name, StatementKind};
use crate::outline::{Entry, MachineOutline, Next};
use crate::source::{Severity, Span};

/// Numbers of slots by port or table.
type Slots = Vec<(Box<str>, u32)>;

/// An action, with the slots that it needs.
struct Action<'a> {
    declared: &'a ast::Action,
    ports: Slots,
    tables: Slots,
}

/// The code of actions, by their numbers and the first register that is free.
type Snippets = FxHashMap<(u16, Register), Snippet>;

/// Transitions with the same key share code: the actions, the request types, and whether the next
/// state is computed.
type Key = (Vec<u16>, Vec<u16>, bool);

impl<'a> Compiler<'a> {
    /// Compiles the transitions of a machine; the outline has resolved their actions.
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
        let mut snippets = Snippets::default();
        let mut transitions = Vec::new();
        for entry in &outline.entries {
            let name = |at: &u16| &*outline.actions[usize::from(*at)].name;
            let used: Vec<(u16, &Action<'_>)> =
                entry.actions.iter().filter_map(|at| Some((*at, actions.get(name(at))?))).collect();
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
                    let parts =
                        self.transition(entry, &used, stalls, &mut snippets).unwrap_or_default();
                    let known = (self.finish(before), Arc::from(parts));
                    codes.insert(key, known.clone());
                    known
                }
            };
            let mut needs = self.needs(used.iter().map(|(_, action)| &action.ports));
            needs.extend(self.needs(used.iter().map(|(_, action)| &action.tables)));
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

    /// Compiles an action by itself, so that its errors are reported once. The code is discarded.
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
        self.open_isolated();
        // The implicit entry and TBE are references in gem5: an assignment sets them.
        for (name, of, offset, writable) in [
            ("address", Some(self.types.known.addr), control::ADDRESS, false),
            ("cache_entry", self.entry, control::ENTRY, true),
            ("tbe", self.tbe, control::TBE, true),
        ] {
            if let Some(of) = of {
                let value = Value { writable, ..Value::fixed(of, ValuePlace::Control(offset)) };
                let _ = self.declare(name, action.span, Symbol::Value(value));
            }
        }
        self.block(&action.body);
        self.close();
        self.release(mark);
    }

    /// Compiles a transition. Returns the instructions at which its actions begin, then the one at
    /// which the last ends.
    fn transition(
        &mut self,
        entry: &Entry,
        actions: &[(u16, &Action<'_>)],
        stalls: bool,
        snippets: &mut Snippets,
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
        for (number, action) in actions {
            parts.push(self.here());
            self.body().context = Context::Action;
            let key = (*number, self.top());
            if let Some(snippet) = snippets.get(&key)
                && self.may_append(snippet)
            {
                self.append(snippet);
            } else {
                let beginning = self.beginning();
                self.action(action.declared);
                snippets.extend(self.snippet(beginning).map(|snippet| (key, snippet)));
            }
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

    /// Compiles the resource checks and the records of a transition's request types.
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
            self.set_target(fine, here);
        }
        for value in &requests {
            self.hook("recordRequestType", &[*value], span)?;
        }
        Ok(())
    }

    /// The room that a transition needs. Like gem5, this does not add up the slots of its actions:
    /// for each port, the last action that uses it counts, doubled if an earlier one uses it as
    /// well.
    fn needs<'s>(&self, actions: impl Iterator<Item = &'s Slots>) -> Vec<Need> {
        let mut needs: Slots = Vec::new();
        for (name, slots) in actions.flatten() {
            match needs.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = 2 * slots,
                None => needs.push((name.clone(), *slots)),
            }
        }
        let need = |(name, slots): (Box<str>, u32)| {
            let (object, room) = match self.members.get(&name)? {
                Symbol::Port(port) => (port.buffer, Room::Buffer),
                Symbol::Value(Value { of, place: ValuePlace::Control(offset), .. }) => {
                    let is_storage = self.types[*of].kind == TypeKind::Value;
                    (*offset, if is_storage { Room::Storage } else { Room::Table })
                }
                Symbol::Value(_) => return None,
            };
            Some(Need { object, room, slots })
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

    /// Counts the messages that a block sends through each port, and its `check_allocate`s of each
    /// table.
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
