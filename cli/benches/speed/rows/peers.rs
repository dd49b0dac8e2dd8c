//! Rows of other programs, as far as they are installed: Axe, herd7 and Rumur, each beside a row of the same work here.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use super::{Bench, Measure, Row, Work, plain, words};

/// Axe's largest history here: it takes some seconds for it, and memory grows with the square.
const FOR_AXE: &str = "--model wmo --operations 8K --threads 16 --seed 1";

impl Bench {
    /// The rows of the programs that are installed.
    pub(super) fn peers(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::new();
        if is_installed("axe") {
            let history = self.file("axe.axe");
            self.make(&format!("generate {FOR_AXE} -o {history}"))?;
            rows.push(Row::seconds(
                "check 8K operations, wmo",
                &format!("check {history} --model wmo"),
            ));
            rows.push(peer("Axe, the same", "axe", &format!("check WMO {history}")));
        }
        if is_installed("herd7") {
            let tests =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/litmus/herd/aarch64");
            let mut files = Vec::new();
            for file in std::fs::read_dir(&tests)? {
                files.push(plain(file?.path()));
            }
            files.retain(|file| file.ends_with(".litmus"));
            files.sort();
            rows.push(Row::seconds(
                "litmus tests of fixtures",
                &format!("litmus {}", files.join(" ")),
            ));
            rows.push(peer("herd7, the same", "herd7", &files.join(" ")));
        }
        if is_installed("rumur") && is_installed("cc") {
            rows.push(self.rumur()?);
        }
        Ok(rows)
    }

    /// A row of a checker that Rumur makes of MI_example with two caches.
    fn rumur(&self) -> Result<Row, Box<dyn Error>> {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/murphi/MI_example.m");
        let text = std::fs::read_to_string(model)?.replace("NODES: 3;", "NODES: 2;");
        let [model, code, checker] =
            ["model.m", "checker.c", "checker"].map(|name| self.file(name));
        std::fs::write(&model, text)?;
        succeed(Command::new("rumur").args(["--threads", "1", "--output", &code]).arg(model))?;
        succeed(Command::new("cc").args([
            "-O3",
            "-march=native",
            &code,
            "-o",
            &checker,
            "-lpthread",
        ]))?;
        Ok(Row {
            measure: Measure::ProcessorRate,
            work: Work::Before("states"),
            unit: "million states/s",
            ..peer("Rumur, MI_example as a Murphi model", &checker, "")
        })
    }
}

/// A row of the time that a command of another program takes.
fn peer(name: &str, program: &str, arguments: &str) -> Row {
    Row { peer: Some(program.to_owned()), command: words(arguments), ..Row::seconds(name, "") }
}

/// Whether a program starts.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {said}").into()) }
}
