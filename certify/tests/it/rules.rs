//! Each rule is accepted in a proof, and refused where it does not apply.

use certify::certificate;
use certify::verify::Verified;
use history::History;
use memory::Model;
use memory::machine::explore;

use crate::proofs::{self, Proof, all, read, verified};

#[test]
fn every_proof_is_accepted() {
    for proof in all() {
        let text = proof.certificate();
        let found = verified(&proof, &text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let is_consistent = matches!(found, Verified::Consistent { .. });
        assert_eq!(is_consistent, proof.verdict == "consistent", "{text}");
        let is_of_criterion = matches!(found, Verified::CriterionViolation { .. });
        assert_eq!(is_of_criterion, proof.criterion.is_some(), "{text}");
    }
}

/// The proofs are right, so that what follows says something: the machine of SC, TSO and PSO agrees.
#[test]
fn the_machine_agrees() {
    for proof in all().iter().filter(|proof| !proof.model.is_weak()) {
        let history: History = proofs::history(proof.history);
        let run = explore(&history, proof.model, 100_000).unwrap();
        let expected = proof.verdict == "consistent";
        if proof.is_decided_by_runs() && proof.criterion.is_none() {
            assert_eq!(run.is_some(), expected, "{}", proof.history);
        }
    }
}

#[test]
fn no_step_is_superfluous() {
    for proof in all().iter().filter(|proof| proof.verdict == "violation") {
        let lines: Vec<&str> = proof.lines.lines().collect();
        for left_out in 0..lines.len() {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
            let text: Vec<&str> = kept.map(|(_, line)| *line).collect();
            let text = proof.with_lines(&text.join("\n"));
            assert!(verified(proof, &text).is_err(), "{text}");
        }
    }
}

/// A line of a proof, what replaces it, and a part of the reason why that is refused.
const REFUSED: &[(&str, &str, &str)] = &[
    ("1 R2 0:0 0:1", "1 R1 0:0 0:1", "another of R1 to R3"),
    ("1 R2 0:0 0:1", "1 R2 0:0 1:1", "not in program order"),
    ("1 R2 0:0 0:1", "1 R2 0:0 0:9", "no 0:9"),
    ("2 R7 0:1 1:0", "2 R7 0:1 0:0", "not a write of the read's location"),
    ("2 R7 0:1 1:0", "2 R7 0:0 1:0", "does not read"),
    ("5 cycle : 1 2 3 4", "5 cycle : 1 2 3", "do not close a cycle"),
    ("5 cycle : 1 2 3 4", "5 cycle : 1 3 2 4", "do not form a path"),
    ("5 cycle : 1 2 3 4", "5 cycle : 1 2 3 5", "that no fact has"),
    ("5 cycle : 1 2 3 4", "5 cycle :", "no step that orders two operations"),
    ("5 cycle : 1 2 3 4", "5 cycle : 1 2 3 4\n6 R2 0:0 0:1", "follow the contradiction"),
    ("5 cycle : 1 2 3 4", "4 cycle : 1 2 3 4", "numbers must ascend"),
    ("1 R3 0:0 0:1", "1 R2 0:0 0:2", "does not preserve"),
    ("2 R4 0:1 1:0", "2 R4 0:0 1:0", "another source"),
    ("1 R5 0:0 0:1", "1 R5 1:0 0:1", "neither the read itself nor its source"),
    ("1 R5 0:0 0:1", "1 R5 0:0 1:1", "neither the read itself nor its source"),
    ("3 R6 0:0 2:1 : 1 2", "3 R6 0:0 2:1 : 1", "does not lead from the write to the read"),
    ("4 first 0:0", "4 first 1:0", "does not write"),
    ("2 final 0:1", "2 final 0:0", "itself the source of the final value"),
    ("1 thin-air 0:0", "1 thin-air 0:1", "no 0:1"),
    ("1 thin-final 0", "1 thin-final 1", "can end with its final value"),
    ("2 suppose 2:3=0:0", "2 suppose 2:3=2:2", "cannot have taken its value from there"),
    ("2 suppose 2:3=0:0", "2 suppose 2:3<0:0", "not two writes of one location"),
    ("6 R7 2:3 2:2 : 2 3 4 5", "6 R7 2:3 2:2 : 3 4 5", "source of the read is not known"),
    ("16 clause : 1 8 15", "16 clause : 1 8", "does not follow by unit propagation"),
    ("16 clause : 1 8 15", "16 clause : 1 8 13", "one of a closed block"),
    ("16 clause : 1 8 15", "16 clause 2:3=0:0 : 1 15", "ends without a contradiction"),
    ("15 one-initial 0:0 0:1", "15 one-initial 0:0 0:0", "return the same value"),
    ("15 one-initial 0:0 0:1", "15 one-initial 0:0 0:2", "not two reads"),
    ("2 ppo-reads-apart 1:0 1:1", "2 ppo-reads-apart 1:1 1:0", "not in program order"),
    ("2 ppo-reads-apart 1:0 1:1", "2 R1 1:0 1:1", "does not preserve"),
    ("x 0:1\nx 1:0", "x 1:0", "left at the end"),
    ("x 1:1\nx 0:0", "x 0:0\nx 1:1", "no memory order"),
    ("c 0:0\nc 1:0", "c 1:0\nc 1:0", "step 6"),
    ("1 po 0:0 0:1", "1 ppo 0:0 0:1", "this program order is not that of the criterion"),
    ("1 po 0:0 0:1", "1 po 0:1 0:0", "not in this order"),
    ("2 wr 0:1 1:0", "2 wr 0:0 1:0", "another source"),
    ("2 wr 0:1 1:0", "2 wr_e 0:1 1:0", "this reads-from is not that of the criterion"),
    ("5 rw 1:1 0:0 : 4", "5 rw 1:1 0:1 : 4", "not two writes of one location"),
    ("6 cycle rw[co];co : 5 1 2 3", "6 cycle po|wr : 5 1 2 3", "of another relation"),
    ("6 cycle rw[co];co : 5 1 2 3", "6 cycle po|wr|cf : 5 1 2 3", "does not forbid cycles"),
    ("2 cf 0:0 1:0 via 0:1 : 1", "2 cf 0:0 1:0 : 1", "needs a read after `via`"),
    ("2 cf 0:0 1:0 via 0:1 : 1", "2 cf_e 0:0 1:0 via 0:1 : 1", "no such conflict"),
    (
        "3 hb@2:2 0:0 1:0 via 2:1 : 1 2",
        "3 hb@2:0 0:0 1:0 via 2:1 : 1 2",
        "not before that operation",
    ),
    ("3 hb@2:2 0:0 1:0 via 2:1 : 1 2", "3 hb^ppo@2:2 0:0 1:0 via 2:1 : 1 2", "no such relation"),
    ("7 pww 0:0 1:0 : 3", "7 wpww 0:0 1:0 : 3", "this store order is not that of the criterion"),
    ("7 wpww 0:0 1:0 : 3", "7 wpww 1:0 0:0 : 3", "does not lead from the first write"),
    ("1 wr_e 0:0 2:0", "1 wr 0:0 2:0", "this reads-from is not that of the criterion"),
];

#[test]
fn wrong_steps_are_refused_with_the_reason() {
    for (line, instead, why) in REFUSED {
        let mut reasons = Vec::new();
        for proof in all() {
            let lines: Vec<&str> = proof.lines.lines().map(str::trim).collect();
            let lines = lines.join("\n");
            if !format!("{lines}\n").contains(&format!("{line}\n")) {
                continue;
            }
            let text = proof.with_lines(&lines.replace(line, instead));
            let refusal = match certificate::read(text.as_bytes()) {
                Ok(_) => verified(&proof, &text).expect_err(&text).to_string(),
                Err(error) => error.to_string(),
            };
            reasons.push(refusal);
        }
        assert!(reasons.iter().any(|it| it.contains(why)), "{line} -> {instead}: {reasons:?}");
    }
}

#[test]
fn what_is_written_is_read() {
    for proof in all() {
        let found = read(&proof.certificate());
        let mut text = Vec::new();
        let [case] = found.cases.as_slice() else { panic!("there is one case") };
        match &case.evidence {
            certificate::Evidence::Violation(steps) => {
                certificate::write_violation(&mut text, &found.claim, steps).unwrap()
            }
            certificate::Evidence::CriterionViolation(steps) => {
                certificate::write_violation(&mut text, &found.claim, steps).unwrap()
            }
            // A run is written from the operations of a history, not from names: `bytes.rs` looks at every byte of one.
            certificate::Evidence::Consistent { .. } => continue,
        }
        assert_eq!(String::from_utf8(text).unwrap(), proof.certificate());
    }
}

#[test]
fn a_claim_about_something_else_is_refused() {
    let proof = &all()[0];
    let text = proof.certificate();
    for (line, instead, why) in [
        ("threads 2", "threads 3", "number of threads"),
        ("operations 4", "operations 5", "number of operations"),
        ("initial zero", "initial infer", "initial values"),
        ("model sc", "model tso", "digest"),
    ] {
        assert!(text.contains(line), "{text}");
        let changed = text.replace(line, instead);
        match verified(proof, &changed) {
            // The digest does not depend on these models, but the proof holds under SC alone.
            Err(refusal) if instead == "model tso" => {
                assert!(refusal.to_string().contains("does not preserve"), "{refusal}");
            }
            refused => {
                let refusal = refused.expect_err(instead).to_string();
                assert!(refusal.contains(why), "{refusal}");
            }
        }
    }
    assert_eq!(proof.model, Model::SC);
}

/// A [`Proof`] with several cases is tested in `cases.rs`; one with none is not a certificate.
#[test]
fn a_certificate_needs_an_end() {
    let proof = Proof::run(proofs::SB, Model::TSO, "x 0:0");
    let text = proof.certificate();
    let cut = text.strip_suffix("end\n").unwrap();
    let error = certificate::read(cut.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("cut off"), "{error}");
    let more = certificate::read(format!("{text}x 0:1\n").as_bytes()).unwrap_err().to_string();
    assert!(more.contains("nothing after `end`"), "{more}");
}
