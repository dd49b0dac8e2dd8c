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

/// Proves the mutants that are wrong, and at most `right` others. Returns the number of those that are wrong, and of those that
/// are proved.
fn count(
    protocol: &Protocol,
    mutants: impl Iterator<Item = Mutant>,
    right: usize,
) -> (usize, usize) {
    let (mut wrong, mut others, mut proved) = (0, 0, 0);
    for mutant in mutants {
        let Ok(changed) = protocol.with(&mutant) else { continue };
        let is_wrong = is_wrong(&changed);
        wrong += usize::from(is_wrong);
        others += usize::from(!is_wrong);
        if !is_wrong && others > right {
            continue;
        }
        let answer = prove_large(&changed, &Options::default(), &mut |_| {});
        let is_proved = matches!(answer, Answer::Proved(_));
        assert!(!is_proved || !is_wrong, "{} is wrong and proved", changed.title());
        proved += usize::from(is_proved);
    }
    (wrong, proved)
}

#[test]
fn a_sample_of_mutants_of_mi_example() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let all = mutate::made::all(&protocol).into_iter();
    let (wrong, proved) = count(&protocol, all.step_by(23), 3);
    assert!(wrong > 3 && proved == 3, "{wrong} wrong, {proved} proved");
}

#[test]
fn a_sample_of_mutants_of_germans_protocol() {
    let protocol = crate::fixture("German");
    let all = mutate::made::all(&protocol).into_iter();
    let (wrong, proved) = count(&protocol, all.step_by(19), 3);
    assert!(wrong > 3 && proved > 0, "{wrong} wrong, {proved} proved");
}

/// All of them, which takes half an hour: only with RUBRIC_MUTANTS=all, and then with what `--nocapture` shows.
#[test]
fn all_mutants() {
    if std::env::var("RUBRIC_MUTANTS").as_deref() != Ok("all") {
        return;
    }
    for protocol in
        [Protocol::open("MI_example").expect("it is built in"), crate::fixture("German")]
    {
        let all = mutate::made::all(&protocol).into_iter();
        let (wrong, proved) = count(&protocol, all, usize::MAX);
        println!("{}: {wrong} wrong, {proved} proved", protocol.name());
    }
}
