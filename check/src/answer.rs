//! [`Answer`]: whether a model allows a history, with all that is to be said of it.

use std::borrow::Borrow;

use history::{History, ReadsFrom};
use memory::Model;

use crate::algorithm::Algorithm;
use crate::assumptions;
use crate::engine::proof::Violation;
use crate::headline::Headline;
use crate::settle::Cases;
use crate::verdict::{Outcome, Reason, Verdict};

/// The answer to a [`Question`](crate::Question) about a history, which is borrowed or shared.
#[derive(Clone, Debug)]
pub struct Answer<H> {
    /// The history as it was read.
    pub whole: H,
    /// The history as the model sees it, in the case that is shown, if that is another one.
    pub form: Option<History>,
    /// The writes that the reads of [`Answer::history`] take their values from.
    pub reads_from: ReadsFrom,
    /// The model that was asked about.
    pub model: Model,
    /// The algorithm that was asked to decide.
    pub algorithm: Algorithm,
    /// The verdict, whose operations are those of [`Answer::history`].
    pub outcome: Outcome,
    /// The cases by which the verdict is proved.
    pub cases: Cases,
    /// The time that deciding took, in seconds.
    pub seconds: f64,
}

impl<H: Borrow<History>> Answer<H> {
    /// The history as the model sees it, which the verdict is about.
    pub fn history(&self) -> &History {
        self.form.as_ref().unwrap_or(self.whole.borrow())
    }

    /// The verdict on [`Answer::history`].
    pub fn verdict(&self) -> &Verdict {
        &self.outcome.verdict
    }

    /// The violation of the model, if it was proved.
    pub fn violation(&self) -> Option<&Violation> {
        match self.verdict() {
            Verdict::Violation(violation) => Some(violation),
            _ => None,
        }
    }

    /// Why the history is undecided, if it is.
    pub fn undecided(&self) -> Option<&Reason> {
        match self.verdict() {
            Verdict::Undecided(reason) => Some(reason),
            _ => None,
        }
    }

    /// The same answer with another proof of the violation.
    #[must_use]
    pub fn with_violation(&self, violation: Violation) -> Answer<H>
    where
        H: Clone,
    {
        let mut answer = self.clone();
        answer.outcome.verdict = Verdict::Violation(violation);
        answer
    }

    /// The criterion that was asked about, if that is weaker than the model.
    pub fn criterion(&self) -> Option<&'static str> {
        self.algorithm.criterion()
    }

    /// The name of the model or criterion that the verdict is about.
    pub fn subject(&self) -> &'static str {
        self.criterion().unwrap_or(self.model.name())
    }

    /// The name of the model or criterion that a certificate is about. A proof by the rules of a model is about the model, even
    /// if the algorithm that found it decides a weaker criterion.
    pub fn claimed(&self) -> &'static str {
        match self.verdict() {
            Verdict::CriterionViolation(_) => self.subject(),
            _ => self.model.name(),
        }
    }

    /// The first line about the answer. `name` is that of the file, with that of the history if it has one.
    pub fn headline<'a>(&self, name: &'a str) -> Headline<'a> {
        Headline {
            word: self.verdict().word(),
            how: match self.criterion() {
                Some(_) => format!("weaker than {}", self.model),
                None => format!("{} by {}", self.model, self.outcome.decided_by),
            },
            seconds: self.seconds,
            ..Headline::about(self.history(), self.subject(), name)
        }
    }

    /// The limits of the answer, one sentence each. What was assumed while the history was read is not among them: see
    /// [`assumptions::of`].
    pub fn caveats(&self) -> Vec<String> {
        let provenance = &self.history().provenance;
        let is_consistent = matches!(self.verdict(), Verdict::Consistent(_));
        let unknown = assumptions::of_consistent(provenance, self.model);
        let caveats = [
            assumptions::of_reads(&self.reads_from),
            unknown.filter(|_| is_consistent),
            self.cases.describe(self.whole.borrow()),
            assumptions::of_model(provenance, self.model),
        ];
        caveats.into_iter().flatten().collect()
    }
}
