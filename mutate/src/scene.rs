//! A machine with the facts about it that operators need.

use std::rc::Rc;

use slicc::ast::{Action, Declaration, ExpressionKind, InPort, Machine, Statement, StatementKind};
use slicc::outline::{ActionOutline, Entry, MachineOutline};
use slicc::protocol::Protocol;
use slicc::source::Span;

use crate::row::Row;
use crate::usage::Usage;
use crate::walk::{self, MessageScope};

/// A machine of a protocol.
pub(crate) struct Scene<'a> {
    pub protocol: &'a Protocol,
    pub usage: Rc<Usage<'a>>,
    pub machine: &'a Machine,
    pub tables: &'a MachineOutline,
    /// The actions, in the order of the tables.
    pub actions: Vec<ActionFacts<'a>>,
}

/// An action, classified by what it does.
pub(crate) struct ActionFacts<'a> {
    pub action: &'a Action,
    /// Whether the action stalls.
    pub stalls: bool,
    /// Whether the action is `z_stall`, so that nothing else in its row has an effect.
    pub is_z_stall: bool,
    /// The port whose message the action removes, if it does nothing else.
    pub pops: Option<&'a str>,
    /// The port whose message the action sets aside or recycles, if it does nothing else.
    pub parks: Option<&'a str>,
    /// Whether all that the action does is to tell the core that a line was lost.
    pub notifies: bool,
    /// Whether a row of the table names the action.
    pub is_used: bool,
}

impl<'a> Scene<'a> {
    /// The machines of a protocol, in order.
    pub(crate) fn all(protocol: &'a Protocol) -> Vec<Scene<'a>> {
        let usage = Rc::new(Usage::of(protocol));
        let machines = protocol.outline.machines.iter();
        let scene = |tables: &'a MachineOutline| {
            let machine = tables.syntax(&protocol.loaded)?;
            let usage = usage.clone();
            let actions = classified(tables, machine);
            Some(Scene { protocol, usage, machine, tables, actions })
        };
        machines.filter_map(scene).collect()
    }

    /// The state and event of an entry.
    pub(crate) fn names(&self, entry: &Entry) -> (&'a str, &'a str) {
        (
            &self.tables.states[usize::from(entry.state)].name,
            &self.tables.events[usize::from(entry.event)].name,
        )
    }

    /// The row of an entry.
    pub(crate) fn row(&self, entry: &Entry) -> Option<Row<'a>> {
        let Some(Declaration::Transition(transition)) = self.machine.body.get(entry.declaration)
        else {
            return None;
        };
        let (state, event) = self.names(entry);
        Some(Row { text: self.file(transition.span), transition, state, event })
    }

    /// All rows with their entries.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&'a Entry, Row<'a>)> {
        let entries = self.tables.entries.iter();
        entries.filter_map(|entry| Some((entry, self.row(entry)?)))
    }

    /// The rows in which no `z_stall` keeps the actions from having an effect.
    pub(crate) fn active_rows(&self) -> impl Iterator<Item = (&'a Entry, Row<'a>)> {
        self.rows().filter(|(entry, _)| !self.actions_of(entry).any(|one| one.is_z_stall))
    }

    /// The actions of an entry.
    pub(crate) fn actions_of(&self, entry: &'a Entry) -> impl Iterator<Item = &ActionFacts<'a>> {
        let actions = entry.actions.iter();
        actions.map(|&one| &self.actions[usize::from(one)])
    }

    /// The bodies of the actions that are in the table.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = Body<'a>> {
        let used = self.actions.iter().filter(|one| one.is_used);
        used.map(|one| Body {
            name: &one.action.name.text,
            place: format!("action:{}", one.action.name.text),
            text: self.file(one.action.span),
            statements: walk::statements(&one.action.body),
        })
    }

    /// The input ports of the machine.
    pub(crate) fn in_ports(&self) -> impl Iterator<Item = &'a InPort> {
        let body = self.machine.body.iter();
        body.filter_map(|declaration| match declaration {
            Declaration::InPort(port) => Some(port),
            _ => None,
        })
    }

    /// The text of the file that contains a span.
    pub(crate) fn file(&self, span: Span) -> &'a str {
        &self.protocol.sources().files()[span.file as usize].text
    }

    /// The text of a span.
    pub(crate) fn text(&self, span: Span) -> &'a str {
        self.protocol.sources().text(span)
    }
}

/// The body of an action.
pub(crate) struct Body<'a> {
    /// The name of the action.
    pub name: &'a str,
    /// The name of the action in ids of mutants.
    pub place: String,
    /// The text of its file.
    pub text: &'a str,
    pub statements: Vec<(&'a Statement, MessageScope<'a>)>,
}

fn classified<'a>(tables: &MachineOutline, machine: &'a Machine) -> Vec<ActionFacts<'a>> {
    let mut is_used = vec![false; tables.actions.len()];
    for entry in &tables.entries {
        for &one in entry.actions.iter() {
            is_used[usize::from(one)] = true;
        }
    }
    let actions = tables.actions.iter().zip(is_used);
    let facts = |(one, is_used): (&ActionOutline, bool)| {
        let action = one.syntax(machine)?;
        let statements = walk::statements(&action.body);
        let leaves: Vec<&Statement> = statements
            .into_iter()
            .map(|(statement, _)| statement)
            .filter(|statement| walk::is_leaf(statement))
            .collect();
        let only = |is: &dyn Fn(&Statement) -> bool| {
            !leaves.is_empty() && leaves.iter().all(|statement| is(statement))
        };
        let first = leaves.first().and_then(|statement| port(statement));
        let pops = only(&|statement| walk::method(statement) == Some("dequeue"));
        Some(ActionFacts {
            action,
            stalls: one.stalls,
            is_z_stall: one.name == "z_stall",
            pops: first.filter(|_| pops),
            parks: first.filter(|_| one.stalls),
            notifies: only(&|statement| walk::method(statement) == Some("evictionCallback")),
            is_used,
        })
    };
    actions.filter_map(facts).collect()
}

/// The port that a statement names.
fn port(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::StallAndWait { port, .. } => Some(&port.text),
        StatementKind::Expression(expression) => match &expression.kind {
            ExpressionKind::Method { object, .. } => match &object.kind {
                ExpressionKind::Name(name) => Some(&name.text),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
