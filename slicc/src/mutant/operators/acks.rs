//! Makes mutants in which a count is off by one.

use crate::ast::{Expression, ExpressionKind, Unary};
use crate::mutant::edit::Edit;
use crate::mutant::fields::Written;
use crate::mutant::made::Collector;
use crate::mutant::scene::Scene;

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
    match literal(value).and_then(|number| number.checked_add(step)) {
        Some(number) => number.to_string(),
        None if step > 0 => format!("{text} + 1"),
        None => format!("{text} - 1"),
    }
}

fn literal(value: &Expression) -> Option<i64> {
    match &value.kind {
        ExpressionKind::Number(number) => i64::try_from(*number).ok(),
        ExpressionKind::Unary { operator: Unary::Minus, value } => Some(-literal(value)?),
        _ => None,
    }
}
