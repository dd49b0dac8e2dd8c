//! Programs as text, for cores outside of this crate: those of `RubricTester`, the plug-in for gem5.
//!
//! | line | meaning |
//! |---|---|
//! | `rubric-program 1` | a program begins, in this version of the format |
//! | `name TEXT` | its name |
//! | `seed N`, `line-bytes N` | the seed of the random choices of cores, and the size of a cache line |
//! | `model NAME` | the weak model whose cores the program is for |
//! | `thread`, `device` | the steps of the next thread follow, or of the next DMA device; threads come first |
//! | `THINK load ADDRESS SIZE` | after so many ticks of thinking, loads so many bytes |
//! | `THINK fetch ADDRESS SIZE` | fetches an instruction |
//! | `THINK store ADDRESS SIZE VALUE` | stores a value |
//! | `THINK rmw ADDRESS SIZE VALUE FORM` | replaces a value: `locked`, `linked`, `atomic` or `atomic-no-return` |
//! | `THINK fence` | is a full fence |
//! | one of these, then ` by WORDS` | has these orderings besides its kind, such as `annotation:acquire/address:3` |
//! | ` then WORDS` | the same for the store-conditional of a linked read-modify-write |
//! | ` after N,N…` | is performed after these steps of the thread, from 0, and after what these follow |
//! | ` needs N` | enters a core only when this step has left it |
//! | ` flush ADDRESS` | flushes a line right before |
//! | `THINK read ADDRESS WORDS` | a device reads words of 8 bytes |
//! | `THINK write ADDRESS WORDS VALUE STEP` | a device writes words, each by STEP larger than the one before |
//! | `end` | ends the program; another one may follow |
//!
//! Addresses and values are hexadecimal with `0x`, other numbers decimal. Lines that begin with `#` are comments.

use std::io::{self, Write};

use memory::Model;

use crate::client::{Constraint, constraints};
use crate::program::{Operation, Program, RmwForm, Step, TransferStep};

/// The first line of a program, with the version of the format.
const FIRST: &str = "rubric-program 1";

/// The header of a program in a file.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The name of the program, such as the command that makes it. Must be one line.
    pub name: &'a str,
    /// The seed of the random choices of cores.
    pub seed: u64,
    /// Size of a cache line in bytes.
    pub line_bytes: u64,
    /// The weak model that the cores keep, if they do.
    pub model: Option<Model>,
}

impl Program {
    /// Writes the program as text.
    ///
    /// # Errors
    /// Fails if the output cannot be written.
    pub fn write(&self, heading: Heading<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Heading { name, seed, line_bytes, model } = heading;
        writeln!(out, "{FIRST}\nname {name}\nseed {seed}\nline-bytes {line_bytes}")?;
        if let Some(model) = model {
            writeln!(out, "model {}", model.name())?;
        }
        for steps in &self.threads {
            writeln!(out, "thread")?;
            let mut ordered = model.map(|model| constraints(steps, model).into_iter());
            for step in steps {
                write_step(step, out)?;
                if let Some(constraint) = ordered.as_mut().and_then(Iterator::next) {
                    write_constraint(&constraint, out)?;
                }
                match step.flush {
                    Some(line) => writeln!(out, " flush {line:#x}")?,
                    None => writeln!(out)?,
                }
            }
        }
        for steps in &self.devices {
            writeln!(out, "device")?;
            steps.iter().try_for_each(|step| write_transfer(step, out))?;
        }
        writeln!(out, "end")
    }
}

fn write_step(step: &Step, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{} ", step.think)?;
    match step.operation {
        Operation::Load(bytes) => write!(out, "load {:#x} {}", bytes.address, bytes.size)?,
        Operation::Fetch(bytes) => write!(out, "fetch {:#x} {}", bytes.address, bytes.size)?,
        Operation::Store(bytes, value) => {
            write!(out, "store {:#x} {} {value:#x}", bytes.address, bytes.size)?;
        }
        Operation::Rmw { bytes, value, form } => {
            let form = form_name(form);
            write!(out, "rmw {:#x} {} {value:#x} {form}", bytes.address, bytes.size)?;
        }
        Operation::Fence => write!(out, "fence")?,
    }
    Ok(())
}

fn write_constraint(constraint: &Constraint, out: &mut dyn Write) -> io::Result<()> {
    for (clause, words) in ["by", "then"].iter().zip(&constraint.orderings) {
        if !words.is_empty() {
            write!(out, " {clause} {words}")?;
        }
    }
    for (number, before) in constraint.after.iter().enumerate() {
        write!(out, "{}{before}", if number == 0 { " after " } else { "," })?;
    }
    match constraint.needs {
        Some(needs) => write!(out, " needs {needs}"),
        None => Ok(()),
    }
}

fn form_name(form: RmwForm) -> &'static str {
    match form {
        RmwForm::Locked => "locked",
        RmwForm::Linked => "linked",
        RmwForm::Atomic => "atomic",
        RmwForm::AtomicNoReturn => "atomic-no-return",
    }
}

fn write_transfer(step: &TransferStep, out: &mut dyn Write) -> io::Result<()> {
    let TransferStep { think, address, words, written } = step;
    match written {
        Some(values) => {
            let (first, step) = (values.first, values.step);
            writeln!(out, "{think} write {address:#x} {words} {first:#x} {step:#x}")
        }
        None => writeln!(out, "{think} read {address:#x} {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Extras, ProgramSize};

    #[test]
    fn all_steps_have_words() {
        let shape = ProgramSize {
            operations: 400,
            rmws: 20,
            fences: 5,
            fetches: 10,
            linked: 50,
            extras: Extras {
                devices: 1,
                flushes: 10,
                atomics: 50,
                partial: 20,
                ..Extras::default()
            },
            ..ProgramSize::default()
        };
        let program = Program::random(&shape);
        let mut text = Vec::new();
        let heading = Heading { name: "mixed", seed: 1, line_bytes: 64, model: None };
        program.write(heading, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let head = "rubric-program 1\nname mixed\nseed 1\nline-bytes 64\nthread\n";
        assert!(text.starts_with(head) && text.ends_with("\nend\n"), "{text}");
        assert_eq!(text.matches("\nthread\n").count(), 4);
        assert_eq!(text.lines().count(), 5 * 400 + 4 + 4 + 1 + 1);
        for word in [
            " load ",
            " fetch ",
            " store ",
            " locked",
            " linked",
            " atomic\n",
            " atomic-no-return",
            " fence",
            " flush 0x",
            " read ",
            " write ",
        ] {
            assert!(text.contains(word), "{word}");
        }
    }
}
