//! The origins of mutants, and the places that they edit.

use std::fmt;

use crate::operator::Operator;

/// The origin of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A known fault with a name.
    Named,
    /// A table of repairs of released protocols, which the program comes with.
    Repair,
    /// An operator.
    Made {
        /// The operator.
        operator: Operator,
        /// The place where it was applied.
        site: Site,
    },
}

impl Origin {
    /// The operator that made the mutant; `None` for a known fault or a repair.
    pub fn operator(&self) -> Option<Operator> {
        if let Origin::Made { operator, .. } = self { Some(*operator) } else { None }
    }
}

/// A place of a protocol that an operator edits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Name of the machine.
    pub machine: String,
    /// The state, if the edit is about one entry of the table.
    pub state: Option<String>,
    /// The event, if the edit is about one entry of the table.
    pub event: Option<String>,
    /// The part that is edited. In an entry: the action, followed by `@2` if it is the second of its name, or another
    /// word that identifies the edit. Otherwise the action, port or buffer, such as `action:send_data@1`, with a
    /// number if it has several places of that kind.
    pub place: String,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.machine)?;
        if let (Some(state), Some(event)) = (&self.state, &self.event) {
            write!(f, "{state}.{event}/")?;
        }
        f.write_str(&self.place)
    }
}
