//! Tests that every verdict of the oracle corpora is as tabulated, and verifies every certificate.

use crate::common::corpus::Corpus;
use crate::common::decide;
use check::{Algorithm, Model};

fn compare(corpus: &Corpus, models: &[(&str, Model)]) {
    compare_with(corpus, "verdicts.csv", models);
}

fn compare_with(corpus: &Corpus, table: &str, models: &[(&str, Model)]) {
    let verdicts = corpus.table(table);
    let histories = corpus.histories();
    assert_eq!(histories.len(), verdicts.len());
    for history in &histories {
        let name = history.name.as_deref().unwrap();
        for (column, model) in models {
            let expected = verdicts[name][*column] == "1";
            for algorithm in [Algorithm::Stages, Algorithm::Complete, Algorithm::Sat] {
                let found = decide(history, *model, algorithm);
                assert_eq!(found, Some(expected), "{name} {model} {algorithm:?}");
            }
            // Saturation must never be wrong.
            if let Some(found) = decide(history, *model, Algorithm::Saturate) {
                assert_eq!(found, expected, "{name} {model} saturate");
            }
        }
    }
}

on_corpus!(oracle_histories, "oracle", |corpus: &Corpus| compare(
    corpus,
    &[
        ("sc", Model::SC),
        ("tso", Model::TSO),
        ("pso", Model::PSO),
        ("pso_flush_all", Model::PSO_RMW_ALL),
    ],
));

on_corpus!(axe_litmus_tests, "axe", |corpus: &Corpus| compare(
    corpus,
    &[("sc", Model::SC), ("tso", Model::TSO), ("pso", Model::PSO)],
));

on_corpus!(axe_litmus_tests_under_wmo, "axe", |corpus: &Corpus| compare_with(
    corpus,
    "wmo.csv",
    &[("wmo", Model::WMO)],
));

/// The verdicts of random histories with timestamps equal those of the Axe checker.
#[test]
fn random_histories_under_wmo() {
    compare_with(&Corpus::sample("axe-wmo"), "wmo.csv", &[("wmo", Model::WMO)]);
}
