//! Certificates of verdicts about memory consistency, and their verifier: the trusted kernel.
//!
//! A [`certificate`](certificate::Certificate) is a verdict with its proof, as text: for a consistent history a run
//! of the operational machine, or a memory order under a weak model; for a violation the steps of a refutation.
//! [`verify`](verify::verify) checks it against the history. It uses the `history` and `memory` crates and none of
//! the engines that find verdicts, so a certificate can be trusted without trusting the engine that wrote it.
//!
//! - [`certificate`] is the format: claims, steps, reading and writing;
//! - [`criterion`] defines the criteria that are weaker than a model, and the relations that their
//!   refutations use;
//! - [`rule`] defines the rules that the steps of a model's refutation apply;
//! - [`verify`] checks a certificate.
//!
//! ```
//! use certify::certificate::{self, Claim};
//! use certify::verify::{Verified, verify};
//! use history::{Access, HistoryBuilder, Initial, Kind, OpId, Place, Provenance};
//! use memory::{Model, machine::Step};
//!
//! // One thread stores, another loads the value.
//! let mut builder = HistoryBuilder::new();
//! builder.push(Access { written: Some(1), ..Access::new(0, Kind::Store, Place::Cell(7)) });
//! builder.push(Access { read: Some(1), ..Access::new(1, Kind::Load, Place::Cell(7)) });
//! let history = builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap();
//!
//! let claim = Claim::new(&history, Model::SC, "");
//! let steps = [Step::Execute(OpId(0)), Step::Execute(OpId(1))];
//! let mut text = Vec::new();
//! certificate::write_consistent(&mut text, &history, &claim, &[], &steps).unwrap();
//! let certificate = certificate::read(text.as_slice()).unwrap();
//! assert_eq!(verify(&history, &certificate), Ok(Verified::Consistent { steps: 2 }));
//! ```

pub mod certificate;
pub mod criterion;
pub mod rule;
pub mod verify;
