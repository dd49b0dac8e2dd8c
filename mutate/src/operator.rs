//! The operators that make mutants of a protocol.

use std::fmt;
use std::str::FromStr;

use slicc::near::near;

/// The operators, each with its name, a description, and its likely consequence.
macro_rules! operators {
    ($($operator:ident $name:literal: $about:literal, $effect:literal;)*) => {
        /// A kind of edit, which can be made at many sites of a protocol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operator {
            $(#[doc = $about] $operator,)*
        }

        impl Operator {
            /// Every operator.
            pub const ALL: &[Operator] = &[$(Operator::$operator),*];

            /// The name, which is part of the ids of mutants.
            pub fn name(self) -> &'static str {
                match self {
                    $(Operator::$operator => $name),*
                }
            }

            /// The description, in one sentence.
            pub fn about(self) -> &'static str {
                match self {
                    $(Operator::$operator => $about),*
                }
            }

            /// The likely consequence: the last sentence of a mutant's description, or nothing.
            pub(crate) fn effect(self) -> &'static str {
                match self {
                    $(Operator::$operator => $effect),*
                }
            }
        }
    };
}

operators! {
    SwapActions "swap-actions":
        "Two neighbours in the list of actions are exchanged.",
        "It matters only if one of them uses what the other changes.";
    DropAction "drop-action":
        "An action is removed, other than one that stalls or only tells the core that a line was lost.",
        "";
    DuplicateAction "duplicate-action":
        "An action is done twice.",
        "";
    NextStateSame "next-state-same":
        "A transition leads to another state with the same permission.",
        "Later messages are likely to be misinterpreted.";
    NextStateOther "next-state-other":
        "A transition leads to a state with another permission: for each the two likeliest states.",
        "Permissions may then contradict each other, or a wait is left out.";
    DropTransition "drop-transition":
        "The table has no entry for a state and an event.",
        "A run in which the event occurs in that state fails.";
    StallRemoved "stall-removed":
        "An action that stalls is removed without replacement.",
        "The message stays at the head of its queue and is looked at again at once, for ever.";
    StallPopped "stall-popped":
        "A message that has to wait is thrown away.",
        "Its sender may wait for ever.";
    StallAnswered "stall-answered":
        "A message that has to wait is handled as in another state.",
        "An answer that is too early may carry old data, or leave two owners.";
    StallAdded "stall-added":
        "An event that is handled has to wait.",
        "If nothing else ends the state, that is for ever.";
    MessageType "message-type":
        "A message is sent with another type, or another value of an enumeration.",
        "";
    MessageDestination "message-destination":
        "A message goes to another receiver, or to none.",
        "";
    MessageNotSent "message-not-sent":
        "An action no longer sends one of its messages.",
        "A controller may wait for it forever.";
    FieldUnset "field-unset":
        "A field of a message keeps its default value.",
        "";
    DataNotWritten "data-not-written":
        "A block is not stored.",
        "Old data stays in its place.";
    Payload "payload":
        "A message carries a block from elsewhere, or none.",
        "If that block is older, its receiver gets old data.";
    DirtyFlag "dirty-flag":
        "A dirty mark is set, cleared or left as it was.",
        "A mark that is missing may lose a write when the line leaves.";
    AcksOffByOne "acks-off-by-one":
        "A count of answers is one more or one fewer.",
        "With too few, stale copies survive; with too many, a controller waits forever.";
    NoNotify "no-notify":
        "The core is not told that a line was lost.",
        "Only cores that load early can tell.";
    WrongNetwork "wrong-network":
        "A buffer is attached to another virtual network.",
        "Messages get lost, or arrive at a controller that has no transition for them.";
    UnorderedBuffer "unordered-buffer":
        "An ordered buffer is unordered.",
        "A message may overtake another one.";
    PortOrder "port-order":
        "Two neighbouring ports are scanned in the other order.",
        "";
    TriggerEvent "trigger-event":
        "A port triggers another of its events for a message.",
        "";
    ConditionNegated "condition-negated":
        "An action does something when it should not, and not when it should.",
        "";
    ConditionIgnored "condition-ignored":
        "An action always does what it should do under a condition.",
        "";
    DropStatement "drop-statement":
        "An action leaves out one of its statements that no other operator covers.",
        "";
    NoAllocationCheck "no-allocation-check":
        "An action no longer checks whether a table has room for a transaction.",
        "It shows only if that many transactions are in progress.";
    NoLockCheck "no-lock-check":
        "A port does not wait for a line that an atomic operation has locked.",
        "Only atomic operations can tell.";
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error about an unknown operator, with a hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no operator {0}: {1}")]
pub struct UnknownOperator(String, String);

impl FromStr for Operator {
    type Err = UnknownOperator;

    fn from_str(name: &str) -> Result<Operator, UnknownOperator> {
        let all = Operator::ALL;
        if let Some(&found) = all.iter().find(|one| one.name() == name) {
            return Ok(found);
        }
        let names = || all.iter().map(|one| one.name());
        let near = near(name, names()).join(" or ");
        let hint = if near.is_empty() {
            format!("there are {}", names().collect::<Vec<_>>().join(", "))
        } else {
            format!("did you mean {near}?")
        };
        Err(UnknownOperator(name.to_owned(), hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &one in Operator::ALL {
            assert_eq!(one.to_string().parse(), Ok(one));
            let is_plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(one.name().chars().all(is_plain), "{one}");
        }
        let mut sorted = Operator::ALL.to_vec();
        sorted.sort();
        assert_eq!(sorted, Operator::ALL);
    }

    #[test]
    fn the_error_about_an_unknown_operator_lists_the_known_ones() {
        let error = |name: &str| name.parse::<Operator>().unwrap_err().to_string();
        let near = error("drop-acton");
        assert!(near.starts_with("there is no operator drop-acton: did you mean drop-action"));
        assert!(
            error("?")
                .ends_with("condition-ignored, drop-statement, no-allocation-check, no-lock-check")
        );
    }
}
