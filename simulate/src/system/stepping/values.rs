//! The contents of blocks, as far as they matter.
//!
//! Caches move data and never look at it, so what matters about a value is which loads may still
//! return it. A store puts the *latest* value into its line. The value that was the latest before
//! becomes *old*: only loads that were in flight at that moment, and still are, may return it. A
//! value that no load may return any more is *stale*, whatever it was. A state contains no other
//! values than these three kinds, so that there are as few as possible, and each stands for all
//! values of its kind.
//!
//! A load that returns the latest value, or one that was the latest at some time since the load
//! began, takes place at that time; a store takes place when it is performed. If all loads do so,
//! every run is linearizable for each line, therefore as a whole, and thus sequentially consistent.
//!
//! The write of a DMA device takes place somewhere else, at a time that the device does not see: between its request
//! and its completion. Until it completes its value is *pending*, and a load may return it. When it completes, its
//! value becomes the latest. If the line was written by another core or device meanwhile, then either value may be the
//! last one, and loads may return both. A device remembers that the line was written since it asked, also by such a
//! write. So every violation that is found is real, but a run in which loads see two such writes in different orders is
//! not found.

use super::symmetry::places::Places;

/// Until the end of a move, a stored value is this plus the core and the line. Like all values, it fits the four bytes that cores access.
const FRESH: u64 = 1 << 24;
/// Number of bits for the number of a line.
const LINE_BITS: u32 = 8;
/// The representation of all stale values, which no load may return.
pub(super) const STALE: u64 = 0;

/// Which values cores store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// A store writes the latest value. About other values, the state only records which loads may
    /// still return them.
    #[default]
    Latest,
    /// A store chooses a number from 0 to this one; all of memory is initially 0.
    Numbers(u8),
}

/// How recent the value was that a load returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// The latest value of the line. Plain stores always have this freshness.
    Latest,
    /// A value that has been overwritten, but was the latest at some time since the load began.
    Old,
    /// A value that was already overwritten when the load began.
    Stale,
}

/// The numbers of those who access memory, and of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// The number of cores and DMA devices.
    pub agents: usize,
    /// The number of lines.
    pub lines: usize,
}

impl Values {
    /// The initial value of a line.
    pub(super) fn initial(self, line: usize, counts: Counts) -> u64 {
        match self {
            Values::Latest => Class::Latest(line).code(counts),
            Values::Numbers(_) => 0,
        }
    }

    /// The number of values from which a store chooses.
    pub(super) fn choices(self) -> u8 {
        match self {
            Values::Latest => 1,
            Values::Numbers(most) => most.saturating_add(1),
        }
    }

    /// The value that goes into the block of a line, for the choice of a core.
    pub(super) fn stored(self, core: usize, line: usize, choice: u8) -> u64 {
        match self {
            Values::Latest => FRESH + ((core << LINE_BITS) + line) as u64,
            Values::Numbers(_) => u64::from(choice),
        }
    }

    /// The representation of the value that a DMA device writes, until the write completes.
    pub(super) fn pending(self, device: usize, line: usize, counts: Counts) -> u64 {
        match self {
            Values::Latest => Class::Pending { line, device }.code(counts),
            Values::Numbers(_) => 0,
        }
    }

    /// The representation of a value that a memo keeps, until it is known whether the value is overwritten: the value
    /// itself as long as it is the latest.
    pub(super) fn remembered(self, value: u64, counts: Counts) -> u64 {
        let is_old = matches!(Class::of(value, counts), Some(Class::Old { .. }));
        if self == Values::Latest && !is_old { value } else { STALE }
    }

    /// The representation of a value, between moves, after cores and lines have changed places.
    pub(super) fn moved(self, value: u64, agents: &Places, lines: &Places) -> u64 {
        let counts = Counts { agents: agents.len(), lines: lines.len() };
        match (self, Class::of(value, counts)) {
            (Values::Latest, Some(class)) => class.moved(agents, lines).code(counts),
            _ => value,
        }
    }

    /// How recent a value is that was read from a line.
    pub(super) fn freshness(
        self,
        value: u64,
        reader: usize,
        line: usize,
        counts: Counts,
    ) -> Freshness {
        if self != Values::Latest || value >= FRESH {
            return Freshness::Latest;
        }
        match Class::of(value, counts) {
            Some(Class::Latest(of)) if of == line => Freshness::Latest,
            // A pending value may have been written already.
            Some(Class::Pending { line: of, .. }) if of == line => Freshness::Latest,
            Some(Class::Old { line: of, loads }) if of == line && loads >> reader & 1 == 1 => {
                Freshness::Old
            }
            _ => Freshness::Stale,
        }
    }
}

/// The kind of a value, with the line to which it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// The latest of a line.
    Latest(usize),
    /// An old value, which some loads may still return.
    Old {
        line: usize,
        /// The cores and devices whose loads may return it; not empty.
        loads: u64,
    },
    /// A pending value, which a device writes.
    Pending { line: usize, device: usize },
}

impl Class {
    fn code(self, counts: Counts) -> u64 {
        1 + match self {
            Class::Latest(line) => (line as u64) << counts.agents,
            Class::Old { line, loads } => (line as u64) << counts.agents | loads,
            Class::Pending { line, device } => {
                ((counts.lines as u64) << counts.agents) + (device * counts.lines + line) as u64
            }
        }
    }

    fn of(code: u64, counts: Counts) -> Option<Class> {
        let code = code.checked_sub(1)?;
        if let Some(pending) = code.checked_sub((counts.lines as u64) << counts.agents) {
            let (device, line) = (pending as usize / counts.lines, pending as usize % counts.lines);
            return (device < counts.agents).then_some(Class::Pending { line, device });
        }
        let line = (code >> counts.agents) as usize;
        Some(match code & ((1 << counts.agents) - 1) {
            0 => Class::Latest(line),
            loads => Class::Old { line, loads },
        })
    }

    fn line(self) -> usize {
        match self {
            Class::Latest(line) | Class::Old { line, .. } | Class::Pending { line, .. } => line,
        }
    }

    /// The class after cores and lines have changed places.
    fn moved(self, agents: &Places, lines: &Places) -> Class {
        let line = lines.to(self.line());
        match self {
            Class::Latest(_) => Class::Latest(line),
            Class::Old { loads, .. } => Class::Old { line, loads: agents.bits(loads) },
            Class::Pending { device, .. } => Class::Pending { line, device: agents.to(device) },
        }
    }
}

/// The classes of the values in a part of a state, which tell an explorer what a renaming changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Classes {
    /// The lines whose latest value is among them, a bit for each.
    pub latest: u8,
    /// The lines with old values among them, a bit for each.
    pub old: u8,
    /// The lines with values among them that devices write, a bit for each.
    pub pending: u8,
    /// Whether a value is among them that was stored in the same move.
    pub is_fresh: bool,
}

impl Classes {
    /// Adds the class of a value.
    #[inline]
    pub(super) fn add(&mut self, values: Values, value: u64, counts: Counts) {
        if values != Values::Latest {
            return;
        }
        if value >= FRESH {
            self.is_fresh = true;
        } else if let Some(class) = Class::of(value, counts) {
            let lines = match class {
                Class::Latest(_) => &mut self.latest,
                Class::Old { .. } => &mut self.old,
                Class::Pending { .. } => &mut self.pending,
            };
            *lines |= 1 << class.line();
        }
    }

    /// The classes of both.
    pub(super) fn and(self, other: Classes) -> Classes {
        Classes {
            latest: self.latest | other.latest,
            old: self.old | other.old,
            pending: self.pending | other.pending,
            is_fresh: self.is_fresh || other.is_fresh,
        }
    }
}

/// The last write of a line in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Write {
    agent: usize,
    /// Whether the value before it may be the last one as well.
    races: bool,
}

/// How a move changes the values of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    /// For each line, its last write, if any.
    latest: Vec<Option<Write>>,
    /// For each line, the cores and devices whose loads are in flight.
    loads: Vec<u64>,
    counts: Counts,
    /// Whether all values stay the same.
    is_plain: bool,
}

impl Renaming {
    /// The renaming for a state in which these loads are in flight.
    pub(super) fn new(values: Values, agents: usize, loads: Vec<u64>) -> Renaming {
        Renaming {
            latest: vec![None; loads.len()],
            counts: Counts { agents, lines: loads.len() },
            loads,
            is_plain: values != Values::Latest,
        }
    }

    /// The renaming that leaves all values as they are.
    pub(super) fn none() -> Renaming {
        Renaming { is_plain: true, ..Renaming::default() }
    }

    /// Records that a core or device has written a line. If it races, the value before may be the last one as well.
    pub(super) fn store(&mut self, agent: usize, line: usize, races: bool) {
        self.latest[line] = Some(Write { agent, races });
    }

    /// Whether a core or device has written a line in the move.
    pub(super) fn is_written(&self, line: usize) -> bool {
        self.latest.get(line).is_some_and(Option::is_some)
    }

    /// The representation of a value after the move.
    #[inline]
    pub(super) fn rename(&self, value: u64) -> u64 {
        if self.is_plain || value == STALE {
            return value;
        }
        if let Some(fresh) = value.checked_sub(FRESH) {
            let (core, line) = ((fresh >> LINE_BITS) as usize, fresh as usize % (1 << LINE_BITS));
            // If another core has stored to the line in the same move, no load may return it: it is
            // stale.
            let is_last = self
                .latest
                .get(line)
                .is_some_and(|last| last.is_some_and(|last| last.agent == core));
            return if is_last { Class::Latest(line).code(self.counts) } else { STALE };
        }
        let Some(class) = Class::of(value, self.counts) else {
            return STALE;
        };
        let (line, last) = (class.line(), self.latest[class.line()]);
        let loads = match (class, last) {
            (Class::Pending { device, .. }, Some(last)) if last.agent == device => {
                return Class::Latest(line).code(self.counts);
            }
            (Class::Pending { .. }, _) | (Class::Latest(_), None) => return value,
            (Class::Latest(_), Some(Write { races: true, .. })) => return value,
            (Class::Latest(_), Some(_)) => self.loads[line],
            (Class::Old { loads, .. }, _) => loads & self.loads[line],
        };
        match loads {
            0 => STALE,
            _ => Class::Old { line, loads }.code(self.counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: Counts = Counts { agents: 2, lines: 2 };

    #[test]
    fn a_value_grows_old_and_dies() {
        let latest = Class::Latest(1).code(COUNTS);
        // Nothing happens.
        let idle = Renaming::new(Values::Latest, 2, vec![0, 0]);
        assert_eq!(idle.rename(latest), latest);
        // Core 0 stores to the line while core 1 loads from it.
        let mut store = Renaming::new(Values::Latest, 2, vec![0, 0b10]);
        store.store(0, 1, false);
        assert_eq!(store.rename(Values::Latest.stored(0, 1, 0)), latest);
        assert_eq!(store.rename(Values::Latest.stored(1, 1, 0)), STALE);
        let old = store.rename(latest);
        assert_eq!(Class::of(old, COUNTS), Some(Class::Old { line: 1, loads: 0b10 }));
        assert_eq!(store.rename(Class::Latest(0).code(COUNTS)), Class::Latest(0).code(COUNTS));
        // The load is over.
        assert_eq!(idle.rename(old), STALE);
        assert_eq!(store.rename(STALE), STALE);
        assert_eq!(Values::Latest.remembered(old, COUNTS), STALE);
        assert_eq!(Values::Latest.remembered(latest, COUNTS), latest);
    }

    /// Agent 1 is a device.
    #[test]
    fn a_pending_value_becomes_the_latest() {
        let freshness = |value| Values::Latest.freshness(value, 0, 1, COUNTS);
        let latest = Class::Latest(1).code(COUNTS);
        let pending = Values::Latest.pending(1, 1, COUNTS);
        assert_eq!(freshness(pending), Freshness::Latest);
        let mut by_core = Renaming::new(Values::Latest, 2, vec![0, 0]);
        by_core.store(0, 1, false);
        assert_eq!((by_core.rename(pending), by_core.rename(latest)), (pending, STALE));
        for races in [false, true] {
            let mut done = Renaming::new(Values::Latest, 2, vec![0, 0]);
            done.store(1, 1, races);
            assert_eq!(done.rename(pending), latest);
            assert_eq!(done.rename(latest), if races { latest } else { STALE });
        }
    }

    #[test]
    fn codes_and_classes_agree() {
        let latest = (0..2).map(Class::Latest);
        let old = (0..2).flat_map(|line| (1..4).map(move |loads| Class::Old { line, loads }));
        let pending =
            (0..2).flat_map(|line| (0..2).map(move |device| Class::Pending { line, device }));
        let all: Vec<Class> = latest.chain(old).chain(pending).collect();
        let codes: std::collections::BTreeSet<u64> =
            all.iter().map(|class| class.code(COUNTS)).collect();
        assert_eq!(codes.len(), all.len());
        assert!(all.iter().all(|class| Class::of(class.code(COUNTS), COUNTS) == Some(*class)));
        let swapped = Places::new(vec![1, 0]).expect("a permutation");
        let moved = |class: Class| Values::Latest.moved(class.code(COUNTS), &swapped, &swapped);
        let old = Class::Old { line: 0, loads: 0b01 };
        assert_eq!(moved(old), Class::Old { line: 1, loads: 0b10 }.code(COUNTS));
    }
}
