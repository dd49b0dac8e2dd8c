//! The text of a test: comments, lines, and errors that name them.

use crate::error::Error;

/// The text of a test without comments.
pub(super) struct Source<'a> {
    /// The file, for messages.
    pub file: &'a str,
    /// The text.
    pub text: &'a str,
}

impl Source<'_> {
    /// The line, from 1, on which `at`, a part of the text, begins.
    pub fn line(&self, at: &str) -> usize {
        let offset = (at.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The error for a text that does not begin with what was expected.
    pub fn expected(&self, at: &str, expected: &str) -> Error {
        let at = at.trim_start();
        let found = match at.lines().next().map(str::trim) {
            None | Some("") => "the end of the text".to_owned(),
            Some(line) => format!("`{}`", shortened(line)),
        };
        let (file, line) = (self.file.to_owned(), self.line(at));
        Error::Syntax { file, line, found, expected: expected.to_owned() }
    }
}

/// The first 60 characters, and an ellipsis if there are more.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The text with comments `(* … *)`, which may be nested, replaced by spaces, so that everything else stays on its line.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0;
    let mut rest = text;
    while let Some(one) = rest.chars().next() {
        if rest.starts_with("(*") {
            depth += 1;
            out.push_str("  ");
            rest = &rest[2..];
        } else if depth > 0 && rest.starts_with("*)") {
            depth -= 1;
            out.push_str("  ");
            rest = &rest[2..];
        } else {
            out.push(if depth > 0 && one != '\n' { ' ' } else { one });
            rest = &rest[one.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_lines_stay() {
        let text = without_comments("a (* b\n(* c *) d *) e");
        assert_eq!(text.lines().count(), 2);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["a", "e"]);
        let source = Source { file: "t", text: &text };
        assert_eq!(source.line(&text[text.find('e').unwrap()..]), 2);
    }
}
