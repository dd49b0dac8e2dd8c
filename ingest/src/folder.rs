//! Reads a gem5 output folder: finds the trace among its files, and reads from the other files how the run was
//! configured and how it ended ([`RunProperties`]).

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use history::Isa;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::format::TraceFormat;
use crate::formats;
use crate::gem5::crash::end::End;
use crate::gem5::lines::recognise::has_trace_line;
use crate::gem5::run::RunProperties;
use crate::gem5::{ConfiguredCpu, Gem5};
use crate::input::Lines;
use crate::instruction_log::{self, HartLog, HartLogs};
use crate::tester::Tester;

/// Largest `config.json` that is read, in bytes: far larger than that of any machine.
const LARGEST_CONFIG_BYTES: u64 = 1 << 30;

/// Finds the trace in a folder, and the properties of its run that the other files show.
pub(crate) fn open(directory: &Path) -> Result<(PathBuf, RunProperties), Error> {
    let files = files(directory)?;
    let trace = find_trace(directory, &files)?;
    let surroundings = surroundings(&files, &trace);
    Ok((trace, surroundings))
}

/// The logs of a testbench's harts in a folder, and their format; `None` if it has none.
pub(crate) fn hart_logs(directory: &Path) -> Result<Option<HartLogs>, Error> {
    Ok(instruction_log::hart_logs(&files(directory)?))
}

/// The properties of the run of a log that was given as a file, from the files of its folder. They are empty if the
/// folder has other logs, since the files may then be about another run.
pub(crate) fn around(log: &Path) -> RunProperties {
    let directory = log.parent().filter(|parent| *parent != Path::new(""));
    let files = files(directory.unwrap_or(Path::new("."))).unwrap_or_default();
    let is_only = files.iter().filter(|file| is_log(file)).count() == 1;
    if is_only { surroundings(&files, log) } else { RunProperties::default() }
}

/// The properties of the run of a trace that the other files of its folder show.
fn surroundings(files: &[PathBuf], trace: &Path) -> RunProperties {
    let mut surroundings = RunProperties::default();
    for file in files.iter().filter(|file| file.file_name() != trace.file_name()) {
        match name(file) {
            "config.json" => read_config(file, &mut surroundings),
            name if is_output(name) => {
                let end = std::mem::take(&mut surroundings.end);
                surroundings.end = end.or(&read_end(file));
                surroundings.has_output = true;
            }
            _ => {}
        }
    }
    surroundings
}

/// Whether a file name is that of gem5's standard output or error, compressed or not: `simout` and `simerr` where gem5
/// redirects them, or names that users give them.
fn is_output(name: &str) -> bool {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let stem = ["txt", "log", "out", "err"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'));
    let stem = stem.unwrap_or(name);
    matches!(stem, "simerr" | "simout" | "stderr" | "stdout" | "gem5")
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let io = |error| Error::Io { file: directory.display().to_string(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Finds the trace: the only file that looks like a trace and whose name says so, else the only one that is not named
/// like standard output, else the only one. Without any, the log of the plug-in or the file with the message of a crash
/// is returned.
fn find_trace(directory: &Path, files: &[PathBuf]) -> Result<PathBuf, Error> {
    let is_named = |path: &&PathBuf| {
        let name = name(path);
        name.contains("trace") || name.starts_with("debug.out")
    };
    let is_output = |path: &&PathBuf| is_output(name(path)) || name(path).starts_with("sim");
    let traces: Vec<&PathBuf> = files.iter().filter(|path| looks_like_trace(path)).collect();
    // Standard output holds a trace only where no file does.
    let choices: [Vec<&PathBuf>; 3] = [
        traces.iter().copied().filter(is_named).collect(),
        traces.iter().copied().filter(|path| !is_output(path)).collect(),
        traces,
    ];
    let found = choices.into_iter().find(|choice| !choice.is_empty());
    // A run of the plug-in `RubricTester` has a log of operations instead of a trace.
    let found = found.unwrap_or_else(|| files.iter().filter(|path| is_log(path)).collect());
    match found[..] {
        [trace] => Ok(trace.clone()),
        [] => crash_report(files).ok_or_else(|| Error::Directory {
            directory: directory.to_owned(),
            found: describe(directory, files, &found),
        }),
        _ => Err(Error::Directory {
            directory: directory.to_owned(),
            found: describe(directory, files, &found),
        }),
    }
}

/// Describes the files of a folder without a trace, or with several, and says which path to give instead.
fn describe(directory: &Path, files: &[PathBuf], traces: &[&PathBuf]) -> String {
    let list = |paths: &mut dyn Iterator<Item = &PathBuf>| {
        let names: Vec<&str> = paths.take(5).map(|path| name(path)).collect();
        names.join(", ")
    };
    if traces.len() > 1 {
        let names = list(&mut traces.iter().copied());
        let more = if traces.len() > 5 { ", …" } else { "" };
        return format!(
            "{} of its files are traces ({names}{more}); to read all of them, give {}",
            traces.len(),
            pattern(directory, files, traces)
        );
    }
    let is_of_harts = |format: &dyn HartLog| files.iter().any(|file| is_in(file, format, |_| true));
    let (is_found, harts) = instruction_log::naming(is_of_harts);
    if is_found {
        return format!(
            "its files ({}) do not have the names of a testbench's logs, by which harts are numbered: name them {harts}",
            list(&mut files.iter())
        );
    }
    let advice = format!(
        "a gem5 output folder has one trace, named *trace* or debug.out* (recorded with --debug-file=trace.gz), or one log of RubricTester, and \
         a testbench writes a log for each hart, named {harts}; give the path of a trace"
    );
    if files.is_empty() {
        return format!("it has no files; {advice}");
    }
    let histories = [".axe", ".jsonl", ".parquet"];
    if let Some(ending) =
        histories.iter().find(|ending| files.iter().any(|file| name(file).ends_with(**ending)))
    {
        return format!(
            "none of its {} files is a trace; to read the histories in it, give {}",
            files.len(),
            directory.join(format!("*{ending}")).display()
        );
    }
    format!("none of its {} files is a trace ({}); {advice}", files.len(), list(&mut files.iter()))
}

/// Returns a shell pattern that matches exactly the traces among the files of a folder by the ending of their names, or
/// `their paths` if no ending does.
fn pattern(directory: &Path, files: &[PathBuf], traces: &[&PathBuf]) -> String {
    let endings = [".trace.gz", ".gz", ".trace", ".txt", ".out"];
    let tells = |ending: &&str| {
        let of_files = files.iter().filter(|file| name(file).ends_with(*ending));
        traces.iter().all(|trace| name(trace).ends_with(*ending))
            && of_files.count() == traces.len()
    };
    // The shortest pattern that matches is the one a user would type.
    let ending = endings.iter().copied().filter(|it| tells(it)).min_by_key(|it| it.len());
    match ending {
        Some(ending) => directory.join(format!("*{ending}")).display().to_string(),
        None => "their paths".to_owned(),
    }
}

fn looks_like_trace(path: &Path) -> bool {
    is_in(path, &Gem5, |lines| has_trace_line(lines.head()))
}

/// Whether a file is a log of the plug-in for gem5.
pub(crate) fn is_log(path: &Path) -> bool {
    is_in(path, &Tester, |_| true)
}

/// Whether a file can be read, is in a format, and its beginning is as expected.
fn is_in(
    path: &Path,
    format: &dyn TraceFormat,
    is_expected: impl Fn(&mut Lines<'_>) -> bool,
) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let Ok(mut lines) = Lines::new(file, name(path), true) else {
        return false;
    };
    formats::detect(&mut lines).is_ok_and(|found| found.name() == format.name())
        && is_expected(&mut lines)
}

/// Finds the file with the message of a crash, which may come before the first line of a trace.
fn crash_report(files: &[PathBuf]) -> Option<PathBuf> {
    let mut outputs = files.iter().filter(|file| is_output(name(file)));
    outputs.find(|file| read_end(file).is_crash()).cloned()
}

/// Reads how the run ended from gem5's standard output or error.
fn read_end(path: &Path) -> End {
    let mut end = End::default();
    let file = path.display().to_string();
    let lines = host::inputs::open_regular(path).map(|input| Lines::new(input, &file, true));
    if let Ok(Ok(mut lines)) = lines {
        // A file that cannot be read is ignored, since the trace is what matters.
        while matches!(lines.advance(), Ok(true) | Err(Error::CrLf { .. })) {
            end.scan(lines.line(), lines.number(), !lines.complete());
        }
    }
    end.finish(&file);
    end
}

fn read_config(path: &Path, surroundings: &mut RunProperties) {
    let Ok(text) = host::inputs::open_regular(path)
        .and_then(|file| host::inputs::read_from(file, LARGEST_CONFIG_BYTES))
    else {
        return;
    };
    if let Ok(config) = serde_json::from_slice::<Value>(&text) {
        visit(&config, surroundings);
    }
}

/// Collects the properties of Ruby and the CPUs from the objects of a configuration.
fn visit(value: &Value, surroundings: &mut RunProperties) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| visit(item, surroundings)),
        Value::Object(fields) => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str);
            if text("type") == Some("RubySequencer") {
                *surroundings.sequencers.get_or_insert(0) += 1;
            }
            let isa = text("type").and_then(isa_of);
            surroundings.isa = surroundings.isa.or(isa);
            surroundings.cpus.extend(cpu(fields));
            let full_system = fields.get("full_system").and_then(Value::as_bool);
            surroundings.full_system |= full_system == Some(true);
            if let Some(size) = fields.get("block_size_bytes").and_then(Value::as_u64)
                && size.is_power_of_two()
            {
                surroundings.block_size = u32::try_from(size).ok();
            }
            if let Some(protocol) = text("protocol").or_else(|| text("type").and_then(protocol_of))
                && surroundings.protocol.is_none()
            {
                surroundings.protocol = Some(protocol.to_owned());
            }
            fields.values().for_each(|field| visit(field, surroundings));
        }
        _ => {}
    }
}

/// The CPU that an object of a configuration is: only CPUs have a number and may begin switched out.
fn cpu(fields: &Map<String, Value>) -> Option<ConfiguredCpu> {
    let begins_out = fields.get("switched_out")?.as_bool()?;
    let number = fields.get("cpu_id")?.as_i64()?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let (path, system) = (text("path")?, text("system").unwrap_or_default());
    Some(ConfiguredCpu { path, system, number, begins_out })
}

/// The instruction set of `RiscvISA` or `X86Decoder`.
fn isa_of(kind: &str) -> Option<Isa> {
    let name = kind.strip_suffix("ISA").or_else(|| kind.strip_suffix("Decoder"))?;
    match name {
        "X86" => Some(Isa::X86),
        "Riscv" => Some(Isa::Riscv),
        "Arm" => Some(Isa::Arm),
        _ => None,
    }
}

/// `MESI_Two_Level` of a controller's type `MESI_Two_Level_L1Cache_Controller`.
fn protocol_of(kind: &str) -> Option<&str> {
    let kind = kind.strip_suffix("_Controller")?;
    let known = crate::gem5::protocol::names();
    known
        .into_iter()
        .filter(|protocol| {
            let rest = kind.strip_prefix(protocol);
            rest.is_some_and(|rest| rest.starts_with('_'))
        })
        .max_by_key(|protocol| protocol.len())
}
