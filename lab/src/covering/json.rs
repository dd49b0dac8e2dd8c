//! The report of a search for runs, as JSON.

use explore::protocol::cover::CoveringRun;
use schemars::JsonSchema;
use serde::Serialize;
use simulate::stepper::DescribedMove;
use slicc::outline::TableEntry;

use super::systems;
use super::text::{counts, problem};
use super::{Covered, Fate, FoundByWalks, Replayed};
use crate::testing::judge::of_violation;

/// Version of the JSON object.
pub const VERSION: u32 = 1;

/// What `rubric cover --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    /// The version of this object.
    version: u32,
    /// The protocol, as it was given.
    protocol: &'a str,
    /// The seed of all choices.
    seed: u64,
    /// The number of rounds.
    rounds: u32,
    /// The number of small systems that were walked through.
    systems: u64,
    /// The number of walks.
    walks: u64,
    /// The number of random programs.
    programs: u64,
    /// The seconds that passed.
    seconds: f64,
    /// The number of transitions of the table that are no stalls.
    table: usize,
    /// The number of those that were taken.
    taken: usize,
    /// The number of those that are proved unreachable.
    proved: usize,
    /// The number of those that need what no system here has.
    needs: usize,
    /// The transitions of the table; with `--to` only that one.
    transitions: Vec<RowJson<'a>>,
    /// The findings in which walks ended.
    findings: Vec<FindingJson>,
}

/// A finding in which walks ended.
#[derive(Serialize, JsonSchema)]
pub struct FindingJson {
    /// What it is, as `rubric test` calls it: `undefined transition: L1Cache (I, Inv)`.
    finding: String,
    /// What happened, in words.
    message: String,
    /// The file of the protocol that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The number of walks that ended so.
    walks: u64,
    /// The system of a short one, in words.
    system: String,
    /// The number of its moves.
    moves: usize,
    /// The command that shows it.
    command: String,
}

/// What `rubric cover --replay WALK --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct ReplayedDocument<'a> {
    /// The version of this object.
    version: u32,
    /// The protocol, as it was given.
    protocol: &'a str,
    /// The system in words.
    system: &'a str,
    /// The moves of the walk, in order.
    steps: Vec<StepJson<'a>>,
    /// The finding in which the walk ends, if it does, as `rubric test` calls it.
    finding: Option<String>,
    /// What happened there, in words.
    message: Option<String>,
}

/// A transition of the table.
#[derive(Serialize, JsonSchema)]
pub struct RowJson<'a> {
    /// The machine.
    machine: &'a str,
    /// The state before it.
    state: &'a str,
    /// The event.
    event: &'a str,
    /// What became of it: `walk` or `program` (which took it), `proved` (unreachable), `needs` (what no system
    /// here has) or `left`.
    outcome: &'static str,
    /// Why it was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// True if it is left and no run takes it before another transition that is left; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    follows: bool,
    /// The system of the walk that took it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    /// The command that runs the program that took it or, with `--to`, makes the walk again.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// With `--to`: the run that takes it in its last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepJson<'a>>>,
}

/// A step of a run.
#[derive(Serialize, JsonSchema)]
pub struct StepJson<'a> {
    /// What happens: a request, or a message that arrives.
    happens: &'a str,
    /// What follows from it.
    effects: &'a [String],
}

/// The report of all transitions.
pub fn document(covered: &Covered) -> Document<'_> {
    let rows = covered.rows.iter().map(|(entry, fate)| row(covered, entry, fate, None));
    with_rows(covered, rows.collect())
}

/// The report of one transition, with the run that takes it.
pub fn document_of<'a>(
    covered: &'a Covered,
    entry: &TableEntry,
    run: Option<&'a CoveringRun>,
) -> Document<'a> {
    let found = covered.rows.get_key_value(entry);
    let rows = found.map(|(entry, fate)| row(covered, entry, fate, run));
    with_rows(covered, rows.into_iter().collect())
}

fn with_rows<'a>(covered: &'a Covered, transitions: Vec<RowJson<'a>>) -> Document<'a> {
    let (_, all) = counts(covered);
    Document {
        version: VERSION,
        protocol: &covered.opened.given,
        seed: covered.options.seed,
        rounds: covered.rounds,
        systems: covered.systems,
        walks: covered.walks,
        programs: covered.programs,
        seconds: covered.elapsed.as_secs_f64(),
        table: all.all,
        taken: all.taken,
        proved: all.proved,
        needs: all.lacking,
        transitions,
        findings: covered.findings.iter().filter_map(|found| finding(covered, found)).collect(),
    }
}

fn finding(covered: &Covered, found: &FoundByWalks) -> Option<FindingJson> {
    let problem = problem(covered, found)?;
    let (file, line) = problem.source.map(|source| (source.file, source.line)).unzip();
    Some(FindingJson {
        finding: problem.signature.to_string(),
        message: problem.message,
        file,
        line,
        walks: found.walks,
        system: systems::in_words(&found.scope),
        moves: found.run.steps.len(),
        command: covered.replay_command(found.system, &found.run),
    })
}

/// The report of a walk that was made again.
pub fn document_of_walk(replayed: &Replayed) -> ReplayedDocument<'_> {
    let Replayed { opened, system, run } = replayed;
    let problem = run.violation.as_ref().map(|found| of_violation(found, &opened.protocol));
    let (finding, message) =
        problem.map(|problem| (problem.signature.to_string(), problem.message)).unzip();
    let steps = run.steps.iter().map(step).collect();
    ReplayedDocument { version: VERSION, protocol: &opened.given, system, steps, finding, message }
}

fn step(step: &DescribedMove) -> StepJson<'_> {
    StepJson { happens: &step.happens, effects: &step.effects }
}

fn row<'a>(
    covered: &Covered,
    entry: &'a TableEntry,
    fate: &'a Fate,
    run: Option<&'a CoveringRun>,
) -> RowJson<'a> {
    let (outcome, reason, command) = match fate {
        Fate::Walk(walk) => ("walk", None, run.map(|run| covered.replay_command(walk.system, run))),
        Fate::Program(client, lineage) => {
            ("program", None, Some(covered.command(*client, lineage)))
        }
        Fate::Proved(why) => ("proved", Some(&**why), None),
        Fate::Lacking(why) => ("needs", Some(&**why), None),
        Fate::Left { why, .. } => ("left", Some(&**why), None),
    };
    RowJson {
        machine: &entry.machine,
        state: &entry.state,
        event: &entry.event,
        outcome,
        reason,
        follows: matches!(fate, Fate::Left { follows: true, .. }),
        system: covered.system_of(entry),
        command,
        steps: run.map(|run| run.steps.iter().map(step).collect()),
    }
}
