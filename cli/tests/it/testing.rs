//! `rubric test` and `rubric diff`: findings, known findings, comparisons, and their exit status.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{
    Folder, edited_mi_example, error, interrupted, output, output_of, rubric, with_fault,
};
use serde_json::Value;

/// Options of a short test of cores that load early.
const SHORT: [&str; 5] = ["--runs", "20", "--client", "early", "--no-explore"];

/// MI_example with a cache that does not tell its core of a line that it replaces.
fn forgetful(folder: &Folder) -> String {
    let row = "transition(M, Replacement, MI) {take_tbe, keep_copy, put_block, tell_core_of_loss,";
    let silent = row.replace(", tell_core_of_loss", "");
    edited_mi_example(folder.0.path(), "MI_example-cache.sm", row, &silent)
}

fn json(arguments: &[&str], status: i32) -> Value {
    serde_json::from_str(&output_of(arguments, status)).unwrap()
}

#[test]
fn a_correct_protocol_has_no_findings() {
    let text = output(&["test", "MI_example", "--runs", "2"]);
    assert!(text.starts_with("MI_example: 2 programs on each of "), "{text}");
    assert!(text.contains("explored 2 threads, 1 location: all 501 states"), "{text}");
    assert!(text.contains("\nNo new findings\n"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("Not reached, and so not tested: "), "{text}");
    assert!(last.contains(" transitions"), "{text}");
}

#[test]
fn what_a_protocol_cannot_do_is_refused() {
    let folder = Folder::new();
    let output = folder.path("campaign");
    let amd = "MOESI_AMD_Base";
    let no_devices = "MOESI_AMD_Base has no machine with a DMASequencer";
    let runs = ["--runs", "1"];
    for words in [
        &["test", amd, "--dma", "1"][..],
        &["diff", "MI_example", amd, "--dma", "1"],
        &["campaign", "MI_example", amd, "--dma", "1", "-o", &output],
        &["simulate", amd, "--dma", "1"],
        &["simulate", amd, "--recipe", "1+dma1"],
        &["generate", "program", amd, "--recipe", "1+dma1"],
    ] {
        let is_long = words[0] != "generate";
        let words = if is_long { [words, &runs[..]].concat() } else { words.to_vec() };
        let refused = error(&words);
        assert!(refused.contains(no_devices), "{words:?}: {refused}");
    }
    for words in [
        &["test", "MI_example", "--flush", "5", "--runs", "1"][..],
        &["diff", "MOESI_hammer", "MI_example", "--flush", "5", "--runs", "1"],
        &["campaign", "MOESI_hammer", "MI_example", "--flush", "5", "-o", &output],
    ] {
        let refused = error(words);
        assert!(refused.contains("MI_example handles no flushes"), "{words:?}: {refused}");
    }
}

/// Rows that no run of the old version took may have been important.
#[test]
fn removed_transitions_that_no_run_took_are_told() {
    let folder = Folder::new();
    let row = "transition(M, DMA_WRITE, M_DWR) {take_tbe, note_dma, recall_from_owner, pop_dma}";
    let path = edited_mi_example(folder.0.path(), "MI_example-dir.sm", row, "");
    let diff = ["diff", "MI_example", &path, "--runs", "1", "--no-explore", "--dma", "0"];
    let text = output(&diff);
    for wanted in [
        "removed transitions taken by the old version: 0 of 1\n",
        "never taken by the old version: Directory/M.DMA_WRITE\n",
        "No findings that only the new version has",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let last = "Not reached, and so not tested: 1 of 1 transitions that differ (the programs had no --dma)";
    assert_eq!(text.lines().last(), Some(last), "{text}");
    let value = json(&[&diff[..], &["--format", "json"]].concat(), 0);
    assert_eq!(value["removed_transitions"][0]["count"], 0);
}

/// A repair of a fault does not make two versions alike that differ in the row that it changes.
#[test]
fn a_repair_does_not_hide_a_users_own_change() {
    let (old, new) = (Folder::new(), Folder::new());
    let fault = "mi-dir-dma-write-offset";
    let [was, now] = [&old, &new].map(|folder| with_fault(folder.0.path(), fault));
    let file = new.path("MI_example-dir.sm");
    let text = fs::read_to_string(&file).unwrap();
    let changed =
        text.replace("transition(I, DMA_WRITE, ID_W) {", "transition(I, DMA_WRITE, ID) {");
    assert_ne!(changed, text);
    fs::write(&file, changed).unwrap();
    let short = ["--runs", "1", "--client", "in-order", "--no-explore"];
    for words in [["diff", &was, &now].as_slice(), &["test", &now], &["simulate", &now]] {
        let short = if words[0] == "simulate" { &short[..2] } else { &short[..] };
        let refused = error(&[words, short, &["--repair", fault]].concat());
        for part in [
            "it would overwrite a change of your own",
            "Directory (I, DMA_WRITE)",
            "it leads to ID instead of ID_W",
        ] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
    }
    // What was not asked for by name is left out on both sides, with a warning.
    let all = [&["diff", &was, &now], &short[..], &["--repair", "all"]].concat();
    let both = rubric(&all).output().unwrap();
    let text = String::from_utf8(both.stdout).unwrap();
    assert!(text.contains("~ transition (I, DMA_WRITE): to ID instead of ID_W"), "{text}");
    let warned = String::from_utf8(both.stderr).unwrap();
    assert!(warned.contains("left out here, too, since another version refuses it"), "{warned}");
    assert!(warned.contains("it would overwrite a change of your own"), "{warned}");
}

#[test]
fn the_same_runs_give_the_same_report() {
    let masked = || {
        let arguments = [&["test", "MI_example", "--format", "json"], &SHORT[..]].concat();
        let mut value = json(&arguments, 0);
        value["seconds"] = Value::Null;
        value
    };
    assert_eq!(masked(), masked());
}

#[test]
fn a_finding_has_a_part_and_a_command_that_shows_it_again() {
    let folder = Folder::new();
    let path = forgetful(&folder);
    let page = folder.path("report.html");
    let test = [&["test", &path, "-o", &page], &SHORT[..]].concat();
    let text = output_of(&test, 1);
    assert!(text.contains(" violation under early loads\n"), "{text}");
    assert!(text.contains("the smallest part that violates"), "{text}");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<svg") && html.contains("New findings"), "{html}");

    // Axe text has no accesses to parts of words.
    let value = json(&[&test[..], &["--partial", "0", "--format", "json"]].concat(), 1);
    let finding = &value["findings"][0];
    assert_eq!(finding["known"], Value::Null);
    assert!(finding["part"].as_str().unwrap().lines().count() >= 2);
    let command = finding["command"].as_str().unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    rubric(&words).assert().code(1);
}

#[test]
fn a_change_is_compared() {
    let folder = Folder::new();
    let path = forgetful(&folder);
    let text = output_of(&[&["diff", "MI_example", &path], &SHORT[..]].concat(), 1);
    assert!(text.contains("~ transition (M, Replacement): without tell_core_of_loss\n"), "{text}");
    assert!(text.contains("changed transitions taken: 1 of 1"), "{text}");
    assert!(!text.contains("never taken:"), "{text}");
    assert!(text.contains(" that only the new version has"), "{text}");
    assert!(text.contains("No findings that only the old version has"), "{text}");

    let value = json(&[&["diff", &path, "MI_example", "--format", "json"], &SHORT[..]].concat(), 0);
    assert_eq!(value["only_new"].as_array().unwrap().len(), 0);
    assert!(!value["only_old"].as_array().unwrap().is_empty());
    assert_eq!(value["machines"][0]["transitions"][0]["event"], "Replacement");

    let page = folder.path("change.html");
    let same = ["diff", "MI_example", "MI_example", "--runs", "1", "--no-explore", "-o", &page];
    let text = output(&same);
    assert!(text.contains("no difference but comments"), "{text}");
    assert!(fs::read_to_string(&page).unwrap().contains("compared with"));
}

#[test]
fn bad_usage_is_said() {
    let refused = error(&["test", "MI_example", "-o", "report.txt"]);
    assert!(refused.contains("a name that ends in .html"), "{refused}");
    let refused = error(&["test", "No_such_protocol.slicc"]);
    assert!(refused.contains("No_such_protocol.slicc"), "{refused}");
    let refused = error(&["simulate", "MI_example", "--repair", "no-such-repair"]);
    assert!(refused.contains("there is no repair no-such-repair"), "{refused}");
    let refused = error(&["test", "MI_example", "--budget", "soon"]);
    assert!(refused.contains("such as 10 (seconds), 0.5s, 10m or 2h"), "{refused}");
}

#[test]
fn programs_of_a_test_differ_in_what_they_ask_for() {
    let reached = |more: &[&str]| {
        let test = ["test", "MI_example", "--runs", "4", "--no-explore", "--format", "json"];
        json(&[&test[..], more].concat(), 0)["coverage"].clone()
    };
    // Transitions of DMA controllers count only if a program has DMA devices.
    let (all, plain) = (reached(&[]), reached(&["--dma", "0"]));
    assert!(all["table"].as_u64() > plain["table"].as_u64(), "{all} {plain}");
    assert!(all["reached"].as_u64() > plain["reached"].as_u64(), "{all} {plain}");
    assert_eq!(reached(&["--dma", "2"])["table"], all["table"]);
}

/// A fault of gem5's released MESI_Two_Level, for which there is a repair.
const RELEASED: &str = "mesi2-l1-is-inv-no-notify";

#[test]
fn known_faults_are_named_by_all_that_run_programs() {
    let folder = Folder::new();
    let path = with_fault(folder.0.path(), RELEASED);
    let test = ["test", &path, "--runs", "12", "--client", "early", "--no-explore", "--dma", "0"];
    let text = output(&test);
    assert!(text.contains("No new findings; 2 known findings"), "{text}");
    assert!(text.contains(&format!("\n{RELEASED} (MESI_Two_Level-L1cache.sm:")), "{text}");
    assert!(text.lines().filter(|line| line.contains("is told neither")).count() <= 1, "{text}");

    let simulate = ["simulate", &path, "--client", "early", "--runs", "12", "--check"];
    let text = output_of(&simulate, 1);
    let known = format!("    known: {RELEASED} (MESI_Two_Level-L1cache.sm:");
    assert!(text.contains("Known faults of gem5's released protocols: the shortest run"), "{text}");
    assert!(text.contains(&known), "{text}");
    let line = json(&[&simulate[..], &["--format", "json"]].concat(), 1);
    assert_eq!(line["kinds"][0]["known"][0], RELEASED);
    let repaired = output(&[&simulate[..], &["--repair", "all"]].concat());
    assert!(!repaired.contains("Known faults"), "{repaired}");

    let output = folder.path("campaign");
    let campaign = ["campaign", &path, "--mutants", "none", "--client", "early", "--runs", "12"];
    let text = output_of(&[&campaign[..], &["-o", &output]].concat(), 1);
    assert!(text.contains(&format!("      known: {RELEASED} (")), "{text}");
    let again = output_of(&["report", &output], 1);
    assert!(again.contains(&format!("      known: {RELEASED} (")), "{again}");
    let other = error(&[&campaign[..], &["-o", &output, "--repair", "all"]].concat());
    assert!(other.contains("other --repair (none, now all)"), "{other}");
}

#[test]
fn campaigns_run_repaired_protocols_and_mutants_of_them() {
    let folder = Folder::new();
    let path = with_fault(folder.0.path(), RELEASED);
    let result = folder.path("campaign");
    let campaign = ["campaign", "MI_example", &path, "--client", "early", "--runs", "12"];
    let more = ["--mutants", RELEASED, "--repair", RELEASED, "-o", &result];
    let text = output(&[&campaign[..], &more].concat());
    assert!(!text.contains("Known faults"), "{text}");
    let log = fs::read_to_string(Path::new(&result).join("runs.jsonl")).unwrap();
    let rows: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["row"].clone())
        .collect();
    // The other protocol needs no repair, and the mutant puts the fault back into the repaired one.
    let option = format!(" --repair {RELEASED} ");
    for row in &rows {
        let command = row["command"].as_str().unwrap();
        assert_eq!(command.contains(&option), !command.contains("MI_example"), "{command}");
    }
    let found = rows.iter().find(|row| row["mutant"] == RELEASED && row["outcome"] == "violation");
    let command = found.unwrap()["command"].as_str().unwrap().to_owned();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    rubric(&words).assert().code(1);
    let refused = error(&["campaign", "MI_example", "--repair", "no-such-repair", "-o", &result]);
    assert!(refused.contains("there is no repair no-such-repair"), "{refused}");
}

#[test]
fn known_faults_can_be_taken_out_first() {
    let folder = Folder::new();
    let path = with_fault(folder.0.path(), RELEASED);
    let short = ["--runs", "12", "--client", "early", "--no-explore", "--repair"];
    let repaired = output(&[&["test", &path], &short[..], &["all"]].concat());
    let head = format!("{path} with repair {RELEASED}: 12 programs on ");
    assert!(repaired.starts_with(&head), "{repaired}");
    assert!(repaired.contains("\nNo new findings\n"), "{repaired}");
    let value = json(&[&["test", &path], &short[..], &[RELEASED, "--format", "json"]].concat(), 0);
    assert_eq!(value["repaired"][0], RELEASED);
    assert_eq!(value["repairs"].as_array().unwrap().len(), 0);

    let diff = ["diff", &path, "MESI_Two_Level"];
    let text = output(&[&diff[..], &short[..], &["all"]].concat());
    let head = format!("{path} with repair {RELEASED} and MESI_Two_Level\n");
    assert!(text.starts_with(&head), "{text}");
    assert!(text.contains("No findings that only the old version has"), "{text}");
    // The new version already has the repair.
    let value = json(&[&diff[..], &short[..], &[RELEASED, "--format", "json"]].concat(), 0);
    assert_eq!(
        (&value["repaired_old"][0], &value["only_old"]),
        (&RELEASED.into(), &Value::Array(Vec::new()))
    );
}

#[test]
fn what_is_found_with_repairs_is_reproduced_with_them() {
    let folder = Folder::new();
    let path = with_fault(folder.0.path(), RELEASED);
    let file = folder.path("MESI_Two_Level-L1cache.sm");
    let text = fs::read_to_string(&file).unwrap();
    let silent = text.replace("keep_copy, put_block, tell_core_of_loss,", "keep_copy, put_block,");
    assert_ne!(silent, text);
    fs::write(&file, silent).unwrap();
    let test = ["test", &path, "--runs", "20", "--client", "early", "--no-explore"];
    let value = json(&[&test[..], &["--repair", RELEASED, "--format", "json"]].concat(), 1);
    let finding = &value["findings"][0];
    assert_eq!(finding["known"], Value::Null);
    // Repaired files have other lines than the user's, so no line is given.
    assert_eq!(finding["line"], Value::Null);
    let command = finding["command"].as_str().unwrap();
    assert!(command.contains(&format!(" --repair {RELEASED} ")), "{command}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    rubric(&words).assert().code(1);
}

#[test]
fn repairs_that_do_not_exist_or_fit_are_refused() {
    let refused = error(&["test", "MI_example", "--repair", "mesi2-l1-is-inv-no-notfy"]);
    assert!(refused.contains("there is no repair mesi2-l1-is-inv-no-notfy"), "{refused}");
    assert!(refused.contains("mesi2-l1-is-inv-no-notify"), "{refused}");
    let refused = error(&["test", "MI_example", "--repair", RELEASED]);
    assert!(refused.contains("is a repair of MESI_Two_Level"), "{refused}");
    let refused = error(&["test", "MESI_Two_Level", "--repair", RELEASED]);
    assert!(refused.contains("has it already"), "{refused}");
    let refused = error(&["diff", "MESI_Two_Level", "MESI_Two_Level", "--repair", RELEASED]);
    assert!(refused.contains("has it already"), "{refused}");
}

/// A fault that no repair takes out counts as new, even if there is also a known one.
#[test]
fn other_faults_are_not_called_known() {
    let folder = Folder::new();
    let path = forgetful(&folder);
    let text = output_of(&["simulate", &path, "--client", "early", "--runs", "20", "--check"], 1);
    assert!(!text.contains("known: "), "{text}");
}

#[test]
fn the_operations_of_a_part_have_the_numbers_of_the_run() {
    let folder = Folder::new();
    let path = forgetful(&folder);
    let test = ["test", &path, "--partial", "0", "--format", "json"];
    let value = json(&[&test[..], &SHORT[..]].concat(), 1);
    let finding = &value["findings"][0];
    let evidence = finding["evidence"].to_string();
    let operations = finding["operations"].as_array().unwrap();
    let part = finding["part"].as_str().unwrap().lines();
    let is_operation = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    assert_eq!(operations.len(), part.filter(is_operation).count());
    // The operations have their numbers in the run, which are those of the proof.
    assert!(operations.iter().any(|one| one["index"].as_u64().unwrap() > 3), "{operations:?}");
    assert!(evidence.contains("with their numbers in the run"), "{evidence}");
}

#[test]
fn another_name_is_no_change() {
    let folder = Folder::new();
    for entry in fs::read_dir("../fixtures/protocols").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("MI_example") {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(folder.path(&name), text.replace("tell_core_of_loss", "core_loses_line"))
                .unwrap();
        }
    }
    let path = folder.path("MI_example.slicc");
    let diff = ["diff", "MI_example", &path, "--runs", "1"];
    let text = output(&diff);
    assert!(text.contains("  ~ action tell_core_of_loss: renamed to core_loses_line\n"), "{text}");
    assert!(!text.contains("transition ("), "{text}");
    assert!(text.contains("  explored 2 threads, 1 location: all 501 states\n"), "{text}");
    let value = json(&[&diff[..], &["--format", "json"]].concat(), 0);
    assert_eq!(value["machines"][0]["actions"]["renamed"][0]["new"], "core_loses_line");
    assert_eq!(value["explored_new"][0]["states"], 501);
}

#[test]
fn an_interrupted_test_shows_what_it_has_found() {
    let folder = Folder::new();
    let changed = forgetful(&folder);
    for arguments in [vec!["test", &*changed], vec!["diff", "MI_example", &changed]] {
        // Nothing says how far it is; the first programs show the fault.
        let begun = Instant::now();
        let arguments =
            [&arguments[..], &["--client", "early", "--budget", "1h", "--jobs", "2"]].concat();
        let (status, shown, said) =
            interrupted(&arguments, || begun.elapsed() > Duration::from_secs(3));
        assert_eq!(status, 1, "{shown}{said}");
        assert!(said.contains("interrupted after "), "{said}");
        assert!(shown.contains("missed invalidation") || shown.contains("violation"), "{shown}");
    }
}
