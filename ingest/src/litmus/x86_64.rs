//! Writes operations as x86-64 instructions. Loads are performed in order, so dependencies need no instructions.

use history::{Annotation, Kind, WeakFence};

use super::Inexpressible;
use super::column::{Column, Operation, Register};

/// The registers, with the names of their lower 32 bits.
const REGISTERS: [(&str, &str); 14] = [
    ("rax", "eax"),
    ("rbx", "ebx"),
    ("rcx", "ecx"),
    ("rdx", "edx"),
    ("rsi", "esi"),
    ("rdi", "edi"),
    ("r8", "r8d"),
    ("r9", "r9d"),
    ("r10", "r10d"),
    ("r11", "r11d"),
    ("r12", "r12d"),
    ("r13", "r13d"),
    ("r14", "r14d"),
    ("r15", "r15d"),
];

/// Adds an operation to a column.
pub(super) fn add(column: &mut Column, operation: &Operation) -> Result<(), Inexpressible> {
    let place = &operation.place;
    if operation.kind != Kind::Rmw && operation.annotation != Annotation::None {
        return Err("has an acquire or release annotation".to_owned());
    }
    match operation.kind {
        Kind::Fence => column.push("mfence".to_owned()),
        Kind::WeakFence(WeakFence::ReadBoth) => column.push("lfence".to_owned()),
        Kind::WeakFence(WeakFence::WriteWrite) => column.push("sfence".to_owned()),
        Kind::WeakFence(_) => return Err("is not a full fence".to_owned()),
        Kind::Store => column.push(format!("movl ${},({place})", operation.value())),
        Kind::Load => {
            let register = returned(column, operation)?;
            column.push(format!("movl ({place}),%{register}"));
        }
        Kind::Rmw => {
            let register = returned(column, operation)?;
            column.push(format!("movl ${},%{register}", operation.value()));
            column.push(format!("xchgl ({place}),%{register}"));
        }
        other => return Err(format!("is a {}", other.name())),
    }
    Ok(())
}

/// Allocates a register for the value that an operation reads, and returns the name of its lower half.
fn returned(column: &mut Column, operation: &Operation) -> Result<&'static str, Inexpressible> {
    let register: Register = column.register(REGISTERS.len())?;
    let (name, half) = REGISTERS[register];
    column.returns(operation.op, register, name, operation.read.unwrap_or_default());
    Ok(half)
}
