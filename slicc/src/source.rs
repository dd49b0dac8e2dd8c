//! Source files, spans in them, and diagnostics about such spans.

use std::path::{Path, PathBuf};

/// A range of bytes of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Index of the file in [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// The span from the beginning of this one to the end of `other`, which lies in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end, ..self }
    }
}

/// One file.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path, as a message shows it.
    pub path: PathBuf,
    /// The text of the source.
    pub text: String,
    /// Offsets at which lines begin.
    /// Byte offsets at which lines begin.
    line_starts: Vec<u32>,
}

/// The files of a protocol, in the order in which they were opened.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file and returns its index.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: String) -> u32 {
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1))
            .collect();
        self.files.push(Source { path: path.into(), text, line_starts });
        self.files.len() as u32 - 1
    }

    /// The files.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        &self.files[span.file as usize].text[span.start as usize..span.end as usize]
    }

    /// The file of a span, and its first line and column, counted from 1, the column in characters.
    pub fn position(&self, span: Span) -> (&Path, usize, usize) {
        let file = &self.files[span.file as usize];
        let line = file.line_starts.partition_point(|&start| start <= span.start) - 1;
        let column =
            file.text[file.line_starts[line] as usize..span.start as usize].chars().count();
        (&file.path, line + 1, column + 1)
    }
}

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The protocol runs, but something in it is odd.
    Warning,
    /// The protocol can't run.
    Error,
}

/// An error or a warning about a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The place; `None` if the diagnostic is about no place, such as a missing file.
    pub span: Option<Span>,
    /// Text to write beside the caret, if any.
    pub label: Option<String>,
    /// Related places, each with how it is related.
    pub notes: Vec<(Span, String)>,
    /// Advice on how to resolve it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error about a span.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: None,
            notes: Vec::new(),
            hint: None,
        }
    }

    /// The error that a `;` is missing behind a token, since another one follows.
    pub fn missing_semicolon(behind: Span, found: &str) -> Diagnostic {
        let end = Span { start: behind.end, ..behind };
        Diagnostic::error(end, format!("expected `;`, found {found}"))
            .label("a `;` is missing here")
    }

    /// A warning about a span.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Adds a text beside the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// Adds a related place.
    pub fn note(mut self, span: Span, note: impl Into<String>) -> Diagnostic {
        self.notes.push((span, note.into()));
        self
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}
