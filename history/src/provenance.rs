//! [`Provenance`]: where a history came from and what was assumed while reading it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::crash::Crash;

/// Declares an enumeration whose values have names.
macro_rules! named {
    ($(#[$of:meta])* pub enum $type:ident { $($(#[$about:meta])* $value:ident = $name:literal,)* }) => {
        $(#[$of])*
        pub enum $type { $($(#[$about])* $value,)* }

        impl $type {
            /// Every value.
            pub const ALL: [$type; [$($name),*].len()] = [$($type::$value),*];

            /// The name used on the command line and in tables.
            pub fn name(self) -> &'static str {
                match self { $($type::$value => $name,)* }
            }

            /// The value of that name, if there is one.
            pub fn from_name(name: &str) -> Option<$type> {
                $type::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

named! {
    /// The lines of a trace that a history was rebuilt from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Source {
        /// The axe text format, or a history made by a program.
        Axe = "axe",
        /// Lines of Ruby's sequencers: the requests that the memory system saw.
        Ruby = "ruby",
        /// Lines of a client, such as a tester: the operations that its program performed.
        Client = "client",
        /// Lines of a CPU's committed instructions.
        Exec = "exec",
        /// What the loads of a program on a real machine returned.
        Record = "record",
    }
}

impl Source {
    /// The sources among which the user may choose, since one trace may have the lines of each.
    pub const IN_TRACES: [Source; 3] = [Source::Ruby, Source::Client, Source::Exec];
}

named! {
    /// The instruction set of the CPUs whose committed instructions make a history.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Isa {
        /// x86-64.
        X86 = "x86",
        /// RISC-V.
        Riscv = "riscv",
        /// Arm (AArch64).
        Arm = "arm",
    }
}

impl Isa {
    /// The name in running text.
    pub fn title(self) -> &'static str {
        match self {
            Isa::X86 => "x86",
            Isa::Riscv => "RISC-V",
            Isa::Arm => "Arm",
        }
    }
}

/// The possible effect of an instruction that was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// The instruction may have read shared memory; the value that it read is not checked.
    Read,
    /// The instruction may have written shared memory; any read may have returned that value.
    Write,
    /// The instruction may have ordered fewer accesses than the full fence that it is taken for.
    Fence,
    /// The instruction accessed the memory of a program, at an address that another program may use for other memory.
    Process,
}

/// An instruction that was not understood, the first of its sort in the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotUnderstood {
    /// The effect that it may have had.
    pub gap: Gap,
    /// Trace line.
    pub line: u64,
    /// The instruction, as the trace shows it.
    pub instruction: String,
    /// Why its effect is not known, if the instruction itself is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

/// Why the effect of an instruction is not known although the instruction itself is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The instruction repeats the store of this trace line, which may have faulted.
    Repeats(u64),
    /// The access crosses a cache line, so the memory system performs it in parts.
    CrossesLine,
    /// The trace line of the instruction shows no address.
    NoAddress,
    /// The trace line cannot be read, or contradicts others, and was skipped on the user's demand. What it showed is not known.
    Skipped,
}

/// How the sizes of accesses are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Sizes {
    /// Locations are cells without a size (axe).
    #[default]
    Cells,
    /// Every size was recorded.
    Recorded,
    /// The sizes of some or all accesses were not recorded; this size in bytes is assumed.
    Assumed(u8),
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sizes::Cells => f.write_str("cells"),
            Sizes::Recorded => f.write_str("recorded"),
            Sizes::Assumed(bytes) => write!(f, "assumed {bytes}"),
        }
    }
}

impl Sizes {
    /// Parses the text that [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Sizes> {
        match text {
            "cells" => Some(Sizes::Cells),
            "recorded" => Some(Sizes::Recorded),
            _ => text.strip_prefix("assumed ")?.parse().ok().map(Sizes::Assumed),
        }
    }
}

impl From<Sizes> for String {
    fn from(sizes: Sizes) -> String {
        sizes.to_string()
    }
}

impl TryFrom<String> for Sizes {
    type Error = String;

    fn try_from(text: String) -> Result<Sizes, String> {
        Sizes::parse(&text)
            .ok_or_else(|| format!("`{text}`: cells, recorded or assumed N was expected"))
    }
}

named! {
    /// How initial values are known.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum InitialMode {
        /// Every location starts at 0.
        #[default]
        Zero = "zero",
        /// The initial value of a location is the value that is read there and that no write writes.
        Infer = "infer",
        /// The user gave the initial values of some locations; the others start at 0.
        Given = "given",
    }
}

/// A memory request that has no completion in the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unfinished {
    /// Thread that issued the request.
    pub thread: u32,
    /// Byte address.
    pub address: u64,
    /// Whether the request writes. Its value is not in the trace.
    pub writes: bool,
    /// Tick of the request, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<u64>,
    /// Trace line of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// Where a history came from, how its run ended, and what was assumed while reading it.
///
/// In JSON it is an object with these fields; a field that is absent has its default, and the source is then axe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default = "Provenance::made")]
pub struct Provenance {
    /// The lines of the trace that the operations came from.
    pub source: Source,
    /// How sizes are known.
    pub sizes: Sizes,
    /// Whether accesses that overlap were split. The verdict "consistent" then holds only for the parts.
    pub split: bool,
    /// How initial values are known.
    #[serde(rename = "initial_mode")]
    pub initial: InitialMode,
    /// The coherence protocol, where it was recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The mutant of the protocol that ran, where the trace of a simulation names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutant: Option<String>,
    /// How the run ended, in words; `None` if nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The last message of the simulator, if it crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// Requests without a completion.
    pub unfinished: Vec<Unfinished>,
    /// Whether values may come from writes that are no operations of the history (of devices, or outside of the
    /// selection). A read whose value no recorded write has then implies nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside_writes: bool,
    /// Whether there may be writes that were not recorded (of a kernel, a device, or from before the
    /// trace). A read whose value no recorded write has, and that is not the initial value, then leaves
    /// an otherwise consistent history undecided.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded_writes: bool,
    /// Whether the shared locations were detected from the trace, not chosen by the user.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locations_found: bool,
    /// The names of locations, by address, where the source has names. Files of histories do not keep them.
    #[serde(skip)]
    pub names: BTreeMap<u64, String>,
    /// Addresses whose accesses were not selected, and are in the history without their values only because they order others. Files of
    /// histories do not keep them.
    #[serde(skip)]
    pub order_only: BTreeSet<u64>,
    /// The instruction set of the CPUs, if the operations come from committed instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isa: Option<Isa>,
    /// Instructions that were not understood, the first of each sort.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_understood: Vec<NotUnderstood>,
    /// Trace lines, in ascending order, of fences that are taken for full ones because the trace does
    /// not show what they order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_fences: Vec<u64>,
    /// How many dependencies of operations on earlier loads the trace does not show. Weak models preserve the
    /// order of such operations, so an inconsistency may go unseen.
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown_dependencies: u64,
    /// Further remarks on the verdict for the user, one sentence each.
    pub notes: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Provenance {
    /// The provenance of a history from this source of which nothing else is known.
    pub fn of(source: Source) -> Provenance {
        Provenance {
            source,
            sizes: Sizes::default(),
            split: false,
            initial: InitialMode::default(),
            protocol: None,
            mutant: None,
            ended: None,
            crash: None,
            unfinished: Vec::new(),
            outside_writes: false,
            unrecorded_writes: false,
            locations_found: false,
            names: BTreeMap::new(),
            order_only: BTreeSet::new(),
            isa: None,
            not_understood: Vec::new(),
            unknown_fences: Vec::new(),
            unknown_dependencies: 0,
            notes: Vec::new(),
        }
    }

    /// The provenance of a history that a program made, not recorded.
    pub fn made() -> Provenance {
        Provenance::of(Source::Axe)
    }

    /// The beginning of the note that says why a trace shows no operation.
    pub const NO_OPERATIONS: &str = "no operations: ";

    /// Why the trace shows no operation, such as debug flags that were not recorded, if a note says so.
    pub fn why_no_operations(&self) -> Option<&str> {
        self.notes.iter().find_map(|note| note.strip_prefix(Provenance::NO_OPERATIONS))
    }

    /// The first instruction that was not understood and makes a history without a violation undecided instead of
    /// consistent, if there is one.
    pub fn against_consistent(&self) -> Option<&NotUnderstood> {
        let matters = |it: &&NotUnderstood| !matches!(it.gap, Gap::Fence | Gap::Process);
        self.not_understood.iter().find(matters)
    }

    /// The first instruction that was not understood and makes a violation undecided, if there is one. Fences do not
    /// matter under SC, which preserves all program order without them.
    pub fn against_violation(&self, fences_matter: bool) -> Option<&NotUnderstood> {
        let matters = |it: &&NotUnderstood| match it.gap {
            Gap::Read => false,
            Gap::Write | Gap::Process => true,
            Gap::Fence => fences_matter,
        };
        self.not_understood.iter().find(matters)
    }
}
