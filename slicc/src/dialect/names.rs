//! Tables of the names and calls that gem5 has changed, with the month in which it changed each.

use super::Older;

/// A type that has another name today.
pub(super) struct TypeRow {
    /// Its name in older files.
    pub old: &'static str,
    /// Its name in gem5 v24.
    pub now: &'static str,
    /// When gem5 renamed it.
    pub older: Older,
}

const fn of(old: &'static str, now: &'static str, until: (u16, u8), what: &'static str) -> TypeRow {
    TypeRow { old, now, older: Older { until, what } }
}

/// The types that have other names today.
pub(super) const TYPES: &[TypeRow] = &[
    of("string", "std::string", (2010, 4), "`string` for std::string"),
    of("CacheMsg", "RubyRequest", (2011, 3), "`CacheMsg` for RubyRequest"),
    of("CacheRequestType", "RubyRequestType", (2011, 3), "`CacheRequestType` for RubyRequestType"),
    of("AccessModeType", "RubyAccessMode", (2011, 3), "`AccessModeType` for RubyAccessMode"),
    of("Time", "Cycles", (2013, 2), "`Time` for Cycles"),
    of("GenericMachineType", "MachineType", (2013, 6), "`GenericMachineType` for MachineType"),
    of("NetworkMessage", "Message", (2015, 7), "`NetworkMessage` for Message"),
    of("uint64", "uint64_t", (2015, 9), "`uint64` for uint64_t"),
    of("Address", "Addr", (2015, 8), "`Address` for Addr"),
    of("AbstractEntry", "AbstractCacheEntry", (2019, 6), "`AbstractEntry` for AbstractCacheEntry"),
];

/// A value of an enumeration that has another name today.
pub(super) struct ValueRow {
    pub of: &'static str,
    pub old: &'static str,
    pub now: &'static str,
    pub older: Older,
}

const PERMISSION: Older = Older { until: (2011, 2), what: "`AccessPermission:Stale`" };
const MODE: Older = Older { until: (2011, 3), what: "`SupervisorMode` and `UserMode`" };

/// The values that have other names today.
pub(super) const VALUES: &[ValueRow] = &[
    ValueRow { of: "AccessPermission", old: "Stale", now: "Maybe_Stale", older: PERMISSION },
    ValueRow { of: "AccessModeType", old: "SupervisorMode", now: "Supervisor", older: MODE },
    ValueRow { of: "AccessModeType", old: "UserMode", now: "User", older: MODE },
];

/// A field of one of the library's messages that has another name today.
pub(super) struct FieldRow {
    pub message: &'static str,
    pub old: &'static str,
    pub now: &'static str,
    pub older: Older,
}

/// The fields that have other names today.
pub(super) const FIELDS: &[FieldRow] = &[
    FieldRow {
        message: "RubyRequest",
        old: "Address",
        now: "LineAddress",
        older: Older { until: (2009, 7), what: "`CacheMsg.Address` for LineAddress" },
    },
    FieldRow {
        message: "MemoryMsg",
        old: "Address",
        now: "addr",
        older: Older { until: (2013, 6), what: "`MemoryMsg.Address` for addr" },
    },
    FieldRow {
        message: "MemoryMsg",
        old: "Addr",
        now: "addr",
        older: Older { until: (2015, 8), what: "`MemoryMsg.Addr` for addr" },
    },
];

/// The form that an older method call has today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Now {
    /// A call of this method with the present time as its last argument.
    WithTime(&'static str),
    /// `recycle` with the present time and the machine's latency.
    Recycle,
    /// The same method whose last argument is the tick at which something ends, instead of a number of cycles.
    Absolute,
    /// The same method with the line of the transition as its last argument.
    WithLine,
    /// The same method with these of its arguments. It applies if the second is a type of machine,
    /// which comes last today.
    Pick(&'static [usize]),
    /// The same method with a new entry as its last argument.
    WithEntry,
    /// No call: the method only counted, repeated to the cache what the entry says, or freed memory of the host.
    Nothing,
}

/// A method that is called differently today.
pub(super) struct MethodRow {
    pub class: &'static str,
    pub method: &'static str,
    pub arguments: usize,
    pub now: Now,
    pub older: Older,
}

const fn method(
    class: &'static str,
    method: &'static str,
    arguments: usize,
    now: Now,
    until: (u16, u8),
    what: &'static str,
) -> MethodRow {
    MethodRow { class, method, arguments, now, older: Older { until, what } }
}

const WITHOUT_TIME: &str = "methods of ports and timers without the time";
const MACHINE_SECOND: &str = "callbacks of the sequencer with the machine second";
const ONE_DMA: &str = "callbacks of the DMA sequencer without the address";
const KEPT: &str = "`invalidateBlock` of a directory, whose data stay";
const COUNTS: &str = "profiles of misses";

/// The methods that are called differently today.
pub(super) const METHODS: &[MethodRow] = &[
    method("InPort", "isReady", 0, Now::WithTime("isReady"), (2015, 9), WITHOUT_TIME),
    method("InPort", "dequeue", 0, Now::WithTime("dequeue"), (2015, 9), WITHOUT_TIME),
    method("InPort", "recycle", 0, Now::Recycle, (2015, 9), WITHOUT_TIME),
    method(
        "InPort",
        "dequeue_getDelayCycles",
        0,
        Now::WithTime("dequeue"),
        (2014, 5),
        "`dequeue_getDelayCycles`",
    ),
    method("TimerTable", "isReady", 0, Now::WithTime("isReady"), (2015, 9), WITHOUT_TIME),
    method("TimerTable", "set", 2, Now::Absolute, (2015, 9), "timers set to a number of cycles"),
    method("Sequencer", "readCallback", 3, Now::Pick(&[0, 2]), (2013, 6), MACHINE_SECOND),
    method("Sequencer", "readCallback", 6, Now::Pick(&[0, 2]), (2013, 6), MACHINE_SECOND),
    method("Sequencer", "writeCallback", 3, Now::Pick(&[0, 2]), (2013, 6), MACHINE_SECOND),
    method("Sequencer", "writeCallback", 6, Now::Pick(&[0, 2]), (2013, 6), MACHINE_SECOND),
    method("DMASequencer", "ackCallback", 0, Now::WithLine, (2016, 10), ONE_DMA),
    method("DMASequencer", "dataCallback", 1, Now::WithLine, (2016, 10), ONE_DMA),
    method("DirectoryMemory", "invalidateBlock", 1, Now::Nothing, (2014, 11), KEPT),
    method("CacheMemory", "allocate", 1, Now::WithEntry, (2010, 1), "caches that make entries"),
    method("CacheMemory", "profileMiss", 1, Now::Nothing, (2013, 5), COUNTS),
    method("CacheMemory", "profileGenericRequest", 3, Now::Nothing, (2013, 5), COUNTS),
    method(
        "CacheMemory",
        "changePermission",
        2,
        Now::Nothing,
        (2011, 2),
        "permissions that the protocol sets itself",
    ),
];

/// Methods of timers that only have another name today.
pub(super) const RENAMED_METHODS: &[(&str, &str, &str, Older)] = &[(
    "TimerTable",
    "readyAddress",
    "nextAddress",
    Older { until: (2015, 9), what: "`readyAddress` for nextAddress" },
)];

/// The name that a protocol has today.
pub(crate) fn protocol_today(name: &str) -> &str {
    match name {
        "MESI_CMP_directory" => "MESI_Two_Level",
        "Network_test" => "Garnet_standalone",
        name => name,
    }
}

/// The row of a type.
pub(super) fn type_row(name: &str) -> Option<&'static TypeRow> {
    TYPES.iter().find(|row| row.old == name)
}

/// The name that a type of older files has today, if that is another one.
pub(crate) fn type_today(name: &str) -> Option<&'static str> {
    type_row(name).map(|row| row.now)
}

/// Whether a field of a message is an older name of another one.
pub(crate) fn field_is_older(message: &str, field: &str) -> bool {
    FIELDS.iter().any(|row| row.message == message && row.old == field)
}
