//! The text of a test: comments, lines, and errors that name them.

use crate::error::Error;

/// The text of a test without comments.
pub(super) struct Source<'a> {
    /// The file, for messages.
    pub file: &'a str,
    pub text: &'a str,
}

impl Source<'_> {
    /// The line, from 1, on which `at`, a part of the text, begins.
    pub(super) fn line(&self, at: &str) -> usize {
        let offset = (at.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The error for a text that does not begin with what was expected.
    pub(super) fn expected(&self, at: &str, expected: &str) -> Error {
        let at = at.trim_start();
        let found = match at.lines().next().map(str::trim) {
            None | Some("") => "the end of the text".to_owned(),
            Some(line) => format!("`{}`", shortened(line)),
        };
        let (file, line) = (self.file.to_owned(), self.line(at));
        Error::Syntax { file, line, found, expected: expected.to_owned() }
    }

    /// The error for a part of herd's language at `at` that is not supported; `what` ends with `is` or `are`.
    pub(super) fn unsupported(&self, at: &str, what: &str) -> Error {
        let at = at.trim_start();
        Error::Unsupported {
            file: self.file.to_owned(),
            line: self.line(at),
            what: what.to_owned(),
        }
    }
}

/// The first 60 characters, and an ellipsis if there are more.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The text with comments `(* … *)`, which may be nested, replaced by spaces, so that everything else stays on its line. A
/// comment that does not end stays, since herd tolerates one before the initial state.
pub(super) fn without_comments(text: &str) -> String {
    let mut open = Vec::new();
    let mut comments: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(['(', '*']).map(|found| at + found) {
        let rest = &text[found..];
        at = found + 2;
        if rest.starts_with("(*") {
            open.push(found);
        } else if let Some(start) = open.pop_if(|_| rest.starts_with("*)")) {
            while comments.pop_if(|(inner, _)| *inner > start).is_some() {}
            comments.push((start, found + 2));
        } else {
            at = found + 1;
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, end) in comments {
        out.push_str(&text[copied..start]);
        out.extend(text[start..end].chars().map(|one| if one == '\n' { '\n' } else { ' ' }));
        copied = end;
    }
    out.push_str(&text[copied..]);
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

    #[test]
    fn a_comment_without_an_end_stays() {
        assert_eq!(without_comments("(* a * )\nb (* c *)").trim_end(), "(* a * )\nb");
        assert_eq!(without_comments("*) (**) (*)"), "*)      (*)");
    }
}
