//! The entry point of libFuzzer for `fuzz::tarmac`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::tarmac(data));
