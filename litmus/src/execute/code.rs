//! The programs of a test as one list of operations, with the targets of their jumps.

use crate::error::Error;
use crate::isa::{Instruction, JumpTarget};
use crate::test::{LitmusTest, Step};
use crate::value::CodeAddress;

/// Number of bytes of an instruction, by which distances such as `.+8` and addresses of instructions count.
const INSTRUCTION_BYTES: i64 = 4;

/// How programs are unfolded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfolding {
    /// Number of times that each branch of a thread may jump backwards.
    pub unroll: usize,
    /// Whether the read and the write of an atomic instruction are two events; if not, they are one.
    pub splits_atomics: bool,
}

impl Default for Unfolding {
    /// Unrolls loops twice, as herd does, and keeps atomic instructions as one event.
    fn default() -> Unfolding {
        Unfolding { unroll: 2, splits_atomics: false }
    }
}

/// An instruction that is not an [`Instruction::Sequence`].
pub(super) struct Operation<'t> {
    /// The instruction; `None` for the end of a program.
    pub instruction: Option<&'t Instruction>,
    /// The line of the file, from 1.
    pub line: usize,
    /// The address of the instruction that the operation is a part of.
    pub address: CodeAddress,
    /// The address of the label that the instruction names, if it names one.
    pub label: Option<CodeAddress>,
    /// The first operation of the instruction, if its accesses are in no order.
    pub group: Option<usize>,
    /// The number of operations after it that run only if the condition of an [`Instruction::OnlyIf`] holds.
    pub then: usize,
}

/// The programs of all threads, since a thread may jump into the program of another.
pub(super) struct Code<'t> {
    pub operations: Vec<Operation<'t>>,
    /// The index of the first operation of each step, and of the end, by thread.
    starts: Vec<Vec<usize>>,
    /// The addresses that a computed jump may go to: those of labels and after calls.
    pub entries: Vec<CodeAddress>,
}

impl<'t> Code<'t> {
    /// Flattens the sequences of the programs and resolves the labels.
    ///
    /// # Errors
    /// Returns [`Error::Run`] for a label that does not exist.
    pub(super) fn of(test: &'t LitmusTest) -> Result<Code<'t>, Error> {
        let mut code = Code { operations: Vec::new(), starts: Vec::new(), entries: Vec::new() };
        for (thread, program) in test.threads.iter().enumerate() {
            let at = |step| CodeAddress { thread: thread as u16, step: step as u16 };
            code.entries.extend(program.labels.iter().map(|(_, step)| at(*step)));
            let mut starts = Vec::with_capacity(program.steps.len() + 1);
            for (number, step) in program.steps.iter().enumerate() {
                starts.push(code.operations.len());
                code.flatten(test, step, &step.instruction, at(number), None)?;
            }
            starts.push(code.operations.len());
            let (address, line) = (at(program.steps.len()), 0);
            let end =
                Operation { instruction: None, line, address, label: None, group: None, then: 0 };
            code.operations.push(end);
            code.starts.push(starts);
        }
        code.entries.sort_unstable();
        code.entries.dedup();
        Ok(code)
    }

    /// The index of a thread's first operation.
    pub(super) fn start(&self, thread: usize) -> usize {
        self.starts[thread][0]
    }

    /// The index of the operation at an address; `None` if no instruction and no end of a program is there.
    pub(super) fn index(&self, address: CodeAddress) -> Option<usize> {
        self.starts.get(usize::from(address.thread))?.get(usize::from(address.step)).copied()
    }

    fn flatten(
        &mut self,
        test: &LitmusTest,
        step: &Step,
        instruction: &'t Instruction,
        address: CodeAddress,
        group: Option<usize>,
    ) -> Result<(), Error> {
        let at = self.operations.len();
        let mut all = |parts: &'t [Instruction], group| {
            parts.iter().try_for_each(|part| self.flatten(test, step, part, address, group))
        };
        let group = match instruction {
            Instruction::Sequence(parts) => return all(parts, group),
            Instruction::Unordered(parts) => return all(parts, Some(at)),
            Instruction::CompareAndSwapPair { .. } => Some(at),
            Instruction::StoreConditional { values, .. } if values.len() > 1 => Some(at),
            _ => group,
        };
        let label = match instruction {
            Instruction::Branch { target: JumpTarget::Label(label), .. }
            | Instruction::Call { target: JumpTarget::Label(label), .. }
            | Instruction::LabelAddress { label, .. } => Some(resolve(test, step, label, address)?),
            _ => None,
        };
        if let Instruction::Call { .. } = instruction {
            self.entries.push(CodeAddress { step: address.step + 1, ..address });
        }
        let (line, instruction) = (step.line, Some(instruction));
        self.operations.push(Operation { instruction, line, address, label, group, then: 0 });
        if let Some(Instruction::OnlyIf { then, .. }) = instruction {
            then.iter().try_for_each(|part| self.flatten(test, step, part, address, group))?;
            self.operations[at].then = self.operations.len() - at - 1;
        }
        Ok(())
    }
}

/// The address of a label in the program that an instruction belongs to, or at a distance from the instruction.
fn resolve(
    test: &LitmusTest,
    step: &Step,
    label: &str,
    from: CodeAddress,
) -> Result<CodeAddress, Error> {
    let program = &test.threads[usize::from(from.thread)];
    let found = match label.strip_prefix('.').and_then(|distance| distance.parse().ok()) {
        Some(distance) => from.moved(distance),
        None => {
            let known = program.labels.iter().find(|(name, _)| name == label);
            known.map(|(_, step)| CodeAddress { step: *step as u16, ..from })
        }
    };
    let found = found.filter(|found| usize::from(found.step) <= program.steps.len());
    found.ok_or_else(|| Error::Run {
        file: test.file.clone(),
        line: step.line,
        what: format!("there is no label `{label}` in this thread"),
    })
}

impl CodeAddress {
    /// The address so many bytes after this one; `None` if no instruction can be there.
    pub(crate) fn moved(self, bytes: i64) -> Option<CodeAddress> {
        if bytes % INSTRUCTION_BYTES != 0 {
            return None;
        }
        let step = i64::from(self.step).checked_add(bytes / INSTRUCTION_BYTES)?;
        Some(CodeAddress { step: u16::try_from(step).ok()?, ..self })
    }
}
