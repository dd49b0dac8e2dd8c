//! Gradual checking: a weaker criterion first, then a total store order that extends the partial one
//! that it derives (CAV 2019, Algorithms 1 and 2 and section 5.1; Boosting, section 5).
//!
//! | algorithm | first | then |
//! |---|---|---|
//! | `sc-ccm-enum`, `sc-ccm-sat` | CC, CCv, CCM | enumeration, SAT |
//! | `tso-wccm-enum`, `tso-wccm-sat` | wCCM | enumeration, SAT |
//! | `ccm-enum` | CCM | SAT |
//! | `wsc-enum` | wSC | SAT |
//!
//! Those whose names end in `-published` compute CCM and wCCM as the papers do ([`crate::criteria::published`]); `wsc-enum`
//! always computes wSC as published ([`ForcedOrder`]).
//!
//! (The second paper calls SAT "enum".) The partial store order and everything that follows from it are known to
//! SAT in advance: the pairs that they order are not encoded. `sc-sat` and `tso-sat` use `encoding` alone, without
//! a partial order.

mod encoding;
pub mod enumerate;

use encoding::KnownOrder;
use enumerate::enumerate;

use crate::algorithms::{CC, CCM, CCM_PUBLISHED, CCV, WCCM, WCCM_PUBLISHED, WSC_PUBLISHED};
use crate::criteria::{NotDerived, causal, convergent, published, weak};
use crate::execution::{Execution, NONE};
use crate::program_order::{program_order, program_order_by_location};
use crate::saturation::ForcedOrder;
use certify::criterion::Criterion;
use check::Algorithm;
use check::engine::csr::Csr;
use check::engine::digraph::topological;
use check::engine::relation::Relation;
use check::published::{Answer, Problem, Report, may_start};
use memory::Model;

/// Nodes between two checks of the bounds.
const CHECK_INTERVAL: usize = 64;

/// Solves the axioms of the model as one formula (`sc-sat`, `tso-sat`).
pub fn axioms(problem: &Problem<'_>) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    encoding::solve(problem, &execution, None)
}

/// How CCM or wCCM is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// From the last reads of threads, which suffice.
    Fast,
    /// From all operations, as in the paper.
    Published,
}

/// Runs `sc-ccm-enum`.
pub(crate) fn sc_ccm_enum(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Fast, true, enumerate)
}

/// Runs `sc-ccm-sat`.
pub(crate) fn sc_ccm_sat(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Fast, true, solve)
}

/// Runs `tso-wccm-enum`.
pub(crate) fn tso_wccm_enum(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Fast, false, enumerate)
}

/// Runs `tso-wccm-sat` or `ccm-enum`.
pub(crate) fn one_criterion_sat(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Fast, false, solve)
}

/// Runs `sc-ccm-enum-published`.
pub(crate) fn sc_ccm_enum_published(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Published, true, enumerate)
}

/// Runs `sc-ccm-sat-published`.
pub(crate) fn sc_ccm_sat_published(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Published, true, solve)
}

/// Runs `tso-wccm-enum-published`.
pub(crate) fn tso_wccm_enum_published(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Published, false, enumerate)
}

/// Runs `tso-wccm-sat-published` or `ccm-enum-published`.
pub(crate) fn one_criterion_sat_published(problem: &Problem<'_>) -> Report {
    decide(problem, Form::Published, false, solve)
}

/// Decides with the partial store order that CCM or wCCM derives, which `extend` extends to a total one. With `weaker_first`, CC
/// and CCv are checked before.
fn decide(
    problem: &Problem<'_>,
    form: Form,
    weaker_first: bool,
    extend: fn(&Problem<'_>, &Execution<'_>, &Relation) -> Report,
) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    match partial(problem, &execution, form, weaker_first) {
        Err((_, NoOrder::Exceeded)) => Answer::Exceeded.into(),
        Err((fired, NoOrder::Violated)) => {
            let mut report = Report::from(Answer::Refuted);
            report.statistics.fired = Some(fired);
            report
        }
        Ok((ww, ordered)) => {
            let mut report = extend(problem, &execution, &ww);
            report.statistics.ordered = Some(ordered);
            report
        }
    }
}

/// Returns the partial store order of the weaker criterion, and the number of pairs of writes that it orders. If
/// a criterion does not hold or a bound was met, returns the algorithm that found this.
fn partial(
    problem: &Problem<'_>,
    execution: &Execution<'_>,
    form: Form,
    weaker_first: bool,
) -> Result<(Relation, u64), (Algorithm, NoOrder)> {
    let bounds = problem.bounds;
    let fires = |fired: Algorithm| move |stop: NotDerived| (fired, NoOrder::from(stop));
    if weaker_first {
        let cc = causal::consistent(execution, Criterion::Cc, bounds);
        cc.map_err(fires(CC))?;
        let ccv = causal::convergent(execution, bounds);
        ccv.map_err(fires(CCV))?;
    }
    if form == Form::Published {
        return as_published(problem, execution);
    }
    let (fired, order) = if problem.model == Model::SC {
        (CCM, convergent::convergent_memory(execution, bounds))
    } else {
        (WCCM, weak::weak_memory(execution, problem.reads_from, bounds))
    };
    let order = order.map_err(fires(fired))?;
    if may_start(bounds, Relation::bytes(execution.len())) {
        Ok((order.relation(), order.pairs(execution)))
    } else {
        Err((fired, NoOrder::Exceeded))
    }
}

/// Returns what [`partial`] does, from CCM or wCCM as published.
fn as_published(
    problem: &Problem<'_>,
    execution: &Execution<'_>,
) -> Result<(Relation, u64), (Algorithm, NoOrder)> {
    let (fired, order) = if problem.model == Model::SC {
        (CCM_PUBLISHED, published::convergent_memory(execution, problem.bounds))
    } else {
        (WCCM_PUBLISHED, published::weak_memory(execution, problem.bounds))
    };
    let order = order.map_err(|stop| (fired, NoOrder::from(stop)))?;
    let ordered = execution.ordered_writes(&order);
    Ok((order, ordered))
}

/// Why there is no partial store order.
enum NoOrder {
    /// The criterion does not hold.
    Violated,
    /// A bound was met.
    Exceeded,
}

impl From<NotDerived> for NoOrder {
    fn from(stop: NotDerived) -> NoOrder {
        match stop {
            NotDerived::CriterionViolation(_) => NoOrder::Violated,
            NotDerived::Exceeded => NoOrder::Exceeded,
        }
    }
}

impl From<published::NotClosed> for NoOrder {
    fn from(stop: published::NotClosed) -> NoOrder {
        match stop {
            published::NotClosed::Cyclic => NoOrder::Violated,
            published::NotClosed::Exceeded => NoOrder::Exceeded,
        }
    }
}

/// Checks wSC, then decides by SAT (`wsc-enum`).
pub(crate) fn wsc_enum(problem: &Problem<'_>) -> Report {
    let execution = &Execution::new(problem.history, problem.reads_from);
    let forced = ForcedOrder::new(execution, problem.model, problem.finals, problem.bounds);
    let Ok(forced) = forced else {
        return Answer::Exceeded.into();
    };
    if forced.is_cyclic() {
        let mut report = Report::from(Answer::Refuted);
        report.statistics.fired = Some(WSC_PUBLISHED);
        return report;
    }
    let known = KnownOrder { global: forced.hb(), by_location: None };
    let mut report = encoding::solve(problem, execution, Some(known));
    report.statistics.ordered = Some(forced.ordered());
    report
}

/// Decides by SAT over the pairs that a partial store order leaves open.
fn solve(problem: &Problem<'_>, execution: &Execution<'_>, ww: &Relation) -> Report {
    let follows = |program_order| consequences(problem, execution, ww, program_order);
    let by_location = problem.model.buffers().then(|| {
        let program_order = program_order_by_location(execution);
        follows(program_order)
    });
    let global = program_order(execution, problem.model, problem.bounds).and_then(follows);
    let (Some(global), None | Some(Some(_))) = (&global, &by_location) else {
        return Answer::Exceeded.into();
    };
    let known = KnownOrder { global, by_location: by_location.as_ref().and_then(Option::as_ref) };
    encoding::solve(problem, execution, Some(known))
}

/// Returns `(π ∪ wr ∪ ww ∪ rw[ww])⁺`, with `wr_e` for `wr` under models with store buffers. `edges` are those of
/// the program order π, and `ww` is a partial store order. The union is acyclic, since the criterion holds.
/// `None` if a bound was met.
fn consequences(
    problem: &Problem<'_>,
    execution: &Execution<'_>,
    ww: &Relation,
    mut edges: Vec<(u32, u32)>,
) -> Option<Relation> {
    let nodes = execution.len();
    // A row of `ww` has an edge for each node at most.
    let has_room = |edges: &Vec<_>| problem.bounds.allows_items(edges, nodes).then_some(());
    edges.extend(execution.wr(problem.model));
    for node in 0..execution.operations {
        let source = execution.source[node as usize];
        if source != NONE {
            has_room(&edges)?;
            let later = ww.successors(source).filter(|&write| write != node);
            edges.extend(later.map(|write| (node, write)));
        }
    }
    for write in (0..nodes as u32).filter(|&node| execution.is_write(node)) {
        has_room(&edges)?;
        edges.extend(ww.successors(write).map(|later| (write, later)));
    }
    let after = Csr::within(nodes, edges.iter().copied(), problem.bounds)?;
    drop(edges);
    let order = topological(&after).ok()?;
    if !may_start(problem.bounds, Relation::bytes(nodes)) {
        return None;
    }
    let mut closed = Relation::new(nodes);
    for (done, &node) in order.iter().rev().enumerate() {
        if done.is_multiple_of(CHECK_INTERVAL) && problem.bounds.passed() {
            return None;
        }
        for &next in after.of(node) {
            if closed.insert(node, next) {
                closed.absorb(node, next);
            }
        }
    }
    Some(closed)
}
