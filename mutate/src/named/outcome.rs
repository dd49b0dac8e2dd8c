//! [`Outcome`]: whether a clause of a fault has changed a protocol.

/// The result of applying a clause.
pub(super) enum Outcome {
    Changed,
    /// The protocol is already as the clause would make it; the text says how.
    Already(String),
}

/// The outcome of a clause; `already` says how the protocol is as the clause would make it.
pub(super) fn changed(is_changed: bool, already: impl FnOnce() -> String) -> Outcome {
    if is_changed { Outcome::Changed } else { Outcome::Already(already()) }
}
