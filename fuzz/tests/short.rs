//! A short, deterministic fuzz of every target, with the seeds and with damaged copies of them. No input may cause a panic or
//! take more memory than a small multiple of its size. One test runs all targets, so that nothing else allocates memory
//! meanwhile.

use std::fs;
use std::path::Path;
use std::time::Instant;

use fuzz::{TARGETS, Target};
use peak_alloc::PeakAlloc;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Number of damaged inputs for each target.
const INPUTS: usize = 1_500;

/// Size of a repeated seed in bytes, large enough to measure the memory per byte of input.
const REPEATED_SEED: usize = 1 << 20;

/// Most bytes of memory per byte of input. An operation of ten bytes of axe text takes some hundred bytes with its place in the
/// indexes, and a target reads its input up to three times.
const BYTES_PER_BYTE: usize = 100;

/// Most bytes of memory for an empty input. These are mostly buffers, such as five of 256 KiB for compressed text, and a
/// protocol's built-in declarations.
const BYTES_FOR_EMPTY: usize = 2 << 20;

/// Pieces of input that change the meaning of a text or of a length.
const PIECES: [&[u8]; 24] = [
    b"\n",
    b" ",
    b"\0",
    b"\xff",
    b"0",
    b"-1",
    b"18446744073709551615",
    b"18446744073709551616",
    b"4294967296",
    b"0x",
    b"0xffffffffffffffff",
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"\"",
    b",",
    b";",
    b":",
    b"check\n",
    b"\xff\xff\xff\xff",
    b"\x1f\x8b",
];

#[test]
fn every_format_has_a_target() {
    for format in ingest::FORMATS {
        let name = format.name();
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "no target for {name}");
    }
}

#[test]
fn nothing_that_is_read_causes_a_panic_or_takes_much_memory() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for (name, target) in TARGETS {
        let seeds = seeds_in(&seeds.join(name));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let started = Instant::now();
        let mut worst = 0.0_f64;
        for seed in &seeds {
            worst = worst.max(run(name, target, seed));
            worst = worst.max(run(name, target, &seed.repeat(REPEATED_SEED / seed.len())));
        }
        for _ in 0..INPUTS {
            worst = worst.max(run(name, target, &damaged(&seeds, &mut rng)));
        }
        eprintln!("{name}: {worst:.1} bytes a byte, {:.1?}", started.elapsed());
    }
}

/// The seeds of one target, in a fixed order.
fn seeds_in(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).expect("each target has seeds");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let read = |path| fs::read(path).expect("it can be read");
    paths.iter().map(read).collect()
}

/// Runs a target on an input. Returns the bytes of memory per byte of input, without those that an empty input may take.
fn run(name: &str, target: Target, input: &[u8]) -> f64 {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    target(input);
    let taken = MEMORY.peak_usage().saturating_sub(before + BYTES_FOR_EMPTY);
    if taken > BYTES_PER_BYTE * input.len() {
        let kept = std::env::temp_dir().join(format!("rubric-fuzz-{name}"));
        fs::write(&kept, input).expect("the input can be kept");
        panic!("{name}: {taken} bytes for {}, see {}", input.len(), kept.display());
    }
    taken as f64 / input.len().max(1) as f64
}

/// Returns a seed with one to four changes.
fn damaged(seeds: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = seeds.choose(rng).expect("there are seeds").clone();
    for _ in 0..rng.random_range(1..=4) {
        change(&mut input, seeds, rng);
    }
    input
}

/// Changes an input in one place.
fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut ChaCha8Rng) {
    let at = rng.random_range(0..=input.len());
    let end = (at + rng.random_range(1..=40)).min(input.len());
    match rng.random_range(0..8) {
        0 if at < end => input[at] ^= 1 << rng.random_range(0..8),
        1 => input.truncate(at),
        2 => drop(input.drain(at..end)),
        3 => {
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        4 | 5 => {
            let piece = PIECES.choose(rng).expect("there are some").iter().copied();
            input.splice(at..end.min(at + 1), piece);
        }
        6 => swap_lines(input, rng),
        // Appends the end of another seed.
        _ => {
            let other = seeds.choose(rng).expect("there are seeds");
            input.truncate(at);
            input.extend(&other[rng.random_range(0..=other.len())..]);
        }
    }
}

/// Swaps two lines.
fn swap_lines(input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let mut lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
    if !lines.is_empty() {
        let (one, other) = (rng.random_range(0..lines.len()), rng.random_range(0..lines.len()));
        lines.swap(one, other);
        *input = lines.concat();
    }
}
