//! [`File`]: a parsed file.

use crate::ast::{Declaration, Name};
use crate::source::{Diagnostic, Span};

/// A parsed file.
#[derive(Debug)]
pub(crate) struct File {
    /// The declarations of the file itself.
    pub declarations: Vec<Declaration>,
    /// The include lines, in order.
    pub includes: Vec<Include>,
    /// Syntax errors. If there are any, the declarations with errors are missing from the tree.
    pub diagnostics: Vec<Diagnostic>,
}

/// `include "path";`
#[derive(Clone, Debug)]
pub(crate) struct Include {
    /// The path as written.
    pub path: Name,
    /// The declaration.
    pub span: Span,
}
