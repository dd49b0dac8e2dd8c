//! A hardware thread: what it did last, until it is certain that it did.

use history::{Annotation, Isa, Kind};

use super::action::{Action, Operation};
use super::line::Line;
use super::log::{Entry, Spot};
use super::{arm, riscv, x86};

/// Where entries go that are certain.
type Keep<'a> = &'a mut dyn FnMut(Entry);

/// Bytes that an instruction has at most.
const LONGEST: u64 = 16;
/// Accesses that wait for their thread to come back, at most.
const SUSPENDED: usize = 64;
/// Instructions after a store-conditional among which its test is looked for.
const PATIENCE: u32 = 8;

/// A hardware thread.
#[derive(Debug)]
pub(super) struct Hart {
    pub label: u32,
    pub decoder: Decoder,
    /// The last access: if it faulted, it is executed again.
    last: Option<Waiting>,
    /// Accesses after which the thread went elsewhere, to a handler of an interrupt or of a fault.
    suspended: Vec<Waiting>,
    /// The load of a locked read-modify-write.
    lock: Option<(Entry, u64)>,
    attempt: Option<Attempt>,
    /// Instructions that are not understood: line and text of the first of them.
    unknown: Vec<(u64, String)>,
}

/// What the instruction set needs to know of a thread.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    riscv: riscv::State,
    arm: arm::State,
}

/// An access that may be executed again.
#[derive(Debug)]
struct Waiting {
    entry: Entry,
    pc: Option<u64>,
    micro: Option<u32>,
    /// Whether the thread has executed other instructions since.
    left: bool,
}

/// A store-conditional whose outcome a branch tells.
#[derive(Debug)]
struct Attempt {
    entry: Entry,
    /// The register with its status, and the value that it stores.
    tested: Option<(usize, Option<u64>)>,
    /// The branch that tests the status, and where it stands.
    branch: Option<(u64, arm::Test, Option<u64>)>,
    /// The instruction before.
    last: Option<u64>,
    age: u32,
}

impl Hart {
    pub fn new(label: u32) -> Hart {
        Hart {
            label,
            decoder: Decoder::default(),
            last: None,
            suspended: Vec::new(),
            lock: None,
            attempt: None,
            unknown: Vec::new(),
        }
    }

    pub fn decode(&mut self, isa: Isa, line: &Line<'_>) -> Result<Action, &'static str> {
        match isa {
            Isa::X86 => x86::decode(line),
            Isa::Riscv => self.decoder.riscv.decode(line),
            Isa::Arm => self.decoder.arm.decode(line),
        }
    }

    /// Settles what the thread did before, by where it goes on.
    pub fn arrive(&mut self, line: &Line<'_>, keep: Keep<'_>) {
        if self.attempt.is_some() {
            self.follow_attempt(line, keep);
        }
        if !self.suspended.is_empty() {
            self.resume(line, keep);
        }
        let Some(mut last) = self.last.take() else {
            return;
        };
        if last.pc != line.pc {
            return match last.is_before(line) {
                true => keep(last.entry),
                false => {
                    last.left = true;
                    self.suspend(last, keep)
                }
            };
        }
        if riscv::State::is_acquire(line) {
            last.entry.acquire();
        }
        match (last.micro, line.micro) {
            (Some(before), Some(now)) if now > before => keep(last.entry),
            // Whether it is the same again is known when it is: the access is compared with it.
            _ => self.suspend(last, keep),
        }
    }

    /// Looks at accesses after which the thread went elsewhere.
    fn resume(&mut self, line: &Line<'_>, keep: Keep<'_>) {
        let back = |waiting: &Waiting| waiting.pc != line.pc && waiting.is_before(line);
        while let Some(at) = self.suspended.iter().position(back) {
            keep(self.suspended.remove(at).entry);
        }
        for waiting in &mut self.suspended {
            waiting.left |= waiting.pc != line.pc;
        }
    }

    fn suspend(&mut self, waiting: Waiting, keep: Keep<'_>) {
        // A load that returned something was performed.
        if !waiting.entry.may_write() {
            return keep(waiting.entry);
        }
        if self.suspended.len() == SUSPENDED {
            keep(self.suspended.remove(0).entry);
        }
        self.suspended.push(waiting);
    }

    /// An access is the last thing that the thread did.
    pub fn wait(&mut self, entry: Entry, line: &Line<'_>, keep: Keep<'_>) {
        let (pc, micro) = (line.pc, line.micro);
        let here = |it: &Waiting| it.pc == pc && it.micro == micro;
        if let Some(at) = self.suspended.iter().position(here) {
            let earlier = self.suspended.remove(at);
            if !earlier.entry.is_again(&entry) {
                keep(earlier.entry);
            } else if earlier.left {
                // The same store after a fault, or another one, of a loop or of another task.
                keep(earlier.entry.maybe());
            }
        }
        // The two halves of a pair are one line.
        if let Some(half) = self.last.take() {
            keep(half.entry);
        }
        self.last = Some(Waiting {
            entry,
            pc,
            micro,
            left: false,
        });
    }

    /// A store-conditional whose outcome another instruction tells.
    pub fn attempt(
        &mut self,
        entry: Entry,
        pc: Option<u64>,
        tested: Option<(usize, Option<u64>)>,
        keep: Keep<'_>,
    ) {
        self.give_up(keep);
        self.attempt = Some(Attempt {
            entry,
            tested,
            branch: None,
            last: pc,
            age: 0,
        });
    }

    /// Looks for the branch that tests a store-conditional's status, and for where it leads.
    fn follow_attempt(&mut self, line: &Line<'_>, keep: Keep<'_>) {
        let Some(attempt) = &mut self.attempt else {
            return;
        };
        attempt.age += 1;
        if let Some((pc, test, value)) = attempt.branch {
            // Anywhere else is the handler of an interrupt, which shows nothing.
            let behind = pc.wrapping_add(4);
            let is_taken = match line.pc {
                _ if test.target == Some(behind) => None,
                Some(next) if next == behind => Some(false),
                Some(next) if test.target == Some(next) => Some(true),
                _ => None,
            };
            match is_taken {
                None => self.give_up(keep),
                Some(taken) => {
                    if taken == test.if_zero {
                        keep(attempt.entry.stores(value));
                    }
                    self.attempt = None;
                }
            }
            return;
        }
        let goes_on = match (attempt.last, line.pc) {
            (Some(last), Some(pc)) => pc.wrapping_sub(last) <= 4,
            _ => false,
        };
        attempt.last = line.pc;
        let Some((status, value)) = attempt.tested.filter(|_| goes_on) else {
            return self.give_up(keep);
        };
        if let (Some(test), Some(pc)) = (arm::State::tests(line), line.pc)
            && test.register == status
        {
            attempt.branch = Some((pc, test, value));
            return;
        }
        if attempt.age > PATIENCE || arm::State::mentions(line, status) {
            self.give_up(keep);
        }
    }

    /// It stays unknown whether a store-conditional stored.
    fn give_up(&mut self, keep: Keep<'_>) {
        if let Some(attempt) = self.attempt.take() {
            keep(attempt.entry.maybe());
        }
    }

    /// A half of a locked read-modify-write: `ldstl` and `stul`.
    pub fn locked(
        &mut self,
        spot: Spot,
        address: u64,
        half: Operation,
        block: u64,
        keep: Keep<'_>,
    ) {
        if half.kind == Kind::Load {
            self.end_lock(keep);
            let alone = half.of_kind(Kind::FailedCas);
            self.lock = Some((Entry::access(spot, address, alone).within(block), address));
            return;
        }
        let lock = self.lock.take();
        let load = match lock {
            Some((load, locked)) if locked == address => Some(load),
            other => {
                self.lock = other;
                self.end_lock(keep);
                None
            }
        };
        let read = load.and_then(|load| load.read());
        let operation = match (load, half.written) {
            (Some(_), written) if read.is_some() && read == written => Operation {
                kind: Kind::FailedCas,
                annotation: Annotation::None,
                size: half.size,
                read,
                written: None,
            },
            _ => Operation::rmw(half.size, read, half.written),
        };
        keep(Entry::access(spot, address, operation).within(block));
    }

    /// A locked load without its store reads, and orders like a read-modify-write.
    pub fn end_lock(&mut self, keep: Keep<'_>) {
        if let Some((alone, _)) = self.lock.take() {
            keep(alone);
        }
    }

    /// Keeps the words of an instruction that is not understood.
    pub fn describe(&mut self, line: u64, text: &Line<'_>) {
        if self.unknown.len() < 1024 {
            self.unknown.push((line, text.shown()));
        }
    }

    /// The words of the instruction of a line that is not understood.
    pub fn described(&self, line: u64) -> Option<&str> {
        let at = self
            .unknown
            .binary_search_by_key(&line, |(line, _)| *line)
            .ok()?;
        Some(&self.unknown[at].1)
    }

    /// The end of the trace: what was not executed again was executed.
    pub fn finish(&mut self, keep: Keep<'_>) {
        self.give_up(keep);
        self.end_lock(keep);
        for waiting in self.suspended.drain(..).chain(self.last.take()) {
            keep(waiting.entry);
        }
    }
}

impl Waiting {
    /// Whether a line is right behind it.
    fn is_before(&self, line: &Line<'_>) -> bool {
        match (self.pc, line.pc) {
            (Some(before), Some(now)) => now.wrapping_sub(before) <= LONGEST,
            _ => true,
        }
    }
}
