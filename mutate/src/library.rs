//! The effects of the library's functions.

use slicc::compile::op::Register;
use slicc::compile::types::TypeId;
use slicc::library::{
    BufferFunction, ControlFunction, CoreFunction, Family, LibraryFunction, LineFunction,
    PersistentFunction, TimerFunction, ValueFunction,
};

use crate::effects::{Access, Merge, RegisterValue, Resource, Space, Walk};

/// Adds the effects of a call, whose arguments and result are in registers from `base` on.
pub(crate) fn apply(walk: &mut Walk<'_, '_>, function: LibraryFunction, base: Register) {
    let result = match function.family() {
        Family::Value(function) => value(walk, function, base),
        Family::Line(function) => line(walk, function, base),
        Family::Callback(_) => Some(callback(walk, base)),
        Family::Core(function) => core(walk, function),
        Family::Buffer(function) => buffer(walk, function, base),
        Family::Control(function) => control(walk, function),
        Family::Timer(function) => Some(timer(walk, function)),
        Family::Persistent(function) => Some(persistent(walk, function)),
        // Prefetchers are off in the systems that mutants are compared in.
        Family::Calculation(_) | Family::Prefetcher(_) => Some(RegisterValue::Opaque),
        // These are assumed to read and change everything.
        Family::Tracker(_)
        | Family::Partition(_)
        | Family::Expected(_)
        | Family::Described(_)
        | Family::Topology(_)
        | Family::Functional(_)
        | Family::Implicit(_)
        | Family::Unsupported(_) => None,
    };
    walk.effects.unknown |= result.is_none();
    walk.set(base, result.unwrap_or(RegisterValue::Opaque));
}

/// Methods of blocks, masks and sets.
fn value(
    walk: &mut Walk<'_, '_>,
    function: ValueFunction,
    base: Register,
) -> Option<RegisterValue> {
    use ValueFunction::*;
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
        FlagsAt | FlagsPut | FlagsSize | FlagsResize | FlagsClear | FlagsCount => return None,
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
    let width = width(walk, ValueFunction::DestOr);
    walk.at(walk.get(base), 0, width, Access::Read);
    walk.at(walk.get(base + 1), 0, width, Access::Read);
    walk.at(walk.get(base + 2), 0, width, Access::Set);
    RegisterValue::Opaque
}

/// Number of words of the value that a method works on.
fn width(walk: &Walk<'_, '_>, function: ValueFunction) -> u16 {
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
fn line(walk: &mut Walk<'_, '_>, function: LineFunction, base: Register) -> Option<RegisterValue> {
    use LineFunction::*;
    // A null entry makes some of these functions fail, too. But then the row fails whenever it is taken, which any run shows.
    let fails = match function {
        ChangePermission => {
            walk.touch(Resource::Permission, Access::Change);
            walk.touch(Resource::Monitor, Access::Merge(Merge::End));
            return Some(RegisterValue::Opaque);
        }
        CacheNull => return Some(RegisterValue::Zero),
        CacheTagLatency | CacheDataLatency | CacheSize | CacheBlocks => {
            return Some(RegisterValue::Opaque);
        }
        CacheTouch | CacheTouchEntry | TableLookup | TableSlots | PerfectLookup
        | PerfectAllocate | PerfectPresent => false,
        CacheAvailable | CacheProbe | CacheAllocate | CacheDeallocate | CacheLookup
        | CachePresent | CacheRecord | CacheCheck | CacheAddressAt | DirectoryAllocate
        | DirectoryLookup | DirectoryDeallocate | DirectoryPresent | TableAllocate
        | TableDeallocate | TablePresent | PerfectDeallocate => true,
        // It reads all transactions of the table.
        TableDistributor => return None,
    };
    let RegisterValue::Control(own) = walk.get(base) else {
        return None;
    };
    walk.effects.fails |= fails;
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
        TableAllocate | TableDeallocate | PerfectAllocate | PerfectDeallocate => {
            walk.touch(Resource::Table(own), Access::Change);
            RegisterValue::Opaque
        }
        ChangePermission | CacheNull | CacheTagLatency | CacheDataLatency | CacheSize
        | CacheBlocks | TableDistributor => RegisterValue::Opaque,
    })
}

/// Adds the effects of a callback: a core's request completes with a block.
fn callback(walk: &mut Walk<'_, '_>, base: Register) -> RegisterValue {
    let types = &walk.surroundings.program.types;
    let width = types[types.known.block].width() as u16;
    let block = walk.get(base + 2);
    walk.at(block, 0, width, Access::Read);
    walk.at(block, 0, width, Access::Change);
    walk.touch(Resource::Monitor, Access::Change);
    walk.touch(Resource::Tags(None), Access::Read);
    walk.touch(Resource::Blocked, Access::Change);
    asked(walk);
    RegisterValue::Opaque
}

/// Adds the effects of other functions of sequencers and the cores behind them.
fn core(walk: &mut Walk<'_, '_>, function: CoreFunction) -> Option<RegisterValue> {
    use CoreFunction::*;
    match function {
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
        SequencerCheck => {}
        Unaddressed | DmaAck | DmaData => return None,
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

/// Adds the effects of methods of buffers.
fn buffer(
    walk: &mut Walk<'_, '_>,
    function: BufferFunction,
    base: Register,
) -> Option<RegisterValue> {
    use BufferFunction::*;
    let is_removed = match function {
        InDequeue | InRecycle => true,
        InReady | InEmpty | InNoStalls | InStalls | InHasStalled | BufferSlots | BufferSize => {
            false
        }
        OutDeferred | OutDeferredEmpty => return None,
    };
    let own = match walk.get(base) {
        RegisterValue::Control(own) => own,
        _ => {
            walk.effects.unknown = true;
            0
        }
    };
    walk.effects.timing |= matches!(function, InRecycle | InReady);
    if is_removed {
        walk.effects.fails = true;
        walk.touch(Resource::Head(own), Access::Change);
    } else {
        walk.touch(Resource::Head(own), Access::Read);
        walk.touch(Resource::Tail(own), Access::Read);
        walk.touch(Resource::Parked, Access::Read);
    }
    Some(RegisterValue::Opaque)
}

/// Adds the effects of functions of the current controller.
fn control(walk: &mut Walk<'_, '_>, function: ControlFunction) -> Option<RegisterValue> {
    use ControlFunction::*;
    match function {
        PopMemory => match walk.surroundings.parameter("responseFromMemory") {
            Some(own) => {
                walk.effects.fails = true;
                walk.touch(Resource::Head(own), Access::Change);
            }
            None => walk.effects.unknown = true,
        },
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
        CurrentEvent | CurrentNextState | ScheduleEvent => return None,
    }
    Some(RegisterValue::Opaque)
}

/// Adds the effects of methods of timers.
fn timer(walk: &mut Walk<'_, '_>, function: TimerFunction) -> RegisterValue {
    use TimerFunction::*;
    let (fails, changes) = match function {
        TimerSet | TimerUnset => (true, true),
        TimerNext => (true, false),
        TimerReady | TimerIsSet => (false, false),
    };
    walk.effects.fails |= fails;
    walk.effects.timing |= changes;
    walk.touch(Resource::Timers, if changes { Access::Change } else { Access::Read });
    RegisterValue::Opaque
}

/// Adds the effects of methods of tables of persistent requests.
fn persistent(walk: &mut Walk<'_, '_>, function: PersistentFunction) -> RegisterValue {
    use PersistentFunction::*;
    walk.effects.fails = true;
    let how = match function {
        PersistentLock | PersistentUnlock | PersistentMark => Access::Change,
        PersistentMayIssue
        | PersistentSmallest
        | PersistentTypeOfSmallest
        | PersistentLocked
        | PersistentStarving
        | PersistentReadStarving => Access::Read,
    };
    walk.touch(Resource::Persistent, how);
    RegisterValue::Opaque
}
