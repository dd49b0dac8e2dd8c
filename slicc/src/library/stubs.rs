//! Descriptions of what the runtime lacks: the files that the setting `library` names.
//!
//! Such a file holds declarations in SLICC that a fork of gem5 has in C++. A function or a method has a body; a structure may instead
//! have a *kind*, which gives its methods their behaviour: [`Kind`], or the name of a class that the runtime has. The attribute `as`
//! of a method names the function of the kind that it is, if it has another name.
//!
//! ```text
//! int getNumSharer(NetDest sharers) { return sharers.count(); }
//! structure(SnoopFilter, kind="set") { bool isTracked(Addr a), as="contains"; }
//! structure(VictimCache, kind="CacheMemory") { }
//! ```

use super::LibraryFunction;
use crate::ast::attribute;
use crate::ast::{Declaration, Machine, Name, Object, Structure};
use crate::source::{Diagnostic, Span};

/// A kind of object that a structure may be described as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its methods do nothing, and those with a result return 0.
    Statistic,
    /// A set of values of one word, such as addresses.
    Set,
    /// A map from values of one word to others.
    Map,
    /// A number, which is 0 at first.
    Counter,
}

/// The kinds with their names.
const KINDS: [(Kind, &str); 4] = [
    (Kind::Statistic, "statistic"),
    (Kind::Set, "set"),
    (Kind::Map, "map"),
    (Kind::Counter, "counter"),
];

/// Names of methods that are read as those of a kind, beside its own: they are what C++ and gem5 call them.
const SYNONYMS: [(&str, &[&str]); 8] = [
    ("add", &["insert", "allocate", "push", "set"]),
    ("set", &["put", "insert", "add", "update"]),
    ("remove", &["erase", "deallocate", "delete"]),
    ("contains", &["isPresent", "isTagPresent", "isElement", "has", "exists", "find", "count"]),
    ("get", &["lookup", "at", "read"]),
    ("size", &["getSize", "count"]),
    ("clear", &["reset"]),
    ("increment", &["inc"]),
];

impl Kind {
    /// The kind of a name.
    fn named(name: &str) -> Option<Kind> {
        KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// The name of the kind in descriptions.
    fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The kind of a structure, if it has the attribute.
    pub fn of(structure: &Structure) -> Option<Kind> {
        attribute(&structure.pairs, "kind").and_then(Kind::named)
    }

    /// The functions of the kind with their numbers of arguments.
    pub fn functions(self) -> &'static [(&'static str, usize)] {
        match self {
            Kind::Statistic => &[],
            Kind::Set => &[
                ("add", 1),
                ("remove", 1),
                ("contains", 1),
                ("size", 0),
                ("isEmpty", 0),
                ("clear", 0),
            ],
            Kind::Map => &[
                ("set", 2),
                ("get", 1),
                ("remove", 1),
                ("contains", 1),
                ("size", 0),
                ("isEmpty", 0),
                ("clear", 0),
            ],
            Kind::Counter => &[
                ("increment", 0),
                ("decrement", 0),
                ("add", 1),
                ("set", 1),
                ("get", 0),
                ("clear", 0),
            ],
        }
    }

    /// The class of the kind in the table of the library's functions.
    pub fn class(self) -> &'static str {
        match self {
            Kind::Statistic => "DescribedStatistic",
            Kind::Set => "DescribedSet",
            Kind::Map => "DescribedMap",
            Kind::Counter => "DescribedCounter",
        }
    }

    /// The function of the kind that a method is, by its name or that of its attribute `as`.
    pub fn function(self, method: &str, arguments: usize) -> Option<&'static str> {
        let with_count = |name: &str| {
            self.functions().iter().find(|known| **known == (name, arguments)).map(|known| known.0)
        };
        with_count(method).or_else(|| {
            let known = SYNONYMS.iter().filter(|(_, others)| others.contains(&method));
            known.filter_map(|(name, _)| with_count(name)).next()
        })
    }
}

/// Checks the declarations of descriptions, and gives the parameters of machines whose class is described as a built-in one that
/// class. `shared` are the declarations of the fork, and `all` the built-in ones and those of the protocol.
pub(crate) fn check(
    described: &[Declaration],
    shared: &[Declaration],
    all: &mut [Declaration],
) -> Vec<Diagnostic> {
    let built_in: Vec<Box<str>> = all
        .iter()
        .filter(|one| one.span().file == 0)
        .filter_map(|one| match one {
            Declaration::Structure(one) => Some(one.name.text.clone()),
            Declaration::ExternalType(one) => Some(one.name.text.clone()),
            _ => None,
        })
        .collect();
    let is_class = |name: &str| built_in.iter().any(|known| **known == *name);
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for one in described {
        match one {
            Declaration::Structure(structure) => diagnostics.extend(wrong(structure, &is_class)),
            Declaration::Function(function) if function.body.is_none() => {
                let message = format!("`{}` has no body", function.name.text);
                diagnostics.push(Diagnostic::error(function.name.span, message).hint(BODY));
            }
            Declaration::Function(_)
            | Declaration::Enumeration(_)
            | Declaration::ExternalType(_) => {}
            other => {
                let message =
                    "a description has functions, structures, enumerations and external types only";
                let hint = "declare this in the protocol's own files";
                diagnostics.push(Diagnostic::error(other.span(), message).hint(hint));
            }
        }
    }
    let classes: Vec<(&Name, &str)> = described
        .iter()
        .chain(shared)
        .filter_map(|one| match one {
            Declaration::Structure(one) if !is_class(&one.name.text) => {
                Some((&one.name, class_of(one, &is_class)?))
            }
            _ => None,
        })
        .collect();
    let rename = |object: &mut Object| {
        if let Some((_, class)) = classes.iter().find(|(name, _)| name.text == object.kind.text) {
            object.kind.text = (*class).into();
        }
    };
    let stands_alone = |name: &str| {
        let is_built_in =
            is_class(name) || LibraryFunction::names().any(|row| is_method_of(row, name));
        let mut classes = described.iter().chain(shared).filter_map(|one| match one {
            Declaration::Structure(one) => Some(one),
            _ => None,
        });
        !is_built_in && classes.any(|one| *one.name.text == *name)
    };
    for one in all {
        if let Declaration::Machine(machine) = one {
            machine.parameters.iter_mut().for_each(rename);
            keep_in_machine(machine, &stands_alone);
        }
    }
    diagnostics
}

/// Adds the methods of structures that protocols declare in their machines, such as `TBETable` or an entry, to these declarations, and
/// removes them from the others of a description.
pub(crate) fn add_to_machines(described: &mut Vec<Declaration>, all: &mut [Declaration]) {
    let is_private = |name: &str, all: &[Declaration]| {
        let is_built_in = all
            .iter()
            .any(|one| matches!(one, Declaration::Structure(one) if *one.name.text == *name));
        let is_declared_in = |machine: &Machine| {
            machine
                .body
                .iter()
                .any(|one| matches!(one, Declaration::Structure(one) if *one.name.text == *name))
        };
        let is_own = all
            .iter()
            .any(|one| matches!(one, Declaration::Machine(machine) if is_declared_in(machine)));
        !is_built_in && (is_own || LibraryFunction::names().any(|row| is_method_of(row, name)))
    };
    described.retain(|one| {
        let Declaration::Structure(structure) = one else { return true };
        let has_kind =
            attribute(&structure.pairs, "kind").is_some() || !structure.fields.is_empty();
        if has_kind || !is_private(&structure.name.text, all) {
            return true;
        }
        let machines = all.iter_mut().filter_map(|one| match one {
            Declaration::Machine(machine) => Some(machine),
            _ => None,
        });
        for own in machines.flat_map(|machine| &mut machine.body) {
            match own {
                Declaration::Structure(own) if own.name.text == structure.name.text => {
                    add_methods(own, structure)
                }
                _ => {}
            }
        }
        false
    });
}

/// Gives a structure the methods of its description, in place of its own of the same names and numbers of arguments.
fn add_methods(own: &mut Structure, described: &Structure) {
    own.methods.retain(|one| {
        described.methods.iter().all(|other| {
            (&one.name.text, one.parameters.len()) != (&other.name.text, other.parameters.len())
        })
    });
    own.methods.extend(described.methods.iter().cloned());
}

/// Makes variables of the parameters whose class no script of gem5 can give a value here: a description says what their methods do,
/// or the runtime ignores them.
fn keep_in_machine(machine: &mut Machine, stands_alone: &dyn Fn(&str) -> bool) {
    let parameters = std::mem::take(&mut machine.parameters);
    let (own, rest): (Vec<_>, Vec<_>) =
        parameters.into_iter().partition(|one| one.pointer && stands_alone(&one.kind.text));
    machine.parameters = rest;
    let objects = own.into_iter().map(|one| Declaration::Object(Object { pointer: false, ..one }));
    machine.body.splice(0..0, objects);
}

/// Whether a name in the library's table is one of a method of a class.
fn is_method_of(row: &str, class: &str) -> bool {
    row.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'))
}

const BODY: &str = "write what it does: `int f(Addr a) { return 0; }`";

/// The built-in class that a structure is described as, or that a fork's class extends.
pub(crate) fn class_of<'a>(
    structure: &'a Structure,
    is_class: &dyn Fn(&str) -> bool,
) -> Option<&'a str> {
    let extended = || {
        let is_external = attribute(&structure.pairs, "external").is_some();
        attribute(&structure.pairs, "interface").filter(|_| is_external)
    };
    let class = attribute(&structure.pairs, "kind").or_else(extended)?;
    let is_entry = class == "AbstractCacheEntry";
    (!is_entry && Kind::named(class).is_none() && is_class(class)).then_some(class)
}

/// The errors in the description of a structure.
fn wrong(structure: &Structure, is_class: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
    let Some(pair) = structure.pairs.iter().find(|pair| &*pair.key.text == "kind") else {
        return Vec::new();
    };
    let text = &*pair.value.text;
    let Some(kind) = Kind::named(text) else {
        if is_class(text) {
            return Vec::new();
        }
        let message = format!("there is no kind `{text}`");
        let names = KINDS.map(|(_, name)| name).join(", ");
        let hint = format!("the kinds are {names}, and classes of gem5 such as CacheMemory");
        return vec![Diagnostic::error(pair.value.span, message).hint(hint)];
    };
    let methods = structure.methods.iter().filter(|method| method.body.is_none());
    let unknown = methods.filter_map(|method| {
        let named = method.pairs.iter().find(|pair| &*pair.key.text == "as");
        let name = named.map_or(&method.name, |pair| &pair.value);
        let is_known =
            kind == Kind::Statistic || kind.function(&name.text, method.parameters.len()).is_some();
        (!is_known).then(|| unknown_function(kind, name.span, &name.text, method.parameters.len()))
    });
    unknown.collect()
}

/// The error that a kind has no function of this name with this number of arguments.
pub(crate) fn unknown_function(kind: Kind, span: Span, name: &str, arguments: usize) -> Diagnostic {
    let known: Vec<String> = kind
        .functions()
        .iter()
        .map(|(name, count)| format!("{name}({})", vec!["_"; *count].join(", ")))
        .collect();
    let text = kind.name();
    let message = format!("a {text} has no function `{name}` with {arguments} arguments");
    Diagnostic::error(span, message)
        .hint(format!("say which it is by as=\"…\": {}; or give it a body", known.join(", ")))
}
