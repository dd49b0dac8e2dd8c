//! [`PpoRule`]: the rules of preserved program order, pair by pair.

use std::fmt;

use history::{DependencyKind, History, Kind, OpId, ReadSource, WeakFence};

use super::carried::{carries, own_read, picks};
use super::graph::locally_precedes;
use crate::execution::Execution;

/// A rule by which a model preserves the order of two accesses of one thread.
///
/// In the descriptions, `a` precedes `b` in program order, and `m` is between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PpoRule {
    /// `b` writes the location that `a` accesses (RVWMO 1; Armv8: local write successor).
    LocalWrite,
    /// `a` and `b` read one location from different writes, and no write `m` of the location is between
    /// them (RVWMO 2; Armv8: internal visibility of two reads).
    ReadsApart,
    /// `a` is an atomic or store-conditional, and the latest write of the location by their thread before the
    /// read `b` (RVWMO 3).
    AtomicForwarded,
    /// A fence `m` orders them (RVWMO 4; Armv8: `DMB`, `DSB`; WMO: `sync`).
    Fence,
    /// `a` reads and has an acquire annotation (Armv8; WMO).
    Acquire,
    /// `b` writes and has a release annotation (Armv8; WMO).
    Release,
    /// `a` has an acquire annotation, even if it only writes (RVWMO 5).
    AnyAcquire,
    /// `b` has a release annotation, even if it only reads (RVWMO 6).
    AnyRelease,
    /// `a` and `b` are atomic accesses, and both have an acquire or release annotation (RVWMO 7). As in
    /// herd, annotations of plain loads and stores are not RCsc.
    AcquireRelease,
    /// `a` is a write with a release annotation, and `b` a read with an acquire annotation that earlier releases
    /// precede (Armv8: `L` before `A`, but not before `Q`; WMO).
    ReleaseToAcquire,
    /// `a` is the load-linked of the store-conditional `b` (RVWMO 8), or the read of the atomic whose
    /// write is `b` (Armv8).
    Paired,
    /// The address of `b` depends on `a` (RVWMO 9; Armv8).
    Address,
    /// The value that `b` writes depends on `a` (RVWMO 10; Armv8).
    Data,
    /// `b` writes, and a branch between them depends on `a` (RVWMO 11; Armv8).
    Control,
    /// `b` writes a value that an instruction selected by a condition that depends on `a` (Armv8: pick dependency).
    Choice,
    /// The address or value of a write `m` depends on `a`, and `m` is the latest write of the location by their
    /// thread before the read `b` (RVWMO 12; Armv8: local read successor).
    DependencyForwarded,
    /// `b` writes, and the address of an access `m` depends on `a` (RVWMO 13; Armv8).
    AddressThenWrite,
    /// An `ISB` `m` comes after a branch that depends on `a`, or after an access whose address does (Armv8).
    InstructionFence,
    /// `a` is the load-linked or read of a pair whose write is the latest write of the location by their thread before the
    /// acquire `b` (Armv8).
    PairForwarded,
    /// `a` is the write of an atomic that both acquires and releases (Armv8).
    FullAtomic,
    /// What `a` read reaches a read `m` through an atomic and memory, and a dependency on `m` orders `m` before `b`
    /// (Armv8: dependency through registers and memory).
    Carried,
    /// What `a` read reaches a read `m` through a choice and memory, and `b` is a write that `m` is locally ordered
    /// before, or an access after an `ISB` that comes after a branch or an address that depends on `m` (Armv8: pick
    /// dependency through memory).
    ChoiceCarried,
    /// `a` reads (Ztso: every load is an acquire).
    Read,
    /// `b` writes (Ztso: every store is a release).
    Write,
    /// `a` and `b` access one location, and `a` reads or `b` writes it (WMO).
    SameLocation,
    /// `b`, or an operation `m`, was issued after `a` had returned its value (WMO: timestamps stand for
    /// dependencies).
    Ticks,
}

/// A rule with its name and description.
struct Row {
    rule: PpoRule,
    /// The name in certificates, after `ppo-`.
    name: &'static str,
    /// Why the rule keeps the order, in a sentence about the two operations.
    because: &'static str,
}

const ROWS: &[Row] = &[
    row(PpoRule::LocalWrite, "local-write", "the second writes the location of the first"),
    row(
        PpoRule::ReadsApart,
        "reads-apart",
        "both read one location, from different writes, and their thread does not write it in between",
    ),
    row(
        PpoRule::AtomicForwarded,
        "atomic-forwarded",
        "the second reads the location after an atomic of its thread",
    ),
    row(PpoRule::Fence, "fence", "a fence between them orders them"),
    row(PpoRule::Acquire, "acquire", "the first is an acquire"),
    row(PpoRule::Release, "release", "the second is a release"),
    row(PpoRule::AnyAcquire, "aq", "the first has an acquire annotation"),
    row(PpoRule::AnyRelease, "rl", "the second has a release annotation"),
    row(PpoRule::AcquireRelease, "rcsc", "both are atomic, with an acquire or release annotation"),
    row(PpoRule::ReleaseToAcquire, "release-acquire", "an acquire follows a release"),
    row(PpoRule::Paired, "paired", "they are the read and the write of one atomic access"),
    row(PpoRule::Address, "address", "the address of the second depends on the first"),
    row(PpoRule::Data, "data", "the value of the second depends on the first"),
    row(
        PpoRule::Control,
        "control",
        "a branch that depends on the first is before the second, a write",
    ),
    row(
        PpoRule::Choice,
        "choice",
        "the value of the second is chosen by what depends on the first",
    ),
    row(
        PpoRule::DependencyForwarded,
        "dependency-forwarded",
        "the second reads what its thread wrote last, which depends on the first",
    ),
    row(
        PpoRule::AddressThenWrite,
        "address-write",
        "the second writes, after an access whose address depends on the first",
    ),
    row(
        PpoRule::InstructionFence,
        "isb",
        "an ISB is between them, after a branch or an address that depends on the first",
    ),
    row(
        PpoRule::PairForwarded,
        "pair-forwarded",
        "the second is an acquire of what its thread wrote last, in a pair with the first",
    ),
    row(PpoRule::FullAtomic, "full-atomic", "the first is an atomic that acquires and releases"),
    row(
        PpoRule::Carried,
        "carried",
        "the second depends on a read that gets what the first read, through an atomic and memory",
    ),
    row(
        PpoRule::ChoiceCarried,
        "choice-carried",
        "the second is ordered after a read that gets what the first read, through a choice and memory",
    ),
    row(PpoRule::Read, "read", "the first reads"),
    row(PpoRule::Write, "write", "the second writes"),
    row(PpoRule::SameLocation, "same-location", "they access one location"),
    row(PpoRule::Ticks, "ticks", "the second was issued after the first had returned its value"),
];

const fn row(rule: PpoRule, name: &'static str, because: &'static str) -> Row {
    Row { rule, name, because }
}

impl PpoRule {
    /// Every rule.
    pub fn all() -> impl Iterator<Item = PpoRule> {
        ROWS.iter().map(|row| row.rule)
    }

    fn row(self) -> &'static Row {
        let row = ROWS.iter().find(|row| row.rule == self);
        row.expect("every rule has a row")
    }

    /// The name of the rule in certificates, after `ppo-`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The rule of that name, if there is one.
    pub fn from_name(name: &str) -> Option<PpoRule> {
        ROWS.iter().find(|row| row.name == name).map(|row| row.rule)
    }

    /// Why the rule keeps the order, in a clause about the first and the second operation.
    pub fn because(self) -> &'static str {
        self.row().because
    }

    /// Whether [`PpoRule::ReadsApart`] orders `a` and `b`, `a` the earlier of their thread, if they read
    /// from different writes.
    pub fn may_read_apart(history: &History, a: OpId, b: OpId) -> bool {
        let place = history.location(a);
        let reads = [a, b].iter().all(|&op| history.kind(op).reads());
        let mut between = (a.0 + 1..b.0).map(OpId);
        reads
            && place == history.location(b)
            && !between.any(|m| history.kind(m).writes() && history.location(m) == place)
    }

    /// Whether the rule orders `a` and `b`, two accesses of one thread of which `a` is the earlier. Cost:
    /// for some rules linear in the number of operations between them.
    pub fn holds(self, execution: &Execution<'_>, a: OpId, b: OpId) -> bool {
        let pair = Pair { execution, history: execution.history, a, b };
        if pair.history.kind(a).is_fence() || pair.history.kind(b).is_fence() {
            return false;
        }
        // Annotations order accesses, not the parts of one, nor the read and the write of an atomic.
        let is_apart = || !(a.0 + 1..=b.0).all(|op| is_further_part(pair.history, OpId(op)));
        match self {
            PpoRule::LocalWrite => pair.same_location() && pair.writes(b),
            PpoRule::ReadsApart => pair.reads_apart(),
            PpoRule::AtomicForwarded => {
                is_atomic_write(pair.history, a)
                    && pair.reads(b)
                    && pair.own_write_before_b() == Some(a)
            }
            PpoRule::Fence => pair.between().any(|fence| pair.is_fenced_by(fence)),
            PpoRule::Acquire => is_acquire(pair.history, a) && is_apart(),
            PpoRule::Release => is_release(pair.history, b) && is_apart(),
            PpoRule::AnyAcquire => pair.history.annotation(a).acquires() && is_apart(),
            PpoRule::AnyRelease => pair.history.annotation(b).releases() && is_apart(),
            PpoRule::AcquireRelease => {
                [a, b].iter().all(|&op| is_rcsc(pair.history, op)) && is_apart()
            }
            PpoRule::ReleaseToAcquire => {
                is_release(pair.history, a) && is_ordered_acquire(pair.history, b) && is_apart()
            }
            PpoRule::Paired => pair.history.linked_load(b) == Some(a),
            PpoRule::Address => pair.depends(b, DependencyKind::Address),
            PpoRule::Data => pair.depends(b, DependencyKind::Data),
            PpoRule::Control => pair.writes(b) && pair.is_controlled(b),
            PpoRule::Choice => pair.writes(b) && pair.depends(b, DependencyKind::Choice),
            PpoRule::DependencyForwarded => {
                pair.reads(b) && pair.own_write_before_b().is_some_and(|m| pair.is_used_by(m))
            }
            PpoRule::AddressThenWrite => {
                pair.writes(b) && pair.between().any(|m| pair.depends(m, DependencyKind::Address))
            }
            PpoRule::InstructionFence => pair.between().any(|isb| pair.is_synchronised_by(isb)),
            PpoRule::PairForwarded => {
                let write = pair.own_write_before_b();
                is_acquire(pair.history, b)
                    && write.is_some_and(|write| {
                        pair.history.linked_load_across_writes(write) == Some(a)
                    })
            }
            PpoRule::FullAtomic => is_full_atomic(pair.history, a) && is_apart(),
            PpoRule::Carried => pair.between().any(|read| pair.is_carried_to(read)),
            PpoRule::ChoiceCarried => pair.between().any(|read| pair.is_picked_by(read)),
            PpoRule::Read => pair.reads(a) && is_apart(),
            PpoRule::Write => pair.writes(b) && is_apart(),
            PpoRule::SameLocation => pair.same_location() && (pair.reads(a) || pair.writes(b)),
            PpoRule::Ticks => pair.is_issued_after(),
        }
    }
}

impl fmt::Display for PpoRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The known source of a read: `Some(None)` for the initial write, `None` if the source is not known.
pub(super) fn known_source(execution: &Execution<'_>, read: OpId) -> Option<Option<OpId>> {
    match execution.reads_from.source(read) {
        Some(ReadSource::Write(write)) => Some(Some(write)),
        Some(ReadSource::Initial) => Some(None),
        _ => None,
    }
}

/// Whether an operation is a further part of the access before it. A fence, whatever a history says of it, is none.
pub(super) fn is_further_part(history: &History, op: OpId) -> bool {
    history.continues(op) && !history.kind(op).is_fence()
}

/// Whether an operation is the write of an atomic: a read-modify-write, or a store-conditional.
pub(super) fn is_atomic_write(history: &History, op: OpId) -> bool {
    matches!(history.kind(op), Kind::Rmw | Kind::StoreConditional)
}

/// Whether an operation is the write of an atomic instruction that both acquires and releases.
pub(super) fn is_full_atomic(history: &History, op: OpId) -> bool {
    let read = history.linked_load(op).filter(|_| history.continues(op));
    history.annotation(op).releases()
        && read.is_some_and(|read| history.annotation(read).acquires())
}

/// Whether an operation is atomic and has an acquire or release annotation, which is then RCsc in RISC-V.
pub(super) fn is_rcsc(history: &History, op: OpId) -> bool {
    let annotation = history.annotation(op);
    let is_paired = matches!(history.kind(op), Kind::LoadLinked | Kind::StoreConditional);
    (is_paired || history.kind(op).is_atomic()) && (annotation.acquires() || annotation.releases())
}

/// Whether an operation is a read with an acquire annotation.
pub(super) fn is_acquire(history: &History, op: OpId) -> bool {
    history.kind(op).reads() && history.annotation(op).acquires()
}

/// Whether an operation is a read with an acquire annotation that earlier releases precede.
pub(super) fn is_ordered_acquire(history: &History, op: OpId) -> bool {
    history.kind(op).reads() && history.annotation(op).acquires_in_order()
}

/// Whether an operation is a write with a release annotation.
pub(super) fn is_release(history: &History, op: OpId) -> bool {
    history.kind(op).writes() && history.annotation(op).releases()
}

/// Whether an access counts as a read for fences: it reads, and returns what it reads.
pub(super) fn returns_read(history: &History, op: OpId) -> bool {
    history.kind(op).reads() && history.annotation(op).returns()
}

/// Two operations of one thread, `a` before `b` in program order.
struct Pair<'a, 'h> {
    execution: &'a Execution<'h>,
    history: &'h History,
    a: OpId,
    b: OpId,
}

impl Pair<'_, '_> {
    fn between(&self) -> impl DoubleEndedIterator<Item = OpId> + use<> {
        (self.a.0 + 1..self.b.0).map(OpId)
    }

    fn reads(&self, op: OpId) -> bool {
        self.history.kind(op).reads()
    }

    fn writes(&self, op: OpId) -> bool {
        self.history.kind(op).writes()
    }

    fn same_location(&self) -> bool {
        self.execution.same_location(self.a, self.b)
    }

    /// The latest write of `b`'s location before `b` in its thread, if it is `a` or after `a`.
    fn own_write_before_b(&self) -> Option<OpId> {
        let mut earlier = (self.a.0..self.b.0).rev().map(OpId);
        earlier.find(|&m| self.writes(m) && self.execution.same_location(m, self.b))
    }

    fn reads_apart(&self) -> bool {
        let sources = [self.a, self.b].map(|read| known_source(self.execution, read));
        let differ = matches!(sources, [Some(first), Some(second)] if first != second);
        differ && PpoRule::may_read_apart(self.history, self.a, self.b)
    }

    fn is_fenced_by(&self, fence: OpId) -> bool {
        match self.history.kind(fence) {
            Kind::Fence => true,
            Kind::WeakFence(weak) => {
                let second = self.history.kind(self.b);
                (self.writes(self.a) && weak.orders(Kind::Store, second))
                    || (returns_read(self.history, self.a) && weak.orders(Kind::Load, second))
            }
            _ => false,
        }
    }

    /// Whether an operation depends on `a`, an operation of another instruction.
    fn depends(&self, op: OpId, kind: DependencyKind) -> bool {
        let mut dependencies = self.history.dependencies(op).iter();
        dependencies.any(|it| it.kind == kind && it.on == self.a)
            && own_read(self.history, op) != Some(self.a)
    }

    /// Whether what `a` read reaches a read through memory, and a dependency on the read orders it before `b`.
    fn is_carried_to(&self, read: OpId) -> bool {
        const BY_DEPENDENCY: [PpoRule; 6] = [
            PpoRule::Address,
            PpoRule::Data,
            PpoRule::Control,
            PpoRule::DependencyForwarded,
            PpoRule::AddressThenWrite,
            PpoRule::InstructionFence,
        ];
        let orders = |rule: PpoRule| rule.holds(self.execution, read, self.b);
        self.reads(read)
            && carries(self.history, self.a, read)
            && BY_DEPENDENCY.into_iter().any(orders)
    }

    /// Whether what `a` read reaches a read through a choice and memory, and `b` has to follow `a` therefore.
    fn is_picked_by(&self, read: OpId) -> bool {
        self.reads(read)
            && picks(self.history, self.a, read)
            && (PpoRule::InstructionFence.holds(self.execution, read, self.b)
                || (self.writes(self.b) && locally_precedes(self.execution, read, self.b)))
    }

    /// Whether the address or the value of an operation depends on `a`.
    fn is_used_by(&self, op: OpId) -> bool {
        self.depends(op, DependencyKind::Address) || self.depends(op, DependencyKind::Data)
    }

    /// Whether a branch between `a` and `op` depends on `a`.
    fn is_controlled(&self, op: OpId) -> bool {
        let mut later = (self.a.0 + 1..=op.0).map(OpId);
        later.any(|it| self.depends(it, DependencyKind::Control))
    }

    fn is_synchronised_by(&self, isb: OpId) -> bool {
        self.history.kind(isb) == Kind::WeakFence(WeakFence::Instruction)
            && (self.is_controlled(isb)
                || (self.a.0 + 1..isb.0)
                    .map(OpId)
                    .any(|m| self.depends(m, DependencyKind::Address)))
    }

    fn is_issued_after(&self) -> bool {
        let Some(end) = self.history.completed(self.a).filter(|_| self.reads(self.a)) else {
            return false;
        };
        let mut later = (self.a.0 + 1..=self.b.0).map(OpId);
        later.any(|op| {
            let begin = self.history.issued(op).filter(|_| !self.history.kind(op).is_fence());
            begin.is_some_and(|begin| begin > end)
        })
    }
}
