//! What actions may touch, and which effects commute; [`follow`] finds them in compiled code.

mod follow;

use std::ops::Range;

pub(super) use follow::{Surroundings, Walk};

/// What an action may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    /// Words of an object, or of the machine's variables.
    Words(Space, Range<u16>),
    /// Which lines a table of TBEs has.
    Table(u16),
    /// Which lines a cache or directory has; `None` is all of them.
    Tags(Option<u16>),
    /// Which line of a cache has to make room.
    Victims(u16),
    /// The front of a buffer: its first message.
    Head(u16),
    /// The back of a buffer.
    Tail(u16),
    /// A virtual network.
    Network(u32),
    /// Wire buffers, which machines share.
    Wires,
    /// What is set aside until it is woken.
    Parked,
    /// Lines that are blocked on a queue.
    Blocked,
    /// Reservations of lines.
    Monitor,
    /// Permissions of lines, as caches note them.
    Permission,
    /// Which arrays of a cache are busy.
    Arrays,
    /// The cores behind the sequencers.
    Cores,
    /// Timers.
    Timers,
    /// Tables of persistent requests.
    Persistent,
    /// When the controller looks at its ports again.
    Wakeup,
    /// What the trace says about the transition.
    Comment,
}

/// A kind of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// The machine's parameters and variables.
    Control,
    /// Entries of caches.
    Entry,
    /// TBEs, and entries of other tables.
    Tbe,
    /// Entries of directories.
    Directory,
    /// The registers of the action itself.
    Frame,
    /// A message that is being made.
    Fresh,
    /// An entry that is being made.
    New,
    /// The message at the front of a buffer, which stays as it is.
    Peeked,
}

/// What is done to a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// It is read.
    Read,
    /// It gets a value that does not depend on the one before, or keeps it: twice is as good as once.
    Set,
    /// A set gets elements, a reservation ends: twice is as good as once, and the order among such
    /// does not matter.
    Merge(Merge),
    /// Anything else.
    Change,
}

/// A way of changing things that commutes with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// Elements are added.
    Grow,
    /// Elements are removed.
    Shrink,
    /// Something ends.
    End,
}

/// What an action does.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// What it touches, and how.
    pub accesses: Vec<(Thing, How)>,
    /// Whether it may fail.
    pub fails: bool,
    /// Whether it draws random delays, or wakes somebody at some tick.
    pub timing: bool,
    /// Whether something about it is not known.
    pub unknown: bool,
}

impl Effects {
    /// Whether nothing comes of it.
    pub fn is_nothing(&self) -> bool {
        let reads = |(_, how): &(Thing, How)| *how == How::Read;
        !self.unknown && !self.fails && !self.timing && self.accesses.iter().all(reads)
    }

    /// Whether it decides nothing but which line has to make room.
    pub fn is_hint(&self) -> bool {
        let hints =
            |(thing, how): &(Thing, How)| *how == How::Read || matches!(thing, Thing::Victims(_));
        !self.unknown && !self.fails && !self.timing && self.accesses.iter().all(hints)
    }

    /// Whether doing it twice in a row is as good as once.
    pub fn is_idempotent(&self) -> bool {
        let changes = |how: How| how == How::Change;
        let depends = |(thing, how): &(Thing, How)| {
            let own = |(other, read): &(Thing, How)| *read == How::Read && other.overlaps(thing);
            *how != How::Read && (changes(*how) || self.accesses.iter().any(own))
        };
        !self.unknown && !self.accesses.iter().any(depends)
    }

    /// Whether the order of two makes no difference: neither touches what the other changes. If one
    /// of them fails the run ends in a fault in both orders.
    pub fn commutes(&self, other: &Effects) -> bool {
        let free = |(thing, how): &(Thing, How)| {
            other.accesses.iter().all(|(too, then)| how.commutes(*then) || !thing.overlaps(too))
        };
        !self.unknown && !other.unknown && self.accesses.iter().all(free)
    }
}

impl How {
    fn commutes(self, other: How) -> bool {
        match (self, other) {
            (How::Read, How::Read) => true,
            (How::Merge(one), How::Merge(other)) => one == other,
            _ => false,
        }
    }
}

impl Thing {
    fn overlaps(&self, other: &Thing) -> bool {
        match (self, other) {
            (Thing::Words(space, one), Thing::Words(other, two)) => {
                space == other && one.start < two.end && two.start < one.end
            }
            (Thing::Tags(None), Thing::Tags(_)) | (Thing::Tags(_), Thing::Tags(None)) => true,
            _ => self == other,
        }
    }
}

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A number, or what is not known.
    Opaque,
    /// 0, which is also the null pointer.
    Zero,
    /// What a control word held: the number of a library object, if it is used as one.
    Control(u16),
    /// An address.
    Pointer(Space, u16),
}

impl Held {
    fn or(self, other: Held) -> Held {
        match (self, other) {
            (one, other) if one == other => one,
            (Held::Zero, Held::Pointer(..)) => other,
            (Held::Pointer(..), Held::Zero) => self,
            _ => Held::Opaque,
        }
    }
}
