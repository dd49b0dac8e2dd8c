//! Rows of checking: long histories, their certificates, violations, weak models, litmus tests.

use std::error::Error;
use std::path::Path;

use super::{Bench, Row, plain, words};
use crate::child;

/// A million operations: what rows of long histories are about.
const LONG: &str = "--operations 1M --threads 64 --locations 256 --seed 1";
/// A history with a violation that is not at its beginning.
const VIOLATION: &str = "--model pso --operations 200K --threads 16 --seed 3";

impl Bench {
    /// Makes histories, and returns the rows that check them.
    pub(super) fn checks(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::new();
        for model in ["sc", "tso", "pso"] {
            let history =
                self.generated(&format!("long-{model}.axe"), &format!("--model {model} {LONG}"))?;
            rows.push(check(&format!("check 1M operations, {model}"), &history, model));
        }
        let history = self.file("long-sc.axe");
        rows.push(Row::seconds("read 1M operations, no check", &format!("stats {history}")));
        let (proofs, table) = (self.file("proofs"), self.file("long.parquet"));
        let certified = format!("check {history} --model sc --certificate {proofs}");
        rows.push(Row::seconds("check 1M operations, sc, with certificate", &certified));
        self.make(&certified)?;
        for proof in std::fs::read_dir(&proofs)? {
            let proof = plain(proof?.path());
            rows.push(Row::seconds(
                "verify 1M operations, sc",
                &format!("verify {history} {proof}"),
            ));
        }
        self.make(&format!("convert {history} -o {table}"))?;
        rows.push(check("check 1M operations, sc, from Parquet", &table, "sc"));
        rows.extend(self.violations()?);
        for model in ["rvwmo", "armv8"] {
            for operations in ["128K", "1M"] {
                let file = format!("{model}-{operations}.axe");
                let options =
                    format!("--model {model} --operations {operations} --threads 32 --seed 1");
                let history = self.generated(&file, &options)?;
                rows.push(check(
                    &format!("check {operations} operations, {model}"),
                    &history,
                    model,
                ));
            }
        }
        rows.push(litmus());
        Ok(rows)
    }

    fn violations(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let history = self.generated("violation.axe", VIOLATION)?;
        Ok(vec![
            check("first proof, 200K operations", &history, "tso"),
            Row::seconds("shrink, 200K operations", &format!("shrink {history} --model tso")),
            Row::seconds("explain, 200K operations", &format!("explain {history} --model tso")),
        ])
    }

    /// The path of a new history.
    fn generated(&self, file: &str, options: &str) -> Result<String, Box<dyn Error>> {
        let path = self.file(file);
        self.make(&format!("generate {options} -o {path}"))?;
        Ok(path)
    }

    /// Runs a command that makes what rows need.
    pub(super) fn make(&self, command: &str) -> Result<(), Box<dyn Error>> {
        let command = words(command);
        child::run(&command.iter().map(String::as_str).collect::<Vec<_>>(), &[0])?;
        Ok(())
    }
}

fn check(name: &str, history: &str, model: &str) -> Row {
    Row::seconds(name, &format!("check {history} --model {model}"))
}

/// All tests of a folder: those that herd's users have, if they say where, or the few that come with rubric.
fn litmus() -> Row {
    let folder = std::env::var("RUBRIC_LITMUS").unwrap_or_else(|_| {
        plain(Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/litmus/herd"))
    });
    Row::seconds("litmus tests of a folder", &format!("litmus {folder}"))
}
