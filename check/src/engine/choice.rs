//! [`WriteOrderChoice`]: the decisions that completion makes.

/// The choice to place a write before another one of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WriteOrderChoice {
    /// The write that is placed.
    pub write: u32,
    /// The write that comes later.
    pub other: u32,
}
