//! The report of a comparison as JSON.

use std::io::{self, Write};

use lab::testing::{Compared, Options};
use serde_json::{Value, json};
use slicc::difference::{MachineDifference, NameChanges, TableRow, TransitionDifference};
use slicc::outline::TableEntry;

use crate::test::json::{explored, finding};

/// Version of the JSON object.
const VERSION: u32 = 1;

/// Prints the report as one object.
pub fn print(compared: &Compared, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let counts = |reached: &[(TableEntry, u64)]| -> Vec<Value> {
        let row = |(entry, count): &(TableEntry, u64)| json!({ "machine": entry.machine, "state": entry.state, "event": entry.event, "count": count });
        reached.iter().map(row).collect()
    };
    let both = compared.both.iter();
    let both = both.map(|(old, new)| json!({ "old": finding(old), "new": finding(new) }));
    let value = json!({
        "version": VERSION,
        "old": compared.old.given,
        "new": compared.new.given,
        "repaired_old": compared.old.protocol.loaded.repairs,
        "repaired_new": compared.new.protocol.loaded.repairs,
        "seed": options.seed,
        "runs": compared.runs,
        "clients": options.clients.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "given_up": compared.given_up,
        "operations": compared.operations,
        "seconds": compared.elapsed.as_secs_f64(),
        "declarations": names(&compared.difference.declarations),
        "machines": compared.difference.machines.iter().map(machine).collect::<Vec<_>>(),
        "changed_transitions": counts(&compared.reached),
        "removed_transitions": counts(&compared.reached_removed),
        "explored_old": compared.explored_old.iter().map(explored).collect::<Vec<_>>(),
        "explored_new": compared.explored_new.iter().map(explored).collect::<Vec<_>>(),
        "only_new": compared.only_new.iter().map(finding).collect::<Vec<_>>(),
        "only_old": compared.only_old.iter().map(finding).collect::<Vec<_>>(),
        "both": both.collect::<Vec<_>>(),
    });
    writeln!(out, "{value}")
}

fn machine(one: &MachineDifference) -> Value {
    json!({
        "machine": one.machine,
        "states": names(&one.states),
        "events": names(&one.events),
        "actions": names(&one.actions),
        "declarations": names(&one.declarations),
        "transitions": one.transitions.iter().map(transition).collect::<Vec<_>>(),
    })
}

fn names(changes: &NameChanges) -> Value {
    let renamed = changes.renamed.iter().map(|(old, new)| json!({ "old": old, "new": new }));
    json!({
        "added": changes.added,
        "removed": changes.removed,
        "changed": changes.changed,
        "renamed": renamed.collect::<Vec<_>>(),
    })
}

fn transition(one: &TransitionDifference) -> Value {
    let row = |row: &TableRow| json!({ "next": row.next, "actions": row.actions });
    json!({
        "state": one.entry.state,
        "event": one.entry.event,
        "old": one.old.as_ref().map(row),
        "new": one.new.as_ref().map(row),
        "changed_actions": one.changed_actions,
    })
}
