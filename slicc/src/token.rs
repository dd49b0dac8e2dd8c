//! The words of SLICC.

use crate::source::Span;

/// A word, with where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// Where it stands; a string with its quotes.
    pub span: Span,
}

/// Declares [`TokenKind`]: first the kinds whose text differs from token to token, then those that are
/// always written alike, in two groups.
macro_rules! kinds {
    (
        varying { $($varying:ident $description:literal,)* }
        reserved { $($reserved:ident $word:literal,)* }
        symbols { $($symbol:ident $mark:literal,)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]

        pub enum TokenKind {
            $($varying,)*
            $($reserved,)*
            $($symbol,)*
        }

        impl TokenKind {
            /// The kind, as a message names it.
            pub fn description(self) -> &'static str {
                match self {
                    $(TokenKind::$varying => $description,)*
                    $(TokenKind::$reserved => concat!("`", $word, "`"),)*
                    $(TokenKind::$symbol => concat!("`", $mark, "`"),)*
                }
            }

            /// The reserved word with this text.
            pub fn reserved(text: &str) -> Option<TokenKind> {
                match text {
                    $($word => Some(TokenKind::$reserved),)*
                    _ => None,
                }
            }

            /// Whether it is a reserved word.
            pub fn is_reserved(self) -> bool {
                matches!(self, $(TokenKind::$reserved)|*)
            }

            /// The operators and marks with their texts, longer ones first where one begins with
            /// another.
            pub const SYMBOLS: &'static [(&'static str, TokenKind)] = &[$(($mark, TokenKind::$symbol),)*];
        }
    };
}

kinds! {
    varying {
        Name "a name",
        Number "a number",
        Float "a number with a dot",
        Text "a string",
        End "the end of the file",
    }
    reserved {
        Protocol "protocol",
        Include "include",
        Global "global",
        Machine "machine",
        InPort "in_port",
        OutPort "out_port",
        Action "action",
        Transition "transition",
        Structure "structure",
        ExternalType "external_type",
        Enumeration "enumeration",
        States "state_declaration",
        Peek "peek",
        StallAndWait "stall_and_wait",
        WakeupPort "wakeup_port",
        Enqueue "enqueue",
        Defer "defer_enqueueing",
        CheckAllocate "check_allocate",
        CheckNextCycle "check_next_cycle",
        CheckStopSlots "check_stop_slots",
        CheckOnCacheProbe "check_on_cache_probe",
        StaticCast "static_cast",
        If "if",
        Else "else",
        IsValid "is_valid",
        IsInvalid "is_invalid",
        Return "return",
        Void "void",
        New "new",
        Null "OOD",
        True "true",
        False "false",
    }
    symbols {
        Assign ":=",
        Scope "::",
        Colon ":",
        Equal "==",
        Attribute "=",
        NotEqual "!=",
        Not "!",
        LessEqual "<=",
        ShiftLeft "<<",
        Less "<",
        GreaterEqual ">=",
        ShiftRight ">>",
        Greater ">",
        And "&&",
        Reference "&",
        Or "||",
        Increment "++",
        Plus "+",
        Decrement "--",
        Minus "-",
        Star "*",
        Slash "/",
        Percent "%",
        Dot ".",
        Comma ",",
        Semicolon ";",
        OpenParenthesis "(",
        CloseParenthesis ")",
        OpenBracket "[",
        CloseBracket "]",
        OpenBrace "{",
        CloseBrace "}",
    }
}
