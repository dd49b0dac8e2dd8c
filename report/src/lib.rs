//! Reports of results and verdicts: claims, figures, pages and pictures.
//!
//! From the rows in [`tables`], [`answers`] computes the results of a campaign, [`summary`] which
//! experiments were run, [`fidelity`] how far rubric's simulator and gem5 agree, and [`claims`] which of the papers' claims hold. [`figures`] draws figures, and [`page`] shows everything as HTML.
//! [`explain`] makes a [`picture`] of a verdict about one history, and [`check::assumptions`] has the conditions under which the verdict holds.
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
pub mod claims;
pub mod explain;
pub mod fidelity;
pub mod figures;
pub mod machines;
pub mod numbers;
pub mod page;
pub mod picture;
mod plot;
pub mod sequence;
pub mod statistics;
pub mod summary;
