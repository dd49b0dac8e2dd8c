//! What protocols are compiled to: the instructions of a register machine over words.
//!
//! A frame of registers lies in the same memory as messages and entries, so that everything has an address. An
//! instruction names registers of its frame by number. *Control words* are those of the running controller: its
//! parameters, its variables, and what [`control`] lists.

use std::sync::Arc;

use super::types::{TypeId, Types};
use crate::library::LibraryFunction;
use crate::source::Span;

/// A register: a word of the frame.
pub type Register = u16;

/// Words that every controller has, before its parameters and variables.
pub mod control {
    /// The address that was given to `trigger`.
    pub const ADDRESS: u16 = 0;
    /// The implicit `cache_entry` of the running transition.
    pub const ENTRY: u16 = 1;
    /// The implicit `tbe` of the running transition.
    pub const TBE: u16 = 2;
    /// The state before the running transition.
    pub const BEFORE: u16 = 3;
    /// The state after it.
    pub const AFTER: u16 = 4;
    /// `version`
    pub const VERSION: u16 = 5;
    /// `machineID`
    pub const MACHINE: u16 = 6;
    /// `clusterID`
    pub const CLUSTER: u16 = 7;
    /// `recycle_latency`
    pub const RECYCLE: u16 = 8;
    /// The first word that is free for parameters.
    pub const FREE: u16 = 9;
}

/// An instruction. Where the comment says nothing else, fields are registers, and `to` gets the result. Jumps are relative to
/// the instruction behind them. *Through* a control word means: from the address in that word on.
///
/// An instruction has 8 bytes, so that fetching one is one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the comment of the instruction names its fields")]
pub enum Op {
    /// `to` = a number.
    Small {
        to: Register,
        value: i32,
    },
    /// `to` = an entry of the table of large constants.
    Constant {
        to: Register,
        index: u16,
    },
    /// `to` = `from`.
    Move {
        to: Register,
        from: Register,
    },
    /// `to` = the word at the address in `base`, plus `offset`.
    Load {
        to: Register,
        base: Register,
        offset: u16,
    },
    /// The word at the address in `base`, plus `offset`, = `from`.
    Store {
        base: Register,
        offset: u16,
        from: Register,
    },
    /// `to` = a control word.
    LoadControl {
        to: Register,
        offset: u16,
    },
    /// A control word = `from`.
    StoreControl {
        offset: u16,
        from: Register,
    },
    /// `to` = the word at `offset` through a control word.
    LoadThrough {
        to: Register,
        control: u16,
        offset: u16,
    },
    /// The word at `offset` through a control word = `from`.
    StoreThrough {
        control: u16,
        offset: u16,
        from: Register,
    },
    /// `to` = the address of the word at `offset` through a control word.
    AddressThrough {
        to: Register,
        control: u16,
        offset: u16,
    },
    /// The word at the address in `base`, plus `offset`, = a small number.
    StoreSmall {
        base: Register,
        offset: u16,
        value: i16,
    },
    /// `to` = the address in `base`, plus `offset`; the address must not be null.
    Address {
        to: Register,
        base: Register,
        offset: u16,
    },
    /// `to` = the address of a register.
    FrameAddress {
        to: Register,
        register: Register,
    },
    /// `to` = the address of a control word.
    ControlAddress {
        to: Register,
        offset: u16,
    },
    /// Copies words from the address in `from` to the address in `to`.
    Copy {
        to: Register,
        from: Register,
        words: u16,
    },
    /// The registers from `to` on get the initial words of a type.
    Fresh {
        to: Register,
        of: u16,
    },
    /// Whether the words at two addresses are equal; the addresses are in `left` and in the register behind it.
    Same {
        to: Register,
        left: Register,
        words: u16,
    },
    Add {
        to: Register,
        left: Register,
        right: Register,
    },
    Subtract {
        to: Register,
        left: Register,
        right: Register,
    },
    Multiply {
        to: Register,
        left: Register,
        right: Register,
    },
    /// Signed; dividing by zero is a fault.
    Divide {
        to: Register,
        left: Register,
        right: Register,
    },
    Remainder {
        to: Register,
        left: Register,
        right: Register,
    },
    ShiftLeft {
        to: Register,
        left: Register,
        right: Register,
    },
    ShiftRight {
        to: Register,
        left: Register,
        right: Register,
    },
    /// Cuts a result down to an `int`: 32 bits, signed.
    Narrow {
        to: Register,
    },
    Equal {
        to: Register,
        left: Register,
        right: Register,
    },
    NotEqual {
        to: Register,
        left: Register,
        right: Register,
    },
    Less {
        to: Register,
        left: Register,
        right: Register,
    },
    LessEqual {
        to: Register,
        left: Register,
        right: Register,
    },
    /// The same for numbers without sign.
    Below {
        to: Register,
        left: Register,
        right: Register,
    },
    BelowEqual {
        to: Register,
        left: Register,
        right: Register,
    },
    Not {
        to: Register,
        from: Register,
    },
    Jump {
        target: i32,
    },
    JumpIf {
        condition: Register,
        target: i32,
    },
    JumpUnless {
        condition: Register,
        target: i32,
    },
    /// Jumps if a register holds something else than a small number.
    JumpUnlessSmall {
        left: Register,
        value: i16,
        target: i16,
    },
    /// Jumps if a register holds a small number.
    JumpIfSmall {
        left: Register,
        value: i16,
        target: i16,
    },
    /// Jumps if a control word is null.
    JumpIfNull {
        control: u16,
        target: i32,
    },
    /// Jumps unless a control word is null.
    JumpUnlessNull {
        control: u16,
        target: i32,
    },
    /// Calls a function; its frame begins at register `base` of this one, where its arguments are and its result will be.
    Call {
        function: u16,
        base: Register,
    },
    /// Calls a function of the library, with arguments and result in the same way.
    Library {
        function: LibraryFunction,
        base: Register,
    },
    /// Ends a function with a result.
    Return {
        from: Register,
    },
    /// Ends a function without one.
    Leave,
    /// `to` = the message at the head of a buffer (`buffer` is a control word), or null if its type is another one.
    Peek {
        to: Register,
        buffer: u16,
        message: u16,
    },
    /// The same in an action, where another type is a fault.
    PeekSure {
        to: Register,
        buffer: u16,
        message: u16,
    },
    /// Delays the head and restarts the scan if the line in `address` is blocked on another buffer than this.
    BlockOn {
        buffer: u16,
        address: Register,
    },
    /// Wakes what waits for the line in `address`.
    WakeUp {
        address: Register,
    },
    /// `to` = a fresh message.
    NewMessage {
        to: Register,
        message: u16,
    },
    /// Sends the message in `base`, with the latency and the permission to bypass in the two registers behind it.
    Send {
        buffer: u16,
        base: Register,
    },
    /// Keeps a message for the transition's address.
    Defer {
        buffer: u16,
        message: Register,
    },
    /// Parks the head of a buffer until the line is woken.
    StallAndWait {
        buffer: u16,
        address: Register,
    },
    /// Wakes what waits for a line in one buffer.
    WakeupPort {
        buffer: u16,
        address: Register,
    },
    /// Delays the head and restarts the scan if the line is blocked on this buffer.
    CheckProbe {
        buffer: u16,
        address: Register,
    },
    /// Asks for a wakeup in the next cycle.
    NextCycle,
    /// `to` = a fresh object of a type that is handled by pointer.
    NewEntry {
        to: Register,
        of: u16,
    },
    /// Starts the transition for an event and a state; its frame begins at `base`. If it stalls, `base` tells how.
    Trigger {
        event: Register,
        state: Register,
        base: Register,
    },
    /// Ends the running transition, which stalls; `how` is one of [`stall`].
    Stall {
        how: u16,
    },
    /// The actions of the running transition are done.
    Done,
    /// The running transition is over.
    End,
    /// The body of a port is over; nothing was triggered.
    PortEnd,
    /// A stall handler says that it made progress.
    Handled,
    /// `to` = an entry of a table of constants; `from` is the index.
    Lookup {
        to: Register,
        from: Register,
        table: u16,
    },
    /// `error(...)`; `text` holds an index of the texts.
    Error {
        text: Register,
    },
    /// `assert(...)` failed.
    Assert,
    /// A function that should return a value came to its end.
    NoResult,
    /// Adds a value to the comment of the running transition.
    Comment {
        of: u16,
        from: Register,
    },
}

impl Op {
    /// Where it jumps to, relative to the instruction behind it; `None` if it is no jump.
    pub fn target(self) -> Option<i64> {
        match self {
            Op::Jump { target }
            | Op::JumpIf { target, .. }
            | Op::JumpUnless { target, .. }
            | Op::JumpIfNull { target, .. }
            | Op::JumpUnlessNull { target, .. } => Some(i64::from(target)),
            Op::JumpIfSmall { target, .. } | Op::JumpUnlessSmall { target, .. } => {
                Some(i64::from(target))
            }
            _ => None,
        }
    }

    /// Sets where a jump leads; false if that is too far away for the instruction.
    pub fn aim(&mut self, to: i32) -> bool {
        match self {
            Op::Jump { target }
            | Op::JumpIf { target, .. }
            | Op::JumpUnless { target, .. }
            | Op::JumpIfNull { target, .. }
            | Op::JumpUnlessNull { target, .. } => *target = to,
            Op::JumpIfSmall { target, .. } | Op::JumpUnlessSmall { target, .. } => {
                let Ok(to) = i16::try_from(to) else {
                    return false;
                };
                *target = to;
            }
            _ => {}
        }
        true
    }
}

/// What a trigger that did not succeed leaves behind.
pub mod stall {
    /// A resource was missing.
    pub const RESOURCE: u64 = 1;
    /// The protocol stalls.
    pub const PROTOCOL: u64 = 2;
}

/// A function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Function {
    /// Its first instruction.
    pub start: u32,
    /// Registers that it uses.
    pub frame: u32,
}

/// A place in which a transition needs room before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The control word with the buffer or table.
    pub object: u16,
    /// Whether it is a table of TBEs, rather than a buffer.
    pub table: bool,
    /// How much room.
    pub slots: u32,
}

/// An entry of the transition table.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state it starts from.
    pub state: u16,
    /// The event it is for.
    pub event: u16,
    /// The next state; `None` if `getNextState` says.
    pub next: Option<u16>,
    /// Whether it holds `z_stall`.
    pub stalls: bool,
    /// The room it needs.
    pub needs: Vec<Need>,
    /// Its code, which ends with `End`.
    pub code: Function,
    /// Where the code of each of its actions begins, and where that of the last one ends; nothing if it stalls.
    pub actions: Arc<[u32]>,
    /// Where it is declared.
    pub span: Span,
}

/// A port that a machine reads.
#[derive(Clone, Debug)]
pub struct InPort {
    /// The name of the port.
    pub name: Box<str>,
    /// The control word with its buffer.
    pub buffer: u16,
    /// The type of its messages.
    pub message: TypeId,
    /// The rank of the port, by which parked messages are woken (`docs/slicc.md`, "Stalling, waking and blocking").
    pub rank: u32,
    /// Whether it reads a table of timers, rather than a buffer.
    pub timers: bool,
    /// Whether its body does nothing unless its buffer is ready.
    pub guarded: bool,
    /// Its code, which ends with `PortEnd`.
    pub code: Function,
}

/// What a parameter or variable of a machine is.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the member.
    pub name: Box<str>,
    /// The type of the member.
    pub of: TypeId,
    /// Its control word.
    pub offset: u16,
    /// For a table of TBEs: the type of what is in it.
    pub element: Option<TypeId>,
    /// Where it is declared.
    pub span: Span,
}

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The name of the machine.
    pub name: Box<str>,
    /// Its number in `MachineType`.
    pub kind: u32,
    /// Names of its states.
    pub states: Vec<Box<str>>,
    /// Their permissions.
    pub permissions: Vec<u64>,
    /// Names of its events.
    pub events: Vec<Box<str>>,
    /// The parameters.
    pub parameters: Vec<Member>,
    /// The variables of its body.
    pub variables: Vec<Member>,
    /// The initial control words.
    pub initial: Vec<u64>,
    /// The ports, in the order in which they are declared.
    pub in_ports: Vec<InPort>,
    /// What replaces the type of a request in the control word `AFTER` by how long the request takes to the mandatory
    /// queue, if the machine has an opinion.
    pub mandatory_latency: Option<Function>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// For each state and event, in this order, the transition plus one, or 0.
    pub table: Vec<u32>,
    /// The type of its TBEs.
    pub tbe: Option<TypeId>,
    /// The type of its cache entries.
    pub entry: Option<TypeId>,
}

/// A compiled protocol.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of the program.
    pub name: Box<str>,
    /// The instructions.
    pub code: Vec<Op>,
    /// Where each instruction comes from.
    pub spans: Vec<Span>,
    /// The functions.
    pub functions: Vec<Function>,
    /// Large constants.
    pub constants: Vec<u64>,
    /// The texts of strings, which are handled by number.
    pub texts: Vec<Box<str>>,
    /// Tables of constants: permissions of states, names of enumerators.
    pub tables: Vec<Vec<u64>>,
    /// The types.
    pub types: Types,
    /// The machines, in the order of `MachineType`.
    pub machines: Vec<Machine>,
}

/// An instruction is fetched by one load.
const _: () = assert!(size_of::<Op>() == 8);
