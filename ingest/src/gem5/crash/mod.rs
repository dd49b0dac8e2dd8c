//! How gem5 ended.
//!
//! `end` looks for the message of a crash, which `scan` puts together from its lines and parses into `fields`, by the table of `messages`; `output`
//! does so for the output of a run whose operations are in a log of `RubricTester`. `last_steps` keeps the steps that may explain it, of which
//! `outstanding` makes the ending of a run; `processor` adds what the processor that a message names did.

pub(crate) mod end;
mod fields;
pub(crate) mod last_steps;
mod messages;
pub(crate) mod output;
pub(crate) mod outstanding;
mod processor;
pub(crate) mod scan;
