//! Random programs with data races: the operations of each thread, their order and their locations.
//!
//! Every value is written once and is not 0, so the value that a read returns identifies the write
//! that it reads from. A program depends only on its [`ProgramSize`], on every machine.

mod bytes;
mod edit;
mod extras;
mod ordering;
mod parts;
mod spelling;
mod text;
mod transfer;

pub use bytes::Bytes;
pub use edit::{Edit, EditKind};
pub use extras::{Extras, MOST_DEVICES};
use history::random::{Rng, Weighted};
pub use ordering::{Ordering, WeakShares};
pub use spelling::Spelled;
pub use text::Heading;
pub use transfer::TransferStep;

/// The size of a random program, and the mix of its operations.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSize {
    /// Number of threads.
    pub threads: u32,
    /// Requests in addition to the accesses of cores to words: DMA devices, flushes, atomic requests and accesses to parts
    /// of words.
    pub extras: Extras,
    /// Number of operations of each thread, and of accesses of each DMA device.
    pub operations: u32,
    /// Number of shared locations of 8 bytes.
    pub locations: u32,
    /// Number of locations that share a cache line.
    pub per_line: u32,
    /// Size of a cache line in bytes.
    pub line_bytes: u64,
    /// Address of the first location.
    pub base: u64,
    /// Percentage of reads among the accesses that are not read-modify-writes.
    pub reads: u32,
    /// Percentage of read-modify-writes among the operations.
    pub rmws: u32,
    /// Percentage of fences among the operations.
    pub fences: u32,
    /// Percentage of instruction fetches among the reads.
    pub fetches: u32,
    /// Percentage of read-modify-writes that consist of a load-linked and a store-conditional
    /// instead of two locked halves.
    pub linked: u32,
    /// Number of lines that are only used for instruction fetches, and never written; with 0,
    /// instructions are fetched from the shared locations, so that fetches race with stores.
    pub code_lines: u32,
    /// How unevenly the locations are chosen: 0 means all equally often, 1 as often as words in a
    /// text (Zipf's law).
    pub skew: f64,
    /// Largest number of ticks between operations.
    pub think: u32,
    /// Seed of the pseudo-random generator.
    pub seed: u64,
    /// Changes of the drawn program, one after the other.
    pub edits: Vec<Edit>,
    /// The shares of annotations, dependencies and weak fences, for cores that guarantee a weak model.
    pub weak: Option<WeakShares>,
}

impl Default for ProgramSize {
    fn default() -> ProgramSize {
        ProgramSize {
            threads: 4,
            extras: Extras::default(),
            operations: 100,
            locations: 8,
            per_line: 1,
            line_bytes: 64,
            base: 0x1000,
            reads: 50,
            rmws: 0,
            fences: 0,
            fetches: 0,
            linked: 0,
            code_lines: 0,
            skew: 0.0,
            think: 10,
            seed: 1,
            edits: Vec::new(),
            weak: None,
        }
    }
}

impl ProgramSize {
    /// Number of operations of all threads, and of accesses of all DMA devices.
    pub fn all_operations(&self) -> u64 {
        (u64::from(self.threads) + u64::from(self.extras.devices)) * u64::from(self.operations)
    }

    /// The address of a location.
    pub fn address(&self, location: u32) -> u64 {
        let per_line = self.per_line();
        let step = (self.line_bytes / per_line) & !7;
        let line = u64::from(location) / per_line;
        self.base + line * self.line_bytes + u64::from(location) % per_line * step
    }

    /// Number of locations that share a line, limited by its size.
    fn per_line(&self) -> u64 {
        u64::from(self.per_line).clamp(1, (self.line_bytes / 8).max(1))
    }

    /// The address of a line that is only used for instruction fetches, after all locations.
    fn code(&self, line: u64) -> u64 {
        let lines = u64::from(self.locations).div_ceil(self.per_line());
        self.base + (lines + line) * self.line_bytes
    }
}

/// How a core makes a read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmwForm {
    /// Two halves, between which the cache keeps the line locked.
    Locked,
    /// A load-linked and a store-conditional, repeated until the latter succeeds.
    Linked,
    /// One atomic request that returns the old value, as Arm's SWP.
    Atomic,
    /// One atomic request that returns nothing, as Arm's STADD. In a history it is a store.
    AtomicNoReturn,
}

/// An operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Loads bytes.
    Load(Bytes),
    /// Fetches an instruction.
    Fetch(Bytes),
    /// Stores a value to as many bytes.
    Store(Bytes, u64),
    /// Atomically replaces the value of a word by this one.
    Rmw {
        /// The word.
        bytes: Bytes,
        /// The value written.
        value: u64,
        /// The form in which it is requested.
        form: RmwForm,
    },
    /// A full fence.
    Fence,
}

impl RmwForm {
    /// Whether it is one atomic request.
    pub fn is_atomic(self) -> bool {
        matches!(self, RmwForm::Atomic | RmwForm::AtomicNoReturn)
    }
}

impl Operation {
    /// The bytes that it accesses; a fence accesses none.
    pub fn bytes(&self) -> Option<Bytes> {
        match *self {
            Operation::Load(bytes)
            | Operation::Fetch(bytes)
            | Operation::Store(bytes, _)
            | Operation::Rmw { bytes, .. } => Some(bytes),
            Operation::Fence => None,
        }
    }

    /// The address, if it has one.
    pub fn address(&self) -> Option<u64> {
        self.bytes().map(|bytes| bytes.address)
    }

    /// Changes its bytes to others, if it has any.
    fn move_to(&mut self, to: Bytes) {
        match self {
            Operation::Load(bytes)
            | Operation::Fetch(bytes)
            | Operation::Store(bytes, _)
            | Operation::Rmw { bytes, .. } => *bytes = to,
            Operation::Fence => {}
        }
    }

    /// The value that it writes, if it writes.
    fn value_mut(&mut self) -> Option<&mut u64> {
        match self {
            Operation::Store(_, value) | Operation::Rmw { value, .. } => Some(value),
            _ => None,
        }
    }
}

/// Requests about translations that a core makes before an operation. They read and write nothing, so they are no operations of the
/// history. A core sends a sync when all of its own invalidations have completed, and waits for it before it goes on. gem5's CPUs
/// wait for each invalidation, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Translations {
    /// An invalidation, which the core does not wait for.
    Invalidate,
    /// An invalidation, and a sync when it has completed.
    InvalidateSync,
    /// A sync.
    Sync,
}

/// An operation and the pause before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of ticks to wait before it.
    pub think: u32,
    /// The line that the core flushes right before the operation. A flush reads and writes nothing, so it is no
    /// operation of the history.
    pub flush: Option<u64>,
    /// What the core asks for about translations right before the operation, after its flush.
    pub translations: Option<Translations>,
    /// The operation of the step.
    pub operation: Operation,
    /// Its annotations and dependencies. Cores of models with store buffers ignore them.
    pub ordering: Ordering,
}

/// The operations of all threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The operations of each thread.
    pub threads: Vec<Vec<Step>>,
    /// The accesses of each DMA device.
    pub devices: Vec<Vec<TransferStep>>,
}

impl Program {
    /// Draws the program of a size, and applies its edits, extras and orderings.
    pub fn random(shape: &ProgramSize) -> Program {
        let popular = Popular::new(shape);
        let mut program = Program::drawn(shape, &popular);
        for edit in &shape.edits {
            edit.apply(&mut program, shape, &popular);
        }
        if !shape.edits.is_empty() {
            program.number_values();
        }
        program.add_extras(shape.extras, shape.line_bytes, shape.seed, &popular);
        program.add_translations(shape.extras.dvm, shape.seed);
        program.divide(shape.extras.partial, shape.line_bytes, shape.seed);
        if let Some(shares) = &shape.weak {
            program.order(shares, shape.seed);
        }
        program
    }

    fn drawn(shape: &ProgramSize, popular: &Popular) -> Program {
        let thread = |thread| {
            let mut maker = Maker {
                shape,
                popular,
                rng: Rng::new(shape.seed, 1 + u64::from(thread)),
                next_value: first_value(thread),
            };
            (0..shape.operations).map(|_| maker.step()).collect()
        };
        let device = |device| transfer::draw(shape, popular, device);
        Program {
            threads: (0..shape.threads).map(thread).collect(),
            devices: (0..shape.extras.devices).map(device).collect(),
        }
    }

    /// Numbers the values so that each is written once, after edits that moved and copied steps.
    fn number_values(&mut self) {
        for (thread, steps) in (0..).zip(&mut self.threads) {
            let written = steps.iter_mut();
            let written = written.filter_map(|step| step.operation.value_mut());
            (first_value(thread) + 1..).zip(written).for_each(|(value, place)| *place = value);
        }
    }

    /// Whether the lines that Ruby prints show all operations, in program order, if a core executes
    /// one at a time. They do not show fences, accesses of DMA devices and what atomic requests write, and readers
    /// leave instruction fetches out.
    pub fn is_plain(&self) -> bool {
        let is_hidden = |step: &Step| match step.operation {
            Operation::Fence | Operation::Fetch(_) => true,
            Operation::Rmw { form, .. } => form.is_atomic(),
            Operation::Load(_) | Operation::Store(..) => false,
        };
        self.devices.is_empty() && !self.threads.iter().flatten().any(is_hidden)
    }

    /// Whether instructions are fetched.
    pub fn has_fetches(&self) -> bool {
        let is_fetch = |step: &Step| matches!(step.operation, Operation::Fetch(_));
        self.threads.iter().flatten().any(is_fetch)
    }

    /// Number of operations of all threads.
    pub fn operations(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }
}

/// The number before the first value that a thread writes.
fn first_value(thread: u32) -> u64 {
    (u64::from(thread) + 1) << 32
}

/// Draws locations by their weights. The seed decides which locations are popular.
struct Popular {
    addresses: Vec<u64>,
    by_popularity: Weighted,
}

impl Popular {
    fn new(shape: &ProgramSize) -> Popular {
        let locations = shape.locations.max(1);
        let mut addresses: Vec<u64> =
            (0..locations).map(|location| shape.address(location)).collect();
        Rng::new(shape.seed, 0).shuffle_from_back(&mut addresses);
        Popular { by_popularity: Weighted::zipf(locations, shape.skew.max(0.0)), addresses }
    }

    fn choose(&self, rng: &mut Rng) -> u64 {
        self.addresses[self.by_popularity.choose(rng)]
    }
}

/// Draws the steps of one thread.
struct Maker<'a> {
    shape: &'a ProgramSize,
    popular: &'a Popular,
    rng: Rng,
    next_value: u64,
}

impl Maker<'_> {
    fn step(&mut self) -> Step {
        Step {
            think: self.rng.up_to(u64::from(self.shape.think)) as u32,
            flush: None,
            translations: None,
            operation: self.operation(),
            ordering: Ordering::default(),
        }
    }

    fn operation(&mut self) -> Operation {
        let shape = self.shape;
        let lot = self.rng.below(100);
        let fences = u64::from(shape.fences);
        if lot < fences {
            return Operation::Fence;
        }
        let bytes = Bytes::word(self.popular.choose(&mut self.rng));
        if lot < fences + u64::from(shape.rmws) {
            let value = self.value();
            let is_linked = self.rng.percent(shape.linked);
            let form = if is_linked { RmwForm::Linked } else { RmwForm::Locked };
            return Operation::Rmw { bytes, value, form };
        }
        if !self.rng.percent(shape.reads) {
            return Operation::Store(bytes, self.value());
        }
        if !self.rng.percent(shape.fetches) {
            return Operation::Load(bytes);
        }
        match shape.code_lines {
            0 => Operation::Fetch(bytes),
            lines => Operation::Fetch(Bytes::word(shape.code(self.rng.below(u64::from(lines))))),
        }
    }

    fn value(&mut self) -> u64 {
        self.next_value += 1;
        self.next_value
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn mixed() -> ProgramSize {
        ProgramSize {
            threads: 3,
            operations: 2000,
            rmws: 10,
            fences: 5,
            fetches: 20,
            linked: 50,
            ..ProgramSize::default()
        }
    }

    fn count(program: &Program, of: impl Fn(&Operation) -> bool) -> usize {
        let steps = program.threads.iter().flatten();
        steps.filter(|step| of(&step.operation)).count()
    }

    /// Users rely on runs that never change: a failure of this test breaks that promise.
    #[test]
    fn a_program_is_fixed_by_its_shape() {
        let program = Program::random(&ProgramSize::default());
        assert_eq!(program, Program::random(&ProgramSize::default()));
        let other = ProgramSize { seed: 2, ..ProgramSize::default() };
        assert_ne!(program, Program::random(&other));
        let first: Vec<Operation> = program.threads[1][..4].iter().map(|s| s.operation).collect();
        assert_eq!(first, FIRST);
    }

    #[test]
    fn values_are_numbered_as_they_are_drawn() {
        let mut program = Program::random(&mixed());
        program.number_values();
        assert_eq!(program, Program::random(&mixed()));
    }

    const FIRST: [Operation; 4] = [
        Operation::Load(Bytes::word(0x11c0)),
        Operation::Load(Bytes::word(0x1180)),
        Operation::Store(Bytes::word(0x1140), 0x2_0000_0001),
        Operation::Load(Bytes::word(0x10c0)),
    ];

    #[test]
    fn shares_are_kept_and_values_are_unique() {
        let program = Program::random(&mixed());
        assert_eq!(program.operations(), 6000);
        let near = |count: usize, expected: usize| count.abs_diff(expected) < expected / 5;
        assert!(near(count(&program, |op| *op == Operation::Fence), 300));
        let linked = |op: &Operation| matches!(op, Operation::Rmw { form: RmwForm::Linked, .. });
        assert!(near(count(&program, linked), 300));
        assert!(near(count(&program, |op| matches!(op, Operation::Rmw { .. })), 600));
        assert!(near(count(&program, |op| matches!(op, Operation::Fetch(_))), 510));
        assert!(near(count(&program, |op| matches!(op, Operation::Load(_))), 2040));
        let mut values = BTreeSet::new();
        for (thread, steps) in program.threads.iter().enumerate() {
            for step in steps {
                let (Operation::Store(_, value) | Operation::Rmw { value, .. }) = step.operation
                else {
                    continue;
                };
                assert_eq!(value >> 32, thread as u64 + 1);
                assert!(values.insert(value));
            }
        }
        assert!(!program.is_plain() && program.has_fetches());
        assert!(Program::random(&ProgramSize::default()).is_plain());
    }

    #[test]
    fn locations_share_lines_as_requested() {
        let addresses = |per_line| {
            let shape = ProgramSize { per_line, ..ProgramSize::default() };
            (0..4).map(|l| shape.address(l)).collect::<Vec<u64>>()
        };
        assert_eq!(addresses(1), [0x1000, 0x1040, 0x1080, 0x10c0]);
        assert_eq!(addresses(2), [0x1000, 0x1020, 0x1040, 0x1060]);
        assert_eq!(addresses(8), [0x1000, 0x1008, 0x1010, 0x1018]);
        assert_eq!(addresses(0), addresses(1));
        assert_eq!(addresses(99), addresses(8));
        assert_eq!(addresses(3)[3], 0x1040);
    }

    #[test]
    fn code_lies_behind_the_locations() {
        let shape =
            ProgramSize { code_lines: 2, reads: 100, fetches: 100, ..ProgramSize::default() };
        let program = Program::random(&shape);
        let fetched: BTreeSet<u64> =
            program.threads.iter().flatten().filter_map(|s| s.operation.address()).collect();
        assert_eq!(fetched, BTreeSet::from([0x1200, 0x1240]));
    }

    #[test]
    fn skew_makes_some_locations_hot() {
        let hottest = |skew| {
            let shape =
                ProgramSize { skew, locations: 100, operations: 5000, ..ProgramSize::default() };
            let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
            for step in Program::random(&shape).threads.iter().flatten() {
                *counts.entry(step.operation.address().unwrap()).or_default() += 1;
            }
            counts.values().max().copied().unwrap()
        };
        assert!(hottest(0.0) < 300);
        assert!((3500..4200).contains(&hottest(1.0)));
    }
}
