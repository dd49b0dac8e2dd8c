//! Writes histories with large numbers as axe text, and tests that the Axe checker can read every number and that
//! verdicts stay the same.

use std::collections::{BTreeMap, HashMap};

use crate::common::{MODELS, Mix, accesses_of, change_reads, decide, program, run, seeded};
use check::Algorithm;
use history::{Access, History, HistoryBuilder, Initial, Kind, Place, Provenance};
use rand::RngExt;
use rand::rngs::StdRng;

/// Number of histories.
const HISTORIES: u64 = 300;

/// The largest number of digits of a number that the Axe checker reads.
const DIGITS: usize = 9;
/// The smallest value that the Axe checker rejects.
const TOO_LARGE: u64 = 1 << 23;

/// A random history of few operations, consistent under some model or not.
fn history(random: &mut StdRng) -> Option<History> {
    let mix = Mix { threads: 3, operations: 9, locations: 2, linked: false };
    let mut accesses = program(random, mix);
    for access in &mut accesses {
        // The Axe checker has no failed compare-and-swap.
        if access.kind == Kind::FailedCas {
            access.kind = Kind::Load;
        }
    }
    let model = MODELS[random.random_range(0..MODELS.len())];
    let finals = random.random_bool(0.3);
    let ran = run(random, &accesses, model, finals)?;
    let changes = random.random_range(0..3);
    Some(change_reads(random, &ran, changes))
}

/// The same history with threads, addresses and values of up to 64 bits, and arbitrary initial values.
fn enlarged(random: &mut StdRng, history: &History) -> History {
    let mut numbers: BTreeMap<u64, u64> = BTreeMap::new();
    let mut large = |small: u64| {
        let number = random.random::<u64>() >> random.random_range(0..40);
        *numbers.entry(small).or_insert(number)
    };
    let address = |small: u64| 0xffff_ffff_0000_0000 + 0x1000 * small;
    let mut builder = HistoryBuilder::new();
    for access in accesses_of(history) {
        let place = match access.place {
            Place::Cell(cell) => Place::Cell(address(cell)),
            other => other,
        };
        builder.push(Access {
            thread: 3_000_000_000 + access.thread,
            place,
            read: access.read.map(&mut large),
            written: access.written.map(&mut large),
            ..access
        });
    }
    for last in history.finals() {
        let cell = history.locations()[last.location as usize].address;
        builder.final_value(address(cell), large(last.value), None);
    }
    let initial: HashMap<u64, u64> = (0..2).map(|cell| (address(cell), large(0))).collect();
    builder.finish(Default::default(), &Initial::Given(initial), Provenance::made()).unwrap()
}

/// The numbers of a text outside of comments.
fn numbers(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_digit()));
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn large_numbers_become_small_and_verdicts_stay() {
    let (mut consistent, mut violations) = (0, 0);
    for seed in 0..HISTORIES {
        let random = &mut seeded(seed);
        let Some(small) = history(random) else {
            continue;
        };
        let large = enlarged(random, &small);
        assert!(!ingest::axe::is_small(&large));
        let mut text = Vec::new();
        ingest::axe::write_small(&large, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for number in numbers(&text) {
            assert!(number.len() <= DIGITS, "{number}\n{text}");
            assert!(number.parse::<u64>().unwrap() < TOO_LARGE, "{text}");
        }
        let read = ingest::read(text.as_bytes(), "t.axe", &Default::default()).unwrap();
        for model in MODELS {
            let verdict = decide(&large, model, Algorithm::Stages);
            let expected = decide(&small, model, Algorithm::Stages);
            assert_eq!(verdict, expected, "{model} {text}");
            assert_eq!(
                decide(&read.histories[0], model, Algorithm::Stages),
                expected,
                "{model} {text}"
            );
            match expected {
                Some(true) => consistent += 1,
                _ => violations += 1,
            }
        }
    }
    assert!(consistent > 100 && violations > 100, "{consistent} {violations}");
}
