//! Types that a protocol declares: those of the runtime, enumerations, states, structures, and collections of structures.

use super::super::trackers;
use super::{Field, TypeId, TypeKind, Types, UNSET_ADDRESS, attribute, mask_words, qualified};
use crate::ast::{self, Pair};
use crate::library::stubs::{Kind, class_of};
use crate::outline::MOST_MACHINE_TYPES;
use crate::source::Diagnostic;

/// The invalid machine: one type past the last.
const INVALID_MACHINE: u64 = (MOST_MACHINE_TYPES as u64) << 32;

impl Types {
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
            "MachineID" => INVALID_MACHINE,
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
    /// Fails if the name is taken. Errors in fields and methods are [problems](Types::take_problems): a type that is unknown, two
    /// fields of the same name, a default that is not a value, a structure that is too large.
    pub fn structure(
        &mut self,
        machine: Option<&str>,
        declared: &ast::Structure,
    ) -> Result<TypeId, Diagnostic> {
        let name = &*declared.name.text;
        let external = attribute(&declared.pairs, "external").is_some();
        let interface = attribute(&declared.pairs, "interface").map(|pair| pair.value.text.clone());
        let is_library = |types: &Types, class: &str| {
            types.names.get(class).is_some_and(|&of| types.types[of].kind == TypeKind::Library)
        };
        let class =
            class_of(declared, &|class| is_library(self, class)).filter(|_| declared.span.file > 0);
        let known = match class {
            Some(class) => self.names.get(class),
            // The protocol describes a type that the runtime provides.
            None if external && machine.is_some() => self.names.get(name),
            None => None,
        };
        if let Some(&known) = known {
            self.names.entry(name.into()).or_insert(known);
            self.add_methods(machine, known, declared);
            return Ok(known);
        }
        let full = self.fresh_name(machine, &declared.name)?;
        let kind = match (name, interface.as_deref()) {
            ("DataBlock" | "WriteMask" | "Set" | "NetDest" | "BoolVec", _) if external => {
                TypeKind::Value
            }
            ("AbstractCacheEntry", _) if external => TypeKind::Entry,
            ("MachineID", _) if external => TypeKind::Scalar,
            (_, Some("Message")) => TypeKind::Message,
            (_, Some("AbstractCacheEntry")) => TypeKind::Entry,
            ("TBE", _) if !external => TypeKind::Entry,
            _ if external => TypeKind::Library,
            _ => TypeKind::Structure,
        };
        let described = Kind::of(declared).filter(|_| declared.span.file > 0);
        let kind = match described {
            Some(_) => TypeKind::Value,
            None => kind,
        };
        let kind = if external && machine.is_some() && trackers::initial(name).is_some() {
            TypeKind::Value
        } else {
            kind
        };
        let initial = match name {
            _ if let Some(described) = described => trackers::described(described),
            _ if kind == TypeKind::Value && machine.is_some() => {
                trackers::initial(name).unwrap_or_default()
            }
            "DataBlock" if external => vec![0; self.sizes.block],
            "WriteMask" if external => vec![0; mask_words(self.sizes.block as u64 * 8)],
            "Set" if external => vec![0; 2],
            "BoolVec" if external => vec![0; trackers::flags::WIDTH],
            "NetDest" if external => vec![0; self.sizes.machines.max(1)],
            "MachineID" if external && machine.is_none() => vec![INVALID_MACHINE],
            _ if external => vec![0],
            _ => Vec::new(),
        };
        let id = self.add(&full, kind, initial);
        let main =
            attribute(&declared.pairs, "main").is_none_or(|pair| &*pair.value.text != "false");
        self.types[id].main = main && interface.as_deref() == Some("AbstractCacheEntry");
        self.types[id].interface = interface;
        self.types[id].declared = declared.name.span;
        self.types[id].described = described;
        for field in &declared.fields {
            let problem = self.field(machine, id, field).err();
            self.problems.extend(problem);
        }
        for method in &declared.methods {
            self.method(machine, id, method);
        }
        Ok(id)
    }

    /// Adds the methods of another declaration of a type, but those that it has.
    fn add_methods(&mut self, machine: Option<&str>, of: TypeId, declared: &ast::Structure) {
        for method in &declared.methods {
            let known = self.types[of].methods.get(&method.name.text);
            let is_known = known
                .into_iter()
                .flatten()
                .any(|one| one.parameters.len() == method.parameters.len());
            if !is_known {
                self.method(machine, of, method);
            }
        }
    }

    fn field(
        &mut self,
        machine: Option<&str>,
        id: TypeId,
        field: &ast::Object,
    ) -> Result<(), Diagnostic> {
        let of = self.resolve_anyway(machine, &field.kind);
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
            match self.default(machine, of, default) {
                Ok(value) => fresh[0] = value,
                Err(_) if of == self.known.unknown => {}
                Err(error) => self.problems.push(error),
            }
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

    fn method(&mut self, machine: Option<&str>, id: TypeId, method: &ast::Function) {
        let prototype = self.prototype(machine, method);
        self.types[id].methods.entry(method.name.text.clone()).or_default().push(prototype);
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
}
