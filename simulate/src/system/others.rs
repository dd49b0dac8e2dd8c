//! What code learns of caches that have no names of their own.
//!
//! A proof for any number of caches ([`sections`](super::stepping::sections)) runs the code of a protocol in a system in which
//! a few caches are *named*, and one number stands for all *others*. What code does with a word is then certain, open, or
//! not followed:
//!
//! - Two words that both say "another cache" may mean the same cache or two. Of a set it is said whether it has none of
//!   the others, one, or more, but not which. Where the result of a comparison or of a change of a set depends on that, it is *open*, and
//!   [`Others::pick`] takes one of the results. All are tried, since the caller repeats the move with every
//!   [`script`](Others::script) of choices.
//! - A number that counts caches is a [`Sum`]: a constant, a coefficient for each named cache, and the signs of the
//!   coefficients of the others. Sums are added, subtracted and compared.
//! - Anything else that depends on the number or on the order of caches, or on messages that are not shown, is
//!   [refused](Others::refused): the move says nothing.
//!
//! Since nothing of that is known to a usual run, the code has other instructions ([`aware`]), and usual runs are as fast
//! as before.

mod sum;

use slicc::compile::op::{Op, Operation};
use slicc::library::{
    BufferFunction, CalculationFunction, ControlFunction, CoreFunction, Family, LibraryFunction,
    LineFunction, ValueFunction,
};

use super::System;
use super::fault::Trap;
use super::library::object;
pub(crate) use sum::Sum;

/// The number by which all others are called. In a set, the next number is in it as well if it has more than one of them.
const OTHER: u32 = 4;
/// The fewest caches of the systems that configurations stand for. Smaller ones are explored.
pub const FEWEST: u32 = 4;
/// Stands for 2 and all larger numbers of others.
const MANY: u8 = 2;

/// The caches that have names in a system, and what was chosen about the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others {
    /// Whether there are others at all. Otherwise every cache has a name.
    pub is_on: bool,
    /// The number of the caches' machine type.
    pub kind: u64,
    /// The word of that type in a NetDest.
    pub word: usize,
    /// The caches with smaller numbers have names, the rest are others.
    pub named: u32,
    /// The results that are chosen, one after the other; then all are false.
    pub script: Vec<bool>,
    /// The number of choices until now.
    pub chosen: usize,
    /// The reason why the move says nothing, with the instruction.
    pub refused: Option<(usize, &'static str)>,
    /// What is known of numbers that are added.
    pub laws: Vec<Law>,
    /// Whether one of them has excluded a result.
    pub has_used_laws: bool,
}

/// What is known of the sum of two words that count caches: whether any of the others may have a positive coefficient in the sum of
/// these words, and whether any may have a negative one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Law {
    /// The words, in any order.
    pub words: [u64; 2],
    /// Whether another cache may have a positive coefficient.
    pub may_be_more: bool,
    /// Whether another cache may have a negative coefficient.
    pub may_be_less: bool,
}

/// What becomes of a call of the library.
pub(crate) enum Call {
    /// It is carried out as usual.
    Usual,
    /// It has this result.
    Result(u64),
}

impl Others {
    /// Starts a move with choices.
    pub(in crate::system) fn begin(&mut self, named: u32, script: &[bool]) {
        self.named = named;
        self.script.clear();
        self.script.extend_from_slice(script);
        self.chosen = 0;
        self.has_used_laws = false;
    }

    /// One of two possible results.
    pub(in crate::system) fn choose(&mut self) -> bool {
        let chosen = self.script.get(self.chosen).copied().unwrap_or(false);
        self.chosen += 1;
        chosen
    }

    /// One of several possible results, by number.
    pub(in crate::system) fn pick(&mut self, count: usize) -> usize {
        let mut picked = 0;
        while picked + 1 < count && self.choose() {
            picked += 1;
        }
        picked
    }

    /// Says that the result of an instruction is not followed.
    pub(in crate::system) fn refuse(&mut self, pc: usize, why: &'static str) {
        self.refused.get_or_insert((pc, why));
    }

    /// Whether a word names one of the others.
    pub(in crate::system) fn is_other(&self, word: u64) -> bool {
        word >> 32 == self.kind && word as u32 >= self.named
    }

    /// How many of the others are in a set of caches, up to [`MANY`].
    pub(in crate::system) fn count(&self, bits: u64) -> u8 {
        (bits >> self.named).count_ones().min(u32::from(MANY)) as u8
    }

    /// The number of the cache that receives a message for the cache with a number. Of a message to more than one of the others,
    /// there are two copies.
    pub(in crate::system) fn receiver(&self, kind: u64, number: u32) -> u32 {
        if self.is_on && kind == self.kind { number.min(OTHER) } else { number }
    }

    /// The set with the same named caches and a number of others.
    fn with_count(&self, bits: u64, count: u8) -> u64 {
        let others = match count {
            0 => 0,
            1 => 1 << OTHER,
            _ => 3 << OTHER,
        };
        (bits & ((1 << self.named) - 1)) | others
    }

    /// Whether two words are equal.
    pub(in crate::system) fn are_equal(&mut self, left: u64, right: u64) -> bool {
        if Sum::is_one(left) || Sum::is_one(right) {
            return match Sum::of(left).equal(Sum::of(right)) {
                Some(equal) => equal,
                None => self.choose(),
            };
        }
        if self.is_other(left) && self.is_other(right) { self.choose() } else { left == right }
    }

    fn is_less(&mut self, left: u64, right: u64, or_equal: bool) -> bool {
        let (left, right) = (Sum::of(left), Sum::of(right));
        let less = if or_equal { right.less(left).map(|less| !less) } else { left.less(right) };
        less.unwrap_or_else(|| self.choose())
    }

    /// The result of an operation on words.
    pub(in crate::system) fn operate(
        &mut self,
        pc: usize,
        operation: Operation,
        left: u64,
        right: u64,
    ) -> u64 {
        let is_sum = Sum::is_one(left) || Sum::is_one(right);
        match operation {
            Operation::Equal => u64::from(self.are_equal(left, right)),
            Operation::NotEqual => u64::from(!self.are_equal(left, right)),
            Operation::Less => u64::from(self.is_less(left, right, false)),
            Operation::LessEqual => u64::from(self.is_less(left, right, true)),
            Operation::Add | Operation::Subtract if is_sum => {
                let words = [left, right];
                let right = Sum::of(right);
                let right = if operation == Operation::Add { right } else { right.negative() };
                let is_known = operation == Operation::Add
                    && !words.iter().any(|word| Sum::is_calculated(*word));
                let law = self.laws.iter().find(|law| {
                    is_known && (law.words == words || law.words == [words[1], words[0]])
                });
                let law = law.copied();
                let allows = |more: u8, less: u8| {
                    law.is_none_or(|law| {
                        (more == 0 || law.may_be_more) && (less == 0 || law.may_be_less)
                    })
                };
                let mut excluded = false;
                let sum = Sum::of(left)
                    .plus(right, &allows, &mut excluded, &mut |count| self.pick(count));
                self.has_used_laws |= excluded;
                let word = sum.and_then(Sum::word).unwrap_or_else(|| {
                    self.refuse(pc, "a number of caches is too large to be followed");
                    0
                });
                Sum::calculated(word)
            }
            _ if is_sum => {
                self.refuse(pc, "it calculates with a number of caches");
                0
            }
            _ => self.plain(pc, operation, left, right),
        }
    }

    /// The result of an operation on words that count no caches.
    fn plain(&mut self, pc: usize, operation: Operation, left: u64, right: u64) -> u64 {
        let result = match operation {
            Operation::Add => left.wrapping_add(right),
            Operation::Subtract => left.wrapping_sub(right),
            Operation::Multiply => left.wrapping_mul(right),
            Operation::Divide => (left as i64).wrapping_div(right as i64) as u64,
            Operation::Remainder => (left as i64).wrapping_rem(right as i64) as u64,
            Operation::ShiftLeft => left.checked_shl(right as u32).unwrap_or(0),
            Operation::ShiftRight => left.checked_shr(right as u32).unwrap_or(0),
            Operation::Below => u64::from(left < right),
            Operation::BelowEqual => u64::from(left <= right),
            _ => 0,
        };
        if Sum::is_one(result) {
            self.refuse(pc, "it calculates a number that could be taken for a number of caches");
        }
        result
    }
}

/// The code with the instructions that know of words that are known in part.
pub(super) fn aware(code: &[Op]) -> Vec<Op> {
    let change = |op: &Op| match *op {
        Op::Add { to, left, right } => of(Operation::Add, to, left, right),
        Op::Subtract { to, left, right } => of(Operation::Subtract, to, left, right),
        Op::Equal { to, left, right } => of(Operation::Equal, to, left, right),
        Op::NotEqual { to, left, right } => of(Operation::NotEqual, to, left, right),
        Op::Less { to, left, right } => of(Operation::Less, to, left, right),
        Op::LessEqual { to, left, right } => of(Operation::LessEqual, to, left, right),
        Op::Multiply { to, left, right } => of(Operation::Multiply, to, left, right),
        Op::Divide { to, left, right } => of(Operation::Divide, to, left, right),
        Op::Remainder { to, left, right } => of(Operation::Remainder, to, left, right),
        Op::ShiftLeft { to, left, right } => of(Operation::ShiftLeft, to, left, right),
        Op::ShiftRight { to, left, right } => of(Operation::ShiftRight, to, left, right),
        Op::Below { to, left, right } => of(Operation::Below, to, left, right),
        Op::BelowEqual { to, left, right } => of(Operation::BelowEqual, to, left, right),
        Op::EqualWords { to, left, words } => of(Operation::EqualWords, to, left, words),
        Op::JumpIfSmall { left, value, target } => Op::AwareJumpIfSmall { left, value, target },
        Op::JumpUnlessSmall { left, value, target } => {
            Op::AwareJumpUnlessSmall { left, value, target }
        }
        other => other,
    };
    code.iter().map(change).collect()
}

fn of(operation: Operation, to: u16, left: u16, right: u16) -> Op {
    Op::Aware { operation, to, left, right }
}

impl System {
    /// From now on, some caches have no names of their own: those of a machine type, whose word in a NetDest is given. Returns
    /// false if a constant of the protocol could be taken for a number of caches.
    pub(super) fn begin_awareness(&mut self, kind: u64, word: usize) -> bool {
        let constants = self.program.constants.iter().any(|&constant| Sum::is_one(constant));
        let is_small = |op: &Op| matches!(op, Op::Small { value, .. } if Sum::is_one(i64::from(*value) as u64));
        if constants || self.program.code.iter().any(is_small) {
            return false;
        }
        self.others = Others { is_on: true, kind, word, ..Others::default() };
        let mut program = (*self.program).clone();
        program.fused = aware(&program.code);
        self.program = std::sync::Arc::new(program);
        true
    }

    /// Says that the function that was called last is not followed.
    fn refuse(&mut self, why: &'static str) -> Result<Call, Trap> {
        self.others.refuse(self.calling, why);
        Err(Trap::Unsupported(why))
    }

    /// What becomes of a call of the library in a system in which not all caches have names. The arguments begin at `at`.
    pub(super) fn ask_others(
        &mut self,
        function: LibraryFunction,
        at: usize,
    ) -> Result<Call, Trap> {
        let arguments = &self.words.words[at..at + function.argument_words()];
        if arguments.iter().any(|&word| Sum::is_one(word)) {
            return self.refuse("it gives a number of caches to a function");
        }
        let [a, b, c]: [u64; 3] = std::array::from_fn(|index| self.words.words[at + index]);
        match function.family() {
            Family::Value(function) => self.ask_of_value(function, [a, b, c]),
            Family::Buffer(function) => self.ask_of_buffer(function, a),
            Family::Calculation(function) => self.ask_calculation(function, a),
            Family::Line(LineFunction::TableDistributor) => self.refuse("it chooses a distributor"),
            Family::Line(_) | Family::Callback(_) | Family::Functional(_) => Ok(Call::Usual),
            Family::Core(CoreFunction::Evicted | CoreFunction::MonitorClearLine) => Ok(Call::Usual),
            Family::Control(
                ControlFunction::CurrentEvent
                | ControlFunction::CurrentNextState
                | ControlFunction::ScheduleEvent
                | ControlFunction::WakeLine
                | ControlFunction::WakeAll
                | ControlFunction::WakeAllOfLine
                | ControlFunction::PopMemory,
            ) => Ok(Call::Usual),
            _ => self
                .refuse("it calls a function that proofs for any number of caches do not follow"),
        }
    }

    fn ask_calculation(&mut self, function: CalculationFunction, a: u64) -> Result<Call, Trap> {
        use CalculationFunction::*;
        match function {
            Nothing | Zero | MaxTokens | LineAddress | LineOffset | Now | Later | MachineKind
            | IsWrite | IsDataRead | IsRead | IsHtm | IsTlbi => Ok(Call::Usual),
            Identity | Modulo => Ok(Call::Usual),
            // The result is the one controller of its type, or the order of caches is observed, which the caller looks at.
            MapToMachine | MapToRange => Ok(Call::Usual),
            MachineCount if a != self.others.kind => Ok(Call::Usual),
            MachineCount => {
                let all = self.everybody();
                self.counted(all)
            }
            _ => self
                .refuse("it calculates with the numbers of caches, with addresses or with times"),
        }
    }

    /// The number of caches of a set that has these bits, as a sum.
    fn counted(&mut self, bits: u64) -> Result<Call, Trap> {
        let named = bits & ((1 << self.others.named) - 1);
        match Sum::of_set(named, self.others.count(bits)).word() {
            Some(word) => Ok(Call::Result(Sum::calculated(word))),
            None => self.refuse("a number of caches is too large to be followed"),
        }
    }

    /// The bits of all caches, of which there are at least [`FEWEST`].
    fn everybody(&mut self) -> u64 {
        let named = self.others.named;
        let least = FEWEST.saturating_sub(named).min(u32::from(MANY)) as u8;
        let count = least + self.others.pick(usize::from(MANY - least) + 1) as u8;
        self.others.with_count(u64::MAX, count)
    }

    fn ask_of_buffer(&mut self, function: BufferFunction, buffer: u64) -> Result<Call, Trap> {
        let own = self.controllers[self.current].ports.get(self.port).map(|port| port.object);
        let is_own = own == Some(buffer as u32);
        match function {
            BufferFunction::InReady if is_own && self.is_ready(buffer as u32) => Ok(Call::Usual),
            BufferFunction::InDequeue | BufferFunction::InRecycle if is_own => Ok(Call::Usual),
            BufferFunction::BufferSlots => Ok(Call::Usual),
            _ => self.refuse("it looks at other messages than the one that has arrived"),
        }
    }

    /// The bits of the caches in the NetDest at an address.
    fn caches_at(&self, address: u64) -> u64 {
        self.words.words[address as usize + self.others.word]
    }

    fn set_caches(&mut self, address: u64, bits: u64) {
        self.words.words[address as usize + self.others.word] = bits;
    }

    /// Sets the number of others in the set at an address to one of the numbers from `least` to `most`.
    fn pick_count(&mut self, address: u64, least: u8, most: u8) -> Call {
        let count = least + self.others.pick(usize::from(most - least) + 1) as u8;
        let bits = self.caches_at(address);
        self.set_caches(address, self.others.with_count(bits, count));
        Call::Result(0)
    }

    /// What becomes of a call of a method of a set.
    fn ask_of_value(&mut self, function: ValueFunction, [a, b, c]: [u64; 3]) -> Result<Call, Trap> {
        use ValueFunction::*;
        let is_set =
            !matches!(function, BlockClear | BlockCopyRange | BlockCopyMasked | BroadcastTo);
        let in_set = if is_set { self.others.count(self.caches_at(object(a)?)) } else { 0 };
        match function {
            DestAdd | DestRemove | DestHas if !self.others.is_other(b) => Ok(Call::Usual),
            DestAdd => Ok(match in_set {
                0 => self.pick_count(a, 1, 1),
                count => self.pick_count(a, count, MANY),
            }),
            DestRemove => Ok(match in_set {
                0 => Call::Usual,
                count => self.pick_count(a, count - 1, count),
            }),
            DestHas => Ok(Call::Result(u64::from(in_set > 0 && self.others.choose()))),
            DestClear | DestIsEmpty | BlockClear | BlockCopyRange | BlockCopyMasked => {
                Ok(Call::Usual)
            }
            DestBroadcastType | BroadcastTo => {
                let kind = if function == BroadcastTo { a } else { b };
                let set = if function == BroadcastTo { b } else { a };
                Ok(self.broadcast_to(kind, set, function == BroadcastTo))
            }
            DestCount => self.count_of(a),
            DestSuperset | DestEqual | DestDisjoint => {
                let result = self.compared(function, a, b);
                Ok(Call::Result(u64::from(result)))
            }
            DestAddAll | DestRemoveAll => {
                self.combine(function, a, b, a);
                Ok(Call::Result(0))
            }
            DestOr | DestAnd => {
                self.combine(function, a, b, c);
                Ok(Call::Result(0))
            }
            DestSmallest | DestSmallestType if in_set == 0 || self.is_single(a) => Ok(Call::Usual),
            _ => self.refuse("what it does with sets of caches is not followed"),
        }
    }

    /// Whether a set has a single member.
    fn is_single(&self, a: u64) -> bool {
        let words = &self.words.words[a as usize..a as usize + self.machines.words()];
        words.iter().map(|word| word.count_ones()).sum::<u32>() == 1
    }

    /// Adds all machines of a type to a set, which is cleared first if it is new.
    fn broadcast_to(&mut self, kind: u64, set: u64, is_new: bool) -> Call {
        if kind != self.others.kind {
            return Call::Usual;
        }
        if is_new {
            let words = self.machines.words();
            self.words.words[set as usize..set as usize + words].fill(0);
        }
        let all = self.everybody();
        self.set_caches(set, all);
        Call::Result(set)
    }

    fn count_of(&mut self, a: u64) -> Result<Call, Trap> {
        let words = &self.words.words[a as usize..a as usize + self.machines.words()];
        let rest = words.iter().enumerate().filter(|(word, _)| *word != self.others.word);
        if rest.map(|(_, word)| word.count_ones()).sum::<u32>() > 0 {
            return self.refuse("it counts caches together with other machines");
        }
        self.counted(self.caches_at(a))
    }

    /// Combines two sets into the one at `to`.
    fn combine(&mut self, function: ValueFunction, a: u64, b: u64, to: u64) {
        use ValueFunction::{DestAddAll, DestAnd, DestOr};
        let (one, other) =
            (self.others.count(self.caches_at(a)), self.others.count(self.caches_at(b)));
        for word in 0..self.machines.words() {
            let left = self.words.words[a as usize + word];
            let right = self.words.words[b as usize + word];
            self.words.words[to as usize + word] = match function {
                DestAddAll | DestOr => left | right,
                DestAnd => left & right,
                _ => left & !right,
            };
        }
        let (least, most) = match function {
            DestAddAll | DestOr => (one.max(other), (one + other).min(MANY)),
            DestAnd => (0, one.min(other)),
            _ if other == 0 || one == 0 => (one, one),
            _ if other == MANY => (0, one),
            _ => (one - 1, one),
        };
        self.pick_count(to, least, most);
    }

    /// The result of a comparison of two sets.
    fn compared(&mut self, function: ValueFunction, a: u64, b: u64) -> bool {
        use ValueFunction::{DestDisjoint, DestEqual, DestSuperset};
        let (one, other) =
            (self.others.count(self.caches_at(a)), self.others.count(self.caches_at(b)));
        let named = (1 << self.others.named) - 1;
        let holds = (0..self.machines.words()).all(|word| {
            let mask = if word == self.others.word { named } else { !0 };
            let left = self.words.words[a as usize + word] & mask;
            let right = self.words.words[b as usize + word] & mask;
            match function {
                DestSuperset => right & !left == 0,
                DestEqual => left == right,
                _ => left & right == 0,
            }
        });
        let (may, must) = match function {
            DestSuperset => (one >= other, other == 0),
            DestEqual => (one == other, one == 0 && other == 0),
            DestDisjoint => (true, one == 0 || other == 0),
            _ => (true, false),
        };
        holds && may && (must || self.others.choose())
    }
}
