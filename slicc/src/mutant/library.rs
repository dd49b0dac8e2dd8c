//! What functions of the library read and write.

use super::effects::{Held, How, Merge, Space, Thing, Walk};
use crate::compile::code::Register;
use crate::compile::types::TypeId;
use crate::library::LibraryFunction;

/// A function of the library is called, with arguments and result from a register on.
pub(super) fn apply(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) {
    let result = value(walk, function, base)
        .or_else(|| object(walk, function, base))
        .or_else(|| core(walk, function, base))
        .or_else(|| queue(walk, function, base));
    let result = result.unwrap_or_else(|| {
        walk.effects.unknown |= !is_calculation(function);
        Held::Opaque
    });
    walk.set(base, result);
}

/// Functions of numbers alone, and what only asks how the system is built.
fn is_calculation(function: LibraryFunction) -> bool {
    use LibraryFunction::*;
    matches!(
        function,
        Nothing
            | Zero
            | Same
            | MaxTokens
            | LineAddress
            | LineOffset
            | AddressOffset
            | Modulo
            | BitSelect
            | MaskLowBits
            | NextStride
            | Now
            | Later
            | MapToMachine
            | MapToRange
            | MapToCluster
            | MachineCount
            | MachineNumber
            | MachineKind
            | MachineMake
            | IsWrite
            | IsDataRead
            | IsRead
            | IsHtm
            | IsTlbi
            | CacheTagLatency
            | CacheDataLatency
            | CacheSize
            | CacheBlocks
            | SequencerCheck
    )
}

/// Methods of blocks, masks and sets.
fn value(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) -> Option<Held> {
    use LibraryFunction::*;
    // What happens to the value itself, and how many other values are read.
    let (how, others) = match function {
        MaskGet | MaskTest | MaskIsEmpty | MaskIsFull | MaskFirst | MaskFirstFrom | MaskCount
        | MaskCountFrom | SetCount | SetHas | SetIsEmpty | SetSmallest | DestCount | DestHas
        | DestIsEmpty | DestSmallest | DestSmallestType => (How::Read, 0),
        MaskCompare | MaskOverlaps | MaskContains | SetEqual | SetSuperset | SetDisjoint
        | DestSuperset | DestEqual | DestDisjoint => (How::Read, 1),
        MaskClear | MaskFill | BlockClear | SetClear | SetBroadcast | DestClear | DestBroadcast => {
            (How::Set, 0)
        }
        BlockCopy => (How::Set, 1),
        SetAdd | DestAdd | DestBroadcastType => (How::Merge(Merge::Grow), 0),
        SetAddSet | DestAddAll => (How::Merge(Merge::Grow), 1),
        SetRemove | DestRemove => (How::Merge(Merge::Shrink), 0),
        SetRemoveSet | DestRemoveAll => (How::Merge(Merge::Shrink), 1),
        MaskSet | MaskSetTo | SetSize => (How::Change, 0),
        MaskAnd | MaskOr | MaskInvert | BlockCopyRange => (How::Change, 1),
        BlockCopyMasked | DestAssign => (How::Change, 2),
        DestOr | DestAnd => return Some(combined(walk, base)),
        BroadcastTo => {
            let width = width(walk, function);
            walk.at(walk.get(base + 1), 0, width, How::Set);
            return Some(Held::Opaque);
        }
        _ => return None,
    };
    // Elements that there are none of, ranges that do not fit.
    walk.effects.fails = true;
    let own = width(walk, function);
    walk.at(walk.get(base), 0, own, how);
    for other in 1..=others {
        let widest = walk.widest();
        // Of two, one may be a number.
        match walk.get(base + other) {
            pointer @ Held::Pointer(..) => walk.at(pointer, 0, widest, How::Read),
            held if others == 1 => walk.at(held, 0, widest, How::Read),
            _ => {}
        }
    }
    if others == 2 {
        let pointers = (1..=2).filter(|other| matches!(walk.get(base + other), Held::Pointer(..)));
        walk.effects.unknown |= pointers.count() == 0;
    }
    Some(Held::Opaque)
}

/// A set made of two.
fn combined(walk: &mut Walk<'_, '_>, base: Register) -> Held {
    let width = width(walk, LibraryFunction::DestOr);
    walk.at(walk.get(base), 0, width, How::Read);
    walk.at(walk.get(base + 1), 0, width, How::Read);
    walk.at(walk.get(base + 2), 0, width, How::Set);
    Held::Opaque
}

/// Words of the value that a method is of.
fn width(walk: &Walk<'_, '_>, function: LibraryFunction) -> u16 {
    let types = &walk.surroundings.program.types;
    let known = types.known;
    let name = format!("{function:?}");
    let of: Option<TypeId> = [
        ("Mask", known.mask),
        ("Block", known.block),
        ("Set", known.set),
        ("Dest", known.destinations),
        ("Broadcast", known.destinations),
    ]
    .into_iter()
    .find_map(|(family, of)| name.starts_with(family).then_some(of));
    of.map_or(walk.widest(), |of| types[of].width() as u16)
}

/// Caches, directories and tables.
fn object(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) -> Option<Held> {
    use LibraryFunction::*;
    if function == ChangePermission {
        walk.touch(Thing::Permission, How::Change);
        walk.touch(Thing::Monitor, How::Merge(Merge::End));
        return Some(Held::Opaque);
    }
    if function == CacheNull {
        return Some(Held::Zero);
    }
    let is_one = matches!(
        function,
        CacheAvailable
            | CacheProbe
            | CacheAllocate
            | CacheDeallocate
            | CacheLookup
            | CachePresent
            | CacheTouch
            | CacheTouchEntry
            | CacheRecord
            | CacheCheck
            | CacheAddressAt
            | DirectoryAllocate
            | DirectoryLookup
            | DirectoryDeallocate
            | DirectoryPresent
            | TableLookup
            | PerfectLookup
            | PerfectAllocate
            | PerfectDeallocate
            | PerfectPresent
            | TableAllocate
            | TableDeallocate
            | TablePresent
            | TableSlots
    );
    if !is_one {
        return None;
    }
    let Held::Control(own) = walk.get(base) else {
        walk.effects.unknown = true;
        return Some(Held::Opaque);
    };
    walk.effects.fails |= !matches!(
        function,
        // A null entry fails; a row in which it is null would fail whenever it is taken, and shows at once.
        CacheTouch
            | CacheTouchEntry
            | TableLookup
            | TableSlots
            | PerfectLookup
            | PerfectAllocate
            | PerfectPresent
    );
    let tags = Thing::Tags(Some(own));
    Some(match function {
        CacheLookup => {
            walk.touch(tags, How::Read);
            Held::Pointer(Space::Entry, 0)
        }
        DirectoryLookup => {
            walk.touch(tags, How::Read);
            Held::Pointer(Space::Directory, 0)
        }
        TableLookup => {
            walk.touch(Thing::Table(own), How::Read);
            Held::Pointer(Space::Tbe, 0)
        }
        // What is missing is made.
        PerfectLookup => {
            walk.touch(Thing::Table(own), How::Change);
            Held::Pointer(Space::Tbe, 0)
        }
        CachePresent | CacheAvailable | DirectoryPresent => {
            walk.touch(tags, How::Read);
            Held::Opaque
        }
        TablePresent | TableSlots | PerfectPresent => {
            walk.touch(Thing::Table(own), How::Read);
            Held::Opaque
        }
        CacheProbe | CacheAddressAt => {
            walk.touch(tags, How::Read);
            walk.touch(Thing::Victims(own), How::Read);
            Held::Opaque
        }
        CacheTouch | CacheTouchEntry => {
            walk.touch(tags, How::Read);
            walk.touch(Thing::Victims(own), How::Set);
            Held::Opaque
        }
        CacheRecord | CacheCheck => {
            walk.touch(Thing::Arrays, How::Change);
            Held::Opaque
        }
        CacheAllocate | CacheDeallocate => {
            walk.touch(tags, How::Change);
            walk.touch(Thing::Victims(own), How::Set);
            walk.touch(Thing::Permission, How::Set);
            walk.touch(Thing::Monitor, How::Merge(Merge::End));
            Held::Pointer(Space::Entry, 0)
        }
        DirectoryAllocate => {
            walk.touch(tags, How::Change);
            Held::Pointer(Space::Directory, 0)
        }
        DirectoryDeallocate => {
            walk.touch(tags, How::Change);
            Held::Opaque
        }
        _ => {
            walk.touch(Thing::Table(own), How::Change);
            Held::Opaque
        }
    })
}

/// Sequencers and the cores behind them.
fn core(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) -> Option<Held> {
    use LibraryFunction::*;
    match function {
        ReadDone | WriteDone | WriteUniqueDone | AtomicDone | ConditionalFailed => {
            let types = &walk.surroundings.program.types;
            let width = types[types.known.block].width() as u16;
            let block = walk.get(base + 2);
            walk.at(block, 0, width, How::Read);
            walk.at(block, 0, width, How::Change);
            walk.touch(Thing::Monitor, How::Change);
            walk.touch(Thing::Tags(None), How::Read);
            walk.touch(Thing::Blocked, How::Change);
            asked(walk);
        }
        Evicted => {
            walk.touch(Thing::Monitor, How::Merge(Merge::End));
            walk.touch(Thing::Blocked, How::Read);
            asked(walk);
        }
        MonitorCheck => {
            walk.touch(Thing::Monitor, How::Read);
            walk.touch(Thing::Cores, How::Read);
        }
        MonitorClear | MonitorClearLine => walk.touch(Thing::Monitor, How::Merge(Merge::End)),
        _ => return None,
    }
    Some(Held::Opaque)
}

/// A core goes on, and may ask for something else.
fn asked(walk: &mut Walk<'_, '_>) {
    walk.effects.fails = true;
    walk.effects.timing = true;
    walk.touch(Thing::Cores, How::Change);
    match walk.surroundings.parameter("mandatoryQueue") {
        Some(queue) => walk.touch(Thing::Tail(queue), How::Change),
        None => walk.effects.unknown = true,
    }
}

/// Buffers, timers, and what waits.
fn queue(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) -> Option<Held> {
    use LibraryFunction::*;
    let buffer = |walk: &mut Walk<'_, '_>| match walk.get(base) {
        Held::Control(buffer) => buffer,
        _ => {
            walk.effects.unknown = true;
            0
        }
    };
    match function {
        InDequeue | InRecycle => {
            let own = buffer(walk);
            walk.effects.fails = true;
            walk.effects.timing |= function == InRecycle;
            walk.touch(Thing::Head(own), How::Change);
        }
        PopMemory => match walk.surroundings.parameter("responseFromMemory") {
            Some(own) => {
                walk.effects.fails = true;
                walk.touch(Thing::Head(own), How::Change);
            }
            None => walk.effects.unknown = true,
        },
        InReady | InEmpty | InNoStalls | InStalls | InHasStalled | BufferSlots | BufferSize => {
            let own = buffer(walk);
            walk.effects.timing |= function == InReady;
            walk.touch(Thing::Head(own), How::Read);
            walk.touch(Thing::Tail(own), How::Read);
            walk.touch(Thing::Parked, How::Read);
        }
        WakeLine | WakeAll | WakeAllOfLine => walk.wake(),
        StallPort => {
            walk.effects.timing = true;
            walk.touch(Thing::Wakeup, How::Set);
        }
        BlockOnQueue => walk.touch(Thing::Blocked, How::Change),
        Unblock => {
            walk.effects.timing = true;
            walk.touch(Thing::Blocked, How::Change);
        }
        TimerSet | TimerUnset => {
            walk.effects.fails = true;
            walk.effects.timing = true;
            walk.touch(Thing::Timers, How::Change);
        }
        TimerNext => {
            walk.effects.fails = true;
            walk.touch(Thing::Timers, How::Read);
        }
        TimerReady | TimerIsSet => walk.touch(Thing::Timers, How::Read),
        PersistentLock | PersistentUnlock | PersistentMark => {
            walk.effects.fails = true;
            walk.touch(Thing::Persistent, How::Change);
        }
        PersistentMayIssue
        | PersistentSmallest
        | PersistentTypeOfSmallest
        | PersistentLocked
        | PersistentStarving
        | PersistentReadStarving => {
            walk.effects.fails = true;
            walk.touch(Thing::Persistent, How::Read);
        }
        _ => return None,
    }
    Some(Held::Opaque)
}
