//! The table of equivalent mutants.

use crate::records::{Cell, Record, fields, table};

/// A mutant that cannot change what its protocol does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equivalent {
    /// The protocol.
    pub protocol: String,
    /// Id of the mutant.
    pub mutant: String,
    /// The mutation operator that made the mutant.
    pub operator: String,
    /// The kind of argument for equivalence, such as `commuting`.
    pub kind: String,
    /// Why the mutant changes nothing.
    pub reason: String,
}

impl Record for Equivalent {
    const TABLE: &'static str = "a table of equivalent mutants";
    const MADE_BY: &'static str = "rubric campaign";

    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)> {
        fields!(self:
            protocol mutant operator kind reason
        )
    }
}

table!(Equivalent: write_equivalents read_equivalents);
