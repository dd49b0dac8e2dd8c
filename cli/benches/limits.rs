//! Finds the largest hard history of each family that is decided in time: the table of `fixtures/hard/README.md`. `make limits`
//! runs this.
//!
//! Sizes double, or grow by one where histories grow faster, until one is not decided or [`LARGEST`] is reached. Environment:
//! `RUBRIC_TIMEOUT` is the time limit of a check in seconds (default: 10).

#[path = "growth/child.rs"]
mod child;

use std::env;
use std::error::Error;

use check::generate::families::{Family, Figure};
use serde::Deserialize;

/// Largest size. Larger histories need gigabytes, because each vector clock has an entry per thread, and there are many threads.
const LARGEST: u32 = 2048;
/// Most copies. With more, a check does not notice its time limit in time.
const MOST_COPIES: u32 = 1024;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// The output of `rubric check --format json`.
#[derive(Deserialize)]
struct Answer {
    verdict: String,
    seconds: f64,
    operations: usize,
    #[serde(default)]
    reason: String,
}

/// A series of growing histories of a family.
struct Series {
    family: Family,
    /// The size of the next history, or its number of copies if `copies`.
    next: u32,
    copies: bool,
}

impl Series {
    fn new(family: Family, copies: bool) -> Series {
        let next = if copies { 1 } else { 2 };
        Series { family, next, copies }
    }

    fn label(&self) -> String {
        let copies = if self.copies { ", copies" } else { "" };
        format!("`{}`{copies}", self.family)
    }

    /// The command that generates a history.
    fn command(&self, number: u32, model: &str) -> String {
        let (size, copies) = if self.copies { (2, number) } else { (number, 1) };
        let family = self.family;
        format!("generate --family {family} --size {size} --copies {copies} --model {model}")
    }

    /// The sizes or numbers of copies to try.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        let by_one = matches!(self.family.figure, Figure::Pairs | Figure::Pigeons);
        let most = if self.copies { MOST_COPIES } else { LARGEST };
        let step = move |&number: &u32| {
            let next = if by_one { number + 1 } else { 2 * number };
            // No family that grows by one can be larger than this.
            (next <= if by_one { 11 } else { most }).then_some(next)
        };
        std::iter::successors(Some(self.next), step)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if !env::args().any(|word| word == "--bench") {
        println!("limits: run it with `make limits`");
        return Ok(());
    }
    let timeout = env::var("RUBRIC_TIMEOUT").unwrap_or_else(|_| "10".to_owned());
    let timeout: f64 = timeout.parse()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("hard.axe");
    let file = file.to_string_lossy();
    println!("| family | SC | TSO | PSO | `saturate`, SC |\n|---|---|---|---|---|");
    let copied = ["ring", "ring-violation", "hpca-2c-violation"];
    let copies = copied.into_iter().filter_map(Family::from_name);
    let sizes = Family::all().map(|family| Series::new(family, false));
    for series in sizes.chain(copies.map(|family| Series::new(family, true))) {
        let mut line = format!("| {}", series.label());
        for model in MODELS {
            line += &format!(" | {}", limit(&series, model, "stages", timeout, &file)?);
        }
        line += &format!(" | {}", limit(&series, "sc", "saturate", timeout, &file)?);
        println!("{line} |");
    }
    Ok(())
}

/// The largest size or number of copies that an algorithm decides in time, with its number of operations, as text.
fn limit(
    series: &Series,
    model: &str,
    algorithm: &str,
    timeout: f64,
    file: &str,
) -> Result<String, Box<dyn Error>> {
    let mut best = "none".to_owned();
    for number in series.numbers() {
        let command = series.command(number, model) + " --output " + file;
        child::run(&command.split(' ').collect::<Vec<_>>(), &[0])?;
        let seconds = timeout.ceil().to_string();
        let words = ["check", "--model", model, "--algorithm", algorithm];
        let more = ["--timeout", &seconds, "--format", "json", file];
        let run = child::run(&[words, more].concat(), &[0, 1, 3])?;
        let answer: Answer = serde_json::from_str(&run.output)?;
        let expected = if series.family.violation { "violation" } else { "consistent" };
        if answer.verdict != "undecided" && answer.verdict != expected {
            return Err(format!("rubric {command}: {}", answer.verdict).into());
        }
        // Saturation can only report that it found no contradiction, because none of these histories has one that it sees.
        let ended = answer.verdict == expected || answer.reason.contains("no contradiction");
        if !ended || answer.seconds > timeout {
            return Ok(best);
        }
        best = format!("{number} ({})", answer.operations);
    }
    Ok(best + " or more")
}
