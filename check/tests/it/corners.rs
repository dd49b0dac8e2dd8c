//! Tests of cases in which a verdict is easily wrong: values that the history does not determine, accesses of
//! mixed sizes, and initial and final values.

use std::collections::HashMap;

use certify::certificate::{Certificate, Claim, Evidence, Name, ProofStep, Statement};
use certify::rule::Rule;
use certify::verify::{Rejection, verify};
use check::{Model, Options, Reason, Verdict, check};
use history::{
    Access, Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadsFrom,
    Unfinished,
};

const MODELS: [Model; 4] = [Model::SC, Model::TSO, Model::PSO, Model::PSO_RMW_ALL];

fn load(thread: u32, place: Place, value: u64) -> Access {
    Access { read: Some(value), ..Access::new(thread, Kind::Load, place) }
}

fn store(thread: u32, place: Place, value: u64) -> Access {
    Access { written: Some(value), ..Access::new(thread, Kind::Store, place) }
}

fn bytes(address: u64, size: u8) -> Place {
    Place::Bytes { address, size }
}

fn build(
    accesses: &[Access],
    finals: &[(u64, u64)],
    initial: &Initial,
    provenance: Provenance,
) -> History {
    let mut builder = HistoryBuilder::new();
    accesses.iter().for_each(|access| builder.push(*access));
    for &(address, value) in finals {
        builder.final_value(address, value, None);
    }
    builder.finish(Default::default(), initial, provenance).unwrap()
}

fn plain(accesses: &[Access], finals: &[(u64, u64)]) -> History {
    build(accesses, finals, &Initial::Zero, Provenance::made())
}

fn verdict(history: &History, ambiguity: Ambiguity, model: Model) -> Verdict {
    let reads_from = ReadsFrom::derive(history, ambiguity).unwrap();
    check(history, &reads_from, model, &Options::default()).verdict
}

fn is_consistent(history: &History, ambiguity: Ambiguity) -> bool {
    MODELS
        .into_iter()
        .all(|model| matches!(verdict(history, ambiguity, model), Verdict::Consistent(_)))
}

#[test]
fn an_unwritten_location_ends_with_its_initial_value() {
    let read = [load(0, Place::Cell(0), 3)];
    for finals in [[(0, 3)], [(1, 9)]] {
        let history = build(&read, &finals, &Initial::Infer, Provenance::made());
        assert!(is_consistent(&history, Ambiguity::Refuse), "{finals:?}");
    }
    let history = plain(&read[..0], &[(0, 3)]);
    assert!(matches!(verdict(&history, Ambiguity::Refuse, Model::SC), Verdict::Violation(_)));
}

#[test]
fn an_unfinished_store_may_have_supplied_an_unwritten_value() {
    let accesses = [store(1, bytes(0, 8), 1), load(1, bytes(0, 8), 1), load(1, bytes(0, 8), 7)];
    let provenance = Provenance {
        unfinished: vec![Unfinished {
            thread: 0,
            address: 0,
            writes: true,
            issued: None,
            line: None,
        }],
        ..Provenance::made()
    };
    for initial in [Initial::Zero, Initial::Infer] {
        let history = build(&accesses, &[], &initial, provenance.clone());
        for model in MODELS {
            let found = verdict(&history, Ambiguity::Refuse, model);
            let expected = Verdict::Undecided(Reason::UnfinishedStore(OpId(2)));
            assert_eq!(found, expected, "{initial:?} {model}");
        }
    }
}

#[test]
fn writes_outside_of_the_history_excuse_unwritten_values() {
    let accesses =
        [load(0, Place::Cell(0), 4), store(0, Place::Cell(0), 1), load(1, Place::Cell(0), 5)];
    let thin_air = plain(&accesses, &[]);
    assert!(!is_consistent(&thin_air, Ambiguity::Refuse));
    let provenance = Provenance { outside_writes: true, ..Provenance::made() };
    for initial in [Initial::Zero, Initial::Infer] {
        let history = build(&accesses, &[], &initial, provenance.clone());
        assert!(is_consistent(&history, Ambiguity::Refuse));
    }
    // Values that the history writes must still be read in order.
    let accesses = [
        store(0, Place::Cell(0), 1),
        store(0, Place::Cell(0), 2),
        load(1, Place::Cell(0), 2),
        load(1, Place::Cell(0), 1),
    ];
    let history = build(&accesses, &[], &Initial::Zero, provenance);
    assert!(!is_consistent(&history, Ambiguity::Refuse));
}

#[test]
fn reads_beside_a_hidden_write_decide_nothing() {
    let hidden = Access::new(0, Kind::Rmw, Place::Cell(0));
    let accesses = [hidden, load(1, Place::Cell(0), 4), load(1, Place::Cell(0), 9)];
    let history = plain(&accesses, &[]);
    assert_eq!(
        verdict(&history, Ambiguity::Refuse, Model::SC),
        Verdict::Undecided(Reason::HiddenWrite(OpId(1)))
    );
}

#[test]
fn a_reservation_of_an_unknown_value_excuses_its_store() {
    let accesses = [
        Access::new(0, Kind::LoadLinked, Place::Cell(0)),
        Access { written: Some(2), ..Access::new(0, Kind::StoreConditional, Place::Cell(0)) },
        store(1, Place::Cell(0), 1),
        load(1, Place::Cell(0), 2),
    ];
    assert!(is_consistent(&plain(&accesses, &[]), Ambiguity::Refuse));
}

/// Two bytes that are written one by one have the value of a later write of both.
#[test]
fn a_split_read_is_matched_as_a_whole_only_where_nothing_else_fits() {
    let accesses = [
        store(1, bytes(0x100, 1), 1),
        store(1, bytes(0x101, 1), 2),
        load(1, bytes(0x100, 2), 0x0201),
        store(1, bytes(0x200, 1), 5),
        load(0, bytes(0x200, 1), 5),
        store(0, bytes(0x100, 2), 0x0201),
    ];
    let history = plain(&accesses, &[]);
    assert!(history.provenance.split);
    assert!(is_consistent(&history, Ambiguity::Keep));
    // Without the writes of single bytes, the whole access has one source, although another write has the
    // value of its upper half.
    let accesses = [
        store(0, bytes(0x100, 2), 0x0701),
        store(0, bytes(0x100, 2), 0x0702),
        load(1, bytes(0x100, 2), 0x0702),
        load(1, bytes(0x100, 1), 1),
    ];
    let history = plain(&accesses, &[]);
    assert_eq!(history.operations(), 4);
    assert!(matches!(verdict(&history, Ambiguity::Keep, Model::PSO), Verdict::Violation(_)));
}

#[test]
fn initial_and_final_values_are_split_as_accesses_are() {
    let value = 0x0000_0002_0000_0001;
    let given = Initial::Given(HashMap::from([(0x100, value)]));
    let reads =
        [load(0, bytes(0x100, 8), value), load(1, bytes(0x100, 4), 1), load(1, bytes(0x104, 4), 2)];
    let history = build(&reads, &[], &given, Provenance::made());
    assert!(is_consistent(&history, Ambiguity::Refuse));
    let accesses = [store(0, bytes(0x100, 8), value), reads[1]];
    let right = plain(&accesses, &[(0x100, value)]);
    assert!(is_consistent(&right, Ambiguity::Refuse));
    let wrong = plain(&accesses, &[(0x100, value + (1 << 32))]);
    assert!(!is_consistent(&wrong, Ambiguity::Refuse));
}

#[test]
fn a_final_value_beside_a_hidden_write_proves_nothing() {
    let accesses = [store(0, Place::Cell(0), 1), Access::new(0, Kind::Store, Place::Cell(0))];
    let history = plain(&accesses, &[(0, 1)]);
    assert!(is_consistent(&history, Ambiguity::Refuse));
    let step = |number, statement, premises| ProofStep { number, statement, premises };
    let (first, second) = (Name::Op(0, 0), Name::Op(0, 1));
    let order = |rule, after: Option<Name>| Statement::Order {
        rule,
        before: after.map_or(Some(second), |_| Some(first)),
        after,
    };
    let evidence = Evidence::Violation(vec![
        step(1, order(Rule::Final, None), vec![]),
        step(2, order(Rule::ProgramOrder(2), Some(second)), vec![]),
        step(3, Statement::Cycle, vec![1, 2]),
    ]);
    let forged = Certificate::new(Claim::new(&history, Model::SC, ""), evidence);
    assert!(matches!(verify(&history, &forged), Err(Rejection::Unfounded { step: 1, .. })));
}

/// Runs every algorithm under the models that it applies to.
fn for_each_algorithm(mut look: impl FnMut(check::Algorithm, Model)) {
    for algorithm in crate::ALGORITHMS {
        for model in MODELS {
            if algorithm.applies_to(model) {
                look(algorithm, model);
            }
        }
    }
}

fn verdict_by(history: &History, algorithm: check::Algorithm, model: Model) -> Verdict {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    let options = Options { algorithm, ..Options::default() };
    check(history, &reads_from, model, &options).verdict
}

#[test]
fn a_read_modify_write_does_not_read_what_it_writes() {
    let history = plain(
        &[Access { read: Some(1), written: Some(1), ..Access::new(0, Kind::Rmw, Place::Cell(0)) }],
        &[],
    );
    for_each_algorithm(|algorithm, model| {
        let found = verdict_by(&history, algorithm, model);
        let expected = algorithm == check::Algorithm::TraceOrder;
        let undecided = matches!(found, Verdict::Undecided(_));
        assert_eq!(undecided, expected, "{algorithm:?} {model}: {found:?}");
        assert!(undecided || matches!(found, Verdict::Violation(_)), "{algorithm:?}");
    });
}

/// One store whose value is not shown cannot have supplied both reads, but no algorithm concludes that.
#[test]
fn a_hidden_write_leaves_every_algorithm_undecided() {
    let mut hidden = store(0, Place::Cell(0), 0);
    hidden.written = None;
    let accesses = [hidden, load(1, Place::Cell(0), 5), load(1, Place::Cell(0), 1)];
    let history = plain(&accesses, &[]);
    for_each_algorithm(|algorithm, model| {
        let found = verdict_by(&history, algorithm, model);
        assert!(matches!(found, Verdict::Undecided(_)), "{algorithm:?} {model}: {found:?}");
    });
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    let bounds = check::Bounds::none();
    let kernel = check::kernel::kernel(&history, &reads_from, Model::SC, &bounds);
    let undecided = check::kernel::NoKernel::Undecided(Reason::HiddenWrite(OpId(1)));
    assert_eq!(kernel, Err(undecided));
    let steps = [0, 1, 2].map(|op| memory::machine::Step::Execute(OpId(op)));
    let claim = certify::certificate::Claim::new(&history, Model::SC, "");
    let mut file = Vec::new();
    certify::certificate::write_consistent(&mut file, &history, &claim, &[], &steps).unwrap();
    let certificate = certify::certificate::read(file.as_slice()).unwrap();
    let refused = certify::verify::verify(&history, &certificate);
    assert_eq!(refused, Err(certify::verify::Rejection::Unknowable));
}

#[test]
fn thin_air_has_no_kernel() {
    let history = plain(&[store(0, Place::Cell(0), 1), load(1, Place::Cell(0), 7)], &[]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    for model in [Model::SC, Model::TSO] {
        let bounds = check::Bounds::none();
        let kernel = check::kernel::kernel(&history, &reads_from, model, &bounds);
        assert_eq!(kernel, Err(check::kernel::NoKernel::Inconsistent));
    }
}

#[test]
fn program_order_says_what_a_private_location_ends_with() {
    let place = Place::Cell(0);
    let accesses = [store(0, place, 1), store(0, place, 2), store(0, place, 1)];
    let history = plain(&accesses, &[(0, 1)]);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared).unwrap();
    for_each_algorithm(|algorithm, model| {
        let options = Options { algorithm, ..Options::default() };
        let found = check(&history, &reads_from, model, &options).verdict;
        let refuted = matches!(found, Verdict::Violation(_) | Verdict::CriterionViolation(_));
        let ambiguous = matches!(found, Verdict::Undecided(Reason::NeedsSources(_)));
        assert!(!refuted && !ambiguous, "{algorithm:?} {model}: {found:?}");
    });
}

/// A store that did not complete before the end of the trace may have written a final value, as it may have
/// supplied a read.
#[test]
fn an_unfinished_store_may_have_written_a_final_value() {
    let provenance = Provenance {
        unfinished: vec![Unfinished {
            thread: 2,
            address: 0,
            writes: true,
            issued: None,
            line: None,
        }],
        ..Provenance::made()
    };
    let accesses = [store(0, Place::Cell(0), 1)];
    let history = build(&accesses, &[(0, 7)], &Initial::Zero, provenance);
    for_each_algorithm(|algorithm, model| {
        let found = verdict_by(&history, algorithm, model);
        assert!(matches!(found, Verdict::Undecided(_)), "{algorithm:?} {model}: {found:?}");
    });
    let expected = Verdict::Undecided(Reason::UnfinishedFinal(0));
    assert_eq!(verdict(&history, Ambiguity::Refuse, Model::SC), expected);
    let history = plain(&accesses, &[(0, 7)]);
    let refuted = verdict(&history, Ambiguity::Refuse, Model::SC);
    assert!(matches!(refuted, Verdict::Violation(_)));
}

/// A final value is that of the last write, also where the trace does not show the value of another one.
#[test]
fn a_write_of_an_unknown_value_may_have_written_a_final_value_if_it_is_the_last() {
    let hidden = |thread| Access { written: None, ..store(thread, Place::Cell(0), 0) };
    let known = |thread| store(thread, Place::Cell(0), 4);
    let last_is_known = plain(&[hidden(0), known(0)], &[(0, 2)]);
    let last_is_hidden = plain(&[known(0), hidden(0)], &[(0, 2)]);
    let either = plain(&[known(0), hidden(1)], &[(0, 2)]);
    for_each_algorithm(|algorithm, model| {
        let found = verdict_by(&last_is_known, algorithm, model);
        assert!(
            !matches!(found, Verdict::Consistent(_) | Verdict::Satisfied),
            "{algorithm:?} {model}: {found:?}"
        );
        for history in [&last_is_hidden, &either] {
            let found = verdict_by(history, algorithm, model);
            let is_violation = matches!(
                found,
                Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_)
            );
            assert!(!is_violation, "{algorithm:?} {model}: {found:?}");
        }
    });
    for model in [Model::SC, Model::TSO, Model::PSO, Model::RVWMO, Model::ARMV8] {
        let found = verdict(&last_is_known, Ambiguity::Refuse, model);
        assert_eq!(found, Verdict::Undecided(Reason::HiddenFinal(0)), "{model}");
    }
    assert!(is_consistent(&last_is_hidden, Ambiguity::Refuse));
}

/// A value with one write and several write-backs counts as written once, whichever comes first.
#[test]
fn a_value_that_is_written_back_is_written_once() {
    let rmw = |thread, read, written| Access {
        read: Some(read),
        written: Some(written),
        ..Access::new(thread, Kind::Rmw, Place::Cell(0))
    };
    for accesses in [[rmw(0, 0, 1), rmw(1, 1, 1)], [rmw(0, 1, 1), rmw(1, 0, 1)]] {
        assert!(is_consistent(&plain(&accesses, &[]), Ambiguity::Refuse), "{accesses:?}");
    }
    let twice = plain(&[rmw(0, 1, 1), rmw(1, 0, 1), store(2, Place::Cell(0), 1)], &[]);
    let error = ReadsFrom::derive(&twice, Ambiguity::Refuse).unwrap_err().to_string();
    assert!(error.contains("operation 0 of thread 2") && error.contains("of thread 1"), "{error}");
}

/// Every model allows an empty history, but it must not count as consistent.
#[test]
fn an_empty_history_is_undecided() {
    let empty = plain(&[], &[]);
    let kept = plain(&[], &[(0x1000, 0)]);
    let fence = plain(&[Access::new(0, Kind::Fence, Place::Nowhere)], &[]);
    for model in MODELS {
        for history in [&empty, &kept] {
            for algorithm in crate::ALGORITHMS {
                if !algorithm.applies_to(model) {
                    continue;
                }
                let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
                let options = Options { algorithm, ..Options::default() };
                let found = check(history, &reads_from, model, &options).verdict;
                let expected = Verdict::Undecided(Reason::NothingCompleted);
                assert_eq!(found, expected, "{model} by {}", algorithm.name());
            }
        }
        let evidence = Evidence::Consistent { reads_from: Vec::new(), steps: Vec::new() };
        let certificate = Certificate::new(Claim::new(&empty, model, ""), evidence);
        let refused = verify(&empty, &certificate);
        assert_eq!(refused, Err(Rejection::NothingCompleted));
        // A final value or a completed fence makes a history that is not empty.
        let wrong = plain(&[], &[(0x1000, 5)]);
        let found = verdict(&wrong, Ambiguity::Refuse, model);
        assert!(matches!(found, Verdict::Violation(_)), "{found:?}");
        let found = verdict(&fence, Ambiguity::Refuse, model);
        assert!(matches!(found, Verdict::Consistent(_)), "{found:?}");
    }
    let reads_from = ReadsFrom::derive(&empty, Ambiguity::Refuse).unwrap();
    let bounds = check::Bounds::none();
    let kernel = check::kernel::kernel(&empty, &reads_from, Model::SC, &bounds);
    let expected = check::kernel::NoKernel::Undecided(Reason::NothingCompleted);
    assert_eq!(kernel, Err(expected));
}
