//! What code learns of caches that have no names of their own.
//!
//! A proof for any number of caches ([`sections`](super::stepping::sections)) runs the code of a protocol in a system in which
//! a few caches are *named*, and one number stands for all *others*. What code does with a word is then certain, open, or
//! not followed:
//!
//! - Two words that both say "another cache" may mean the same cache or two. A set that has "others" has at least one of
//!   them, it is not said which. Where the result of a comparison or of a change of a set depends on that, it is *open*, and
//!   [`Others::choose`] takes one of the results. All are tried, since the caller repeats the move with every
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
pub(crate) use sum::Sum;

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
    }

    /// One of two possible results.
    pub(in crate::system) fn choose(&mut self) -> bool {
        let chosen = self.script.get(self.chosen).copied().unwrap_or(false);
        self.chosen += 1;
        chosen
    }

    /// Says that the result of an instruction is not followed.
    pub(in crate::system) fn refuse(&mut self, pc: usize, why: &'static str) {
        self.refused.get_or_insert((pc, why));
    }

    /// Whether a word names one of the others.
    pub(in crate::system) fn is_other(&self, word: u64) -> bool {
        word >> 32 == self.kind && word as u32 >= self.named
    }

    /// The others among the bits of a set of caches.
    pub(in crate::system) fn of_bits(&self, bits: u64) -> u64 {
        bits >> self.named << self.named
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
    pub(in crate::system) fn operate(&mut self, pc: usize, operation: Operation, left: u64, right: u64) -> u64 {
        let is_sum = Sum::is_one(left) || Sum::is_one(right);
        match operation {
            Operation::Equal => u64::from(self.are_equal(left, right)),
            Operation::NotEqual => u64::from(!self.are_equal(left, right)),
            Operation::Less => u64::from(self.is_less(left, right, false)),
            Operation::LessEqual => u64::from(self.is_less(left, right, true)),
            Operation::Add | Operation::Subtract if is_sum => {
                let right = Sum::of(right);
                let right = if operation == Operation::Add { right } else { right.negative() };
                let sum = Sum::of(left).plus(right, &mut || self.choose());
                sum.and_then(Sum::word).unwrap_or_else(|| {
                    self.refuse(pc, "a number of caches is too large to be followed");
                    0
                })
            }
            _ if is_sum => {
                self.refuse(pc, "it calculates with a number of caches");
                0
            }
            Operation::Add => left.wrapping_add(right),
            Operation::Subtract => left.wrapping_sub(right),
            Operation::Multiply => left.wrapping_mul(right),
            Operation::Divide => (left as i64).wrapping_div(right as i64) as u64,
            Operation::Remainder => (left as i64).wrapping_rem(right as i64) as u64,
            Operation::ShiftLeft => left.checked_shl(right as u32).unwrap_or(0),
            Operation::ShiftRight => left.checked_shr(right as u32).unwrap_or(0),
            Operation::Below => u64::from(left < right),
            Operation::BelowEqual => u64::from(left <= right),
            Operation::EqualWords => 0,
        }
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
        let [a, b, c]: [u64; 3] = std::array::from_fn(|index| self.words.words[at + index]);
        match function.family() {
            Family::Value(function) => self.ask_of_value(function, [a, b, c]),
            Family::Buffer(function) => self.ask_of_buffer(function, a),
            Family::Calculation(function) => self.ask_calculation(function, a),
            Family::Line(LineFunction::TableDistributor) => {
                self.refuse("it chooses a distributor")
            }
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
            _ => self.refuse("it calls a function that proofs for any number of caches do not follow"),
        }
    }

    fn ask_calculation(&mut self, function: CalculationFunction, a: u64) -> Result<Call, Trap> {
        use CalculationFunction::*;
        match function {
            Nothing | Zero | MaxTokens | LineAddress | LineOffset | Now | Later | MachineKind
            | IsWrite | IsDataRead | IsRead | IsHtm | IsTlbi => Ok(Call::Usual),
            Identity | Modulo if !Sum::is_one(a) => Ok(Call::Usual),
            // The result is the one controller of its type, or the order of caches is observed, which the caller looks at.
            MapToMachine | MapToRange => Ok(Call::Usual),
            MachineCount if a != self.others.kind => Ok(Call::Usual),
            MachineCount => self.counted(u64::MAX >> (64 - self.machines.count(a))),
            _ => self.refuse("it calculates with the numbers of caches, with addresses or with times"),
        }
    }

    /// The number of caches of a set that has these bits, as a sum.
    fn counted(&mut self, bits: u64) -> Result<Call, Trap> {
        match Sum::of_set(bits, self.others.named).word() {
            Some(word) => Ok(Call::Result(word)),
            None => self.refuse("a number of caches is too large to be followed"),
        }
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

    /// Whether others may be the reason for a result that says so: both sets have some, and what is certain does not
    /// exclude it.
    fn ask_of_value(&mut self, function: ValueFunction, [a, b, c]: [u64; 3]) -> Result<Call, Trap> {
        use ValueFunction::*;
        let has_others = |it: &System, set: u64| it.others.of_bits(it.caches_at(set)) != 0;
        match function {
            DestAdd | DestAddAll | DestBroadcast | DestBroadcastType | DestClear | DestIsEmpty
            | DestOr | BroadcastTo => Ok(Call::Usual),
            DestRemove if !self.others.is_other(b) || !has_others(self, a) => Ok(Call::Usual),
            // It may have been the last of them, or not.
            DestRemove if self.others.choose() => Ok(Call::Result(0)),
            DestRemove => {
                self.clear_others(a);
                Ok(Call::Result(0))
            }
            DestHas if self.others.is_other(b) => {
                let may = has_others(self, a);
                Ok(Call::Result(u64::from(may && self.others.choose())))
            }
            DestHas => Ok(Call::Usual),
            DestCount => {
                let words = &self.words.words[a as usize..a as usize + self.machines.words()];
                let rest = words.iter().enumerate().filter(|(word, _)| *word != self.others.word);
                let rest: u32 = rest.map(|(_, word)| word.count_ones()).sum();
                if rest > 0 {
                    return self.refuse("it counts caches together with other machines");
                }
                self.counted(self.caches_at(a))
            }
            DestSuperset | DestEqual | DestDisjoint
                if has_others(self, a) && has_others(self, b) =>
            {
                Ok(Call::Result(u64::from(self.compared_with_others(function, a, b))))
            }
            DestSuperset | DestEqual | DestDisjoint => Ok(Call::Usual),
            DestRemoveAll if !has_others(self, a) || !has_others(self, b) => Ok(Call::Usual),
            DestAnd if !has_others(self, a) || !has_others(self, b) => Ok(Call::Usual),
            DestSmallest | DestSmallestType if !has_others(self, a) => Ok(Call::Usual),
            BlockClear | BlockCopyRange | BlockCopyMasked => Ok(Call::Usual),
            _ => {
                let _ = c;
                self.refuse("what it does with sets of caches is not followed")
            }
        }
    }

    fn clear_others(&mut self, set: u64) {
        let at = set as usize + self.others.word;
        self.words.words[at] &= !self.others.of_bits(!0);
    }

    /// The result of a comparison of two sets that both have others.
    fn compared_with_others(&mut self, function: ValueFunction, a: u64, b: u64) -> bool {
        let words = self.machines.words();
        let others = self.others.of_bits(!0);
        let own = self.others.word;
        let mut possible = true;
        for word in 0..words {
            let mask = if word == own { !others } else { !0 };
            let one = self.words.words[a as usize + word] & mask;
            let other = self.words.words[b as usize + word] & mask;
            possible &= match function {
                ValueFunction::DestSuperset => other & !one == 0,
                ValueFunction::DestEqual => one == other,
                _ => one & other == 0,
            };
        }
        possible && self.others.choose()
    }
}
