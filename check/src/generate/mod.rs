//! Generates random histories ([`generate`], [`Recipe`]): a random program is run on a model's operational machine
//! or, under a weak model, performed out of order as the model allows ([`WeakMix`]).
//!
//! The history records what the run did, so it is consistent under that model, unless the [`Recipe`]
//! asks for some reads to be changed at the end (see [`Recipe::violations`]). The values of a location are
//! written in random order, and locations are numbered at random. [`generate`] adds ticks and the memory
//! order; [`without_order`] removes them, so that a checker has to find the order itself. [`families`] has
//! histories that are hard to check by construction.
//!
//! ```
//! use check::generate::{Recipe, generate};
//! use check::{Model, Options, Verdict, check};
//! use history::{Ambiguity, ReadsFrom};
//!
//! let history = generate(&Recipe { model: Model::TSO, seed: 7, ..Recipe::default() })?;
//! assert_eq!(history.len(), 1000);
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse)?;
//! let outcome = check(&history, &reads_from, Model::TSO, &Options::default());
//! assert!(matches!(outcome.verdict, Verdict::Consistent(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod families;
mod program;
mod repoint;
mod run;
mod weak;

use history::random::Rng;
use history::{BuildError, History, RestoreError};
use thiserror::Error;

use memory::Model;
use memory::machine::Refusal;
use program::Program;

pub use program::without_order;
pub use repoint::repointed;
pub use weak::WeakMix;

/// The parameters of a random history.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The model that the history satisfies, before reads are changed.
    pub model: Model,
    /// Number of threads. Their numbers of operations differ by at most one.
    pub threads: u32,
    /// Number of operations of all threads together.
    pub operations: u32,
    /// Number of locations that operations choose from.
    pub locations: u32,
    /// The relative frequency of each kind of operation.
    pub mix: Mix,
    /// How unequally locations are shared: the k-th most popular one is chosen in proportion to
    /// k^-skew (Zipf's law). 0 is uniform.
    pub skew: f64,
    /// Maximum number of stores in a thread's buffer, for models with store buffers.
    pub buffer: u32,
    /// Parameters that only weak models use.
    pub weak: WeakMix,
    /// The seed of the pseudo-random generator. The same recipe gives the same history on every machine.
    pub seed: u64,
    /// Number of reads that are changed to return the value of another write within
    /// [`Recipe::distance`]. The result may, but need not, violate the model.
    pub violations: u32,
    /// Maximum distance in memory order, in operations, between a changed read and its new source. The
    /// initial value counts as written before the first operation.
    pub distance: u32,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            model: Model::SC,
            threads: 4,
            operations: 1000,
            locations: 16,
            mix: Mix::default(),
            skew: 0.0,
            buffer: 8,
            weak: WeakMix::default(),
            seed: 0,
            violations: 0,
            distance: 100,
        }
    }
}

/// Weights of the kinds of operations: only their proportions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Plain loads.
    pub loads: u32,
    /// Plain stores.
    pub stores: u32,
    /// Read-modify-writes.
    pub rmws: u32,
    /// Fences: full fences, and under a weak model also weak fences.
    pub fences: u32,
}

impl Default for Mix {
    fn default() -> Mix {
        Mix { loads: 50, stores: 40, rmws: 8, fences: 2 }
    }
}

/// Why no history could be generated from a recipe.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RecipeError {
    /// A parameter is 0 that must be at least 1.
    #[error("no {0}: at least 1 was expected")]
    None(&'static str),
    /// A number is too large.
    #[error("{number} {name}: at most {most} was expected{why}")]
    TooMany {
        /// The number.
        number: u32,
        /// The name of the things that it counts, such as `threads`.
        name: &'static str,
        /// The largest number allowed.
        most: u32,
        /// The reason for the limit; may be empty.
        why: &'static str,
    },
    /// A family has no history of that size.
    #[error("size {size}: {family} has sizes from {least} to {most}")]
    Size {
        /// The family's name.
        family: &'static str,
        /// The size.
        size: u32,
        /// The smallest size of the family.
        least: u32,
        /// The largest size of the family.
        most: u32,
    },
    /// Every weight of the mix is 0.
    #[error("every weight of the mix is 0: at least one kind of operation must occur")]
    EmptyMix,
    /// The skew is negative, too large, or not a number.
    #[error("a skew of {0}: a number from 0 (uniform) to 100 was expected")]
    Skew(f64),
    /// Too few reads have another write of their location within the distance.
    #[error(
        "only {found} of {wanted} reads can be re-pointed: no other read has another write of its \
         location within a distance of {distance}; allow a larger distance, or ask for more \
         operations or fewer locations"
    )]
    TooFewReads {
        /// The number of reads requested.
        wanted: u32,
        /// The number of reads found.
        found: u32,
        /// The maximum distance, in operations.
        distance: u32,
    },
    /// The history could not be built, for example because it has too many operations.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The history with changed reads could not be restored. This is a defect of rubric.
    #[error("{0}: please report this")]
    Restore(#[from] RestoreError),
    /// The machine refused a step of the random schedule. This is a defect of rubric.
    #[error("the machine refuses a step of its own run ({0}): please report this")]
    Refused(#[from] Refusal),
}

/// Generates the history of a recipe: operations with values, ticks and the memory order.
///
/// Cost: time linear in the number of operations times the depth of the buffers; at the peak, about 200 bytes of
/// memory an operation.
///
/// # Errors
/// Returns a [`RecipeError`] if a parameter is out of range or too few reads can be changed.
pub fn generate(recipe: &Recipe) -> Result<History, RecipeError> {
    check(recipe)?;
    let mut rng = Rng::new(recipe.seed, 0);
    let program = Program::random(recipe, &mut rng);
    let run = if recipe.model.is_weak() {
        weak::run(&program, recipe, &mut rng)?
    } else {
        run::run(&program, recipe, &mut rng)?
    };
    let history = program.history(Some(&run), recipe.model)?;
    match recipe.violations {
        0 => Ok(history),
        reads => repoint::repoint(&history, reads, recipe.distance, &mut rng),
    }
}

/// Maximum number of locations of a recipe. Each takes memory, whether used or not.
const MOST_LOCATIONS: u32 = 1 << 24;

fn check(recipe: &Recipe) -> Result<(), RecipeError> {
    let most = u32::MAX - 2;
    at_most(recipe.operations, "operations", most, "")?;
    let why = ", one operation for each";
    at_most(recipe.threads, "threads", recipe.operations, why)?;
    at_most(recipe.locations, "locations", MOST_LOCATIONS, "")?;
    let mix = recipe.mix;
    if [mix.loads, mix.stores, mix.rmws, mix.fences] == [0; 4] {
        return Err(RecipeError::EmptyMix);
    }
    if recipe.model.buffers() && mix.stores > 0 && recipe.buffer == 0 {
        return Err(RecipeError::None("room for a store in the buffer"));
    }
    recipe.weak.check(recipe.model)?;
    if !(0.0..=100.0).contains(&recipe.skew) {
        return Err(RecipeError::Skew(recipe.skew));
    }
    if recipe.violations > 0 && recipe.distance == 0 {
        return Err(RecipeError::None("distance"));
    }
    Ok(())
}

/// Checks that a number is from 1 to `most`.
fn at_most(
    number: u32,
    name: &'static str,
    most: u32,
    why: &'static str,
) -> Result<(), RecipeError> {
    match number {
        0 => Err(RecipeError::None(name)),
        number if number > most => Err(RecipeError::TooMany { number, name, most, why }),
        _ => Ok(()),
    }
}
