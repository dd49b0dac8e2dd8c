//! What a protocol uses and the runtime lacks: each thing is reported once, however often it is used.

use rustc_hash::{FxHashMap, FxHashSet};
use settings::Setting;

use super::Compiler;
use super::body::{Abandoned, Outcome, Symbol, Value};
use super::calls::Signature;
use super::expressions::constant;
use super::types::{NOWHERE, TypeId, TypeKind};
use crate::ast::{Expression, ExpressionKind, Name};
use crate::source::{Diagnostic, Span};

/// The page that says how to describe what the runtime lacks.
const PAGE: &str = "docs/slicc.md, \"Descriptions of what the runtime lacks\"";

/// Largest number of functions that a message lists.
const MOST_LISTED: usize = 6;

/// Errors about something that is missing. The first place is reported, and the others are counted.
#[derive(Default)]
pub(super) struct Repeated {
    places: FxHashMap<String, Vec<Span>>,
}

impl Repeated {
    /// Notes a place of an error, and returns whether it is the first.
    pub(super) fn is_first(&mut self, diagnostic: &Diagnostic) -> bool {
        let Some(span) = diagnostic.span else { return true };
        let places = self.places.entry(diagnostic.message.clone()).or_default();
        let is_first = places.is_empty();
        if !places.contains(&span) {
            places.push(span);
        }
        is_first
    }

    /// Adds to each error how many other places there are.
    pub(super) fn describe(&self, diagnostics: &mut [Diagnostic]) {
        for one in diagnostics {
            let places = self.places.get(&one.message).map_or(&[][..], Vec::as_slice);
            if let [first, second, ..] = places
                && one.span == Some(*first)
            {
                one.notes.push((*second, more(places.len() - 1)));
            }
        }
    }
}

fn more(count: usize) -> String {
    match count {
        1 => "and here".to_owned(),
        _ => format!("and here, as in {count} more places"),
    }
}

/// The functions that a protocol calls and the runtime lacks.
#[derive(Default)]
pub(super) struct Lacking {
    functions: Vec<Missing>,
}

/// A function without behaviour.
struct Missing {
    /// The class of a method.
    class: Option<Box<str>>,
    name: Box<str>,
    /// The declaration in SLICC, without its semicolon.
    prototype: String,
    /// The declaration of the class or the function.
    declared: Span,
    /// Where the protocol calls it.
    places: Vec<Span>,
    /// Whether it only counts, so that calls are ignored.
    is_statistic: bool,
}

impl Lacking {
    fn note(&mut self, missing: Missing) {
        let known = self.functions.iter_mut().find(|one| {
            (&one.class, &one.name, &one.prototype)
                == (&missing.class, &missing.name, &missing.prototype)
        });
        match known {
            Some(known) if known.places.contains(&missing.places[0]) => {}
            Some(known) => known.places.extend(missing.places),
            None => self.functions.push(missing),
        }
    }

    /// A class of a fork that answers questions may need what it was told, so nothing of it is ignored.
    fn settle(&mut self) {
        let asked: FxHashSet<Box<str>> = self
            .functions
            .iter()
            .filter(|one| !one.is_statistic && one.declared.file > 0)
            .filter_map(|one| one.class.clone())
            .collect();
        for one in &mut self.functions {
            let is_asked = one.class.as_ref().is_some_and(|class| asked.contains(class));
            one.is_statistic &= !is_asked;
        }
    }

    /// An error for each class and each function without behaviour, and a warning for each of which calls are ignored.
    pub(super) fn diagnostics(&mut self) -> Vec<Diagnostic> {
        self.settle();
        let mut seen = FxHashSet::default();
        let mut diagnostics = Vec::new();
        for one in &self.functions {
            // Functions that are no methods stand for themselves, unless they only count.
            let key = match &one.class {
                None if !one.is_statistic => (Some(&one.name), false),
                class => (class.as_ref(), one.is_statistic),
            };
            if !seen.insert(key) {
                continue;
            }
            let same: Vec<&Missing> = self
                .functions
                .iter()
                .filter(|other| {
                    (&other.class, other.is_statistic) == (&one.class, one.is_statistic)
                        && (one.class.is_some() || one.is_statistic || one.name == other.name)
                })
                .collect();
            diagnostics.push(if one.is_statistic { ignored(&same) } else { unsupported(&same) });
        }
        diagnostics
    }
}

/// The name of a function as messages have it.
fn full_name(one: &Missing) -> String {
    one.class.iter().map(|class| format!("{class}.")).chain([one.name.to_string()]).collect()
}

fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let count = names.len();
    let mut shown: Vec<String> = names.take(MOST_LISTED).collect();
    if count > MOST_LISTED {
        shown.push(format!("and {} more", count - MOST_LISTED));
    }
    shown.join(", ")
}

/// The warning that calls of these functions, of one class, are ignored.
fn ignored(same: &[&Missing]) -> Diagnostic {
    let names = listed(same.iter().map(|one| full_name(one)));
    let message = format!("what only counts is ignored: {names}");
    Diagnostic::warning(same[0].places[0], message)
        .hint(format!("if one does more, describe it in a file: {}", Setting::Library.to("FILE")))
}

/// The error that the runtime has no behaviour for these functions: methods of one class, or one function.
fn unsupported(same: &[&Missing]) -> Diagnostic {
    let first = same[0];
    let places: usize = same.iter().map(|one| one.places.len()).sum();
    let message = match &first.class {
        Some(class) => {
            let names = listed(same.iter().map(|one| one.name.to_string()));
            format!("`{class}` is not supported by this runtime: it has no behaviour for {names}")
        }
        None => {
            format!("`{}` is not supported by this runtime: it has no behaviour for it", first.name)
        }
    };
    let mut error = Diagnostic::error(first.places[0], message);
    if first.declared != NOWHERE && first.declared.file > 0 {
        let text = "declared here without a body, so the runtime has to provide it";
        error = error.note(first.declared, text);
    }
    if places > 1 {
        let next = same.iter().flat_map(|one| &one.places).nth(1);
        error.notes.extend(next.map(|next| (*next, more(places - 1))));
    }
    let bodies = same.iter().map(|one| format!("{} {{ … }}", one.prototype));
    let bodies = bodies.collect::<Vec<_>>().join(" ");
    let example = match &first.class {
        Some(class) => format!("structure({class}) {{ {bodies} }}"),
        None => bodies,
    };
    let is_of_fork = first.class.is_some() && first.declared != NOWHERE && first.declared.file > 0;
    let kinds = if is_of_fork {
        "; or say what it is: kind=\"set\", \"map\", \"counter\", \"statistic\", or a class such as \"CacheMemory\""
    } else {
        ""
    };
    error.hint(format!(
        "describe it in a file, and name that with {}: {example}{kinds} ({PAGE})",
        Setting::Library.to("FILE")
    ))
}

/// Whether a function without a result only counts, by its name and that of its class.
fn is_statistic(class: Option<&str>, name: &str) -> bool {
    const COUNTING: [&str; 11] = [
        "profile", "record", "stat", "regstat", "count", "log", "print", "dump", "sample",
        "notify", "regprobe",
    ];
    const CLASSES: [&str; 5] = ["profiler", "stats", "statistic", "logger", "histogram"];
    let (name, class) = (name.to_ascii_lowercase(), class.unwrap_or("").to_ascii_lowercase());
    let name =
        name.trim_start_matches("increment").trim_start_matches("inc").trim_start_matches('_');
    COUNTING.iter().any(|word| name.starts_with(word))
        || ["stats", "statistic", "profile"].iter().any(|word| name.ends_with(word))
        || CLASSES.iter().any(|word| class.contains(word))
}

impl Compiler<'_> {
    /// A call of a declared function that the runtime lacks: an error, unless the function only counts.
    pub(super) fn lacks_function(
        &mut self,
        function: &Name,
        signature: &Signature,
        span: Span,
    ) -> Outcome<Value> {
        let parameters: Vec<TypeId> = signature.parameters.iter().map(|(of, _)| *of).collect();
        let prototype = self.prototype(&function.text, signature.result, &parameters);
        let is_statistic =
            signature.result == self.types.known.void && is_statistic(None, &function.text);
        self.lacking.note(Missing {
            class: None,
            name: function.text.clone(),
            prototype,
            declared: signature.span,
            places: vec![span],
            is_statistic,
        });
        if is_statistic { Ok(constant(signature.result, 0)) } else { Err(Abandoned) }
    }

    /// A call of a declared method that the runtime lacks: an error, unless the method only counts.
    pub(super) fn lacks_method(
        &mut self,
        of: TypeId,
        method: &Name,
        result: TypeId,
        parameters: &[TypeId],
    ) -> Outcome<Value> {
        let class = self.types[of].short_name(self.machine_name()).to_owned();
        let is_statistic =
            result == self.types.known.void && is_statistic(Some(&class), &method.text);
        let prototype = self.prototype(&method.text, result, parameters);
        self.lacking.note(Missing {
            class: Some(class.into()),
            name: method.text.clone(),
            prototype,
            declared: self.types[of].declared,
            places: vec![method.span],
            is_statistic,
        });
        if is_statistic { Ok(constant(result, 0)) } else { Err(Abandoned) }
    }

    /// Whether an expression is a field of an object of the library that is not declared. Some forks let SLICC accept such fields,
    /// and `++` is for statistics only.
    pub(super) fn is_unknown_statistic(&mut self, expression: &Expression) -> bool {
        let ExpressionKind::Field { object, field } = &expression.kind else { return false };
        let ExpressionKind::Name(name) = &object.kind else { return false };
        let Some(Symbol::Value(value)) = self.lookup(&name.text) else { return false };
        let of = &self.types[value.of];
        if of.kind != TypeKind::Library || of.fields.contains_key(&field.text) {
            return false;
        }
        let class = of.short_name(self.machine_name()).to_owned();
        self.lacking.note(Missing {
            class: Some(class.into()),
            name: field.text.clone(),
            prototype: String::new(),
            declared: NOWHERE,
            places: vec![field.span],
            is_statistic: true,
        });
        true
    }

    /// A declaration in SLICC, with names for the parameters.
    fn prototype(&self, name: &str, result: TypeId, parameters: &[TypeId]) -> String {
        let short = |of: &TypeId| self.types[*of].short_name(self.machine_name());
        let named = parameters.iter().zip("abcdefghijklmnopqrstuvwxyz".chars());
        let parameters: Vec<String> =
            named.map(|(of, name)| format!("{} {name}", short(of))).collect();
        format!("{} {name}({})", short(&result), parameters.join(", "))
    }
}
