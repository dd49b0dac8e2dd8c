//! The entry point of libFuzzer for `fuzz::gem5`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::gem5(data));
