//! The histories of a litmus test that end in a given state.

use std::path::Path;

use history::History;
use lab::load::Input;
use litmus::{LitmusTest, histories};

use super::files;
use crate::error::Error;

/// How often a thread may go back at each branch.
const UNROLL: usize = 2;

/// The histories of a test at whose end a proposition holds.
///
/// # Errors
/// Returns an error if the test or the proposition cannot be read, or if the proposition holds at the end of no run.
pub(crate) fn of(path: &Path, outcome: &str) -> Result<Input, Error> {
    let (file, text) = files::read(path)?;
    let test = LitmusTest::parse(&file, &text)?;
    let proposition = test.proposition("--outcome", outcome)?;
    let mut found = histories(&test, &proposition, UNROLL)?;
    if found.is_empty() {
        return Err(Error::Usage(format!(
            "{file}: no run of the programs ends with `{outcome}`, whatever the memory model"
        )));
    }
    number(&mut found);
    Ok(Input::of(file, "litmus", found))
}

/// Makes the names of several histories differ.
fn number(histories: &mut [History]) {
    if histories.len() > 1 {
        for (at, history) in histories.iter_mut().enumerate() {
            history.name = history.name.as_ref().map(|name| format!("{name} {}", at + 1));
        }
    }
}
