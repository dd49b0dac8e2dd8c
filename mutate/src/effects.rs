//! The effects of actions, and which of them commute. [`follow`] derives them from compiled code.

mod follow;

use std::ops::Range;

pub(crate) use follow::{Surroundings, Walk};

/// Something that an action may read or change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    /// Words of an object, or of the machine's variables.
    Words(Space, Range<u16>),
    /// The set of lines in a table of TBEs.
    Table(u16),
    /// The set of lines in a cache or directory; `None` stands for all of them.
    Tags(Option<u16>),
    /// The choice of the line that a cache evicts.
    Victims(u16),
    /// The head of a buffer.
    Head(u16),
    /// The tail of a buffer.
    Tail(u16),
    /// A virtual network.
    Network(u32),
    /// The buffers that connect two machines directly.
    Wires,
    /// The messages that are set aside until they are woken.
    Parked,
    /// The lines that are blocked on a queue.
    Blocked,
    /// The reservations of load-linked operations.
    Monitor,
    /// The permissions that caches record for lines.
    Permission,
    /// The state of a cache's arrays: which are busy.
    Arrays,
    /// The cores behind the sequencers.
    Cores,
    Timers,
    /// The tables of persistent requests.
    Persistent,
    /// The time of the controller's next wakeup.
    Wakeup,
    /// The comment on the transition in the trace.
    Comment,
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
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
    /// A message under construction.
    Fresh,
    /// An entry under construction.
    New,
    /// The message at the head of a buffer, which does not change.
    Peeked,
}

/// The kind of an access to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The resource is read.
    Read,
    /// The resource is overwritten by a value that does not depend on the old one: doing so twice is the same as
    /// once.
    Set,
    /// The resource is changed in a way that can be repeated, and that commutes with changes of the same kind, such
    /// as adding elements to a set.
    Merge(Merge),
    /// The resource is changed in any other way.
    Change,
}

/// A way of changing something that commutes with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Elements are added.
    Grow,
    /// Elements are removed.
    Shrink,
    /// Something, such as a reservation, ends.
    End,
}

/// The effects of an action.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// The resources that the action accesses, each with the kind of access.
    pub accesses: Vec<(Resource, Access)>,
    /// Whether the action may end the run with a fault.
    pub fails: bool,
    /// Whether the action draws random delays or schedules wakeups.
    pub timing: bool,
    /// Whether some effects of the action are unknown.
    pub unknown: bool,
}

impl Effects {
    /// Whether the action has no effect.
    pub(crate) fn is_nothing(&self) -> bool {
        let reads = |(_, how): &(Resource, Access)| *how == Access::Read;
        !self.unknown && !self.fails && !self.timing && self.accesses.iter().all(reads)
    }

    /// Whether the only effect of the action is on which line is evicted.
    pub(crate) fn is_hint(&self) -> bool {
        let hints = |(thing, how): &(Resource, Access)| {
            *how == Access::Read || matches!(thing, Resource::Victims(_))
        };
        !self.unknown && !self.fails && !self.timing && self.accesses.iter().all(hints)
    }

    /// Whether doing the action twice in a row has the same effect as once.
    pub(crate) fn is_idempotent(&self) -> bool {
        let changes = |how: Access| how == Access::Change;
        let depends = |(thing, how): &(Resource, Access)| {
            let own =
                |(other, read): &(Resource, Access)| *read == Access::Read && other.overlaps(thing);
            *how != Access::Read && (changes(*how) || self.accesses.iter().any(own))
        };
        !self.unknown && !self.accesses.iter().any(depends)
    }

    /// Whether the order of two actions makes no difference: neither accesses what the other
    /// changes. If one of them fails, the run ends with a fault in either order.
    pub(crate) fn commutes(&self, other: &Effects) -> bool {
        let free = |(thing, how): &(Resource, Access)| {
            other.accesses.iter().all(|(too, then)| how.commutes(*then) || !thing.overlaps(too))
        };
        !self.unknown && !other.unknown && self.accesses.iter().all(free)
    }
}

impl Access {
    fn commutes(self, other: Access) -> bool {
        match (self, other) {
            (Access::Read, Access::Read) => true,
            (Access::Merge(one), Access::Merge(other)) => one == other,
            _ => false,
        }
    }
}

impl Resource {
    fn overlaps(&self, other: &Resource) -> bool {
        match (self, other) {
            (Resource::Words(space, one), Resource::Words(other, two)) => {
                space == other && one.start < two.end && two.start < one.end
            }
            (Resource::Tags(None), Resource::Tags(_))
            | (Resource::Tags(_), Resource::Tags(None)) => true,
            _ => self == other,
        }
    }
}

/// The content of a register, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegisterValue {
    /// A number, or something unknown.
    Opaque,
    /// 0, which is also the null pointer.
    Zero,
    /// The value of a control word: the handle of a library object, if it is used as one.
    Control(u16),
    /// An address: an offset in a kind of memory.
    Pointer(Space, u16),
}

impl RegisterValue {
    fn or(self, other: RegisterValue) -> RegisterValue {
        match (self, other) {
            (one, other) if one == other => one,
            (RegisterValue::Zero, RegisterValue::Pointer(..)) => other,
            (RegisterValue::Pointer(..), RegisterValue::Zero) => self,
            _ => RegisterValue::Opaque,
        }
    }
}
