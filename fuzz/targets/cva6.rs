//! The entry point of libFuzzer for `fuzz::cva6`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::cva6(data));
