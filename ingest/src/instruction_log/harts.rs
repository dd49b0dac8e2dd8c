//! The logs of the harts of one run, which testbenches write to a file each ([`read_harts`]).

use std::path::{Path, PathBuf};

use history::Isa;

use crate::error::Error;
use crate::format::Contents;
use crate::input::Lines;
use crate::instruction_log::{Cva6, HartLog, Ibex, InstructionLog};
use crate::options::Options;

/// The testbenches, with what the names of their logs begin and end with. A number in hexadecimal is between the two.
const NAMES: [(&dyn HartLog, &str, &str); 2] =
    [(&Cva6, "trace_rvfi_hart_", ".dasm"), (&Ibex, "trace_core_", ".log")];

/// The hart of a log, by the name of its file.
pub(super) fn hart_of(file: &str) -> Option<u32> {
    NAMES.into_iter().find_map(|(_, begin, end)| number(file, begin, end))
}

fn number(file: &str, begin: &str, end: &str) -> Option<u32> {
    let name = Path::new(file).file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    u32::from_str_radix(name.strip_prefix(begin)?.strip_suffix(end)?, 16).ok()
}

/// The logs of the harts of one run, in the order of harts, and their format.
pub(crate) type HartLogs = (&'static dyn HartLog, Vec<PathBuf>);

/// The logs of harts among the files of a folder, in the order of harts, and their format; `None` if there are none.
pub(crate) fn hart_logs(files: &[PathBuf]) -> Option<HartLogs> {
    NAMES.into_iter().find_map(|(format, begin, end)| {
        let number = |path: &Path| number(&path.to_string_lossy(), begin, end);
        let mut logs: Vec<PathBuf> =
            files.iter().filter(|path| number(path).is_some()).cloned().collect();
        logs.sort_by_key(|path| number(path));
        (!logs.is_empty()).then_some((format, logs))
    })
}

fn is_of_same_hart(one: &Path, other: &Path) -> bool {
    hart_of(&one.to_string_lossy()) == hart_of(&other.to_string_lossy())
}

/// Reads the logs of the harts of one run as one history.
///
/// # Errors
/// Returns the error of a file that cannot be read, or whose lines are not of the format.
pub(crate) fn read_harts(
    format: &dyn HartLog,
    files: &[PathBuf],
    options: &Options,
) -> Result<Contents, Error> {
    if let Some([one, other]) = files.windows(2).find(|pair| is_of_same_hart(&pair[0], &pair[1])) {
        return Err(Error::Directory {
            directory: one.parent().unwrap_or(one).to_owned(),
            found: format!("{} and {} are both of one hart", one.display(), other.display()),
        });
    }
    let mut log: Option<InstructionLog<'_>> = None;
    let mut notes = Vec::new();
    let mut bytes = 0;
    let mut last = None;
    for path in files {
        let name = path.display().to_string();
        let io = |error| Error::Io { file: name.clone(), error };
        let input = host::inputs::open(path).map_err(io)?;
        let mut lines = Lines::new(input, &name, options.lossy)?;
        lines.set_limit(format.info().line_limit);
        let log = match &mut log {
            Some(log) => log,
            none => none.insert(InstructionLog::new(&lines, format, options, Isa::Riscv)?),
        };
        notes.push(format!("Line {} is the first of {name}.", log.before + 1));
        format.read_hart(log, &mut lines)?;
        log.before += lines.number();
        bytes += lines.bytes();
        last = Some(lines);
    }
    let (Some(log), Some(mut lines)) = (log, last) else { return Ok(Contents::default()) };
    let count = log.before;
    let mut contents = log.finish(&mut lines, notes)?;
    contents.statistics.lines = count;
    contents.statistics.bytes = bytes;
    Ok(contents)
}
