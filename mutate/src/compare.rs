//! Compares the code of two protocols.

use rustc_hash::FxHashMap;

use slicc::compile::code::{Function, Machine, Member, Need, Program, Transition};
use slicc::compile::op::{Op, control};
use slicc::compile::types::TypeId;

use crate::touched::same_needs;

/// A machine in each of two protocols that are compared.
pub(crate) struct Comparison<'a> {
    programs: (&'a Program, &'a Program),
    /// The machine in each protocol.
    pub machines: (&'a Machine, &'a Machine),
    /// For each control word of the first machine, the corresponding one of the second.
    words: Vec<Option<u16>>,
    /// Results of compared functions, by their first instructions. A function whose comparison is
    /// in progress counts as equal, so that recursion ends.
    known: FxHashMap<(u32, u32), bool>,
}

/// A range of instructions.
pub(crate) type Stretch = std::ops::Range<usize>;

impl<'a> Comparison<'a> {
    /// Creates a comparison of a machine of one protocol with a machine of another.
    pub(crate) fn new(
        ours: &'a Program,
        machine: &'a Machine,
        theirs: &'a Program,
        other: &'a Machine,
    ) -> Comparison<'a> {
        Comparison {
            programs: (ours, theirs),
            machines: (machine, other),
            words: counterparts(ours, machine, theirs, other),
            known: FxHashMap::default(),
        }
    }

    /// Compares names of states and events, permissions, variables and their initial values.
    pub(crate) fn members(&self, elsewhere: &mut Vec<String>) {
        let (ours, theirs) = self.machines;
        let name = &ours.name;
        if (&ours.states, &ours.permissions) != (&theirs.states, &theirs.permissions) {
            elsewhere.push(format!("the states of {name}"));
        }
        if ours.events != theirs.events {
            elsewhere.push(format!("the events of {name}"));
        }
        for (one, other) in [(ours, theirs), (theirs, ours)] {
            for member in members(one) {
                let found = members(other).find(|found| found.name == member.name);
                let same = found.is_some_and(|found| {
                    one.initial.get(usize::from(member.offset))
                        == other.initial.get(usize::from(found.offset))
                });
                if !same {
                    elsewhere.push(format!("the variable {} of {name}", member.name));
                }
            }
        }
        elsewhere.dedup();
        if self.words.iter().any(Option::is_none) {
            elsewhere.push(format!("the types of variables of {name}"));
        }
    }

    /// Compares the ports, and the latency of requests to the mandatory queue.
    pub(crate) fn ports(&mut self, elsewhere: &mut Vec<String>) {
        let (ours, theirs) = self.machines;
        let name = &ours.name;
        if ours.in_ports.len() != theirs.in_ports.len() {
            elsewhere.push(format!("the number of ports of {name}"));
        }
        for (one, other) in ours.in_ports.iter().zip(&theirs.in_ports) {
            let same = one.name == other.name
                && self.word(one.buffer, other.buffer)
                && (one.rank, one.timers, one.guarded) == (other.rank, other.timers, other.guarded)
                && self.function(one.code, other.code);
            if !same {
                elsewhere.push(format!("the port {} of {name}", one.name));
            }
        }
        let called = [
            ("mandatoryQueueLatency", ours.mandatory_latency, theirs.mandatory_latency),
            ("enqueuePrefetch", ours.enqueue_prefetch, theirs.enqueue_prefetch),
        ];
        for (function, one, other) in called {
            let same = match (one, other) {
                (Some(one), Some(other)) => self.function(one, other),
                (one, other) => one.is_none() && other.is_none(),
            };
            if !same {
                elsewhere.push(format!("{function} of {name}"));
            }
        }
    }

    /// The transition of the second machine for the same state and event.
    pub(crate) fn counterpart(&self, one: &Transition) -> Option<&'a Transition> {
        let (ours, theirs) = self.machines;
        let state = position(&theirs.states, &ours.states[usize::from(one.state)])?;
        let event = position(&theirs.events, &ours.events[usize::from(one.event)])?;
        let cell = theirs.table.get(state * theirs.events.len() + event)?;
        theirs.transitions.get(cell.checked_sub(1)? as usize)
    }

    /// Whether two transitions do the same.
    pub(crate) fn transition(&mut self, one: &Transition, other: &Transition) -> bool {
        self.frame(one, other) && self.function(one.code, other.code)
    }

    /// Whether two transitions are equal except for their actions.
    pub(crate) fn frame(&self, one: &Transition, other: &Transition) -> bool {
        let (ours, theirs) = self.machines;
        let name = |machine: &'a Machine, next: Option<u16>| {
            next.map(|next| &machine.states[usize::from(next)])
        };
        let needs: Option<Vec<Need>> = one.needs.iter().map(|need| self.need(*need)).collect();
        name(ours, one.next) == name(theirs, other.next)
            && one.stalls == other.stalls
            && needs.is_some_and(|needs| same_needs(&needs, &other.needs))
    }

    fn need(&self, need: Need) -> Option<Need> {
        let object = (*self.words.get(usize::from(need.object))?)?;
        Some(Need { object, ..need })
    }

    /// Whether two functions do the same.
    pub(crate) fn function(&mut self, one: Function, other: Function) -> bool {
        let key = (one.start, other.start);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        self.known.insert(key, true);
        let (ours, theirs) = (extent(self.programs.0, one), extent(self.programs.1, other));
        let same = self.stretch(ours, theirs);
        if !same {
            // Results that assumed these two to be equal are no longer valid.
            self.known.retain(|_, same| !*same);
            self.known.insert(key, false);
        }
        same
    }

    /// Whether two ranges of instructions do the same. Jumps that leave both ranges have to lead to
    /// failures.
    pub(crate) fn stretch(&mut self, one: Stretch, other: Stretch) -> bool {
        if one.len() != other.len() {
            return false;
        }
        let (length, starts) = (one.len(), (one.start, other.start));
        (0..length).all(|at| self.instruction(starts, at, length))
    }

    fn instruction(&mut self, starts: (usize, usize), at: usize, length: usize) -> bool {
        let (ours, theirs) = self.programs;
        let (left, right) = (starts.0 + at, starts.1 + at);
        let (one, other) = (ours.code[left], theirs.code[right]);
        if let (Some(target), Some(opposite)) = (one.target(), other.target()) {
            let (to, there) = (at as i64 + 1 + target, at as i64 + 1 + opposite);
            let inside = |to: i64| (0..=length as i64).contains(&to);
            let fails = |program: &Program, start: usize, to: i64| {
                let op = usize::try_from(start as i64 + to).ok();
                matches!(op.and_then(|op| program.code.get(op)), Some(Op::Assert))
            };
            let lead_alike = match (inside(to), inside(there)) {
                (true, true) => to == there,
                (false, false) => fails(ours, starts.0, to) && fails(theirs, starts.1, there),
                _ => false,
            };
            return lead_alike && self.same(aimed(one), aimed(other));
        }
        let is_text = at + 1 < length && self.names_texts(one, other, left, right);
        is_text || self.same(one, other)
    }

    /// Whether two instructions load the indices of equal texts.
    fn names_texts(&self, one: Op, other: Op, left: usize, right: usize) -> bool {
        let (ours, theirs) = self.programs;
        let (Op::Small { to, value }, Op::Small { to: too, value: number }) = (one, other) else {
            return false;
        };
        let uses = |program: &Program, at: usize, register| match program.code[at + 1] {
            Op::Error { text } => text == register,
            Op::Comment { of, from } => {
                from == register && usize::from(of) == program.types.known.text
            }
            _ => false,
        };
        let text = |program: &'a Program, number: i32| {
            usize::try_from(number).ok().and_then(|at| program.texts.get(at))
        };
        to == too
            && uses(ours, left, to)
            && uses(theirs, right, too)
            && text(ours, value).is_some_and(|found| Some(found) == text(theirs, number))
    }

    /// Whether two instructions, which are not jumps, do the same.
    fn same(&mut self, one: Op, other: Op) -> bool {
        let (ours, theirs) = self.programs;
        match (one, other) {
            (Op::Call { function, base }, Op::Call { function: f, base: b }) => {
                let function = ours.functions[usize::from(function)];
                base == b && self.function(function, theirs.functions[usize::from(f)])
            }
            (Op::Constant { to, index }, Op::Constant { to: t, index: i }) => {
                to == t && ours.constants[usize::from(index)] == theirs.constants[usize::from(i)]
            }
            (Op::Lookup { to, from, table }, Op::Lookup { to: t, from: f, table: other }) => {
                let found = &theirs.tables[usize::from(other)];
                (to, from) == (t, f) && ours.tables[usize::from(table)] == *found
            }
            _ => self.translated(one).is_some_and(|one| one == other),
        }
    }

    /// An instruction of the first protocol, with the control words and types of the second.
    fn translated(&self, mut op: Op) -> Option<Op> {
        let word = |offset: &mut u16| -> Option<()> {
            *offset = (*self.words.get(usize::from(*offset))?)?;
            Some(())
        };
        let of = |id: &mut u16| -> Option<()> {
            *id = u16::try_from(self.type_of(usize::from(*id))?).ok()?;
            Some(())
        };
        match &mut op {
            Op::LoadControl { offset, .. }
            | Op::StoreControl { offset, .. }
            | Op::ControlAddress { offset, .. } => word(offset)?,
            Op::LoadThrough { control, .. }
            | Op::StoreThrough { control, .. }
            | Op::AddressThrough { control, .. }
            | Op::JumpIfNull { control, .. }
            | Op::JumpUnlessNull { control, .. } => word(control)?,
            Op::Peek { buffer, message, .. } | Op::PeekSure { buffer, message, .. } => {
                word(buffer)?;
                of(message)?;
            }
            Op::BlockOn { buffer, .. }
            | Op::Send { buffer, .. }
            | Op::Defer { buffer, .. }
            | Op::StallAndWait { buffer, .. }
            | Op::WakeupPort { buffer, .. }
            | Op::CheckProbe { buffer, .. } => word(buffer)?,
            Op::Initialize { of: id, .. }
            | Op::NewMessage { message: id, .. }
            | Op::NewEntry { of: id, .. }
            | Op::Comment { of: id, .. } => of(id)?,
            _ => {}
        }
        Some(op)
    }

    fn word(&self, one: u16, other: u16) -> bool {
        self.words.get(usize::from(one)) == Some(&Some(other))
    }

    /// The type of the second protocol with the name of a type of the first.
    fn type_of(&self, of: TypeId) -> Option<TypeId> {
        let (ours, theirs) = self.programs;
        theirs.types.find(None, &ours.types[of].name)
    }
}

/// The parameters and variables of a machine.
fn members(machine: &Machine) -> impl Iterator<Item = &Member> {
    machine.parameters.iter().chain(&machine.variables)
}

/// Computes, for each control word of a machine, the corresponding one in the other protocol.
fn counterparts(
    ours: &Program,
    machine: &Machine,
    theirs: &Program,
    other: &Machine,
) -> Vec<Option<u16>> {
    let mut words = vec![None; machine.initial.len()];
    for (offset, word) in (0..control::FREE).zip(&mut words) {
        *word = Some(offset);
    }
    for member in members(machine) {
        let same = |found: &&Member| {
            let type_name = |program: &Program, of| program.types[of].name.clone();
            let element = |program: &Program, member: &Member| {
                member.element.map(|of| type_name(program, of))
            };
            found.name == member.name
                && type_name(ours, member.of) == type_name(theirs, found.of)
                && element(ours, member) == element(theirs, found)
        };
        let Some(found) = members(other).find(same) else {
            continue;
        };
        let width = ours.types[member.of].fresh().len() as u16;
        for word in 0..width {
            if let Some(own) = words.get_mut(usize::from(member.offset + word)) {
                *own = Some(found.offset + word);
            }
        }
    }
    words
}

fn position(names: &[Box<str>], name: &str) -> Option<usize> {
    names.iter().position(|one| **one == *name)
}

/// The same jump with target 0.
fn aimed(mut op: Op) -> Op {
    op.aim(0);
    op
}

/// Whether execution never continues after an instruction.
pub(crate) fn is_last(op: Op) -> bool {
    matches!(
        op,
        Op::Jump { .. }
            | Op::Return { .. }
            | Op::Leave
            | Op::Stall { .. }
            | Op::End
            | Op::PortEnd
            | Op::Handled
            | Op::Error { .. }
            | Op::Assert
            | Op::NoResult
    )
}

/// The instructions of a function, up to the last one that can be reached. Jumps lead forward.
pub(crate) fn extent(program: &Program, function: Function) -> Stretch {
    let start = function.start as usize;
    let mut end = start + 1;
    for (at, op) in program.code.iter().enumerate().skip(start) {
        if at >= end {
            break;
        }
        if !is_last(*op) {
            end = end.max(at + 2);
        }
        if let Some(target) = op.target() {
            end = end.max(usize::try_from(at as i64 + 2 + target).unwrap_or(end));
        }
    }
    start..end.min(program.code.len())
}
