//! Older dialects of SLICC: protocols of earlier versions of gem5 are read and rewritten in today's language.
//!
//! The rest of this crate knows only the language of today. `modernise` rewrites the syntax tree of an older protocol
//! after parsing, mostly as gem5's developers rewrote the files themselves at the time. `names` lists the names that
//! gem5 has changed since, and when. `older.sm` declares, in SLICC, the types and functions that the library no
//! longer has. The few older forms of the grammar are in `parser::older`.
//!
//! `explain` replaces the error about an old name that is not supported by a message that says what the name was and
//! in which years gem5 had it.
//!
//! A protocol in today's language is not changed: every form that is rewritten here is an error in today's language.

mod body;
mod entries;
mod files;
mod names;
mod objects;
mod unknown;
mod used;

use rustc_hash::FxHashSet;

use crate::ast::{Declaration, Machine, Name};
use crate::source::{Diagnostic, Span};
pub(crate) use files::list_of_files;
pub(crate) use names::{field_is_older, protocol_today, type_today};
pub use unknown::explain;

/// The declarations of older libraries, in SLICC. They stand after the prelude, in the same file.
pub(crate) const OLDER: &str = include_str!("dialect/older.sm");

/// The attribute that the rewriting gives to a buffer of an older protocol, in which `ordered` says
/// whether it keeps the order of messages. Since August 2015 a script of gem5 decides that.
pub(crate) const ORDERED_AS_DECLARED: &str = "ordered_as_declared";

/// The attribute that the rewriting gives to the buffer of requests to memory of a protocol before November 2014. The
/// entries of that protocol's directory hold the data, and memory answers a request with the data in the request.
pub const ECHO: &str = "echo";

/// The attribute that the rewriting gives to both ends of a direct connection between two machines: the name of the
/// connection, without the number of the controllers.
pub const PEERS: &str = "peers";

/// A form of the language or of its library that gem5 no longer has. A warning lists those that a protocol uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Older {
    /// The year and month in which gem5 replaced it: (2013, 5) for May 2013.
    until: (u16, u8),
    /// A description of the older form, as the warning lists it.
    what: &'static str,
}

const HEAD: Older = Older { until: (2015, 7), what: "machines without `MachineType:`" };

/// Facts about the protocol that is rewritten.
#[derive(Default)]
struct Context {
    /// The types that the protocol declares itself, which keep their names.
    own_types: FxHashSet<Box<str>>,
    /// Whether cores send messages of type `CacheMsg`, as until March 2011.
    has_cache_messages: bool,
    /// The older forms found, each with a place.
    found: Vec<(Older, Span)>,
}

impl Context {
    fn found(&mut self, older: Older, span: Span) {
        if !self.found.iter().any(|(known, _)| *known == older) {
            self.found.push((older, span));
        }
    }
}

/// Rewrites the declarations of a protocol in an older dialect, and adds those of `older`, from [`OLDER`], that it
/// uses and of which `is_gone` does not say that the protocol's own gem5 no longer had them. Returns a warning that lists
/// the older forms, if there are any.
pub(crate) fn modernise(
    declarations: &mut Vec<Declaration>,
    older: Vec<Declaration>,
    is_gone: &dyn Fn(&str) -> bool,
) -> Option<Diagnostic> {
    let mut context = Context {
        own_types: own_types(declarations),
        has_cache_messages: has_cache_messages(declarations),
        ..Context::default()
    };
    for machine in machines(declarations).filter(|machine| is_older(machine)) {
        context.found(HEAD, machine.name.span);
    }
    declare_machine_types(declarations);
    objects::rewrite(declarations, &mut context);
    entries::rewrite(declarations, &mut context);
    let is_own = |one: &&mut Declaration| one.span().file > 0;
    for declaration in declarations.iter_mut().filter(is_own) {
        body::declaration(declaration, &mut context);
    }
    used::add(declarations, older, is_gone, &mut context);
    warning(context.found)
}

/// Adds the types of older machines to the enumeration of machine types: until July 2015 each machine declared its own.
fn declare_machine_types(declarations: &mut [Declaration]) {
    let older = machines(declarations).filter(|machine| is_older(machine));
    let names: Vec<Name> = older.map(|machine| machine.name.clone()).collect();
    let types = declarations.iter_mut().find_map(|one| match one {
        Declaration::Enumeration(one) if &*one.name.text == "MachineType" => Some(one),
        _ => None,
    });
    let Some(types) = types else { return };
    for name in names {
        if types.values.iter().all(|(known, _)| known.text != name.text) {
            types.values.push((name, Vec::new()));
        }
    }
}

/// The names of the types that a protocol declares outside and inside of machines.
fn own_types(declarations: &[Declaration]) -> FxHashSet<Box<str>> {
    let mut own = FxHashSet::default();
    for declaration in declarations.iter().filter(|one| one.span().file > 0) {
        let name = match declaration {
            Declaration::Structure(one) => &one.name,
            Declaration::Enumeration(one) => &one.name,
            Declaration::Machine(machine) => {
                own.extend(own_types(&machine.body));
                continue;
            }
            _ => continue,
        };
        own.insert(name.text.clone());
    }
    own
}

/// Whether a port reads messages of type `CacheMsg`.
fn has_cache_messages(declarations: &[Declaration]) -> bool {
    declarations.iter().any(|declaration| match declaration {
        Declaration::Machine(machine) => has_cache_messages(&machine.body),
        Declaration::InPort(port) => &*port.message.text == "CacheMsg",
        _ => false,
    })
}

/// The warning that lists the older forms in a protocol. The form that gem5 replaced first dates the protocol.
fn warning(mut found: Vec<(Older, Span)>) -> Option<Diagnostic> {
    found.sort_by_key(|(older, _)| *older);
    let (oldest, span) = *found.first()?;
    let message = format!("this is the dialect of gem5 before {}", date(oldest.until));
    let said = |(older, _): &(Older, Span)| format!("{} (until {})", older.what, date(older.until));
    let all: Vec<String> = found.iter().map(said).collect();
    let hint = format!("read as today's language: {}", all.join(", "));
    Some(Diagnostic::warning(span, message).hint(hint))
}

/// A date such as `August 2015`.
fn date((year, month): (u16, u8)) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    format!("{} {year}", MONTHS[usize::from(month - 1) % 12])
}

/// Whether a machine is declared without `MachineType:`; the parser gives both words one place.
fn is_older(machine: &Machine) -> bool {
    machine.family.span == machine.name.span
}

/// The machines among some declarations.
fn machines(declarations: &mut [Declaration]) -> impl Iterator<Item = &mut Machine> {
    declarations.iter_mut().filter_map(|declaration| match declaration {
        Declaration::Machine(machine) => Some(machine),
        _ => None,
    })
}
