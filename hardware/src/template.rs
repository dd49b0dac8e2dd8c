//! The history of a program's round without the values that its loads return.

use history::{
    Access, Annotation, AssumedSize, BuildError, DependencyKind, History, HistoryBuilder, Initial,
    Isa, Kind, Place, Provenance, Source,
};
use simulate::program::{Operation, Program, RmwForm, Step};

use crate::variables::Variables;

/// Address of the first variable in histories.
const BASE: u64 = 0x1000;

/// The history of a program. Each dependency in it is one of the instructions; what is computed with values beside is not in it, and
/// could only order more.
pub(crate) fn template(
    program: &Program,
    variables: &Variables,
    isa: Isa,
    name: &str,
) -> Result<History, BuildError> {
    let mut builder = HistoryBuilder::new();
    for (thread, steps) in (0..).zip(&program.threads) {
        let mut template = ThreadTemplate { thread, variables, isa, reads: Vec::new() };
        for step in steps {
            template.step(step, &mut builder);
        }
    }
    let provenance = Provenance { isa: Some(isa), ..Provenance::of(Source::Record) };
    let mut history = builder.finish(AssumedSize::default(), &Initial::Zero, provenance)?;
    history.name = Some(name.to_owned());
    Ok(history)
}

struct ThreadTemplate<'a> {
    thread: u32,
    variables: &'a Variables,
    isa: Isa,
    /// By step, the operation that reads.
    reads: Vec<Option<usize>>,
}

impl ThreadTemplate<'_> {
    fn step(&mut self, step: &Step, builder: &mut HistoryBuilder) {
        let annotation = step.ordering.annotation;
        let read = match step.operation {
            Operation::Load(bytes) | Operation::Fetch(bytes) => {
                Some(self.push(step, Kind::Load, annotation, bytes.address, None, builder))
            }
            Operation::Store(bytes, value) => {
                let value = Some(self.variables.value(value));
                self.push(step, Kind::Store, annotation, bytes.address, value, builder);
                None
            }
            Operation::Rmw { bytes, value, form } => {
                let value = Some(self.variables.value(value));
                let address = bytes.address;
                if form == RmwForm::Linked && self.isa != Isa::X86 {
                    let read =
                        self.push(step, Kind::LoadLinked, annotation, address, None, builder);
                    let conditional = step.ordering.conditional;
                    self.push(step, Kind::StoreConditional, conditional, address, value, builder);
                    Some(read)
                } else {
                    Some(self.push(step, Kind::Rmw, annotation, address, value, builder))
                }
            }
            Operation::Fence => {
                let kind = step.ordering.fence.map_or(Kind::Fence, Kind::WeakFence);
                builder.push(Access::new(self.thread, kind, Place::Nowhere));
                None
            }
        };
        self.reads.push(read);
    }

    /// Adds an operation with the step's dependency, and returns its number.
    fn push(
        &self,
        step: &Step,
        kind: Kind,
        annotation: Annotation,
        address: u64,
        written: Option<u64>,
        builder: &mut HistoryBuilder,
    ) -> usize {
        let number = builder.len();
        let variable = self.variables.at(address);
        let place = Place::Bytes { address: BASE + variable.offset, size: variable.size };
        builder.push(Access { annotation, written, ..Access::new(self.thread, kind, place) });
        if let Some((kind_of_dependency, back)) = step.ordering.dependency
            && let Some(at) = self.reads.len().checked_sub(back as usize)
            && let Some(on) = self.reads.get(at).copied().flatten()
        {
            match kind_of_dependency {
                DependencyKind::Address | DependencyKind::Control => {
                    builder.depend(kind_of_dependency, on);
                }
                // The program computes a choice by arithmetic, so it is a dependency of the data.
                DependencyKind::Data | DependencyKind::Choice if kind.writes() => {
                    builder.depend(DependencyKind::Data, on);
                }
                DependencyKind::Data | DependencyKind::Choice => {}
            }
        }
        number
    }
}
