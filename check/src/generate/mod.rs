//! Random histories: a random program, run on a model's operational machine.
//!
//! What the machine did is recorded, so a history is consistent under the model that generated
//! it, unless the [`Recipe`] asks for reads to be re-pointed at the end (see
//! [`Recipe::violations`]). Values of a location are written in random order and locations are
//! named at random; [`generate`] adds ticks and the memory order, which [`without_order`] takes away
//! again where a reader should have to find the order itself. [`families`] are histories that are
//! hard by construction.
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

use history::random::Rng;
use history::{BuildError, History, RestoreError};
use thiserror::Error;

use memory::Model;
use memory::machine::Refusal;
use program::Program;

pub use program::without_order;
pub use repoint::repointed;

/// What a random history is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The model whose machine runs the program.
    pub model: Model,
    /// Number of threads; they get equally many operations, give or take one.
    pub threads: u32,
    /// Number of operations of all threads together.
    pub operations: u32,
    /// Number of locations that operations choose from.
    pub locations: u32,
    /// How often each kind of operation occurs.
    pub mix: Mix,
    /// How unequally locations are shared: the k-th most popular one is chosen in proportion to
    /// k^-skew (Zipf's law). 0 is uniform.
    pub skew: f64,
    /// How many stores a thread's buffer holds at most, under TSO and PSO.
    pub buffer: u32,
    /// What decides everything random. The same recipe gives the same history on every machine.
    pub seed: u64,
    /// How many reads are made to return the value of another write than the one they read, chosen
    /// among those within [`Recipe::distance`]. The result may, but need not, violate the model.
    pub violations: u32,
    /// How far in memory order, in operations, a read may be from the write that it is re-pointed
    /// to. The initial value counts as written before the first operation.
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
    /// Full fences.
    pub fences: u32,
}

impl Default for Mix {
    fn default() -> Mix {
        Mix { loads: 50, stores: 40, rmws: 8, fences: 2 }
    }
}

/// Why a recipe gives no history.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RecipeError {
    /// A number that must not be 0 is.
    #[error("no {0}: at least 1 was expected")]
    None(&'static str),
    /// A number that is larger than there is use for.
    #[error("{number} {name}: at most {most} was expected{why}")]
    TooMany {
        /// The number.
        number: u32,
        /// Of what.
        name: &'static str,
        /// The largest that is possible.
        most: u32,
        /// Why it is not larger; may be empty.
        why: &'static str,
    },
    /// A family has no history of that size.
    #[error("size {size}: {family} has sizes from {least} to {most}")]
    Size {
        /// The family's name.
        family: &'static str,
        /// The size.
        size: u32,
        /// The smallest that there is.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// Every weight of the mix is 0.
    #[error("every weight of the mix is 0: at least one kind of operation must occur")]
    EmptyMix,
    /// No power law.
    #[error("a skew of {0}: a number from 0 (uniform) to 100 was expected")]
    Skew(f64),
    /// Not so many reads have another write nearby.
    #[error(
        "only {found} of {wanted} reads can be re-pointed: no other read has another write of its \
         location within a distance of {distance}; allow a larger distance, or ask for more \
         operations or fewer locations"
    )]
    TooFewReads {
        /// How many were asked for.
        wanted: u32,
        /// How many there are.
        found: u32,
        /// Within this distance.
        distance: u32,
    },
    /// Too many operations.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A history with other values read cannot be put together: a defect of this program.
    #[error("{0}: please report this")]
    Restore(#[from] RestoreError),
    /// The machine refuses a step of the random schedule: a defect of this program.
    #[error("the machine refuses a step of its own run ({0}): please report this")]
    Refused(#[from] Refusal),
}

/// Makes the history of a recipe: operations with values, ticks and the memory order.
///
/// Cost: time linear in operations, times the buffer's depth where a buffer is looked through;
/// about 200 bytes of memory an operation at the peak.
///
/// # Errors
/// See [`RecipeError`].
pub fn generate(recipe: &Recipe) -> Result<History, RecipeError> {
    check(recipe)?;
    let mut rng = Rng::new(recipe.seed, 0);
    let program = Program::random(recipe, &mut rng);
    let run = run::run(&program, recipe, &mut rng)?;
    let history = program.history(Some(&run))?;
    match recipe.violations {
        0 => Ok(history),
        reads => repoint::repoint(&history, reads, recipe.distance, &mut rng),
    }
}

/// Locations that a recipe can have: each takes memory, used or not.
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
    if !(0.0..=100.0).contains(&recipe.skew) {
        return Err(RecipeError::Skew(recipe.skew));
    }
    if recipe.violations > 0 && recipe.distance == 0 {
        return Err(RecipeError::None("distance"));
    }
    Ok(())
}

/// Whether a number is from 1 to `most`.
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
