//! Certificates that prove a verdict case by case.

use certify::certificate;
use certify::verify::Verified;
use memory::Model;

use crate::proofs::{Proof, SILENT, verified};

/// Whether the compare-and-swap wrote makes no difference: the second load is stale in both cases.
const BOTH: &str = "case 0:0=wrote
    1 R4 0:1 1:0
    2 ppo-reads-apart 1:0 1:1
    3 R7 1:1 0:1
    4 cycle : 1 2 3
    case 0:0=failed
    1 R4 0:1 1:0
    2 ppo-reads-apart 1:0 1:1
    3 R7 1:1 0:1
    4 cycle : 1 2 3";

#[test]
fn all_cases_are_needed() {
    let proof = Proof::refuted(SILENT, Model::RVWMO, BOTH);
    let both = verified(&proof, &proof.certificate());
    assert_eq!(both, Ok(Verified::Violation { steps: 8 }));
    let lines: Vec<&str> = BOTH.lines().map(str::trim).collect();
    let (wrote, failed) = lines.split_at(5);
    let refused = |lines: &[&str], why: &str| {
        let text = proof.with_lines(&lines.join("\n"));
        let refusal = match certificate::read(text.as_bytes()) {
            Ok(_) => verified(&proof, &text).expect_err(&text).to_string(),
            Err(error) => error.to_string(),
        };
        assert!(refusal.contains(why), "{refusal}\n{text}");
    };
    refused(wrote, "not all that there are");
    refused(failed, "not all that there are");
    refused(&[failed, wrote].concat(), "not all that there are");
    refused(&[wrote, wrote].concat(), "not all that there are");
    let of_store = proof.with_lines(&BOTH.replace("0:0=", "0:1="));
    let refusal = verified(&proof, &of_store).unwrap_err().to_string();
    assert!(refusal.contains("no read-modify-write that may have failed"), "{refusal}");
}
