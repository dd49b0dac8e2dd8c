//! [`Plan`]: the program of a core as its model sees it, and how far it has come.

use std::ops::RangeInclusive;

use history::{
    Access, AssumedSize, DependencyKind, HistoryBuilder, Initial, OpId, Place, Provenance,
    ReadsFrom,
};
use memory::Model;
use memory::axioms::Execution;
use memory::weak::graph::Graph;
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
    pub fn new(steps: &[Step], model: Model, records: &mut Records) -> Plan {
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
        let whole = builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::default());
        // A program that is too large for a history is refused when its history is asked for.
        let whole = whole.unwrap_or_default();
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
        Plan { steps: planned, progress: Progress::new(&graph, &[]) }
    }

    /// The first row of a step.
    pub fn row(&self, step: usize) -> Row {
        Row::of(*self.steps[step].rows.start())
    }

    /// The last row of a step, which is the store-conditional of a linked read-modify-write.
    pub fn last_row(&self, step: usize) -> Row {
        Row::of(*self.steps[step].rows.end())
    }

    /// Whether the model lets a step be performed now.
    pub fn may_start(&mut self, step: usize) -> bool {
        let events = self.steps[step].events.clone().map(OpId);
        // Parts of an access, which follow each other, happen together: each must be free once those before it were performed.
        self.progress.are_free(events)
    }

    /// Notes that memory has performed a step.
    pub fn perform(&mut self, step: usize) {
        for event in self.steps[step].events.clone() {
            self.progress.perform(OpId(event));
        }
    }
}

/// The step that a step depends on, and what of it does.
pub(super) fn source(index: usize, step: &Step) -> Option<(DependencyKind, usize)> {
    let (kind, back) = step.ordering.dependency?;
    Some((kind, index.checked_sub(back as usize)?))
}

/// Adds the operations of a step to a history and to the records.
fn plan_step(
    step: &Step,
    on: Option<(DependencyKind, u32)>,
    builder: &mut HistoryBuilder,
    records: &mut Records,
) {
    let (first, second) = step.operation.kinds();
    let first = step.ordering.fence.map_or(first, history::Kind::WeakFence);
    let written = match step.operation {
        Operation::Store(_, value) | Operation::Rmw { value, .. } => Some(value),
        _ => None,
    };
    let bytes = step.operation.bytes();
    let halves =
        [Some((first, step.ordering.annotation)), second.map(|it| (it, step.ordering.conditional))];
    for (number, (kind, annotation)) in halves.into_iter().flatten().enumerate() {
        let place =
            bytes.map_or(Place::Nowhere, |Bytes { address, size }| Place::Bytes { address, size });
        builder.push(Access { annotation, ..Access::new(0, kind, place) });
        let written = written.filter(|_| kind.writes());
        records.plan(kind, annotation, bytes.unwrap_or(Bytes::word(0)), written);
        let Some((what, on)) = on else { continue };
        let depends = match what {
            DependencyKind::Address => true,
            DependencyKind::Data | DependencyKind::Choice => kind.writes(),
            DependencyKind::Control => number == 0,
        };
        if depends {
            builder.depend(what, on as usize);
            records.depend(what, Row::of(on));
        }
    }
}
