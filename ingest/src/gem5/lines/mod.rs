//! Lines of a trace: their parts, and what is wrong with them.
//!
//! - `line` splits a line into its parts (`Shape`), `parse` and the grammars of `grammar` read the text of a named line (`message`); `shaped` is a
//!   line with both, `parsed` the same for lines that another thread parses;
//! - `raw` reads the columns of ProtocolTrace;
//! - `layout` and `wrapped` restore lines that an editor, a terminal or a mail has changed, which `changes` counts; `alike` finds lines that look
//!   like those of a debug flag and cannot be read, and `cause` says what changed them;
//! - `recognise` tells gem5's lines from other text, `command` reads the command line of rubric's simulator;
//! - a `Fault` is what is wrong with a line.

pub(crate) mod alike;
mod cause;
pub(crate) mod changes;
pub(crate) mod command;
pub(crate) mod fault;
#[cfg(test)]
mod forms;
pub(crate) mod grammar;
pub(crate) mod layout;
pub(crate) mod line;
pub(crate) mod message;
pub(crate) mod parse;
pub(crate) mod parsed;
pub(crate) mod raw;
pub(crate) mod recognise;
pub(crate) mod shaped;
pub(crate) mod wrapped;
