//! The entry point of libFuzzer for `fuzz::spike`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::spike(data));
