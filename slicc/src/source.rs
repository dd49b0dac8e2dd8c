//! Source files, spans in them, and diagnostics about such spans.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use diffy::{DiffOptions, Line};

/// A range of bytes of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Index of the file in [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// The byte after the last.
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
    /// The path of the file, as messages show it.
    pub path: PathBuf,
    /// The text of the source.
    pub text: String,
    /// Byte offsets at which lines begin.
    line_starts: Vec<u32>,
    /// The text as the user gave it, if repairs or a mutant changed it.
    given: Option<Arc<str>>,
    /// For each line, the line of the given text from which it comes. Computed when it is first needed.
    given_lines: OnceLock<Vec<GivenLine>>,
}

/// A changed file of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path of the file, relative to the folder of the `.slicc` file.
    pub path: String,
    /// The new text of the file.
    pub text: String,
}

/// The line of a file as the user gave it from which a line of the changed file comes. Repairs and mutants move
/// lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenLine {
    /// The number of the line, from 1. For an added line, the number of the line before it.
    pub number: usize,
    /// Whether the line was added.
    pub is_added: bool,
}

impl Source {
    /// The text as the user gave it, if repairs or a mutant changed it.
    pub(crate) fn given(&self) -> Option<&str> {
        self.given.as_deref()
    }

    /// The line of the given file from which a line comes. Lines are counted from 1.
    pub fn given_line(&self, line: usize) -> GivenLine {
        let Some(given) = &self.given else {
            return GivenLine { number: line, is_added: false };
        };
        let lines = self.given_lines.get_or_init(|| given_lines(given, &self.text));
        let last = GivenLine { number: given.lines().count(), is_added: true };
        lines.get(line - 1).copied().unwrap_or(last)
    }
}

/// For each line of a changed text, the line of the given text from which it comes. A line that replaces another counts as
/// coming from it.
fn given_lines(given: &str, changed: &str) -> Vec<GivenLine> {
    let mut lines = Vec::new();
    let mut number = 0;
    let same = |count: usize, number: &mut usize, lines: &mut Vec<GivenLine>| {
        lines.extend((0..count).map(|at| GivenLine { number: *number + at + 1, is_added: false }));
        *number += count;
    };
    let patch = DiffOptions::new().create_patch(given, changed);
    for hunk in patch.hunks() {
        let before = (hunk.new_range().start() - 1).saturating_sub(lines.len());
        same(before, &mut number, &mut lines);
        // Number of lines that were removed and not replaced yet.
        let mut out = 0;
        for line in hunk.lines() {
            match line {
                Line::Context(_) => {
                    number += std::mem::take(&mut out);
                    same(1, &mut number, &mut lines);
                }
                Line::Delete(_) => out += 1,
                Line::Insert(_) if out > 0 => {
                    out -= 1;
                    same(1, &mut number, &mut lines);
                }
                Line::Insert(_) => lines.push(GivenLine { number, is_added: true }),
            }
        }
        number += out;
    }
    let rest = changed.lines().count().saturating_sub(lines.len());
    same(rest, &mut number, &mut lines);
    lines
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
        let (path, given_lines) = (path.into(), OnceLock::new());
        self.files.push(Source { path, text, line_starts, given: None, given_lines });
        self.files.len() as u32 - 1
    }

    /// Records that these files are those of `before` as repairs or a mutant changed them.
    pub(crate) fn changed_from(&mut self, before: &Sources) {
        for file in &mut self.files {
            let old = before.files.iter().find(|old| old.path == file.path);
            file.given = old.and_then(|old| match &old.given {
                Some(given) => Some(Arc::clone(given)),
                None => (old.text != file.text).then(|| Arc::from(&*old.text)),
            });
        }
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

    /// The line of the file as it was given in which a span begins.
    pub fn given_line(&self, span: Span) -> GivenLine {
        let (_, line, _) = self.position(span);
        self.files[span.file as usize].given_line(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the given lines; added ones in brackets.
    fn numbers(given: &str, changed: &str) -> String {
        let mut before = Sources::default();
        before.add("a.sm", given.to_owned());
        let mut sources = Sources::default();
        sources.add("a.sm", changed.to_owned());
        sources.changed_from(&before);
        let file = &sources.files()[0];
        let shown = (1..=changed.lines().count()).map(|line| {
            let GivenLine { number, is_added } = file.given_line(line);
            if is_added { format!("({number})") } else { number.to_string() }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_of_changed_files_are_those_of_the_given_ones() {
        let given = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\n";
        assert_eq!(numbers(given, given), "1 2 3 4 5 6 7 8 9 10 11 12 13 14");
        assert_eq!(numbers("a\nb\n", "new\na\nb\n"), "(0) 1 2");
        let added = given.replace("d\n", "d\nnew\nnewer\n");
        assert_eq!(numbers(given, &added), "1 2 3 4 (4) (4) 5 6 7 8 9 10 11 12 13 14");
        let removed = given.replace("d\ne\n", "").replace("m\n", "M\nnew\n");
        assert_eq!(numbers(given, &removed), "1 2 3 6 7 8 9 10 11 12 13 (13) 14");
        let replaced = given.replace("d\ne\n", "D\n");
        assert_eq!(numbers(given, &replaced), "1 2 3 4 6 7 8 9 10 11 12 13 14");
    }

    /// A protocol that was changed twice still has the lines of the file that was given.
    #[test]
    fn the_first_text_is_the_given_one() {
        let mut files = [Sources::default(), Sources::default(), Sources::default()];
        let texts = ["a\nb\n", "x\na\nb\n", "x\na\ny\nb\n"];
        for (file, text) in files.iter_mut().zip(texts) {
            file.add("a.sm", text.to_owned());
        }
        let [first, mut second, mut third] = files;
        second.changed_from(&first);
        third.changed_from(&second);
        let start = third.files()[0].text.find('b').unwrap() as u32;
        let line = third.given_line(Span { file: 0, start, end: start + 1 });
        assert_eq!(line, GivenLine { number: 2, is_added: false });
    }
}

/// The severity of a diagnostic.
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
    /// The severity of the diagnostic.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The place; `None` if the diagnostic is about no place, such as a missing file.
    pub span: Option<Span>,
    /// Text to write beside the caret, if any.
    pub label: Option<String>,
    /// Related places, each with how it is related.
    pub notes: Vec<(Span, String)>,
    /// Advice on how to resolve the problem.
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

    /// The error that a `;` is missing after a token, since another one follows.
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
