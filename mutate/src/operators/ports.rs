//! Makes mutants in which ports are scanned in another order, trigger other events, or do not wait for locks.

use slicc::ast::{Expression, ExpressionKind, InPort, Name, Pair, StatementKind};
use slicc::source::Span;
use slicc::visit::{self, Node};

use crate::collector::Collector;
use crate::edit::Edit;
use crate::scene::Scene;
use crate::walk;

fn place(port: &InPort) -> String {
    format!("port:{}", port.name.text)
}

/// Ports are scanned in the order of the text, so their texts are exchanged.
pub(super) fn exchanged(scene: &Scene, mutants: &mut Collector) {
    let ports: Vec<&InPort> = scene.in_ports().collect();
    for pair in ports.windows(2) {
        let (first, second) = (pair[0], pair[1]);
        let (before, after) = (scene.text(first.span), scene.text(second.span));
        // A port may be named only after its declaration.
        let is_free = !before.contains(&*second.name.text) && !after.contains(&*first.name.text);
        if is_free && first.span.file == second.span.file {
            let edits = vec![Edit::replace(first.span, after), Edit::replace(second.span, before)];
            let (name, other) = (&first.name.text, &second.name.text);
            let about = format!("{other} is scanned before {name}, not after it.");
            mutants.whole(&place(first), other, &about, edits, Vec::new());
        }
    }
}

/// The events that a port triggers by name, in order.
fn triggered(port: &InPort) -> Vec<&Name> {
    let mut events = Vec::new();
    visit::block(&port.body, &mut |node| {
        if let Node::Expression(Expression {
            kind: ExpressionKind::Call { function, arguments },
            ..
        }) = node
            && &*function.text == "trigger"
            && let Some(ExpressionKind::Enumerator { value, .. }) =
                arguments.first().map(|first| &first.kind)
        {
            events.push(value);
        }
    });
    events
}

pub(super) fn other_events(scene: &Scene, mutants: &mut Collector) {
    for port in scene.in_ports() {
        let events = triggered(port);
        let mut others: Vec<&str> = events.iter().map(|event| &*event.text).collect();
        others.sort_unstable();
        others.dedup();
        for (number, event) in events.into_iter().enumerate() {
            for &other in others.iter().filter(|other| ***other != *event.text) {
                let (name, right) = (&port.name.text, &event.text);
                let about = format!("{name} triggers {other} instead of {right}.");
                let edit = Edit::replace(event.span, other);
                mutants.place(&place(port), number, other, &about, vec![edit]);
            }
        }
    }
}

pub(super) fn no_lock_check(scene: &Scene, mutants: &mut Collector) {
    for port in scene.in_ports() {
        let name = &port.name.text;
        let statements = walk::statements(&port.body);
        let checks = statements.iter().filter_map(|(statement, _)| {
            let is_check = matches!(statement.kind, StatementKind::CheckOnCacheProbe { .. });
            is_check.then_some(statement.span)
        });
        for (number, span) in checks.enumerate() {
            let edit = Edit::remove(scene.file(span), span);
            let about = format!("{name} may evict a locked line.");
            mutants.place(&place(port), number, "check_on_cache_probe", &about, vec![edit]);
        }
        let blocks = statements.iter().filter_map(|(statement, _)| match &statement.kind {
            StatementKind::Peek { message, pairs, .. } => blocked_on(message, pairs),
            _ => None,
        });
        for (number, span) in blocks.enumerate() {
            let edit = Edit::replace(span, "");
            let about = format!("{name} handles messages about a locked line.");
            mutants.place(&place(port), number, "block_on", &about, vec![edit]);
        }
    }
}

/// The attribute `block_on` of a `peek`, with the comma before it.
fn blocked_on(message: &Name, pairs: &[Pair]) -> Option<Span> {
    let at = pairs.iter().position(|pair| &*pair.key.text == "block_on")?;
    let before = match at.checked_sub(1) {
        Some(before) => pairs[before].value.span,
        None => message.span,
    };
    Some(Span { start: before.end, ..pairs[at].value.span })
}
