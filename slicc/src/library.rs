//! The functions of Ruby's library that protocols may call.
//!
//! To add a function, add a row to its family in the table below: its name in this code, and its declaration in SLICC,
//! with `Class.` before the name of a method. Every protocol sees the declaration (`PRELUDE`). The compiler then names
//! what is missing, since all that deal with functions match on a family: `simulate::system::library`, which carries
//! them out, and `mutate::library`, which says what they read and change. An arm of a function that returns `int`
//! returns 32 bits. Calls with the same effect may share a row. A row `Class.method/arity` has no declaration, since
//! protocols declare the class themselves.
//!
//! Bloom filters are missing: SLICC's library declares none in this version of gem5.

pub(crate) mod merge;
pub(crate) mod stubs;
pub(crate) mod unused;

use std::collections::HashMap;
use std::sync::LazyLock;

macro_rules! library {
    ($($(#[$doc:meta])* $family:ident($functions:ident) {
        $($variant:ident = $($row:literal)|+;)*
    })*) => {
        /// A function of the library.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table gives their declarations in SLICC")]
        #[repr(u16)]
        pub enum LibraryFunction { $($($variant,)*)* }

        /// A function of the library by what it works on, for matches that have to know every function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Family { $($(#[$doc])* $family($functions),)* }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[expect(missing_docs, reason = "the table gives their declarations in SLICC")]
            pub enum $functions { $($variant,)* }
        )*

        impl LibraryFunction {
            /// The function in its family.
            pub fn family(self) -> Family {
                match self {
                    $($(LibraryFunction::$variant => Family::$family($functions::$variant),)*)*
                }
            }
        }

        const ROWS: &[(&str, LibraryFunction)] =
            &[$($($(($row, LibraryFunction::$variant),)+)*)*];
    };
}

/// The functions by name and number of arguments, such as `Set.add/1` or `mod/2`.
static BY_KEY: LazyLock<HashMap<String, LibraryFunction>> =
    LazyLock::new(|| ROWS.iter().map(|(row, function)| (key(row), *function)).collect());

/// Per function, the most words that the arguments of one of its rows take, the object of a method included.
static ARGUMENTS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let mut words = vec![0; ROWS.len()];
    for (row, function) in ROWS {
        let key = key(row);
        let (name, arity) = key.rsplit_once('/').unwrap_or((&key, "0"));
        let object = usize::from(name.contains('.'));
        let all = &mut words[*function as usize];
        *all = (arity.parse().unwrap_or(0) + object).max(*all);
    }
    words
});

impl LibraryFunction {
    /// The most words that the arguments of a call take, the object of a method included.
    pub fn argument_words(self) -> usize {
        ARGUMENTS[self as usize]
    }

    /// Finds a function by name and number of arguments: `mod/2`, `Set.add/1`. The object of a
    /// method does not count as an argument. A method whose first parameter is a cache entry is
    /// called like `setMRU(entry)`. Message buffers have the methods of ports.
    pub fn find(name: &str) -> Option<LibraryFunction> {
        let of_buffer = name.strip_prefix("MessageBuffer");
        let as_port = |port: &str| BY_KEY.get(&format!("{port}{}", of_buffer?));
        let own = BY_KEY.get(name);
        own.or_else(|| as_port("InPort")).or_else(|| as_port("OutPort")).copied()
    }

    /// The names of all functions and methods, such as `mod` and `Set.add`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|(row, _)| name_of(row))
    }
}

/// The name in a row: `Set.add` in `void Set.add(NodeID)` and in `Set.add/1`.
fn name_of(row: &str) -> &str {
    let start = row.find(' ').map_or(0, |space| space + 1);
    let end = row.find(['(', '/']).unwrap_or(row.len());
    row.get(start..end).unwrap_or(row)
}

/// The key of a row: `Set.add/1` for `void Set.add(NodeID)`.
fn key(row: &str) -> String {
    let Some((_, parameters)) = row.split_once('(') else {
        return row.to_owned();
    };
    let name = name_of(row);
    let count = match parameters {
        ")" => 0,
        _ => parameters.matches(',').count() + 1,
    };
    let of_entry = name.contains('.') && parameters.starts_with("AbstractCacheEntry");
    format!("{name}{}/{count}", if of_entry { "(entry)" } else { "" })
}

/// The declarations that every protocol may use without declaring them, in SLICC: `prelude.sm`,
/// with the library's methods inserted into their structures, followed by the library's other
/// functions.
pub(crate) static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    let mut text = include_str!("prelude.sm").to_owned();
    for row in ROWS.iter().map(|(row, _)| row).filter(|row| row.contains('(')) {
        match name_of(row).split_once('.') {
            None => text.push_str(&format!("{row};\n")),
            Some((class, _)) => {
                let declaration = row.replacen(&format!("{class}."), "", 1);
                let start =
                    text.find(&format!("structure({class},")).expect("the prelude has the class");
                let end = start + text[start..].find("\n}").expect("the structure ends");
                text.insert_str(end, &format!("\n  {declaration};"));
            }
        }
    }
    text
});

library! {
    /// Methods of masks, blocks, vectors of flags and sets, whose objects are the addresses of their words.
    Value(ValueFunction) {
        MaskClear = "void WriteMask.clear()";
        MaskSet = "void WriteMask.setMask(int, int)";
        MaskSetTo = "void WriteMask.setMask(int, int, bool)";
        MaskFill = "void WriteMask.fillMask()";
        MaskGet = "bool WriteMask.getMask(int, int)";
        MaskTest = "bool WriteMask.test(int)";
        MaskCompare = "bool WriteMask.cmpMask(WriteMask)";
        MaskIsEmpty = "bool WriteMask.isEmpty()";
        MaskIsFull = "bool WriteMask.isFull()";
        MaskOverlaps = "bool WriteMask.isOverlap(WriteMask)";
        MaskContains = "bool WriteMask.containsMask(WriteMask)";
        MaskAnd = "void WriteMask.andMask(WriteMask)";
        MaskOr = "void WriteMask.orMask(WriteMask)";
        MaskInvert = "void WriteMask.setInvertedMask(WriteMask)";
        MaskBlockSize = "int WriteMask.getBlockSize()";
        MaskBlockBits = "int WriteMask.getBlockSizeBits()";
        MaskFirst = "int WriteMask.firstBitSet(bool)";
        MaskFirstFrom = "int WriteMask.firstBitSet(bool, int)";
        MaskCount = "int WriteMask.count()";
        MaskCountFrom = "int WriteMask.count(int)";

        BlockClear = "void DataBlock.clear()";
        BlockCopyRange = "void DataBlock.copyPartial(DataBlock, int, int)";
        BlockCopyMasked = "void DataBlock.copyPartial(DataBlock, WriteMask)";
        // Copies the whole block, and applies the atomic operations of the mask to the copy.
        BlockAtomic = "void DataBlock.atomicPartial(DataBlock, WriteMask)"
            | "void DataBlock.atomicPartial(DataBlock, WriteMask, bool)";

        FlagsAt = "bool BoolVec.at(int)";
        // `vector.at(index) := flag`.
        FlagsPut = "BoolVec.at/2";
        FlagsSize = "int BoolVec.size()";
        FlagsResize = "void BoolVec.resize(int)";
        FlagsClear = "void BoolVec.clear()";
        FlagsCount = "int countBoolVec(BoolVec)";

        SetSize = "void Set.setSize(int)";
        SetAdd = "void Set.add(NodeID)";
        SetAddSet = "void Set.addSet(Set)";
        SetRemove = "void Set.remove(NodeID)";
        SetRemoveSet = "void Set.removeSet(Set)";
        SetBroadcast = "void Set.broadcast()";
        SetClear = "void Set.clear()";
        SetCount = "int Set.count()";
        SetHas = "bool Set.isElement(NodeID)";
        SetEqual = "bool Set.isEqual(Set)";
        SetSuperset = "bool Set.isSuperset(Set)";
        SetIsEmpty = "bool Set.isEmpty()";
        SetDisjoint = "bool Set.intersectionIsEmpty(Set)";
        SetSmallest = "NodeID Set.smallestElement()";

        DestAdd = "void NetDest.add(MachineID)";
        DestAddAll = "void NetDest.addNetDest(NetDest)";
        DestAssign = "void NetDest.setNetDest(MachineType, Set)";
        DestRemove = "void NetDest.remove(MachineID)";
        DestRemoveAll = "void NetDest.removeNetDest(NetDest)";
        DestBroadcast = "void NetDest.broadcast()";
        DestBroadcastType = "void NetDest.broadcast(MachineType)";
        DestClear = "void NetDest.clear()";
        DestCount = "int NetDest.count()";
        DestHas = "bool NetDest.isElement(MachineID)";
        DestSuperset = "bool NetDest.isSuperset(NetDest)";
        DestEqual = "bool NetDest.isEqual(NetDest)";
        DestIsEmpty = "bool NetDest.isEmpty()";
        DestDisjoint = "bool NetDest.intersectionIsEmpty(NetDest)";
        DestSmallest = "MachineID NetDest.smallestElement()";
        DestSmallestType = "MachineID NetDest.smallestElement(MachineType)";
        DestOr = "NetDest NetDest.OR(NetDest)";
        DestAnd = "NetDest NetDest.AND(NetDest)";

        BroadcastTo = "NetDest broadcast(MachineType)";
    }

    /// Methods of message buffers and their ports.
    Buffer(BufferFunction) {
        OutDeferred = "void OutPort.enqueueDeferredMessages(Addr, Tick, Tick)";
        OutDeferredEmpty = "bool OutPort.isDeferredMsgMapEmpty(Addr)";
        BufferSlots = "bool OutPort.areNSlotsAvailable(int, Tick)";
        BufferSize = "int OutPort.getSize(Tick)" | "int InPort.getSize(Tick)";
        InReady = "bool InPort.isReady(Tick)";
        InDequeue = "Tick InPort.dequeue(Tick)";
        InRecycle = "void InPort.recycle(Tick, Tick)";
        InEmpty = "bool InPort.isEmpty()";
        InNoStalls = "bool InPort.isStallMapEmpty()";
        InStalls = "int InPort.getStallMapSize()";
        InHasStalled = "bool InPort.hasStalledMsg(Addr)";
    }

    /// Methods of caches, directories and tables of TBEs.
    Line(LineFunction) {
        ChangePermission = "void AbstractCacheEntry.changePermission(AccessPermission)";

        CacheAvailable = "bool CacheMemory.cacheAvail(Addr)";
        CacheProbe = "Addr CacheMemory.cacheProbe(Addr)";
        CacheNull = "AbstractCacheEntry CacheMemory.getNullEntry()" | "TBETable.getNullEntry/0";
        CacheAllocate = "AbstractCacheEntry CacheMemory.allocate(Addr, AbstractCacheEntry)"
            | "AbstractCacheEntry CacheMemory.allocate(Addr, AbstractCacheEntry, bool)"
            | "void CacheMemory.allocateVoid(Addr, AbstractCacheEntry)";
        CacheDeallocate = "void CacheMemory.deallocate(Addr)";
        CacheLookup = "AbstractCacheEntry CacheMemory.lookup(Addr)";
        CachePresent = "bool CacheMemory.isTagPresent(Addr)";
        CacheTagLatency = "Cycles CacheMemory.getTagLatency()";
        CacheDataLatency = "Cycles CacheMemory.getDataLatency()";
        CacheTouch = "void CacheMemory.setMRU(Addr)" | "void CacheMemory.setMRU(Addr, int)";
        CacheTouchEntry = "void CacheMemory.setMRU(AbstractCacheEntry)";
        CacheRecord = "void CacheMemory.recordRequestType(CacheRequestType, Addr)";
        CacheCheck = "bool CacheMemory.checkResourceAvailable(CacheResourceType, Addr)";
        CacheSize = "int CacheMemory.getCacheSize()";
        CacheBlocks = "int CacheMemory.getNumBlocks()";
        CacheAddressAt = "Addr CacheMemory.getAddressAtIdx(int)";

        DirectoryAllocate = "AbstractCacheEntry DirectoryMemory.allocate(Addr, AbstractCacheEntry)";
        DirectoryLookup = "AbstractCacheEntry DirectoryMemory.lookup(Addr)";
        DirectoryDeallocate = "void DirectoryMemory.deallocate(Addr)" | "void DirectoryMemory.invalidateBlock(Addr)";
        DirectoryPresent = "bool DirectoryMemory.isPresent(Addr)";

        TableLookup = "TBETable.lookup/1" | "MN_TBETable.lookup/1";
        TableAllocate = "TBETable.allocate/1" | "MN_TBETable.allocate/1";
        TableDeallocate = "TBETable.deallocate/1" | "MN_TBETable.deallocate/1";
        TablePresent = "TBETable.isPresent/1" | "MN_TBETable.isPresent/1";
        TableSlots = "TBETable.areNSlotsAvailable/2";
        TableDistributor = "MN_TBETable.chooseNewDistributor/0";

        // A table whose lookup creates missing entries.
        PerfectLookup = "PerfectCacheMemory.lookup/1";
        PerfectAllocate = "PerfectCacheMemory.allocate/1";
        PerfectDeallocate = "PerfectCacheMemory.deallocate/1";
        PerfectPresent = "PerfectCacheMemory.isTagPresent/1";
    }

    /// Methods of sequencers by which requests of cores complete.
    Callback(CallbackFunction) {
        ReadDone = "void Sequencer.readCallback(Addr, DataBlock)"
            | "void Sequencer.readCallback(Addr, DataBlock, bool)"
            | "void Sequencer.readCallback(Addr, DataBlock, bool, MachineType)"
            | "void Sequencer.readCallback(Addr, DataBlock, bool, MachineType, Cycles, Cycles, Cycles)";
        WriteDone = "void Sequencer.writeCallback(Addr, DataBlock)"
            | "void Sequencer.writeCallback(Addr, DataBlock, bool)"
            | "void Sequencer.writeCallback(Addr, DataBlock, bool, MachineType)"
            | "void Sequencer.writeCallback(Addr, DataBlock, bool, MachineType, Cycles, Cycles, Cycles)";
        WriteUniqueDone = "void Sequencer.writeUniqueCallback(Addr, DataBlock)";
        AtomicDone = "void Sequencer.atomicCallback(Addr, DataBlock)"
            | "void Sequencer.atomicCallback(Addr, DataBlock, bool)"
            | "void Sequencer.atomicCallback(Addr, DataBlock, bool, MachineType)";
        ConditionalFailed = "void Sequencer.writeCallbackScFail(Addr, DataBlock)";
    }

    /// Other methods of the sequencers of cores and devices.
    Core(CoreFunction) {
        MonitorCheck = "bool Sequencer.llscCheckMonitor(Addr)";
        MonitorClear = "void Sequencer.llscClearLocalMonitor()";
        MonitorClearLine = "void Sequencer.invalidateSC(Addr)";
        Evicted = "void Sequencer.evictionCallback(Addr)";
        SequencerCheck = "bool Sequencer.checkResourceAvailable(CacheResourceType, Addr)";
        Unaddressed = "void Sequencer.unaddressedCallback(Addr, RubyRequestType)"
            | "void Sequencer.unaddressedCallback(Addr, RubyRequestType, MachineType)"
            | "void Sequencer.unaddressedCallback(Addr, RubyRequestType, MachineType, Cycles, Cycles, Cycles)";
        DmaAck = "void DMASequencer.ackCallback(Addr)";
        DmaData = "void DMASequencer.dataCallback(DataBlock, Addr)";
    }

    /// Methods of tables of timers.
    Timer(TimerFunction) {
        TimerReady = "bool TimerTable.isReady(Tick)";
        TimerNext = "Addr TimerTable.nextAddress()";
        TimerSet = "void TimerTable.set(Addr, Tick)";
        TimerUnset = "void TimerTable.unset(Addr)";
        TimerIsSet = "bool TimerTable.isSet(Addr)";
    }

    /// Methods of tables of persistent requests.
    Persistent(PersistentFunction) {
        PersistentLock = "void PersistentTable.persistentRequestLock(Addr, MachineID, AccessType)";
        PersistentUnlock = "void PersistentTable.persistentRequestUnlock(Addr, MachineID)";
        PersistentMayIssue = "bool PersistentTable.okToIssueStarving(Addr, MachineID)";
        PersistentSmallest = "MachineID PersistentTable.findSmallest(Addr)";
        PersistentTypeOfSmallest = "AccessType PersistentTable.typeOfSmallest(Addr)";
        PersistentMark = "void PersistentTable.markEntries(Addr)";
        PersistentLocked = "bool PersistentTable.isLocked(Addr)";
        PersistentStarving = "int PersistentTable.countStarvingForAddress(Addr)";
        PersistentReadStarving = "int PersistentTable.countReadStarvingForAddress(Addr)";
    }

    /// Methods of the storages and queues of CHI's transactions.
    Tracker(TrackerFunction) {
        // The slots of TBE tables, which transactions reserve, take and share.
        SlotsUsed = "TBEStorage.size/0";
        SlotsCapacity = "TBEStorage.capacity/0";
        SlotsReserved = "TBEStorage.reserved/0";
        SlotsFree = "TBEStorage.slotsAvailable/0";
        SlotsAvailable = "TBEStorage.areNSlotsAvailable/1" | "TBEStorage.areNSlotsAvailable/2";
        SlotsReserve = "TBEStorage.incrementReserved/0";
        SlotsUnreserve = "TBEStorage.decrementReserved/0";
        SlotsTake = "TBEStorage.addEntryToNewSlot/0";
        SlotsShare = "TBEStorage.addEntryToSlot/1";
        SlotsGiveBack = "TBEStorage.removeEntryFromSlot/1";

        // Queues of events that a transaction triggers, each of which may be marked as non-blocking.
        QueuePush = "TriggerQueue.push/1";
        QueuePushMarked = "TriggerQueue.pushNB/1";
        QueuePushFront = "TriggerQueue.pushFront/1";
        QueuePushFrontMarked = "TriggerQueue.pushFrontNB/1";
        QueueFront = "TriggerQueue.front/0" | "TriggerQueue.next/0";
        QueueBack = "TriggerQueue.back/0";
        QueueFrontMarked = "TriggerQueue.frontNB/0";
        QueueBackMarked = "TriggerQueue.backNB/0";
        QueuePop = "TriggerQueue.pop/0";
        QueueEmpty = "TriggerQueue.empty/0" | "RecordQueue.empty/0";

        // A TriggerQueue of structures; `emplace` takes their fields.
        RecordEmplace = "RecordQueue.emplace/1" | "RecordQueue.emplace/2" | "RecordQueue.emplace/3"
            | "RecordQueue.emplace/4" | "RecordQueue.emplace/5";
        RecordPush = "RecordQueue.push/1";
        RecordFront = "RecordQueue.next/0" | "RecordQueue.front/0";
        RecordPop = "RecordQueue.pop/0";
    }

    /// Methods of storages with a partition that is reserved for some transactions, and a queue of retries.
    Partition(PartitionFunction) {
        PartsUsed = "MN_TBEStorage.size/0";
        PartsCapacity = "MN_TBEStorage.capacity/0";
        PartsReserved = "MN_TBEStorage.reserved/0";
        PartsFree = "MN_TBEStorage.slotsAvailable/1";
        PartsAvailable = "MN_TBEStorage.areNSlotsAvailable/2" | "MN_TBEStorage.areNSlotsAvailable/3";
        PartsReserve = "MN_TBEStorage.incrementReserved/1";
        PartsUnreserve = "MN_TBEStorage.decrementReserved/1";
        PartsTake = "MN_TBEStorage.addEntryToNewSlot/1";
        PartsGiveBack = "MN_TBEStorage.removeEntryFromSlot/2";
        PartsAddRetry = "MN_TBEStorage.emplaceRetryEntry/1";
        PartsMayRetry = "MN_TBEStorage.hasPossibleRetry/0";
        PartsNextRetry = "MN_TBEStorage.popNextRetryEntry/0";
    }

    /// Methods of the responses and data messages that a transaction waits for.
    Expected(ExpectedFunction) {
        ExpectClear = "ExpectedMap.clear/1";
        ExpectResponse = "ExpectedMap.addExpectedRespType/1";
        ExpectData = "ExpectedMap.addExpectedDataType/1";
        ExpectSetCount = "ExpectedMap.setExpectedCount/1";
        ExpectAddCount = "ExpectedMap.addExpectedCount/1";
        ExpectAny = "ExpectedMap.hasExpected/0";
        ExpectLeft = "ExpectedMap.expected/0";
        ExpectReceived = "ExpectedMap.received/0";
        ExpectHasResponse = "ExpectedMap.hasReceivedResp/0";
        ExpectHasData = "ExpectedMap.hasReceivedData/0";
        ExpectTakeResponse = "ExpectedMap.receiveResp/1";
        ExpectTakeData = "ExpectedMap.receiveData/1";
        ExpectTookResponse = "ExpectedMap.receivedRespType/1";
        ExpectTookData = "ExpectedMap.receivedDataType/1";
    }

    /// Methods of the objects that a description of what the runtime lacks calls sets, maps and counters.
    Described(DescribedFunction) {
        DescribedSetAdd = "DescribedSet.add/1";
        DescribedSetRemove = "DescribedSet.remove/1";
        DescribedSetContains = "DescribedSet.contains/1";
        DescribedSetSize = "DescribedSet.size/0" | "DescribedMap.size/0";
        DescribedSetIsEmpty = "DescribedSet.isEmpty/0" | "DescribedMap.isEmpty/0";
        DescribedSetClear = "DescribedSet.clear/0";
        DescribedMapSet = "DescribedMap.set/2";
        DescribedMapGet = "DescribedMap.get/1";
        DescribedMapRemove = "DescribedMap.remove/1";
        DescribedMapContains = "DescribedMap.contains/1";
        DescribedMapClear = "DescribedMap.clear/0";
        DescribedIncrement = "DescribedCounter.increment/0";
        DescribedDecrement = "DescribedCounter.decrement/0";
        DescribedAdd = "DescribedCounter.add/1";
        DescribedAssign = "DescribedCounter.set/1";
        DescribedNumber = "DescribedCounter.get/0";
        DescribedReset = "DescribedCounter.clear/0";
    }

    /// Methods of prefetchers.
    Prefetcher(PrefetcherFunction) {
        PrefetcherMiss = "void RubyPrefetcher.observeMiss(Addr, RubyRequestType)"
            | "void Prefetcher.observeMiss(Addr, RubyRequestType)";
        PrefetcherUse = "void RubyPrefetcher.observePfHit(Addr)"
            | "void RubyPrefetcher.observePfMiss(Addr)"
            | "void Prefetcher.observePfHit(Addr)"
            | "void Prefetcher.observePfMiss(Addr)";
        ProxyMiss = "void RubyPrefetcherProxy.notifyPfMiss(RequestPtr, bool, DataBlock)";
        ProxyComplete = "void RubyPrefetcherProxy.completePrefetch(Addr)";
    }

    /// Functions of numbers, addresses, machines and types of requests, whose results depend on their arguments, the configuration and the
    /// time alone.
    Calculation(CalculationFunction) {
        // Functions that only count or profile.
        Nothing = "void CacheMemory.profileDemandHit()" | "void CacheMemory.profileDemandMiss()"
            | "void CacheMemory.profilePrefetchHit()" | "void CacheMemory.profilePrefetchMiss()"
            | "void Sequencer.checkCoherence(Addr)"

            | "void DirectoryMemory.recordRequestType(DirectoryRequestType)"
            | "void Sequencer.recordRequestType(SequencerRequestType)"
            | "void DMASequencer.recordRequestType(CacheRequestType)"

            | "void profileMsgDelay(int, Cycles)"

            | "void RubyPrefetcherProxy.notifyPfHit(RequestPtr, bool, DataBlock)"
            | "void RubyPrefetcherProxy.notifyPfFill(RequestPtr, DataBlock, bool)"
            | "void RubyPrefetcherProxy.notifyPfEvict(Addr, bool, RequestorID)"
            | "void RubyPrefetcherProxy.regProbePoints()"

            // All masks have the size of a block.
            | "void WriteMask.setBlockSize(int)"

            // The log of a GPU's atomic operations.
            | "void DataBlock.clearAtomicLogEntries()"

            | "incomingTransactionStart/4" | "incomingTransactionStart/5"
            | "incomingTransactionEnd/2" | "incomingTransactionEnd/3"
            | "outgoingTransactionStart/2" | "outgoingTransactionStart/3"
            | "outgoingTransactionEnd/2" | "outgoingTransactionEnd/3";

        // Requests have no packets behind them here.
        Zero = "Cycles zero_time()"
            | "RequestPtr RubyRequest.getRequestPtr()"
            | "RequestorID getRequestorID(RequestPtr)"
            | "bool AbstractCacheEntry.getInHtmReadSet()"
            | "bool AbstractCacheEntry.getInHtmWriteSet()";

        // These return the values of node numbers and addresses, on which explorations with symmetries must not depend.
        NumberOfNode = "int IDToInt(NodeID)";
        NodeOfNumber = "NodeID intToID(int)";
        NumberOfAddress = "int addressToInt(Addr)";
        AddressOfNumber = "Addr intToAddress(int)";
        Identity = "Tick cyclesToTicks(Cycles)"
            | "Cycles ticksToCycles(Tick)"
            | "Cycles intToCycles(int)" | "Tick intToTick(int)";
        MaxTokens = "int max_tokens()";
        LineAddress = "Addr makeLineAddress(Addr)";
        LineOffset = "int getOffset(Addr)";
        LineAddressOfBits = "Addr makeLineAddress(Addr, int)";
        AddressOffset = "int addressOffset(Addr, Addr)";
        Modulo = "int mod(int, int)";
        BitSelect = "Addr bitSelect(Addr, int, int)";
        MaskLowBits = "Addr maskLowOrderBits(Addr, int)";
        NextStride = "Addr makeNextStrideAddress(Addr, int)";
        Now = "Tick clockEdge()" | "Cycles curCycle()" | "Tick curTick()";
        Later = "Tick clockEdge(Cycles)";
        MapToMachine = "MachineID mapAddressToMachine(Addr, MachineType)";
        MapToRange = "MachineID mapAddressToRange(Addr, MachineType, int, int)";
        MapToCluster = "MachineID mapAddressToRange(Addr, MachineType, int, int, NodeID)";
        MachineCount = "int machineCount(MachineType)";
        MachineNumber = "NodeID machineIDToNodeID(MachineID)" | "NodeID machineIDToVersion(MachineID)";
        MachineKind = "MachineType machineIDToMachineType(MachineID)";
        MachineMake = "MachineID createMachineID(MachineType, NodeID)";
        IsWrite = "bool isWriteRequest(RubyRequestType)";
        IsDataRead = "bool isDataReadRequest(RubyRequestType)";
        IsRead = "bool isReadRequest(RubyRequestType)";
        IsHtm = "bool isHtmCmdRequest(RubyRequestType)";
        IsTlbi = "bool isTlbiCmdRequest(RubyRequestType)";
    }

    /// Functions that ask which controllers the current one is connected to.
    Topology(TopologyFunction) {
        MapDownstream = "MachineID mapAddressToDownstreamMachine(Addr)";
        MapDownstreamType = "MachineID mapAddressToDownstreamMachine(Addr, MachineType)";
        AllUpstream = "NetDest allUpstreamDest()";
        AllDownstream = "NetDest allDownstreamDest()";
        RespondsTo = "bool respondsTo(Addr)";
    }

    /// Functional accesses. The runtime knows the packet, so the argument is ignored.
    Functional(FunctionalFunction) {
        TestAndRead = "bool testAndRead(Addr, DataBlock, Packet*)";
        TestAndReadMask = "bool testAndReadMask(Addr, DataBlock, WriteMask, Packet*)";
        TestAndWrite = "bool testAndWrite(Addr, DataBlock, Packet*)";
        FunctionalMemoryRead = "void functionalMemoryRead(Packet*)";
        FunctionalMemoryWrite = "bool functionalMemoryWrite(Packet*)";
    }

    /// Functions of the current controller and its running transition.
    Control(ControlFunction) {
        // The event and the states of the running transition, in the types of its own machine.
        CurrentEvent = "curTransitionEvent/0";
        CurrentNextState = "curTransitionNextState/0";
        ScheduleEvent = "void scheduleEvent(Cycles)";
        StallPort = "void stallPort()";
        WakeLine = "void wakeUpBuffers(Addr)";
        WakeAll = "void wakeUpAllBuffers()";
        WakeAllOfLine = "void wakeUpAllBuffers(Addr)";
        PopMemory = "void dequeueMemRespQueue()";
        BlockOnQueue = "void blockOnQueue(Addr, MessageBuffer)";
        Unblock = "void unblock(Addr)";
        IsBlocked = "bool isBlocked(Addr)";
    }

    /// Functions that set the implicit variables of a transition, for which the compiler makes instructions.
    Implicit(ImplicitFunction) {
        SetEntry = "void set_cache_entry(AbstractCacheEntry)";
        UnsetEntry = "void unset_cache_entry()";
        SetTbe = "set_tbe/1";
        UnsetTbe = "void unset_tbe()";
    }

    /// Functions that only a transaction or a GPU calls. They end a run with a fault, since no core here makes such requests.
    Unsupported(UnsupportedFunction) {
        Transaction = "void AbstractCacheEntry.setInHtmReadSet(bool)"
            | "void AbstractCacheEntry.setInHtmWriteSet(bool)"
            | "void HTMSequencer.htmCallback(Addr, HtmCallbackMode, HtmFailedInCacheReason)"
            | "void CacheMemory.htmAbortTransaction()"
            | "void CacheMemory.htmCommitTransaction()";
        Gpu = "void Sequencer.invL1Callback()"
            | "void Sequencer.invL1()"
            | "VIPERCoalescer.readCallback/2" | "VIPERCoalescer.readCallback/3" | "VIPERCoalescer.readCallback/4"
            | "VIPERCoalescer.readCallback/6" | "VIPERCoalescer.readCallback/7"
            | "VIPERCoalescer.writeCallback/2" | "VIPERCoalescer.writeCallback/3"
            | "VIPERCoalescer.writeCallback/6" | "VIPERCoalescer.writeCallback/7"
            | "VIPERCoalescer.atomicCallback/3"
            | "VIPERCoalescer.invTCPCallback/1" | "VIPERCoalescer.invTCCCallback/1"
            | "VIPERCoalescer.invCallback/1" | "VIPERCoalescer.wbCallback/1"
            | "VIPERCoalescer.writeCompleteCallback/2" | "VIPERCoalescer.evictionCallback/1"
            | "VIPERCoalescer.checkCoherence/1"
            | "GPUCoalescer.readCallback/2" | "GPUCoalescer.readCallback/3"
            | "GPUCoalescer.readCallback/6" | "GPUCoalescer.readCallback/7"
            | "GPUCoalescer.writeCallback/2" | "GPUCoalescer.writeCallback/3"
            | "GPUCoalescer.writeCallback/6" | "GPUCoalescer.writeCallback/7"
            | "GPUCoalescer.evictionCallback/1" | "GPUCoalescer.checkCoherence/1"
            | "GPUCoalescer.recordCPReadCallBack/2" | "GPUCoalescer.recordCPWriteCallBack/2";
    }
}
