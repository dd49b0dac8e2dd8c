//! Errors in building a system.

use settings::Setting;
use thiserror::Error;

use crate::ruby::Misuse;

/// The reason why a system cannot be built for a protocol with these options.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A cache cannot have the requested size.
    #[error("{member}: {error}")]
    Cache {
        /// The machine and its parameter.
        member: String,
        /// What is wrong with the size.
        #[source]
        error: CacheError,
    },
    /// The value of a parameter is not in its enumeration.
    #[error("{member}: `{value}` is no value of {of}")]
    Enumerator {
        /// The machine and its parameter.
        member: String,
        /// The value.
        value: String,
        /// The enumeration.
        of: String,
    },
    /// A variable has a library type that only parameters can have.
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
    /// The number of caches or lines is not supported by exploration.
    #[error("{caches} caches and {lines} lines: 1 to {most} of each are supported")]
    Scope {
        /// The number of caches.
        caches: u32,
        /// The number of lines.
        lines: u32,
        /// The largest number of each that is supported.
        most: u32,
    },
    /// The protocol has fewer sequencers than the requested number of caches.
    #[error("{caches} caches were requested, but the protocol has {sequencers} sequencers")]
    Sequencers {
        /// The number of caches.
        caches: u32,
        /// The number of sequencers.
        sequencers: u32,
    },
    /// A protocol under exploration keeps the data of memory in its directories, where initial
    /// values cannot be put.
    #[error(
        "the directories of this protocol hold the data of memory, as gem5's did until November 2014: \
         such a protocol can be simulated, but not explored"
    )]
    DataInDirectories,
    /// A protocol under exploration does not handle requests that cores are to make.
    #[error("the protocol does not handle {0}")]
    Unhandled(&'static str),
    /// A protocol under exploration performs atomic instructions elsewhere than in the first-level cache.
    #[error(
        "atomic instructions that are performed far from the core are not explored: with {} \
         first-level caches perform them",
        Setting::Set.to("policy_type=0")
    )]
    FarAtomics,
    /// The cores of a protocol under exploration fetch instructions through a sequencer of their own.
    #[error(
        "fetches of instructions have a sequencer of their own in this protocol, and are not explored"
    )]
    OwnFetches,
    /// No cache of a protocol under exploration serves several threads.
    #[error("no first-level cache of the protocol serves several threads")]
    OwnCaches,
    /// No machine of a protocol under exploration has several banks.
    #[error("the protocol has no second-level caches among which lines could be divided")]
    NoBanks,
    /// The blocks of a protocol under exploration do not have one word.
    #[error("blocks have to be of one word")]
    BlockSize,
    /// A protocol under exploration has a pointer to an entry where the encoding of states cannot
    /// follow it.
    #[error("{0}: {1} that points to an entry is not supported here")]
    EntryPointer(String, &'static str),
}

/// The reason why a cache cannot have a size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CacheError {
    /// The number of ways is out of range.
    #[error("{0} ways: 1 to 64 are supported")]
    Ways(u64),
    /// The number of ways is not a power of two, which tree-PLRU needs.
    #[error("{0} ways: tree-PLRU needs a power of two")]
    TreePlru(u64),
    /// The cache has fewer than two sets.
    #[error(
        "{size} bytes in {ways} ways of {block}-byte blocks are {sets} sets: at least 2 are needed"
    )]
    Sets {
        /// The size of the cache in bytes.
        size: u64,
        /// The number of ways of a set.
        ways: u64,
        /// The size of a block in bytes.
        block: u64,
        /// The resulting number of sets.
        sets: u64,
    },
    /// The cache has too many blocks.
    #[error("the cache is too large: at most 16M blocks are supported")]
    Blocks,
}
