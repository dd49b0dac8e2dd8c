//! Generates random histories of weak models, which have no operational machine: random programs with
//! dependencies, annotations and weak fences (`program`) are performed in an order that the model allows (`run`).

mod program;
mod run;

use memory::Model;

use super::RecipeError;

pub(super) use program::random;
pub(super) use run::run;

/// The parameters of a random history that only weak models have. Shares are in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakMix {
    /// How far operations of a thread are reordered, in operations: a thread performs one of the first `window`
    /// operations, counted in program order from the oldest one that has not been performed.
    pub window: u32,
    /// Share of read-modify-writes that are a pair of load-linked and store-conditional.
    pub linked: u32,
    /// Share of operations that depend on an earlier read of their thread. Under a model where ticks stand for
    /// dependencies, such an operation is issued after the read has returned.
    pub dependencies: u32,
    /// Share of operations with an acquire or release annotation, among those that can have one in the model's
    /// instruction set.
    pub annotations: u32,
    /// Share of fences that are weaker than a full fence, if the instruction set has weaker fences.
    pub weak_fences: u32,
}

impl Default for WeakMix {
    fn default() -> WeakMix {
        WeakMix { window: 8, linked: 20, dependencies: 20, annotations: 20, weak_fences: 70 }
    }
}

/// The largest [`WeakMix::window`].
const MOST_WINDOW: u32 = 1024;

impl WeakMix {
    /// Returns an error if a value is out of range for a weak model.
    pub(super) fn check(&self, model: Model) -> Result<(), RecipeError> {
        if !model.is_weak() {
            return Ok(());
        }
        super::at_most(self.window, "operations in the window", MOST_WINDOW, "")?;
        let shares = [
            (self.linked, "percent of load-linked and store-conditional"),
            (self.dependencies, "percent of operations with dependencies"),
            (self.annotations, "percent of operations with annotations"),
            (self.weak_fences, "percent of weak fences"),
        ];
        let wrong = shares.iter().find(|(share, _)| *share > 100);
        wrong.map_or(Ok(()), |&(number, name)| {
            Err(RecipeError::TooMany { number, name, most: 100, why: "" })
        })
    }
}
