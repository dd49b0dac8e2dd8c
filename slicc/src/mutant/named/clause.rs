//! A clause: one change that a named fault or a repair makes. It gives the place by the names of
//! machines, states, events and buffers, and the change by the calls that actions make.
//!
//! `L1Cache (M, Replacement Inv): without evictionCallback` is about two rows. Clauses do not use
//! the names of actions and ports, since these are the choice of whoever wrote the protocol. Code
//! in braces may call functions that the protocol declares.

use super::error::ClauseError;
use super::pattern::Pattern;

/// A change of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) struct Clause {
    pub machine: String,
    pub change: Change,
    /// The clause as written.
    pub text: String,
}

/// Rows of a table: `(S T, E F) (U, G)?` stands for five, the last of which is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::mutant) struct Rows {
    pub needed: Vec<Pair>,
    pub if_any: Vec<Pair>,
}

/// A state and an event, which identify a row.
pub(in crate::mutant) type Pair = (String, String);

/// A change of a part of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum Change {
    Rows(Rows, RowChange),
    /// A change of the port that reads this buffer.
    Port(String, PortChange),
    /// A change of the machine as a whole.
    Machine(MachineChange),
}

/// A change of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum RowChange {
    /// `no transition`
    Dropped,
    /// `next S`; `next same` is to stay in the state
    Next(Option<String>),
    /// `stall`: nothing else is done, and the message stays
    Stall,
    /// `nothing`
    Nothing,
    /// `without PATTERN`
    Without(Pattern),
    /// `set aside A instead of B`
    SetAside { now: String, was: String },
    /// `take A`: dequeues its message, also where it was set aside
    Take(String),
    /// `add PATTERN of (S, E) [PLACE] [if any]`: at the end if no place is given. A row that has
    /// such an action stays as it is. `of any` takes the only such action of the
    /// machine, or the only one that does nothing else.
    Add { what: Pattern, of: Option<Pair>, place: Place, if_any: bool },
    /// `replace PATTERN by PATTERN of (S, E)`, or `of any`
    Replace { was: Pattern, now: Pattern, of: Option<Pair> },
    /// `move PATTERN before PATTERN`
    Move { what: Pattern, before: Pattern },
    /// `do NAME "description" {code} PLACE`: also `instead of PATTERN`, or `alone`, which removes
    /// all other actions
    Do { action: NewAction, place: Place },
    /// `like (S, E)`: a new row, which stays in its state unless a later clause gives it a `next`
    Like(Pair),
    /// `same as (S, E)`: the actions and the next state of another row
    SameAs(Pair),
    /// `new with PATTERN of (S, E)`: a new row that does only this
    New { what: Pattern, of: Pair },
    /// `in PATTERN ...`
    In(Pattern, BodyChange),
    /// `read X as Y`: in the conditions, assertions and values of its actions
    Read { was: String, now: String },
}

/// A place in the list of a row's actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum Place {
    /// `before PATTERN`
    Before(Pattern),
    /// `after PATTERN`
    After(Pattern),
    /// `instead of PATTERN`
    Instead(Pattern),
    /// `first`
    First,
    /// `last`
    Last,
    /// `alone`: instead of all actions
    Alone,
}

/// An action that a fault adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) struct NewAction {
    pub name: String,
    pub about: String,
    /// The statements, with `$in(BUFFER)` and `$out(BUFFER)` for ports.
    pub code: String,
}

/// A change of the statement that matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum BodyChange {
    /// `set F := X; G := Y`: fields of the message
    Set(Vec<(String, String)>),
    /// `set F {code}`: the code replaces all statements that write the field of the message
    SetBy { field: String, code: String },
    /// `unset F`
    Unset(String),
    /// `to X`: another receiver
    To(String),
    /// `first X;`: inserts a statement before it
    First(String),
    /// `last X;`: inserts a statement at the end of the message
    Last(String),
    /// `always`: removes the condition around it; an assignment is moved out of the condition alone
    Always,
}

/// A change of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mutant) enum PortChange {
    /// `no lock check [before EVENT]`
    UncheckedBefore(Option<String>),
    /// `no lock check of the line itself`
    UncheckedLine,
    /// `no trigger of EVENT`
    Untriggered(String),
    /// `lock check before EVENT`: of the line for which the event is triggered
    CheckedBefore(String),
    /// `block on FIELD`: messages wait while the line in this field is locked
    BlockOn(String),
    /// `no block on`: messages do not wait for locks
    NoBlockOn,
    /// `rank N`, unless the port has one
    Rank(String),
    /// `read X as Y`: in all expressions of the port
    Read { was: String, now: String },
    /// `first {code}`: before the port looks at a message
    First(String),
    /// `if {condition} {code}`: instead of the port's own code if the condition holds
    If { condition: String, code: String },
    /// `do {code}`: instead of the port's own code
    Do(String),
}

/// A change of a machine as a whole.
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
    /// `structure S: field TYPE NAME`, also with attributes: `field int N, default="0"`
    Field { structure: String, kind: String, name: String },
    /// `actions: copy FIELD of send(B) to X`
    Copy { field: String, sent: Pattern, to: String },
    /// `messages of B: read X as Y`
    ReadMessage { buffer: String, was: String, now: String },
    /// `actions: read X as Y`
    Read { was: String, now: String },
    /// `actions: in PATTERN ...`: wherever a statement of an action matches
    In(Pattern, BodyChange),
    /// `all rows: stall instead of doing nothing`: where all actions are empty, the message stays
    StallEmpty,
    /// `machine: add {function}`: after the functions before the ports, unless there is one of
    /// this name
    AddFunction(String),
    /// `enumeration E: value NAME "description"`: one of the machine or of the protocol's messages
    Value { enumeration: String, value: String, about: String },
    /// `functions: no condition on FIELD`
    NoCondition(String),
    /// `functions: read X as Y`
    ReadInFunctions { was: String, now: String },
}

impl Clause {
    /// Parses a clause.
    ///
    /// # Errors
    /// Fails if the text is not a clause; the error says what was expected.
    pub fn parse(text: &str) -> Result<Clause, ClauseError> {
        let (place, what) = split(text, ": ")?;
        let (machine, place) = split(&place, " ")?;
        let change = change(&place, &what)?;
        Ok(Clause { machine, change, text: text.to_owned() })
    }
}

fn change(place: &str, what: &str) -> Result<Change, ClauseError> {
    if place.starts_with('(') {
        return Ok(Change::Rows(rows(place)?, row_change(what)?));
    }
    if let Some(buffer) = place.strip_prefix("port ") {
        return Ok(Change::Port(buffer.to_owned(), port_change(what)?));
    }
    Ok(Change::Machine(machine_change(place, what)?))
}

fn rows(place: &str) -> Result<Rows, ClauseError> {
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

fn row_change(what: &str) -> Result<RowChange, ClauseError> {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    Ok(match verb {
        "no" if rest == "transition" => RowChange::Dropped,
        "next" if rest == "same" => RowChange::Next(None),
        "next" => RowChange::Next(Some(rest.to_owned())),
        "stall" => RowChange::Stall,
        "nothing" => RowChange::Nothing,
        "without" => RowChange::Without(Pattern::parse(rest)?),
        "set" => {
            let (now, was) = split(rest.trim_start_matches("aside "), " instead of ")?;
            RowChange::SetAside { now, was }
        }
        "take" => RowChange::Take(rest.to_owned()),
        "add" => {
            let (rest, if_any) = match rest.strip_suffix(" if any") {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            let (rest, place) = match place_at(rest) {
                Some(at) => (&rest[..at], place(rest[at..].trim_start())?),
                None => (rest, Place::Last),
            };
            let (what, of) = borrowed_or_any(rest)?;
            RowChange::Add { what, of, place, if_any }
        }
        "replace" => {
            let (was, by) = split(rest, " by ")?;
            let (now, of) = borrowed_or_any(&by)?;
            let was = Pattern::parse(&was)?;
            RowChange::Replace { was, now, of }
        }
        "move" => {
            let (what, before) = split(rest, " before ")?;
            let (what, before) = (Pattern::parse(&what)?, Pattern::parse(&before)?);
            RowChange::Move { what, before }
        }
        "do" => new_action(rest)?,
        "like" => RowChange::Like(pair(rest)?),
        "same" => RowChange::SameAs(pair(rest.trim_start_matches("as "))?),
        "new" => {
            let (what, of) = borrowed(rest.trim_start_matches("with "))?;
            RowChange::New { what, of }
        }
        "in" => {
            let (pattern, what) = Pattern::parse_first(rest)?;
            RowChange::In(pattern, body_change(what)?)
        }
        "read" => {
            let (was, now) = split(rest, " as ")?;
            RowChange::Read { was, now }
        }
        _ => return Err(ClauseError::unknown("a change of rows", what)),
    })
}

fn new_action(text: &str) -> Result<RowChange, ClauseError> {
    let wrong = || ClauseError::Expected("do NAME \"description\" {code} PLACE");
    let (head, rest) = text.split_once(" {").ok_or_else(wrong)?;
    let (code, at) = rest.rsplit_once("} ").ok_or_else(wrong)?;
    let (name, about) = head.split_once(' ').ok_or_else(wrong)?;
    let action = NewAction {
        name: name.to_owned(),
        about: about.trim_matches('"').to_owned(),
        code: code.trim().to_owned(),
    };
    Ok(RowChange::Do { action, place: place(at)? })
}

/// The byte at which the place of `add PATTERN of (S, E) PLACE` begins.
fn place_at(text: &str) -> Option<usize> {
    let words = [" before ", " after "].iter().filter_map(|word| text.find(word)).min();
    let ends = [" first", " last"].iter().find_map(|end| Some(text.strip_suffix(end)?.len()));
    words.or(ends)
}

/// Parses a place in a list of actions.
fn place(text: &str) -> Result<Place, ClauseError> {
    if let Some(pattern) = text.strip_prefix("before ") {
        return Pattern::parse(pattern).map(Place::Before);
    }
    if let Some(pattern) = text.strip_prefix("after ") {
        return Pattern::parse(pattern).map(Place::After);
    }
    if let Some(pattern) = text.strip_prefix("instead of ") {
        return Pattern::parse(pattern).map(Place::Instead);
    }
    match text {
        "first" => Ok(Place::First),
        "last" => Ok(Place::Last),
        "alone" => Ok(Place::Alone),
        _ => Err(ClauseError::unknown("a place in a list of actions", text)),
    }
}

/// The text between the braces at the two ends of `{...}`.
fn in_braces(text: &str) -> Result<String, ClauseError> {
    let inner = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inner.map(|inner| inner.trim().to_owned()).ok_or(ClauseError::Expected("{code}"))
}

fn body_change(what: &str) -> Result<BodyChange, ClauseError> {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    Ok(match verb {
        "set" if rest.split_once(' ').is_some_and(|(_, code)| code.starts_with('{')) => {
            let (field, code) = split(rest, " ")?;
            BodyChange::SetBy { field, code: in_braces(&code)? }
        }
        "set" => {
            let one = |text: &str| split(text, " := ");
            BodyChange::Set(rest.split("; ").map(one).collect::<Result<_, _>>()?)
        }
        "unset" => BodyChange::Unset(rest.to_owned()),
        "to" => BodyChange::To(rest.to_owned()),
        "first" => BodyChange::First(rest.to_owned()),
        "last" => BodyChange::Last(rest.to_owned()),
        "always" => BodyChange::Always,
        _ => return Err(ClauseError::unknown("a change of a statement", what)),
    })
}

fn port_change(what: &str) -> Result<PortChange, ClauseError> {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    Ok(match what {
        _ if what.starts_with("lock check before ") => {
            PortChange::CheckedBefore(rest.trim_start_matches("check before ").to_owned())
        }
        _ if what.starts_with("block on ") => {
            PortChange::BlockOn(rest.trim_start_matches("on ").to_owned())
        }
        _ if verb == "rank" => PortChange::Rank(rest.to_owned()),
        _ if verb == "read" => {
            let (was, now) = split(rest, " as ")?;
            PortChange::Read { was, now }
        }
        _ if verb == "first" => PortChange::First(in_braces(rest)?),
        _ if verb == "do" => PortChange::Do(in_braces(rest)?),
        _ if verb == "if" => {
            let (condition, code) = split(rest, "} {")?;
            let condition = condition.trim_start_matches('{').trim().to_owned();
            PortChange::If { condition, code: in_braces(&format!("{{{code}"))? }
        }
        "no block on" => PortChange::NoBlockOn,
        "no lock check" => PortChange::UncheckedBefore(None),
        "no lock check of the line itself" => PortChange::UncheckedLine,
        _ => {
            match (what.strip_prefix("no lock check before "), what.strip_prefix("no trigger of "))
            {
                (Some(event), _) => PortChange::UncheckedBefore(Some(event.to_owned())),
                (_, Some(event)) => PortChange::Untriggered(event.to_owned()),
                _ => return Err(ClauseError::unknown("a change of a port", what)),
            }
        }
    })
}

fn machine_change(place: &str, what: &str) -> Result<MachineChange, ClauseError> {
    let (kind, name) = place.split_once(' ').unwrap_or((place, ""));
    let wrong = || ClauseError::unknown("a change of a machine", &format!("{place}: {what}"));
    Ok(match kind {
        "state" if what == "none" => MachineChange::NoState(name.to_owned()),
        "buffer" => {
            let (key, value) = split(what, " ")?;
            let buffer = name.to_owned();
            MachineChange::Buffer { buffer, key, value }
        }
        "all" if what == "stall instead of doing nothing" => MachineChange::StallEmpty,
        "machine" => {
            let code = what.strip_prefix("add ").ok_or_else(wrong)?;
            MachineChange::AddFunction(in_braces(code)?)
        }
        "enumeration" => {
            let value = what.strip_prefix("value ").ok_or_else(wrong)?;
            let (value, about) = split(value, " ")?;
            let about = about.trim_matches('"').to_owned();
            MachineChange::Value { enumeration: name.to_owned(), value, about }
        }
        "all" => {
            let buffer = what.strip_prefix("stall instead of setting aside ");
            MachineChange::StallInstead(buffer.ok_or_else(wrong)?.to_owned())
        }
        "structure" => {
            let field = what.strip_prefix("field ").ok_or_else(wrong)?;
            let (kind, field) = split(field, " ")?;
            MachineChange::Field { structure: name.to_owned(), kind, name: field }
        }
        "actions" => match (what.strip_prefix("without "), what.strip_prefix("read ")) {
            (Some(pattern), _) => MachineChange::Without(Pattern::parse(pattern)?),
            (_, Some(rest)) => {
                let (was, now) = split(rest, " as ")?;
                MachineChange::Read { was, now }
            }
            _ if what.starts_with("in ") => {
                let (pattern, what) = Pattern::parse_first(what.trim_start_matches("in "))?;
                MachineChange::In(pattern, body_change(what)?)
            }
            _ => {
                let rest = what.strip_prefix("copy ").ok_or_else(wrong)?;
                let (field, rest) = split(rest, " of ")?;
                let (sent, to) = split(&rest, " to ")?;
                let sent = Pattern::parse(&sent)?;
                MachineChange::Copy { field, sent, to }
            }
        },
        "messages" => {
            let buffer = name.strip_prefix("of ").ok_or_else(wrong)?.to_owned();
            let (was, now) = split(what.strip_prefix("read ").ok_or_else(wrong)?, " as ")?;
            MachineChange::ReadMessage { buffer, was, now }
        }
        "functions" => match what.strip_prefix("read ") {
            Some(rest) => {
                let (was, now) = split(rest, " as ")?;
                MachineChange::ReadInFunctions { was, now }
            }
            None => {
                let field = what.strip_prefix("no condition on ").ok_or_else(wrong)?;
                MachineChange::NoCondition(field.to_owned())
            }
        },
        _ => return Err(wrong()),
    })
}

/// Parses `PATTERN of (S, E)`.
fn borrowed(text: &str) -> Result<(Pattern, Pair), ClauseError> {
    let (what, of) = split(text, " of ")?;
    Ok((Pattern::parse(&what)?, pair(&of)?))
}

/// Parses `PATTERN of (S, E)` or `PATTERN of any`.
fn borrowed_or_any(text: &str) -> Result<(Pattern, Option<Pair>), ClauseError> {
    match text.strip_suffix(" of any") {
        Some(what) => Ok((Pattern::parse(what)?, None)),
        None => borrowed(text).map(|(what, of)| (what, Some(of))),
    }
}

/// Parses `(S, E)`.
fn pair(text: &str) -> Result<Pair, ClauseError> {
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    split(inner, ", ")
}

/// Splits a text at the first separator.
fn split(text: &str, separator: &'static str) -> Result<(String, String), ClauseError> {
    let (one, other) = text
        .split_once(separator)
        .ok_or_else(|| ClauseError::NoSeparator { separator, text: text.to_owned() })?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(text: &str) -> Change {
        Clause::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).change
    }

    fn row_change(text: &str) -> RowChange {
        match change(&format!("M (S, E): {text}")) {
            Change::Rows(_, change) => change,
            other => panic!("{other:?}"),
        }
    }

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).unwrap()
    }

    #[test]
    fn places_of_actions() {
        let of = || Some(("S".to_owned(), "F".to_owned()));
        let add = |place| RowChange::Add { what: pattern("x"), of: of(), place, if_any: false };
        assert_eq!(row_change("add x of (S, F)"), add(Place::Last));
        assert_eq!(row_change("add x of (S, F) last"), add(Place::Last));
        assert_eq!(row_change("add x of (S, F) first"), add(Place::First));
        assert_eq!(row_change("add x of (S, F) before y.z"), add(Place::Before(pattern("y.z"))));
        assert_eq!(
            row_change("add x of (S, F) after send(b)"),
            add(Place::After(pattern("send(b)")))
        );
        let any = RowChange::Add {
            what: pattern("x"),
            of: None,
            place: Place::After(pattern("y")),
            if_any: true,
        };
        assert_eq!(row_change("add x of any after y if any"), any);
        let action = NewAction {
            name: "a".to_owned(),
            about: "what it does".to_owned(),
            code: "if (b) {c;}".to_owned(),
        };
        let act = |place| RowChange::Do { action: action.clone(), place };
        let code = "do a \"what it does\" {if (b) {c;}}";
        assert_eq!(row_change(&format!("{code} alone")), act(Place::Alone));
        assert_eq!(row_change(&format!("{code} instead of y")), act(Place::Instead(pattern("y"))));
        assert!(Clause::parse(&format!("M (S, E): {code} somewhere")).is_err());
        assert!(Clause::parse(&format!("M (S, E): {code}")).is_err());
    }

    #[test]
    fn rows_like_others() {
        let of = ("S".to_owned(), "F".to_owned());
        assert_eq!(row_change("same as (S, F)"), RowChange::SameAs(of.clone()));
        assert_eq!(row_change("like (S, F)"), RowChange::Like(of));
    }

    #[test]
    fn statements() {
        let body = |text: &str| match row_change(&format!("in send(b, T) {text}")) {
            RowChange::In(_, change) => change,
            other => panic!("{other:?}"),
        };
        let set = vec![("F".to_owned(), "x".to_owned()), ("G".to_owned(), "y".to_owned())];
        assert_eq!(body("set F := x; G := y"), BodyChange::Set(set));
        let code = "out_msg.F := x; out_msg.F.add(y);".to_owned();
        assert_eq!(
            body("set F {out_msg.F := x; out_msg.F.add(y);}"),
            BodyChange::SetBy { field: "F".to_owned(), code }
        );
        assert_eq!(body("last x(y);"), BodyChange::Last("x(y);".to_owned()));
    }

    #[test]
    fn ports() {
        let port = |text: &str| match change(&format!("M port b: {text}")) {
            Change::Port(_, change) => change,
            other => panic!("{other:?}"),
        };
        let read = PortChange::Read { was: "a".to_owned(), now: "f(a)".to_owned() };
        let guarded = PortChange::If { condition: "a".to_owned(), code: "if (b) {c;}".to_owned() };
        let empty = PortChange::If { condition: "f(a)".to_owned(), code: String::new() };
        for (text, expected) in [
            ("lock check before E", PortChange::CheckedBefore("E".to_owned())),
            ("block on addr", PortChange::BlockOn("addr".to_owned())),
            ("rank 2", PortChange::Rank("2".to_owned())),
            ("read a as f(a)", read),
            ("first {a;}", PortChange::First("a;".to_owned())),
            ("do {a;}", PortChange::Do("a;".to_owned())),
            ("if {a} {if (b) {c;}}", guarded),
            ("if {f(a)} {}", empty),
        ] {
            assert_eq!(port(text), expected, "{text}");
        }
        assert!(Clause::parse("M port b: do it").is_err());
    }

    #[test]
    fn machines() {
        let machine = |text: &str| match change(&format!("M {text}")) {
            Change::Machine(change) => change,
            other => panic!("{other:?}"),
        };
        let code = "void f(Addr line) {g(line);}".to_owned();
        let value = MachineChange::Value {
            enumeration: "Event".to_owned(),
            value: "E".to_owned(),
            about: "what happened".to_owned(),
        };
        let set = BodyChange::First("x := 1;".to_owned());
        for (text, expected) in [
            ("machine: add {void f(Addr line) {g(line);}}", MachineChange::AddFunction(code)),
            ("enumeration Event: value E \"what happened\"", value),
            ("all rows: stall instead of doing nothing", MachineChange::StallEmpty),
            ("actions: in s.c first x := 1;", MachineChange::In(pattern("s.c"), set)),
            (
                "functions: read a == b as a == b || c(d)",
                MachineChange::ReadInFunctions {
                    was: "a == b".to_owned(),
                    now: "a == b || c(d)".to_owned(),
                },
            ),
        ] {
            assert_eq!(machine(text), expected, "{text}");
        }
        assert!(Clause::parse("M machine: remove {x}").is_err());
    }
}
