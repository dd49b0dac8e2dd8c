//! Reads the instructions that CPUs executed: loads, stores, atomic operations and fences in lines of the flag Exec.
//!
//! [`line`] parses a line, [`isa`] recognises its instruction set, and [`x86`], [`riscv`] and [`arm`] return its effect
//! on memory, an [`action`]. [`riscv_uses`] and [`arm_uses`] return the registers that it reads and writes, from which
//! [`flow`] finds the loads that accesses and branches depend on. [`hart`] follows each hardware thread and writes to
//! the [`log`]. [`shared`] finds the locations that threads share, [`announced`] those that the program announces as
//! shared. [`threads`] and [`cpus`] find the thread of a CPU. [`select`] makes the history of either, or of the addresses that the user chose, with the [`dependencies`]
//! between its operations.

mod action;
mod announced;
mod arm;
mod arm_uses;
mod cpus;
mod dependencies;
mod flow;
mod hart;
mod isa;
mod line;
mod log;
mod registers;
mod riscv;
mod riscv_uses;
mod select;
mod shared;
mod spaces;
mod threads;
mod x86;

use history::{Isa, Kind};
use rustc_hash::FxHashMap;

use crate::gem5::fault::Fault;
use crate::options::{Addresses, Options};
use action::{Action, Operation};
use announced::Announced;
use cpus::Cpus;
pub(crate) use cpus::{ConfiguredCpu, CpuName};
use hart::Hart;
use line::Line;
use log::{Entry, EntryKind, LinePosition, Log, gap_of};
pub(crate) use select::Selected;
use shared::Shared;
use spaces::Spaces;

/// The instructions that were read so far.
#[derive(Debug, Default)]
pub(crate) struct Exec {
    isa: Option<Isa>,
    harts: Vec<Hart>,
    /// The index of the thread in `harts`, by object and number of the hardware thread.
    by_name: FxHashMap<(usize, u32), usize>,
    /// The index of the thread in `harts`, by core and number of the hardware thread.
    by_core: FxHashMap<(usize, u32), usize>,
    cpus: Cpus,
    recorder: Recorder,
    pub spaces: Spaces,
    /// Whether an instruction was read that may be a `fence.tso` of RISC-V.
    pub full_fences: bool,
    pub shows_addresses: bool,
    pub accesses: u64,
    pub weak_fences: u64,
    pub failed_store_conditionals: u64,
    pub lines: u64,
    pub hardware_threads: bool,
    pub renumbered: bool,
    /// Number of threads whose dependencies were dropped, since they turned out to be several.
    lost_dependencies: u64,
    classes: bool,
    /// Largest size in bytes of the vector registers that lines show; 0 as long as no line shows one.
    vector: usize,
    /// Number of lines that agreed with the known instruction set.
    agreed: u32,
}

/// Position of a line, and properties of its run that other sources show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineContext {
    pub line: u64,
    pub tick: Option<u64>,
    /// Size of a cache line in bytes.
    pub block: u64,
    /// The instruction set that other files of the run name.
    pub isa: Option<Isa>,
    /// The address space, where the line shows it.
    pub space: Option<u64>,
}

/// Number of agreeing lines after which only accesses are checked against the instruction set that the user gave.
const ISA_CHECKED_LINES: u32 = 256;

/// Whether the line of an instruction shows its results, which come last; `None` if a part of the line is missing.
pub(crate) fn shows_results(text: &[u8]) -> Option<bool> {
    Line::parse(text).ok().map(|line| line.class.is_some())
}

impl Exec {
    /// Takes in a line of the `thread`-th hardware thread of a CPU.
    pub(crate) fn line(
        &mut self,
        cpu: CpuName<'_>,
        thread: u32,
        text: &[u8],
        at: LineContext,
        options: &Options,
    ) -> Result<(), Fault> {
        self.lines += 1;
        let mut line = Line::parse(text)?;
        self.classes |= line.class.is_some();
        self.vector = self.vector.max(line.vector);
        self.learn_isa(&line, at, options)?;
        self.shows_addresses |= line.address.is_some();
        self.spaces.enter(at.space, &mut line);
        let Some(isa) = self.isa else {
            return self.before_isa(&line);
        };
        let mut hart = self.hart(cpu, thread, at.line);
        if self.harts[hart].stays.cpu != cpu.object {
            hart = self.change(hart, cpu, &line, at, options);
        }
        self.harts[hart].stays.count();
        let spot = LinePosition { hart, line: at.line, tick: at.tick, is_second: false };
        self.arrive(hart, &line, options);
        match self.harts[hart].decode(isa, &line, at.line) {
            Ok(action) => {
                self.act(spot, &line, action, at.block, options);
                Ok(())
            }
            // A trace recorded without operation classes has accesses without them.
            Err(missing) if self.classes => Err(Fault::Cut(missing)),
            Err(_) => Ok(()),
        }
    }

    /// Takes in that a line was skipped, which may have been an instruction of any thread.
    pub(crate) fn interrupt(&mut self, options: &Options) {
        let recorder = &mut self.recorder;
        for hart in &mut self.harts {
            hart.interrupt(&mut |entry| recorder.keep(entry, options));
        }
    }

    /// The instruction set of the lines, where it is known.
    pub(crate) fn isa(&self) -> Option<Isa> {
        self.isa
    }

    /// Determines the instruction set from the user's option, else from other files, else from lines that show it.
    fn learn_isa(
        &mut self,
        line: &Line<'_>,
        at: LineContext,
        options: &Options,
    ) -> Result<(), Fault> {
        if self.isa.is_none() {
            self.isa = options.isa.or(at.isa).or_else(|| isa::of_line(line));
        }
        // The lines of accesses show their instruction set with certainty.
        let is_access = line.address.is_some() && (line.loads() || line.stores());
        let is_checked = is_access || (options.isa.is_some() && self.agreed < ISA_CHECKED_LINES);
        let (Some(known), true) = (self.isa, is_checked) else {
            return Ok(());
        };
        match isa::of_line(line) {
            Some(shown) if shown != known => Err(self.contradicts(shown, known, at, options)),
            Some(_) => {
                self.agreed = self.agreed.saturating_add(1);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The error about a line of another instruction set than the user's option, other files or earlier lines give.
    fn contradicts(&self, shown: Isa, known: Isa, at: LineContext, options: &Options) -> Fault {
        let found = format!("an instruction of {}", shown.title());
        let title = known.title();
        if options.isa.is_some() && self.agreed == 0 {
            return Fault::broken(
                found,
                format!("one of {title} (--isa {})", known.name()),
                "leave --isa out, or give the instruction set of the trace",
            );
        }
        if options.isa.is_none() && at.isa.is_some() && self.agreed == 0 {
            return Fault::broken(
                found,
                format!("one of {title}, which config.json says"),
                "the two are not of one run: read the trace alone, or give its instruction set with --isa",
            );
        }
        Fault::broken(
            found,
            format!("one of {title}, as those before it"),
            "the file mixes instruction sets, as when traces of two runs are joined: split it",
        )
    }

    /// Refuses a memory access before the instruction set is known.
    fn before_isa(&self, line: &Line<'_>) -> Result<(), Fault> {
        if line.class.is_none() && line.micro.is_some() && self.classes {
            return Err(Fault::Cut("the operation class of the micro-operation"));
        }
        if (line.loads() || line.stores()) && line.address.is_some() {
            return Err(Fault::broken(
                format!("`{}`, an access of no known instruction set", line.shown()),
                "instructions of x86, RISC-V or AArch64",
                "if it is one of these, say which with --isa",
            ));
        }
        Ok(())
    }

    /// Decides whether earlier accesses of a thread were performed, by the place where the thread continues.
    fn arrive(&mut self, hart: usize, line: &Line<'_>, options: &Options) {
        let recorder = &mut self.recorder;
        self.harts[hart].arrive(line, &mut |entry| recorder.keep(entry, options));
    }

    fn act(
        &mut self,
        spot: LinePosition,
        line: &Line<'_>,
        action: Action,
        block: u64,
        options: &Options,
    ) {
        let address = line.address.unwrap_or(0);
        match action {
            Action::Nothing => {
                self.failed_store_conditionals +=
                    u64::from(line.stores() && line.address.is_some() && is_conditional(line));
            }
            Action::Access(operation) => {
                self.access(spot, line, address, operation, block, options)
            }
            Action::LoadPair(size) => {
                let load = Operation::load(size, None);
                self.access(spot, line, address, load, block, options);
                let second = address.wrapping_add(u64::from(size));
                self.access(
                    LinePosition { is_second: true, ..spot },
                    line,
                    second,
                    load,
                    block,
                    options,
                );
            }
            Action::StorePair(size) => {
                let halves = line.data.map(|data| [data, data >> (8 * u32::from(size))]);
                for half in [0, 1] {
                    let start = address.wrapping_add(half as u64 * u64::from(size));
                    let store = Operation::store(size, halves.map(|halves| halves[half]));
                    self.access(spot, line, start, store, block, options);
                }
            }
            Action::Fence(kind) => {
                self.full_fences |= line.body == b"fence rw, rw";
                self.weak_fences += u64::from(kind != Kind::Fence);
                self.fence(Entry::fence(spot, kind), options);
            }
            Action::UnknownFence => {
                self.harts[spot.hart].describe(spot.line, line);
                self.fence(Entry::unknown_fence(spot), options);
            }
            Action::Locked(half) if crosses(address, half.size, block) => {
                self.crossing(spot, line, address, half, options);
            }
            Action::Locked(half) => self.locked(spot, address, half, block, options),
            Action::Attempt(operation, tested) => {
                self.accesses += 1;
                let operation = self.harts[spot.hart].with_reservation(operation);
                let entry = Entry::access(spot, address, operation.sized_by(address));
                let recorder = &mut self.recorder;
                let mut keep = |entry| recorder.keep(entry, options);
                self.harts[spot.hart].attempt(entry, line.pc, tested, &mut keep);
            }
            Action::Unknown(gap, size) => {
                self.unknown(spot, line, Entry::unknown(spot, address, size, gap), options);
            }
            Action::UnknownBlock(gap, size) => {
                let start = address & !(u64::from(size) - 1);
                self.unknown(spot, line, Entry::unknown(spot, start, size, gap), options);
            }
            Action::UnknownVector(gap) => {
                let entry = Entry::unknown_vector(spot, address, gap);
                self.unknown(spot, line, entry, options);
            }
            Action::UnknownEverywhere(gap) => {
                self.unknown(spot, line, Entry::unplaced(spot, gap, false), options);
            }
            Action::NoAddress(gap) => {
                self.harts[spot.hart].describe(spot.line, line);
                let entry = Entry::unplaced(spot, gap, true);
                self.recorder.keep(entry, options);
            }
        }
    }

    /// Takes in an access that the memory system performs in parts, since it crosses a cache line.
    fn crossing(
        &mut self,
        spot: LinePosition,
        line: &Line<'_>,
        address: u64,
        operation: Operation,
        options: &Options,
    ) {
        self.unknown(spot, line, Entry::crossing(spot, address, operation), options);
    }

    /// Takes in an instruction that is not understood.
    fn unknown(&mut self, spot: LinePosition, line: &Line<'_>, entry: Entry, options: &Options) {
        self.accesses += 1;
        self.harts[spot.hart].describe(spot.line, line);
        self.recorder.keep(entry, options);
    }

    fn access(
        &mut self,
        spot: LinePosition,
        line: &Line<'_>,
        address: u64,
        operation: Operation,
        block: u64,
        options: &Options,
    ) {
        if crosses(address, operation.size, block) {
            return self.crossing(spot, line, address, operation, options);
        }
        let Some(operation) = self.with_size(spot, line, address, operation, block, options) else {
            return;
        };
        self.accesses += 1;
        let hart = &mut self.harts[spot.hart];
        let operation = hart.with_reservation(operation);
        let entry = Entry::access(spot, address, operation).within(block);
        let recorder = &mut self.recorder;
        let mut keep = |entry| recorder.keep(entry, options);
        hart.end_lock(&mut keep);
        hart.wait(entry, line, &mut keep);
    }

    /// Returns an access with its size, as far as value and address decide it; an unknown size is 4 or 8 bytes. An
    /// access that may cross the end of its cache line is taken in as not understood, and `None` is returned.
    fn with_size(
        &mut self,
        spot: LinePosition,
        line: &Line<'_>,
        address: u64,
        operation: Operation,
        block: u64,
        options: &Options,
    ) -> Option<Operation> {
        let room = block - address % block.max(1);
        if operation.size != 0 {
            return Some(operation);
        }
        let operation = operation.sized_by(address);
        let gap = gap_of(operation.kind);
        let is_plain = matches!(operation.kind, Kind::Store) && operation.annotation.is_none();
        match operation.size {
            0 | 8 if room < 8 => {
                self.unknown(spot, line, Entry::unknown(spot, address, 8, gap), options);
                None
            }
            // Only an access of 8 bytes would write past the end of the line.
            4 if room == 4 && is_plain => {
                let behind = address.wrapping_add(4);
                self.unknown(spot, line, Entry::unknown(spot, behind, 4, gap), options);
                Some(operation)
            }
            _ => Some(operation),
        }
    }

    fn fence(&mut self, entry: Entry, options: &Options) {
        if options.wants_tick(entry.tick()) {
            self.recorder.log.push(entry);
        }
    }

    /// Takes in the load or the store of a locked read-modify-write of x86.
    fn locked(
        &mut self,
        spot: LinePosition,
        address: u64,
        half: Operation,
        block: u64,
        options: &Options,
    ) {
        self.accesses += 1;
        let recorder = &mut self.recorder;
        let mut keep = |entry| recorder.keep(entry, options);
        self.harts[spot.hart].locked(spot, address, half, block, &mut keep);
    }

    /// Ends the trace and selects its history; `None` if the options ask for the variables that the program announces, and
    /// it announces none.
    pub(crate) fn finish(&mut self, options: &Options) -> Option<Selected> {
        for hart in &mut self.harts {
            hart.finish(&mut |entry| self.recorder.keep(entry, options));
        }
        let Recorder { log, shared, announced } = std::mem::take(&mut self.recorder);
        let chosen = match &options.addresses {
            None => None,
            Some(Addresses::Range(range)) => Some(range.clone()),
            Some(Addresses::Announced) => Some(announced.range()?),
        };
        let vector = (self.vector > 0).then_some(self.vector as u64);
        let is_announced = options.addresses == Some(Addresses::Announced);
        let mut selected = select::history(log, &shared, &self.harts, vector, chosen.clone());
        selected.unknown_dependencies += self.lost_dependencies;
        Some(Selected { announced: chosen.filter(|_| is_announced), ..selected })
    }
}

/// The entries of all threads, and the locations that threads share or the program announces.
#[derive(Debug, Default)]
struct Recorder {
    log: Log,
    shared: Shared,
    announced: Announced,
}

impl Recorder {
    /// Passes the entries of a thread on to those that `owner` says, by their lines.
    fn distribute(&mut self, thread: usize, owner: impl Fn(u64) -> usize) {
        let shared = &mut self.shared;
        self.log.distribute(thread, |entry| {
            let owner = owner(entry.line());
            if owner != thread {
                note_shared(shared, owner, entry);
            }
            owner
        });
    }

    /// Adds an entry, unless the options exclude it.
    fn keep(&mut self, entry: Entry, options: &Options) {
        if !options.wants_tick(entry.tick()) {
            return;
        }
        let entry = entry.bounded();
        if let (EntryKind::Access(Kind::Store, _), Some(value)) = (entry.what(), entry.written()) {
            self.announced.store(entry.hart(), spaces::plain(entry.address), value);
        }
        if entry.has_place() && options.wants_address(spaces::plain(entry.address)) {
            note_shared(&mut self.shared, entry.hart(), &entry);
        }
        self.log.push(entry);
    }
}

/// Notes the bytes that an entry of a thread accesses. Longer accesses are those of vector registers, which are not part of the history, so
/// their further bytes need not be noted.
fn note_shared(shared: &mut Shared, thread: usize, entry: &Entry) {
    let bytes = (entry.address, entry.longest_reach().min(256));
    shared.access(thread as u32, bytes, !entry.is_unsized(), entry.may_write());
}

/// Whether an access of a known size crosses a boundary of cache lines.
fn crosses(address: u64, size: u8, block: u64) -> bool {
    let block = block.max(1);
    address % block + u64::from(size) > block
}

fn is_conditional(line: &Line<'_>) -> bool {
    line.body.starts_with(b"sc")
}

/// Difference between the labels of consecutive hardware threads of one CPU.
pub(crate) const HARDWARE_THREAD: u32 = 10_000;
