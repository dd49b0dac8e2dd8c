//! Colours in the output.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use clap::ValueEnum;
use host::Paint;

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// On a terminal, unless NO_COLOR forbids it.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The user's choice of when to colour the output.
static CHOICE: OnceLock<Choice> = OnceLock::new();

/// Sets the user's choice. Later calls have no effect.
pub(crate) fn choose(choice: Choice) {
    // Only the first choice counts.
    let _ = CHOICE.set(choice);
}

/// Follows the user's choice for standard output. Without one, there is colour on a terminal, unless NO_COLOR forbids it.
pub(crate) fn paint() -> Paint {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Paint::new(match CHOICE.get() {
        Some(Choice::Always) => true,
        Some(Choice::Never) => false,
        _ => io::stdout().is_terminal() && !refused,
    })
}
