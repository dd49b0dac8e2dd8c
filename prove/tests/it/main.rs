//! Tests of proofs for any number of caches.

mod certificates;
mod mutants;
mod proofs;
mod walks;

use std::path::{Path, PathBuf};

use slicc::load::load_with;
use slicc::protocol::{BLOCK_BYTES, Protocol};

/// The path of a protocol among the fixtures for proofs.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/proofs").join(format!("{name}.slicc"))
}

fn fixture(name: &str) -> Protocol {
    Protocol::open(path(name).to_str().expect("the path is text")).expect("it is a protocol")
}

/// A fixture with a change.
fn changed(name: &str, from: &str, to: &str) -> Protocol {
    let text = std::fs::read_to_string(path(name)).expect("it can be read");
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let text = text.replace(from, to);
    let loaded = load_with(&path(name), &mut |_| Ok(text.clone().into_bytes()));
    let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}
