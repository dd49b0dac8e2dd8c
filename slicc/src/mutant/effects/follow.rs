//! What an action reads and writes, from its compiled code.
//!
//! Code is followed once, from front to back: it has no loops. What a register holds is known as far
//! as it matters: whether it names a library object, or points into an entry, a TBE, a message. All
//! entries of caches count as one object, and so do all TBEs and all entries of directories, since two
//! pointers may be to the same. An instruction that does not fit into this picture makes the whole
//! action one of which nothing is known.

use std::ops::Range;

use super::super::compare::{extent, is_last};
use super::super::library;
use super::{Effects, Held, How, Space, Thing};
use crate::ast;
use crate::compile::code::{Function, Machine, Op, Program, Register, control};
use crate::outline::attribute;
use crate::protocol::Protocol;

/// What registers hold, from the bottom of the outermost frame on.
#[derive(Clone, Debug, Default)]
struct Registers(Vec<Held>);

impl Registers {
    fn get(&self, at: usize) -> Held {
        self.0.get(at).copied().unwrap_or(Held::Opaque)
    }

    fn set(&mut self, at: usize, held: Held) {
        if self.0.len() <= at {
            self.0.resize(at + 1, Held::Opaque);
        }
        self.0[at] = held;
    }

    /// What is known whichever way one came.
    fn join(&mut self, other: &Registers) {
        self.0.truncate(other.0.len());
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one = one.or(*other);
        }
    }
}

/// How deep functions may call each other.
const MOST_DEPTH: usize = 16;

/// What effects of a machine's actions depend on besides their code.
pub(in crate::mutant) struct Surroundings<'a> {
    /// The program.
    pub program: &'a Program,
    /// The machine.
    pub machine: &'a Machine,
    /// The virtual networks of the buffers that it sends to, by control word.
    networks: Vec<(u16, u32)>,
    /// Buffers that may have something set aside.
    pub parking: Vec<u16>,
    /// Whether `cache_entry` and `tbe` are always of a cache and of a table of TBEs.
    is_tidy: bool,
}

impl<'a> Surroundings<'a> {
    /// Those of a machine.
    pub fn new(protocol: &'a Protocol, machine: &'a Machine) -> Surroundings<'a> {
        let program = &*protocol.program;
        let declared = protocol.machines().find(|one| one.name.text == machine.name);
        let networks = declared.map_or_else(Vec::new, |declared| networks(declared, machine));
        let parks = |op: &Op| match op {
            Op::StallAndWait { buffer, .. } => Some(*buffer),
            _ => None,
        };
        let mut parking: Vec<u16> = program.code.iter().filter_map(parks).collect();
        parking.sort_unstable();
        parking.dedup();
        let mut surroundings = Surroundings { program, machine, networks, parking, is_tidy: true };
        surroundings.is_tidy = surroundings.code_is_tidy();
        surroundings
    }

    /// Whether no port and no transition takes an entry of another kind for that of the line.
    fn code_is_tidy(&self) -> bool {
        let ports = self.machine.in_ports.iter().map(|port| port.code);
        let transitions = self.machine.transitions.iter().map(|one| one.code);
        let mut codes: Vec<Function> = ports.chain(transitions).collect();
        // Transitions with the same actions share their code.
        codes.sort_unstable_by_key(|code| code.start);
        codes.dedup_by_key(|code| code.start);
        codes.into_iter().all(|code| {
            let mut walk = Walk::new(self);
            walk.function(extent(self.program, code), 0, Registers::default());
            walk.is_tidy
        })
    }

    /// The control word of a parameter.
    pub fn parameter(&self, name: &str) -> Option<u16> {
        let mut all = self.machine.parameters.iter();
        all.find(|one| &*one.name == name).map(|one| one.offset)
    }

    fn is_wire(&self, buffer: u16) -> bool {
        let mut all = self.machine.parameters.iter();
        let of = all.find(|one| one.offset == buffer).map(|one| one.of);
        of.is_none_or(|of| &*self.program.types[of].name != "MessageBuffer")
    }

    /// What the action between two instructions does.
    pub fn effects(&self, action: Range<usize>) -> Effects {
        let mut walk = Walk::new(self);
        walk.function(action, 0, Registers::default());
        let mut effects = walk.effects;
        effects.unknown |= !walk.is_tidy || !self.is_tidy;
        effects
    }
}

/// The virtual networks that a machine sends to.
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

/// A walk along code.
pub(in crate::mutant) struct Walk<'a, 's> {
    /// What the code depends on.
    pub surroundings: &'s Surroundings<'a>,
    /// What has been found.
    pub effects: Effects,
    registers: Registers,
    /// Where the present frame begins.
    frame: usize,
    depth: usize,
    is_tidy: bool,
}

impl<'a, 's> Walk<'a, 's> {
    fn new(surroundings: &'s Surroundings<'a>) -> Walk<'a, 's> {
        Walk {
            surroundings,
            effects: Effects::default(),
            registers: Registers::default(),
            frame: 0,
            depth: 0,
            is_tidy: true,
        }
    }

    /// Follows a stretch of code, with its frame from a register on. Returns what a function gives back.
    fn function(&mut self, code: Range<usize>, frame: usize, registers: Registers) -> Held {
        let before = (std::mem::replace(&mut self.frame, frame), self.depth);
        self.depth += 1;
        // What registers hold where jumps lead to.
        let mut arriving: Vec<(usize, Registers)> = Vec::new();
        let mut here = Some(registers);
        let mut result: Option<Held> = None;
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
        result.unwrap_or(Held::Opaque)
    }

    /// A jump behind the code of an action leads to a failure, or to its end.
    fn jump(&mut self, to: usize, code: &Range<usize>, arriving: &mut Vec<(usize, Registers)>) {
        if to < code.end {
            arriving.push((to, self.registers.clone()));
        } else {
            let op = self.surroundings.program.code.get(to);
            self.effects.fails |= matches!(op, Some(Op::Assert));
        }
    }

    /// What a register of the frame holds.
    pub fn get(&self, register: Register) -> Held {
        self.registers.get(self.frame + usize::from(register))
    }

    /// A register of the frame gets something.
    pub fn set(&mut self, register: Register, held: Held) {
        self.registers.set(self.frame + usize::from(register), held);
    }

    /// Something is touched.
    pub fn touch(&mut self, thing: Thing, how: How) {
        let access = (thing, how);
        if !self.effects.accesses.contains(&access) {
            self.effects.accesses.push(access);
        }
    }

    /// Words of the control of the machine are touched.
    fn control(&mut self, offset: u16, how: How) {
        self.touch(Thing::Words(Space::Control, offset..offset + 1), how);
    }

    /// Words at an address are touched.
    pub fn at(&mut self, address: Held, offset: u16, width: u16, how: How) {
        let Held::Pointer(space, start) = address else {
            // A null pointer ends the run, but nothing else is known of an address.
            self.effects.unknown = true;
            return;
        };
        let Some(from) = start.checked_add(offset) else {
            self.effects.unknown = true;
            return;
        };
        let words = from..from.saturating_add(width);
        match space {
            Space::Frame if how != How::Read => {
                for register in words {
                    self.registers.set(usize::from(register), Held::Opaque);
                }
            }
            Space::Frame | Space::Fresh => {}
            // The message was looked up where it was peeked.
            Space::Peeked if how == How::Read => {}
            Space::Peeked | Space::New => self.effects.unknown = true,
            Space::Control | Space::Entry | Space::Tbe | Space::Directory => {
                self.effects.fails |= space != Space::Control;
                self.touch(Thing::Words(space, words), how);
            }
        }
    }

    /// The address in a control word, which is one of the implicit pointers.
    fn through(&mut self, word: u16) -> Held {
        self.control(word, How::Read);
        match word {
            control::ENTRY => Held::Pointer(Space::Entry, 0),
            control::TBE => Held::Pointer(Space::Tbe, 0),
            _ => Held::Opaque,
        }
    }

    fn moved(address: Held, offset: u16) -> Held {
        match address {
            Held::Pointer(space, start) => match start.checked_add(offset) {
                Some(at) => Held::Pointer(space, at),
                None => Held::Opaque,
            },
            _ => Held::Opaque,
        }
    }

    fn instruction(&mut self, op: Op) {
        match op {
            Op::Small { to, value } => {
                self.set(to, if value == 0 { Held::Zero } else { Held::Opaque })
            }
            Op::Move { to, from } => self.set(to, self.get(from)),
            Op::Load { to, base, offset } => {
                self.at(self.get(base), offset, 1, How::Read);
                self.set(to, Held::Opaque);
            }
            Op::Store { base, offset, .. } | Op::StoreSmall { base, offset, .. } => {
                self.at(self.get(base), offset, 1, How::Set);
            }
            Op::LoadControl { to, offset } => {
                let held = match self.through(offset) {
                    Held::Opaque => Held::Control(offset),
                    pointer => pointer,
                };
                self.set(to, held);
            }
            Op::StoreControl { offset, from } => self.store_control(offset, from),
            Op::LoadThrough { to, control, offset } => {
                let base = self.through(control);
                self.at(base, offset, 1, How::Read);
                self.set(to, Held::Opaque);
            }
            Op::StoreThrough { control, offset, .. } => {
                let base = self.through(control);
                self.at(base, offset, 1, How::Set);
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
                let held = at.map_or(Held::Opaque, |at| Held::Pointer(Space::Frame, at));
                self.set(to, held);
            }
            Op::ControlAddress { to, offset } => {
                self.set(to, Held::Pointer(Space::Control, offset))
            }
            Op::Copy { to, from, words } => {
                self.at(self.get(from), 0, words, How::Read);
                self.at(self.get(to), 0, words, How::Set);
            }
            Op::Fresh { to, of } => {
                let fresh = self.surroundings.program.types[usize::from(of)].fresh();
                for (at, word) in (self.frame + usize::from(to)..).zip(fresh) {
                    let held = if *word == 0 { Held::Zero } else { Held::Opaque };
                    self.registers.set(at, held);
                }
            }
            Op::Same { to, left, words } => {
                self.at(self.get(left), 0, words, How::Read);
                self.at(self.get(left + 1), 0, words, How::Read);
                self.set(to, Held::Opaque);
            }
            Op::JumpIfNull { control, .. } | Op::JumpUnlessNull { control, .. } => {
                self.control(control, How::Read);
            }
            Op::NewMessage { to, .. } => self.set(to, Held::Pointer(Space::Fresh, 0)),
            Op::NewEntry { to, .. } => self.set(to, Held::Pointer(Space::New, 0)),
            Op::Call { function, base } => self.call(function, base),
            Op::Library { function, base } => library::apply(self, function, base),
            Op::Comment { from, .. } => {
                if let pointer @ Held::Pointer(..) = self.get(from) {
                    self.at(pointer, 0, self.widest(), How::Read);
                }
                self.touch(Thing::Comment, How::Change);
            }
            _ => self.further(op),
        }
    }

    /// Instructions about queues, calculations, and what ends code.
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
            | Op::Not { to, .. } => self.set(to, Held::Opaque),
            Op::Divide { to, .. } | Op::Remainder { to, .. } | Op::Lookup { to, .. } => {
                self.effects.fails = true;
                self.set(to, Held::Opaque);
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
                self.touch(Thing::Head(buffer), How::Read);
                self.set(to, Held::Pointer(Space::Peeked, 0));
            }
            Op::Send { buffer, .. } => self.send(buffer),
            Op::StallAndWait { buffer, .. } => {
                self.effects.fails = true;
                self.touch(Thing::Head(buffer), How::Change);
                self.touch(Thing::Parked, How::Change);
            }
            Op::WakeupPort { .. } | Op::WakeUp { .. } => self.wake(),
            Op::NextCycle => {
                self.effects.timing = true;
                self.touch(Thing::Wakeup, How::Set);
            }
            Op::Trigger { base, .. } => {
                self.effects.unknown = true;
                self.set(base, Held::Opaque);
            }
            _ => self.effects.unknown = true,
        }
    }

    /// A control word is written. The implicit pointers have to stay what they are taken for.
    fn store_control(&mut self, offset: u16, from: Register) {
        self.control(offset, How::Set);
        let wanted = match offset {
            control::ENTRY => Space::Entry,
            control::TBE => Space::Tbe,
            _ => return,
        };
        self.is_tidy &= match self.get(from) {
            Held::Zero => true,
            Held::Pointer(space, 0) => space == wanted,
            _ => false,
        };
    }

    /// A message goes to a buffer.
    fn send(&mut self, buffer: u16) {
        self.effects.fails = true;
        self.effects.timing = true;
        self.touch(Thing::Tail(buffer), How::Change);
        let mut all = self.surroundings.networks.iter();
        if let Some((_, network)) = all.find(|(own, _)| *own == buffer) {
            self.touch(Thing::Network(*network), How::Change);
        } else if self.surroundings.is_wire(buffer) {
            self.touch(Thing::Wires, How::Change);
        }
    }

    /// What was set aside goes back to where it came from.
    pub fn wake(&mut self) {
        self.effects.timing = true;
        self.touch(Thing::Parked, How::Set);
        for buffer in &self.surroundings.parking {
            self.touch(Thing::Head(*buffer), How::Set);
        }
    }

    /// A function is called; its frame begins at a register of this one.
    fn call(&mut self, function: u16, base: Register) {
        if self.depth >= MOST_DEPTH {
            self.effects.unknown = true;
            return;
        }
        let program = self.surroundings.program;
        let code = extent(program, program.functions[usize::from(function)]);
        let frame = self.frame + usize::from(base);
        let mut registers = std::mem::take(&mut self.registers);
        let mut kept = registers.clone();
        kept.0.truncate(frame);
        // The callee may write to variables of the caller, whose addresses it was given.
        let lends = |held: &Held| matches!(held, Held::Pointer(Space::Frame, at) if usize::from(*at) < frame);
        if registers.0.iter().skip(frame).any(lends) {
            kept = Registers::default();
        }
        let result = self.function(code, frame, std::mem::take(&mut registers));
        self.registers = kept;
        self.registers.set(frame, result);
    }

    /// Words of the widest value that the library knows.
    pub fn widest(&self) -> u16 {
        let types = &self.surroundings.program.types;
        let known = types.known;
        let wide = [known.block, known.mask, known.set, known.destinations];
        wide.iter().map(|of| types[*of].width() as u16).max().unwrap_or(0)
    }
}
