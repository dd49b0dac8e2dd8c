//! Which protocols are proved, and which are not.

use explore::protocol::{SearchOptions, Verdict, explore_by};
use explore::search::Limits;
use host::Bounds;
use prove::{Answer, Options, Problem, prove, prove_large, verify};
use simulate::stepper::{Scope, Symmetry};
use slicc::protocol::Protocol;

use crate::{changed, fixture};

fn answer(protocol: &Protocol) -> Answer {
    prove(protocol, &Options::default(), &mut |_| {}).expect("it can be explored")
}

fn large(protocol: &Protocol) -> Answer {
    prove_large(protocol, &Options::default(), &mut |_| {})
}

fn problem(answer: Answer) -> Problem {
    match answer {
        Answer::NotProved(problem) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn mi_example_is_proved() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let Answer::Proved(certificate) = answer(&protocol) else { panic!("it is proved") };
    assert!(!certificate.uses_order && certificate.counters.is_empty());
    verify(&protocol, &certificate).expect("it is a proof");
}

/// Its home sends an invalidation after a grant, so the proof needs the order of messages.
#[test]
fn germans_protocol_is_proved() {
    let protocol = fixture("German");
    let Answer::Proved(certificate) = answer(&protocol) else { panic!("it is proved") };
    assert!(certificate.uses_order);
    verify(&protocol, &certificate).expect("it is a proof");
}

#[test]
fn a_protocol_that_is_wrong_with_two_caches_is_refuted() {
    let wrong = changed(
        "German",
        "transition(S, ReqExclusive, SE) {note_requester, take_back, pop_request}",
        "transition(S, ReqExclusive, E) {note_requester, grant_exclusive, pop_request}",
    );
    let Answer::Refuted(refutation) = answer(&wrong) else { panic!("it is wrong") };
    assert_eq!(refutation.caches, 2);
    problem(large(&wrong));
}

/// A home that forgets its readers when there are exactly so many of them: that needs as many
/// caches.
#[test]
fn faults_that_need_many_caches_are_not_proved_absent() {
    let test = "} else if (entry_of(in_msg.addr).ShrSet.isEmpty()) {";
    for readers in [2, 3, 4, 5, 300] {
        let forgets = format!(
            "}} else if (entry_of(in_msg.addr).ShrSet.isEmpty() || entry_of(in_msg.addr).ShrSet.count() == {readers}) {{"
        );
        let wrong = changed("German", test, &forgets);
        // The cache that asks may be one of the readers.
        if readers <= 3 {
            assert!(matches!(answer(&wrong), Answer::Refuted(_)));
        } else {
            assert!(matches!(answer(&wrong), Answer::NotProved(Problem::Run(_))), "{readers}");
        }
        assert!(matches!(large(&wrong), Answer::NotProved(Problem::Run(_))), "{readers}");
    }
}

/// Three messages that are alike count as several for a pair that does not name their receiver, and as three for one that does.
#[test]
fn a_fault_behind_three_messages_that_are_alike_is_not_proved_absent() {
    let wrong = fixture("Party");
    let scope = Scope { caches: 4, symmetries: vec![Symmetry::Cores], ..Scope::default() };
    let limits = Limits { bounds: Bounds::none(), states: None };
    let search = SearchOptions::default();
    let explored = explore_by(&wrong, &scope, &search, &limits, &mut |_| {}).expect("it runs");
    assert!(matches!(explored.verdict, Verdict::Found(_)), "{:?}", explored.verdict);
    assert!(matches!(answer(&wrong), Answer::NotProved(Problem::Run(_))));
}

/// A home that forgets its readers when their number divides another one.
#[test]
fn numbers_of_caches_are_given_to_no_function() {
    let test = "} else if (entry_of(in_msg.addr).ShrSet.isEmpty()) {";
    let forgets = "} else if (entry_of(in_msg.addr).ShrSet.isEmpty() || entry_of(in_msg.addr).ShrSet.count() > 2 && mod(4, entry_of(in_msg.addr).ShrSet.count()) == 0) {";
    let Problem::Unfit(why) = problem(large(&changed("German", test, forgets))) else {
        panic!("it calculates with a number of caches")
    };
    assert!(why.contains("gives a number of caches to a function"), "{why}");
}

/// A home that asks only one of the readers to give the line up.
#[test]
fn a_home_that_chooses_one_reader_is_not_proved() {
    let wrong = changed(
        "German",
        "      out_msg.Destination := entry_of(address).ShrSet;\n",
        "      out_msg.Destination.add(entry_of(address).ShrSet.smallestElement());\n",
    );
    let Problem::Unfit(why) = problem(large(&wrong)) else { panic!("it depends on an order") };
    assert!(why.contains("German.slicc:"), "{why}");
}

/// A client that knows its own number.
#[test]
fn protocols_that_observe_numbers_are_not_proved() {
    let wrong = changed(
        "German",
        "  transition(I, Load, IS) {take_entry, ask_shared, pop_core}",
        "  action(look, \"lk\") { assert(IDToInt(machineIDToNodeID(machineID)) < 100); }\n  transition(I, Load, IS) {look, take_entry, ask_shared, pop_core}",
    );
    let Problem::Unfit(_) = problem(large(&wrong)) else { panic!("it observes numbers") };
}

/// The number of caches is a number like others for a protocol.
#[test]
fn a_fault_of_systems_with_five_caches_is_not_proved_absent() {
    let wrong = changed(
        "German",
        "  transition(I, Load, IS) {take_entry, ask_shared, pop_core}",
        "  int machineCount(MachineType type);\n  action(look, \"lk\") { assert(machineCount(MachineType:L1Cache) < 5); }\n  transition(I, Load, IS) {look, take_entry, ask_shared, pop_core}",
    );
    problem(large(&wrong));
}

#[test]
fn there_is_a_limit() {
    let options = Options { pairs: 100, ..Options::default() };
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let answer = prove_large(&protocol, &options, &mut |_| {});
    assert!(matches!(problem(answer), Problem::TooMany(100)));
}

/// The shortest runs of the abstraction that no cache could make, as `docs/prove.md` explains them.
#[test]
fn moesi_hammer_is_not_proved() {
    let protocol = Protocol::open("MOESI_hammer").expect("it is built in");
    let Problem::Run(run) = problem(large(&protocol)) else { panic!("a run is shown") };
    assert!(!run.steps.is_empty());
}
