//! Requests that are under way: a sequencer passes no second request for a line to its controller before the first is complete.
//!
//! For each controller that serves cores or a device, this follows one line: which states it goes through, and for which of the
//! controller's sequencers a request for it is under way, which has left the mandatory queue and is not complete. An entry of the table
//! that such a request would trigger is taken only in a state to which a line comes while no request of that sequencer is under way.
//!
//! It is sound if the state of a line changes by its transitions only: `getState` returns what `setState` was given last, or, if the
//! line has neither a cache entry nor a TBE after a transition, what it returns then. So nothing is followed in a machine that
//! assigns the state elsewhere, that allocates or deallocates outside of actions, whose code completes requests outside of actions,
//! or that puts requests into the mandatory queue itself. What is known of a request only ever errs to *not under way*: it has left
//! the queue if an action surely removes it, and is complete if an action may complete it. A device's requests lie within a line each, as
//! those of gem5's devices do.

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::indices;
use super::environment::Environment;
use super::interpreter::{Context, Interpreter, Row};
use super::model::MachineModel;
use super::store::Channel;
use super::value::{Pointer, Value};
use crate::ast::{
    Block, Declaration, Expression, ExpressionKind, Object, Statement, StatementKind, attribute,
};
use crate::requests::is_sequencer;
use crate::visit::{self, Node};

/// The type of the parameter through which a machine gets the requests of a DMA device.
const DMA_SEQUENCER: &str = "DMASequencer";

/// The type of its messages.
const DMA_MESSAGE: &str = "SequencerMsg";

/// The buffer through which the requests of cores and devices come.
const MANDATORY: &str = "mandatoryQueue";

/// The methods of sequencers that complete no request for a line.
const INCOMPLETE: [&str; 8] = [
    "evictionCallback",
    "invL1Callback",
    "invalidateSC",
    "llscCheckMonitor",
    "llscClearLocalMonitor",
    "recordRequestType",
    "checkResourceAvailable",
    "unaddressedCallback",
];

/// The methods by which tables of entries and TBEs get and lose a line.
const ALLOCATING: [&str; 4] = ["allocate", "allocateVoid", "deallocate", "invalidateBlock"];

/// Sequencers of a controller: a bit for each, in the order of declaration.
pub(super) type Sequencers = u32;

/// What the actions of a machine that serves cores or a device do with their requests.
#[derive(Debug, Default)]
pub(super) struct CoreActions<'a> {
    /// The number of sequencers.
    pub sequencers: u8,
    /// The actions that surely remove the message from the mandatory queue.
    removing: FxHashSet<&'a str>,
    /// The actions that may set the message aside, or put it back.
    keeping: FxHashSet<&'a str>,
    /// The sequencers whose request for the line of the transition an action may complete.
    completing: FxHashMap<&'a str, Sequencers>,
    /// The same for the request at the head of the mandatory queue.
    completing_head: FxHashMap<&'a str, Sequencers>,
    /// The same for requests for any line.
    completing_any: FxHashMap<&'a str, Sequencers>,
    /// The states in which a line may be at any time: those that methods of entries and TBEs set, which the library may call, and those
    /// that `getState` returns whatever is stored.
    given: Vec<u16>,
}

impl<'a> CoreActions<'a> {
    /// Of a machine whose lines can be followed.
    pub(super) fn of(machine: &MachineModel<'a>) -> Option<CoreActions<'a>> {
        let is_of_requests = |one: &&Object| is_sequencer(one) || &*one.kind.text == DMA_SEQUENCER;
        let sequencers = machine.declared.parameters.iter().filter(is_of_requests);
        let sequencers: Vec<&str> = sequencers.map(|one| &*one.name.text).collect();
        let mut ports = machine.in_ports.values().filter(|port| &*port.buffer.text == MANDATORY);
        let port = ports.next()?;
        let is_sent = machine.out_ports.values().any(|port| &*port.buffer.text == MANDATORY);
        // An object of the library may fill the buffer that its constructor names.
        let is_filled = is_sent
            || machine.declared.body.iter().any(|one| {
                let Declaration::Object(object) = one else { return false };
                let constructor = attribute(&object.pairs, "constructor");
                constructor.is_some_and(|text| text.contains(MANDATORY))
            });
        let mut parameters = machine.declared.parameters.iter();
        if parameters.any(|one| one.kind.text.ends_with("Coalescer")) {
            // Requests of GPUs come otherwise.
            return None;
        }
        let StateSources { fields, constants } = StateSources::of(machine)?;
        let is_simple = ports.next().is_none() && !is_filled && has_own_states(machine, &fields);
        if sequencers.is_empty() || sequencers.len() > 8 || !is_simple {
            return None;
        }
        let mut given = given_states(machine, &fields)?;
        given.extend(constants);
        let mut found =
            CoreActions { sequencers: sequencers.len() as u8, given, ..CoreActions::default() };
        for (name, action) in &machine.actions {
            found.read_action(name, &action.body, &port.name.text, &sequencers);
        }
        let outside = outside_of_actions(machine);
        let completes = |body: &'a Block| {
            let mut methods = Vec::new();
            each_method(body, &mut |object, method, _| methods.push((object, method)));
            methods.into_iter().any(|(object, method)| {
                ALLOCATING.contains(&method)
                    || sequencers.contains(&object) && !INCOMPLETE.contains(&method)
            })
        };
        let is_of_actions = !outside.into_iter().any(completes);
        is_of_actions.then_some(found)
    }

    fn read_action(&mut self, name: &'a str, body: &'a Block, port: &str, sequencers: &[&'a str]) {
        let is_removal = |one: &Statement| match &one.kind {
            StatementKind::Expression(Expression {
                kind: ExpressionKind::Method { object, method, .. },
                ..
            }) => is_name(object, port) && &*method.text == "dequeue",
            _ => false,
        };
        if body.statements.iter().any(is_removal) {
            self.removing.insert(name);
        }
        visit::block(body, &mut |node| {
            if let Node::Statement(statement) = node
                && let StatementKind::StallAndWait { port: other, .. } = &statement.kind
                && *other.text == *port
            {
                self.keeping.insert(name);
            }
        });
        let mut peeks = Vec::new();
        visit::block(body, &mut |node| {
            if let Node::Statement(statement) = node
                && let StatementKind::Peek { port, .. } = &statement.kind
            {
                peeks.push(&*port.text);
            }
        });
        each_method(body, &mut |object, method, arguments| {
            if object == port && method != "dequeue" {
                self.keeping.insert(name);
            }
            let Some(at) = sequencers.iter().position(|one| *one == object) else { return };
            if INCOMPLETE.contains(&method) {
                return;
            }
            let is_own = arguments.iter().any(|one| is_name(one, "address"));
            let of = match arguments.first() {
                Some(_) if is_own => &mut self.completing,
                Some(address) if peeks == [port] && is_line_of_message(address) => {
                    &mut self.completing_head
                }
                _ => &mut self.completing_any,
            };
            *of.entry(name).or_default() |= 1 << at;
        });
    }
}

/// From where a machine's `getState` takes the state of a line.
#[derive(Default)]
struct StateSources<'a> {
    fields: FxHashSet<&'a str>,
    /// The states that it returns whatever `setState` was given.
    constants: Vec<u16>,
}

impl<'a> StateSources<'a> {
    /// `None` if it takes the state from elsewhere than fields, such as a variable of the controller.
    fn of(machine: &MachineModel<'a>) -> Option<StateSources<'a>> {
        let mut found = Some(StateSources::default());
        for body in machine.functions.get("getState")?.iter().filter_map(|one| one.body.as_ref()) {
            visit::block(body, &mut |node| {
                let Node::Statement(statement) = node else { return };
                let StatementKind::Return(value) = &statement.kind else { return };
                match (&value.kind, &mut found) {
                    (ExpressionKind::Field { field, .. }, Some(found)) => {
                        found.fields.insert(&field.text);
                    }
                    (_, Some(known)) => match state_named(machine, value) {
                        Some(state) => known.constants.push(state),
                        None => found = None,
                    },
                    _ => {}
                }
            });
        }
        found
    }
}

/// The state that an expression names.
fn state_named(machine: &MachineModel<'_>, value: &Expression) -> Option<u16> {
    let ExpressionKind::Enumerator { value, .. } = &value.kind else { return None };
    let at = machine.outline.states.iter().position(|one| *one.name == *value.text)?;
    u16::try_from(at).ok()
}

/// Whether only `setState` assigns to the fields with states, apart from methods of entries and TBEs, and only the state that it is given.
fn has_own_states(machine: &MachineModel<'_>, fields: &FxHashSet<&str>) -> bool {
    let actions = machine.actions.values().map(|action| (None, &action.body));
    let functions = machine.functions.values().flatten().filter_map(|function| {
        let is_setter = &*function.name.text == "setState";
        let mut parameters = function.parameters.iter();
        let given = parameters.find(|one| is_setter && &*one.kind.text == "State");
        let given = given.and_then(|one| one.name.as_ref());
        Some((given.map(|name| &*name.text), function.body.as_ref()?))
    });
    let ports = machine.in_ports.values().map(|port| (None, &port.body));
    let mut is_own = true;
    for (given, body) in actions.chain(functions).chain(ports) {
        each_assignment(body, &mut |target, value| {
            let is_state = matches!(&target.kind, ExpressionKind::Field { field, .. } if fields.contains(&*field.text));
            is_own &= !is_state || given.is_some_and(|given| is_name(value, given));
        });
    }
    is_own
}

/// The states that methods of entries and TBEs assign to these fields; `None` if one assigns more than a constant.
fn given_states(machine: &MachineModel<'_>, fields: &FxHashSet<&str>) -> Option<Vec<u16>> {
    let mut given = Some(Vec::new());
    for declaration in &machine.declared.body {
        let Declaration::Structure(structure) = declaration else { continue };
        for body in structure.methods.iter().filter_map(|one| one.body.as_ref()) {
            each_assignment(body, &mut |target, value| {
                let is_state = match &target.kind {
                    ExpressionKind::Name(name) => fields.contains(&*name.text),
                    ExpressionKind::Field { field, .. } => fields.contains(&*field.text),
                    _ => true,
                };
                match (is_state, state_named(machine, value), &mut given) {
                    (true, Some(state), Some(given)) => given.push(state),
                    (true, None, _) => given = None,
                    _ => {}
                }
            });
        }
    }
    given
}

/// Calls `see` for each assignment, with its target and value.
fn each_assignment<'a>(body: &'a Block, see: &mut dyn FnMut(&'a Expression, &'a Expression)) {
    visit::block(body, &mut |node| {
        if let Node::Statement(statement) = node
            && let StatementKind::Assign { target, value } = &statement.kind
        {
            see(target, value);
        }
    });
}

/// The bodies of ports, and of functions that actions do not call alone.
fn outside_of_actions<'a>(machine: &MachineModel<'a>) -> Vec<&'a Block> {
    let functions = machine.functions.values().flatten().filter_map(|one| one.body.as_ref());
    let ports = machine.in_ports.values().map(|port| &port.body);
    functions.chain(ports).collect()
}

/// Calls `see` for each call of a method of a named object: with the names of object and method, and the arguments.
fn each_method<'a>(body: &'a Block, see: &mut dyn FnMut(&'a str, &'a str, &'a [Expression])) {
    visit::block(body, &mut |node| {
        if let Node::Expression(one) = node
            && let ExpressionKind::Method { object, method, arguments } = &one.kind
        {
            let name = match &object.kind {
                ExpressionKind::Name(name) => &*name.text,
                _ => "",
            };
            see(name, &method.text, arguments);
        }
    });
}

fn is_name(one: &Expression, wanted: &str) -> bool {
    matches!(&one.kind, ExpressionKind::Name(name) if *name.text == *wanted)
}

/// Whether an expression is `in_msg.LineAddress`.
fn is_line_of_message(one: &Expression) -> bool {
    let ExpressionKind::Field { object, field } = &one.kind else { return false };
    is_name(object, "in_msg") && &*field.text == "LineAddress"
}

/// The states of a line after an entry of the table was taken.
#[derive(Debug, Default)]
pub(super) struct Ends {
    states: FxHashSet<u16>,
    /// Whether the line may have neither an entry nor a TBE, so that its state is written nowhere.
    is_unwritten: bool,
}

/// The lines of a controller that serves cores or a device.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    actions: CoreActions<'a>,
    /// The states of lines, each with the sequencers whose requests are under way.
    reached: FxHashMap<u16, FxHashSet<Sequencers>>,
    ends: FxHashMap<(Row, Context<'a>), Ends>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(actions: CoreActions<'a>) -> Lines<'a> {
        Lines { actions, reached: FxHashMap::default(), ends: FxHashMap::default() }
    }

    /// The number of sequencers of the controller.
    pub(super) fn sequencers(&self) -> i64 {
        i64::from(self.actions.sequencers)
    }

    /// Whether a line comes into a state.
    pub(super) fn has_state(&self, state: u16) -> bool {
        self.reached.contains_key(&state)
    }

    /// Whether an entry is taken for a line: not if a request would trigger it that its sequencer holds back.
    fn allows(&self, row: Row, context: &Context<'a>) -> bool {
        let Some(known) = self.reached.get(&row.1) else { return false };
        known.iter().any(|under_way| is_passed(context, *under_way))
    }
}

/// Whether the request that triggers an event may come while others are under way.
fn is_passed(context: &Context<'_>, under_way: Sequencers) -> bool {
    context.sequencer.is_none_or(|at| under_way & (1 << at) == 0)
}

impl<'a> Interpreter<'_, 'a> {
    /// Whether an entry of the table is taken, with what is known of the run.
    pub(super) fn allows(&self, row: Row, context: &Context<'a>) -> bool {
        self.lines.get(&row.0).is_none_or(|lines| lines.allows(row, context))
    }

    /// Whether some run takes an entry of the table of an instance.
    pub(super) fn is_taken(&self, row: Row) -> bool {
        let contexts = self.rows.get(&row);
        contexts.is_some_and(|all| all.iter().any(|context| self.allows(row, context)))
    }

    /// The sequencer whose request triggers an event for its own line, if it is known.
    pub(super) fn sequencer_of(
        &self,
        address: Option<&Expression>,
        now: &Environment<'a>,
    ) -> Option<u8> {
        let (buffer, 0, at) = now.head? else { return None };
        if buffer != MANDATORY || !is_line_of_message(address?) {
            return None;
        }
        let lines = self.lines.get(&self.instance)?;
        let message = self.store.messages(Channel::Own(self.instance, buffer)).get(at)?;
        if &*self.model.types[message.of].name == DMA_MESSAGE {
            return (lines.actions.sequencers == 1).then_some(0);
        }
        let (context, _) = self.model.field(message.of, "contextId")?;
        match message.fields[context] {
            Value::Residue { rest, .. } => u8::try_from(rest).ok(),
            _ => None,
        }
    }

    /// Notes in which states an entry of the table leaves its line.
    pub(super) fn note_end(
        &mut self,
        row: Row,
        context: Context<'a>,
        next: &Value,
        now: &Environment<'a>,
    ) {
        let states = self.model.machine(row.0).outline.states.len();
        let Some(lines) = self.lines.get_mut(&row.0) else { return };
        let ends = lines.ends.entry((row, context)).or_default();
        if now.entry.valid || now.tbe.valid {
            ends.states.extend(indices(next, states));
        }
        ends.is_unwritten |= now.entry.null && now.tbe.null;
    }

    /// Follows the lines of all controllers that serve cores or devices, as far as entries of their tables were run.
    pub(super) fn follow_lines(&mut self) {
        for instance in 0..self.model.instances.len() {
            if self.lines.contains_key(&instance) {
                self.follow(instance);
            }
        }
    }

    fn follow(&mut self, instance: usize) {
        let unwritten = self.unwritten_states(instance);
        let model = self.model;
        let outline = model.machine(instance).outline;
        let Some(lines) = self.lines.get_mut(&instance) else { return };
        let mut by_state: FxHashMap<u16, Vec<(Row, &Context<'a>)>> = FxHashMap::default();
        for (row, contexts) in self.rows.iter().filter(|(row, _)| row.0 == instance) {
            by_state.entry(row.1).or_default().extend(contexts.iter().map(|one| (*row, one)));
        }
        let mut open: Vec<(u16, Sequencers)> = unwritten.iter().map(|state| (*state, 0)).collect();
        for (state, known) in &lines.reached {
            open.extend(known.iter().map(|under_way| (*state, *under_way)));
        }
        let mut completed_elsewhere = 0;
        let mut seen: FxHashSet<(u16, Sequencers)> = FxHashSet::default();
        while let Some(one @ (state, under_way)) = open.pop() {
            if !seen.insert(one) {
                continue;
            }
            // Without an entry and a TBE, other things may decide which state the line is in.
            if unwritten.contains(&state) {
                open.extend(unwritten.iter().map(|other| (*other, under_way)));
            }
            open.push((state, under_way & !completed_elsewhere));
            open.extend(lines.actions.given.iter().map(|given| (*given, under_way)));
            for (row, context) in by_state.get(&state).into_iter().flatten() {
                let Some(ends) = lines.ends.get(&(*row, **context)) else { continue };
                let Some(at) = model.machine(instance).table.get(&(row.1, row.2)) else { continue };
                if !is_passed(context, under_way) {
                    continue;
                }
                let names = outline.entries[*at].actions.iter();
                let names = names.map(|action| &*outline.actions[usize::from(*action)].name);
                let (after, others) = lines.actions.after(names, context.sequencer, under_way);
                if others & !completed_elsewhere != 0 {
                    completed_elsewhere |= others;
                    open.extend(seen.iter().map(|(state, known)| (*state, known & !others)));
                }
                open.extend(ends.states.iter().map(|state| (*state, after)));
                if ends.is_unwritten {
                    open.extend(unwritten.iter().map(|state| (*state, after)));
                }
            }
        }
        for (state, under_way) in seen {
            let is_new = lines.reached.entry(state).or_default().insert(under_way);
            self.store.has_grown |= is_new;
        }
    }

    /// The states of lines without an entry and a TBE.
    fn unwritten_states(&mut self, instance: usize) -> Vec<u16> {
        self.instance = instance;
        let mut now = Environment::new(Pointer::null(), Pointer::null());
        let state = self.hook("getState", &[], &mut now);
        if std::mem::take(&mut self.is_dead) {
            return Vec::new();
        }
        indices(&state, self.model.machine(instance).outline.states.len())
    }
}

impl<'a> CoreActions<'a> {
    /// The sequencers whose requests are under way after some actions, and those that may have completed requests for other lines.
    fn after(
        &self,
        names: impl Iterator<Item = &'a str>,
        triggering: Option<u8>,
        before: Sequencers,
    ) -> (Sequencers, Sequencers) {
        let (mut is_removed, mut is_kept) = (false, false);
        let (mut completed, mut others) = (0, 0);
        for name in names {
            let of = |map: &FxHashMap<&'a str, Sequencers>| map.get(name).copied().unwrap_or(0);
            completed |= of(&self.completing);
            others |= of(&self.completing_any);
            // The request that triggered the event is for the line, as long as it is at the head.
            let is_head_own = triggering.is_some() && !is_removed && !is_kept;
            *(if is_head_own { &mut completed } else { &mut others }) |= of(&self.completing_head);
            is_removed |= self.removing.contains(name);
            is_kept |= self.keeping.contains(name);
        }
        let new = triggering.filter(|_| is_removed && !is_kept).map_or(0, |at| 1 << at);
        ((before | new) & !completed & !others, others)
    }
}
