//! Errors in a protocol's callbacks.

use std::fmt;

use crate::request::RequestKind;

/// What is wrong with an `unaddressedCallback`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaddressedMisuse {
    /// No transaction of the core has this id.
    Unknown,
    /// The transaction is of another type.
    OtherType,
    /// The type is none that this callback knows.
    NoSuchType,
    /// The core waits to answer another sync.
    WaitsAlready,
}

impl UnaddressedMisuse {
    fn words(self) -> &'static str {
        match self {
            UnaddressedMisuse::Unknown => {
                "assertion failed: no TLB invalidation or sync with this id is outstanding"
            }
            UnaddressedMisuse::OtherType => {
                "assertion failed: the request with this id is of another type"
            }
            UnaddressedMisuse::NoSuchType => "panic: unexpected TLBI RubyRequestType",
            UnaddressedMisuse::WaitsAlready => {
                "assertion failed: the core has not yet answered an earlier sync of another core"
            }
        }
    }
}

/// The error of a callback that does not fit the outstanding requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// The kind of object whose callback was called: a sequencer or a DMA sequencer.
    pub(super) kind: &'static str,
    pub(super) version: u32,
    pub(super) callback: &'static str,
    pub(super) line: u64,
    pub(super) head: Option<(RequestKind, u64)>,
    /// What is wrong with a callback about a transaction without an address, whose id then stands for the line.
    pub(super) unaddressed: Option<UnaddressedMisuse>,
    /// Whether the callback came without a block that the request needs.
    pub(super) lacks_block: bool,
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misuse { kind, version, callback, line, .. } = self;
        if let Some(what) = self.unaddressed {
            return write!(f, "{kind} {version}: {callback} for id {line:#x}: {}", what.words());
        }
        write!(f, "{kind} {version}: {callback} for line {line:#x}: ")?;
        match self.head {
            None => f.write_str("assertion failed: no request to the line is outstanding"),
            Some((kind, address)) if self.lacks_block => {
                let command = kind.command();
                write!(
                    f,
                    "a null pointer was followed: the line is not in the cache, and {command} {address:#x} needs \
                     its data"
                )
            }
            Some((kind, address)) => {
                let command = kind.command();
                write!(
                    f,
                    "assertion failed: the oldest request is {command} {address:#x}, which it cannot complete"
                )
            }
        }
    }
}

impl std::error::Error for Misuse {}
