//! The functions that the runtime provides: which there are.
//!
//! `prelude.sm` declares their types; here each gets a number, by its name and the number of its arguments (the object
//! of a method not counted). `system::library` does what they say.
//!
//! # Absent, full, double and out of range
//!
//! What a container does when it is used wrongly is what gem5 v24.0.0.1 does in a build with assertions (`gem5.opt`,
//! `gem5.debug`). Where gem5 asserts, panics or throws, the run ends in a fault that names it. What gem5 accepts is
//! accepted. Where that is evidently a mistake (an entry is used that nobody has allocated) it is also a
//! [`Warning`](crate::system::Warning), with the place and how to get there; with
//! [`Options::strict`](crate::config::Options::strict) it is a fault instead. Where C++ leaves open what happens (memory
//! behind an array is read or written) the run ends in a fault, too, unless the table says something else.
//! `tests/library.rs` has a test for each row.
//!
//! | use | gem5 | here |
//! |---|---|---|
//! | **Set** (64 bits, the build's maximum) | | |
//! | `add`, `remove`, `isElement` of an element not below the set's size | accepted: the size is not looked at | accepted |
//! | the same of element 64 or above | `std::bitset` throws | fault |
//! | `setSize` above 64 | fatal | fault |
//! | `addSet`, `removeSet`, `isEqual`, `isSuperset` of sets of different sizes | assert | fault |
//! | `intersectionIsEmpty` of sets of different sizes | accepted | accepted |
//! | `smallestElement` without an element below the size | panic | fault |
//! | **NetDest** | | |
//! | `add` of a machine that does not exist | assert | fault |
//! | `remove`, `isElement` of one | accepted: it is not in it | accepted |
//! | the same of number 64 or above, or of no machine type | throws, assert | fault |
//! | `smallestElement` of an empty one | assert, panic | fault |
//! | `setNetDest` with a Set that is not of the type's size | accepted, but an assertion fails as soon as it meets another NetDest, at the latest in the network | fault at once, unless the set is empty |
//! | **CacheMemory** | | |
//! | any address that is not a line's, but for `setMRU` | assert | fault |
//! | `lookup`, `isTagPresent` of an absent line | null, false | the same |
//! | `allocate` of a present line, or in a full set | assert | fault |
//! | `deallocate` of an absent line | assert | fault |
//! | `cacheProbe` in a set that has room | assert | fault |
//! | `setMRU` of an absent line | nothing | nothing |
//! | `setMRU` of a null entry | assert | fault |
//! | `getAddressAtIdx` of a free way, or one that is Invalid or NotPresent | 0 | 0 |
//! | `getAddressAtIdx` out of range | assert | fault |
//! | an entry that is NotPresent | is not found, and its way is free | the same |
//! | `allocate` over such an entry | `warn_once`, the old entry is lost (and a lookup of its line finds the new one) | warning; the old line is absent |
//! | **PerfectCacheMemory** | | |
//! | `lookup` of an absent line | makes an entry; later versions return null | makes an entry; warning |
//! | `allocate` of a present line | replaces the content | replaces the content; warning |
//! | `deallocate` of an absent line | assert | fault |
//! | an address that is not a line's | that of its line | that of its line |
//! | **TBETable** | | |
//! | `lookup` of an absent line or of no line | null | null |
//! | `allocate` of a present line, or in a full table | assert | fault |
//! | `deallocate` of an absent line | assert | fault |
//! | `isPresent`, `allocate`, `deallocate` of no line | assert | fault |
//! | **DirectoryMemory** | | |
//! | anything but `isPresent` of an address of another directory | assert | fault |
//! | `allocate` of a present line, `deallocate` of an absent one | assert | fault |
//! | `lookup` of an absent line | null | null |
//! | **TimerTable** | | |
//! | `set` of a line that is set, `unset` of one that is not, either of no line | assert | fault |
//! | `nextAddress` with timers of which none has run out | the earliest | the earliest |
//! | `nextAddress` without timers | assert | fault |
//! | **PersistentTable** | | |
//! | `persistentRequestLock` twice, `persistentRequestUnlock` without it, either by a machine that does not exist | assert | fault |
//! | `findSmallest`, `typeOfSmallest` of a line nobody starves for | assert | fault |
//! | `markEntries` while there are marks | assert | fault |
//! | `markEntries` of a line nobody starves for | nothing | nothing |
//! | any address that is not a line's | assert | fault |
//! | **MessageBuffer** and its ports | | |
//! | `dequeue`, `recycle`, `stall_and_wait` before the head is ready | assert | fault |
//! | a peek into an empty buffer | undefined | fault |
//! | a peek at a head that is not ready | accepted | accepted |
//! | `enqueue` with latency 0 | panic | fault |
//! | `enqueue` in an ordered buffer before the last message | panic (unless this or the last message bypasses) | fault |
//! | the head of an ordered buffer delayed (`block_on`) so that it arrives before the last message | panic | fault |
//! | `enqueue` in a full buffer | assert | fault |
//! | `enqueueDeferredMessages` where nothing is deferred | assert | fault |
//! | `getSize` | the size at the first call in this tick | the same |
//! | `stall_and_wait` with no line's address | assert | fault |
//! | **WireBuffer** | | |
//! | a message with a shorter latency than one that is there | the heap is no longer one: the order is an accident | by tick of arrival |
//! | **Controller** | | |
//! | `stall_and_wait` from a port whose rank is not below the number of in_ports | assert | fault |
//! | `wakeUpBuffers` from a port whose rank is above that number, with something stalled on the line | reads behind an array | warning; the lower ranks are woken |
//! | any other use of such a port | accepted | accepted; `rubric protocol check` warns |
//! | a line woken in a buffer in which two ranks have stalled it | assert (`reanalyzeMessages`) | fault |
//! | `wakeUpBuffers` and so on of a line on which nothing is stalled | nothing | nothing |
//! | `unblock` of a line that is not blocked, `blockOnQueue` twice | accepted | accepted |
//! | `mapAddressToMachine` of an address that belongs to nobody | a machine that does not exist | the same |
//! | `profileMsgDelay` of a network that there is not | assert | accepted |
//! | **Sequencer** | | |
//! | a callback for a line without a request, or of the wrong kind | assert | fault |
//! | `evictionCallback`, `invalidateSC`, `llscCheckMonitor` of an absent line | accepted | accepted |
//! | **DataBlock**, **WriteMask** | | |
//! | `setMask`, `getMask`, `test` out of range | assert | fault |
//! | `firstBitSet`, `count` from behind the end | the size, 0 | the same |
//! | `copyPartial` out of range | writes behind the block | fault |
//!
//! There are no bloom filters: no file of SLICC's library declares any in this version of gem5. Prefetchers are off, and
//! their methods do nothing.

macro_rules! builtins {
    ($($variant:ident = $($name:literal)|+;)*) => {
        /// A function of the library.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table gives their names in SLICC")]
        #[repr(u8)]
        pub enum Builtin { $($variant,)* }

        impl Builtin {
            /// The function of a name with so many arguments, such as `Set.add/1` or `mod/2`.
            pub fn find(name: &str) -> Option<Builtin> {
                match name {
                    $($($name)|+ => Some(Builtin::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

builtins! {
    MaskClear = "WriteMask.clear/0";
    MaskSet = "WriteMask.setMask/2";
    MaskSetTo = "WriteMask.setMask/3";
    MaskFill = "WriteMask.fillMask/0";
    MaskGet = "WriteMask.getMask/2";
    MaskTest = "WriteMask.test/1";
    MaskCompare = "WriteMask.cmpMask/1";
    MaskIsEmpty = "WriteMask.isEmpty/0";
    MaskIsFull = "WriteMask.isFull/0";
    MaskOverlaps = "WriteMask.isOverlap/1";
    MaskContains = "WriteMask.containsMask/1";
    MaskAnd = "WriteMask.andMask/1";
    MaskOr = "WriteMask.orMask/1";
    MaskInvert = "WriteMask.setInvertedMask/1";
    MaskFirst = "WriteMask.firstBitSet/1";
    MaskFirstFrom = "WriteMask.firstBitSet/2";
    MaskCount = "WriteMask.count/0";
    MaskCountFrom = "WriteMask.count/1";

    BlockClear = "DataBlock.clear/0";
    BlockCopyRange = "DataBlock.copyPartial/3";
    BlockCopyMasked = "DataBlock.copyPartial/2";
    // All of the block; the operations of the mask, which come after, are none for requests of CPUs.
    BlockCopy = "DataBlock.atomicPartial/2" | "DataBlock.atomicPartial/3";

    SetSize = "Set.setSize/1";
    SetAdd = "Set.add/1";
    SetAddSet = "Set.addSet/1";
    SetRemove = "Set.remove/1";
    SetRemoveSet = "Set.removeSet/1";
    SetBroadcast = "Set.broadcast/0";
    SetClear = "Set.clear/0";
    SetCount = "Set.count/0";
    SetHas = "Set.isElement/1";
    SetEqual = "Set.isEqual/1";
    SetSuperset = "Set.isSuperset/1";
    SetIsEmpty = "Set.isEmpty/0";
    SetDisjoint = "Set.intersectionIsEmpty/1";
    SetSmallest = "Set.smallestElement/0";

    DestAdd = "NetDest.add/1";
    DestAddAll = "NetDest.addNetDest/1";
    DestAssign = "NetDest.setNetDest/2";
    DestRemove = "NetDest.remove/1";
    DestRemoveAll = "NetDest.removeNetDest/1";
    DestBroadcast = "NetDest.broadcast/0";
    DestBroadcastType = "NetDest.broadcast/1";
    DestClear = "NetDest.clear/0";
    DestCount = "NetDest.count/0";
    DestHas = "NetDest.isElement/1";
    DestSuperset = "NetDest.isSuperset/1";
    DestEqual = "NetDest.isEqual/1";
    DestIsEmpty = "NetDest.isEmpty/0";
    DestDisjoint = "NetDest.intersectionIsEmpty/1";
    DestSmallest = "NetDest.smallestElement/0";
    DestSmallestType = "NetDest.smallestElement/1";
    DestOr = "NetDest.OR/1";
    DestAnd = "NetDest.AND/1";

    OutDeferred = "OutPort.enqueueDeferredMessages/3" | "MessageBuffer.enqueueDeferredMessages/3";
    OutDeferredEmpty = "OutPort.isDeferredMsgMapEmpty/1" | "MessageBuffer.isDeferredMsgMapEmpty/1";
    BufferSlots = "OutPort.areNSlotsAvailable/2" | "MessageBuffer.areNSlotsAvailable/2";
    BufferSize = "OutPort.getSize/1" | "InPort.getSize/1" | "MessageBuffer.getSize/1";
    InReady = "InPort.isReady/1" | "MessageBuffer.isReady/1";
    InDequeue = "InPort.dequeue/1" | "MessageBuffer.dequeue/1";
    InRecycle = "InPort.recycle/2" | "MessageBuffer.recycle/2";
    InEmpty = "InPort.isEmpty/0" | "MessageBuffer.isEmpty/0";
    InNoStalls = "InPort.isStallMapEmpty/0" | "MessageBuffer.isStallMapEmpty/0";
    InStalls = "InPort.getStallMapSize/0" | "MessageBuffer.getStallMapSize/0";
    InHasStalled = "InPort.hasStalledMsg/1" | "MessageBuffer.hasStalledMsg/1";

    ChangePermission = "AbstractCacheEntry.changePermission/1";

    CacheAvailable = "CacheMemory.cacheAvail/1";
    CacheProbe = "CacheMemory.cacheProbe/1";
    CacheNull = "CacheMemory.getNullEntry/0" | "TBETable.getNullEntry/0";
    CacheAllocate = "CacheMemory.allocate/2" | "CacheMemory.allocate/3" | "CacheMemory.allocateVoid/2";
    CacheDeallocate = "CacheMemory.deallocate/1";
    CacheLookup = "CacheMemory.lookup/1";
    CachePresent = "CacheMemory.isTagPresent/1";
    CacheTagLatency = "CacheMemory.getTagLatency/0";
    CacheDataLatency = "CacheMemory.getDataLatency/0";
    CacheTouch = "CacheMemory.setMRU/1" | "CacheMemory.setMRU/2";
    CacheTouchEntry = "CacheMemory.setMRU(entry)/1";
    CacheRecord = "CacheMemory.recordRequestType/2";
    CacheCheck = "CacheMemory.checkResourceAvailable/2";
    CacheSize = "CacheMemory.getCacheSize/0";
    CacheBlocks = "CacheMemory.getNumBlocks/0";
    CacheAddressAt = "CacheMemory.getAddressAtIdx/1";

    DirectoryAllocate = "DirectoryMemory.allocate/2";
    DirectoryLookup = "DirectoryMemory.lookup/1";
    DirectoryDeallocate = "DirectoryMemory.deallocate/1" | "DirectoryMemory.invalidateBlock/1";
    DirectoryPresent = "DirectoryMemory.isPresent/1";

    ReadDone = "Sequencer.readCallback/2" | "Sequencer.readCallback/3" | "Sequencer.readCallback/4"
        | "Sequencer.readCallback/7";
    WriteDone = "Sequencer.writeCallback/2" | "Sequencer.writeCallback/3" | "Sequencer.writeCallback/4"
        | "Sequencer.writeCallback/7";
    WriteUniqueDone = "Sequencer.writeUniqueCallback/2";
    AtomicDone = "Sequencer.atomicCallback/2" | "Sequencer.atomicCallback/3" | "Sequencer.atomicCallback/4";
    ConditionalFailed = "Sequencer.writeCallbackScFail/2";
    MonitorCheck = "Sequencer.llscCheckMonitor/1";
    MonitorClear = "Sequencer.llscClearLocalMonitor/0";
    MonitorClearLine = "Sequencer.invalidateSC/1";
    Evicted = "Sequencer.evictionCallback/1";
    SequencerCheck = "Sequencer.checkResourceAvailable/2";

    TimerReady = "TimerTable.isReady/1";
    TimerNext = "TimerTable.nextAddress/0";
    TimerSet = "TimerTable.set/2";
    TimerUnset = "TimerTable.unset/1";
    TimerIsSet = "TimerTable.isSet/1";

    PersistentLock = "PersistentTable.persistentRequestLock/3";
    PersistentUnlock = "PersistentTable.persistentRequestUnlock/2";
    PersistentMayIssue = "PersistentTable.okToIssueStarving/2";
    PersistentSmallest = "PersistentTable.findSmallest/1";
    PersistentTypeOfSmallest = "PersistentTable.typeOfSmallest/1";
    PersistentMark = "PersistentTable.markEntries/1";
    PersistentLocked = "PersistentTable.isLocked/1";
    PersistentStarving = "PersistentTable.countStarvingForAddress/1";
    PersistentReadStarving = "PersistentTable.countReadStarvingForAddress/1";

    TableLookup = "TBETable.lookup/1";
    TableAllocate = "TBETable.allocate/1";
    TableDeallocate = "TBETable.deallocate/1";
    TablePresent = "TBETable.isPresent/1";
    TableSlots = "TBETable.areNSlotsAvailable/2";

    // A table that makes what is missing when it is looked up.
    PerfectLookup = "PerfectCacheMemory.lookup/1";
    PerfectAllocate = "PerfectCacheMemory.allocate/1";
    PerfectDeallocate = "PerfectCacheMemory.deallocate/1";
    PerfectPresent = "PerfectCacheMemory.isTagPresent/1";

    // What only counts or profiles.
    Nothing = "CacheMemory.profileDemandHit/0" | "CacheMemory.profileDemandMiss/0"
        | "CacheMemory.profilePrefetchHit/0" | "CacheMemory.profilePrefetchMiss/0"
        | "Sequencer.checkCoherence/1"
        | "Prefetcher.observeMiss/2" | "Prefetcher.observePfHit/1" | "Prefetcher.observePfMiss/1"
        | "DirectoryMemory.recordRequestType/1" | "Sequencer.recordRequestType/1" | "DMASequencer.recordRequestType/1"
        | "RubyPrefetcher.observeMiss/2" | "RubyPrefetcher.observePfHit/1" | "RubyPrefetcher.observePfMiss/1"
        | "profileMsgDelay/2";

    Zero = "zero_time/0";
    Same = "intToID/1" | "IDToInt/1" | "addressToInt/1" | "intToAddress/1" | "cyclesToTicks/1" | "ticksToCycles/1"
        | "intToCycles/1" | "intToTick/1";
    MaxTokens = "max_tokens/0";
    LineAddress = "makeLineAddress/1";
    LineOffset = "getOffset/1";
    AddressOffset = "addressOffset/2";
    Modulo = "mod/2";
    BitSelect = "bitSelect/3";
    MaskLowBits = "maskLowOrderBits/2";
    NextStride = "makeNextStrideAddress/2";
    Now = "clockEdge/0" | "curCycle/0" | "curTick/0";
    Later = "clockEdge/1";

    MapToMachine = "mapAddressToMachine/2";
    MapToRange = "mapAddressToRange/4";
    MapToCluster = "mapAddressToRange/5";
    MachineCount = "machineCount/1";
    BroadcastTo = "broadcast/1";
    MachineNumber = "machineIDToNodeID/1" | "machineIDToVersion/1";
    MachineKind = "machineIDToMachineType/1";
    MachineMake = "createMachineID/2";

    IsWrite = "isWriteRequest/1";
    IsDataRead = "isDataReadRequest/1";
    IsRead = "isReadRequest/1";
    IsHtm = "isHtmCmdRequest/1";
    IsTlbi = "isTlbiCmdRequest/1";

    // Functional accesses, which nothing in a simulation makes.
    Functional = "testAndRead/3" | "testAndReadMask/4" | "testAndWrite/3" | "functionalMemoryRead/1"
        | "functionalMemoryWrite/1";

    SetEntry = "set_cache_entry/1";
    UnsetEntry = "unset_cache_entry/0";
    SetTbe = "set_tbe/1";
    UnsetTbe = "unset_tbe/0";
    StallPort = "stallPort/0";
    WakeLine = "wakeUpBuffers/1";
    WakeAll = "wakeUpAllBuffers/0";
    WakeAllOfLine = "wakeUpAllBuffers/1";
    PopMemory = "dequeueMemRespQueue/0";
    BlockOnQueue = "blockOnQueue/2";
    Unblock = "unblock/1";
    DmaAck = "DMASequencer.ackCallback/1";
    DmaData = "DMASequencer.dataCallback/2";
}
