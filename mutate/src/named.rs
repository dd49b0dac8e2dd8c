//! The mutants that come with the program: known faults of protocols, by name.
//!
//! The tables `fixtures/protocols/mutants/PROTOCOL.faults` describe each fault by machine, states, events, and the
//! calls that it adds, removes or changes (`named::fault` has the format, `named::clause` the possible changes). The
//! names of states, events, buffers and functions of Ruby are gem5's. So a description fits any protocol of that
//! name, whatever its actions and ports are called: the built-in one, gem5's own files, or an edited copy. Unless
//! exactly one place fits, [`Misfit`] has a description of the place and the candidates.
//!
//! The tables `fixtures/protocols/repairs/PROTOCOL.repairs` describe repairs ([`crate::repair`]) in
//! the same way.

pub(crate) mod apply;
mod bodies;
mod clause;
mod draft;
mod error;
pub(crate) mod fault;
pub(crate) mod misfit;
mod outcome;
mod pattern;
pub(crate) mod places;
mod ports;
mod statements;
pub(crate) mod syntax;
pub(crate) mod tables;
mod whole;

use std::borrow::Cow;

use slicc::near::near;

use crate::mutant::{Change, Mutant};
use crate::site::Origin;
use fault::Fault;
pub use misfit::Misfit;
use tables::faults;

impl Fault {
    fn mutant(&'static self, origin: Origin) -> Mutant {
        Mutant {
            name: Cow::Borrowed(self.name),
            aliases: self.aliases.iter().map(|&one| Cow::Borrowed(one)).collect(),
            protocol: Cow::Borrowed(self.protocol),
            description: self.about.clone(),
            origin,
            change: Change::Described(self),
            settings: self.settings.clone(),
        }
    }
}

/// Returns all named mutants, protocol by protocol.
pub fn all() -> impl Iterator<Item = Mutant> {
    faults(|_| true).map(|one| one.mutant(Origin::Named))
}

/// Returns the named mutants of a protocol.
pub fn of(protocol: &str) -> impl Iterator<Item = Mutant> {
    all().filter(move |one| one.protocol == protocol)
}

/// Finds a mutant by its name or an alias.
pub fn find(name: &str) -> Option<Mutant> {
    let mut named = faults(|table| table.contains(name));
    let mut other = faults(|table| table.contains(name));
    let found = named
        .find(|one| one.name == name)
        .or_else(|| other.find(|one| one.aliases.contains(&name)));
    found.map(|one| one.mutant(Origin::Named))
}

/// All repairs; [`crate::repair`] is their interface.
pub(crate) fn repairs() -> impl Iterator<Item = Mutant> {
    tables::repairs().map(|one| one.mutant(Origin::Repair))
}

/// Returns the names that contain `name` or are similar to it, the most similar first.
pub fn nearest(name: &str) -> Vec<&'static str> {
    near(name, faults(|_| true).map(|one| one.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_can_be_read() {
        for one in fixtures::PROTOCOLS {
            fault::parse(one.name, one.faults).unwrap();
        }
        assert_eq!(all().count(), 82);
        for (name, text) in fixtures::REPAIRS {
            fault::parse(name, text).unwrap();
        }
    }

    #[test]
    fn names_are_found() {
        assert!(of("MI_example").all(|one| one.protocol == "MI_example"));
        assert!(all().all(|one| find(&one.name) == Some(one)));
        let other = find("mesi-lq-is-inv").map(|one| one.name);
        assert_eq!(other.as_deref(), Some("mesi2-l1-is-inv-no-notify"));
        assert_eq!(find("no-such-mutant"), None);
    }

    #[test]
    fn every_mutant_has_a_description() {
        for one in all() {
            let about = &one.description;
            assert!(about.ends_with('.') && about.len() > 40, "{}", one.name);
        }
    }

    #[test]
    fn near_names() {
        assert_eq!(nearest("mesi2-l1-is-inv-not-notify")[0], "mesi2-l1-is-inv-no-notify");
        assert_eq!(nearest("clobbers"), ["mi-dir-dmawrite-clobbers-line"]);
        assert!(nearest("something-else-entirely-that-is-long").is_empty());
        assert!(nearest("").is_empty());
    }
}
