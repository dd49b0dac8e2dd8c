//! The entry point of libFuzzer for `fuzz::tester`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::tester(data));
