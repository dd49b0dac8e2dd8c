//! The stored figures of the speed bench, and the machine that they were measured on.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A measured figure, and where it was measured.
#[derive(Clone)]
pub(crate) struct Figure {
    /// The name of the row of the table.
    pub row: String,
    /// The unit of the value.
    pub unit: String,
    /// The median of the runs.
    pub value: f64,
    /// The name of the processor's model.
    pub processor: String,
    /// The commit that was measured, abbreviated.
    pub commit: String,
}

/// The processor and the commit of a measurement.
pub(crate) struct Machine {
    /// The name of the processor's model.
    pub processor: String,
    /// The commit that was measured, abbreviated.
    pub commit: String,
}

impl Machine {
    /// The processor of this machine and the commit that is checked out; `unknown` if the system does not say.
    pub(crate) fn this() -> Machine {
        let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model =
            about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let git = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
        let commit = git.ok().filter(|git| git.status.success());
        let commit = commit.map(|git| String::from_utf8_lossy(&git.stdout).trim().to_owned());
        let unknown = || "unknown".to_owned();
        Machine {
            processor: model.map_or_else(unknown, |(_, name)| name.to_owned()),
            commit: commit.unwrap_or_else(unknown),
        }
    }
}

impl Figure {
    /// A figure that was measured on a machine.
    pub(crate) fn new(row: String, unit: &str, value: f64, machine: &Machine) -> Figure {
        let Machine { processor, commit } = machine;
        let (processor, commit) = (processor.clone(), commit.clone());
        Figure { row, unit: unit.to_owned(), value, processor, commit }
    }
}

/// The names of the columns.
const HEADER: &str = "row;unit;value;processor;commit";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/results/speed.csv")
}

/// Reads the stored figures; none if there is no file.
///
/// # Errors
/// Returns an error if the file cannot be read or parsed.
pub(crate) fn read() -> Result<Vec<Figure>, Box<dyn Error>> {
    let path = path();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path)?;
    let figure = |line: &str| -> Result<Figure, Box<dyn Error>> {
        let [row, unit, value, processor, commit] = line.split(';').collect::<Vec<_>>()[..] else {
            return Err(format!("{}: expected `{HEADER}`, found `{line}`", path.display()).into());
        };
        let [row, unit, processor, commit] = [row, unit, processor, commit].map(str::to_owned);
        Ok(Figure { row, unit, value: value.parse()?, processor, commit })
    };
    text.lines().skip(1).map(figure).collect()
}

/// Replaces the stored figures.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn write(figures: &[Figure]) -> Result<(), Box<dyn Error>> {
    let lines = figures.iter().map(|figure| {
        let Figure { row, unit, value, processor, commit } = figure;
        format!("{row};{unit};{value:.3};{processor};{commit}\n")
    });
    let text: String = std::iter::once(format!("{HEADER}\n")).chain(lines).collect();
    Ok(std::fs::write(path(), text)?)
}
