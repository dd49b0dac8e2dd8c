//! Coherence protocols in SLICC, gem5's language for them, run on a Ruby-like runtime.
//!
//! [`protocol::Protocol`] reads a protocol, a built-in one or a user's file: `slicc` makes the syntax
//! tree and the tables, `compile` the code. [`simulation::Simulation`] runs it: a random [`program`] on
//! cores of some kind ([`client`]), whose requests go through [`sequencer`]s to the controllers of a
//! [`system`]. What comes out is a [`trace`] in gem5's own lines, the history of what the program did
//! ([`record`]), and which transitions were taken. A seed stands for one run, byte for byte.
//!
//! ```
//! use simulate::client::Client;
//! use simulate::config::Options;
//! use simulate::program::Shape;
//! use simulate::protocol::Protocol;
//! use simulate::simulation::Simulation;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let simulation = Simulation {
//!     shape: Shape { threads: 2, operations: 50, ..Shape::default() },
//!     client: Client::InOrder,
//!     options: Options::default(),
//!     deadlock_threshold: None,
//! };
//! let plan = simulation.plan(&protocol).expect("every parameter has a value");
//! let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
//! assert!(run.fault.is_none());
//! assert_eq!(run.history().expect("the records agree").len(), 100);
//! ```

pub mod client;
pub mod compile;
pub mod config;
pub mod dice;
pub mod guided;
pub mod library;
pub mod mutant;
pub mod program;
pub mod protocol;
pub mod recipe;
pub mod record;
pub mod request;
pub mod ruby;
pub mod sequencer;
pub mod simulation;
pub mod slicc;
pub mod source;
pub mod stepper;
pub mod system;
pub mod trace;
