//! Where a history came from and what was assumed while reading it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::crash::Crash;

/// The lines of a trace that a history was rebuilt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The axe text format, or a history made by a program.
    #[default]
    Axe,
    /// Ruby's sequencers: what the memory system saw.
    Ruby,
    /// A client's own lines: what the program did.
    Client,
    /// A CPU's committed instructions.
    Exec,
}

impl Source {
    /// Every source.
    pub const ALL: [Source; 4] = [Source::Axe, Source::Ruby, Source::Client, Source::Exec];

    /// The name used on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Source::Axe => "axe",
            Source::Ruby => "ruby",
            Source::Client => "client",
            Source::Exec => "exec",
        }
    }

    /// The source of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Source> {
        Source::ALL.into_iter().find(|source| source.name() == name)
    }
}

/// The instruction set of the CPUs whose committed instructions make a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isa {
    /// x86-64.
    X86,
    /// RISC-V.
    Riscv,
    /// Arm (AArch64).
    Arm,
}

impl Isa {
    /// Every instruction set.
    pub const ALL: [Isa; 3] = [Isa::X86, Isa::Riscv, Isa::Arm];

    /// The name used on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Isa::X86 => "x86",
            Isa::Riscv => "riscv",
            Isa::Arm => "arm",
        }
    }

    /// The name that people use.
    pub fn title(self) -> &'static str {
        match self {
            Isa::X86 => "x86",
            Isa::Riscv => "RISC-V",
            Isa::Arm => "Arm",
        }
    }

    /// The instruction set of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Isa> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name)
    }
}

/// What an instruction that was not understood may have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// Read shared memory: what it returned is not checked.
    Read,
    /// Written shared memory: any read may have seen that.
    Write,
    /// Ordered fewer accesses than the full fence that it is taken for.
    Fence,
    /// Accessed memory of a program, at an address that several programs may have for theirs.
    Process,
}

/// The first instruction of its sort that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotUnderstood {
    /// What it may have done.
    pub gap: Gap,
    /// Trace line.
    pub line: u64,
    /// The instruction, as the trace shows it.
    pub instruction: String,
    /// Why it is not known what it did, if the instruction itself is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

/// Why it is not known what an instruction did that is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// It repeats the store of this trace line, which may have faulted.
    Repeats(u64),
    /// It crosses a cache line, so the memory system performs it in parts.
    CrossesLine,
    /// Its line shows no address.
    NoAddress,
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
    /// Some or all accesses were taken to have this many bytes.
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
    /// Reads back what [`fmt::Display`] writes.
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

/// How initial values are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InitialMode {
    /// Every location starts at 0.
    #[default]
    Zero,
    /// The one unwritten value read at a location is its initial value.
    Infer,
    /// Given by the user, location by location; 0 elsewhere.
    Given,
}

impl InitialMode {
    /// The name used on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            InitialMode::Zero => "zero",
            InitialMode::Infer => "infer",
            InitialMode::Given => "given",
        }
    }

    /// The mode of that name, if there is one.
    pub fn from_name(name: &str) -> Option<InitialMode> {
        [InitialMode::Zero, InitialMode::Infer, InitialMode::Given]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// A request that the trace never completes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unfinished {
    /// Thread that made it.
    pub thread: u32,
    /// Byte address.
    pub address: u64,
    /// Whether it would have written. Its value is not in the trace.
    pub writes: bool,
    /// Tick of the request, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<u64>,
    /// Trace line of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// Everything about a history that is not the history.
///
/// As JSON it is an object with these fields, absent ones being the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Which lines the operations came from.
    pub source: Source,
    /// How sizes are known.
    pub sizes: Sizes,
    /// Whether accesses that overlap were split: then "consistent" holds for the split only.
    pub split: bool,
    /// How initial values are known.
    #[serde(rename = "initial_mode")]
    pub initial: InitialMode,
    /// The coherence protocol, where it was recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// How the run ended, in words; `None` if nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The message with which the simulator broke off, if it crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// Requests without a completion.
    pub unfinished: Vec<Unfinished>,
    /// Whether writes that are no operations of the history (of devices, or outside of what was
    /// selected) may have supplied values: then a value that nobody is seen to write proves
    /// nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside_writes: bool,
    /// Whether there may be writes that nobody recorded (of a kernel, a device, or from before the
    /// trace): then a value that nobody is seen to write, and that is not the initial one, leaves a
    /// consistent history undecided.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded_writes: bool,
    /// Whether the locations were found by their use, not chosen by the user.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locations_found: bool,
    /// The instruction set of the CPUs, where instructions make the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isa: Option<Isa>,
    /// Instructions that were not understood, the first of each sort.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_understood: Vec<NotUnderstood>,
    /// Trace lines of fences that are taken for full ones, although the trace does not show what they
    /// order, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_fences: Vec<u64>,
    /// Other things a user should know about the verdict, one sentence each.
    pub notes: Vec<String>,
}

impl Provenance {
    /// What keeps a consistent history from being called so.
    pub fn against_consistent(&self) -> Option<&NotUnderstood> {
        let matters = |it: &&NotUnderstood| !matches!(it.gap, Gap::Fence | Gap::Process);
        self.not_understood.iter().find(matters)
    }

    /// What keeps a violation from being called so. Under SC fences order nothing more.
    pub fn against_violation(&self, fences_matter: bool) -> Option<&NotUnderstood> {
        let matters = |it: &&NotUnderstood| match it.gap {
            Gap::Read => false,
            Gap::Write | Gap::Process => true,
            Gap::Fence => fences_matter,
        };
        self.not_understood.iter().find(matters)
    }
}
