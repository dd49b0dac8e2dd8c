//! The text of a clause: the place, a colon, and the change.

use super::super::error::ClauseError;
use super::super::pattern::Pattern;
use super::{
    BodyChange, Change, Clause, MachineChange, NewAction, Pair, Place, PortChange, RowChange, Rows,
};

impl Clause {
    /// Parses a clause.
    ///
    /// # Errors
    /// Fails if the text is not a clause; the error says what was expected.
    pub(crate) fn parse(text: &str) -> Result<Clause, ClauseError> {
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
        _ if what.starts_with("no if ") => {
            PortChange::NoIf(in_braces(rest.trim_start_matches("if "))?)
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
            _ if what.starts_with("call ") => {
                let (now, was) = split(what.trim_start_matches("call "), " instead of ")?;
                MachineChange::Call { now, was }
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
            ("no if {f(a)}", PortChange::NoIf("f(a)".to_owned())),
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
        let call = MachineChange::Call { now: "f".to_owned(), was: "g".to_owned() };
        for (text, expected) in [
            ("machine: add {void f(Addr line) {g(line);}}", MachineChange::AddFunction(code)),
            ("enumeration Event: value E \"what happened\"", value),
            ("all rows: stall instead of doing nothing", MachineChange::StallEmpty),
            ("actions: in s.c first x := 1;", MachineChange::In(pattern("s.c"), set)),
            ("actions: call f instead of g", call),
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
