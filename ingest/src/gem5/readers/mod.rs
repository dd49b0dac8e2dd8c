//! Makes operations of the lines of a trace.
//!
//! `reader` reads a whole trace, `live` one that is still being written. `matching` and `completion` match the requests of each `sequencer`, which
//! a `fifo` holds, with their completions, and make an `operation` of both, whose value is in a data `block`. `client` collects the
//! operations that clients print. A `sink` takes the operations of both, in a `collector` each. `gaps` and `interruption` keep what lines that
//! were skipped leave in doubt.

mod block;
pub(crate) mod client;
pub(crate) mod collector;
pub(crate) mod completion;
pub(crate) mod fifo;
pub(crate) mod gaps;
mod interruption;
pub(crate) mod live;
pub(crate) mod matching;
mod operation;
pub(crate) mod reader;
pub(crate) mod sequencer;
pub(crate) mod sink;
