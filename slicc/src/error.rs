//! The error of a short text that cannot be parsed.

use thiserror::Error;

/// A short text, such as the value of an option, that does not have the expected form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}`: {expected}")]
pub struct ParseError {
    text: String,
    expected: &'static str,
}

impl ParseError {
    /// Creates the error for `text`. `expected` is a sentence that says which form was expected,
    /// with an example.
    pub fn new(text: &str, expected: &'static str) -> ParseError {
        let text = text.to_owned();
        ParseError { text, expected }
    }
}
