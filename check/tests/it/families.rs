//! Tests that hard histories have the verdicts that the papers' figures claim, and that search finds these verdicts
//! while saturation does not.

use std::collections::BTreeSet;

use crate::common::{MODELS, decide, print};
use check::generate::RecipeError;
use check::generate::families::{Family, Figure, HardRecipe, hard};
use check::{Algorithm, Model};
use history::{History, Kind};
use memory::machine::explore;

/// Number of states that an exhaustive search of the machine may visit.
const STATES: usize = 1 << 17;

/// The sizes of a figure that the tests use, its smallest ones.
fn small(figure: Figure) -> std::ops::RangeInclusive<u32> {
    match figure {
        Figure::Ring => 2..=5,
        Figure::Pairs | Figure::Pigeons => 1..=3,
        _ => 1..=4,
    }
}

fn recipe(family: Family, size: u32, model: Model, seed: u64) -> HardRecipe {
    HardRecipe { size, model, seed, ..HardRecipe::new(family) }
}

/// Every family at its small sizes, for a model.
fn all(model: Model, seed: u64) -> impl Iterator<Item = (HardRecipe, History)> {
    Family::all().flat_map(move |family| {
        small(family.figure).map(move |size| {
            let recipe = recipe(family, size, model, seed);
            let history = hard(&recipe).unwrap();
            (recipe, history)
        })
    })
}

/// Whether a history is consistent, by trying every run of the machine; `None` if there are too many runs.
fn truth(history: &History, model: Model) -> Option<bool> {
    // Store buffers multiply the number of runs.
    let threads = if model.buffers() { 7 } else { 10 };
    if history.threads().len() > threads {
        return None;
    }
    explore(history, model, STATES).map(|run| run.is_some())
}

#[test]
fn verdicts_are_those_of_the_figures() {
    let mut tried = BTreeSet::new();
    for model in MODELS {
        for seed in 0..2 {
            for (recipe, history) in all(model, seed) {
                let expected = Some(!recipe.family.violation);
                let label = format!("{recipe:?}\n{}", print(&history));
                if seed == 0
                    && let Some(truth) = truth(&history, model)
                {
                    assert_eq!(Some(truth), expected, "{label}");
                    tried.insert((recipe.family.name(), model.name()));
                }
                let found = decide(&history, model, Algorithm::Complete);
                assert_eq!(found, expected, "{label}");
            }
        }
    }
    // The others have too many runs; their certificates were verified.
    for model in MODELS {
        let untried =
            Family::all().filter(|family| !tried.contains(&(family.name(), model.name())));
        let untried: Vec<&str> = untried.map(Family::name).collect();
        let expected: &[&str] = if model.buffers() {
            &["pigeons-violation", "hpca-2a-violation", "hpca-2b-violation", "hpca-2c-violation"]
        } else {
            &["hpca-2c-violation"]
        };
        assert_eq!(untried, expected, "{model}");
    }
}

#[test]
fn saturation_decides_nothing() {
    for model in MODELS {
        for (recipe, history) in all(model, 7) {
            let found = decide(&history, model, Algorithm::Saturate);
            assert_eq!(found, None, "{recipe:?}");
        }
    }
}

#[test]
fn fences_for_a_weak_model_serve_the_stronger_ones() {
    for fenced in MODELS {
        for (recipe, history) in all(fenced, 3).filter(|(recipe, _)| recipe.size <= 2) {
            for model in MODELS.into_iter().filter(|&model| fenced.includes(model)) {
                let found = decide(&history, model, Algorithm::Complete);
                assert_eq!(found, Some(!recipe.family.violation), "{model} {recipe:?}");
            }
        }
    }
    // The fences are needed: without them, store buffers allow what SC forbids.
    let fences = |model| {
        let recipe = recipe(Family::from_name("ring-violation").unwrap(), 2, model, 0);
        let history = hard(&recipe).unwrap();
        let verdict = decide(&history, Model::PSO, Algorithm::Complete);
        let count = history.ops().filter(|&op| history.kind(op) == Kind::Fence);
        (count.count(), verdict)
    };
    assert_eq!(fences(Model::SC), (0, Some(true)));
    assert_eq!(fences(Model::TSO), (4, Some(true)));
    assert_eq!(fences(Model::PSO), (8, Some(false)));
}

/// The threads of a history, sorted, each as its sequence of reads (`r`) and writes (`w`). It can be compared with
/// the paper's figure.
fn shape(history: &History) -> Vec<String> {
    let mut threads: Vec<String> = (0..history.threads().len())
        .map(|thread| {
            let letter = |op| match history.kind(op) {
                Kind::Store => 'w',
                Kind::Load => 'r',
                _ => '|',
            };
            history.thread_ops(thread).map(letter).collect()
        })
        .collect();
    threads.sort();
    threads
}

#[test]
fn sizes_are_those_of_the_figures() {
    let shape_of = |name: &str, size| {
        let family = Family::from_name(name).unwrap();
        shape(&hard(&recipe(family, size, Model::SC, 0)).unwrap())
    };
    // Fig. 3: one thread of three writes, one of one, and two that read, write and read.
    assert_eq!(shape_of("ring", 2), ["rwr", "rwr", "w", "www"]);
    // Fig. 1c: three writes twice, and four threads that read, write and read.
    assert_eq!(shape_of("ring-violation", 2), ["rwr", "rwr", "rwr", "rwr", "www", "www"]);
    // Fig. 4 with four.
    assert_eq!(shape_of("ring", 4), ["rwr", "rwr", "rwr", "rwr", "w", "wwwww"]);
    // Fig. 5: three blocks of two.
    let blocks = shape_of("pairs", 2);
    assert_eq!(blocks.iter().filter(|thread| *thread == "rwr").count(), 6);
    assert_eq!(blocks.len(), 10);
    // Fig. 2b: S[B]#11 and S[B]#12 before loads of A, loads of A before loads of B, S[A]#1, S[A]#2.
    assert_eq!(shape_of("hpca-2b", 1), ["rr", "rr", "w", "w", "wr", "wr"]);
    // Fig. 2c has a third store to A.
    assert_eq!(shape_of("hpca-2c", 1), ["rr", "rr", "w", "w", "w", "wr", "wr"]);
    // The mirrored version: once for each of the three.
    assert_eq!(shape_of("hpca-2c-violation", 1).len(), 3 * 4 + 3);
}

#[test]
fn copies_share_nothing() {
    for family in Family::all() {
        let size = small(family.figure).next().unwrap();
        let one = recipe(family, size, Model::SC, 5);
        let three = HardRecipe { copies: 3, ..one.clone() };
        let consistent = Family { violation: false, ..family };
        let other = hard(&recipe(consistent, size, Model::SC, 5)).unwrap();
        let (one, three) = (hard(&one).unwrap(), hard(&three).unwrap());
        assert_eq!(three.len(), one.len() + 2 * other.len(), "{family}");
        let locations = |history: &History| history.locations().len();
        assert_eq!(locations(&three), locations(&one) + 2 * locations(&other));
        let found = decide(&three, Model::SC, Algorithm::Complete);
        assert_eq!(found, Some(!family.violation), "{family}");
        assert_eq!(decide(&three, Model::SC, Algorithm::Saturate), None, "{family}");
    }
}

#[test]
fn another_seed_gives_other_numbers() {
    let family = Family::from_name("chain").unwrap();
    let text = |seed| print(&hard(&recipe(family, 4, Model::SC, seed)).unwrap());
    assert_eq!(text(1), text(1));
    let texts: BTreeSet<String> = (0..20).map(text).collect();
    assert_eq!(texts.len(), 20);

    // The seed decides which value of the deciding pair comes first.
    let family = Family::from_name("ring").unwrap();
    let smaller_first = |seed: &u64| {
        let history = hard(&recipe(family, 2, Model::SC, *seed)).unwrap();
        let alone = (0..history.threads().len()).find(|&t| history.thread_ops(t).len() == 1);
        let write = history.thread_ops(alone.unwrap()).next().unwrap();
        history.written(write) == Some(1)
    };
    let count = (0..40).filter(smaller_first).count();
    assert!((8..=32).contains(&count), "{count}");
}

#[test]
fn every_family_has_its_name() {
    let names: BTreeSet<&str> = Family::all().map(Family::name).collect();
    assert_eq!(names.len(), 2 * Figure::ALL.len());
    for family in Family::all() {
        assert_eq!(Family::from_name(family.name()), Some(family));
        assert_eq!(family.name().ends_with("-violation"), family.violation);
    }
    assert_eq!(Family::from_name("pair"), None);
}

#[test]
fn impossible_sizes_say_why() {
    let error = |name: &str, size, copies| {
        let family = Family::from_name(name).unwrap();
        let recipe = HardRecipe { copies, ..recipe(family, size, Model::SC, 0) };
        hard(&recipe).unwrap_err()
    };
    let too_small = error("ring", 1, 1);
    assert!(matches!(too_small, RecipeError::Size { least: 2, .. }), "{too_small}");
    for (found, expected) in [
        (error("pairs", 0, 1), "size 0: pairs has sizes from 1 to 16"),
        (error("pairs", 17, 1), "size 17: pairs"),
        (error("ring", 2, 0), "no copies"),
        (error("pigeons", 128, 1000), "1000 copies: at most"),
    ] {
        assert!(found.to_string().contains(expected), "{found}");
    }
}
