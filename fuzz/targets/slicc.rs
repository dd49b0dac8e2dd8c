//! The entry point of libFuzzer for `fuzz::slicc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::slicc(data));
