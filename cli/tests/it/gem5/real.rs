//! The plug-in in gem5 itself: its logs are compared with gem5's own text traces of the same runs.
//!
//! ```text
//! RUBRIC_GEM5_BINARY=path/to/build/NULL_MI_example/gem5.opt cargo test --workspace --test it gem5::real -- --ignored
//! ```
//!
//! The binary is built with the folder `gem5` as `EXTRAS`, with one protocol or several, each of which is tested. If it is not in gem5's
//! source tree, `RUBRIC_GEM5` names the tree.

use std::collections::BTreeMap;
use std::env;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use lab::gem5::{Binary, Given};
use serde_json::Value;

use super::{json, operations, root};
use crate::common::{Folder, output, output_of, rubric};

/// Number of programs for each kind of core. Each is one run of gem5.
const PROGRAMS: usize = 34;

/// The kinds of cores that run them, with the models that they guarantee.
const CLIENTS: [(&str, &str); 5] = [
    ("in-order", "sc"),
    ("store-buffer-8", "tso"),
    ("per-location-8", "pso"),
    ("early-8", "sc"),
    ("early-8-buffer-8", "tso"),
];

/// The protocols that are tested, of those that a gem5 is built with.
const PROTOCOLS: [&str; 8] = [
    "MI_example",
    "MESI_Two_Level",
    "MESI_Three_Level",
    "MOESI_hammer",
    "MOESI_CMP_directory",
    "MOESI_CMP_token",
    "MOESI_AMD_Base",
    "CHI",
];

/// The gem5 with the plug-in that is given, once for each of its protocols.
fn binaries() -> Vec<Binary> {
    let Ok(path) = env::var("RUBRIC_GEM5_BINARY") else {
        std::io::stdout().write_all(b"skipped: there is no RUBRIC_GEM5_BINARY\n").unwrap();
        return Vec::new();
    };
    let Ok(given) = path.parse::<Given>();
    Binary::probe(&given, &PROTOCOLS).unwrap_or_else(|error| panic!("{error}"))
}

/// An operation that both sides show: thread, kind, address, value read, value written, tick of issue, tick of completion.
type Shown = (u64, String, Option<u64>, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

fn shown(operation: &Value, kind: &str, later: u64) -> Shown {
    let number = |key: &str| operation[key].as_u64();
    let completed = number("completed").map(|tick| tick - later);
    let thread = number("thread").unwrap();
    let (read, written) = (number("read"), number("written"));
    (thread, kind.to_owned(), number("address"), read, written, number("issued"), completed)
}

/// The operations of a log. A core receives its response a tick after Ruby has performed the request.
fn logged(history: &Value) -> Vec<Shown> {
    let all = operations(history).iter();
    all.map(|operation| shown(operation, operation["kind"].as_str().unwrap(), 1)).collect()
}

/// The number of sequencers of a core: that for data is the last. A core of CHI has one for instructions, too.
fn sequencers_per_core(protocol: &str) -> u64 {
    if protocol == "CHI" { 2 } else { 1 }
}

/// The operations that Ruby's lines show, which name sequencers, not cores. A load-linked and a store-conditional that succeeds are one operation, and a
/// load-linked whose store-conditional failed is none.
fn traced(history: &Value, protocol: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut linked: Option<Shown> = None;
    for operation in operations(history) {
        let kind = operation["kind"].as_str().unwrap();
        match kind {
            "load-linked" => {
                linked = linked.filter(|it| it.0 == operation["thread"]).map_or_else(
                    || Some(shown(operation, "rmw", 0)),
                    |first| {
                        let (issued, new) = (first.5, shown(operation, "rmw", 0));
                        Some((new.0, new.1, new.2, new.3, new.4, issued, new.6))
                    },
                )
            }
            "store-conditional" => {
                let mut rmw = linked.take().expect("a store-conditional follows its load-linked");
                rmw.4 = operation["written"].as_u64();
                rmw.6 = operation["completed"].as_u64();
                all.push(rmw);
            }
            _ => all.push(shown(operation, kind, 0)),
        }
    }
    all.iter_mut().for_each(|it| it.0 /= sequencers_per_core(protocol));
    all
}

/// Runs gem5 on the programs of a file, with further arguments before and after the script. Returns whether the run ended
/// normally; otherwise it showed a known fault of the released protocol (`mi-l1-forward-blocks-queue`, `amd-stalewb-undefined`).
fn comes_to_its_end(binary: &Binary, m5out: &str, flags: &[&str], options: &[&str]) -> bool {
    let mut gem5 = Command::new(&binary.path);
    gem5.args(["-q", "-d", m5out]).args(flags).arg(root().join("lab/gem5/rubric.py"));
    gem5.args(binary.arguments()).args(options);
    let ended = gem5.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    let is_known = match binary.protocol.as_str() {
        "MI_example" => said.contains("Possible Deadlock detected"),
        "MOESI_AMD_Base" => said.contains("event: StaleWB"),
        _ => false,
    };
    assert!(ended.status.success() || is_known, "{gem5:?}: {said}");
    ended.status.success()
}

/// The transitions of a trace or a log, up to the tick at which its last operation has completed.
fn transitions(path: &str) -> Vec<String> {
    let options = ingest::Options { transitions: true, ..ingest::Options::default() };
    let read = ingest::read_path(Path::new(path), &options).unwrap();
    let history = &read.histories[0];
    let end = history.ops().filter_map(|op| history.completed(op)).max().unwrap();
    let within = read.transitions.iter().filter(|it| it.tick < end);
    let rows = within.map(|it| format!("{:?}", ingest::Transition { line: 0, ..it }));
    let rows: Vec<String> = rows.collect();
    assert!(rows.len() > 100, "{path}");
    rows
}

/// The part of an operation that does not depend on its position in a trace or on its tick of issue.
type Identity = (u64, String, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

/// The identities of operations, in an order that both sides share. Operations that a buffer served are left out, since they
/// never reached Ruby.
fn identities(all: Vec<Shown>) -> Vec<Identity> {
    let reached = all.into_iter().filter(|(.., issued, completed)| {
        completed.is_none_or(|completed| issued.is_none_or(|issued| issued <= completed))
    });
    let identity = |(thread, kind, address, read, written, _, completed): Shown| {
        (thread, kind, address, read, written, completed)
    };
    let mut all: Vec<Identity> = reached.map(identity).collect();
    all.sort();
    all
}

/// Compares the log of a run with gem5's trace of the same run.
fn compare(client: &str, ours: Vec<Shown>, theirs: Vec<Shown>) {
    if client == "in-order" {
        assert_eq!(ours, theirs);
        return;
    }
    if client.starts_with("early") {
        compare_early(ours, theirs);
        return;
    }
    let (ours, theirs) = (identities(ours), identities(theirs));
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        assert!(is_same(&ours, &theirs), "{ours:?} in the log, {theirs:?} in the trace");
    }
}

/// Compares the log of cores that load early, which is in program order, with gem5's trace of the same run. Each operation of the
/// log is one of the trace, which was performed before it completed in the log, and each load was issued at the same tick. There
/// are two exceptions: a load that was served by a store of its own thread never reached Ruby, and a load that was repeated is
/// more than once in the trace.
fn compare_early(ours: Vec<Shown>, mut theirs: Vec<Shown>) {
    // The latest operation that writes, of each thread and location.
    let mut written: BTreeMap<(u64, Option<u64>), Shown> = BTreeMap::new();
    for operation in ours.into_iter().filter(|operation| operation.2.is_some()) {
        let location = (operation.0, operation.2);
        let place = theirs.iter().position(|other| is_performed_as(&operation, other));
        if let Some(place) = place {
            theirs.swap_remove(place);
        } else {
            let from = written.get(&location);
            let is_served = from.is_some_and(|store| is_served_by(&operation, store));
            assert!(is_served, "{operation:?} is not in the trace, and its thread has {from:?}");
        }
        if operation.4.is_some() {
            written.insert(location, operation);
        }
    }
    let only: Vec<&Shown> = theirs.iter().filter(|operation| operation.1 != "load").collect();
    assert!(only.is_empty(), "only in the trace: {only:?}");
}

/// Whether an operation in the log of a core that loads early is this operation of the trace.
fn is_performed_as(ours: &Shown, theirs: &Shown) -> bool {
    let what = |it: &Shown| (it.0, it.1.clone(), it.2, it.3, it.4);
    let is_same_load = ours.1 != "load" || ours.5 == theirs.5;
    what(ours) == what(theirs) && is_same_load && theirs.6 <= ours.6
}

/// Whether a load has the value of a store of its thread that was not known to be performed when the load was issued.
fn is_served_by(load: &Shown, store: &Shown) -> bool {
    let is_pending = store.6.map(|tick| tick + 1) >= load.5;
    load.1 == "load" && store.1 == "store" && load.3 == store.4 && is_pending
}

/// Number of responses that may leave the port of a core before another one that was ready at the same time, each in a tick of its own.
const QUEUED: u64 = 3;

/// Whether a log and a trace show the same operation. If Ruby has a response ready while others leave its port, the response waits
/// in the port's queue.
fn is_same(ours: &Identity, theirs: &Identity) -> bool {
    let without_tick = |it: &Identity| (it.0, it.1.clone(), it.2, it.3, it.4);
    let is_on_time = match (ours.5, theirs.5) {
        (Some(ours), Some(theirs)) => (theirs..=theirs + QUEUED).contains(&ours),
        (ours, theirs) => ours == theirs,
    };
    without_tick(ours) == without_tick(theirs) && is_on_time
}

/// Protocols that lose locks of read-modify-writes, as released.
fn loses_locks(binary: &Binary) -> bool {
    ["MOESI_AMD_Base", "MOESI_CMP_token"].contains(&binary.protocol.as_str())
}

#[test]
#[ignore = "needs a gem5 with the plug-in in RUBRIC_GEM5_BINARY"]
fn logs_agree_with_traces() {
    for binary in binaries() {
        let all = PROGRAMS * CLIENTS.len();
        let crashes = (0..all).filter(|&number| !log_agrees(&binary, number)).count();
        let most = if binary.protocol == "MOESI_AMD_Base" { all / 2 } else { all / 10 };
        let protocol = &binary.protocol;
        assert!(crashes <= most, "{protocol}: {crashes} of {all} programs could not be compared");
    }
}

/// Runs one program on a kind of core and compares the log with the trace. Returns whether the run came to its end.
fn log_agrees(binary: &Binary, number: usize) -> bool {
    let folder = Folder::new();
    let (seed, m5out) = ((number + 1).to_string(), folder.path("m5out"));
    let (client, model) = CLIENTS[number % CLIENTS.len()];
    let rmws = if loses_locks(binary) { "0" } else { "10" };
    // CHI locks no lines, so its programs have no locked pairs, as on the simulator.
    let has_locks = binary.protocol != "CHI" && (number / CLIENTS.len()).is_multiple_of(2);
    let linked = if has_locks { "0" } else { "100" };
    let options = ["--rmws", rmws, "--linked", linked, "--locations", "6", "--seed", &seed];
    let program = output(&[&["generate", "program", "MI_example"], &options[..]].concat());
    let file = folder.file("program.txt", &program);
    let flags = ["--debug-flags=ProtocolTrace,RubySequencer,RubyPort", "--debug-file=trace.gz"];
    let options = ["--program", &file, "--client", client, "--delay-seed", &seed];
    if !comes_to_its_end(binary, &m5out, &flags, &options) {
        return false;
    }
    let (log, trace) = (format!("{m5out}/rubric.log"), format!("{m5out}/trace.gz"));
    let (ours, theirs) = (json(&log), json(&trace));
    compare(client, logged(&ours[0]), traced(&theirs[0], &binary.protocol));
    if number < CLIENTS.len() {
        let again = folder.path("again");
        let options = [&options[..], &["--transitions"]].concat();
        assert!(comes_to_its_end(binary, &again, &[], &options));
        let again = format!("{again}/rubric.log");
        assert_eq!(logged(&json(&again)[0]), logged(&ours[0]));
        let traced = transitions(&trace);
        // The log goes on until the last core has its response, a tick later.
        assert_eq!(transitions(&again)[..traced.len()], traced);
    }
    check_verdict(binary, client, model, &log, &trace);
    true
}

/// Checks what a log says of the memory model that its cores guarantee.
fn check_verdict(binary: &Binary, client: &str, model: &str, log: &str, trace: &str) {
    let violates_early = ["MESI_Two_Level", "MESI_Three_Level"].contains(&binary.protocol.as_str());
    if loses_locks(binary) {
        // These protocols have other faults too, so verdicts are compared. The trace shows requests, which only in-order cores make
        // in program order.
        if client == "in-order" {
            let verdict = |path: &str| {
                rubric(&["check", "--model", model, path]).output().unwrap().status.code()
            };
            assert_eq!(verdict(log), verdict(trace), "{log}");
        }
    } else if !(client.starts_with("early") && violates_early) {
        output_of(&["check", "--model", model, log], 0);
    }
}

/// gem5's usual replacement policy fails in caches with one way; the script gives them another.
#[test]
#[ignore = "needs a gem5 with the plug-in in RUBRIC_GEM5_BINARY"]
fn caches_may_have_one_way() {
    for binary in binaries() {
        let folder = Folder::new();
        let program = output(&["generate", "program", "MI_example", "--locations", "6"]);
        let file = folder.file("program.txt", &program);
        let mut options = vec!["--program".to_owned(), file];
        for cache in ["l1d", "l1i", "l2"] {
            options.extend([format!("--{cache}_size=128B"), format!("--{cache}_assoc=1")]);
        }
        // The directory's filter of MOESI_hammer has twice the size of a second level, and four ways.
        options.extend((binary.protocol == "MOESI_hammer").then(|| "--l2_size=256B".to_owned()));
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        assert!(comes_to_its_end(&binary, &folder.path("m5out"), &[], &options));
        output_of(&["check", &folder.path("m5out/rubric.log")], 0);
    }
}

/// The L1 cache of the released MESI_Two_Level does not tell the core of an invalidation in IS, so a core that loads early
/// returns a stale value. An in-order core is not affected.
#[test]
#[ignore = "needs gem5's MESI_Two_Level with the plug-in in RUBRIC_GEM5_BINARY"]
fn early_loads_on_mesi_two_level_violate_tso() {
    for binary in binaries().iter().filter(|it| it.protocol == "MESI_Two_Level") {
        let folder = Folder::new();
        let options = ["--threads", "4", "--operations", "400", "--locations", "6", "--think", "4"];
        let many = ["--runs", "40"];
        let arguments = [&["generate", "program", "MESI_Two_Level"], &options[..], &many].concat();
        let file = folder.file("programs.txt", output(&arguments));
        let violations = |client: &str| {
            let m5out = folder.path(client);
            let options = ["--program", &file, "--client", client, "--fork", "--jobs", "2"];
            assert!(comes_to_its_end(binary, &m5out, &[], &options));
            let is_violation = |number: &usize| {
                let log = format!("{m5out}/program-{number}/rubric.log");
                let check = rubric(&["check", "--quiet", "--model", "tso", &log]).output().unwrap();
                let status = check.status.code().unwrap();
                assert!(status < 2, "{log}: {}", String::from_utf8_lossy(&check.stderr));
                status == 1
            };
            (0..40).filter(is_violation).count()
        };
        assert_eq!(violations("store-buffer-8"), 0);
        assert!(violations("early-8-buffer-8") > 0);
    }
}
