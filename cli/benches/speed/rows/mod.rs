//! The rows of the table: each has a command, and says how its work is counted.

mod checks;
mod explorations;
mod peers;

use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::child::{self, Run};

/// The protocols that are simulated.
const PROTOCOLS: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];

/// The quantity that a row measures.
enum Measure {
    /// Millions of units of work per second of processor time.
    ProcessorRate,
    /// Units of work per second of elapsed time.
    Rate,
    /// Millions of units per second, as the program itself measured them.
    Stated,
    /// Elapsed time, in seconds.
    Seconds,
    /// Elapsed time, in milliseconds.
    Milliseconds,
}

/// How the number of units of work is found.
enum Work {
    /// The number with this key in the last JSON object that the program prints.
    Printed(&'static str),
    /// The number before this word in the text that the program prints.
    Before(&'static str),
    /// A fixed number.
    Fixed(f64),
}

/// A row of the table.
pub(crate) struct Row {
    /// The name of the row.
    pub name: String,
    unit: &'static str,
    /// The program, if it is another one than rubric.
    peer: Option<String>,
    command: Vec<String>,
    measure: Measure,
    work: Work,
}

impl Row {
    /// The unit of the values.
    pub(crate) fn unit(&self) -> &'static str {
        self.unit
    }

    /// Whether a larger value is better.
    pub(crate) fn is_rate(&self) -> bool {
        matches!(self.measure, Measure::ProcessorRate | Measure::Rate | Measure::Stated)
    }

    /// Whether the command is one of another program, which is the same for every build of rubric.
    pub(crate) fn is_peer(&self) -> bool {
        self.peer.is_some()
    }

    /// A row of the time that a command takes.
    fn seconds(name: impl Into<String>, command: &str) -> Row {
        Row {
            name: name.into(),
            unit: "s",
            peer: None,
            command: words(command),
            measure: Measure::Seconds,
            work: Work::Fixed(1.0),
        }
    }

    /// Runs the command once, with a build of the program.
    ///
    /// # Errors
    /// Returns an error if the command fails, or if its output does not say its work.
    pub(crate) fn measure(&self, program: &str) -> Result<f64, Box<dyn Error>> {
        let arguments: Vec<&str> = self.command.iter().map(String::as_str).collect();
        let program = self.peer.as_deref().unwrap_or(program);
        let run = child::run_other(program, &arguments, &[0, 1, 3])?;
        let work = self.work(&run)?;
        Ok(match self.measure {
            Measure::ProcessorRate => work / run.processor_seconds / 1e6,
            Measure::Rate => work / run.seconds,
            Measure::Stated => work / 1e6,
            Measure::Seconds => run.seconds,
            Measure::Milliseconds => run.seconds * 1e3,
        })
    }

    fn work(&self, run: &Run) -> Result<f64, Box<dyn Error>> {
        let missing = |what: &str| format!("{}: no number {what} in what it prints", self.name);
        match self.work {
            Work::Fixed(units) => Ok(units),
            Work::Printed(key) => {
                let last = run.output.lines().next_back().unwrap_or_default();
                let object: Value = serde_json::from_str(last)?;
                Ok(object[key].as_f64().ok_or_else(|| missing(&format!("`{key}`")))?)
            }
            Work::Before(word) => {
                let text: Vec<&str> = run.output.split_whitespace().collect();
                let number = |pair: &[&str]| pair[0].replace(',', "").parse().ok();
                let found = text.windows(2).filter(|pair| pair[1].starts_with(word));
                Ok(found
                    .filter_map(number)
                    .next_back()
                    .ok_or_else(|| missing(&format!("before `{word}`")))?)
            }
        }
    }
}

/// The folder for the files that the commands write.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    /// Creates the folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(crate) fn new() -> Result<Bench, Box<dyn Error>> {
        Ok(Bench { folder: tempfile::tempdir()? })
    }

    /// The path of a file in the folder.
    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Makes the inputs of all rows, and returns the rows.
    ///
    /// # Errors
    /// Returns an error if an input cannot be made.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows: Vec<Row> = self.checks()?;
        rows.extend(self.explorations());
        rows.extend(self.peers()?);
        for protocol in PROTOCOLS {
            rows.push(self.simulate(protocol, protocol));
        }
        if let Some(folder) = std::env::var_os("RUBRIC_GEM5") {
            let chi = Path::new(&folder).join("src/mem/ruby/protocol/chi/CHI.slicc");
            rows.push(self.simulate("CHI", &chi.display().to_string()));
        }
        rows.push(self.gzip());
        rows.push(campaign());
        rows.push(mutant());
        for (threads, client, model) in [
            ("16", "store-buffer", "tso"),
            ("64", "store-buffer", "tso"),
            ("16", "per-location", "pso"),
        ] {
            rows.push(self.watch(threads, client, model)?);
        }
        rows.push(self.report());
        rows.extend(on_this_machine());
        Ok(rows)
    }

    fn simulate(&self, name: &str, protocol: &str) -> Row {
        Row {
            name: format!("simulate {name}"),
            unit: "million transitions/s of a core",
            peer: None,
            command: words(&format!(
                "simulate {protocol} --threads 8 --operations 20000 --locations 16 --format json --coverage {}",
                self.file("coverage.csv")
            )),
            measure: Measure::ProcessorRate,
            work: Work::Printed("transitions"),
        }
    }

    fn gzip(&self) -> Row {
        let protocol = PROTOCOLS[1];
        Row {
            name: format!("simulate {protocol}, gzip trace"),
            unit: "transitions/s",
            peer: None,
            command: words(&format!(
                "simulate {protocol} --threads 8 --operations 20000 --locations 16 --format json --coverage {} -o {}",
                self.file("coverage.csv"),
                self.file("run.trace.gz")
            )),
            measure: Measure::Rate,
            work: Work::Printed("transitions"),
        }
    }

    fn watch(&self, threads: &str, client: &str, model: &str) -> Result<Row, Box<dyn Error>> {
        let history = self.file(&format!("{model}-{threads}.json"));
        let operations = 128_000 / threads.parse::<u32>()?;
        let made = words(&format!(
            "simulate MESI_Two_Level --client {client} --threads {threads} --operations {operations} --locations 16 --save {history}"
        ));
        child::run(&made.iter().map(String::as_str).collect::<Vec<_>>(), &[0])?;
        Ok(Row {
            name: format!("watch {model}, {threads} threads"),
            unit: "million operations/s of a core",
            peer: None,
            command: words(&format!("watch {history} --model {model} --format json")),
            measure: Measure::ProcessorRate,
            work: Work::Printed("operations"),
        })
    }

    fn report(&self) -> Row {
        let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/results");
        let page = self.file("report.html");
        Row::seconds("report of the stored results", &format!("report {} -o {page}", plain(stored)))
    }
}

/// A row that measures runs of some 500 operations with the verdicts of all models, on all cores.
fn campaign() -> Row {
    Row {
        name: "500 operations with verdicts".to_owned(),
        unit: "runs/s",
        peer: None,
        command: words(
            "simulate MESI_Two_Level --threads 4 --operations 125 --runs 400 --check --format json",
        ),
        measure: Measure::Rate,
        work: Work::Fixed(400.0),
    }
}

/// Rows that run programs on this machine: with outcomes that differ and with outcomes that repeat, to the verdicts, and the programs
/// alone.
fn on_this_machine() -> [Row; 3] {
    let row = |name: &str, unit, options: &str, measure, key| Row {
        name: name.to_owned(),
        unit,
        peer: None,
        command: words(&format!("run --quiet --threads 2 --format json {options}")),
        measure,
        work: Work::Printed(key),
    };
    let (long, short) = ("--runs 50K", "--operations 4 --locations 2 --runs 1M --runs-each 500K");
    [
        row("run, different outcomes", "operations/s", long, Measure::Rate, "operations"),
        row("run, the same outcomes", "operations/s", short, Measure::Rate, "operations"),
        row(
            "run, programs alone",
            "million operations/s",
            long,
            Measure::Stated,
            "operations_a_second",
        ),
    ]
}

/// A row that measures the time from the name of a mutant to the end of a run of a few operations.
fn mutant() -> Row {
    Row {
        name: "a mutant's first run".to_owned(),
        unit: "ms",
        peer: None,
        command: words(
            "simulate MESI_Two_Level --mutant mesi2-l1-is-inv-no-notify --threads 2 --operations 1 --runs 1 --format json",
        ),
        measure: Measure::Milliseconds,
        work: Work::Fixed(1.0),
    }
}

fn plain(path: PathBuf) -> String {
    path.canonicalize().unwrap_or(path).display().to_string()
}

fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}
