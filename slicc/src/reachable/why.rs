//! Why an entry of the table is unreachable, in words.

use std::fmt;

/// Why no run takes an entry of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// No system here has controllers of this machine.
    Absent(String),
    /// It needs requests of this type, which the world does not make.
    Requests(String),
    /// It needs requests that come through this buffer, into which the world puts none.
    NoRequests(String),
    /// It needs requests that the world does not make.
    OtherRequests,
    /// It needs this parameter to have another value.
    Parameter {
        /// The parameter.
        name: String,
        /// The value that it would need.
        value: String,
    },
    /// It needs other values of parameters.
    OtherParameters,
    /// It needs two controllers of this machine for one line.
    Second(String),
    /// The event needs a value of an enumeration that no code sends or stores.
    NotSent {
        /// The event.
        event: String,
        /// The value, with its enumeration.
        value: String,
    },
    /// The event is triggered only under a condition that never holds.
    Condition {
        /// The event.
        event: String,
        /// The condition, as it stands in the source.
        condition: String,
        /// The file and line of the condition.
        place: String,
        /// Whether the condition would have to hold, rather than fail.
        holds: bool,
    },
    /// No code triggers the event.
    Untriggered(String),
    /// No transition that is taken leads to the state.
    NoState(String),
    /// The event comes from a core or device that has a request for the line under way while the line is in the state. So its sequencer
    /// holds the next one back.
    HeldBack {
        /// The state.
        state: String,
        /// The event.
        event: String,
    },
    /// The event comes up, but never for a line in the state.
    Apart {
        /// The state.
        state: String,
        /// The event.
        event: String,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Absent(machine) => write!(f, "no system here has a {machine}"),
            Why::Requests(kind) => {
                write!(f, "needs requests of type {kind}, which no core or device here makes")
            }
            Why::NoRequests(buffer) => {
                write!(f, "needs requests through {buffer}, into which nothing here puts any")
            }
            Why::OtherRequests => f.write_str("needs requests that no core or device here makes"),
            Why::Parameter { name, value } => write!(f, "needs {name}={value}"),
            Why::Second(machine) => write!(f, "needs a second {machine} for a line"),
            Why::OtherParameters => f.write_str("needs other values of parameters"),
            Why::NotSent { event, value } => {
                write!(f, "event {event} never comes up: nothing that can happen sends {value}")
            }
            Why::Condition { event, condition, place, holds } => {
                let what = if *holds { "never holds" } else { "always holds" };
                write!(f, "event {event} never comes up: `{condition}` ({place}) {what}")
            }
            Why::Untriggered(event) => write!(f, "nothing triggers event {event}"),
            Why::NoState(state) => write!(f, "no transition leads to state {state}"),
            Why::HeldBack { state, event } => write!(
                f,
                "in state {state} a request for the line is under way, and its sequencer holds back the next one, which would trigger {event}"
            ),
            Why::Apart { state, event } => {
                write!(f, "event {event} never comes up for a line in state {state}")
            }
        }
    }
}

impl Why {
    /// Whether another world, with other requests, parameters or controllers, may take the entry.
    pub fn depends_on_world(&self) -> bool {
        matches!(
            self,
            Why::Absent(_)
                | Why::Requests(_)
                | Why::NoRequests(_)
                | Why::OtherRequests
                | Why::Parameter { .. }
                | Why::OtherParameters
                | Why::Second(_)
        )
    }
}
