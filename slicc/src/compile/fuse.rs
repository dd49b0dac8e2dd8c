//! Fuses frequent sequences of instructions, and follows jumps whose end is known.
//!
//! Fetching an instruction and finding the code for it takes about as long as executing it. So the first instruction
//! of a sequence that is frequent in a profile of gem5's protocols is replaced by one instruction with the effect of
//! the whole sequence. The others stay where they are, so that jumps into the sequence, indices and spans remain
//! valid.
//!
//! Inlined functions leave code that sets a register to a constant, compares it and jumps. Such a sequence is replaced by
//! one instruction with the same effect, up to the first instruction whose effect depends on the state of the machine
//! ([`followed`]).

use super::op::{Op, Register};

/// Largest number of instructions that are followed: code may jump in circles.
const MOST_FOLLOWED: usize = 64;

/// The instructions with the first of each frequent sequence replaced.
pub(super) fn fuse(code: &[Op]) -> Vec<Op> {
    (0..code.len()).map(|at| fused(code, at)).collect()
}

/// The instruction to be executed at an index.
fn fused(code: &[Op], at: usize) -> Op {
    match code[at..] {
        [Op::LoadControl { to, offset }, Op::Library { .. }, ..] => {
            Op::ControlLibrary { to, offset }
        }
        [Op::LoadControl { to, offset }, Op::LoadControl { .. }, Op::Library { .. }, ..] => {
            Op::ControlsLibrary { to, offset }
        }
        [Op::LoadControl { to, offset }, Op::Move { .. }, Op::Library { .. }, ..] => {
            Op::ControlMoveLibrary { to, offset }
        }
        [Op::LoadControl { to, offset }, Op::Load { .. }, Op::Library { .. }, ..] => {
            Op::ControlLoadLibrary { to, offset }
        }
        [Op::LoadControl { to, offset }, Op::Store { .. }, ..] => Op::ControlStore { to, offset },
        [Op::LoadControl { to, offset }, Op::Lookup { .. }, ..] => Op::ControlLookup { to, offset },
        [Op::Load { to, base, offset }, Op::JumpUnlessSmall { .. }, ..] => {
            Op::LoadUnlessSmall { to, base, offset }
        }
        [
            Op::Load { to, base, offset },
            Op::StoreControl { .. },
            Op::StoreControl { .. },
            Op::StoreControl { .. },
            ..,
        ] => Op::LoadStoreControls { to, base, offset },
        [Op::Store { base, offset, from }, Op::StoreSmall { .. }, ..] => {
            Op::StoreStoreSmall { base, offset, from }
        }
        [Op::JumpIfSmall { .. }, Op::Move { .. }, ..] => match threaded(code, at, code[at]) {
            Op::JumpIfSmall { left, value, target } => Op::MoveUnlessSmall { left, value, target },
            other => other,
        },
        [Op::Small { to, value }, Op::NewMessage { .. }, ..] => Op::SmallNewMessage { to, value },
        [Op::JumpIfNull { .. }, Op::LoadThrough { .. }, ..] => match threaded(code, at, code[at]) {
            Op::JumpIfNull { control, target } => Op::LoadUnlessNull { control, target },
            other => other,
        },
        [Op::JumpIfNull { .. }, Op::LoadControl { .. }, Op::StoreThrough { .. }, ..] => {
            match threaded(code, at, code[at]) {
                Op::JumpIfNull { control, target } => Op::StoreUnlessNull { control, target },
                other => other,
            }
        }
        [
            Op::StoreControl { offset, from },
            Op::StoreControl { .. },
            Op::StoreControl { .. },
            ..,
        ] => Op::StoreControls { offset, from },
        [Op::Peek { to, buffer, message }, Op::JumpUnless { .. }, Op::Load { .. }, ..] => {
            Op::PeekLoad { to, buffer, message }
        }
        [Op::Peek { to, buffer, message }, Op::JumpUnless { .. }, ..] => {
            Op::PeekUnless { to, buffer, message }
        }
        [Op::Small { .. } | Op::Jump { .. }, ..] => {
            let (set, end) = followed(code, at, Known::Nothing, true);
            done_by_one(code[at], at, set, end)
        }
        [Op::Move { to, from }, Op::Jump { .. }, ..] => {
            let (_, end) = followed(code, at + 1, Known::Nothing, false);
            match i16::try_from(distance(at, end)) {
                Ok(target) => Op::MoveJump { to, from, target },
                Err(_) => code[at],
            }
        }
        [jump, ..] => threaded(code, at, jump),
        // The index lies in the code, so there is an instruction.
        [] => Op::PortEnd,
    }
}

/// The value of a register that is known while a sequence of instructions is followed.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    /// A register holds a value.
    Is(Register, i64),
    /// A register does not hold a value.
    IsNot(Register, i64),
}

impl Known {
    /// Whether a register holds a value, if that is known.
    fn holds(self, register: Register, value: i64) -> Option<bool> {
        match self {
            Known::Is(known, has) if known == register => Some(has == value),
            Known::IsNot(known, not) if known == register && not == value => Some(false),
            _ => None,
        }
    }

    /// Whether a conditional jump jumps, if that is known.
    fn decides(self, jump: Op) -> Option<bool> {
        match jump {
            Op::JumpIf { condition, .. } => self.holds(condition, 0).map(|zero| !zero),
            Op::JumpUnless { condition, .. } => self.holds(condition, 0),
            Op::JumpIfSmall { left, value, .. } => self.holds(left, i64::from(value)),
            Op::JumpUnlessSmall { left, value, .. } => {
                self.holds(left, i64::from(value)).map(|holds| !holds)
            }
            _ => None,
        }
    }
}

/// Follows instructions from an index on, as long as they only jump or, if `sets`, set the same register to constants. Returns the
/// register with the last of these, if any, and the index of the first instruction that was not followed.
fn followed(
    code: &[Op],
    start: usize,
    mut known: Known,
    sets: bool,
) -> (Option<(Register, i32)>, usize) {
    let (mut set, mut at): (Option<(Register, i32)>, usize) = (None, start);
    for _ in 0..MOST_FOLLOWED {
        let Some(&op) = code.get(at) else { break };
        let jumps = match op {
            Op::Small { to, value } if sets && set.is_none_or(|(register, _)| register == to) => {
                set = Some((to, value));
                known = Known::Is(to, i64::from(value));
                false
            }
            Op::Jump { .. } => true,
            _ => match known.decides(op) {
                Some(jumps) => jumps,
                None => break,
            },
        };
        at += 1;
        if let (true, Some(target)) = (jumps, op.target()) {
            at = at.wrapping_add_signed(target as isize);
        }
    }
    (set, at)
}

/// The offset of a jump at index `at` to the index `end`.
fn distance(at: usize, end: usize) -> i64 {
    end as i64 - (at as i64 + 1)
}

/// One instruction with the effect that [`followed`] found, or the first instruction of the sequence if no single one has
/// that effect.
fn done_by_one(first: Op, at: usize, set: Option<(Register, i32)>, end: usize) -> Op {
    let distance = distance(at, end);
    match set {
        Some((to, value)) if distance != 0 => {
            match (i16::try_from(value), i16::try_from(distance)) {
                (Ok(value), Ok(target)) => Op::SmallJump { to, value, target },
                _ => first,
            }
        }
        None => i32::try_from(distance).map_or(first, |target| Op::Jump { target }),
        Some(_) => first,
    }
}

/// A conditional jump, retargeted to where the jumps at its target lead.
fn threaded(code: &[Op], at: usize, jump: Op) -> Op {
    let known = match jump {
        Op::JumpIf { condition, .. } => Known::IsNot(condition, 0),
        Op::JumpUnless { condition, .. } => Known::Is(condition, 0),
        Op::JumpIfSmall { left, value, .. } => Known::Is(left, i64::from(value)),
        Op::JumpUnlessSmall { left, value, .. } => Known::IsNot(left, i64::from(value)),
        Op::JumpIfNull { .. } | Op::JumpUnlessNull { .. } => Known::Nothing,
        _ => return jump,
    };
    let Some(target) = jump.target() else { return jump };
    let target = (at + 1).wrapping_add_signed(target as isize);
    let (_, end) = followed(code, target, known, false);
    let mut aimed = jump;
    match i32::try_from(distance(at, end)) {
        Ok(to) if aimed.aim(to) => aimed,
        _ => jump,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::LibraryFunction;

    #[test]
    fn only_the_first_instruction_of_a_sequence_changes() {
        let control = |to| Op::LoadControl { to, offset: 9 };
        let library = Op::Library { function: LibraryFunction::TableLookup, base: 1 };
        let load = Op::Load { to: 4, base: 2, offset: 3 };
        let jump = Op::JumpUnlessSmall { left: 4, value: 7, target: -2 };
        let code = [control(1), control(2), library, load, jump, control(5)];
        let expected = [
            Op::ControlsLibrary { to: 1, offset: 9 },
            Op::ControlLibrary { to: 2, offset: 9 },
            library,
            Op::LoadUnlessSmall { to: 4, base: 2, offset: 3 },
            jump,
            control(5),
        ];
        assert_eq!(fuse(&code), expected);
        let null = Op::JumpIfNull { control: 2, target: 2 };
        let through = Op::StoreThrough { control: 2, offset: 4, from: 5 };
        let code = [null, control(5), through, Op::PortEnd];
        let first = Op::StoreUnlessNull { control: 2, target: 2 };
        assert_eq!(fuse(&code), [first, control(5), through, Op::PortEnd]);
    }

    #[test]
    fn what_is_known_is_followed() {
        let unless = |left, value, target| Op::JumpUnlessSmall { left, value, target };
        let (small, jump) = (Op::Small { to: 1, value: 2 }, Op::Jump { target: 1 });
        let other = Op::Small { to: 2, value: 5 };
        let code = [small, unless(1, 2, 1), jump, other, Op::PortEnd];
        assert_eq!(fuse(&code)[0], Op::SmallJump { to: 1, value: 2, target: 3 });
        // The same register may be set again, another one may not.
        let code = [small, Op::Small { to: 1, value: 3 }, unless(1, 2, 1), other, Op::PortEnd];
        assert_eq!(fuse(&code)[0], Op::SmallJump { to: 1, value: 3, target: 3 });
        let code = [small, other, jump, Op::Leave, Op::PortEnd];
        assert_eq!(fuse(&code)[..2], [small, Op::SmallJump { to: 2, value: 5, target: 2 }]);
        // An instruction with an unknown effect ends the sequence.
        let code = [jump, Op::Leave, unless(1, 2, 1), Op::Leave, Op::PortEnd];
        assert_eq!(fuse(&code), code);
    }

    #[test]
    fn jumps_lead_where_the_jumps_at_their_targets_lead() {
        let unless = |target| Op::JumpUnless { condition: 3, target };
        let code = [unless(1), Op::PortEnd, unless(1), Op::PortEnd, Op::Leave];
        assert_eq!(fuse(&code)[0], unless(3));
        let code = [Op::Move { to: 1, from: 2 }, Op::Jump { target: 1 }, Op::PortEnd, Op::Leave];
        assert_eq!(fuse(&code)[0], Op::MoveJump { to: 1, from: 2, target: 2 });
        let circle = [Op::Jump { target: -1 }];
        assert_eq!(fuse(&circle), circle);
    }
}
