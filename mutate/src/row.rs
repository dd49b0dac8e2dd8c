//! Changes a single row of a transition table.
//!
//! A statement `transition({A, B}, {X, Y}, N) {...}` stands for four rows. To change one of them,
//! its state is removed from the statement, and new statements for the rows of that state follow
//! it.

use slicc::ast::{Name, NextState, Transition};
use slicc::source::Span;

use crate::edit::{Edit, apply};
use crate::list::List;

/// A row: a pair of state and event, with its statement.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    /// The text of its file.
    pub text: &'a str,
    pub transition: &'a Transition,
    pub state: &'a str,
    pub event: &'a str,
}

impl<'a> Row<'a> {
    /// The actions.
    pub(crate) fn actions(&self) -> List<'a> {
        List { text: self.text, names: &self.transition.actions, end: self.transition.span.end }
    }

    /// Changes the row by edits of its actions, and by another next state if one is given.
    pub(crate) fn changed(&self, actions: Vec<Edit>, next: Option<&str>) -> Vec<Edit> {
        let tail = self.tail(&actions);
        match self.isolated() {
            Some(mut edits) => {
                let next = self.next(next);
                let head = format!("transition({}, {}{next})", self.state, self.event);
                edits.push(self.follow(&[self.rest(), Some(head + &tail)]));
                edits
            }
            None => {
                let mut edits = actions;
                edits.extend(next.map(|next| lead_to(self.transition, next)));
                edits
            }
        }
    }

    /// Removes the row.
    pub(crate) fn dropped(&self) -> Vec<Edit> {
        match self.isolated() {
            Some(mut edits) => {
                if let Some(rest) = self.rest() {
                    edits.push(self.follow(&[Some(rest)]));
                }
                edits
            }
            None => vec![Edit::remove(self.text, self.transition.span)],
        }
    }

    /// Removes the row from its statement, together with other rows of its state. Returns `None` if
    /// the statement stands for this row alone.
    fn isolated(&self) -> Option<Vec<Edit>> {
        let Transition { states, events, .. } = self.transition;
        let (names, name) = match (states.len(), events.len()) {
            (1, 1) => return None,
            (1, _) => (events, self.event),
            (_, _) => (states, self.state),
        };
        let at = position(names, name)?;
        let list = List { text: self.text, names, end: self.transition.head.end };
        Some(vec![list.without(at)])
    }

    /// The statement for the other rows that were removed with this one.
    fn rest(&self) -> Option<String> {
        let Transition { states, events, .. } = self.transition;
        if states.len() == 1 {
            return None;
        }
        let others = events.iter().map(|event| &*event.text);
        let others: Vec<&str> = others.filter(|event| *event != self.event).collect();
        let events = match others[..] {
            [] => return None,
            [one] => one.to_owned(),
            _ => format!("{{{}}}", others.join(", ")),
        };
        let (next, tail) = (self.next(None), self.tail(&[]));
        Some(format!("transition({}, {events}{next}){tail}", self.state))
    }

    /// The next state of a new statement, with the comma.
    fn next(&self, other: Option<&str>) -> String {
        match (other, &self.transition.next) {
            (Some(next), _) => format!(", {next}"),
            (None, NextState::State(name)) => format!(", {}", name.text),
            (None, NextState::Computed(_)) => ", *".to_owned(),
            (None, NextState::Same) => String::new(),
        }
    }

    /// The text after the parentheses.
    fn tail(&self, edits: &[Edit]) -> String {
        let Transition { head, span, .. } = self.transition;
        apply(self.text, head.end, span.end, edits)
    }

    /// Inserts new statements after the original one.
    fn follow(&self, statements: &[Option<String>]) -> Edit {
        let statements: Vec<String> = statements.iter().flatten().cloned().collect();
        follow(self.text, self.transition.span, &statements)
    }
}

/// Changes the next state of a statement.
pub(crate) fn lead_to(transition: &Transition, next: &str) -> Edit {
    match &transition.next {
        NextState::State(name) => Edit::replace(name.span, next),
        NextState::Computed(span) => Edit::replace(*span, next),
        NextState::Same => {
            let head = transition.head;
            Edit::insert(head.file, head.end - 1, format!(", {next}"))
        }
    }
}

/// The white space before a statement in its line.
pub(crate) fn indent(text: &str, span: Span) -> &str {
    let line = &text[..span.start as usize];
    let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_start().len()]
}

/// Inserts statements after another one, each on a line of its own.
pub(crate) fn follow(text: &str, span: Span, statements: &[String]) -> Edit {
    let Span { file, end, .. } = span;
    let indent = indent(text, span);
    let rest = &text[end as usize..];
    let rest = rest.lines().next().unwrap_or_default();
    let is_last = rest.trim().is_empty() || rest.trim_start().starts_with("//");
    let at = if is_last { end + rest.len() as u32 } else { end };
    let lines = statements.iter();
    let lines: String = lines.map(|one| format!("\n{indent}{one}")).collect();
    Edit::insert(file, at, lines)
}

fn position(names: &[Name], name: &str) -> Option<usize> {
    names.iter().position(|one| &*one.text == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use slicc::load::load_with;

    use crate::named::syntax::MachineSyntax;

    fn edited(text: &str, edit: impl Fn(Row<'_>) -> Vec<Edit>) -> String {
        let text = format!("protocol \"P\"; machine(M:X, \"\") : {{\n{text}\n}}");
        let loaded = load_with(Path::new("p.slicc"), &mut |_| Ok(text.as_bytes().to_vec()));
        let loaded = loaded.unwrap();
        let transition = MachineSyntax::of(&loaded, "X").unwrap().transitions().next().unwrap();
        let (text, state, event) = (&*text, "A", "X");
        let row = Row { text, transition, state, event };
        let whole = apply(text, 0, text.len() as u32, &edit(row));
        let inner = whole.split_once("{\n").unwrap().1.strip_suffix('}');
        inner.unwrap().trim_end().to_owned()
    }

    fn without_first(row: Row<'_>) -> Vec<Edit> {
        row.changed(vec![row.actions().without(0)], None)
    }

    #[test]
    fn a_statement_for_one_row_is_changed_in_place() {
        let text = "  transition(A, X, N) {a, b}  // why";
        assert_eq!(edited(text, without_first), "  transition(A, X, N) {b}  // why");
        let to = |text| edited(text, |row| row.changed(Vec::new(), Some("B")));
        assert_eq!(to(text), "  transition(A, X, B) {a, b}  // why");
        assert_eq!(to("transition(A, X) a"), "transition(A, X, B) a");
        assert_eq!(to("transition(A, X, *) {}"), "transition(A, X, B) {}");
        assert_eq!(edited(text, |row| row.dropped()), "");
    }

    #[test]
    fn other_rows_stay_as_they_are() {
        let text = "  transition({B, A}, {X, Y}, N) {r} {a, b} // why\n  // next";
        let changed = "  transition({B}, {X, Y}, N) {r} {a, b} // why\n  \
            transition(A, Y, N) {r} {a, b}\n  transition(A, X, N) {r} {b}\n  // next";
        assert_eq!(edited(text, without_first), changed);
        let dropped = "  transition({B}, {X, Y}, N) {r} {a, b} // why\n  \
            transition(A, Y, N) {r} {a, b}\n  // next";
        assert_eq!(edited(text, |row| row.dropped()), dropped);
        let text = "transition(A, {X, Y, Z}) {a; b;} transition(B, X) {}";
        let changed = "transition(A, {Y, Z}) {a; b;}\ntransition(A, X) {b;} transition(B, X) {}";
        assert_eq!(edited(text, without_first), changed);
        let text = "transition({A, B}, X, *) a";
        let changed = "transition({B}, X, *) a\ntransition(A, X, N) a";
        let to = edited(text, |row| row.changed(Vec::new(), Some("N")));
        assert_eq!(to, changed);
    }
}
