//! Colours of a terminal.

/// Paints words for a terminal, or leaves them as they are.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Paints if `on`, and leaves words as they are otherwise.
    pub fn new(on: bool) -> Paint {
        Paint { on }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Paints a good result.
    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Paints a bad result.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Paints an undecided result.
    pub fn unsure(self, text: &str) -> String {
        self.with("33", text)
    }

    /// Paints text in the colour of the verdict `word`.
    pub fn verdict(self, word: &str, text: &str) -> String {
        match word {
            "consistent" => self.good(text),
            "violation" => self.bad(text),
            _ => self.unsure(text),
        }
    }

    /// Paints text that is less important.
    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }
}
