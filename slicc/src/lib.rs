//! Reads, resolves, checks, compiles and mutates protocols written in SLICC, the language of gem5's
//! coherence protocols.
//!
//! A [`protocol::Protocol`] is a protocol that has been read and found correct, built in
//! ([`builtin`]) or from a user's file. On the way there, [`load`] reads a `.slicc` file and its
//! includes (`lexer`, `parser`) into a syntax tree ([`ast`]), [`dialect`] rewrites older versions of
//! the language as today's, [`outline`] resolves states, events and transition tables by name, and
//! [`compile`] generates code for a register machine, which the crate `simulate` executes. [`lint`]
//! warns about what is allowed but odd.
//!
//! A [`mutant::Mutant`] is a protocol with an injected fault: one of the known faults
//! ([`mutant::named`]) or one that an operator generates ([`mutant::made`]). [`mutant::touched`]
//! compares a mutant with its protocol, and [`mutant::equivalent`] finds mutants that change
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
pub mod dialect;
pub mod difference;
pub mod disk;
pub mod error;
mod lexer;
pub mod library;
pub mod lint;
pub mod live;
pub mod load;

pub mod mutant;
mod near;
pub mod options;
pub mod outline;
mod parser;
pub mod protocol;
pub mod requests;
pub mod scripts;
pub mod setting;
pub mod source;
mod suggest;
mod token;
pub mod visit;
