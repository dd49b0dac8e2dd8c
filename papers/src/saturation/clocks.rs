//! wSC and wTSO for large histories, on the engine's vector clocks ([`check::engine::saturate`]).
//!
//! Every operation is an event here, and happens-before is [`Saturation::precedes`] between events. Initial
//! writes are not events; they precede all events. **Cost:** that of saturation. To count or list the store order
//! takes O(writes · threads), and listing also the number of pairs.

use history::OpId;
use host::Bounds;

use check::engine::complete::refute;
use check::engine::events::Events;
use check::engine::rank::rank;
use check::engine::saturate::{NoFixpoint, Saturation};
use check::kernel::pairs;
use check::published::{Answer, Problem, Report, may_start};
use check::verdict::Statistics;

/// Decides wSC or wTSO, depending on the model. A violation comes with a proof.
pub fn decide(problem: &Problem<'_>) -> Report {
    let Some(events) = events(problem) else {
        return Answer::Exceeded.into();
    };
    match saturate(problem, &events) {
        Ok(saturation) => Report { answer: Answer::Satisfied, statistics: statistics(&saturation) },
        Err(report) => *report,
    }
}

/// The events of a history, with one for every operation; `None` if the bounds do not allow the memory.
pub fn events(problem: &Problem<'_>) -> Option<Events> {
    let operations = problem.history.len();
    let none = vec![false; operations];
    may_start(problem.bounds, Events::bytes(operations))
        .then(|| Events::new(problem.history, problem.reads_from, problem.model, &none))
}

/// Saturates the order of the events.
///
/// # Errors
/// Returns the report of the algorithm if saturation finds a contradiction or a bound was met.
pub fn saturate<'a>(
    problem: &Problem<'a>,
    events: &'a Events,
) -> Result<Saturation<'a>, Box<Report>> {
    let finals = problem.finals.iter();
    let finals = finals.filter_map(|&write| events.event_of(write)).collect();
    let bounds: &'a Bounds = problem.bounds;
    if !bounds.allows(Saturation::bytes(events)) {
        return Err(Box::new(Answer::Exceeded.into()));
    }
    let mut saturation = Saturation::new(events, rank(events, problem.history), finals, bounds);
    match saturation.reset() {
        Ok(()) => Ok(saturation),
        Err(stop) => Err(Box::new(Report {
            answer: explain(&saturation, stop),
            statistics: Statistics { edges: saturation.edges().len(), ..Statistics::default() },
        })),
    }
}

fn explain(saturation: &Saturation<'_>, stop: NoFixpoint) -> Answer {
    match refute(saturation, stop) {
        Some(violation) => Answer::Violation(violation),
        None => Answer::Exceeded,
    }
}

/// The statistics of a saturation: the number of derived edges and of ordered pairs of writes.
pub fn statistics(saturation: &Saturation<'_>) -> Statistics {
    Statistics {
        edges: saturation.edges().len(),
        ordered: Some(pairs::count_ordered(saturation)),
        ..Statistics::default()
    }
}

/// The store order, without initial writes. The saturation must be at its fixpoint, and the model SC or TSO.
pub fn st(saturation: &Saturation<'_>) -> impl Iterator<Item = (OpId, OpId)> {
    let op = |event: u32| saturation.events.op[event as usize];
    pairs::ordered(saturation).map(move |(first, second)| (op(first), op(second)))
}
