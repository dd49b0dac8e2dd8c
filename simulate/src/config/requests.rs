//! Which kinds of requests a protocol handles, and gets in a run.

use slicc::ast::{Block, Declaration, Expression, ExpressionKind, Machine};
use slicc::mutant::unreached::Asked;
use slicc::protocol::Protocol;
use slicc::scripts::{KnownProtocol, Script};
use slicc::visit::{self, Node};

use super::has_dma;
use super::plan::has_sequencer;
use crate::program::Extras;

/// The value of `RubyRequestType` that a flush has.
const FLUSH: &str = "FLUSH";

/// Whether a protocol handles flushes of cores: the code of a machine with a sequencer names their type. Of gem5's
/// protocols only MOESI_hammer does.
pub fn takes_flushes(protocol: &Protocol) -> bool {
    let mut machines = protocol.machines().filter(|machine| has_sequencer(&machine.parameters));
    machines.any(|machine| names_request(machine, FLUSH))
}

/// Whether a protocol relies on time, of which the explorer has none: CHI's internal events are handled in the cycle in
/// which they are triggered, before any message that arrives later.
pub fn relies_on_time(protocol: &Protocol) -> bool {
    let script = Script::find(protocol.name(), &protocol.declared());
    script.is_some_and(|script| script.known == KnownProtocol::Chi)
}

/// What runs with these extras ask of a protocol beside the accesses of cores.
pub fn asked(protocol: &Protocol, extras: Extras) -> Asked {
    Asked {
        devices: extras.devices > 0 && has_dma(protocol),
        flushes: extras.flushes > 0 && takes_flushes(protocol),
    }
}

/// Whether the code of a machine names a type of requests.
fn names_request(machine: &Machine, name: &str) -> bool {
    machine.body.iter().filter_map(body).any(|body| {
        let mut names = false;
        visit::block(body, &mut |node| names |= is_request(node, name));
        names
    })
}

/// The code of a declaration, if it has any.
fn body(declaration: &Declaration) -> Option<&Block> {
    match declaration {
        Declaration::Function(function) => function.body.as_ref(),
        Declaration::InPort(port) => Some(&port.body),
        Declaration::Action(action) => Some(&action.body),
        _ => None,
    }
}

fn is_request(node: Node<'_>, name: &str) -> bool {
    match node {
        Node::Expression(Expression {
            kind: ExpressionKind::Enumerator { family, value }, ..
        }) => &*family.text == "RubyRequestType" && &*value.text == name,
        _ => false,
    }
}
