//! The entry point of libFuzzer for the target `tarmac`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::log(data));
