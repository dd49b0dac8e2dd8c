//! Cores on an atomic memory: each kind keeps its memory model and uses the freedom that it has,
//! and the trace of a run contains the same history as the records of the cores.

use crate::common;
use crate::common::{Run, reread, run, satisfies};
use history::Source;
use simulate::client::Client;
use simulate::program::ProgramSize;

const SEEDS: u64 = 300;

/// A few threads on few locations, with all kinds of operations.
fn racy(seed: u64) -> ProgramSize {
    ProgramSize {
        threads: 2 + (seed % 4) as u32,
        operations: 40,
        locations: 3 + (seed % 5) as u32,
        per_line: [1, 2, 8][(seed % 3) as usize],
        reads: 55,
        rmws: if seed.is_multiple_of(2) { 8 } else { 0 },
        fences: if seed.is_multiple_of(3) { 4 } else { 0 },
        fetches: if seed.is_multiple_of(5) { 20 } else { 0 },
        linked: 50,
        think: [0, 5, 30][(seed / 3 % 3) as usize],
        seed,
        ..ProgramSize::default()
    }
}

/// Runs a client on many programs. Returns the number of runs in which each model held.
fn hold(client: Client, evictions: bool) -> (u64, u64, u64) {
    let mut counts = (0, 0, 0);
    for seed in 0..SEEDS {
        let run = Run { evictions, ..Run::new(client, racy(seed)) };
        let history = common::run(&run).history;
        let sc = satisfies(&history, "sc");
        let tso = sc || satisfies(&history, "tso");
        let pso = tso || satisfies(&history, "pso");
        if evictions {
            let kept = [("sc", sc), ("tso", tso), ("pso", pso)];
            let model = client.model().name();
            assert!(kept.contains(&(model, true)), "{client}, seed {seed}: not {model}");
        }
        counts.0 += u64::from(sc);
        counts.1 += u64::from(tso);
        counts.2 += u64::from(pso);
    }
    counts
}

const EARLY_BUFFER: Client = Client::early_buffer(8, 4);

#[test]
fn in_order_is_sc() {
    assert_eq!(hold(Client::IN_ORDER, true).0, SEEDS);
}

#[test]
fn a_store_buffer_is_tso_and_not_sc() {
    let (sc, tso, _) = hold(Client::store_buffer(8), true);
    assert!(tso == SEEDS && sc < SEEDS / 2, "{sc}");
}

#[test]
fn buffers_for_each_location_are_pso_and_not_tso() {
    let (_, tso, pso) = hold(Client::per_location(8), true);
    assert!(pso == SEEDS && tso < SEEDS * 9 / 10, "{tso}");
}

#[test]
fn early_loads_keep_sc() {
    assert_eq!(hold(Client::early(8), true).0, SEEDS);
    assert_eq!(hold(Client::early(3), true).0, SEEDS);
}

#[test]
fn early_loads_and_a_buffer_are_tso_and_not_sc() {
    let (sc, tso, _) = hold(EARLY_BUFFER, true);
    assert!(tso == SEEDS && sc < SEEDS / 2, "{sc}");
}

/// The purpose of early loads: a protocol that forgets to notify the core of an eviction is
/// detected.
#[test]
fn unreported_evictions_show() {
    let (sc, _, _) = hold(Client::early(8), false);
    assert!(sc < SEEDS / 2, "{sc}");
    let (_, tso, _) = hold(EARLY_BUFFER, false);
    assert!(tso < SEEDS / 2, "{tso}");
}

#[test]
fn early_loads_are_repeated() {
    let repeated = |client| run(&Run::new(client, racy(1))).repeated;
    assert!(repeated(Client::early(8)) > 0 && repeated(EARLY_BUFFER) > 0);
    assert_eq!(repeated(Client::store_buffer(8)), 0);
}

const ALL: [Client; 5] = [
    Client::IN_ORDER,
    Client::store_buffer(8),
    Client::per_location(8),
    Client::early(8),
    EARLY_BUFFER,
];

#[test]
fn the_trace_shows_what_the_cores_recorded() {
    for client in ALL {
        for seed in 0..60 {
            let ran = run(&Run::new(client, racy(seed)));
            let read = reread(&ran.text);
            assert_eq!(read.digest(), ran.history.digest(), "{client}, seed {seed}");
            assert_eq!(read.provenance.source, ran.history.provenance.source);
            assert!(read.provenance.unfinished.is_empty());
            assert!(ran.history.provenance.unfinished.is_empty());
        }
    }
}

/// In the middle of a run, records follow the rules by which a reader treats unfinished operations.
#[test]
fn aborted_runs_show_the_same_too() {
    for client in ALL {
        for seed in 0..60 {
            let abort = Run { abort: 200 + 37 * seed, ..Run::new(client, racy(seed)) };
            let ran = run(&abort);
            let read = reread(&ran.text);
            assert_eq!(read.digest(), ran.history.digest(), "{client}, seed {seed}");
            let writes = |history: &history::History| {
                let unfinished = history.provenance.unfinished.iter();
                let mut writes: Vec<_> = unfinished
                    .filter(|request| request.writes)
                    .map(|request| (request.thread, request.address))
                    .collect();
                writes.sort_unstable();
                writes
            };
            assert_eq!(writes(&read), writes(&ran.history), "{client}, seed {seed}");
            let model = client.model().name();
            assert!(satisfies(&ran.history, model), "{client}, seed {seed}");
        }
    }
}

/// Where memory is atomic, the recorded order is a memory order, so that checking is cheap.
#[test]
fn records_note_the_order_of_memory() {
    for client in ALL {
        for seed in 0..60 {
            let atomic = Run { late_reads: false, ..Run::new(client, racy(seed)) };
            let decided = common::decide(&run(&atomic).history, client.model().name());
            assert_eq!(decided, (true, true), "{client}, seed {seed}");
        }
    }
}

#[test]
fn in_order_cores_need_no_lines_of_their_own() {
    let shape = |fences| ProgramSize { rmws: 10, linked: 30, fences, ..ProgramSize::default() };
    let source = |fences| {
        let history = run(&Run::new(Client::IN_ORDER, shape(fences))).history;
        history.provenance.source
    };
    assert_eq!(source(0), Source::Ruby);
    assert_eq!(source(10), Source::Client);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    for client in ALL {
        let text = |seed| run(&Run::new(client, racy(seed))).text;
        assert!(text(7) == text(7), "{client}");
        assert!(text(7) != text(8), "{client}");
    }
}
