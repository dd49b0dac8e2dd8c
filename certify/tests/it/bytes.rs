//! Every byte of small certificates is changed: what is still accepted is true.

use std::collections::HashMap;

use certify::certificate;
use certify::verify::{Verified, verify};
use history::{History, OpId};
use memory::Model;
use memory::machine::explore;
use memory::weak::order;

use crate::proofs::{all, history};

/// What replaces each byte: digits, letters and signs that certificates have, and nothing.
const INSTEAD: &[u8] = b"0123Rxp :=<!@.\n";

#[test]
fn what_is_accepted_after_a_change_is_true() {
    let (mut tried, mut accepted) = (0, 0);
    for proof in all() {
        let read = history(proof.history);
        let mut known = Known { by_runs: proof.is_decided_by_runs(), found: HashMap::new() };
        let text = proof.certificate();
        for at in 0..text.len() {
            for &byte in INSTEAD {
                let mut changed = text.clone().into_bytes();
                changed[at] = byte;
                tried += 1;
                accepted += usize::from(is_true_if_accepted(&read, &changed, &mut known));
            }
            let mut shorter = text.clone().into_bytes();
            shorter.remove(at);
            accepted += usize::from(is_true_if_accepted(&read, &shorter, &mut known));
        }
    }
    // Most changes are refused. Among the others are those of the file's name and numbers of steps.
    assert!(tried > 30_000 && accepted > 500, "{tried} {accepted}");
    assert!(accepted < tried / 10, "{accepted} of {tried}");
}

/// What is known of a history.
struct Known {
    /// Whether its runs say which models allow it; else nothing may be accepted that says that one does.
    by_runs: bool,
    /// Whether a model allows it, by the model's name.
    found: HashMap<String, bool>,
}

/// Whether a text is a certificate that the verifier accepts. If so, its claim must be true.
fn is_true_if_accepted(read: &History, text: &[u8], known: &mut Known) -> bool {
    let Ok(certificate) = certificate::read(text) else { return false };
    let Ok(found) = verify(read, &certificate) else { return false };
    let model = certificate.claim.model;
    let key = format!("{} {:?}", model.name(), model.rmw());
    let by_runs = known.by_runs;
    let holds = *known.found.entry(key).or_insert_with(|| by_runs && is_allowed(read, model));
    let claimed = matches!(found, Verified::Consistent { .. });
    assert_eq!(claimed, holds, "{}", String::from_utf8_lossy(text));
    true
}

/// Whether a model allows a history, found by trying every run, or under a weak model every memory order.
fn is_allowed(read: &History, model: Model) -> bool {
    if !model.is_weak() {
        return explore(read, model, 100_000).unwrap().is_some();
    }
    let mut order: Vec<OpId> = read.ops().filter(|&op| read.location(op).is_some()).collect();
    let all = order.len();
    any_order(read, model, &mut order, all)
}

/// Whether some permutation of the first `free` operations, with the others after them, is a memory order of a weak model.
fn any_order(read: &History, model: Model, order: &mut Vec<OpId>, free: usize) -> bool {
    if free == 0 {
        return order::check(read, model, order).is_ok();
    }
    (0..free).any(|last| {
        order.swap(last, free - 1);
        let found = any_order(read, model, order, free - 1);
        order.swap(last, free - 1);
        found
    })
}
