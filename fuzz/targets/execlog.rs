//! The entry point of libFuzzer for `fuzz::execlog`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::execlog(data));
