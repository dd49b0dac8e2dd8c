//! Runs of the named mutants: each shows the effect in `mutants.csv`.

use crate::outcome::{effect, traced};
use crate::stress;
use mutate::{Mutant, named};
use simulate::differences::touched;
use simulate::named_effects::{NamedEffect, named_effects};
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

/// The reasons for which a mutant may show no effect.
const REASONS: &[&str] = &[
    "needs DMA",
    "needs prefetcher",
    "needs flush",
    "needs DMA and flush",
    "needs GPU",
    "needs DMA and GPU",
    // None of the available cores does so.
    "needs a core that has other requests under way while it holds a line locked",
];

/// The first words of the reason of a mutant that never shows an effect, with any core.
const HARMLESS: &str = "harmless: ";

/// The first words of the reason if not even the time of any event changes.
const SAME_RUNS: &str = "harmless: the same runs, ";

fn opened(mutant: &Mutant) -> Protocol {
    original(&mutant.protocol).with(mutant).unwrap_or_else(|failure| {
        let messages: Vec<_> = failure.diagnostics.iter().map(|one| &one.message).collect();
        panic!("{}: {messages:?}", mutant.name)
    })
}

fn original(protocol: &str) -> Protocol {
    Protocol::open(protocol).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

fn ways() -> Vec<NamedEffect> {
    named_effects().expect("every row of mutants.csv can be read")
}

/// The run of a way, with the options of the program's command line.
fn simulation(way: &NamedEffect, seed: u64) -> Simulation {
    let words = format!("{} --seed {seed}", way.options);
    stress::simulation_of(&words, way.client.parse().unwrap())
}

#[test]
fn faults_show_and_are_not_there_without_the_mutant() {
    for way in ways().iter().filter(|way| way.why.is_empty()) {
        let mutant = named::find(&way.mutant).unwrap();
        let simulation = simulation(way, way.seed.parse().unwrap());
        let shown = effect(&opened(&mutant), &simulation);
        assert_eq!(shown.as_deref(), Some(&*way.effect), "{}", way.mutant);
        let repaired = effect(&original(&mutant.protocol), &simulation);
        assert_eq!(repaired, None, "{} without the fault", way.mutant);
    }
}

#[test]
#[ignore = "takes ten seconds: whether the seeds are the first"]
fn faults_do_not_show_earlier() {
    for way in ways().iter().filter(|way| way.why.is_empty()) {
        let protocol = opened(&named::find(&way.mutant).unwrap());
        let shows =
            |&seed: &u64| effect(&protocol, &simulation(way, seed)).as_ref() == Some(&way.effect);
        let first = (1..).find(shows);
        assert_eq!(first.unwrap().to_string(), way.seed, "{}", way.mutant);
    }
}

#[test]
fn every_mutant_has_a_way_to_see_it_or_a_reason() {
    let ways = ways();
    for mutant in named::all() {
        let mut own = ways.iter().filter(|way| way.mutant == mutant.name);
        let first = own.next();
        let first = first.unwrap_or_else(|| panic!("{} is not in mutants.csv", mutant.name));
        let is_seen = |way: &NamedEffect| way.why.is_empty() && !way.effect.is_empty();
        let is_known = if first.why.is_empty() {
            is_seen(first) && own.all(is_seen)
        } else {
            is_reason(&first.why) && own.next().is_none()
        };
        assert!(is_known, "{}", mutant.name);
    }
    assert!(ways.iter().all(|way| named::find(&way.mutant).is_some()));
}

fn is_reason(why: &str) -> bool {
    let rest = why.strip_prefix(HARMLESS);
    REASONS.contains(&why) || rest.is_some_and(|rest| !rest.is_empty())
}

/// Number of runs of a mutant that is documented to show no effect.
const SILENT: usize = 8;

#[test]
fn harmless_mutants_show_no_effect() {
    for way in ways().iter().filter(|way| !way.why.is_empty()) {
        let protocol = opened(&named::find(&way.mutant).unwrap());
        for simulation in stress::standard(&protocol).take(SILENT) {
            let shown = effect(&protocol, &simulation);
            assert_eq!(shown, None, "{}: {simulation:?}", way.mutant);
        }
    }
}

/// Smallest number of runs of a mutant that is documented to change none. There are more runs until
/// every entry that it changes was used.
const ALIKE: usize = 40;

#[test]
fn mutants_documented_to_keep_runs_do() {
    for way in ways().iter().filter(|way| way.why.starts_with(SAME_RUNS)) {
        let mutant = named::find(&way.mutant).unwrap();
        let (ours, mutated) = (original(&mutant.protocol), opened(&mutant));
        let mut never = touched(&ours, &mutated).entries;
        for (number, simulation) in stress::standard(&ours).enumerate() {
            if number >= ALIKE && never.is_empty() {
                break;
            }
            let (before, run) = traced(&ours, &simulation);
            let (after, _) = traced(&mutated, &simulation);
            assert!(before == after, "{}: {simulation:?}", way.mutant);
            let taken = run.coverage();
            never.retain(|place| !taken.iter().any(|one| one.is_of(place)));
        }
        assert!(never.is_empty(), "{}: {never:?} never taken", way.mutant);
    }
}
