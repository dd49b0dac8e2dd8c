//! Edits of files, and the texts and diffs that result.

use std::sync::Arc;

use diffy::DiffOptions;

use slicc::load::Loaded;
use slicc::source::Span;

/// A span of a file, and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub span: Span,
    pub text: String,
}

impl Edit {
    /// Replaces a span by a text.
    pub(crate) fn replace(span: Span, text: impl Into<String>) -> Edit {
        Edit { span, text: text.into() }
    }

    /// Inserts a text before the byte `at` of a file.
    pub(crate) fn insert(file: u32, at: u32, text: impl Into<String>) -> Edit {
        let span = Span { file, start: at, end: at };
        Edit::replace(span, text)
    }

    /// Removes a span, and the whole lines if they hold nothing else but a comment after it.
    pub(crate) fn remove(text: &str, span: Span) -> Edit {
        let (start, end) = (span.start as usize, span.end as usize);
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let next = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        let behind = text[end..next].trim();
        let is_alone =
            text[line..start].trim().is_empty() && (behind.is_empty() || behind.starts_with("//"));
        let whole = Span { start: line as u32, end: next as u32, ..span };
        Edit::replace(if is_alone { whole } else { span }, "")
    }
}

/// Applies the edits that lie in a range of a text. If two overlap, the first counts.
pub(crate) fn apply(text: &str, from: u32, to: u32, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut result = String::new();
    let mut at = from;
    for edit in sorted {
        if edit.span.start < at {
            continue;
        }
        result.push_str(&text[at as usize..edit.span.start as usize]);
        result.push_str(&edit.text);
        at = edit.span.end;
    }
    result.push_str(&text[at as usize..to as usize]);
    result
}

/// A file of a protocol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    path: String,
    text: String,
}

impl File {
    /// The path of the file, relative to the folder of the `.slicc` file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

/// The files of a protocol that a mutant can change, by index in its sources.
pub(crate) fn files(loaded: &Loaded) -> Vec<Option<Arc<File>>> {
    let count = loaded.sources.files().len() as u32;
    let file = |index| {
        let (path, text) = loaded.own_file(index)?;
        let (path, text) = (path.to_owned(), text.to_owned());
        Some(Arc::new(File { path, text }))
    };
    (0..count).map(file).collect()
}

/// A file with edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditedFile {
    pub file: Arc<File>,
    pub edits: Vec<Edit>,
}

impl EditedFile {
    /// The text of the edited file.
    pub(crate) fn text(&self) -> String {
        let text = &self.file.text;
        apply(text, 0, text.len() as u32, &self.edits)
    }

    /// The edits as a unified diff.
    pub(crate) fn patch(&self) -> String {
        let path = &self.file.path;
        let mut options = DiffOptions::new();
        options
            .set_original_filename(format!("a/{path}"))
            .set_modified_filename(format!("b/{path}"));
        let edited = self.text();
        options.create_patch(&self.file.text, &edited).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap() as u32;
        Span { file: 1, start, end: start + part.len() as u32 }
    }

    fn edited(text: &str, edits: Vec<Edit>) -> EditedFile {
        let file = File { path: "a.sm".to_owned(), text: text.to_owned() };
        let file = Arc::new(file);
        EditedFile { file, edits }
    }

    #[test]
    fn edits_are_made_in_any_order() {
        let text = "one two three\n";
        let edits = vec![
            Edit::replace(span(text, "three"), "3"),
            Edit::insert(1, 0, "0 "),
            Edit::replace(span(text, "one"), "1"),
        ];
        let edited = edited(text, edits);
        assert_eq!(edited.text(), "0 1 two 3\n");
        let patch = "--- a/a.sm\n+++ b/a.sm\n@@ -1 +1 @@\n-one two three\n+0 1 two 3\n";
        assert_eq!(edited.patch(), patch);
    }

    #[test]
    fn what_stands_alone_leaves_no_line() {
        let text = "{\n  a;  // why\n  b; c;\n}";
        let without = |part| edited(text, vec![Edit::remove(text, span(text, part))]).text();
        assert_eq!(without("a;"), "{\n  b; c;\n}");
        assert_eq!(without("b;"), "{\n  a;  // why\n   c;\n}");
        assert_eq!(without("}"), "{\n  a;  // why\n  b; c;\n");
    }
}
