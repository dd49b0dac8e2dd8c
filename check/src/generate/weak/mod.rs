//! Random histories of weak models, which have no machine: programs with dependencies, annotations and
//! weak fences (`program`), performed in an order that the model allows (`run`).

mod program;
mod run;

use memory::Model;

use super::RecipeError;

pub(super) use program::random;
pub(super) use run::run;

/// The parameters of a random history that only weak models have. Shares are in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakMix {
    /// How far operations of a thread are reordered: each is among the `window` first ones, in program
    /// order, from the oldest that was not performed.
    pub window: u32,
    /// Of the read-modify-writes, how many are a load-linked and a store-conditional.
    pub linked: u32,
    /// How many operations depend on an earlier read of their thread. Where ticks stand for
    /// dependencies, such an operation is issued after the read has returned.
    pub dependencies: u32,
    /// Of the operations that can have an acquire or release annotation in the model's instruction set,
    /// how many have one.
    pub annotations: u32,
    /// Of the fences, how many are weaker than a full one, if the instruction set has such fences.
    pub weak_fences: u32,
}

impl Default for WeakMix {
    fn default() -> WeakMix {
        WeakMix { window: 8, linked: 20, dependencies: 20, annotations: 20, weak_fences: 70 }
    }
}

/// The largest window.
const MOST_WINDOW: u32 = 1024;

impl WeakMix {
    /// Refuses values that are out of range.
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
