//! [`Question`]: whether a model allows a history. All that ask it, ask it here, and get an [`Answer`].

use std::borrow::{Borrow, Cow};
use std::time::Instant;

use history::{History, ReadsFrom};
use host::Bounds;
use memory::Model;

use crate::answer::Answer;
use crate::decide::{check_within, decide};
use crate::options::Options;
use crate::settle::{Settled, settle};

/// Whether a model allows a history, and how to find out.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The model that may allow the history.
    pub model: Model,
    /// The algorithm, and the limits unless there are `bounds`.
    pub options: &'q Options,
    /// The limits of all forms and cases of the history together, in place of those of the options. They can have a flag that cancels
    /// the work.
    pub bounds: Option<&'q Bounds>,
    /// Whether the algorithm runs alone, so that a violation is [unproved](crate::Verdict::Unproved) if it gives no proof.
    pub is_alone: bool,
}

impl<'q> Question<'q> {
    /// Asks for an answer with a proof, within the limits of the options.
    pub fn new(model: Model, options: &'q Options) -> Question<'q> {
        Question { model, options, bounds: None, is_alone: false }
    }

    /// The same question within these bounds instead of those of the options.
    #[must_use]
    pub fn within(self, bounds: &'q Bounds) -> Question<'q> {
        Question { bounds: Some(bounds), ..self }
    }

    /// The same question to the algorithm alone.
    #[must_use]
    pub fn alone(self) -> Question<'q> {
        Question { is_alone: true, ..self }
    }

    /// Decides a history, a reference to one or a shared one, with its reads-from. The verifier has accepted the proof of a violation.
    ///
    /// Cost: that of [`check()`](fn@crate::check), which is linear for most histories and exponential in the worst case; twice that if some
    /// read-modify-writes may have failed and their strictest form is a violation; more, for at most 64 cases, if that leaves it open.
    pub fn ask<H: Borrow<History>>(self, whole: H, reads_from: &ReadsFrom) -> Answer<H> {
        let Question { model, options, .. } = self;
        let start = Instant::now();
        let own = Bounds::new(options.timeout, options.max_memory);
        let bounds = self.bounds.unwrap_or(&own);
        let settled = settle(whole.borrow(), reads_from, model, |history, reads_from| {
            if self.is_alone {
                return decide(history, reads_from, model, options, bounds);
            }
            check_within(history, reads_from, model, options, bounds)
        });
        let settled = if self.is_alone { settled.accepted(model) } else { settled };
        let Settled { history, reads_from, outcome, cases } = settled;
        let form = match history {
            Cow::Borrowed(_) => None,
            Cow::Owned(form) => Some(form),
        };
        let algorithm = options.algorithm;
        let seconds = start.elapsed().as_secs_f64();
        Answer { whole, form, reads_from, model, algorithm, outcome, cases, seconds }
    }
}
