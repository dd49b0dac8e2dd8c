//! [`Recording`]: takes the instructions of all threads, and returns the history that they show.

use history::{Gap, Isa, Kind};

use crate::decode::action::{Action, Operation};
use crate::decode::{arm, isa};
use crate::hart::Hart;
use crate::instruction::Instruction;
use crate::log::{Entry, LinePosition, gap_of};
use crate::options::{Addresses, Options};
use crate::problem::{IsaBasis, Problem};
use crate::recorder::Recorder;
use crate::select::{self, Selected};
use crate::spaces::Spaces;

/// The instructions that were read so far.
#[derive(Debug, Default)]
pub struct Recording {
    isa: Option<Isa>,
    harts: Vec<Hart>,
    recorder: Recorder,
    /// The address spaces that lines have shown.
    pub spaces: Spaces,
    /// Whether an instruction was read that may be a `fence.tso` of RISC-V.
    pub full_fences: bool,
    /// Whether an instruction showed an address.
    pub shows_addresses: bool,
    /// Number of accesses to memory.
    pub accesses: u64,
    /// Number of fences that are not full ones.
    pub weak_fences: u64,
    /// Number of store-conditionals that failed.
    pub failed_store_conditionals: u64,
    /// Number of threads whose dependencies were dropped, since they turned out to be several.
    lost_dependencies: u64,
    classes: bool,
    /// Number of bytes of the block that `dc zva` of AArch64 sets to 0, once an instruction has read it; 0 if processors differ.
    zeroed: Option<u64>,
    /// Largest size in bytes of the vector registers that lines show; 0 as long as no line shows one.
    vector: usize,
    /// Number of lines that agreed with the known instruction set.
    agreed: u32,
}

/// Largest number of bytes that `dc zva` sets to 0.
const LARGEST_ZEROED: u16 = 2048;

/// Number of agreeing lines after which only accesses are checked against the instruction set that the user gave.
const ISA_CHECKED_LINES: u32 = 256;

impl Recording {
    /// An empty recording.
    pub fn new(options: Options) -> Recording {
        Recording { recorder: Recorder::new(options), ..Recording::default() }
    }

    /// Adds a hardware thread with this label, and returns its index.
    pub fn add_thread(&mut self, label: u32) -> usize {
        self.harts.push(Hart::new(label));
        self.harts.len() - 1
    }

    /// The address of the last instruction of a thread.
    pub fn last_address(&self, thread: usize) -> Option<u64> {
        self.harts[thread].last_address()
    }

    /// Takes in what an instruction shows of the whole run, and moves the address of its access into its address space, if the log shows
    /// it. Returns whether the instruction set is known; until then an instruction cannot be executed.
    ///
    /// # Errors
    /// Fails if the instruction is of another instruction set, or accesses memory before one is known.
    pub fn recognise(
        &mut self,
        line: &mut Instruction<'_>,
        space: Option<u64>,
    ) -> Result<bool, Problem> {
        self.classes |= line.class.is_some();
        self.vector = self.vector.max(line.vector);
        self.learn_isa(line)?;
        self.shows_addresses |= line.address.is_some();
        self.spaces.enter(space, line);
        match self.isa {
            Some(_) => Ok(true),
            None => self.before_isa(line).map(|()| false),
        }
    }

    /// Executes an instruction that was recognised, as the next one of a thread, at a line and a tick of the log.
    ///
    /// # Errors
    /// Fails if a part of the line is missing.
    pub fn execute(
        &mut self,
        thread: usize,
        instruction: &Instruction<'_>,
        line: u64,
        tick: Option<u64>,
    ) -> Result<(), Problem> {
        let Some(isa) = self.isa else { return Ok(()) };
        let spot = LinePosition { hart: thread, line, tick, is_second: false };
        self.arrive(thread, instruction);
        match self.harts[thread].decode(isa, instruction, line) {
            Ok(action) => {
                if isa == Isa::Arm {
                    self.learn_zeroed(instruction);
                }
                self.act(spot, instruction, action);
                Ok(())
            }
            // A trace recorded without operation classes has accesses without them.
            Err(missing) if self.classes => Err(Problem::Cut(missing)),
            Err(_) => Ok(()),
        }
    }

    /// Gives the accesses of a thread that turned out to be several to these: `owner` returns the thread of a line. Registers of one may have
    /// been taken for those of another, so the thread begins anew.
    pub fn part(&mut self, thread: usize, owner: impl Fn(u64) -> usize) {
        let recorder = &mut self.recorder;
        let hart = &mut self.harts[thread];
        hart.finish(&mut |entry| recorder.keep(entry));
        hart.decoders = Default::default();
        hart.decoders.lose();
        self.lost_dependencies += 1;
        recorder.distribute(thread, owner);
    }

    /// Takes in that a thread may have executed instructions that the log does not show.
    pub fn lose(&mut self, thread: usize) {
        self.harts[thread].decoders.lose();
    }

    /// Takes in that a line was skipped, which may have been an instruction of any thread.
    pub fn interrupt(&mut self) {
        let recorder = &mut self.recorder;
        for hart in &mut self.harts {
            hart.interrupt(&mut |entry| recorder.keep(entry));
        }
    }

    /// The instruction set of the lines, where it is known.
    pub fn isa(&self) -> Option<Isa> {
        self.isa
    }

    /// Determines the instruction set from the user's option, else from other files, else from lines that show it.
    fn learn_isa(&mut self, line: &Instruction<'_>) -> Result<(), Problem> {
        let Options { isa: chosen, configured_isa, .. } = self.recorder.options;
        if self.isa.is_none() {
            self.isa = chosen.or(configured_isa).or_else(|| isa::of_line(line));
        }
        // The lines of accesses show their instruction set with certainty.
        let is_access = line.address.is_some() && (line.loads() || line.stores());
        let is_checked = is_access || (chosen.is_some() && self.agreed < ISA_CHECKED_LINES);
        let (Some(known), true) = (self.isa, is_checked) else {
            return Ok(());
        };
        match isa::of_line(line) {
            Some(shown) if shown != known => {
                let basis = match (chosen, configured_isa) {
                    (Some(_), _) if self.agreed == 0 => IsaBasis::Chosen,
                    (None, Some(_)) if self.agreed == 0 => IsaBasis::Configured,
                    _ => IsaBasis::Earlier,
                };
                Err(Problem::OtherIsa { shown, known, basis })
            }
            Some(_) => {
                self.agreed = self.agreed.saturating_add(1);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Refuses a memory access before the instruction set is known.
    fn before_isa(&self, line: &Instruction<'_>) -> Result<(), Problem> {
        if line.class.is_none() && line.micro.is_some() && self.classes {
            return Err(Problem::Cut("the operation class of the micro-operation"));
        }
        if (line.loads() || line.stores()) && line.address.is_some() {
            return Err(Problem::UnknownIsa(line.shown()));
        }
        Ok(())
    }

    /// Takes in that an instruction reads the size of the block that `dc zva` sets to 0.
    fn learn_zeroed(&mut self, line: &Instruction<'_>) {
        if let Some(bytes) = arm::zeroed(line) {
            let is_same = self.zeroed.is_none_or(|known| known == bytes);
            self.zeroed = Some(if is_same { bytes } else { 0 });
        }
    }

    /// Decides whether earlier accesses of a thread were performed, by the place where the thread continues.
    fn arrive(&mut self, hart: usize, line: &Instruction<'_>) {
        let recorder = &mut self.recorder;
        self.harts[hart].arrive(line, &mut |entry| recorder.keep(entry));
    }

    fn act(&mut self, spot: LinePosition, line: &Instruction<'_>, action: Action) {
        let address = line.address.unwrap_or(0);
        match action {
            Action::Nothing => {
                self.failed_store_conditionals +=
                    u64::from(line.stores() && line.address.is_some() && is_conditional(line));
            }
            Action::Access(operation) => self.access(spot, line, address, operation),
            Action::LoadPair(size) => {
                let values = line.encoded.map(|encoded| [line.data, encoded.second]);
                let [first, second] = values.unwrap_or_default();
                self.access(spot, line, address, Operation::load(size, first));
                let behind = address.wrapping_add(u64::from(size));
                let spot = LinePosition { is_second: true, ..spot };
                self.access(spot, line, behind, Operation::load(size, second));
            }
            Action::StorePair(size) => {
                let values = match line.encoded {
                    Some(encoded) => [line.data, encoded.second],
                    None => [line.data, line.data.map(|data| data >> (8 * u32::from(size)))],
                };
                for (start, value) in (0..).zip(values) {
                    let start = address.wrapping_add(start * u64::from(size));
                    self.access(spot, line, start, Operation::store(size, value));
                }
            }
            Action::Fence(kind) => {
                self.full_fences |= line.body == b"fence rw, rw";
                self.weak_fences += u64::from(kind != Kind::Fence);
                self.fence(Entry::fence(spot, kind));
            }
            Action::UnknownFence => {
                self.harts[spot.hart].describe(spot.line, line);
                self.fence(Entry::unknown_fence(spot));
            }
            Action::Locked(half) if self.crosses(address, half.size) => {
                self.crossing(spot, line, address, half);
            }
            Action::Locked(half) => self.locked(spot, address, half),
            Action::Attempt(operation, tested) => {
                self.accesses += 1;
                let operation = self.harts[spot.hart].with_reservation(operation);
                let entry = Entry::access(spot, address, operation.sized_by(address));
                let recorder = &mut self.recorder;
                let mut keep = |entry| recorder.keep(entry);
                self.harts[spot.hart].attempt(entry, line.pc, tested, &mut keep);
            }
            Action::Unknown(gap, size) => {
                self.unknown(spot, line, Entry::unknown(spot, address, size, gap));
            }
            Action::UnknownBlock(gap, size) => {
                let start = address & !(u64::from(size) - 1);
                self.unknown(spot, line, Entry::unknown(spot, start, size, gap));
            }
            Action::Zero(bytes) => self.zero(spot, line, address, bytes),
            Action::ZeroBlock => match self.zeroed {
                Some(bytes @ 1..) => self.zero(spot, line, address & !(bytes - 1), bytes),
                _ => self.act(spot, line, Action::UnknownBlock(Gap::Write, LARGEST_ZEROED)),
            },
            Action::UnknownVector(gap) => {
                let entry = Entry::unknown_vector(spot, address, gap);
                self.unknown(spot, line, entry);
            }
            Action::UnknownEverywhere(gap) => {
                self.unknown(spot, line, Entry::unplaced(spot, gap, false));
            }
            Action::NoAddress(gap) => {
                self.harts[spot.hart].describe(spot.line, line);
                let entry = Entry::unplaced(spot, gap, true);
                self.recorder.keep(entry);
            }
        }
    }

    /// Takes in stores of zeros.
    fn zero(&mut self, spot: LinePosition, line: &Instruction<'_>, start: u64, bytes: u64) {
        for offset in (0..bytes).step_by(8) {
            self.access(spot, line, start.wrapping_add(offset), Operation::store(8, Some(0)));
        }
    }

    /// Takes in an access that the memory system performs in parts, since it crosses a cache line.
    fn crossing(
        &mut self,
        spot: LinePosition,
        line: &Instruction<'_>,
        address: u64,
        operation: Operation,
    ) {
        self.unknown(spot, line, Entry::crossing(spot, address, operation));
    }

    /// Takes in an instruction that is not understood.
    fn unknown(&mut self, spot: LinePosition, line: &Instruction<'_>, entry: Entry) {
        self.accesses += 1;
        self.harts[spot.hart].describe(spot.line, line);
        self.recorder.keep(entry);
    }

    fn access(
        &mut self,
        spot: LinePosition,
        line: &Instruction<'_>,
        address: u64,
        operation: Operation,
    ) {
        if self.crosses(address, operation.size) {
            return self.crossing(spot, line, address, operation);
        }
        let Some(operation) = self.with_size(spot, line, address, operation) else {
            return;
        };
        self.accesses += 1;
        let Options { cache_line: block, is_of_commits, .. } = self.recorder.options;
        let hart = &mut self.harts[spot.hart];
        let operation = hart.with_reservation(operation);
        let entry = Entry::access(spot, address, operation).within(block);
        let recorder = &mut self.recorder;
        let mut keep = |entry| recorder.keep(entry);
        hart.end_lock(&mut keep);
        if is_of_commits {
            return keep(entry);
        }
        hart.wait(entry, line, &mut keep);
    }

    /// Returns an access with its size, as far as value and address decide it; an unknown size is 4 or 8 bytes. An
    /// access that may cross the end of its cache line is taken in as not understood, and `None` is returned.
    fn with_size(
        &mut self,
        spot: LinePosition,
        line: &Instruction<'_>,
        address: u64,
        operation: Operation,
    ) -> Option<Operation> {
        let block = self.recorder.options.cache_line;
        let room = block - address % block.max(1);
        if operation.size != 0 {
            return Some(operation);
        }
        let operation = operation.sized_by(address);
        let gap = gap_of(operation.kind);
        let is_plain = matches!(operation.kind, Kind::Store) && operation.annotation.is_none();
        match operation.size {
            0 | 8 if room < 8 => {
                self.unknown(spot, line, Entry::unknown(spot, address, 8, gap));
                None
            }
            // Only an access of 8 bytes would write past the end of the line.
            4 if room == 4 && is_plain => {
                let behind = address.wrapping_add(4);
                self.unknown(spot, line, Entry::unknown(spot, behind, 4, gap));
                Some(operation)
            }
            _ => Some(operation),
        }
    }

    fn fence(&mut self, entry: Entry) {
        if self.recorder.options.wants_tick(entry.tick()) {
            self.recorder.log.push(entry);
        }
    }

    /// Takes in the load or the store of a locked read-modify-write of x86.
    fn locked(&mut self, spot: LinePosition, address: u64, half: Operation) {
        self.accesses += 1;
        let block = self.recorder.options.cache_line;
        let recorder = &mut self.recorder;
        let mut keep = |entry| recorder.keep(entry);
        self.harts[spot.hart].locked(spot, address, half, block, &mut keep);
    }

    /// Whether an access of a known size crosses a boundary of cache lines.
    fn crosses(&self, address: u64, size: u8) -> bool {
        let block = self.recorder.options.cache_line.max(1);
        address % block + u64::from(size) > block
    }

    /// Ends the log and selects its history; `None` if the options ask for the variables that the program announces, and
    /// it announces none.
    pub fn finish(&mut self) -> Option<Selected> {
        for hart in &mut self.harts {
            hart.finish(&mut |entry| self.recorder.keep(entry));
        }
        let Recorder { options, log, shared, announced } = std::mem::take(&mut self.recorder);
        let chosen = match &options.addresses {
            None => None,
            Some(Addresses::Range(range)) => Some(range.clone()),
            Some(Addresses::Announced) => Some(announced.range()?),
        };
        let vector = (self.vector > 0).then_some(self.vector as u64);
        let is_announced = options.addresses == Some(Addresses::Announced);
        let mut selected = select::history(log, &shared, &self.harts, vector, chosen.clone());
        selected.unknown_dependencies += self.lost_dependencies;
        let announces = options.addresses.is_none() && announced.range().is_some();
        Some(Selected { announced: chosen.filter(|_| is_announced), announces, ..selected })
    }
}

fn is_conditional(line: &Instruction<'_>) -> bool {
    line.body.starts_with(b"sc")
}
