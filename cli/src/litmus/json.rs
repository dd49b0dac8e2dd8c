//! The results of litmus tests as JSON Lines.

use std::io::{self, Write};

use serde::Serialize;

use super::Ran;

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    test: &'a str,
    architecture: &'a str,
    model: &'a str,
    kind: &'a str,
    condition: String,
    states: Vec<String>,
    verdict: &'a str,
    observation: &'a str,
    positive: u64,
    negative: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_limit: Option<usize>,
    seconds: f64,
}

/// Writes the result of a test as one line.
pub fn write(ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    let (test, outcomes) = (&ran.test, &ran.outcomes);
    let (positive, negative) = outcomes.witnesses();
    let line = Line {
        file: &ran.file,
        test: &test.name,
        architecture: test.architecture.name(),
        model: ran.model.name(),
        kind: test.condition.quantifier.kind(),
        condition: test.condition(),
        states: outcomes.states.iter().map(|state| test.state(state)).collect(),
        verdict: super::text::verdict(ran.is_met()),
        observation: outcomes.observation().name(),
        positive,
        negative,
        loop_limit: outcomes.loop_limit,
        seconds: ran.seconds,
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}
