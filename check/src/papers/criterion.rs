//! Why a history does not satisfy one of the criteria that are weaker than SC and TSO.

/// A cycle, and the relation it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {}
