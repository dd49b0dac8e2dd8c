//! The instructions of the register machine to which protocols are compiled.
//!
//! The machine works on words of 64 bits. Its frames of registers lie in the same memory as
//! messages and cache entries, so that everything has an address. An instruction names registers of
//! its frame by number. *Control words* belong to the running controller: its parameters, its
//! variables, and the words listed in [`control`].

use crate::library::LibraryFunction;

/// A register: a word of the frame.
pub type Register = u16;

/// Offsets of the control words that precede a controller's parameters and variables.
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
    /// The first offset of parameters and variables.
    pub const FREE: u16 = 9;
}

/// An instruction. Unless its comment says otherwise, fields name registers, and `to` receives the
/// result. Jump targets are relative to the following instruction. *Through* a control word means:
/// relative to the address that it holds.
///
/// An instruction has 8 bytes, so that one load fetches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the comment of the instruction names its fields")]
pub enum Op {
    /// `to` = `value`.
    Small {
        to: Register,
        value: i32,
    },
    /// `to` = entry `index` of the table of large constants.
    Constant {
        to: Register,
        index: u16,
    },
    /// `to` = `from`.
    Move {
        to: Register,
        from: Register,
    },
    /// `to` = the word at address `base` + `offset`.
    Load {
        to: Register,
        base: Register,
        offset: u16,
    },
    /// The word at address `base` + `offset` = `from`.
    Store {
        base: Register,
        offset: u16,
        from: Register,
    },
    /// `to` = the control word at `offset`.
    LoadControl {
        to: Register,
        offset: u16,
    },
    /// The control word at `offset` = `from`.
    StoreControl {
        offset: u16,
        from: Register,
    },
    /// `to` = the word at `offset` through the control word `control`.
    LoadThrough {
        to: Register,
        control: u16,
        offset: u16,
    },
    /// The word at `offset` through the control word `control` = `from`.
    StoreThrough {
        control: u16,
        offset: u16,
        from: Register,
    },
    /// `to` = the address of the word at `offset` through the control word `control`.
    AddressThrough {
        to: Register,
        control: u16,
        offset: u16,
    },
    /// The word at address `base` + `offset` = `value`.
    StoreSmall {
        base: Register,
        offset: u16,
        value: i16,
    },
    /// `to` = `base` + `offset`, where `base` holds an address that is not null.
    Address {
        to: Register,
        base: Register,
        offset: u16,
    },
    /// `to` = the address of the register `register`.
    FrameAddress {
        to: Register,
        register: Register,
    },
    /// `to` = the address of the control word at `offset`.
    ControlAddress {
        to: Register,
        offset: u16,
    },
    /// Copies `words` words from the address in `from` to the address in `to`.
    Copy {
        to: Register,
        from: Register,
        words: u16,
    },
    /// The registers from `to` on = the initial words of the type `of`.
    Initialize {
        to: Register,
        of: u16,
    },
    /// `to` = whether `words` words at two addresses are equal; the addresses are in `left` and in
    /// the next register.
    EqualWords {
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
    /// Signed division; dividing by zero is a fault.
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
    /// Truncates a result to an `int`: 32 bits, signed.
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
    /// As the instruction before it, for unsigned numbers.
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
    /// Jumps unless `left` holds `value`.
    JumpUnlessSmall {
        left: Register,
        value: i16,
        target: i16,
    },
    /// Jumps if `left` holds `value`.
    JumpIfSmall {
        left: Register,
        value: i16,
        target: i16,
    },
    /// Jumps if the control word `control` is null.
    JumpIfNull {
        control: u16,
        target: i32,
    },
    /// Jumps unless the control word `control` is null.
    JumpUnlessNull {
        control: u16,
        target: i32,
    },
    /// Calls a function. Its frame begins at register `base` of this one, where the arguments are
    /// passed and the result is returned.
    Call {
        function: u16,
        base: Register,
    },
    /// Calls a function of the library, with the arguments and the result at `base` as well.
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
    /// `to` = the message at the head of the buffer in the control word `buffer`, or null if the
    /// message has another type.
    Peek {
        to: Register,
        buffer: u16,
        message: u16,
    },
    /// As [`Op::Peek`], in an action, where a message of another type is a fault.
    PeekSure {
        to: Register,
        buffer: u16,
        message: u16,
    },
    /// Delays the head and restarts the scan of the ports if the line in `address` is blocked on
    /// another buffer than this one.
    BlockOn {
        buffer: u16,
        address: Register,
    },
    /// Wakes the messages that wait for the line in `address`.
    WakeUp {
        address: Register,
    },
    /// `to` = a fresh message of the type `message`.
    NewMessage {
        to: Register,
        message: u16,
    },
    /// Sends the message in `base`. The two following registers hold the latency and whether it may
    /// overtake others.
    Send {
        buffer: u16,
        base: Register,
    },
    /// Stores the message as deferred, under the address of the transition.
    Defer {
        buffer: u16,
        message: Register,
    },
    /// Sets the head of the buffer aside until the line in `address` is woken.
    StallAndWait {
        buffer: u16,
        address: Register,
    },
    /// Wakes the messages of one buffer that wait for the line in `address`.
    WakeupPort {
        buffer: u16,
        address: Register,
    },
    /// Delays the head and restarts the scan of the ports if the line in `address` is blocked on
    /// this buffer.
    CheckProbe {
        buffer: u16,
        address: Register,
    },
    /// Schedules a wakeup of the controller in the next cycle.
    NextCycle,
    /// `to` = a fresh object of the type `of`, which is handled by pointer.
    NewEntry {
        to: Register,
        of: u16,
    },
    /// Runs the transition of an event in a state; its frame begins at `base`. If it stalls, `base`
    /// then holds one of [`stall`].
    Trigger {
        event: Register,
        state: Register,
        base: Register,
    },
    /// Ends the running transition with a stall; `how` is one of [`stall`].
    Stall {
        how: u16,
    },
    /// The actions of the running transition are done; the code that stores the new state follows.
    Done,
    /// Ends the running transition.
    End,
    /// Ends the body of a port in which no event was triggered.
    PortEnd,
    /// Ends a stall handler that made progress.
    Handled,
    /// `to` = entry `from` of a table of constants.
    Lookup {
        to: Register,
        from: Register,
        table: u16,
    },
    /// Fails because of `error(...)`; `text` holds an index into the texts.
    Error {
        text: Register,
    },
    /// Fails because of an `assert(...)`.
    Assert,
    /// Fails because a function that returns a value ended without one.
    NoResult,
    /// Adds a value of the type `of` to the comment of the running transition.
    Comment {
        of: u16,
        from: Register,
    },
    // The following instructions stand for a sequence of others (see `fuse`). Each has the fields of the first instruction
    // of the sequence. It reads the fields of the others from those instructions, which stay behind it in the code.
    /// `LoadControl`, `Library`.
    ControlLibrary {
        to: Register,
        offset: u16,
    },
    /// `LoadControl`, `LoadControl`, `Library`.
    ControlsLibrary {
        to: Register,
        offset: u16,
    },
    /// `LoadControl`, `Move`, `Library`.
    ControlMoveLibrary {
        to: Register,
        offset: u16,
    },
    /// `LoadControl`, `Load`, `Library`.
    ControlLoadLibrary {
        to: Register,
        offset: u16,
    },
    /// `Load`, `JumpUnlessSmall`.
    LoadUnlessSmall {
        to: Register,
        base: Register,
        offset: u16,
    },
    /// `StoreControl` three times, as before a `Trigger`.
    StoreControls {
        offset: u16,
        from: Register,
    },
    /// `Peek`, `JumpUnless`.
    PeekUnless {
        to: Register,
        buffer: u16,
        message: u16,
    },
    /// `PeekUnless`, and `Load` if it does not jump.
    PeekLoad {
        to: Register,
        buffer: u16,
        message: u16,
    },
    /// `Load`, `StoreControl` three times.
    LoadStoreControls {
        to: Register,
        base: Register,
        offset: u16,
    },
    /// `LoadControl`, `Store`.
    ControlStore {
        to: Register,
        offset: u16,
    },
    /// `LoadControl`, `Lookup`.
    ControlLookup {
        to: Register,
        offset: u16,
    },
    /// `Store`, `StoreSmall`.
    StoreStoreSmall {
        base: Register,
        offset: u16,
        from: Register,
    },
    /// `JumpIfSmall`, and `Move` if it does not jump.
    MoveUnlessSmall {
        left: Register,
        value: i16,
        target: i16,
    },
    /// `Small`, `NewMessage`.
    SmallNewMessage {
        to: Register,
        value: i32,
    },
    /// `JumpIfNull`, and `LoadThrough` if it does not jump.
    LoadUnlessNull {
        control: u16,
        target: i32,
    },
    /// `JumpIfNull`, and `LoadControl`, `StoreThrough` if it does not jump.
    StoreUnlessNull {
        control: u16,
        target: i32,
    },
    // The following instructions stand for a sequence that ends with a jump. They read nothing from the instructions after
    // them.
    /// `to` = `value`, then jumps.
    SmallJump {
        to: Register,
        value: i16,
        target: i16,
    },
    /// `to` = `from`, then jumps.
    MoveJump {
        to: Register,
        from: Register,
        target: i16,
    },
    // The following instructions are in no compiled code. The runtime puts them in place of others where words may stand for
    // something that is known in part: a controller that is one of many, a number that counts many.
    /// `to` = the result of an operation on `left` and `right`.
    Aware {
        operation: Operation,
        to: Register,
        left: Register,
        right: Register,
    },
    /// As [`Op::JumpIfSmall`].
    AwareJumpIfSmall {
        left: Register,
        value: i16,
        target: i16,
    },
    /// As [`Op::JumpUnlessSmall`].
    AwareJumpUnlessSmall {
        left: Register,
        value: i16,
        target: i16,
    },
}

/// The operations of [`Op::Aware`]: those of the instructions of the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the instructions of the same names say what they do")]
#[repr(u8)]
pub enum Operation {
    Add,
    Subtract,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    /// `right` is the number of words.
    EqualWords,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Below,
    BelowEqual,
}

impl Op {
    /// The target of a jump, relative to the next instruction; `None` for other instructions.
    pub fn target(self) -> Option<i64> {
        match self {
            Op::Jump { target }
            | Op::JumpIf { target, .. }
            | Op::JumpUnless { target, .. }
            | Op::JumpIfNull { target, .. }
            | Op::JumpUnlessNull { target, .. } => Some(i64::from(target)),
            Op::JumpIfSmall { target, .. }
            | Op::JumpUnlessSmall { target, .. }
            | Op::AwareJumpIfSmall { target, .. }
            | Op::AwareJumpUnlessSmall { target, .. } => Some(i64::from(target)),
            _ => None,
        }
    }

    /// Sets the target of a jump. Returns false if it is too far away for the instruction.
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

/// The kinds of stalls that [`Op::Trigger`] leaves in its `base` register.
pub mod stall {
    /// A resource was missing.
    pub const RESOURCE: u64 = 1;
    /// The transition has the action `z_stall`.
    pub const PROTOCOL: u64 = 2;
}
