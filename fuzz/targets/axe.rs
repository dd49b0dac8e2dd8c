//! The target `axe`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::axe(data));
