//! [`Published`]: an algorithm of another crate, such as one that a paper has published. Its [`Problem`] and its [`Report`] are all that
//! this crate shares with it.
//!
//! An algorithm needs to know the source of every read (the papers assume that values are written once), and gives up when
//! the bounds are met. A run that it finds counts only after the operational machine has executed it. If it finds that there is no
//! run but has no proof, [`crate::check`] searches for one.

use history::{History, OpId, ReadsFrom};
use host::Bounds;
use memory::Model;

use crate::algorithm::Power;
use crate::criterion_violation::CriterionViolation;
use crate::engine::proof::Violation;
use crate::verdict::{Reason, Statistics};

/// An algorithm that is not one of this crate's stages.
#[derive(Debug)]
pub struct Published {
    /// The name on the command line and in tables; no two algorithms have the same.
    pub name: &'static str,
    /// What the algorithm does, as a sentence.
    pub title: &'static str,
    /// The answers that it can give.
    pub power: Power,
    /// The models that it applies to; `None` for all.
    pub models: Option<&'static [Model]>,
    /// The paper and section that define it.
    pub paper: &'static str,
    /// Runs it.
    pub run: fn(&Problem<'_>) -> Report,
}

/// The input of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The history. None of its reads is a thin-air read.
    pub history: &'a History,
    /// The history's reads-from, without ambiguous reads.
    pub reads_from: &'a ReadsFrom,
    /// The writes of final values, each of which comes last at its location.
    pub finals: &'a [OpId],
    /// The model. The algorithm must apply to it.
    pub model: Model,
    /// Maximum number of contradictions that a search or the SAT solver may meet.
    pub budget: u64,
    /// Whether the algorithms of HPCA 2006 sort without inferring edges first.
    pub no_baseline: bool,
    /// For the algorithms of HPCA 2006: the order of all writes of each location.
    pub store_order: Option<&'a [OpId]>,
    /// The time and memory after which to give up.
    pub bounds: &'a Bounds,
}

impl<'a> Problem<'a> {
    /// A problem without choices, and without limits other than the bounds.
    pub fn new(
        history: &'a History,
        reads_from: &'a ReadsFrom,
        finals: &'a [OpId],
        model: Model,
        bounds: &'a Bounds,
    ) -> Problem<'a> {
        let (budget, no_baseline, store_order) = (u64::MAX, false, None);
        Problem { history, reads_from, finals, model, budget, no_baseline, store_order, bounds }
    }
}

/// The answer of an algorithm.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The history is consistent, with a memory order of all operations: loads where they read, plain
    /// stores where they reach memory.
    Order(Vec<OpId>),
    /// The history has no run.
    Refuted,
    /// The history has no run, with a proof.
    Violation(Violation),
    /// The algorithm's criterion holds, which is weaker than the model.
    Satisfied,
    /// The algorithm's criterion does not hold, with a proof.
    CriterionViolation(CriterionViolation),
    /// The algorithm cannot tell.
    GaveUp(Reason),
    /// A bound was met.
    Exceeded,
}

/// An answer and statistics of the work.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// Statistics of the work.
    pub statistics: Statistics,
}

impl From<Answer> for Report {
    fn from(answer: Answer) -> Report {
        Report { answer, statistics: Statistics::default() }
    }
}

/// Whether the bounds allow an algorithm that needs this many bytes to start. At least 1 MiB is
/// checked, so that the memory limit is checked even if little is needed.
pub fn may_start(bounds: &Bounds, bytes: usize) -> bool {
    bounds.allows(bytes.max(1 << 20)) && !bounds.passed()
}
