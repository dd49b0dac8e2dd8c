//! A machine while a fault is injected: its rows with their changes, and the edits of other places.
//!
//! Where other rows share an action that is changed, the rows of the fault get a copy of it.

use std::collections::BTreeMap;

use slicc::ast::{Action, NextState, Pair as Attribute, Transition};
use slicc::source::Span;

use super::clause::{NewAction, Pair, Rows};
use super::misfit::{Misfit, nowhere};
use super::pattern::Pattern;
use super::syntax::MachineSyntax;
use crate::edit::{Edit, apply};

/// The next state of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Same,
    State(String),
    Computed,
}

/// A row with its changes.
pub(super) struct Row<'a> {
    pub transition: &'a Transition,
    pub state: &'a str,
    pub event: &'a str,
    pub next: Next,
    pub actions: Vec<String>,
    pub is_dropped: bool,
    /// Whether the fault adds this row. `transition` is then the statement of the row on which it is modelled.
    pub is_new: bool,
}

impl Row<'_> {
    /// Whether the row differs from the protocol's.
    pub(super) fn is_changed(&self) -> bool {
        let actions = self.transition.actions.iter().map(|name| &*name.text);
        self.is_dropped
            || self.is_new
            || self.next != Next::of(self.transition)
            || !actions.eq(self.actions.iter().map(String::as_str))
    }
}

impl Next {
    fn of(transition: &Transition) -> Next {
        match &transition.next {
            NextState::Same => Next::Same,
            NextState::State(name) => Next::State(name.text.to_string()),
            NextState::Computed(_) => Next::Computed,
        }
    }
}

/// A machine while a fault is injected.
pub(super) struct Draft<'a> {
    pub syntax: MachineSyntax<'a>,
    pub rows: Vec<Row<'a>>,
    /// Edits outside of the transition table.
    pub edits: Vec<Edit>,
    /// For each copied action, by the name of the copy, the original.
    copies: BTreeMap<String, &'a Action>,
    /// Names and shorthands of new actions; a shorthand is preceded by a quote.
    new_names: Vec<String>,
    /// Names of the events that the fault adds to the machine.
    pub new_events: Vec<String>,
    /// New actions by their statements.
    new_actions: BTreeMap<String, String>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(syntax: MachineSyntax<'a>) -> Draft<'a> {
        let rows = syntax.transitions().flat_map(|transition| {
            let states = transition.states.iter();
            states.flat_map(move |state| {
                let row = move |event: &'a slicc::ast::Name| Row {
                    transition,
                    state: &state.text,
                    event: &event.text,
                    next: Next::of(transition),
                    actions: transition.actions.iter().map(|name| name.text.to_string()).collect(),
                    is_dropped: false,
                    is_new: false,
                };
                transition.events.iter().map(row)
            })
        });
        Draft {
            syntax,
            rows: rows.collect(),
            edits: Vec::new(),
            copies: BTreeMap::new(),
            new_names: Vec::new(),
            new_events: Vec::new(),
            new_actions: BTreeMap::new(),
        }
    }

    /// The index of the row of a pair, unless there is none or it was dropped.
    pub(super) fn row(&self, state: &str, event: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.state == state && row.event == event && !row.is_dropped)
    }

    /// The indices of the rows of a clause.
    ///
    /// # Errors
    /// Fails if a row is missing; the error lists the rows of its state.
    pub(super) fn rows_of(&self, rows: &Rows) -> Result<Vec<usize>, Misfit> {
        let needed = rows.needed.iter().map(|pair| self.row_of(pair));
        let mut found = needed.collect::<Result<Vec<usize>, Misfit>>()?;
        let if_any = rows.if_any.iter();
        found.extend(if_any.filter_map(|(state, event)| self.row(state, event)));
        Ok(found)
    }

    /// The index of the row of a pair.
    ///
    /// # Errors
    /// Fails if there is none; the error lists the rows of its state.
    pub(super) fn row_of(&self, (state, event): &Pair) -> Result<usize, Misfit> {
        let machine = self.syntax.name();
        self.row(state, event).ok_or_else(|| {
            let near = self.rows.iter().filter(|row| row.state == state.as_str());
            let near = near.filter(|row| !row.is_dropped).map(|row| {
                let place = self.syntax.place(row.transition.span);
                format!("{machine} ({}, {}) ({place})", row.state, row.event)
            });
            nowhere(format!("the transition ({state}, {event}) of {machine}"), near.collect())
        })
    }

    /// The action of this name, or the one of which it is a copy.
    pub(super) fn action(&self, name: &str) -> Option<&'a Action> {
        match self.copies.get(name) {
            Some(action) => Some(action),
            None => self.syntax.action(name),
        }
    }

    /// The indices, in a row's list of actions, of those that match the pattern.
    pub(super) fn places(&self, row: usize, pattern: &Pattern) -> Vec<usize> {
        let names = self.rows[row].actions.iter().enumerate();
        let does = |name: &str| {
            let action = self.action(name);
            action.is_some_and(|action| !pattern.found_in(&self.syntax, action).is_empty())
        };
        names.filter(|(_, name)| does(name)).map(|(at, _)| at).collect()
    }

    /// The index, in a row's list of actions, of the only one that matches the pattern.
    ///
    /// # Errors
    /// Fails if no action matches, or several do.
    pub(super) fn place(&self, row: usize, pattern: &Pattern) -> Result<usize, Misfit> {
        match self.places(row, pattern)[..] {
            [place] => Ok(place),
            [] => {
                let all = 0..self.rows[row].actions.len();
                Err(nowhere(
                    self.wanted(row, pattern),
                    all.map(|at| self.candidate(row, at)).collect(),
                ))
            }
            ref several => Err(self.several(row, pattern, several)),
        }
    }

    /// The name of the action that matches the pattern: that of a row, or, without one, the only
    /// one of the machine, or the only one that does nothing else.
    ///
    /// # Errors
    /// Fails if no action matches, or several do.
    pub(super) fn action_matching(
        &self,
        pattern: &Pattern,
        of: Option<&Pair>,
    ) -> Result<String, Misfit> {
        if let Some(of) = of {
            let model = self.row_of(of)?;
            let place = self.place(model, pattern)?;
            return Ok(self.rows[model].actions[place].clone());
        }
        let syntax = self.syntax;
        let all = syntax.actions().filter(|one| !pattern.found_in(&syntax, one).is_empty());
        let all: Vec<&Action> = all.collect();
        let wanted = format!("an action of {} that {pattern}", syntax.name());
        match all[..] {
            [only] => Ok(only.name.text.to_string()),
            [] => Err(nowhere(wanted, Vec::new())),
            _ => {
                let mut only = all.iter().filter(|one| pattern.is_all_of(&syntax, one));
                if let (Some(only), None) = (only.next(), only.next()) {
                    return Ok(only.name.text.to_string());
                }
                let place =
                    |one: &&Action| format!("{} ({})", one.name.text, syntax.place(one.span));
                Err(Misfit::Several { wanted, candidates: all.iter().map(place).collect() })
            }
        }
    }

    /// The error that several actions of a row match the pattern.
    pub(super) fn several(&self, row: usize, pattern: &Pattern, places: &[usize]) -> Misfit {
        let candidates = places.iter().map(|&at| self.candidate(row, at)).collect();
        Misfit::Several { wanted: self.wanted(row, pattern), candidates }
    }

    fn wanted(&self, row: usize, pattern: &Pattern) -> String {
        let Row { state, event, .. } = self.rows[row];
        let machine = self.syntax.name();
        format!("an action of {machine} ({state}, {event}) that {pattern}")
    }

    fn candidate(&self, row: usize, at: usize) -> String {
        let Row { state, event, ref actions, .. } = self.rows[row];
        let machine = self.syntax.name();
        let name = &actions[at];
        match self.action(name) {
            Some(action) => {
                let place = self.syntax.place(action.span);
                format!("{machine} ({state}, {event}), action {name} ({place})")
            }
            None => format!("{machine} ({state}, {event}), action {name}"),
        }
    }

    /// Edits the body of an action for these rows: in place if no other row has the action,
    /// otherwise in a copy.
    pub(super) fn edit_body(&mut self, name: &str, rows: &[usize], edits: Vec<Edit>) {
        let has = |row: &Row<'_>| !row.is_dropped && row.actions.iter().any(|one| one == name);
        let mut users = self.rows.iter().enumerate().filter(|(_, row)| has(row));
        if users.all(|(at, _)| rows.contains(&at)) {
            self.edits.extend(edits);
            return;
        }
        let Some(action) = self.action(name) else {
            return;
        };
        let copy = self.new_name(&format!("{name}_alone"));
        let mut edits = edits;
        edits.push(Edit::replace(action.name.span, copy.as_str()));
        if let Some(short) = short(action) {
            let text = self.syntax.text(short.value.span);
            let new = self.new_short(&short.value.text);
            let quoted = text.replacen(&*short.value.text, &new, 1);
            edits.push(Edit::replace(short.value.span, quoted));
        }
        let Span { file, start, end } = action.span;
        let text = apply(self.syntax.file(action.span), start, end, &edits);
        self.edits.push(Edit::insert(file, end, format!("\n\n  {text}")));
        self.copies.insert(copy.clone(), action);
        for &row in rows {
            for one in &mut self.rows[row].actions {
                if one == name {
                    one.clone_from(&copy);
                }
            }
        }
    }

    /// The name of an action with these statements, which is added unless there is one.
    ///
    /// # Errors
    /// Fails if the machine lacks a port that the action uses.
    pub(super) fn new_action(&mut self, action: &NewAction) -> Result<String, Misfit> {
        let code = self.with_ports(&action.code)?;
        let without_spaces = super::pattern::without_spaces(&code);
        let same = self.syntax.actions().find(|one| {
            let body = self.syntax.text(one.body.span);
            let inner = body.trim_start_matches('{').trim_end_matches('}');
            super::pattern::without_spaces(inner) == without_spaces
                && (!code.is_empty() || *one.name.text == *action.name)
        });
        let known = self.new_actions.get(&without_spaces).cloned();
        if let Some(same) = same.map(|one| one.name.text.to_string()).or(known) {
            return Ok(same);
        }
        let name = self.new_name(&action.name);
        self.new_actions.insert(without_spaces, name.clone());
        let short = self.new_short(&action.name);
        let about = &action.about;
        let code = laid_out(&code, 2);
        let text = format!("action({name}, \"{short}\", desc=\"{about}\") {{\n{code}  }}");
        if let Some(last) = self.syntax.actions().last() {
            let Span { file, end, .. } = last.span;
            let edit = Edit::insert(file, end, format!("\n\n  {text}"));
            self.edits.push(edit);
        }
        Ok(name)
    }

    /// Replaces `$in(BUFFER)` and `$out(BUFFER)` by the names of the ports of these buffers.
    ///
    /// # Errors
    /// Fails if the machine lacks such a port.
    pub(super) fn with_ports(&self, code: &str) -> Result<String, Misfit> {
        let mut text = code.to_owned();
        for (mark, is_in) in [("$in(", true), ("$out(", false)] {
            while let Some(start) = text.find(mark) {
                let rest = &text[start + mark.len()..];
                let length = rest.find(')').unwrap_or(rest.len());
                let buffer = rest[..length].to_owned();
                let port = if is_in {
                    self.syntax.in_port(&buffer).map(|port| &*port.name.text)
                } else {
                    self.syntax.out_port(&buffer)
                };
                let Some(port) = port else {
                    let wanted = format!("a port of {} for {buffer}", self.syntax.name());
                    return Err(nowhere(wanted, Vec::new()));
                };
                text.replace_range(start..start + mark.len() + length + 1, port);
            }
        }
        Ok(text)
    }

    fn new_name(&mut self, like: &str) -> String {
        let is_taken = |name: &str| {
            self.syntax.action(name).is_some() || self.new_names.iter().any(|one| one == name)
        };
        let name = numbered(like, is_taken);
        self.new_names.push(name.clone());
        name
    }

    fn new_short(&mut self, like: &str) -> String {
        let mut shorts = self.syntax.actions().filter_map(short);
        let shorts: Vec<&str> = shorts.by_ref().map(|short| &*short.value.text).collect();
        let is_taken = |name: &str| {
            shorts.contains(&name)
                || self.new_names.iter().any(|one| one.strip_prefix('"') == Some(name))
        };
        let short = numbered(like, is_taken);
        self.new_names.push(format!("\"{short}"));
        short
    }
}

/// Puts statements on lines of their own, `depth` steps of two spaces deep.
pub(super) fn laid_out(code: &str, depth: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    let mut depth = depth;
    let end = |line: &mut String, text: &mut String, depth: usize| {
        let words = line.trim();
        if !words.is_empty() {
            text.push_str(&format!("{:1$}{words}\n", "", 2 * depth));
        }
        line.clear();
    };
    for c in code.chars() {
        if c == '}' {
            end(&mut line, &mut text, depth);
            depth = depth.saturating_sub(1);
        }
        line.push(c);
        if matches!(c, '{' | ';' | '}') {
            end(&mut line, &mut text, depth);
        }
        if c == '{' {
            depth += 1;
        }
    }
    end(&mut line, &mut text, depth);
    let mut joined = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        let before = joined.trim_end();
        // `} else {` stands on one line.
        if words.starts_with("else") && before.ends_with('}') {
            joined.truncate(before.len());
            joined.push(' ');
            joined.push_str(words);
        } else {
            joined.push_str(line);
        }
        joined.push('\n');
    }
    joined
}

/// A name that is not taken: `like`, or `like` followed by a number.
fn numbered(like: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if is_taken(like) {
        (2..)
            .map(|number| format!("{like}{number}"))
            .find(|name| !is_taken(name))
            .unwrap_or_default()
    } else {
        like.to_owned()
    }
}

fn short(action: &Action) -> Option<&Attribute> {
    action.pairs.iter().find(|pair| &*pair.key.text == "short")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_laid_out() {
        let text = laid_out("peek(a, M) { enqueue(b, N, 1) { out_msg.addr := address; } }", 2);
        let lines = [
            "    peek(a, M) {",
            "      enqueue(b, N, 1) {",
            "        out_msg.addr := address;",
            "      }",
            "    }",
        ];
        assert_eq!(text, lines.join("\n") + "\n");
        assert_eq!(laid_out("", 2), "");
        assert_eq!(laid_out("if (a) {b;} else {c;}", 0), "if (a) {\n  b;\n} else {\n  c;\n}\n");
    }
}
