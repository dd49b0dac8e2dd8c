//! From a log of executed instructions to a history: loads, stores, atomic operations and fences, with the dependencies between them.
//!
//! The input is an [`Instruction`] at a time, which a reader of logs makes of a line: disassembly, program counter, and address and
//! value of its access. [`Recording`] takes the instructions of all hardware threads, and [`Recording::finish`] returns the history of
//! the locations that threads share, or of the addresses that [`Options`] name. The disassembly is that of gem5, which is nearly the one
//! of the instruction sets' manuals.
//!
//! `decode` has the instruction sets: `isa` recognises them, `x86`, `riscv` and `arm` return an instruction's effect on memory, an `action`, and
//! `riscv_uses` and `arm_uses` the registers that it reads and writes, from which `flow` finds the loads that accesses and branches depend on.
//! [`RiscvWords`] disassembles the encoded instructions that logs of RISC-V print, and [`ArmWords`] those of AArch64; [`Next`] says where a
//! hart goes on after them.
//! `hart` follows each hardware thread and writes to the `log`. `shared` finds the locations that threads share, `announced` those that the
//! program announces as shared. `select` makes the history of either, with the `dependencies` between its operations. None of them says what
//! the log does not show: a register whose value is not certain is forgotten, and an unknown instruction that touches shared memory is a
//! [`history::Gap`].
//!
//! ```
//! use history::Isa;
//! use instructions::{Class, Instruction, Options, Recording};
//!
//! let mut recording = Recording::new(Options { isa: Some(Isa::Riscv), ..Options::default() });
//! let threads = [recording.add_thread(0), recording.add_thread(1)];
//! let store = Instruction {
//!     pc: Some(0x8000),
//!     body: b"sd a1, 0(a0)",
//!     class: Some(Class { reads: false, writes: true }),
//!     data: Some(7),
//!     address: Some(0x1000),
//!     ..Instruction::default()
//! };
//! let load = Instruction {
//!     body: b"ld a1, 0(a0)",
//!     class: Some(Class { reads: true, writes: false }),
//!     ..store
//! };
//! for (line, (thread, mut instruction)) in (1..).zip([(threads[0], store), (threads[1], load)]) {
//!     assert!(recording.recognise(&mut instruction, None).unwrap());
//!     recording.execute(thread, &instruction, line, None).unwrap();
//! }
//! let selected = recording.finish().expect("no announcement is needed");
//! assert_eq!((selected.builder.len(), selected.shared_bytes), (2, Some(8)));
//! ```

mod announced;
mod arm_words;
mod decode;
mod dependencies;
mod flow;
mod hart;
mod instruction;
mod log;
mod next;
mod options;
mod problem;
mod recorder;
mod recording;
mod riscv_words;
#[cfg(test)]
mod sample;
mod select;
mod shared;
mod spaces;

pub use arm_words::{ArmWord, ArmWords, RegisterValues};
pub use instruction::{Class, Encoded, Instruction};
pub use next::Next;
pub use options::{Addresses, Options};
pub use problem::{IsaBasis, Problem};
pub use recording::Recording;
pub use riscv_words::{RiscvWord, RiscvWords};
pub use select::Selected;
pub use spaces::Spaces;
