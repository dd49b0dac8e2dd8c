//! Tracks the loads that the value of each register depends on, through the instructions of a thread.
//!
//! The module of an instruction set returns the registers that an instruction reads and writes, its [`Uses`]. [`Flow`]
//! follows the values and records [`Edge`]s: the loads that the address or the data of an access, or a branch, depends
//! on. Loads are named by the lines that show them. A dependency that is not certain is recorded as [`UNKNOWN`], since
//! a missing dependency can hide a violation, but a wrong one could cause a false one.

use std::ops::BitOr;

use history::DependencyKind;

/// A set of registers of a thread, by numbers below 64 that the instruction set's module chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RegisterSet(u64);

impl RegisterSet {
    pub const NONE: RegisterSet = RegisterSet(0);
    pub const ALL: RegisterSet = RegisterSet(u64::MAX);

    pub fn of(register: usize) -> RegisterSet {
        RegisterSet(1 << register)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn registers(self) -> impl Iterator<Item = usize> {
        (0..REGISTERS).filter(move |register| self.0 >> register & 1 != 0)
    }
}

impl BitOr for RegisterSet {
    type Output = RegisterSet;

    fn bitor(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 | other.0)
    }
}

impl FromIterator<usize> for RegisterSet {
    fn from_iter<T: IntoIterator<Item = usize>>(registers: T) -> RegisterSet {
        registers.into_iter().map(RegisterSet::of).fold(RegisterSet::NONE, RegisterSet::bitor)
    }
}

const REGISTERS: usize = 64;

/// The registers that an instruction reads and writes. It reads all registers before it writes any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// Registers that the address of the memory access is computed from.
    pub address: RegisterSet,
    /// Registers that the stored value is computed from.
    pub data: RegisterSet,
    /// Registers that the condition or the target of the branch is computed from.
    pub branch: RegisterSet,
    /// Registers that the results in `to` are computed from.
    pub from: RegisterSet,
    /// Registers that receive computed results.
    pub to: RegisterSet,
    /// Registers that `to`, `data` or `branch` may also depend on.
    pub uncertain: RegisterSet,
    /// Registers that receive the value that the memory access returned.
    pub loaded: RegisterSet,
    /// Registers that receive the value of the second of two adjacent loads.
    pub loaded_second: RegisterSet,
    /// Registers that the instruction writes in a way that is not understood.
    pub lost: RegisterSet,
}

/// A dependency of a line on a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub line: u32,
    /// The part of the line that depends: [`DependencyKind::Control`] for a branch.
    pub kind: DependencyKind,
    /// The load ([`origin`]), or [`UNKNOWN`].
    pub on: u32,
}

/// The name of a load: twice its line, plus 1 for the second of two loads that the line shows.
pub(super) fn origin(line: u32, is_second: bool) -> u32 {
    2 * line + u32::from(is_second)
}

/// The name that stands for loads that the trace does not show.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Largest number of loads that are kept for the value of a register; of more loads the latest are kept.
const MOST_ORIGINS: usize = 8;

/// The loads that a value was computed from, in ascending order.
#[derive(Clone, Copy, Debug, Default)]
struct Origins {
    loads: [u32; MOST_ORIGINS],
    count: usize,
    /// Whether the value may depend on further loads.
    is_open: bool,
}

impl Origins {
    const LOST: Origins = Origins { loads: [0; MOST_ORIGINS], count: 0, is_open: true };

    fn of(load: u32) -> Origins {
        let mut origins = Origins::default();
        origins.add(load);
        origins
    }

    fn loads(&self) -> &[u32] {
        &self.loads[..self.count]
    }

    fn add(&mut self, load: u32) {
        let at = self.loads().partition_point(|&other| other < load);
        if self.loads().get(at) == Some(&load) {
            return;
        }
        if self.count < MOST_ORIGINS {
            self.loads.copy_within(at..self.count, at + 1);
            self.loads[at] = load;
            self.count += 1;
            return;
        }
        self.is_open = true;
        if at > 0 {
            self.loads.copy_within(1..at, 0);
            self.loads[at - 1] = load;
        }
    }
}

/// Tracks the values that a thread loads from register to register.
#[derive(Debug)]
pub(super) struct Flow {
    registers: [Origins; REGISTERS],
    /// The dependencies so far, in the order of lines.
    edges: Vec<Edge>,
}

impl Default for Flow {
    fn default() -> Flow {
        // The values of registers at the start depend on no load of the trace.
        Flow { registers: [Origins::default(); REGISTERS], edges: Vec::new() }
    }
}

impl Flow {
    /// Takes in the instruction of a line.
    pub fn step(&mut self, line: u64, uses: &Uses) {
        // Histories have no lines beyond 32 bits either.
        let Some(line) = u32::try_from(line).ok().filter(|&line| line < u32::MAX / 2) else {
            return self.lose_all();
        };
        let maybe = self.union(uses.uncertain);
        let is_open = maybe.count > 0 || maybe.is_open;
        self.note(line, DependencyKind::Address, uses.address, false);
        self.note(line, DependencyKind::Data, uses.data, is_open);
        self.note(line, DependencyKind::Control, uses.branch, is_open);
        let mut computed = self.union(uses.from);
        computed.is_open |= is_open;
        let results = [
            (uses.to, computed),
            (uses.loaded, Origins::of(origin(line, false))),
            (uses.loaded_second, Origins::of(origin(line, true))),
            (uses.lost, Origins::LOST),
        ];
        for (registers, origins) in results {
            registers.registers().for_each(|register| self.registers[register] = origins);
        }
    }

    /// Notes that any register may have been written.
    pub fn lose_all(&mut self) {
        self.registers = [Origins::LOST; REGISTERS];
    }

    /// The edges of all lines so far.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    fn union(&self, registers: RegisterSet) -> Origins {
        let mut all = Origins::default();
        for register in registers.registers() {
            let origins = &self.registers[register];
            origins.loads().iter().for_each(|&load| all.add(load));
            all.is_open |= origins.is_open;
        }
        all
    }

    fn note(&mut self, line: u32, kind: DependencyKind, on: RegisterSet, is_open: bool) {
        if on.is_empty() {
            return;
        }
        let origins = self.union(on);
        let unknown = (is_open || origins.is_open).then_some(UNKNOWN);
        let loads = origins.loads().iter().copied().chain(unknown);
        self.edges.extend(loads.map(|on| Edge { line, kind, on }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers(numbers: &[usize]) -> RegisterSet {
        numbers.iter().copied().collect()
    }

    #[test]
    fn values_flow_until_registers_are_lost() {
        let mut flow = Flow::default();
        flow.step(1, &Uses { loaded: registers(&[5]), ..Uses::default() });
        flow.step(2, &Uses { from: registers(&[5, 6]), to: registers(&[7]), ..Uses::default() });
        flow.step(3, &Uses { to: registers(&[5]), ..Uses::default() });
        let store = Uses { address: registers(&[5]), data: registers(&[7]), ..Uses::default() };
        flow.step(4, &store);
        flow.step(5, &Uses { lost: registers(&[7]), ..Uses::default() });
        flow.step(6, &store);
        flow.step(7, &Uses { branch: registers(&[7]), ..Uses::default() });
        let data = DependencyKind::Data;
        let expected = [
            Edge { line: 4, kind: data, on: origin(1, false) },
            Edge { line: 6, kind: data, on: UNKNOWN },
            Edge { line: 7, kind: DependencyKind::Control, on: UNKNOWN },
        ];
        assert_eq!(flow.edges(), expected);
    }

    #[test]
    fn of_many_loads_the_latest_are_remembered() {
        let mut origins = Origins::default();
        (0..20).rev().for_each(|load| origins.add(load));
        (0..20).for_each(|load| origins.add(load));
        assert_eq!(origins.loads(), [12, 13, 14, 15, 16, 17, 18, 19]);
        assert!(origins.is_open);
    }
}
