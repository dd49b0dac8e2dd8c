//! The accesses of actions to the fields of `cache_entry` and `tbe`, in order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Action, Binary, Block, Declaration, Expression, ExpressionKind, Function, Machine, Statement,
    StatementKind,
};
use crate::visit::{self, Node};

/// The two objects of a transition: its cache entry and its TBE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Entry = 0,
    Tbe = 1,
}

/// The objects that may have the name of a kind, `cache_entry` or `tbe`, at some place of a transition. They are
/// numbered in the order in which they get the name: object 0 has it before the transition.
pub(super) type Objects = Vec<usize>;

/// A field of an object of a transition.
type FieldOf<'a> = (Kind, Objects, &'a str);

/// An access of a transition to a field.
#[derive(Clone, Debug)]
pub(super) enum Step<'a> {
    /// The field is read, or updated from its old value. If it is only copied, `to` is the field that receives the copy.
    Reads { kind: Kind, objects: Objects, field: &'a str, to: Option<FieldOf<'a>> },
    /// The field is overwritten.
    Writes { kind: Kind, objects: Objects, field: &'a str },
}

impl Step<'_> {
    /// The numbers of the objects that the step accesses.
    pub(super) fn objects(&self) -> impl Iterator<Item = usize> {
        let (own, to): (&[usize], &[usize]) = match self {
            Step::Writes { objects, .. } => (objects, &[]),
            Step::Reads { objects, to, .. } => {
                (objects, to.as_ref().map_or(&[], |(_, objects, _)| objects))
            }
        };
        own.iter().chain(to).copied()
    }
}

/// The accesses of the actions of a transition to fields.
#[derive(Clone, Debug)]
pub(super) struct Steps<'a> {
    /// The steps in order, except that the step which reads the source of a copy follows the step which writes its
    /// destination.
    pub steps: Vec<Step<'a>>,
    /// For each kind, the objects that may have its name at the end.
    pub end: [Objects; 2],
}

/// An access of an action to a field, or a change of the object that has a name, in the order of the text.
#[derive(Clone, Debug)]
enum Use<'a> {
    /// A field is read, or copied to another one.
    Reads(Kind, &'a str, Option<(Kind, &'a str)>),
    /// A field is overwritten. Recorded only where the action certainly reaches the assignment.
    Writes(Kind, &'a str),
    /// Another object may get the name of this kind.
    Gets(Kind, Given),
    /// The object may lose the name of this kind; the flag says whether it certainly does.
    Loses(Kind, bool),
}

/// How an object gets its name.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// Whether it has just been allocated.
    is_fresh: bool,
    is_certain: bool,
}

/// The uses of fields in the code of a machine.
pub(super) struct Text<'a> {
    actions: FxHashMap<&'a str, Vec<Use<'a>>>,
    /// The fields that are read in other ways than by the names `cache_entry` and `tbe` in actions.
    elsewhere: FxHashSet<&'a str>,
    /// For each kind, whether its fields cannot be analysed, because code uses objects of that kind as a whole.
    opaque: [bool; 2],
}

/// The functions for gem5's functional accesses, which simulated cores never make.
const FUNCTIONAL: [&str; 3] = ["functionalRead", "functionalWrite", "functionalReadBuffers"];

impl<'a> Text<'a> {
    /// Reads the code of a machine. Returns `None` if code other than `setState` changes the fields `states`, which
    /// hold the state.
    pub(super) fn of(machine: &'a Machine, states: &[&str]) -> Option<Text<'a>> {
        let mut text = Text {
            actions: FxHashMap::default(),
            elsewhere: FxHashSet::default(),
            opaque: [false; 2],
        };
        let own = machine.body.iter().filter_map(|declaration| match declaration {
            Declaration::Function(function) if function.body.is_some() => {
                Some(&*function.name.text)
            }
            _ => None,
        });
        let functions: FxHashSet<&str> = own.collect();
        for declaration in &machine.body {
            match declaration {
                Declaration::Action(action) => {
                    let reader = Reader::read(action, &functions, &mut text);
                    text.actions.insert(&action.name.text, reader);
                }
                Declaration::InPort(port) => text.elsewhere(&port.body),
                Declaration::Function(function) => {
                    let is_functional = FUNCTIONAL.contains(&&*function.name.text);
                    function
                        .body
                        .iter()
                        .filter(|_| !is_functional)
                        .for_each(|body| text.elsewhere(body));
                }
                _ => {}
            }
        }
        let is_left_to_gem5 = machine.body.iter().all(|declaration| match declaration {
            Declaration::Action(action) => keeps_states(&action.body, states),
            Declaration::InPort(port) => keeps_states(&port.body, states),
            Declaration::Function(function) if &*function.name.text == "setState" => {
                sets_given_state(function, states)
            }
            Declaration::Function(function) => {
                function.body.iter().all(|body| keeps_states(body, states))
            }
            _ => true,
        });
        is_left_to_gem5.then_some(text)
    }

    /// Whether a field is read in other ways than by actions of its line's transitions.
    pub(super) fn is_read_elsewhere(&self, field: &str) -> bool {
        self.elsewhere.contains(field)
    }

    /// Whether the fields of a kind cannot be analysed.
    pub(super) fn is_opaque(&self, kind: Kind) -> bool {
        self.opaque[kind as usize]
    }

    /// Notes the fields that a port or function reads.
    fn elsewhere(&mut self, body: &'a Block) {
        let mut written: Vec<&Expression> = Vec::new();
        visit::block(body, &mut |node| match node {
            Node::Statement(statement) => {
                if let StatementKind::Assign { target, .. } = &statement.kind {
                    written.push(target);
                }
            }
            Node::Expression(whole) => {
                if let ExpressionKind::Field { object, field } = &whole.kind
                    && !is_message(object)
                    && !written.iter().any(|target| std::ptr::eq(*target, whole))
                {
                    self.elsewhere.insert(&field.text);
                }
            }
        });
    }

    /// The accesses of the actions of a transition to fields.
    pub(super) fn steps<'n>(&self, actions: impl Iterator<Item = &'n str>) -> Steps<'a> {
        let mut steps = Vec::new();
        let mut objects: [Objects; 2] = [vec![0], vec![0]];
        let mut count = [1, 1];
        for one in actions.filter_map(|name| self.actions.get(name)).flatten() {
            match one {
                Use::Reads(kind, field, to) => steps.push(Step::Reads {
                    kind: *kind,
                    objects: objects[*kind as usize].clone(),
                    field,
                    to: to.map(|(kind, field)| (kind, objects[kind as usize].clone(), field)),
                }),
                Use::Writes(kind, field) => steps.push(Step::Writes {
                    kind: *kind,
                    objects: objects[*kind as usize].clone(),
                    field,
                }),
                Use::Gets(kind, Given { is_certain, .. }) => {
                    let own = &mut objects[*kind as usize];
                    if *is_certain {
                        own.clear();
                    }
                    own.push(count[*kind as usize]);
                    count[*kind as usize] += 1;
                }
                Use::Loses(kind, is_certain) => {
                    if *is_certain {
                        objects[*kind as usize].clear();
                    }
                }
            }
        }
        Steps { steps, end: objects }
    }

    /// Notes as read elsewhere the fields that a transition reads of objects that existed before and get their name
    /// within the transition: such an object may have another state.
    pub(super) fn note_known<'n>(&mut self, actions: impl Iterator<Item = &'n str>) {
        let mut is_known = [false; 2];
        for one in actions.filter_map(|name| self.actions.get(name)).flatten() {
            match one {
                Use::Gets(kind, given) => is_known[*kind as usize] |= !given.is_fresh,
                Use::Reads(kind, field, _) if is_known[*kind as usize] => {
                    self.elsewhere.insert(field);
                }
                _ => {}
            }
        }
    }
}

/// Whether `setState` assigns nothing but the state that it is given to the fields `states`.
fn sets_given_state(function: &Function, states: &[&str]) -> bool {
    let is_given = |value: &Expression| {
        let ExpressionKind::Name(name) = &value.kind else { return false };
        function.parameters.iter().any(|one| {
            &*one.kind.text == "State" && one.name.as_ref().is_some_and(|own| own.text == name.text)
        })
    };
    let mut sets = true;
    function.body.iter().for_each(|body| {
        visit::block(body, &mut |node| {
            if let Node::Statement(statement) = node
                && let StatementKind::Assign { target, value } = &statement.kind
                && let ExpressionKind::Field { field, .. } = &target.kind
            {
                sets &= !states.contains(&&*field.text) || is_given(value);
            }
        });
    });
    sets
}

/// Whether code neither changes the fields `states` nor calls `setState`.
fn keeps_states(body: &Block, states: &[&str]) -> bool {
    let mut keeps = true;
    visit::block(body, &mut |node| match node {
        Node::Statement(Statement { kind: StatementKind::Assign { target, .. }, .. }) => {
            if let ExpressionKind::Field { object, field } = &target.kind {
                keeps &= is_message(object) || !states.contains(&&*field.text);
            }
        }
        Node::Expression(Expression { kind: ExpressionKind::Call { function, .. }, .. }) => {
            keeps &= &*function.text != "setState";
        }
        _ => {}
    });
    keeps
}

/// Whether an expression is `in_msg` or `out_msg`.
fn is_message(object: &Expression) -> bool {
    matches!(&object.kind, ExpressionKind::Name(name) if ["in_msg", "out_msg"].contains(&&*name.text))
}

/// The object that a name stands for in an action.
fn kind_of(object: &Expression) -> Option<Kind> {
    match &object.kind {
        ExpressionKind::Name(name) if &*name.text == "cache_entry" => Some(Kind::Entry),
        ExpressionKind::Name(name) if &*name.text == "tbe" => Some(Kind::Tbe),
        _ => None,
    }
}

/// The field of `cache_entry` or `tbe` that an expression names.
fn field_of(whole: &Expression) -> Option<(Kind, &str)> {
    match &whole.kind {
        ExpressionKind::Field { object, field } => Some((kind_of(object)?, &field.text)),
        _ => None,
    }
}

/// Walks over the statements of an action and notes its uses of the two objects.
struct Reader<'a, 't> {
    functions: &'t FxHashSet<&'a str>,
    text: &'t mut Text<'a>,
    uses: Vec<Use<'a>>,
    /// The tables and caches in which the action has allocated until now.
    allocated: Vec<&'a str>,
    /// Whether the action certainly reaches the current statement.
    is_certain: bool,
}

impl<'a> Reader<'a, '_> {
    fn read(
        action: &'a Action,
        functions: &FxHashSet<&'a str>,
        text: &mut Text<'a>,
    ) -> Vec<Use<'a>> {
        let mut reader =
            Reader { functions, text, uses: Vec::new(), allocated: Vec::new(), is_certain: true };
        reader.block(&action.body);
        reader.uses
    }

    fn block(&mut self, block: &'a Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Expression(inner) | StatementKind::Return(inner) => {
                self.expression(inner)
            }
            StatementKind::Assign { target, value } => self.assign(target, value),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                let was_certain = std::mem::replace(&mut self.is_certain, false);
                let allocated = self.allocated.len();
                self.block(then);
                self.allocated.truncate(allocated);
                otherwise.iter().for_each(|block| self.block(block));
                self.allocated.truncate(allocated);
                self.is_certain = was_certain;
            }
            StatementKind::Enqueue { latency, bypass, body, .. } => {
                latency.iter().chain(bypass).for_each(|inner| self.expression(inner));
                self.block(body);
            }
            StatementKind::Defer { body, .. } | StatementKind::Peek { body, .. } => {
                self.block(body)
            }
            StatementKind::StallAndWait { .. }
            | StatementKind::WakeupPort { .. }
            | StatementKind::CheckOnCacheProbe { .. }
            | StatementKind::CheckAllocate(_)
            | StatementKind::CheckNextCycle
            | StatementKind::CheckStopSlots => {}
        }
    }

    fn assign(&mut self, target: &'a Expression, value: &'a Expression) {
        let (to, from) = (field_of(target), field_of(value));
        if from.is_none() {
            self.expression(value);
        }
        match (to, &target.kind) {
            _ if to == from => {}
            (Some((kind, field)), _) if self.is_certain => self.uses.push(Use::Writes(kind, field)),
            (Some(_), _) => {}
            (None, ExpressionKind::Field { object, .. }) if is_message(object) => {}
            // Writing a field of another object does not read the field.
            (None, ExpressionKind::Field { object, .. }) => self.expression(object),
            (None, _) => self.expression(target),
        }
        // The read follows the write of the copy, since the analysis goes backwards and must know whether the copy is
        // live.
        self.uses.extend(from.map(|(kind, field)| Use::Reads(kind, field, to)));
    }

    fn expressions(&mut self, all: &'a [Expression]) {
        all.iter().for_each(|inner| self.expression(inner));
    }

    /// Notes the uses in expressions, leaving out those that are an object as a whole.
    fn whole_or(&mut self, all: &'a [Expression]) {
        all.iter()
            .filter(|inner| kind_of(inner).is_none())
            .for_each(|inner| self.expression(inner));
    }

    fn expression(&mut self, whole: &'a Expression) {
        if let Some((kind, field)) = field_of(whole) {
            return self.uses.push(Use::Reads(kind, field, None));
        }
        if let Some(kind) = kind_of(whole) {
            self.text.opaque[kind as usize] = true;
        }
        match &whole.kind {
            ExpressionKind::Field { object, field } => {
                if !is_message(object) {
                    self.text.elsewhere.insert(&field.text);
                    self.expression(object);
                }
            }
            ExpressionKind::Call { function, arguments } => self.call(&function.text, arguments),
            ExpressionKind::Method { object, method, arguments } => {
                // A method of the entry itself concerns what the cache records about it, not its fields.
                if kind_of(object).is_none() {
                    self.expression(object);
                }
                // `setMRU` concerns the entry's place in the cache, not its fields.
                if &*method.text == "setMRU" {
                    self.whole_or(arguments);
                } else {
                    self.expressions(arguments);
                }
                if let (ExpressionKind::Name(object), "allocate") = (&object.kind, &*method.text) {
                    self.allocated.push(&object.text);
                }
            }
            ExpressionKind::Valid { value, .. } if kind_of(value).is_some() => {}
            ExpressionKind::Valid { value, .. }
            | ExpressionKind::Cast { value, .. }
            | ExpressionKind::Unary { value, .. } => self.expression(value),
            ExpressionKind::Binary { operator: Binary::Equal | Binary::NotEqual, left, right } => {
                for side in [left, right].into_iter().filter(|side| kind_of(side).is_none()) {
                    self.expression(side);
                }
            }
            ExpressionKind::Binary { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            ExpressionKind::StaticCall { arguments, .. } => self.expressions(arguments),
            ExpressionKind::Index { object, indices } => {
                self.expression(object);
                self.expressions(indices);
            }
            // A local variable of this name hides the object or message.
            ExpressionKind::Local { name, .. } => {
                if ["cache_entry", "tbe", "in_msg", "out_msg"].contains(&&*name.text) {
                    self.text.opaque = [true; 2];
                }
            }
            ExpressionKind::Name(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Enumerator { .. }
            | ExpressionKind::Null
            | ExpressionKind::New(_) => {}
        }
    }

    fn call(&mut self, function: &'a str, arguments: &'a [Expression]) {
        let is_certain = self.is_certain;
        match function {
            "set_cache_entry" | "set_tbe" => {
                self.whole_or(arguments);
                let is_fresh = arguments.first().is_some_and(|one| self.is_allocated(one));
                let kind = if function == "set_tbe" { Kind::Tbe } else { Kind::Entry };
                self.uses.push(Use::Gets(kind, Given { is_fresh, is_certain }));
            }
            "unset_cache_entry" => self.uses.push(Use::Loses(Kind::Entry, is_certain)),
            "unset_tbe" => self.uses.push(Use::Loses(Kind::Tbe, is_certain)),
            // Values that are only printed have no effect on the protocol.
            "DPRINTF" | "DPRINTFN" | "APPEND_TRANSITION_COMMENT" => {}
            // The fields that a function reads were noted as read elsewhere.
            _ if self.functions.contains(function) => self.whole_or(arguments),
            _ => self.expressions(arguments),
        }
    }

    /// Whether an expression is an object that the action has allocated.
    fn is_allocated(&self, whole: &Expression) -> bool {
        let is_table = |object: &Expression| matches!(&object.kind, ExpressionKind::Name(name) if self.allocated.contains(&&*name.text));
        match &whole.kind {
            ExpressionKind::Method { method, object, .. } => {
                &*method.text == "allocate" || &*method.text == "lookup" && is_table(object)
            }
            ExpressionKind::Index { object, .. } => is_table(object),
            ExpressionKind::Cast { value, .. } => self.is_allocated(value),
            _ => false,
        }
    }
}
