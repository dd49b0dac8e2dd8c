//! Reads herd's litmus tests, and computes all outcomes that a memory model allows.
//!
//! A litmus test is a small program of a few threads with a question: can it end in this state? The crate
//! reads tests for RISC-V, AArch64 and x86-64 in the format of herd ([`LitmusTest::parse`]), and computes
//! all final states that a memory model allows ([`outcomes`]).
//!
//! ```
//! use litmus::{LitmusTest, Observation, outcomes};
//! use memory::Model;
//!
//! let text = "X86_64 SB
//! { }
//!  P0            | P1            ;
//!  movl $1,(x)   | movl $1,(y)   ;
//!  movl (y),%eax | movl (x),%eax ;
//! exists (0:rax=0 /\\ 1:rax=0)";
//! let test = LitmusTest::parse("SB.litmus", text)?;
//! assert_eq!(outcomes(&test, Model::TSO, 2)?.observation(), Observation::Sometimes);
//! assert_eq!(outcomes(&test, Model::SC, 2)?.observation(), Observation::Never);
//! # Ok::<(), litmus::Error>(())
//! ```
//!
//! The steps from text to states:
//!
//! 1. [`isa`] translates each instruction into a common form, whatever the instruction set.
//! 2. `execute` unfolds the program of each thread into paths, on which the values that loads return stay unknown
//!    (`expression`).
//! 3. A path of each thread makes a `candidate`. `search` enumerates its executions: a source for each read, and an
//!    order of the writes to each location. It gives up choices early that contradict each other.
//! 4. A [`memory::Model`] decides which part of program order is preserved (`preserved`). Each execution that it
//!    allows ends in a final state.
//!
//! [`histories`] returns the histories that end in a given state, allowed or not.

mod candidate;
mod error;
mod execute;
mod expression;
mod histories;
pub mod isa;
mod operations;
mod order;
mod outcomes;
mod parse;
mod parts;
mod preserved;
mod print;
mod search;
pub mod test;
pub mod types;
pub mod value;

pub use error::Error;
pub use histories::{histories, histories_within};
pub use outcomes::{Observation, Outcomes, State, outcomes, outcomes_within};
pub use test::LitmusTest;
