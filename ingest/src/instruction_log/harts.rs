//! The logs of the harts of one run, which testbenches write to a file each ([`read_harts`]).

use std::path::{Path, PathBuf};

use history::Isa;

use crate::error::Error;
use crate::format::Contents;
use crate::formats::any_of;
use crate::input::Lines;
use crate::instruction_log::{Cva6, HartLog, Ibex, InstructionLog};
use crate::options::Options;

/// The most harts without a log that a message names.
const MOST_MISSING: usize = 8;

/// A testbench that writes a log for each hart.
struct Testbench {
    format: &'static dyn HartLog,
    /// What the names of its logs begin and end with. The number of the hart, in hexadecimal, is between the two.
    begin: &'static str,
    end: &'static str,
    /// How many digits the testbench writes.
    digits: usize,
}

const TESTBENCHES: [Testbench; 2] = [
    Testbench { format: &Cva6, begin: "trace_rvfi_hart_", end: ".dasm", digits: 2 },
    Testbench { format: &Ibex, begin: "trace_core_", end: ".log", digits: 8 },
];

impl Testbench {
    /// The name of a hart's log.
    fn name(&self, hart: usize) -> String {
        format!("{}{hart:0width$x}{}", self.begin, self.end, width = self.digits)
    }
}

/// The names that the logs of a format have, such as `trace_core_00000000.log, trace_core_00000001.log …`.
pub(super) fn names(format: &dyn HartLog) -> String {
    let named = TESTBENCHES.iter().find(|it| it.format.name() == format.name());
    named.map_or(String::new(), |it| format!("{}, {} …", it.name(0), it.name(1)))
}

/// The advice about a folder that may be meant as the logs of the harts of a run: how those are named. `is_of` says whether one of its
/// files is of a format.
pub(crate) fn naming(is_of: impl Fn(&dyn HartLog) -> bool) -> (bool, String) {
    let names = |it: &Testbench| format!("{} ({})", names(it.format), it.format.title());
    match TESTBENCHES.iter().find(|it| is_of(it.format)) {
        Some(found) => (true, names(found)),
        None => (false, any_of(&TESTBENCHES.iter().map(names).collect::<Vec<_>>())),
    }
}

/// The hart of a log, by the name of its file.
pub(super) fn hart_of(file: &str) -> Option<u32> {
    TESTBENCHES.iter().find_map(|it| number(file, it.begin, it.end))
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
    TESTBENCHES.iter().find_map(|it| {
        let number = |path: &Path| number(&path.to_string_lossy(), it.begin, it.end);
        let mut logs: Vec<PathBuf> =
            files.iter().filter(|path| number(path).is_some()).cloned().collect();
        logs.sort_by_key(|path| number(path));
        (!logs.is_empty()).then_some((it.format, logs))
    })
}

fn is_of_same_hart(one: &Path, other: &Path) -> bool {
    hart_of(&one.to_string_lossy()) == hart_of(&other.to_string_lossy())
}

/// A remark on the harts below the last one that have no log.
fn missing(files: &[PathBuf]) -> Option<String> {
    let harts: Vec<u32> =
        files.iter().filter_map(|path| hart_of(&path.to_string_lossy())).collect();
    let last = *harts.iter().max()?;
    let missing = (0..last).filter(|hart| !harts.contains(hart)).take(MOST_MISSING + 1);
    let mut names: Vec<String> = missing.map(|hart| hart.to_string()).collect();
    if names.len() > MOST_MISSING {
        names[MOST_MISSING] = "…".to_owned();
    }
    let plural = if names.len() == 1 { "" } else { "s" };
    (!names.is_empty()).then(|| {
        format!(
            "The folder has no log of hart{plural} {}, so what {} wrote is not known.",
            names.join(", "),
            if names.len() == 1 { "it" } else { "they" }
        )
    })
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
    notes.extend(missing(files));
    let (Some(log), Some(mut lines)) = (log, last) else { return Ok(Contents::default()) };
    let count = log.before;
    let mut contents = log.finish(&mut lines, notes)?;
    contents.statistics.lines = count;
    contents.statistics.bytes = bytes;
    Ok(contents)
}
