//! The papers' algorithms, as they are published, on this program's histories.
//!
//! Their comparison is the point: each is kept as its paper describes it, costs included, and is
//! not what [`crate::check`] uses by default. A folder for each family:
//!
//! - [`criteria`]: the criteria that are weaker than SC or TSO (CAV 2019);
//! - [`gradual`]: the axioms as a formula; a weaker criterion first, then enumeration or SAT over the
//!   rest (CAV 2019, Boosting);
//! - [`saturation`]: wSC, wTSO, and extensions (Boosting);
//! - `dbcop`: search over interleavings (Boosting);
//! - [`hpca`]: the family of HPCA 2006;
//! - [`qadeer`]: the simple witness, constraint graphs and nice cycles (Qadeer).
//!
//! They share [`execution`], a history with explicit initial writes, program order and reads-from;
//! `program_order`, reduced to neighbours; and with the rest of the crate `digraph`,
//! [`crate::engine::relation`] and `pairs`.
//!
//! An algorithm gets a [`Problem`] and returns a [`Report`]; [`Algorithm`](crate::Algorithm) has a row for each. It needs to know every read's source
//! (the papers assume that values are written once), and gives up when the bounds are met. Runs
//! that it finds are performed on the operational machine before they count; where it finds that
//! there is none without being able to write down a proof, [`crate::check`] makes one.

pub mod criteria;
pub(crate) mod dbcop;
pub mod execution;
pub mod gradual;
pub mod hpca;
pub(crate) mod program_order;
pub mod qadeer;
pub mod saturation;

use history::{History, OpId, ReadsFrom};

use crate::bounds::Bounds;
use crate::decide::Options;
use crate::engine::proof::Violation;
use crate::verdict::{Reason, Statistics};
use memory::Model;

use criteria::violation::CriterionViolation;

/// What an algorithm is asked.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The history; no read of it is of thin air.
    pub history: &'a History,
    /// Its reads-from, without ambiguous reads.
    pub reads_from: &'a ReadsFrom,
    /// The writes of final values: each comes last at its location.
    pub finals: &'a [OpId],
    /// The model; the algorithm applies to it.
    pub model: Model,
    /// Limits and choices.
    pub options: &'a Options,
    /// When to give up.
    pub bounds: &'a Bounds,
}

/// What it answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A memory order of all operations: loads where they read, plain stores where they reach
    /// memory.
    Order(Vec<OpId>),
    /// There is no run.
    Refuted,
    /// There is no run, with a proof.
    Violation(Violation),
    /// The criterion holds, which is weaker than the model.
    Satisfied,
    /// It does not.
    CriterionViolation(CriterionViolation),
    /// It cannot tell.
    GaveUp(Reason),
    /// A bound was met.
    Exceeded,
}

/// An answer and what it took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// What it took.
    pub statistics: Statistics,
}

impl From<Answer> for Report {
    fn from(answer: Answer) -> Report {
        Report { answer, statistics: Statistics::default() }
    }
}

/// Whether the bounds let an algorithm start that takes this many bytes. Asks for a megabyte at
/// least, so that memory is looked at even where little is needed.
fn may_start(bounds: &Bounds, bytes: usize) -> bool {
    bounds.allows(bytes.max(1 << 20)) && !bounds.passed()
}
