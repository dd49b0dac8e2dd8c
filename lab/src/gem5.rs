//! Runs programs in gem5: binaries that a user has built with the plug-in of the folder `gem5`.
//!
//! - [`Given`] is a binary as the command line names it, and [`Binary`] one that was asked what it is;
//! - [`System`] has the parameters of the simulated system, which are options of the plug-in's script;
//! - [`Session`] is a process of gem5 that runs programs one after the other, each in a fork of its own with cold caches, and
//!   [`Played`] what became of one of them; [`Idle`] keeps processes that wait for more programs;
//! - [`Kept`] is the folder with all that repeats a run by hand;
//! - [`abandon`] removes what a program that a signal ends would leave behind.
//!
//! The plug-in's script is part of this crate, so it fits this version whatever files lie beside the binary.
//!
//! ```
//! use lab::gem5::Given;
//!
//! let given: Given = "mi-l1-nack-before-forward=build/NULL_mutant/gem5.opt".parse()?;
//! assert_eq!(given.name.as_deref(), Some("mi-l1-nack-before-forward"));
//! let plain: Given = "build/NULL/gem5.opt".parse()?;
//! assert_eq!(plain.name, None);
//! # Ok::<(), std::convert::Infallible>(())
//! ```

mod binary;
mod idle;
mod kept;
mod played;
mod process;
mod scratch;
mod session;
mod system;

use simulate::client::Client;

pub use binary::{Binary, Given, UNMUTATED};
pub use idle::Idle;
pub use kept::{Kept, command};
pub use played::{Ending, Played};
pub use scratch::abandon;
pub use session::{Request, Session};
pub use system::System;

/// The script that gem5 runs.
const SCRIPT: &str = include_str!("../gem5/rubric.py");

/// The name of the script.
const SCRIPT_NAME: &str = "rubric.py";

/// Kinds of cores that the plug-in has, by the beginnings of their names.
const CORES: [&str; 4] = ["in-order", "store-buffer-", "per-location-", "early-"];
/// The part of a name that all cores of weak models have.
const OUT_OF_ORDER: &str = "-ooo-";

/// Whether the plug-in has such cores.
pub fn has_cores(client: Client) -> bool {
    let name = client.to_string();
    CORES.iter().any(|core| name.starts_with(core)) || name.contains(OUT_OF_ORDER)
}
