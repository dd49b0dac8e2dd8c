//! The statements of a transition table, for rows that a fault has changed.
//!
//! A statement stands for several rows. Where a fault changes some of them, these are removed from
//! the statement, and new statements for them follow. The text of the rest stays as it is.

use slicc::ast::{Name, NextState, Transition};

use super::draft::{Draft, Next, Row};
use crate::edit::{Edit, apply};
use crate::list::List;
use crate::row;

/// The edits that make the changes of a fault to a machine's rows.
pub(super) fn edits(draft: &Draft<'_>) -> Vec<Edit> {
    // New rows stand after the others.
    let own = draft.rows.iter().take_while(|row| !row.is_new).count();
    let (own, new) = draft.rows.split_at(own);
    let rows = own.chunk_by(|a, b| std::ptr::eq(a.transition, b.transition));
    let changed = rows.filter(|rows| rows.iter().any(Row::is_changed));
    let mut edits: Vec<Edit> = changed.flat_map(|rows| statement(draft, rows)).collect();
    edits.extend(new_statements(draft, new));
    edits
}

/// The edits that add new rows: one statement for rows that differ in their state only.
fn new_statements(draft: &Draft<'_>, rows: &[Row<'_>]) -> Vec<Edit> {
    let mut groups: Vec<Vec<&Row<'_>>> = Vec::new();
    for row in rows.iter().filter(|row| !row.is_dropped) {
        let alike = |group: &&mut Vec<&Row<'_>>| {
            let first = group[0];
            std::ptr::eq(first.transition, row.transition)
                && first.event == row.event
                && same(first, row)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let edit = |group: &Vec<&Row<'_>>| {
        let Row { transition, event, next, actions, .. } = group[0];
        let states: Vec<&str> = group.iter().map(|row| row.state).collect();
        let states = match states[..] {
            [one] => one.to_owned(),
            _ => format!("{{{}}}", states.join(", ")),
        };
        let next = next_text(next);
        let requests = transition.requests.iter().flatten().map(|name| &*name.text);
        let requests = requests.collect::<Vec<&str>>().join(", ");
        let requests = match transition.requests {
            Some(_) => format!(" {{{requests}}}"),
            None => String::new(),
        };
        let text = draft.syntax.file(transition.span);
        // As wide as the statement after which it stands.
        let is_wide = draft.syntax.text(transition.span).contains('\n');
        let indent = row::indent(text, transition.span);
        let end = if is_wide { format!("\n{indent}") } else { " ".to_owned() };
        let between = if is_wide { format!("{end}  ") } else { end.clone() };
        let actions: String = actions.iter().map(|one| format!("{between}{one};")).collect();
        let line = format!("transition({states}, {event}{next}){requests} {{{actions}{end}}}");
        row::follow(text, transition.span, &[line])
    };
    groups.iter().map(edit).collect()
}

/// The next state in the head of a statement, with the comma.
fn next_text(next: &Next) -> String {
    match next {
        Next::Same => String::new(),
        Next::State(next) => format!(", {next}"),
        Next::Computed => ", *".to_owned(),
    }
}

/// The edits of a statement with these rows, ordered by state, then by event.
fn statement(draft: &Draft<'_>, rows: &[Row<'_>]) -> Vec<Edit> {
    let Some(first) = rows.first() else {
        return Vec::new();
    };
    let transition = first.transition;
    let text = draft.syntax.file(transition.span);
    let table = Table { text, transition, rows, width: transition.events.len() };
    if rows.iter().all(|row| same(row, first)) {
        return table.in_place(first);
    }
    let states: Vec<usize> = (0..transition.states.len()).collect();
    let events: Vec<usize> = (0..transition.events.len()).collect();
    let is_kept = |&at: &usize| table.of_state(at).iter().all(|row| !row.is_changed());
    let (kept, others): (Vec<usize>, Vec<usize>) = states.iter().partition(|at| is_kept(at));
    if !kept.is_empty() {
        let mut edits = table.names(&transition.states).keep(&kept);
        edits.extend(table.follow(&table.groups(&others, &events)));
        return edits;
    }
    let is_kept = |&at: &usize| states.iter().all(|&state| !table.row(state, at).is_changed());
    let (kept, others): (Vec<usize>, Vec<usize>) = events.iter().partition(|at| is_kept(at));
    if !kept.is_empty() {
        let mut edits = table.names(&transition.events).keep(&kept);
        edits.extend(table.follow(&table.groups(&states, &others)));
        return edits;
    }
    let lines = table.groups(&states, &events);
    let indent = row::indent(text, transition.span);
    vec![Edit::replace(transition.span, lines.join(&format!("\n{indent}")))]
}

/// Whether two rows of a statement are now equal.
fn same(a: &Row<'_>, b: &Row<'_>) -> bool {
    (a.is_dropped && b.is_dropped)
        || (a.is_dropped == b.is_dropped && a.next == b.next && a.actions == b.actions)
}

/// A statement with its rows.
struct Table<'a> {
    text: &'a str,
    transition: &'a Transition,
    rows: &'a [Row<'a>],
    width: usize,
}

impl<'a> Table<'a> {
    fn row(&self, state: usize, event: usize) -> &'a Row<'a> {
        &self.rows[state * self.width + event]
    }

    fn of_state(&self, state: usize) -> &'a [Row<'a>] {
        &self.rows[state * self.width..(state + 1) * self.width]
    }

    fn names(&self, names: &'a [Name]) -> List<'a> {
        List { text: self.text, names, end: self.transition.head.end }
    }

    /// Edits a statement whose rows have all become equal to this one.
    fn in_place(&self, row: &Row<'_>) -> Vec<Edit> {
        if row.is_dropped {
            return vec![Edit::remove(self.text, self.transition.span)];
        }
        let mut edits = self.actions(row);
        let lead = |next: &str| row::lead_to(self.transition, next);
        match (&row.next, &self.transition.next) {
            (Next::State(next), NextState::State(now)) if **next == *now.text => {}
            (Next::State(next), _) => edits.push(lead(next)),
            (Next::Same, NextState::State(now)) => {
                let before = &self.text[..now.span.start as usize];
                let start = before.rfind(',').unwrap_or(before.len()) as u32;
                edits.push(Edit::replace(slicc::source::Span { start, ..now.span }, ""));
            }
            _ => {}
        }
        edits
    }

    fn actions(&self, row: &Row<'_>) -> Vec<Edit> {
        let list = List {
            text: self.text,
            names: &self.transition.actions,
            end: self.transition.span.end,
        };
        list.turned_into(self.transition.span.file, &row.actions)
    }

    /// New statements for these rows, one for each group of equal rows.
    fn groups(&self, states: &[usize], events: &[usize]) -> Vec<String> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &state in states {
            let alike = |group: &&mut Vec<usize>| {
                let alike =
                    |&event: &usize| same(self.row(state, event), self.row(group[0], event));
                events.iter().all(alike)
            };
            match groups.iter_mut().find(alike) {
                Some(group) => group.push(state),
                None => groups.push(vec![state]),
            }
        }
        let mut lines = Vec::new();
        for states in groups {
            let mut columns: Vec<Vec<usize>> = Vec::new();
            for &event in events {
                let alike = |group: &&mut Vec<usize>| {
                    same(self.row(states[0], event), self.row(states[0], group[0]))
                };
                match columns.iter_mut().find(alike) {
                    Some(group) => group.push(event),
                    None => columns.push(vec![event]),
                }
            }
            let left = columns.iter().filter(|events| !self.row(states[0], events[0]).is_dropped);
            lines.extend(left.map(|events| self.line(&states, events)));
        }
        lines
    }

    fn line(&self, states: &[usize], events: &[usize]) -> String {
        let row = self.row(states[0], events[0]);
        let Transition { states: all_states, events: all_events, head, span, .. } = self.transition;
        let tail = apply(self.text, head.end, span.end, &self.actions(row));
        let states = set(all_states, states);
        let events = set(all_events, events);
        let next = next_text(&row.next);
        format!("transition({states}, {events}{next}){tail}")
    }

    fn follow(&self, lines: &[String]) -> Option<Edit> {
        let has_any = !lines.is_empty();
        has_any.then(|| row::follow(self.text, self.transition.span, lines))
    }
}

fn set(names: &[Name], places: &[usize]) -> String {
    let names: Vec<&str> = places.iter().map(|&at| &*names[at].text).collect();
    match names[..] {
        [one] => one.to_owned(),
        _ => format!("{{{}}}", names.join(", ")),
    }
}
