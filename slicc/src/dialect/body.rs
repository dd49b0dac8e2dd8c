//! Rewrites the names and calls in a declaration of an older protocol.

use rustc_hash::FxHashMap;

use super::names::{FIELDS, METHODS, MethodRow, Now, RENAMED_METHODS, VALUES, type_row};
use super::{Context, Older, is_older};
use crate::ast::{
    Block, Declaration, Expression, ExpressionKind, Function, Name, Object, Pair, PairKind,
    Statement, StatementKind, Structure,
};
use crate::source::Span;
use crate::visit::{self, Node};

/// A function that printed its argument, until January 2011.
const DEBUG: &str = "DEBUG_EXPR";

/// The interface of a directory's entries.
const DIRECTORY_ENTRY: &str = "AbstractEntry";

/// The function, in `older.sm`, that looks up an entry of a directory, and makes it if it is missing.
const DIRECTORY_LOOKUP: &str = "older_directory_entry";

const LOOKUP: Older = Older { until: (2011, 12), what: "entries looked up without a pointer" };

const TEMPLATE: Older = Older { until: (2012, 10), what: "`template_hack` for template" };

const PREFIX: Older = Older { until: (2014, 9), what: "members named after their machine" };

/// An enumeration whose name denotes another enumeration since 2012.
const CACHE_REQUEST: &str = "CacheRequestType";

/// Rewrites a declaration outside of machines, or a machine.
pub(super) fn declaration(whole: &mut Declaration, context: &mut Context) {
    let mut body = Body {
        context,
        is_older: false,
        prefix: String::new(),
        objects: FxHashMap::default(),
        messages: Vec::new(),
    };
    body.declaration(whole);
}

/// The state while a declaration is rewritten.
struct Body<'c> {
    context: &'c mut Context,
    /// Whether the machine is declared as until July 2015.
    is_older: bool,
    /// The prefix of the C++ names of the machine's members.
    prefix: String,
    /// The types of the objects and ports of the machine.
    objects: FxHashMap<Box<str>, Box<str>>,
    /// The variables for messages in scope, with their types.
    messages: Vec<(&'static str, Box<str>)>,
}

impl Body<'_> {
    fn declaration(&mut self, whole: &mut Declaration) {
        match whole {
            Declaration::Machine(machine) => {
                self.is_older = is_older(machine);
                self.prefix = format!("m_{}_", machine.name.text);
                machine.parameters.iter_mut().for_each(|one| self.object(one));
                machine.body.iter_mut().for_each(|one| self.collect(one));
                machine.body.iter_mut().for_each(|one| self.declaration(one));
                self.objects.clear();
            }
            Declaration::Action(action) => self.block(&mut action.body),
            Declaration::InPort(port) => {
                self.type_name(&mut port.message);
                self.block(&mut port.body);
            }
            Declaration::OutPort(port) => self.type_name(&mut port.message),
            Declaration::Structure(structure) => self.structure(structure),
            Declaration::Object(object) => self.object(object),
            Declaration::Function(function) => self.function(function),
            Declaration::Protocol(_)
            | Declaration::Transition(_)
            | Declaration::ExternalType(_)
            | Declaration::Enumeration(_)
            | Declaration::States(_) => {}
        }
    }

    /// Notes the types of ports before the bodies that use them.
    fn collect(&mut self, declaration: &Declaration) {
        let (name, kind) = match declaration {
            Declaration::InPort(port) => {
                let timers = self.objects.get(&port.buffer.text);
                let timers = timers.is_some_and(|kind| &**kind == "TimerTable");
                (&port.name, if timers { "TimerTable" } else { "InPort" })
            }
            Declaration::OutPort(port) => (&port.name, "OutPort"),
            Declaration::Object(object) => (&object.name, &*object.kind.text),
            _ => return,
        };
        self.objects.insert(name.text.clone(), kind.into());
    }

    fn structure(&mut self, structure: &mut Structure) {
        structure.fields.iter_mut().for_each(|field| self.field_type(field));
        structure.methods.iter_mut().for_each(|method| self.function(method));
        let interfaces = structure.pairs.iter_mut().filter(|pair| &*pair.key.text == "interface");
        let mut of_directory = None;
        for pair in interfaces {
            of_directory = (&*pair.value.text == DIRECTORY_ENTRY).then_some(pair.value.span);
            self.type_name(&mut pair.value);
        }
        if let Some(span) = of_directory {
            // Events are triggered without such an entry.
            let name = |text: &str| Name { text: text.into(), span };
            let kind = PairKind::Text;
            structure.pairs.push(Pair { key: name("main"), value: name("false"), kind });
        }
    }

    /// Gives the type of a field the name that it has today. A field of type `Address` was initially 0 and one of
    /// type `Addr` is undefined, so it gets the default 0.
    fn field_type(&mut self, field: &mut Object) {
        let was_address = &*field.kind.text == "Address";
        self.type_name(&mut field.kind);
        if was_address
            && &*field.kind.text == "Addr"
            && field.pairs.iter().all(|pair| &*pair.key.text != "default")
        {
            let span = field.name.span;
            let name = |text: &str| Name { text: text.into(), span };
            let kind = PairKind::Text;
            field.pairs.push(Pair { key: name("default"), value: name("0"), kind });
        }
    }

    fn object(&mut self, object: &mut Object) {
        self.objects.insert(object.name.text.clone(), object.kind.text.clone());
        self.type_name(&mut object.kind);
        object.value.iter_mut().for_each(|value| self.expression(value));
        for pair in &mut object.pairs {
            if &*pair.key.text == "template_hack" {
                self.context.found(TEMPLATE, pair.key.span);
                pair.key.text = "template".into();
            }
            // The C++ names of members had the machine in front.
            if !self.prefix.is_empty() && pair.value.text.contains(&self.prefix) {
                self.context.found(PREFIX, pair.value.span);
                pair.value.text = pair.value.text.replace(&self.prefix, "m_").into();
            }
        }
    }

    fn function(&mut self, function: &mut Function) {
        self.type_name(&mut function.result);
        function.parameters.iter_mut().for_each(|one| self.type_name(&mut one.kind));
        function.body.iter_mut().for_each(|body| self.block(body));
    }

    /// Gives a type the name that it has today.
    fn type_name(&mut self, name: &mut Name) {
        if let Some(row) = type_row(&name.text)
            && !self.context.own_types.contains(&name.text)
            && (row.old != CACHE_REQUEST || self.context.has_cache_messages)
        {
            self.context.found(row.older, name.span);
            name.text = row.now.into();
        }
    }

    /// Gives a value of an enumeration the name that it has today.
    fn value(&mut self, family: &Name, value: &mut Name) {
        let row = VALUES.iter().find(|row| row.of == &*family.text && row.old == &*value.text);
        if let Some(row) = row
            && !self.context.own_types.contains(&family.text)
        {
            self.context.found(row.older, value.span);
            value.text = row.now.into();
        }
    }

    fn block(&mut self, block: &mut Block) {
        block.statements.retain_mut(|statement| self.statement(statement));
    }

    /// Rewrites a statement; returns whether it is kept.
    fn statement(&mut self, statement: &mut Statement) -> bool {
        match &mut statement.kind {
            StatementKind::Expression(inner) => {
                self.expression(inner);
                return !self.is_nothing(inner);
            }
            // A function without a result could return the result of a call that has none.
            StatementKind::Return(inner) => {
                self.expression(inner);
                return !self.is_nothing(inner);
            }
            StatementKind::Assign { target, value } => {
                self.expression(target);
                self.expression(value);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                otherwise.iter_mut().for_each(|inner| self.block(inner));
            }
            StatementKind::Enqueue { message, latency, bypass, body, .. } => {
                latency.iter_mut().chain(bypass).for_each(|inner| self.expression(inner));
                self.message("out_msg", message, body);
            }
            StatementKind::Defer { message, body, .. } => self.message("out_msg", message, body),
            StatementKind::Peek { message, body, .. } => self.message("in_msg", message, body),
            StatementKind::StallAndWait { .. }
            | StatementKind::WakeupPort { .. }
            | StatementKind::CheckOnCacheProbe { .. }
            | StatementKind::CheckAllocate(_)
            | StatementKind::CheckNextCycle
            | StatementKind::CheckStopSlots => {}
        }
        true
    }

    /// Rewrites a block in which a variable stands for a message.
    fn message(&mut self, variable: &'static str, message: &mut Name, body: &mut Block) {
        self.type_name(message);
        self.messages.push((variable, message.text.clone()));
        self.block(body);
        self.messages.pop();
    }

    fn expression(&mut self, whole: &mut Expression) {
        let span = whole.span;
        match &mut whole.kind {
            ExpressionKind::Enumerator { family, value } => {
                self.value(family, value);
                self.type_name(family);
            }
            ExpressionKind::New(name) | ExpressionKind::Local { kind: name, .. } => {
                self.type_name(name)
            }
            ExpressionKind::Call { arguments, .. }
            | ExpressionKind::StaticCall { arguments, .. } => self.all(arguments),
            ExpressionKind::Field { object, field } => {
                self.expression(object);
                self.field(object, field);
            }
            ExpressionKind::Method { object, method, arguments } => {
                self.expression(object);
                self.all(arguments);
                self.method(object, method, arguments, span);
            }
            ExpressionKind::Index { object, indices } => {
                self.expression(object);
                self.all(indices);
                if let Some(entry) = self.entry(whole) {
                    *whole = entry;
                }
            }
            ExpressionKind::Cast { to, mode, value } => {
                self.type_name(to);
                if mode.is_none() && self.is_cached(value) {
                    *mode = Some(Name { text: "pointer".into(), span });
                }
                match &mut value.kind {
                    ExpressionKind::Index { indices, .. } if mode.is_some() => self.all(indices),
                    _ => self.expression(value),
                }
                // A value that was looked up in a directory is a pointer to an entry today.
                if mode.is_none() && is_entry(value) {
                    *whole = (**value).clone();
                }
            }
            ExpressionKind::Valid { value, .. } | ExpressionKind::Unary { value, .. } => {
                self.expression(value);
            }
            ExpressionKind::Binary { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            ExpressionKind::Name(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Null => {}
        }
    }

    /// Rewrites `cache[line]` or `directory[line]`, which gave the entry itself, as an expression for a pointer to
    /// it. A directory created a missing entry.
    fn entry(&mut self, whole: &Expression) -> Option<Expression> {
        let ExpressionKind::Index { object, indices } = &whole.kind else { return None };
        if !self.is_older {
            return None;
        }
        let span = whole.span;
        let kind = match self.class(object)? {
            "DirectoryMemory" => {
                let mut arguments = vec![(**object).clone()];
                arguments.extend(indices.iter().cloned());
                call(DIRECTORY_LOOKUP, arguments, span).kind
            }
            "CacheMemory" => ExpressionKind::Cast {
                to: Name { text: "Entry".into(), span },
                mode: Some(Name { text: "pointer".into(), span }),
                value: Box::new(whole.clone()),
            },
            _ => return None,
        };
        self.context.found(LOOKUP, span);
        Some(Expression { kind, span })
    }

    /// Whether an expression of an older machine is `cache[line]`.
    fn is_cached(&self, expression: &Expression) -> bool {
        let ExpressionKind::Index { object, .. } = &expression.kind else { return false };
        self.is_older && self.class(object) == Some("CacheMemory")
    }

    fn all(&mut self, expressions: &mut [Expression]) {
        expressions.iter_mut().for_each(|one| self.expression(one));
    }

    /// Gives a field of a message in scope the name that it has today.
    fn field(&mut self, object: &Expression, field: &mut Name) {
        let ExpressionKind::Name(variable) = &object.kind else { return };
        let mut messages = self.messages.iter().rev();
        let Some((_, message)) = messages.find(|(name, _)| **name == *variable.text) else {
            return;
        };
        let row = FIELDS.iter().find(|row| row.message == &**message && row.old == &*field.text);
        if let Some(row) = row {
            self.context.found(row.older, field.span);
            field.text = row.now.into();
        }
    }

    /// The row of [`METHODS`] for a method call.
    fn row(&self, object: &Expression, method: &str, count: usize) -> Option<&'static MethodRow> {
        let class = self.class(object)?;
        METHODS.iter().find(|row| {
            let is_same = (row.class, row.method, row.arguments) == (class, method, count);
            // These methods exist today, too, and mean something else.
            is_same && (!matches!(row.now, Now::Nothing | Now::Absolute) || self.is_older)
        })
    }

    fn class(&self, object: &Expression) -> Option<&str> {
        let ExpressionKind::Name(name) = &object.kind else { return None };
        self.objects.get(&name.text).map(|kind| &**kind)
    }

    /// Rewrites a method call, unless it is one that has no effect.
    fn method(
        &mut self,
        object: &Expression,
        method: &mut Name,
        arguments: &mut Vec<Expression>,
        span: Span,
    ) {
        let class = self.class(object);
        let renamed =
            RENAMED_METHODS.iter().find(|row| Some(row.0) == class && row.1 == &*method.text);
        if let Some((_, _, now, older)) = renamed {
            self.context.found(*older, method.span);
            method.text = (*now).into();
        }
        let Some(row) = self.row(object, &method.text, arguments.len()) else { return };
        match row.now {
            Now::WithTime(now) => {
                method.text = now.into();
                arguments.push(call("clockEdge", Vec::new(), span));
            }
            Now::Recycle => {
                arguments.push(call("clockEdge", Vec::new(), span));
                let latency = named("recycle_latency", span);
                arguments.push(call("cyclesToTicks", vec![latency], span));
            }
            Now::Absolute => match arguments.pop() {
                Some(last) if is_time(&last) => {
                    arguments.push(last);
                    return;
                }
                Some(last) => arguments.push(call("clockEdge", vec![last], span)),
                None => {}
            },
            Now::WithEntry => {
                let name = Name { text: "Entry".into(), span };
                arguments.push(Expression { kind: ExpressionKind::New(name), span });
            }
            Now::WithLine => arguments.push(named("address", span)),
            Now::Pick(order) => {
                if !arguments.get(1).is_some_and(is_machine) {
                    return;
                }
                *arguments = order.iter().filter_map(|&at| arguments.get(at).cloned()).collect();
            }
            Now::Nothing => {}
        }
        self.context.found(row.older, method.span);
    }

    /// Whether an expression is a call that has no effect and is removed.
    fn is_nothing(&self, expression: &Expression) -> bool {
        let (object, method, arguments) = match &expression.kind {
            ExpressionKind::Method { object, method, arguments } => (object, method, arguments),
            ExpressionKind::Call { function, .. } => return &*function.text == DEBUG,
            _ => return false,
        };
        let row = self.row(object, &method.text, arguments.len());
        row.is_some_and(|row| row.now == Now::Nothing)
    }
}

/// Whether an expression is what the lookup of a directory's entry was rewritten to.
fn is_entry(expression: &Expression) -> bool {
    matches!(&expression.kind, ExpressionKind::Call { function, .. } if &*function.text == DIRECTORY_LOOKUP)
}

/// Whether an expression is a time already: it contains a call of a function that gives one. Machines without `MachineType:` had
/// such expressions for some months of 2015.
fn is_time(expression: &Expression) -> bool {
    let mut is_time = false;
    visit::expression(expression, &mut |node| {
        if let Node::Expression(Expression {
            kind: ExpressionKind::Call { function, .. }, ..
        }) = node
        {
            is_time |= matches!(&*function.text, "clockEdge" | "cyclesToTicks" | "curTick");
        }
    });
    is_time
}

/// Whether an expression is a type of machine rather than the data of a line.
fn is_machine(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Enumerator { .. } | ExpressionKind::Call { .. })
}

fn call(function: &str, arguments: Vec<Expression>, span: Span) -> Expression {
    let function = Name { text: function.into(), span };
    Expression { kind: ExpressionKind::Call { function, arguments }, span }
}

fn named(name: &str, span: Span) -> Expression {
    Expression { kind: ExpressionKind::Name(Name { text: name.into(), span }), span }
}
