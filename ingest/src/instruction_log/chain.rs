//! [`Chains`]: whether the instructions of each hart follow each other, by their addresses.
//!
//! An instruction that is neither behind the one before it nor its target shows that lines are missing, doubled or in another order, or
//! that there was a trap. Where the log shows traps, it is damaged; elsewhere the user is told.

use instructions::Next;
use rustc_hash::FxHashMap;

use super::Flaw;

/// What a log shows when a hart does not go on as its last instruction says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traps {
    /// A line for each trap.
    Shown,
    /// Nothing; but no instruction is executed twice.
    Hidden,
    /// Nothing; and an instruction may be printed again when it is executed anew, as QEMU does to perform some of them alone.
    HiddenWithRestarts,
}

/// An instruction of a hart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The line that shows it, of all files.
    pub line: u64,
    pub pc: u64,
    /// The address behind it.
    pub behind: u64,
    pub next: Next,
}

/// An instruction that does not follow the one before it.
#[derive(Clone, Copy, Debug)]
struct Break {
    before: Link,
    after: Link,
}

/// The last instruction of each hart, and the instructions that did not follow theirs.
#[derive(Debug, Default)]
pub(super) struct Chains {
    last: FxHashMap<u32, Link>,
    first: Option<Break>,
    count: u64,
}

impl Chains {
    /// Takes in the next instruction of a hart. Returns whether it follows the one before.
    ///
    /// # Errors
    /// Fails if lines are certainly missing, doubled or in another order.
    pub(super) fn step(&mut self, hart: u32, after: Link, traps: Traps) -> Result<bool, Flaw> {
        let before = self.last.insert(hart, after);
        let Some(before) = before.filter(|it| !it.next.allows(it.behind, after.pc)) else {
            return Ok(true);
        };
        let is_again = after.pc == before.pc && traps == Traps::Hidden;
        if is_again || traps == Traps::Shown {
            return Err(Break { before, after }.flaw());
        }
        self.first.get_or_insert(Break { before, after });
        self.count += 1;
        Ok(false)
    }

    /// Takes in a trap of a hart, which goes on anywhere.
    pub(super) fn leave(&mut self, hart: u32) {
        self.last.remove(&hart);
    }

    /// Takes in that a line was skipped, which may have been an instruction of any hart.
    pub(super) fn clear(&mut self) {
        self.last.clear();
    }

    /// A sentence about the instructions that did not follow the ones before them, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let Break { before, after } = self.first?;
        let more = match self.count {
            1 => String::new(),
            2 => ", nor does 1 more".to_owned(),
            count => format!(", nor do {} more", count - 1),
        };
        Some(format!(
            "The instruction at {:#x} (line {}) does not follow the one before it at {:#x} (line {}){more}: there was a trap that the log does \
             not show, or lines are missing, doubled or in another order.",
            after.pc, after.line, before.pc, before.line
        ))
    }
}

impl Break {
    fn flaw(self) -> Flaw {
        let Break { before, after } = self;
        let expected = match before.next {
            Next::Branch(target) => format!("the one at {:#x} or {target:#x}", before.behind),
            Next::Jump(target) => format!("the one at {target:#x}"),
            Next::Behind | Next::Anywhere => format!("the one at {:#x}", before.behind),
        };
        Flaw {
            found: format!(
                "an instruction at {:#x} after that at {:#x} (line {})",
                after.pc, before.pc, before.line
            ),
            expected: format!("{expected}, or a line with a trap"),
        }
    }
}
