//! The axioms of RVWMO as the manual states them (RISC-V ISA manual, appendix "Formal Memory Model", rules 1 to 13
//! of preserved program order), written with the interface of [`memory::axioms`]. This also shows that the interface
//! fits a model whose preserved program order depends on reads-from and dependencies.

use crate::armv8::is_one_access;
use crate::common::build;
use history::{
    Access, Annotation, DependencyKind, History, Kind, OpId, Place, ReadSource, WeakFence,
};
use memory::Execution;
use memory::axioms::{Axioms, allows};

/// RVWMO with the syntactic dependencies of one history, as pairs of operations by number.
#[derive(Default)]
pub(crate) struct Rvwmo {
    address: Vec<(u32, u32)>,
    data: Vec<(u32, u32)>,
    control: Vec<(u32, u32)>,
}

fn has(pairs: &[(u32, u32)], first: OpId, second: OpId) -> bool {
    pairs.contains(&(first.0, second.0))
}

fn between(first: OpId, second: OpId) -> impl Iterator<Item = OpId> {
    (first.0 + 1..second.0).map(OpId)
}

fn source(execution: &Execution<'_>, read: OpId) -> Option<OpId> {
    match execution.reads_from.source(read) {
        Some(ReadSource::Write(write)) => Some(write),
        _ => None,
    }
}

/// Whether a fence between two operations orders them.
fn is_fenced(history: &History, first: OpId, second: OpId) -> bool {
    between(first, second).any(|fence| match history.kind(fence) {
        Kind::Fence => true,
        Kind::WeakFence(weak) => weak.orders(history.kind(first), history.kind(second)),
        _ => false,
    })
}

impl Rvwmo {
    /// RVWMO with the dependencies that a history records. A branch controls all later operations.
    pub(crate) fn of(history: &History) -> Rvwmo {
        let mut model = Rvwmo::default();
        for it in history.all_dependencies() {
            match it.kind {
                DependencyKind::Address => model.address.push((it.on.0, it.op.0)),
                DependencyKind::Data => model.data.push((it.on.0, it.op.0)),
                // RISC-V has no instruction that chooses between values.
                DependencyKind::Choice => {}
                DependencyKind::Control => {
                    let end = history.threads()[history.thread_of(it.op)].end();
                    model.control.extend((it.op.0..end.0).map(|later| (it.on.0, later)));
                }
            }
        }
        model
    }

    /// Whether rules 1 to 3, about accesses of one location, order two operations.
    fn same_address(&self, execution: &Execution<'_>, first: OpId, second: OpId) -> bool {
        let history = execution.history;
        if !execution.same_location(first, second) {
            return false;
        }
        let (one, two) = (history.kind(first), history.kind(second));
        let is_write = |op: OpId| history.kind(op).writes();
        let no_store_between =
            !between(first, second).any(|op| is_write(op) && execution.same_location(op, first));
        let read_apart = one.reads()
            && two.reads()
            && no_store_between
            && source(execution, first) != source(execution, second);
        let is_conditional = matches!(one, Kind::Rmw | Kind::StoreConditional);
        two.writes()
            || read_apart
            || (is_conditional && two.reads() && source(execution, second) == Some(first))
    }

    /// Whether rules 5 to 8, about acquire, release, and paired LR and SC, order two operations.
    fn explicit(&self, history: &History, first: OpId, second: OpId) -> bool {
        let (one, two) = (history.annotation(first), history.annotation(second));
        // Annotations of plain loads and stores are not RCsc, as in herd.
        let is_plain = |op: OpId| matches!(history.kind(op), Kind::Load | Kind::Store);
        let is_rcsc = |op: OpId, annotation: Annotation| {
            !is_plain(op) && (annotation.acquires() || annotation.releases())
        };
        let is_annotated =
            one.acquires() || two.releases() || (is_rcsc(first, one) && is_rcsc(second, two));
        // The rules are about instructions.
        (is_annotated && !is_one_access(history, first, second))
            || history.linked_load(second) == Some(first)
    }

    /// Whether rules 9 to 13, about syntactic and pipeline dependencies, order two operations.
    fn dependent(&self, execution: &Execution<'_>, first: OpId, second: OpId) -> bool {
        let history = execution.history;
        let syntactic = has(&self.address, first, second)
            || has(&self.data, first, second)
            || (has(&self.control, first, second) && history.kind(second).writes());
        let through_store = history.kind(second).reads()
            && between(first, second).any(|store| {
                let depends = has(&self.address, first, store) || has(&self.data, first, store);
                depends && source(execution, second) == Some(store)
            });
        let behind_address = history.kind(second).writes()
            && between(first, second).any(|middle| has(&self.address, first, middle));
        syntactic || through_store || behind_address
    }
}

impl Axioms for Rvwmo {
    fn preserves(&self, execution: &Execution<'_>, first: OpId, second: OpId) -> bool {
        let history = execution.history;
        if history.kind(first).is_fence() || history.kind(second).is_fence() {
            return false;
        }
        self.same_address(execution, first, second)
            || is_fenced(history, first, second)
            || self.explicit(history, first, second)
            || self.dependent(execution, first, second)
    }

    fn has_place(&self, execution: &Execution<'_>, op: OpId) -> bool {
        !execution.history.kind(op).is_fence()
    }

    fn forwards(&self, _: &Execution<'_>, _: OpId) -> bool {
        true
    }

    fn exclusive_load(&self, history: &History, op: OpId) -> Option<OpId> {
        history.linked_load_across_writes(op)
    }
}

fn load(thread: u32, cell: u64, value: u64) -> Access {
    Access { read: Some(value), ..Access::new(thread, Kind::Load, Place::Cell(cell)) }
}

fn store(thread: u32, cell: u64, value: u64) -> Access {
    Access { written: Some(value), ..Access::new(thread, Kind::Store, Place::Cell(cell)) }
}

fn fence(thread: u32, kind: Kind) -> Access {
    Access::new(thread, kind, Place::Nowhere)
}

fn with(annotation: Annotation, access: Access) -> Access {
    Access { annotation, ..access }
}

const WRITES: Kind = Kind::WeakFence(WeakFence::WriteWrite);
const READS: Kind = Kind::WeakFence(WeakFence::ReadRead);

/// Whether RVWMO allows a history, whose accesses are listed thread by thread.
fn is_allowed(accesses: &[Access], model: Rvwmo) -> bool {
    let history = build(accesses);
    allows(&Execution::new(&history).unwrap(), &model)
}

#[test]
fn message_passing_needs_a_fence_and_a_dependency() {
    let plain = [store(0, 0, 1), store(0, 1, 1), load(1, 1, 1), load(1, 0, 0)];
    assert!(is_allowed(&plain, Rvwmo::default()));
    let fenced = [store(0, 0, 1), fence(0, WRITES), store(0, 1, 1), load(1, 1, 1), load(1, 0, 0)];
    let address = vec![(3, 4)];
    let control = vec![(3, 4)];
    assert!(is_allowed(&fenced, Rvwmo::default()));
    assert!(is_allowed(&fenced, Rvwmo { control, ..Default::default() }));
    assert!(!is_allowed(&fenced, Rvwmo { address, ..Default::default() }));
}

#[test]
fn fences_order_their_sets() {
    let buffering = |kind| {
        [
            store(0, 0, 1),
            fence(0, kind),
            load(0, 1, 0),
            store(1, 1, 1),
            fence(1, kind),
            load(1, 0, 0),
        ]
    };
    assert!(!is_allowed(&buffering(Kind::Fence), Rvwmo::default()));
    for kind in [READS, WRITES, Kind::WeakFence(WeakFence::Tso)] {
        assert!(is_allowed(&buffering(kind), Rvwmo::default()), "{kind:?}");
    }
}

#[test]
fn load_buffering_is_forbidden_by_data_dependencies() {
    let test = [load(0, 0, 1), store(0, 1, 1), load(1, 1, 1), store(1, 0, 1)];
    let data = vec![(0, 1), (2, 3)];
    assert!(is_allowed(&test, Rvwmo::default()));
    assert!(!is_allowed(&test, Rvwmo { data, ..Default::default() }));
}

#[test]
fn loads_of_one_location_are_coherent() {
    let backwards = [store(0, 0, 1), load(1, 0, 1), load(1, 0, 0)];
    assert!(!is_allowed(&backwards, Rvwmo::default()));
}

/// The litmus tests RSW and RDW: two loads of one location, between two dependent pairs, are ordered if they
/// return different writes (RDW), and need not be if they return the same write (RSW).
#[test]
fn loads_of_one_location_need_order_if_they_read_apart() {
    let test = |second: u64| {
        [
            store(0, 0, 1),
            fence(0, WRITES),
            store(0, 1, 1),
            store(1, 2, 9),
            load(2, 1, 1),
            load(2, 2, 0),
            load(2, 2, second),
            load(2, 0, 0),
        ]
    };
    let dependencies = || Rvwmo { address: vec![(4, 5), (6, 7)], ..Default::default() };
    assert!(is_allowed(&test(0), dependencies()), "RSW");
    assert!(!is_allowed(&test(9), dependencies()), "RDW");
}

/// The litmus tests PPOCA and PPOAA: a load returns its own thread's pending store, which depends on an earlier
/// load by control (PPOCA) or by address (PPOAA).
#[test]
fn forwarding_keeps_data_and_address_dependencies_alone() {
    let test = [
        store(0, 0, 1),
        fence(0, WRITES),
        store(0, 1, 1),
        load(1, 1, 1),
        store(1, 2, 1),
        load(1, 2, 1),
        load(1, 0, 0),
    ];
    let control = Rvwmo { control: vec![(3, 4)], address: vec![(5, 6)], ..Default::default() };
    let address = Rvwmo { address: vec![(3, 4), (5, 6)], ..Default::default() };
    assert!(is_allowed(&test, control), "PPOCA");
    assert!(!is_allowed(&test, address), "PPOAA");
}

#[test]
fn release_and_acquire() {
    let (acquire, release) = (Annotation::Acquire, Annotation::Release);
    let passing = [
        store(0, 0, 1),
        with(release, store(0, 1, 1)),
        with(acquire, load(1, 1, 1)),
        load(1, 0, 0),
    ];
    assert!(!is_allowed(&passing, Rvwmo::default()));
    let buffering = [
        with(release, store(0, 0, 1)),
        with(acquire, load(0, 1, 0)),
        with(release, store(1, 1, 1)),
        with(acquire, load(1, 0, 0)),
    ];
    // herd's test SB+porlaq: annotations of plain accesses are not RCsc.
    assert!(is_allowed(&buffering, Rvwmo::default()));
    let swap = |thread, cell| {
        let kind = Kind::Rmw;
        let access = Access::new(thread, kind, Place::Cell(cell));
        with(release, Access { read: Some(0), written: Some(1), ..access })
    };
    let reserve =
        |thread, cell| with(acquire, Access { kind: Kind::LoadLinked, ..load(thread, cell, 0) });
    let atomic = [swap(0, 0), reserve(0, 1), swap(1, 1), reserve(1, 0)];
    assert!(!is_allowed(&atomic, Rvwmo::default()));
}
