//! Types, and their layout in memory.
//!
//! All values consist of words of 64 bits. A scalar, an enumerator, a pointer or the handle of a
//! library object is one word. A data block, a set or a structure is several consecutive words, so
//! that copying a value copies words. Cache entries and TBEs are handled by pointer: a variable of
//! such a type holds an address.

use rustc_hash::FxHashMap;

use super::trackers;
use crate::ast::{self, Pair};
use crate::cplusplus::evaluate;
use crate::near::nearest;
use crate::source::{Diagnostic, Span};

/// Index of a type in [`Types`].
pub type TypeId = usize;

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
    /// `DataBlock`, `WriteMask`, `Set`, `NetDest` or one of [`trackers`]: several words, with
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
        };
        types.add("void", TypeKind::Void, Vec::new());
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

    /// Declares a type of the runtime.
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
            // The invalid machine: one type past the last.
            "MachineID" => 20 << 32,
            _ => 0,
        };
        self.add(&qualified(machine, name), kind, vec![initial]);
    }

    /// Declares an enumeration.
    ///
    /// # Errors
    /// Fails if the name is taken, or the default is not a value of the enumeration.
    pub fn enumeration(
        &mut self,
        machine: Option<&str>,
        declared: &ast::Enumeration,
    ) -> Result<TypeId, Diagnostic> {
        let values = declared.values.iter().map(|(name, _)| name.text.clone()).collect();
        self.enumerators(machine, &declared.name, &declared.pairs, values, None)
    }

    /// Declares the states of a machine.
    ///
    /// # Errors
    /// Fails if the name is taken, a permission is unknown, or the default is not a state.
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
                        format!("`{}` is not an access permission", state.permission.text),
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
    /// Fails if the name is taken, a type of a field or method is unknown, two fields have the same
    /// name, a default is not a value, or the structure is too large.
    pub fn structure(
        &mut self,
        machine: Option<&str>,
        declared: &ast::Structure,
    ) -> Result<TypeId, Diagnostic> {
        let name = &*declared.name.text;
        let external = attribute(&declared.pairs, "external").is_some();
        let interface = attribute(&declared.pairs, "interface").map(|pair| pair.value.text.clone());
        if external && machine.is_some() && self.names.contains_key(name) {
            // The protocol describes a type that the runtime provides.
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
        let kind = if external && machine.is_some() && trackers::initial(name).is_some() {
            TypeKind::Value
        } else {
            kind
        };
        let initial = match name {
            _ if kind == TypeKind::Value && machine.is_some() => {
                trackers::initial(name).unwrap_or_default()
            }
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
        let of = self.with_template(machine, of, &field.pairs)?;
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
        // Methods of messages with a body are for functional accesses, which the runtime does not
        // make.
        if self.types[id].kind != TypeKind::Message || method.body.is_none() {
            let prototype = self.prototype(machine, method)?;
            self.types[id].methods.entry(method.name.text.clone()).or_default().push(prototype);
        }
        Ok(())
    }

    /// The type of a variable or field of the type `of` with these attributes: another one if the
    /// attribute `template` makes it a collection of structures.
    ///
    /// # Errors
    /// Fails if there are too many types, or a structure of the collection is too large.
    pub fn with_template(
        &mut self,
        machine: Option<&str>,
        of: TypeId,
        pairs: &[Pair],
    ) -> Result<TypeId, Diagnostic> {
        let Some(template) = attribute(pairs, "template") else {
            return Ok(of);
        };
        let Some(collection) = trackers::collection(self.types[of].short_name(machine)) else {
            return Ok(of);
        };
        let element = template.value.text.trim_matches(['<', '>', ' ']);
        let found = self.find(None, element).or_else(|| self.find(machine, element));
        let kind = found.map(|found| &self.types[found].kind);
        let (Some(element), Some(TypeKind::Structure)) = (found, kind) else {
            let holds_events = matches!(kind, Some(TypeKind::Enumeration { .. }))
                && self.types[of].kind == TypeKind::Value;
            return if holds_events {
                Ok(of)
            } else {
                let text = format!("`{element}` can't be held in such a collection");
                Err(Diagnostic::error(template.value.span, text)
                    .hint("a TriggerQueue holds events or structures, an MN_TBEStorage structures"))
            };
        };
        let name = format!("{}<{}>", qualified(machine, collection), self.types[element].name);
        if let Some(&known) = self.names.get(&*name) {
            return Ok(known);
        }
        let width = self.types[element].initial.len();
        let flag = self.types[element].fields.get("isNonSync").map(|field| field.offset);
        let initial = trackers::collection_of(collection, width, flag).ok_or_else(|| {
            Diagnostic::error(template.value.span, "the structure is too large for a queue")
        })?;
        let id = self.add(&name, TypeKind::Value, initial);
        self.types[id].methods = self.types[of].methods.clone();
        Ok(id)
    }

    /// Resolves the types of a function.
    ///
    /// # Errors
    /// Fails if one of them is unknown.
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

    /// The value of a `default` attribute, which is a C++ expression in a string.
    ///
    /// # Errors
    /// Fails if the expression is not one that [`evaluate`] understands, nor a value of the type.
    pub fn default(
        &self,
        machine: Option<&str>,
        of: TypeId,
        pair: &Pair,
    ) -> Result<u64, Diagnostic> {
        self.default_with(machine, of, pair, &|_| None)
    }

    /// The same, where `member` returns the values of other variables.
    ///
    /// # Errors
    /// Fails as [`Types::default`] does.
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
            Diagnostic::error(pair.value.span, format!("`{text}` is not a value of the type `{}`", self.types[of].name))
                .hint("a default is a number, `true`, `false`, `Cycles(n)`, `nullptr` or `Enumeration_Value`")
        })
    }

    /// The value of `Enumeration_Value`, with or without the name of the machine in front.
    fn qualified_enumerator(&self, machine: Option<&str>, of: TypeId, text: &str) -> Option<u64> {
        let full = &*self.types[of].name;
        let short = machine
            .and_then(|machine| full.strip_prefix(machine)?.strip_prefix('_'))
            .unwrap_or(full);
        [full, short].into_iter().find_map(|name| {
            let value = text.strip_prefix(name)?;
            let value = value.strip_prefix('_').or_else(|| value.strip_prefix("::"))?;
            // Some enumerations have a default that is not one of their values.
            self.types[of]
                .enumerator(value)
                .or((value == "NULL").then_some(self.types[of].initial[0]))
        })
    }

    /// Whether a pointer to `from` may be used as a pointer to `to`.
    pub fn extends(&self, from: TypeId, to: TypeId) -> bool {
        from == to || self.types[from].interface.as_deref() == Some(&*self.types[to].name)
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
