//! What completion chooses.

/// That a write is placed before another one of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// The write that is placed.
    pub write: u32,
    /// The other.
    pub other: u32,
}
