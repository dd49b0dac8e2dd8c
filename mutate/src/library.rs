//! The effects of the library's functions.

use slicc::compile::op::Register;
use slicc::compile::types::TypeId;
use slicc::library::LibraryFunction;

use crate::effects::{Access, Merge, RegisterValue, Resource, Space, Walk};

/// Adds the effects of a call, whose arguments and result are in registers from `base` on.
pub(crate) fn apply(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) {
    let result = value(walk, function, base)
        .or_else(|| object(walk, function, base))
        .or_else(|| core(walk, function, base))
        .or_else(|| queue(walk, function, base));
    let result = result.unwrap_or_else(|| {
        walk.effects.unknown |= !is_calculation(function);
        RegisterValue::Opaque
    });
    walk.set(base, result);
}

/// Whether a function only calculates with numbers, or reads the system's configuration.
fn is_calculation(function: LibraryFunction) -> bool {
    use LibraryFunction::*;
    matches!(
        function,
        Nothing
            | Zero
            | Identity
            | NumberOfNode
            | NodeOfNumber
            | NumberOfAddress
            | AddressOfNumber
            | MaxTokens
            | LineAddress
            | LineAddressOfBits
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
            // Prefetchers are off in the systems that mutants are compared in.
            | PrefetcherMiss
            | PrefetcherUse
            | ProxyMiss
            | ProxyComplete
    )
}

/// Methods of blocks, masks and sets.
fn value(
    walk: &mut Walk<'_, '_>,
    function: LibraryFunction,
    base: Register,
) -> Option<RegisterValue> {
    use LibraryFunction::*;
    // How the value itself is accessed, and the number of other values that are read.
    let (how, others) = match function {
        MaskGet | MaskTest | MaskIsEmpty | MaskIsFull | MaskBlockSize | MaskBlockBits
        | MaskFirst | MaskFirstFrom | MaskCount | MaskCountFrom | SetCount | SetHas
        | SetIsEmpty | SetSmallest | DestCount | DestHas | DestIsEmpty | DestSmallest
        | DestSmallestType => (Access::Read, 0),
        MaskCompare | MaskOverlaps | MaskContains | SetEqual | SetSuperset | SetDisjoint
        | DestSuperset | DestEqual | DestDisjoint => (Access::Read, 1),
        MaskClear | MaskFill | BlockClear | SetClear | SetBroadcast | DestClear | DestBroadcast => {
            (Access::Set, 0)
        }
        BlockAtomic => (Access::Set, 2),
        SetAdd | DestAdd | DestBroadcastType => (Access::Merge(Merge::Grow), 0),
        SetAddSet | DestAddAll => (Access::Merge(Merge::Grow), 1),
        SetRemove | DestRemove => (Access::Merge(Merge::Shrink), 0),
        SetRemoveSet | DestRemoveAll => (Access::Merge(Merge::Shrink), 1),
        MaskSet | MaskSetTo | SetSize => (Access::Change, 0),
        MaskAnd | MaskOr | MaskInvert | BlockCopyRange => (Access::Change, 1),
        BlockCopyMasked | DestAssign => (Access::Change, 2),
        DestOr | DestAnd => return Some(combined(walk, base)),
        BroadcastTo => {
            let width = width(walk, function);
            walk.at(walk.get(base + 1), 0, width, Access::Set);
            return Some(RegisterValue::Opaque);
        }
        _ => return None,
    };
    // Absent elements and ranges that do not fit make these functions fail.
    walk.effects.fails = true;
    let own = width(walk, function);
    walk.at(walk.get(base), 0, own, how);
    for other in 1..=others {
        let widest = walk.widest();
        // One of the two may be a number.
        match walk.get(base + other) {
            pointer @ RegisterValue::Pointer(..) => walk.at(pointer, 0, widest, Access::Read),
            held if others == 1 => walk.at(held, 0, widest, Access::Read),
            _ => {}
        }
    }
    if others == 2 {
        let pointers =
            (1..=2).filter(|other| matches!(walk.get(base + other), RegisterValue::Pointer(..)));
        walk.effects.unknown |= pointers.count() == 0;
    }
    Some(RegisterValue::Opaque)
}

/// Adds the effects of a function that combines two sets into a new one.
fn combined(walk: &mut Walk<'_, '_>, base: Register) -> RegisterValue {
    let width = width(walk, LibraryFunction::DestOr);
    walk.at(walk.get(base), 0, width, Access::Read);
    walk.at(walk.get(base + 1), 0, width, Access::Read);
    walk.at(walk.get(base + 2), 0, width, Access::Set);
    RegisterValue::Opaque
}

/// Number of words of the value that a method works on.
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

/// Adds the effects of functions of caches, directories and tables.
fn object(
    walk: &mut Walk<'_, '_>,
    function: LibraryFunction,
    base: Register,
) -> Option<RegisterValue> {
    use LibraryFunction::*;
    if function == ChangePermission {
        walk.touch(Resource::Permission, Access::Change);
        walk.touch(Resource::Monitor, Access::Merge(Merge::End));
        return Some(RegisterValue::Opaque);
    }
    if function == CacheNull {
        return Some(RegisterValue::Zero);
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
    let RegisterValue::Control(own) = walk.get(base) else {
        walk.effects.unknown = true;
        return Some(RegisterValue::Opaque);
    };
    walk.effects.fails |= !matches!(
        function,
        // A null entry makes these functions fail, too. But then the row fails whenever it is taken, which any run shows.
        CacheTouch
            | CacheTouchEntry
            | TableLookup
            | TableSlots
            | PerfectLookup
            | PerfectAllocate
            | PerfectPresent
    );
    let tags = Resource::Tags(Some(own));
    Some(match function {
        CacheLookup => {
            walk.touch(tags, Access::Read);
            RegisterValue::Pointer(Space::Entry, 0)
        }
        DirectoryLookup => {
            walk.touch(tags, Access::Read);
            RegisterValue::Pointer(Space::Directory, 0)
        }
        TableLookup => {
            walk.touch(Resource::Table(own), Access::Read);
            RegisterValue::Pointer(Space::Tbe, 0)
        }
        // A missing entry is created.
        PerfectLookup => {
            walk.touch(Resource::Table(own), Access::Change);
            RegisterValue::Pointer(Space::Tbe, 0)
        }
        CachePresent | CacheAvailable | DirectoryPresent => {
            walk.touch(tags, Access::Read);
            RegisterValue::Opaque
        }
        TablePresent | TableSlots | PerfectPresent => {
            walk.touch(Resource::Table(own), Access::Read);
            RegisterValue::Opaque
        }
        CacheProbe | CacheAddressAt => {
            walk.touch(tags, Access::Read);
            walk.touch(Resource::Victims(own), Access::Read);
            RegisterValue::Opaque
        }
        CacheTouch | CacheTouchEntry => {
            walk.touch(tags, Access::Read);
            walk.touch(Resource::Victims(own), Access::Set);
            RegisterValue::Opaque
        }
        CacheRecord | CacheCheck => {
            walk.touch(Resource::Arrays, Access::Change);
            RegisterValue::Opaque
        }
        CacheAllocate | CacheDeallocate => {
            walk.touch(tags, Access::Change);
            walk.touch(Resource::Victims(own), Access::Set);
            walk.touch(Resource::Permission, Access::Set);
            walk.touch(Resource::Monitor, Access::Merge(Merge::End));
            RegisterValue::Pointer(Space::Entry, 0)
        }
        DirectoryAllocate => {
            walk.touch(tags, Access::Change);
            RegisterValue::Pointer(Space::Directory, 0)
        }
        DirectoryDeallocate => {
            walk.touch(tags, Access::Change);
            RegisterValue::Opaque
        }
        _ => {
            walk.touch(Resource::Table(own), Access::Change);
            RegisterValue::Opaque
        }
    })
}

/// Adds the effects of functions of sequencers and the cores behind them.
fn core(
    walk: &mut Walk<'_, '_>,
    function: LibraryFunction,
    base: Register,
) -> Option<RegisterValue> {
    use LibraryFunction::*;
    match function {
        ReadDone | WriteDone | WriteUniqueDone | AtomicDone | ConditionalFailed => {
            let types = &walk.surroundings.program.types;
            let width = types[types.known.block].width() as u16;
            let block = walk.get(base + 2);
            walk.at(block, 0, width, Access::Read);
            walk.at(block, 0, width, Access::Change);
            walk.touch(Resource::Monitor, Access::Change);
            walk.touch(Resource::Tags(None), Access::Read);
            walk.touch(Resource::Blocked, Access::Change);
            asked(walk);
        }
        Evicted => {
            walk.touch(Resource::Monitor, Access::Merge(Merge::End));
            walk.touch(Resource::Blocked, Access::Read);
            asked(walk);
        }
        MonitorCheck => {
            walk.touch(Resource::Monitor, Access::Read);
            walk.touch(Resource::Cores, Access::Read);
        }
        MonitorClear | MonitorClearLine => walk.touch(Resource::Monitor, Access::Merge(Merge::End)),
        _ => return None,
    }
    Some(RegisterValue::Opaque)
}

/// Adds the effects of a core that continues and may issue another request.
fn asked(walk: &mut Walk<'_, '_>) {
    walk.effects.fails = true;
    walk.effects.timing = true;
    walk.touch(Resource::Cores, Access::Change);
    match walk.surroundings.parameter("mandatoryQueue") {
        Some(queue) => walk.touch(Resource::Tail(queue), Access::Change),
        None => walk.effects.unknown = true,
    }
}

/// Adds the effects of functions of buffers, timers and waiting messages.
fn queue(
    walk: &mut Walk<'_, '_>,
    function: LibraryFunction,
    base: Register,
) -> Option<RegisterValue> {
    use LibraryFunction::*;
    let buffer = |walk: &mut Walk<'_, '_>| match walk.get(base) {
        RegisterValue::Control(buffer) => buffer,
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
            walk.touch(Resource::Head(own), Access::Change);
        }
        PopMemory => match walk.surroundings.parameter("responseFromMemory") {
            Some(own) => {
                walk.effects.fails = true;
                walk.touch(Resource::Head(own), Access::Change);
            }
            None => walk.effects.unknown = true,
        },
        InReady | InEmpty | InNoStalls | InStalls | InHasStalled | BufferSlots | BufferSize => {
            let own = buffer(walk);
            walk.effects.timing |= function == InReady;
            walk.touch(Resource::Head(own), Access::Read);
            walk.touch(Resource::Tail(own), Access::Read);
            walk.touch(Resource::Parked, Access::Read);
        }
        WakeLine | WakeAll | WakeAllOfLine => walk.wake(),
        StallPort => {
            walk.effects.timing = true;
            walk.touch(Resource::Wakeup, Access::Set);
        }
        BlockOnQueue => walk.touch(Resource::Blocked, Access::Change),
        IsBlocked => walk.touch(Resource::Blocked, Access::Read),
        Unblock => {
            walk.effects.timing = true;
            walk.touch(Resource::Blocked, Access::Change);
        }
        TimerSet | TimerUnset => {
            walk.effects.fails = true;
            walk.effects.timing = true;
            walk.touch(Resource::Timers, Access::Change);
        }
        TimerNext => {
            walk.effects.fails = true;
            walk.touch(Resource::Timers, Access::Read);
        }
        TimerReady | TimerIsSet => walk.touch(Resource::Timers, Access::Read),
        PersistentLock | PersistentUnlock | PersistentMark => {
            walk.effects.fails = true;
            walk.touch(Resource::Persistent, Access::Change);
        }
        PersistentMayIssue
        | PersistentSmallest
        | PersistentTypeOfSmallest
        | PersistentLocked
        | PersistentStarving
        | PersistentReadStarving => {
            walk.effects.fails = true;
            walk.touch(Resource::Persistent, Access::Read);
        }
        _ => return None,
    }
    Some(RegisterValue::Opaque)
}
