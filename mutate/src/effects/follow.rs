//! Derives the effects of an action from its compiled code.
//!
//! Code has no loops, so it is followed once, from front to back. The contents of registers are
//! tracked as far as they matter: whether a register holds the handle of a library object, or
//! points into an entry, a TBE or a message. All cache entries count as one object, as do all TBEs
//! and all directory entries, since two pointers may be equal. An instruction that does not fit
//! these assumptions makes all effects of the action unknown.

use std::ops::Range;

use slicc::ast;
use slicc::ast::attribute;
use slicc::compile::code::{Function, Machine, Program};
use slicc::compile::op::{Op, Register, control};
use slicc::protocol::Protocol;

use super::super::compare::{extent, is_last};
use super::super::library;
use super::{Access, Effects, RegisterValue, Resource, Space};

/// The contents of registers, from the bottom of the outermost frame on.
#[derive(Clone, Debug, Default)]
struct Registers(Vec<RegisterValue>);

impl Registers {
    fn get(&self, at: usize) -> RegisterValue {
        self.0.get(at).copied().unwrap_or(RegisterValue::Opaque)
    }

    fn set(&mut self, at: usize, held: RegisterValue) {
        if self.0.len() <= at {
            self.0.resize(at + 1, RegisterValue::Opaque);
        }
        self.0[at] = held;
    }

    /// Joins the contents of registers on two paths that meet: what both agree on remains known.
    fn join(&mut self, other: &Registers) {
        self.0.truncate(other.0.len());
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one = one.or(*other);
        }
    }
}

/// Largest depth of calls that is followed.
const DEEPEST_CALLS: usize = 16;

/// The parts of a machine, in addition to the code of its actions, on which the effects of actions depend.
pub(crate) struct Surroundings<'a> {
    /// The compiled protocol.
    pub program: &'a Program,
    pub machine: &'a Machine,
    /// The virtual network of each buffer to which the machine sends, by control word.
    networks: Vec<(u16, u32)>,
    /// The buffers in which messages may be set aside.
    pub parking: Vec<u16>,
    /// Whether `cache_entry` always points to a cache entry, and `tbe` to a TBE.
    is_sound: bool,
}

impl<'a> Surroundings<'a> {
    /// Collects the parts of a machine on which the effects of its actions depend.
    pub(crate) fn new(protocol: &'a Protocol, machine: &'a Machine) -> Surroundings<'a> {
        let program = &*protocol.program;
        let declared = protocol.machines().find(|one| one.name.text == machine.name);
        let networks = declared.map_or_else(Vec::new, |declared| networks(declared, machine));
        let sets_aside = |op: &Op| match op {
            Op::StallAndWait { buffer, .. } => Some(*buffer),
            _ => None,
        };
        let mut parking: Vec<u16> = program.code.iter().filter_map(sets_aside).collect();
        parking.sort_unstable();
        parking.dedup();
        let mut surroundings = Surroundings { program, machine, networks, parking, is_sound: true };
        surroundings.is_sound = surroundings.code_is_sound();
        surroundings
    }

    /// Whether no port and no transition sets `cache_entry` or `tbe` to another kind of object.
    fn code_is_sound(&self) -> bool {
        let ports = self.machine.in_ports.iter().map(|port| port.code);
        let transitions = self.machine.transitions.iter().map(|one| one.code);
        let mut codes: Vec<Function> = ports.chain(transitions).collect();
        // Transitions with the same actions share their code.
        codes.sort_unstable_by_key(|code| code.start);
        codes.dedup_by_key(|code| code.start);
        codes.into_iter().all(|code| {
            let mut walk = Walk::new(self);
            walk.function(extent(self.program, code), 0, Registers::default());
            walk.is_sound
        })
    }

    /// The control word of a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<u16> {
        let mut all = self.machine.parameters.iter();
        all.find(|one| &*one.name == name).map(|one| one.offset)
    }

    fn is_wire(&self, buffer: u16) -> bool {
        let mut all = self.machine.parameters.iter();
        let of = all.find(|one| one.offset == buffer).map(|one| one.of);
        of.is_none_or(|of| &*self.program.types[of].name != "MessageBuffer")
    }

    /// Derives the effects of the action in a range of instructions.
    pub(crate) fn effects(&self, action: Range<usize>) -> Effects {
        let mut walk = Walk::new(self);
        walk.function(action, 0, Registers::default());
        let mut effects = walk.effects;
        effects.unknown |= !walk.is_sound || !self.is_sound;
        effects
    }
}

/// The virtual networks to which a machine sends, by control word.
fn networks(declared: &ast::Machine, machine: &Machine) -> Vec<(u16, u32)> {
    let sends = declared.parameters.iter().filter_map(|one| {
        let to = attribute(&one.pairs, "network") == Some("To");
        let number = attribute(&one.pairs, "virtual_network")?.parse().ok()?;
        to.then_some((&*one.name.text, number))
    });
    let word = |(name, number): (&str, u32)| {
        let found = machine.parameters.iter().find(|one| &*one.name == name)?;
        Some((found.offset, number))
    };
    sends.filter_map(word).collect()
}

/// The state while code is followed.
pub(crate) struct Walk<'a, 's> {
    /// The context of the code.
    pub surroundings: &'s Surroundings<'a>,
    /// The effects found so far.
    pub effects: Effects,
    registers: Registers,
    /// The first register of the current frame.
    frame: usize,
    depth: usize,
    is_sound: bool,
}

impl<'a, 's> Walk<'a, 's> {
    fn new(surroundings: &'s Surroundings<'a>) -> Walk<'a, 's> {
        Walk {
            surroundings,
            effects: Effects::default(),
            registers: Registers::default(),
            frame: 0,
            depth: 0,
            is_sound: true,
        }
    }

    /// Follows a range of instructions, whose frame starts at register `frame`. Returns the
    /// function's result.
    fn function(
        &mut self,
        code: Range<usize>,
        frame: usize,
        registers: Registers,
    ) -> RegisterValue {
        let before = (std::mem::replace(&mut self.frame, frame), self.depth);
        self.depth += 1;
        // The registers at the targets of jumps ahead.
        let mut arriving: Vec<(usize, Registers)> = Vec::new();
        let mut here = Some(registers);
        let mut result: Option<RegisterValue> = None;
        for at in code.clone() {
            arriving.retain(|(to, registers)| {
                if *to == at {
                    match &mut here {
                        Some(here) => here.join(registers),
                        None => here = Some(registers.clone()),
                    }
                }
                *to != at
            });
            let Some(registers) = here.take() else {
                continue;
            };
            self.registers = registers;
            let op = self.surroundings.program.code[at];
            if let Some(target) = op.target() {
                match usize::try_from(at as i64 + 1 + target) {
                    Ok(to) if to > at => self.jump(to, &code, &mut arriving),
                    _ => self.effects.unknown = true,
                }
            }
            if let Op::Return { from } = op {
                let given = self.get(from);
                result = Some(result.map_or(given, |known| known.or(given)));
            }
            self.instruction(op);
            let registers = std::mem::take(&mut self.registers);
            here = (!is_last(op)).then_some(registers);
        }
        (self.frame, self.depth) = before;
        result.unwrap_or(RegisterValue::Opaque)
    }

    /// Follows a jump. One that leaves an action leads to a failure, or to the end of the action.
    fn jump(&mut self, to: usize, code: &Range<usize>, arriving: &mut Vec<(usize, Registers)>) {
        if to < code.end {
            arriving.push((to, self.registers.clone()));
        } else {
            let op = self.surroundings.program.code.get(to);
            self.effects.fails |= matches!(op, Some(Op::Assert));
        }
    }

    /// The content of a register of the current frame.
    pub(crate) fn get(&self, register: Register) -> RegisterValue {
        self.registers.get(self.frame + usize::from(register))
    }

    /// Sets the content of a register of the current frame.
    pub(crate) fn set(&mut self, register: Register, held: RegisterValue) {
        self.registers.set(self.frame + usize::from(register), held);
    }

    /// Records an access.
    pub(crate) fn touch(&mut self, thing: Resource, how: Access) {
        let access = (thing, how);
        if !self.effects.accesses.contains(&access) {
            self.effects.accesses.push(access);
        }
    }

    /// Records an access to a control word.
    fn control(&mut self, offset: u16, how: Access) {
        self.touch(Resource::Words(Space::Control, offset..offset + 1), how);
    }

    /// Records an access to the words at an address.
    pub(crate) fn at(&mut self, address: RegisterValue, offset: u16, width: u16, how: Access) {
        let RegisterValue::Pointer(space, start) = address else {
            // A null pointer ends the run; any other address is unknown.
            self.effects.unknown = true;
            return;
        };
        let Some(from) = start.checked_add(offset) else {
            self.effects.unknown = true;
            return;
        };
        let words = from..from.saturating_add(width);
        match space {
            Space::Frame if how != Access::Read => {
                for register in words {
                    self.registers.set(usize::from(register), RegisterValue::Opaque);
                }
            }
            Space::Frame | Space::Fresh => {}
            // The access to the message was recorded where it was peeked.
            Space::Peeked if how == Access::Read => {}
            Space::Peeked | Space::New => self.effects.unknown = true,
            Space::Control | Space::Entry | Space::Tbe | Space::Directory => {
                self.effects.fails |= space != Space::Control;
                self.touch(Resource::Words(space, words), how);
            }
        }
    }

    /// The pointer in a control word, if it is one of the implicit pointers.
    fn through(&mut self, word: u16) -> RegisterValue {
        self.control(word, Access::Read);
        match word {
            control::ENTRY => RegisterValue::Pointer(Space::Entry, 0),
            control::TBE => RegisterValue::Pointer(Space::Tbe, 0),
            _ => RegisterValue::Opaque,
        }
    }

    fn moved(address: RegisterValue, offset: u16) -> RegisterValue {
        match address {
            RegisterValue::Pointer(space, start) => match start.checked_add(offset) {
                Some(at) => RegisterValue::Pointer(space, at),
                None => RegisterValue::Opaque,
            },
            _ => RegisterValue::Opaque,
        }
    }

    fn instruction(&mut self, op: Op) {
        match op {
            Op::Small { to, value } => {
                self.set(to, if value == 0 { RegisterValue::Zero } else { RegisterValue::Opaque })
            }
            Op::Move { to, from } => self.set(to, self.get(from)),
            Op::Load { to, base, offset } => {
                self.at(self.get(base), offset, 1, Access::Read);
                self.set(to, RegisterValue::Opaque);
            }
            Op::Store { base, offset, .. } | Op::StoreSmall { base, offset, .. } => {
                self.at(self.get(base), offset, 1, Access::Set);
            }
            Op::LoadControl { to, offset } => {
                let held = match self.through(offset) {
                    RegisterValue::Opaque => RegisterValue::Control(offset),
                    pointer => pointer,
                };
                self.set(to, held);
            }
            Op::StoreControl { offset, from } => self.store_control(offset, from),
            Op::LoadThrough { to, control, offset } => {
                let base = self.through(control);
                self.at(base, offset, 1, Access::Read);
                self.set(to, RegisterValue::Opaque);
            }
            Op::StoreThrough { control, offset, .. } => {
                let base = self.through(control);
                self.at(base, offset, 1, Access::Set);
            }
            Op::AddressThrough { to, control, offset } => {
                self.effects.fails = true;
                let base = self.through(control);
                self.set(to, Self::moved(base, offset));
            }
            Op::Address { to, base, offset } => {
                self.effects.fails = true;
                self.set(to, Self::moved(self.get(base), offset));
            }
            Op::FrameAddress { to, register } => {
                let at = u16::try_from(self.frame + usize::from(register));
                let held =
                    at.map_or(RegisterValue::Opaque, |at| RegisterValue::Pointer(Space::Frame, at));
                self.set(to, held);
            }
            Op::ControlAddress { to, offset } => {
                self.set(to, RegisterValue::Pointer(Space::Control, offset))
            }
            Op::Copy { to, from, words } => {
                self.at(self.get(from), 0, words, Access::Read);
                self.at(self.get(to), 0, words, Access::Set);
            }
            Op::Initialize { to, of } => {
                let fresh = self.surroundings.program.types[usize::from(of)].fresh();
                for (at, word) in (self.frame + usize::from(to)..).zip(fresh) {
                    let held = if *word == 0 { RegisterValue::Zero } else { RegisterValue::Opaque };
                    self.registers.set(at, held);
                }
            }
            Op::EqualWords { to, left, words } => {
                self.at(self.get(left), 0, words, Access::Read);
                self.at(self.get(left + 1), 0, words, Access::Read);
                self.set(to, RegisterValue::Opaque);
            }
            Op::JumpIfNull { control, .. } | Op::JumpUnlessNull { control, .. } => {
                self.control(control, Access::Read);
            }
            Op::NewMessage { to, .. } => self.set(to, RegisterValue::Pointer(Space::Fresh, 0)),
            Op::NewEntry { to, .. } => self.set(to, RegisterValue::Pointer(Space::New, 0)),
            Op::Call { function, base } => self.call(function, base),
            Op::Library { function, base } => library::apply(self, function, base),
            Op::Comment { from, .. } => {
                if let pointer @ RegisterValue::Pointer(..) = self.get(from) {
                    self.at(pointer, 0, self.widest(), Access::Read);
                }
                self.touch(Resource::Comment, Access::Change);
            }
            _ => self.further(op),
        }
    }

    /// Follows instructions about queues, calculations, and instructions that end code.
    fn further(&mut self, op: Op) {
        match op {
            Op::Constant { to, .. }
            | Op::Add { to, .. }
            | Op::Subtract { to, .. }
            | Op::Multiply { to, .. }
            | Op::ShiftLeft { to, .. }
            | Op::ShiftRight { to, .. }
            | Op::Narrow { to }
            | Op::Equal { to, .. }
            | Op::NotEqual { to, .. }
            | Op::Less { to, .. }
            | Op::LessEqual { to, .. }
            | Op::Below { to, .. }
            | Op::BelowEqual { to, .. }
            | Op::Not { to, .. } => self.set(to, RegisterValue::Opaque),
            Op::Divide { to, .. } | Op::Remainder { to, .. } | Op::Lookup { to, .. } => {
                self.effects.fails = true;
                self.set(to, RegisterValue::Opaque);
            }
            Op::Jump { .. }
            | Op::JumpIf { .. }
            | Op::JumpUnless { .. }
            | Op::JumpIfSmall { .. }
            | Op::JumpUnlessSmall { .. }
            | Op::Return { .. }
            | Op::Leave => {}
            Op::Error { .. } | Op::Assert | Op::NoResult => self.effects.fails = true,
            Op::PeekSure { to, buffer, .. } | Op::Peek { to, buffer, .. } => {
                self.effects.fails = true;
                self.touch(Resource::Head(buffer), Access::Read);
                self.set(to, RegisterValue::Pointer(Space::Peeked, 0));
            }
            Op::Send { buffer, .. } => self.send(buffer),
            Op::StallAndWait { buffer, .. } => {
                self.effects.fails = true;
                self.touch(Resource::Head(buffer), Access::Change);
                self.touch(Resource::Parked, Access::Change);
            }
            Op::WakeupPort { .. } | Op::WakeUp { .. } => self.wake(),
            Op::NextCycle => {
                self.effects.timing = true;
                self.touch(Resource::Wakeup, Access::Set);
            }
            Op::Trigger { base, .. } => {
                self.effects.unknown = true;
                self.set(base, RegisterValue::Opaque);
            }
            _ => self.effects.unknown = true,
        }
    }

    /// Follows a store to a control word. The implicit pointers have to keep their kind.
    fn store_control(&mut self, offset: u16, from: Register) {
        self.control(offset, Access::Set);
        let wanted = match offset {
            control::ENTRY => Space::Entry,
            control::TBE => Space::Tbe,
            _ => return,
        };
        self.is_sound &= match self.get(from) {
            RegisterValue::Zero => true,
            RegisterValue::Pointer(space, 0) => space == wanted,
            _ => false,
        };
    }

    /// Records that a message is sent to a buffer.
    fn send(&mut self, buffer: u16) {
        self.effects.fails = true;
        self.effects.timing = true;
        self.touch(Resource::Tail(buffer), Access::Change);
        let mut all = self.surroundings.networks.iter();
        if let Some((_, network)) = all.find(|(own, _)| *own == buffer) {
            self.touch(Resource::Network(*network), Access::Change);
        } else if self.surroundings.is_wire(buffer) {
            self.touch(Resource::Wires, Access::Change);
        }
    }

    /// Records that messages which were set aside return to their buffers.
    pub(crate) fn wake(&mut self) {
        self.effects.timing = true;
        self.touch(Resource::Parked, Access::Set);
        for buffer in &self.surroundings.parking {
            self.touch(Resource::Head(*buffer), Access::Set);
        }
    }

    /// Follows a call of a function, whose frame starts at a register of this one.
    fn call(&mut self, function: u16, base: Register) {
        if self.depth >= DEEPEST_CALLS {
            self.effects.unknown = true;
            return;
        }
        let program = self.surroundings.program;
        let code = extent(program, program.functions[usize::from(function)]);
        let frame = self.frame + usize::from(base);
        let mut registers = std::mem::take(&mut self.registers);
        let mut kept = registers.clone();
        kept.0.truncate(frame);
        // The callee may have been given the addresses of variables of the caller.
        let lends = |held: &RegisterValue| matches!(held, RegisterValue::Pointer(Space::Frame, at) if usize::from(*at) < frame);
        if registers.0.iter().skip(frame).any(lends) {
            kept = Registers::default();
        }
        let result = self.function(code, frame, std::mem::take(&mut registers));
        self.registers = kept;
        self.registers.set(frame, result);
    }

    /// Number of words of the widest value with methods in the library.
    pub(crate) fn widest(&self) -> u16 {
        let types = &self.surroundings.program.types;
        let known = types.known;
        let wide = [known.block, known.mask, known.set, known.destinations];
        wide.iter().map(|of| types[*of].width() as u16).max().unwrap_or(0)
    }
}
