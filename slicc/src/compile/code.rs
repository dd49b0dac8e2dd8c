//! A compiled protocol: its machines with their transitions, ports and members, and the code of all, which are instructions ([`Op`])
//! of a register machine.

use std::sync::Arc;

use super::op::Op;
use super::types::{TypeId, Types};
use crate::source::Span;

/// A piece of compiled code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Function {
    /// Index of the first instruction.
    pub start: u32,
    /// Number of registers.
    pub frame: u32,
}

/// A kind of object with a limited number of slots, for messages or TBEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A buffer, whose number is in the control word.
    Buffer,
    /// A table of TBEs, whose number is in the control word.
    Table,
    /// A `TBEStorage`, which begins at the control word.
    Storage,
}

/// Room that a transition needs before it may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The control word of the buffer, table or storage.
    pub object: u16,
    /// The kind of the object.
    pub room: Room,
    /// Number of free slots needed.
    pub slots: u32,
}

/// An entry of the transition table.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state in which it starts.
    pub state: u16,
    /// The event that it handles.
    pub event: u16,
    /// The next state; `None` if `getNextState` computes it.
    pub next: Option<u16>,
    /// Whether `z_stall` is among the actions.
    pub stalls: bool,
    /// The room that it needs before it starts.
    pub needs: Vec<Need>,
    /// The code, which ends with [`Op::End`].
    pub code: Function,
    /// The indices of the instructions at which its actions begin, then the one at which the last
    /// action ends; empty if it stalls.
    pub actions: Arc<[u32]>,
    /// The place of the declaration.
    pub span: Span,
}

/// A port that a machine reads.
#[derive(Clone, Debug)]
pub struct InPort {
    /// The name of the port.
    pub name: Box<str>,
    /// The control word with its buffer.
    pub buffer: u16,
    /// The types of messages that its body expects in its buffer. The declared type decides nothing, as in gem5.
    pub peeked: Box<[TypeId]>,
    /// Priority when set-aside messages are woken (`docs/slicc.md`, "Stalling, waking and
    /// blocking").
    pub rank: u32,
    /// Whether it reads a table of timers rather than a buffer.
    pub timers: bool,
    /// Whether the body does nothing unless the buffer is ready.
    pub guarded: bool,
    /// The control word of a parameter that enables the body, such as one that switches a prefetcher on. If the parameter
    /// is false, the body does nothing. No code changes the parameter.
    pub enabled_by: Option<u16>,
    /// The code, which ends with [`Op::PortEnd`].
    pub code: Function,
}

impl InPort {
    /// Whether the port handles a message of this type at the head of its buffer. The first peek at another type rejects it.
    pub fn takes(&self, message: TypeId) -> bool {
        self.peeked.first().is_none_or(|first| *first == message)
    }
}

/// A parameter or variable of a machine.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the member.
    pub name: Box<str>,
    /// The type of the member.
    pub of: TypeId,
    /// Offset of its control word.
    pub offset: u16,
    /// For a table of TBEs, the type of the entries.
    pub element: Option<TypeId>,
    /// The arguments of the constructor, in C++, if the declaration has them.
    pub constructor: Option<Box<str>>,
    /// The initial value, in C++, if it depends on parameters.
    pub default: Option<Box<str>>,
    /// The place of the declaration.
    pub span: Span,
}

/// The functions of a machine for functional accesses; `None` where it defines none.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineAccess {
    /// `getAccessPermission(Addr)`
    pub permission: Option<Function>,
    /// `functionalRead(Addr, Packet*)`
    pub read: Option<Function>,
    /// `functionalRead(Addr, Packet*, WriteMask&)`
    pub read_masked: Option<Function>,
    /// `functionalWrite(Addr, Packet*)`
    pub write: Option<Function>,
    /// `functionalReadPriority()`
    pub priority: Option<Function>,
}

/// The methods of a type of messages for functional accesses, whose first argument is the message; `None` where it defines
/// none.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageAccess {
    /// `functionalRead(Packet*)`
    pub read: Option<Function>,
    /// `functionalRead(Packet*, WriteMask&)`
    pub read_masked: Option<Function>,
    /// `functionalWrite(Packet*)`
    pub write: Option<Function>,
}

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The name of the machine.
    pub name: Box<str>,
    /// The number of the machine in `MachineType`.
    pub kind: u32,
    /// Names of the states.
    pub states: Vec<Box<str>>,
    /// Access permissions of the states.
    pub permissions: Vec<u64>,
    /// Names of the events.
    pub events: Vec<Box<str>>,
    /// The parameters.
    pub parameters: Vec<Member>,
    /// The variables of its body.
    pub variables: Vec<Member>,
    /// The initial values of the control words.
    pub initial: Vec<u64>,
    /// The ports, in the order in which they are declared.
    pub in_ports: Vec<InPort>,
    /// Code of the protocol's `mandatoryQueueLatency`, if it defines one: replaces the request type
    /// in the control word `AFTER` by the latency to the mandatory queue, in cycles.
    pub mandatory_latency: Option<Function>,
    /// Code of the protocol's `enqueuePrefetch`, if it defines one: requests the line in the control word `ADDRESS`
    /// by a request of the type in `AFTER`.
    pub enqueue_prefetch: Option<Function>,
    /// The functions for functional accesses.
    pub access: MachineAccess,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// For each pair of state and event, ordered by state: the index of the transition plus one, or
    /// 0 if there is none.
    pub table: Vec<u32>,
    /// The type of the TBEs.
    pub tbe: Option<TypeId>,
    /// The type of the cache entries.
    pub entry: Option<TypeId>,
    /// Whether the code of its ports, and the code of its transitions up to a stall, has no effects of its own (see
    /// `looks`).
    pub only_looks: bool,
}

/// Where a protocol depends on the values of addresses or controller numbers: where it calculates with them or compares
/// their order, instead of only copying them and testing them for equality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordered {
    /// The first place that does so with addresses.
    pub addresses: Option<Span>,
    /// The first place that does so with numbers of controllers.
    pub numbers: Option<Span>,
}

/// A compiled protocol.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of the protocol.
    pub name: Box<str>,
    /// The instructions, as they are compiled, compared and analysed.
    pub code: Vec<Op>,
    /// The instructions as they are executed: frequent sequences are fused into their first instruction. Indices are those
    /// of `code`.
    pub fused: Vec<Op>,
    /// The place in the source of each instruction.
    pub spans: Vec<Span>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The largest number of registers of a piece of code: function, port or transition.
    pub largest_frame: u32,
    /// For each type, its methods for functional accesses if it is a message.
    pub message_accesses: Vec<MessageAccess>,
    /// Large constants.
    pub constants: Vec<u64>,
    /// The texts of strings; code refers to them by index.
    pub texts: Vec<Box<str>>,
    /// Tables of constants: permissions of states, names of enumerators as indices of texts.
    pub tables: Vec<Vec<u64>>,
    /// The types.
    pub types: Types,
    /// The machines, in the order of `MachineType`.
    pub machines: Vec<Machine>,
    /// Where the protocol depends on the values of addresses or controller numbers.
    pub ordered: Ordered,
}

/// An instruction has 8 bytes, so that one load fetches it.
const _: () = assert!(size_of::<Op>() == 8);
