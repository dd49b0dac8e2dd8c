//! Compiles calls of methods that a structure defines itself, with a body. The body is compiled in place of each call: the
//! fields of the structure are names in it, as in the class that gem5 generates.

use super::Compiler;
use super::body::{Context, Outcome, Symbol, Value, ValuePlace};
use super::expressions::{constant, register};
use super::types::{TypeId, TypeKind};
use crate::ast::{self, Block, Expression, ExpressionKind, Passing};
use crate::source::{Diagnostic, Span};
use crate::visit::{self, Node};

/// Largest depth of methods that call each other.
const DEEPEST: usize = 8;

impl<'a> Compiler<'a> {
    /// Remembers the methods with a body of a structure. Those for functional accesses are never called here.
    pub(super) fn own_methods(&mut self, of: TypeId, structure: &'a ast::Structure) {
        let with_body = structure.methods.iter().filter(|method| method.body.is_some());
        self.methods.extend(with_body.map(|method| (of, method)));
    }

    /// Compiles a call of a method that the type of the object defines. Returns `None` if it defines none of this name.
    pub(super) fn call_own_method(
        &mut self,
        object: Value,
        method: &ast::Name,
        arguments: &[Expression],
        span: Span,
    ) -> Outcome<Option<Value>> {
        let found = self.methods.iter().find(|(of, one)| {
            *of == object.of
                && one.name.text == method.text
                && one.parameters.len() == arguments.len()
        });
        let Some(&(_, function)) = found else { return Ok(None) };
        let Some(block) = &function.body else { return Ok(None) };
        if self.method_depth >= DEEPEST {
            let text = format!("methods call each other more than {DEEPEST} levels deep");
            return self.fail(Diagnostic::error(method.span, text));
        }
        let result = self.resolve(&function.result)?;
        if self.types[result].is_wide() {
            let name = &self.types[result].name;
            let text = format!("a method with a body that returns a `{name}` is not supported");
            return self.fail(
                Diagnostic::error(method.span, text).hint("make it a function of the machine"),
            );
        }
        let mut values = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let wanted = self.resolve(&parameter.kind)?;
            let given = self.expression(argument)?;
            self.expect(wanted, given.of, argument.span)?;
            values.push(self.argument_of_method(given, parameter.passing, argument.span)?);
        }
        self.method_depth += 1;
        let value = self.method_body(object, function, block, result, &values, span);
        self.method_depth -= 1;
        value.map(Some)
    }

    /// An argument as the body sees it: a scalar is copied, unless it is passed by reference.
    fn argument_of_method(&mut self, given: Value, passing: Passing, span: Span) -> Outcome<Value> {
        if passing == Passing::Reference || self.types[given.of].is_wide() {
            return Ok(given);
        }
        let to = self.register(span)?;
        self.load_into(to, given, span);
        Ok(Value { writable: true, ..register(given.of, to) })
    }

    fn method_body(
        &mut self,
        object: Value,
        function: &ast::Function,
        block: &Block,
        result: TypeId,
        values: &[Value],
        span: Span,
    ) -> Outcome<Value> {
        // A pointer is loaded once, so that the fields stay those of this object.
        let is_entry = self.types[object.of].kind == TypeKind::Entry;
        let object = match object.place {
            ValuePlace::Control(_) => object,
            _ if is_entry => register(object.of, self.load(object, span)?),
            _ => object,
        };
        let known = self.types.known;
        let returns = result != known.void;
        let to = if returns { Some(self.register(span)?) } else { None };
        let fields = self.fields_in(object, block, span)?;
        self.open_isolated();
        for (name, field) in fields {
            let _ = self.declare(&name.text, name.span, Symbol::Value(field));
        }
        for (parameter, value) in function.parameters.iter().zip(values) {
            if let Some(name) = &parameter.name {
                let _ = self.declare(&name.text, name.span, Symbol::Value(*value));
            }
        }
        let context = Context::Inlined { result, to, returns: Vec::new() };
        let before = std::mem::replace(&mut self.body().context, context);
        self.block(block);
        let context = std::mem::replace(&mut self.body().context, before);
        self.close();
        if let Context::Inlined { returns, .. } = context {
            self.aim_returns(returns);
        }
        Ok(match to {
            Some(to) => register(result, to),
            None => constant(known.void, 0),
        })
    }

    /// The fields of an object that a block names, each once.
    fn fields_in(
        &mut self,
        object: Value,
        block: &Block,
        span: Span,
    ) -> Outcome<Vec<(ast::Name, Value)>> {
        let mut named: Vec<&ast::Name> = Vec::new();
        visit::block(block, &mut |node| {
            if let Node::Expression(Expression { kind: ExpressionKind::Name(name), .. }) = node
                && !named.iter().any(|known| known.text == name.text)
            {
                named.push(name);
            }
        });
        named.retain(|name| self.types[object.of].fields.contains_key(&name.text));
        named
            .into_iter()
            .map(|name| Ok((name.clone(), self.field_of(object, name, span)?)))
            .collect()
    }
}
