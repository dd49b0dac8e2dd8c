//! [`Variables`]: where the shared variables of a program are, how large they are, and which values are written to them.

use history::Isa;
use history::random::Rng;
use rustc_hash::FxHashMap;
use simulate::program::{Operation, Program, ProgramSize};

/// Separates the choice of sizes from other choices with the same seed.
const PURPOSE: u64 = 0x53_49_5a_45 << 32;

/// The sizes that variables may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<u8>);

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes(vec![8])
    }
}

/// A shared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Its first byte, from the beginning of all variables.
    pub(crate) offset: u64,
    /// Its size, in bytes.
    pub(crate) size: u8,
}

/// The shared variables of a program.
#[derive(Clone, Debug)]
pub(crate) struct Variables {
    /// By the address in the program.
    by_address: FxHashMap<u64, Variable>,
    /// By the value in the program, the one that is written instead; empty if values stay as they are.
    values: FxHashMap<u64, u64>,
    /// All variables, by number.
    pub(crate) all: Vec<Variable>,
    /// The number of bytes from the first variable of a place to that of the next place.
    pub(crate) bytes: u64,
}

impl Variables {
    /// Variables of 8 bytes, in lines that are `stride` bytes apart, and values as in the program.
    pub(crate) fn words(size: &ProgramSize, stride: u64) -> Variables {
        Variables::placed(size, stride, &|_| 8, 8)
    }

    /// Variables of several sizes. The writes of a variable write 1, 2, 3, …
    pub(crate) fn of_sizes(
        size: &ProgramSize,
        stride: u64,
        sizes: &Sizes,
        isa: Isa,
        program: &Program,
    ) -> Variables {
        let mut rng = Rng::new(size.seed, PURPOSE);
        let uses = uses(program);
        let drawn: Vec<u8> =
            (0..size.locations).map(|_| sizes.0[rng.index(sizes.0.len())]).collect();
        let needed = |location: u32| {
            let of = uses.get(&size.address(location)).copied().unwrap_or_default();
            // RISC-V has atomic instructions for words of 4 and 8 bytes only.
            let least = if isa == Isa::Riscv && of.is_swapped { 4 } else { 1 };
            let least = least.max(drawn[location as usize]);
            let fits = |bytes: &u8| *bytes == 8 || of.writes >> (8 * bytes) == 0;
            [1, 2, 4, 8].into_iter().filter(|bytes| *bytes >= least).find(fits).unwrap_or(8)
        };
        let largest = (0..size.locations).map(needed).max().unwrap_or(8);
        let mut variables = Variables::placed(size, stride, &needed, largest);
        let mut written: FxHashMap<u64, u64> = FxHashMap::default();
        for step in program.threads.iter().flatten() {
            if let Operation::Store(bytes, value) | Operation::Rmw { bytes, value, .. } =
                step.operation
            {
                let number = written.entry(bytes.address).or_default();
                *number += 1;
                variables.values.insert(value, *number);
            }
        }
        variables
    }

    fn placed(
        size: &ProgramSize,
        stride: u64,
        bytes: &dyn Fn(u32) -> u8,
        largest: u8,
    ) -> Variables {
        let most = (size.line_bytes / u64::from(largest)).max(1);
        let per_line = u64::from(size.per_line).clamp(1, most);
        let step = (size.line_bytes / per_line) & !(u64::from(largest) - 1);
        let all: Vec<Variable> = (0..size.locations)
            .map(|location| {
                let number = u64::from(location);
                let offset = number / per_line * stride + number % per_line * step;
                Variable { offset, size: bytes(location) }
            })
            .collect();
        let addresses = (0..size.locations).map(|location| size.address(location));
        let lines = u64::from(size.locations).div_ceil(per_line).max(1);
        Variables {
            by_address: addresses.zip(all.iter().copied()).collect(),
            values: FxHashMap::default(),
            all,
            bytes: lines * stride,
        }
    }

    /// The variables that a program accesses, by ascending offset.
    pub(crate) fn used(&self, program: &Program) -> Vec<Variable> {
        let steps = program.threads.iter().flatten();
        let mut used: Vec<Variable> =
            steps.filter_map(|step| step.operation.address()).map(|it| self.at(it)).collect();
        used.sort_unstable_by_key(|variable| variable.offset);
        used.dedup();
        used
    }

    /// The variable at an address of the program.
    pub(crate) fn at(&self, address: u64) -> Variable {
        let other = Variable { offset: 0, size: 8 };
        self.by_address.get(&address).copied().unwrap_or(other)
    }

    /// The value that is written for one of the program.
    pub(crate) fn value(&self, value: u64) -> u64 {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

/// How a program uses a variable.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    writes: u64,
    is_swapped: bool,
}

/// By address, how a program uses its variables.
fn uses(program: &Program) -> FxHashMap<u64, Uses> {
    let mut uses: FxHashMap<u64, Uses> = FxHashMap::default();
    for step in program.threads.iter().flatten() {
        let (bytes, is_swapped) = match step.operation {
            Operation::Store(bytes, _) => (bytes, false),
            Operation::Rmw { bytes, .. } => (bytes, true),
            Operation::Load(_) | Operation::Fetch(_) | Operation::Fence => continue,
        };
        let of = uses.entry(bytes.address).or_default();
        of.writes += 1;
        of.is_swapped |= is_swapped;
    }
    uses
}
