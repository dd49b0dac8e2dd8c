//! What the analysis needs to know of a protocol before it begins: functions, actions, ports and buffers by name, and the copies of
//! each machine that are analysed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::World;
use super::machines::DESTINATION;
use super::store::{Channel, Message};
use super::value::{Pointer, Value};
use crate::ast::{
    self, Action, Declaration, Expression, ExpressionKind, Function, InPort, Object, OutPort,
    StatementKind, attribute,
};
use crate::compile::code;
use crate::compile::types::{Type, TypeId, TypeKind, Types};
use crate::dialect::ECHO;
use crate::outline::MachineOutline;
use crate::protocol::Protocol;
use crate::visit::{self, Node};

/// The enumerations by which messages are not told apart, since no protocol's events depend on them.
const INCIDENTAL: [&str; 3] = ["MessageSizeType", "RubyAccessMode", "PrefetchBit"];

/// A machine by name.
pub(super) struct MachineModel<'a> {
    pub declared: &'a ast::Machine,
    pub outline: &'a MachineOutline,
    pub program: &'a code::Machine,
    /// The functions with a body that its code may call, by name.
    pub functions: FxHashMap<&'a str, Vec<&'a Function>>,
    pub actions: FxHashMap<&'a str, &'a Action>,
    pub in_ports: FxHashMap<&'a str, &'a InPort>,
    pub out_ports: FxHashMap<&'a str, &'a OutPort>,
    buffers: FxHashMap<&'a str, &'a Object>,
    /// The names of functions that its code calls.
    pub called: FxHashSet<&'a str>,
    /// The result types of functions without a body, by name.
    results: FxHashMap<&'a str, TypeId>,
    /// The index in the outline of the entry of each pair of state and event.
    pub table: FxHashMap<(u16, u16), usize>,
    /// The types by the names that the machine has for them.
    types: FxHashMap<&'a str, TypeId>,
}

/// A copy of a machine: all its controllers, or those of one role.
pub(super) struct Instance {
    /// Index in [`Model::machines`].
    pub machine: usize,
    /// The name of the role, or of the machine.
    pub role: String,
}

/// The protocol by name.
pub(super) struct Model<'a> {
    pub protocol: &'a Protocol,
    pub types: &'a Types,
    pub world: &'a World<'a>,
    pub machines: Vec<MachineModel<'a>>,
    pub instances: Vec<Instance>,
    /// Whether all messages from memory answer messages that machines send to it.
    pub has_answers: bool,
    /// The types of objects whose fields the library fills.
    foreign: FxHashSet<TypeId>,
    /// The fields that methods of their own structure assign to.
    loose: FxHashSet<(TypeId, usize)>,
    /// The indices and types of the fields of each type.
    fields: Vec<FxHashMap<&'a str, (usize, TypeId)>>,
    /// The initial values of the fields of each type.
    initials: Vec<Vec<Value>>,
    /// The initial values and types of the parameters and variables of each instance.
    members: Vec<FxHashMap<&'a str, (Value, TypeId)>>,
}

impl<'a> Model<'a> {
    pub(super) fn new(protocol: &'a Protocol, world: &'a World<'a>) -> Model<'a> {
        let types = &protocol.program.types;
        let machines: Vec<MachineModel<'a>> = protocol
            .machines()
            .filter_map(|machine| MachineModel::new(protocol, machine))
            .collect();
        let instances = machines.iter().enumerate().flat_map(|(at, machine)| {
            let roles = (world.roles)(&machine.declared.name.text);
            roles.into_iter().map(move |role| Instance { machine: at, role })
        });
        let instances = instances.collect();
        let mut model = Model {
            protocol,
            types,
            world,
            machines,
            instances,
            has_answers: false,
            foreign: FxHashSet::default(),
            loose: FxHashSet::default(),
            fields: Vec::new(),
            initials: Vec::new(),
            members: Vec::new(),
        };
        model.has_answers = model.asks_memory();
        model.note_foreign();
        model.note_loose();
        for (_, of) in types.iter() {
            let fields = of.order.iter().enumerate();
            let fields =
                fields.filter_map(|(at, name)| Some((&**name, (at, of.fields.get(name)?.of))));
            model.fields.push(fields.collect());
            model.initials.push(model.initials_of(of));
        }
        model.members = (0..model.instances.len()).map(|at| model.members_of(at)).collect();
        model
    }

    /// The names of the machines.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.machines.iter().map(|machine| &*machine.declared.name.text)
    }

    /// The initial values of the fields of a type.
    fn initials_of(&self, owner: &Type) -> Vec<Value> {
        let initial = |name: &str| {
            let Some(found) = owner.fields.get(name) else { return Value::Any };
            let word = owner.initial.get(usize::from(found.offset));
            if let Some(machines) = self.initial_machines(found.of, word.copied()) {
                return machines;
            }
            let word = word.filter(|_| self.is_followed(found.of));
            self.typed(word.map_or(Value::Any, |word| Value::word(*word as i64)), found.of)
        };
        owner.order.iter().map(|name| initial(name)).collect()
    }

    /// Whether machines ask memory by sending it messages. Protocols before 2019 call functions, and in older ones memory has no data
    /// of its own and returns what it is sent.
    fn asks_memory(&self) -> bool {
        let memory = Some(self.types.known.memory);
        let mut ports = self.machines.iter().flat_map(|machine| machine.out_ports.values());
        let mut calls = self.machines.iter().flat_map(|machine| &machine.called);
        let mut buffers = self.machines.iter().flat_map(|machine| machine.buffers.values());
        ports.any(|port| self.types.find(None, &port.message.text) == memory)
            && !calls.any(|name| name.starts_with("queueMemory"))
            && !buffers.any(|buffer| attribute(&buffer.pairs, ECHO).is_some())
    }

    /// Makes a message to memory the answer: of the same type, sent by the machine that asked, and with the one on whose behalf it did.
    pub(super) fn answer(&self, instance: usize, message: &mut Message) {
        let at = |name: &str| self.field(message.of, name).map(|(at, _)| at);
        let [asked, sender, kind] = ["OriginalRequestorMachId", "Sender", "Type"].map(at);
        for (field, value) in message.fields.iter_mut().enumerate() {
            if Some(field) != kind && Some(field) != sender {
                *value = Value::Any;
            }
        }
        if let (Some(asked), Some(sender)) = (asked, sender) {
            let own = self.kind_of(instance).map_or(Value::Any, Value::Machines);
            message.fields[asked] = std::mem::replace(&mut message.fields[sender], own);
        }
    }

    /// Notes the structures that come out of containers of the library, which fill them.
    fn note_foreign(&mut self) {
        for (_, of) in self.types.iter() {
            let is_container = matches!(of.kind, TypeKind::Value | TypeKind::Library);
            let results = of.methods.values().flatten().map(|method| method.result);
            let is_structure = |of: &TypeId| self.types[*of].kind == TypeKind::Structure;
            self.foreign.extend(results.filter(is_structure).filter(|_| is_container));
        }
    }

    /// Notes the fields that methods with a body assign to.
    fn note_loose(&mut self) {
        let all = self.protocol.loaded.declarations.iter();
        for declaration in all {
            match declaration {
                Declaration::Structure(structure) => self.note_methods(None, structure),
                Declaration::Machine(machine) => {
                    for one in &machine.body {
                        if let Declaration::Structure(structure) = one {
                            self.note_methods(Some(&machine.name.text), structure);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn note_methods(&mut self, machine: Option<&str>, structure: &ast::Structure) {
        let Some(of) = self.types.find(machine, &structure.name.text) else { return };
        for body in structure.methods.iter().filter_map(|method| method.body.as_ref()) {
            visit::block(body, &mut |node| {
                let changed = match node {
                    Node::Statement(statement) => match &statement.kind {
                        StatementKind::Assign { target, .. } => target,
                        _ => return,
                    },
                    Node::Expression(one) => match &one.kind {
                        ExpressionKind::Method { object, .. } => &**object,
                        _ => return,
                    },
                };
                for (at, field) in self.types[of].order.iter().enumerate() {
                    if mentions(changed, field) {
                        self.loose.insert((of, at));
                    }
                }
            });
        }
    }

    /// The name of the machine of an instance.
    pub(super) fn machine(&self, instance: usize) -> &MachineModel<'a> {
        &self.machines[self.instances[instance].machine]
    }

    /// The type of a name as seen from an instance.
    pub(super) fn find(&self, instance: usize, name: &str) -> Option<TypeId> {
        let machine = self.machine(instance);
        let found = machine.types.get(name).copied();
        found.or_else(|| self.types.find(Some(&machine.declared.name.text), name))
    }

    /// Whether values of a type are followed: enumerations, truth values and integers.
    pub(super) fn is_followed(&self, of: TypeId) -> bool {
        let found = &self.types[of];
        let known = &self.types.known;
        matches!(found.kind, TypeKind::Enumeration { .. })
            || of == known.bool
            || of == known.int
            || matches!(&*found.name, "uint32_t" | "uint64_t")
    }

    /// A value that is known to be of a type.
    pub(super) fn typed(&self, value: Value, of: TypeId) -> Value {
        let known = &self.types.known;
        match (&self.types[of].kind, value) {
            (TypeKind::Entry, Value::Pointer(pointer)) => {
                let of = if of == known.entry { pointer.of } else { Some(of) };
                Value::Pointer(Pointer { of, ..pointer })
            }
            (TypeKind::Entry, _) => Value::Pointer(Pointer::any(Some(of))),
            (TypeKind::Structure, _) => Value::Pointer(Pointer::valid(Some(of))),
            (_, Value::Of(words)) if of == known.bool => {
                Value::words(words.iter().map(|word| i64::from(*word != 0)))
            }
            (_, value) => value,
        }
    }

    /// The initial value of a field.
    pub(super) fn initial(&self, of: TypeId, field: usize) -> &Value {
        self.initials[of].get(field).unwrap_or(&Value::Any)
    }

    /// Whether nothing is known of a field, since other code than the protocol's assigns to it.
    pub(super) fn is_untracked(&self, of: TypeId, field: usize) -> bool {
        self.foreign.contains(&of)
            || self.loose.contains(&(of, field))
            || self.types[of].kind == TypeKind::Library
    }

    /// The index and type of a field.
    pub(super) fn field(&self, of: TypeId, name: &str) -> Option<(usize, TypeId)> {
        self.fields[of].get(name).copied()
    }

    /// A message whose fields have their initial values.
    pub(super) fn fresh_message(&self, of: TypeId) -> Message {
        Message { of, fields: self.initials[of].clone() }
    }

    /// The fields by which messages of a type are told apart.
    pub(super) fn kinds(&self, of: TypeId) -> Vec<usize> {
        let owner = &self.types[of];
        let is_kind = |name: &str| {
            let of = &self.types[owner.fields[name].of];
            matches!(of.kind, TypeKind::Enumeration { .. }) && !INCIDENTAL.contains(&&*of.name)
                || name == DESTINATION
        };
        let fields = owner.order.iter().enumerate();
        fields.filter(|(_, name)| is_kind(name)).map(|(at, _)| at).collect()
    }

    /// The channels from which an in_port of an instance gets messages; `None` if it does not read a buffer of messages.
    pub(super) fn sources(&self, instance: usize, port: &'a InPort) -> Option<Vec<Channel<'a>>> {
        let machine = self.machine(instance);
        let buffer: &'a Object = machine.buffers.get(&*port.buffer.text)?;
        if &*buffer.kind.text != "MessageBuffer" {
            return None;
        }
        if let Some(number) = network(buffer) {
            return Some(vec![Channel::Network(number)]);
        }
        let own = Channel::Own(instance, &buffer.name.text);
        let is_written = machine.out_ports.values().any(|out| out.buffer.text == port.buffer.text);
        Some(if is_written { vec![own] } else { vec![own, Channel::Wired] })
    }

    /// The channel into which an out_port of an instance sends.
    pub(super) fn target(&self, instance: usize, port: &str) -> Channel<'a> {
        let machine = self.machine(instance);
        let out: Option<&'a OutPort> = machine.out_ports.get(port).copied();
        let buffer = out.map(|out| &out.buffer);
        let declared = buffer.and_then(|buffer| machine.buffers.get(&*buffer.text));
        if let Some(number) = declared.and_then(|buffer| network(buffer)) {
            return Channel::Network(number);
        }
        let is_read =
            |name: &ast::Name| machine.in_ports.values().any(|port| port.buffer.text == name.text);
        match buffer {
            Some(name) if is_read(name) => Channel::Own(instance, &name.text),
            _ => Channel::Wired,
        }
    }

    /// The initial value of a parameter or variable of an instance, with its type; `None` if there is none of this name.
    pub(super) fn member(&self, instance: usize, name: &str) -> Option<&(Value, TypeId)> {
        self.members[instance].get(name)
    }

    /// The parameters and variables of an instance.
    fn members_of(&self, instance: usize) -> FxHashMap<&'a str, (Value, TypeId)> {
        let machine = self.machine(instance);
        let role = &self.instances[instance].role;
        let program = machine.program;
        let parameters = program.parameters.iter().map(|one| {
            let given = (self.world.parameters)(role, &one.name);
            (one, given.map_or(Value::Any, Value::words))
        });
        let variables = program.variables.iter().map(|one| {
            let word = program.initial.get(usize::from(one.offset));
            let word = word.filter(|_| one.default.is_none() && self.is_followed(one.of));
            (one, word.map_or(Value::Any, |word| Value::word(*word as i64)))
        });
        let all = variables.chain(parameters);
        all.map(|(one, value)| (&*one.name, (self.typed(value, one.of), one.of))).collect()
    }

    /// The type of the result of a function that the runtime provides.
    pub(super) fn result(&self, instance: usize, name: &str) -> Option<TypeId> {
        self.machine(instance).results.get(name).copied()
    }
}

/// The virtual network of a buffer.
fn network(buffer: &Object) -> Option<&str> {
    attribute(&buffer.pairs, "network")?;
    attribute(&buffer.pairs, "virtual_network")
}

/// Whether a name stands in an expression.
fn mentions(whole: &Expression, wanted: &str) -> bool {
    let mut found = false;
    visit::expression(whole, &mut |node| {
        if let Node::Expression(one) = node {
            found |= match &one.kind {
                ExpressionKind::Name(name) => &*name.text == wanted,
                ExpressionKind::Field { field, .. } => &*field.text == wanted,
                _ => false,
            };
        }
    });
    found
}

impl<'a> MachineModel<'a> {
    fn new(protocol: &'a Protocol, declared: &'a ast::Machine) -> Option<MachineModel<'a>> {
        let name = &declared.name.text;
        let outline = protocol.outline.machine(name)?;
        let program = protocol.program.machines.iter().find(|one| one.name == *name)?;
        let table = outline.entries.iter().enumerate();
        let mut model = MachineModel {
            declared,
            outline,
            program,
            functions: FxHashMap::default(),
            actions: FxHashMap::default(),
            in_ports: FxHashMap::default(),
            out_ports: FxHashMap::default(),
            buffers: declared.parameters.iter().map(|one| (&*one.name.text, one)).collect(),
            called: FxHashSet::default(),
            results: FxHashMap::default(),
            table: table.map(|(at, entry)| ((entry.state, entry.event), at)).collect(),
            types: FxHashMap::default(),
        };
        let types = &protocol.program.types;
        model.types.extend(types.iter().map(|(at, of)| (&*of.name, at)));
        // Its own types hide others of the same name.
        let own = types
            .iter()
            .filter_map(|(at, of)| Some((of.name.strip_prefix(&**name)?.strip_prefix('_')?, at)));
        model.types.extend(own);
        let all = protocol.loaded.declarations.iter().chain(&declared.body);
        all.for_each(|declaration| model.declare(types, declaration));
        Some(model)
    }

    fn declare(&mut self, types: &Types, declaration: &'a Declaration) {
        match declaration {
            Declaration::Function(function) => self.declare_function(types, function),
            Declaration::Action(action) => {
                self.actions.insert(&action.name.text, action);
                self.read(&action.body);
            }
            Declaration::InPort(port) => {
                self.in_ports.insert(&port.name.text, port);
                self.read(&port.body);
            }
            Declaration::OutPort(port) => {
                self.out_ports.insert(&port.name.text, port);
            }
            Declaration::Object(object) => {
                self.buffers.insert(&object.name.text, object);
            }
            Declaration::Structure(structure) => {
                structure
                    .methods
                    .iter()
                    .filter_map(|one| one.body.as_ref())
                    .for_each(|body| self.read(body));
            }
            _ => {}
        }
    }

    fn declare_function(&mut self, types: &Types, function: &'a Function) {
        match &function.body {
            Some(body) => {
                self.functions.entry(&function.name.text).or_default().push(function);
                self.read(body);
            }
            None => {
                let result = types.find(Some(&self.declared.name.text), &function.result.text);
                self.results.extend(result.map(|of| (&*function.name.text, of)));
            }
        }
    }

    /// Notes which functions a body calls.
    fn read(&mut self, body: &'a ast::Block) {
        visit::block(body, &mut |node| {
            if let Node::Expression(Expression {
                kind: ExpressionKind::Call { function, .. },
                ..
            }) = node
            {
                self.called.insert(&function.text);
            }
        });
    }
}
