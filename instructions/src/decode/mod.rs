//! The instruction sets: what an instruction does with memory, and which registers it reads and writes.

pub(crate) mod action;
pub(crate) mod arm;
mod arm_uses;
pub(crate) mod isa;
pub(crate) mod registers;
pub(crate) mod riscv;
mod riscv_uses;
pub(crate) mod x86;
