//! What comes of exchanging neighbours among the actions of MI_example. A published experiment found
//! violations of SC after such exchanges and names one, of the hit and its profiling. That one changes
//! nothing, byte for byte. Of all others, two lose writes or read what is too old, some end in a fault,
//! and the rest change nothing either.

mod edits;
mod outcome;
mod stress;

use std::collections::BTreeMap;

use edits::{Edit, Kind, replaced};
use outcome::{effect, traced};
use simulate::client::Client;
use simulate::config::Options;
use simulate::mutant::touched::touched;
use simulate::program::Shape;
use simulate::protocol::Protocol;
use simulate::simulation::Simulation;

/// Exchanges that change runs of cores, and what runs then end with, if they do not go well by chance.
const FAULTY: &[(&str, &str)] = &[
    // The load gets what was in the entry before; the store goes into the block before it comes.
    (
        "L1Cache (IS, Data, M) Swap fill_entry read_miss_done",
        "SC violation",
    ),
    (
        "L1Cache (IM, Data, M) Swap fill_entry write_miss_done",
        "SC violation",
    ),
    // The forward goes to the requester, who keeps it until the block comes that it should send.
    (
        "Directory (M, GETX) Swap forward_to_owner set_owner",
        "deadlock",
    ),
    // What is used is not there yet, or not there any more, or another message is taken for it.
    (
        "L1Cache (M, Replacement, MI) Swap take_tbe keep_copy",
        "fault",
    ),
    (
        "L1Cache (MI, Fwd_GETX, II) Swap pass_put_block_on pop_forward",
        "fault",
    ),
    (
        "L1Cache (MII, Fwd_GETX, I) Swap pass_put_block_on free_tbe",
        "fault",
    ),
    (
        "Directory (I, GETX, IM) Swap set_owner pop_request",
        "fault",
    ),
    ("Directory (M, GETX) Swap set_owner pop_request", "fault"),
    (
        "Directory ({I, M, M_DRD, M_DWR, M_DRDI, M_DWRI}, PUTX_NotOwner) Swap refuse_put pop_request",
        "fault",
    ),
];

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

/// The exchanges of a protocol, by what they are called.
fn exchanges(protocol: &Protocol) -> BTreeMap<String, Edit> {
    let all = edits::all(protocol).into_iter();
    let exchanges = all.filter(|edit| edit.kind == Kind::Swap);
    exchanges.map(|edit| (edit.to_string(), edit)).collect()
}

/// Checks that all runs are alike, those of cores that must be told of losses too. Whether they take
/// what differs.
fn are_alike(ours: &Protocol, edited: &Protocol, about: &str) -> bool {
    let touched = touched(ours, edited);
    let mut visits = 0;
    for simulation in runs(Client::InOrder).chain(runs(Client::Early(8))) {
        let (before, run) = traced(ours, &simulation);
        let (after, _) = traced(edited, &simulation);
        assert!(before == after, "{about}: {simulation:?}");
        visits += touched.visits(&run.coverage());
    }
    visits > 0
}

#[test]
fn most_exchanges_change_nothing() {
    let ours = stress::open("MI_example");
    let mut all = exchanges(&ours);
    all.retain(|name, _| FAULTY.iter().all(|(faulty, _)| faulty != name));
    let mut taken = 0;
    for (name, edit) in &all {
        taken += u32::from(are_alike(&ours, &edit.apply(&ours), name));
    }
    // The others are about DMA.
    assert_eq!(taken, 33);
}

#[test]
fn some_exchanges_end_in_a_fault_or_violate_sc() {
    let ours = stress::open("MI_example");
    let all = exchanges(&ours);
    for (name, expected) in FAULTY {
        let edited = all[*name].apply(&ours);
        let effects = runs(Client::InOrder).filter_map(|run| effect(&edited, &run));
        let effects: Vec<String> = effects.collect();
        let is_expected = |effect: &String| match *expected {
            "fault" => !effect.ends_with("violation"),
            expected => effect == expected,
        };
        assert!(!effects.is_empty(), "{name}");
        assert!(effects.iter().all(is_expected), "{name}: {effects:?}");
    }
}

/// MI_example counts no hits here, so it is given an action that does.
#[test]
fn a_hit_and_its_profiling_can_be_exchanged() {
    let ours = stress::open("MI_example");
    let action = "  action(write_hit,";
    let count = "  action(count_hit, \"ch\", desc=\"Count a hit\") {\n    \
                 cacheMemory.profileDemandHit();\n  }\n\n";
    let counting = replaced(&ours, action, &format!("{count}{action}"));
    let with = |actions| replaced(&counting, "{write_hit, pop_core}", actions);
    let before = with("{write_hit, count_hit, pop_core}");
    let after = with("{count_hit, write_hit, pop_core}");
    // The library may know that counting does nothing, and then finds nothing that differs.
    are_alike(&before, &after, "the hit and its profiling");
    are_alike(&ours, &after, "a hit without profiling");
}
