//! gem5 traces: read whole, with what is damaged skipped, and as they grow.
#![no_main]

use ingest::Options;
use ingest::gem5::Live;
use ingest::input::Lines;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let strict = Options {
        transitions: true,
        ..Options::default()
    };
    let whole = ingest::read(data, "fuzz", &strict);
    let lossy = Options {
        lossy: true,
        ..strict.clone()
    };
    let skipped = ingest::read(data, "fuzz", &lossy);
    // What is read without a complaint is read by those who complain less.
    assert!(whole.is_err() || skipped.is_ok());
    let mut live = Live::new(&lossy);
    let Ok(mut lines) = Lines::new(data, "fuzz", true) else {
        return;
    };
    while let Ok(true) = live.advance(&mut lines) {
        live.fetch();
    }
    live.finish();
});
