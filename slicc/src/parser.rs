//! From words to a syntax tree.
//!
//! One token, at most two, always tells what comes, so nothing is read twice, and a syntax error
//! is what went wrong at the furthest token. Reading then goes on at the next declaration that
//! begins with a reserved word.

mod declaration;
mod error;
mod expression;
mod input;
mod statement;
#[cfg(test)]
mod tests;

use super::ast::{Declaration, Name};
use super::lexer;
use crate::source::{Diagnostic, Span};
use input::{Context, In};

/// A file.
#[derive(Debug)]
pub struct File {
    /// Its declarations, without what it includes.
    pub declarations: Vec<Declaration>,
    /// What it includes, in order.
    pub includes: Vec<Include>,
    /// Syntax errors. If there are any, the tree lacks what could not be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// `include "path";`
#[derive(Clone, Debug)]
pub struct Include {
    /// The path as written.
    pub path: Name,
    /// The declaration.
    pub span: Span,
}

/// Reads the text of a file, which has this index among the sources.
pub fn parse(file: u32, text: &str) -> File {
    let (tokens, diagnostics) = lexer::tokens(file, text);
    if !diagnostics.is_empty() {
        // What is missing between the words would only make further errors.
        return File { declarations: Vec::new(), includes: Vec::new(), diagnostics };
    }
    let context = Context::new(text, &tokens);
    let declarations = declaration::file(In::new(&context));
    let (includes, diagnostics) = context.finish();
    File { declarations, includes, diagnostics }
}
