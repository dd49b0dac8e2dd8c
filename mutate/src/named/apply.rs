//! Applies the clauses of a fault to a protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use slicc::load::Loaded;

use super::bodies;
use super::clause::{Change, Clause, Pair, Place, RowChange, Rows};
use super::draft::{Draft, Next, Row};
use super::fault::Fault;
use super::misfit::{Misfit, nowhere};
use super::outcome::{Outcome, changed};
use super::pattern::Pattern;
use super::syntax::MachineSyntax;
use super::{ports, statements, whole};
use crate::edit::{self, Edit, EditedFile, File};

/// Computes the edits that inject a fault into a protocol, grouped by file.
///
/// # Errors
/// Fails if the protocol has it already, or unless exactly one place fits each clause.
pub(crate) fn edits(fault: &Fault, loaded: &Loaded) -> Result<Vec<EditedFile>, Misfit> {
    for clause in &fault.there_if {
        if let Outcome::Already(what) = apply(clause, &mut draft(clause, loaded)?)? {
            return Err(Misfit::Already(what));
        }
    }
    let mut drafts: BTreeMap<&str, Draft<'_>> = BTreeMap::new();
    let mut is_changed = fault.changes.is_empty();
    let mut already = Vec::new();
    for clause in &fault.changes {
        if !drafts.contains_key(&*clause.machine) {
            drafts.insert(&clause.machine, draft(clause, loaded)?);
        }
        let Some(draft) = drafts.get_mut(&*clause.machine) else {
            continue;
        };
        match apply(clause, draft)? {
            Outcome::Changed => is_changed = true,
            Outcome::Already(what) => already.push(what),
        }
    }
    if !is_changed {
        already.dedup();
        return Err(Misfit::Already(already.join(", and ")));
    }
    let all = drafts.values().flat_map(|draft| {
        let mut edits = statements::edits(draft);
        edits.extend(draft.edits.iter().cloned());
        edits
    });
    Ok(by_file(all.collect(), loaded))
}

fn draft<'a>(clause: &Clause, loaded: &'a Loaded) -> Result<Draft<'a>, Misfit> {
    match MachineSyntax::of(loaded, &clause.machine) {
        Some(syntax) => Ok(Draft::new(syntax)),
        None => Err(nowhere(format!("the machine {}", clause.machine), Vec::new())),
    }
}

fn by_file(edits: Vec<Edit>, loaded: &Loaded) -> Vec<EditedFile> {
    let files: Vec<Option<Arc<File>>> = edit::files(loaded);
    let mut by_file: BTreeMap<u32, Vec<Edit>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(edit.span.file).or_default().push(edit);
    }
    let edited = |(number, edits): (u32, Vec<Edit>)| {
        let file = files.get(number as usize)?.clone()?;
        Some(EditedFile { file, edits })
    };
    by_file.into_iter().filter_map(edited).collect()
}

/// Applies a clause.
fn apply<'a>(clause: &'a Clause, draft: &mut Draft<'a>) -> Result<Outcome, Misfit> {
    match &clause.change {
        Change::Rows(rows, RowChange::Dropped) => Ok(drop_rows(draft, rows)),
        Change::Rows(rows, RowChange::Like(of)) => new_rows(draft, rows, of, None),
        Change::Rows(rows, RowChange::New { what, of }) => new_rows(draft, rows, of, Some(what)),
        Change::Rows(rows, change) => {
            let rows = draft.rows_of(rows)?;
            change_rows(draft, &rows, change)
        }
        Change::Port(buffer, change) => ports::port(draft, buffer, change),
        Change::Machine(change) => whole::machine(draft, change),
    }
}

fn drop_rows(draft: &mut Draft<'_>, rows: &Rows) -> Outcome {
    let mut is_changed = false;
    for (state, event) in &rows.needed {
        if let Some(row) = draft.row(state, event) {
            draft.rows[row].is_dropped = true;
            is_changed = true;
        }
    }
    changed(is_changed, || {
        let machine = draft.syntax.name();
        format!("{machine} has no transition {}", pairs(rows))
    })
}

fn pairs(rows: &Rows) -> String {
    let pair = |(state, event): &Pair| format!("({state}, {event})");
    let all: Vec<String> = rows.needed.iter().map(pair).collect();
    all.join(", ")
}

/// Adds rows with the actions of the row `of`, or only with the one of them that matches `what`.
fn new_rows<'a>(
    draft: &mut Draft<'a>,
    rows: &'a Rows,
    of: &Pair,
    what: Option<&Pattern>,
) -> Result<Outcome, Misfit> {
    let model = draft.row_of(of)?;
    let actions = match what {
        Some(what) => {
            let place = draft.place(model, what)?;
            vec![draft.rows[model].actions[place].clone()]
        }
        None => draft.rows[model].actions.clone(),
    };
    let (known_states, known_events) = (draft.syntax.states(), draft.syntax.events());
    let mut is_changed = false;
    let machine = draft.syntax.name();
    for (state, event) in &rows.needed {
        let known_state = known_states.iter().find(|known| **known == state.as_str());
        let Some(&state) = known_state else {
            return Err(nowhere(format!("the state {state} of {machine}"), Vec::new()));
        };
        let is_known = known_events.contains(&&**event) || draft.new_events.contains(event);
        if !is_known {
            return Err(nowhere(format!("the event {event} of {machine}"), Vec::new()));
        }
        if draft.row(state, event).is_none() {
            is_changed = true;
            let row = Row {
                transition: draft.rows[model].transition,
                state,
                event,
                next: Next::Same,
                actions: actions.clone(),
                is_dropped: false,
                is_new: true,
            };
            draft.rows.push(row);
        }
    }
    Ok(changed(is_changed, || format!("{machine} has the transitions {}", pairs(rows))))
}

fn change_rows(
    draft: &mut Draft<'_>,
    rows: &[usize],
    change: &RowChange,
) -> Result<Outcome, Misfit> {
    match change {
        RowChange::Without(pattern) => return bodies::without(draft, rows, pattern),
        RowChange::In(pattern, change) => return bodies::change(draft, rows, pattern, change),
        RowChange::Read { was, now } => return bodies::read_rows(draft, rows, was, now),
        _ => {}
    }
    let mut is_changed = false;
    for &row in rows {
        is_changed |= change_row(draft, row, change)?;
    }
    let machine = draft.syntax.name();
    let all: Vec<String> = rows
        .iter()
        .map(|&row| format!("({}, {})", draft.rows[row].state, draft.rows[row].event))
        .collect();
    let all = all.join(", ");
    Ok(changed(is_changed, || match change {
        RowChange::Next(Some(next)) => format!("{machine} {all} leads to {next}"),
        RowChange::Next(None) => format!("{machine} {all} stays in its state"),
        RowChange::Stall => format!("{machine} {all} stalls"),
        RowChange::Nothing => format!("{machine} {all} does nothing"),
        RowChange::SetAside { now, .. } => {
            format!("{machine} {all} sets aside the message at the head of {now}")
        }
        RowChange::Take(buffer) => format!("{machine} {all} dequeues from {buffer}"),
        RowChange::Do { action, .. } => {
            format!("{machine} {all} has an action for it ({})", action.about)
        }
        _ => format!("{machine} {all} does so"),
    }))
}

/// Changes a row, and returns whether that made a difference.
fn change_row(draft: &mut Draft<'_>, row: usize, change: &RowChange) -> Result<bool, Misfit> {
    let actions = draft.rows[row].actions.clone();
    match change {
        RowChange::Next(next) => {
            let own = draft.rows[row].state;
            let next = match next.as_deref() {
                Some(next) if next != own => Next::State(next.to_owned()),
                _ => Next::Same,
            };
            let now = &mut draft.rows[row].next;
            let stays = |next: &Next| *next == Next::Same || *next == Next::State(own.to_owned());
            if *now == next || (stays(now) && stays(&next)) {
                return Ok(false);
            }
            *now = next;
        }
        RowChange::Stall => {
            let stall = bodies::stall(draft)?;
            draft.rows[row].actions = vec![stall];
        }
        RowChange::Nothing => draft.rows[row].actions.clear(),
        RowChange::SetAside { now, was } => set_aside(draft, row, now, was)?,
        RowChange::Take(buffer) => take(draft, row, buffer)?,
        RowChange::Add { what, of, place, if_any } => {
            if *if_any
                && let Some(of) = of
                && draft.places(draft.row_of(of)?, what).is_empty()
            {
                return Ok(false);
            }
            if !draft.places(row, what).is_empty() {
                return Ok(false);
            }
            let name = draft.action_matching(what, of.as_ref())?;
            put(draft, row, name, place)?;
        }
        RowChange::SameAs(of) => {
            let model = draft.row_of(of)?;
            let Row { next, actions: others, .. } = &draft.rows[model];
            let (next, others) = (next.clone(), others.clone());
            let is_same = draft.rows[row].next == next && draft.rows[row].actions == others;
            draft.rows[row].next = next;
            draft.rows[row].actions = others;
            return Ok(!is_same);
        }
        RowChange::Replace { was, now, of } => {
            if draft.places(row, was).is_empty() && !draft.places(row, now).is_empty() {
                return Ok(false);
            }
            let name = draft.action_matching(now, of.as_ref())?;
            let at = draft.place(row, was)?;
            draft.rows[row].actions[at] = name;
        }
        RowChange::Move { what, before } => {
            let from = draft.place(row, what)?;
            let name = draft.rows[row].actions[from].clone();
            let to = draft.place(row, before)?;
            if from > to {
                let actions = &mut draft.rows[row].actions;
                actions.remove(from);
                actions.insert(to, name);
            }
        }
        RowChange::Do { action, place } => {
            let name = draft.new_action(action)?;
            if *place != Place::Alone && actions.contains(&name) {
                return Ok(false);
            }
            put(draft, row, name, place)?;
        }
        _ => {}
    }
    Ok(draft.rows[row].actions != actions || matches!(change, RowChange::Next(_)))
}

/// Puts an action into a row.
fn put(draft: &mut Draft<'_>, row: usize, name: String, place: &Place) -> Result<(), Misfit> {
    let at = match place {
        Place::Before(pattern) => draft.place(row, pattern)?,
        Place::After(pattern) => draft.place(row, pattern)? + 1,
        Place::Instead(pattern) => {
            let at = draft.place(row, pattern)?;
            draft.rows[row].actions[at] = name;
            return Ok(());
        }
        Place::First => 0,
        Place::Last => draft.rows[row].actions.len(),
        Place::Alone => {
            draft.rows[row].actions = vec![name];
            return Ok(());
        }
    };
    draft.rows[row].actions.insert(at, name);
    Ok(())
}

/// Makes a row set aside the message of the buffer `now`, in the way in which it set aside that of the buffer `was`.
fn set_aside(draft: &mut Draft<'_>, row: usize, now: &str, was: &str) -> Result<(), Misfit> {
    let (now, was) = (Pattern::Park(now.to_owned()), Pattern::Park(was.to_owned()));
    if draft.places(row, &was).is_empty() && !draft.places(row, &now).is_empty() {
        return Ok(());
    }
    let at = draft.place(row, &was)?;
    let old = draft.rows[row].actions[at].clone();
    let name = bodies::parking(draft, &now, &was, &old)?;
    draft.rows[row].actions[at] = name;
    Ok(())
}

/// Makes a row dequeue the message of a buffer.
fn take(draft: &mut Draft<'_>, row: usize, buffer: &str) -> Result<(), Misfit> {
    let (take, park) = (Pattern::Take(buffer.to_owned()), Pattern::Park(buffer.to_owned()));
    if !draft.places(row, &take).is_empty() {
        return Ok(());
    }
    let syntax = draft.syntax;
    let action = syntax.actions().find(|action| take.is_all_of(&syntax, action));
    let Some(action) = action else {
        let wanted = format!("an action of {} that only {take}", syntax.name());
        return Err(nowhere(wanted, Vec::new()));
    };
    let name = action.name.text.to_string();
    match draft.places(row, &park)[..] {
        [at] => draft.rows[row].actions[at] = name,
        _ => draft.rows[row].actions.push(name),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use slicc::load::load_with;

    use super::*;
    use crate::edit::apply as edited;

    const PROTOCOL: &str = "protocol \"P\"; machine(M:X) : {
        out_port(out, Msg, mem);
        bool waits(Addr addr) {return dests.has(addr) == false;}
        action(send, \"s\", desc=\"\") {
            enqueue(out, Msg, 1) {out_msg.Type := T:A; out_msg.Len := tbe.Len;}
        }
    }";

    /// What clauses make of a machine; none if it is so already.
    fn repaired(text: &str) -> Option<String> {
        let loaded =
            load_with(Path::new("p.slicc"), &mut |_| Ok(text.as_bytes().to_vec())).unwrap();
        let clauses = [
            "X functions: read dests.has(addr) == false as dests.has(addr) == false || isOld(addr)",
            "X actions: in send(mem) set Len {out_msg.Len := 0; if (tbe.Has == false) {out_msg.Len := tbe.Len;}}",
        ];
        let clauses = clauses.map(|text| Clause::parse(text).unwrap());
        let mut draft = Draft::new(MachineSyntax::of(&loaded, "X").unwrap());
        let outcomes = clauses.iter().map(|clause| apply(clause, &mut draft).unwrap());
        let changed = outcomes.filter(|one| matches!(one, Outcome::Changed)).count();
        let text = edited(text, 0, text.len() as u32, &draft.edits);
        (changed > 0).then_some(text)
    }

    #[test]
    fn what_contains_what_it_replaces_is_not_replaced_again() {
        let once = repaired(PROTOCOL).unwrap();
        assert!(once.contains("dests.has(addr) == false || isOld(addr);"), "{once}");
        assert!(once.contains("if (tbe.Has == false) {out_msg.Len := tbe.Len;}"), "{once}");
        assert_eq!(repaired(&once), None);
    }
}
