//! `rubric report`: text, JSON, a page and other files from folders of results.

use std::fs;
use std::path::Path;

use crate::common::{Folder, error, output, rubric};
use serde_json::Value;
use tables::{Reported, Trial, write_trials};

/// Writes a table of some trials of an experiment.
fn experiment(path: &Path, name: &str, numbers: std::ops::Range<u32>) {
    let trial = |number: u32, algorithm: &str| Trial {
        experiment: name.to_owned(),
        size: "quick".to_owned(),
        part: "histories".to_owned(),
        point: "histories".to_owned(),
        number,
        model: "sc".to_owned(),
        algorithm: algorithm.to_owned(),
        said: match algorithm {
            "sc-sat" => Reported::Timeout,
            _ => Reported::Consistent,
        },
        ..Trial::default()
    };
    let rows = numbers.flat_map(|number| ["sc-sat", "stages"].map(|one| trial(number, one)));
    write_trials(path, &rows.collect::<Vec<_>>()).unwrap();
}

/// Runs a small campaign into a folder.
fn campaign(folder: &str) {
    output(&["campaign", "MI_example", "--sample", "8", "--runs", "4", "--quiet", "-o", folder]);
}

/// Makes a folder that holds two shards of an experiment, another experiment, and a campaign in a subfolder.
fn results() -> Folder {
    let folder = Folder::new();
    let path = |name: &str| folder.0.path().join(name);
    experiment(&path("scale.1-of-2.parquet"), "scale", 0..3);
    experiment(&path("scale.2-of-2.parquet"), "scale", 2..5);
    experiment(&path("gcc-fig4.parquet"), "gcc-fig4", 0..2);
    campaign(&folder.path("mutants"));
    folder
}

fn folder_of(folder: &Folder) -> &str {
    folder.0.path().to_str().unwrap()
}

#[test]
fn a_folder_of_everything() {
    let folder = results();
    let text = output(&["report", folder_of(&folder)]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.contains(&vec!["scale", "quick", "5", "10", "5", "0"]), "{text}");
    assert!(rows.contains(&vec!["gcc-fig4", "quick", "2", "4", "2", "0"]), "{text}");
    // The answers of the campaign follow.
    let alone = output(&["report", &folder.path("mutants")]);
    assert!(text.ends_with(&alone) && !alone.contains("scale"), "{text}");

    let json: Value =
        serde_json::from_str(&output(&["report", folder_of(&folder), "--format", "json"])).unwrap();
    assert_eq!(json["experiments"][1]["experiment"], "scale");
    assert_eq!(json["experiments"][1]["histories"], 5);
    assert!(json["runs"].as_u64().unwrap() > 0 && json["kills"].is_array());
}

#[test]
fn experiments_without_a_campaign() {
    let folder = Folder::new();
    experiment(&folder.0.path().join("scale.parquet"), "scale", 0..2);
    let text = output(&["report", folder_of(&folder)]);
    assert!(text.starts_with("Experiments\n") && !text.contains("mutants:"), "{text}");
    let json = output(&["report", folder_of(&folder), "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json.get("runs").is_none() && json.get("kills").is_none());
    let page = folder.path("page.html");
    output(&["report", folder_of(&folder), "-o", &page]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("id=\"experiments\"") && !page.contains("id=\"campaign\""));
}

#[test]
fn a_page_with_cycles_and_the_other_files() {
    let folder = results();
    let [page, again, claims, figures] =
        ["page.html", "again.html", "claims.csv", "figures"].map(|name| folder.path(name));
    let text = output(&[
        "report",
        folder_of(&folder),
        "-o",
        &page,
        "--claims",
        &claims,
        "--figures",
        &figures,
    ]);
    assert!(text.ends_with(&format!("Claims: {claims}\nPage: {page}\n")), "{text}");
    assert!(fs::read_to_string(&claims).unwrap().starts_with("id"));
    assert!(Path::new(&figures).is_dir());
    output(&["report", folder_of(&folder), "-o", &again]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html == fs::read_to_string(&again).unwrap(), "other bytes the second time");
    for id in ["ran", "experiment-scale", "kills", "coverage-mi-example", "violations"] {
        assert!(html.contains(&format!("id=\"{id}\"")), "{id}");
    }
    // A violation is run again, and its cycle is the output of checking it.
    let cycle = html.split("<pre tabindex=\"0\">").nth(1).unwrap();
    let cycle = cycle.split("</pre>").next().unwrap();
    let runs = tables::read_runs(&folder.0.path().join("mutants/runs.parquet")).unwrap();
    let held = tables::results::Results { runs, ..Default::default() };
    let first = report::page::shortest_violations(&held)[0];
    let words: Vec<&str> = first.command.split(' ').skip(1).collect();
    let assert = rubric(&words).assert().code(1);
    let said = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let cycle = cycle.replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<");
    assert!(said.contains(&cycle) && cycle.contains("(again)"), "{cycle}\n{said}");
}

#[test]
fn a_summary_for_a_pull_request_and_rows_for_a_spreadsheet() {
    let folder = results();
    let [text, rows] = ["summary.md", "rows.csv"].map(|name| folder.path(name));
    let said = output(&["report", folder_of(&folder), "-o", &text]);
    assert!(said.ends_with(&format!("\nSummary: {text}\n")), "{said}");
    output(&["report", folder_of(&folder), "-o", &rows]);
    let text = fs::read_to_string(&text).unwrap();
    for wanted in
        ["## What was run", "## What was found", "## Protocols side by side", "| MI\\_example |"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // Each row of a table has as many cells as its head.
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    let tables = lines.split(|line| !line.starts_with('|')).filter(|table| !table.is_empty());
    for table in tables {
        assert!(
            table.len() > 2 && table.iter().all(|line| cells(line) == cells(table[1])),
            "{table:?}"
        );
    }
    let rows = fs::read_to_string(&rows).unwrap();
    assert!(rows.starts_with("section,subject,measure,value,note\n"), "{rows}");
    let found = rows.lines().filter(|line| line.starts_with("mutant,")).count();
    assert!(rows.contains("protocol,MI_example,mutants,") && found > 0, "{rows}");
}

#[test]
fn what_cannot_be_run_again_is_said() {
    let folder = Folder::new();
    let path = folder.path("c");
    campaign(&path);
    let table = Path::new(&path).join("runs.parquet");
    let mut runs = tables::read_runs(&table).unwrap();
    for run in &mut runs {
        run.protocol = "gone.slicc".to_owned();
    }
    tables::write_runs(&table, &runs).unwrap();
    fs::remove_file(Path::new(&path).join("runs.jsonl")).unwrap();
    let page = folder.path("page.html");
    output(&["report", &path, "-o", &page]);
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("The run could not be reproduced: "), "no word of it");
    assert!(html.contains("gone.slicc"));
}

#[test]
fn what_is_no_result() {
    let folder = Folder::new();
    let message = error(&["report", folder_of(&folder)]);
    assert!(
        message.contains("rubric campaign -o DIR")
            && message.contains("rubric experiment NAME -o DIR"),
        "{message}"
    );
    let damaged = folder.file("scale.parquet", "PAR1 and no more");
    let message = error(&["report", folder_of(&folder)]);
    assert!(message.contains(&damaged), "{message}");
    experiment(Path::new(&damaged), "scale", 0..1);
    let bytes = fs::read(&damaged).unwrap();
    fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    let message = error(&["report", folder_of(&folder)]);
    assert!(message.contains(&damaged), "{message}");
    fs::write(&damaged, &bytes).unwrap();
    // The output has the extension of another format.
    let pdf = folder.path("page.pdf");
    let message = error(&["report", folder_of(&folder), "-o", &pdf]);
    for wanted in ["a name that ends in .html, .md or .csv was expected", "print the .html page"] {
        assert!(message.contains(wanted), "{message}");
    }
    assert!(!Path::new(&pdf).exists());
    let message = error(&["report", folder_of(&folder), "--claims", &folder.path("claims.json")]);
    assert!(message.contains("a name that ends in .csv was expected"), "{message}");
    let message = error(&["report", folder_of(&folder), "-o", "/nowhere/page.html"]);
    assert!(message.contains("/nowhere/page.html"), "{message}");
}

#[test]
fn figures_claims_and_styles_are_listed() {
    let text = output(&["report", "--list"]);
    assert!(text.starts_with("gcc-fig4-operations "), "{text}");
    let json = output(&["report", "--list", "--format", "json"]);
    let lists: Value = serde_json::from_str(&json).unwrap();
    for list in ["figures", "claims", "programs", "criteria", "finders", "series", "sizes"] {
        assert!(!lists[list].as_array().unwrap().is_empty(), "{list}");
    }
    assert_eq!(lists["claims"][15]["id"], "wsc-kernel-exact");
    assert_eq!(lists["claims"][15]["published"], 0.7424);
    assert_eq!(lists["series"][0]["color"], "#009e73");
}
