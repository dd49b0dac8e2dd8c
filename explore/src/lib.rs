//! All runs of a small system, where a trace has one.
//!
//! [`memory`] proves memory systems sequentially consistent, by Qadeer's method, or shows a run that is not. [`monitor`] looks
//! at one run under SC and tells whether its program could do what SC does not allow under TSO or PSO (Burnim, Sen &
//! Stergiou). [`program`] reads concurrent programs and goes through their runs with these monitors. [`protocol`] explores SLICC
//! protocols: do they fail, hang, let two cores write, or lose a value? Most rest on [`search`]: breadth first over the states
//! of a [`graph`], within limits.
//!
//! ```
//! use explore::memory::SystemSize;
//! use explore::memory::method::{Options, Verdict, prove};
//! use explore::memory::piranha::Piranha;
//!
//! let shape = SystemSize { processors: 2, locations: 1, values: 2 };
//! let proof = prove(&Piranha { shape, is_buggy: false }, &Options::default(), &mut |_| ());
//! assert!(matches!(proof.verdict, Verdict::Consistent));
//!
//! let options = Options { assumptions: explore::search::Limits { states: Some(100), ..Default::default() }, ..Options::default() };
//! let proof = prove(&Piranha { shape, is_buggy: true }, &options, &mut |_| ());
//! let run = &proof.searches[0].found.as_ref().unwrap().run;
//! assert_eq!(run.len(), 10);
//! ```

pub mod graph;
pub mod memory;
pub mod monitor;
pub mod program;
pub mod protocol;
pub mod search;
mod settle;
