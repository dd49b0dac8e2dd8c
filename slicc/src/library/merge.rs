//! Adds declarations that stand beside a protocol to those that are built in: the `RubySlicc_*.sm` files of a fork of gem5, and
//! files with descriptions of what the runtime lacks ([`stubs`](super::stubs)).
//!
//! What is built in stays as it is: values, fields and methods are added to built-in types of the same name, after their own, and
//! other declarations stand after them. Only what the protocol names is added, so what it does not use cannot be wrong.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Declaration, Enumeration, Function, Name, Pair, PairKind, Structure};
use crate::dialect::{field_is_older, type_today};
use crate::source::{Diagnostic, Sources};

/// Words of the source, among them all names.
pub(crate) type Words<'a> = FxHashSet<&'a str>;

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_ascii_alphanumeric() && one != '_')
        .filter(|word| !word.is_empty())
}

/// Adds declarations to those of a protocol, which are first the built-in ones, then its own. `named` are the words of the
/// protocol's files. Of two additions with the same name the first counts, and gets what only the second has.
pub(crate) fn add<'a>(
    declarations: &mut Vec<Declaration>,
    beside: &mut [Declaration],
    sources: &'a Sources,
    named: Words<'a>,
) -> Vec<Diagnostic> {
    let own = declarations.iter().position(|one| one.span().file > 0);
    let own = declarations.split_off(own.unwrap_or(declarations.len()));
    let taken: FxHashSet<&str> = own.iter().filter_map(type_name).collect();
    let mut known = Known::new(std::mem::take(declarations), sources, named);
    beside.iter_mut().for_each(|one| known.modernise(one));
    let is_today = |name: &str| known.types.contains_key(name) || type_today(name).is_none();
    let may_be_added = |one: &&Declaration| {
        type_name(one).is_none_or(|name| !taken.contains(name) && is_today(name))
    };
    let offered: Vec<&Declaration> = beside.iter().filter(may_be_added).collect();
    // What is added may name other declarations.
    while std::mem::take(&mut known.has_grown) {
        offered.iter().for_each(|one| known.offer(one));
    }
    let unset = std::mem::take(&mut known.unset);
    *declarations = known.sorted();
    declarations.extend(own);
    unset
}

/// The warning that memory does not know a type of requests.
fn unknown_to_memory(value: &Name) -> Diagnostic {
    let text = format!("memory does not know requests of type {}: one ends the run", value.text);
    Diagnostic::warning(value.span, text).hint(
        "this type is of a fork of gem5; memory here reads (MEMORY_READ) and writes (MEMORY_WB)",
    )
}

/// The messages that the runtime itself makes.
const MADE_HERE: [&str; 3] = ["RubyRequest", "SequencerMsg", "MemoryMsg"];

/// The warning that the runtime does not set a field that a fork adds to one of its messages.
fn unset(message: &Name, field: &Name) -> Diagnostic {
    let text =
        format!("nothing here sets {}.{}, so it always has its default", message.text, field.text);
    Diagnostic::warning(field.span, text)
        .hint("this field is of a fork of gem5, whose cores, devices or memory set it")
}

/// The name of a type that a declaration outside of machines declares.
fn type_name(declaration: &Declaration) -> Option<&str> {
    match declaration {
        Declaration::Structure(one) => Some(&one.name.text),
        Declaration::Enumeration(one) => Some(&one.name.text),
        Declaration::ExternalType(one) => Some(&one.name.text),
        _ => None,
    }
}

/// The built-in declarations with those that were added.
struct Known<'a> {
    all: Vec<Declaration>,
    types: FxHashMap<Box<str>, usize>,
    functions: FxHashMap<Box<str>, Vec<usize>>,
    sources: &'a Sources,
    named: Words<'a>,
    /// Warnings about fields that nothing sets.
    unset: Vec<Diagnostic>,
    /// Whether something was added since this was last asked.
    has_grown: bool,
    /// Whether a built-in type may name a type that stands after it.
    is_out_of_order: bool,
}

impl<'a> Known<'a> {
    fn new(all: Vec<Declaration>, sources: &'a Sources, named: Words<'a>) -> Known<'a> {
        let mut known = Known {
            all: Vec::with_capacity(all.len()),
            types: FxHashMap::default(),
            functions: FxHashMap::default(),
            sources,
            named,
            unset: Vec::new(),
            has_grown: true,
            is_out_of_order: false,
        };
        all.into_iter().for_each(|one| known.push(one));
        known
    }

    fn push(&mut self, one: Declaration) {
        let at = self.all.len();
        if let Some(name) = type_name(&one) {
            self.types.insert(name.into(), at);
        } else if let Declaration::Function(function) = &one {
            self.functions.entry(function.name.text.clone()).or_default().push(at);
        }
        self.all.push(one);
    }

    /// Gives the types in a declaration the names that they have today.
    fn modernise(&self, one: &mut Declaration) {
        let rename = |name: &mut Name| {
            if !self.types.contains_key(&name.text)
                && let Some(now) = type_today(&name.text)
            {
                name.text = now.into();
            }
        };
        let of_function = |function: &mut Function| {
            rename(&mut function.result);
            function.parameters.iter_mut().for_each(|one| rename(&mut one.kind));
        };
        match one {
            Declaration::Function(function) => of_function(function),
            Declaration::Structure(structure) => {
                structure.fields.iter_mut().for_each(|field| rename(&mut field.kind));
                structure.methods.iter_mut().for_each(of_function);
            }
            _ => {}
        }
    }

    /// Adds what is named of a declaration and is not there yet.
    fn offer(&mut self, one: &Declaration) {
        let at = type_name(one).and_then(|name| self.types.get(name)).copied();
        match (one, at) {
            (Declaration::Enumeration(more), Some(at)) => self.extend_values(at, more),
            (Declaration::Structure(more), Some(at)) => self.extend_members(at, more),
            (Declaration::Function(function), _)
                if self.named.contains(&*function.name.text) && !self.has_function(function) =>
            {
                self.take(one);
            }
            (
                Declaration::Enumeration(_)
                | Declaration::Structure(_)
                | Declaration::ExternalType(_),
                None,
            ) if type_name(one).is_some_and(|name| self.named.contains(name)) => self.take(one),
            _ => {}
        }
    }

    fn take(&mut self, one: &Declaration) {
        let mut one = one.clone();
        if let Declaration::Function(function) = &mut one {
            let same = self.functions.get(&function.name.text).into_iter().flatten();
            let same = same.filter_map(|&at| match &self.all[at] {
                Declaration::Function(known) => Some(known),
                _ => None,
            });
            mark_overload(function, same);
        }
        self.named.extend(words(self.sources.text(one.span())));
        self.push(one);
        self.has_grown = true;
    }

    /// Whether a function is there that stands for another one: one with a body counts for itself.
    fn has_function(&self, function: &Function) -> bool {
        let same = self.functions.get(&function.name.text);
        same.into_iter().flatten().any(|&at| match &self.all[at] {
            Declaration::Function(known) => {
                known.span == function.span
                    || function.body.is_none() && has_same_types(known, function)
            }
            _ => false,
        })
    }

    fn extend_values(&mut self, at: usize, more: &Enumeration) {
        let Declaration::Enumeration(known) = &mut self.all[at] else { return };
        let is_of_memory = &*more.name.text == "MemoryRequestType";
        for value in &more.values {
            let name = &value.0.text;
            let is_new = known.values.iter().all(|(other, _)| other.text != *name);
            if is_new && self.named.contains(&**name) {
                known.values.push(value.clone());
                self.has_grown = true;
                if is_of_memory {
                    self.unset.push(unknown_to_memory(&value.0));
                }
            }
        }
    }

    fn extend_members(&mut self, at: usize, more: &Structure) {
        let (fields, methods) = match &self.all[at] {
            Declaration::Structure(known) => (&*known.fields, &*known.methods),
            Declaration::ExternalType(_) => Default::default(),
            _ => return,
        };
        let is_new_field = |name: &Name| {
            fields.iter().all(|other| other.name.text != name.text)
                && !field_is_older(&more.name.text, &name.text)
        };
        let mut new_fields = more.fields.clone();
        new_fields.retain(|one| self.named.contains(&*one.name.text) && is_new_field(&one.name));
        let mut new_methods = more.methods.clone();
        new_methods.retain(|one| {
            let mut same = methods.iter().filter(|other| other.name.text == one.name.text);
            self.named.contains(&*one.name.text) && !same.any(|other| has_same_types(one, other))
        });
        for one in &mut new_methods {
            mark_overload(one, methods.iter());
        }
        if new_fields.is_empty() && new_methods.is_empty() {
            return;
        }
        if MADE_HERE.contains(&&*more.name.text) {
            self.unset.extend(new_fields.iter().map(|field| unset(&more.name, &field.name)));
        }
        let spans = new_fields.iter().map(|one| one.span);
        for span in spans.chain(new_methods.iter().map(|one| one.span)) {
            self.named.extend(words(self.sources.text(span)));
        }
        (self.has_grown, self.is_out_of_order) = (true, true);
        match &mut self.all[at] {
            Declaration::Structure(known) => {
                known.fields.extend(new_fields);
                known.methods.extend(new_methods);
            }
            other => {
                let (fields, methods) = (new_fields, new_methods);
                *other = Declaration::Structure(Structure { fields, methods, ..more.clone() });
            }
        }
    }

    /// The declarations, each type after those that it names.
    fn sorted(self) -> Vec<Declaration> {
        if !self.is_out_of_order {
            return self.all;
        }
        let mut sorter = Sorter {
            types: self.types,
            left: self.all.into_iter().map(Some).collect(),
            sorted: Vec::new(),
        };
        for at in 0..sorter.left.len() {
            sorter.visit(at);
        }
        sorter.sorted
    }
}

/// The value of the attribute `as` that marks a function as another one than the built-in function of its name: both have as many
/// parameters, and those are of other types.
pub(crate) const OVERLOAD: &str = "?";

/// Marks a function without a body if one of `known` has its name and its number of parameters.
fn mark_overload<'f>(function: &mut Function, mut known: impl Iterator<Item = &'f Function>) {
    let is_overload = known.any(|other| {
        other.name.text == function.name.text && other.parameters.len() == function.parameters.len()
    });
    let is_described =
        function.body.is_some() || function.pairs.iter().any(|pair| &*pair.key.text == "as");
    if is_overload && !is_described {
        let name = |text: &str| Name { text: text.into(), span: function.name.span };
        function.pairs.push(Pair { key: name("as"), value: name(OVERLOAD), kind: PairKind::Text });
    }
}

/// Whether two functions have parameters of the same types.
pub(super) fn has_same_types(one: &Function, other: &Function) -> bool {
    let types = |function: &Function| -> Vec<Box<str>> {
        function.parameters.iter().map(|parameter| parameter.kind.text.clone()).collect()
    };
    types(one) == types(other)
}

/// Sorts declarations so that types stand before their use.
struct Sorter {
    types: FxHashMap<Box<str>, usize>,
    /// The declarations that have not got their place yet.
    left: Vec<Option<Declaration>>,
    sorted: Vec<Declaration>,
}

impl Sorter {
    fn visit(&mut self, at: usize) {
        // A type that is being visited is no longer left, so a cycle ends.
        let Some(one) = self.left[at].take() else { return };
        for name in names_in(&one) {
            if let Some(&needed) = self.types.get(&name) {
                self.visit(needed);
            }
        }
        self.sorted.push(one);
    }
}

/// The types that a declaration names.
fn names_in(declaration: &Declaration) -> Vec<Box<str>> {
    let of_function = |function: &Function| {
        let parameters = function.parameters.iter().map(|one| one.kind.text.clone());
        parameters.chain([function.result.text.clone()]).collect::<Vec<_>>()
    };
    match declaration {
        Declaration::Function(function) => of_function(function),
        Declaration::Structure(one) => {
            let fields = one.fields.iter().map(|field| field.kind.text.clone());
            fields.chain(one.methods.iter().flat_map(of_function)).collect()
        }
        _ => Vec::new(),
    }
}
