//! SLICC protocols: read, resolved and compiled.
#![no_main]

use std::io;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use simulate::protocol::Protocol;
use simulate::slicc::load::load_with;

fuzz_target!(|data: &[u8]| {
    // One file is there, under every name that is asked for.
    let mut files = 0;
    let loaded = load_with(Path::new("fuzz.slicc"), &mut |_| {
        files += 1;
        match files {
            ..8 => Ok(data.to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    });
    if let Ok(loaded) = loaded {
        let _ = Protocol::new(loaded, 64);
    }
});
