//! Writes random histories in every text format, and tests that what is read again has the same verdict under every
//! model, or that the format refused the history.

use check::{Options, Verdict, check};
use history::{
    Access, Ambiguity, Annotation, DependencyKind, Gap, History, HistoryBuilder, Initial, Isa,
    Kind, NotUnderstood, Place, Provenance, ReadsFrom, Side, Unfinished,
};
use ingest::{FORMATS, TraceFormat};
use memory::models;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::common::seeded;

/// Number of histories.
const HISTORIES: u64 = 1500;

const KINDS: [Kind; 10] = [
    Kind::Load,
    Kind::Load,
    Kind::Store,
    Kind::Store,
    Kind::Rmw,
    Kind::SilentRmw,
    Kind::FailedCas,
    Kind::LoadLinked,
    Kind::StoreConditional,
    Kind::Fence,
];

fn some(random: &mut StdRng, one_in: u32) -> bool {
    random.random_range(0..one_in) == 0
}

fn kind(random: &mut StdRng, is_rich: bool) -> Kind {
    if is_rich && some(random, 12) {
        return Kind::fence(Side::Reads, Side::Both);
    }
    let all = if is_rich { &KINDS[..] } else { &KINDS[..5] };
    all[random.random_range(0..all.len())]
}

/// A random operation, most of whose values are those of other operations.
fn access(random: &mut StdRng, number: u64, is_rich: bool, is_sized: bool) -> Access {
    let kind = kind(random, is_rich);
    let at = random.random_range(0..2);
    let place = match (kind.is_fence(), is_sized) {
        (true, _) => Place::Nowhere,
        (_, false) => Place::Cell(at),
        (_, true) => Place::Bytes { address: 8 * at, size: if some(random, 4) { 4 } else { 8 } },
    };
    let is_hidden = is_rich && some(random, 30);
    let read = random.random_range(0..6);
    let written = if kind == Kind::SilentRmw { read } else { 1 + number };
    let completed = 5 * number + random.random_range(1..12);
    let has_ticks = !is_rich || random.random_bool(0.7);
    let annotations = [Annotation::Acquire, Annotation::Release, Annotation::AcquireRelease];
    let is_annotated = is_rich && !kind.is_fence() && some(random, 5);
    Access {
        sequence: number,
        annotation: if is_annotated {
            annotations[random.random_range(0..3)]
        } else {
            Annotation::None
        },
        read: (kind.reads() && !is_hidden).then_some(read),
        written: (kind.writes() && !is_hidden).then_some(written),
        issued: has_ticks.then(|| completed - random.random_range(0..=completed.min(9))),
        completed: has_ticks.then_some(completed),
        line: Some(number + 1),
        order: has_ticks.then_some(64 * completed + number),
        ..Access::new(random.random_range(0..3), kind, place)
    }
}

/// What besides the operations decides verdicts.
fn provenance(random: &mut StdRng, is_rich: bool) -> Provenance {
    if !is_rich || random.random_bool(0.6) {
        return Provenance::made();
    }
    let store = Unfinished { thread: 0, address: 0, writes: true, issued: None, line: None };
    let gap = NotUnderstood { gap: Gap::Write, line: 1, instruction: "x".to_owned(), doubt: None };
    Provenance {
        unfinished: if some(random, 3) { vec![store] } else { Vec::new() },
        outside_writes: some(random, 4),
        unrecorded_writes: some(random, 4),
        unknown_fences: if some(random, 3) { (1..9).collect() } else { Vec::new() },
        not_understood: if some(random, 4) { vec![gap] } else { Vec::new() },
        isa: some(random, 3).then_some(Isa::Arm),
        ..Provenance::made()
    }
}

/// A random history; `None` if its parts contradict each other.
fn history(random: &mut StdRng) -> Option<History> {
    let is_rich = random.random_bool(0.7);
    let is_sized = is_rich && some(random, 4);
    let mut builder = HistoryBuilder::new();
    let mut added: Vec<Access> = Vec::new();
    for number in 0..random.random_range(2..8) {
        let next = access(random, number, is_rich, is_sized);
        builder.push(next);
        let reads = |earlier: &Access| earlier.thread == next.thread && earlier.kind.reads();
        let on = added.iter().position(reads).filter(|_| is_rich && some(random, 3));
        if let Some(on) = on {
            builder.depend(DependencyKind::Address, on);
        }
        added.push(next);
    }
    if some(random, 4) {
        builder.final_value(8 * u64::from(is_sized), random.random_range(0..6), None);
    }
    let initial = match random.random_range(0..6) {
        0 if is_rich => Initial::Given([(0, 3)].into()),
        1 if is_rich => Initial::Infer,
        _ => Initial::Zero,
    };
    builder.finish(Default::default(), &initial, provenance(random, is_rich)).ok()
}

/// The verdicts under all models in words; with `has_ticks` false, without the models that use ticks.
fn verdicts(history: &History, has_ticks: bool) -> Vec<String> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    let word = |model| match check(history, &reads_from, model, &Options::default()).verdict {
        Verdict::Consistent(_) => format!("{model} consistent"),
        Verdict::Violation(_) | Verdict::Unproved => format!("{model} violation"),
        Verdict::Undecided(_) => format!("{model} undecided"),
        other => panic!("{other:?}"),
    };
    let asked = models::ALL.iter().filter(|model| has_ticks || !model.uses_ticks());
    asked.map(|&model| word(model)).collect()
}

/// Writes a history and reads it again; `None` if the format refuses it.
fn again(format: &dyn TraceFormat, history: &History) -> Option<(String, History)> {
    let mut text = Vec::new();
    format.write(history, 1, &mut text).ok()?;
    let text = String::from_utf8(text).unwrap();
    let read = ingest::read(text.as_bytes(), "t", &ingest::Options::default());
    let mut trace = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(trace.histories.len(), 1, "{text}");
    Some((text, trace.histories.remove(0)))
}

#[test]
fn what_is_read_again_has_the_same_verdicts() {
    let mut written = vec![0; FORMATS.len()];
    for seed in 0..HISTORIES {
        let Some(history) = history(&mut seeded(seed)) else {
            continue;
        };
        let expected = [false, true].map(|has_ticks| verdicts(&history, has_ticks));
        for (format, written) in FORMATS.iter().zip(&mut written) {
            let Some((text, read)) = again(*format, &history) else {
                continue;
            };
            *written += 1;
            let has_ticks = format.loss(&history).is_none();
            let expected = &expected[usize::from(has_ticks)];
            assert_eq!(verdicts(&read, has_ticks), *expected, "seed {seed}, {format}\n{text}");
        }
    }
    let least = |name: &str| match name {
        "json" => HISTORIES / 2,
        "axe" => HISTORIES / 8,
        "gem5" => HISTORIES / 100,
        _ => 0,
    };
    for (format, written) in FORMATS.iter().zip(written) {
        assert!(written >= least(format.name()), "{format}: {written}");
    }
}
