//! A machine while a fault is put in: its rows as they become, and the edits of bodies.
//!
//! An action that other rows have too is not changed for them: the rows of the fault get a copy of it.

use std::collections::BTreeMap;

use super::clause::{NewAction, Pair, Rows};
use super::ground::Ground;
use super::misfit::{Misfit, nowhere};
use super::pattern::Pattern;
use crate::ast::{Action, NextState, Pair as Attribute, Transition};
use crate::mutant::edit::{Edit, apply};
use crate::source::Span;

/// Where a row leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Same,
    State(String),
    Computed,
}

/// A row as it becomes.
pub(super) struct Row<'a> {
    pub transition: &'a Transition,
    pub state: &'a str,
    pub event: &'a str,
    pub next: Next,
    pub actions: Vec<String>,
    pub is_dropped: bool,
}

impl Row<'_> {
    /// Whether a fault has changed it.
    pub fn is_changed(&self) -> bool {
        let actions = self.transition.actions.iter().map(|name| &*name.text);
        self.is_dropped
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

/// A machine while a fault is put in.
pub(super) struct Draft<'a> {
    pub ground: Ground<'a>,
    pub rows: Vec<Row<'a>>,
    /// Edits of other places.
    pub edits: Vec<Edit>,
    /// Actions by other names than those they are copied from, and those.
    copies: BTreeMap<String, &'a Action>,
    /// Names of actions and shorthands that are new.
    taken: Vec<String>,
    /// Actions that a fault has brought along, each with its statements.
    brought: BTreeMap<String, String>,
}

impl<'a> Draft<'a> {
    pub fn new(ground: Ground<'a>) -> Draft<'a> {
        let rows = ground.transitions().flat_map(|transition| {
            let states = transition.states.iter();
            states.flat_map(move |state| {
                let row = move |event: &'a crate::ast::Name| Row {
                    transition,
                    state: &state.text,
                    event: &event.text,
                    next: Next::of(transition),
                    actions: transition.actions.iter().map(|name| name.text.to_string()).collect(),
                    is_dropped: false,
                };
                transition.events.iter().map(row)
            })
        });
        Draft {
            ground,
            rows: rows.collect(),
            edits: Vec::new(),
            copies: BTreeMap::new(),
            taken: Vec::new(),
            brought: BTreeMap::new(),
        }
    }

    /// The row of a pair, unless it has gone.
    pub fn row(&self, state: &str, event: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.state == state && row.event == event && !row.is_dropped)
    }

    /// The rows of a clause.
    ///
    /// # Errors
    /// One that there is not, and those that there are.
    pub fn rows_of(&self, rows: &Rows) -> Result<Vec<usize>, Misfit> {
        let needed = rows.needed.iter().map(|pair| self.row_of(pair));
        let mut found = needed.collect::<Result<Vec<usize>, Misfit>>()?;
        let if_any = rows.if_any.iter();
        found.extend(if_any.filter_map(|(state, event)| self.row(state, event)));
        Ok(found)
    }

    /// The row of a pair.
    ///
    /// # Errors
    /// There is none; the rows of its state.
    pub fn row_of(&self, (state, event): &Pair) -> Result<usize, Misfit> {
        let machine = self.ground.name();
        self.row(state, event).ok_or_else(|| {
            let near = self.rows.iter().filter(|row| row.state == state.as_str());
            let near = near.filter(|row| !row.is_dropped).map(|row| {
                let place = self.ground.place(row.transition.span);
                format!("{machine} ({}, {}) ({place})", row.state, row.event)
            });
            nowhere(format!("the transition ({state}, {event}) of {machine}"), near.collect())
        })
    }

    /// The action of this name, or the one that it is copied from.
    pub fn action(&self, name: &str) -> Option<&'a Action> {
        match self.copies.get(name) {
            Some(action) => Some(action),
            None => self.ground.action(name),
        }
    }

    /// The places in a row's list of actions that do something.
    pub fn places(&self, row: usize, pattern: &Pattern) -> Vec<usize> {
        let names = self.rows[row].actions.iter().enumerate();
        let does = |name: &str| {
            let action = self.action(name);
            action.is_some_and(|action| !pattern.found_in(&self.ground, action).is_empty())
        };
        names.filter(|(_, name)| does(name)).map(|(at, _)| at).collect()
    }

    /// The one place in a row's list of actions that does something.
    ///
    /// # Errors
    /// There is none, or several.
    pub fn place(&self, row: usize, pattern: &Pattern) -> Result<usize, Misfit> {
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

    /// More places than one do something.
    pub fn several(&self, row: usize, pattern: &Pattern, places: &[usize]) -> Misfit {
        let candidates = places.iter().map(|&at| self.candidate(row, at)).collect();
        Misfit::Several { wanted: self.wanted(row, pattern), candidates }
    }

    fn wanted(&self, row: usize, pattern: &Pattern) -> String {
        let Row { state, event, .. } = self.rows[row];
        let machine = self.ground.name();
        format!("an action of {machine} ({state}, {event}) that {pattern}")
    }

    fn candidate(&self, row: usize, at: usize) -> String {
        let Row { state, event, ref actions, .. } = self.rows[row];
        let machine = self.ground.name();
        let name = &actions[at];
        match self.action(name) {
            Some(action) => {
                let place = self.ground.place(action.span);
                format!("{machine} ({state}, {event}), action {name} ({place})")
            }
            None => format!("{machine} ({state}, {event}), action {name}"),
        }
    }

    /// Changes the body of an action for these rows: in its place if no other row has it, otherwise in a copy.
    pub fn edit_body(&mut self, name: &str, rows: &[usize], edits: Vec<Edit>) {
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
            let text = self.ground.text(short.value.span);
            let new = self.new_short(&short.value.text);
            let quoted = text.replacen(&*short.value.text, &new, 1);
            edits.push(Edit::replace(short.value.span, quoted));
        }
        let Span { file, start, end } = action.span;
        let text = apply(self.ground.file(action.span), start, end, &edits);
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

    /// An action that does just this: one that there is, or a new one.
    ///
    /// # Errors
    /// A port that it needs is not there.
    pub fn new_action(&mut self, action: &NewAction) -> Result<String, Misfit> {
        let code = self.with_ports(&action.code)?;
        let squeezed = super::pattern::squeezed(&code);
        let same = self.ground.actions().find(|one| {
            let body = self.ground.text(one.body.span);
            let inner = body.trim_start_matches('{').trim_end_matches('}');
            super::pattern::squeezed(inner) == squeezed
        });
        let brought = self.brought.get(&squeezed).cloned();
        if let Some(same) = same.map(|one| one.name.text.to_string()).or(brought) {
            return Ok(same);
        }
        let name = self.new_name(&action.name);
        self.brought.insert(squeezed, name.clone());
        let short = self.new_short(&action.name);
        let about = &action.about;
        let code = laid_out(&code);
        let text = format!("action({name}, \"{short}\", desc=\"{about}\") {{\n{code}  }}");
        if let Some(last) = self.ground.actions().last() {
            let Span { file, end, .. } = last.span;
            let edit = Edit::insert(file, end, format!("\n\n  {text}"));
            self.edits.push(edit);
        }
        Ok(name)
    }

    /// A code with the names of the ports that it means by their buffers.
    fn with_ports(&self, code: &str) -> Result<String, Misfit> {
        let mut text = code.to_owned();
        for (mark, is_in) in [("$in(", true), ("$out(", false)] {
            while let Some(start) = text.find(mark) {
                let rest = &text[start + mark.len()..];
                let length = rest.find(')').unwrap_or(rest.len());
                let buffer = rest[..length].to_owned();
                let port = if is_in {
                    self.ground.in_port(&buffer).map(|port| &*port.name.text)
                } else {
                    self.ground.out_port(&buffer)
                };
                let Some(port) = port else {
                    let wanted = format!("a port of {} for {buffer}", self.ground.name());
                    return Err(nowhere(wanted, Vec::new()));
                };
                text.replace_range(start..start + mark.len() + length + 1, port);
            }
        }
        Ok(text)
    }

    fn new_name(&mut self, like: &str) -> String {
        let is_taken = |name: &str| {
            self.ground.action(name).is_some() || self.taken.iter().any(|one| one == name)
        };
        let name = numbered(like, is_taken);
        self.taken.push(name.clone());
        name
    }

    fn new_short(&mut self, like: &str) -> String {
        let mut shorts = self.ground.actions().filter_map(short);
        let shorts: Vec<&str> = shorts.by_ref().map(|short| &*short.value.text).collect();
        let is_taken = |name: &str| {
            shorts.contains(&name)
                || self.taken.iter().any(|one| one.strip_prefix('"') == Some(name))
        };
        let short = numbered(like, is_taken);
        self.taken.push(format!("\"{short}"));
        short
    }
}

/// Statements on lines of their own, as in the body of an action.
fn laid_out(code: &str) -> String {
    let mut text = String::new();
    let mut line = String::new();
    let mut depth = 2;
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
    text
}

/// A name, with a number behind it if it is taken.
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
        let text = laid_out("peek(a, M) { enqueue(b, N, 1) { out_msg.addr := address; } }");
        let lines = [
            "    peek(a, M) {",
            "      enqueue(b, N, 1) {",
            "        out_msg.addr := address;",
            "      }",
            "    }",
        ];
        assert_eq!(text, lines.join("\n") + "\n");
        assert_eq!(laid_out(""), "");
    }
}
