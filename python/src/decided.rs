//! [`Decided`]: a history with its verdict.

use std::sync::Arc;

use ::history::History as Operations;
use check::{Answer, Verdict as Decision};
use lab::text::shown;
use report::explain::words as proofs;

use crate::origin::Origin;

/// A decided history.
pub struct Decided {
    pub answer: Answer<Arc<Operations>>,
    pub origin: Arc<Origin>,
}

impl Decided {
    /// The first line of the text: `violation  sc   trace.gz  (3 threads, 180 operations; SC by saturate, 0.001 s)`
    pub fn headline(&self) -> String {
        let name = shown(&self.origin.file, &self.answer.whole);
        self.answer.headline(&name).to_string()
    }

    /// The verdict, and the reason for it, in words.
    pub fn text(&self) -> String {
        let mut text = self.headline();
        let plain = str::to_owned;
        let mut why = Vec::new();
        // Writing to memory does not fail.
        let history = self.answer.history();
        let _ = match self.answer.verdict() {
            Decision::Violation(violation) => {
                proofs::violation(history, violation, &plain, &mut why)
            }
            Decision::CriterionViolation(violation) => {
                proofs::criterion_violation(history, violation, &plain, &mut why)
            }
            Decision::Undecided(reason) => {
                why = format!("  {}\n", reason.describe(history)).into_bytes();
                Ok(())
            }
            Decision::Consistent(_) | Decision::Satisfied | Decision::Unproved => Ok(()),
        };
        text.push('\n');
        text += &String::from_utf8_lossy(&why);
        for caveat in self.answer.caveats() {
            text += &format!("  note: {caveat}\n");
        }
        text.truncate(text.trim_end().len());
        text
    }
}
