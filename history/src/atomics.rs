//! Rewrites read-modify-writes as a memory model defines them: [`History::split_atomics`] makes each one two events, a
//! read and a write, and [`History::settle_silent`] decides what those did that write back the value that they read.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::annotation::Annotation;
use crate::dependency::{Dependencies, Dependency, DependencyKind};
use crate::history::History;
use crate::kind::Kind;
use crate::operation::{OpId, OperationFlags, Thread};
use crate::structure::StructureColumns;
use crate::unrecorded;

/// What a read-modify-write that writes back what it read has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilentEffect {
    /// It has failed as a compare-and-swap.
    Failed {
        /// Whether a reservation of its own thread ends nevertheless.
        ends_reservation: bool,
    },
    /// It has written the value that it read.
    Written {
        /// Whether a reservation of its own thread ends, as by any write.
        ends_reservation: bool,
    },
    /// It has written the value that it read, but a pair of its own thread around it excludes all writes in between. A machine
    /// refuses such a pair.
    WrittenUnnoticed,
    /// It stays a [`Kind::SilentRmw`].
    Open,
}

impl SilentEffect {
    /// A failed compare-and-swap.
    pub const FAILED: SilentEffect = SilentEffect::Failed { ends_reservation: false };
    /// A write.
    pub const WRITTEN: SilentEffect = SilentEffect::Written { ends_reservation: true };

    fn kind(self) -> Kind {
        match self {
            SilentEffect::Failed { .. } => Kind::FailedCas,
            SilentEffect::Written { .. } | SilentEffect::WrittenUnnoticed => Kind::Rmw,
            SilentEffect::Open => Kind::SilentRmw,
        }
    }
}

/// What is supposed of a [`Kind::SilentRmw`] of a history: that it has written, or that it has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supposition {
    /// The read-modify-write that the supposition is about.
    pub op: OpId,
    /// Whether it has written.
    pub wrote: bool,
}

impl History {
    /// The history in which these suppositions hold; of several about one operation, the first. Operations keep their numbers. Cost:
    /// linear, times the number of suppositions.
    pub fn supposing(&self, supposed: &[Supposition]) -> Cow<'_, History> {
        let settled = self.settle_silent(|op| {
            let about = supposed.iter().find(|it| it.op == op);
            about.map_or(SilentEffect::Open, |it| {
                if it.wrote { SilentEffect::WRITTEN } else { SilentEffect::FAILED }
            })
        });
        settled.filter(|_| !supposed.is_empty()).map_or(Cow::Borrowed(self), Cow::Owned)
    }

    /// The operations that are [`Kind::SilentRmw`], in ascending order. Cost: linear.
    pub fn silent(&self) -> impl Iterator<Item = OpId> {
        let kinds = (0..).map(OpId).zip(self.structure.kinds());
        kinds.filter(|(_, kind)| **kind == Kind::SilentRmw).map(|(op, _)| op)
    }

    /// Replaces each [`Kind::SilentRmw`] by what `effect` says. Returns `None` if the history has none. Cost: linear.
    pub fn settle_silent(&self, effect: impl Fn(OpId) -> SilentEffect) -> Option<History> {
        let effects: Vec<(OpId, SilentEffect)> = self.silent().map(|op| (op, effect(op))).collect();
        if effects.is_empty() {
            return None;
        }
        let mut settled = self.clone();
        let mut structure = self.structure.with_kinds(|_, kind| kind);
        for &(op, effect) in &effects {
            let kind = effect.kind();
            structure.kinds[op.at()] = kind;
            match effect {
                SilentEffect::Failed { ends_reservation }
                | SilentEffect::Written { ends_reservation } => {
                    if ends_reservation != kind.writes() {
                        structure.exceptions.push(op);
                    }
                }
                SilentEffect::WrittenUnnoticed => structure.ignored.push(op),
                SilentEffect::Open => {}
            }
            if let Some(read) = self.read(op).filter(|_| kind.writes()) {
                settled.written[op.at()] = read;
                settled.known[op.at()].0 |= OperationFlags::WRITTEN;
            }
        }
        settled.structure = structure.into();
        Some(settled)
    }

    /// For each read, the earlier [`Kind::SilentRmw`] of its thread that it may have taken its value from: both return the same
    /// value of one location, and the thread has no other write to the location in between. Cost: linear.
    pub fn reads_behind_silent(&self) -> Vec<(OpId, OpId)> {
        let mut found = Vec::new();
        for thread in 0..self.threads().len() {
            // Per location, the latest silent read-modify-write since the latest write.
            let mut silent: FxHashMap<u32, OpId> = FxHashMap::default();
            for op in self.thread_ops(thread) {
                let (kind, Some(location)) = (self.kind(op), self.location(op)) else { continue };
                if kind.reads()
                    && let Some(&earlier) = silent.get(&location)
                    && (self.read(op) == self.read(earlier) || self.read(op).is_none())
                {
                    found.push((op, earlier));
                }
                if kind.writes() {
                    silent.remove(&location);
                } else if kind == Kind::SilentRmw {
                    silent.insert(location, op);
                }
            }
        }
        found
    }

    /// The history without the values of these reads.
    pub fn without_values(mut self, reads: impl Iterator<Item = OpId>) -> History {
        reads.for_each(|read| unrecorded::hide_read(&mut self, read));
        self
    }

    /// The history in which the value that each of these read-modify-writes writes depends on the value that it reads.
    pub fn with_data_dependencies(mut self, of: impl Iterator<Item = OpId>) -> History {
        let own = of.map(|op| Dependency { op, kind: DependencyKind::Data, on: op });
        let all = self.all_dependencies().iter().copied().chain(own).collect();
        self.dependencies = Dependencies::new(all);
        self
    }

    /// The history in which these operations are acquires.
    pub fn with_acquires(mut self, of: impl Iterator<Item = OpId>) -> History {
        for op in of {
            let annotation = match self.annotation(op) {
                it if it.acquires() => it,
                it if it.releases() => Annotation::AcquireRelease,
                _ => Annotation::Acquire,
            };
            self.known[op.at()] = self.known[op.at()].with(annotation);
        }
        self
    }

    /// Whether the history has what [`History::split_atomics`] changes: a read-modify-write, a failed compare-and-swap
    /// with a release, which has no effect since nothing is written, or a dependency on a store-conditional.
    fn has_whole_atomics(&self) -> bool {
        let is_whole = |op| match self.kind(op) {
            Kind::Rmw => true,
            Kind::FailedCas => self.annotation(op).releases(),
            _ => false,
        };
        self.ops().any(is_whole)
            || self.all_dependencies().iter().any(|it| !self.kind(it.on).reads())
    }

    /// Splits each read-modify-write into two operations: a load-linked, which keeps the acquire, and a
    /// store-conditional, which keeps the release and [continues](History::continues) the load-linked. Address
    /// dependencies of the read-modify-write become dependencies of both parts, data and choice dependencies those of
    /// the write; operations that depended on the read-modify-write depend on its read, as its own write does if it
    /// depended on itself. Dependencies on a store-conditional are dropped, since AArch64's status register carries
    /// none. Returns `None` if there is nothing to change.
    ///
    /// Both parts keep the trace line, so that a message about a part shows the instruction. Cost: linear.
    pub fn split_atomics(&self) -> Option<History> {
        if !self.has_whole_atomics() {
            return None;
        }
        let mut split = History {
            name: self.name.clone(),
            locations: self.locations.clone(),
            initial: self.initial.clone(),
            finals: self.finals.clone(),
            ..History::empty(self.provenance.clone())
        };
        // Per operation of the whole history, its first part in the split one.
        let mut first = Vec::with_capacity(self.len());
        let mut structure = StructureColumns::default();
        for thread in self.threads() {
            let start = structure.kinds.len() as u32;
            for op in (thread.start..thread.end).map(OpId) {
                first.push(OpId(structure.kinds.len() as u32));
                split.push_parts(&mut structure, self, op);
            }
            let end = structure.kinds.len() as u32;
            structure.threads.push(Thread { label: thread.label, start, end });
        }
        let exceptions = self.structure.exceptions().iter();
        structure.exceptions = exceptions
            .flat_map(|op| {
                let parts = if self.kind(*op) == Kind::Rmw { 2 } else { 1 };
                let start = first[op.at()].0;
                (start..start + parts).map(OpId)
            })
            .collect();
        split.structure = structure.into();
        // The write of a read-modify-write is its last part.
        let last = |op: u32| match self.kind(OpId(op)) {
            Kind::Rmw => first[op as usize].0 + 1,
            _ => first[op as usize].0,
        };
        let sources = self.fixed_sources.iter();
        split.fixed_sources =
            sources.map(|(to, from)| (first[*to as usize].0, last(*from))).collect();
        // A compare-and-swap that failed wrote nothing that could depend on what it read.
        let has_part = |it: &Dependency| it.on != it.op || self.kind(it.op) == Kind::Rmw;
        let is_kept = |it: &&Dependency| self.kind(it.on).reads() && has_part(it);
        let moved = self.all_dependencies().iter().filter(is_kept).flat_map(|it| {
            let on = first[it.on.at()];
            let parts = match (self.kind(it.op), it.kind) {
                (Kind::Rmw, DependencyKind::Address) => 0..=1,
                (Kind::Rmw, DependencyKind::Data | DependencyKind::Choice) => 1..=1,
                _ => 0..=0,
            };
            let op = first[it.op.at()].0;
            parts.map(move |part| Dependency { op: OpId(op + part), kind: it.kind, on })
        });
        split.dependencies = Dependencies::new(moved.collect());
        split.find_parts();
        Some(split)
    }

    fn push_parts(&mut self, structure: &mut StructureColumns, whole: &History, op: OpId) {
        let annotation = whole.annotation(op);
        let (acquire, release) = halves(annotation);
        let known = whole.known[op.at()];
        let mut push_part = |kind, known| {
            structure.kinds.push(kind);
            structure.locations.push(whole.structure.locations()[op.at()]);
            self.push_part(whole, op, known);
        };
        match whole.kind(op) {
            Kind::Rmw => {
                let read = OperationFlags(known.0 & !OperationFlags::WRITTEN).with(acquire);
                push_part(Kind::LoadLinked, read);
                let write =
                    OperationFlags(known.0 & !OperationFlags::READ | OperationFlags::CONTINUES)
                        .with(release);
                push_part(Kind::StoreConditional, write);
            }
            Kind::FailedCas => push_part(Kind::FailedCas, known.with(acquire)),
            kind => push_part(kind, known),
        }
    }

    fn push_part(&mut self, whole: &History, op: OpId, known: OperationFlags) {
        self.known.push(known);
        self.read.push(whole.read[op.at()]);
        self.written.push(whole.written[op.at()]);
        self.issued.push(whole.issued[op.at()]);
        self.completed.push(whole.completed[op.at()]);
        self.line.push(whole.line[op.at()]);
        self.order.push(whole.order[op.at()]);
    }
}

/// The annotations of the read and of the write of an atomic.
fn halves(annotation: Annotation) -> (Annotation, Annotation) {
    match annotation {
        Annotation::None => (Annotation::None, Annotation::None),
        Annotation::Acquire => (Annotation::Acquire, Annotation::None),
        Annotation::AcquirePc => (Annotation::AcquirePc, Annotation::None),
        Annotation::Release => (Annotation::None, Annotation::Release),
        Annotation::AcquireRelease => (Annotation::Acquire, Annotation::Release),
        Annotation::NoReturn => (Annotation::NoReturn, Annotation::None),
        Annotation::NoReturnRelease => (Annotation::NoReturn, Annotation::Release),
    }
}
