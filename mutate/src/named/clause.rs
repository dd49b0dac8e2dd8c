//! A clause: one change that a named fault or a repair makes. It gives the place by the names of
//! machines, states, events and buffers, and the change by the calls that actions make.
//!
//! `L1Cache (M, Replacement Inv): without evictionCallback` is about two rows. Clauses do not use the names of
//! actions and ports, which the author of a protocol chooses freely. Code in braces may call functions that the
//! protocol declares.

mod parse;

use super::pattern::Pattern;

/// A change of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub machine: String,
    pub change: Change,
    /// The clause as written.
    pub text: String,
}

/// Rows of a table: `(S T, E F) (U, G)?` stands for five, the last of which is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub needed: Vec<Pair>,
    pub if_any: Vec<Pair>,
}

/// A state and an event, which identify a row.
pub(crate) type Pair = (String, String);

/// A change of a part of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Rows(Rows, RowChange),
    /// A change of the port that reads this buffer.
    Port(String, PortChange),
    /// A change of the machine as a whole.
    Machine(MachineChange),
}

/// A change of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowChange {
    /// `no transition`
    Dropped,
    /// `next S`; `next same` is to stay in the state
    Next(Option<String>),
    /// `stall`: nothing else is done, and the message stays
    Stall,
    Nothing,
    /// `without PATTERN`
    Without(Pattern),
    /// `set aside A instead of B`
    SetAside {
        now: String,
        was: String,
    },
    /// `take A`: dequeues its message, also where it was set aside
    Take(String),
    /// `add PATTERN of (S, E) [PLACE] [if any]`: at the end if no place is given. A row that has such an action stays
    /// as it is, and with `if any` also if the row (S, E) has none. `of any` takes the only such action of the
    /// machine, or the only one that does nothing else.
    Add {
        what: Pattern,
        of: Option<Pair>,
        place: Place,
        if_any: bool,
    },
    /// `replace PATTERN by PATTERN of (S, E)`, or `of any`
    Replace {
        was: Pattern,
        now: Pattern,
        of: Option<Pair>,
    },
    Move {
        what: Pattern,
        before: Pattern,
    },
    /// `do NAME "description" {code} PLACE`: also `instead of PATTERN`, or `alone`, which removes
    /// all other actions
    Do {
        action: NewAction,
        place: Place,
    },
    /// `like (S, E)`: a new row, which stays in its state unless a later clause gives it a `next`
    Like(Pair),
    /// `same as (S, E)`: the actions and the next state of another row
    SameAs(Pair),
    /// `new with PATTERN of (S, E)`: a new row that does only this
    New {
        what: Pattern,
        of: Pair,
    },
    /// `in PATTERN ...`
    In(Pattern, BodyChange),
    /// `read X as Y`: in the conditions, assertions and values of its actions
    Read {
        was: String,
        now: String,
    },
}

/// A place in the list of a row's actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `before PATTERN`
    Before(Pattern),
    /// `after PATTERN`
    After(Pattern),
    /// `instead of PATTERN`
    Instead(Pattern),
    First,
    Last,
    /// `alone`: instead of all actions
    Alone,
}

/// An action that a fault adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewAction {
    pub name: String,
    pub about: String,
    /// The statements, with `$in(BUFFER)` and `$out(BUFFER)` for ports.
    pub code: String,
}

/// A change of the statement that matches a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BodyChange {
    /// `set F := X; G := Y`: fields of the message
    Set(Vec<(String, String)>),
    /// `set F {code}`: the code replaces all statements that write the field of the message
    SetBy { field: String, code: String },
    /// `unset F`
    Unset(String),
    /// `to X`: another receiver
    To(String),
    /// `first X;`: inserts a statement before it
    First(String),
    /// `last X;`: inserts a statement at the end of the message
    Last(String),
    /// `always`: removes the condition around it; an assignment is moved out of the condition alone
    Always,
}

/// A change of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PortChange {
    /// `no lock check [before EVENT]`
    UncheckedBefore(Option<String>),
    /// `no lock check of the line itself`
    UncheckedLine,
    /// `no trigger of EVENT`
    Untriggered(String),
    /// `lock check before EVENT`: of the line for which the event is triggered
    CheckedBefore(String),
    /// `block on FIELD`: messages wait while the line in this field is locked
    BlockOn(String),
    /// `no block on`: messages do not wait for locks
    NoBlockOn,
    /// `rank N`, unless the port has one
    Rank(String),
    /// `read X as Y`: in all expressions of the port
    Read { was: String, now: String },
    /// `first {code}`: before the port looks at a message
    First(String),
    /// `if {condition} {code}`: instead of the port's own code if the condition holds
    If { condition: String, code: String },
    /// `no if {condition}`: the port's own code always, without what it does instead if the condition holds
    NoIf(String),
    /// `do {code}`: instead of the port's own code
    Do(String),
}

/// A change of a machine as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MachineChange {
    /// `state S: none`
    NoState(String),
    /// `buffer B: KEY VALUE`
    Buffer { buffer: String, key: String, value: String },
    /// `actions: without PATTERN`
    Without(Pattern),
    /// `all rows: stall instead of setting aside B`
    StallInstead(String),
    /// `structure S: field TYPE NAME`, also with attributes: `field int N, default="0"`
    Field { structure: String, kind: String, name: String },
    /// `actions: copy FIELD of send(B) to X`
    Copy { field: String, sent: Pattern, to: String },
    /// `messages of B: read X as Y`
    ReadMessage { buffer: String, was: String, now: String },
    /// `actions: read X as Y`
    Read { was: String, now: String },
    /// `actions: call F instead of G`: the same arguments
    Call { now: String, was: String },
    /// `actions: in PATTERN ...`: wherever a statement of an action matches
    In(Pattern, BodyChange),
    /// `all rows: stall instead of doing nothing`: where all actions are empty, the message stays
    StallEmpty,
    /// `machine: add {function}`: after the functions before the ports, unless there is one of
    /// this name
    AddFunction(String),
    /// `enumeration E: value NAME "description"`: one of the machine or of the protocol's messages
    Value { enumeration: String, value: String, about: String },
    /// `functions: no condition on FIELD`
    NoCondition(String),
    /// `functions: read X as Y`
    ReadInFunctions { was: String, now: String },
}
