//! Executes the local instructions of a thread between two accesses.

use slicc::source::Span;

use super::{EarlyEnd, Fault, Status, Thread};
use crate::program::code::{FaultKind, Instruction};
use crate::program::compile;

/// Largest number of instructions between two accesses, and in all of `init` or of `finally`, so that no step takes long.
pub(super) const MOST_LOCAL: u32 = 100_000;

/// The state of a thread before its first access.
pub(super) fn begin(code: &compile::Thread) -> Thread {
    let mut thread = Thread {
        at: 0,
        status: Status::Ready,
        locals: vec![0; code.locals],
        buffer: Default::default(),
    };
    let mut left = MOST_LOCAL;
    advance(code, &mut thread, &mut left);
    thread
}

/// Executes local instructions up to the next access, fence or end. Each decreases `left`, and the thread fails if it is 0. Returns whether
/// the thread has yielded.
pub(super) fn advance(code: &compile::Thread, thread: &mut Thread, left: &mut u32) -> bool {
    let mut has_yielded = false;
    thread.status = loop {
        let at = thread.at;
        let instruction = &code.code[at as usize];
        thread.at += 1;
        let ended = match local(instruction, thread, &mut has_yielded) {
            Ok(None) if *left > 0 => {
                *left -= 1;
                continue;
            }
            Ok(None) => Status::Fault(FaultKind::Endless),
            Ok(Some(status)) => status,
            Err(fault) => Status::Fault(fault),
        };
        thread.at = at;
        break ended;
    };
    for &local in &code.dead[thread.at as usize] {
        thread.locals[usize::from(local)] = 0;
    }
    has_yielded
}

/// Executes an instruction if it is local; otherwise returns the status with which the thread stops before it. `thread.at` is already the
/// next instruction.
fn local(
    instruction: &Instruction,
    thread: &mut Thread,
    has_yielded: &mut bool,
) -> Result<Option<Status>, FaultKind> {
    match instruction {
        Instruction::Set(local, value, _) => {
            thread.locals[usize::from(*local)] = value.evaluate(&thread.locals)?;
        }
        Instruction::Unless(condition, to, _) => {
            if condition.evaluate(&thread.locals)? == 0 {
                thread.at = *to;
            }
        }
        Instruction::Jump(to) => thread.at = *to,
        Instruction::Assert(claim, _) => {
            if claim.evaluate(&thread.locals)? == 0 {
                return Err(FaultKind::Assertion);
            }
        }
        Instruction::Yield => *has_yielded = true,
        Instruction::CutOff(_) => return Ok(Some(Status::CutOff)),
        Instruction::NoResult(_) => return Err(FaultKind::NoResult),
        Instruction::End => return Ok(Some(Status::Done)),
        Instruction::Access(_) | Instruction::Fence(_) => return Ok(Some(Status::Ready)),
    }
    Ok(None)
}

/// The reason why a thread has stopped early; none if it is ready or done.
pub(super) fn stop(code: &compile::Thread, thread: &Thread) -> Option<EarlyEnd> {
    let kind = match thread.status {
        Status::Ready | Status::Done => return None,
        Status::CutOff => None,
        Status::Fault(kind) => Some(kind),
    };
    let span = match &code.code[thread.at as usize] {
        Instruction::Set(_, _, span)
        | Instruction::Unless(_, _, span)
        | Instruction::Assert(_, span)
        | Instruction::CutOff(span)
        | Instruction::NoResult(span) => *span,
        Instruction::Access(access) => access.span,
        Instruction::Jump(_) | Instruction::Yield | Instruction::Fence(_) | Instruction::End => {
            Span::default()
        }
    };
    Some(kind.map_or(EarlyEnd::CutOff(span), |kind| EarlyEnd::Fault(Fault { span, kind })))
}
