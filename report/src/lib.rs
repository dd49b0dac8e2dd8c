//! What results and verdicts say, in words, numbers and drawings.
//!
//! Of the rows in [`tables`], [`answers`] says what the runs of a campaign mean, [`coverage`] how much of a protocol they reached, [`summary`] what experiments were
//! run, and [`claims`] whether what the papers state holds. [`figures`] are drawn from the rows, and [`page`] shows all of it as HTML.
//! [`explain`] makes a [`picture`] of a verdict about one history, and [`assumptions`] says under what it holds.
//!
//! ```
//! use report::{claims, summary};
//! use tables::Trial;
//! use tables::results::Results;
//!
//! let trial = Trial { experiment: "scale".to_owned(), size: "quick".to_owned(), ..Trial::default() };
//! let results = Results { trials: vec![trial], ..Results::default() };
//! assert_eq!(summary::experiments(&results.trials)[0].histories, 1);
//! // Nothing of the papers was run, so none of their claims is decided.
//! assert!(claims::all(&results).iter().all(|claim| claim.verdict == claims::Verdict::Untested));
//! ```

pub mod answers;
pub mod assumptions;
pub mod claims;
pub mod coverage;
pub mod explain;
pub mod figures;
pub mod numbers;
pub mod page;
pub mod picture;
mod plot;
mod statistics;
pub mod summary;
