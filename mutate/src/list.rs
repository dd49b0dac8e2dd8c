//! Edits lists of names such as `{a, b}` and `{a; b;}`, keeping as much of the text as possible.

use std::ops::Range;

use slicc::ast::Name;
use slicc::source::Span;

use crate::edit::Edit;

/// A list of names in a text. A single name may stand without braces.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    pub text: &'a str,
    pub names: &'a [Name],
    /// The end of the list: after its brace.
    pub end: u32,
}

impl List<'_> {
    /// Removes a name, with the separator.
    pub(crate) fn without(&self, at: usize) -> Edit {
        let span = self.names[at].span;
        if let Some(next) = self.names.get(at + 1) {
            let end = next.span.start;
            return Edit::replace(Span { end, ..span }, "");
        }
        if let Some(before) = at.checked_sub(1).map(|before| &self.names[before]) {
            let start = before.span.end;
            return Edit::replace(Span { start, ..span }, "");
        }
        if self.is_bare() {
            return Edit::replace(span, "{}");
        }
        let end = span.end + self.separator_behind(span.end);
        Edit::replace(Span { end, ..span }, "")
    }

    /// Exchanges a name with its successor.
    pub(crate) fn swapped(&self, at: usize) -> Vec<Edit> {
        let (first, second) = (&self.names[at], &self.names[at + 1]);
        vec![Edit::replace(first.span, &*second.text), Edit::replace(second.span, &*first.text)]
    }

    /// Doubles a name.
    pub(crate) fn doubled(&self, at: usize) -> Edit {
        let name = &self.names[at];
        let between = self.between();
        if self.is_bare() {
            Edit::replace(name.span, format!("{{{0}{between}{0}}}", name.text))
        } else {
            Edit::insert(name.span.file, name.span.end, format!("{between}{}", name.text))
        }
    }

    /// Replaces all names. For an empty list, `file` is the index of its file.
    pub(crate) fn replaced(&self, file: u32, others: &[&str]) -> Edit {
        match (self.names.first(), self.names.last()) {
            (Some(first), Some(last)) => {
                let joined = others.join(&self.between());
                if self.is_bare() {
                    Edit::replace(first.span, format!("{{{joined}}}"))
                } else {
                    Edit::replace(first.span.to(last.span), joined)
                }
            }
            _ => Edit::insert(file, self.end - 1, others.join(", ")),
        }
    }

    /// Keeps only the names at these indices, of which there is at least one.
    pub(crate) fn keep(&self, places: &[usize]) -> Vec<Edit> {
        let kept: Vec<String> = places.iter().map(|&at| self.names[at].text.to_string()).collect();
        let file = self.names.first().map_or(0, |name| name.span.file);
        self.turned_into(file, &kept)
    }

    /// Changes the list to another one, keeping the text of common names. For an empty list, `file`
    /// is the index of its file.
    pub(crate) fn turned_into(&self, file: u32, others: &[String]) -> Vec<Edit> {
        let old: Vec<&str> = self.names.iter().map(|name| &*name.text).collect();
        let new: Vec<&str> = others.iter().map(String::as_str).collect();
        if old == new {
            return Vec::new();
        }
        let is_single = self.is_bare() && !new.is_empty();
        if old.is_empty() || is_single || (new.is_empty() && self.is_bare()) {
            return if new.is_empty() {
                vec![self.without(0)]
            } else {
                vec![self.replaced(file, &new)]
            };
        }
        let mut edits = Vec::new();
        let (mut from, mut new_from) = (0, 0);
        let ends = [(old.len(), new.len())];
        for (to, new_to) in common(&old, &new).into_iter().chain(ends) {
            edits.extend(self.stretch(from..to, &new[new_from..new_to]));
            (from, new_from) = (to + 1, new_to + 1);
        }
        edits
    }

    /// Replaces a range of names by others; either may be empty.
    fn stretch(&self, old: Range<usize>, new: &[&str]) -> Option<Edit> {
        let between = self.between();
        let joined = new.join(&between);
        let span = |old: &Range<usize>| self.names[old.start].span.to(self.names[old.end - 1].span);
        let next = self.names.get(old.end).map(|name| name.span);
        let before = old.start.checked_sub(1).map(|at| self.names[at].span);
        match (old.is_empty(), new.is_empty()) {
            (true, true) => None,
            (false, false) => Some(Edit::replace(span(&old), joined)),
            (true, false) => Some(match (next, before) {
                (Some(next), _) => {
                    Edit::insert(next.file, next.start, format!("{joined}{between}"))
                }
                (None, Some(last)) => {
                    Edit::insert(last.file, last.end, format!("{between}{joined}"))
                }
                (None, None) => return None,
            }),
            (false, true) => {
                let Span { file, start, end } = span(&old);
                let (start, end) = match (next, before) {
                    (Some(next), _) => (start, next.start),
                    (None, Some(before)) => (before.end, end),
                    (None, None) => (start, end + self.separator_behind(end)),
                };
                Some(Edit::replace(Span { file, start, end }, ""))
            }
        }
    }

    fn is_bare(&self) -> bool {
        self.names.last().is_some_and(|last| last.span.end == self.end)
    }

    /// The separator of names in this list.
    fn between(&self) -> String {
        let mut pairs = self.names.windows(2);
        let gap = pairs.find_map(|pair| {
            let gap = &self.text[pair[0].span.end as usize..pair[1].span.start as usize];
            (!gap.contains('/')).then(|| gap.to_owned())
        });
        let behind = self.names.last().map_or(0, |last| last.span.end as usize);
        let is_ended = self.text[behind..self.end as usize].trim_start().starts_with(';');
        let line = &self.text[..self.names.first().map_or(0, |name| name.span.start as usize)];
        let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
        let is_alone = is_ended && !line.is_empty() && line.trim().is_empty();
        gap.unwrap_or_else(|| {
            if is_alone {
                // Each name has a line of its own.
                format!(";\n{line}")
            } else if is_ended {
                "; ".to_owned()
            } else {
                ", ".to_owned()
            }
        })
    }

    /// The number of bytes from `at` up to and including the next comma or semicolon; 0 if something else comes
    /// first.
    fn separator_behind(&self, at: u32) -> u32 {
        let rest = &self.text[at as usize..self.end as usize];
        let inner = rest.trim_start();
        if inner.starts_with([',', ';']) { (rest.len() - inner.len()) as u32 + 1 } else { 0 }
    }
}

/// The indices of a longest common subsequence of two lists.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            lengths[at][to] = if old[at] == new[to] {
                lengths[at + 1][to + 1] + 1
            } else {
                lengths[at + 1][to].max(lengths[at][to + 1])
            };
        }
    }
    let (mut at, mut to) = (0, 0);
    let mut found = Vec::new();
    while at < old.len() && to < new.len() {
        if old[at] == new[to] {
            found.push((at, to));
            (at, to) = (at + 1, to + 1);
        } else if lengths[at + 1][to] >= lengths[at][to + 1] {
            at += 1;
        } else {
            to += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::edit::apply;
    use super::*;

    fn names(text: &str) -> Vec<Name> {
        let is_letter = |c: char| c.is_ascii_lowercase();
        let letters = text.char_indices().filter(|(_, c)| is_letter(*c));
        let name = |(at, c): (usize, char)| Name {
            text: c.to_string().into(),
            span: Span { file: 0, start: at as u32, end: at as u32 + 1 },
        };
        letters.map(name).collect()
    }

    fn edited(text: &str, edit: impl Fn(List<'_>) -> Vec<Edit>) -> String {
        let names = names(text);
        let end = text.len() as u32;
        let list = List { text, names: &names, end };
        apply(text, 0, end, &edit(list))
    }

    #[test]
    fn a_name_is_taken_out() {
        let without = |text, at| edited(text, |list| vec![list.without(at)]);
        assert_eq!(without("{a, b, c}", 0), "{b, c}");
        assert_eq!(without("{a, b, c}", 2), "{a, b}");
        assert_eq!(without("{ a; // B\n  b; }", 0), "{ b; }");
        assert_eq!(without("{ a; b; }", 1), "{ a; }");
        assert_eq!(without("{ a ; }", 0), "{  }");
        assert_eq!(without("{a}", 0), "{}");
        assert_eq!(without("a", 0), "{}");
        assert_eq!(without("{a b}", 0), "{b}");
    }

    #[test]
    fn a_list_becomes_another() {
        let turned = |text, others: &[&str]| {
            let others: Vec<String> = others.iter().map(|&one| one.to_owned()).collect();
            edited(text, |list| list.turned_into(0, &others))
        };
        assert_eq!(turned("{a, b, c, d}", &["a", "d"]), "{a, d}");
        assert_eq!(turned("{a, b, c}", &["a"]), "{a}");
        assert_eq!(turned("{a;\n b;\n c;}", &["a", "x", "c"]), "{a;\n x;\n c;}");
        assert_eq!(turned("{a;\n b;}", &["x", "a", "y", "b", "z"]), "{x;\n a;\n y;\n b;\n z;}");
        assert_eq!(turned("{ a; b; }", &[]), "{  }");
        assert_eq!(turned("{}", &["x"]), "{x}");
        assert_eq!(turned("a", &["x", "a"]), "{x, a}");
        assert_eq!(turned("a", &[]), "{}");
        assert_eq!(turned("{a, b}", &["b", "a"]), "{b, a}");
    }

    #[test]
    fn names_are_exchanged_doubled_and_replaced() {
        assert_eq!(edited("{a; b;}", |list| list.swapped(0)), "{b; a;}");
        let doubled = |text, at| edited(text, |list| vec![list.doubled(at)]);
        assert_eq!(doubled("{a;\n b;}", 1), "{a;\n b;\n b;}");
        assert_eq!(doubled("{a, b}", 0), "{a, a, b}");
        assert_eq!(doubled("{a;}", 0), "{a; a;}");
        assert_eq!(doubled("a", 0), "{a, a}");
        let replaced = |text| edited(text, |list| vec![list.replaced(0, &["x", "y"])]);
        assert_eq!(replaced("{a; b;}"), "{x; y;}");
        assert_eq!(replaced("{a}"), "{x, y}");
        assert_eq!(replaced("{}"), "{x, y}");
        assert_eq!(replaced("a"), "{x, y}");
    }
}
