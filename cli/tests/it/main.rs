//! Tests that drive the program as a process.
//!
//! They are one test program, so that they are linked once and share the processors.

mod algorithms;
mod campaign;
mod check;
mod commands;
mod common;
mod crash;
mod examples;
mod exec;
mod experiment;
mod explain;
mod explore;
mod fences;
mod functional;
mod gem5;
mod generate;
mod generate_c;
mod hostile;
mod links;
mod logs;
mod many;
mod memory_system;
mod models;
mod monitor;
mod mutants;
mod packages;
mod programs;
mod protocol;
mod released;
mod repeat;
mod report;
mod reported;
mod robust;
mod run;
mod schema;
mod shards;
mod shell;
mod shrink;
mod simulate;
mod split;
mod stored;
mod testing;
mod traces;
mod warnings;
mod watch;
