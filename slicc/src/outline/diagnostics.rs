//! Collects diagnostics up to a limit.

use crate::source::{Diagnostic, Span};

/// Largest number of diagnostics about one protocol.
const MOST_REPORTED: usize = 100;

/// Diagnostics up to a limit; further ones are counted.
#[derive(Default)]
pub(super) struct Diagnostics {
    reported: Vec<Diagnostic>,
    omitted: usize,
}

impl Diagnostics {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.is_full() {
            self.omitted += 1;
        } else {
            self.reported.push(diagnostic);
        }
    }

    /// Whether the limit is reached, so that details are not worth computing.
    pub(super) fn is_full(&self) -> bool {
        self.reported.len() >= MOST_REPORTED
    }

    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        if self.omitted > 0 {
            let message = format!("and {} more", self.omitted);
            self.reported
                .push(Diagnostic { span: None, ..Diagnostic::error(Span::default(), message) });
        }
        self.reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_above_the_limit_are_counted() {
        let mut diagnostics = Diagnostics::default();
        for _ in 0..MOST_REPORTED + 5 {
            diagnostics.report(Diagnostic::error(Span::default(), "a"));
        }
        let reported = diagnostics.finish();
        assert_eq!(reported.len(), MOST_REPORTED + 1);
        assert_eq!(reported[MOST_REPORTED].message, "and 5 more");
    }
}
