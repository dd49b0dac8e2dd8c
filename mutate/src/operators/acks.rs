//! Makes mutants in which a count is off by one.

use slicc::ast::{Binary, Expression, ExpressionKind, Unary};

use crate::collector::Collector;
use crate::edit::Edit;
use crate::fields::Written;
use crate::scene::Scene;

pub(super) fn off_by_one(scene: &Scene, mutants: &mut Collector) {
    let int = scene.protocol.program.types.known.int;
    for body in scene.bodies() {
        let written = scene.written(&body);
        let counts = |one: &&Written| one.field.of == int && scene.usage.is_counter(one.field.name);
        for (number, one) in written.iter().filter(counts).enumerate() {
            let (action, field) = (body.name, one.field.name);
            for (what, step) in [("more", 1), ("fewer", -1)] {
                let value = stepped(one.value, step, scene.text(one.value.span));
                let about = format!("{action} makes {field} {value}, one {what}.");
                let edit = Edit::replace(one.value.span, value);
                mutants.place(&body.place, number, what, &about, vec![edit]);
            }
        }
    }
}

/// The text of a number plus `step`, which is 1 or -1.
fn stepped(value: &Expression, step: i64, text: &str) -> String {
    if let Some(number) = literal(value).and_then(|number| number.checked_add(step)) {
        return number.to_string();
    }
    let sign = if step > 0 { '+' } else { '-' };
    if is_open_shift(value) { format!("({text}) {sign} 1") } else { format!("{text} {sign} 1") }
}

/// Whether a number is the result of a shift without parentheses, which binds less tightly than `+` and `-`.
fn is_open_shift(value: &Expression) -> bool {
    let ExpressionKind::Binary { operator, left, right } = &value.kind else {
        return false;
    };
    let is_shift = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
    is_shift && value.span == left.span.to(right.span)
}

fn literal(value: &Expression) -> Option<i64> {
    match &value.kind {
        ExpressionKind::Number(number) => i64::try_from(*number).ok(),
        ExpressionKind::Unary { operator: Unary::Minus, value } => Some(-literal(value)?),
        _ => None,
    }
}
