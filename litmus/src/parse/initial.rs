//! The initial state: `{ 0:x5=x; x=1; int *p=&y; uint64_t 1:x7; }`.
//!
//! Types are ignored, since an access has the size of its instruction.

use super::{Symbols, observed, source::Source, value};
use crate::error::Error;
use crate::isa::Architecture;
use crate::test::{Observed, ThreadRegister};
use crate::value::{Location, Value};

/// The initial values that a test states.
#[derive(Default)]
pub(super) struct State {
    pub memory: Vec<(Location, Value)>,
    pub registers: Vec<(ThreadRegister, Value)>,
}

/// Reads the initial state, and returns the text behind it.
pub(super) fn read<'a>(
    source: &Source<'_>,
    text: &'a str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<(State, &'a str), Error> {
    let inner = text.strip_prefix('{').unwrap_or(text);
    let Some((items, rest)) = inner.split_once('}') else {
        return Err(source.expected(text, "an initial state that ends with a brace"));
    };
    let mut state = State::default();
    for item in items.split(';').filter(|item| !item.trim().is_empty()) {
        let wrong = || {
            let expected = "an initial value such as `0:REGISTER=LOCATION` or `LOCATION=NUMBER`; \
                            arrays are not supported";
            source.expected(item, expected)
        };
        let (left, right) = match item.split_once('=') {
            Some((left, right)) => (left, value(right, symbols).ok_or_else(wrong)?),
            None => (item, Value::ZERO),
        };
        match observed(architecture, without_type(left), symbols).ok_or_else(wrong)? {
            Observed::Register(register) => state.registers.push((register, right)),
            Observed::Location(location) => state.memory.push((location, right)),
        }
    }
    Ok((state, rest))
}

/// The register or location behind a type such as `int *`.
fn without_type(text: &str) -> &str {
    let text = text.trim();
    let start = text.rfind(|one: char| one.is_whitespace() || one == '*').map_or(0, |at| at + 1);
    &text[start..]
}
