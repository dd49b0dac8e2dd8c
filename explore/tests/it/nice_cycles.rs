//! Nice cycles in simulated protocols.

use explore::memory::method::{Options, Search};
use explore::memory::slicc::nice_cycles;
use explore::search::{Limits, Stopped};
use mutate::made;
use simulate::stepper::Scope;
use slicc::protocol::Protocol;

fn two_lines() -> Scope {
    Scope { lines: 2, ..Scope::default() }
}

fn search(protocol: &Protocol, scope: &Scope, options: &Options) -> Vec<Search> {
    nice_cycles(protocol, scope, options, &mut |_| ()).unwrap()
}

fn mutated(mutant: &str) -> Protocol {
    let original = Protocol::open("MI_example").unwrap();
    let mut all = made::by(&original, &[]).into_iter();
    let mutant = all.find(|one| one.name == mutant).unwrap();
    original.with(&mutant).unwrap()
}

#[test]
fn protocols_have_none() {
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer"] {
        let protocol = Protocol::open(name).unwrap();
        let searches = search(&protocol, &Scope::default(), &Options::default());
        // The orders of length 1: either core, and the only line.
        assert_eq!(searches.len(), 2, "{name}");
        for search in searches {
            assert!(search.found.is_none() && search.stopped.is_none(), "{name}: {search:?}");
            assert!(search.progress.states > 500);
        }
    }
}

/// The mutant's stale values violate SC.
#[test]
fn a_mutant_has_some() {
    let mutant = mutated("MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done");
    let searches = search(&mutant, &Scope::default(), &Options::default());
    let found = searches[0].found.as_ref().expect("there is a cycle");
    assert_eq!(found.cycle.order.k(), 1);
    assert_eq!(found.words.len(), found.run.len());
    let last = found.words.last().unwrap();
    assert!(last.ends_with("R(1,1,0)"), "{:#?}", found.words);
}

#[test]
fn a_limit_is_said() {
    let protocol = Protocol::open("MI_example").unwrap();
    let options = Options {
        limits: Limits { states: Some(1000), ..Limits::default() },
        ..Options::default()
    };
    let searches = search(&protocol, &two_lines(), &options);
    // One of two lines and one of two cores, or both in two orders.
    assert_eq!(searches.len(), 4 + 2);
    let stopped = |search: &Search| search.stopped == Some(Stopped::Count);
    assert!(searches.iter().all(stopped));
}
