//! The entry point of libFuzzer for `fuzz::axe`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::axe(data));
