//! Writes generated histories as gem5 traces, and tests that reading one gives the same operations in the same order.

use crate::common::MODELS;
use check::generate::{Mix, Recipe, generate, without_order};
use check::verdict::Stage;
use check::{Model, Options, Verdict, check};
use history::{
    Access, Ambiguity, AssumedSize, History, HistoryBuilder, Initial, Kind, OpId, Place,
    Provenance, ReadsFrom, Source,
};
use ingest::gem5;

fn text(history: &History) -> String {
    let mut text = Vec::new();
    gem5::write(history, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn read(text: &str, source: Option<Source>) -> History {
    let options = ingest::Options { source, ..ingest::Options::default() };
    let trace = ingest::read(text.as_bytes(), "t", &options).unwrap();
    let history = trace.histories.into_iter().next().unwrap();
    let provenance = &history.provenance;
    assert_eq!(provenance.ended.as_deref(), Some("all requests answered"));
    assert_eq!(provenance.unfinished, []);
    history
}

/// The properties of an operation that a trace preserves: thread, kind, address, value read, value written, and
/// position in the order of completions.
type Kept = (u32, Kind, Option<u64>, Option<u64>, Option<u64>, u32);

fn kept(history: &History, op: OpId) -> Kept {
    let address = |location| {
        let location = history.locations()[location as usize];
        match location.size {
            None => 0x1000 + 64 * location.address,
            Some(_) => location.address,
        }
    };
    (
        history.operation(op).thread,
        history.kind(op),
        history.location(op).map(address),
        history.read(op),
        history.written(op),
        history.order(op).unwrap(),
    )
}

fn assert_same(written: &History, read: &History) {
    assert_eq!(written.len(), read.len());
    for op in written.ops() {
        assert_eq!(kept(written, op), kept(read, op), "{op:?}");
    }
}

/// Mixes with and without fences, since only a trace without fences may consist of Ruby's lines.
fn recipes(model: Model) -> Vec<Recipe> {
    let mix = |loads, stores, rmws, fences| Mix { loads, stores, rmws, fences };
    let mixes = [mix(5, 4, 1, 1), mix(1, 1, 0, 0), mix(4, 3, 2, 0), mix(1, 5, 1, 1)];
    (0..12)
        .map(|seed| Recipe {
            model,
            threads: 1 + (seed % 5) as u32,
            operations: 300,
            locations: 1 + (seed % 7) as u32,
            mix: mixes[seed as usize % 4],
            buffer: 1 + (seed % 9) as u32,
            seed,
            ..Recipe::default()
        })
        .collect()
}

#[test]
fn a_trace_reads_back_as_the_history() {
    let mut clients = 0;
    for model in MODELS {
        for recipe in recipes(model) {
            let history = generate(&recipe).unwrap();
            let back = read(&text(&history), None);
            assert_same(&history, &back);
            clients += usize::from(back.provenance.source == Source::Client);
            assert_eq!(back.provenance.notes, [""; 0], "{recipe:?}");

            let reads_from = ReadsFrom::derive(&back, Ambiguity::Refuse).unwrap();
            let outcome = check(&back, &reads_from, model, &Options::default());
            assert_eq!(outcome.decided_by, Stage::By(check::Algorithm::TraceOrder), "{recipe:?}");
            assert!(matches!(outcome.verdict, Verdict::Consistent(_)));
        }
    }
    // SC without fences needs no client; nearly everything else does.
    assert!((45..=53).contains(&clients), "{clients}");
}

#[test]
fn re_pointed_histories_read_back() {
    for model in MODELS {
        for recipe in recipes(model) {
            let recipe = Recipe { violations: 5, ..recipe };
            let history = generate(&recipe).unwrap();
            assert_same(&history, &read(&text(&history), None));
        }
    }
}

#[test]
fn ruby_saw_what_reached_memory() {
    for model in MODELS {
        let recipe = Recipe { model, ..Recipe::default() };
        let history = generate(&recipe).unwrap();
        let text = text(&history);
        let forwarded = text.matches(" forwarded\n").count();
        assert_eq!(forwarded > 0, model.forwards());
        let fences = text.matches(" fence\n").count();
        let back = read(&text, Some(Source::Ruby));
        assert_eq!(back.len() + forwarded + fences, history.len(), "{model}");
    }
}

/// The text between two words of a line.
fn between<'t>(line: &'t str, from: &str, to: &str) -> Option<&'t str> {
    let rest = &line[line.find(from)? + from.len()..];
    Some(&rest[..rest.find(to)?])
}

#[test]
fn requests_are_those_of_a_core_with_a_buffer() {
    for model in MODELS {
        for recipe in recipes(model) {
            let text = text(&generate(&recipe).unwrap());
            let mut open: Vec<(&str, &str)> = Vec::new();
            for line in text.lines() {
                let thread = between(line, "l1_cntrl", ".").unwrap_or("");
                if let Some(request) = between(line, ": Request ", " issued") {
                    let (_, address) = request.split_once(' ').unwrap();
                    let of_thread = open.iter().filter(|&&(t, _)| t == thread);
                    let requests: Vec<&str> = of_thread.map(|&(_, request)| request).collect();
                    // One location's requests do not overlap, and a buffer sends one at a time.
                    assert!(!requests.iter().any(|other| other.ends_with(address)), "{line}");
                    let is_store = |request: &str| request.starts_with("WriteReq");
                    let stores = requests.iter().filter(|request| is_store(request)).count();
                    assert!(!is_store(request) || stores == 0, "{recipe:?} {line}");
                    assert!(is_store(request) || stores == requests.len(), "{line}");
                    open.push((thread, request));
                }
                if let Some((_, hit)) = line.split_once("Hit callback for ") {
                    let at = open.iter().position(|&request| request == (thread, hit));
                    open.remove(at.unwrap());
                }
            }
            assert!(open.is_empty());
        }
    }
}

#[test]
fn a_client_sees_a_load_one_tick_later() {
    let history = generate(&Recipe::default()).unwrap();
    let text = text(&history);
    let lines: Vec<&str> = text.lines().collect();
    let mut loads = 0;
    for pair in lines.windows(2) {
        if pair[0].contains("Hit callback done!") && pair[1].contains(" load ") {
            let tick = |line: &str| line.trim_start().split(':').next()?.parse::<u64>().ok();
            assert_eq!(tick(pair[0]).map(|tick| tick + 1), tick(pair[1]));
            loads += 1;
        }
    }
    assert!(loads > 100, "{loads}");
}

#[test]
fn ticks_never_go_back() {
    for model in MODELS {
        let recipe = Recipe { model, ..Recipe::default() };
        let text = text(&generate(&recipe).unwrap());
        let tick = |line: &str| {
            let end = line.trim_start().find([':', ' '])?;
            line.trim_start()[..end].parse::<u64>().ok()
        };
        let ticks: Vec<u64> = text.lines().map(|line| tick(line).unwrap()).collect();
        assert!(ticks.len() > 9000 && ticks.is_sorted(), "{model}");
    }
}

#[test]
fn an_atomic_that_writes_back_what_it_read_stays_one() {
    let mut builder = HistoryBuilder::new();
    let push = |builder: &mut HistoryBuilder, tick, kind, read, written| {
        let place = if kind == Kind::Fence { Place::Nowhere } else { Place::Cell(3) };
        builder.push(Access {
            read,
            written,
            issued: Some(tick - 5),
            completed: Some(tick),
            order: Some(tick),
            ..Access::new(9, kind, place)
        });
    };
    push(&mut builder, 10, Kind::Rmw, Some(0), Some(u64::MAX));
    push(&mut builder, 20, Kind::SilentRmw, Some(u64::MAX), None);
    push(&mut builder, 30, Kind::Load, Some(u64::MAX), None);
    let make = |builder: HistoryBuilder| {
        builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made()).unwrap()
    };
    let mut again = HistoryBuilder::new();
    let history = make(builder);
    let back = read(&text(&history), None);
    assert_eq!(back.provenance.source, Source::Ruby);
    for op in history.ops() {
        let told = history.describe(op).replace("M[3]", "0x10c0");
        assert_eq!(told, {
            let words = back.describe(op);
            words.replace("0xffffffffffffffff", &u64::MAX.to_string()).replace("0x0", "0")
        });
        let row = history.row(op);
        again.push(Access {
            read: row.read,
            written: row.written,
            issued: row.issued,
            completed: row.completed,
            order: row.completed,
            ..Access::new(9, back.kind(op), Place::Cell(3))
        });
    }
    push(&mut again, 40, Kind::Fence, None, None);
    let history = make(again);
    let back = read(&text(&history), None);
    assert_eq!(back.provenance.source, Source::Client);
    assert_same(&history, &back);
}

/// A trace of requests does not tell whether a read-modify-write wrote back what it read, which decides verdicts.
#[test]
fn a_failed_compare_and_swap_is_refused() {
    let mut builder = HistoryBuilder::new();
    let cas = Access::new(0, Kind::FailedCas, Place::Cell(3));
    builder.push(Access { read: Some(0), completed: Some(9), order: Some(9), ..cas });
    let history =
        builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made()).unwrap();
    let refused = gem5::write(&history, &mut Vec::new()).unwrap_err();
    assert!(refused.to_string().contains("failed-cas"), "{refused}");
}

/// An atomic that is issued while a store to its location waits in the buffer.
#[test]
fn requests_to_one_location_wait_for_each_other() {
    let mut builder = HistoryBuilder::new();
    let mut push = |kind: Kind, cell, read, issued, completed| {
        builder.push(Access {
            read,
            written: Some(issued),
            issued: Some(issued),
            completed: Some(completed),
            order: Some(completed),
            ..Access::new(0, kind, Place::Cell(cell))
        });
    };
    push(Kind::Store, 1, None, 1, 10);
    push(Kind::Store, 2, None, 2, 20);
    push(Kind::Rmw, 2, Some(2), 3, 30);
    let history =
        builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made()).unwrap();
    assert_same(&history, &read(&text(&history), None));
}

#[test]
fn histories_that_a_trace_cannot_express_are_errors() {
    let refuse = |history: &History, expected: &str| {
        let error = gem5::write(history, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    let history = generate(&Recipe::default()).unwrap();
    refuse(&without_order(&history).unwrap(), "without a tick");

    let finish = |access: Access, initial: &Initial| {
        let mut builder = HistoryBuilder::new();
        builder.push(Access { completed: Some(1), order: Some(1), ..access });
        builder.finish(AssumedSize::default(), initial, Provenance::made()).unwrap()
    };
    let load = |place| Access { read: Some(1), ..Access::new(0, Kind::Load, place) };
    let sized = Place::Bytes { address: 8, size: 4 };
    refuse(&finish(load(sized), &Initial::Zero), "sizes");
    refuse(&finish(load(Place::Cell(1)), &Initial::Infer), "is not 0");
    let hidden = Access { read: None, ..load(Place::Cell(1)) };
    refuse(&finish(hidden, &Initial::Zero), "a value that is not known");
    let linked = Access { kind: Kind::LoadLinked, ..load(Place::Cell(1)) };
    refuse(&finish(linked, &Initial::Zero), "load-linked");
    let far = Access { read: Some(0), ..load(Place::Cell(1 << 60)) };
    refuse(&finish(far, &Initial::Zero), "too large an address");

    let mut builder = HistoryBuilder::new();
    for thread in 0..2 {
        builder.push(Access {
            read: Some(0),
            completed: Some(7),
            order: Some(u64::from(thread)),
            ..Access::new(thread, Kind::Load, Place::Cell(1))
        });
    }
    let tied = builder.finish(AssumedSize::default(), &Initial::Zero, Provenance::made()).unwrap();
    refuse(&tied, "do not tell which was first");
}
