//! The results of litmus tests as JSON Lines.

use std::io::{self, Write};

use litmus::Outcomes;
use schemars::JsonSchema;
use serde::Serialize;

use super::Ran;
use crate::json;

/// A line of `rubric litmus --format json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Line<'a> {
    /// The file.
    file: &'a str,
    /// The name of the test.
    test: &'a str,
    /// The instruction set.
    architecture: &'a str,
    /// The name of the memory model, such as `tso`.
    model: &'a str,
    /// What the test says of its condition.
    #[schemars(extend("enum" = ["Allowed", "Forbidden", "Required"]))]
    kind: &'a str,
    /// The condition.
    condition: String,
    /// The final states that the model allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Vec<String>>,
    /// Whether the condition holds.
    #[schemars(extend("enum" = ["Ok", "No", "Undecided"]))]
    verdict: &'a str,
    /// How many of the executions satisfy the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["Never", "Sometimes", "Always"]))]
    observation: Option<&'a str>,
    /// The number of executions that satisfy the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    positive: Option<u64>,
    /// The number of executions that do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    negative: Option<u64>,
    /// How often loops were repeated at most, if a run reached that.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_limit: Option<usize>,
    /// Why the test is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// Seconds that it took.
    seconds: f64,
}

/// Writes the result of a test as one line.
pub(super) fn write(ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
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
    json::line(&line, out)
}
