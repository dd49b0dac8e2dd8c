//! Tests of the plug-in for gem5 that need no gem5: programs, cores and logs. `gem5/test/cores.cc` runs the cores on a memory of
//! its own, and `gem5/test/gem5.cc` does so with the command line of gem5. If `RUBRIC_GEM5_BINARY` names a gem5 that was built
//! with the plug-in, `real.rs` runs the cores there.

mod campaign;
mod fidelity;
mod real;
mod weak;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::{env, fs};

use serde_json::Value;

use crate::common::{Folder, TRACES, output, output_of, rubric};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The program that runs the cores on its own memory.
static CORES: LazyLock<PathBuf> = LazyLock::new(|| compiled("cores"));

/// The program that stands in for gem5.
pub(crate) static STANDIN: LazyLock<PathBuf> = LazyLock::new(|| compiled("gem5"));

/// Compiles a program of `gem5/test` together with the cores as one file, which is fastest.
fn compiled(name: &str) -> PathBuf {
    let plugin = root().join("gem5");
    let mut files: Vec<PathBuf> =
        fs::read_dir(plugin.join("core")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cc"));
    files.sort();
    files.push(plugin.join("test").join(name).with_extension("cc"));
    let mut all = String::new();
    for file in files {
        writeln!(all, "#include \"{}\"", file.canonicalize().unwrap().display()).unwrap();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(name).with_extension("cc"), folder.join(name));
    fs::write(&source, all).unwrap();
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I"]).arg(plugin);
    let status = command.arg(source).arg("-o").arg(&program).status().unwrap();
    assert!(status.success(), "{name}.cc does not compile");
    program
}

/// Runs the cores' program with this standard input.
fn cores(arguments: &[&str], input: &str) -> Output {
    let folder = Folder::new();
    let input = fs::File::open(folder.file("input", input)).unwrap();
    let mut command = Command::new(&*CORES);
    command.args(arguments).stdin(Stdio::from(input)).output().unwrap()
}

/// Standard output of a run of the cores' program that must succeed.
fn done(arguments: &[&str], input: &str) -> String {
    let output = cores(arguments, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Generates programs with these options.
fn programs(options: &[&str]) -> String {
    output(&[&["generate", "program", "MI_example"], options].concat())
}

/// Options for programs with every kind of step.
const ALL: [&str; 16] = [
    "--rmws",
    "20",
    "--linked",
    "40",
    "--atomics",
    "40",
    "--fences",
    "5",
    "--fetches",
    "10",
    "--partial",
    "20",
    "--per-line",
    "4",
    "--dma",
    "1",
];
/// Options for programs with every kind of step but DMA, with few locations and little time between accesses.
const RACY: [&str; 14] = [
    "--rmws",
    "8",
    "--linked",
    "40",
    "--atomics",
    "30",
    "--fences",
    "3",
    "--think",
    "4",
    "--locations",
    "4",
    "--operations",
    "150",
];

#[test]
fn programs_are_read_as_they_are_written() {
    let text = programs(&[&ALL[..], &["--runs", "3"]].concat());
    assert_eq!(text.matches("rubric-program 1\n").count(), 3);
    assert_eq!(done(&["echo"], &text), text);
    let flushed = output(&["generate", "--program", "MOESI_hammer", "--flush", "20"]);
    assert!(flushed.contains(" flush 0x"));
    assert_eq!(done(&["echo"], &flushed), flushed);
}

/// The numbers are the same as in the test of `history::random`.
#[test]
fn random_numbers_are_those_of_rubric() {
    let numbers = done(&["random", "1", "0", "4294967296", "4"], "");
    assert_eq!(numbers, "1638484553\n1266703218\n3428475886\n3934848116\n");
    // This takes more than a block of the generator, and has a bound that no word reaches.
    let many = done(&["random", "1", "4294967296", "18446744073709551615", "40"], "");
    let last = many.lines().last().unwrap();
    let mut rng = history::random::Rng::new(1, 1 << 32);
    let expected = (0..40).map(|_| rng.below(u64::MAX)).last().unwrap();
    assert_eq!(last, expected.to_string());
}

/// The reader of the log finds the same transitions in the logged lines of ProtocolTrace as the text reader.
#[test]
fn transitions_are_logged_as_they_are_printed() {
    let options = ingest::Options { transitions: true, ..ingest::Options::default() };
    let rows = |trace: &ingest::Trace| -> Vec<String> {
        let row =
            |it: ingest::Transition<'_>| format!("{:?}", ingest::Transition { line: 0, ..it });
        trace.transitions.iter().map(row).collect()
    };
    for path in TRACES {
        let path = root().join(path);
        let mut text = String::new();
        let packed = fs::File::open(&path).unwrap();
        flate2::read::MultiGzDecoder::new(packed).read_to_string(&mut text).unwrap();
        let printed = ingest::read_path(&path, &options).unwrap();
        let machines: BTreeSet<&str> = printed.transitions.iter().map(|it| it.machine).collect();
        let folder = Folder::new();
        let log = folder.path("log");
        let words = ["transitions", log.as_str()].into_iter().chain(machines);
        done(&words.collect::<Vec<_>>(), &text);
        let logged = ingest::read_path(Path::new(&log), &options).unwrap();
        assert!(printed.transitions.len() > 100);
        assert_eq!(rows(&logged), rows(&printed), "{}", path.display());
        assert_eq!(logged.statistics.transitions, printed.statistics.transitions);
        assert_eq!(logged.statistics.protocol, printed.statistics.protocol);
    }
}

#[test]
fn errors_of_programs_name_the_line() {
    let head = "rubric-program 1\nname x\nseed 1\nline-bytes 64\nthread\n";
    for (text, expected) in [
        ("rubric-program 2\n", "1: found `rubric-program 2`, expected `rubric-program 1`"),
        (&format!("{head}1 load 0x1000\nend\n"), "6: found `1 load 0x1000`"),
        (&format!("{head}1 load 0x103f 8\nend\n"), "6: found `0x103f 8`, expected 1 to 8 bytes"),
        (&format!("{head}1 jump 0x1000 8\nend\n"), "expected load, fetch, store, rmw or fence"),
        (&format!("{head}x fence\nend\n"), "6: found `x`, expected ticks of thinking"),
        (&format!("{head}1 rmw 0x1000 8 0x1 hard\nend\n"), "expected locked, linked, atomic or"),
        (&format!("{head}99999999999999999999 fence\nend\n"), "expected ticks of thinking"),
        (&format!("{head}1 fence\n"), "6: found the end of the file within a program"),
        ("rubric-program 1\nline-bytes 48\n", "2: found 48 bytes a line, expected a power of two"),
        ("rubric-program 1\n1 fence\n", "2: found `1 fence`"),
    ] {
        let output = cores(&["echo"], text);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains(expected), "{message}");
        assert!(message.starts_with("standard input:"), "{message}");
    }
    let output = cores(&["run", "fast", "/dev/null", "1"], head);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("`fast`: expected in-order, store-buffer-N"), "{message}");
}

/// Each kind of core keeps its model, and those with store buffers keep no stronger one. With this seed, the test would show a
/// load that is served by a store whose line was lost.
#[test]
fn cores_keep_their_models() {
    let text = programs(&[&RACY[..], &["--runs", "6"]].concat());
    for (client, kept, broken) in [
        ("in-order", "sc", None),
        ("store-buffer-4", "tso", Some("sc")),
        ("per-location-4", "pso", Some("tso")),
        ("early-6", "sc", None),
        ("early-6-buffer-4", "tso", Some("sc")),
    ] {
        let folder = Folder::new();
        let log = folder.path("run.log");
        let printed = done(&["run", client, &log, "9"], &text);
        assert_eq!(printed != "repeated loads: 0\n", client.starts_with("early"), "{printed}");
        output_of(&["check", "--model", kept, &log], 0);
        if let Some(broken) = broken {
            output_of(&["check", "--model", broken, &log], 1);
        }
        let all: u32 = json(&log).iter().map(|history| operations(history).len() as u32).sum();
        assert_eq!(all, 6 * 4 * 150, "{client}");
    }
}

/// If the memory tells no core of the lines that others write, early loads violate TSO.
#[test]
fn forgotten_invalidations_show() {
    let text = programs(&["--operations", "150", "--locations", "4", "--think", "3"]);
    let folder = Folder::new();
    let log = folder.path("run.log");
    done(&["run", "early-8-buffer-4", &log, "5", "forgetful"], &text);
    output_of(&["check", "--model", "tso", &log], 1);
    done(&["run", "in-order", &log, "5", "forgetful"], &text);
    output_of(&["check", "--model", "sc", &log], 0);
}

/// The history of a log has the operations of the program, in the same order.
#[test]
fn logs_hold_the_program() {
    let text = programs(&[&RACY[..], &["--partial", "20", "--fetches", "10"]].concat());
    let folder = Folder::new();
    let log = folder.path("run.log");
    done(&["run", "store-buffer-4", &log, "1"], &text);
    let histories = json(&log);
    assert_eq!(histories[0]["name"], "MI_example --seed 1");
    let mut wanted = planned(&text);
    // Accesses that overlap in part are split, so only their first parts are compared.
    for operation in operations(&histories[0]) {
        let index = operation["index"].as_u64().unwrap();
        let found = (operation["kind"].as_str().unwrap(), operation["address"].as_u64());
        let thread = operation["thread"].as_u64().unwrap();
        let Some(queue) = wanted.get_mut(&thread).filter(|_| operation["continues"] != true) else {
            continue;
        };
        let (kind, address, value) = queue.remove(0);
        assert_eq!(found, (&*kind, address), "T{thread}:{index}");
        if let (Some(value), 8) = (value, operation["size"].as_u64().unwrap_or(0)) {
            assert_eq!(operation["written"].as_u64(), Some(value), "T{thread}:{index}");
        }
    }
    assert!(wanted.values().all(Vec::is_empty), "{wanted:?}");
}

/// The kind, address and value of an operation.
type Planned = (String, Option<u64>, Option<u64>);

/// The operations of each thread of a program.
fn planned(text: &str) -> BTreeMap<u64, Vec<Planned>> {
    let mut threads = BTreeMap::new();
    for line in text.lines() {
        if line == "thread" {
            threads.insert(threads.len() as u64, Vec::new());
        }
        let words: Vec<&str> = line.split(' ').collect();
        let [_, kind, rest @ ..] = &words[..] else { continue };
        let Some(thread) = (threads.len() as u64).checked_sub(1) else { continue };
        let number = |at: usize| {
            let word: &&str = rest.get(at)?;
            u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
        };
        let kind = match *kind {
            "fetch" => "load",
            "rmw" if rest[3] == "atomic-no-return" => "store",
            kind => kind,
        };
        let operation = (kind.to_owned(), number(0), number(2));
        threads.get_mut(&thread).unwrap().push(operation);
    }
    threads
}

/// The histories of a log or a trace, as JSON.
fn json(path: &str) -> Vec<Value> {
    let text = output(&["convert", path, "-o", "-", "--to", "json", "--quiet"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn operations(history: &Value) -> &Vec<Value> {
    history["operations"].as_array().unwrap()
}

#[test]
fn programs_are_refused_that_no_core_runs() {
    for (options, expected) in [
        (&["--annotations", "10"][..], "cores in-order keep no weak model"),
        (&["--rmws", "60", "--fences", "50"], "more than 100 of 100 operations"),
        (&["--flush", "5"], "handles no flushes"),
        (&["--recipe", "17.203", "--runs", "2"], "a recipe that was varied is for one run"),
    ] {
        let arguments = [&["generate", "program", "MI_example"], options].concat();
        let assert = rubric(&arguments).assert().code(2);
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.contains(expected), "{message}");
    }
}

/// A generated program is the one that `rubric simulate` runs: the history of the simulation has the same operations.
#[test]
fn programs_are_those_of_simulations() {
    let options = ["--rmws", "20", "--fences", "5", "--seed", "9"];
    for options in [&options[..], &["--recipe", "17.203"]] {
        let folder = Folder::new();
        let saved = folder.path("run.json");
        let simulated = [
            &["simulate", "MESI_Two_Level", "--client", "store-buffer", "--save", &saved],
            options,
        ];
        output(&simulated.concat());
        let text = output(&[&["generate", "program", "MESI_Two_Level"], options].concat());
        let wanted = planned(&text);
        let history = &json(&saved)[0];
        let mut found: BTreeMap<u64, Vec<_>> = BTreeMap::new();
        for operation in operations(history) {
            let kind = operation["kind"].as_str().unwrap().to_owned();
            let written = operation["written"].as_u64();
            let thread = operation["thread"].as_u64().unwrap();
            let address = operation["address"].as_u64();
            found.entry(thread).or_default().push((kind, address, written));
        }
        assert_eq!(found, wanted);
    }
}

/// A log of a run that ended before its operations completed; with the transitions of a directory if `shows_transitions`.
fn cut_log(shows_transitions: bool) -> Vec<u8> {
    let begin: &[&[u8]] = &[
        b"\x93RUBRIC-LOG 1\n",
        b"\x01\x00\x02\x40\x02up\x08in-order",
        b"\x11\x00\x00\x05\x80\x20\x08\x07", // T0 stores 7 to 0x1000 at tick 5, which completes at 14
        b"\x20\x00\x00\x09",
        b"\x10\x01\x00\x02\x80\x20\x08", // T1 loads 0x1000 at tick 16, without an answer
    ];
    let transitions: &[&[u8]] = &[
        b"\x30\x09Directory",
        b"\x30\x07StaleWB",
        b"\x30\x01U",
        b"\x30\x04B_Pm",
        b"\x31\x00\x01\x02\x03\x00\x80\x20\x04", // U to B_Pm for the line 0x1000 at tick 20
    ];
    [begin, if shows_transitions { transitions } else { &[] }].concat().concat()
}

/// The output of gem5 for a crashed run is in a file beside the log, and makes the run crashed.
#[test]
fn a_crash_is_read_beside_the_log() {
    let folder = Folder::new();
    let panic = "src/Directory_Transitions.cc:967: panic: Invalid transition\n\
                 system.dir_cntrl0 time: 24 addr: 0x1000 event: StaleWB state: B_Pm\n";
    for (number, said) in [(0, panic), (1, panic), (2, "info: nothing\n")] {
        let program = folder.path(&format!("m5out/program-{number}"));
        fs::create_dir_all(&program).unwrap();
        fs::write(format!("{program}/run.log"), cut_log(number == 1)).unwrap();
        fs::write(format!("{program}/simout.txt"), said).unwrap();
    }
    fs::write(folder.path("m5out/config.json"), "{}").unwrap();
    let of = |program: &str| folder.path(&format!("m5out/{program}"));
    for one in [of("program-0"), of("program-0/run.log")] {
        let text = output_of(&["check", "--model", "sc", &one], 1);
        assert!(
            text.contains("(invalid transition: Directory 0, state B_Pm, event StaleWB"),
            "{text}"
        );
        assert!(text.contains("thread 1: load of 0x1000, outstanding since tick 16"), "{text}");
        assert!(text.contains("run it again with --transitions"), "{text}");
    }
    let text = output_of(&["check", "--model", "sc", &of("program-1")], 1);
    assert!(text.contains("20: Directory 0 StaleWB: U > B_Pm"), "{text}");
    assert!(text.contains("Directory 0 in B_Pm since tick 20"), "{text}");
    let chart = folder.path("chart.svg");
    output_of(&["explain", &of("program-1"), "--chart", &chart], 1);
    assert!(fs::read_to_string(&chart).unwrap().contains("U → B_Pm"));
    let text = output_of(&["check", "--model", "sc", &of("program-2")], 0);
    assert!(text.contains("1 request outstanding") && !text.contains("may have crashed"), "{text}");
    // The folder stands for the logs of all of its programs.
    let text = output_of(&["check", "--model", "sc", &folder.path("m5out")], 1);
    assert_eq!(text.matches("consistent  crashed").count(), 2, "{text}");
    // A log alone does not say whether its run crashed.
    let alone = folder.path("alone.log");
    fs::write(&alone, cut_log(false)).unwrap();
    let text = output_of(&["check", "--model", "sc", &alone], 0);
    assert!(text.contains("the run may have crashed"), "{text}");
}
