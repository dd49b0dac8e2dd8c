//! Reads, resolves, checks and compiles protocols written in SLICC, the language of gem5's coherence protocols.
//!
//! A [`protocol::Protocol`] is a protocol that has been read and found correct, built in
//! ([`builtin`]) or from a user's file. On the way there, [`load`] reads a `.slicc` file and its
//! includes (`lexer`, `parser`) into a syntax tree ([`ast`]), [`dialect`] rewrites older versions of
//! the language as today's, [`outline`] resolves states, events and transition tables by name, and
//! [`compile`] generates code for a register machine, which the crate `simulate` executes. [`lint`]
//! warns about what is allowed but odd.
//!
//! A [`load::Modification`] makes another protocol of one: the crate `mutate` has mutants and repairs. [`difference`] compares two
//! versions of a protocol.
//!
//! ```
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let cache = &protocol.outline.machines[0];
//! assert_eq!(cache.name, "L1Cache");
//! assert!(cache.events.iter().any(|event| event.name == "Fwd_GETX"));
//! ```

mod allowed;
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
pub mod near;
pub mod options;
pub mod outline;
mod parser;
pub mod protocol;
pub mod reachable;
pub mod requests;
pub mod scripts;
pub mod setting;
pub mod source;
mod suggest;
mod token;
pub mod visit;
