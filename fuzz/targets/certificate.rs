//! Certificates: whatever is accepted is true of the history.
#![no_main]

use std::sync::LazyLock;

use check::certificate;
use check::verify::{Verified, verify};
use history::History;
use libfuzzer_sys::fuzz_target;

/// Store buffering, which is TSO and not SC.
static HISTORY: LazyLock<History> = LazyLock::new(|| {
    let text = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n";
    let mut trace = ingest::read(text.as_bytes(), "history", &ingest::Options::default()).expect("it can be read");
    trace.histories.remove(0)
});

fuzz_target!(|data: &[u8]| {
    let Ok(certificate) = certificate::read(data) else {
        return;
    };
    let is_sc = certificate.claim.model == check::Model::Sc;
    match verify(&HISTORY, &certificate) {
        Ok(Verified::Consistent { .. }) => assert!(!is_sc),
        Ok(Verified::Violation { .. }) => assert!(is_sc),
        Ok(Verified::Breach { .. }) => assert!(is_sc),
        Err(_) => {}
    }
});
