//! Checks a trace under several models: `cargo run -p rubric-lib --example check_file -- TRACE`.

use std::error::Error;

use rubric::{FromReader, History, Model, check};

/// Prints the verdicts on a file under SC, TSO and PSO.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let recorded = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz"
    );
    let given = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    let history = History::from_path(given.as_deref().unwrap_or(recorded))?;
    println!("{} threads, {} operations", history.threads().len(), history.operations());
    for model in [Model::SC, Model::TSO, Model::PSO] {
        let checked = check(&history, model)?;
        println!("{model}: {}", checked.verdict().word());
        for caveat in checked.caveats() {
            println!("  note: {caveat}");
        }
    }
    Ok(())
}
