//! Rewrites read-modify-writes as a memory model defines them: [`History::split_atomics`] makes each one two events, a
//! read and a write, and [`History::settle_silent`] makes one that writes back the value that it read a write, or a
//! failed compare-and-swap.

use crate::annotation::Annotation;
use crate::dependency::{Dependencies, Dependency, DependencyKind};
use crate::history::{History, OpId, OperationFlags, Thread};
use crate::kind::Kind;
use crate::structure::StructureColumns;

impl History {
    /// Replaces each [`Kind::SilentRmw`]: with `as_writes` by a read-modify-write that writes the value that it read,
    /// otherwise by a failed compare-and-swap. Returns `None` if the history has no silent read-modify-write. Cost:
    /// linear.
    pub fn settle_silent(&self, as_writes: bool) -> Option<History> {
        let is_silent = |op: &OpId| self.kind(*op) == Kind::SilentRmw;
        let first = self.ops().find(is_silent)?;
        let mut settled = self.clone();
        settled.structure = self.structure.with_kinds(|_, kind| match kind {
            Kind::SilentRmw if as_writes => Kind::Rmw,
            Kind::SilentRmw => Kind::FailedCas,
            kind => kind,
        });
        for op in self.ops().skip(first.at()).filter(is_silent) {
            if let Some(read) = self.read(op).filter(|_| as_writes) {
                settled.written[op.at()] = read;
                settled.known[op.at()].0 |= OperationFlags::WRITTEN;
            }
        }
        Some(settled)
    }

    /// Whether the history has an operation that [`History::split_atomics`] changes: a read-modify-write, or a failed
    /// compare-and-swap with a release, which has no effect since nothing is written.
    fn has_whole_atomics(&self) -> bool {
        self.ops().any(|op| match self.kind(op) {
            Kind::Rmw => true,
            Kind::FailedCas => self.annotation(op).releases(),
            _ => false,
        })
    }

    /// Splits each read-modify-write into two operations: a load-linked, which keeps the acquire, and a
    /// store-conditional, which keeps the release and [continues](History::continues) the load-linked. Address
    /// dependencies of the read-modify-write become dependencies of both parts, data and choice dependencies those of
    /// the write; operations that depended on the read-modify-write depend on its read, as its own write does if it
    /// depended on itself. Returns `None` if there is nothing to split.
    ///
    /// Both parts keep the trace line, so that a message about a part shows the instruction. Cost: linear.
    pub fn split_atomics(&self) -> Option<History> {
        if !self.has_whole_atomics() {
            return None;
        }
        let mut split = History {
            name: self.name.clone(),
            provenance: self.provenance.clone(),
            locations: self.locations.clone(),
            initial: self.initial.clone(),
            finals: self.finals.clone(),
            ..History::default()
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
        split.structure = structure.into();
        // The write of a read-modify-write is its last part.
        let last = |op: u32| match self.kind(OpId(op)) {
            Kind::Rmw => first[op as usize].0 + 1,
            _ => first[op as usize].0,
        };
        let sources = self.fixed_sources.iter();
        split.fixed_sources =
            sources.map(|(to, from)| (first[*to as usize].0, last(*from))).collect();
        let dependencies = self.all_dependencies().iter();
        let moved = dependencies.flat_map(|it| {
            let on = first[it.on.at()];
            let parts = match (self.kind(it.op), it.kind) {
                // A compare-and-swap that failed wrote nothing that could depend on what it read.
                (Kind::FailedCas, _) if it.on == it.op => 1..=0,
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
