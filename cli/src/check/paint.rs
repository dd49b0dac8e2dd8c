//! Colour, only where it is wanted.

/// Paints words for a terminal, or leaves them as they are.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Colour on a terminal, unless the environment has `NO_COLOR`.
    pub fn new(terminal: bool) -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Paint {
            on: terminal && !refused,
        }
    }

    /// No colour.
    pub fn plain() -> Paint {
        Paint { on: false }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Bad news.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// No news.
    pub fn unsure(self, text: &str) -> String {
        self.with("33", text)
    }

    /// What is less important.
    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }
}
