//! Random programs in C for real machines, simulators of processors and emulators.
//!
//! [`CProgram`] writes a program of [`simulate::program`] as C: either one whose accesses a trace of instructions shows, or one that
//! records itself what its loads returned ([`Record`]). [`Compiler`] makes an executable of it, [`Runner`] runs that, here or on another
//! machine, and [`ingest::recorded`] reads what it recorded.

mod announced;
mod c;
mod compile;
mod error;
mod fault;
mod host;
mod instructions;
mod plan;
mod process;
mod recorded;
mod run;
mod template;
mod threads;
mod variables;
mod write;

pub use announced::MOST_ROUNDS;
pub use c::CProgram;
pub use compile::{Compiler, Executable, native};
pub use error::Error;
pub use fault::Fault;
pub use host::{Console, Host, linker_script};
pub use plan::Plan;
pub use recorded::Record;
pub use run::Runner;
pub use variables::Sizes;
pub use write::MOST_OPERATIONS;
