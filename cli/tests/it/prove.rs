//! `rubric prove`.

use std::path::Path;

use serde_json::Value;

use crate::common::{Folder, edited_mi_example, error, output, output_of};

/// The path of a protocol among the fixtures for proofs.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/proofs");
    folder.join(name).display().to_string()
}

#[test]
fn a_proof_is_written_and_verified() {
    let folder = Folder::new();
    let proof = folder.path("MI_example.proof");
    let text = output(&["prove", "-q", "MI_example", "--certificate", &proof]);
    assert!(text.starts_with("MI_example: proved for any number of caches ("), "{text}");
    let text = output(&["prove", "-q", "MI_example", "--check", &proof]);
    assert!(text.starts_with("verified: MI_example is right for 4 or more caches ("), "{text}");
    // Without its last pair it proves nothing, and it is about no other protocol.
    let whole = std::fs::read_to_string(&proof).unwrap();
    let last = whole.rfind("pair\n").unwrap();
    std::fs::write(&proof, &whole[..last]).unwrap();
    let text = error(&["prove", "-q", "MI_example", "--check", &proof]);
    assert!(text.contains("the certificate is refused: a pair is missing"), "{text}");
    let text = error(&["prove", "-q", &fixture("German.slicc"), "--check", &proof]);
    assert!(text.contains("the certificate is refused: it is about another protocol"), "{text}");
}

#[test]
fn what_is_not_proved_and_what_is_wrong() {
    let text = output_of(&["prove", "-q", "MI_example", "--max-pairs", "10"], 3);
    assert_eq!(text, "MI_example: not proved: more than 10 pairs of caches' states\n");
    let folder = Folder::new();
    let from = "transition(M, Fwd_GETX, I) {pass_block_on";
    let to = "transition(M, Fwd_GETX) {pass_block_on";
    let path = edited_mi_example(folder.0.path(), "MI_example-cache.sm", from, to);
    let text = output_of(&["prove", "-q", &path, "--format", "json"], 1);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&answer["outcome"], &answer["caches"]), (&"refuted".into(), &2.into()), "{text}");
    assert!(answer["steps"].as_array().unwrap().len() > 3, "{text}");
}
