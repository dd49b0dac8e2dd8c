//! `rubric cover`.

use std::time::{Duration, Instant};

use crate::common::{Folder, error, interrupted, output, output_of};
use serde_json::Value;

/// What it prints, without times.
fn covered(arguments: &[&str]) -> String {
    let text = output(&[&["cover", "-q"], arguments].concat());
    let lines = text.lines().map(|line| line.split(" s, and").next().unwrap_or(line));
    lines.filter(|line| !line.contains(", seed ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_that_is_reachable_of_a_small_protocol_is_taken() {
    let text = covered(&["MI_example", "--rounds", "20"]);
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("MI_example: "), "{text}");
    let taken: usize = first.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(taken >= 70, "{text}");
    assert!(text.contains("\n  L1Cache "), "{text}");
    assert_eq!(text, covered(&["MI_example", "--rounds", "20"]));
}

#[test]
fn a_run_to_a_transition_is_shown_and_drawn() {
    let folder = Folder::new();
    let chart = folder.path("run.svg");
    let to = ["cover", "MI_example", "--rounds", "50", "--to", "L1Cache M Fwd_GETX"];
    let text = output(&[&to[..], &["-o", &chart]].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("MI_example: L1Cache M Fwd_GETX: taken in "), "{text}");
    assert!(lines[1].starts_with("  in a system of "), "{text}");
    let last = lines[lines.len() - 4..].join("\n");
    assert!(last.contains(": M Fwd_GETX -> I (line "), "{text}");
    assert!(lines.last().unwrap().starts_with("  written: "), "{text}");
    let drawn = std::fs::read_to_string(&chart).unwrap();
    assert!(drawn.contains("How L1Cache takes Fwd_GETX in M"), "{drawn}");
    let json: Value =
        serde_json::from_str(&output(&[&to[..], &["--format", "json"]].concat())).unwrap();
    let rows = json["transitions"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["outcome"]), (1, &"walk".into()));
    assert!(rows[0]["steps"].as_array().unwrap().len() > 2);
}

/// MI_example, whose cache lacks a transition, in a folder.
fn without_a_transition(folder: &Folder) -> String {
    for name in [
        "MI_example.slicc",
        "MI_example-cache.sm",
        "MI_example-dir.sm",
        "MI_example-dma.sm",
        "MI_example-msg.sm",
    ] {
        let text = std::fs::read_to_string(format!("../fixtures/protocols/{name}")).unwrap();
        let row = "  transition(MI, Writeback_Nack, MII) {pop_forward}";
        std::fs::write(folder.path(name), text.replace(row, "")).unwrap();
    }
    folder.path("MI_example.slicc")
}

#[test]
fn what_goes_wrong_on_walks_is_shown_again() {
    let folder = Folder::new();
    let protocol = without_a_transition(&folder);
    let search = ["cover", &*protocol, "-q", "--rounds", "10"];
    let text = output(&search);
    let finding = "  undefined transition: L1Cache (MI, Writeback_Nack), ";
    assert!(text.contains("\nwalks ended in 1 finding:\n") && text.contains(finding), "{text}");
    let command =
        text.lines().find_map(|line| line.trim().strip_prefix("show it: rubric ")).unwrap();
    let chart = folder.path("walk.svg");
    let words: Vec<&str> = command.split(' ').chain(["-o", &*chart]).collect();
    let shown = output_of(&words, 1);
    assert!(shown.contains("\nundefined transition: L1Cache (MI, Writeback_Nack)\n"), "{shown}");
    assert!(std::fs::read_to_string(&chart).unwrap().contains("Writeback_Nack"));
    let json = |words: &[&str], status| -> Value {
        serde_json::from_str(&output_of(&[words, &["--format", "json"]].concat(), status)).unwrap()
    };
    let found = &json(&search, 0)["findings"][0];
    assert_eq!(found["finding"], "undefined transition: L1Cache (MI, Writeback_Nack)");
    let again = json(&command.split(' ').collect::<Vec<_>>(), 1);
    assert_eq!(again["finding"], found["finding"]);
    assert_eq!(again["steps"].as_array().unwrap().len() as u64, found["moves"].as_u64().unwrap());
}

#[test]
fn names_of_walks_are_checked() {
    let wrong = |walk: &str| error(&["cover", "MI_example", "--replay", walk]);
    assert!(wrong("1:0").contains("the name of a walk was expected, such as 7:12:0.3.1"));
    assert!(
        wrong("1:0:9999").contains(
            "MI_example has no walk 1:0:9999: the names of walks are those of one version"
        )
    );
}

#[test]
fn what_is_not_taken_is_undecided() {
    let to = ["cover", "MI_example", "--rounds", "3", "--to", "Directory ID PUTX"];
    let text = output_of(&to, 3);
    assert!(
        text.contains(": not taken; its state and its event come up, but not together"),
        "{text}"
    );
}

#[test]
fn names_of_transitions_are_checked() {
    let wrong = |to: &str| error(&["cover", "MI_example", "--to", to]);
    let cases = [
        ("L1Cache M", "a machine, a state and an event were expected, such as"),
        ("L2Cache M Load", "MI_example: there is no machine L2Cache; there is "),
        ("L1Cache M1 Load", "L1Cache has no state M1"),
        ("L1Cache M Loads", "L1Cache has no event Loads: Load?"),
        ("L1Cache M Data", "L1Cache has no transition for Data in M; it has "),
        ("L1Cache II Load", "L1Cache stalls for Load in II, so nothing is taken"),
    ];
    for (to, expected) in cases {
        let told = wrong(to);
        assert!(told.contains(expected), "{to}: {told}");
    }
    let told = error(&["cover", "MI_example", "--to", "L1Cache M Load", "-o", "run.pdf"]);
    assert!(told.contains(".svg, .html or .txt was expected"), "{told}");
    let told = error(&["cover", "MI_example", "-o", "run.svg"]);
    assert!(told.contains("--to"), "{told}");
}

#[test]
fn what_is_taken_only_after_others_is_marked() {
    let rows = |rounds: &str| -> Vec<Value> {
        let text = output(&["cover", "MESI_Two_Level", "--rounds", rounds, "--format", "json"]);
        let whole: Value = serde_json::from_str(&text).expect("it prints JSON");
        whole["transitions"].as_array().expect("it lists them").clone()
    };
    let name = |row: &Value| ["machine", "state", "event"].map(|key| row[key].to_string());
    let (few, many) = (rows("1"), rows("12"));
    let left = few.iter().filter(|row| row["outcome"] == "left");
    let (after, first): (Vec<_>, Vec<_>) = left.partition(|row| row["follows"] == true);
    let text = covered(&["MESI_Two_Level", "--rounds", "1"]);
    let counted = format!("left ({} of these only after others of them)", after.len());
    assert!(!after.is_empty() && text.contains(&counted), "{text}");
    // Runs that take one of these take another one, too, on which it depends.
    let taken = |rows: &[&Value]| {
        let is_taken = |row: &Value| row["outcome"] == "walk" || row["outcome"] == "program";
        rows.iter()
            .filter(|row| many.iter().any(|one| is_taken(one) && name(one) == name(row)))
            .count()
    };
    assert!(taken(&after) > 0 && taken(&first) > 0, "{} and {}", taken(&after), taken(&first));
}

#[test]
fn an_interrupted_search_shows_what_was_taken() {
    // Nothing says how far it is, and even the first round shows something.
    let begun = Instant::now();
    let arguments = ["cover", "MOESI_hammer", "--budget", "1h", "--jobs", "1"];
    let (status, shown, _) = interrupted(&arguments, || begun.elapsed() > Duration::from_secs(2));
    assert_eq!(status, 130);
    assert!(shown.starts_with("MOESI_hammer: ") && shown.contains(" transitions taken"), "{shown}");
}
