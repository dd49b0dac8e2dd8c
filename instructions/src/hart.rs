//! [`Hart`]: a hardware thread. It holds its last access back until the trace shows whether the access was performed or
//! faulted.

use std::hash::{Hash, Hasher};

use history::{Isa, Kind};
use rustc_hash::FxHasher;

use crate::decode::action::{Action, Operation};
use crate::decode::registers::Test;
use crate::decode::{arm, riscv, x86};
use crate::flow::Edge;
use crate::instruction::Instruction;
use crate::log::{Entry, LinePosition};

/// Receives entries whose execution is certain.
type Keep<'a> = &'a mut dyn FnMut(Entry);

/// Size of the longest instruction, in bytes.
const LONGEST_INSTRUCTION: u64 = 16;
/// Largest number of accesses that a thread holds back.
const MOST_SUSPENDED: usize = 64;
/// Greatest distance between two instructions of one function, in bytes.
const LONGEST_FUNCTION: u64 = 1 << 16;
/// Number of instructions after a store-conditional in which the branch that tests it is searched for.
const TEST_WINDOW: u32 = 8;

/// A hardware thread, with the accesses whose effect is not certain yet.
#[derive(Debug)]
pub(crate) struct Hart {
    pub label: u32,
    /// The instruction set of the last instruction that was decoded.
    isa: Option<Isa>,
    pub decoders: Decoders,
    /// The last access. If it faulted, it will be executed again.
    last: Option<HeldAccess>,
    /// Accesses after which the thread executed other code, such as a handler of an interrupt or of a fault.
    suspended: Vec<HeldAccess>,
    /// The load of a locked read-modify-write whose store has not come yet, and its address.
    lock: Option<(Entry, u64)>,
    /// Whether a line was skipped since the last load-linked.
    is_reservation_lost: bool,
    /// The store-conditional whose outcome is not known yet.
    attempt: Option<Attempt>,
    current: Progress,
    /// Whether an instruction was printed that neither accesses nor orders memory.
    shows_all: bool,
    /// The first instructions that are not understood, each with line and text.
    unknown: Vec<(u64, String)>,
}

/// The decoders of a thread, one for each instruction set that needs state.
#[derive(Debug, Default)]
pub(crate) struct Decoders {
    riscv: riscv::Decoder,
    arm: arm::Decoder,
}

impl Decoders {
    /// Notes that any register may have been written.
    pub(crate) fn lose(&mut self) {
        self.riscv.lose();
        self.arm.lose();
    }
}

/// An access that may be executed again.
#[derive(Debug)]
struct HeldAccess {
    entry: Entry,
    pc: Option<u64>,
    micro: Option<u32>,
    /// Hash of the instruction's text.
    body: u64,
    /// Hash of the line that announced the instruction.
    announced: Option<u64>,
    /// Hash of the name of the function.
    function: Option<u64>,
    /// Whether the thread has executed other instructions since then.
    left: bool,
}

/// An instruction with those of its micro-operations that were printed so far.
#[derive(Debug, Default)]
struct Progress {
    pc: Option<u64>,
    micro: Option<u32>,
    /// Hash of the line that announced the instruction.
    announced: Option<u64>,
    /// Whether one of its lines has results.
    has_results: bool,
    /// Whether one of its lines accesses or orders memory.
    is_of_memory: bool,
}

/// A store-conditional whose outcome a branch shows.
#[derive(Debug)]
struct Attempt {
    entry: Entry,
    /// The register of the status, and the value that the store-conditional stores; `None` if no branch shows the
    /// outcome.
    tested: Option<(usize, Option<u64>)>,
    /// The branch that tests the status: its address, its test, and the value that the store-conditional stores.
    branch: Option<(u64, Test, Option<u64>)>,
    /// Address of the thread's previous instruction.
    last: Option<u64>,
    /// Number of instructions since the store-conditional.
    age: u32,
}

impl Hart {
    pub(crate) fn new(label: u32) -> Hart {
        Hart {
            label,
            isa: None,
            decoders: Decoders::default(),
            last: None,
            suspended: Vec::new(),
            lock: None,
            attempt: None,
            is_reservation_lost: false,
            current: Progress::default(),
            shows_all: false,
            unknown: Vec::new(),
        }
    }

    /// Takes in that a line was skipped, which may have been an instruction of this thread.
    pub(crate) fn interrupt(&mut self, keep: Keep<'_>) {
        self.give_up(keep);
        self.decoders.lose();
        self.is_reservation_lost = true;
    }

    /// The kind of an access, which is a store if it is not certain to which load-linked a store-conditional belongs.
    pub(crate) fn with_reservation(&mut self, operation: Operation) -> Operation {
        self.is_reservation_lost &= operation.kind != Kind::LoadLinked;
        match operation.kind {
            Kind::StoreConditional if self.is_reservation_lost => operation.of_kind(Kind::Store),
            _ => operation,
        }
    }

    /// The address of the last instruction.
    pub(crate) fn last_address(&self) -> Option<u64> {
        self.current.pc
    }

    /// Decodes a line, the `at`-th of the trace.
    pub(crate) fn decode(
        &mut self,
        isa: Isa,
        line: &Instruction<'_>,
        at: u64,
    ) -> Result<Action, &'static str> {
        self.isa = Some(isa);
        match isa {
            Isa::X86 => x86::decode(line),
            Isa::Riscv => self.decoders.riscv.decode(line, at),
            Isa::Arm => self.decoders.arm.decode(line, at),
        }
    }

    /// The dependencies of lines on loads, in the order of lines. Dependencies of x86 are not needed, since it
    /// preserves the order of loads.
    pub(crate) fn edges(&self) -> &[Edge] {
        match self.decoders.riscv.edges() {
            [] => self.decoders.arm.edges(),
            edges => edges,
        }
    }

    /// Whether the trace shows instructions of this thread that neither access nor order memory. If
    /// it shows none, others may have been left out of it.
    pub(crate) fn shows_all(&self) -> bool {
        self.shows_all || self.current.shows_more()
    }

    /// Decides whether earlier accesses were performed, by the place where the thread continues.
    pub(crate) fn arrive(&mut self, line: &Instruction<'_>, keep: Keep<'_>) {
        if !self.current.is_continued_by(line) {
            self.shows_all |= self.current.shows_more();
            self.current = Progress::default();
        }
        self.current.add(line, self.shows_all);
        if self.attempt.is_some() {
            self.follow_attempt(line, keep);
        }
        if !self.suspended.is_empty() {
            self.resume(line, keep);
        }
        let Some(mut last) = self.last.take() else {
            return;
        };
        if last.shows_that_it_went_on(line) {
            return keep(last.entry);
        }
        if last.pc != line.pc {
            last.left = true;
            return self.suspend(last, keep);
        }
        if riscv::Decoder::is_acquire(line) {
            last.entry.acquire();
        }
        match (last.micro, line.micro) {
            (Some(before), Some(now)) if now > before => keep(last.entry),
            // `wait` decides whether the next line is a retry of this access.
            _ => self.suspend(last, keep),
        }
    }

    /// Keeps the suspended accesses if the line shows that they were performed.
    fn resume(&mut self, line: &Instruction<'_>, keep: Keep<'_>) {
        let back = |waiting: &HeldAccess| waiting.shows_that_it_went_on(line);
        while let Some(at) = self.suspended.iter().position(back) {
            keep(self.suspended.remove(at).entry);
        }
        for waiting in &mut self.suspended {
            waiting.left |= waiting.pc != line.pc;
        }
    }

    /// Holds an access back until the thread continues after it, unless it is known to have been performed.
    fn suspend(&mut self, waiting: HeldAccess, keep: Keep<'_>) {
        if waiting.entry.was_performed() {
            return keep(waiting.entry);
        }
        if self.suspended.len() == MOST_SUSPENDED {
            keep(self.suspended.remove(0).entry);
        }
        self.suspended.push(waiting);
    }

    /// Holds back the access of a line until later lines show whether it was performed.
    pub(crate) fn wait(&mut self, entry: Entry, line: &Instruction<'_>, keep: Keep<'_>) {
        let (pc, micro) = (line.pc, line.micro);
        let here = |it: &HeldAccess| it.pc == pc && it.micro == micro;
        if let Some(at) = self.suspended.iter().position(here) {
            let earlier = self.suspended.remove(at);
            if earlier.entry.is_again(&entry) {
                self.describe(entry.line(), line);
                keep(earlier.entry.repeated(entry.line(), earlier.left));
            } else {
                keep(earlier.entry);
            }
        }
        // The two accesses of a pair come from one line.
        if let Some(half) = self.last.take() {
            keep(half.entry);
        }
        self.last = Some(HeldAccess {
            entry,
            pc,
            micro,
            body: hash(line.body),
            announced: self.current.announced,
            function: line.function.map(hash),
            left: false,
        });
    }

    /// Holds back a store-conditional until a branch shows its outcome.
    pub(crate) fn attempt(
        &mut self,
        entry: Entry,
        pc: Option<u64>,
        tested: Option<(usize, Option<u64>)>,
        keep: Keep<'_>,
    ) {
        self.give_up(keep);
        self.attempt = Some(Attempt { entry, tested, branch: None, last: pc, age: 0 });
    }

    /// Searches for the branch that tests a store-conditional's status, and for the instruction after it.
    fn follow_attempt(&mut self, line: &Instruction<'_>, keep: Keep<'_>) {
        let Some(attempt) = &mut self.attempt else {
            return;
        };
        attempt.age += 1;
        if let Some((pc, test, value)) = attempt.branch {
            // Any other address belongs to an interrupt handler, and shows nothing.
            let behind = pc.wrapping_add(test.length);
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
        let is_riscv = self.isa == Some(Isa::Riscv);
        let test = if is_riscv { riscv::Decoder::tests(line) } else { arm::Decoder::tests(line) };
        if let (Some(test), Some(pc)) = (test, line.pc)
            && test.register == status
        {
            attempt.branch = Some((pc, test, value));
            return;
        }
        let is_mentioned = match is_riscv {
            true => riscv::Decoder::mentions(line, status),
            false => arm::Decoder::mentions(line, status),
        };
        if attempt.age > TEST_WINDOW || is_mentioned {
            self.give_up(keep);
        }
    }

    /// Keeps a store-conditional whose outcome stays unknown.
    fn give_up(&mut self, keep: Keep<'_>) {
        if let Some(attempt) = self.attempt.take() {
            keep(attempt.entry.possibly_stored());
        }
    }

    /// Takes in the load (`ldstl`) or the store (`stul`) of a locked read-modify-write.
    pub(crate) fn locked(
        &mut self,
        spot: LinePosition,
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
        let operation = Operation::rmw(half.size, read, half.written).or_failed();
        keep(Entry::access(spot, address, operation).within(block));
    }

    /// Keeps a locked load without its store, as a failed compare-and-swap: it reads, and orders like a
    /// read-modify-write.
    pub(crate) fn end_lock(&mut self, keep: Keep<'_>) {
        if let Some((alone, _)) = self.lock.take() {
            keep(alone);
        }
    }

    /// Remembers the text of an instruction that is not understood.
    pub(crate) fn describe(&mut self, line: u64, text: &Instruction<'_>) {
        if self.unknown.len() < 1024 {
            self.unknown.push((line, text.shown()));
        }
    }

    /// The text of the instruction of a line that is not understood.
    pub(crate) fn described(&self, line: u64) -> Option<&str> {
        let at = self.unknown.binary_search_by_key(&line, |(line, _)| *line).ok()?;
        Some(&self.unknown[at].1)
    }

    /// Ends the trace. An access that was not executed again was performed.
    pub(crate) fn finish(&mut self, keep: Keep<'_>) {
        self.give_up(keep);
        self.end_lock(keep);
        for waiting in self.suspended.drain(..).chain(self.last.take()) {
            keep(waiting.entry);
        }
    }
}

impl Progress {
    /// Whether a line is a further micro-operation of the instruction.
    fn is_continued_by(&self, line: &Instruction<'_>) -> bool {
        let is_announced = self.announced.is_some() && self.micro.is_none();
        self.pc == line.pc
            && match (self.micro, line.micro) {
                (Some(before), Some(now)) => now > before,
                (None, Some(_)) => is_announced,
                (_, None) => false,
            }
    }

    fn add(&mut self, line: &Instruction<'_>, is_known: bool) {
        self.pc = line.pc;
        self.micro = line.micro;
        if line.class.is_none() && line.micro.is_none() {
            self.announced = Some(hash(line.body));
        }
        if is_known {
            return;
        }
        self.has_results |= line.class.is_some();
        self.is_of_memory |=
            line.loads() || line.stores() || line.address.is_some() || line.is_fence();
    }

    /// Whether the instruction neither accesses nor orders memory.
    fn shows_more(&self) -> bool {
        self.has_results && !self.is_of_memory
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

impl HeldAccess {
    /// Whether a line shows that the thread continued after the access, so that the access was performed. An
    /// instruction of the same function shows it, since a handler is another function.
    fn shows_that_it_went_on(&self, line: &Instruction<'_>) -> bool {
        if self.pc == line.pc {
            return self.is_another(line);
        }
        self.is_before(line) || self.is_in_function(line)
    }

    /// Whether a line at the same address is of another instruction, as when programs take turns.
    fn is_another(&self, line: &Instruction<'_>) -> bool {
        match (self.announced, line.class) {
            (Some(announced), None) if line.micro.is_none() => announced != hash(line.body),
            _ => self.micro == line.micro && self.body != hash(line.body),
        }
    }

    fn is_in_function(&self, line: &Instruction<'_>) -> bool {
        match (self.pc, line.pc) {
            (Some(before), Some(now)) if before.abs_diff(now) <= LONGEST_FUNCTION => {
                self.function.is_some() && self.function == line.function.map(hash)
            }
            _ => false,
        }
    }

    /// Whether the instruction of a line may directly follow the access.
    fn is_before(&self, line: &Instruction<'_>) -> bool {
        match (self.pc, line.pc) {
            (Some(before), Some(now)) => now.wrapping_sub(before) <= LONGEST_INSTRUCTION,
            _ => true,
        }
    }
}
