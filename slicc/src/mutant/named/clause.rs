//! One thing that a named fault changes: where, in the names of machines, states, events and buffers, and what, in the
//! calls that actions make.
//!
//! `L1Cache (M, Replacement Inv): without evictionCallback` is about two rows. Names of actions, ports and functions are
//! the business of who wrote a protocol, so clauses do not use them.

use super::pattern::Pattern;

/// What is changed in a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) struct Clause {
    pub machine: String,
    pub change: Change,
    /// As it is written.
    pub text: String,
}

/// Rows of a table: `(S T, E F) (U, G)?` are five, the last only where there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::mutant) struct Rows {
    pub needed: Vec<Pair>,
    pub if_any: Vec<Pair>,
}

/// A row of a table.
pub(in crate::mutant) type Pair = (String, String);

/// Where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum Change {
    Rows(Rows, RowChange),
    /// A change of the port that reads this buffer.
    Port(String, PortChange),
    /// A change of the machine as a whole.
    Machine(MachineChange),
}

/// What becomes of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum RowChange {
    /// `no transition`
    Dropped,
    /// `next S`; `next same` stays
    Next(Option<String>),
    /// `stall`: nothing else is done, and the message stays
    Stall,
    /// `nothing`
    Nothing,
    /// `without PATTERN`
    Without(Pattern),
    /// `set aside A instead of B`
    SetAside { now: String, was: String },
    /// `take A`: its message is used up, also where it was set aside
    Take(String),
    /// `add PATTERN of (S, E) [before PATTERN] [if any]`
    Add { what: Pattern, of: Pair, before: Option<Pattern>, if_any: bool },
    /// `replace PATTERN by PATTERN of (S, E)`
    Replace { was: Pattern, now: Pattern, of: Pair },
    /// `move PATTERN before PATTERN`
    Move { what: Pattern, before: Pattern },
    /// `do NAME "description" {code} before PATTERN`, or `instead of PATTERN`
    Do { action: NewAction, instead: bool, place: Pattern },
    /// `like (S, E)`: a new row
    Like(Pair),
    /// `new with PATTERN of (S, E)`: a new row that does only this
    New { what: Pattern, of: Pair },
    /// `in PATTERN ...`
    In(Pattern, BodyChange),
    /// `read X as Y`: in conditions and values of its actions
    Read { was: String, now: String },
}

/// An action that a fault brings along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) struct NewAction {
    pub name: String,
    pub about: String,
    /// Statements, with `$in(BUFFER)` and `$out(BUFFER)` for ports.
    pub code: String,
}

/// What becomes of the statement that makes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum BodyChange {
    /// `set F := X; G := Y`: fields of the message
    Set(Vec<(String, String)>),
    /// `unset F`
    Unset(String),
    /// `to X`: the receiver
    To(String),
    /// `first X;`: a statement in front
    First(String),
    /// `always`: whatever the condition around it; the statement alone, if it is an assignment
    Always,
}

/// What becomes of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum PortChange {
    /// `no lock check [before EVENT]`
    UncheckedBefore(Option<String>),
    /// `no lock check of the line itself`
    UncheckedLine,
    /// `no trigger of EVENT`
    Untriggered(String),
}

/// What becomes of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum MachineChange {
    /// `state S: none`
    NoState(String),
    /// `buffer B: KEY VALUE`
    Buffer { buffer: String, key: String, value: String },
    /// `actions: without PATTERN`
    Without(Pattern),
    /// `all rows: stall instead of setting aside B`
    StallInstead(String),
    /// `structure S: field TYPE NAME`
    Field { structure: String, kind: String, name: String },
    /// `actions: copy FIELD of send(B) to X`
    Copy { field: String, sent: Pattern, to: String },
    /// `messages of B: read X as Y`
    ReadMessage { buffer: String, was: String, now: String },
    /// `actions: read X as Y`
    Read { was: String, now: String },
    /// `functions: no condition on FIELD`
    NoCondition(String),
}

impl Clause {
    /// Reads a clause.
    ///
    /// # Errors
    /// What was expected.
    pub fn read(text: &str) -> Result<Clause, String> {
        let (place, what) = text.split_once(": ").ok_or("`MACHINE PLACE: CHANGE` was expected")?;
        let (machine, place) =
            place.split_once(' ').ok_or("a machine and a place in it were expected")?;
        Ok(Clause {
            machine: machine.to_owned(),
            change: change(place, what)?,
            text: text.to_owned(),
        })
    }
}

fn change(place: &str, what: &str) -> Result<Change, String> {
    if place.starts_with('(') {
        return Ok(Change::Rows(rows(place)?, row_change(what)?));
    }
    if let Some(buffer) = place.strip_prefix("port ") {
        return Ok(Change::Port(buffer.to_owned(), port_change(what)?));
    }
    Ok(Change::Machine(machine_change(place, what)?))
}

fn rows(place: &str) -> Result<Rows, String> {
    let mut rows = Rows::default();
    for part in place.split(" (") {
        let (part, pairs) = match part.strip_suffix('?') {
            Some(part) => (part, &mut rows.if_any),
            None => (part, &mut rows.needed),
        };
        let (states, events) = pair(part)?;
        for state in states.split(' ') {
            let pair = |event: &str| (state.to_owned(), event.to_owned());
            pairs.extend(events.split(' ').map(pair));
        }
    }
    Ok(rows)
}

fn row_change(what: &str) -> Result<RowChange, String> {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    Ok(match verb {
        "no" if rest == "transition" => RowChange::Dropped,
        "next" if rest == "same" => RowChange::Next(None),
        "next" => RowChange::Next(Some(rest.to_owned())),
        "stall" => RowChange::Stall,
        "nothing" => RowChange::Nothing,
        "without" => RowChange::Without(Pattern::read(rest)?),
        "set" => {
            let (now, was) = two(rest.trim_start_matches("aside "), " instead of ")?;
            RowChange::SetAside { now, was }
        }
        "take" => RowChange::Take(rest.to_owned()),
        "add" => {
            let (rest, if_any) = match rest.strip_suffix(" if any") {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            let (rest, before) = match rest.split_once(" before ") {
                Some((rest, before)) => (rest, Some(Pattern::read(before)?)),
                None => (rest, None),
            };
            let (what, of) = borrowed(rest)?;
            RowChange::Add { what, of, before, if_any }
        }
        "replace" => {
            let (was, by) = two(rest, " by ")?;
            let (now, of) = borrowed(&by)?;
            let was = Pattern::read(&was)?;
            RowChange::Replace { was, now, of }
        }
        "move" => {
            let (what, before) = two(rest, " before ")?;
            let (what, before) = (Pattern::read(&what)?, Pattern::read(&before)?);
            RowChange::Move { what, before }
        }
        "do" => new_action(rest)?,
        "like" => RowChange::Like(pair(rest)?),
        "new" => {
            let (what, of) = borrowed(rest.trim_start_matches("with "))?;
            RowChange::New { what, of }
        }
        "in" => {
            let (pattern, what) = Pattern::read_first(rest)?;
            RowChange::In(pattern, body_change(what)?)
        }
        "read" => {
            let (was, now) = two(rest, " as ")?;
            RowChange::Read { was, now }
        }
        _ => return Err(format!("`{what}` is no change of rows")),
    })
}

fn new_action(text: &str) -> Result<RowChange, String> {
    let wrong = "`do NAME \"description\" {code} before PATTERN` was expected";
    let (head, rest) = text.split_once(" {").ok_or(wrong)?;
    let (code, place) = rest.rsplit_once("} ").ok_or(wrong)?;
    let (name, about) = head.split_once(' ').ok_or(wrong)?;
    let (instead, place) = match place.strip_prefix("instead of ") {
        Some(place) => (true, place),
        None => (false, place.strip_prefix("before ").ok_or(wrong)?),
    };
    let action = NewAction {
        name: name.to_owned(),
        about: about.trim_matches('"').to_owned(),
        code: code.trim().to_owned(),
    };
    let place = Pattern::read(place)?;
    Ok(RowChange::Do { action, instead, place })
}

fn body_change(what: &str) -> Result<BodyChange, String> {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    Ok(match verb {
        "set" => {
            let one = |text: &str| two(text, " := ");
            BodyChange::Set(rest.split("; ").map(one).collect::<Result<_, _>>()?)
        }
        "unset" => BodyChange::Unset(rest.to_owned()),
        "to" => BodyChange::To(rest.to_owned()),
        "first" => BodyChange::First(rest.to_owned()),
        "always" => BodyChange::Always,
        _ => return Err(format!("`{what}` is no change of a statement")),
    })
}

fn port_change(what: &str) -> Result<PortChange, String> {
    Ok(match what {
        "no lock check" => PortChange::UncheckedBefore(None),
        "no lock check of the line itself" => PortChange::UncheckedLine,
        _ => {
            match (what.strip_prefix("no lock check before "), what.strip_prefix("no trigger of "))
            {
                (Some(event), _) => PortChange::UncheckedBefore(Some(event.to_owned())),
                (_, Some(event)) => PortChange::Untriggered(event.to_owned()),
                _ => return Err(format!("`{what}` is no change of a port")),
            }
        }
    })
}

fn machine_change(place: &str, what: &str) -> Result<MachineChange, String> {
    let (kind, name) = place.split_once(' ').unwrap_or((place, ""));
    let wrong = || format!("`{place}: {what}` is no change of a machine");
    Ok(match kind {
        "state" if what == "none" => MachineChange::NoState(name.to_owned()),
        "buffer" => {
            let (key, value) = two(what, " ")?;
            let buffer = name.to_owned();
            MachineChange::Buffer { buffer, key, value }
        }
        "all" => {
            let buffer = what.strip_prefix("stall instead of setting aside ");
            MachineChange::StallInstead(buffer.ok_or_else(wrong)?.to_owned())
        }
        "structure" => {
            let field = what.strip_prefix("field ").ok_or_else(wrong)?;
            let (kind, field) = two(field, " ")?;
            MachineChange::Field { structure: name.to_owned(), kind, name: field }
        }
        "actions" => match (what.strip_prefix("without "), what.strip_prefix("read ")) {
            (Some(pattern), _) => MachineChange::Without(Pattern::read(pattern)?),
            (_, Some(rest)) => {
                let (was, now) = two(rest, " as ")?;
                MachineChange::Read { was, now }
            }
            _ => {
                let rest = what.strip_prefix("copy ").ok_or_else(wrong)?;
                let (field, rest) = two(rest, " of ")?;
                let (sent, to) = two(&rest, " to ")?;
                let sent = Pattern::read(&sent)?;
                MachineChange::Copy { field, sent, to }
            }
        },
        "messages" => {
            let buffer = name.strip_prefix("of ").ok_or_else(wrong)?.to_owned();
            let (was, now) = two(what.strip_prefix("read ").ok_or_else(wrong)?, " as ")?;
            MachineChange::ReadMessage { buffer, was, now }
        }
        "functions" => {
            let field = what.strip_prefix("no condition on ").ok_or_else(wrong)?;
            MachineChange::NoCondition(field.to_owned())
        }
        _ => return Err(wrong()),
    })
}

/// `PATTERN of (S, E)`
fn borrowed(text: &str) -> Result<(Pattern, Pair), String> {
    let (what, of) = two(text, " of ")?;
    Ok((Pattern::read(&what)?, pair(&of)?))
}

/// `(S, E)`
fn pair(text: &str) -> Result<Pair, String> {
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    two(inner, ", ")
}

fn two(text: &str, between: &str) -> Result<(String, String), String> {
    let (one, other) =
        text.split_once(between).ok_or_else(|| format!("`{between}` was expected in `{text}`"))?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}
