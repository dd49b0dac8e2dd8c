//! Measures time and memory of the program against the size of what it checks. Prints a table, and writes it as Parquet
//! ([`tables`], *measurements*).
//!
//! Each point of the [`grid`] is a history that `rubric generate` writes into a temporary folder,
//! `rubric check` decides with a certificate, and `rubric verify` verifies, each as a process of its
//! own, one after the other. `make bench` runs this; so does
//!
//! ```text
//! cargo bench --package rubric-cli --bench growth [-- SERIES]
//! ```
//!
//! Environment: `RUBRIC_BENCH=full` adds the largest sizes, `RUBRIC_RESULTS` is the folder for `growth.parquet` (default:
//! `results` in the target folder), `RUBRIC_TIMEOUT` is the time limit of a check in seconds (default: 60).

mod child;
mod grid;
mod measure;
mod table;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use tables::write_measurements;

use measure::Bench;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` gives this flag. Without it the bench runs as a test, which only checks that it starts.
    if !env::args().any(|word| word == "--bench") {
        println!("growth: run it with `make bench`");
        return Ok(());
    }
    let wanted = env::args().skip(1).find(|word| !word.starts_with("--"));
    let is_full = env::var("RUBRIC_BENCH").is_ok_and(|size| size == "full");
    let mut points = grid::points(is_full);
    if let Some(series) = wanted {
        points.retain(|point| point.series == series);
        if points.is_empty() {
            return Err(format!("{series}: no such series; `grid.rs` has their names").into());
        }
    }
    let results = results()?;
    let bench = Bench::new(timeout()?)?;
    println!("{}", table::HEADER);
    let mut rows = Vec::new();
    let mut failure = None;
    for point in points {
        match bench.measure(&point) {
            Ok(row) => {
                println!("{}", table::line(&row));
                rows.push(row);
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    // The file is written at the end, because the memory of this process counts as that of its children.
    write_measurements(&results, &rows)?;
    println!("{} rows: {}", rows.len(), results.display());
    failure.map_or(Ok(()), Err)
}

/// The file for the results. Its folder is created.
fn results() -> Result<PathBuf, Box<dyn Error>> {
    let folder = match env::var_os("RUBRIC_RESULTS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).join("../results"),
    };
    let failed = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let folder = folder.canonicalize().map_err(failed)?;
    Ok(folder.join("growth.parquet"))
}

fn timeout() -> Result<Duration, Box<dyn Error>> {
    let Ok(text) = env::var("RUBRIC_TIMEOUT") else {
        return Ok(Duration::from_secs(60));
    };
    match text.parse() {
        Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("RUBRIC_TIMEOUT={text}: a number of seconds was expected").into()),
    }
}
