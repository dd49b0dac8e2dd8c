//! The results of litmus tests as JSON Lines.

use std::io::{self, Write};

use litmus::Outcomes;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Vec<String>>,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positive: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    negative: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    seconds: f64,
}

/// Writes the result of a test as one line.
pub fn write(ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    let (test, found) = (&ran.test, ran.outcomes.as_ref().ok());
    let witnesses = found.map(Outcomes::witnesses);
    let states = found.map(|it| it.states.iter().map(|state| test.state(state)).collect());
    let line = Line {
        file: &ran.file,
        test: &test.name,
        architecture: test.architecture.name(),
        model: ran.model.name(),
        kind: test.condition.quantifier.kind(),
        condition: test.condition(),
        states,
        verdict: ran.verdict(),
        observation: found.map(|it| it.observation().name()),
        positive: witnesses.map(|it| it.0),
        negative: witnesses.map(|it| it.1),
        loop_limit: found.and_then(|it| it.loop_limit),
        reason: ran.outcomes.as_ref().err().map(String::as_str),
        seconds: ran.seconds,
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}
