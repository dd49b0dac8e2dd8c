//! Warnings of `rubric simulate`, `explore protocol` and `campaign` about mistakes that gem5 accepts and about buffers that may
//! be ordered or not, and the effects of `--strict` and `--set BUFFER=ordered`.

use std::fs;

use crate::common::{Folder, edited_mi_example, error, output, output_of, rubric};
use serde_json::Value;

/// A protocol that uses an entry that was never allocated.
const FORGOTTEN: &str = "fixtures/ordered/Forgotten.slicc";
/// A protocol that fails if one of two buffers is not ordered.
const ORDERED: &str = "fixtures/ordered/Ordered.slicc";

/// Standard error of a run that ends with this status.
fn told(arguments: &[&str], status: i32) -> String {
    let assert = rubric(arguments).assert().code(status);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn json(arguments: &[&str], status: i32) -> Value {
    let text = output_of(arguments, status);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn an_exploration_shows_a_shortest_run_to_a_warning() {
    let explore = ["explore", "protocol", FORGOTTEN, "--threads", "1"];
    let text = output(&explore);
    for part in [
        "  nothing found: ",
        "  warning: an entry that was never allocated is used: ",
        "    at fixtures/ordered/Forgotten.slicc:",
        "    gem5 continues; --strict makes it a fault\n  a shortest run, of 4 moves (shortest apart from those of memory):\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    let line = json(&[&explore[..], &["--format", "json"]].concat(), 0);
    let warnings = line["warnings"].as_array().unwrap();
    assert_eq!((line["outcome"].as_str(), warnings.len()), (Some("clean"), 1));
    assert_eq!(warnings[0]["steps"].as_array().unwrap().len(), 4);
    assert!(warnings[0]["line"].as_u64().unwrap() > 1);
    let strict = [&explore[..], &["--strict"]].concat();
    let text = output_of(&strict, 1);
    assert!(text.contains("  found: an entry that was never allocated is used"), "{text}");
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn a_series_counts_runs_with_warnings() {
    let simulate =
        ["simulate", FORGOTTEN, "--threads", "1", "--operations", "20", "--locations", "1"];
    let series = [&simulate[..], &["--runs", "5", "--check"]].concat();
    let text = output(&series);
    assert!(
        text.contains("5 runs, the first with seed 1: warning: an entry that was never"),
        "{text}"
    );
    // The command repeats the warning.
    let (_, command) = text.split_once("--strict makes it a fault): rubric ").unwrap();
    let command: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
    let one = told(&[&command[..], &["--check"]].concat(), 0);
    assert!(one.contains("warning: an entry that was never allocated is used"), "{one}");
    let line = json(&[&series[..], &["--format", "json"]].concat(), 0);
    assert_eq!((line["warned"].as_u64(), line["faults"].as_u64()), (Some(5), Some(0)));
    let warning = &line["warnings"][0];
    assert_eq!((warning["seed"].as_u64(), warning["runs"].as_u64()), (Some(1), Some(5)));
    assert!(warning["command"].as_str().unwrap().starts_with("rubric simulate"));
    assert!(warning["file"].as_str().unwrap().ends_with("Forgotten.slicc"));
    let line = json(&[&series[..], &["--format", "json", "--strict"]].concat(), 1);
    assert_eq!((line["warned"].as_u64(), line["faults"].as_u64()), (Some(0), Some(5)));
    let command = line["first_faults"][0]["command"].as_str().unwrap();
    assert!(command.contains(" --strict"), "{command}");
}

#[test]
fn a_campaign_lists_warnings() {
    let folder = Folder::new();
    let path = folder.path("campaign");
    let campaign =
        ["campaign", FORGOTTEN, "--mutants", "none", "--runs", "3", "--client", "in-order", "-q"];
    // The protocol is not coherent, so runs with several threads also have violations, and the exit status is not checked.
    let run = |more: &[&str]| {
        let output = rubric(&[&campaign[..], more].concat()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run(&["-o", &path]);
    assert!(text.contains("Warnings: errors that gem5 accepts"), "{text}");
    assert!(
        text.contains(
            "an entry used that was never allocated at fixtures/ordered/Forgotten.slicc:"
        ),
        "{text}"
    );
    // The report from the stored table has the same warning.
    let again = rubric(&["report", &path]).output().unwrap();
    let again = String::from_utf8(again.stdout).unwrap();
    assert!(again.contains("an entry used that was never allocated"), "{again}");
    let strict = folder.path("strict");
    let text = run(&["-o", &strict, "--strict"]);
    assert!(text.contains("an entry that was never allocated is used"), "{text}");
    assert!(text.contains(" --strict --check"), "{text}");
    // A campaign is resumed only with the same options.
    let other = told(&[&campaign[..], &["-o", &path, "--strict"]].concat(), 2);
    assert!(other.contains("--strict"), "{other}");
}

#[test]
fn a_protocol_without_a_script_is_named_once() {
    let simulate = ["simulate", FORGOTTEN, "--threads", "1", "--runs", "2", "--locations", "1"];
    let text = told(&simulate, 0);
    let warning = "rubric: warning: Forgotten has no script in gem5";
    assert_eq!(text.matches(warning).count(), 1, "{text}");
    assert!(text.contains("--set L1Cache.mandatoryQueue=ordered"), "{text}");
    assert_eq!(told(&[&simulate[..], &["-q"]].concat(), 0), "");
    // With the option there is no warning.
    let text = told(&[&simulate[..], &["--set", "mandatoryQueue=unordered"]].concat(), 0);
    assert!(!text.contains("script"), "{text}");
    let explored = told(&["explore", "protocol", FORGOTTEN, "--threads", "1"], 0);
    assert_eq!(explored.matches(warning).count(), 1, "{explored}");
    for known in ["MI_example", "MESI_Two_Level"] {
        let text = told(&["simulate", known, "--runs", "1", "--operations", "5"], 0);
        assert!(!text.contains("script"), "{text}");
    }
}

#[test]
fn a_renamed_copy_has_the_buffers_of_the_original() {
    let folder = Folder::new();
    for (name, why) in [
        ("MI_example_new", "its name begins with MI_example"),
        ("Mine", "its machines and buffers have the same names as those of MI_example"),
    ] {
        for file in ["cache", "dir", "dma", "msg"] {
            let from = format!("../fixtures/protocols/MI_example-{file}.sm");
            let text = fs::read_to_string(from).unwrap();
            folder.file(&format!("MI_example-{file}.sm"), text);
        }
        let text = fs::read_to_string("../fixtures/protocols/MI_example.slicc").unwrap();
        let text = text.replace("protocol \"MI_example\"", &format!("protocol \"{name}\""));
        assert!(text.contains(name));
        let path = folder.file(&format!("{name}.slicc"), text);
        let simulate = ["simulate", &path, "--runs", "3"];
        let text = told(&simulate, 0);
        assert!(text.contains(why), "{text}");
        // The protocol runs as the original does.
        let line = |path: &str| json(&["simulate", path, "--runs", "3", "--format", "json"], 0);
        let (own, original) = (line(&path), line("MI_example"));
        for key in ["transitions", "ticks", "stalls"] {
            assert_eq!(own[key], original[key], "{name} {key}");
        }
    }
}

#[test]
fn the_order_of_a_buffer_can_be_set() {
    let simulate =
        ["simulate", ORDERED, "--threads", "1", "--runs", "20", "--locations", "1", "-q"];
    let ordered = ["--set", "notes=ordered"];
    output(&[&simulate[..], &ordered].concat());
    let text = output_of(&simulate, 1);
    assert!(text.contains("assert failure"), "{text}");
    let wire = ["--set", "bufferToL1=unordered"];
    output_of(&[&simulate[..], &ordered, &wire].concat(), 1);
    let explore = ["explore", "protocol", ORDERED, "--threads", "1", "-q"];
    let text = output(&[&explore[..], &ordered].concat());
    assert!(text.contains("nothing found"), "{text}");
    output_of(&explore, 1);
    output_of(&[&explore[..], &ordered, &wire].concat(), 1);
}

#[test]
fn a_high_rank_is_odd_but_no_error() {
    let folder = Folder::new();
    let text = fs::read_to_string(format!("../{FORGOTTEN}")).unwrap();
    let port = "in_port(requests_in, RubyRequest, mandatoryQueue";
    let path = folder.file("High.slicc", text.replace(port, &format!("{port}, rank=9")));
    let text = output(&["protocol", "check", &path]);
    assert!(text.contains("the rank 9 is not below 2, the number of in_ports"), "{text}");
    output(&["simulate", &path, "--threads", "1", "--runs", "2", "--locations", "1", "-q"]);
}

#[test]
fn a_parameter_without_a_default_can_be_set_everywhere() {
    let folder = Folder::new();
    let parameter = "Cycles issue_latency := 2;";
    let without = "Cycles issue_latency;";
    let path = edited_mi_example(folder.0.path(), "MI_example-cache.sm", parameter, without);
    let campaign = folder.path("campaign");
    let cores = ["--client", "in-order", "--runs", "2", "-q"];
    for words in [
        &["test", &path, "--no-explore"][..],
        &["diff", &path, &path, "--no-explore"],
        &["campaign", &path, "--mutants", "none", "-o", &campaign],
        &["simulate", &path],
    ] {
        let words = [words, &cores].concat();
        let refused = error(&words);
        assert!(refused.contains("no value for this Cycles"), "{words:?}: {refused}");
        output(&[&words[..], &["--set", "L1Cache.issue_latency=3"]].concat());
    }
    // A campaign goes on only with the same values.
    let other = ["campaign", &path, "--mutants", "none", "-o", &campaign];
    let refused = error(&[&other[..], &cores, &["--set", "issue_latency=4"]].concat());
    assert!(refused.contains("--set"), "{refused}");
}

#[test]
fn a_machine_that_the_system_lacks_is_named_before_the_first_run() {
    let folder = Folder::new();
    let memory = "out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory));";
    let gpu = "if (has_gpu) { out_msg.Destination.add(mapAddressToMachine(address, MachineType:TCCdir)); }";
    let path = edited_mi_example(
        folder.0.path(),
        "MI_example-cache.sm",
        memory,
        &format!("{memory} {gpu}"),
    );
    let file = folder.path("MI_example-cache.sm");
    let text = fs::read_to_string(&file).unwrap();
    let parameter = "bool send_evictions;";
    fs::write(&file, text.replace(parameter, &format!("{parameter} bool has_gpu := \"false\";")))
        .unwrap();
    let short = ["--runs", "1", "--client", "in-order"];
    let line = "sends to the machine TCCdir, of which this system has no controller";
    for words in [
        &["test", &path, "--no-explore"][..],
        &["diff", &path, "MI_example", "--no-explore"],
        &["simulate", &path],
    ] {
        let words = [words, &short].concat();
        let silent = told(&words, 0);
        assert!(!silent.contains(line), "{words:?}: {silent}");
        let with = ["--set", "has_gpu=true"];
        // The other version of a comparison has no such parameter.
        if words[0] != "diff" {
            let warned = told(&[&words[..], &with].concat(), 1);
            assert_eq!(warned.matches(line).count(), 1, "{words:?}: {warned}");
            assert!(warned.contains("MI_example-cache.sm:2"), "{warned}");
        }
    }
}

#[test]
fn requests_that_no_core_sends_are_named() {
    let folder = Folder::new();
    let from = "if (in_msg.Type == RubyRequestType:LD) {";
    let linked = "if (in_msg.Type == RubyRequestType:Load_Linked) { trigger(Event:Load, in_msg.LineAddress, entry, transit); }";
    let to = format!("{linked} else {from}");
    let path = edited_mi_example(folder.0.path(), "MI_example-cache.sm", from, &to);
    let line = "no core sends requests of type Load_Linked to L1Cache";
    let text = output(&["protocol", "check", &path]);
    assert!(text.contains(line) && text.contains("use_secondary_load_linked;` asks"), "{text}");
    let short = ["--runs", "1", "--client", "in-order"];
    let text = output(&[&["test", &path, "--no-explore"][..], &short].concat());
    assert!(text.lines().last().unwrap().contains(line), "{text}");
    let text = output(&[&["simulate", &path][..], &short].concat());
    assert!(text.contains(&format!("MI_example.slicc: {line}")), "{text}");
    // The option asks for them.
    let asked = fs::read_to_string(&path).unwrap();
    let asked = asked.replacen("\";", "\" use_secondary_load_linked;", 1);
    fs::write(&path, asked).unwrap();
    let text = output(&["protocol", "check", &path]);
    assert!(!text.contains(line), "{text}");
}
