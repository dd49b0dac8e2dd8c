//! Compiles the statements of a thread, inlining the functions that it calls.

mod control;

use std::mem::take;

use slicc::source::{Diagnostic, Span};

use super::expression::Names;
use super::globals::{Global, Globals};
use super::{Compiler, Thread, live};
use crate::program::code::{Access, Code, Instruction, Place};
use crate::program::language::{self, Block, Expression, Name, Statement, StatementKind, Value};

/// Largest number of instructions and calls of a thread, after inlining.
const MOST_INSTRUCTIONS: usize = 20_000;

/// The target of a jump until it is known.
const LATER: u32 = u32::MAX;

/// The state while a thread is compiled.
pub(super) struct Body<'a, 'b> {
    globals: &'a Globals<'a>,
    compiler: &'a mut Compiler<'b>,
    code: Vec<Instruction>,
    /// The locals of each open block of the current function.
    scopes: Vec<Vec<(String, u16)>>,
    locals: u16,
    /// The open loops of the current function.
    loops: Vec<Loop>,
    /// The functions that are being inlined, the outermost first.
    calls: Vec<Call>,
    /// Number of calls so far.
    called: usize,
    observed: Vec<(String, u16)>,
}

struct Loop {
    /// The instruction at which the next round starts.
    top: u32,
    /// Jumps to the end of the loop.
    breaks: Vec<usize>,
}

struct Call {
    function: usize,
    result: u16,
    /// Jumps to the end of the function.
    returns: Vec<usize>,
    has_result: bool,
}

impl<'a, 'b> Body<'a, 'b> {
    pub(super) fn new(globals: &'a Globals<'a>, compiler: &'a mut Compiler<'b>) -> Body<'a, 'b> {
        Body {
            globals,
            compiler,
            code: Vec::new(),
            scopes: vec![Vec::new()],
            locals: 0,
            loops: Vec::new(),
            calls: Vec::new(),
            called: 0,
            observed: Vec::new(),
        }
    }

    /// Compiles a thread; without a block it does nothing.
    pub(super) fn thread(mut self, name: &str, block: Option<&Block>) -> Thread {
        for statement in block.into_iter().flat_map(|block| &block.statements) {
            self.statement(statement);
        }
        self.observed = take(&mut self.scopes[0]);
        self.code.push(Instruction::End);
        Thread {
            name: name.to_owned(),
            dead: live::dead(&self.code, usize::from(self.locals), &self.observed),
            code: self.code,
            locals: usize::from(self.locals),
            observed: self.observed,
        }
    }

    /// Compiles a function by itself, to find its errors.
    pub(super) fn check_function(mut self, function: usize) {
        let declared = &self.globals.functions[function];
        let arguments = vec![Code::Number(0); declared.parameters.len()];
        self.inline(function, arguments, None, declared.name.span);
    }

    fn error(&mut self, error: Diagnostic) {
        self.compiler.error(error);
    }

    /// Whether the thread has become too large, which is reported.
    fn is_full(&mut self, span: Span) -> bool {
        let is_full = self.code.len() + self.called > MOST_INSTRUCTIONS;
        if is_full {
            // The error is reported once, at the outermost function.
            let outermost = self.calls.first().map(|call| call.function);
            let declared = outermost.map(|it| self.globals.functions[it].name.span);
            let message =
                format!("more than {MOST_INSTRUCTIONS} instructions after inlining its functions");
            let error = Diagnostic::error(declared.unwrap_or(span), message);
            self.error(error.hint("make the thread shorter, or let it call less"));
        }
        is_full
    }

    fn block(&mut self, block: &Block) {
        self.scopes.push(Vec::new());
        for statement in &block.statements {
            self.statement(statement);
        }
        self.scopes.pop();
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        if self.is_full(span) {
            return;
        }
        match &statement.kind {
            StatementKind::Let(name, value) => {
                let local = self.new_local(span);
                self.value(value, Some(local), span);
                self.declare(name, local);
            }
            StatementKind::Assign(name, value) => {
                let local = self.target(name);
                self.value(value, local, span);
            }
            StatementKind::Do(value) => self.value(value, None, span),
            StatementKind::Fence => {
                let site = self.compiler.site(span);
                self.code.push(Instruction::Fence(site));
            }
            StatementKind::Yield => self.code.push(Instruction::Yield),
            StatementKind::Assert(claim) => {
                let claim = self.expression(claim);
                self.code.push(Instruction::Assert(claim, span));
            }
            StatementKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_ref());
            }
            StatementKind::Loop(bound, body) => self.bounded(None, bound, body, span),
            StatementKind::While(condition, bound, body) => {
                self.bounded(Some(condition), bound, body, span);
            }
            StatementKind::Break | StatementKind::Continue => self.leave(statement),
            StatementKind::Return(result) => self.return_value(result.as_ref(), span),
        }
    }

    /// Allocates a local.
    fn new_local(&mut self, span: Span) -> u16 {
        let local = self.locals;
        match self.locals.checked_add(1) {
            Some(more) => self.locals = more,
            None => self.error(Diagnostic::error(span, "there are too many locals")),
        }
        local
    }

    fn declare(&mut self, name: &Name, local: u16) {
        let text = &name.text;
        if let Some((_, declared)) = self.globals.get(text) {
            let message = format!("`{text}` is declared already");
            self.error(Diagnostic::error(name.span, message).note(declared, "declared here"));
        }
        let scope = self.scopes.last_mut().expect("a block is open");
        let is_twice = scope.iter().any(|it| it.0 == *text);
        scope.push((text.clone(), local));
        if is_twice {
            let error = Diagnostic::error(name.span, format!("`{text}` is declared twice"));
            self.error(error.hint(format!("to change it, leave `let` out: `{text} = ...;`")));
        }
    }

    /// The local to which an assignment is made.
    fn target(&mut self, name: &Name) -> Option<u16> {
        let text = &name.text;
        if let Some(local) = find(&self.scopes, text) {
            return Some(local);
        }
        let error = match self.globals.get(text) {
            Some((Global::Shared(..), declared)) => {
                let message = format!("the shared variable `{text}` is written without `store`");
                Diagnostic::error(name.span, message)
                    .note(declared, "declared here")
                    .hint(format!("write `store {text} = ...;`"))
            }
            Some((_, declared)) => {
                let error = Diagnostic::error(name.span, format!("`{text}` is not a local"));
                error.note(declared, "declared here")
            }
            None => Diagnostic::error(name.span, format!("`{text}` is not declared"))
                .hint(format!("declare it: `let {text} = ...;`")),
        };
        self.error(error);
        None
    }

    /// Compiles an expression. One with an error is reported and replaced by an arbitrary one.
    fn expression(&mut self, expression: &Expression) -> Code {
        let scopes = &self.scopes;
        let names = Names { globals: self.globals, local: &|name| find(scopes, name) };
        let code = names.compile(expression, self.compiler);
        code.unwrap_or(Code::Number(1))
    }

    fn value(&mut self, value: &Value, to: Option<u16>, span: Span) {
        match value {
            Value::Expression(expression) => {
                let code = self.expression(expression);
                self.code.extend(to.map(|to| Instruction::Set(to, code, span)));
            }
            Value::Access(access) => self.access(access, to, span),
            Value::Call(name, arguments) => {
                let arguments: Vec<Code> = arguments.iter().map(|it| self.expression(it)).collect();
                match self.globals.get(&name.text) {
                    Some((Global::Function(function), declared)) => {
                        self.check_arity(name, arguments.len(), function, declared);
                        self.inline(function, arguments, to, name.span);
                    }
                    _ => {
                        let message = format!("there is no function `{}`", name.text);
                        self.error(Diagnostic::error(name.span, message));
                    }
                }
            }
        }
    }

    fn access(&mut self, access: &language::Access, result: Option<u16>, span: Span) {
        let place = self.place(&access.place);
        let operands = access.operands.iter().map(|it| self.expression(it));
        let operands = operands.collect();
        let Some(place) = place else { return };
        let site = self.compiler.site(span);
        self.code.push(Instruction::Access(Access {
            operation: access.operation,
            place,
            operands,
            result,
            site,
            span,
        }));
    }

    fn place(&mut self, place: &language::Place) -> Option<Place> {
        let text = &place.name.text;
        let index = place.index.as_ref().map(|it| self.expression(it));
        let error = match (self.globals.get(text), &index) {
            (Some((Global::Shared(base, length), _)), _) if length.is_some() == index.is_some() => {
                return Some(Place { base, length: length.unwrap_or(1), index });
            }
            (Some((Global::Shared(..), declared)), None) => {
                Diagnostic::error(place.span, format!("`{text}` is an array"))
                    .note(declared, "declared here")
                    .hint(format!("say which location: `{text}[0]`"))
            }
            (Some((Global::Shared(..), declared)), Some(_)) => {
                Diagnostic::error(place.span, format!("`{text}` is not an array"))
                    .note(declared, "declared here")
            }
            _ => Diagnostic::error(place.span, format!("`{text}` is not a shared variable"))
                .hint(format!("declare it: `shared {text};`")),
        };
        self.error(error);
        None
    }

    fn check_arity(&mut self, name: &Name, given: usize, function: usize, declared: Span) {
        let wanted = self.globals.functions[function].parameters.len();
        if given != wanted {
            let message = format!("`{}` takes {wanted} arguments, not {given}", name.text);
            self.error(Diagnostic::error(name.span, message).note(declared, "declared here"));
        }
    }

    /// Compiles a call: the function is inlined, with locals of its own.
    fn inline(&mut self, function: usize, arguments: Vec<Code>, to: Option<u16>, span: Span) {
        self.called += 1;
        if self.is_full(span) {
            return;
        }
        let globals = self.globals;
        let declared = &globals.functions[function];
        if self.calls.iter().any(|call| call.function == function) {
            let message = format!("`{}` calls itself", declared.name.text);
            let error = Diagnostic::error(span, message).note(declared.name.span, "declared here");
            self.error(error.hint("functions are put where they are called: write a loop"));
            return;
        }
        let result = to.unwrap_or_else(|| self.new_local(span));
        let scopes = std::mem::replace(&mut self.scopes, vec![Vec::new()]);
        let loops = take(&mut self.loops);
        let zeros = std::iter::repeat(Code::Number(0));
        for (name, value) in declared.parameters.iter().zip(arguments.into_iter().chain(zeros)) {
            let local = self.new_local(span);
            self.code.push(Instruction::Set(local, value, span));
            self.declare(name, local);
        }
        self.calls.push(Call { function, result, returns: Vec::new(), has_result: false });
        self.block(&declared.body);
        let call = self.calls.pop().expect("the call is open");
        if to.is_some() {
            self.code.push(Instruction::NoResult(span));
        }
        if to.is_some() && !call.has_result {
            let message = format!("`{}` has no result", declared.name.text);
            let error = Diagnostic::error(span, message).note(declared.name.span, "declared here");
            self.error(error.hint("a function with a result ends with `return e;`"));
        }
        self.set_targets(&call.returns);
        self.scopes = scopes;
        self.loops = loops;
    }

    fn return_value(&mut self, value: Option<&Expression>, span: Span) {
        let code = value.map(|value| self.expression(value));
        let Some(call) = self.calls.last_mut() else {
            if value.is_some() {
                self.error(Diagnostic::error(span, "only functions have a result"));
            }
            self.code.push(Instruction::End);
            return;
        };
        let result = call.result;
        call.has_result |= code.is_some();
        self.code.extend(code.map(|code| Instruction::Set(result, code, span)));
        call.returns.push(self.code.len());
        self.code.push(Instruction::Jump(LATER));
    }
}

/// The local of this name in the innermost block that has one.
fn find(scopes: &[Vec<(String, u16)>], name: &str) -> Option<u16> {
    let mut locals = scopes.iter().rev().flat_map(|scope| scope.iter().rev());
    locals.find(|it| it.0 == name).map(|it| it.1)
}
