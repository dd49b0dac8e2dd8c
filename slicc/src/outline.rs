//! The tables of a protocol: machines with their states, events, actions and transitions, whose
//! names are resolved. This needs no types.

use settings::Setting;

mod diagnostics;
mod frame;
mod machine;
mod table;
mod table_entry;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::ast::{Action, Declaration, Machine};
use super::load::Loaded;
use crate::near::nearest;
use crate::source::{Diagnostic, Span};

use diagnostics::Diagnostics;
pub use table_entry::TableEntry;

/// The access permissions of states, in the order in which the language declares them.
pub const PERMISSIONS: [&str; 8] = [
    "Read_Only",
    "Read_Write",
    "Maybe_Stale",
    "Backing_Store",
    "Backing_Store_Busy",
    "Invalid",
    "NotPresent",
    "Busy",
];

/// Largest number of machine types: those of gem5 with those that a fork adds.
pub const MOST_MACHINE_TYPES: usize = 64;

/// The machine types of gem5, in the order in which the language numbers them. Those that a fork adds follow.
pub const MACHINE_TYPES: [&str; 20] = [
    "L0Cache",
    "L1Cache",
    "L2Cache",
    "L3Cache",
    "Directory",
    "DMA",
    "Collector",
    "L1Cache_wCC",
    "L2Cache_wCC",
    "CorePair",
    "TCP",
    "TCC",
    "TCCdir",
    "SQC",
    "RegionDir",
    "RegionBuffer",
    "Cache",
    "Memory",
    "MiscNode",
    "NULL",
];

/// The tables of a protocol.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The machines, in the order in which they are declared.
    pub machines: Vec<MachineOutline>,
}

/// The tables of a machine.
#[derive(Clone, Debug)]
pub struct MachineOutline {
    /// The name: one of [`MACHINE_TYPES`], or one that the protocol's tree of gem5 declares.
    pub name: String,
    /// The description in the source.
    pub description: Option<String>,
    /// The place of the name in the declaration.
    pub span: Span,
    /// Index in [`Loaded::declarations`].
    pub declaration: usize,
    /// The states of the machine.
    pub states: Vec<StateOutline>,
    /// The events of the machine.
    pub events: Vec<EventOutline>,
    /// The values of the machine's enumeration `RequestType`, if it has one.
    pub requests: Vec<EventOutline>,
    /// The actions of the machine.
    pub actions: Vec<ActionOutline>,
    /// The input ports, in the order in which they are scanned.
    pub in_ports: Vec<PortOutline>,
    /// The output ports.
    pub out_ports: Vec<PortOutline>,
    /// The transition table, with one entry for each pair of state and event, in textual order.
    pub entries: Vec<Entry>,
}

/// A state.
#[derive(Clone, Debug)]
pub struct StateOutline {
    /// The name of the state.
    pub name: String,
    /// Index into [`PERMISSIONS`].
    pub permission: u8,
    /// The description in the source.
    pub description: Option<String>,
    /// The place of the name in the declaration.
    pub span: Span,
}

impl StateOutline {
    /// The name of the access permission.
    pub fn permission_name(&self) -> &'static str {
        PERMISSIONS[usize::from(self.permission)]
    }

    /// Whether a line stays in this state until something is requested: its permission is not one
    /// of the busy ones.
    pub fn is_stable(&self) -> bool {
        !self.permission_name().ends_with("Busy")
    }
}

/// An event, or a request type.
#[derive(Clone, Debug)]
pub struct EventOutline {
    /// The name of the event.
    pub name: String,
    /// The description in the source.
    pub description: Option<String>,
    /// The place of the name in the declaration.
    pub span: Span,
}

/// An action.
#[derive(Clone, Debug)]
pub struct ActionOutline {
    /// The name of the action.
    pub name: String,
    /// The shorthand of the action.
    pub short: Option<String>,
    /// The description in the source.
    pub description: Option<String>,
    /// The place of the name in the declaration.
    pub span: Span,
    /// Index in [`Machine::body`].
    pub declaration: usize,
    /// Whether the action stalls: it is called `z_stall`, or does nothing but recycle the head of a
    /// queue or set it aside.
    pub stalls: bool,
}

/// A port.
#[derive(Clone, Debug)]
pub struct PortOutline {
    /// The name of the port.
    pub name: String,
    /// The buffer of the port.
    pub buffer: String,
    /// The type of its messages.
    pub message: String,
    /// The rank, if one is given.
    pub rank: Option<u32>,
    /// The place of the name in the declaration.
    pub span: Span,
    /// Index in [`Machine::body`].
    pub declaration: usize,
}

/// An entry of the transition table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Index into [`MachineOutline::states`].
    pub state: u16,
    /// Index into [`MachineOutline::events`].
    pub event: u16,
    /// The state afterwards.
    pub next: Next,
    /// Indices into [`MachineOutline::actions`], in order.
    pub actions: Arc<[u16]>,
    /// Indices into [`MachineOutline::requests`].
    pub requests: Arc<[u16]>,
    /// Whether one of the actions stalls.
    pub stalls: bool,
    /// The place of the transition's parentheses.
    pub span: Span,
    /// Index of the transition in [`Machine::body`].
    pub declaration: usize,
}

/// The state after a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A given state.
    State(u16),
    /// The state that `getNextState` returns.
    Computed,
}

impl Outline {
    /// Builds the tables of a protocol.
    ///
    /// # Errors
    /// Fails with the diagnostics if there are errors in them.
    pub fn of(loaded: &Loaded) -> Result<Outline, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        frame::check_file(&loaded.declarations, &mut diagnostics);
        let mut outline = Outline::default();
        let machine_types = values_of("MachineType", &loaded.declarations);
        let permissions = values_of("AccessPermission", &loaded.declarations);
        for (index, declaration) in loaded.declarations.iter().enumerate() {
            if let Declaration::Machine(machine) = declaration {
                frame::check_machine(machine, &mut diagnostics);
                outline.check_name(machine, &machine_types, &mut diagnostics);
                let tables = machine::tables(machine, index, &permissions, &mut diagnostics);
                outline.machines.push(tables);
            }
        }
        if outline.machines.is_empty() {
            diagnostics.report(Diagnostic {
                span: None,
                ..Diagnostic::error(
                    Span::default(),
                    format!("the protocol {} has no machine", loaded.protocol),
                )
            });
        }
        match diagnostics.finish() {
            none if none.is_empty() => Ok(outline),
            diagnostics => Err(diagnostics),
        }
    }

    /// The machine of this name.
    pub fn machine(&self, name: &str) -> Option<&MachineOutline> {
        self.machines.iter().find(|machine| machine.name == name)
    }

    fn check_name(&self, machine: &Machine, types: &[&str], diagnostics: &mut Diagnostics) {
        let name = &machine.name;
        if &*machine.family.text != "MachineType" {
            let message = format!("`{}` is not a `MachineType`", machine.family.text);
            let hint = "a machine is declared as `machine(MachineType:NAME, ...)`";
            diagnostics.report(Diagnostic::error(machine.family.span, message).hint(hint));
        } else if !types.iter().take(MOST_MACHINE_TYPES).any(|known| **known == *name.text) {
            let message = format!("there is no machine type `{}`", name.text);
            let hint = nearest(&name.text, types.iter().copied()).map_or_else(
                || {
                    format!(
                        "there are {}; a fork of gem5 declares others in RubySlicc_Exports.sm, which is read if it stands beside the \
                         protocol, or name a file with `enumeration(MachineType) {{ {}; }}`: {}",
                        types.join(", "),
                        name.text,
                        Setting::Library.to("FILE")
                    )
                },
                |nearest| format!("did you mean `{nearest}`?"),
            );
            diagnostics.report(Diagnostic::error(name.span, message).hint(hint));
        }
        if let Some(before) = self.machine(&name.text) {
            let message = format!("a second machine `{}`", name.text);
            diagnostics.report(
                Diagnostic::error(name.span, message)
                    .note(before.span, "the first is here")
                    .hint("each machine type may have one machine"),
            );
        }
    }
}

/// The values of a global enumeration.
fn values_of<'a>(name: &str, declarations: &'a [Declaration]) -> Vec<&'a str> {
    let found = declarations.iter().find_map(|declaration| match declaration {
        Declaration::Enumeration(one) if &*one.name.text == name => Some(&one.values),
        _ => None,
    });
    found.into_iter().flatten().map(|(value, _)| &*value.text).collect()
}

impl MachineOutline {
    /// The syntax tree of the machine.
    pub fn syntax<'a>(&self, loaded: &'a Loaded) -> Option<&'a Machine> {
        match loaded.declarations.get(self.declaration) {
            Some(Declaration::Machine(machine)) => Some(machine),
            _ => None,
        }
    }

    /// The index of a state.
    pub fn state(&self, name: &str) -> Option<u16> {
        let index = self.states.iter().position(|state| state.name == name)?;
        u16::try_from(index).ok()
    }

    /// The index of an event.
    pub fn event(&self, name: &str) -> Option<u16> {
        let index = self.events.iter().position(|event| event.name == name)?;
        u16::try_from(index).ok()
    }
}

impl ActionOutline {
    /// The syntax tree of the action, which is part of that of its machine.
    pub fn syntax<'a>(&self, machine: &'a Machine) -> Option<&'a Action> {
        match machine.body.get(self.declaration) {
            Some(Declaration::Action(action)) => Some(action),
            _ => None,
        }
    }
}
