//! [`random`] draws random programs for weak models.

use history::random::{Rng, Weighted};
use history::{Annotation, DependencyKind, Kind};
use memory::weak::Instructions;

use super::super::Recipe;
use super::super::program::{Program, starts, values};

/// Maximum distance, in operations, from an operation back to a read that it depends on.
const REACH: usize = 8;

/// Draws a program without loops: each operation is of a random kind, accesses a random location, and may have an
/// annotation and depend on an earlier read.
pub(in super::super) fn random(recipe: &Recipe, rng: &mut Rng) -> Program {
    let length = recipe.operations as usize;
    let starts = starts(length, recipe.threads);
    let mut drawn = Drawing::new(recipe, rng);
    for (thread, &start) in starts.iter().enumerate() {
        let end = starts.get(thread + 1).map_or(length, |&end| end);
        while drawn.program.kind.len() < end {
            drawn.step(start, end);
        }
    }
    let mut program = drawn.program;
    program.written = values(&program.kind, &program.location, recipe.locations, rng);
    program.starts = starts;
    program
}

/// A program that is being drawn.
struct Drawing<'a> {
    recipe: &'a Recipe,
    rng: &'a mut Rng,
    instructions: &'static Instructions,
    by_weight: Weighted,
    by_popularity: Weighted,
    names: Vec<u32>,
    program: Program,
}

impl<'a> Drawing<'a> {
    fn new(recipe: &'a Recipe, rng: &'a mut Rng) -> Drawing<'a> {
        let mix = recipe.mix;
        let weights = [mix.loads, mix.stores, mix.rmws, mix.fences];
        let mut names: Vec<u32> = (0..recipe.locations).collect();
        rng.shuffle(&mut names);
        Drawing {
            recipe,
            rng,
            instructions: recipe.model.instructions(),
            by_weight: Weighted::new(weights.map(u64::from).into_iter()),
            by_popularity: Weighted::zipf(recipe.locations, recipe.skew),
            names,
            program: Program::default(),
        }
    }

    /// Adds an operation, or a load-linked with its store-conditional, to the thread that begins at
    /// `start` and ends at `end`.
    fn step(&mut self, start: usize, end: usize) {
        let kind =
            [Kind::Load, Kind::Store, Kind::Rmw, Kind::Fence][self.by_weight.choose(self.rng)];
        let location = self.names[self.by_popularity.choose(self.rng)];
        let fits = self.program.kind.len() + 1 < end;
        match kind {
            Kind::Fence => {
                let fence = self.fence();
                self.push(fence, location, start);
            }
            Kind::Rmw if self.rng.percent(self.recipe.weak.linked) && fits => {
                self.push(Kind::LoadLinked, location, start);
                self.push(Kind::StoreConditional, location, start);
            }
            kind => self.push(kind, location, start),
        }
    }

    fn fence(&mut self) -> Kind {
        let fences = self.instructions.fences();
        if fences.is_empty() || !self.rng.percent(self.recipe.weak.weak_fences) {
            return Kind::Fence;
        }
        Kind::WeakFence(fences[self.rng.index(fences.len())])
    }

    fn push(&mut self, kind: Kind, location: u32, start: usize) {
        self.depend(kind, start);
        let annotation = self.annotation(kind);
        self.program.kind.push(kind);
        self.program.location.push(location);
        self.program.annotation.push(annotation);
    }

    fn annotation(&mut self, kind: Kind) -> Annotation {
        let choices = self.instructions.annotations(kind);
        if choices.is_empty() || !self.rng.percent(self.recipe.weak.annotations) {
            return Annotation::None;
        }
        choices[self.rng.index(choices.len())]
    }

    /// Makes the next operation depend on an earlier read with the probability of [`WeakMix::dependencies`].
    ///
    /// [`WeakMix::dependencies`]: super::WeakMix::dependencies
    fn depend(&mut self, kind: Kind, start: usize) {
        if !self.rng.percent(self.recipe.weak.dependencies) {
            return;
        }
        let next = self.program.kind.len();
        let near = next.saturating_sub(REACH).max(start)..next;
        let program = &self.program;
        let returns = |&at: &usize| program.kind[at].reads() && program.annotation[at].returns();
        let reads: Vec<usize> = near.filter(returns).collect();
        if reads.is_empty() {
            return;
        }
        let on = reads[self.rng.index(reads.len())];
        let what = match kind {
            kind if kind.is_fence() => DependencyKind::Control,
            kind if kind.writes() => self.rng.one_of(&DependencyKind::ALL),
            _ => self.rng.one_of(&[DependencyKind::Address, DependencyKind::Control]),
        };
        self.program.dependencies.push((next as u32, what, on as u32));
    }
}
