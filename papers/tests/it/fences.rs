//! Tests that the papers' algorithms do not misjudge weak fences, acquires and releases, which they do not know.

use check::{Model, Options, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use memory::machine::explore;

use crate::common::{fenced_history, print};

/// The papers' algorithms are right, or say that they cannot decide.
#[test]
fn the_papers_algorithms_are_right_or_undecided() {
    let mut undecided = 0;
    for seed in 20_000..20_200 {
        let Some((history, _)) = fenced_history(seed, false, 8) else {
            continue;
        };
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        for model in [Model::SC, Model::TSO] {
            let Some(run) = explore(&history, model, 100_000) else {
                continue;
            };
            for algorithm in papers::ALL {
                if algorithm.is_stage() || !algorithm.applies_to(model) {
                    continue;
                }
                let options = Options { algorithm, ..Options::default() };
                let verdict = check(&history, &reads_from, model, &options).verdict;
                let found = match verdict {
                    Verdict::Consistent(_) => Some(true),
                    Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => {
                        Some(false)
                    }
                    Verdict::Satisfied => None,
                    Verdict::Undecided(_) => {
                        undecided += u32::from(model == Model::TSO);
                        None
                    }
                };
                assert!(
                    found.is_none_or(|it| it == run.is_some()),
                    "seed {seed} {} {model}\n{}",
                    algorithm.name(),
                    print(&history)
                );
            }
        }
    }
    assert!(undecided > 100, "{undecided}");
}
