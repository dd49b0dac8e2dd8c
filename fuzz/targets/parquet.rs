//! The target `parquet`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::parquet(data));
