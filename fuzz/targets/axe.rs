//! Axe text: what is read can be written, and reads as the same history.
#![no_main]

use ingest::{Options, axe};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(trace) = ingest::read(data, "fuzz", &Options::default()) else {
        return;
    };
    for history in &trace.histories {
        let mut text = Vec::new();
        if axe::write(history, &mut text).is_err() {
            continue;
        }
        let again = ingest::read(text.as_slice(), "again", &Options::default()).expect("what was written can be read");
        let [again] = &again.histories[..] else {
            panic!("one history was written");
        };
        assert_eq!(again.digest(), history.digest());
    }
});
