//! No input makes a reader panic or loop forever.

use crate::common;
use std::fs::File;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::MultiGzDecoder;
use history::Source;
use ingest::Options;
use proptest::prelude::*;

/// A few kilobytes of each recorded trace of this repository, and of the other formats.
static TEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut texts: Vec<Vec<u8>> = std::fs::read_dir(common::workspace().join("fixtures/traces"))
        .into_iter()
        .flatten()
        .filter_map(|entry| File::open(entry.ok()?.path()).ok())
        .map(|file| {
            let mut text = Vec::new();
            let _ = MultiGzDecoder::new(file).take(12 << 10).read_to_end(&mut text);
            text
        })
        .collect();
    texts.push(
        b"# SB\n0: M[0] := 1\n0: M[1] == 0 @ 1 : 2\n1: <v1 == 0; v1 := 3>\nfinal v0 == 1\ncheck\n"
            .to_vec(),
    );
    texts.push(
        b"37000000: system.cpu1: T0 : 0x401686 @run+33. 1 :   MOV : ld   edx, DS:[rip] : MemRead :  \
          D=0x0000000000000002 A=0x4bd104\n37000000: system.cpu0: T0 : 0x41 @f. 0 : \tXCHG.mfence : IntAlu : \n"
            .repeat(20),
    );
    texts
});

fn options() -> impl Strategy<Value = Options> {
    let source = prop::sample::select(vec![
        None,
        Some(Source::Ruby),
        Some(Source::Client),
        Some(Source::Exec),
    ]);
    (source, any::<bool>(), any::<bool>()).prop_map(|(source, lossy, more)| Options {
        source,
        lossy,
        fetches: more,
        transitions: more,
        ..Options::default()
    })
}

/// A random change of a text.
#[derive(Clone, Debug)]
enum Change {
    Set(u8),
    Remove(usize),
    Repeat(usize),
    Insert(Vec<u8>),
    MoveTo(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<(usize, Change)>> {
    let word = prop::sample::select(vec![
        &b"Hit callback for "[..],
        b"[ 0x0 ",
        b"0x",
        b"issued",
        b"\n",
        b" ",
        b": ",
        b">",
        b"18446744073709551615",
        b"99999999999999999999999",
        b"\xff",
        b"T4000000000 op 18446744073709551615 load 0xffffffffffffffff 0",
        b"AMO original data ",
    ]);
    let change = prop_oneof![
        any::<u8>().prop_map(Change::Set),
        (1..200usize).prop_map(Change::Remove),
        (1..400usize).prop_map(Change::Repeat),
        word.prop_map(|word| Change::Insert(word.to_vec())),
        (1..300usize, any::<usize>()).prop_map(|(length, to)| Change::MoveTo(length, to)),
    ];
    prop::collection::vec((any::<usize>(), change), 0..12)
}

fn apply(text: &mut Vec<u8>, at: usize, change: &Change) {
    if text.is_empty() {
        return;
    }
    let at = at % text.len();
    let end = |length: usize| (at + length).min(text.len());
    match change {
        Change::Set(byte) => text[at] = *byte,
        Change::Remove(length) => {
            text.drain(at..end(*length));
        }
        Change::Repeat(length) => {
            let part = text[at..end(*length)].to_vec();
            text.splice(at..at, part);
        }
        Change::Insert(word) => {
            text.splice(at..at, word.iter().copied());
        }
        Change::MoveTo(length, to) => {
            let part: Vec<u8> = text.drain(at..end(*length)).collect();
            let to = to % (text.len() + 1);
            text.splice(to..to, part);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000), options in options()) {
        let _ = ingest::read(&bytes[..], "t", &options);
    }

    #[test]
    fn any_lines(lines in prop::collection::vec("[ -~]{0,80}", 0..30), options in options()) {
        let text = lines.join("\n");
        let _ = ingest::read(text.as_bytes(), "t", &options);
    }

    #[test]
    fn changed_texts(which in any::<prop::sample::Index>(), changes in changes(), options in options()) {
        let mut text = which.get(&TEXTS).clone();
        for (at, change) in &changes {
            apply(&mut text, *at, change);
        }
        let _ = ingest::read(&text[..], "t", &options);
    }

    #[test]
    fn changed_compressed_texts(
        which in any::<prop::sample::Index>(),
        changes in changes(),
        options in options(),
    ) {
        let text = which.get(&TEXTS);
        let mut bytes = common::compressed(&text[..text.len().min(2048)]);
        for (at, change) in &changes {
            apply(&mut bytes, *at, change);
        }
        let _ = ingest::read(&bytes[..], "t", &options);
    }
}
