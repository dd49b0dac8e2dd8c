//! Prints documents as JSON. A document is a type that `serde` writes and `schemars` describes; `rubric schema` prints the
//! descriptions.

use std::io::{self, Write};

use serde::Serialize;

/// The values of a key whose value is one of these words, or null.
pub(crate) fn or_null(words: &[&'static str]) -> Vec<Option<&'static str>> {
    words.iter().copied().map(Some).chain([None]).collect()
}

/// Prints a document on a line, with keys in the order of its fields.
pub(crate) fn line(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    writeln!(out)
}

/// Prints a document on a line, with the keys of each object in alphabetical order.
pub(crate) fn sorted_line(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let value = serde_json::to_value(document)?;
    writeln!(out, "{value}")
}
