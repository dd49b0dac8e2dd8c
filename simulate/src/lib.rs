//! Runs coherence protocols in SLICC on a runtime like gem5's Ruby, with random programs.
//!
//! The crate `slicc` reads and compiles a protocol. [`simulation::Simulation`] runs it: a random
//! [`program`] on cores of some kind ([`client`]), whose requests go through [`sequencer`]s to the
//! controllers of a [`system`], which is built as gem5's scripts would build it ([`config`]). The
//! results are a [`trace`] in gem5's own lines, the history of what the program did ([`record`]),
//! and the transitions that were taken. A seed determines a run, byte for byte. A [`recipe`] draws
//! all parameters of a run from a seed. [`stepper`] is the same runtime without time, for exploring
//! all runs.
//!
//! ```
//! use simulate::client::Client;
//! use simulate::config::Options;
//! use simulate::program::ProgramSize;
//! use simulate::simulation::Simulation;
//! use slicc::protocol::Protocol;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let simulation = Simulation {
//!     shape: ProgramSize { threads: 2, operations: 50, ..ProgramSize::default() },
//!     client: Client::IN_ORDER,
//!     options: Options::default(),
//!     deadlock_threshold: None,
//! };
//! let plan = simulation.plan(&protocol).expect("every parameter has a value");
//! let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
//! assert!(run.fault.is_none());
//! assert_eq!(run.history().expect("the records agree").len(), 100);
//! ```

pub mod client;
pub mod config;
pub mod differences;
pub mod error;
pub mod guided;
pub mod named_effects;
pub mod numbering;
pub mod program;
pub mod recipe;
pub mod record;
pub mod request;
pub mod ruby;
pub mod sequencer;
pub mod simulation;
pub mod stepper;
pub mod system;
pub mod trace;
