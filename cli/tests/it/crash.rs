//! Runs that gem5 aborted, in every command that shows them.

use std::fs;

use crate::common::{Folder, TRACES, error, output, output_of, rubric};
use serde_json::Value;

/// A trace of a run that is SC.
const CONSISTENT: &str = TRACES[4];
const VIOLATION: &str = TRACES[5];

const PANIC: &str = "warn: x
build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc:1261: panic: Invalid transition
system.ruby.l1_cntrl1 time: 4321 addr: 0x1040 event: Inv state: M
Memory Usage: 450140 KBytes
Program aborted at tick 4321
--- BEGIN LIBC BACKTRACE ---
build/NULL/gem5.opt(+0x12)[0x34]
--- END LIBC BACKTRACE ---
";

const HEADLINE: &str =
    "invalid transition: L1Cache 1, state M, event Inv, address 0x1040, tick 4321";

/// Makes a gem5 output folder of a recorded run that ended with the message `PANIC`.
pub(crate) fn crashed(folder: &Folder, trace: &str) -> String {
    let from = format!("{}/../{trace}", env!("CARGO_MANIFEST_DIR"));
    fs::copy(from, folder.path("trace.out.gz")).unwrap();
    folder.file("simerr", PANIC);
    folder.path("")
}

/// A trace that stops while a request is outstanding, followed by a message of gem5, which may be empty.
pub(crate) fn small(message: &str) -> String {
    format!(
        "      4: system.ruby.l1_cntrl0.sequencer.response_ports0: Timing request for address 0x1000 on port 0
              4   0        Seq               Begin       >       [0x1000, line 0x1000] ST
      4: system.ruby.l1_cntrl0.sequencer.response_ports0: Request WriteReq 0x1000 issued
              5   0    L1Cache               Store      I>IM     [0x1000, line 0x1000] 
             90   0        Seq                Done       >       [0x1000, line 0x1000] 86 cycles
     90: system.ruby.l1_cntrl0.sequencer: set data [ 0x7 0x0 0x0 0x0 0x0 0x0 0x0 0x0 ]
     90: system.ruby.l1_cntrl0.sequencer: Hit callback for WriteReq 0x1000
             90   0    L1Cache                Data     IM>M      [0x1000, line 0x1000] 
     95: system.ruby.l1_cntrl1.sequencer.response_ports0: Timing request for address 0x1000 on port 0
             95   1        Seq               Begin       >       [0x1000, line 0x1000] LD
     95: system.ruby.l1_cntrl1.sequencer.response_ports0: Request ReadReq 0x1000 issued
             96   1    L1Cache                Load      I>IS     [0x1000, line 0x1000] 
             99   0    L1Cache            Fwd_GETX      M>MII    [0x1000, line 0x1000] 
            100   0    L1Cache               Store    MII>MII    [0x1000, line 0x1000] Protocol Stall
            101   0    L1Cache               Store    MII>MII    [0x1000, line 0x1000] Protocol Stall
{message}"
    )
}

pub(crate) const DEADLOCK: &str = "\
build/NULL/mem/ruby/system/Sequencer.cc:271: panic: Possible Deadlock detected. Aborting!
 version: 1 request.paddr: 0x1000 m_readRequestTable: 1 current time: 101 issue_time: 95 difference: 6

Memory Usage: 450140 KBytes
Program aborted at tick 101
";

#[test]
fn check_says_first_that_the_run_crashed() {
    let folder = Folder::new();
    let m5out = crashed(&folder, CONSISTENT);
    let said = output_of(&["check", "--model", "sc,tso", &m5out], 1);
    let mut lines = said.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("crashed  ") && first.contains(HEADLINE), "{said}");
    let wanted = [
        "simerr:2: build/NULL/mem/ruby/protocol/L1Cache_Transitions.cc:1261: Invalid transition",
        "system.ruby.l1_cntrl1 time: 4321 addr: 0x1040 event: Inv state: M",
        "the last transitions for 0x1040:",
        ": L1Cache 1 ",
        "consistent sc ",
        "100 completed operations",
        "consistent tso ",
    ];
    let mut at = 0;
    for wanted in wanted {
        let found = said[at..].find(wanted);
        at += found.unwrap_or_else(|| panic!("{wanted} after {at}: {said}"));
    }
    let quiet = output_of(&["check", "--quiet", &m5out], 1);
    assert!(quiet.starts_with("crashed  "), "{quiet}");
    let several = output_of(&["check", CONSISTENT, &m5out], 1);
    let (_, table) = several.split_once("\nhistory ").unwrap();
    // The crashed run is the first row of the table.
    let row = table.lines().nth(1).unwrap();
    assert!(row.contains("consistent  ") && row.ends_with("crashed"), "{several}");
    rubric(&["check", &m5out, "nothing.gz"]).assert().code(2);
}

#[test]
fn json_has_the_fields_of_the_crash() {
    let folder = Folder::new();
    let m5out = crashed(&folder, CONSISTENT);
    let line = output_of(&["check", "--format", "json", &m5out], 1);
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["verdict"], "consistent");
    let ended = format!("crashed ({HEADLINE}), all requests answered");
    assert_eq!(line["ended"], ended.as_str());
    let crash = &line["crash"];
    assert_eq!(crash["kind"], "invalid transition");
    assert_eq!(crash["machine"], "L1Cache");
    assert_eq!(crash["version"], 1);
    assert_eq!(crash["state"], "M");
    assert_eq!(crash["event"], "Inv");
    assert_eq!(crash["address"], 0x1040);
    assert_eq!(crash["tick"], 4321);
    assert_eq!(crash["source"]["line"], 1261);
    assert_eq!(crash["found"]["line"], 2);
    let last = crash["recent"].as_array().unwrap().last().unwrap();
    assert_eq!(last["address"], 0x1040);
    assert!(last["event"].is_string() && last["line"].is_u64(), "{last}");
    let stats = output(&["stats", "--format", "json", &m5out]);
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["histories"][0]["crash"], *crash);
    assert!(output(&["stats", &m5out]).contains("crashed (invalid transition: L1Cache 1,"));
}

#[test]
fn a_deadlock_is_explained_by_who_waits() {
    let folder = Folder::new();
    let trace = folder.file("a.trace", small(DEADLOCK));
    let said = output_of(&["check", &trace], 1);
    for wanted in [
        "(deadlock: Seq 1, address 0x1000, tick 101)",
        "        99: L1Cache 0 Fwd_GETX: M > MII  line 13",
        "       100: L1Cache 0 Store: MII stalls, 2 times to tick 101  line 14",
        "1 request outstanding:",
        "thread 1: load of 0x1000, outstanding since tick 95 (line 9)",
        "L1Cache 0 in MII since tick 99 (after Fwd_GETX, line 13), where Store stalled 2 times, ticks 100 to 101",
        "L1Cache 1 in IS since tick 96 (after Load, line 12)",
        "add RubyQueue to --debug-flags",
        "consistent sc ",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let text = fs::read_to_string(&trace).unwrap();
    let mut watch = rubric(&["watch"]);
    let watched = watch.write_stdin(text.clone()).assert().code(1);
    let watched = String::from_utf8(watched.get_output().stdout.clone()).unwrap();
    assert!(watched.starts_with("crashed  "), "{watched}");
    assert!(watched.contains("L1Cache 0 in MII since tick 99"), "{watched}");
    assert!(watched.contains("consistent sc "), "{watched}");
    let mut watch = rubric(&["watch", "--format", "json"]);
    let line = watch.write_stdin(text).assert().code(1);
    let line: Value = serde_json::from_slice(&line.get_output().stdout).unwrap();
    assert_eq!(line["crash"]["waiting_since"], 95);
    assert_eq!(line["outstanding"][0]["cache_line"], 0x1000);
    assert_eq!(line["verdict"], "consistent");
}

#[test]
fn the_last_steps_are_drawn() {
    let folder = Folder::new();
    let trace = folder.file("a.trace", small(DEADLOCK));
    for (name, spaced) in [("a.svg", true), ("a.html", false), ("a.dot", false)] {
        let path = folder.path(name);
        output_of(&["explain", &trace, "-o", &path], 1);
        let drawn = fs::read_to_string(&path).unwrap();
        for wanted in [
            "Seq 1 has waited for 0x1000 since tick 95",
            "The last transitions for 0x1000",
            "L1Cache 0 Fwd_GETX: M &gt; MII",
            "1 request outstanding",
            "thread 1: load of 0x1000, outstanding since tick 95",
        ] {
            let wanted = match (spaced, name) {
                (true, _) if !wanted.ends_with(')') && wanted.contains(": ") => {
                    wanted.replace(' ', "&#160;")
                }
                (_, "a.dot") => wanted.replace("&gt;", ">"),
                _ => wanted.to_owned(),
            };
            assert!(drawn.contains(&wanted), "{name}: {wanted}: {drawn}");
        }
    }
    // A violation is drawn, and the crash with it.
    let m5out = crashed(&folder, VIOLATION);
    fs::remove_file(&trace).unwrap();
    let path = folder.path("why.svg");
    output_of(&["explain", &m5out, "-o", &path], 1);
    let drawn = fs::read_to_string(&path).unwrap();
    for wanted in [
        "violates SC",
        "co [a]",
        "The last transitions for 0x1040",
        "The run crashed: invalid transition",
    ] {
        assert!(drawn.contains(wanted), "{wanted}");
    }
}

#[test]
fn the_last_steps_are_drawn_as_a_sequence() {
    let folder = Folder::new();
    let queued = |tick: u32, buffer: &str| {
        format!(
            "{tick:7}: system.ruby.{buffer}: Enqueue arrival_time: {}, Message: [RequestMsg: addr = [0x1000, line 0x1000] Type = GETX \
             Requestor = L1Cache-1 Destination = [NetDest (4) 0 - ] ]\n",
            tick + 2
        )
    };
    let sent = queued(97, "l1_cntrl1.requestFromCache") + &queued(98, "l1_cntrl0.forwardToCache");
    let trace = folder.file("a.trace", small(&(sent + DEADLOCK)));
    let draw = |name: &str| {
        let path = folder.path(name);
        output_of(&["explain", &trace, "--chart", &path], 1);
        fs::read_to_string(&path).unwrap()
    };
    let text = draw("a.txt");
    for wanted in [
        "Deadlock: Seq 1 has waited for 0x1000 since tick 95\na.trace: ",
        "  tick  line  ",
        "    90     8  ",
        "GETX for L1Cache-1",
        "Store stalls in MII, 2 times",
        "Seq 1",
        "deadlock: Seq 1",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let drawn = draw("a.svg");
    assert!(
        drawn.matches("marker-end").count() == 1 && drawn.matches("<circle").count() == 1,
        "{drawn}"
    );
    assert!(draw("a.html").contains("<circle"));
    let nothing = folder.path("b.svg");
    let whole = folder.file("b.trace", small(""));
    let said = rubric(&["explain", &whole, "--chart", &nothing]).assert().code(0);
    let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    assert!(said.contains("nothing to draw") && fs::read(&nothing).is_err(), "{said}");
}

#[test]
fn a_run_that_just_stops_is_no_crash_but_its_requests_are_said() {
    let folder = Folder::new();
    let trace = folder.file("a.trace", small(""));
    let note = "trace incomplete: 1 request outstanding, the oldest (line 9, tick 95, load of 0x1000 by thread 1) for 6 ticks";
    for command in ["check", "explain", "watch", "stats", "shrink", "kernel", "monitor"] {
        let said = output(&[command, &trace]);
        assert!(said.contains(note), "{command}: {said}");
        assert!(!said.starts_with("crashed"), "{command}: {said}");
        let advises = said.contains("the run may have crashed: ") && said.contains("simerr");
        assert_eq!(advises, ["check", "explain"].contains(&command), "{command}: {said}");
    }
    for name in ["a.svg", "a.html"] {
        let path = folder.path(name);
        output(&["explain", &trace, "-o", &path]);
        let drawn = fs::read_to_string(&path).unwrap();
        assert!(drawn.contains("trace incomplete: 1 request outstanding"), "{name}");
        assert!(drawn.contains("1 request outstanding</"), "{name}");
        assert!(drawn.contains("the run may have crashed"), "{name}");
    }
    // If gem5's output was read, its message would have shown a crash, so there is no hint at one.
    let exits = small("Exiting @ tick 200 because simulate() limit reached\n");
    let exits = output(&["check", &folder.file("b.trace", exits)]);
    assert!(!exits.contains("may have crashed"), "{exits}");
    let m5out = Folder::new();
    m5out.file("a.trace", small(""));
    m5out.file("simerr", "warn: x\n");
    let said = output(&["check", &m5out.path("")]);
    assert!(said.contains(note) && !said.contains("may have crashed"), "{said}");
}

#[test]
fn a_crash_stays_with_the_history_in_other_formats() {
    let folder = Folder::new();
    let m5out = crashed(&folder, CONSISTENT);
    for name in ["a.json", "a.parquet"] {
        let path = folder.path(name);
        let converted = rubric(&["convert", &m5out, "-o", &path]).assert().code(0);
        let warned = String::from_utf8(converted.get_output().stderr.clone()).unwrap();
        assert!(warned.contains("the run crashed (invalid transition"), "{warned}");
        let said = output_of(&["check", &path], 1);
        assert!(said.starts_with("crashed  ") && said.contains(HEADLINE), "{said}");
        fs::remove_file(&path).unwrap();
    }
    let proofs = folder.path("proofs");
    output_of(&["check", "--certificate", &proofs, &m5out], 1);
    let certificate = fs::read_dir(&proofs).unwrap().next().unwrap().unwrap().path();
    let verified = output(&["verify", &m5out, certificate.to_str().unwrap()]);
    assert!(verified.starts_with("verified: "), "{verified}");
    assert!(verified.contains("note: the run crashed (invalid transition"), "{verified}");
}

#[test]
fn a_crash_before_any_operation() {
    let folder = Folder::new();
    folder.file("config.ini", "[root]\n");
    folder.file("simerr", "src/sim/a.cc:3: fatal: Can't load it\nMemory Usage: 3 KBytes\n");
    let said = output_of(&["check", &folder.path("")], 1);
    assert!(said.starts_with("crashed  ") && said.contains("fatal: Can't load it"), "{said}");
    let nothing = Folder::new();
    nothing.file("simerr", "warn: x\n");
    assert!(error(&["check", &nothing.path("")]).contains("none of its 1 files is a trace"));
}

#[test]
fn what_rubric_simulate_says_is_a_crash_too() {
    let folder = Folder::new();
    let text = small(
        "rubric: MI_example --seed 4: Invalid transition: L1Cache 0 time: 101 addr: 0x1000 event: Load state: MII\n\
         \x20 at a.sm:3: x\n  the last transitions and messages for 0x1000:\n          99: L1Cache 0 Fwd_GETX: M > MII\n",
    );
    let said = output_of(&["check", &folder.file("a.trace", text)], 1);
    assert!(
        said.contains(
            "(invalid transition: L1Cache 0, state MII, event Load, address 0x1000, tick 101)"
        ),
        "{said}"
    );
}

/// A folder with nothing but the message of a crash.
fn message(text: &str) -> Folder {
    let folder = Folder::new();
    folder.file("simerr.txt", text);
    folder
}

#[test]
fn the_known_fault_of_a_crash_is_named() {
    let folder = message(
        "build/ALL/mem/ruby/protocol/MESI_Two_Level/Directory_Transitions.cc:268: panic: Invalid transition\n\
         board.cache_hierarchy.ruby_system.directory_controllers0 time: 77120 addr: 0x2c40 event: CleanReplacement state: M_DWR\n\
         Memory Usage: 432 KBytes\nProgram aborted at tick 38560000\n",
    );
    let fault = "mesi2-dir-cleanreplacement-during-dma";
    let path = folder.path("");
    for command in ["check", "explain"] {
        let said = output_of(&[command, &path], 1);
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let wanted = format!(
            "known fault of gem5's released MESI_Two_Level: {fault} (MESI_Two_Level-dir.sm:531"
        );
        assert!(flat.contains(&wanted), "{said}");
        assert!(flat.contains(&format!("repaired by --repair {fault}")), "{said}");
        assert!(!flat.contains("mesi3-"), "{said}");
    }
    let line: Value =
        serde_json::from_str(&output_of(&["check", "--format", "json", &path], 1)).unwrap();
    assert_eq!(line["crash"]["known"][0], fault);
}

#[test]
fn a_functional_access_that_fails_names_its_line() {
    let folder = Folder::new();
    let trace = folder.file("a.trace", small(
        "src/mem/ruby/system/RubyPort.cc:431: panic: Ruby functional read failed for address 0x1000\n\n\
         Memory Usage: 678 KBytes\nProgram aborted at tick 968\n",
    ));
    let said = output_of(&["check", &trace], 1);
    assert!(said.contains("the last transitions for 0x1000:"), "{said}");
    assert!(!said.contains("names no address"), "{said}");
}

#[test]
fn the_processor_of_a_tester_leads_to_its_controller() {
    let folder = Folder::new();
    let deadlock = |processor: u32| {
        small(&format!(
            "src/cpu/testers/rubytest/RubyTester.cc:271: panic: Deadlock detected: current_time: 60001 last_progress_time: 95 difference:  \
             59906 processor: {processor}\nMemory Usage: 678 KBytes\nProgram aborted at tick 60001\n"
        ))
    };
    let said = output_of(&["check", &folder.file("a.trace", deadlock(1))], 1);
    for wanted in [
        "(deadlock: processor 1, tick 60001)",
        "processor 1 is sequencer 1: its load of 0x1000 has waited since tick 95 (line 9)",
        "L1Cache 1 in IS since tick 96 (after Load, line 12)",
        "the last transitions for 0x1000:",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let said = output_of(&["check", &folder.file("b.trace", deadlock(3))], 1);
    assert!(
        said.contains("processor 3 is sequencer 3: the trace shows no outstanding request of it"),
        "{said}"
    );
    let text = small(
        "src/cpu/testers/rubytest/RubyTester.cc:269: panic: Possible deadlock detected:\n  Processor: 3\n  Addr: 0x1000\n",
    );
    let said = output_of(&["check", &folder.file("c.trace", text)], 1);
    let wanted = "L1Cache 3, which serves it, took no transition for line 0x1000";
    assert!(said.contains(wanted), "{said}");
}
