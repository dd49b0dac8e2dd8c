//! Histories as JSON: what is read can be written, and reads as the same history.
#![no_main]

use ingest::{Options, json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(trace) = ingest::read(data, "fuzz", &Options::default()) else {
        return;
    };
    for history in &trace.histories {
        let mut text = Vec::new();
        json::write(history, &mut text).expect("memory takes everything");
        let again = ingest::read(text.as_slice(), "again", &Options::default()).expect("what was written can be read");
        let [again] = &again.histories[..] else {
            panic!("one history was written");
        };
        assert_eq!(again.digest(), history.digest());
    }
});
