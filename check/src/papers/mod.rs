//! The algorithms of the papers, as published, for comparison with each other and with this program's
//! own stages.
//!
//! Each is kept as its paper describes it, costs included. [`crate::check`] does not use them by default.
//! Each family has a folder:
//!
//! - [`criteria`]: the criteria that are weaker than SC or TSO (CAV 2019);
//! - [`gradual`]: the axioms as a formula; a weaker criterion first, then enumeration or SAT over the
//!   rest (CAV 2019, Boosting);
//! - [`saturation`]: wSC, wTSO, and extensions (Boosting);
//! - `dbcop`: search over interleavings (Boosting);
//! - [`hpca`]: the family of HPCA 2006;
//! - [`qadeer`]: the simple witness, constraint graphs and nice cycles (Qadeer).
//!
//! They share [`execution`], a history with explicit initial writes, program order and reads-from, and
//! `program_order`, program order reduced to neighbours. With the rest of the crate they share `digraph`,
//! [`crate::engine::relation`] and `pairs`.
//!
//! An algorithm gets a [`Problem`] and returns a [`Report`]; [`Algorithm`] has a row for
//! each. It needs to know the source of every read (the papers assume that values are written once), and
//! gives up when the bounds are met. A run that it finds counts only after the operational machine has
//! executed it. If it finds that there is no run but has no proof, [`crate::check`] searches for one.
//!
//! Relations have the names of the papers: `wr` is reads-from (`wr_e` that from other threads), `ww` the store order
//! (coherence order), `rw` from-reads, and `co` causality.

pub mod criteria;
pub(crate) mod dbcop;
pub mod execution;
pub mod gradual;
pub mod hpca;
pub(crate) mod program_order;
pub mod qadeer;
pub mod saturation;

use history::{History, OpId, ReadsFrom};
use host::Bounds;

use crate::algorithm::Algorithm;
use crate::engine::proof::Violation;
use crate::options::Options;
use crate::verdict::{Reason, Statistics};
use memory::Model;

use criteria::violation::CriterionViolation;
use execution::Execution;

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
    /// Limits and choices.
    pub options: &'a Options,
    /// The time and memory after which to give up.
    pub bounds: &'a Bounds,
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

/// Runs the algorithm of the problem's options; `None` for a stage, which [`crate::decide()`] runs.
pub(crate) fn run(problem: &Problem<'_>) -> Option<Report> {
    use Algorithm::*;
    let run: fn(&Problem<'_>) -> Report = match problem.options.algorithm {
        Stages | TraceOrder | Saturate | Complete | Sat => return None,
        Cc => criteria::causal::cc,
        Ccv => criteria::causal::ccv,
        Cm => criteria::convergent::cm,
        Ccm => criteria::convergent::ccm,
        Wccm => criteria::weak::wccm,
        ScSat | TsoSat => gradual::axioms,
        ScCcmEnum | ScCcmSat | TsoWccmEnum | TsoWccmSat | WscEnum | CcmEnum => gradual::decide,
        Wsc | Wtso => saturation::clocks::decide,
        WscPattern => saturation::pattern::decide,
        WscGuess1 => saturation::guess::decide,
        Dbcop => dbcop::dbcop,
        WscDbcop => dbcop::wsc_dbcop,
        TsoBaseline | HpcaR8 | Heu | Deriv | HeuBack | DerivBack => hpca::run,
        SimpleWitness | NiceCycle => qadeer::run,
    };
    if !may_start(problem.bounds, Execution::bytes(problem.history)) {
        return Some(Answer::Exceeded.into());
    }
    Some(run(problem))
}

/// Whether the bounds allow an algorithm that needs this many bytes to start. At least 1 MiB is
/// checked, so that the memory limit is checked even if little is needed.
fn may_start(bounds: &Bounds, bytes: usize) -> bool {
    bounds.allows(bytes.max(1 << 20)) && !bounds.passed()
}
