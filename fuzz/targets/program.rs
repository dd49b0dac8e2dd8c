//! Concurrent programs: read, compiled, and explored a little.
#![no_main]

use check::Model;
use explore::program::bounded::{Options, search};
use explore::program::compile::Program;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(program) = Program::read(text) {
        let options = Options {
            runs: Some(20),
            ..Options::new(1, &[Model::Tso])
        };
        search(&program, &options);
    }
});
