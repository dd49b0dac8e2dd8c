//! No mutant that is wrong in a small system is proved for all larger ones.

use explore::protocol::{Verdict, explore};
use explore::search::Limits;
use mutate::Mutant;
use prove::{Answer, Options, is_excluded, prove_large};
use simulate::stepper::{Scope, Symmetry};
use slicc::protocol::Protocol;

/// Whether an exploration with three caches finds what proofs exclude.
fn is_wrong(protocol: &Protocol) -> bool {
    let scope = Scope { caches: 3, symmetries: vec![Symmetry::Cores], ..Scope::default() };
    let explored = explore(protocol, &scope, &Limits::default(), &mut |_| {});
    let Ok(explored) = explored else { return false };
    matches!(explored.verdict, Verdict::Found(found) if is_excluded(&found.finding))
}

/// The numbers of mutants that are wrong, and of those that are proved.
fn count(protocol: &Protocol, mutants: impl Iterator<Item = Mutant>) -> (usize, usize) {
    let (mut wrong, mut proved) = (0, 0);
    for mutant in mutants {
        let Ok(changed) = protocol.with(&mutant) else { continue };
        let answer = prove_large(&changed, &Options::default(), &mut |_| {});
        let is_proved = matches!(answer, Answer::Proved(_));
        let is_wrong = is_wrong(&changed);
        assert!(!is_proved || !is_wrong, "{} is wrong and proved", changed.title());
        wrong += usize::from(is_wrong);
        proved += usize::from(is_proved);
    }
    (wrong, proved)
}

#[test]
fn a_sample_of_mutants_of_mi_example() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let all = mutate::made::all(&protocol).into_iter();
    let (wrong, proved) = count(&protocol, all.step_by(103));
    assert!(wrong > 1 && proved > 5, "{wrong} wrong, {proved} proved");
}

#[test]
fn a_sample_of_mutants_of_germans_protocol() {
    let protocol = crate::fixture("German");
    let all = mutate::made::all(&protocol).into_iter();
    let (wrong, proved) = count(&protocol, all.step_by(61));
    assert!(wrong > 1 && proved > 1, "{wrong} wrong, {proved} proved");
}

/// All of them, which takes half an hour.
#[test]
#[ignore = "takes half an hour"]
fn all_mutants() {
    for protocol in
        [Protocol::open("MI_example").expect("it is built in"), crate::fixture("German")]
    {
        let all = mutate::made::all(&protocol).into_iter();
        let (wrong, proved) = count(&protocol, all);
        println!("{}: {wrong} wrong, {proved} proved", protocol.name());
    }
}
