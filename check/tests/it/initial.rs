//! Initial values that are not known: reads may return one, and all that do agree on it.

use certify::certificate::Statement;
use check::engine::steps::steps;
use check::{Model, Options, Verdict, check};
use history::{Ambiguity, History, Initial, ReadsFrom};
use memory::models;

use crate::common::settled::{decided, verdict};

/// Whether a model allows a history. The certificate is verified.
fn is_allowed(history: &History, model: Model) -> bool {
    verdict(history, model).expect("nothing is in doubt")
}

/// The history that a line of JSON with these fields and operations describes.
fn json(fields: &str, operations: &[&str]) -> History {
    let operations: Vec<String> = operations
        .iter()
        .map(|operation| {
            let (thread, operation) = operation.split_once(' ').unwrap();
            let (kind, rest) = operation.split_once(' ').unwrap();
            let (address, value) = rest.split_once(' ').unwrap();
            let value = match (kind, value.split_once(' ')) {
                ("store", _) => format!("\"written\":{value}"),
                (_, Some((read, written))) => format!("\"read\":{read},\"written\":{written}"),
                _ => format!("\"read\":{value}"),
            };
            format!(r#"{{"thread":{thread},"kind":"{kind}","address":{address},{value}}}"#)
        })
        .collect();
    let text = format!("{{{fields},\"operations\":[{}]}}\n", operations.join(","));
    let trace = ingest::read(text.as_bytes(), "test", &ingest::Options::default()).unwrap();
    trace.histories.into_iter().next().unwrap()
}

const UNKNOWN: &str = r#""initial_mode":"given","initial":[{"address":0},{"address":1}]"#;
const INFER: &str = r#""initial_mode":"infer""#;

/// The answers for initial values that are stated as unknown, and that are inferred.
fn all(operations: &[&str], expected: impl Fn(Model) -> bool) {
    for fields in [UNKNOWN, INFER] {
        // Both locations are accessed, so both initial values may be stated.
        let more: Vec<&str> =
            operations.iter().copied().chain(["9 store 0 99", "9 store 1 99"]).collect();
        let history = json(fields, &more);
        for &model in models::ALL {
            assert_eq!(
                is_allowed(&history, model),
                expected(model),
                "{fields} {model} {operations:?}"
            );
        }
    }
}

#[test]
fn a_value_that_a_later_own_store_repeats_may_be_initial() {
    all(&["0 load 0 2", "0 store 0 2"], |_| true);
    all(&["0 rmw 0 2 3", "0 store 0 2"], |_| true);
    // No operation writes 5, so it is the initial value, and 2 is not.
    all(&["0 load 0 5", "0 load 0 2", "0 store 0 2"], |_| false);
}

#[test]
fn reads_agree_on_an_initial_value() {
    all(&["0 load 0 2", "1 load 0 2"], |_| true);
    all(&["0 load 0 2", "1 load 0 3"], |_| false);
    all(&["0 load 0 2", "0 store 0 2", "1 load 0 3", "1 store 0 3"], |_| false);
    // The value of the first thread may be initial, and that of the second one written, or the other way around.
    all(&["0 load 0 2", "1 load 0 3", "2 store 0 2", "3 store 0 3"], |_| true);
}

/// Two reads before the store of their value, in each of two threads: only one of the two values can be the initial one.
#[test]
fn an_order_of_the_threads_excludes_two_initial_values() {
    let cross = ["0 load 0 2", "0 store 0 3", "1 load 0 3", "1 store 0 2"];
    all(&cross, |_| true);
    let both =
        ["0 load 0 2", "0 store 1 1", "1 load 1 0", "1 load 0 3", "1 store 0 3", "1 store 0 2"];
    all(&both, |_| true);
    // Thread 0 reads 2, 3, 2: one of the 2 is the initial value.
    all(&["0 load 0 2", "0 load 0 3", "0 load 0 2", "1 store 0 3", "2 store 0 2"], |_| true);
    // Neither 3 before 2 nor 2 before 3, and some thread reads each of them first.
    let all_three =
        ["0 load 0 2", "0 load 0 3", "0 load 0 2", "0 load 0 3", "1 store 0 3", "2 store 0 2"];
    all(&all_three, |model| model == Model::RMO);
}

/// The proof says that two reads do not both return the initial value.
#[test]
fn a_proof_cites_that_there_is_one_initial_value() {
    let history = json(
        UNKNOWN,
        &[
            "0 load 0 2",
            "0 load 0 9",
            "1 load 0 3",
            "1 load 0 9",
            "2 store 0 9",
            "2 store 0 2",
            "2 store 0 3",
            "2 store 1 1",
        ],
    );
    for model in [Model::SC, Model::PSO, Model::RVWMO, Model::ARMV8] {
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
        let verdict = check(&history, &reads_from, model, &Options::default()).verdict;
        let Verdict::Violation(violation) = verdict else { panic!("{model} {verdict:?}") };
        let proof = steps(&history, &violation);
        let cites = proof.iter().any(|it| matches!(it.statement, Statement::OneInitial(..)));
        assert!(cites, "{model} {proof:#?}");
        assert!(!is_allowed(&history, model));
    }
}

/// A whole value of an access of mixed sizes may be the given initial one, although only one write has it.
#[test]
fn a_whole_value_may_be_the_initial_one() {
    let text = r#"{"source":"client","sizes":"recorded","initial_mode":"given","initial":[{"address":4096,"size":1,"value":1},{"address":4097,"size":1,"value":2}],"operations":[{"thread":0,"kind":"load","address":4096,"size":2,"read":257},{"thread":0,"kind":"store","address":4096,"size":2,"written":513},{"thread":1,"kind":"rmw","address":4096,"size":2,"read":513,"written":257}]}"#;
    let read = |options: &ingest::Options| {
        let trace = ingest::read(text.as_bytes(), "test", options).unwrap();
        trace.histories.into_iter().next().unwrap()
    };
    let given = read(&ingest::Options::default());
    let inferred = ingest::Options { initial: Some(Initial::Infer), ..ingest::Options::default() };
    let zero = text.replace("\"value\":1}", "\"value\":0}");
    let zero = ingest::read(zero.as_bytes(), "test", &ingest::Options::default()).unwrap();
    for &model in models::ALL {
        assert!(is_allowed(&given, model), "{model}");
        assert!(is_allowed(&read(&inferred), model), "{model}");
        assert!(!is_allowed(&zero.histories[0], model), "{model}");
    }
}

/// A silent read-modify-write of one byte may have written back what a read of that byte returns.
#[test]
fn a_silent_write_back_is_a_source_in_accesses_of_mixed_sizes() {
    let text = r#"{"operations":[{"thread":0,"kind":"store","address":33,"size":1,"written":1},{"thread":1,"kind":"load","address":32,"size":2,"read":256},{"thread":1,"kind":"silent-rmw","address":33,"size":1,"read":1},{"thread":1,"kind":"silent-rmw","address":33,"size":1,"read":1}]}"#;
    let trace = ingest::read(text.as_bytes(), "test", &ingest::Options::default()).unwrap();
    for &model in models::ALL {
        assert!(is_allowed(&trace.histories[0], model), "{model}");
    }
}

/// Thread 0 reads its first byte from before its own later store if the other thread, whose store shows no value, has written the second
/// one: the read is of no one write, so what the whole value tells of the first byte does not count.
#[test]
fn a_part_may_be_initial_beside_one_that_a_write_without_a_value_supplied() {
    for value in [r#","value":4"#, ""] {
        let text = format!(
            "{{\"initial_mode\":\"given\",\"initial\":[{{\"address\":17,\"size\":1,\"value\":1}},{{\"address\":16,\"size\":1{value}}}],\
             \"operations\":[{{\"thread\":0,\"kind\":\"load\",\"address\":16,\"size\":2,\"read\":1028}},\
             {{\"thread\":0,\"kind\":\"store\",\"address\":16,\"size\":2,\"written\":1028}},\
             {{\"thread\":1,\"kind\":\"store\",\"address\":17,\"size\":1}}]}}\n"
        );
        let trace = ingest::read(text.as_bytes(), "test", &ingest::Options::default()).unwrap();
        for &model in models::ALL {
            let outcome = decided(&trace.histories[0], model).outcome;
            assert!(
                matches!(outcome.verdict, Verdict::Undecided(_)),
                "{value} {model} {outcome:?}"
            );
        }
    }
}
