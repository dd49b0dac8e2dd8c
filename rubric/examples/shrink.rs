//! Shrinks a violation to the few operations that are still wrong, and names the litmus test that they are.

use std::error::Error;

use rubric::{FromReader, History, Model, check, shape};

/// Shrinks a recorded violation.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let recorded = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz"
    );
    let history = History::from_path(recorded)?;
    let checked = check(&history, Model::SC)?;
    let small = checked.shrink().ok_or("SC allows this history")?;
    println!("{} of {} operations are enough:", small.history.operations(), history.operations());
    for op in small.history.ops() {
        let operation = small.history.operation(op);
        println!("  thread {}: {}", operation.thread, small.history.describe(op));
    }
    if let Some(shape) = shape(&small) {
        println!("this is {} ({})", shape.name, shape.meaning);
    }
    assert!(small.history.operations() < 20);
    Ok(())
}
