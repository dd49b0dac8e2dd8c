//! Measures a point of the grid.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use tables::Measurement;
use tempfile::TempDir;

use crate::child::{self, Run};
use crate::grid::Point;

/// Number of runs of a short command.
const RUNS: usize = 3;
/// Time above which a command is run only once, in seconds.
const LONG: f64 = 4.0;

/// The folder for traces and certificates, and the time limit of a check.
pub(crate) struct Bench {
    folder: TempDir,
    timeout: Duration,
}

/// The output of `rubric check --format json`.
#[derive(Deserialize)]
struct Answer {
    verdict: String,
    decided_by: String,
    seconds: f64,
    edges: u64,
    backtracks: u64,
    #[serde(default)]
    reason: String,
    certificate: Option<PathBuf>,
}

impl Bench {
    pub(crate) fn new(timeout: Duration) -> Result<Bench, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        Ok(Bench { folder, timeout })
    }

    /// Generates the history of a point, checks it, and verifies the certificate.
    ///
    /// # Errors
    /// Returns an error if one of the commands fails.
    pub(crate) fn measure(&self, point: &Point) -> Result<Measurement, Box<dyn Error>> {
        let trace = self.path(&format!("history.{}", point.format));
        let command = generate(point);
        let mut words: Vec<&str> = command.split(' ').collect();
        words.extend(["--output", &trace]);
        child::run(&words, &[0])?;

        let runs = repeat(|| self.check(point, &trace))?;
        let answers: Result<Vec<Answer>, _> =
            runs.iter().map(|run| serde_json::from_str(&run.output)).collect();
        let mut answers = answers?;
        let decide_seconds = median(answers.iter().map(|answer| answer.seconds));
        let answer = answers.swap_remove(0);
        let verify = match &answer.certificate {
            None => None,
            Some(certificate) => Some(verify(&trace, certificate)?),
        };
        let is_timeout = answer.reason.contains("time limit");
        let [loads, stores, rmws, fences] = point.mix;
        let row = Measurement {
            series: point.series.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: format!("rubric {command}"),
            format: point.format.to_owned(),
            model: point.model.to_owned(),
            algorithm: point.algorithm.to_owned(),
            operations: point.operations,
            threads: point.threads,
            locations: point.locations,
            loads,
            stores,
            rmws,
            fences,
            violations: point.violations,
            seed: point.seed,
            trace_bytes: fs::metadata(&trace)?.len(),
            verdict: if is_timeout { "timeout".to_owned() } else { answer.verdict },
            decided_by: answer.decided_by,
            runs: runs.len() as u32,
            check_seconds: median(runs.iter().map(|run| run.seconds)),
            decide_seconds,
            check_peak: peak(&runs),
            edges: answer.edges,
            backtracks: answer.backtracks,
            certificate_bytes: verify.as_ref().map(|(bytes, _)| *bytes),
            verify_seconds: verify
                .as_ref()
                .map(|(_, runs)| median(runs.iter().map(|run| run.seconds))),
            verify_peak: verify.as_ref().map(|(_, runs)| peak(runs)),
        };
        fs::remove_file(&trace)?;
        Ok(row)
    }

    fn check(&self, point: &Point, trace: &str) -> Result<Run, Box<dyn Error>> {
        let timeout = self.timeout.as_secs().to_string();
        let certificates = self.path("certificates");
        let words = [
            "check",
            "--model",
            point.model,
            "--algorithm",
            point.algorithm,
            "--timeout",
            &timeout,
            "--certificate",
            &certificates,
            "--format",
            "json",
            trace,
        ];
        child::run(&words, &[0, 1, 3])
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }
}

/// The command that generates a point's history, without the program's name.
fn generate(point: &Point) -> String {
    let Point {
        model,
        operations,
        threads,
        locations,
        violations,
        seed,
        mix: [loads, stores, rmws, fences],
        ..
    } = point;
    format!(
        "generate --model {model} --threads {threads} --operations {operations} \
         --locations {locations} --mix {loads},{stores},{rmws},{fences} --violations {violations} \
         --seed {seed}"
    )
}

/// Verifies a certificate and removes it. Returns its size in bytes, and the runs.
fn verify(trace: &str, certificate: &PathBuf) -> Result<(u64, Vec<Run>), Box<dyn Error>> {
    let path = certificate.to_string_lossy();
    let runs = repeat(|| child::run(&["verify", trace, &path], &[0]))?;
    let bytes = fs::metadata(certificate)?.len();
    fs::remove_file(certificate)?;
    Ok((bytes, runs))
}

/// Runs a function several times, or once if it takes long.
fn repeat(
    mut run: impl FnMut() -> Result<Run, Box<dyn Error>>,
) -> Result<Vec<Run>, Box<dyn Error>> {
    let mut runs = vec![run()?];
    while runs.len() < RUNS && runs[0].seconds < LONG {
        runs.push(run()?);
    }
    Ok(runs)
}

/// The median; of an even number of values, the mean of the two in the middle.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let [low, high] = middle(values.len()).map(|at| values[at]);
    low.midpoint(high)
}

/// The median of the largest amounts of memory, in bytes.
fn peak(runs: &[Run]) -> u64 {
    let mut peaks: Vec<u64> = runs.iter().map(|run| run.peak).collect();
    peaks.sort_unstable();
    let [low, high] = middle(peaks.len()).map(|at| peaks[at]);
    low.midpoint(high)
}

/// The positions of the two middle ones of so many values, which are the same if the number is odd.
fn middle(count: usize) -> [usize; 2] {
    [(count - 1) / 2, count / 2]
}
