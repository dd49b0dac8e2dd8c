//! The target `tester`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::tester(data));
