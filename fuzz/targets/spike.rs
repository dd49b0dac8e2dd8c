//! The entry point of libFuzzer for the target `spike`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::log(data));
