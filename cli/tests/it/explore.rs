//! `rubric explore protocol`.

use crate::common::{Folder, edited_mi_example, error, output, output_of, rubric};
use serde_json::Value;

/// `rubric explore protocol` with these arguments.
fn explore<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["explore", "protocol"];
    all.extend(arguments);
    all
}

fn json(arguments: &[&str], status: i32) -> Vec<Value> {
    let mut all = explore(arguments);
    all.extend(["--format", "json"]);
    let text = output_of(&all, status);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A size at which mutants of MI_example show their faults.
const TINY: [&str; 3] = ["--locations", "2", "--tiny"];

#[test]
fn a_protocol_is_explored() {
    let text = output(&explore(&["MI_example"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "MI_example: 2 threads, 1 location");
    assert!(lines[1].starts_with("  nothing found: "), "{text}");
    assert_eq!(lines[2], "  in all runs of loads and stores of one word a line");
    assert!(lines[3].ends_with("; starvation: --fair"), "{text}");
    assert!(lines[4].starts_with("  242 states, 543 moves, depth 18; "), "{text}");
    assert!(lines[4].contains(" states/s, "), "{text}");
    let names = "of states that differ only in their names, one was explored";
    assert_eq!(lines[5], format!("  symmetry: cores ({names})"));
    assert!(
        lines[6].starts_with("  partial order: memory performs each request at once ("),
        "{text}"
    );
    assert!(lines[7].starts_with("  coverage "), "{text}");
    assert!(lines[7].ends_with(" % of the table's 82)"), "{text}");
    assert_eq!(lines.len(), 8);
    let text = output(&explore(&["MI_example", "--symmetry", "off", "--partial-order", "off"]));
    assert!(text.contains("  501 states, 1114 moves, depth 19; "), "{text}");
    assert!(!text.contains("symmetry") && !text.contains("partial order"), "{text}");
}

/// A queue that leaves out runs is named, with the option for more, and repeated by the command.
#[test]
fn a_short_queue_of_memory_is_said() {
    let hammer = ["MOESI_hammer", "--memory-queue", "0"];
    let text = output(&explore(&hammer));
    assert!(text.contains("at most 0 messages between a directory and memory"), "{text}");
    assert!(text.contains("more: --memory-queue 1"), "{text}");
    let command = json(&hammer, 0)[0]["command"].to_string();
    assert!(command.contains("--memory-queue 0"), "{command}");
    let usual = output(&explore(&["MOESI_hammer"]));
    assert!(!usual.contains("between a directory and memory"), "{usual}");
}

#[test]
fn a_file_is_a_protocol_too() {
    let path = "fixtures/protocols/MI_example.slicc";
    let lines = json(&[path, "MOESI_hammer"], 0);
    assert_eq!(lines[0]["protocol"], path);
    assert_eq!(lines[0]["states"], 242);
    assert_eq!(lines[0]["partial_order"], "on");
    assert_eq!(lines[0]["symmetries"], serde_json::json!(["cores"]));
    assert_eq!(lines[0]["asymmetries"], serde_json::json!([]));
    assert_eq!(lines[1]["protocol"], "MOESI_hammer");
    for line in lines {
        assert_eq!(line["outcome"], "clean");
        assert_eq!(line["open"], 0);
        assert_eq!(line["found"], Value::Null);
    }
}

#[test]
fn a_fault_is_shown_with_its_run_and_its_place() {
    let mut arguments = vec!["MI_example", "--mutant", "mi-l1-nack-before-forward"];
    arguments.extend(TINY);
    let text = output_of(&explore(&arguments), 1);
    for part in [
        "MI_example with mi-l1-nack-before-forward: 2 threads, 2 locations, one line a cache\n",
        "  found: Invalid transition: L1Cache 0 addr: 0x0 event: Writeback_Nack state: MI\n",
        "    at MI_example-cache.sm:",
        "  a shortest run, of 10 moves (shortest apart from those of memory):\n",
        "      7  core 0 loads line 1\n           L1Cache-0: M Replacement -> MI (line 0)\n",
        "      9  PUTX for line 0 from L1Cache-0 reaches Directory-0\n",
        "           Directory-0 sends WB_NACK for line 0 to L1Cache-0\n",
        "     10  WB_NACK for line 0 from Directory-0 reaches L1Cache-0\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    let line = &json(&arguments, 1)[0];
    let command = line["command"].as_str().unwrap();
    let expected = "rubric explore protocol MI_example --locations 2 --tiny --mutant mi-l1-nack-before-forward";
    assert_eq!(command, expected);
    assert!(text.contains(&format!("\n  reproduce with: {command}\n")), "{text}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert!(output_of(&words, 1).contains(" Writeback_Nack state: MI\n"));
    assert_eq!(line["mutant"], "mi-l1-nack-before-forward");
    assert_eq!(line["outcome"], "found");
    let found = &line["found"];
    assert_eq!(found["kind"], "fault");
    assert_eq!(found["fault"]["kind"], "invalid transition");
    assert!(found["fault"]["line"].as_u64().unwrap() > 1);
    assert_eq!(found["steps"].as_array().unwrap().len(), 10);
    let effects = &found["steps"][0]["effects"];
    assert_eq!(effects[0], "L1Cache-0: I Load -> IS (line 0)");
}

#[test]
fn a_limit_leaves_it_undecided() {
    let text = output_of(&explore(&["MI_example", "--max-states", "100"]), 3);
    assert!(
        text.contains("undecided: the limit of states came first. Nothing found so far"),
        "{text}"
    );
    for (limit, value, why) in [
        ("--max-states", "100", "states"),
        ("--timeout", "0", "time"),
        ("--max-memory", "1kB", "memory"),
    ] {
        let line = &json(&["MI_example", "--locations", "2", limit, value], 3)[0];
        assert_eq!(line["outcome"], "stopped", "{limit}");
        assert_eq!(line["stopped"], why);
        assert!(line["open"].as_u64().unwrap() > 0);
    }
}

#[test]
fn mutants_are_a_table() {
    let mut arguments = vec!["MI_example", "--mutants", "--max-states", "20K"];
    arguments.extend(TINY);
    let text = output_of(&explore(&arguments), 1);
    let row = |name: &str| {
        let row = text.lines().find(|line| line.starts_with(name));
        row.unwrap_or_else(|| panic!("{name} is not in\n{text}"))
    };
    assert!(row("mi-l1-nack-before-forward").contains("Invalid transition"));
    assert!(row("mi-dir-putx-not-written").contains("stale value"));
    assert!(row("mi-l1-replace-no-notify").contains("undecided"));
    // The line after a finding is the command that reproduces it.
    let is_command = |line: &&str| line.starts_with("    rubric explore protocol MI_example ");
    let commands: Vec<&str> = text.lines().filter(is_command).collect();
    assert_eq!(commands.len(), 2, "{text}");
    assert!(commands[0].ends_with("--locations 2 --tiny --mutant mi-l1-nack-before-forward"));
    let lines = json(&["MI_example", "--mutants"], 0);
    assert_eq!(lines.len(), text.lines().count() - 3 - commands.len());
}

#[test]
fn explorations_of_mutants_are_resumed() {
    let folder = Folder::new();
    let stored = folder.path("stored");
    let all = |further: &[&str]| {
        let mut arguments = vec!["MI_example", "--mutants", "-o", &stored];
        arguments.extend(further);
        output_of(&explore(&arguments), 0)
    };
    assert!(
        all(&["--shard", "2/2"])
            .contains("7 mutants: 0 found, 7 without a finding (5 of them change what no run of this size comes to), 0 undecided\n")
    );
    let journal = format!("{stored}/explorations.jsonl");
    let first = all(&[]);
    let row = |name: &str| first.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let unreached = "  nothing: no run that was looked at comes to what the mutant changes";
    assert!(row("mi-dir-dma-write-offset").ends_with(unreached), "{first}");
    assert!(row("mi-dir-fetch-without-tbe").ends_with("  nothing"), "{first}");
    // The mutant changes the code of a port, which is no transition.
    assert!(row("mi-l1-evict-locked-line").ends_with(", but it changes more"), "{first}");
    let counts = "15 mutants: 0 found, 15 without a finding (10 of them change what no run of this size comes to, 1 of them may do so, which is not known), 0 undecided\n";
    let hint = "what these change may need other runs: --locations 2, --tiny, --dma 1, --also\n";
    assert!(first.ends_with(&format!("{counts}{hint}")), "{first}");
    // The report of the folder is the same table, however its shards were made.
    let report = output(&["report", &stored]);
    assert!(
        report.starts_with("rubric explore protocol MI_example\n") && report.ends_with(counts),
        "{report}"
    );
    assert_eq!(report.lines().count() + 1, first.lines().count());
    let page = error(&["report", &stored, "-o", "page.html"]);
    assert!(page.contains("has explorations of mutants, of which there is a table only"), "{page}");
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 8, "the others are the shard's");
    // The process is killed in the middle of a line. The times show that only this exploration is repeated.
    let marked = text.replace("\"seconds\":0.", "\"seconds\":77.");
    let kept = marked.lines().count() - 1;
    let end = marked.trim_end().rfind('\n').unwrap() + 50;
    std::fs::write(&journal, &marked[..end]).unwrap();
    let again = all(&[]);
    assert_eq!(again.lines().filter(|line| line.contains("     77.")).count(), kept, "{again}");
    assert_eq!(std::fs::read_to_string(&journal).unwrap().lines().count(), kept + 1);
    // An exploration that a limit stopped is repeated with another limit.
    let stopped = folder.path("stopped");
    let limited = |most: &str, status: i32| {
        let arguments = ["MI_example", "--mutants=mi-dir-putx-not-written", "-o", &stopped];
        let arguments = [&arguments[..], &["--max-states", most]].concat();
        output_of(&explore(&arguments), status)
    };
    assert!(
        limited("20", 3)
            .contains("undecided, the limit of states came first: no run that was looked at comes")
    );
    assert!(limited("2000", 0).contains("  nothing: no run that was looked at"));
    assert!(limited("20", 0).contains("  nothing: no run that was looked at"));
    let journal = format!("{stopped}/explorations.jsonl");
    assert_eq!(std::fs::read_to_string(&journal).unwrap().lines().count(), 2);
}

#[test]
fn made_mutants_are_sampled_as_in_campaigns() {
    let made = ["MI_example", "--mutants=made", "--operator", "drop-action", "--sample", "6"];
    let text = output_of(&explore(&made), 1);
    assert_eq!(text.lines().filter(|line| line.starts_with("MI_example/")).count(), 6, "{text}");
    let wrong = error(&explore(&["MI_example", "--mutants", "--sample", "6"]));
    assert!(wrong.contains("add `made` to --mutants"), "{wrong}");
    let wrong = error(&explore(&["MI_example", "--shard", "1/2"]));
    assert!(wrong.contains("--mutants"), "{wrong}");
}

#[test]
fn what_no_run_takes_is_listed() {
    let arguments = ["MI_example", "--unreached"];
    let text = output(&explore(&arguments));
    let heading = "transitions of the table that no run of this size takes (partial order is off, stalls are left out):\n";
    assert!(text.contains(heading), "{text}");
    assert!(text.contains("    Directory I DMA_READ                      needs DMA\n"), "{text}");
    let replacement =
        "    L1Cache M Replacement                     event Replacement does not come up\n";
    assert!(text.contains(replacement), "{text}");
    assert!(
        text.ends_with(
            "  runs of other sizes may take them: --locations 2, --tiny, --dma 1, --also\n"
        ),
        "{text}"
    );
    let line = &json(&arguments, 0)[0];
    let rest = &line["unreached"];
    assert_eq!((&rest["proved"], &line["partial_order"]), (&true.into(), &"off".into()));
    let coverage = &line["coverage"];
    let count = |key: &str| coverage[key].as_u64().unwrap();
    let listed = rest["transitions"].as_array().unwrap();
    assert_eq!(listed.len() as u64, count("table") - count("reached"));
    let limited = &json(&["MI_example", "--unreached", "--max-states", "50"], 3)[0];
    assert_eq!(limited["unreached"]["proved"], false);
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let folder = Folder::new();
    let broken = folder.file("p.slicc", "protocol \"P\";\nmachine(");
    let silent =
        folder.file("q.slicc", "protocol \"Q\";\ninclude \"RubySlicc_interfaces.slicc\";\n");
    for (arguments, part) in [
        (vec!["MI_exampel"], "MI_exampel"),
        (vec!["none.slicc"], "none.slicc"),
        (vec![&*broken], "p.slicc"),
        (vec![&*silent], "q.slicc"),
        (vec!["MI_example", "--set", "L1Cache.colour=3"], "colour"),
        (vec!["all", "--mutant", "mi-dir-putx-not-written"], "--mutant"),
        (vec!["MI_example", "--mutant", "no-such"], "no-such"),
        (
            vec!["fixtures/protocols/MOESI_AMD_Base.slicc", "--mutant", "mi-l1-evict-locked-line"],
            "is the protocol MOESI_AMD_Base",
        ),
    ] {
        let message = error(&explore(&arguments));
        assert!(message.contains(part), "{message}");
    }
    for usage in
        [vec!["MI_example", "--threads", "0"], vec!["MI_example", "--locations", "99"], vec![]]
    {
        output_of(&explore(&usage), 2);
    }
}

#[test]
fn nice_cycles_are_looked_for() {
    let text = output(&explore(&["MI_example", "--nice-cycles"]));
    assert_eq!(text.matches(", L1: no cycle; ").count(), 2, "{text}");
    assert!(text.contains("every run is SC"), "{text}");
    let several = ["explore", "protocol", "MI_example", "--nice-cycles", "--requests", "2"];
    assert!(error(&several).contains("cannot be used with"));
    let fault = "MI_example/L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done";
    let arguments = ["MI_example", "--mutant", fault, "--nice-cycles"];
    let text = output_of(&explore(&arguments), 1);
    assert!(text.contains("found: stale value"), "{text}");
    assert!(text.contains("k = 1: P1, L1: a cycle; "), "{text}");
    assert!(text.contains(" -L1-> "), "{text}");
    let searches = &json(&arguments, 1)[0]["searches"];
    assert_eq!(searches.as_array().unwrap().len(), 2);
    assert!(searches[0]["cycle"].is_string());
}

#[test]
fn a_finding_is_drawn() {
    let folder = Folder::new();
    let draw = |name: &str| {
        let path = folder.path(name);
        let mutant = ["--mutant", "mi-l1-nack-before-forward", "-o", &path];
        let text = output_of(&explore(&[&["MI_example"], &TINY[..], &mutant].concat()), 1);
        assert!(text.contains(&format!("  written: {path}\n")), "{text}");
        std::fs::read_to_string(path).unwrap()
    };
    insta::assert_snapshot!(draw("run.txt"));
    let svg = draw("run.svg");
    assert!(svg.contains(">WB_NACK") || svg.contains("RequestMsg WB_NACK for line 0"), "{svg}");
    assert!(draw("run.html").contains("Who sends what to whom"));
    let clean = folder.path("clean.svg");
    let text = output(&explore(&["MI_example", "-o", &clean]));
    assert!(text.ends_with(&format!("  nothing to draw: {clean} was not written\n")), "{text}");
    assert!(!std::path::Path::new(&clean).exists());
    let wrong = error(&explore(&["MI_example", "-o", "run.dot"]));
    assert!(wrong.contains("ends in .svg, .html or .txt"), "{wrong}");
}

#[test]
fn fingerprints_prove_nothing() {
    let text = output_of(&explore(&["MI_example", "--store", "compact"]), 3);
    assert!(
        text.contains("  undecided: nothing found among states with different fingerprints"),
        "{text}"
    );
    assert!(text.contains("with a probability of at most 1.6e-15"), "{text}");
    let line = &json(&["MI_example", "--store", "compact", "--jobs", "2"], 3)[0];
    assert_eq!((&line["outcome"], &line["states"]), (&"unproved".into(), &242.into()));
    assert!(line["missed"].as_f64().unwrap() < 1e-14);
    assert_eq!(line["command"], "rubric explore protocol MI_example --store compact");
    let mut arguments =
        vec!["MI_example", "--mutant", "mi-l1-nack-before-forward", "--store", "compact"];
    arguments.extend(TINY);
    let line = &json(&arguments, 1)[0];
    assert_eq!(line["found"]["kind"], "fault");
    assert_eq!(line["found"]["steps"].as_array().unwrap().len(), 10);
}

#[test]
fn requests_beside_loads_and_stores_are_named() {
    let mutant = ["--mutant", "mesi2-l1-is-inv-no-notify"];
    let arguments = [&["MESI_Two_Level", "--also", "early,early"][..], &mutant].concat();
    let text = output_of(&explore(&arguments), 1);
    for part in [
        "MESI_Two_Level with mesi2-l1-is-inv-no-notify: 2 threads, 1 location, also early\n",
        "  found: missed invalidation: core ",
        " loads line 0 early\n",
        " uses the value of line 0 that it loaded early\n",
        "reproduce with: rubric explore protocol MESI_Two_Level --also early --mutant ",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    let lines = json(&["MI_example", "--also", "linked", "--dma", "1", "--max-states", "500"], 3);
    assert_eq!(lines[0]["also"], serde_json::json!(["linked"]));
    assert_eq!((&lines[0]["dma"], &lines[0]["outcome"]), (&1.into(), &"stopped".into()));
    let refused = error(&explore(&["MI_example", "--also", "flush"]));
    assert!(refused.contains("the protocol does not handle flushes"), "{refused}");
}

#[test]
fn starvation_is_looked_for() {
    let text = output(&explore(&["MI_example", "--fair"]));
    assert!(text.contains("  no starvation: in every fair run each request completes (501 states"));
    let lines = json(&["MI_example", "--fair"], 0);
    assert_eq!(lines[0]["fair"]["outcome"], "clean");
    // This directory recycles a core's request whenever a write of the device is under way. The request keeps its sender.
    let folder = Folder::new();
    let (stalls, recycles) = (
        "stall_and_wait(request_in, address);",
        "request_in.recycle(clockEdge(), cyclesToTicks(recycle_latency));",
    );
    let file = edited_mi_example(folder.0.path(), "MI_example-dir.sm", stalls, recycles);
    let text = output_of(&explore(&[&file, "--dma", "1", "--fair"]), 1);
    let (_, cycle) = text.split_once("  and then, for ever, ").expect("a request starves");
    assert!(cycle.contains("  GETX for line 0 from L1Cache-0 reaches Directory-0\n"), "{cycle}");
    assert!(cycle.contains("  Directory-0 puts GETX for line 0 back\n"), "{cycle}");
}

#[test]
fn a_deadlock_says_what_waits() {
    let mutant = ["--mutant", "hammer-l1-ss-no-wakeup"];
    let arguments = [&["MOESI_hammer"][..], &TINY, &mutant].concat();
    let text = output_of(&explore(&arguments), 1);
    let (_, waits) = text.split_once("  what waits then:\n").expect("it is a deadlock");
    assert!(waits.contains(" and waits for L1Cache-"), "{waits}");
}

/// A request that a directory puts back for ever has arrived, but is never completed. The chart says so as well.
#[test]
fn what_is_put_back_for_ever_is_a_deadlock() {
    let folder = Folder::new();
    let (forwards, recycles) = (
        "transition(M, GETX) {forward_to_owner, set_owner, pop_request}",
        "action(put_back, \"pb\", desc=\"Not now\") {\n    \
         request_in.recycle(clockEdge(), cyclesToTicks(recycle_latency));\n  }\n  transition(M, GETX) {put_back}",
    );
    let file = edited_mi_example(folder.0.path(), "MI_example-dir.sm", forwards, recycles);
    let chart = folder.path("run.txt");
    let text = output_of(&explore(&[&file, "-o", &chart]), 1);
    let waits =
        "GETX for line 0 (for a request of L1Cache-1) is put back by Directory-0 when it arrives\n";
    assert!(
        text.contains("  found: deadlock: core 1 is waiting, and nothing that a controller can do"),
        "{text}"
    );
    assert!(text.contains(waits), "{text}");
    assert!(std::fs::read_to_string(chart).unwrap().contains(waits));
}

/// The printed lines without times and memory.
fn timeless(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split(';').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn an_interrupted_exploration_says_how_far_it_came() {
    let folder = Folder::new();
    let disk = folder.path("disk");
    let exploration = ["MESI_Two_Level", "--threads=4", "--quiet", "--disk", &disk];
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(explore(&exploration))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let manifest = std::path::Path::new(&disk).join("exploration.json");
    while !manifest.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mut interrupt = std::process::Command::new("kill");
    assert!(interrupt.args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let printed = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{printed}");
    assert!(printed.contains("undecided: it was interrupted. Nothing found so far"), "{printed}");
}

#[test]
fn a_killed_exploration_goes_on() {
    let folder = Folder::new();
    let disk = folder.path("disk");
    let exploration = ["MESI_Two_Level", "--locations=2", "--tiny", "--quiet"];
    let disk_option = ["--max-states=2M", "--disk", &disk];
    let killed = [&explore(&exploration)[..], &disk_option].concat();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(&killed)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let manifest = std::path::Path::new(&disk).join("exploration.json");
    while !manifest.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Only one process at a time may use the folder.
    let lock = std::fs::File::create(manifest.with_file_name("lock")).unwrap();
    lock.lock().unwrap();
    let busy = error(&killed);
    assert!(busy.contains("disk: another process is using it"), "{busy}");
    drop(lock);
    let left = std::fs::read_to_string(&manifest).unwrap();
    let left: Value = serde_json::from_str(&left).unwrap();
    let further = format!("--max-states={}", left["states"].as_u64().unwrap() + 10_000);
    let limited = [&explore(&exploration)[..], &[&further]].concat();
    let resumed = output_of(&[&limited[..], &["--disk", &disk]].concat(), 3);
    assert_eq!(timeless(&resumed), timeless(&output_of(&limited, 3)));
    let mut told =
        rubric(&[&explore(&exploration[..3])[..], &[&further, "--disk", &disk]].concat());
    let told = String::from_utf8(told.assert().code(3).get_output().stderr.clone()).unwrap();
    assert!(
        told.starts_with("rubric: resumed from ") && told.contains(" states, depth "),
        "{told}"
    );

    let other = error(&[&explore(&["MI_example", "--quiet"])[..], &["--disk", &disk]].concat());
    assert!(other.contains("has the states of another exploration"), "{other}");
    assert!(
        other.contains("rubric explore protocol MESI_Two_Level --locations 2 --tiny"),
        "{other}"
    );
    let both = error(&[&killed[..], &["--store=compact"]].concat());
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn seconds_of_a_resumed_exploration_are_those_of_all_parts() {
    let folder = Folder::new();
    let (file, disk) = (folder.path("sizes.jsonl"), folder.path("states"));
    let arguments = [
        "explore",
        "sizes",
        "MI_example",
        "--quiet",
        "--sizes=2x2-tiny",
        "-o",
        &file,
        "--disk",
        &disk,
    ];
    let row = || -> Value {
        let rows = std::fs::read_to_string(&file).unwrap();
        serde_json::from_str(rows.lines().last().unwrap()).unwrap()
    };
    output(&[&arguments[..], &["--max-states=300"]].concat());
    let mut stopped = row();
    assert_eq!(stopped["outcome"], "stopped");
    stopped["seconds"] = 1000.0.into();
    std::fs::write(&file, format!("{stopped}\n")).unwrap();
    output(&arguments);
    let whole = row();
    assert_eq!(whole["outcome"], "clean");
    assert!(whole["seconds"].as_f64().unwrap() > 1000.0, "{whole}");
}

#[test]
fn sizes_are_a_table_that_goes_on() {
    let folder = Folder::new();
    let file = folder.path("sizes.jsonl");
    let sizes = |arguments: &[&str]| {
        let all = [&["explore", "sizes", "MI_example", "--quiet", "-o", &file], arguments].concat();
        output(&all)
    };
    let first = sizes(&["--sizes=2x1,2x2-tiny", "--max-states=300"]);
    assert!(first.contains("nothing found") && first.contains("undecided"), "{first}");
    let again = sizes(&["--sizes=2x1,2x2-tiny", "--max-states=300"]);
    assert_eq!(first, again, "nothing is explored again");
    let more = sizes(&["--sizes=2x2-tiny"]);
    assert!(!more.contains("undecided") && more.contains("nothing found"), "{more}");
    let rows = std::fs::read_to_string(&file).unwrap();
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let outcomes: Vec<&str> = rows.iter().map(|row| row["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["clean", "stopped", "clean"]);
    let told =
        rubric(&["explore", "sizes", "MI_example", "--sizes=2x1", "-o", &file]).output().unwrap();
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("the rows are in ") && told.contains("sizes.jsonl"), "{told}");
    let wrong = error(&["explore", "sizes", "MI_example", "--sizes=2by2"]);
    assert!(wrong.contains("`2by2` is no size"), "{wrong}");
}

/// A stale value is shown with the write that the read misses.
#[test]
fn a_wrong_value_comes_with_the_latest_write() {
    let blank = [&["MI_example", "--mutant=mi-dir-putx-not-written"][..], &TINY].concat();
    let text = output_of(&explore(&blank), 1);
    assert!(text.contains("    nobody has written line 0 in this run: "), "{text}");
    let arguments = ["MESI_Two_Level", "--also=early", "--mutant=mesi2-l1-is-inv-no-notify"];
    let text = output_of(&explore(&arguments), 1);
    assert!(text.contains("    line 0 was last written by core 0, in move "), "{text}");
    let line = &json(&arguments, 1)[0];
    let latest = line["found"]["latest"].as_str().unwrap();
    let (_, step) = latest.rsplit_once(' ').unwrap();
    let step = &line["found"]["steps"][step.parse::<usize>().unwrap() - 1];
    let effects = step["effects"].as_array().unwrap();
    assert!(effects.contains(&"core 0 has written line 0".into()), "{step}");
}

/// A message names the command that takes the option.
#[test]
fn options_of_other_commands_are_known() {
    let wrong = error(&explore(&["MI_example", "--per-line", "2"]));
    assert!(wrong.contains("'--per-line' is an option of"), "{wrong}");
    assert!(wrong.contains("'rubric simulate'"), "{wrong}");
}
