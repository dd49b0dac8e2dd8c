//! The entry point of libFuzzer for `fuzz::litmus`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::litmus(data));
