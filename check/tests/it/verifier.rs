//! Tests that the verifier rejects certificates that do not prove their claim.

use crate::common::{MODELS, change_reads, print, run, seeded, sized_program};
use certify::certificate::{
    Certificate, Claim, Evidence, Name, ProofStep, Statement, read, write_consistent,
    write_violation,
};
use certify::rule::Rule;
use certify::verify::{Rejection, Verified, verify};
use check::engine::steps::steps;
use check::{Model, Options, Verdict, check};
use history::{Ambiguity, History, ReadsFrom};
use memory::machine::explore;
use rand::RngExt;
use rand::rngs::StdRng;

fn proof(history: &History, model: Model) -> Option<Vec<ProofStep>> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Refuse).unwrap();
    match check(history, &reads_from, model, &Options::default()).verdict {
        Verdict::Violation(violation) => Some(steps(history, &violation)),
        _ => None,
    }
}

fn certificate(history: &History, model: Model, evidence: Evidence) -> Certificate {
    Certificate::new(Claim::new(history, model, ""), evidence)
}

fn random_history(random: &mut StdRng) -> History {
    let accesses = sized_program(random, (2..=4, 4..=10, 1..=3), false);
    let machine = MODELS[random.random_range(0..MODELS.len())];
    let history = run(random, &accesses, machine, false).unwrap();
    change_reads(random, &history, 2)
}

/// Changes a name, a number or a rule of a proof.
fn tamper(random: &mut StdRng, proof: &mut Vec<ProofStep>, history: &History) {
    let at = random.random_range(0..proof.len());
    let any = |random: &mut StdRng| {
        let op = history.ops().nth(random.random_range(0..history.len())).unwrap();
        Name::of(history, op)
    };
    let (a, b) = (any(random), any(random));
    match random.random_range(0..8) {
        kind @ 0..5 => {
            let rule = match kind {
                0 => Rule::ProgramOrder(random.random_range(1..=3)),
                1 => Rule::ReadsFrom,
                2 => Rule::OwnEarlier(b),
                3 => Rule::Observed(b),
                _ => Rule::Overtaken,
            };
            proof[at].statement = Statement::Order {
                rule,
                before: Some(a),
                after: rule.read().is_none().then_some(b),
            };
        }
        5 => {
            proof.remove(at);
        }
        6 => proof[at].premises.retain(|_| random.random_bool(0.5)),
        _ => {
            let last = proof[at].number;
            for premise in &mut proof[at].premises {
                *premise = random.random_range(1..=last);
            }
        }
    }
}

#[test]
fn no_tampered_proof_refutes_a_consistent_history() {
    let mut tried = 0;
    for seed in 0..6000 {
        let mut random = seeded(seed);
        let history = random_history(&mut random);
        // A proof for a stronger model is offered for a weaker one that the history satisfies.
        for (strong, weak) in [(0, 1), (0, 2), (1, 2), (3, 2), (0, 4), (4, 1)] {
            let (strong, weak) = (MODELS[strong], MODELS[weak]);
            let Some(proof) = proof(&history, strong) else {
                continue;
            };
            if explore(&history, weak, 100_000).flatten().is_none() {
                continue;
            }
            for _ in 0..20 {
                let mut offered = proof.clone();
                for _ in 0..random.random_range(0..3) {
                    if !offered.is_empty() {
                        tamper(&mut random, &mut offered, &history);
                    }
                }
                let offered = certificate(&history, weak, Evidence::Violation(offered));
                let verified = verify(&history, &offered);
                assert!(verified.is_err(), "seed {seed} {weak}\n{}", print(&history));
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn no_run_of_another_history_is_accepted() {
    let mut tried = 0;
    for seed in 0..1500 {
        let mut random = seeded(seed);
        let history = random_history(&mut random);
        let changed = change_reads(&mut random, &history, 1);
        for model in MODELS {
            let Some(Some(run)) = explore(&history, model, 100_000) else {
                continue;
            };
            let steps: Vec<(bool, Name)> = run
                .iter()
                .map(|step| match *step {
                    memory::machine::Step::Execute(op) => (false, Name::of(&history, op)),
                    memory::machine::Step::Commit(op) => (true, Name::of(&history, op)),
                })
                .collect();
            let evidence = Evidence::Consistent { reads_from: Vec::new(), steps };
            let mut offered = certificate(&history, model, evidence);
            assert!(verify(&history, &offered).is_ok());
            if changed.digest() == history.digest() {
                continue;
            }
            assert!(matches!(verify(&changed, &offered), Err(Rejection::OtherClaim { .. })));
            // Even with the right digest, the values do not match.
            offered.claim = Claim::new(&changed, model, "");
            assert!(matches!(verify(&changed, &offered), Err(Rejection::Refused { .. })));
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn damaged_files_are_errors() {
    let mut random = seeded(7);
    let history = std::iter::repeat_with(|| random_history(&mut random))
        .find(|history| proof(history, Model::SC).is_some())
        .unwrap();
    let found = proof(&history, Model::SC).unwrap();
    let mut file = Vec::new();
    let claim = Claim::new(&history, Model::SC, "");
    write_violation(&mut file, &claim, &found).unwrap();
    assert!(verify(&history, &read(file.as_slice()).unwrap()).is_ok());
    for length in 0..file.len() - 1 {
        let cut = read(&file[..length]);
        assert!(cut.is_err(), "cut after {length} bytes");
    }
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 4;
        // Most changes give no valid certificate; the others must not change the verdict.
        if let Ok(certificate) = read(damaged.as_slice()) {
            let verified = verify(&history, &certificate);
            assert!(!matches!(verified, Ok(Verified::Consistent { .. })));
        }
    }
}

/// A certificate with a changed byte is rejected, or its claim is still true of the history.
#[test]
fn a_changed_byte_never_changes_a_verdict() {
    let (mut accepted, mut tried) = (0, 0);
    for seed in 0..24 {
        let history = random_history(&mut seeded(seed));
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let verdicts =
            MODELS.map(|model| check(&history, &reads_from, model, &Options::default()).verdict);
        let is_consistent = |model: Model| {
            let at = MODELS.iter().position(|it| *it == model).unwrap();
            matches!(verdicts[at], Verdict::Consistent(_))
        };
        let model = MODELS[seed as usize % MODELS.len()];
        let claim = Claim { file: Some("a.axe".to_owned()), ..Claim::new(&history, model, "") };
        let mut file = Vec::new();
        match &verdicts[seed as usize % MODELS.len()] {
            Verdict::Consistent(run) => {
                write_consistent(&mut file, &history, &claim, &[], run).unwrap();
            }
            Verdict::Violation(violation) => {
                let proof = steps(&history, violation);
                write_violation(&mut file, &claim, &proof).unwrap();
            }
            other => panic!("{other:?}"),
        }
        for at in 0..file.len() {
            for change in [1, 2, 4, 16, 32, 128] {
                let mut damaged = file.clone();
                damaged[at] ^= change;
                tried += 1;
                let Ok(certificate) = read(damaged.as_slice()) else {
                    continue;
                };
                let model = certificate.claim.model;
                let wrong = match verify(&history, &certificate) {
                    Err(_) => continue,
                    Ok(Verified::Consistent { .. }) => !is_consistent(model),
                    Ok(Verified::Violation { .. } | Verified::CriterionViolation { .. }) => {
                        is_consistent(model)
                    }
                };
                accepted += 1;
                let text = String::from_utf8_lossy(&damaged);
                assert!(!wrong, "byte {at} ^ {change}\n{}\n{text}", print(&history));
            }
        }
    }
    // Names and options may change; the proof may not.
    assert!(tried > 20_000 && accepted * 10 < tried, "{accepted} of {tried}");
}
