//! The report of a comparison as JSON.

use schemars::JsonSchema;
use serde::Serialize;
use slicc::difference::{MachineDifference, NameChanges, TableRow, TransitionDifference};
use slicc::outline::TableEntry;

use super::Compared;
use crate::testing::Finding;
use crate::testing::json::{ExploredJson, FindingJson, explored, finding};
use crate::testing::options::Options;
use crate::testing::text::Explain;

/// Version of the JSON object.
pub const VERSION: u32 = 1;

/// What `rubric diff --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    /// The version of this object.
    version: u32,
    /// The old version, as it was given.
    old: &'a str,
    /// The new version, as it was given.
    new: &'a str,
    /// The repairs that were applied to the old version.
    repaired_old: &'a [String],
    /// The repairs that were applied to the new version.
    repaired_new: &'a [String],
    /// The seed of the first run.
    seed: u64,
    /// The number of programs that ran on each kind of core, each on both versions.
    runs: u32,
    /// The kinds of cores.
    clients: Vec<String>,
    /// The number of runs that were given up because time ran out. Nothing is concluded from them.
    given_up: u32,
    /// The number of operations of all runs of the new version.
    operations: u64,
    /// The seconds that passed.
    seconds: f64,
    /// The declarations outside of machines.
    declarations: Names<'a>,
    /// The machines that differ.
    machines: Vec<Machine<'a>>,
    /// How often the programs took each transition that was added or changed.
    changed_transitions: Vec<Count<'a>>,
    /// How often the programs took each transition of the old version that the new one does not have, in the new version's names.
    removed_transitions: Vec<Count<'a>>,
    /// The small systems of the old version that were explored.
    explored_old: Vec<ExploredJson>,
    /// The small systems of the new version that were explored.
    explored_new: Vec<ExploredJson>,
    /// The seconds after which the first finding was seen that only the new version shows; `None` if there is none.
    first_found: Option<f64>,
    /// The findings that only the new version shows, the worst first. What comes from one edit is one finding.
    only_new: Vec<FindingJson<'a>>,
    /// The findings that only the old version shows, the worst first.
    only_old: Vec<FindingJson<'a>>,
    /// The findings that both versions show.
    both: Vec<Both<'a>>,
}

/// How often a transition was taken.
#[derive(Serialize, JsonSchema)]
struct Count<'a> {
    machine: &'a str,
    state: &'a str,
    event: &'a str,
    /// How often it was taken.
    count: u64,
}

/// A finding that both versions show.
#[derive(Serialize, JsonSchema)]
struct Both<'a> {
    /// The finding as the old version shows it.
    old: FindingJson<'a>,
    /// The finding as the new version shows it.
    new: FindingJson<'a>,
}

/// A machine that differs.
#[derive(Serialize, JsonSchema)]
struct Machine<'a> {
    /// The name of the machine.
    machine: &'a str,
    /// States that one version lacks.
    states: Names<'a>,
    /// Events that one version lacks.
    events: Names<'a>,
    /// Actions that one version lacks, or whose code differs.
    actions: Names<'a>,
    /// Parameters, ports, functions, structures and variables that one version lacks, or that differ.
    declarations: Names<'a>,
    /// Transitions that one version lacks, or that differ.
    transitions: Vec<Transition<'a>>,
}

/// The names of what differs.
#[derive(Serialize, JsonSchema)]
struct Names<'a> {
    /// Names that only the new version has.
    added: &'a [String],
    /// Names that only the old version has.
    removed: &'a [String],
    /// Names of things that both versions have and that differ.
    changed: &'a [String],
    /// Names of things that were only renamed.
    renamed: Vec<Renamed<'a>>,
}

/// A change of a name.
#[derive(Serialize, JsonSchema)]
struct Renamed<'a> {
    /// The old name.
    old: &'a str,
    /// The new name.
    new: &'a str,
}

/// A transition that differs.
#[derive(Serialize, JsonSchema)]
struct Transition<'a> {
    state: &'a str,
    event: &'a str,
    /// The transition in the old version; `None` if it has been added.
    old: Option<Row<'a>>,
    /// The transition in the new version; `None` if it has been removed.
    new: Option<Row<'a>>,
    /// The actions of the transition whose code differs between the versions.
    changed_actions: &'a [String],
}

/// A row of the table of transitions.
#[derive(Serialize, JsonSchema)]
struct Row<'a> {
    /// The next state; `*` if `getNextState` computes it.
    next: &'a str,
    /// The actions, in order.
    actions: &'a [String],
}

/// The report as one object. `explain` shows the violation of a part.
pub fn document<'a>(
    compared: &'a Compared,
    options: &Options,
    explain: Explain<'_>,
) -> Document<'a> {
    let both = compared.both.iter();
    let finding = |one: &'a Finding| finding(one, explain);
    Document {
        version: VERSION,
        old: &compared.old.given,
        new: &compared.new.given,
        repaired_old: &compared.old.protocol.loaded.repairs,
        repaired_new: &compared.new.protocol.loaded.repairs,
        seed: options.seed,
        runs: compared.runs,
        clients: options.clients.iter().map(ToString::to_string).collect(),
        given_up: compared.given_up,
        operations: compared.operations,
        seconds: compared.elapsed.as_secs_f64(),
        declarations: names(&compared.difference.declarations),
        machines: compared.difference.machines.iter().map(machine).collect(),
        changed_transitions: compared.reached.iter().map(count).collect(),
        removed_transitions: compared.reached_removed.iter().map(count).collect(),
        explored_old: compared.explored_old.iter().map(explored).collect(),
        explored_new: compared.explored_new.iter().map(explored).collect(),
        first_found: compared.first_found.map(|first| first.as_secs_f64()),
        only_new: compared.only_new.iter().map(finding).collect(),
        only_old: compared.only_old.iter().map(finding).collect(),
        both: both.map(|(old, new)| Both { old: finding(old), new: finding(new) }).collect(),
    }
}

fn count((TableEntry { machine, state, event }, count): &(TableEntry, u64)) -> Count<'_> {
    Count { machine, state, event, count: *count }
}

fn machine(one: &MachineDifference) -> Machine<'_> {
    Machine {
        machine: &one.machine,
        states: names(&one.states),
        events: names(&one.events),
        actions: names(&one.actions),
        declarations: names(&one.declarations),
        transitions: one.transitions.iter().map(transition).collect(),
    }
}

fn names(changes: &NameChanges) -> Names<'_> {
    let renamed = changes.renamed.iter().map(|(old, new)| Renamed { old, new });
    Names {
        added: &changes.added,
        removed: &changes.removed,
        changed: &changes.changed,
        renamed: renamed.collect(),
    }
}

fn transition(one: &TransitionDifference) -> Transition<'_> {
    Transition {
        state: &one.entry.state,
        event: &one.entry.event,
        old: one.old.as_ref().map(row),
        new: one.new.as_ref().map(row),
        changed_actions: &one.changed_actions,
    }
}

fn row(row: &TableRow) -> Row<'_> {
    Row { next: &row.next, actions: &row.actions }
}
