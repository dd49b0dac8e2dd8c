//! Programs: their errors, what they can do under each model, and what the monitors report.
//!
//! - [`language`]: errors, and the effects of statements;
//! - [`runs`]: outcomes, faults, counts of runs and limits, against known values;
//! - [`monitors`]: their verdicts against all states, and fences;
//! - [`benchmarks`]: the paper's programs.

mod benchmarks;
mod language;
mod monitors;
mod runs;

use check::Model;
use explore::program::compile::Program;
use explore::program::exhaustive::{self, explore};
use explore::search::Limits;

const PSO: Model = Model::PSO;
const ALL: u32 = u32::MAX;

fn program(text: &str) -> Program {
    Program::read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn exhaustive(text: &str, model: Model) -> exhaustive::Report {
    explore(&program(text), model, &Limits::default(), &mut |_| {})
}

/// A program of two threads with these statements and two locations.
fn two(first: &str, second: &str) -> String {
    format!("shared x, y; thread P {{ {first} }} thread Q {{ {second} }}")
}

fn store_buffering(between: &str) -> String {
    two(
        &format!("store x = 1;\n{between} let r = load y;"),
        &format!("store y = 1;\n{between} let r = load x;"),
    )
}

fn message_passing() -> String {
    two("store x = 1;\nstore y = 1;", "let flag = load y;\nlet data = load x;")
}
