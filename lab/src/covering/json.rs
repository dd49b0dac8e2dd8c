//! The report of a search for runs, as JSON.

use explore::protocol::cover::CoveringRun;
use schemars::JsonSchema;
use serde::Serialize;
use simulate::stepper::DescribedMove;
use slicc::outline::TableEntry;

use super::text::counts;
use super::{Covered, Fate};

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
    /// The system of the walk that took it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    /// The command that runs the program that took it.
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
    }
}

fn row<'a>(
    covered: &Covered,
    entry: &'a TableEntry,
    fate: &'a Fate,
    run: Option<&'a CoveringRun>,
) -> RowJson<'a> {
    let (outcome, reason, command) = match fate {
        Fate::Walk(..) => ("walk", None, None),
        Fate::Program(client, lineage) => {
            ("program", None, Some(covered.command(*client, lineage)))
        }
        Fate::Proved(why) => ("proved", Some(&**why), None),
        Fate::Lacking(why) => ("needs", Some(&**why), None),
        Fate::Left(why) => ("left", Some(&**why), None),
    };
    let step =
        |step: &'a DescribedMove| StepJson { happens: &step.happens, effects: &step.effects };
    RowJson {
        machine: &entry.machine,
        state: &entry.state,
        event: &entry.event,
        outcome,
        reason,
        system: covered.system_of(entry),
        command,
        steps: run.map(|run| run.steps.iter().map(step).collect()),
    }
}
