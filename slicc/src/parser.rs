//! The parser: from tokens to a syntax tree.
//!
//! The grammar is decided by one token of lookahead, at most two, so there is no backtracking, and
//! a syntax error is reported at the furthest token reached. Parsing then resumes at the next
//! declaration that begins with a reserved word.

mod declaration;
mod error;
mod expression;
mod file;
mod input;
mod older;
mod statement;
#[cfg(test)]
mod tests;

use super::lexer;
use crate::source::{Diagnostic, Span};
pub(crate) use file::{File, Include};
use input::{Context, In};

/// Parses the text of the file with index `file` among the sources.
pub(crate) fn parse(file: u32, text: &str) -> File {
    let parsed = parse_text(file, text);
    if parsed.diagnostics.is_empty() {
        return parsed;
    }
    match conflict(file, text) {
        Some(error) => File { diagnostics: vec![error], ..parsed },
        None => parsed,
    }
}

/// The error that a text has lines with which version control marks a conflict. gem5 refuses such a text, too.
fn conflict(file: u32, text: &str) -> Option<Diagnostic> {
    let marks = ["<<<<<<< ", ">>>>>>> "];
    let starts = text.match_indices('\n').map(|(at, _)| at + 1).chain([0]);
    let at = starts.filter(|at| marks.iter().any(|mark| text[*at..].starts_with(mark))).min()?;
    let span = Span { file, start: at as u32, end: at as u32 + 7 };
    let message = "a conflict between two versions of this file was not resolved";
    Some(
        Diagnostic::error(span, message)
            .hint("keep one version, and remove the lines of `<<<<<<<`, `=======` and `>>>>>>>`"),
    )
}

fn parse_text(file: u32, text: &str) -> File {
    let (tokens, diagnostics) = lexer::tokens(file, text);
    if !diagnostics.is_empty() {
        // Parsing without the missing tokens would only cause further errors.
        return File { declarations: Vec::new(), includes: Vec::new(), diagnostics };
    }
    let context = Context::new(text, &tokens);
    let declarations = declaration::file(In::new(&context));
    let (includes, diagnostics) = context.finish();
    File { declarations, includes, diagnostics }
}
