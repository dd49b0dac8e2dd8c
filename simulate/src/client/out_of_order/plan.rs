//! [`Plan`]: the operations of a thread, the order that a weak model requires among them, and which of them memory has
//! performed.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use history::{
    Access, Annotation, AssumedSize, DependencyKind, History, HistoryBuilder, Initial, Kind, OpId,
    Place, Provenance, ReadsFrom, Source,
};
use memory::Execution;
use memory::Model;
use memory::weak::graph::{Graph, Node};
use memory::weak::progress::Progress;

use crate::program::{Bytes, Operation, Step};
use crate::record::{Records, Row};

/// The rows and the events of the steps of a program.
#[derive(Debug)]
pub(super) struct Plan {
    steps: Vec<Planned>,
    progress: Progress,
}

/// A step: its first and last row, and its first and last event under the model. A load-linked and its
/// store-conditional are two rows; where a read-modify-write is two events, it is one row all the same.
#[derive(Clone, Debug)]
struct Planned {
    rows: RangeInclusive<u32>,
    events: RangeInclusive<u32>,
}

impl Plan {
    /// Plans a program, and adds its operations to the records.
    pub(super) fn new(steps: &[Step], model: Model, records: &mut Records) -> Plan {
        let (planned, graph) = planned(steps, model, records);
        Plan { steps: planned, progress: Progress::new(&graph, &[]) }
    }
}

/// The constraints on a step under a weak model: what a core must wait for, and what the history records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    /// The annotations and dependencies of its one or two operations, in the words of the program's text.
    pub orderings: Vec<String>,
    /// Earlier steps that must be performed first, without those that already precede one of these steps.
    pub after: Vec<usize>,
    /// The step that must leave the window before this step enters it.
    pub needs: Option<usize>,
}

/// The constraints of the steps of a thread under a weak model. The cost is quadratic in their number.
pub(crate) fn constraints(steps: &[Step], model: Model) -> Vec<Constraint> {
    let (planned, graph) = planned(steps, model, &mut Records::new(0, Source::Client));
    let mut step_of = vec![0; graph.nodes() as usize];
    for (index, step) in planned.iter().enumerate() {
        step.events.clone().for_each(|event| step_of[event as usize] = index);
    }
    let mut before: Vec<Vec<Node>> = vec![Vec::new(); graph.nodes() as usize];
    for &(from, to) in graph.edges() {
        before[to as usize].push(from);
    }
    // For each step, the steps that must be performed before it, as a set of bits.
    let mut all: Vec<Vec<u64>> = Vec::with_capacity(steps.len());
    let has = |bits: &[u64], step: usize| bits[step / 64] >> (step % 64) & 1 == 1;
    let mut found = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let direct = earlier(&planned[index].events, &before, graph.operations(), &step_of);
        let mut bits = vec![0; steps.len().div_ceil(64)];
        let mut after = Vec::new();
        for &one in direct.iter().rev() {
            if !has(&bits, one) {
                after.push(one);
                bits.iter_mut().zip(&all[one]).for_each(|(bits, more)| *bits |= more);
                bits[one / 64] |= 1 << (one % 64);
            }
        }
        after.reverse();
        all.push(bits);
        let on = source(index, step);
        let row = |(kind, on): (DependencyKind, usize)| (kind, *planned[on].rows.start());
        found.push(Constraint {
            orderings: orderings(step, on.filter(|_| !model.uses_ticks()).map(row)),
            after,
            needs: on.filter(|_| model.uses_ticks()).map(|(_, on)| on),
        });
    }
    found
}

/// The other steps that the graph puts before some of these events, directly or through nodes that are no operations.
fn earlier(
    events: &RangeInclusive<u32>,
    before: &[Vec<Node>],
    operations: u32,
    step_of: &[usize],
) -> BTreeSet<usize> {
    let own = step_of[*events.start() as usize];
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<Node> = events.clone().collect();
    while let Some(node) = open.pop() {
        for &one in &before[node as usize] {
            if one >= operations {
                if seen.insert(one) {
                    open.push(one);
                }
            } else if step_of[one as usize] != own {
                found.insert(step_of[one as usize]);
            }
        }
    }
    found
}

/// The annotations and dependencies of a step, in the words of the text of a program.
fn orderings(step: &Step, on: Option<(DependencyKind, u32)>) -> Vec<String> {
    let words = halves(step).into_iter().enumerate().map(|(number, (kind, annotation))| {
        let mut words = Vec::new();
        if let Kind::WeakFence(fence) = kind {
            words.push(format!("fence:{}", fence.name().replace(' ', "-")));
        }
        if !annotation.is_none() {
            words.push(format!("annotation:{}", annotation.name()));
        }
        if let Some((what, on)) = on.filter(|(what, _)| depends(*what, kind, number)) {
            words.push(format!("{}:{on}", what.name()));
        }
        words.join("/")
    });
    words.collect()
}

/// The steps of a program with their rows and events, and what the model orders among the events.
fn planned(steps: &[Step], model: Model, records: &mut Records) -> (Vec<Planned>, Graph) {
    let mut builder = HistoryBuilder::new();
    let mut planned: Vec<Planned> = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let first = builder.len() as u32;
        let on = source(index, step).map(|(kind, on)| (kind, *planned[on].rows.start()));
        let on = on.filter(|_| !model.uses_ticks());
        plan_step(step, on, &mut builder, records);
        let rows = first..=builder.len() as u32 - 1;
        planned.push(Planned { events: rows.clone(), rows });
    }
    let whole = builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made());
    // A program that is too large for a history is refused when its history is asked for.
    let whole = whole.unwrap_or_else(|_| History::empty(Provenance::made()));
    let parts = model.prepare(&whole);
    let mut event = 0;
    for step in &mut planned {
        let first = event;
        for _ in step.rows.clone() {
            event += 1;
            while (event as usize) < parts.len() && parts.continues(OpId(event)) {
                event += 1;
            }
        }
        step.events = first..=event - 1;
    }
    let reads_from = ReadsFrom::given(&parts, |_| None);
    let graph = Graph::new(&Execution { history: &parts, reads_from }, model);
    (planned, graph)
}

impl Plan {
    /// The first row of a step.
    pub(super) fn row(&self, step: usize) -> Row {
        Row::of(*self.steps[step].rows.start())
    }

    /// The last row of a step, which is the store-conditional of a linked read-modify-write.
    pub(super) fn last_row(&self, step: usize) -> Row {
        Row::of(*self.steps[step].rows.end())
    }

    /// Whether the model lets a step be performed now.
    pub(super) fn may_start(&mut self, step: usize) -> bool {
        let events = self.steps[step].events.clone().map(OpId);
        // Parts of an access, which follow each other, happen together: each must be free once those before it were performed.
        self.progress.are_free(events)
    }

    /// Notes that memory has performed a step.
    pub(super) fn perform(&mut self, step: usize) {
        for event in self.steps[step].events.clone() {
            self.progress.perform(OpId(event));
        }
    }
}

/// The step on which a step depends, and the kind of the dependency.
pub(super) fn source(index: usize, step: &Step) -> Option<(DependencyKind, usize)> {
    let (kind, back) = step.ordering.dependency?;
    Some((kind, index.checked_sub(back as usize)?))
}

/// The kinds and annotations of the operations of a step.
fn halves(step: &Step) -> Vec<(Kind, Annotation)> {
    let (first, second) = step.operation.kinds();
    let first = step.ordering.fence.map_or(first, Kind::WeakFence);
    let second = second.map(|kind| (kind, step.ordering.conditional));
    std::iter::once((first, step.ordering.annotation)).chain(second).collect()
}

/// Whether the dependency of a step applies to its operation with this number and kind.
fn depends(what: DependencyKind, kind: Kind, number: usize) -> bool {
    match what {
        DependencyKind::Address => true,
        DependencyKind::Data | DependencyKind::Choice => kind.writes(),
        DependencyKind::Control => number == 0,
    }
}

/// Adds the operations of a step to a history and to the records.
fn plan_step(
    step: &Step,
    on: Option<(DependencyKind, u32)>,
    builder: &mut HistoryBuilder,
    records: &mut Records,
) {
    let written = match step.operation {
        Operation::Store(_, value) | Operation::Rmw { value, .. } => Some(value),
        _ => None,
    };
    let bytes = step.operation.bytes();
    for (number, (kind, annotation)) in halves(step).into_iter().enumerate() {
        let place =
            bytes.map_or(Place::Nowhere, |Bytes { address, size }| Place::Bytes { address, size });
        builder.push(Access { annotation, ..Access::new(0, kind, place) });
        let written = written.filter(|_| kind.writes());
        records.plan(kind, annotation, bytes.unwrap_or(Bytes::word(0)), written);
        let Some((what, on)) = on else { continue };
        if depends(what, kind, number) {
            builder.depend(what, on as usize);
            records.depend(what, Row::of(on));
        }
    }
}

#[cfg(test)]
mod tests {
    use history::random::Rng;

    use super::*;
    use crate::program::{Program, ProgramSize, WeakShares};

    /// In any order in which a thread may perform its steps, those that the constraints allow next are those of the plan.
    #[test]
    fn constraints_say_what_the_plan_does() {
        for (model, seed) in
            [Model::RVWMO, Model::ARMV8, Model::ZTSO, Model::WMO].into_iter().zip(1..)
        {
            let shape = ProgramSize {
                threads: 1,
                operations: 120,
                locations: 3,
                rmws: 20,
                linked: 50,
                fences: 10,
                seed,
                weak: Some(WeakShares::usual(model)),
                ..ProgramSize::default()
            };
            let steps = Program::random(&shape).threads.remove(0);
            let mut plan = Plan::new(&steps, model, &mut Records::new(0, Source::Client));
            let constraints = constraints(&steps, model);
            let is_fence = |step: usize| steps[step].operation == Operation::Fence;
            let mut rng = Rng::new(seed, 0);
            // A core performs a fence when it reaches it.
            let mut performed: Vec<bool> = (0..steps.len()).map(is_fence).collect();
            let mut overtaken = 0;
            loop {
                let mut free = Vec::new();
                for step in (0..steps.len()).filter(|&step| !is_fence(step)) {
                    let allowed = constraints[step].after.iter().all(|&before| performed[before]);
                    if !performed[step] {
                        assert_eq!(plan.may_start(step), allowed, "{model:?} {step}");
                        free.extend(allowed.then_some(step));
                    }
                }
                let Some(&next) = free.get(rng.index(free.len().max(1))) else { break };
                overtaken += usize::from(performed[..next].contains(&false));
                performed[next] = true;
                plan.perform(next);
            }
            assert!(performed.iter().all(|&it| it) && overtaken > 10, "{model:?} {overtaken}");
        }
    }
}
