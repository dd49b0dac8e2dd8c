//! Instructions that CPUs executed: loads, stores, locked operations and fences of the flag Exec.

use history::{Access, HistoryBuilder, Kind, Place};
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use crate::error::Fault;
use crate::gem5::instruction::{Instruction, instruction, is_micro};
use crate::options::Options;

/// A hardware thread.
#[derive(Debug)]
struct Hart {
    label: u32,
    /// Whether an access was taken already, so that a fence has something to order.
    accessed: bool,
    /// A fence since the last access.
    fence: Option<u64>,
    /// The load of a locked read-modify-write.
    locked: Option<Locked>,
}

#[derive(Clone, Copy, Debug)]
struct Locked {
    address: u64,
    value: Option<u64>,
    line: u64,
    tick: Option<u64>,
}

/// Instructions so far.
#[derive(Debug)]
pub(crate) struct Exec {
    pub builder: HistoryBuilder,
    harts: Vec<Hart>,
    /// By object and hardware thread.
    by_name: FxHashMap<(usize, u32), usize>,
    pub accesses: u64,
    pub weak_fences: u64,
    /// Whether a write that is not selected may have supplied a value that is.
    pub outside_writes: bool,
    pub lines: u64,
    pub hardware_threads: bool,
    pub renumbered: bool,
    /// Whether accesses are no micro-operations: the CPUs are not x86's.
    pub foreign: bool,
    classes: bool,
    fence: Finder<'static>,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub line: u64,
    pub tick: Option<u64>,
    /// Bytes of a cache line.
    pub block: u64,
}

impl Default for Exec {
    fn default() -> Self {
        Exec {
            builder: HistoryBuilder::new(),
            harts: Vec::new(),
            by_name: FxHashMap::default(),
            accesses: 0,
            weak_fences: 0,
            outside_writes: false,
            lines: 0,
            hardware_threads: false,
            renumbered: false,
            foreign: false,
            classes: false,
            fence: Finder::new(b"fence"),
        }
    }
}

impl Exec {
    /// Takes in a line of the `thread`-th hardware thread of a CPU.
    pub(crate) fn line(
        &mut self,
        cpu: (usize, u32),
        thread: u32,
        text: &[u8],
        at: At,
        options: &Options,
    ) -> Result<(), Fault> {
        self.lines += 1;
        let instruction = instruction(text, &self.fence)?;
        match instruction {
            Instruction::Other { class } => {
                self.classes |= class;
                if !class {
                    return self.check_whole(text);
                }
            }
            Instruction::WeakFence => self.weak_fences += 1,
            Instruction::Fence => {
                let hart = self.hart(cpu, thread);
                self.harts[hart].fence = Some(at.line);
            }
            Instruction::Access {
                store,
                mnemonic,
                address,
                value,
            } => {
                if self.accesses < 64 {
                    self.foreign |= is_micro(text) == Some(false);
                }
                self.accesses += 1;
                self.classes = true;
                let hart = self.hart(cpu, thread);
                self.access(hart, store, mnemonic, address, value, at, options);
            }
        }
        Ok(())
    }

    /// A line without an operation class may be that of a macro-operation, or one that was cut.
    fn check_whole(&self, text: &[u8]) -> Result<(), Fault> {
        match is_micro(text) {
            None => Err(Fault::Cut("` : ` and the instruction")),
            Some(true) if self.classes => {
                Err(Fault::Cut("the operation class of the micro-operation"))
            }
            Some(_) => Ok(()),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn access(
        &mut self,
        hart: usize,
        store: bool,
        mnemonic: &[u8],
        address: u64,
        value: Option<u64>,
        at: At,
        options: &Options,
    ) {
        let locked = self.harts[hart].locked.take();
        if mnemonic == b"ldstl" {
            if let Some(alone) = locked {
                self.locked_alone(hart, alone, at, options);
            }
            let Some(hart) = self.harts.get_mut(hart) else {
                return;
            };
            hart.locked = Some(Locked {
                address,
                value,
                line: at.line,
                tick: at.tick,
            });
            return;
        }
        let joined = locked.filter(|locked| store && locked.address == address);
        if let (Some(alone), None) = (locked, joined) {
            self.locked_alone(hart, alone, at, options);
        }
        let kind = match (mnemonic, joined) {
            (_, Some(read)) if read.value.is_some() && read.value == value => Kind::FailedCas,
            (b"stul", _) | (_, Some(_)) => Kind::Rmw,
            _ if store => Kind::Store,
            _ => Kind::Load,
        };
        let read = match (kind, joined) {
            (Kind::Load, _) => value,
            (_, Some(locked)) => locked.value,
            _ => None,
        };
        let written = value.filter(|_| store);
        self.push(hart, kind, address, (read, written), at, options);
    }

    /// A locked load without its store reads, and orders like a read-modify-write.
    fn locked_alone(&mut self, hart: usize, locked: Locked, at: At, options: &Options) {
        let at = At {
            line: locked.line,
            tick: locked.tick,
            ..at
        };
        let values = (locked.value, None);
        self.push(hart, Kind::FailedCas, locked.address, values, at, options);
    }

    fn push(
        &mut self,
        hart: usize,
        kind: Kind,
        address: u64,
        (read, written): (Option<u64>, Option<u64>),
        at: At,
        options: &Options,
    ) {
        let Some(hart) = self.harts.get_mut(hart) else {
            return;
        };
        if !options.wants_address(address) {
            // What is locked on x86 has fences of its own around it.
            self.outside_writes |= kind.writes() && options.may_reach_in(address);
            return;
        }
        if !options.wants_tick(at.tick) {
            return;
        }
        let access = |kind, place, line| Access {
            sequence: at.line,
            line: Some(line),
            order: Some(line),
            completed: at.tick,
            ..Access::new(hart.label, kind, place)
        };
        if let (Some(line), true) = (hart.fence.take(), hart.accessed) {
            self.builder.push(access(Kind::Fence, Place::Nowhere, line));
        }
        hart.accessed = true;
        let block = at.block.max(1);
        let place = Place::Unsized {
            address,
            available: (block - address % block).min(8) as u8,
            mask: false,
        };
        self.builder.push(Access {
            read,
            written,
            ..access(kind, place, at.line)
        });
    }

    /// The hardware thread of a CPU, which is object `cpu.0` and numbered `cpu.1`.
    fn hart(&mut self, cpu: (usize, u32), thread: u32) -> usize {
        if let Some(&hart) = self.by_name.get(&(cpu.0, thread)) {
            return hart;
        }
        self.hardware_threads |= thread > 0;
        let wanted = cpu.1.wrapping_add(thread.wrapping_mul(HARDWARE_THREAD));
        let mut label = wanted;
        while self.harts.iter().any(|hart| hart.label == label) {
            label = label.wrapping_add(1);
        }
        self.renumbered |= label != wanted;
        self.harts.push(Hart {
            label,
            accessed: false,
            fence: None,
            locked: None,
        });
        self.by_name.insert((cpu.0, thread), self.harts.len() - 1);
        self.harts.len() - 1
    }
}

/// Distance of the labels of a CPU's hardware threads.
pub(crate) const HARDWARE_THREAD: u32 = 10_000;
