use history::{
    Access, AssumedSize, History, HistoryBuilder, Initial, Kind, Place, Provenance, Source,
};

use super::{END_MAGIC, Form, Layout, Outcomes, ROUNDS_MAGIC, Recording, checksum, header};
use crate::{Error, Options};

const X: Place = Place::Bytes { address: 0x1000, size: 8 };
const Y: Place = Place::Bytes { address: 0x1008, size: 1 };

/// Two threads: x := 1; y := 1; r = x; swap(x, 2) and r = y; r = x; y := 2.
fn program() -> History {
    let mut builder = HistoryBuilder::new();
    let mut push = |thread, kind, place, written| {
        builder.push(Access { written, ..Access::new(thread, kind, place) });
    };
    push(0, Kind::Store, X, Some(1));
    push(0, Kind::Store, Y, Some(1));
    push(0, Kind::Load, X, None);
    push(0, Kind::Rmw, X, Some(2));
    push(1, Kind::Load, Y, None);
    push(1, Kind::Load, X, None);
    push(1, Kind::Store, Y, Some(2));
    builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::of(Source::Record)).unwrap()
}

fn begin(recording: Recording, form: Form) -> Vec<u8> {
    let layout = Layout::new(&program(), recording).unwrap();
    header(&program(), &layout, form).unwrap().into_bytes()
}

fn line(text: &str) -> String {
    let sum = text
        .bytes()
        .fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{text} #{sum:x}\n")
}

fn text(lines: &[&str]) -> Vec<u8> {
    let lines: String = lines.iter().map(|text| line(text)).collect();
    [begin(Recording::Values, Form::Text), lines.into_bytes()].concat()
}

fn block(words: &[u64]) -> Vec<u8> {
    let sum = checksum(words.iter().copied());
    words.iter().chain([&sum]).flat_map(|word| word.to_le_bytes()).collect()
}

fn read(record: &[u8], lossy: bool) -> Result<Vec<History>, Error> {
    let options = Options { lossy, ..Options::default() };
    crate::read(record, "test.record", &options).map(|trace| trace.histories)
}

fn described(history: &History) -> Vec<String> {
    let operations = history.ops().map(|op| history.describe(op));
    let finals =
        history.finals().iter().map(|last| format!("{} ends {}", last.location, last.value));
    operations.chain(finals).collect()
}

/// The values that the first round of [`text`] has.
const ROUND: &str = "round 0 1 1 2 1 0 2";

#[test]
fn a_round_is_a_history() {
    let histories =
        read(&text(&[ROUND, "round 1 2 1 2 1 0 2", ROUND, "end 3 7 5"]), false).unwrap();
    assert_eq!(histories.len(), 2);
    assert_eq!(histories[0].name.as_deref(), Some("round 0 and 1 like it"));
    assert_eq!(histories[1].name.as_deref(), Some("round 1"));
    assert_eq!(histories[0].provenance.source, Source::Record);
    assert_eq!(
        described(&histories[0]),
        [
            "store 0x1000 := 0x1",
            "store 0x1008 := 0x1",
            "load 0x1000 == 0x1",
            "rmw 0x1000 == 0x1, := 0x2",
            "load 0x1008 == 0x1",
            "load 0x1000 == 0x0",
            "store 0x1008 := 0x2",
            "0 ends 2",
            "1 ends 2",
        ]
    );
}

/// Both forms and both ways to record say the same.
#[test]
fn all_forms_are_the_same_history() {
    let expected = described(&read(&text(&[ROUND, "end 1 0 0"]), false).unwrap()[0]);
    let values = [1, 1, 2, 1, 0, 2];
    // Thread 0 reads x twice and has its final value: digits 1, 1, 2 of the radix 3. Thread 1 reads y and x, and has y's.
    let signature = [(3 + 1) * 3 + 2, 0, 0, 3 * 3 + 2, 0, 0];
    for (recording, words) in [(Recording::Values, values), (Recording::Signature, signature)] {
        let rounds = block(&[&[ROUNDS_MAGIC, 0, 1], &words[..]].concat());
        let record =
            [begin(recording, Form::Binary), rounds, block(&[END_MAGIC, 1, 7, 5])].concat();
        assert_eq!(described(&read(&record, false).unwrap()[0]), expected);
        let outcomes = Outcomes::of(&record, "test.record", "").unwrap();
        let timing = outcomes.timing().unwrap();
        assert_eq!((outcomes.rounds(), timing.nanoseconds, timing.spread), (1, 7, 5));
    }
}

/// A value that no write writes is kept in full; of several, the others are not known.
#[test]
fn values_that_are_no_digits_are_kept() {
    let record = |words: [u64; 6]| {
        let rounds = block(&[&[ROUNDS_MAGIC, 0, 1], &words[..]].concat());
        [begin(Recording::Signature, Form::Binary), rounds, block(&[END_MAGIC, 1, 0, 0])].concat()
    };
    let history = &read(&record([2, 0xbad, 1 | 1 << 32, 11, 0, 0]), false).unwrap()[0];
    assert_eq!(described(history)[2..4], ["load 0x1000 == 0xbad", "rmw 0x1000 == 0x0, := 0x2"]);
    let history = &read(&record([2, 0xbad, 1 | 2 << 32, 11, 0, 0]), false).unwrap()[0];
    assert_eq!(described(history)[2..4], ["load 0x1000 == 0xbad", "rmw 0x1000 == ?, := 0x2"]);
    for wrong in [[27, 0, 0, 11, 0, 0], [2, 0, 4 | 1 << 32, 11, 0, 0], [2, 0, 1, 11, 0, 0]] {
        read(&record(wrong), false).unwrap_err();
    }
}

#[test]
fn damage_has_its_place() {
    let whole = text(&[ROUND, "round 1 2 1 2 1 0 2", "end 2 7 5"]);
    let said = |record: &[u8]| read(record, false).unwrap_err().to_string();
    let garbled = String::from_utf8(whole.clone()).unwrap().replace("round 1 2", "round 1 3");
    assert!(said(garbled.as_bytes()).contains("test.record:6: "), "{}", said(garbled.as_bytes()));
    let kept = read(garbled.as_bytes(), true).unwrap();
    assert_eq!(kept.len(), 1);
    let notes = kept[0].provenance.notes.join("\n");
    assert!(notes.contains("were skipped: 1"), "{notes}");
    // The program ran twice.
    let twice = [&whole[..], &whole[..]].concat();
    assert!(said(&twice).contains("a second record"), "{}", said(&twice));
    let cut = &whole[..whole.len() - line("end 2 7 5").len()];
    assert!(said(cut).contains("the end of the record after 2 rounds"), "{}", said(cut));
    assert_eq!(read(cut, true).unwrap().len(), 2);
    let few = text(&[ROUND, "end 2 7 5"]);
    assert!(said(&few).contains("the end of 2 rounds after 1"), "{}", said(&few));
    let head =
        String::from_utf8(whole.clone()).unwrap().replacen("\"written\":1", "\"written\":7", 1);
    assert!(said(head.as_bytes()).contains("test.record:4: "), "{}", said(head.as_bytes()));
    // A serial line ends lines with CR LF, and boot messages come before.
    let serial = String::from_utf8(whole).unwrap().replace('\n', "\r\n");
    assert_eq!(read(format!("OpenSBI v1.3\n{serial}").as_bytes(), false).unwrap().len(), 2);
}

/// A serial line may transmit anything before a record, as the noise of a board that is switched on.
#[test]
fn a_record_is_found_behind_noise() {
    let record = text(&[ROUND, "end 1 0 0"]);
    let binary = [
        begin(Recording::Values, Form::Binary),
        block(&[&[ROUNDS_MAGIC, 0, 1], &[1, 1, 2, 1, 0, 2][..]].concat()),
        block(&[END_MAGIC, 1, 0, 0]),
    ];
    let noise: Vec<u8> =
        (0..=255).cycle().map(|byte: u8| byte.wrapping_mul(167)).take(200_000).collect();
    for record in [record, binary.concat()] {
        for noise in [&noise[..3], &noise, b"\0\xff\r\nboot\0", b"U-Boot 2023.01: "] {
            assert_eq!(read(&[noise, &record].concat(), false).unwrap().len(), 1);
            // Lines are counted through the noise.
            let cut = [noise, &record[..60]].concat();
            let line = 2 + noise.iter().filter(|&&byte| byte == b'\n').count();
            let said = read(&cut, false).unwrap_err().to_string();
            assert!(said.contains(&format!("test.record:{line}: ")), "{line}: {said}");
        }
    }
}

#[test]
fn a_record_without_its_beginning_is_recognised() {
    let said = |record: &[u8]| read(record, false).unwrap_err().to_string();
    let whole = String::from_utf8(text(&[ROUND, "end 1 0 0"])).unwrap();
    for (skipped, line) in [(1, 2), (2, 1), (3, 1), (4, 1), (5, 1)] {
        let rest: String = whole.split_inclusive('\n').skip(skipped).collect();
        for rest in [rest.replace('\n', "\r\n"), rest] {
            let said = said(rest.as_bytes());
            assert!(said.starts_with(&format!("test.record:{line}: found `")), "{said}");
            assert!(said.contains("such as `rubric-record 1 text`"), "{said}");
        }
    }
    let round = block(&[ROUNDS_MAGIC, 0, 1, 1, 1, 2, 1, 0, 2]);
    let blocks = [round, block(&[END_MAGIC, 1, 0, 0])].concat();
    let place = |cut: usize| format!("byte {}: found a block of a record", blocks.len() - 40 - cut);
    assert!(said(&blocks).contains("byte 0: found a block of a record"));
    assert!(said(&blocks[9..]).contains(&place(9)), "{}", said(&blocks[9..]));
}

#[test]
fn damaged_blocks_have_their_byte() {
    let head = begin(Recording::Values, Form::Binary);
    let words = [ROUNDS_MAGIC, 0, 1, 1, 1, 2, 1, 0, 2];
    let second = [ROUNDS_MAGIC, 1, 1, 2, 1, 2, 1, 0, 2];
    let whole =
        [head.clone(), block(&words), block(&second), block(&[END_MAGIC, 2, 0, 0])].concat();
    assert_eq!(read(&whole, false).unwrap().len(), 2);
    let at = head.len() + block(&words).len();
    for place in at..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        let error = read(&damaged, false).unwrap_err().to_string();
        let byte = if place < at + block(&second).len() { at } else { at + block(&second).len() };
        assert!(error.contains(&format!("byte {byte}")), "{place}: {error}");
        assert!(!read(&damaged, true).unwrap().is_empty());
        read(&whole[..place], false).unwrap_err();
    }
}

/// A location of 2^64 values cannot be a digit, and digits that do not fit share no word.
#[test]
fn words_hold_as_many_digits_as_fit() {
    let mut builder = HistoryBuilder::new();
    for value in 1..=1 << 13 {
        builder.push(Access { written: Some(value), ..Access::new(0, Kind::Store, X) });
    }
    (0..9).for_each(|_| builder.push(Access::new(1, Kind::Load, X)));
    let program = builder
        .finish(AssumedSize::default(), &Initial::Zero, Provenance::of(Source::Record))
        .unwrap();
    let layout = Layout::new(&program, Recording::Signature).unwrap();
    // Four digits of 2^13 + 1 fit into 64 bits, and two words are for values that are no digits.
    assert_eq!(layout.words().collect::<Vec<_>>(), [1 + 2, 3 + 2]);
    let ends: Vec<usize> =
        layout.digits(1).iter().map(|(_, is_last)| usize::from(*is_last)).collect();
    assert_eq!(ends, [0, 0, 0, 1, 0, 0, 0, 1, 1]);
}
