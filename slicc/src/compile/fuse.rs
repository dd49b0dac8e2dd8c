//! Fuses frequent sequences of instructions.
//!
//! Fetching an instruction and finding the code for it takes about as long as executing it. So the first instruction of a sequence that
//! is frequent in a profile of gem5's protocols is replaced by one that does what all of them do. The others stay where they are, so
//! that jumps into the sequence, indices and spans keep their meaning.

use super::code::Op;

/// The instructions with the first of each frequent sequence replaced.
pub(super) fn fuse(code: &[Op]) -> Vec<Op> {
    (0..code.len()).map(|at| fused(&code[at..])).collect()
}

/// The instruction to be executed where these begin.
fn fused(code: &[Op]) -> Op {
    match *code {
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
        [Op::Load { to, base, offset }, Op::JumpUnlessSmall { .. }, ..] => {
            Op::LoadUnlessSmall { to, base, offset }
        }
        [
            Op::StoreControl { offset, from },
            Op::StoreControl { .. },
            Op::StoreControl { .. },
            ..,
        ] => Op::StoreControls { offset, from },
        [Op::Peek { to, buffer, message }, Op::JumpUnless { .. }, ..] => {
            Op::PeekUnless { to, buffer, message }
        }
        [first, ..] => first,
        // There is no such range.
        [] => Op::PortEnd,
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
    }
}
