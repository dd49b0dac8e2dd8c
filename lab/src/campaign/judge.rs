//! Checks the history of a run: against the model that its cores guarantee, and if it violates that, against all criteria.

use std::borrow::Cow;

use check::shrink::detect;
use check::{Bounds, Model, Question, Verdict};
use history::{Ambiguity, History, ReadsFrom, WrittenTwice};
use papers::Guarantee;
use tables::{Checked, Finding};

use crate::certify::{CertifyError, certify};

/// The history of a run that has ended, and the model that its client guarantees.
pub(crate) struct Ended<'h> {
    whole: &'h History,
    whole_reads: ReadsFrom,
    /// The history as the model sees it.
    history: Cow<'h, History>,
    reads_from: ReadsFrom,
    model: Model,
}

impl<'h> Ended<'h> {
    /// Prepares a history for its verdict.
    ///
    /// # Errors
    /// Fails if a value is written twice.
    pub(crate) fn new(history: &'h History, model: Model) -> Result<Ended<'h>, WrittenTwice> {
        let whole_reads = ReadsFrom::derive(history, Ambiguity::RefuseShared)?;
        let prepared = model.prepare(history);
        let reads_from = ReadsFrom::derive(&prepared, Ambiguity::RefuseShared)?;
        Ok(Ended { whole: history, whole_reads, history: prepared, reads_from, model })
    }

    /// The history.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// Decides whether the history satisfies the client's model, and verifies the certificate. If it does not, also decides all
    /// criteria.
    ///
    /// # Errors
    /// Fails if the certificate is rejected.
    pub(crate) fn judge(
        &self,
        options: &check::Options,
    ) -> Result<(Finding, [Checked; 10]), CertifyError> {
        let model = self.model;
        let answer = Question::new(model, options).ask(self.whole, &self.whole_reads);
        certify(&answer)?;
        let finding = match answer.verdict() {
            Verdict::Consistent(_) => Finding::Consistent,
            Verdict::Violation(_) => Finding::Violation,
            // The engine's stages never end with a criterion.
            Verdict::Undecided(_)
            | Verdict::Unproved
            | Verdict::Satisfied
            | Verdict::CriterionViolation(_) => Finding::Undecided,
        };
        let criteria = Guarantee::ALL.map(|guarantee| match finding {
            Finding::Violation => self.decide(guarantee, options),
            // Criteria that follow from the model are known to hold. The others are not needed for a history without fault.
            Finding::Consistent if guarantee.follows_from(model) => {
                Checked { finding: Some(Finding::Consistent), ..Checked::default() }
            }
            _ => Checked::default(),
        });
        Ok((finding, criteria))
    }

    /// Whether the history satisfies a criterion, and if not, after how many operations the violation shows.
    fn decide(&self, guarantee: Guarantee, options: &check::Options) -> Checked {
        let options = check::Options { algorithm: guarantee.algorithm(), ..options.clone() };
        let bounds = Bounds::new(options.timeout, options.max_memory);
        let found = detect(&self.history, &self.reads_from, guarantee.model(), &options, &bounds);
        Checked {
            finding: Some(match found.violates() {
                Some(true) => Finding::Violation,
                Some(false) => Finding::Consistent,
                None => Finding::Undecided,
            }),
            operations: found.first.map(|first| first.operations as u32),
            seconds: Some(found.seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_under_all_models_can_be_read_again() {
        for model in memory::models::ALL {
            let run = tables::CampaignRun {
                model: model.name().to_owned(),
                ..tables::CampaignRun::default()
            };
            let text = serde_json::to_string(&run).unwrap();
            let again: tables::CampaignRun = serde_json::from_str(&text).unwrap();
            assert_eq!(again, run);
        }
    }

    #[test]
    fn criteria_are_in_the_order_of_the_table() {
        assert_eq!(Guarantee::ALL.map(Guarantee::name), tables::CRITERIA);
    }
}
