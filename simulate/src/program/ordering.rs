//! Annotations, weak fences and dependencies of the steps of a program, for cores that guarantee a weak model.
//!
//! They are drawn from a generator of their own, after the program and its edits, so the accesses of a
//! program do not depend on them.

use history::random::Rng;
use history::{Annotation, DependencyKind, Kind, WeakFence};
use memory::Model;

use super::{Operation, Program, RmwForm, Step};

/// The shares of operations with annotations and dependencies, and of weak fences, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakShares {
    /// The model, whose instruction set the program uses.
    pub model: Model,
    /// How many operations depend on an earlier read of their thread.
    pub dependencies: u32,
    /// Of the operations that can have an acquire or release annotation, how many have one.
    pub annotations: u32,
    /// Of the fences, how many are weaker than a full one, if the instruction set has such fences.
    pub weak_fences: u32,
}

impl WeakShares {
    /// The default shares of programs for a model.
    pub fn usual(model: Model) -> WeakShares {
        WeakShares { model, dependencies: 20, annotations: 20, weak_fences: 70 }
    }

    /// Shares that a seed decides.
    pub(crate) fn random(model: Model, seed: u64) -> WeakShares {
        let mut rng = Rng::new(seed, SHARES);
        WeakShares {
            model,
            dependencies: rng.one_of(&[0, 20, 20, 60]),
            annotations: rng.one_of(&[0, 20, 60]),
            weak_fences: rng.one_of(&[0, 70, 100]),
        }
    }
}

/// The annotations, fence and dependency of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordering {
    /// The annotation of the access; of a linked read-modify-write, that of its load-linked.
    pub annotation: Annotation,
    /// The annotation of the store-conditional of a linked read-modify-write.
    pub conditional: Annotation,
    /// The kind of the step's fence, if it is weaker than a full one.
    pub fence: Option<WeakFence>,
    /// The kind of the step's dependency, and the number of steps from the read on which it depends to this step.
    pub dependency: Option<(DependencyKind, u32)>,
}

/// Separates these random choices from those of the program with the same seed.
const PURPOSE: u64 = 0x4f_52_44_45 << 32;
/// Separates the choice of the shares of a recipe from other choices with the same seed.
const SHARES: u64 = 0x57_45_41_4b;
/// Largest number of steps from a read to a step that depends on it.
const REACH: usize = 8;

impl Operation {
    /// The kinds of the operations as which it is recorded under a weak model: a load-linked and a store-conditional
    /// are two.
    pub(crate) fn kinds(&self) -> (Kind, Option<Kind>) {
        match self {
            Operation::Load(_) | Operation::Fetch(_) => (Kind::Load, None),
            Operation::Store(..) => (Kind::Store, None),
            Operation::Rmw { form, .. } => match form {
                RmwForm::Locked | RmwForm::Atomic => (Kind::Rmw, None),
                RmwForm::Linked => (Kind::LoadLinked, Some(Kind::StoreConditional)),
                RmwForm::AtomicNoReturn => (Kind::Store, None),
            },
            Operation::Fence => (Kind::Fence, None),
        }
    }
}

impl Program {
    /// Gives each step its ordering.
    pub(super) fn order(&mut self, shares: &WeakShares, seed: u64) {
        for (thread, steps) in (0_u64..).zip(&mut self.threads) {
            let mut rng = Rng::new(seed, PURPOSE + thread);
            for at in 0..steps.len() {
                steps[at].ordering = drawn(shares, &steps[..=at], &mut rng);
            }
        }
    }
}

/// Draws the ordering of the last of these steps.
fn drawn(shares: &WeakShares, steps: &[Step], rng: &mut Rng) -> Ordering {
    let Some((step, before)) = steps.split_last() else { return Ordering::default() };
    let (first, second) = step.operation.kinds();
    let instructions = shares.model.instructions();
    let mut annotated = |kind: Kind| {
        let choices = instructions.annotations(kind);
        let is_annotated = rng.percent(shares.annotations) && !choices.is_empty();
        if is_annotated { choices[rng.index(choices.len())] } else { Annotation::None }
    };
    let annotation = annotated(first);
    let conditional = second.map_or(Annotation::None, &mut annotated);
    let fences = instructions.fences();
    let is_weak = first.is_fence() && !fences.is_empty() && rng.percent(shares.weak_fences);
    let fence = is_weak.then(|| fences[rng.index(fences.len())]);
    let writes = first.writes() || second.is_some();
    let depends = rng.percent(shares.dependencies);
    let dependency = if depends { dependency(before, first, writes, rng) } else { None };
    Ordering { annotation, conditional, fence, dependency }
}

/// A dependency of a step on one of the steps before it, if one of those nearby returns a value.
fn dependency(
    before: &[Step],
    kind: Kind,
    writes: bool,
    rng: &mut Rng,
) -> Option<(DependencyKind, u32)> {
    let returns =
        |step: &Step| step.operation.kinds().0.reads() && step.ordering.annotation.returns();
    let near = (1_u32..).zip(before.iter().rev().take(REACH));
    let reads: Vec<u32> = near.filter(|(_, step)| returns(step)).map(|(back, _)| back).collect();
    if reads.is_empty() {
        return None;
    }
    let what = if kind.is_fence() {
        DependencyKind::Control
    } else if writes {
        rng.one_of(&DependencyKind::ALL)
    } else {
        rng.one_of(&[DependencyKind::Address, DependencyKind::Control])
    };
    Some((what, reads[rng.index(reads.len())]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::program::ProgramSize;

    fn program(model: Option<Model>) -> Program {
        Program::random(&ProgramSize {
            operations: 3000,
            rmws: 20,
            linked: 50,
            fences: 10,
            weak: model.map(WeakShares::usual),
            ..ProgramSize::default()
        })
    }

    #[test]
    fn orderings_leave_the_accesses_as_they_are() {
        let mut weak = program(Some(Model::ARMV8));
        assert_ne!(weak, program(None));
        assert_eq!(weak, program(Some(Model::ARMV8)));
        let steps = weak.threads.iter_mut().flatten();
        steps.for_each(|step| step.ordering = Ordering::default());
        assert_eq!(weak, program(None));
    }

    #[test]
    fn all_that_the_instruction_set_has_occurs() {
        let weak = program(Some(Model::ARMV8));
        let orderings = || weak.threads.iter().flatten().map(|step| step.ordering);
        let annotations: BTreeSet<Annotation> = orderings().map(|it| it.annotation).collect();
        assert_eq!(annotations.len(), Annotation::ALL.len());
        assert!(orderings().any(|it| it.conditional == Annotation::Release));
        let fences: BTreeSet<WeakFence> = orderings().filter_map(|it| it.fence).collect();
        assert_eq!(fences.len(), Model::ARMV8.instructions().fences().len());
        let kinds: BTreeSet<DependencyKind> =
            orderings().filter_map(|it| it.dependency).map(|it| it.0).collect();
        assert_eq!(kinds.len(), DependencyKind::ALL.len());
    }
}
