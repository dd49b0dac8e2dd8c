//! Starvation in fair runs.

use explore::protocol::fair::{Fate, Starvation, starvation};
use explore::protocol::{Verdict, explore};
use explore::search::{Limits, Stopped};
use simulate::stepper::Scope;
use slicc::protocol::Protocol;

use crate::small::protocol;

fn fate(protocol: &Protocol, scope: &Scope) -> Fate {
    starvation(protocol, scope, &Limits::default(), &mut |_| {}).expect("the protocol fits").fate
}

fn starves(protocol: &Protocol, scope: &Scope) -> Option<Starvation> {
    match fate(protocol, scope) {
        Fate::Completes => None,
        Fate::Starves(found) => Some(*found),
        Fate::Stopped(why) => panic!("{why:?}"),
    }
}

fn small(transitions: &str) -> Option<Starvation> {
    starves(&protocol("", transitions), &Scope { caches: 1, ..Scope::default() })
}

/// A request waits until a timer has run out.
const SETTLES: &str = "transition(I, Ask, W) { allocate; start; } transition(W, Ask) { recycle; }
    transition(W, Ring, V) { stop; } transition(V, Ask) { serve; pop; }";
/// The timer is set again and again, and each time it runs out the cache is ready, or not ready any more.
const TURNS: &str = "transition(I, Ask, W) { allocate; start; } transition(W, Ask) { recycle; }
    transition(W, Ring, V) { stop; start; } transition(V, Ring, W) { stop; start; }
    transition(V, Ask) { serve; pop; }";

#[test]
fn a_timer_runs_out_at_some_time() {
    assert!(small(SETTLES).is_none());
}

/// The request always comes when the cache is not ready, and could come when it is: no livelock.
#[test]
fn a_request_that_always_comes_at_the_wrong_time_starves() {
    let found = small(TURNS).expect("it waits for ever");
    assert_eq!(found.line, 0);
    assert!(found.sentence().starts_with("starvation: core 0 may wait for line 0 for ever"));
    let cycle: Vec<&str> = found.cycle.iter().map(|step| &*step.happens).collect();
    let rings = cycle.iter().filter(|step| step.starts_with("a timer of L1Cache-0")).count();
    assert_eq!(rings % 2, 0, "{cycle:?}");
    assert!(rings > 0 && cycle.iter().any(|step| step.contains("reaches")), "{cycle:?}");
    assert!(!found.cycle.iter().any(|step| step.happens.contains("loads line")), "{cycle:?}");
    assert!(!found.stem.is_empty());
}

/// A request that no run completes starves, too.
#[test]
fn livelocks_are_starvation() {
    let same = "transition(I, Ask, W) { allocate; } transition(W, Ask) { recycle; }";
    assert!(small(same).is_some());
}

/// In the built-in protocols a cache may wait while others proceed, but each gets its turn.
#[test]
fn built_in_protocols_are_fair() {
    for name in ["MI_example", "MESI_Two_Level"] {
        let protocol = Protocol::open(name).expect("it is built in");
        let clean = explore(&protocol, &Scope::default(), &Limits::default(), &mut |_| {});
        assert!(matches!(clean.expect("it fits").verdict, Verdict::Clean));
        let found = starves(&protocol, &Scope::default());
        if let Some(found) = found {
            for step in found.stem.iter().chain(&found.cycle) {
                println!("{} {:?}", step.happens, step.effects);
            }
            panic!("{name}: {} after {}", found.sentence(), found.stem.len());
        }
    }
}

#[test]
fn a_limit_ends_the_search() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let limits = Limits { states: Some(100), ..Limits::default() };
    let fair = starvation(&protocol, &Scope::default(), &limits, &mut |_| {});
    let fate = fair.expect("the protocol fits").fate;
    assert!(matches!(fate, Fate::Stopped(Stopped::Count)), "{fate:?}");
}
