//! Histories that are hard to check ([`hard`], [`HardRecipe`]): the papers' examples of orders that saturation
//! cannot derive, in growing sizes.
//!
//! Each consists of *pairs* of writes that compete for a location, and of *blocks*. A block excludes one
//! combination of orders of some pairs: if all of these orders hold, an operation would have to come before
//! itself. Saturation derives nothing from a single block, because each of its orders is refuted only
//! together with the others, or because the contradiction needs several writes that stay unordered until
//! the pair is ordered. So the blocks are the clauses of a formula, and deciding the history is deciding
//! the formula.
//!
//! Three kinds of blocks, for the orders `first_i ≤ second_i` with i from 0 to m - 1:
//!
//! | block | before `first_i` | after `second_i` | if all orders hold |
//! |---|---|---|---|
//! | *ring* | its thread writes `y_i := 1` | `y_i := 2`, then `y_i+1 == 1` is read | a cycle: each `y_i := 1` is overwritten only after it is read |
//! | *announced* | its thread reads a flag that is set after `B := i+1` | `B == i` is read | a cycle: each `B := i` comes after `B := i+1` |
//! | *observed* | a thread writes `B := i+1`, then reads `first_i` | `B == i` is read | the same |
//!
//! (i + 1 is taken modulo m.) The operations of the third column are performed by a thread that has read
//! `second_i`. A block of one order uses it twice. The ring is from Zennou et al. 2020: Figure 3 if m = 2 and both
//! orders are the same, Figure 4 for m equal orders, and Figure 5 if the orders are of several pairs. The others are
//! from Manovit & Hangal 2006: Figure 2a (announced), 2b and 2c (observed).
//!
//! The figures are about SC. Where the recipe's model does not preserve a thread's order, fences are added, so
//! the verdict is the same under this model and every stronger one; weaker models may allow more.
//!
//! ```
//! use check::generate::families::{Family, HardRecipe, hard};
//! use check::{Algorithm, Model, Options, Verdict, check};
//! use history::{Ambiguity, ReadsFrom};
//!
//! let family = Family::from_name("pairs-violation").unwrap();
//! let history = hard(&HardRecipe { size: 2, ..HardRecipe::new(family) })?;
//! let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse)?;
//! let verdict = |algorithm| {
//!     let options = Options { algorithm, ..Options::default() };
//!     check(&history, &reads_from, Model::SC, &options).verdict
//! };
//! assert!(matches!(verdict(Algorithm::Saturate), Verdict::Undecided(_)));
//! assert!(matches!(verdict(Algorithm::Complete), Verdict::Violation(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod puzzle;
mod threads;

use std::fmt;

use history::History;
use history::random::Rng;

use super::{RecipeError, at_most};
use memory::Model;
use puzzle::Puzzle;
use threads::Threads;

/// The structure of a hard history: its pairs of writes, and the combinations of their orders that its blocks
/// exclude. Figure numbers are those of Zennou et al. 2020 unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// One pair whose order is forced by a cycle through `size` locations: Fig. 3 for size 2, Fig. 4 for larger
    /// sizes. The violation of size 2 is Fig. 1c.
    Ring,
    /// `size` pairs and a block for every choice of their orders but one: Fig. 5 for size 2.
    Pairs,
    /// `size` pairs in a row: the order of each forces that of the next, by a block of two orders
    /// as in Fig. 5, and the first is forced by Fig. 3.
    Chain,
    /// The pigeonhole principle: a pair for each of `size` pigeons and each of `size` holes, which is ordered one
    /// way if the pigeon is in the hole. Every pigeon must be in a hole (a block of `size` orders), and no two in
    /// the same hole (blocks of two orders). The violation has one pigeon more.
    Pigeons,
    /// The chain with announced blocks: Fig. 2a of Manovit & Hangal 2006 for size 1.
    Hpca2a,
    /// The chain with observed blocks: Fig. 2b of Manovit & Hangal 2006 for size 1.
    Hpca2b,
    /// `size + 2` writes of one location in a row, of which no inner one may come before both of its neighbours:
    /// Fig. 2c of Manovit & Hangal 2006 for size 1. In the violation the row is closed to a ring, in which no
    /// write may.
    Hpca2c,
}

/// A family of hard histories: the consistent ones of a figure, or the violations that result from also
/// excluding the orders that the figure allows (the papers' *mirrored* nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Family {
    /// The pairs and blocks.
    pub figure: Figure,
    /// Whether all orders are excluded, so that the history is a violation.
    pub violation: bool,
}

impl Figure {
    /// Every figure.
    pub const ALL: [Figure; 7] = [
        Figure::Ring,
        Figure::Pairs,
        Figure::Chain,
        Figure::Pigeons,
        Figure::Hpca2a,
        Figure::Hpca2b,
        Figure::Hpca2c,
    ];

    fn names(self) -> [&'static str; 2] {
        match self {
            Figure::Ring => ["ring", "ring-violation"],
            Figure::Pairs => ["pairs", "pairs-violation"],
            Figure::Chain => ["chain", "chain-violation"],
            Figure::Pigeons => ["pigeons", "pigeons-violation"],
            Figure::Hpca2a => ["hpca-2a", "hpca-2a-violation"],
            Figure::Hpca2b => ["hpca-2b", "hpca-2b-violation"],
            Figure::Hpca2c => ["hpca-2c", "hpca-2c-violation"],
        }
    }

    /// The smallest and the largest size.
    fn sizes(self) -> (u32, u32) {
        match self {
            Figure::Ring => (2, 1 << 20),
            Figure::Pairs => (1, 16),
            Figure::Chain | Figure::Hpca2a | Figure::Hpca2b | Figure::Hpca2c => (1, 1 << 20),
            Figure::Pigeons => (1, 128),
        }
    }
}

impl Family {
    /// Every family: for each figure the consistent one, then the violation.
    pub fn all() -> impl Iterator<Item = Family> {
        Figure::ALL
            .into_iter()
            .flat_map(|figure| [false, true].map(|violation| Family { figure, violation }))
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.figure.names()[usize::from(self.violation)]
    }

    /// The family of a name.
    pub fn from_name(name: &str) -> Option<Family> {
        Family::all().find(|family| family.name() == name)
    }

    /// One line that describes the family and the meaning of its size.
    pub fn describe(self) -> &'static str {
        match (self.figure, self.violation) {
            (Figure::Ring, false) => {
                "one pair of writes, ordered by a circle through SIZE locations (Zennou et al., Fig. 3 for 2, Fig. 4)"
            }
            (Figure::Ring, true) => "the same with both orders refuted (Fig. 1c for 2)",
            (Figure::Pairs, false) => {
                "SIZE pairs, all choices of their orders but one excluded (Zennou et al., Fig. 5 for 2)"
            }
            (Figure::Pairs, true) => "the same with every choice excluded",
            (Figure::Chain, false) => "SIZE pairs, each one's order forcing the next one's",
            (Figure::Chain, true) => "the same with the last one's forced order refuted",
            (Figure::Pigeons, false) => "SIZE pigeons in SIZE holes, a pair for each of both",
            (Figure::Pigeons, true) => "a pigeon more than holes",
            (Figure::Hpca2a, false) => {
                "chain of the blocks of Manovit & Hangal 2006, Fig. 2a (the figure for 1)"
            }
            (Figure::Hpca2a, true) => "the same with the last one's forced order refuted",
            (Figure::Hpca2b, false) => {
                "chain of the blocks of Manovit & Hangal 2006, Fig. 2b (the figure for 1)"
            }
            (Figure::Hpca2b, true) => "the same with the last one's forced order refuted",
            (Figure::Hpca2c, false) => {
                "SIZE writes, none before both its neighbours (Manovit & Hangal 2006, Fig. 2c for 1)"
            }
            (Figure::Hpca2c, true) => "the same in a ring of SIZE + 2 writes",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The parameters of a hard history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardRecipe {
    /// The family.
    pub family: Family,
    /// The size; see [`Figure`].
    pub size: u32,
    /// Number of copies, each with its own locations and threads. If the family is a violation, one copy is a
    /// violation and the others are consistent.
    pub copies: u32,
    /// The model. Where it does not preserve a thread's order, fences are added.
    pub model: Model,
    /// The seed for the numbers of threads and locations and for the values written.
    pub seed: u64,
}

impl HardRecipe {
    /// The recipe of one copy of size 2 of a family, for SC and seed 0.
    pub fn new(family: Family) -> HardRecipe {
        HardRecipe { family, size: 2, copies: 1, model: Model::SC, seed: 0 }
    }
}

/// Maximum number of operations of a hard history.
const MOST_OPERATIONS: u64 = 1 << 25;

/// Generates a hard history. Threads, locations and values are numbered at random, so that their numbers
/// give no hint of the order of its writes.
///
/// # Errors
/// Returns [`RecipeError::Size`] or [`RecipeError::TooMany`] if the size or the number of copies is out of
/// range.
pub fn hard(recipe: &HardRecipe) -> Result<History, RecipeError> {
    let Family { figure, violation } = recipe.family;
    let (least, most) = figure.sizes();
    if !(least..=most).contains(&recipe.size) {
        return Err(RecipeError::Size {
            family: recipe.family.name(),
            size: recipe.size,
            least,
            most,
        });
    }
    let puzzle = |violation| Puzzle::new(Family { figure, violation }, recipe.size);
    let last = puzzle(violation);
    let room = MOST_OPERATIONS / last.operations().max(1);
    let why = " of this size";
    at_most(recipe.copies, "copies", room.max(1) as u32, why)?;

    let mut rng = Rng::new(recipe.seed, 0);
    let mut threads = Threads::default();
    if recipe.copies > 1 {
        let other = puzzle(false);
        (1..recipe.copies).for_each(|_| threads.add(&other));
    }
    threads.add(&last);
    Ok(threads.history(recipe.model, &mut rng)?)
}
