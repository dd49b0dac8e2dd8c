//! The entry point of libFuzzer for `fuzz::ibex`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::ibex(data));
