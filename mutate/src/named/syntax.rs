//! The syntax tree of a machine, with the queries that clauses need.

use slicc::ast::{Action, Block, Declaration, InPort, Machine, Transition};
use slicc::load::Loaded;
use slicc::source::Span;

/// A machine of a protocol.
#[derive(Clone, Copy)]
pub(crate) struct MachineSyntax<'a> {
    pub loaded: &'a Loaded,
    pub machine: &'a Machine,
}

impl<'a> MachineSyntax<'a> {
    /// Finds the machine of this name.
    pub(crate) fn of(loaded: &'a Loaded, name: &str) -> Option<MachineSyntax<'a>> {
        let machines = loaded.declarations.iter();
        let mut machines = machines.filter_map(|one| match one {
            Declaration::Machine(machine) => Some(machine),
            _ => None,
        });
        let machine = machines.find(|machine| &*machine.name.text == name)?;
        Some(MachineSyntax { loaded, machine })
    }

    /// The name of the machine.
    pub(crate) fn name(&self) -> &'a str {
        &self.machine.name.text
    }

    /// The text of a span.
    pub(crate) fn text(&self, span: Span) -> &'a str {
        self.loaded.sources.text(span)
    }

    /// The text of the file that contains a span.
    pub(crate) fn file(&self, span: Span) -> &'a str {
        &self.loaded.sources.files()[span.file as usize].text
    }

    /// The file and line of a span, for messages.
    pub(crate) fn place(&self, span: Span) -> String {
        let (path, line, _) = self.loaded.sources.position(span);
        format!("{}:{line}", path.display())
    }

    pub(crate) fn transitions(&self) -> impl Iterator<Item = &'a Transition> + use<'a> {
        self.machine.body.iter().filter_map(|one| match one {
            Declaration::Transition(transition) => Some(transition),
            _ => None,
        })
    }

    pub(crate) fn actions(&self) -> impl Iterator<Item = &'a Action> + use<'a> {
        self.machine.body.iter().filter_map(|one| match one {
            Declaration::Action(action) => Some(action),
            _ => None,
        })
    }

    pub(crate) fn action(&self, name: &str) -> Option<&'a Action> {
        self.actions().find(|action| &*action.name.text == name)
    }

    /// The bodies of the machine's functions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        self.machine.body.iter().filter_map(|one| match one {
            Declaration::Function(function) => function.body.as_ref(),
            _ => None,
        })
    }

    fn in_ports(&self) -> impl Iterator<Item = &'a InPort> + use<'a> {
        self.machine.body.iter().filter_map(|one| match one {
            Declaration::InPort(port) => Some(port),
            _ => None,
        })
    }

    /// The port that reads a buffer.
    pub(crate) fn in_port(&self, buffer: &str) -> Option<&'a InPort> {
        self.in_ports().find(|port| &*port.buffer.text == buffer)
    }

    /// The name of the port that writes a buffer.
    pub(crate) fn out_port(&self, buffer: &str) -> Option<&'a str> {
        self.machine.body.iter().find_map(|one| match one {
            Declaration::OutPort(port) if &*port.buffer.text == buffer => Some(&*port.name.text),
            _ => None,
        })
    }

    /// The buffer that a port reads.
    pub(crate) fn read_buffer(&self, port: &str) -> Option<&'a str> {
        let port = self.in_ports().find(|one| &*one.name.text == port)?;
        Some(&port.buffer.text)
    }

    /// The buffer that a port writes.
    pub(crate) fn written_buffer(&self, port: &str) -> Option<&'a str> {
        self.machine.body.iter().find_map(|one| match one {
            Declaration::OutPort(out) if &*out.name.text == port => Some(&*out.buffer.text),
            _ => None,
        })
    }

    /// The names of the machine's states.
    pub(crate) fn states(&self) -> Vec<&'a str> {
        let body = self.machine.body.iter();
        let states = body.filter_map(|one| match one {
            Declaration::States(states) => Some(&states.values),
            _ => None,
        });
        states.flatten().map(|state| &*state.name.text).collect()
    }

    /// The names of the machine's events.
    pub(crate) fn events(&self) -> Vec<&'a str> {
        let body = self.machine.body.iter();
        let events = body.filter_map(|one| match one {
            Declaration::Enumeration(one) if &*one.name.text == "Event" => Some(&one.values),
            _ => None,
        });
        events.flatten().map(|(name, _)| &*name.text).collect()
    }
}
