//! What comes of exchanging neighbours among the actions of MI_example. A published experiment found
//! violations of SC after such exchanges and names one, of the hit and its profiling. That one changes
//! nothing, byte for byte; two others lose writes or read what is too old, and the rest end in a fault
//! or change nothing.

mod outcome;
mod stress;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use outcome::{effect, traced};
use simulate::client::Client;
use simulate::config::Options;
use simulate::mutant::Changed;
use simulate::mutant::equivalent::equivalent;
use simulate::program::Shape;
use simulate::protocol::{BLOCK_BYTES, Protocol};
use simulate::simulation::Simulation;
use simulate::slicc::outline;
use tables::Pair;

/// The files with transitions. No transition of one starts like one of the other.
const FILES: [&str; 2] = ["MI_example-cache.sm", "MI_example-dir.sm"];

/// Exchanges that leave every run as it was: the start of a transition, and two of its actions.
const ALIKE: &[&str] = &[
    "transition(M, {Load, Ifetch}): read_hit, pop_core",
    "transition(M, Store): write_hit, pop_core",
    "transition(I, {Load, Ifetch}, IS): take_entry, take_tbe",
    "transition(I, {Load, Ifetch}, IS): take_tbe, ask_for_ownership",
    "transition(I, {Load, Ifetch}, IS): ask_for_ownership, pop_core",
    "transition(I, Store, IM): take_entry, take_tbe",
    "transition(I, Store, IM): take_tbe, ask_for_ownership",
    "transition(I, Store, IM): ask_for_ownership, pop_core",
    "transition(IS, Data, M): read_miss_done, free_tbe",
    "transition(IS, Data, M): free_tbe, wake_forwards",
    "transition(IS, Data, M): wake_forwards, pop_response",
    "transition(IM, Data, M): write_miss_done, free_tbe",
    "transition(IM, Data, M): free_tbe, wake_forwards",
    "transition(IM, Data, M): wake_forwards, pop_response",
    "transition(M, Fwd_GETX, I): pass_block_on, tell_core_of_loss",
    "transition(M, Fwd_GETX, I): tell_core_of_loss, pop_forward",
    "transition(M, Replacement, MI): keep_copy, put_block",
    "transition(M, Replacement, MI): put_block, tell_core_of_loss",
    "transition(M, Replacement, MI): tell_core_of_loss, free_entry",
    "transition(MI, Writeback_Ack, I): free_tbe, pop_forward",
    "transition(II, Writeback_Nack, I): free_tbe, pop_forward",
    "transition(MII, Fwd_GETX, I): free_tbe, pop_forward",
    "transition(I, GETX, IM): take_tbe, fetch_for_cache",
    "transition(I, GETX, IM): fetch_for_cache, set_owner",
    "transition(IM, Memory_Data, M): send_block, free_tbe",
    "transition(IM, Memory_Data, M): free_tbe, wake_requests",
    "transition(IM, Memory_Data, M): wake_requests, pop_memory",
    "transition(M, PUTX, MI): take_tbe, write_put_block",
    "transition(M, PUTX, MI): write_put_block, clear_owner",
    "transition(M, PUTX, MI): clear_owner, pop_request",
    "transition(MI, Memory_Ack, I): accept_put, free_tbe",
    "transition(MI, Memory_Ack, I): free_tbe, wake_requests",
    "transition(MI, Memory_Ack, I): wake_requests, pop_memory",
];

/// Exchanges that change runs, and what runs then end with, if they do not go well by chance.
const OTHERS: &[(&str, &str)] = &[
    // The load gets what was in the entry before; the store goes into the block before it comes.
    (
        "transition(IS, Data, M): fill_entry, read_miss_done",
        "SC violation",
    ),
    (
        "transition(IM, Data, M): fill_entry, write_miss_done",
        "SC violation",
    ),
    // The forward goes to the requester, who keeps it until the block comes that it should send.
    (
        "transition(M, GETX): forward_to_owner, set_owner",
        "deadlock",
    ),
    // What is used is not there yet, or not there any more, or another message is taken for it.
    (
        "transition(M, Replacement, MI): take_tbe, keep_copy",
        "fault",
    ),
    (
        "transition(MI, Fwd_GETX, II): pass_put_block_on, pop_forward",
        "fault",
    ),
    (
        "transition(MII, Fwd_GETX, I): pass_put_block_on, free_tbe",
        "fault",
    ),
    ("transition(I, GETX, IM): set_owner, pop_request", "fault"),
    ("transition(M, GETX): set_owner, pop_request", "fault"),
    (
        "transition({I, M, M_DRD, M_DWR, M_DRDI, M_DWRI}, PUTX_NotOwner): refuse_put, pop_request",
        "fault",
    ),
];

fn original() -> Protocol {
    stress::open("MI_example")
}

/// MI_example with a file edited: the one that has a text in it.
fn edited(within: &str, edit: impl Fn(&str) -> String) -> Protocol {
    let ours = original();
    let files = ours.loaded.own_files();
    let has = |(name, text): &&(&str, &str)| FILES.contains(name) && text.contains(within);
    let (file, text) = files.iter().find(has).unwrap_or_else(|| panic!("{within}"));
    let change = Changed {
        path: (*file).to_owned(),
        text: edit(text),
    };
    let loaded = ours.loaded.reload(&[change]);
    let compiled = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    compiled.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

/// MI_example with two neighbours exchanged.
fn exchanged(exchange: &str) -> Protocol {
    let (transition, pair) = exchange.split_once(": ").unwrap();
    let (first, second) = pair.split_once(", ").unwrap();
    edited(transition, |text| {
        let (before, rest) = text.split_at(text.find(transition).unwrap());
        let (actions, after) = rest.split_at(rest.find("}\n").unwrap());
        assert!(actions.contains(pair), "{exchange}");
        let actions = actions.replace(pair, &format!("{second}, {first}"));
        format!("{before}{actions}{after}")
    })
}

/// The rows with other actions, or the same in another order.
fn changed(ours: &Protocol, edited: &Protocol) -> BTreeSet<Pair> {
    let rows = |protocol: &Protocol| {
        let machines = protocol.outline.machines.iter();
        let rows = machines.flat_map(|machine| {
            let row = |entry: &outline::Entry| {
                let state = &machine.states[usize::from(entry.state)].name;
                let event = &machine.events[usize::from(entry.event)].name;
                let pair = (machine.name.clone(), state.clone(), event.clone());
                (pair, entry.actions.clone())
            };
            machine.entries.iter().map(row).collect::<Vec<_>>()
        });
        rows.collect::<BTreeMap<_, _>>()
    };
    let (before, mut after) = (rows(ours), rows(edited));
    after.retain(|pair, actions| before.get(pair) != Some(actions));
    after.into_keys().collect()
}

/// Runs of each.
const RUNS: u64 = 8;

/// Runs of a kind of core, in which lines are evicted and hold several locations.
fn runs(client: Client) -> impl Iterator<Item = Simulation> {
    (1..=RUNS).map(move |seed| Simulation {
        shape: Shape {
            operations: 60,
            locations: 24,
            per_line: 3,
            fetches: 20,
            seed,
            ..Shape::default()
        },
        client,
        options: Options::default(),
        deadlock_threshold: None,
    })
}

/// Checks that all runs are alike and take a row that differs, those of cores that must be told of
/// losses too.
fn compare(ours: &Protocol, edited: &Protocol, about: &str) {
    let changed = changed(ours, edited);
    let mut is_taken = false;
    for run in runs(Client::InOrder).chain(runs(Client::Early(8))) {
        let (before, taken) = traced(ours, &run);
        let (after, _) = traced(edited, &run);
        assert!(before == after, "{about}");
        is_taken |= !changed.is_disjoint(&taken);
    }
    assert!(is_taken, "{about}");
}

#[test]
fn most_exchanges_change_nothing() {
    let ours = original();
    for exchange in ALIKE {
        let exchanged = exchanged(exchange);
        compare(&ours, &exchanged, exchange);
        assert!(equivalent(&ours, &exchanged, None).is_some(), "{exchange}");
    }
}

#[test]
fn others_end_in_a_fault_or_violate_sc() {
    for (exchange, expected) in OTHERS {
        let edited = exchanged(exchange);
        assert_eq!(equivalent(&original(), &edited, None), None, "{exchange}");
        let effects: Vec<String> = runs(Client::InOrder)
            .filter_map(|run| effect(&edited, &run))
            .collect();
        let is_expected = |effect: &String| match *expected {
            "fault" => !effect.ends_with("violation"),
            expected => effect == expected,
        };
        assert!(!effects.is_empty(), "{exchange}");
        assert!(effects.iter().all(is_expected), "{exchange}: {effects:?}");
    }
}

/// The published example. MI_example counts no hits here, so it is given an action that does.
#[test]
fn a_hit_and_its_profiling_can_be_exchanged() {
    let counting = |actions: &'static str| {
        edited("action(write_hit,", |text| {
            let action = "  action(count_hit, \"ch\", desc=\"Count a hit\") {\n    \
                          cacheMemory.profileDemandHit();\n  }\n\n  action(write_hit,";
            let text = text.replace("  action(write_hit,", action);
            let transition = |actions| format!("transition(M, Store) {{{actions}}}");
            let edited = text.replace(&transition("write_hit, pop_core"), &transition(actions));
            assert_ne!(edited, text);
            edited
        })
    };
    let before = counting("write_hit, count_hit, pop_core");
    let after = counting("count_hit, write_hit, pop_core");
    compare(&before, &after, "the hit and its profiling");
}
