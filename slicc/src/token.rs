//! The tokens of SLICC.

use crate::source::Span;

/// A token and its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    /// Its position in the source; that of a string includes the quotes.
    pub span: Span,
}

/// Declares [`TokenKind`]: the kinds whose text varies from token to token, then reserved words and
/// symbols, which have one spelling each.
macro_rules! kinds {
    (
        varying { $($varying:ident $description:literal,)* }
        reserved { $($reserved:ident $word:literal,)* }
        symbols { $($symbol:ident $mark:literal,)* }
    ) => {
        /// The kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum TokenKind {
            $($varying,)*
            $($reserved,)*
            $($symbol,)*
        }

        impl TokenKind {
            /// The name of the kind in messages.
            pub(crate) fn description(self) -> &'static str {
                match self {
                    $(TokenKind::$varying => $description,)*
                    $(TokenKind::$reserved => concat!("`", $word, "`"),)*
                    $(TokenKind::$symbol => concat!("`", $mark, "`"),)*
                }
            }

            /// The reserved word with this spelling, if it is one.
            pub(crate) fn reserved(text: &str) -> Option<TokenKind> {
                match text {
                    $($word => Some(TokenKind::$reserved),)*
                    _ => None,
                }
            }

            /// Whether the token is a reserved word.
            pub(crate) fn is_reserved(self) -> bool {
                matches!(self, $(TokenKind::$reserved)|*)
            }

            /// The operators and punctuation marks with their spellings. A symbol precedes its own
            /// prefixes, so the first match is the longest.
            pub(crate) const SYMBOLS: &'static [(&'static str, TokenKind)] = &[$(($mark, TokenKind::$symbol),)*];
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
