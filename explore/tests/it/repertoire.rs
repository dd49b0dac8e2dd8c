//! Requests besides loads and stores: each kind finds faults that cannot be found without it.

use explore::protocol::{Exploration, Finding, Verdict, explore};
use explore::search::Limits;
use mutate::{made, named};
use simulate::stepper::{Order, Repertoire, Scope, StepperError, Symmetry};
use slicc::protocol::Protocol;

fn scope(lines: u32) -> Scope {
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    Scope { lines, tiny: lines > 1, symmetries, ..Scope::default() }
}

fn run(protocol: &Protocol, scope: &Scope, states: usize) -> Exploration {
    let limits = Limits { states: Some(states), ..Limits::default() };
    explore(protocol, scope, &limits, &mut |_| {}).expect("the protocol fits")
}

fn mutated(name: &str, mutant: &str) -> Protocol {
    let original = Protocol::open(name).expect("it is built in");
    let mutant = named::find(mutant).or_else(|| {
        let mut all = made::by(&original, &[]).into_iter();
        all.find(|one| one.name == mutant)
    });
    original.with(&mutant.expect("the mutant is known")).expect("it applies")
}

const NOTHING: Repertoire = Repertoire {
    linked: false,
    locked: false,
    atomic: false,
    flush: false,
    early: false,
    prefetch: false,
    fetch: false,
    devices: 0,
};

/// Checks that the fault of a mutant is found with the requests of `repertoire`, as a finding of this kind, and not without them.
fn only_with(name: &str, mutant: &str, lines: u32, repertoire: Repertoire, kind: &str) {
    let protocol = mutated(name, mutant);
    let with = run(&protocol, &Scope { repertoire, ..scope(lines) }, 100_000);
    let Verdict::Found(found) = &with.verdict else {
        panic!("{mutant}: {:?}", with.verdict);
    };
    println!("{mutant}: {} states, {}", with.progress.states, found.sentence());
    assert_eq!(found.finding.name(), kind, "{mutant}: {}", found.sentence());
    let without = run(&protocol, &scope(lines), 2 * with.progress.states);
    assert!(!matches!(without.verdict, Verdict::Found(_)), "{mutant}: {:?}", without.verdict);
}

#[test]
fn reservations_that_are_kept_are_found() {
    let linked = Repertoire { linked: true, ..NOTHING };
    for (name, mutant) in [
        ("MOESI_hammer", "hammer-l1-upgrade-keeps-reservation"),
        ("MESI_Two_Level", "mesi2-l1-sc-not-cleared"),
    ] {
        only_with(name, mutant, 1, linked, "atomicity violation");
    }
}

#[test]
fn locks_that_are_lost_are_found() {
    let locked = Repertoire { locked: true, early: true, ..NOTHING };
    only_with("MI_example", "mi-l1-evict-locked-line", 2, locked, "deadlock");
}

/// An atomic reads the block that another core has given up.
#[test]
fn atomics_that_read_old_values_are_found() {
    let atomic = Repertoire { atomic: true, ..NOTHING };
    let mutant = "MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done";
    let protocol = mutated("MI_example", mutant);
    let found = run(&protocol, &Scope { repertoire: atomic, ..scope(1) }, 10_000);
    let Verdict::Found(found) = found.verdict else { panic!("{:?}", found.verdict) };
    assert!(matches!(found.finding, Finding::AtomicityViolation { .. }), "{}", found.sentence());
}

#[test]
fn losses_that_cores_are_not_told_are_found() {
    let early = Repertoire { early: true, ..NOTHING };
    for (name, mutant, lines) in [
        ("MI_example", "mi-l1-replace-no-notify", 2),
        ("MESI_Two_Level", "mesi2-l1-is-inv-no-notify", 1),
        ("MESI_Two_Level", "mesi2-l1-s-inv-no-notify", 1),
    ] {
        only_with(name, mutant, lines, early, "missed invalidation");
    }
}

#[test]
fn faults_of_flushes_and_devices_are_found() {
    let device = Repertoire { devices: 1, ..NOTHING };
    let flushes = Repertoire { flush: true, devices: 1, ..NOTHING };
    only_with("MI_example", "mi-dir-putx-not-written", 1, device, "stale value");
    only_with("MI_example", "mi-dir-mdwri-getx-missing", 1, device, "fault");
    only_with("MOESI_hammer", "hammer-dir-dma-during-flush-missing", 1, flushes, "fault");
}

#[test]
fn faults_of_prefetches_are_found() {
    let prefetch = Repertoire { prefetch: true, ..NOTHING };
    only_with("MESI_Two_Level", "mesi2-l1-pf-is-i-missing", 1, prefetch, "fault");
    only_with("MESI_Two_Level", "mesi2-l1-pf-late-block-used", 1, prefetch, "stale value");
    only_with("MESI_Two_Level", "mesi2-l1-pf-parked-for-ever", 2, prefetch, "deadlock");
}

/// A prefetch evicts a line that its core holds locked. With the repair, all runs of one core are clean.
#[test]
fn a_prefetch_that_evicts_a_locked_line_is_found() {
    let repertoire = Repertoire { locked: true, prefetch: true, ..NOTHING };
    let scope = Scope { repertoire, caches: 1, ..scope(2) };
    let with = run(&mutated("MESI_Two_Level", "mesi2-l1-pf-evicts-locked-line"), &scope, 200_000);
    let Verdict::Found(found) = &with.verdict else { panic!("{:?}", with.verdict) };
    assert_eq!(found.finding.name(), "deadlock", "{}", found.sentence());
    let protocol = Protocol::open("MESI_Two_Level").expect("it is built in");
    let without = run(&protocol, &scope, 200_000);
    assert!(matches!(without.verdict, Verdict::Clean), "{:?}", without.verdict);
}

#[test]
fn what_a_protocol_does_not_handle_is_refused() {
    let refused = |repertoire: Repertoire| {
        let protocol = Protocol::open("MI_example").expect("it is built in");
        let scope = Scope { repertoire, ..scope(1) };
        match explore(&protocol, &scope, &Limits::default(), &mut |_| {}) {
            Err(StepperError::Setup(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let flush = refused(Repertoire { flush: true, ..NOTHING });
    assert_eq!(flush, "the protocol does not handle flushes");
    let prefetch = refused(Repertoire { prefetch: true, ..NOTHING });
    assert_eq!(prefetch, "the protocol does not handle prefetches");
}

/// The built-in protocols have no findings with all requests that they handle, with and without symmetry.
#[test]
fn built_in_protocols_handle_all_requests() {
    let each = |one: Repertoire| Scope { repertoire: one, ..scope(1) };
    let linked = Repertoire { linked: true, ..NOTHING };
    let locked = Repertoire { locked: true, atomic: true, ..NOTHING };
    let early = Repertoire { early: true, ..NOTHING };
    let device = Repertoire { devices: 1, ..NOTHING };
    let devices = Repertoire { devices: 2, ..NOTHING };
    let flush = Repertoire { flush: true, ..NOTHING };
    let fetch = Repertoire { fetch: true, ..NOTHING };
    let prefetch = Repertoire { prefetch: true, ..NOTHING };
    for (name, all) in [
        ("MI_example", vec![linked, locked, early, device, devices, fetch]),
        ("MESI_Two_Level", vec![linked, locked, early, device, prefetch, fetch]),
        ("MOESI_hammer", vec![linked, locked, early, flush, device, fetch]),
        ("MOESI_AMD_Base", vec![linked, locked, early, fetch]),
    ] {
        let protocol = Protocol::open(name).expect("it is built in");
        for repertoire in all {
            let with = run(&protocol, &each(repertoire), 20_000);
            assert!(with.symmetries.contains(&Symmetry::Cores), "{name} {:?}", with.asymmetries);
            let plain = Scope { symmetries: Vec::new(), ..each(repertoire) };
            let without = run(&protocol, &plain, 20_000);
            for one in [&with, &without] {
                println!("{name} {repertoire:?}: {} states", one.progress.states);
                let Verdict::Found(found) = &one.verdict else { continue };
                for step in &found.steps {
                    println!("{} {:?}", step.happens, step.effects);
                }
                panic!("{name} {repertoire:?}: {}", found.sentence());
            }
        }
    }
}

/// Either of two concurrent writes of devices may be the last, also if one of them began during a third write. All states are checked.
#[test]
fn writes_of_several_devices_race() {
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer"] {
        let protocol = Protocol::open(name).expect("it is built in");
        let repertoire = Repertoire { devices: 2, ..NOTHING };
        let scope = Scope { repertoire, caches: 1, ..scope(1) };
        let explored = run(&protocol, &scope, 200_000);
        println!("{name}: {} states", explored.progress.states);
        assert!(matches!(explored.verdict, Verdict::Clean), "{name}: {:?}", explored.verdict);
    }
}

/// Two cores behind one cache; lines with several homes; an ordered virtual network.
#[test]
fn other_systems_are_explored() {
    let open = |name: &str| Protocol::open(name).expect("it is built in");
    let pair = Scope { threads_per_cache: 2, ..scope(1) };
    let explored = run(&open("MOESI_AMD_Base"), &pair, 20_000);
    assert!(!matches!(explored.verdict, Verdict::Found(_)), "{:?}", explored.verdict);
    let pairs = explored.parties.iter().filter(|(_, name)| name.starts_with("CorePair"));
    assert_eq!(pairs.count(), 1);
    let alone = explore(&open("MI_example"), &pair, &Limits::default(), &mut |_| {});
    assert!(matches!(alone, Err(StepperError::Setup(_))), "{alone:?}");

    let banks = Scope { l2_banks: 2, directories: 2, lines: 2, ..scope(1) };
    let explored = run(&open("MESI_Two_Level"), &banks, 20_000);
    assert!(!matches!(explored.verdict, Verdict::Found(_)), "{:?}", explored.verdict);
    let named = |of: &str| explored.parties.iter().filter(|(_, name)| name.starts_with(of)).count();
    assert_eq!((named("L2Cache"), named("Directory")), (2, 2));
    assert!(!explored.symmetries.contains(&Symmetry::Lines));

    // A put and its answer may cross a forward only if the network does not keep their order.
    let late = mutated("MI_example", "mi-l1-nack-before-forward");
    let with = |order: Order| run(&late, &Scope { order, ..scope(2) }, 200_000).verdict;
    assert!(matches!(with(Order::Buffers), Verdict::Found(_)));
    let ordered = with(Order::VirtualNetworks);
    assert!(!matches!(ordered, Verdict::Found(_)), "{ordered:?}");
}

/// CHI performs atomics in the first-level caches unless `policy_type` says otherwise.
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn atomics_of_chi_are_explored_where_the_first_level_performs_them() {
    let Some(root) = std::env::var_os("RUBRIC_GEM5") else { return };
    let file = std::path::Path::new(&root).join("src/mem/ruby/protocol/chi/CHI.slicc");
    let protocol = Protocol::open(file.to_str().expect("a path")).expect("it loads");
    let scope = |policy: u32| Scope {
        repertoire: Repertoire { atomic: true, ..NOTHING },
        settings: vec![format!("policy_type={policy}").parse().expect("a setting")],
        ..scope(1)
    };
    let near = run(&protocol, &scope(0), 20_000);
    assert!(!matches!(near.verdict, Verdict::Found(_)), "{:?}", near.verdict);
    let has_taken = |event: &str| near.taken.iter().any(|(_, _, name)| name == event);
    assert!(has_taken("AtomicLoad") && has_taken("CompAck"));
    match explore(&protocol, &scope(1), &Limits::default(), &mut |_| {}) {
        Err(StepperError::Setup(error)) => assert!(error.to_string().contains("policy_type=0")),
        other => panic!("{other:?}"),
    }
}
