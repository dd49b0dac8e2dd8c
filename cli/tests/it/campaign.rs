//! `rubric campaign` and `rubric report`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use crate::common::{Folder, error, kill_at, output, output_of, rubric};
use serde_json::Value;

/// The arguments of a small campaign into a folder.
fn small<'a>(folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let asked = ["campaign", "MI_example", "--sample", "16", "--runs", "3", "-o", folder];
    [&asked, more].concat()
}

/// The lines of a campaign's log.
fn log(folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(Path::new(folder).join("runs.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The runs of a campaign without their times, by what identifies them.
fn runs(folder: &str) -> BTreeMap<String, Value> {
    let mut runs = BTreeMap::new();
    for mut entry in log(folder) {
        let row = entry["row"].as_object_mut().unwrap();
        row.remove("simulate_seconds");
        for criterion in row["criteria"].as_array_mut().unwrap() {
            criterion.as_object_mut().unwrap().remove("seconds");
        }
        let names = ["mutant", "client", "generator", "repetition", "number"];
        let key = names.map(|name| row[name].to_string()).join(" ");
        assert!(runs.insert(key, entry).is_none(), "a run is there twice");
    }
    runs
}

fn answers(folder: &str) -> Value {
    serde_json::from_str(&output(&["report", folder, "--format", "json"])).unwrap()
}

#[test]
fn a_campaign_leaves_tables_and_answers() {
    let folder = Folder::new();
    let path = folder.path("c");
    let text = output(&small(&path, &["--quiet"]));
    let answers = answers(&path);
    let total = &answers["kills"][0]["total"];
    let apart = answers["equivalents"].as_array().unwrap().len() as u64;
    let mutants = total["mutants"].as_u64().unwrap();
    let (caught, not) =
        (total["killed"].as_u64().unwrap(), answers["survivors"].as_array().unwrap().len());
    assert_eq!(caught + not as u64, mutants);
    // The sampled mutants and the named ones.
    assert!(mutants + apart > 16 && caught > 4 && apart > 0, "{text}");
    let line = format!(
        "  {} mutants: {caught} found, {not} not found, {apart} excluded\n",
        mutants + apart
    );
    assert!(text.contains(&line), "{text}");
    assert_eq!(answers["alarms"]["alarms"], Value::Array(Vec::new()));
    assert_eq!(answers["runs"].as_u64().unwrap() as usize, runs(&path).len());
    // The results are the same from the tables alone and from the log alone. `report` has `--all` as an option of its own.
    let text = text.replace(&format!("`rubric report {path} --all`"), "--all");
    let again = output(&["report", &path]);
    assert_eq!(again.lines().skip(2).collect::<Vec<_>>(), text.lines().skip(2).collect::<Vec<_>>());
    fs::remove_file(Path::new(&path).join("runs.parquet")).unwrap();
    assert_eq!(output(&["report", &path]).lines().next(), text.lines().next());
}

#[test]
fn what_a_row_says_is_repeated_by_its_command() {
    let folder = Folder::new();
    let path = folder.path("c");
    output(&small(&path, &["--keep-traces", "--client", "in-order,early"]));
    let mut seen = 0;
    for entry in log(&path) {
        let row = &entry["row"];
        let words: Vec<&str> = row["command"].as_str().unwrap().split(' ').skip(1).collect();
        let is_clean = row["outcome"] == "clean";
        if is_clean && row["number"] != 0 {
            continue;
        }
        let assert = rubric(&words).assert().code(i32::from(!is_clean));
        let said = [&assert.get_output().stdout[..], &assert.get_output().stderr].concat();
        let said = String::from_utf8(said).unwrap();
        match (row["outcome"].as_str().unwrap(), row["message"].as_str()) {
            ("violation", None) => assert!(said.contains("violation  sc "), "{said}"),
            ("clean", None) => assert!(said.contains("consistent"), "{said}"),
            (_, message) => assert!(said.contains(message.unwrap()), "{said}"),
        }
        seen += usize::from(!is_clean);
    }
    assert!(seen > 4);
    let traces = Path::new(&path).join("traces/MI_example");
    let kept = || fs::read_dir(&traces).unwrap().count();
    assert_eq!(kept(), seen);
    let violation = log(&path).into_iter().find(|entry| entry["row"]["outcome"] == "violation");
    let row = violation.unwrap()["row"].clone();
    let words: Vec<String> =
        row["command"].as_str().unwrap().split(' ').map(str::to_owned).collect();
    let mutant = row["mutant"].as_str().unwrap().replace(['/', ':', '@', '+'], "-");
    let name = format!("{mutant}.{}.{}.trace.gz", words[6], row["lineage"].as_str().unwrap());
    let trace = traces.join(name);
    let said = output_of(&["check", trace.to_str().unwrap()], 1);
    assert!(said.contains("violation"), "{said}");
    // Missing files are written again, and files that a killed process left are removed.
    fs::remove_file(&trace).unwrap();
    fs::write(traces.join(".rubric-half"), "").unwrap();
    output(&small(&path, &["--keep-traces", "--client", "in-order,early"]));
    assert!(trace.exists());
    assert_eq!(kept(), seen);
}

/// Runs that ended before a kill are not repeated, and only the run in progress is lost.
#[test]
fn a_killed_campaign_goes_on() {
    let folder = Folder::new();
    let (killed, whole) = (folder.path("killed"), folder.path("whole"));
    let file = Path::new(&killed).join("runs.jsonl");
    kill_at(&small(&killed, &[]), &file, 20);
    let before = fs::read_to_string(&file).unwrap();
    let done = before.rfind('\n').map_or(0, |at| at + 1);
    // A kill in the middle of a line leaves such a file.
    let mut log = fs::OpenOptions::new().append(true).open(&file).unwrap();
    log.write_all(b"{\"row\":{\"protocol\":\"MI_exa").unwrap();
    drop(log);
    assert!(output(&["report", &killed]).contains("The campaign has not finished."));
    output(&small(&killed, &[]));
    assert!(!output(&["report", &killed]).contains("The campaign has not finished."));
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&before[..done]) && done > 0);
    output(&small(&whole, &[]));
    assert!(runs(&killed) == runs(&whole));
    // The same command again has nothing left to do.
    output(&small(&killed, &[]));
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
}

#[test]
fn a_campaign_may_get_more_runs_and_time_and_nothing_else() {
    let folder = Folder::new();
    let path = folder.path("c");
    let text = output(&small(&path, &["--budget", "0s"]));
    assert!(text.contains("The time limit ended before all runs were done"), "{text}");
    assert_eq!(log(&path).len(), 0);
    output(&small(&path, &[]));
    let few = runs(&path);
    let more = ["campaign", "MI_example", "--sample", "16", "--runs", "5", "-o", &path];
    output(&more);
    let many = runs(&path);
    assert!(many.len() > few.len());
    assert!(few.iter().all(|(key, run)| many.get(key) == Some(run)));
    // A budget that is used up removes no results.
    output(&[&more[..], &["--budget", "0s"]].concat());
    assert_eq!(answers(&path)["runs"].as_u64().unwrap() as usize, many.len());
    for (changed, what) in [
        (["--seed", "2"], "other seed (1, now 2)"),
        (["--client", "in-order"], "other clients ("),
        (["--operator", "drop-action"], "other mutants, or of protocols whose files"),
        (["--stop", "never"], "other --stop (mutant, now never)"),
    ] {
        let message = error(&small(&path, &changed));
        assert!(message.contains(what) && message.contains("another folder"), "{message}");
    }
}

#[test]
fn a_fault_of_a_protocol_itself_is_an_alarm() {
    let folder = Folder::new();
    for file in [
        "MI_example.slicc",
        "MI_example-msg.sm",
        "MI_example-cache.sm",
        "MI_example-dir.sm",
        "MI_example-dma.sm",
    ] {
        let text = fs::read_to_string(Path::new("../fixtures/protocols").join(file)).unwrap();
        // In this edit, the core reads the block before it is filled.
        folder.file(
            file,
            text.replace("{fill_entry, read_miss_done,", "{read_miss_done, fill_entry,"),
        );
    }
    let (protocol, path) = (folder.path("MI_example.slicc"), folder.path("c"));
    let asked = ["campaign", &protocol, "--mutants", "none", "--runs", "3", "-o", &path];
    let text = output_of(&asked, 1);
    assert!(text.contains("0 mutants: 0 found"), "{text}");
    assert!(!text.contains("alarms: 0"), "{text}");
    let command = text.lines().find_map(|line| line.trim().strip_prefix("rubric "));
    let command = command.unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    rubric(&words).assert().code(1);
    rubric(&["report", &path]).assert().code(1);

    // Summaries for pull requests and spreadsheets report the alarms too, with the commands that reproduce them.
    let [summary, rows] = ["summary.md", "rows.csv"].map(|name| {
        let file = folder.path(name);
        rubric(&["report", &path, "-o", &file]).assert().code(1);
        fs::read_to_string(file).unwrap()
    });
    assert!(summary.contains("## Alarms of protocols that are not mutated"), "{summary}");
    assert!(summary.contains("| violation: ") && summary.contains(command), "{summary}");
    assert!(rows.contains(&format!("alarm,rubric {command},end,violation,")), "{rows}");
}

#[test]
fn guided_and_blind_runs_are_compared_on_named_bugs() {
    let folder = Folder::new();
    let path = folder.path("c");
    let mutant = "mesi2-l1-is-inv-no-notify";
    let asked = [
        "campaign",
        "MESI_Two_Level",
        "--mutants",
        mutant,
        "--client",
        "early",
        "--runs",
        "40",
        "--repeat",
        "3",
        "--guided=compare",
        "-o",
        &path,
    ];
    let text = output(&asked);
    assert!(text.contains("Runs until a named bug is found"), "{text}");
    let compared = &answers(&path)["generators"][0];
    assert_eq!(compared["mutant"], mutant);
    for generator in ["blind", "guided"] {
        assert_eq!(compared[generator]["repetitions"], 3, "{compared}");
        assert!(compared[generator]["detected"].as_u64().unwrap() > 0, "{compared}");
    }
    // Resuming changes nothing: the guided generator learns the same from the stored runs.
    let before = runs(&path);
    output(&asked);
    assert!(runs(&path) == before);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    let path = folder.path("c");
    for (asked, what) in [
        (&["campaign", "MI_exmaple", "-o", &path][..], "there is no such file"),
        (&["campaign", "--operator", "drop-acton", "-o", &path], "did you mean drop-action"),
        (&["campaign", "--mutants", "mi-l1-no", "-o", &path], "there is no mutant mi-l1-no"),
        (
            &["campaign", "--mutants", "named", "--sample", "3", "-o", &path],
            "add `made` to --mutants",
        ),
        (&["campaign", "--mutants", "none,named", "-o", &path], "exclude each other"),
        (&["campaign", "--budget", "10d", "-o", &path], "such as 10 (seconds)"),
        (&["report", &path], "this folder has no results of a campaign"),
    ] {
        let assert = rubric(asked).assert().code(2).stdout("");
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.contains(what), "{message}");
    }
    output(&small(&path, &[]));
    let file = Path::new(&path).join("runs.jsonl");
    let mut text = fs::read_to_string(&file).unwrap();
    text.insert_str(0, "nonsense\n");
    fs::write(&file, text).unwrap();
    let message = error(&small(&path, &[]));
    assert!(message.contains("runs.jsonl:1: this version did not write this line"), "{message}");
    fs::write(Path::new(&path).join("campaign.json"), "{").unwrap();
    let message = error(&small(&path, &[]));
    assert!(
        message.contains("campaign.json:1: ") && message.contains("choose another folder"),
        "{message}"
    );
    let file = folder.file("file", "");
    let message = error(&small(&file, &[]));
    assert!(message.contains("name another folder"), "{message}");
}

#[test]
fn coverage_is_that_of_the_protocol_as_it_is() {
    let folder = Folder::new();
    let path = folder.path("c");
    output(&small(&path, &["--quiet"]));
    let table = Path::new(&path).join("coverage.parquet");
    let rows = tables::read_coverage(&table).unwrap();
    let is_original = |row: &Value| row["mutant"].is_null();
    let log = log(&path);
    let own = log.iter().map(|entry| &entry["row"]).filter(|row| is_original(row));
    let transitions: u64 = own.map(|row| row["transitions"].as_u64().unwrap()).sum();
    let taken = rows.iter().filter(|row| !row.stalls).map(|row| row.count);
    assert_eq!(taken.sum::<u64>(), transitions);
    assert!(
        rows.iter().any(|row| row.count == 0),
        "an entry of the table that three runs do not reach"
    );
    assert!(rows.iter().any(|row| row.stalls));
    let machines: Vec<&str> = rows.iter().map(|row| &*row.machine).collect();
    assert!(machines.contains(&"L1Cache") && machines.contains(&"Directory"));
    assert!(!machines.contains(&"DMA"), "nothing runs on it");
    // A campaign that is resumed from half of its runs has the same table.
    let bytes = fs::read(&table).unwrap();
    let file = Path::new(&path).join("runs.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let half: Vec<&str> = text.lines().step_by(2).collect();
    fs::write(&file, half.join("\n") + "\n").unwrap();
    fs::remove_file(&table).unwrap();
    output(&small(&path, &["--quiet"]));
    assert_eq!(fs::read(&table).unwrap(), bytes);
}

/// The runs of a campaign with a value of a parameter, which changes them, and under which warnings are faults.
#[test]
fn runs_with_settings_are_repeated() {
    let folder = Folder::new();
    let runs = |name: &str, settings: &[&str]| {
        let options = lab::campaign::Options {
            protocols: vec!["MI_example".to_owned()],
            output: folder.0.path().join(name),
            made: false,
            named: false,
            clients: vec![simulate::client::Client::IN_ORDER],
            runs: 2,
            seed: 3,
            settings: settings.iter().map(|one| one.parse().unwrap()).collect(),
            strict: true,
            ..lab::campaign::Options::default()
        };
        let campaign = lab::campaign::Campaign::new(options).unwrap();
        campaign.run(&lab::NoObserver).unwrap().results.runs
    };
    let with = runs("with", &["L1Cache.issue_latency=40"]);
    let without = runs("without", &[]);
    assert!(!with.is_empty() && with.len() == without.len());
    for (row, other) in with.iter().zip(&without) {
        assert_ne!(row.trace_hash, other.trace_hash, "the setting changes nothing");
        for row in [row, other] {
            let again = lab::campaign::repeat(row).unwrap();
            assert_eq!(Some(again.digest()), row.trace_hash, "{}", row.command);
        }
    }
}
