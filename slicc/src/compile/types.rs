//! Types: how each lies in memory.
//!
//! Everything is made of words of 64 bits. A scalar, an enumerator, a pointer or the handle of a library object is one
//! word; a data block, a set and a structure are several, laid out one after the other, so that copying a value is
//! copying words. Entries of caches and TBEs are handled by pointer: a variable of such a type holds an address.

use rustc_hash::FxHashMap;

use crate::ast::{self, Pair};
use crate::cplusplus::evaluate;
use crate::outline::nearest;
use crate::source::{Diagnostic, Span};

/// Index of a type in [`Types`].
pub type TypeId = usize;

/// Tokens of a line, in protocols that count them.
pub const MOST_TOKENS: u64 = 1024;

/// What an address holds that nobody set. Library functions refuse it.
pub const UNSET_ADDRESS: u64 = u64::MAX;

/// How many words a `WriteMask` takes for a block of so many bytes: a bit for each byte, and behind them a word for its list of
/// atomic operations.
#[inline]
pub const fn mask_words(block_bytes: u64) -> usize {
    block_bytes.div_ceil(64) as usize + 1
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// The result of a procedure.
    Void,
    /// A number, truth value, string or opaque value, in one word.
    Scalar,
    /// An enumeration: the names of its values, in one word.
    Enumeration {
        /// The values.
        values: Vec<Box<str>>,
        /// Of states: their access permissions.
        permissions: Option<Vec<u64>>,
    },
    /// `DataBlock`, `WriteMask`, `Set` or `NetDest`: several words, with methods of the library.
    Value,
    /// A structure of a protocol, copied by value.
    Structure,
    /// A structure that travels in buffers.
    Message,
    /// A structure that is handled by pointer: a cache entry or a TBE.
    Entry,
    /// A library object: a word says which.
    Library,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// The type of the field.
    pub of: TypeId,
    /// Where it begins, in words from the beginning of the structure.
    pub offset: u16,
}

/// A function as its declaration has it.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// What it returns.
    pub result: TypeId,
    /// The types of its parameters.
    pub parameters: Vec<TypeId>,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its full name, with the machine in front if it is private to one.
    pub name: Box<str>,
    /// The kind of type.
    pub kind: TypeKind,
    /// The fields, by name.
    pub fields: FxHashMap<Box<str>, Field>,
    /// The names of the fields, in order.
    pub order: Vec<Box<str>>,
    /// The methods, by name.
    pub methods: FxHashMap<Box<str>, Vec<Prototype>>,
    /// The type of which this is a special case, if any.
    pub interface: Option<Box<str>>,
    /// The words of a fresh object.
    pub initial: Vec<u64>,
    /// Whether this is the type of a machine's cache entries, rather than of another table.
    pub main: bool,
}

impl Type {
    /// Words that a variable of this type takes.
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

    /// Whether values are larger than a register, and handled by address.
    pub fn is_wide(&self) -> bool {
        matches!(self.kind, TypeKind::Value | TypeKind::Structure | TypeKind::Message)
    }

    /// The number of an enumerator.
    pub fn enumerator(&self, name: &str) -> Option<u64> {
        match &self.kind {
            TypeKind::Enumeration { values, .. } => {
                values.iter().position(|value| **value == *name).map(|at| at as u64)
            }
            _ => None,
        }
    }
}

/// Numbers of the types that the compiler itself has to do with.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the names are those of the types")]
pub struct Known {
    pub void: TypeId,
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

/// The sizes that the configuration of a system decides.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Words of a data block.
    pub block: usize,
    /// Machine types that the protocol has: words of a `NetDest`.
    pub machines: usize,
}

/// All types of a protocol.
#[derive(Clone, Debug)]
pub struct Types {
    types: Vec<Type>,
    names: FxHashMap<Box<str>, TypeId>,
    sizes: Sizes,
    /// The types with a meaning of their own.
    pub known: Known,
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
}

impl Types {
    /// No types but `void`.
    pub fn new(sizes: Sizes) -> Types {
        let mut types = Types {
            types: Vec::new(),
            names: FxHashMap::default(),
            sizes,
            known: Known::default(),
        };
        types.add("void", TypeKind::Void, Vec::new());
        types
    }

    /// Looks a type up, as seen from a machine, whose own types come first.
    pub fn find(&self, machine: Option<&str>, name: &str) -> Option<TypeId> {
        let own = machine.and_then(|machine| self.names.get(&*format!("{machine}_{name}")));
        own.or_else(|| self.names.get(name)).copied()
    }

    /// All types.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter().enumerate()
    }

    /// Notes where the types are that the compiler knows by name; to be called when the prelude has been read.
    pub fn settle(&mut self) {
        let find = |name: &str| self.names.get(name).copied().unwrap_or_default();
        self.known = Known {
            void: 0,
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
        });
        id
    }

    /// Declares a type of the outside world.
    pub fn external(&mut self, machine: Option<&str>, declared: &ast::ExternalType) {
        let name = &*declared.name.text;
        if self.names.contains_key(name) {
            return;
        }
        let primitive = attribute(&declared.pairs, "primitive").is_some();
        let kind =
            if primitive || name == "MachineID" { TypeKind::Scalar } else { TypeKind::Library };
        let initial = match name {
            "Addr" => UNSET_ADDRESS,
            // The type one past the last.
            "MachineID" => 20 << 32,
            _ => 0,
        };
        self.add(&qualified(machine, name), kind, vec![initial]);
    }

    /// Declares an enumeration.
    pub fn enumeration(
        &mut self,
        machine: Option<&str>,
        declared: &ast::Enumeration,
    ) -> Result<TypeId, Diagnostic> {
        let values = declared.values.iter().map(|(name, _)| name.text.clone()).collect();
        self.enumerators(machine, &declared.name, &declared.pairs, values, None)
    }

    /// Declares the states of a machine.
    pub fn states(
        &mut self,
        machine: Option<&str>,
        declared: &ast::States,
    ) -> Result<TypeId, Diagnostic> {
        let permission = self.known.permission;
        let permissions = declared
            .values
            .iter()
            .map(|state| {
                self.types[permission].enumerator(&state.permission.text).ok_or_else(|| {
                    Diagnostic::error(
                        state.permission.span,
                        format!("`{}` is no access permission", state.permission.text),
                    )
                })
            })
            .collect::<Result<_, _>>()?;
        let values = declared.values.iter().map(|state| state.name.text.clone()).collect();
        self.enumerators(machine, &declared.name, &declared.pairs, values, Some(permissions))
    }

    fn enumerators(
        &mut self,
        machine: Option<&str>,
        name: &ast::Name,
        pairs: &[Pair],
        values: Vec<Box<str>>,
        permissions: Option<Vec<u64>>,
    ) -> Result<TypeId, Diagnostic> {
        let full = self.fresh_name(machine, name)?;
        let invalid = values.len() as u64;
        let id = self.add(&full, TypeKind::Enumeration { values, permissions }, vec![invalid]);
        if let Some(default) = attribute(pairs, "default") {
            let value = self.default(machine, id, default)?;
            self.types[id].initial = vec![value];
        }
        Ok(id)
    }

    fn fresh_name(&self, machine: Option<&str>, name: &ast::Name) -> Result<String, Diagnostic> {
        let full = qualified(machine, &name.text);
        if self.types.len() >= usize::from(u16::MAX) {
            return Err(Diagnostic::error(name.span, "the protocol has too many types"));
        }
        match self.names.get(&*full) {
            Some(_) => Err(Diagnostic::error(
                name.span,
                format!("the type `{}` is declared twice", name.text),
            )
            .hint("rename one of the two, or remove it")),
            None => Ok(full),
        }
    }

    /// Declares a structure: fields first, then methods.
    ///
    /// # Errors
    /// A type of a field or a method that is not known, a default that is no value.
    pub fn structure(
        &mut self,
        machine: Option<&str>,
        declared: &ast::Structure,
    ) -> Result<TypeId, Diagnostic> {
        let name = &*declared.name.text;
        let external = attribute(&declared.pairs, "external").is_some();
        let interface = attribute(&declared.pairs, "interface").map(|pair| pair.value.text.clone());
        if external && machine.is_some() && self.names.contains_key(name) {
            // A description of what the runtime has anyway.
            return Ok(self.names[name]);
        }
        let full = self.fresh_name(machine, &declared.name)?;
        let kind = match (name, interface.as_deref()) {
            ("DataBlock" | "WriteMask" | "Set" | "NetDest", _) if external => TypeKind::Value,
            ("AbstractCacheEntry", _) if external => TypeKind::Entry,
            ("MachineID", _) if external => TypeKind::Scalar,
            (_, Some("Message")) => TypeKind::Message,
            (_, Some("AbstractCacheEntry")) => TypeKind::Entry,
            ("TBE", _) if !external => TypeKind::Entry,
            _ if external => TypeKind::Library,
            _ => TypeKind::Structure,
        };
        let initial = match name {
            "DataBlock" if external => vec![0; self.sizes.block],
            "WriteMask" if external => vec![0; mask_words(self.sizes.block as u64 * 8)],
            "Set" if external => vec![0; 2],
            "NetDest" if external => vec![0; self.sizes.machines.max(1)],
            _ if external => vec![0],
            _ => Vec::new(),
        };
        let id = self.add(&full, kind, initial);
        let main =
            attribute(&declared.pairs, "main").is_none_or(|pair| &*pair.value.text != "false");
        self.types[id].main = main && interface.as_deref() == Some("AbstractCacheEntry");
        self.types[id].interface = interface;
        for field in &declared.fields {
            self.field(machine, id, field)?;
        }
        for method in &declared.methods {
            self.method(machine, id, method)?;
        }
        Ok(id)
    }

    fn field(
        &mut self,
        machine: Option<&str>,
        id: TypeId,
        field: &ast::Object,
    ) -> Result<(), Diagnostic> {
        let of = self.resolve(machine, &field.kind)?;
        if self.types[id].fields.contains_key(&field.name.text) {
            return Err(Diagnostic::error(
                field.name.span,
                format!("the field `{}` is declared twice", field.name.text),
            ));
        }
        let mut fresh = self.types[of].fresh().to_vec();
        if let Some(default) = attribute(&field.pairs, "default") {
            if fresh.len() != 1 {
                return Err(Diagnostic::error(
                    default.value.span,
                    "a value of this type has no default to set",
                ));
            }
            fresh[0] = self.default(machine, of, default)?;
        }
        let owner = &mut self.types[id];
        let offset = owner.initial.len() as u16;
        owner.fields.insert(field.name.text.clone(), Field { of, offset });
        owner.order.push(field.name.text.clone());
        if owner.kind == TypeKind::Library {
            return Ok(());
        }
        owner.initial.extend(fresh);
        if owner.initial.len() > usize::from(u16::MAX) / 2 {
            return Err(Diagnostic::error(field.name.span, "the structure is too large"));
        }
        Ok(())
    }

    fn method(
        &mut self,
        machine: Option<&str>,
        id: TypeId,
        method: &ast::Function,
    ) -> Result<(), Diagnostic> {
        // Messages say how functional accesses read them; nothing here asks them.
        if self.types[id].kind != TypeKind::Message {
            let prototype = self.prototype(machine, method)?;
            self.types[id].methods.entry(method.name.text.clone()).or_default().push(prototype);
        }
        Ok(())
    }

    /// The types of a function.
    ///
    /// # Errors
    /// One of them is not known.
    pub fn prototype(
        &self,
        machine: Option<&str>,
        function: &ast::Function,
    ) -> Result<Prototype, Diagnostic> {
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| self.resolve(machine, &parameter.kind))
            .collect::<Result<_, _>>()?;
        Ok(Prototype { result: self.resolve(machine, &function.result)?, parameters })
    }

    /// Looks a type up that must be there.
    ///
    /// # Errors
    /// It is not; the hint is a type with a name that is much like it.
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

    /// The value of a `default` attribute: an expression of C++ in a string.
    ///
    /// # Errors
    /// It is none of the forms that protocols use.
    pub fn default(
        &self,
        machine: Option<&str>,
        of: TypeId,
        pair: &Pair,
    ) -> Result<u64, Diagnostic> {
        self.default_with(machine, of, pair, &|_| None)
    }

    /// The same, where `member` gives the values of other variables.
    ///
    /// # Errors
    /// As [`Types::default`].
    pub fn default_with(
        &self,
        machine: Option<&str>,
        of: TypeId,
        pair: &Pair,
        member: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<u64, Diagnostic> {
        let text = pair.value.text.trim();
        let name = |name: &str| match name {
            "true" | "True" => Some(1),
            "false" | "False" | "nullptr" | "NULL" => Some(0),
            "getBlockSizeBits" => Some(i64::from(self.sizes.block.trailing_zeros()) + 3),
            "getBlockSizeBytes" => Some(self.sizes.block as i64 * 8),
            "max_tokens" => Some(MOST_TOKENS as i64),
            name => member(name),
        };
        if let Some(value) = evaluate(text, &name) {
            return Ok(value as u64);
        }
        self.qualified_enumerator(machine, of, text).ok_or_else(|| {
            Diagnostic::error(pair.value.span, format!("`{text}` is no value of the type `{}`", self.types[of].name))
                .hint("a default is a number, `true`, `false`, `Cycles(n)`, `nullptr` or `Enumeration_Value`")
        })
    }

    /// `Enumeration_Value`, with the name of the machine in front or not.
    fn qualified_enumerator(&self, machine: Option<&str>, of: TypeId, text: &str) -> Option<u64> {
        let full = &*self.types[of].name;
        let short = machine
            .and_then(|machine| full.strip_prefix(machine)?.strip_prefix('_'))
            .unwrap_or(full);
        [full, short].into_iter().find_map(|name| {
            let value = text.strip_prefix(name)?;
            let value = value.strip_prefix('_').or_else(|| value.strip_prefix("::"))?;
            // Some enumerations have a default that is none of their values.
            self.types[of]
                .enumerator(value)
                .or((value == "NULL").then_some(self.types[of].initial[0]))
        })
    }

    /// Whether a pointer to `from` may stand where one to `to` is asked for.
    pub fn extends(&self, from: TypeId, to: TypeId) -> bool {
        from == to || self.types[from].interface.as_deref() == Some(&*self.types[to].name)
    }
}

/// The value of an attribute.
pub fn attribute<'a>(pairs: &'a [Pair], key: &str) -> Option<&'a Pair> {
    pairs.iter().find(|pair| &*pair.key.text == key)
}

fn qualified(machine: Option<&str>, name: &str) -> String {
    match machine {
        Some(machine) => format!("{machine}_{name}"),
        None => name.to_owned(),
    }
}

/// A place that stands for no place, for what the compiler makes up.
pub const NOWHERE: Span = Span { file: 0, start: 0, end: 0 };
