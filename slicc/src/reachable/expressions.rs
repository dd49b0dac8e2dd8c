//! What an expression may evaluate to.

use std::rc::Rc;

use super::environment::{Environment, Ways, join};
use super::interpreter::Interpreter;
use super::store::Place;
use super::value::{Pointer, Truth, UNKNOWN, Value};
use crate::ast::{Binary, Expression, ExpressionKind, Name, Unary};
use crate::compile::types::{TypeId, TypeKind};

impl<'a> Interpreter<'_, 'a> {
    /// Evaluates an expression. Its effects are noted.
    pub(super) fn expression(&mut self, whole: &'a Expression, now: &mut Environment<'a>) -> Value {
        match &whole.kind {
            ExpressionKind::Name(name) => self.name(name, now),
            ExpressionKind::Number(number) => {
                i64::try_from(*number).map_or(Value::Any, Value::word)
            }
            ExpressionKind::Bool(flag) => Value::word(i64::from(*flag)),
            ExpressionKind::Enumerator { family, value } => self.enumerator(family, value),
            ExpressionKind::Null => Value::Pointer(Pointer::null()),
            ExpressionKind::New(of) => Value::Pointer(Pointer::valid(self.find(&of.text))),
            ExpressionKind::Text(_) | ExpressionKind::Float(_) => Value::Any,
            ExpressionKind::Local { kind, name } => self.local(kind, name, now),
            ExpressionKind::Call { function, arguments } => self.call(function, arguments, now),
            ExpressionKind::StaticCall { arguments, .. } => {
                arguments.iter().for_each(|one| drop(self.expression(one, now)));
                Value::Any
            }
            ExpressionKind::Field { object, field } => {
                let object = self.expression(object, now);
                self.read(&object, &field.text, now)
            }
            ExpressionKind::Method { object, method, arguments } => {
                self.method(object, &method.text, arguments, now)
            }
            ExpressionKind::Index { object, indices } => {
                self.method(object, "lookup", indices, now)
            }
            ExpressionKind::Cast { to, value, .. } => {
                let value = self.expression(value, now);
                match self.find(&to.text) {
                    Some(of)
                        if !matches!(self.model.types[of].kind, TypeKind::Enumeration { .. }) =>
                    {
                        self.model.typed(value, of)
                    }
                    _ => Value::Any,
                }
            }
            ExpressionKind::Unary { operator: Unary::Minus, value } => {
                match self.expression(value, now).known() {
                    Some([word]) => Value::word(word.wrapping_neg()),
                    _ => Value::Any,
                }
            }
            ExpressionKind::Unary { operator: Unary::Increment | Unary::Decrement, value } => {
                self.expression(value, now);
                self.assign(value, Value::Any, now);
                Value::Any
            }
            ExpressionKind::Binary { operator, left, right } if !is_logical(*operator) => {
                self.expression(left, now);
                self.expression(right, now);
                Value::Any
            }
            ExpressionKind::Valid { .. }
            | ExpressionKind::Unary { operator: Unary::Not, .. }
            | ExpressionKind::Binary { .. } => {
                let (holds, fails) = self.decide(whole, now.clone());
                let truth = Truth { holds: holds.is_some(), fails: fails.is_some() };
                match join(holds, fails) {
                    Some(after) => *now = after,
                    None => self.is_dead = true,
                }
                Value::truth(truth)
            }
        }
    }

    /// The type of a name as seen from the current machine.
    pub(super) fn find(&self, name: &str) -> Option<TypeId> {
        self.model.find(self.instance, name)
    }

    /// The position of a local variable.
    pub(super) fn local_at(&self, name: &str, now: &Environment<'a>) -> Option<usize> {
        let at = now.locals.iter().rposition(|(known, _)| *known == name)?;
        (at >= self.frame).then_some(at)
    }

    fn name(&mut self, name: &'a Name, now: &Environment<'a>) -> Value {
        if let Some(at) = self.local_at(&name.text, now) {
            return now.locals[at].1.clone();
        }
        match &*name.text {
            "tbe" if self.is_action => return Value::Pointer(now.tbe),
            "cache_entry" if self.is_action => return Value::Pointer(now.entry),
            _ => {}
        }
        let Some((initial, of)) = self.model.member(self.instance, &name.text) else {
            let own = self.model.kind_of(self.instance).filter(|_| &*name.text == "machineID");
            return own.map_or(Value::Any, Value::Machines);
        };
        match self.store.written(Place::Variable(self.instance, &name.text)) {
            Some(written) => self.model.typed(initial.join(written), *of),
            None => initial.clone(),
        }
    }

    fn enumerator(&self, family: &Name, value: &Name) -> Value {
        let of = self.find(&family.text);
        let word = of.and_then(|of| self.model.types[of].enumerator(&value.text));
        word.map_or(Value::Any, |word| Value::word(word as i64))
    }

    /// Declares a local variable without a value.
    fn local(&mut self, kind: &Name, name: &'a Name, now: &mut Environment<'a>) -> Value {
        let value = match self.find(&kind.text) {
            Some(of) if self.model.types[of].kind == TypeKind::Message => {
                now.messages.push(self.model.fresh_message(of).into());
                Value::Message(now.messages.len() - 1)
            }
            Some(of) => {
                let word = self.model.types[of].initial.first().copied();
                let machines = self.model.initial_machines(of, word);
                machines.unwrap_or_else(|| self.model.typed(Value::Any, of))
            }
            None => Value::Any,
        };
        now.locals.push((&name.text, value.clone()));
        value
    }

    /// Reads a field of an object.
    pub(super) fn read(&self, object: &Value, field: &str, now: &Environment<'a>) -> Value {
        let of = match object {
            Value::Message(at) => now.messages[*at].of,
            Value::Pointer(Pointer { of: Some(of), .. }) => *of,
            _ => return Value::Any,
        };
        let Some((at, kind)) = self.model.field(of, field) else { return Value::Any };
        if self.model.is_untracked(of, at) {
            return self.model.typed(Value::Any, kind);
        }
        let value = match object {
            Value::Message(message) => now.messages[*message].fields[at].clone(),
            _ => {
                let initial = self.model.initial(of, at);
                let written = self.store.written(Place::Field(self.instance, of, at));
                written.map_or_else(|| initial.clone(), |written| initial.join(written))
            }
        };
        self.model.typed(value, kind)
    }

    /// The truth of a comparison of two numbers.
    pub(super) fn order(operator: Binary, left: &Value, right: &Value) -> Truth {
        let (Some(left), Some(right)) = (left.known(), right.known()) else { return UNKNOWN };
        let mut truth = Truth { holds: false, fails: false };
        for (left, right) in
            left.iter().flat_map(|left| right.iter().map(move |right| (left, right)))
        {
            let holds = match operator {
                Binary::Less => left < right,
                Binary::Greater => left > right,
                Binary::LessEqual => left <= right,
                _ => left >= right,
            };
            truth.holds |= holds;
            truth.fails |= !holds;
        }
        truth
    }

    /// What is true where a condition holds, and where it fails; `None` if it never does.
    pub(super) fn decide(&mut self, whole: &'a Expression, mut now: Environment<'a>) -> Ways<'a> {
        match &whole.kind {
            ExpressionKind::Unary { operator: Unary::Not, value } => {
                let (holds, fails) = self.decide(value, now);
                (fails, holds)
            }
            ExpressionKind::Binary { operator: Binary::And, left, right } => {
                let (first, fails) = self.decide(left, now);
                let Some(first) = first else { return (None, fails) };
                let (holds, second) = self.decide(right, first);
                (holds, join(fails, second))
            }
            ExpressionKind::Binary { operator: Binary::Or, left, right } => {
                let (holds, first) = self.decide(left, now);
                let Some(first) = first else { return (holds, None) };
                let (second, fails) = self.decide(right, first);
                (join(holds, second), fails)
            }
            ExpressionKind::Binary {
                operator: operator @ (Binary::Equal | Binary::NotEqual),
                left,
                right,
            } => {
                let equal = *operator == Binary::Equal;
                let ways = match right.kind {
                    ExpressionKind::Bool(flag) => {
                        let (holds, fails) = self.decide(left, now);
                        return if flag == equal { (holds, fails) } else { (fails, holds) };
                    }
                    _ => self.decide_equal(whole, left, right, now),
                };
                if equal { ways } else { (ways.1, ways.0) }
            }
            ExpressionKind::Binary {
                operator:
                    operator @ (Binary::Less
                    | Binary::Greater
                    | Binary::LessEqual
                    | Binary::GreaterEqual),
                left,
                right,
            } => {
                let left = self.expression(left, &mut now);
                let right = self.expression(right, &mut now);
                let found = Self::order(*operator, &left, &right);
                let Some(now) = self.alive(now) else { return (None, None) };
                (found.holds.then(|| now.clone()), found.fails.then_some(now))
            }
            ExpressionKind::Valid { valid, value } => {
                let pointer = self.expression(value, &mut now);
                let Some(now) = self.alive(now) else { return (None, None) };
                let null = Value::Pointer(Pointer::null());
                let other = now.clone();
                let is_null = self.narrow_equal(value, &pointer, &null, true, other);
                let is_not = self.narrow_equal(value, &pointer, &null, false, now);
                if *valid { (is_not, is_null) } else { (is_null, is_not) }
            }
            _ => {
                let value = self.expression(whole, &mut now);
                let Some(now) = self.alive(now) else { return (None, None) };
                let found = value.as_truth();
                let given = |truth: bool, now: Environment<'a>| {
                    let wanted = Value::truth(Truth { holds: truth, fails: !truth });
                    self.narrow(whole, now, |known| match known {
                        Value::Of(_) => known.meet(&wanted),
                        other => other.clone(),
                    })
                };
                let holds = found.holds.then(|| given(true, now.clone()));
                (holds, found.fails.then(|| given(false, now)))
            }
        }
    }

    /// What is true where two values are equal, and where they differ.
    fn decide_equal(
        &mut self,
        whole: &'a Expression,
        left: &'a Expression,
        right: &'a Expression,
        mut now: Environment<'a>,
    ) -> Ways<'a> {
        let one = self.expression(left, &mut now);
        let two = self.expression(right, &mut now);
        let Some(now) = self.alive(now) else { return (None, None) };
        if self.model.equality(&one, &two).holds {
            self.equal.insert((self.instance, whole.span));
        }
        let given = |equal: bool, now: Environment<'a>| {
            let now = self.narrow_equal(left, &one, &two, equal, now)?;
            self.narrow_equal(right, &two, &one, equal, now)
        };
        (given(true, now.clone()), given(false, now))
    }

    /// Assumes that a place with the value `one` equals `two`, or that it does not.
    fn narrow_equal(
        &self,
        place: &'a Expression,
        one: &Value,
        two: &Value,
        equal: bool,
        now: Environment<'a>,
    ) -> Option<Environment<'a>> {
        let found = self.model.equality(one, two);
        if !(if equal { found.holds } else { found.fails }) {
            return None;
        }
        Some(self.narrow(place, now, |known| match (known, two) {
            (Value::Pointer(pointer), Value::Pointer(Pointer { valid: false, .. })) => {
                Value::Pointer(if equal {
                    Pointer { valid: false, ..*pointer }
                } else {
                    Pointer { null: false, ..*pointer }
                })
            }
            (Value::Pointer(_) | Value::Message(_), _) => known.clone(),
            _ if equal => known.meet(two),
            _ => known.without(two),
        }))
    }

    /// Changes what is known of the value of a local variable, of a message's field or of an implicit object.
    fn narrow(
        &self,
        place: &'a Expression,
        mut now: Environment<'a>,
        change: impl Fn(&Value) -> Value,
    ) -> Environment<'a> {
        match &place.kind {
            ExpressionKind::Name(name) => {
                if let Some(at) = self.local_at(&name.text, &now) {
                    now.locals[at].1 = change(&now.locals[at].1);
                } else if self.is_action {
                    let pointer = |pointer| match change(&Value::Pointer(pointer)) {
                        Value::Pointer(changed) => changed,
                        _ => pointer,
                    };
                    match &*name.text {
                        "tbe" => now.tbe = pointer(now.tbe),
                        "cache_entry" => now.entry = pointer(now.entry),
                        _ => {}
                    }
                }
            }
            ExpressionKind::Field { object, field } => {
                if let ExpressionKind::Name(name) = &object.kind
                    && let Some(local) = self.local_at(&name.text, &now)
                    && let Value::Message(message) = now.locals[local].1
                    && let Some((at, _)) = self.model.field(now.messages[message].of, &field.text)
                {
                    let known = &mut Rc::make_mut(&mut now.messages[message]).fields[at];
                    *known = change(known);
                }
            }
            _ => {}
        }
        now
    }

    /// The environment, unless the code that was just evaluated never ends.
    pub(super) fn alive(&mut self, now: Environment<'a>) -> Option<Environment<'a>> {
        (!std::mem::take(&mut self.is_dead)).then_some(now)
    }
}

/// Whether the result of an operator is a truth value.
fn is_logical(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Or
            | Binary::And
            | Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::Greater
            | Binary::LessEqual
            | Binary::GreaterEqual
    )
}
