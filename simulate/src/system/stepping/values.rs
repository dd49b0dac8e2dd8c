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

use super::symmetry::Places;
use crate::request::{RequestKind, Response};

/// Until the end of a move, a stored value is this plus the core and the line.
const FRESH: u64 = 1 << 40;
/// Number of bits for the number of a line.
const LINE_BITS: u32 = 8;
/// The representation of all stale values, which no load may return.
const STALE: u64 = 0;

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

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It reads.
    Load,
    /// It writes.
    Store,
}

/// How recent the value was that a load returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// The latest value of the line. Stores always have this freshness.
    Latest,
    /// A value that has been overwritten, but was the latest at some time since the load began.
    Old,
    /// A value that was already overwritten when the load began.
    Stale,
}

/// An access that memory has performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The core that made the access.
    pub core: usize,
    /// The number of the line.
    pub line: usize,
    /// Whether it loads or stores.
    pub action: Action,
    /// The value, if values are numbers.
    pub value: u64,
    /// How recent the value was, if they are not.
    pub freshness: Freshness,
}

impl Values {
    /// The initial value of a line.
    pub(super) fn initial(self, line: usize, cores: usize) -> u64 {
        match self {
            Values::Latest => Class::latest(line).code(cores),
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

    /// The representation of a value, between moves, after cores and lines have changed places.
    pub(super) fn moved(self, value: u64, cores: &Places, lines: &Places) -> u64 {
        match (self, Class::of(value, cores.len(), lines.len())) {
            (Values::Latest, Some(Class { line, loads })) => {
                Class { line: lines.to(line), loads: cores.bits(loads) }.code(cores.len())
            }
            _ => value,
        }
    }
}

/// A value: the latest of a line, or one that some loads may still return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    line: usize,
    /// The cores whose loads may return it; none if it is the latest.
    loads: u64,
}

impl Class {
    fn latest(line: usize) -> Class {
        Class { line, loads: 0 }
    }

    fn code(self, cores: usize) -> u64 {
        1 + ((self.line as u64) << cores | self.loads)
    }

    fn of(code: u64, cores: usize, lines: usize) -> Option<Class> {
        let code = code.checked_sub(1)?;
        let line = (code >> cores) as usize;
        let loads = code & ((1 << cores) - 1);
        (line < lines).then_some(Class { line, loads })
    }
}

/// The classes of some values, by which an explorer knows what a renaming changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes {
    /// The lines whose latest value is among them, a bit for each.
    pub latest: u8,
    /// The lines with old values among them, a bit for each.
    pub old: u8,
    /// Whether a value is among them that was stored in the same move.
    pub is_fresh: bool,
}

impl Classes {
    /// Adds the class of a value.
    #[inline]
    pub fn add(&mut self, values: Values, value: u64, cores: usize, lines: usize) {
        if values != Values::Latest {
            return;
        }
        if value >= FRESH {
            self.is_fresh = true;
        } else if let Some(class) = Class::of(value, cores, lines) {
            let lines = if class.loads == 0 { &mut self.latest } else { &mut self.old };
            *lines |= 1 << class.line;
        }
    }

    /// The classes of both.
    pub fn and(self, other: Classes) -> Classes {
        Classes {
            latest: self.latest | other.latest,
            old: self.old | other.old,
            is_fresh: self.is_fresh || other.is_fresh,
        }
    }
}

/// How a move changes the values of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    /// For each line, the core that stored last, if any did.
    latest: Vec<Option<usize>>,
    /// For each line, the cores whose loads are in flight.
    loads: Vec<u64>,
    cores: usize,
    /// Whether all values stay the same.
    is_plain: bool,
}

impl Renaming {
    /// The renaming for a state in which these loads are in flight.
    pub fn new(values: Values, cores: usize, loads: Vec<u64>) -> Renaming {
        Renaming {
            latest: vec![None; loads.len()],
            loads,
            cores,
            is_plain: values != Values::Latest,
        }
    }

    /// The renaming that leaves all values as they are.
    pub fn none() -> Renaming {
        Renaming { is_plain: true, ..Renaming::default() }
    }

    /// Records that a core has stored to a line.
    pub fn store(&mut self, core: usize, line: usize) {
        self.latest[line] = Some(core);
    }

    /// The representation of a value after the move.
    #[inline]
    pub fn rename(&self, value: u64) -> u64 {
        if self.is_plain || value == STALE {
            return value;
        }
        if let Some(fresh) = value.checked_sub(FRESH) {
            let (core, line) = ((fresh >> LINE_BITS) as usize, fresh as usize % (1 << LINE_BITS));
            // If another core has stored to the line in the same move, no load may return it: it is
            // stale.
            return if self.latest.get(line) == Some(&Some(core)) {
                Class::latest(line).code(self.cores)
            } else {
                STALE
            };
        }
        let Some(class) = Class::of(value, self.cores, self.loads.len()) else {
            return STALE;
        };
        let under_way = self.loads[class.line];
        let loads = match (class.loads, self.latest[class.line]) {
            (0, None) => return value,
            (0, Some(_)) => under_way,
            (loads, _) => loads & under_way,
        };
        match loads {
            0 => STALE,
            _ => Class { loads, ..class }.code(self.cores),
        }
    }
}

/// The access that a response reports.
pub(super) fn access(
    values: Values,
    core: usize,
    line: usize,
    lines: usize,
    cores: usize,
    answer: &Response,
) -> Access {
    let action = match answer.kind {
        RequestKind::Store => Action::Store,
        _ => Action::Load,
    };
    let freshness = match (values, action, Class::of(answer.value, cores, lines)) {
        (Values::Numbers(_), ..) | (_, Action::Store, _) => Freshness::Latest,
        _ if answer.value >= FRESH => Freshness::Latest,
        (_, _, Some(class)) if class.line == line => match class.loads {
            0 => Freshness::Latest,
            loads if loads >> core & 1 == 1 => Freshness::Old,
            _ => Freshness::Stale,
        },
        _ => Freshness::Stale,
    };
    Access { core, line, action, value: answer.value, freshness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_grows_old_and_dies() {
        let latest = Class::latest(1).code(2);
        // Nothing happens.
        let idle = Renaming::new(Values::Latest, 2, vec![0, 0]);
        assert_eq!(idle.rename(latest), latest);
        // Core 0 stores to the line while core 1 loads from it.
        let mut store = Renaming::new(Values::Latest, 2, vec![0, 0b10]);
        store.store(0, 1);
        assert_eq!(store.rename(Values::Latest.stored(0, 1, 0)), latest);
        assert_eq!(store.rename(Values::Latest.stored(1, 1, 0)), STALE);
        let old = store.rename(latest);
        assert_eq!(Class::of(old, 2, 2), Some(Class { line: 1, loads: 0b10 }));
        assert_eq!(store.rename(Class::latest(0).code(2)), Class::latest(0).code(2));
        // The load is over.
        assert_eq!(idle.rename(old), STALE);
        assert_eq!(store.rename(STALE), STALE);
    }
}
