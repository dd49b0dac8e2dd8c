//! The types of requests (`RubyRequestType`) that a protocol tells apart, and those that its cores send.

use std::fmt::{self, Display, Formatter};

use crate::ast::{
    Binary, Block, Declaration, Expression, ExpressionKind, Machine, Object, Statement,
    StatementKind,
};
use crate::load::Loaded;
use crate::options::{Options, ProtocolOption};
use crate::scripts::{Declared, Script};
use crate::source::{Diagnostic, Span};
use crate::visit::{self, Node};

/// The type of a flush.
pub const FLUSH: &str = "FLUSH";
/// The type of an invalidation of TLBs.
pub const TLBI: &str = "TLBI";
/// The type of a sync, which completes the invalidations before it.
pub const TLBI_SYNC: &str = "TLBI_SYNC";
/// The type of the answer of a core to the sync of another.
const TLBI_EXT_SYNC_COMP: &str = "TLBI_EXT_SYNC_COMP";
/// The type of a load-linked, for protocols that tell it from a load.
pub const LOAD_LINKED: &str = "Load_Linked";
/// The type of a store-conditional, for protocols that tell it from a store.
pub const STORE_CONDITIONAL: &str = "Store_Conditional";

/// The types that cores send to every protocol, and those that they send if they are asked for flushes or TLB invalidations.
const ALWAYS: [&str; 7] = ["LD", "ST", "IFETCH", FLUSH, TLBI, TLBI_SYNC, TLBI_EXT_SYNC_COMP];
/// The types of atomic instructions, for protocols that may perform them outside of the first-level cache.
const ATOMICS: [&str; 2] = ["ATOMIC_RETURN", "ATOMIC_NO_RETURN"];

/// Whether a parameter connects a machine with a core.
pub fn is_sequencer(parameter: &Object) -> bool {
    matches!(&*parameter.kind.text, "Sequencer" | "HTMSequencer")
}

/// Whether a protocol gets atomic instructions as such, and not as stores that the first-level cache performs.
pub fn has_atomics(protocol: &str, machines: &[Declared]) -> bool {
    Script::find(protocol, machines).is_some_and(|script| script.known.has_atomics())
}

/// Whether the code of a machine with a sequencer names a type of requests.
pub fn core_handles(declarations: &[Declaration], name: &str) -> bool {
    let mut bodies = core_machines(declarations).flat_map(|machine| &machine.body).filter_map(body);
    bodies.any(|body| {
        let mut names = false;
        visit::block(body, &mut |node| {
            names |= matches!(node, Node::Expression(one) if request_type(one) == Some(name));
        });
        names
    })
}

/// The options that releases before 24.1, which know none, give to a protocol by its name. Their sequencer compares with
/// the names of protocols whose caches tell such requests apart, with `Load_Linked` only between 24.0 and 24.1.
pub(crate) fn options_of_name(name: &str, declarations: &[Declaration]) -> Options {
    let mut options = Options::default();
    let mut ask = |is_named: bool, option, request: &str| {
        if is_named && core_handles(declarations, request) {
            options = options.with(option);
        }
    };
    ask(
        matches!(name, "MESI_Two_Level" | "MESI_Three_Level"),
        ProtocolOption::LoadLinked,
        LOAD_LINKED,
    );
    ask(name.starts_with("MESI_Three_Level"), ProtocolOption::StoreConditional, STORE_CONDITIONAL);
    if name == "CHI" { options.with(ProtocolOption::PartialFunctionalReads) } else { options }
}

/// The types of requests for which a machine has code of its own, and that no core of a test sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverSent {
    /// The machine that cores send their requests to.
    pub machine: String,
    /// The types, in the order in which the code names them.
    pub types: Vec<String>,
    /// The place that names the first.
    place: Span,
}

impl Display for NeverSent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "no core sends requests of type {} to {}", self.types.join(", "), self.machine)
    }
}

impl NeverSent {
    /// The warning for the user. `protocol` is the name of the protocol.
    pub(crate) fn warning(&self, protocol: &str) -> Diagnostic {
        let message = format!("{self}: the transitions that only they cause are never tested");
        let warning = Diagnostic::warning(self.place, message);
        match self.types.iter().find_map(|name| option_for(name)) {
            Some(option) => warning.hint(format!(
                "since gem5 24.1 the line `protocol \"{protocol}\" {};` asks for them",
                option.name()
            )),
            None => warning,
        }
    }
}

/// The types of requests that the machines of cores tell apart and that no core of a test sends, for each such machine.
pub fn never_sent(loaded: &Loaded) -> Vec<NeverSent> {
    core_machines(&loaded.declarations).filter_map(|machine| unsent(machine, loaded)).collect()
}

fn unsent(machine: &Machine, loaded: &Loaded) -> Option<NeverSent> {
    let mut unsent: Vec<(&str, Span)> = Vec::new();
    for body in machine.body.iter().filter_map(body) {
        visit::block(body, &mut |node| {
            if let Node::Statement(Statement {
                kind: StatementKind::If { condition, .. }, ..
            }) = node
            {
                let types = compared(condition);
                if types.iter().all(|(name, _)| !is_sent(name, loaded)) {
                    unsent.extend(types);
                }
            }
        });
    }
    let (_, place) = *unsent.first()?;
    let mut types: Vec<String> = Vec::new();
    for (name, _) in unsent {
        if types.iter().all(|other| other != name) {
            types.push(name.to_owned());
        }
    }
    Some(NeverSent { machine: machine.name.text.to_string(), types, place })
}

/// The types of requests with which a condition compares by `==`.
fn compared(condition: &Expression) -> Vec<(&str, Span)> {
    let mut types = Vec::new();
    visit::expression(condition, &mut |node| {
        if let Node::Expression(Expression {
            kind: ExpressionKind::Binary { operator: Binary::Equal, left, right },
            ..
        }) = node
        {
            let sides = [left, right].into_iter();
            types.extend(sides.filter_map(|side| Some((request_type(side)?, side.span))));
        }
    });
    types
}

/// Whether cores of a test send requests of a type, flushes and TLB invalidations included, which tests ask for wherever they are
/// handled.
fn is_sent(name: &str, loaded: &Loaded) -> bool {
    let machines: Vec<Declared> = machines(&loaded.declarations)
        .map(|one| Declared { name: &one.name.text, parameters: &one.parameters })
        .collect();
    ALWAYS.contains(&name)
        || option_for(name).is_some_and(|option| loaded.options.has(option))
        || ATOMICS.contains(&name) && has_atomics(&loaded.protocol, &machines)
}

/// The option without which a type of requests is not sent.
fn option_for(name: &str) -> Option<ProtocolOption> {
    match name {
        LOAD_LINKED => Some(ProtocolOption::LoadLinked),
        STORE_CONDITIONAL => Some(ProtocolOption::StoreConditional),
        _ => None,
    }
}

fn machines(declarations: &[Declaration]) -> impl Iterator<Item = &Machine> {
    declarations.iter().filter_map(|declaration| match declaration {
        Declaration::Machine(machine) => Some(machine),
        _ => None,
    })
}

fn core_machines(declarations: &[Declaration]) -> impl Iterator<Item = &Machine> {
    machines(declarations).filter(|machine| machine.parameters.iter().any(is_sequencer))
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

/// The type of requests that an expression is.
fn request_type(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        ExpressionKind::Enumerator { family, value } if &*family.text == "RubyRequestType" => {
            Some(&value.text)
        }
        _ => None,
    }
}
