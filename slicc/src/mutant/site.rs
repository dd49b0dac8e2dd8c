//! Where a mutant differs from its protocol.

use std::fmt;

use super::Operator;

/// Where a mutant comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is a known fault with a name.
    Named,
    /// An operator made it.
    Made {
        /// The operator.
        operator: Operator,
        /// Where it was applied.
        site: Site,
    },
}

impl Origin {
    /// The operator that made it, if one did.
    pub fn operator(&self) -> Option<Operator> {
        if let Origin::Made { operator, .. } = self { Some(*operator) } else { None }
    }
}

/// A place of a protocol that an operator edits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The machine.
    pub machine: String,
    /// The state, if the edit is about one entry of the table.
    pub state: Option<String>,
    /// The event, if the edit is about one entry of the table.
    pub event: Option<String>,
    /// What is edited. Of an entry: the action, with `@2` behind it if it is the second of its name, or
    /// what else is special to the edit. Otherwise the action, port or buffer, such as
    /// `action:send_data@1`, with a number if several places in it could be meant.
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
