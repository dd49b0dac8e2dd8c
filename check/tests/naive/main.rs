//! An independent, naive checker of every model, and its comparison with `rubric`.
mod compare;
mod execution;
mod json;
mod models;
mod random;
mod relation;
mod run;

use std::collections::BTreeMap;
use std::env;

use compare::{Answer, Expected};
use models::MODELS;
use random::Feature;

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn explore() {
    let seeds = number("RUNS", 2000);
    let start = number("SEED", 0);
    let limit = number("SHOW", 3);
    let off: Vec<String> = env::var("OFF").unwrap_or_default().split(',').map(str::to_owned).collect();
    let only = env::var("ONLY").ok();
    let models = env::var("MODELS").ok();
    let allowed: Vec<Feature> = Feature::ALL
        .into_iter()
        .filter(|feature| {
            let name = format!("{feature:?}");
            only.as_ref().map_or(!off.contains(&name), |only| only.split(',').any(|it| it == name))
        })
        .collect();
    let mut wrong: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    let mut errors = 0;
    for seed in start..start + seeds {
        let (run, features) = random::run(seed, &allowed);
        let history = match compare::history(&run) {
            Ok(history) => history,
            Err(error) => {
                errors += 1;
                if errors < 3 {
                    println!("seed {seed}: {error}\n{}", json::line(&run));
                }
                continue;
            }
        };
        for axioms in MODELS {
            if models.as_ref().is_some_and(|models| !models.split(',').any(|it| it == axioms.name())) {
                continue;
            }
            let expected = Expected::of(&run, axioms);
            let (answer, reason) = compare::answer(&history.clone(), compare::model(axioms));
            counts.entry(axioms.name()).or_default()[answer as usize] += 1;
            if !expected.includes(answer) {
                let key = (axioms.name().to_owned(), format!("{answer:?} {expected:?}"));
                let count = wrong.entry(key).or_default();
                *count += 1;
                if *count <= limit {
                    println!("seed {seed} {} {features:?}: {answer:?} {reason}, expected {expected:?}\n{}", axioms.name(), json::line(&run));
                }
            }
        }
    }
    println!("{counts:#?}\n{errors} errors");
    for (key, count) in &wrong {
        println!("{count} {key:?}");
    }
    assert!(wrong.is_empty());
}
