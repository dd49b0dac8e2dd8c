//! SLICC, the language of gem5's coherence protocols: read, resolved, checked, compiled and mutated.
//!
//! [`protocol::Protocol`] is a protocol that has been read and found right: a built-in one ([`builtin`]) or a user's file. On the way
//! there, [`load`] reads a `.slicc` file and what it includes (`lexer`, `parser`) into a syntax tree ([`ast`]), [`outline`] resolves
//! states, events and transition tables by name, and [`compile`] makes code for a register machine. [`lint`] warns about what is
//! allowed but odd. Crate `simulate` carries the code out.
//!
//! A [`mutant::Mutant`] is a protocol with a fault put in. There are known faults ([`mutant::named`]) and those that operators make
//! ([`mutant::made`]); [`mutant::touched`] compares a mutant with its protocol, and [`mutant::equivalent`] finds mutants that change
//! nothing.
//!
//! ```
//! use slicc::mutant::named;
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let cache = &protocol.outline.machines[0];
//! assert_eq!(cache.name, "L1Cache");
//! assert!(cache.events.iter().any(|event| event.name == "Fwd_GETX"));
//!
//! let fault = named::find("mi-l1-forward-blocks-queue").expect("it comes with the protocol");
//! let mutant = protocol.with(&fault).expect("it fits");
//! assert_eq!(mutant.title(), "MI_example with mi-l1-forward-blocks-queue");
//! ```

pub mod ast;
pub mod builtin;
pub mod compile;
pub mod cplusplus;
pub mod error;
mod lexer;
pub mod library;
pub mod lint;
pub mod load;
mod meant;
pub mod mutant;
mod near;
pub mod outline;
mod parser;
pub mod protocol;
pub mod scripts;
pub mod setting;
pub mod source;
mod token;
mod visit;
