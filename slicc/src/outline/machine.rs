//! Builds the tables of one machine.

use rustc_hash::FxHashMap;

use super::diagnostics::Diagnostics;
use super::{
    ActionOutline, EventOutline, MachineOutline, PERMISSIONS, PortOutline, StateOutline, table,
};
use crate::ast::{
    Action, Block, Declaration, Enumeration, ExpressionKind, Machine, Name, Pair, StateValue,
    StatementKind, States, attribute,
};
use crate::near::nearest;
use crate::source::{Diagnostic, Span};

/// Largest number of states, events or actions of a machine.
const MOST: usize = u16::MAX as usize;

/// Builds the tables of the machine with index `declaration` among the declarations.
pub(super) fn tables(
    machine: &Machine,
    declaration: usize,
    permissions: &[&str],
    diagnostics: &mut Diagnostics,
) -> MachineOutline {
    let mut tables = MachineOutline {
        name: machine.name.text.to_string(),
        description: description(&machine.pairs, "short"),
        span: machine.name.span,
        declaration,
        states: Vec::new(),
        events: Vec::new(),
        requests: Vec::new(),
        actions: Vec::new(),
        in_ports: Vec::new(),
        out_ports: Vec::new(),
        entries: Vec::new(),
    };
    for (index, declaration) in machine.body.iter().enumerate() {
        tables.declare(index, declaration, permissions, diagnostics);
    }
    tables.check(machine, diagnostics);
    check_shorthands(machine, diagnostics);
    table::fill(&mut tables, machine, diagnostics);
    tables
}

fn description(pairs: &[Pair], key: &str) -> Option<String> {
    attribute(pairs, key).map(str::to_owned)
}

impl MachineOutline {
    fn declare(
        &mut self,
        index: usize,
        declaration: &Declaration,
        permissions: &[&str],
        diagnostics: &mut Diagnostics,
    ) {
        match declaration {
            Declaration::States(states) => self.declare_states(states, permissions, diagnostics),
            Declaration::Enumeration(one) if &*one.name.text == "Event" => {
                self.events = values(one);
            }
            Declaration::Enumeration(one) if &*one.name.text == "RequestType" => {
                self.requests = values(one);
            }
            Declaration::Action(action) => self.actions.push(ActionOutline {
                name: action.name.text.to_string(),
                short: description(&action.pairs, "short"),
                description: description(&action.pairs, "desc"),
                span: action.name.span,
                declaration: index,
                stalls: stalls(action),
            }),
            Declaration::InPort(one) => {
                let rank = self.rank(&one.pairs, diagnostics);
                let names = [&one.name, &one.buffer, &one.message];
                self.in_ports.push(port(names, rank, index));
            }
            Declaration::OutPort(one) => {
                let names = [&one.name, &one.buffer, &one.message];
                self.out_ports.push(port(names, None, index));
            }
            _ => {}
        }
    }

    fn declare_states(
        &mut self,
        states: &States,
        permissions: &[&str],
        diagnostics: &mut Diagnostics,
    ) {
        if &*states.name.text != "State" {
            let message = format!("the states of a machine are called `{}`", states.name.text);
            let hint = "the runtime looks for `state_declaration(State, ...)`";
            diagnostics.report(Diagnostic::error(states.name.span, message).hint(hint));
        }
        self.states = states
            .values
            .iter()
            .map(|state| StateOutline {
                name: state.name.text.to_string(),
                permission: permission(state, permissions, diagnostics),
                description: description(&state.pairs, "desc"),
                span: state.name.span,
            })
            .collect();
    }

    fn rank(&self, pairs: &[Pair], diagnostics: &mut Diagnostics) -> Option<u32> {
        let pair = pairs.iter().find(|pair| &*pair.key.text == "rank")?;
        let rank = pair.value.text.parse().ok();
        if rank.is_none() {
            let message = format!("the rank `{}` is not a small number", pair.value.text);
            diagnostics.report(Diagnostic::error(pair.value.span, message));
        }
        rank
    }

    /// Checks that the machine has states, events and ports, and not too many.
    fn check(&self, machine: &Machine, diagnostics: &mut Diagnostics) {
        let name = &machine.name;
        let mut missing = |is_missing: bool, what: &str, hint: &str| {
            if is_missing {
                let message = format!("the machine {} has no {what}", name.text);
                diagnostics.report(Diagnostic::error(name.span, message).hint(hint));
            }
        };
        missing(
            self.states.is_empty(),
            "states",
            "declare them with `state_declaration(State, ...) { NAME, AccessPermission:...; }`",
        );
        missing(
            self.events.is_empty(),
            "events",
            "declare them with `enumeration(Event, ...) { NAME; }`",
        );
        missing(
            self.in_ports.is_empty(),
            "in_port",
            "without messages to read it would never do anything",
        );
        let largest = [self.states.len(), self.events.len(), self.actions.len()];
        if largest.into_iter().any(|len| len > MOST) {
            let message =
                format!("the machine {} has more than {MOST} states, events or actions", name.text);
            diagnostics.report(Diagnostic::error(name.span, message));
        }
    }
}

fn values(enumeration: &Enumeration) -> Vec<EventOutline> {
    let values = enumeration.values.iter();
    values
        .map(|(name, pairs)| EventOutline {
            name: name.text.to_string(),
            description: description(pairs, "desc"),
            span: name.span,
        })
        .collect()
}

fn port([name, buffer, message]: [&Name; 3], rank: Option<u32>, declaration: usize) -> PortOutline {
    PortOutline {
        name: name.text.to_string(),
        buffer: buffer.text.to_string(),
        message: message.text.to_string(),
        rank,
        span: name.span,
        declaration,
    }
}

/// The permission that stands for those that only a fork of gem5 has: what lies in the line may neither be read nor written.
const OTHER_PERMISSION: u8 = 2;

/// The permission of a state. An unknown one is reported, and the first permission returned.
fn permission(state: &StateValue, permissions: &[&str], diagnostics: &mut Diagnostics) -> u8 {
    let name = &state.permission;
    let is_family = &*state.family.text == "AccessPermission";
    match PERMISSIONS.iter().position(|&one| one == &*name.text) {
        Some(index) if is_family => index as u8,
        None if is_family && permissions.contains(&&*name.text) => OTHER_PERMISSION,
        _ => {
            let wrong = if is_family { name } else { &state.family };
            let message =
                format!("`{}:{}` is not an access permission", state.family.text, name.text);
            let hint = match nearest(&name.text, PERMISSIONS) {
                Some(nearest) => format!("did you mean `AccessPermission:{nearest}`?"),
                None => format!("the permissions are {}", PERMISSIONS.join(", ")),
            };
            diagnostics.report(Diagnostic::error(wrong.span, message).hint(hint));
            0
        }
    }
}

fn check_shorthands(machine: &Machine, diagnostics: &mut Diagnostics) {
    let mut before: FxHashMap<&str, (&Name, Span)> = FxHashMap::default();
    for declaration in &machine.body {
        let Declaration::Action(action) = declaration else {
            continue;
        };
        let Some(short) = action.pairs.iter().find(|pair| &*pair.key.text == "short") else {
            continue;
        };
        let text = &*short.value.text;
        if let Some((first, span)) = before.get(text) {
            let message = format!("the shorthand \"{text}\" is used a second time");
            let note = format!("`{}` has it, too", first.text);
            diagnostics.report(Diagnostic::error(short.value.span, message).note(*span, note));
        } else {
            before.insert(text, (&action.name, short.value.span));
        }
    }
}

/// Whether an action stalls: by its name, or because it only recycles the head of a queue or sets
/// it aside.
fn stalls(action: &Action) -> bool {
    &*action.name.text == "z_stall" || only_sets_aside(&action.body)
}

fn only_sets_aside(block: &Block) -> bool {
    let sets_aside = |kind: &StatementKind| match kind {
        StatementKind::StallAndWait { .. } => true,
        StatementKind::Peek { body, .. } => only_sets_aside(body),
        StatementKind::Expression(expression) => match &expression.kind {
            ExpressionKind::Method { method, .. } => &*method.text == "recycle",
            _ => false,
        },
        _ => false,
    };
    // Debug output does not count.
    let is_output = |kind: &StatementKind| match kind {
        StatementKind::Expression(expression) => match &expression.kind {
            ExpressionKind::Call { function, .. } => {
                matches!(&*function.text, "DPRINTF" | "DPRINTFN" | "APPEND_TRANSITION_COMMENT")
            }
            _ => false,
        },
        _ => false,
    };
    let mut kinds = block
        .statements
        .iter()
        .map(|statement| &statement.kind)
        .filter(|kind| !is_output(kind))
        .peekable();
    kinds.peek().is_some() && kinds.all(sets_aside)
}
