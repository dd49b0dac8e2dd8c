//! Compiles machines: their members, ports, actions and transitions.

use super::Compiler;
use super::body::{Context, Outcome, Port, Symbol, Value, ValuePlace};
use super::calls::Signature;
use super::code::{self, Function, Member};
use super::looks;
use super::op::{Op, control};
use super::types::{TypeId, TypeKind, attribute};
use crate::ast::{
    self, Block, Declaration, Expression, ExpressionKind, Name, Passing, Statement, StatementKind,
};
use crate::library::merge::OVERLOAD;
use crate::source::{Diagnostic, Severity, Span};

impl<'a> Compiler<'a> {
    /// Declares a variable outside of machines: only those that every machine has are supported.
    pub(super) fn global(&mut self, object: &ast::Object) -> Outcome<()> {
        let offset = match &*object.name.text {
            "version" => control::VERSION,
            "machineID" => control::MACHINE,
            "clusterID" => control::CLUSTER,
            "recycle_latency" => control::RECYCLE,
            name => {
                let text = format!(
                    "`{name}` is a variable outside of any machine, which is not supported"
                );
                return self
                    .fail(Diagnostic::error(object.span, text).hint("declare it in a machine"));
            }
        };
        let of = self.resolve(&object.kind)?;
        let value = Value::fixed(of, ValuePlace::Control(offset));
        self.members.insert(object.name.text.clone(), Symbol::Value(value));
        Ok(())
    }

    /// Records the signature of a function. A function with a body also gets an index; its code is
    /// compiled later.
    pub(super) fn signature(&mut self, function: &'a ast::Function) -> Outcome<()> {
        let machine = self.machine.clone();
        let prototype = self.types.prototype(machine.as_deref(), function);
        self.note_problems();
        if self.functions.len() >= usize::from(u16::MAX) {
            return self.fail(Diagnostic::error(
                function.name.span,
                "the protocol has too many functions",
            ));
        }
        let number = function.body.as_ref().map(|_| {
            self.functions.push(Function::default());
            self.bodies.push(Some(function));
            self.functions.len() as u32 - 1
        });
        let passing = function.parameters.iter().map(|parameter| parameter.passing);
        let defaults = function.parameters.iter().map(|parameter| parameter.default.clone());
        let mut signature = Signature {
            result: prototype.result,
            parameters: prototype.parameters.into_iter().zip(passing).collect(),
            defaults: defaults.collect(),
            number,
            is_overload: attribute(&function.pairs, "as")
                .is_some_and(|pair| &*pair.value.text == OVERLOAD),
            by_reference: attribute(&function.pairs, "return_by_ref").is_some()
                && self.types[prototype.result].is_wide(),
            span: function.span,
        };
        let known = self.signatures.entry(function.name.text.clone()).or_default();
        // A prototype may precede the function itself.
        let same = |one: &Signature| {
            one.parameters
                .iter()
                .map(|(of, _)| of)
                .eq(signature.parameters.iter().map(|(of, _)| of))
        };
        match known.iter().position(same) {
            Some(at) if known[at].number.is_some() && number.is_some() => {
                let first = known[at].span;
                let text = format!(
                    "the function `{}` is declared twice with the same parameters",
                    function.name.text
                );
                return self.fail(
                    Diagnostic::error(function.name.span, text).note(first, "first declared here"),
                );
            }
            Some(at) if number.is_some() || known[at].number.is_none() => {
                // The defaults of an earlier prototype remain valid.
                for (own, earlier) in signature.defaults.iter_mut().zip(&known[at].defaults) {
                    *own = own.take().or_else(|| earlier.clone());
                }
                known[at] = signature;
            }
            Some(_) => {}
            None => known.push(signature),
        }
        Ok(())
    }

    /// Compiles the body of a function.
    pub(super) fn function(&mut self, function: &ast::Function) {
        let Some(block) = &function.body else { return };
        let found = self.signatures.get(&function.name.text).and_then(|known| {
            known.iter().find(|one| one.span == function.span && one.number.is_some()).cloned()
        });
        let Some(signature) = found else { return };
        let (result, destination) = (signature.result, None);
        let before = self.begin(Context::Function { result, destination });
        for (parameter, (of, passing)) in function.parameters.iter().zip(&signature.parameters) {
            let by_reference = *passing == Passing::Reference;
            let Ok(value) = self.parameter(*of, by_reference, function.span) else {
                break;
            };
            if let Some(name) = &parameter.name {
                let _ = self.declare(&name.text, name.span, Symbol::Value(value));
            }
        }
        if self.types[result].is_wide() && !signature.by_reference {
            let destination = self.register(function.span).ok();
            self.body().context = Context::Function { result, destination };
        }
        self.block(block);
        let end = Span { start: block.span.end.saturating_sub(1), ..block.span };
        if signature.result == self.types.known.void {
            self.emit(Op::Leave, end)
        } else {
            self.emit(Op::NoResult, end)
        };
        let code = self.finish(before);
        if let Some(number) = signature.number {
            self.functions[number as usize] = code;
        }
    }

    /// Compiles the `at`-th machine of the protocol.
    pub(super) fn machine(
        &mut self,
        machine: &'a ast::Machine,
        at: usize,
    ) -> Option<code::Machine> {
        let globals = (self.members.clone(), self.signatures.clone());
        self.machine = Some(machine.name.text.clone());
        self.machine_span = machine.name.span;
        (self.tbe, self.entry) = (None, None);
        self.broken.clear();
        let compiled = self.machine_parts(machine, at);
        self.machine = None;
        (self.members, self.signatures) = globals;
        compiled
    }

    fn machine_parts(&mut self, machine: &'a ast::Machine, at: usize) -> Option<code::Machine> {
        let outline = self.outline.machines.get(at)?;
        let kind = self.types[self.types.known.machine_type].enumerator(&machine.name.text)?;
        let mut initial = vec![0; usize::from(control::FREE)];
        let mut parameters = Vec::new();
        for object in &machine.parameters {
            let member = self.member(object, &mut initial, usize::MAX);
            parameters.extend(self.unless_broken(&object.name, member));
        }
        let mut variables = Vec::new();
        let first_variable = initial.len();
        for declaration in &machine.body {
            if let Err(diagnostic) = self.declare_type(declaration) {
                self.diagnostics.push(diagnostic);
            }
            self.note_problems();
            match declaration {
                Declaration::Object(object) => {
                    let member = self.member(object, &mut initial, first_variable);
                    variables.extend(self.unless_broken(&object.name, member));
                }
                Declaration::Function(function) => {
                    let _ = self.signature(function);
                }
                Declaration::Structure(structure) => self.method_signatures(structure),
                Declaration::InPort(port) => {
                    let rank = self.rank(port, machine);
                    let declared =
                        self.declare_port(&port.name, &port.buffer, &port.message, true, rank);
                    self.unless_broken(&port.name, declared);
                }
                Declaration::OutPort(port) => {
                    let declared =
                        self.declare_port(&port.name, &port.buffer, &port.message, false, 0);
                    self.unless_broken(&port.name, declared);
                }
                _ => {}
            }
        }
        let mut in_ports = Vec::new();
        for declaration in &machine.body {
            match declaration {
                Declaration::Function(function) => self.function(function),
                Declaration::Structure(structure) => self.method_bodies(structure),
                Declaration::InPort(port) => in_ports.extend(self.in_port(port)),
                _ => {}
            }
        }
        let mandatory_latency = self.mandatory_latency();
        let enqueue_prefetch = self.enqueue_prefetch();
        let transitions = self.transitions(machine, outline);
        let mut table = vec![0; outline.states.len() * outline.events.len()];
        for (at, transition) in transitions.iter().enumerate() {
            let cell = usize::from(transition.state) * outline.events.len()
                + usize::from(transition.event);
            table[cell] = at as u32 + 1;
        }
        let only_looks = looks::is_poll_without_effects(&self.code, &in_ports, &transitions);
        for port in &mut in_ports {
            port.enabled_by = looks::enabling_word(&self.code, port.code.start)
                .filter(|word| parameters.iter().any(|member| member.offset == *word));
        }
        Some(code::Machine {
            name: machine.name.text.clone(),
            kind: kind as u32,
            states: outline.states.iter().map(|state| state.name.as_str().into()).collect(),
            permissions: outline.states.iter().map(|state| state.permission as u64).collect(),
            events: outline.events.iter().map(|event| event.name.as_str().into()).collect(),
            parameters,
            variables,
            initial,
            in_ports,
            mandatory_latency,
            enqueue_prefetch,
            access: self.machine_access(),
            transitions,
            table,
            tbe: self.tbe,
            entry: self.entry,
            only_looks,
        })
    }

    /// What was declared under a name. If its declaration has an error, the uses of the name are not errors as well.
    pub(super) fn unless_broken<T>(&mut self, name: &Name, declared: Outcome<T>) -> Option<T> {
        if declared.is_err() {
            self.broken.insert(name.text.clone());
        }
        declared.ok()
    }

    /// Declares a parameter or variable of the machine. Variables start at the control word
    /// `variables`; the values of parameters, which come before it, are not known at compile time.
    fn member(
        &mut self,
        object: &ast::Object,
        initial: &mut Vec<u64>,
        variables: usize,
    ) -> Outcome<Member> {
        let of = self.resolve_anyway(&object.kind);
        let machine = self.machine.clone();
        let of = match self.types.with_template(machine.as_deref(), of, &object.pairs) {
            Ok(of) => of,
            Err(diagnostic) => return self.fail(diagnostic),
        };
        let offset = initial.len() as u16;
        let mut depends = None;
        let mut fresh = self.types[of].fresh().to_vec();
        if let Some(default) = attribute(&object.pairs, "default") {
            let other = |name: &str| match self.members.get(name) {
                Some(Symbol::Value(Value { place: ValuePlace::Control(offset), .. }))
                    if usize::from(*offset) >= variables =>
                {
                    initial.get(usize::from(*offset)).map(|word| *word as i64)
                }
                _ => None,
            };
            let value = self.types.default_with(machine.as_deref(), of, default, &other);
            // A variable may depend on parameters, whose values are known when a system is built.
            let any =
                |name: &str| other(name).or_else(|| self.members.contains_key(name).then_some(1));
            let later = || {
                variables != usize::MAX && self.types.evaluated(&default.value.text, &any).is_some()
            };
            match (value, fresh.len()) {
                (Ok(value), 1) => fresh[0] = value,
                (Err(_), 1) if later() => depends = Some(default.value.text.clone()),
                (Ok(_), _) => {
                    let error = Diagnostic::error(
                        default.value.span,
                        "a value of this type has no default to set",
                    );
                    return self.fail(error);
                }
                (Err(_), _) if of == self.types.known.unknown => {}
                // The variable is declared all the same, so that its uses are no errors.
                (Err(diagnostic), _) => self.diagnostics.push(diagnostic),
            }
        } else if let Some(value) = &object.value
            && variables != usize::MAX
        {
            fresh = vec![self.initial_value(of, value)?];
        }
        initial.extend(fresh);
        if initial.len() > usize::from(u16::MAX) / 2 {
            return self.fail(Diagnostic::error(object.span, "the machine has too many variables"));
        }
        let value = Value::variable(of, ValuePlace::Control(offset));
        if self.members.insert(object.name.text.clone(), Symbol::Value(value)).is_some() {
            let text = format!("`{}` is declared twice", object.name.text);
            return self.fail(Diagnostic::error(object.name.span, text));
        }
        let element = self.element(of, object);
        let constructor =
            attribute(&object.pairs, "constructor").map(|pair| pair.value.text.clone());
        let name = object.name.text.clone();
        Ok(Member { name, of, offset, element, constructor, default: depends, span: object.span })
    }

    /// The initial value of a variable declared with `:=`, which has to be a constant.
    fn initial_value(&mut self, of: TypeId, value: &Expression) -> Outcome<u64> {
        let before = self.begin(Context::Transition);
        let given = self.expression(value);
        self.finish(before);
        let given = given?;
        self.expect(of, given.of, value.span)?;
        match given.place {
            ValuePlace::Constant(word) => Ok(word),
            ValuePlace::Null => Ok(0),
            _ => self.fail(
                Diagnostic::error(
                    value.span,
                    "the initial value of a variable has to be a constant",
                )
                .hint("set it in an action"),
            ),
        }
    }

    /// The type of a table's entries: named by `template`, or the result of its `lookup`.
    fn element(&self, of: TypeId, object: &ast::Object) -> Option<TypeId> {
        if self.types[of].kind != TypeKind::Library {
            return None;
        }
        let named = attribute(&object.pairs, "template").and_then(|pair| {
            let name = pair.value.text.trim_start_matches('<').trim_end_matches('>').trim();
            self.types.find(None, name).or_else(|| self.types.find(self.machine_name(), name))
        });
        let looked_up = || {
            self.types[of]
                .methods
                .get("lookup")
                .and_then(|found| found.first())
                .map(|one| one.result)
        };
        named.or_else(looked_up).filter(|element| self.types[*element].kind == TypeKind::Entry)
    }

    /// The rank of a port. A rank that is not below the number of ports is only a warning: it fails
    /// in a run when a message of the port is set aside or woken.
    fn rank(&mut self, port: &ast::InPort, machine: &ast::Machine) -> u32 {
        let Some(pair) = attribute(&port.pairs, "rank") else {
            return 0;
        };
        let is_port = |one: &&Declaration| matches!(one, Declaration::InPort(_));
        let ports = machine.body.iter().filter(is_port).count();
        match pair.value.text.parse::<u32>() {
            Ok(rank) if (rank as usize) < ports => rank,
            Ok(rank) => {
                let text = format!(
                    "the rank {rank} is not below {ports}, the number of in_ports: stall_and_wait fails from this port"
                );
                let hint = "give the ports the ranks from 0 up, the one with the highest priority the highest";
                self.diagnostics.push(Diagnostic::warning(pair.value.span, text).hint(hint));
                rank
            }
            Err(_) => {
                let text = format!("the rank `{}` is not a small number", pair.value.text);
                self.diagnostics.push(Diagnostic::error(pair.value.span, text));
                0
            }
        }
    }

    fn declare_port(
        &mut self,
        name: &Name,
        buffer: &Name,
        message: &Name,
        input: bool,
        rank: u32,
    ) -> Outcome<()> {
        let of =
            if input { self.type_of_in_port(message) } else { Some(self.resolve_anyway(message)) };
        let value = match self.find(buffer)? {
            Symbol::Value(value) if self.types[value.of].kind == TypeKind::Library => value,
            _ => {
                let text = format!("`{}`is not a message buffer", buffer.text);
                return self.fail(
                    Diagnostic::error(buffer.span, text)
                        .hint("declare it as a parameter: `MessageBuffer * name`"),
                );
            }
        };
        let ValuePlace::Control(offset) = value.place else {
            return Ok(());
        };
        let timers = value.of == self.types.known.timers;
        let port = Port { buffer: offset, input, timers, message: of, rank };
        if self.members.insert(name.text.clone(), Symbol::Port(port)).is_some() {
            return self
                .fail(Diagnostic::error(name.span, format!("`{}` is declared twice", name.text)));
        }
        Ok(())
    }

    /// The declared type of an in_port's messages. gem5 takes any name there, since a port is for the types that its body peeks
    /// at, so an unknown one is a warning.
    fn type_of_in_port(&mut self, message: &Name) -> Option<TypeId> {
        match self.types.resolve(self.machine.as_deref(), message) {
            Ok(of) => Some(of),
            Err(unknown) => {
                let severity = Severity::Warning;
                let message = format!("{}, and gem5 does not look it up", unknown.message);
                self.diagnostics.push(Diagnostic { severity, message, ..unknown });
                None
            }
        }
    }

    /// Generates the code that calls `mandatoryQueueLatency` with a request type, if the machine
    /// defines that function.
    fn mandatory_latency(&mut self) -> Option<code::Function> {
        let name = "mandatoryQueueLatency";
        let of = self.types.find(None, "RubyRequestType")?;
        let defined = self.signatures.get(name)?.iter().find(|one| {
            one.number.is_some()
                && one.result == self.types.known.cycles
                && one.parameters.iter().map(|(of, _)| *of).eq([of])
        });
        let span = defined?.span;
        let kind = Value::fixed(of, ValuePlace::Control(control::AFTER));
        let before =
            self.begin(Context::Function { result: self.types.known.void, destination: None });
        let latency = self.hook(name, &[kind], span);
        let from = latency.and_then(|value| self.load(value, span));
        if let Ok(from) = from {
            let offset = control::AFTER;
            self.emit(Op::StoreControl { offset, from }, span);
        }
        self.emit(Op::PortEnd, span);
        let code = self.finish(before);
        from.is_ok().then_some(code)
    }

    /// Generates the code that calls `enqueuePrefetch` with an address and a request type, if the machine defines that
    /// function.
    fn enqueue_prefetch(&mut self) -> Option<code::Function> {
        let name = "enqueuePrefetch";
        let kind = self.types.find(None, "RubyRequestType")?;
        let expected = [self.types.known.addr, kind];
        let defined = self.signatures.get(name)?.iter().find(|one| {
            one.number.is_some() && one.parameters.iter().map(|(of, _)| *of).eq(expected)
        });
        let span = defined?.span;
        let kind = Value::fixed(kind, ValuePlace::Control(control::AFTER));
        let before =
            self.begin(Context::Function { result: self.types.known.void, destination: None });
        let called = self.hook(name, &[kind], span);
        self.emit(Op::PortEnd, span);
        let code = self.finish(before);
        called.is_ok().then_some(code)
    }

    fn in_port(&mut self, port: &ast::InPort) -> Option<code::InPort> {
        let Some(Symbol::Port(declared)) = self.members.get(&port.name.text).cloned() else {
            return None;
        };
        let mut handlers = [None; 2];
        for (handler, key) in handlers.iter_mut().zip(["rsc_stall_handler", "prot_stall_handler"]) {
            let Some(pair) = attribute(&port.pairs, key) else {
                continue;
            };
            let found =
                self.signatures.get(&pair.value.text).and_then(|known| known.first()?.number);
            if found.is_none() {
                let text = format!("the stall handler `{}` is not defined", pair.value.text);
                self.diagnostics.push(
                    Diagnostic::error(pair.value.span, text)
                        .hint("it is a function without parameters that returns a bool"),
                );
            }
            *handler = found;
        }
        let before = self.begin(Context::InPort { handlers });
        let guarded = guarded_block(port).filter(|_| !declared.timers);
        // A guarded port runs only if its buffer is ready, so its code does not check again.
        self.block(guarded.unwrap_or(&port.body));
        // Jumps to the end of the body.
        let exits = std::mem::take(&mut self.body().exits);
        let peeked = std::mem::take(&mut self.body().peeked);
        let end = self.here();
        for at in exits {
            self.set_target(at, end);
        }
        self.emit(Op::PortEnd, port.body.span);
        let code = self.finish(before);
        Some(code::InPort {
            name: port.name.text.clone(),
            buffer: declared.buffer,
            peeked: peeked
                .into_iter()
                .filter(|one| one.0 == declared.buffer)
                .map(|one| one.1)
                .collect(),
            rank: declared.rank,
            timers: declared.timers,
            guarded: guarded.is_some(),
            enabled_by: None,
            code,
        })
    }
}

/// The inner block of a port whose body is a single `if` on whether the port is ready.
fn guarded_block(port: &ast::InPort) -> Option<&Block> {
    let [Statement { kind: StatementKind::If { condition, then, otherwise: None }, .. }] =
        &*port.body.statements
    else {
        return None;
    };
    let ExpressionKind::Method { object, method, .. } = &condition.kind else {
        return None;
    };
    let named = |object: &Expression| matches!(&object.kind, ExpressionKind::Name(name) if name.text == port.name.text);
    (&*method.text == "isReady" && named(object)).then_some(then)
}
