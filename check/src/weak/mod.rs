//! The engine for weak models: RVWMO, Ztso, Armv8, WMO and RMO.
//!
//! These models order few operations of a thread, so the chains and vector clocks of
//! [`crate::engine`] do not fit them. This engine takes preserved program order as a
//! [graph](memory::weak::graph), and knows for each node the set of writes that precede it, as bits:
//!
//! - `windows` finds a memory order of a long history with [`crate::engine::windows`], over a graph in which
//!   `joins` has reduced the number of joins;
//! - `excerpts` finds a violation of a long history in a part of it;
//! - `forced` derives the order that the reads force, by rules R4 to R7 of Manovit & Hangal (HPCA 2006,
//!   section 4.1), which hold under every model with the load value axiom;
//! - `place` extends that order to a memory order by placing one access after the other;
//! - where that gets stuck, `search` tries both orders of a pair of writes, and each candidate of a read with
//!   several, and hands over to the SAT stage, `open_pairs`, if that takes long;
//! - `explain` turns a cycle into a block of a [proof](crate::engine::proof).
//!
//! Memory: a bit for each pair of a node and a write.

mod excerpts;
mod explain;
mod forced;
mod joins;
mod open_pairs;
mod place;
mod search;
mod windows;

use history::{History, OpId, ReadsFrom};
use host::Bounds;
use memory::Model;
use memory::machine::Step;
use memory::weak::order;

use crate::algorithm::Algorithm;
use crate::engine;
use crate::engine::finals::Finals;
use crate::engine::proof::Violation;
use crate::engine::windows::WindowOutcome;
use crate::verdict::{Outcome, Reason, Stage, Verdict};
use excerpts::Parts;
use forced::Forced;
use search::{End, SatHandover, Search};
use windows::Nodes;

/// Memory of preserved program order and of the columns beside it, in bytes for each operation.
const BYTES_PER_OPERATION: usize = 250;

/// A history under a weak model, in the form that [`Model::prepare`] returns.
pub(crate) struct Task<'a> {
    pub history: &'a History,
    pub reads_from: &'a ReadsFrom,
    pub finals: &'a Finals,
    pub model: Model,
    pub bounds: &'a Bounds,
    /// Contradictions that the search may meet.
    pub budget: u64,
}

impl Task<'_> {
    /// Runs the stages that the algorithm asks for.
    pub(crate) fn decide(&self, algorithm: Algorithm) -> Outcome {
        if matches!(algorithm, Algorithm::Stages | Algorithm::TraceOrder) {
            let by = Stage::By(Algorithm::TraceOrder);
            if let Some(order) = self.trace_order() {
                return Outcome::new(consistent(order), by);
            }
            if algorithm == Algorithm::TraceOrder {
                return Outcome::new(Verdict::Undecided(Reason::NoTraceOrder), by);
            }
        }
        let saturate = Stage::By(Algorithm::Saturate);
        let exceeded = || Outcome::new(Verdict::Undecided(Reason::exceeded(self.bounds)), saturate);
        if !self.bounds.allows(self.history.len() * BYTES_PER_OPERATION) {
            return exceeded();
        }
        if let Some(outcome) = self.decide_by_parts(algorithm) {
            return outcome;
        }
        if self.bounds.passed() || !self.bounds.allows(self.history.len() * BYTES_PER_OPERATION) {
            return exceeded();
        }
        let mut forced = Forced::new(self);
        let found = forced.saturate(self.bounds);
        let derived = forced.derived();
        let mut outcome = match found {
            Err(forced::SaturationStop::Exceeded) => exceeded(),
            Err(forced::SaturationStop::Cycle(cycle)) => {
                let block = forced.explain(&cycle);
                let violation = Violation { blocks: vec![block], resolvents: Vec::new() };
                Outcome::new(Verdict::Violation(violation), saturate)
            }
            Ok(()) if algorithm == Algorithm::Saturate => {
                Outcome::new(Verdict::Undecided(Reason::NoForcedContradiction), saturate)
            }
            Ok(()) => self.search(forced, algorithm),
        };
        outcome.statistics.edges = derived;
        outcome
    }

    /// Decides a long history by windows or excerpts, which do not need the memory that the whole history takes.
    fn decide_by_parts(&self, algorithm: Algorithm) -> Option<Outcome> {
        if self.history.len() < windows::MINIMUM {
            return None;
        }
        let nodes = Nodes::of(self);
        if self.bounds.passed() {
            return None;
        }
        let admission = engine::windows::admission(&nodes.input(&[]))?;
        let parts = Parts { task: self, nodes: &nodes, admission: &admission };
        let searches = matches!(algorithm, Algorithm::Stages | Algorithm::Complete);
        let mut stuck = None;
        if searches && self.reads_from.ambiguous() == 0 {
            for times in windows::WINDOW_SIZE_FACTORS {
                match nodes.order_by_windows(self, &admission, times) {
                    WindowOutcome::Order(order) => {
                        let order = nodes.accesses(&order);
                        if self.is_memory_order(&order) {
                            let by = Stage::By(Algorithm::Complete);
                            return Some(Outcome::new(consistent(order), by));
                        }
                    }
                    WindowOutcome::GaveUp { placed } if stuck.is_none() => {
                        stuck = Some(placed);
                        if let Some(violation) = parts.violation_where_stuck(placed) {
                            return Some(refuted(violation));
                        }
                    }
                    WindowOutcome::GaveUp { .. } => {}
                    WindowOutcome::Exceeded => return None,
                }
            }
        }
        parts.violation_somewhere(stuck).map(refuted)
    }

    /// The accesses in the order of completions that the trace shows, if that is a memory order.
    fn trace_order(&self) -> Option<Vec<OpId>> {
        if !self.history.has_order() {
            return None;
        }
        let mut order = self.history.in_order_of_completion();
        order.retain(|&op| !self.history.kind(op).is_fence());
        self.is_memory_order(&order).then_some(order)
    }

    fn is_memory_order(&self, order: &[OpId]) -> bool {
        order::check(self.history, self.model, order).is_ok()
    }

    fn search(&self, forced: Forced<'_>, algorithm: Algorithm) -> Outcome {
        let solving = match algorithm {
            Algorithm::Complete => SatHandover::Never,
            Algorithm::Sat => SatHandover::AtOnce,
            _ => SatHandover::Late,
        };
        let mut search = Search::new(self, forced, solving);
        let verdict = match search.run() {
            End::Order(order) if self.is_memory_order(&order) => consistent(order),
            End::Order(_) => Verdict::Undecided(Reason::FreeReads),
            End::Violation(violation) => Verdict::Violation(violation),
            End::Unproved => Verdict::Unproved,
            End::Budget => Verdict::Undecided(Reason::Budget(self.budget)),
            End::Exceeded => Verdict::Undecided(Reason::exceeded(self.bounds)),
        };
        let has_solved = search.sat().is_some();
        let by = if has_solved { Algorithm::Sat } else { Algorithm::Complete };
        let mut outcome = Outcome::new(verdict, Stage::By(by));
        outcome.statistics.backtracks = search.contradictions();
        outcome.statistics.sat = search.sat();
        outcome
    }
}

/// A violation that saturation found.
fn refuted(violation: Violation) -> Outcome {
    Outcome::new(Verdict::Violation(violation), Stage::By(Algorithm::Saturate))
}

/// A memory order as the steps of a certificate.
fn consistent(order: Vec<OpId>) -> Verdict {
    Verdict::Consistent(order.into_iter().map(Step::Execute).collect())
}
