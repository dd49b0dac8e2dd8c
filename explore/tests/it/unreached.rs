//! Checks the lists of unreached transitions of the built-in protocols against all runs of small systems.
//!
//! `fixtures/protocols/unreached.csv` lists entries of the transition tables that no run reaches, with the reasons. Explorations of small
//! systems are complete, so none of them may reach one. `fixtures/protocols/larger.csv` has the entries that are in neither: the stress
//! runs of the simulator reach them, but none of these systems does, since they are too small or lack a kind of request. `RUBRIC_DRAW=1`
//! writes that list anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use explore::protocol::{Verdict, explore};
use explore::search::Limits;
use simulate::stepper::{Repertoire, Scope, Symmetry};
use slicc::protocol::Protocol;

const PROTOCOLS: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];

/// Machine, state and event.
type Entry = (String, String, String);

/// The systems in which a protocol is explored: those whose exploration takes about half a second.
fn sizes(name: &str) -> Vec<Scope> {
    let plain = Scope::default();
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    let plain = Scope { symmetries, ..plain };
    let with = |repertoire: Repertoire| Scope { repertoire, ..plain.clone() };
    let replacing = Scope { caches: 1, lines: 2, tiny: true, ..plain.clone() };
    let three = Scope { caches: 3, ..plain.clone() };
    let mut all = vec![plain.clone(), Scope { requests: 2, ..replacing.clone() }, replacing];
    all.extend(match name {
        "MI_example" => vec![with(Repertoire { devices: 1, ..plain.repertoire })],
        "MESI_Two_Level" => {
            vec![three, with(Repertoire { prefetch: true, ..plain.repertoire })]
        }
        "MOESI_hammer" => vec![
            three,
            with(Repertoire { flush: true, ..plain.repertoire }),
            with(Repertoire { devices: 1, ..plain.repertoire }),
        ],
        _ => vec![three, Scope { threads_per_cache: 2, ..plain.clone() }],
    });
    all
}

/// Whether an event is about the fetch of an instruction, which is not explored.
fn is_of_fetches(event: &str) -> bool {
    let others = ["L1I_Repl", "L2_to_L1I", "Trigger_L2_to_L1I", "RdBlkS"];
    event.contains("fetch") || event.contains("GET_INSTR") || others.contains(&event)
}

/// Whether a reason does not say that the entry is unreachable in a system.
fn allows(reason: &str, of: &Repertoire) -> bool {
    reason.starts_with("rare")
        || reason.starts_with("unknown")
        || reason.starts_with("needs DMA") && of.devices > 0
        || reason.starts_with("needs flush") && of.flush
        || reason.starts_with("needs prefetcher") && of.prefetch
}

fn file(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols")).join(name)
}

/// The entries of a protocol that are listed as unreached, with the reasons.
fn listed(name: &str) -> Vec<(Entry, String)> {
    let text = std::fs::read_to_string(file("unreached.csv")).expect("the list is there");
    let rows = text.lines().map(|line| line.splitn(6, ',').collect::<Vec<_>>());
    let own = rows.filter(|row| row[0] == name);
    own.map(|row| (entry(row[1], row[2], row[3]), row[5].trim_matches('"').to_owned())).collect()
}

fn entry(machine: &str, state: &str, event: &str) -> Entry {
    (machine.to_owned(), state.to_owned(), event.to_owned())
}

fn table(protocol: &Protocol) -> BTreeSet<Entry> {
    let machines = protocol.program.machines.iter();
    let rows = machines.flat_map(|machine| {
        machine.transitions.iter().map(|one| {
            let state = &machine.states[usize::from(one.state)];
            entry(&machine.name, state, &machine.events[usize::from(one.event)])
        })
    });
    rows.collect()
}

/// The rows of `larger.csv` of a protocol.
fn larger(name: &str) -> String {
    let protocol = Protocol::open(name).expect("it is built in");
    let listed = listed(name);
    let mut rest = table(&protocol);
    for scope in sizes(name) {
        let explored = explore(&protocol, &scope, &Limits::default(), &mut |_| {});
        let explored = explored.expect("the protocol fits");
        assert!(matches!(explored.verdict, Verdict::Clean), "{name}: {:?}", explored.verdict);
        let reached: BTreeSet<Entry> = explored.taken.into_iter().chain(explored.stalled).collect();
        for (entry, reason) in &listed {
            let holds = !reached.contains(entry) || allows(reason, &scope.repertoire);
            assert!(holds, "{name}: {entry:?} is reached although listed: {reason}");
        }
        rest.retain(|entry| !reached.contains(entry));
    }
    for (entry, _) in &listed {
        rest.remove(entry);
    }
    let needs = |event: &str| if is_of_fetches(event) { "fetches" } else { "larger" };
    let line = |(machine, state, event): &Entry| {
        format!("{name},{machine},{state},{event},{}\n", needs(event))
    };
    rest.iter().map(line).collect()
}

#[test]
fn explorations_agree_with_what_is_listed() {
    let all: String = PROTOCOLS.into_iter().map(larger).collect();
    let now = format!("protocol,machine,state,event,needs\n{all}");
    let path = file("larger.csv");
    if std::env::var_os("RUBRIC_DRAW").is_some() {
        std::fs::write(&path, &now).expect("the list can be written");
    }
    let stored = std::fs::read_to_string(&path).expect("the list is there");
    let missing = |these: &str, those: &str| {
        let known: BTreeSet<&str> = those.lines().collect();
        these.lines().filter(|line| !known.contains(line)).collect::<Vec<_>>().join("\n")
    };
    let (unlisted, reached) = (missing(&now, &stored), missing(&stored, &now));
    assert!(
        unlisted.is_empty(),
        "neither reached nor listed (RUBRIC_DRAW=1 writes larger.csv anew):\n{unlisted}"
    );
    assert!(
        reached.is_empty(),
        "larger.csv: a small system reaches these (RUBRIC_DRAW=1 writes it anew):\n{reached}"
    );
}
