//! Compares the enumeration of store orders, from several partial store orders, with the machine and the corpus.

use std::time::Duration;

use crate::common::corpus::Corpus;
use crate::common::{change_reads, print, run, seeded, sized_program};
use check::engine::relation::Relation;
use check::engine::schedule::schedule;
use check::published::{Answer, Problem, Report};
use check::{Bounds, Model};
use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};
use memory::machine::{self, explore};
use papers::execution::Execution;
use papers::gradual::enumerate::enumerate;
use papers::saturation::ForcedOrder;
use rand::RngExt;

const MODELS: [Model; 2] = [Model::SC, Model::TSO];

/// The partial store order to start from.
#[derive(Clone, Copy, Debug)]
enum Start {
    Nothing,
    Saturated,
}

fn finals(history: &History) -> Vec<OpId> {
    let writes = history.finals().iter().flat_map(|last| {
        history.ops().filter(|&op| {
            history.location(op) == Some(last.location) && history.written(op) == Some(last.value)
        })
    });
    writes.collect()
}

fn answer(history: &History, model: Model, start: Start, bounds: &Bounds) -> Report {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let execution = Execution::new(history, &reads_from);
    let (finals, none) = (finals(history), Bounds::none());
    let problem = Problem::new(history, &reads_from, &finals, model, bounds);
    let mut pww = Relation::new(execution.len());
    if let Start::Saturated = start {
        let forced = ForcedOrder::new(&execution, model, &finals, &none).unwrap();
        if forced.is_cyclic() {
            return Answer::Refuted.into();
        }
        for (first, second) in forced.st() {
            pww.insert(first, second);
        }
    }
    enumerate(&problem, &execution, &pww)
}

/// Whether a report says that there is a run. Checks that the machine performs the run.
fn is_consistent(history: &History, model: Model, report: &Report) -> bool {
    match &report.answer {
        Answer::Order(order) => {
            let steps = schedule(history, model, order, |_| false);
            let steps = steps.unwrap_or_else(|| panic!("{model}\n{}", print(history)));
            let run = machine::run(history, model, &steps);
            assert_eq!(run, Ok(()), "{model}\n{}", print(history));
            true
        }
        Answer::Refuted => false,
        other => panic!("{other:?}"),
    }
}

fn is_thin_air(history: &History) -> bool {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let thin = |op| reads_from.source(op) == Some(ReadSource::ThinAir);
    history.ops().any(thin) || finals(history).len() < history.finals().len()
}

#[test]
fn random_histories() {
    let (mut consistent, mut violations) = (0, 0);
    for seed in 0..2000 {
        let mut random = seeded(seed);
        let accesses = sized_program(&mut random, (2..=4, 4..=11, 1..=3), seed % 2 == 0);
        let model = MODELS[random.random_range(0..2)];
        let finals = random.random_bool(0.4);
        let Some(valid) = run(&mut random, &accesses, model, finals) else {
            continue;
        };
        let changes = random.random_range(1..=3);
        for history in [change_reads(&mut random, &valid, changes), valid] {
            if is_thin_air(&history) {
                continue;
            }
            for model in MODELS {
                let Some(run) = explore(&history, model, 300_000) else {
                    continue;
                };
                for start in [Start::Nothing, Start::Saturated] {
                    let report = answer(&history, model, start, &Bounds::none());
                    let found = is_consistent(&history, model, &report);
                    let label = format!("seed {seed} {model} {start:?}\n{}", print(&history));
                    assert_eq!(found, run.is_some(), "{label}");
                }
                match run {
                    Some(_) => consistent += 1,
                    None => violations += 1,
                }
            }
        }
    }
    assert!(consistent > 1000 && violations > 300, "{consistent} {violations}");
}

on_corpus!(oracle_histories, "oracle", enumeration_is_right);

fn enumeration_is_right(corpus: &Corpus) {
    let verdicts = corpus.table("verdicts.csv");
    let mut nodes = [0, 0];
    for history in corpus.histories() {
        let name = history.name.as_deref().unwrap();
        for (model, column) in [(Model::SC, "sc"), (Model::TSO, "tso")] {
            for start in [Start::Nothing, Start::Saturated] {
                let report = answer(&history, model, start, &Bounds::none());
                let found = is_consistent(&history, model, &report);
                let expected = verdicts[name][column] == "1";
                assert_eq!(found, expected, "{name} {model} {start:?}");
                nodes[start as usize] += report.statistics.nodes.unwrap_or(0);
            }
        }
    }
    // The given order reduces the number of trials.
    assert!(nodes[1] < nodes[0], "{nodes:?}");
}

#[test]
fn bounds_end_in_undecided() {
    let history = check::generate::generate(&Default::default()).unwrap();
    for bounds in [Bounds::new(Some(Duration::ZERO), None), Bounds::new(None, Some(1))] {
        let report = answer(&history, Model::SC, Start::Nothing, &bounds);
        assert!(matches!(report.answer, Answer::Exceeded));
        assert!(bounds.exceeded().is_some());
    }
}

#[test]
fn a_long_enumeration_meets_its_bounds() {
    let recipe = check::generate::Recipe { operations: 4000, locations: 2, ..Default::default() };
    let history = check::generate::generate(&recipe).unwrap();
    let bounds = Bounds::new(Some(Duration::from_millis(50)), None);
    let report = answer(&history, Model::SC, Start::Nothing, &bounds);
    assert!(matches!(report.answer, Answer::Exceeded));
}
