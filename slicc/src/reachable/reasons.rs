//! Why an entry of the table is unreachable: follows the code that would trigger its event, or lead to its state, up to what never
//! happens.

use rustc_hash::FxHashSet;

use super::interpreter::Interpreter;
use super::sites::{Owner, Site, find};
use super::value::Value;
use super::why::Why;
use crate::ast::{Binary, Expression, ExpressionKind, StatementKind, Unary};
use crate::compile::types::{TypeId, TypeKind};
use crate::outline::Next;
use crate::source::Span;

/// Number of steps from an event to what never happens.
const FARTHEST: usize = 16;

/// What never happens, so that code is not reached.
#[derive(Clone, Debug)]
enum Cause {
    Requests(String),
    NoRequests(String),
    Parameter { name: String, value: String },
    NotSent(String),
    Condition { condition: String, place: String, holds: bool },
    Nothing,
}

impl Cause {
    /// How much it tells: the lower, the more.
    fn rank(&self) -> u8 {
        match self {
            Cause::Requests(_) | Cause::NoRequests(_) => 0,
            Cause::Parameter { .. } => 1,
            Cause::NotSent(_) => 2,
            Cause::Condition { .. } => 3,
            Cause::Nothing => 4,
        }
    }

    fn is_of_world(&self) -> bool {
        self.rank() < 2
    }
}

/// A question that was asked on the way, so that it is not asked again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Asked {
    Constant(TypeId, u64),
    Function(usize, String),
    Row(usize, u16, u16),
    State(usize, u16),
}

/// Finds reasons in the result of an analysis.
pub(super) struct Reasons<'r, 'm, 'a> {
    found: &'r Interpreter<'m, 'a>,
    /// The values of enumerations that are stored or sent anywhere.
    held: FxHashSet<(TypeId, i64)>,
    asked: FxHashSet<Asked>,
}

impl<'r, 'm, 'a> Reasons<'r, 'm, 'a> {
    pub(super) fn new(found: &'r Interpreter<'m, 'a>) -> Reasons<'r, 'm, 'a> {
        let mut held = FxHashSet::default();
        let model = found.model;
        let mut add = |of: TypeId, value: &Value| {
            let TypeKind::Enumeration { values, .. } = &model.types[of].kind else { return };
            match value {
                Value::Of(words) => held.extend(words.iter().map(|word| (of, *word))),
                _ => held.extend((0..values.len() as i64).map(|word| (of, word))),
            }
        };
        found.store.each(model, &mut add);
        Reasons { found, held, asked: FxHashSet::default() }
    }

    /// Why the instances of a machine never take an entry.
    pub(super) fn of_row(&mut self, machine: usize, state: u16, event: u16) -> Why {
        let outline = self.found.model.machines[machine].outline;
        let name = outline.events[usize::from(event)].name.clone();
        self.asked.clear();
        if !self.has_instances(machine) {
            return Why::Absent(outline.name.clone());
        }
        let cause = self.cause_of_row(machine, state, event, 0);
        match cause {
            Cause::Requests(kind) => return Why::Requests(kind),
            Cause::NoRequests(buffer) => return Why::NoRequests(buffer),
            Cause::Parameter { name, value } => return Why::Parameter { name, value },
            _ => {}
        }
        let state_name = || outline.states[usize::from(state)].name.clone();
        if self.is_held_back(machine, state, event) {
            return Why::HeldBack { state: state_name(), event: name };
        }
        if self.has_event(machine, event) {
            return if self.has_state(machine, state) {
                Why::Apart { state: state_name(), event: name }
            } else {
                Why::NoState(state_name())
            };
        }
        match cause {
            Cause::NotSent(value) => Why::NotSent { event: name, value },
            Cause::Condition { condition, place, holds } => {
                Why::Condition { event: name, condition, place, holds }
            }
            _ => Why::Untriggered(name),
        }
    }

    fn has_instances(&self, machine: usize) -> bool {
        self.found.model.instances.iter().any(|one| one.machine == machine)
    }

    fn instances(&self, machine: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self.found.model.instances.iter().enumerate();
        all.filter(move |(_, one)| one.machine == machine).map(|(at, _)| at)
    }

    fn rows_of(&self, machine: usize) -> impl Iterator<Item = (u16, u16)> + '_ {
        let instances = &self.found.model.instances;
        let rows = self.found.rows.keys();
        rows.filter(move |row| instances[row.0].machine == machine).map(|row| (row.1, row.2))
    }

    fn has_event(&self, machine: usize, event: u16) -> bool {
        self.rows_of(machine).any(|row| row.1 == event)
    }

    /// Whether a line comes into a state in which something may happen.
    fn has_state(&self, machine: usize, state: u16) -> bool {
        let comes_up = |row: &(usize, u16, u16)| match self.found.lines.get(&row.0) {
            Some(lines) => lines.has_state(row.1),
            None => true,
        };
        let instances = &self.found.model.instances;
        let of_state =
            |row: &&(usize, u16, u16)| instances[row.0].machine == machine && row.1 == state;
        self.found.rows.keys().filter(of_state).any(comes_up)
    }

    /// Whether an entry would be taken if sequencers did not hold requests back.
    fn is_held_back(&self, machine: usize, state: u16, event: u16) -> bool {
        let mut instances = self.instances(machine);
        instances.any(|at| {
            let is_in_state = self.found.lines.get(&at).is_some_and(|lines| lines.has_state(state));
            is_in_state && self.found.rows.contains_key(&(at, state, event))
        })
    }

    fn cause_of_row(&mut self, machine: usize, state: u16, event: u16, depth: usize) -> Cause {
        if depth > FARTHEST || !self.asked.insert(Asked::Row(machine, state, event)) {
            return Cause::Nothing;
        }
        if !self.has_event(machine, event) {
            let name = &self.found.model.machines[machine].declared.name.text;
            let of = self.found.model.types.find(Some(name), "Event");
            return match of {
                Some(of) => self.cause_of_constant(of, u64::from(event), depth + 1),
                None => Cause::Nothing,
            };
        }
        if self.has_state(machine, state) {
            return Cause::Nothing;
        }
        self.cause_of_state(machine, state, depth + 1)
    }

    /// Why no transition leads to a state.
    fn cause_of_state(&mut self, machine: usize, state: u16, depth: usize) -> Cause {
        if !self.asked.insert(Asked::State(machine, state)) {
            return Cause::Nothing;
        }
        let entries = &self.found.model.machines[machine].outline.entries;
        let leading =
            entries.iter().filter(|one| one.next == Next::State(state) && one.state != state);
        let causes = leading.map(|one| self.cause_of_row(machine, one.state, one.event, depth));
        best(causes)
    }

    /// Why a value of an enumeration never comes up.
    fn cause_of_constant(&mut self, of: TypeId, word: u64, depth: usize) -> Cause {
        if depth > FARTHEST || !self.asked.insert(Asked::Constant(of, word)) {
            return Cause::Nothing;
        }
        let model = self.found.model;
        let mut causes = Vec::new();
        for machine in 0..model.machines.len() {
            let name = &*model.machines[machine].declared.name.text;
            let is_it = |one: &Expression| match &one.kind {
                ExpressionKind::Enumerator { family, value } => {
                    model.types.find(Some(name), &family.text) == Some(of)
                        && model.types[of].enumerator(&value.text) == Some(word)
                }
                _ => false,
            };
            for site in find(&model.machines[machine], &is_it) {
                causes.push(self.cause_of_site(machine, &site, depth + 1));
            }
        }
        best(causes.into_iter())
    }

    /// Why a place in the code is never reached.
    fn cause_of_site(&mut self, machine: usize, site: &Site<'a>, depth: usize) -> Cause {
        if depth > FARTHEST {
            return Cause::Nothing;
        }
        let instances: Vec<usize> = self.instances(machine).collect();
        let is_reached = |one: &usize| self.found.reached.contains(&(*one, site.body.span));
        if !instances.iter().any(is_reached) {
            return match site.owner {
                Owner::Action(name) => self.cause_of_action(machine, name, depth + 1),
                Owner::Function(name) => self.cause_of_function(machine, name, depth + 1),
                Owner::Port => Cause::Nothing,
            };
        }
        // All conditions around the place would have to hold. Where one never does, those within are never asked, and may tell more.
        let mut found = Cause::Nothing;
        for (statement, is_then) in &site.around {
            let is_taken = |one: &usize| {
                let known = self.found.branches.get(&(*one, statement.span));
                known.is_some_and(|known| if *is_then { known.then } else { known.otherwise })
            };
            let StatementKind::If { condition, .. } = &statement.kind else { continue };
            if !instances.iter().any(is_taken) {
                let cause = self.cause_of_condition(machine, condition, *is_then, depth + 1);
                found = best([found, cause].into_iter());
            }
        }
        found
    }

    fn cause_of_action(&mut self, machine: usize, name: &str, depth: usize) -> Cause {
        let outline = self.found.model.machines[machine].outline;
        let Some(action) = outline.actions.iter().position(|one| one.name == name) else {
            return Cause::Nothing;
        };
        let uses = outline.entries.iter().filter(|one| one.actions.contains(&(action as u16)));
        best(uses.map(|one| self.cause_of_row(machine, one.state, one.event, depth)))
    }

    fn cause_of_function(&mut self, machine: usize, name: &str, depth: usize) -> Cause {
        if !self.asked.insert(Asked::Function(machine, name.to_owned())) {
            return Cause::Nothing;
        }
        let is_call = |one: &Expression| matches!(&one.kind, ExpressionKind::Call { function, .. } if &*function.text == name);
        let sites = find(&self.found.model.machines[machine], &is_call);
        best(sites.iter().map(|site| self.cause_of_site(machine, site, depth)))
    }

    /// Why a condition never holds, or never fails.
    fn cause_of_condition(
        &mut self,
        machine: usize,
        condition: &'a Expression,
        truth: bool,
        depth: usize,
    ) -> Cause {
        let mut leaves = Vec::new();
        split(condition, truth, &mut leaves);
        let parameters = self.instances(machine).map(|instance| {
            let wrong = leaves
                .iter()
                .filter_map(|(leaf, truth)| self.wrong_parameter(instance, leaf, *truth));
            wrong.collect::<Vec<Cause>>()
        });
        let nearest =
            parameters.min_by_key(|wrong| if wrong.is_empty() { usize::MAX } else { wrong.len() });
        let mut found =
            nearest.and_then(|wrong| wrong.into_iter().next()).unwrap_or(Cause::Nothing);
        for (leaf, truth) in &leaves {
            // A field that the runtime sets by the type of a request.
            if matches!(&leaf.kind, ExpressionKind::Field { field, .. } if *truth && &*field.text == "isTlbi")
            {
                return Cause::Requests("TLBI".to_owned());
            }
            if let Some(buffer) = self.without_requests(machine, leaf).filter(|_| *truth) {
                return Cause::NoRequests(buffer);
            }
            let Some((of, word)) = self.missing(machine, leaf, *truth) else { continue };
            let cause = match self.cause_of_missing(of, word, depth) {
                Cause::Nothing => self.not_received(machine, leaf, of, word),
                cause => cause,
            };
            if cause.rank() < found.rank() {
                found = cause;
            }
        }
        if matches!(found, Cause::Nothing) {
            let sources = &self.found.model.protocol.loaded.sources;
            let (path, line, _) = sources.position(condition.span);
            let file = path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let words: Vec<&str> = sources.text(condition.span).split_whitespace().collect();
            let place = format!("{file}:{line}");
            found = Cause::Condition { condition: words.join(" "), place, holds: truth };
        }
        found
    }

    fn cause_of_missing(&mut self, of: TypeId, word: u64, depth: usize) -> Cause {
        let found = &self.found.model.types[of];
        let TypeKind::Enumeration { values, .. } = &found.kind else { return Cause::Nothing };
        let name = values.get(word as usize).map_or("", |name| &**name);
        if matches!(&*found.name, "RubyRequestType" | "SequencerRequestType") {
            let is_made = self.held.contains(&(of, word as i64));
            return if is_made { Cause::Nothing } else { Cause::Requests(name.to_owned()) };
        }
        let value = format!("{}:{name}", found.name);
        match self.cause_of_constant(of, word, depth + 1) {
            cause if cause.is_of_world() => cause,
            _ if self.held.contains(&(of, word as i64)) => Cause::Nothing,
            _ => Cause::NotSent(value),
        }
    }

    /// That a value is sent, but in no message that arrives where a comparison asks for it.
    fn not_received(&self, machine: usize, leaf: &Expression, of: TypeId, word: u64) -> Cause {
        let model = self.found.model;
        let (found, own) = (&model.types[of], &model.machines[machine]);
        let TypeKind::Enumeration { values, .. } = &found.kind else { return Cause::Nothing };
        let ExpressionKind::Binary { left, .. } = &leaf.kind else { return Cause::Nothing };
        let is_of_message = matches!(&left.kind, ExpressionKind::Field { object, .. }
            if matches!(&object.kind, ExpressionKind::Name(name) if &*name.text == "in_msg"));
        let is_around = |span: Span| {
            span.file == leaf.span.file
                && span.start <= leaf.span.start
                && leaf.span.end <= span.end
        };
        let port = own.in_ports.values().find(|port| is_around(port.body.span));
        let (true, Some(port), Some(value)) = (is_of_message, port, values.get(word as usize))
        else {
            return Cause::Nothing;
        };
        let (machine, buffer) = (&own.declared.name.text, &port.buffer.text);
        Cause::NotSent(format!("{}:{value} to {machine} through {buffer}", found.name))
    }

    /// The buffer of requests whose port a condition asks, if there are none.
    fn without_requests(&self, machine: usize, leaf: &Expression) -> Option<String> {
        let ExpressionKind::Method { object, method, .. } = &leaf.kind else { return None };
        let ExpressionKind::Name(port) = &object.kind else { return None };
        let port = self.found.model.machines[machine].in_ports.get(&*port.text).copied()?;
        if &*method.text != "isReady" || &*port.message.text != "RubyRequest" {
            return None;
        }
        let has_some = self.instances(machine).any(|one| {
            let sources = self.found.model.sources(one, port).unwrap_or_default();
            sources.into_iter().any(|channel| !self.found.store.messages(channel).is_empty())
        });
        (!has_some).then(|| port.buffer.text.to_string())
    }

    /// The value of an enumeration with which a comparison would have the given result, if its other operand never has it.
    fn missing(&self, machine: usize, leaf: &Expression, truth: bool) -> Option<(TypeId, u64)> {
        let ExpressionKind::Binary { operator, left, right } = &leaf.kind else { return None };
        if (*operator == Binary::Equal) != truth
            || !matches!(operator, Binary::Equal | Binary::NotEqual)
        {
            return None;
        }
        let name = &*self.found.model.machines[machine].declared.name.text;
        let constant = [left, right].into_iter().find_map(|side| match &side.kind {
            ExpressionKind::Enumerator { family, value } => {
                let of = self.found.model.types.find(Some(name), &family.text)?;
                Some((of, self.found.model.types[of].enumerator(&value.text)?))
            }
            _ => None,
        })?;
        let mut instances = self.instances(machine);
        let is_never = !instances.any(|one| self.found.equal.contains(&(one, leaf.span)));
        is_never.then_some(constant)
    }

    /// The parameter whose values keep a condition from having the given result.
    fn wrong_parameter(&self, instance: usize, leaf: &Expression, truth: bool) -> Option<Cause> {
        let model = self.found.model;
        let values = |one: &Expression| {
            let ExpressionKind::Name(name) = &one.kind else { return None };
            let own = model.machine(instance).program;
            own.parameters.iter().find(|known| known.name == name.text)?;
            let (value, _) = model.member(instance, &name.text)?;
            Some((name.text.to_string(), value.known()?.to_vec()))
        };
        if let Some((name, words)) = values(leaf) {
            let is_possible = words.iter().any(|word| (*word != 0) == truth);
            return (!is_possible).then(|| Cause::Parameter { name, value: truth.to_string() });
        }
        let ExpressionKind::Binary { operator, left, right } = &leaf.kind else { return None };
        let is_equal = (*operator == Binary::Equal) == truth;
        if !is_equal || !matches!(operator, Binary::Equal | Binary::NotEqual) {
            return None;
        }
        let (name, words) = values(left)?;
        let (wanted, value) = match right.kind {
            ExpressionKind::Number(number) => (i64::try_from(number).ok()?, number.to_string()),
            ExpressionKind::Bool(flag) => (i64::from(flag), flag.to_string()),
            _ => return None,
        };
        (!words.contains(&wanted)).then_some(Cause::Parameter { name, value })
    }
}

/// The parts of a condition without `&&`, `||` and `!`, each with the result that it has to have, or may have.
fn split<'a>(whole: &'a Expression, truth: bool, leaves: &mut Vec<(&'a Expression, bool)>) {
    match &whole.kind {
        ExpressionKind::Unary { operator: Unary::Not, value } => split(value, !truth, leaves),
        ExpressionKind::Binary { operator: Binary::And | Binary::Or, left, right } => {
            split(left, truth, leaves);
            split(right, truth, leaves);
        }
        _ => leaves.push((whole, truth)),
    }
}

/// The cause that tells most.
fn best(causes: impl Iterator<Item = Cause>) -> Cause {
    causes.min_by_key(Cause::rank).unwrap_or(Cause::Nothing)
}
