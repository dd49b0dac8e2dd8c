//! Types, and their layout in memory.
//!
//! All values consist of words of 64 bits. A scalar, an enumerator, a pointer or the handle of a
//! library object is one word. A data block, a set or a structure is several consecutive words, so
//! that copying a value copies words. Cache entries and TBEs are handled by pointer: a variable of
//! such a type holds an address.

pub(crate) mod declare;
mod default;

use rustc_hash::FxHashMap;

use crate::ast::{self, Declaration, ExpressionKind, Pair};
use crate::library::stubs::Kind;
use crate::near::nearest;
use crate::source::{Diagnostic, Span};

/// Index of a type in [`Types`].
pub type TypeId = usize;

/// The name of the type that stands for those that are not declared. Nothing is said of its values, since the type itself is an error.
const UNKNOWN: &str = "?";

/// Number of tokens of a cache line in protocols that count tokens.
pub const MOST_TOKENS: u64 = 1024;

/// Initial value of an `Addr`. Library functions refuse it as an argument.
pub const UNSET_ADDRESS: u64 = u64::MAX;

/// Number of words of a `WriteMask` that hold its list of atomic operations.
pub const ATOMIC_WORDS: usize = 2;

/// Number of words of a `WriteMask` for a block of `block_bytes` bytes: a bit for each byte,
/// followed by the list of atomic operations.
#[inline]
pub const fn mask_words(block_bytes: u64) -> usize {
    block_bytes.div_ceil(64) as usize + ATOMIC_WORDS
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// The type of functions without a result.
    Void,
    /// One word: a number, a truth value, a string or an opaque value.
    Scalar,
    /// An enumeration: one word, the index of the value.
    Enumeration {
        /// The values.
        values: Vec<Box<str>>,
        /// The access permissions, if this is the type of a machine's states.
        permissions: Option<Vec<u64>>,
    },
    /// `DataBlock`, `WriteMask`, `Set`, `NetDest` or one of [`trackers`](super::trackers): several words, with
    /// methods in the library.
    Value,
    /// A structure of a protocol, copied by value.
    Structure,
    /// A structure that is sent through buffers.
    Message,
    /// A structure handled by pointer: a cache entry or a TBE.
    Entry,
    /// An object of the library, identified by one word.
    Library,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// The type of the field.
    pub of: TypeId,
    /// Offset in words from the beginning of the structure.
    pub offset: u16,
}

/// The types of a function's result and parameters.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The type of the result.
    pub result: TypeId,
    /// The types of the parameters.
    pub parameters: Vec<TypeId>,
    /// The name of the library's function that it is, if that is another one.
    pub alias: Option<Box<str>>,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// The full name, with the machine in front if the type is private to one.
    pub name: Box<str>,
    /// The kind of type.
    pub kind: TypeKind,
    /// The fields, by name.
    pub fields: FxHashMap<Box<str>, Field>,
    /// The names of the fields, in the order of declaration.
    pub order: Vec<Box<str>>,
    /// The methods, by name.
    pub methods: FxHashMap<Box<str>, Vec<Prototype>>,
    /// The type that this one extends, if any.
    pub interface: Option<Box<str>>,
    /// The words of a fresh object.
    pub initial: Vec<u64>,
    /// Whether this is the type of a machine's cache entries, rather than of another table.
    pub main: bool,
    /// The declaration of a structure; [`NOWHERE`] of other types.
    pub declared: Span,
    /// The kind as which a description gives it behaviour.
    pub described: Option<Kind>,
}

impl Type {
    /// Number of words of a variable of this type.
    pub fn width(&self) -> usize {
        match self.kind {
            TypeKind::Void => 0,
            TypeKind::Value | TypeKind::Structure | TypeKind::Message => self.initial.len(),
            _ => 1,
        }
    }

    /// The words of a fresh variable.
    pub fn fresh(&self) -> &[u64] {
        match self.kind {
            TypeKind::Entry => &[0],
            _ => &self.initial,
        }
    }

    /// Whether values do not fit a register and are handled by address.
    pub fn is_wide(&self) -> bool {
        matches!(self.kind, TypeKind::Value | TypeKind::Structure | TypeKind::Message)
    }

    /// The name without the machine in front and without the types of a collection's elements, as
    /// the library knows it.
    pub fn short_name(&self, machine: Option<&str>) -> &str {
        let own = machine.and_then(|machine| self.name.strip_prefix(machine)?.strip_prefix('_'));
        let name = own.unwrap_or(&self.name);
        name.split('<').next().unwrap_or(name)
    }

    /// The index of an enumerator.
    pub fn enumerator(&self, name: &str) -> Option<u64> {
        match &self.kind {
            TypeKind::Enumeration { values, .. } => {
                values.iter().position(|value| **value == *name).map(|at| at as u64)
            }
            _ => None,
        }
    }
}

/// The types that the compiler knows by name.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the names are those of the types")]
pub struct KnownTypes {
    pub void: TypeId,
    pub unknown: TypeId,
    pub int: TypeId,
    pub bool: TypeId,
    pub text: TypeId,
    pub addr: TypeId,
    pub cycles: TypeId,
    pub tick: TypeId,
    pub scalar: TypeId,
    pub node: TypeId,
    pub machine: TypeId,
    pub block: TypeId,
    pub mask: TypeId,
    pub set: TypeId,
    pub destinations: TypeId,
    pub entry: TypeId,
    pub in_port: TypeId,
    pub out_port: TypeId,
    pub timers: TypeId,
    pub permission: TypeId,
    pub machine_type: TypeId,
    pub request: TypeId,
    pub memory: TypeId,
}

/// Sizes that depend on the configuration of the system.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Number of words of a data block.
    pub block: usize,
    /// Number of machine types of the protocol, which is the number of words of a `NetDest`.
    pub machines: usize,
}

/// The types of a protocol.
#[derive(Clone, Debug)]
pub struct Types {
    types: Vec<Type>,
    names: FxHashMap<Box<str>, TypeId>,
    sizes: Sizes,
    /// The types that the compiler knows by name.
    pub known: KnownTypes,
    /// The values of functions without arguments that defaults may name.
    constants: FxHashMap<Box<str>, u64>,
    /// The errors in declarations, whose other parts are declared all the same.
    problems: Vec<Diagnostic>,
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
}

impl Types {
    /// Creates a table with the type `void` only.
    pub fn new(sizes: Sizes) -> Types {
        let mut types = Types {
            types: Vec::new(),
            names: FxHashMap::default(),
            sizes,
            known: KnownTypes::default(),
            constants: FxHashMap::default(),
            problems: Vec::new(),
        };
        types.add("void", TypeKind::Void, Vec::new());
        types.add(UNKNOWN, TypeKind::Scalar, vec![0]);
        types.find_known();
        types
    }

    /// Looks up a type as seen from a machine, whose own types take precedence.
    pub fn find(&self, machine: Option<&str>, name: &str) -> Option<TypeId> {
        let own = machine.and_then(|machine| self.names.get(&*format!("{machine}_{name}")));
        own.or_else(|| self.names.get(name)).copied()
    }

    /// All types.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter().enumerate()
    }

    /// Looks up the types that the compiler knows by name; to be called when the prelude has been read.
    pub fn find_known(&mut self) {
        let find = |name: &str| self.names.get(name).copied().unwrap_or_default();
        self.known = KnownTypes {
            void: 0,
            unknown: find(UNKNOWN),
            int: find("int"),
            bool: find("bool"),
            text: find("std::string"),
            addr: find("Addr"),
            cycles: find("Cycles"),
            tick: find("Tick"),
            scalar: find("Scalar"),
            node: find("NodeID"),
            machine: find("MachineID"),
            block: find("DataBlock"),
            mask: find("WriteMask"),
            set: find("Set"),
            destinations: find("NetDest"),
            entry: find("AbstractCacheEntry"),
            in_port: find("InPort"),
            out_port: find("OutPort"),
            timers: find("TimerTable"),
            permission: find("AccessPermission"),
            machine_type: find("MachineType"),
            request: find("RubyRequest"),
            memory: find("MemoryMsg"),
        };
    }

    fn add(&mut self, name: &str, kind: TypeKind, initial: Vec<u64>) -> TypeId {
        let id = self.types.len();
        self.names.insert(name.into(), id);
        self.types.push(Type {
            name: name.into(),
            kind,
            fields: FxHashMap::default(),
            order: Vec::new(),
            methods: FxHashMap::default(),
            interface: None,
            initial,
            main: false,
            declared: NOWHERE,
            described: None,
        });
        id
    }

    /// Notes the values of functions that defaults may name: those with a body that returns a number, and the accessors of a state
    /// called `null`, which SLICC makes in some forks.
    pub fn note_constants(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            match declaration {
                Declaration::Function(function) => {
                    let value = constant_of(function);
                    self.constants.extend(value.map(|value| (function.name.text.clone(), value)));
                }
                Declaration::Machine(machine) => {
                    let states = machine.body.iter().filter_map(|one| match one {
                        Declaration::States(states) => Some(states),
                        _ => None,
                    });
                    for states in states {
                        let null =
                            states.values.iter().position(|state| &*state.name.text == "null");
                        let name = format!("get_{}_{}_null", machine.name.text, states.name.text);
                        self.constants.extend(null.map(|at| (name.into(), at as u64)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Resolves the types of a function.
    pub fn prototype(&mut self, machine: Option<&str>, function: &ast::Function) -> Prototype {
        let mut parameters = Vec::with_capacity(function.parameters.len());
        for parameter in &function.parameters {
            parameters.push(self.resolve_anyway(machine, &parameter.kind));
        }
        let result = self.resolve_anyway(machine, &function.result);
        let alias = attribute(&function.pairs, "as").map(|pair| pair.value.text.clone());
        Prototype { result, parameters, alias }
    }

    /// Looks up a type. If there is none, returns the type `unknown`, and the error becomes one of the
    /// [problems](Types::take_problems).
    pub fn resolve_anyway(&mut self, machine: Option<&str>, name: &ast::Name) -> TypeId {
        match self.resolve(machine, name) {
            Ok(found) => found,
            Err(error) => {
                self.problems.push(error);
                self.known.unknown
            }
        }
    }

    /// The errors in declarations since this was last asked.
    pub fn take_problems(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.problems)
    }

    /// Looks up a type that has to exist.
    ///
    /// # Errors
    /// Fails if it does not; the hint names a type with a similar name.
    pub fn resolve(&self, machine: Option<&str>, name: &ast::Name) -> Result<TypeId, Diagnostic> {
        self.find(machine, &name.text).ok_or_else(|| {
            let error = Diagnostic::error(name.span, format!("the type `{}` is not declared", name.text))
                .label("unknown type");
            let prefix = machine.map(|machine| format!("{machine}_"));
            let names = self.names.keys().map(|known| {
                prefix.as_deref().and_then(|prefix| known.strip_prefix(prefix)).unwrap_or(known)
            });
            match nearest(&name.text, names) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("declare it before its first use: `structure`, `enumeration` or `external_type`"),
            }
        })
    }

    /// Whether a pointer to `from` may be used as a pointer to `to`.
    pub fn extends(&self, from: TypeId, to: TypeId) -> bool {
        from == to || self.types[from].interface.as_deref() == Some(&*self.types[to].name)
    }
}

/// The number that a function without parameters returns, if that is all it does.
fn constant_of(function: &ast::Function) -> Option<u64> {
    let statements = &function.body.as_ref()?.statements;
    let [ast::Statement { kind: ast::StatementKind::Return(value), .. }] = &statements[..] else {
        return None;
    };
    match &value.kind {
        _ if !function.parameters.is_empty() => None,
        ExpressionKind::Number(number) => Some(*number),
        ExpressionKind::Bool(value) => Some(u64::from(*value)),
        _ => None,
    }
}

/// Finds an attribute by its name.
pub fn attribute<'a>(pairs: &'a [Pair], key: &str) -> Option<&'a Pair> {
    pairs.iter().find(|pair| &*pair.key.text == key)
}

fn qualified(machine: Option<&str>, name: &str) -> String {
    match machine {
        Some(machine) => format!("{machine}_{name}"),
        None => name.to_owned(),
    }
}

/// The place of something that the compiler generates and that has no place in the source.
pub const NOWHERE: Span = Span { file: 0, start: 0, end: 0 };
