//! The program of a thread as a list of instructions with jump targets.

use crate::error::Error;
use crate::isa::Instruction;
use crate::test::{LitmusTest, Program};

/// How programs are unfolded.
#[derive(Clone, Copy, Debug)]
pub struct Unfolding {
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
    pub instruction: &'t Instruction,
    /// The line of the file, from 1.
    pub line: usize,
    /// The index of the operation that a branch jumps to; 0 for other instructions.
    pub target: usize,
}

/// Flattens the sequences of a program and resolves its labels.
///
/// # Errors
/// Returns [`Error::Run`] for a branch to a label that does not exist.
pub(super) fn operations<'t>(
    test: &LitmusTest,
    program: &'t Program,
) -> Result<Vec<Operation<'t>>, Error> {
    let mut operations = Vec::new();
    let mut starts = Vec::with_capacity(program.steps.len() + 1);
    for step in &program.steps {
        starts.push(operations.len());
        flatten(&step.instruction, step.line, &mut operations);
    }
    starts.push(operations.len());
    for operation in &mut operations {
        if let Instruction::Branch { label, .. } = operation.instruction {
            let known = program.labels.iter().find(|(name, _)| name == label);
            let (_, step) = known.ok_or_else(|| Error::Run {
                file: test.file.clone(),
                line: operation.line,
                what: format!("there is no label `{label}` in this thread"),
            })?;
            operation.target = starts[*step];
        }
    }
    Ok(operations)
}

fn flatten<'t>(instruction: &'t Instruction, line: usize, into: &mut Vec<Operation<'t>>) {
    match instruction {
        Instruction::Sequence(parts) => {
            parts.iter().for_each(|part| flatten(part, line, into));
        }
        instruction => into.push(Operation { instruction, line, target: 0 }),
    }
}
