//! How protocols fail: `MI_example` with an injected fault, and the message that reports it. Also
//! corners of the language whose mistakes would go unnoticed, as assertions in the code of a
//! protocol.

use std::path::Path;

use simulate::client::Client;
use simulate::config::Options;
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use simulate::system::{Fault, FaultKind};
use slicc::builtin::builtin;
use slicc::load::load_with;
use slicc::protocol::{BLOCK_BYTES, Protocol};

/// Runs MI_example with text of its cache replaced; each of the edits has to apply.
fn run(edits: &[(&str, &str)], shape: ProgramSize, settings: &[&str]) -> Option<Box<Fault>> {
    let original = builtin("MI_example").expect("it is built in");
    let loaded = load_with(Path::new(original.files[0].0), &mut |path| {
        let (name, text) =
            original.files.iter().find(|(name, _)| Path::new(name) == path).expect("a file of it");
        let mut text = text.to_string();
        if name.ends_with("-cache.sm") {
            for (from, to) in edits {
                assert!(text.contains(from), "no `{from}` in {name}");
                text = text.replacen(from, to, 1);
            }
        }
        Ok(text.into_bytes())
    });
    let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    let protocol = protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let settings = settings.iter().map(|text| text.parse().expect("a setting")).collect();
    let simulation = Simulation {
        shape,
        client: Client::IN_ORDER,
        options: Options { settings, ..Options::default() },
        deadlock_threshold: Some(20_000),
    };
    let plan = simulation.plan(&protocol).expect("every parameter has a value");
    simulation.run(&protocol, &plan, None).expect("the plan fits").fault
}

/// The message of the fault to which edits lead, which has to be of this kind.
fn fault(edits: &[(&str, &str)], kind: FaultKind) -> String {
    let fault = run(edits, ProgramSize::default(), &[]).expect("it fails");
    assert_eq!(fault.kind, kind, "{fault}");
    fault.to_string()
}

/// Where functions are declared, and where loads hit.
const FUNCTIONS: &str = "  State getState(";
const HIT: &str = "sequencer.readCallback(";

/// Checks an assertion wherever a load hits, with additional functions.
fn holds(functions: &str, code: &str) {
    let (functions, code) = (format!("{functions}\n{FUNCTIONS}"), format!("{code}\n{HIT}"));
    let fault = run(&[(FUNCTIONS, &functions), (HIT, &code)], ProgramSize::default(), &[]);
    assert!(fault.is_none(), "{}", fault.map(|fault| fault.to_string()).unwrap_or_default());
    // The place is reached.
    let fault = run(&[(HIT, &format!("assert(false);\n{HIT}"))], ProgramSize::default(), &[]);
    assert!(fault.is_some_and(|fault| fault.kind == FaultKind::Assertion));
}

#[test]
fn functions_return_wide_values() {
    holds(
        "NetDest me() { NetDest d; d.add(machineID); return d; }",
        "NetDest x := me(); assert(x.count() == 1 && x.isElement(machineID));",
    );
    holds(
        "DataBlock blank(int n) { int k := n + 1; DataBlock b; b.clear(); return b; }",
        "DataBlock x := blank(3); DataBlock y; assert(x == y);",
    );
    holds(
        "Set two(int a, int b) { int c := b; Set s; s.setSize(8); s.add(intToID(a)); s.add(intToID(c)); return s; }",
        "Set x := two(1, 5); Set y := two(2, 3); assert(x.count() == 2 && x.isElement(intToID(5)) && y.smallestElement() == intToID(2));",
    );
}

#[test]
fn an_atomic_copy_takes_the_whole_block() {
    holds(
        "",
        "WriteMask m; DataBlock z; z.atomicPartial(cache_entry.DataBlk, m); assert(z == cache_entry.DataBlk);",
    );
}

#[test]
fn a_request_stalled_for_ever_is_a_deadlock_at_once() {
    let park =
        "action(park, \"np\", desc=\"\") { stall_and_wait(core_in, address); }\n  action(read_hit";
    let edits = [
        ("action(read_hit", park),
        ("{Load, Ifetch}) {read_hit, pop_core}", "{Load, Ifetch}) {park}"),
    ];
    let parked = run(&edits, ProgramSize::default(), &[]).expect("it fails");
    assert_eq!(parked.kind, FaultKind::Deadlock);
    let message = &parked.message;
    assert!(message.starts_with("Deadlock: nothing is going to happen any more"), "{message}");
    // The report ends with what waits.
    let waits = parked.recent.iter().filter(|line| line.contains(" waiting at core_in, set aside"));
    assert!(waits.count() > 0, "{:?}", parked.recent);
}

#[test]
fn a_wakeup_without_end_is_given_up() {
    let edits = [("{Load, Ifetch}) {read_hit, pop_core}", "{Load, Ifetch}) { }")];
    let setting = ["L1Cache.transitions_per_cycle=18446744073709551615"];
    let fault = run(&edits, ProgramSize::default(), &setting).expect("it fails");
    assert!(fault.message.contains("a million transitions"), "{fault}");
    // With few transitions in a cycle, time advances until the watchdog runs.
    assert!(fault_kind(&edits) == FaultKind::Deadlock);
}

fn fault_kind(edits: &[(&str, &str)]) -> FaultKind {
    run(edits, ProgramSize::default(), &[]).expect("it fails").kind
}

#[test]
fn a_core_without_progress_is_a_livelock() {
    // A reservation that is lost as soon as it is made.
    let made = [
        "sequencer.readCallback(address, cache_entry.DataBlk);",
        "sequencer.readCallback(address, cache_entry.DataBlk, true);",
    ];
    let lost = made.map(|call| format!("{call} sequencer.evictionCallback(address);"));
    let edits = [(made[0], lost[0].as_str()), (made[1], lost[1].as_str())];
    let shape =
        ProgramSize { threads: 1, operations: 20, rmws: 50, linked: 100, ..ProgramSize::default() };
    let fault = run(&edits, shape, &[]).expect("it fails");
    assert!(fault.message.starts_with("Livelock: thread 0"), "{fault}");
}

#[test]
fn a_message_for_no_port_is_reported() {
    let rejected = fault(
        &[
            (
                "in_port(core_in, RubyRequest, mandatoryQueue",
                "in_port(core_in, ResponseMsg, mandatoryQueue",
            ),
            (
                "peek(core_in, RubyRequest, block_on=\"LineAddress\") {",
                "peek(core_in, ResponseMsg) { assert(false); }\n peek(core_in, RubyRequest, block_on=\"LineAddress\") {",
            ),
        ],
        FaultKind::Misuse,
    );
    assert!(rejected.starts_with("All ports rejected a message"), "{rejected}");
}

#[test]
fn calls_without_end_are_given_up() {
    let mut functions = String::from("int f0(int n) { return n; }\n");
    for depth in 1..40 {
        let below = depth - 1;
        functions += &format!("int f{depth}(int n) {{ return f{below}(n) + f{below}(n); }}\n");
    }
    let (functions, code) =
        (format!("{functions}{FUNCTIONS}"), format!("assert(f39(1) > 0 || true);\n{HIT}"));
    let calls = fault(&[(FUNCTIONS, &functions), (HIT, &code)], FaultKind::Misuse);
    assert!(calls.starts_with("a piece of code makes calls without end"), "{calls}");
}

#[test]
fn a_run_that_completes_no_operation_has_failed() {
    let nothing = ProgramSize { operations: 0, ..ProgramSize::default() };
    let fault = run(&[], nothing, &[]).expect("no operation completes");
    assert_eq!(fault.kind, FaultKind::NothingCompleted);
    let one = ProgramSize { operations: 1, ..ProgramSize::default() };
    assert!(run(&[], one, &[]).is_none());
}

/// A forward that is retried until the watchdog runs is shown once, with what came before it.
#[test]
fn repeated_transitions_are_shown_once() {
    let again = "action(try_again, \"ta\", desc=\"\") { forward_in.recycle(clockEdge(), cyclesToTicks(recycle_latency)); }\n  \
                 action(read_hit";
    let edits = [
        ("action(read_hit", again),
        (
            "transition(M, Fwd_GETX, I) {pass_block_on, tell_core_of_loss, pop_forward}",
            "transition(M, Fwd_GETX) {try_again}",
        ),
    ];
    let fault = run(&edits, ProgramSize::default(), &[]).expect("nobody gets the line any more");
    assert_eq!(fault.kind, FaultKind::Deadlock);
    let tried: Vec<&String> =
        fault.recent.iter().filter(|line| line.contains(" Fwd_GETX: M > M")).collect();
    assert_eq!(tried.len(), 1, "{:#?}", fault.recent);
    let (_, times) = tried[0].split_once(" M > M (").expect("how often");
    let (times, until) = times.split_once(" times more until ").expect("until when");
    let times: u64 = times.parse().expect("a number");
    let until: u64 = until.trim_end_matches(')').parse().expect("a tick");
    assert!(times > 500 && (times..=fault.tick).contains(&until), "{}", tried[0]);
    // What came before it is shown.
    let mut recent = fault.recent.iter();
    let has_request = recent.any(|line| line.contains(" sends RequestMsg GETX"));
    assert!(has_request, "{:#?}", fault.recent);
}
