//! Exploration of memory systems, protocols and programs.
//!
//! One program, so that all tests are linked once and share the processors.

mod cover;
mod disk;
mod fair;
mod memory_systems;
mod monitors;
mod nice_cycles;
mod programs;
mod protocol;
mod reductions;
mod repertoire;
mod search_options;
mod small;
mod unreached;
