//! Exploration of built-in protocols and their mutants, compared with the simulator.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use explore::protocol::{Exploration, Finding, TransitionName, Verdict, Violation, explore};
use explore::search::{Limits, Stopped};
use mutate::{made, named};
use simulate::client::Client;
use simulate::config::{CacheGeometry, Caches, Options, Sizes};
use simulate::program;
use simulate::simulation::Simulation;
use simulate::stepper::{Action, Freshness, Scope, Stepper, UnderWay};
use simulate::system::FaultKind;
use slicc::protocol::Protocol;

/// Two caches with room for one of two lines.
fn tiny() -> Scope {
    Scope { lines: 2, tiny: true, ..Scope::default() }
}

fn most(states: usize) -> Limits {
    Limits { states: Some(states), ..Limits::default() }
}

fn run(protocol: &Protocol, scope: &Scope, limits: &Limits) -> Exploration {
    explore(protocol, scope, limits, &mut |_| {}).unwrap()
}

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap()
}

/// A protocol with a mutant, which is named or made by an operator.
fn mutated(name: &str, mutant: &str) -> Protocol {
    let original = open(name);
    let mutant = named::find(mutant).or_else(|| {
        let mut all = made::by(&original, &[]).into_iter();
        all.find(|one| one.name == mutant)
    });
    original.with(&mutant.expect("the mutant is known")).unwrap()
}

fn found(exploration: Exploration) -> Violation {
    match exploration.verdict {
        Verdict::Found(found) => *found,
        other => panic!("{other:?}"),
    }
}

/// If a number changes, then so did the meaning of states or moves.
#[test]
fn all_states_of_small_protocols_are_known() {
    for (name, states, moves) in [
        ("MI_example", 501, 1114),
        ("MESI_Two_Level", 778, 3688),
        ("MOESI_hammer", 967, 2532),
        ("MOESI_AMD_Base", 1331, 3190),
    ] {
        let exploration = run(&open(name), &Scope::default(), &Limits::default());
        let verdict = &exploration.verdict;
        assert!(matches!(verdict, Verdict::Clean), "{name}: {verdict:?}");
        let progress = exploration.progress;
        assert_eq!((progress.states, progress.moves), (states, moves), "{name}");
        assert_eq!(progress.open, 0);
    }
}

/// No built-in protocol has more messages on their way to memory than a scope allows, so that only a shorter queue leaves runs out.
#[test]
fn memory_that_catches_up_has_fewer_runs() {
    let mut fewer = 0;
    for name in ["MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let of = |memory_queue| {
            let scope = Scope { memory_queue, ..Scope::default() };
            let explored = run(&open(name), &scope, &Limits::default());
            assert!(matches!(explored.verdict, Verdict::Clean), "{name} {memory_queue}");
            (explored.progress.states, explored.memory_caught_up, explored.taken)
        };
        let (usual, prompt) = (of(Scope::default().memory_queue), of(0));
        assert_eq!(usual, of(u32::MAX), "{name}");
        assert!(!usual.1 && prompt.1, "{name}");
        assert!(prompt.0 <= usual.0, "{name}: {} {}", prompt.0, usual.0);
        fewer += usize::from(prompt.0 < usual.0);
        assert!(prompt.2.iter().all(|one| usual.2.contains(one)), "{name}");
    }
    assert!(fewer > 0, "some states need memory to be slow");
}

/// Numbered messages between two machines and in a queue. The receivers assert that none overtakes
/// another.
#[test]
fn ordered_buffers_keep_their_order() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/ordered/Ordered.slicc");
    let with = |orders: &[&str]| Scope {
        caches: 1,
        settings: orders.iter().map(|one| one.parse().unwrap()).collect(),
        ..Scope::default()
    };
    let exploration = run(&open(path), &with(&["notes=ordered"]), &Limits::default());
    let verdict = &exploration.verdict;
    assert!(matches!(verdict, Verdict::Clean), "{verdict:?}");
    for orders in [&["notes=unordered"][..], &["notes=ordered", "bufferToL1=unordered"]] {
        let found = found(run(&open(path), &with(orders), &Limits::default()));
        let fault = found.fault.expect("an assertion fails");
        assert_eq!(fault.kind, FaultKind::Assertion, "{orders:?}");
    }
}

/// A protocol that looks up an entry that was never allocated, at every load that hits.
#[test]
fn warnings_have_shortest_runs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/ordered/Forgotten.slicc");
    let lenient = Scope { caches: 1, ..Scope::default() };
    let exploration = run(&open(path), &lenient, &Limits::default());
    let verdict = &exploration.verdict;
    assert!(matches!(verdict, Verdict::Clean), "{verdict:?}");
    let [warned] = &exploration.warnings[..] else {
        panic!("{:?}", exploration.warnings);
    };
    assert!(warned.warning.message.contains("never allocated"));
    assert!(!warned.warning.message.contains("time:"));
    // The request, memory's request and response, and the second look.
    assert_eq!(warned.steps.len(), 4);
    assert_eq!(warned.moves.len(), 4);
    let strict = Scope { strict: true, ..lenient };
    let exploration = run(&open(path), &strict, &Limits::default());
    assert!(exploration.warnings.is_empty());
    let found = found(exploration);
    assert_eq!(found.finding, Finding::Fault);
    assert_eq!(found.steps.len(), 4);
    let fault = found.fault.expect("the warning is a fault");
    assert_eq!(fault.kind, FaultKind::Misuse);
}

#[test]
fn a_limit_ends_an_exploration() {
    let exploration = run(&open("MI_example"), &Scope::default(), &most(100));
    assert!(matches!(exploration.verdict, Verdict::Stopped(Stopped::Count)));
    let progress = exploration.progress;
    assert!((100..110).contains(&progress.states) && progress.open > 0);
}

#[test]
fn faults_are_found() {
    let late = mutated("MI_example", "mi-l1-nack-before-forward");
    let found = found(run(&late, &tiny(), &Limits::default()));
    assert_eq!(found.finding, Finding::Fault);
    let fault = found.fault.expect("the protocol failed");
    assert_eq!(fault.kind, FaultKind::InvalidTransition);
    assert_eq!(fault.controller.as_deref(), Some("L1Cache 0"));
    assert_eq!(found.steps.len(), 10);
    let last = &found.steps[9].happens;
    assert_eq!(last, "WB_NACK for line 0 from Directory-0 reaches L1Cache-0");
}

#[test]
fn lost_writes_are_found() {
    for (mutant, scope) in [
        ("mi-dir-putx-not-written", tiny()),
        ("MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done", Scope::default()),
        ("MI_example/L1Cache/IS.Data/swap-actions:fill_entry+read_miss_done", Scope::default()),
    ] {
        let found = found(run(&mutated("MI_example", mutant), &scope, &Limits::default()));
        assert!(
            matches!(found.finding, Finding::StaleValue { .. }),
            "{mutant}: {:?}",
            found.finding
        );
    }
}

/// The initial content of memory is a value, too. A directory that answers from a copy of its own
/// lacks it.
#[test]
fn initial_memory_is_not_zero() {
    let copies = mutated("MOESI_AMD_Base", "amd-dir-private-copy-of-memory");
    let found = found(run(&copies, &Scope::default(), &Limits::default()));
    assert_eq!(found.finding, Finding::StaleValue { core: 0, line: 0 });
    assert_eq!(found.steps.len(), 8);
}

#[test]
fn deadlocks_are_found() {
    let stuck = mutated("MOESI_hammer", "hammer-l1-ss-no-wakeup");
    let found = found(run(&stuck, &tiny(), &Limits::default()));
    assert!(matches!(found.finding, Finding::Deadlock { waiting: 1 | 2 }));
    assert_eq!(found.steps.len(), 16);
    // The messages say what each agent waits for.
    let has = |what: &str| found.left.iter().any(|line| line.contains(what));
    assert!(has("and waits for L1Cache-"), "{:?}", found.left);
    assert!(has("waits at") || has("has a transaction"), "{:?}", found.left);
}

/// The kinds of values that loads return in all states of a protocol, at the smallest size.
fn freshness(name: &str) -> HashSet<Freshness> {
    let mut stepper = Stepper::new(&open(name), &Scope::default()).unwrap();
    let mut known = HashSet::from([stepper.first()]);
    let mut left = vec![stepper.first()];
    let mut seen = HashSet::new();
    while let Some(state) = left.pop() {
        for chosen in stepper.moves(&state) {
            let outcome = stepper.take(&state, chosen);
            let loads = outcome.performed.iter();
            let loads = loads.filter(|access| access.action == Action::Load);
            seen.extend(loads.map(|access| access.freshness));
            let next = outcome.state.unwrap();
            if known.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    seen
}

/// In MESI, a block may arrive after an invalidation that overtook it. The load is late, but
/// correct.
#[test]
fn late_blocks_are_old_but_not_stale() {
    assert_eq!(freshness("MI_example"), HashSet::from([Freshness::Latest]));
    let both = HashSet::from([Freshness::Latest, Freshness::Old]);
    assert_eq!(freshness("MESI_Two_Level"), both);
}

/// The steps can be taken, and the last one fails with the fault that was found.
#[test]
fn a_run_can_be_replayed() {
    let protocol = mutated("MI_example", "mi-l1-nack-before-forward");
    let found = found(run(&protocol, &tiny(), &Limits::default()));
    let mut stepper = Stepper::new(&protocol, &tiny()).unwrap();
    let mut state = stepper.first();
    let mut under_way = UnderWay::default();
    for (at, (chosen, step)) in found.moves.iter().zip(&found.steps).enumerate() {
        assert!(stepper.moves(&state).contains(chosen));
        let (described, outcome) = stepper.describe(&state, *chosen, &mut under_way);
        assert_eq!(&described, step);
        match outcome.state {
            Ok(next) => state = next,
            Err(fault) => {
                assert_eq!(at + 1, found.moves.len());
                let message = found.fault.as_ref().map(|fault| &fault.message);
                assert_eq!(Some(&fault.message), message);
                return;
            }
        }
    }
    panic!("the run does not fail");
}

/// The transitions taken in runs of the simulator.
fn simulated(protocol: &Protocol, seeds: std::ops::Range<u64>) -> BTreeSet<TransitionName> {
    let shape = CacheGeometry::new(128, 1);
    let sizes = Sizes { l1_instructions: shape, l1_data: shape, l2: shape, l3: shape };
    let mut taken = BTreeSet::new();
    for seed in seeds {
        let simulation = Simulation {
            shape: program::ProgramSize {
                threads: 2,
                operations: 500,
                // The first and the third location share a set.
                locations: 3,
                seed,
                ..program::ProgramSize::default()
            },
            client: Client::IN_ORDER,
            options: Options {
                caches: Caches::Given(sizes),
                threads_per_machine: 1,
                ..Options::default()
            },
            deadlock_threshold: None,
        };
        let plan = simulation.plan(protocol).unwrap();
        let run = simulation.run(protocol, &plan, None).unwrap();
        assert!(run.fault.is_none());
        let covered = run.coverage().into_iter();
        taken.extend(covered.map(|one| (one.machine.into(), one.state.into(), one.event.into())));
    }
    taken
}

/// All transitions that the simulator takes in random runs are reachable.
#[test]
fn the_simulator_takes_no_other_transitions() {
    let protocol = open("MI_example");
    let exploration = run(&protocol, &tiny(), &most(60_000));
    let explored: BTreeSet<TransitionName> = exploration.taken.into_iter().collect();
    let simulated = simulated(&protocol, 1..20);
    assert!(simulated.len() > 20);
    let others: Vec<_> = simulated.difference(&explored).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// An exploration ends, whatever is wrong with the protocol, and all kinds of findings occur.
#[test]
fn made_mutants_are_explored() {
    let original = open("MI_example");
    let mut kinds = BTreeMap::new();
    let mut all = 0;
    for mutant in made::by(&original, &[]) {
        let protocol = original.with(&mutant).unwrap();
        let exploration = run(&protocol, &Scope::default(), &most(2000));
        all += 1;
        if let Verdict::Found(found) = exploration.verdict {
            *kinds.entry(found.finding.name()).or_insert(0) += 1;
        }
    }
    println!("{all} {kinds:?}");
    for kind in ["stale value", "deadlock", "fault", "SWMR violation"] {
        assert!(kinds.contains_key(kind), "{kind}: {kinds:?}");
    }
}
