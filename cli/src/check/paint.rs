//! Colours in the output.

use std::sync::OnceLock;

use clap::ValueEnum;

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

/// Paints words for a terminal, or leaves them as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Follows the user's choice. Without one, there is colour on a terminal, unless NO_COLOR forbids it.
    pub(crate) fn new(terminal: bool) -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Paint {
            on: match CHOICE.get() {
                Some(Choice::Always) => true,
                Some(Choice::Never) => false,
                _ => terminal && !refused,
            },
        }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Paints a good result.
    pub(crate) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Paints a bad result.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Paints an undecided result.
    pub(crate) fn unsure(self, text: &str) -> String {
        self.with("33", text)
    }

    /// Paints text in the colour of the verdict `word`.
    pub(crate) fn verdict(self, word: &str, text: &str) -> String {
        match word {
            "consistent" => self.good(text),
            "violation" => self.bad(text),
            _ => self.unsure(text),
        }
    }

    /// Paints text that is less important.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }
}
