//! What a description of the runtime says in vain: functions that nothing names, bodies of functions that the runtime has itself, and
//! fields of classes that it has.

use super::merge::{Words, has_same_types};
use crate::ast::{Declaration, Function, Structure, attribute};
use crate::source::Diagnostic;

/// Diagnostics about descriptions. `all` are the declarations of the protocol, first the built-in ones, and `named` the words of the
/// protocol's own files, and those that descriptions use.
pub(crate) fn unused(
    described: &[Declaration],
    all: &[Declaration],
    named: &Words,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let is_called = |function: &Function| named.contains(&*function.name.text);
    for one in described {
        match one {
            Declaration::Function(function) if !is_called(function) => found.push(idle(function)),
            Declaration::Structure(structure) => match runtime_class(structure, all) {
                Some(class) => found.extend(in_vain(structure, class, &is_called)),
                None => {
                    let methods = structure.methods.iter();
                    found.extend(methods.filter(|one| !is_called(one)).map(idle));
                }
            },
            _ => {}
        }
    }
    found
}

/// The built-in class of the name of a structure.
fn runtime_class<'d>(structure: &Structure, all: &'d [Declaration]) -> Option<&'d Structure> {
    all.iter().find_map(|one| match one {
        Declaration::Structure(class)
            if class.span.file == 0
                && class.name.text == structure.name.text
                && attribute(&class.pairs, "external").is_some() =>
        {
            Some(class)
        }
        _ => None,
    })
}

fn in_vain(
    structure: &Structure,
    class: &Structure,
    is_called: &dyn Fn(&Function) -> bool,
) -> Vec<Diagnostic> {
    let name = &class.name.text;
    let field = structure.fields.first().filter(|_| class.fields.is_empty()).map(|field| {
        let message = format!(
            "the runtime has `{name}` itself, which can't get the field `{}`",
            field.name.text
        );
        Diagnostic::error(field.name.span, message)
            .hint("keep it in a structure of its own, and describe the methods without it")
    });
    let of_method = |method: &Function| {
        let same =
            |own: &&Function| own.name.text == method.name.text && has_same_types(own, method);
        if class.methods.iter().any(|own| same(&own)) {
            let message = format!(
                "the runtime has `{name}.{}` itself, so this description of it is not used",
                method.name.text
            );
            return Some(Diagnostic::warning(method.name.span, message).hint(
                "leave it out; if the fork's does something else, runs may differ from the fork's",
            ));
        }
        (!is_called(method)).then(|| idle(method))
    };
    field.into_iter().chain(structure.methods.iter().filter_map(of_method)).collect()
}

fn idle(function: &Function) -> Diagnostic {
    let message =
        format!("nothing in the protocol names `{}`, so it is not used", function.name.text);
    Diagnostic::warning(function.name.span, message)
        .hint("compare the name with that in the protocol")
}
