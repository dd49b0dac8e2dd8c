//! The entry point of libFuzzer for `fuzz::initial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::initial(data));
