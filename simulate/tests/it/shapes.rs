//! The lines of our runs have the same shapes as those that gem5 recorded.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use crate::common::{Run, run};
use flate2::read::MultiGzDecoder;
use simulate::client::Client;
use simulate::program::ProgramSize;

/// A line without its numbers, but with the width of its first column.
fn shape(line: &str) -> String {
    let digits = line.trim_start_matches(' ');
    let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let width = line.len() - after.len();
    let mut shape = format!("<{width}>");
    let mut rest = after;
    while let Some(first) = rest.chars().next() {
        let end = if let Some(number) = rest.strip_prefix("0x") {
            let after = number.trim_start_matches(|c: char| c.is_ascii_hexdigit());
            shape.push('#');
            rest.len() - after.len()
        } else if first.is_ascii_digit() {
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            shape.push('#');
            rest.len() - after.len()
        } else {
            // In columns, the number of blanks depends on the number.
            if first != ' ' || !shape.ends_with(' ') {
                shape.push(first);
            }
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    shape
}

/// The shapes of the lines of sequencers, ports and clients.
fn shapes(text: &str) -> BTreeSet<String> {
    let is_transition = |line: &&str| {
        [" L1Cache", " L2Cache", " Directory"].iter().any(|machine| line.contains(machine))
    };
    text.lines().filter(|line| !is_transition(line)).map(shape).collect()
}

fn recorded(name: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/traces");
    let file = std::fs::File::open(folder.join(name)).unwrap();
    let mut text = String::new();
    MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    shapes(&text)
}

#[test]
fn lines_look_like_gem5s() {
    for (client, threads, name) in [
        (Client::IN_ORDER, 2, "mi-2x50-io-11.trace.gz"),
        (Client::store_buffer(8), 4, "mesi2-4x100-sb-16.trace.gz"),
    ] {
        let shape = ProgramSize { threads, ..ProgramSize::default() };
        let ran = run(&Run::new(client, shape));
        let ours = shapes(&String::from_utf8(ran.text).unwrap());
        assert_eq!(ours, recorded(name), "{name}");
    }
}
