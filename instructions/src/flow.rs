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
pub(crate) struct RegisterSet(u64);

impl RegisterSet {
    pub(crate) const NONE: RegisterSet = RegisterSet(0);
    pub(crate) const ALL: RegisterSet = RegisterSet(u64::MAX);

    pub(crate) fn of(register: usize) -> RegisterSet {
        RegisterSet(1 << register)
    }

    pub(crate) fn is_empty(self) -> bool {
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
pub(crate) struct Uses {
    /// Registers that the address of the memory access is computed from.
    pub address: RegisterSet,
    /// Registers that the stored value is computed from.
    pub data: RegisterSet,
    /// Registers that the condition or the target of the branch is computed from.
    pub branch: RegisterSet,
    /// Registers that the results in `to` are computed from.
    pub from: RegisterSet,
    /// Two sets of registers, of one of which the results in `to` are computed. The line does not show which.
    pub either: [RegisterSet; 2],
    /// Registers that decide from which registers the results in `to` are computed.
    pub condition: RegisterSet,
    /// Registers that receive computed results.
    pub to: RegisterSet,
    /// Whether the value that the access stores is computed from the one that it loads.
    pub updates: bool,
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
pub(crate) struct Edge {
    pub line: u32,
    /// The part of the line that depends: [`DependencyKind::Control`] for a branch, and for an address that depends on
    /// the load through a choice, on which all later writes depend then as on a branch.
    pub kind: DependencyKind,
    /// The load ([`origin`]), or [`UNKNOWN`]; the line itself for [`Uses::updates`].
    pub on: u32,
}

/// The name of a load: twice its line, plus 1 for the second of two loads that the line shows.
pub(crate) fn origin(line: u32, is_second: bool) -> u32 {
    2 * line + u32::from(is_second)
}

/// The name that stands for loads that the trace does not show.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Largest number of loads that are kept for the value of a register; of more loads the latest are kept.
const MOST_ORIGINS: usize = 8;

/// The loads that a value was computed from, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Origins {
    loads: [u32; MOST_ORIGINS],
    count: usize,
    /// Whether the value may depend on further loads.
    is_open: bool,
}

impl Origins {
    fn add_all(&mut self, other: &Origins) {
        other.loads().iter().for_each(|&load| self.add(load));
        self.is_open |= other.is_open;
    }

    /// The loads of both, open if only one of them has a load.
    fn common(&self, other: &Origins) -> Origins {
        let mut common = Origins { is_open: self != other, ..Origins::default() };
        let shared = self.loads().iter().filter(|load| other.loads().contains(load));
        shared.for_each(|&load| common.add(load));
        common.is_open |= self.is_open;
        common
    }

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

/// The loads that a value depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Value {
    /// The loads that it was computed from.
    data: Origins,
    /// The loads that decided from which values it was computed.
    picked: Origins,
}

impl Value {
    fn add(&mut self, other: &Value) {
        self.data.add_all(&other.data);
        self.picked.add_all(&other.picked);
    }

    /// The loads that the value depends on in either way.
    fn all(&self) -> Origins {
        let mut all = self.data;
        all.add_all(&self.picked);
        all
    }
}

/// Tracks the values that a thread loads from register to register.
#[derive(Debug)]
pub(crate) struct Flow {
    registers: [Value; REGISTERS],
    /// The dependencies so far, in the order of lines.
    edges: Vec<Edge>,
}

impl Default for Flow {
    fn default() -> Flow {
        // The values of registers at the start depend on no load of the trace.
        Flow { registers: [Value::default(); REGISTERS], edges: Vec::new() }
    }
}

impl Flow {
    /// Takes in the instruction of a line.
    pub(crate) fn step(&mut self, line: u64, uses: &Uses) {
        // Histories have no lines beyond 32 bits either.
        let Some(line) = u32::try_from(line).ok().filter(|&line| line < u32::MAX / 2) else {
            return self.lose_all();
        };
        let maybe = self.union(uses.uncertain).all();
        let is_open = maybe.count > 0 || maybe.is_open;
        self.note(line, DependencyKind::Address, uses.address, false);
        self.note(line, DependencyKind::Data, uses.data, is_open);
        self.note(line, DependencyKind::Control, uses.branch, is_open);
        if uses.updates {
            self.edges.push(Edge { line, kind: DependencyKind::Data, on: origin(line, false) });
        }
        let mut computed = self.union(uses.from);
        let [first, second] = uses.either.map(|registers| self.union(registers));
        let common = Value {
            data: first.data.common(&second.data),
            picked: first.picked.common(&second.picked),
        };
        computed.add(&common);
        computed.picked.add_all(&self.union(uses.condition).all());
        computed.data.is_open |= is_open;
        let loaded =
            |is_second| Value { data: Origins::of(origin(line, is_second)), ..Value::default() };
        let results = [
            (uses.to, computed),
            (uses.loaded, loaded(false)),
            (uses.loaded_second, loaded(true)),
            (uses.lost, Value { data: Origins::LOST, ..Value::default() }),
        ];
        for (registers, value) in results {
            registers.registers().for_each(|register| self.registers[register] = value);
        }
    }

    /// Notes that any register may have been written.
    pub(crate) fn lose_all(&mut self) {
        self.registers = [Value { data: Origins::LOST, ..Value::default() }; REGISTERS];
    }

    /// The edges of all lines so far.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    fn union(&self, registers: RegisterSet) -> Value {
        let mut all = Value::default();
        registers.registers().for_each(|register| all.add(&self.registers[register]));
        all
    }

    fn note(&mut self, line: u32, kind: DependencyKind, on: RegisterSet, is_open: bool) {
        if on.is_empty() {
            return;
        }
        let value = self.union(on);
        if kind == DependencyKind::Control {
            return self.add_edges(line, kind, &value.all(), is_open);
        }
        self.add_edges(line, kind, &value.data, is_open);
        self.add_edges(line, DependencyKind::Choice, &value.picked, false);
        if kind == DependencyKind::Address {
            self.add_edges(line, DependencyKind::Control, &value.picked, false);
        }
    }

    fn add_edges(&mut self, line: u32, kind: DependencyKind, on: &Origins, is_open: bool) {
        let unknown = (is_open || on.is_open).then_some(UNKNOWN);
        let loads = on.loads().iter().copied().chain(unknown);
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
    fn what_decides_a_choice_is_picked() {
        let mut flow = Flow::default();
        flow.step(1, &Uses { loaded: registers(&[1]), ..Uses::default() });
        flow.step(2, &Uses { loaded: registers(&[2]), ..Uses::default() });
        let choose = |either: [&[usize]; 2]| Uses {
            either: either.map(registers),
            condition: registers(&[1]),
            to: registers(&[3]),
            ..Uses::default()
        };
        let edges = |flow: &mut Flow, line| {
            let before = flow.edges.len();
            let (address, data) = (registers(&[7]), registers(&[3]));
            flow.step(line, &Uses { address, data, ..Uses::default() });
            flow.edges[before..].iter().map(|edge| (edge.kind, edge.on)).collect::<Vec<_>>()
        };
        let (data, choice) = (DependencyKind::Data, DependencyKind::Choice);
        let (first, second) = (origin(1, false), origin(2, false));
        flow.step(3, &choose([&[5], &[6]]));
        assert_eq!(edges(&mut flow, 4), [(choice, first)]);
        flow.step(5, &choose([&[2], &[2]]));
        assert_eq!(edges(&mut flow, 6), [(data, second), (choice, first)]);
        flow.step(7, &choose([&[2], &[5]]));
        assert_eq!(edges(&mut flow, 8), [(data, UNKNOWN), (choice, first)]);
        // An address that was picked acts on later writes as a branch does.
        flow.step(9, &choose([&[5], &[6]]));
        let before = flow.edges.len();
        flow.step(10, &Uses { address: registers(&[3]), ..Uses::default() });
        let kinds: Vec<_> = flow.edges[before..].iter().map(|edge| edge.kind).collect();
        assert_eq!(kinds, [choice, DependencyKind::Control]);
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
