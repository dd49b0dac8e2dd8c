//! Exhaustive exploration of small systems: all runs, where a trace is a single run.
//!
//! [`memory`] proves memory systems sequentially consistent by Qadeer's method, or finds a run that
//! is not. [`monitor`] follows one run under SC and reports whether its program could behave under
//! TSO or PSO as SC does not allow (Burnim, Sen & Stergiou). [`program`] parses concurrent programs
//! and explores their runs with these monitors. [`protocol`] explores SLICC protocols: do they
//! fail, hang, let two cores write, or lose a value? The others rest on [`search`], a
//! breadth-first search over the states of a [`graph`] within limits; protocols have a search of
//! their own, for many more states.
//!
//! ```
//! use explore::memory::SystemSize;
//! use explore::memory::method::{Options, Verdict, prove};
//! use explore::memory::piranha::Piranha;
//!
//! let size = SystemSize { processors: 2, locations: 1, values: 2 };
//! let proof = prove(&Piranha { size, is_buggy: false }, &Options::default(), &mut |_| ());
//! assert!(matches!(proof.verdict, Verdict::Consistent));
//!
//! let options = Options { assumptions: explore::search::Limits { states: Some(100), ..Default::default() }, ..Options::default() };
//! let proof = prove(&Piranha { size, is_buggy: true }, &options, &mut |_| ());
//! let run = &proof.searches[0].found.as_ref().unwrap().run;
//! assert_eq!(run.len(), 10);
//! ```

pub mod graph;
pub mod memory;
pub mod monitor;
pub mod program;
pub mod protocol;
pub mod search;
