//! Finds what makes an exploration invalid: calls whose result depends on the order or the bits of machine numbers or
//! addresses, and transitions that begin in another state than their line has.
//!
//! An exploration that lets cores or lines change places is valid only as long as no such call is made where the order
//! matters (see [`stepping::symmetry`](crate::system::stepping)). So a system that is explored records the first one.

use slicc::compile::op::control;
use slicc::library::{
    CalculationFunction, Family, LibraryFunction, LineFunction, PersistentFunction, TimerFunction,
    TopologyFunction, ValueFunction,
};
use slicc::source::Span;

use crate::ruby::sets::bits;
use crate::system::System;
use crate::system::stepping::Symmetry;

/// The first calls that depend on the order of machines or lines, and whether a transition began in another state than its
/// entry or TBE had.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Observed {
    /// The place of a call that depends on the order of machines.
    pub cores: Option<Span>,
    /// The place of a call that depends on addresses.
    pub lines: Option<Span>,
    /// Whether a transition began in another state than its entry or TBE had.
    pub states: bool,
}

impl System {
    /// Records a call of the library that depends on an order, before it is carried out. The arguments begin at `at`.
    pub(super) fn note_order(&mut self, function: LibraryFunction, at: usize) {
        if let Some(symmetry) = self.depends_on(function, at) {
            self.observe(symmetry);
        }
    }

    /// Records that the instruction that called the library depends on an order.
    pub(super) fn observe(&mut self, symmetry: Symmetry) {
        let place = self.program.spans.get(self.calling).copied();
        let observed = match symmetry {
            Symmetry::Cores => &mut self.observed.cores,
            Symmetry::Lines => &mut self.observed.lines,
        };
        *observed = observed.or(place);
    }

    /// Records that a transition of the controller with these control words begins in another state than its entry or TBE has, if
    /// that is so.
    pub(in crate::system) fn note_states(&mut self, control: usize, state: u64) {
        for offset in [control::ENTRY, control::TBE] {
            let object = self.words.words[control + usize::from(offset)];
            if object == 0 {
                continue;
            }
            let at = self.states_at.get(self.words.type_of(object)).copied().flatten();
            let is_other =
                at.is_some_and(|at| self.words.words[object as usize + usize::from(at)] != state);
            self.observed.states |= is_other;
        }
    }

    /// The symmetry that a call breaks in this state, since its result depends on an order.
    fn depends_on(&self, function: LibraryFunction, at: usize) -> Option<Symmetry> {
        use CalculationFunction::*;
        use PersistentFunction::{PersistentSmallest, PersistentTypeOfSmallest};
        use ValueFunction::{DestSmallest, DestSmallestType, SetSmallest};
        let [a, b]: [u64; 2] = std::array::from_fn(|index| self.words.words[at + index]);
        let from = a as usize;
        let (cores, lines) = (Some(Symmetry::Cores), Some(Symmetry::Lines));
        match function.family() {
            Family::Value(SetSmallest) => {
                if bits::count(&self.words.words[from + 1..from + 2]) > 1 { cores } else { None }
            }
            Family::Value(DestSmallest | DestSmallestType) => {
                let set = &self.words.words[from..from + self.machines.words()];
                if bits::count(set) > 1 { cores } else { None }
            }
            Family::Persistent(PersistentSmallest | PersistentTypeOfSmallest) => {
                if self.persistents[from].count_starving(b) > 1 { cores } else { None }
            }
            Family::Timer(TimerFunction::TimerNext) => {
                let ready = self.timers[from].timers().iter().filter(|(tick, _)| *tick == 0);
                if ready.count() > 1 { lines } else { None }
            }
            Family::Line(LineFunction::CacheAddressAt) => lines,
            Family::Line(LineFunction::TableDistributor) => {
                if self.line_tables.tables[from].len() > 1 { cores } else { None }
            }
            Family::Calculation(function) => match function {
                NumberOfNode | NodeOfNumber => cores,
                // Numbers of different machine types mean different controllers.
                MachineNumber if self.machines.count(a >> 32) == 1 => cores,
                MachineMake if self.machines.count(a) == 1 => cores,
                BitSelect | MaskLowBits | LineAddressOfBits | NextStride | NumberOfAddress
                | AddressOfNumber => lines,
                AddressOffset if a.wrapping_sub(b) >= self.block_words as u64 * 8 => lines,
                MapToRange | MapToCluster if self.words.words[at + 3] > 0 => lines,
                MapToRange | MapToCluster if self.machines.count(b) > 1 => cores,
                // `home` records what this depends on.
                MapToMachine => None,
                MachineNumber | MachineMake | AddressOffset | MapToRange | MapToCluster => None,
                Nothing | Zero | Identity | MaxTokens | LineAddress | LineOffset | Modulo | Now
                | Later | MachineCount | MachineKind | IsWrite | IsDataRead | IsRead | IsHtm
                | IsTlbi => None,
            },
            Family::Topology(TopologyFunction::RespondsTo) => None,
            Family::Topology(_) => {
                let controller = &self.controllers[self.current];
                let groups = [controller.downstream, controller.upstream];
                let several = groups.iter().flatten().any(|group| group.count > 1);
                if several { cores } else { None }
            }
            // These do the same under all names.
            Family::Value(_)
            | Family::Buffer(_)
            | Family::Line(_)
            | Family::Callback(_)
            | Family::Core(_)
            | Family::Timer(_)
            | Family::Persistent(_)
            | Family::Tracker(_)
            | Family::Partition(_)
            | Family::Expected(_)
            | Family::Described(_)
            | Family::Prefetcher(_)
            | Family::Functional(_)
            | Family::Control(_)
            | Family::Implicit(_)
            | Family::Unsupported(_) => None,
        }
    }
}
