//! What blocks hold, as far as it matters.
//!
//! Caches move data around and never look at it, so what matters of a value is which loads may still return it. A
//! store puts the *latest* value into its line. What was the latest until then is *old*: only a load that was under
//! way at that moment, and still is, may return it. What no load may return any more is *stale*, whatever it was. These
//! three are all values that there are in a state, so that they are as few as they can be and stand for all others.
//!
//! A load that returns the latest value, or one that was the latest at some time since the load began, takes place at
//! that time; a store takes place when it is performed. If all loads do so, every run is linearizable, line by line
//! and therefore as a whole, and thus sequentially consistent.

use crate::request::{RequestKind, Response};

/// A stored value is this, plus the core and the line, until the move is over.
const FRESH: u64 = 1 << 40;
/// Bits of the number of a line.
const LINE_BITS: u32 = 8;
/// The name of all stale values: no load may return them.
const STALE: u64 = 0;

/// Which values cores store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// A store makes the latest value, and of other values it is remembered which loads may still return them.
    #[default]
    Latest,
    /// A store chooses a number from 0 to this one; all of memory is 0 at first.
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

/// How recent the value is that a load returned.
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
    /// The value, where values are numbers.
    pub value: u64,
    /// What sort of value it was, where they are not.
    pub freshness: Freshness,
}

impl Values {
    /// What a line holds at first.
    pub(super) fn initial(self, line: usize, cores: usize) -> u64 {
        match self {
            Values::Latest => Class::latest(line).code(cores),
            Values::Numbers(_) => 0,
        }
    }

    /// How many values a store can choose from.
    pub(super) fn choices(self) -> u8 {
        match self {
            Values::Latest => 1,
            Values::Numbers(most) => most.saturating_add(1),
        }
    }

    /// What goes into the block of a line for the choice of a core.
    pub(super) fn stored(self, core: usize, line: usize, choice: u8) -> u64 {
        match self {
            Values::Latest => FRESH + ((core << LINE_BITS) + line) as u64,
            Values::Numbers(_) => u64::from(choice),
        }
    }
}

/// A value: the latest of a line, or one that some loads may still return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    line: usize,
    /// The cores whose loads may return it; nobody if it is the latest.
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

/// What a move has done to the values of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    /// By line, the core that stored last, if any did.
    latest: Vec<Option<usize>>,
    /// By line, the loads that are under way.
    loads: Vec<u64>,
    cores: usize,
    /// Whether values are numbers, which stay what they are.
    plain: bool,
}

impl Renaming {
    /// Makes the renaming for a state in which these loads are outstanding.
    pub fn new(values: Values, cores: usize, loads: Vec<u64>) -> Renaming {
        Renaming { latest: vec![None; loads.len()], loads, cores, plain: values != Values::Latest }
    }

    /// A core has stored to a line.
    pub fn store(&mut self, core: usize, line: usize) {
        self.latest[line] = Some(core);
    }

    /// What a value is called from now on.
    #[inline]
    pub fn rename(&self, value: u64) -> u64 {
        if self.plain || value == STALE {
            return value;
        }
        if let Some(fresh) = value.checked_sub(FRESH) {
            let (core, line) = ((fresh >> LINE_BITS) as usize, fresh as usize % (1 << LINE_BITS));
            // If another core has stored to the line in the same move, loads may not notice: it is stale.
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

/// An answer as an access of a line.
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
