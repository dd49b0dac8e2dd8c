//! Traces of gem5: the text that its debug flags print. [`Gem5`] is the format; [`write()`] prints a history as such a
//! trace.
//!
//! A trace is read in one pass. `readers::reader::Reader` passes each line to those that may need it:
//!
//! - `lines` parses lines, repairs those that an editor, a terminal or a mail has changed, and recognises what it cannot read;
//! - `readers` makes operations: of the requests and completions of sequencers, and of the lines that clients print;
//! - `exec` takes the instructions that CPUs executed;
//! - `crash` finds how gem5 ended, and keeps the steps that may explain it;
//! - `choice` decides, at the end, which of the histories of a trace is returned, with its notes.
//!
//! `run` is what the other files of a run say of its trace, `protocol` knows gem5's protocols by their machines, and [`text`] spells gem5's
//! lines.
//!
//! A client may print the operations of its thread, which shows what Ruby cannot see: loads that a store buffer served,
//! and fences. Its lines are `T<thread> op <index>` and then `store <address> <value>` when the program issues the
//! store, `load <address> <value>` when the load completes (followed by ` forwarded` if a buffer served it),
//! `rmw <address> <value read> <value written>` when the read-modify-write completes (whether it was a swap, a locked
//! pair, or a load-linked with the store-conditional that succeeded), or `fence`. The values may be followed by
//! ` size <bytes>`, from 1 to 8.

mod choice;
pub(crate) mod crash;
mod exec;
mod format;
pub(crate) mod lines;
pub(crate) mod protocol;
pub(crate) mod readers;
pub(crate) mod run;
pub mod text;
mod write;

pub use crash::output::crash_in;
pub(crate) use exec::ConfiguredCpu;
pub use format::Gem5;
pub use write::write;
