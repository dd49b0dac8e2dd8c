//! Systems that cannot be built.

use thiserror::Error;

use crate::ruby::Misuse;
use crate::stepper::MOST;

/// The reason why no system can be built of a protocol and the options.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A cache cannot have the size that was asked for.
    #[error("{member}: {error}")]
    Cache {
        /// The machine and its parameter.
        member: String,
        /// What is wrong with the size.
        #[source]
        error: CacheError,
    },
    /// A parameter of an enumeration has a value that is not one of the enumeration.
    #[error("{member}: `{value}` is no value of {of}")]
    Enumerator {
        /// The machine and its parameter.
        member: String,
        /// The value.
        value: String,
        /// The enumeration.
        of: String,
    },
    /// A machine has a variable of a library type that cannot be a variable.
    #[error("{member}: variables of type {of} are not supported by this runtime")]
    Variable {
        /// The machine and its variable.
        member: String,
        /// The type.
        of: String,
    },
    /// The machines, or the initial memory, do not fit the library's objects.
    #[error(transparent)]
    Misuse(#[from] Misuse),
    /// There are more threads than sequencers.
    #[error("{threads} threads, but the protocol has {sequencers} sequencers")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The number of sequencers.
        sequencers: usize,
    },
    /// A number of caches or lines that cannot be explored.
    #[error("{caches} caches and {lines} lines: 1 to {MOST} of each are supported")]
    Scope {
        /// The number of caches.
        caches: u32,
        /// The number of lines.
        lines: u32,
    },
    /// The protocol has fewer sequencers than caches were asked for.
    #[error("{caches} caches were asked for, but the protocol has {sequencers} sequencers")]
    Sequencers {
        /// The number of caches.
        caches: u32,
        /// The number of sequencers.
        sequencers: u32,
    },
    /// The blocks of a protocol that is to be explored do not have one word.
    #[error("blocks have to be of one word")]
    BlockSize,
    /// A protocol that is to be explored has a pointer to an entry where it cannot be followed.
    #[error("{0}: {1} that points to an entry is not supported here")]
    EntryPointer(String, &'static str),
}

/// The reason why there is no cache of a size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CacheError {
    /// The number of ways is out of range.
    #[error("{0} ways: 1 to 64 are supported")]
    Ways(u64),
    /// Tree-PLRU with a number of ways that is no power of two.
    #[error("{0} ways: tree-PLRU needs a power of two")]
    TreePlru(u64),
    /// The cache has fewer than two sets.
    #[error(
        "{size} bytes in {ways} ways of {block}-byte blocks are {sets} sets: at least 2 are needed"
    )]
    Sets {
        /// Bytes of the cache.
        size: u64,
        /// Ways of a set.
        ways: u64,
        /// Bytes of a block.
        block: u64,
        /// Sets that these make.
        sets: u64,
    },
    /// The cache has too many blocks.
    #[error("a cache larger than can be simulated: at most 16M blocks are")]
    Blocks,
}
