//! `rubric experiment`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, error, output, output_of, rubric};
use tables::results::Results;
use tables::{Reported, Trial, read_trials};

/// Reads the trials of an experiment from a folder.
fn trials(folder: &str, name: &str) -> Vec<Trial> {
    read_trials(&Path::new(folder).join(format!("{name}.parquet"))).unwrap()
}

/// The trials without their times.
fn timeless(trials: Vec<Trial>) -> Vec<Trial> {
    let timeless = |mut trial: Trial| {
        trial.seconds = 0.0;
        (trial.wall_seconds, trial.load) = (None, None);
        trial.make_seconds = 0.0;
        trial
    };
    trials.into_iter().map(timeless).collect()
}

/// Runs an experiment that takes a second.
fn kernels(folder: &str, more: &[&str]) -> String {
    output(&[&["experiment", "gcc-unordered", "-o", folder], more].concat())
}

#[test]
fn all_experiments_are_listed() {
    let list = output(&["experiment", "--list"]);
    for name in [
        "gcc-fig4",
        "gcc-fig5",
        "gcc-fig6",
        "gcc-unordered",
        "gcc-unordered-reads",
        "wsc-kernel",
        "wsc-fig6",
        "wsc-fig7",
        "wsc-fig8",
        "wsc-fig9",
        "tsotool-fig3",
        "tsotool-fig4",
        "tsotool-table1",
        "qadeer-cycles",
        "burnim-table1",
        "burnim-table2",
        "mutants",
        "scale",
    ] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
    }
    assert!(error(&["experiment", "gcc-fig7"]).contains("gcc-fig6"));
    assert!(error(&["experiment"]).contains("NAME"));
}

#[test]
fn a_table_has_a_row_for_each_history_and_algorithm() {
    let folder = Folder::new();
    let path = folder.path("r");
    let text = kernels(&path, &["--quiet"]);
    assert!(text.contains("wtso (tso)"), "{text}");
    let trials = trials(&path, "gcc-unordered");
    assert_eq!(trials.len(), 40 * 8);
    let hashes: BTreeSet<&str> = trials.iter().map(|trial| &*trial.trace_hash).collect();
    assert_eq!(hashes.len(), 40);
    for trial in &trials {
        assert!(trial.ordered.unwrap() <= trial.kernel.unwrap(), "{trial:?}");
        assert!(trial.kernel.unwrap() <= trial.write_pairs);
        assert!(matches!(
            trial.said,
            Reported::Consistent | Reported::Satisfied | Reported::Undecided
        ));
        assert_eq!(trial.source, "simulated");
    }
    let protocols: BTreeSet<_> = trials.iter().map(|trial| trial.protocol.clone()).collect();
    assert_eq!(protocols.len(), 4);
}

/// The command of a row reproduces its verdict, and `rubric check` gives the same verdict on the history that it saves.
#[test]
fn a_run_is_repeated_from_its_command() {
    let folder = Folder::new();
    let path = folder.path("r");
    output(&["experiment", "wsc-fig9", "-o", &path, "--timeout", "1"]);
    let trials = trials(&path, "wsc-fig9");
    let saved = folder.path("h.json");
    for trial in trials.iter().filter(|trial| trial.algorithm == "wsc").step_by(9) {
        assert_eq!(trial.said, Reported::Violation);
        let words: Vec<&str> = trial.command.split(' ').skip(1).collect();
        let again = output(&[&words[..], &["--save", &saved]].concat());
        assert!(again.contains(&trial.trace_hash[..16]), "{again}");
        output_of(&["check", &saved], 1);
    }
}

#[test]
fn shards_together_are_the_whole() {
    let folder = Folder::new();
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    kernels(&whole, &[]);
    for shard in ["1/3", "2/3", "3/3"] {
        kernels(&parts, &["--shard", shard]);
    }
    let read = |path: &str| Results::read(Path::new(path)).unwrap().trials;
    assert_eq!(timeless(read(&whole)), timeless(read(&parts)));
    // All columns but times are the same, also in the table of one machine.
    assert_eq!(read(&whole).len(), trials(&whole, "gcc-unordered").len());
}

/// Kills a process in the middle; the same command then ends with the rows of a run that was not interrupted.
#[test]
fn a_kill_loses_nothing() {
    let folder = Folder::new();
    let (whole, killed) = (folder.path("whole"), folder.path("killed"));
    let asked = |path: &str| -> Vec<String> {
        ["experiment", "wsc-kernel", "--jobs", "1", "-o", path].map(str::to_owned).to_vec()
    };
    let journal = Path::new(&killed).join("wsc-kernel.jsonl");
    let length = || fs::metadata(&journal).map_or(0, |data| data.len());
    let mut child = Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(asked(&killed))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while length() < 20_000 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read(&journal).unwrap();
    let report = output(&["report", &killed]);
    assert!(report.contains("wsc-kernel has not finished"), "{report}");
    // A kill in the middle of a line leaves such a file.
    fs::write(&journal, [&before[..], b"{\"experiment\":\"wsc-"].concat()).unwrap();
    for path in [&killed, &whole] {
        output(&asked(path).iter().map(String::as_str).collect::<Vec<_>>());
    }
    let end = before.iter().rposition(|&byte| byte == b'\n').unwrap();
    assert_eq!(fs::read(&journal).unwrap()[..end], before[..end]);
    let of = |path: &str| timeless(trials(path, "wsc-kernel"));
    assert_eq!(of(&killed), of(&whole));
    assert_eq!(of(&whole).len(), 110 * 5);
}

#[test]
fn algorithms_and_programs_are_added_to_what_is_there() {
    let folder = Folder::new();
    let path = folder.path("r");
    let ask = |more: &[&str]| {
        output(&[&["experiment", "qadeer-cycles", "-o", &path], more].concat());
        trials(&path, "qadeer-cycles")
    };
    let first = ask(&[]);
    assert_eq!(first.len(), 120 * 4 + 40);
    let more = ask(&[
        "--algorithm",
        "complete,wsc",
        "--program",
        "mine=test -f {} -a {model} = sc -a 1 = 2",
    ]);
    // The valid histories are checked too.
    assert_eq!(more.len(), 120 * 6 + 40 * 4);
    let of = |name: &str| -> Vec<&Trial> {
        more.iter().filter(|trial| trial.algorithm == name).collect()
    };
    let violations = |name: &str| {
        let said = of(name).into_iter();
        said.filter(|trial| trial.said == Reported::Violation).count()
    };
    assert_eq!((of("complete").len(), violations("complete")), (160, 120));
    assert_eq!((of("mine").len(), violations("mine")), (160, 160));
    // The rows of the first run are unchanged.
    let known: Vec<&Trial> = more.iter().filter(|trial| first.contains(trial)).collect();
    assert_eq!(known.len(), first.len());
    // A nice cycle needs at least one thread and location, and no more than there are.
    let cycles = of("nice-cycle").into_iter().filter_map(|trial| trial.cycle);
    assert!(cycles.clone().count() > 60 && cycles.clone().all(|k| (1..=4).contains(&k)));
    let added = more.iter().find(|trial| trial.algorithm == "complete");
    assert!(added.unwrap().command.ends_with("--algorithm complete"));
    // The verdicts of rubric are known, so a program with other verdicts is reported.
    let ask = |program| ["experiment", "qadeer-cycles", "-o", &path, "--program", program];
    let text = output(&ask("wrong=test -f {}"));
    assert!(text.contains("wrong contradicts rubric on 120 of "), "{text}");
    let message = error(&ask("missing=/nonexistent {}"));
    assert!(message.contains("cannot be run"), "{message}");
    let message = error(&["experiment", "gcc-fig6", "-o", &path, "--algorithm", "sc-sat"]);
    assert!(message.contains("sc-sat"), "{message}");
}

#[test]
fn another_experiment_is_not_mixed_in() {
    let folder = Folder::new();
    let path = folder.path("r");
    kernels(&path, &[]);
    let before = fs::read(Path::new(&path).join("gcc-unordered.jsonl")).unwrap();
    for more in [["--seed", "2"], ["--size", "paper"], ["--timeout", "3"]] {
        let message = error(&[&["experiment", "gcc-unordered", "-o", &path], &more[..]].concat());
        assert!(message.contains("choose another folder with -o"), "{message}");
    }
    let after = fs::read(Path::new(&path).join("gcc-unordered.jsonl")).unwrap();
    assert_eq!(before, after);
}

#[test]
fn recorded_histories_take_the_place_of_simulated_ones() {
    let folder = Folder::new();
    let traces = folder.path("traces");
    fs::create_dir_all(format!("{traces}/wrong")).unwrap();
    for (seed, mutant) in
        [("1", None), ("2", None), ("wrong/209", Some("hammer-l1-s-othergetx-no-notify"))]
    {
        let trace = format!("{traces}/{seed}.trace.gz");
        let seed = seed.trim_start_matches("wrong/");
        let mut words =
            vec!["simulate", "MOESI_hammer", "--client", "early", "--seed", seed, "-o", &trace];
        if let Some(mutant) = mutant {
            words.extend(["--mutant", mutant]);
        }
        output(&words);
    }
    fs::write(format!("{traces}/notes.txt"), "nothing to see").unwrap();
    let path = folder.path("r");
    output(&[
        "experiment",
        "gcc-fig4",
        "gcc-fig5",
        "--traces",
        &traces,
        "-o",
        &path,
        "--timeout",
        "5",
    ]);
    let of = |name: &str| trials(&path, name);
    let sat = |trials: Vec<Trial>| {
        let sat = trials.into_iter().filter(|trial| trial.algorithm == "sc-ccm-sat");
        sat.map(|trial| (trial.part, trial.number, trial.said)).collect::<Vec<_>>()
    };
    // Each history is measured once, and belongs to both parts.
    let valid = [0, 1].map(|at| ("recorded".to_owned(), at, Reported::Consistent));
    let bad = output(&["stats", &format!("{traces}/wrong/209.trace.gz")]);
    assert!(bad.contains("400"), "{bad}");
    assert_eq!(sat(of("gcc-fig4")), valid);
    assert_eq!(sat(of("gcc-fig5")), [("recorded".to_owned(), 2, Reported::Violation)]);
    assert!(of("gcc-fig4").iter().all(|trial| trial.source == "recorded"));
    let figures = folder.path("figures");
    output(&["report", &path, "--figures", &figures]);
    for part in ["operations", "threads"] {
        assert!(Path::new(&figures).join(format!("gcc-fig4-{part}.svg")).exists(), "{part}");
    }
    let refused = |words: &[&str]| {
        let all = [&["experiment", "gcc-fig4", "-o", &path, "--traces"], words].concat();
        let assert = rubric(&all).assert().code(2);
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let message = refused(&[&traces, "--only", "operations=1"]);
    assert_eq!(message.matches("operations=400,threads=").count(), 1, "{message}");
    let message = refused(&[&folder.path("none")]);
    assert!(message.contains("none"), "{message}");
    fs::create_dir(folder.path("empty")).unwrap();
    let message = refused(&[&folder.path("empty")]);
    assert_eq!(message.matches("rubric: error").count(), 1, "{message}");
}

/// Another choice of protocols makes other histories, and the commands of its rows reproduce them.
#[test]
fn protocols_are_chosen() {
    let folder = Folder::new();
    let (ours, path) = (folder.path("ours"), folder.path("theirs"));
    let chosen = "fixtures/protocols/MI_example.slicc,MESI_Two_Level";
    kernels(&ours, &["--quiet"]);
    kernels(&path, &["--quiet", "--protocol", chosen]);
    let (ours, theirs) = (trials(&ours, "gcc-unordered"), trials(&path, "gcc-unordered"));
    assert_eq!(ours.len(), theirs.len());
    for (number, name) in
        ["fixtures/protocols/MI_example.slicc", "MESI_Two_Level"].iter().enumerate()
    {
        let own = theirs.iter().filter(|trial| trial.number as usize % 2 == number);
        assert!(own.clone().count() > 20);
        for trial in own {
            assert_eq!(trial.protocol.as_deref(), Some(*name));
        }
    }
    let hashes =
        |all: &[Trial]| all.iter().map(|one| one.trace_hash.clone()).collect::<BTreeSet<_>>();
    assert_ne!(hashes(&ours), hashes(&theirs));
    let row = &theirs[0];
    assert!(row.command.contains(&format!(" --protocol {chosen} ")), "{}", row.command);
    let words: Vec<&str> = row.command.split(' ').skip(1).collect();
    assert!(output(&words).contains("kernel"), "{}", row.command);
    // A folder holds histories of one choice of protocols.
    let other = error(&["experiment", "gcc-unordered", "-o", &path, "--protocol", "MI_example"]);
    assert!(other.contains("protocols"), "{other}");
    assert!(
        error(&[
            "experiment",
            "gcc-unordered",
            "--protocol",
            "no/such.slicc",
            "-o",
            &folder.path("n")
        ])
        .contains("no/such.slicc")
    );
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let path = folder.path("r");
    let refused = |words: &[&str], part: &str| {
        let message = error(&[&["experiment", "-o", &path], words].concat());
        assert!(message.contains(part), "{words:?}: {message}");
    };
    refused(&["gcc-fig4", "--only", "operations=150"], "operations=100 operations=200");
    refused(&["gcc-fig4", "--only", "operations=100/77"], "numbers from 0 to 9");
    refused(&["gcc-fig4", "gcc-fig6", "--only", "operations=100"], "name one experiment");
    refused(&["gcc-fig4", "--only", "operations=100", "--save", "x.axe"], "add its number");
    refused(&["gcc-fig4", "--shard", "3/2"], "such as 2/8");
    refused(&["gcc-fig4", "--program", "mine"], "NAME=COMMAND");
    refused(&["gcc-fig4", "--timeout", "soon"], "seconds");
    refused(&["mutants", "--traces", "."], "mutants");
    assert!(!Path::new(&path).exists());
}

/// A run that the time limit stops is in the table, and stops soon after the limit.
#[test]
fn what_is_cut_off_says_so() {
    let folder = Folder::new();
    let path = folder.path("r");
    let text = output(&["experiment", "wsc-fig9", "-o", &path, "--timeout", "0.05"]);
    assert!(text.contains("cut off"), "{text}");
    let trials = trials(&path, "wsc-fig9");
    let cut_off = trials.iter().filter(|trial| trial.said == Reported::Timeout);
    // A search over 16 threads takes longer than that on any machine.
    assert!(cut_off.clone().any(|trial| trial.algorithm == "dbcop"));
    for trial in cut_off {
        assert_eq!(trial.seconds, 0.05, "{trial:?}");
        assert_eq!(trial.reason.as_deref(), Some("time limit"));
    }
}

/// Programs are explored as often as a point has histories, with each monitor and without.
#[test]
fn programs_are_explored() {
    let folder = Folder::new();
    let path = folder.path("r");
    let text = output(&["experiment", "burnim-table1", "-o", &path]);
    assert!(text.contains("monitor-pso"), "{text}");
    let trials = trials(&path, "burnim-table1");
    assert_eq!(trials.len(), 7 * 10 * 4);
    for trial in &trials {
        assert!(trial.nodes.unwrap() > 8, "{trial:?}");
        let is_lock = ["dekker", "bakery"].contains(&trial.point.as_str());
        match trial.algorithm.as_str() {
            "explore" => assert_eq!(trial.pairs, None),
            "monitor-tso" | "monitor-sober" => {
                assert_eq!(trial.pairs.unwrap() > 0, is_lock, "{trial:?}")
            }
            _ => assert!(trial.pairs.unwrap() > 0, "{trial:?}"),
        }
    }
    let words: Vec<&str> = trials[1].command.split(' ').skip(1).collect();
    assert!(output(&words).contains(&trials[1].trace_hash[..16]));
    let message = error(&[&words[..], &["--save", &folder.path("h.json")]].concat());
    assert!(message.contains("explores programs"), "{message}");
    let claims = folder.path("claims.csv");
    output(&["report", &path, "--claims", &claims]);
    let claims = fs::read_to_string(claims).unwrap();
    // Quick runs show their numbers, and no claim is decided by them.
    for (claim, ours) in [("burnim-tso", "0 of 5"), ("burnim-pso", "7 of 7")] {
        let row = claims.lines().find(|line| line.starts_with(claim)).unwrap();
        assert!(row.contains(ours) && row.contains(",untested,"), "{row}");
    }
}
