//! Liveness of locals. The values of locals that are not read again are dropped, since they would
//! only make states differ that behave alike.

use crate::program::code::{Code, Instruction};

/// Limit of instructions times locals above which all locals count as live.
const MOST_WORK: usize = 2_000_000;

/// For each access, fence and end, the locals that are not read afterwards before they are set.
pub(super) fn dead(
    code: &[Instruction],
    locals: usize,
    observed: &[(String, u16)],
) -> Vec<Vec<u16>> {
    let mut dead = vec![Vec::new(); code.len()];
    if code.len() * locals > MOST_WORK {
        return dead;
    }
    let mut live = vec![vec![false; locals]; code.len()];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for at in (0..code.len()).rev() {
            let now = before(code, at, &live, observed);
            has_changed |= now != live[at];
            live[at] = now;
        }
    }
    for (at, instruction) in code.iter().enumerate() {
        if matches!(instruction, Instruction::Access(_) | Instruction::Fence(_) | Instruction::End)
        {
            let is_dead = |local: &u16| !live[at][usize::from(*local)];
            dead[at] = (0..locals as u16).filter(is_dead).collect();
        }
    }
    dead
}

/// The locals that are live before an instruction, given those that are live before its successors.
fn before(
    code: &[Instruction],
    at: usize,
    live: &[Vec<bool>],
    observed: &[(String, u16)],
) -> Vec<bool> {
    let mut now = match &code[at] {
        Instruction::Jump(to) => live[*to as usize].clone(),
        Instruction::End | Instruction::CutOff(_) | Instruction::NoResult(_) => {
            vec![false; live[at].len()]
        }
        _ => live[at + 1].clone(),
    };
    let read = |code: &Code, now: &mut Vec<bool>| {
        code.locals(&mut |local| now[usize::from(local)] = true);
    };
    match &code[at] {
        Instruction::Set(local, value, _) => {
            now[usize::from(*local)] = false;
            read(value, &mut now);
        }
        Instruction::Unless(condition, to, _) => {
            for (now, &there) in now.iter_mut().zip(&live[*to as usize]) {
                *now |= there;
            }
            read(condition, &mut now);
        }
        Instruction::Assert(claim, _) => read(claim, &mut now),
        Instruction::Access(access) => {
            if let Some(result) = access.result {
                now[usize::from(result)] = false;
            }
            for code in access.place.index.iter().chain(&access.operands) {
                read(code, &mut now);
            }
        }
        Instruction::End => {
            for (_, local) in observed {
                now[usize::from(*local)] = true;
            }
        }
        _ => {}
    }
    now
}
