//! The functions of Ruby that a protocol may call: which there are.
//!
//! `prelude.sm` declares their types. Here each gets a number, by its name and the number of its arguments; the object of a method is
//! not counted. What they do, also where they are used wrongly, is the runtime's (`simulate::system::library`), and
//! [`mutant::equivalent`](crate::mutant::equivalent) knows what each reads and changes.
//!
//! There are no bloom filters: no file of SLICC's library declares any in this version of gem5. Prefetchers are off, and
//! their methods do nothing.

macro_rules! builtins {
    ($($variant:ident = $($name:literal)|+;)*) => {
        /// A function of the library.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table gives their names in SLICC")]
        #[repr(u8)]
        pub enum LibraryFunction { $($variant,)* }

        impl LibraryFunction {
            /// The function of a name with so many arguments, such as `Set.add/1` or `mod/2`.
            pub fn find(name: &str) -> Option<LibraryFunction> {
                match name {
                    $($($name)|+ => Some(LibraryFunction::$variant),)*
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
