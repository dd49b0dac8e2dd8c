//! The compatibility suite `fixtures/slicc`: one small protocol for each feature of the language, for
//! each class or group of functions of the library, and for each difference of older dialects.
//!
//! The first lines of a file say what it shows and what it must do: `// expect: done` (it runs until
//! it calls `error("done")`), `// expect: fault TEXT` (the run ends with this fault), or
//! `// expect: error TEXT` (it does not load). `// set: SETTING ...` sets parameters, and
//! `// program: flush=PERCENT ...` says what the program asks for beside loads and stores.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use check::{Model, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use mutate::repair::all_that_fit;
use simulate::client::Client;
use simulate::config::Options;
use simulate::program::{Extras, ProgramSize};
use simulate::simulation::Simulation;
use slicc::library::LibraryFunction;
use slicc::protocol::Protocol;

/// The protocols of the suite with their texts.
fn files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/slicc");
    let mut found = Vec::new();
    for folder in ["language", "library", "older"] {
        for entry in fs::read_dir(root.join(folder)).expect("the suite has this folder") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a text");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The rest of the line that begins with this comment.
fn header<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key))
}

/// The program with these changes of the usual one, such as `rmws=60 flush=10`.
fn program(changes: &str) -> ProgramSize {
    let mut shape =
        ProgramSize { threads: 1, operations: 40, locations: 1, seed: 1, ..ProgramSize::default() };
    for change in changes.split_whitespace() {
        let (what, value) = change.split_once('=').expect("a number is assigned");
        let value = value.parse().expect("a number");
        match what {
            "rmws" => shape.rmws = value,
            "linked" => shape.linked = value,
            "flush" => shape.extras.flushes = value,
            "atomics" => shape.extras.atomics = value,
            "dvm" => shape.extras.dvm = value,
            other => panic!("{other} is not known here"),
        }
    }
    shape
}

/// How a protocol ends: `error` or `fault` with a message, or `clean`.
fn outcome(path: &Path, settings: &str, shape: ProgramSize) -> String {
    let protocol = match Protocol::open(&path.display().to_string()) {
        Ok(protocol) => protocol,
        Err(failure) => {
            let said = failure.diagnostics.iter().map(|one| one.message.as_str());
            return format!("error {}", said.collect::<Vec<_>>().join(", "));
        }
    };
    let simulation = Simulation {
        shape,
        client: Client::IN_ORDER,
        options: Options {
            settings: settings.split_whitespace().map(|one| one.parse().unwrap()).collect(),
            ..Options::default().steady()
        },
        deadlock_threshold: Some(20_000),
    };
    let plan = match simulation.plan(&protocol) {
        Ok(plan) => plan,
        Err(said) => return format!("error {}", said[0].message),
    };
    let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
    match run.fault {
        Some(fault) if fault.message.ends_with(": done") => "done".to_owned(),
        Some(fault) => format!("fault {}", fault.message),
        None => "clean".to_owned(),
    }
}

#[test]
fn every_file_does_what_it_says() {
    // The files of all features share those in `base`.
    slicc::disk::allow(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/slicc")]);
    let mut wrong = Vec::new();
    for (path, text) in files() {
        let expected = header(&text, "expect: ").expect("a file says what it must do");
        let (how, what) = expected.split_once(' ').unwrap_or((expected, ""));
        let shape = program(header(&text, "program: ").unwrap_or(""));
        let got = outcome(&path, header(&text, "set: ").unwrap_or(""), shape);
        if !(got.starts_with(how) && got.contains(what)) {
            wrong.push(format!("{}: expected {expected}, got {got}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The callbacks of DMA devices and GPUs, which protocols of one machine cannot make, a table of CHI's misc node, and the objects of
/// descriptions, which the tests in `beside` use.
const LEFT_OUT: [&str; 5] =
    ["DMASequencer.", "GPUCoalescer.", "VIPERCoalescer.", "MN_TBETable.", "Described"];

#[test]
fn every_function_of_the_library_is_called() {
    let texts: String = files().into_iter().map(|(_, text)| text).collect();
    let base: String = ["cache", "functions", "requests"]
        .iter()
        .map(|name| {
            let path = format!("{}/../fixtures/slicc/base/{name}.sm", env!("CARGO_MANIFEST_DIR"));
            fs::read_to_string(path).expect("a text")
        })
        .collect();
    let missing: Vec<&str> = LibraryFunction::names()
        .filter(|name| !LEFT_OUT.iter().any(|class| name.starts_with(class)))
        .filter(|name| {
            let call = match name.split_once('.') {
                Some((_, method)) => format!(".{method}("),
                None => format!("{name}("),
            };
            !texts.contains(&call) && !base.contains(&call)
        })
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// gem5's own protocols, which rubric reads where they are.
const RELEASED: [&str; 10] = [
    "MI_example",
    "MESI_Two_Level",
    "MESI_Three_Level",
    "MESI_Three_Level_HTM",
    "MOESI_CMP_directory",
    "MOESI_CMP_token",
    "MOESI_hammer",
    "MOESI_AMD_Base",
    "GPU_VIPER",
    "Garnet_standalone",
];

/// The gem5 tree that `RUBRIC_GEM5` names; without it, says that the test is skipped.
fn gem5() -> Option<String> {
    let root = std::env::var("RUBRIC_GEM5").ok();
    if root.is_none() {
        std::io::stdout().write_all(b"skipped: there is no RUBRIC_GEM5\n").unwrap();
    }
    root
}

/// `RUBRIC_GEM5=path/to/gem5 cargo test --workspace --test it suite:: -- --ignored`
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn every_protocol_of_gem5_loads_and_runs() {
    let Some(root) = gem5() else { return };
    let folder = Path::new(&root).join("src/mem/ruby/protocol");
    let mut paths: Vec<PathBuf> =
        RELEASED.iter().map(|name| folder.join(format!("{name}.slicc"))).collect();
    paths.push(folder.join("chi/CHI.slicc"));
    for path in paths {
        assert_eq!(outcome(&path, "", program("")), "clean", "{}", path.display());
    }
}

/// CHI in all of its parts: several home and memory nodes, fetches, linked accesses, atomics near and far, and DMA devices, with its
/// known faults repaired.
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn chi_is_sequentially_consistent() {
    let Some(root) = gem5() else { return };
    let path = Path::new(&root).join("src/mem/ruby/protocol/chi/CHI.slicc");
    let protocol = Protocol::open(&path.display().to_string()).expect("it loads");
    let protocol = all_that_fit(&protocol).protocol;
    for seed in 1..=20 {
        let simulation = Simulation {
            shape: ProgramSize {
                threads: 4,
                operations: 200,
                rmws: 20,
                fetches: 20,
                extras: Extras { devices: seed as u32 % 3, atomics: 50, ..Extras::default() },
                seed,
                ..ProgramSize::default()
            },
            client: Client::IN_ORDER,
            options: Options {
                l2_banks: 2,
                directories: 2,
                settings: vec![format!("policy_type={}", seed % 3).parse().expect("a setting")],
                ..Options::default()
            },
            deadlock_threshold: None,
        };
        let plan = simulation.plan(&protocol).expect("every parameter has a value");
        let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
        assert!(run.fault.is_none(), "seed {seed}: {}", run.fault.unwrap().message);
        let history = run.history().expect("the records agree");
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).expect("values are unique");
        let report = check(&history, &reads_from, Model::SC, &check::Options::default());
        assert!(matches!(report.verdict, Verdict::Consistent(_)), "seed {seed}");
    }
}
