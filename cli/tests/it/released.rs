//! A shortest run that shows each known fault of gem5's released protocols, found on gem5's own files.
//!
//! Each fault is looked for on a protocol with all other repairs, so that it is the only fault. The listings are in
//! `fixtures/protocols/released`, and `docs/released.md` shows them. They have names, operations and moves, but no text of gem5.
//! If `RUBRIC_GEM5` names the folder of gem5's files, `RUBRIC_DRAW=1` writes those of their version anew:
//!
//! ```text
//! RUBRIC_GEM5=path/to/gem5 RUBRIC_GEM5_VERSION=v25.1.0.0 RUBRIC_DRAW=1 cargo test --workspace --test it released:: -- --ignored
//! ```
//!
//! Another test that needs gem5's files looks for transitions that gem5 took and rubric does not take.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::common::{Folder, rubric};
use lab::released::{self, Released};
use mutate::repair;
use serde_json::Value;

/// The options of the systems that are explored, from the smallest system on.
const SYSTEMS: [&[&str]; 3] = [&[], &["--locations", "2", "--tiny"], &["--threads", "3"]];

/// Most states of an exploration.
const STATES: &str = "30000";

/// Number of seeds that are tried to find a short run, beginning with that of the table.
const SEEDS: u64 = 5;

/// The fault that no single run shows: messages that should wait are tried again and again, which only adds transitions.
const ONLY_SLOW: &str = "msi-stall-is-no-stall";

/// The faults that a run shows.
fn shown() -> impl Iterator<Item = &'static Released> {
    let is_shown = |one: &&Released| one.shown.starts_with("by rubric") && one.name != ONLY_SLOW;
    released::all().iter().filter(is_shown)
}

/// The faults that a run of the given files shows: those of v24.0.0.1, or of the version that `RUBRIC_GEM5_VERSION` names; of these, those that
/// `RUBRIC_FAULTS` names, if it does.
fn shown_in_given() -> impl Iterator<Item = &'static Released> {
    let version = std::env::var("RUBRIC_GEM5_VERSION").unwrap_or("v24.0.0.1".to_owned());
    let named = std::env::var("RUBRIC_FAULTS").ok();
    let is_named = move |name: &str| {
        named.as_ref().is_none_or(|names| names.split(',').any(|one| one == name))
    };
    shown().filter(move |one| one.version == version && is_named(&one.name))
}

fn listing_of(fault: &Released) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/protocols/released");
    folder.join(format!("{}.txt", fault.name))
}

/// The path of the protocol's file in a gem5 tree.
fn file_of(gem5: &Path, protocol: &str) -> String {
    let folder = match protocol {
        "MSI" => "src/learning_gem5/part3",
        "CHI" => "src/mem/ruby/protocol/chi",
        _ => "src/mem/ruby/protocol",
    };
    gem5.join(folder).join(format!("{protocol}.slicc")).to_str().unwrap().to_owned()
}

/// A fault on a protocol in which all other faults of its version are repaired.
struct Alone {
    file: String,
    /// The arguments that repair all other faults.
    repair: Vec<String>,
    is_strict: bool,
}

/// A run that shows a fault: the command as it is printed, the length of the run, and its lines.
struct Listing {
    command: String,
    length: usize,
    lines: Vec<String>,
}

impl Alone {
    fn new(gem5: &Path, fault: &Released) -> Alone {
        let release = fault.version.trim_start_matches('v');
        let is_there = |name: &String| {
            released::of_repair(name).any(|one| one.is_in(release).unwrap_or_default())
        };
        let others = repair::of(&fault.protocol).map(|one| one.name.into_owned());
        let others: Vec<String> =
            others.filter(|name| *name != fault.repair && is_there(name)).collect();
        let repair = if others.is_empty() {
            Vec::new()
        } else {
            vec!["--repair".to_owned(), others.join(",")]
        };
        Alone {
            file: file_of(gem5, &fault.protocol),
            repair,
            is_strict: fault.see.contains(" --strict"),
        }
    }

    /// The fault with only the repairs of the table's command, for a fault that hardly shows with all other repairs.
    fn in_table(gem5: &Path, fault: &Released) -> Alone {
        let words: Vec<&str> = fault.see.split(' ').collect();
        let at = words.iter().position(|word| *word == "--repair");
        let repair = at.map_or(&[][..], |at| &words[at..at + 2]);
        let repair = repair.iter().map(|word| (*word).to_owned()).collect();
        Alone { repair, ..Alone::new(gem5, fault) }
    }

    /// The exit status and standard output of a command on the protocol.
    fn run(&self, command: &[&str], options: &[&str]) -> (i32, String) {
        let repair: Vec<&str> = self.repair.iter().map(String::as_str).collect();
        let output =
            rubric(&[command, &[&*self.file], &repair, options].concat()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// The shortest run to the fault, in the smallest system that shows it.
    fn explored(&self) -> Option<Listing> {
        SYSTEMS.iter().find_map(|system| self.explored_in(system, Some(STATES)))
    }

    /// The shortest run to the fault in a system, found within so many states.
    fn explored_in(&self, system: &[&str], states: Option<&str>) -> Option<Listing> {
        let strict: &[&str] = if self.is_strict { &["--strict"] } else { &[] };
        let states = states.map(|states| ["--max-states", states]);
        let states = states.as_ref().map_or(&[][..], |option| option);
        let options = [system, strict, states, &["--format", "json", "--quiet"]].concat();
        let (status, text) = self.run(&["explore", "protocol"], &options);
        if status != 1 {
            return None;
        }
        let found: Value = serde_json::from_str(&text).unwrap();
        let steps = found["found"]["steps"].as_array().unwrap();
        let mut lines = vec![found["found"]["what"].as_str().unwrap().to_owned()];
        for (at, step) in steps.iter().enumerate() {
            lines.push(format!("{:3}  {}", at + 1, step["happens"].as_str().unwrap()));
            let effects = step["effects"].as_array().unwrap().iter();
            lines.extend(effects.map(|one| format!("       {}", one.as_str().unwrap())));
        }
        let command = [&["explore", "protocol", "FILE"], system, strict].concat().join(" ");
        Some(Listing { command, length: steps.len(), lines })
    }

    /// The shortest run to the fault in the system that the table names, if it names one, within any number of states.
    fn explored_as_named(&self, fault: &Released) -> Option<Listing> {
        fault.see.strip_prefix("rubric explore protocol ")?;
        let system = options_of(fault.see.strip_prefix("rubric ")?);
        let system: Vec<&str> = system.iter().map(String::as_str).collect();
        self.explored_in(&system, None)
    }

    /// The smallest part of the shortest of some random runs like the one that the table names.
    fn simulated(&self, fault: &Released, seeds: u64) -> Option<Listing> {
        let options = options_of(&fault.see);
        let at = options.iter().position(|one| one == "--recipe" || one == "--seed").unwrap();
        // The requests of a recipe besides its accesses, such as those of DMA devices, follow the seed.
        let (first, extras) =
            options[at + 1].split_at(options[at + 1].find('+').unwrap_or(options[at + 1].len()));
        let first: u64 = first.parse().unwrap();
        let listings = (first..first + seeds).filter_map(|seed| {
            let mut options = options.clone();
            options[at + 1] = format!("{seed}{extras}");
            self.one_run(&options)
        });
        listings.min_by_key(|one| one.length)
    }

    fn one_run(&self, options: &[String]) -> Option<Listing> {
        let folder = Folder::new();
        let saved = folder.path("run.json");
        let mut all: Vec<&str> = options.iter().map(String::as_str).collect();
        let command = format!("simulate FILE {}", all.join(" "));
        all.extend(["--quiet", "--runs", "1", "--format", "json", "--save", &saved]);
        let (status, text) = self.run(&["simulate"], &all);
        if status != 1 {
            return None;
        }
        let result: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        if let Some(failed) = result["first_faults"].get(0) {
            let mut lines = vec![failed["message"].as_str().unwrap().to_owned()];
            let recent = failed["recent"].as_array().unwrap().iter();
            lines.extend(recent.map(|one| format!("  {}", one.as_str().unwrap())));
            return Some(Listing { command, length: lines.len(), lines });
        }
        let models = result["first_violations"][0]["models"].as_array()?;
        let model = models.last()?.as_str().unwrap();
        let shrink = ["shrink", &saved, "--model", model, "--quiet", "--format", "json"];
        let text = rubric(&shrink).output().unwrap().stdout;
        let shrunk: Value = serde_json::from_slice(&text).unwrap();
        let operations = shrunk["shrunk"]["operations"].as_array().unwrap();
        let mut lines =
            vec![format!("violates {}; what is left of the run:", model.to_uppercase())];
        lines.extend(operations.iter().map(operation));
        Some(Listing { command, length: operations.len(), lines })
    }
}

/// An operation on a line: its thread and number, and the values that it reads and writes.
fn operation(one: &Value) -> String {
    let value = |key: &str, sign: &str| {
        one[key].as_u64().map_or(String::new(), |value| format!(" {sign} {value:#x}"))
    };
    format!(
        "{}:{:<3} {}{}{}{}",
        one["thread"],
        one["index"].to_string(),
        one["kind"].as_str().unwrap(),
        one["address"].as_u64().map_or(String::new(), |address| format!(" {address:#x}")),
        value("read", "=="),
        value("written", ":=")
    )
}

/// The options of the table's command, without the protocol, the repairs and the text in brackets.
fn options_of(see: &str) -> Vec<String> {
    let command = see.split(" (").next().unwrap_or(see);
    let mut words = command.split(' ').skip(3).map(str::to_owned);
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        if word == "--repair" {
            words.next();
        } else {
            options.push(word);
        }
    }
    options
}

/// Whether an exploration may show a fault: it has no cores that load early, no store buffers, no
/// read-modify-writes, no DMA devices, no flushes, no TLB invalidations and no prefetches.
fn is_explored(fault: &Released) -> bool {
    let is_plain = fault.see.contains(" --client in-order") && !fault.see.contains(" --linked");
    let asks_more =
        ["+dma", "+flush", "+dvm", "_prefetch=true"].iter().any(|one| fault.see.contains(one));
    !asks_more && (is_plain || fault.see.contains(" --strict"))
}

/// The folder with gem5's files, if it is given.
fn gem5() -> Option<PathBuf> {
    let folder = std::env::var_os("RUBRIC_GEM5").map(PathBuf::from);
    if folder.is_none() {
        std::io::stdout().write_all(b"skipped: there is no RUBRIC_GEM5\n").unwrap();
    }
    folder
}

/// Runs of released protocols that take all transitions that gem5 took (`fixtures/protocols/coverage`). gem5's own runs of
/// MOESI_AMD_Base had large caches, because the released protocol soon fails with small ones.
const RUNS: [(&str, &[&str]); 4] = [
    ("MI_example", &["--runs", "60"]),
    ("MESI_Two_Level", &["--runs", "60"]),
    ("MOESI_hammer", &["--runs", "60"]),
    (
        "MOESI_AMD_Base",
        &[
            "--runs",
            "40",
            "--threads",
            "8",
            "--locations",
            "8",
            "--operations",
            "200",
            "--cache-size",
            "default",
        ],
    ),
];

/// The transitions in a table of coverage, without the counts.
fn transitions(csv: &str) -> BTreeSet<String> {
    let rows = csv.lines().skip(1);
    rows.filter_map(|row| row.rsplit_once(',')).map(|(row, _)| row.to_owned()).collect()
}

#[test]
#[ignore = "needs gem5's protocols in the folder that RUBRIC_GEM5 names"]
fn every_transition_that_gem5_took_is_taken() {
    let Some(gem5) = gem5() else { return };
    let coverage = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/protocols/coverage");
    for (protocol, runs) in RUNS {
        let folder = Folder::new();
        let csv = folder.path("coverage.csv");
        let file = file_of(&gem5, protocol);
        let options = ["--client", "in-order,early", "--quiet", "--coverage", &csv];
        rubric(&[&["simulate", &*file], runs, &options].concat()).output().unwrap();
        let ours = transitions(&fs::read_to_string(&csv).unwrap());
        let theirs = fs::read_to_string(coverage.join(format!("{protocol}.csv"))).unwrap();
        let theirs = transitions(&theirs);
        assert!(theirs.len() > 20, "{protocol}");
        assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), [""; 0], "{protocol}");
    }
}

#[test]
#[ignore = "needs gem5's protocols in the folder that RUBRIC_GEM5 names"]
fn listings_are_those_of_gem5s_files() {
    let Some(gem5) = gem5() else { return };
    for fault in shown_in_given() {
        let alone = Alone::new(&gem5, fault);
        let named = alone.explored_as_named(fault);
        let explored = named.or_else(|| if is_explored(fault) { alone.explored() } else { None });
        let listing = explored.or_else(|| alone.simulated(fault, SEEDS));
        let listing = listing.or_else(|| Alone::in_table(&gem5, fault).simulated(fault, 1));
        let listing = listing.unwrap_or_else(|| panic!("{}: nothing shows it", fault.name));
        let text = format!("rubric {}\n{}\n", listing.command, listing.lines.join("\n"));
        let path = listing_of(fault);
        if std::env::var_os("RUBRIC_DRAW").is_some() {
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{}", fault.name);
    }
}

/// Without `--strict`, an exploration goes on after a mistake that gem5 accepts, and says which known fault it is.
#[test]
#[ignore = "needs gem5's protocols in the folder that RUBRIC_GEM5 names"]
fn a_warning_is_explained() {
    let Some(gem5) = gem5() else { return };
    let file = file_of(&gem5, "MOESI_CMP_directory");
    let options = ["--locations=2", "--tiny", "--max-states=2200K", "--quiet", "--format=json"];
    let explored =
        rubric(&[&["explore", "protocol", &*file], &options[..]].concat()).output().unwrap();
    let line: Value = serde_json::from_slice(&explored.stdout).unwrap();
    assert_eq!(line["outcome"], "stopped");
    assert_eq!(line["warnings"][0]["known"], serde_json::json!(["mcd-l2-removefromdir-spurious"]));
}

#[test]
fn every_fault_that_a_run_shows_has_a_listing() {
    for fault in shown() {
        let text = fs::read_to_string(listing_of(fault)).unwrap_or_default();
        assert!(text.starts_with("rubric ") && text.lines().count() >= 3, "{}", fault.name);
    }
}
