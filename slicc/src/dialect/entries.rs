//! Machines of 2009 to 2011: their states had no permissions, and events were triggered without the
//! line's entry and TBE, which actions looked up themselves.

use super::{Context, Older, is_older, machines};
use crate::ast::{
    Block, Declaration, Expression, ExpressionKind, Function, Machine, Name, Pair, PairKind,
    StateValue, Statement, StatementKind, States, Structure,
};
use crate::source::Span;

const PERMISSIONS: Older =
    Older { until: (2011, 2), what: "states without permissions, so that SWMR is not checked" };
const SETTING: Older =
    Older { until: (2011, 6), what: "machines that do not set access permissions" };
const TRIGGER: Older = Older { until: (2011, 1), what: "events without an entry and a TBE" };

/// Rewrites the machines of 2009 to 2011.
pub(super) fn rewrite(declarations: &mut [Declaration], context: &mut Context) {
    for machine in machines(declarations) {
        if !is_older(machine) {
            continue;
        }
        states(machine, context);
        directory_entries(machine);
        permissions(machine, context);
        triggers(machine, context);
    }
}

/// Turns the enumeration `State` into a declaration of states, all with the permission `Invalid`.
fn states(machine: &mut Machine, context: &mut Context) {
    for declaration in &mut machine.body {
        let Declaration::Enumeration(one) = declaration else { continue };
        if &*one.name.text != "State" {
            continue;
        }
        context.found(PERMISSIONS, one.name.span);
        let state = |(name, pairs): &(Name, Vec<_>)| StateValue {
            family: word("AccessPermission", name.span),
            permission: word("Invalid", name.span),
            name: name.clone(),
            pairs: pairs.clone(),
        };
        *declaration = Declaration::States(States {
            values: one.values.iter().map(state).collect(),
            name: one.name.clone(),
            pairs: one.pairs.clone(),
            span: one.span,
        });
    }
}

/// Marks the structures of entries of a directory or a `PerfectCacheMemory` as entries by the attribute `interface`,
/// which older protocols left out.
fn directory_entries(machine: &mut Machine) {
    let mut names = vec!["Entry".to_owned()];
    names.extend(machine.body.iter().filter_map(|one| perfect_entry(one, &machine.name.text)));
    for declaration in &mut machine.body {
        let Declaration::Structure(structure) = declaration else { continue };
        let mut pairs = structure.pairs.iter();
        if names.iter().any(|name| **name == *structure.name.text)
            && !pairs.any(|pair| &*pair.key.text == "interface")
        {
            let span = structure.name.span;
            let (key, value) = (word("interface", span), word("AbstractEntry", span));
            structure.pairs.push(Pair { key, value, kind: PairKind::Text });
        }
    }
}

/// The name of the structure of the entries, if the declaration is a `PerfectCacheMemory`.
fn perfect_entry(declaration: &Declaration, machine: &str) -> Option<String> {
    let Declaration::Object(object) = declaration else { return None };
    let mut pairs = object.pairs.iter();
    let template = pairs.find(|pair| pair.key.text.starts_with("template"))?;
    let name = template.value.text.trim_matches(['<', '>', ' ']);
    let own = name.strip_prefix(machine)?.strip_prefix('_')?;
    (&*object.kind.text == "PerfectCacheMemory").then(|| own.to_owned())
}

/// Adds an empty function `setAccessPermission` to a machine without it.
fn permissions(machine: &mut Machine, context: &mut Context) {
    let defines = |one: &Declaration| matches!(one, Declaration::Function(function) if &*function.name.text == "setAccessPermission");
    if machine.body.iter().any(defines) {
        return;
    }
    let span = machine.name.span;
    context.found(SETTING, span);
    machine.body.push(Declaration::Function(Function {
        result: word("void", span),
        name: word("setAccessPermission", span),
        parameters: Vec::new(),
        pairs: Vec::new(),
        body: Some(Block { statements: Vec::new(), span }),
        span,
    }));
}

/// Adds null pointers for the entry and the TBE where an event is triggered without them.
fn triggers(machine: &mut Machine, context: &mut Context) {
    let declares = |is: fn(&Structure) -> bool| {
        machine.body.iter().any(|one| matches!(one, Declaration::Structure(of) if is(of)))
    };
    let has_tbe = declares(|of| &*of.name.text == "TBE");
    let has_entry = declares(|of| {
        let mut pairs = of.pairs.iter();
        pairs
            .any(|pair| &*pair.key.text == "interface" && &*pair.value.text == "AbstractCacheEntry")
    });
    let missing = usize::from(has_tbe) + usize::from(has_entry);
    for declaration in &mut machine.body {
        if let Declaration::InPort(port) = declaration {
            block(&mut port.body, missing, context);
        }
    }
}

fn block(whole: &mut Block, missing: usize, context: &mut Context) {
    whole.statements.iter_mut().for_each(|one| statement(one, missing, context));
}

fn statement(whole: &mut Statement, missing: usize, context: &mut Context) {
    match &mut whole.kind {
        StatementKind::If { then, otherwise, .. } => {
            block(then, missing, context);
            otherwise.iter_mut().for_each(|inner| block(inner, missing, context));
        }
        StatementKind::Peek { body, .. } => block(body, missing, context),
        StatementKind::Expression(Expression {
            kind: ExpressionKind::Call { function, arguments },
            span,
        }) if &*function.text == "trigger" && arguments.len() == 2 && missing > 0 => {
            context.found(TRIGGER, *span);
            let null = Expression { kind: ExpressionKind::Null, span: *span };
            arguments.extend(vec![null; missing]);
        }
        _ => {}
    }
}

fn word(text: &str, span: Span) -> Name {
    Name { text: text.into(), span }
}
