//! How Python spells the settings that messages name: as keywords, such as `access_size=4`.

use std::fmt;

use ::settings::{Setting, as_option};

/// Writes a setting as its keyword, or as the option of the program if the package has no such keyword.
///
/// # Errors
/// Fails if the formatter does.
pub(crate) fn as_keyword(
    setting: Setting,
    value: Option<&str>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    use Setting::*;
    let name = setting.name();
    match setting {
        Lossy => return write!(f, "{name}=True"),
        AccessSize | Addresses | Algorithm | Ambiguous | Budget | Client | FromTick | Initial
        | Isa | Locations | MaxMemory | Model | Mutant | Operations | Repair | Rmws | Source
        | Threads | Timeout | ToTick => {}
        Also | AssumptionStates | Atomics | Certificate | Chart | Disk | Dma | Dvm | Explore
        | Fair | Flush | Format | Functional | Gem5 | Include | Jobs | Library
        | MaxContradictions | MaxRuns | MaxStates | MemoryQueue | Only | Partial | Preemptions
        | Program | Save | Set | Stop | Strict | ThreadsPerCache | Tiny => {
            return as_option(setting, value, f);
        }
    }
    match value {
        None => f.write_str(name),
        Some(number) if number.parse::<u64>().is_ok() => write!(f, "{name}={number}"),
        // A placeholder, such as LO-HI.
        Some(value) if !value.contains(|c: char| c.is_ascii_lowercase()) => {
            write!(f, "{name} {value}")
        }
        Some(value) => write!(f, "{name}=\"{value}\""),
    }
}
