//! The settings of rubric that messages name, spelled as the user of a program writes them.
//!
//! A message says what is wrong, and often which setting would change it. The user of the command line writes that setting
//! as `--access-size 4`, the user of the Python package as `access_size=4`, and a caller of the libraries sets a field. So a
//! message contains a [`Setting`], or one [with a value](Setting::to), and the program that shows it says once, when it
//! starts, how it [spells](spell) them. A program that says nothing gets their plain names.
//!
//! ```
//! use settings::Setting;
//!
//! let message = format!("the line is damaged; use {} to skip it", Setting::Lossy);
//! assert_eq!(message, "the line is damaged; use the setting lossy to skip it");
//!
//! settings::spell(settings::as_option);
//! assert_eq!(Setting::AccessSize.to(4).to_string(), "--access-size 4");
//! ```

use std::fmt;
use std::sync::OnceLock;

macro_rules! settings {
    ($($setting:ident = $name:literal,)*) => {
        /// A setting that some message names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "`rubric --help` describes them under their names")]
        pub enum Setting { $($setting,)* }

        impl Setting {
            /// Every setting that some message names.
            pub const ALL: &[Setting] = &[$(Setting::$setting,)*];

            /// The plain name, with underscores between words.
            pub fn name(self) -> &'static str {
                match self { $(Setting::$setting => $name,)* }
            }
        }
    };
}

settings! {
    AccessSize = "access_size",
    Addresses = "addresses",
    Algorithm = "algorithm",
    Also = "also",
    Ambiguous = "ambiguous",
    AssumptionStates = "assumption_states",
    Atomics = "atomics",
    Budget = "budget",
    Certificate = "certificate",
    Chart = "chart",
    Client = "client",
    Disk = "disk",
    Dma = "dma",
    Dvm = "dvm",
    Explore = "explore",
    Fair = "fair",
    Flush = "flush",
    Format = "format",
    FromTick = "from_tick",
    Functional = "functional",
    Gem5 = "gem5",
    Include = "include",
    Initial = "initial",
    Isa = "isa",
    Jobs = "jobs",
    Library = "library",
    Locations = "locations",
    Lossy = "lossy",
    MaxContradictions = "max_contradictions",
    MaxMemory = "max_memory",
    MaxRuns = "max_runs",
    MaxStates = "max_states",
    MemoryQueue = "memory_queue",
    Model = "model",
    Mutant = "mutant",
    Only = "only",
    Operations = "operations",
    Partial = "partial",
    Preemptions = "preemptions",
    Program = "program",
    Repair = "repair",
    Rmws = "rmws",
    Save = "save",
    Set = "set",
    Source = "source",
    Stop = "stop",
    Strict = "strict",
    Threads = "threads",
    ThreadsPerCache = "threads_per_cache",
    Timeout = "timeout",
    Tiny = "tiny",
    ToTick = "to_tick",
}

/// Writes a setting, with its value if the message gives one, as the user of a program writes it.
pub type Spelling = fn(Setting, Option<&str>, &mut fmt::Formatter<'_>) -> fmt::Result;

static SPELLING: OnceLock<Spelling> = OnceLock::new();

/// Makes all later messages of this process spell settings in this way. The first call decides.
pub fn spell(spelling: Spelling) {
    SPELLING.get_or_init(|| spelling);
}

/// Spells a setting as an option of the command line: `--access-size 4`.
///
/// # Errors
/// Fails if the formatter does.
pub fn as_option(setting: Setting, value: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "--{}", setting.name().replace('_', "-"))?;
    value.map_or(Ok(()), |value| write!(f, " {value}"))
}

fn plain(setting: Setting, value: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (setting, value) {
        (_, None) => write!(f, "the setting {}", setting.name()),
        // The value has the name of a protocol's parameter.
        (Setting::Set, Some(value)) => write!(f, "the setting {value}"),
        (_, Some(value)) => write!(f, "the setting {} = {value}", setting.name()),
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SPELLING.get().unwrap_or(&(plain as Spelling))(*self, None, f)
    }
}

impl Setting {
    /// The setting with a value, or with a placeholder such as `FILE` for one.
    pub fn to(self, value: impl fmt::Display) -> SettingWithValue {
        SettingWithValue(self, value.to_string())
    }
}

/// A setting with its value in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingWithValue(Setting, String);

impl fmt::Display for SettingWithValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SPELLING.get().unwrap_or(&(plain as Spelling))(self.0, Some(&self.1), f)
    }
}
