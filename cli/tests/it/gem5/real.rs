//! The plug-in in gem5 itself: its logs against gem5's own text traces of the same runs.
//!
//! ```text
//! RUBRIC_GEM5_BINARY=path/to/build/NULL_MI_example/gem5.opt cargo test --workspace --test it gem5::real -- --ignored
//! ```
//!
//! The binary is built with the folder `gem5` as `EXTRAS`. Where it does not lie in its source tree, `RUBRIC_GEM5` names the tree.

use std::env;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{json, operations, root};
use crate::common::{Folder, output, output_of};

/// Number of programs, each of which is a run of gem5 that is compared.
const PROGRAMS: u32 = 100;

/// gem5 with the plug-in, if there is one.
fn binary() -> Option<PathBuf> {
    let binary = env::var_os("RUBRIC_GEM5_BINARY").map(PathBuf::from);
    if binary.is_none() {
        std::io::stdout().write_all(b"skipped: there is no RUBRIC_GEM5_BINARY\n").unwrap();
    }
    binary
}

/// An operation that both sides show: thread, kind, address, what it read and wrote, when it was issued and performed.
type Shown = (u64, String, Option<u64>, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

fn shown(operation: &Value, kind: &str, later: u64) -> Shown {
    let number = |key: &str| operation[key].as_u64();
    let completed = number("completed").map(|tick| tick - later);
    let thread = number("thread").unwrap();
    let (read, written) = (number("read"), number("written"));
    (thread, kind.to_owned(), number("address"), read, written, number("issued"), completed)
}

/// The operations of a log. A core has its response a tick after Ruby has performed the request.
fn logged(history: &Value) -> Vec<Shown> {
    let all = operations(history).iter();
    all.map(|operation| shown(operation, operation["kind"].as_str().unwrap(), 1)).collect()
}

/// The operations that Ruby's lines show, with each load-linked and the store-conditional that succeeds as one. The read of a
/// pair whose store-conditional failed is no operation of the program.
fn traced(history: &Value) -> Vec<Shown> {
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
    all
}

#[test]
#[ignore = "needs a gem5 with the plug-in in RUBRIC_GEM5_BINARY"]
fn logs_agree_with_traces() {
    let Some(binary) = binary() else { return };
    for seed in 1..=PROGRAMS {
        let folder = Folder::new();
        let seed = seed.to_string();
        let linked = ["0", "100"][usize::from(seed.ends_with(['1', '3', '5', '7', '9']))];
        let options = ["--rmws", "10", "--linked", linked, "--locations", "6", "--seed", &seed];
        let program = output(&[&["generate", "program", "MI_example"], &options[..]].concat());
        let file = folder.file("program.txt", &program);
        let m5out = folder.path("m5out");
        let mut gem5 = Command::new(&binary);
        gem5.args(["-q", "-d", &m5out, "--debug-file=trace.gz"]);
        gem5.arg("--debug-flags=ProtocolTrace,RubySequencer,RubyPort");
        gem5.arg(root().join("gem5/rubric.py"));
        gem5.args(["--program", &file, "--log", "rubric.log", "--delay-seed", &seed]);
        let ended = gem5.output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let log = format!("{m5out}/rubric.log");
        let (ours, theirs) = (json(&log), json(&format!("{m5out}/trace.gz")));
        assert_eq!(logged(&ours[0]), traced(&theirs[0]), "seed {seed}");
        output_of(&["check", "--model", "sc", &log], 0);
    }
}
