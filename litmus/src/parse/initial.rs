//! The initial state: `{ 0:x5=x; x=1; int *p=&y; uint64_t 1:x7; int t[2]={1,2}; }`.

use rustc_hash::FxHashMap;

use super::Symbols;
use super::names::{Given, Named, Names, thread_number};
use super::source::Source;
use super::tokens::{TokenKind, Tokens};
use crate::error::Error;
use crate::isa::Architecture;
use crate::test::ThreadRegister;
use crate::types::{LocationType, ScalarType};
use crate::value::{Location, Value};

/// The initial values and types that a test states.
#[derive(Default)]
pub(super) struct State {
    /// The values of a location, or of the elements of an array.
    pub memory: FxHashMap<Location, Vec<Value>>,
    pub types: FxHashMap<Location, LocationType>,
    pub registers: Vec<(ThreadRegister, Value)>,
    pub register_types: Vec<(ThreadRegister, ScalarType)>,
    /// Registers whose declared type is not known, with the name of the type.
    pub unknown_types: Vec<(ThreadRegister, String)>,
}

/// The type before a name in a declaration.
enum Declared<'a> {
    Nothing,
    Scalar(&'a str),
    Pointer,
}

/// Splits the initial state from the text after it.
pub(super) fn split<'a>(source: &Source<'a>, text: &'a str) -> Result<(&'a str, &'a str), Error> {
    let end = closing_brace(text)
        .ok_or_else(|| source.expected(text, "an initial state that ends with a brace"))?;
    Ok((&text[1..end], &text[end + 1..]))
}

/// Reads the text between the braces of the initial state.
pub(super) fn read<'a>(
    source: &Source<'a>,
    text: &'a str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<State, Error> {
    // An index into an array may stand before the array's declaration, so the first reading is for the declarations.
    let _ = declarations(source, text, architecture, symbols);
    declarations(source, text, architecture, symbols)
}

fn declarations<'a>(
    source: &Source<'a>,
    text: &'a str,
    architecture: Architecture,
    symbols: &mut Symbols,
) -> Result<State, Error> {
    let mut tokens = Tokens::new(source, text);
    let mut state = State::default();
    let mut names = Names { architecture, symbols, mentioned: Vec::new() };
    while !tokens.is_at_end() {
        if tokens.take_if(";") {
            continue;
        }
        declaration(&mut state, &mut names, &mut tokens, source)?;
        if !tokens.is_at_end() {
            tokens.expect(";", "a semicolon between two initial values")?;
        }
    }
    Ok(state)
}

/// The position of the brace that closes the one with which the text begins.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, one)| {
        match one {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// Reads the type in front of a name.
fn type_name<'a>(tokens: &mut Tokens<'_, 'a>) -> Declared<'a> {
    tokens.take_if("_Atomic");
    if tokens.take_if("*") {
        return Declared::Pointer;
    }
    let next = |ahead: usize| tokens.peek_at(ahead);
    let is_thread =
        thread_number(tokens.peek()).is_some() && next(1).is_some_and(|it| it.text == ":");
    let is_type = tokens.kind() == Some(TokenKind::Word)
        && !is_thread
        && next(1).is_some_and(|second| match second.kind {
            TokenKind::Word | TokenKind::Number | TokenKind::Percent => true,
            TokenKind::Sign if second.text == "*" => true,
            // `int [x]`, but not `t[2]`.
            TokenKind::Sign if second.text == "[" => {
                next(2).is_some_and(|third| third.kind == TokenKind::Word)
            }
            _ => false,
        });
    if !is_type {
        return Declared::Nothing;
    }
    let name = tokens.take();
    if tokens.take_if("*") { Declared::Pointer } else { Declared::Scalar(name) }
}

fn declaration(
    state: &mut State,
    names: &mut Names<'_>,
    tokens: &mut Tokens<'_, '_>,
    source: &Source<'_>,
) -> Result<(), Error> {
    let start = tokens.rest();
    let declared = type_name(tokens);
    let named = names.named(tokens)?;
    let given = if tokens.take_if("=") { Some(initial(names, tokens)?) } else { None };
    match named {
        Named::Lanes(lanes) => match given {
            // The type of a vector register says nothing that its name does not say.
            None | Some(Given::One(Value::Number(0))) => Ok(()),
            Some(_) => {
                let what = format!(
                    "a value of `{}`, other than 0, is",
                    names.architecture.register_name(lanes.low.register)
                );
                Err(source.unsupported(start, &what))
            }
        },
        Named::Register(register) => {
            let Some(Given::One(value)) = given.or(Some(Given::One(Value::ZERO))) else {
                return Err(source.expected(start, "one value for a register"));
            };
            if state.registers.iter().any(|(it, _)| *it == register) {
                return Err(source.expected(start, "a register that has no initial value yet"));
            }
            state.registers.push((register, value));
            match declared {
                Declared::Nothing => {}
                Declared::Pointer => state.register_types.push((register, ScalarType::POINTER)),
                Declared::Scalar(name) => match ScalarType::from_name(name) {
                    Some(known) => state.register_types.push((register, known)),
                    None => state.unknown_types.push((register, name.to_owned())),
                },
            }
            Ok(())
        }
        Named::Location(location) => {
            let scalar = scalar_type(&declared, given.as_ref(), source, start)?;
            let values = match given {
                None => vec![Value::ZERO],
                Some(Given::One(value)) => vec![value],
                Some(_) => {
                    return Err(source.expected(start, "one value, or an array with its length"));
                }
            };
            state.declare(names, location, scalar, values, source, start)
        }
        Named::Element(location, length) => {
            if matches!(declared, Declared::Nothing) || length == 0 {
                return Err(
                    source.expected(start, "an array with its type and length, such as `int t[2]`")
                );
            }
            let element = scalar_type(&declared, None, source, start)?;
            let values = match given {
                None => vec![Value::ZERO; usize::from(length)],
                Some(Given::List(values)) if values.len() == usize::from(length) => values,
                Some(_) => {
                    let expected = format!("the {length} values of the array in braces");
                    return Err(source.expected(start, &expected));
                }
            };
            let array = LocationType { length: Some(length), ..element };
            state.declare(names, location, array, values, source, start)
        }
    }
}

/// Reads a value, perhaps in `ATOMIC_INIT(…)`.
fn initial(names: &mut Names<'_>, tokens: &mut Tokens<'_, '_>) -> Result<Given, Error> {
    if tokens.take_if("ATOMIC_INIT") {
        tokens.expect("(", "`ATOMIC_INIT(VALUE)`")?;
        let value = names.value(tokens)?;
        tokens.expect(")", "`ATOMIC_INIT(VALUE)`")?;
        return Ok(Given::One(value));
    }
    names.given(tokens, true)
}

/// The type of a location, given the type in front of it and its value.
fn scalar_type(
    declared: &Declared<'_>,
    given: Option<&Given>,
    source: &Source<'_>,
    start: &str,
) -> Result<LocationType, Error> {
    let name = match declared {
        Declared::Pointer => return Ok(LocationType::scalar(ScalarType::POINTER)),
        Declared::Nothing => {
            // An address needs the room of a pointer.
            let is_address = matches!(given, Some(Given::One(Value::Address(..) | Value::Code(_))));
            let bytes = if is_address {
                ScalarType::POINTER.bytes()
            } else {
                LocationType::UNDECLARED.bytes
            };
            return Ok(LocationType { bytes, ..LocationType::UNDECLARED });
        }
        Declared::Scalar(name) => name,
    };
    if name.contains("int128") {
        return Err(source.unsupported(start, &format!("`{name}`, a type of 128 bits, is")));
    }
    if matches!(*name, "pteval_t" | "parel1_t" | "ins_t") {
        return Err(source.unsupported(start, &format!("the type `{name}` is")));
    }
    let scalar = ScalarType::from_name(name);
    scalar.map(LocationType::scalar).ok_or_else(|| {
        source.expected(start, "a type such as `int`, `uint8_t` or `int64_t` before the name")
    })
}

impl State {
    fn declare(
        &mut self,
        names: &mut Names<'_>,
        location: Location,
        of_type: LocationType,
        values: Vec<Value>,
        source: &Source<'_>,
        start: &str,
    ) -> Result<(), Error> {
        if self.memory.contains_key(&location) {
            return Err(source.expected(start, "a location that has no initial value yet"));
        }
        // An initial value is cut to the size of its location.
        let cut = ScalarType { bits: (of_type.bytes * 8) as u8, signed: false };
        let values = values.into_iter().map(|value| cut.converted(value)).collect();
        self.memory.insert(location, values);
        self.types.insert(location, of_type);
        if of_type.length.is_some() {
            names.symbols.declare_element(location, i64::from(of_type.bytes));
        }
        Ok(())
    }
}
