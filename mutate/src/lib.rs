//! Mutants and repairs of protocols: edits that put a fault in or take a known one out, and what they change.
//!
//! A [`Mutant`] is a protocol with an injected fault: one of the known faults ([`named`]), which a released protocol has or
//! had, or one that an operator makes ([`made`]). A repair ([`repair`]) is a mutant in the other direction. [`touched`]
//! compares a mutant with its protocol, [`equivalent`] finds mutants that change nothing, and [`unreached`] has the entries of the
//! built-in protocols that no run reaches. The crate `slicc` reads and compiles protocols, and knows nothing of mutants: a mutant
//! is a [`Modification`](slicc::load::Modification) for [`Protocol::with`](slicc::protocol::Protocol::with).
//!
//! ```
//! use mutate::named;
//! use slicc::protocol::Protocol;
//!
//! let mutant = named::find("mi-l1-forward-blocks-queue").unwrap();
//! let original = Protocol::open(&mutant.protocol).unwrap();
//! let protocol = original.with(&mutant).unwrap();
//! assert_eq!(protocol.name(), "MI_example");
//! assert_eq!(protocol.title(), "MI_example with mi-l1-forward-blocks-queue");
//! ```

mod collector;
mod compare;
mod edit;
mod effects;
pub mod equivalent;
mod fields;
pub mod given;
mod library;
mod list;
pub mod made;
mod mutant;
pub mod named;
mod operator;
mod operators;
pub mod repair;
mod row;
mod scene;
mod site;
pub mod touched;
pub mod unreached;
mod usage;
mod walk;

pub use mutant::Mutant;
pub use named::Misfit;
pub use operator::{Operator, UnknownOperator};
pub use site::{Origin, Site};
