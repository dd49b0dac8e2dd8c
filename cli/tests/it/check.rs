//! `rubric check` and `rubric verify` as a user runs them.

use std::fs;
use std::path::Path;

use crate::common::{Folder, LITMUS, TRACES, error, output, output_of, rubric};
use serde_json::Value;

/// The lines of `--format json`.
fn verdicts(arguments: &[&str], status: i32) -> Vec<Value> {
    let arguments = [&["check", "--format", "json"], arguments].concat();
    output_of(&arguments, status).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Replaces times in a text, which differ from run to run.
fn timeless(text: &str) -> String {
    let blank = |line: &str| match line.rfind(", ").zip(line.rfind(" s)")) {
        Some((from, to)) if from < to => format!("{}, TIME s)", &line[..from]),
        _ => line.to_owned(),
    };
    text.lines().map(|line| blank(line) + "\n").collect()
}

/// A violation of SC that saturation does not see ("Boosting", Fig. 1c).
const HIDDEN: &str = "\
# fig1c
0: M[2] == 2
0: M[1] := 2
0: M[0] == 1
1: M[0] := 1
1: M[1] := 1
1: M[2] := 1
2: M[3] := 1
2: M[4] := 1
2: M[2] := 2
3: M[2] == 2
3: M[0] := 2
3: M[1] == 1
4: M[2] == 1
4: M[3] := 2
4: M[4] == 1
5: M[2] == 1
5: M[4] := 2
5: M[3] == 1
check
";

#[test]
fn text_for_a_person() {
    let arguments = [&["check", "--model", "sc,tso,pso"], TRACES.as_slice()].concat();
    insta::assert_snapshot!("check_traces", timeless(&output_of(&arguments, 1)));
}

#[test]
fn text_of_a_proof_by_cases() {
    let folder = Folder::new();
    folder.file("fig1c.axe", HIDDEN);
    let assert = rubric(&["check", "fig1c.axe"]).current_dir(folder.0.path()).assert().code(1);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    insta::assert_snapshot!("check_cases", timeless(&text));
}

/// Histories of the papers' figures.
const FIGURES: &str = "fixtures/criteria/figures.axe";

#[test]
fn text_of_weak_criteria() {
    let texts = ["ccm", "wccm"]
        .map(|algorithm| timeless(&output_of(&["check", "--algorithm", algorithm, FIGURES], 1)));
    insta::assert_snapshot!("check_criteria", texts.concat());
}

#[test]
fn json_of_weak_criteria_and_their_certificates() {
    let folder = Folder::new();
    let proofs = folder.path("proofs");
    for criterion in ["cc", "ccv", "cm", "ccm", "wccm"] {
        let figures = ["--algorithm", criterion, "--certificate", &proofs, FIGURES];
        let broken = i32::from(criterion != "cc");
        for found in verdicts(&figures, broken) {
            assert_eq!(found["criterion"], criterion);
            assert_eq!(found["decided_by"], criterion);
            let violation = &found["violation"];
            let Some(certificate) = found["certificate"].as_str() else {
                assert_eq!(found["verdict"], "consistent");
                assert!(violation.is_null());
                continue;
            };
            assert_eq!(violation["kind"], "cycle");
            assert!(violation["relation"].is_string());
            assert!(violation["cycle"].as_array().unwrap().len() >= 2);
            assert!(certificate.ends_with(&format!(".{criterion}.cert")));
            let text = output(&["verify", FIGURES, certificate]);
            assert!(text.contains(&format!("does not satisfy {criterion}")), "{text}");
        }
    }
}

#[test]
fn a_criterion_is_asked_about_a_model_that_implies_it() {
    let message = error(&["check", "--algorithm", "ccm", "--model", "tso", FIGURES]);
    assert!(message.contains("says nothing about TSO"), "{message}");
}

#[test]
fn json_has_a_line_for_each_history_and_model() {
    let found = verdicts(&["--model", "sc,tso,pso", TRACES[3]], 1);
    let models: Vec<&str> = found.iter().map(|v| v["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["sc", "tso", "pso"]);
    let first = &found[0];
    assert_eq!(first["verdict"], "violation");
    assert_eq!(first["threads"], 4);
    assert_eq!(first["operations"], 400);
    assert_eq!(first["source"], "client");
    assert_eq!(first["protocol"], "MESI_Two_Level");
    assert_eq!(first["history"], Value::Null);
    assert!(first["seconds"].is_number());
    let cycle = first["violation"]["cycle"].as_array().unwrap();
    assert!(cycle.len() >= 2);
    for step in cycle {
        assert!(["po", "rf", "co", "fr"].contains(&step["edge"].as_str().unwrap()));
        for key in ["thread", "index", "line", "address"] {
            assert!(step[key].is_number(), "{key} of {step}");
        }
    }
    assert_eq!(found[1]["verdict"], "consistent");
    assert!(found[1].get("violation").is_none());
}

#[test]
fn litmus_tests_have_their_verdicts() {
    let table = fs::read_to_string(Path::new("../fixtures/litmus/verdicts.csv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|n| *n == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for (models, rmw, name) in [
        ("sc", "own", "sc"),
        ("tso", "own", "tso"),
        ("pso", "own", "pso"),
        ("pso", "all", "pso_flush_all"),
    ] {
        let found = verdicts(&["--model", models, "--pso-rmw", rmw, LITMUS], 1);
        assert_eq!(found.len(), rows.len());
        for (verdict, row) in found.iter().zip(&rows) {
            assert_eq!(verdict["history"], row[column("name")]);
            let expected = match row[column(name)] {
                "1" => "consistent",
                _ => "violation",
            };
            assert_eq!(verdict["verdict"], expected, "{row:?} {name}");
        }
    }
}

#[test]
fn exit_statuses() {
    let folder = Folder::new();
    let hidden = folder.file("hidden.axe", HIDDEN);
    let broken = folder.file("broken.axe", "0: M[1] = 1\n");
    let (consistent, violation) = (TRACES[0], TRACES[1]);
    rubric(&["check", consistent]).assert().code(0);
    rubric(&["check", violation]).assert().code(1);
    rubric(&["check", "--algorithm", "saturate", &hidden]).assert().code(3);
    rubric(&["check", consistent, violation]).assert().code(1);
    rubric(&["check", "--algorithm", "saturate", &hidden, violation]).assert().code(1);
    // If an input cannot be read, the remaining inputs are still checked.
    let assert = rubric(&["check", &broken, violation, "nowhere"]).assert().code(2);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("violation"), "{text}");
    for usage in [
        vec!["check"],
        vec!["check", "--model", "rc", consistent],
        vec!["check", "--algorithm", "magic", consistent],
        vec!["check", "--timeout", "-1", consistent],
        vec!["check", "--timeout", "soon", consistent],
    ] {
        rubric(&usage).assert().code(2).stdout("");
    }
}

#[test]
fn stages_alone() {
    let folder = Folder::new();
    let hidden = folder.file("hidden.axe", HIDDEN);
    for (algorithm, verdict) in [
        ("stages", "violation"),
        ("complete", "violation"),
        ("saturate", "undecided"),
        ("trace-order", "undecided"),
    ] {
        let status = if verdict == "violation" { 1 } else { 3 };
        let found = verdicts(&["--algorithm", algorithm, &hidden], status);
        assert_eq!(found[0]["verdict"], verdict, "{algorithm}");
    }
    let found = verdicts(&["--algorithm", "complete", "--max-contradictions", "1", &hidden], 3);
    assert!(found[0]["reason"].as_str().unwrap().contains("--max-contradictions"));
    let found = verdicts(&["--algorithm", "trace-order", TRACES[0]], 0);
    assert_eq!(found[0]["decided_by"], "trace-order");
}

#[test]
fn standard_input_and_no_colour_in_a_pipe() {
    let trace = fs::read(Path::new("..").join(TRACES[1])).unwrap();
    let assert = rubric(&["check", "-"]).write_stdin(trace).assert().code(1);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn a_file_where_certificates_should_go_is_named() {
    let folder = Folder::new();
    let file = folder.file("proofs", "something else");
    let message = error(&["check", "--certificate", &file, TRACES[0]]);
    assert!(message.contains(&file) && message.contains("name another folder"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "something else");
}

#[test]
fn certificates_are_verified_and_the_wrong_ones_refused() {
    let folder = Folder::new();
    let proofs = folder.path("proofs");
    for trace in TRACES {
        let found = verdicts(
            &["--model", "sc,tso,pso", "--certificate", &proofs, trace],
            if [1, 3, 5].iter().any(|&at| TRACES[at] == trace) { 1 } else { 0 },
        );
        for verdict in found {
            let certificate = verdict["certificate"].as_str().unwrap();
            let text = output(&["verify", trace, certificate]);
            assert!(text.starts_with("verified: "), "{text}");
            let other = if trace == TRACES[0] { TRACES[2] } else { TRACES[0] };
            let message = error(&["verify", other, certificate]);
            // The message says for which trace the certificate is, and which trace was given.
            let name = |trace: &str| trace.rsplit('/').next().unwrap().to_owned();
            let claimed = format!("it is for {} (", name(trace));
            let this = format!("and this is {other} (");
            assert!(message.contains(&claimed) && message.contains(&this), "{message}");
            assert!(message.contains(" threads, ") && message.contains("digest "), "{message}");
            // A certificate of an older version does not name its trace.
            let old = fs::read_to_string(certificate).unwrap();
            let is_new = |line: &&str| {
                let mut keys = ["file ", "threads ", "operations "].into_iter();
                keys.any(|key| line.starts_with(key))
            };
            let old: String =
                old.lines().filter(|line| !is_new(line)).map(|line| format!("{line}\n")).collect();
            let old = folder.file("old.cert", old);
            assert!(output(&["verify", trace, &old]).starts_with("verified: "));
            let message = error(&["verify", other, &old]);
            assert!(message.contains("it is for a history (digest "), "{message}");
        }
    }
    let certificate = format!("{proofs}/mi-2x50-io-11.trace.gz.sc.cert");
    let text = fs::read_to_string(&certificate).unwrap();
    // The damages: two steps exchanged, a step missing, another model, another verdict, the end cut off, no text.
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("x ")).unwrap();
    let mut exchanged = lines.clone();
    exchanged.swap(first, lines.len() - 2);
    let mut missing = lines.clone();
    missing.remove(first + 5);
    for damaged in [
        exchanged.join("\n"),
        missing.join("\n"),
        text.replace("verdict consistent", "verdict violation"),
        text.replace("source ruby", "source client"),
        text[..text.len() / 2].to_owned(),
        "rubbish".to_owned(),
        String::new(),
    ] {
        let damaged = folder.file("damaged.cert", damaged);
        error(&["verify", TRACES[4], &damaged]);
    }
}

#[test]
fn a_certificate_says_how_its_history_was_read() {
    let folder = Folder::new();
    let proofs = folder.path("proofs");
    let range = ["--addresses", "0x1000-0x1080", "--source", "ruby"];
    let arguments = [&range, ["--certificate", proofs.as_str()].as_slice(), &[TRACES[3]]].concat();
    let found = verdicts(&arguments, 0);
    let certificate = found[0]["certificate"].as_str().unwrap();
    output(&["verify", TRACES[3], certificate]);
    error(&["verify", "--source", "client", TRACES[3], certificate]);
}

#[test]
fn initial_values_from_a_file_go_with_the_certificates_options() {
    let folder = Folder::new();
    let proofs = folder.path("proofs");
    let initial = folder.file("initial", "0x1000 0\n");
    let arguments =
        ["--initial", &initial, "--source", "ruby", "--certificate", &proofs, TRACES[3]];
    let found = verdicts(&arguments, 0);
    let certificate = found[0]["certificate"].as_str().unwrap();
    assert!(error(&["verify", TRACES[3], certificate]).contains("--initial FILE"));
    output(&["verify", "--initial", &initial, TRACES[3], certificate]);
}

/// Writes before the selected ticks supply values that are read in the selection. That is no violation.
#[test]
fn a_selection_in_time_makes_no_violations() {
    for trace in [TRACES[0], TRACES[2], TRACES[3], TRACES[4]] {
        for tick in ["500", "1500"] {
            for window in ["--from-tick", "--to-tick"] {
                for initial in ["zero", "infer"] {
                    let found =
                        verdicts(&[window, tick, "--model", "tso", "--initial", initial, trace], 0);
                    assert_eq!(found[0]["verdict"], "consistent", "{trace} {window} {tick}");
                }
            }
        }
    }
}

#[test]
fn a_broken_pipe_does_not_hide_a_violation() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rubric"))
        .args(["check", "--format", "json", "--model", "sc,tso,pso", LITMUS])
        .current_dir("..")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.is_empty());
}

#[test]
fn an_undecided_verdict_leaves_no_certificate_behind() {
    let folder = Folder::new();
    let (hidden, proofs) = (folder.file("hidden.axe", HIDDEN), folder.path("proofs"));
    let found = verdicts(&["--certificate", &proofs, &hidden], 1);
    let certificate = found[0]["certificate"].as_str().unwrap();
    assert!(Path::new(certificate).exists());
    verdicts(&["--certificate", &proofs, "--algorithm", "saturate", &hidden], 3);
    assert!(!Path::new(certificate).exists());
}

#[test]
fn a_selection_of_nothing_is_an_error() {
    for selection in [["--addresses", "0x9000-0x9100"], ["--from-tick", "99999999"]] {
        let message = error(&["check", selection[0], selection[1], TRACES[0]]);
        assert!(message.contains("no operation is selected"), "{message}");
    }
}

#[test]
fn values_that_do_not_fit_the_size_given_are_an_error() {
    let message = error(&["check", "--access-size", "4", TRACES[3]]);
    assert!(message.contains("--access-size") && message.contains("line "), "{message}");
}

#[test]
fn a_value_written_twice_is_refused_with_both_lines() {
    let folder = Folder::new();
    let twice = folder.file("twice.axe", "# t\n0: M[0] := 1\n1: M[0] := 1\n1: M[0] == 1\n");
    let message = error(&["check", &twice]);
    for part in ["line 3", "line 2", "--ambiguous search", "twice.axe"] {
        assert!(message.contains(part), "{message}");
    }
    let initial = folder.file("initial.axe", "# t\n0: M[0] := 0\n1: M[0] == 0\n");
    assert!(error(&["check", &initial]).contains("from the start"));
}

#[test]
fn conversions_share_certificates() {
    let folder = Folder::new();
    let proofs = folder.path("proofs");
    let found = verdicts(&["--certificate", &proofs, TRACES[1]], 1);
    let certificate = found[0]["certificate"].as_str().unwrap();
    for name in ["run.parquet", "run.json"] {
        let converted = folder.path(name);
        output(&["convert", TRACES[1], &converted]);
        output(&["verify", &converted, certificate]);
    }
}

/// Every recorded trace has the verdicts of the manifest, and its certificates are verified.
#[test]
#[ignore = "needs ../shared"]
fn recorded_traces() {
    let folder = Folder::new();
    let proofs = folder.path("proofs");
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/gem5/traces");
    let manifest = fs::read_to_string(traces.join("manifest.csv")).unwrap();
    // The flags are quoted and hold commas; no other column does.
    let rows = manifest.lines().map(|line| {
        let quoted = line.split('"').enumerate();
        let plain = quoted.map(|(at, part)| if at % 2 == 1 { "" } else { part });
        plain.collect::<String>()
    });
    let rows: Vec<Vec<String>> =
        rows.map(|row| row.split(',').map(str::to_owned).collect()).collect();
    let column = |row: &[String], name: &str| {
        let at = rows[0].iter().position(|n| n == name).unwrap();
        row[at].clone()
    };
    for row in &rows[1..] {
        let name = column(row, "file");
        let trace = traces.join(&name).to_str().unwrap().to_owned();
        let addresses = column(row, "addresses");
        let mut arguments = vec!["check", "--format", "json", "--model", "sc,tso"];
        arguments.extend(["--certificate", &proofs, &trace]);
        if !addresses.is_empty() {
            arguments.extend(["--addresses", &addresses]);
        }
        let found = rubric(&arguments).output().unwrap();
        for line in String::from_utf8(found.stdout).unwrap().lines() {
            let verdict: Value = serde_json::from_str(line).unwrap();
            for count in ["threads", "operations", "locations"] {
                assert_eq!(verdict[count].to_string(), column(row, count), "{name}");
            }
            assert_eq!(verdict["source"], column(row, "source"), "{name}");
            match column(row, verdict["model"].as_str().unwrap()).as_str() {
                "1" => assert_eq!(verdict["verdict"], "consistent", "{name}"),
                "0" => assert_eq!(verdict["verdict"], "violation", "{name}"),
                _ => {}
            }
            output(&["verify", &trace, verdict["certificate"].as_str().unwrap()]);
        }
    }
}

/// Traces of gem5's own testers access single bytes, whose values repeat.
#[test]
#[ignore = "needs ../shared"]
fn stock_testers() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/gem5/traces");
    let trace = |name: &str| traces.join(name).to_str().unwrap().to_owned();
    let memtest = trace("stock-memtest-MESI_Two_Level.trace.gz");
    for verdict in verdicts(&["--model", "sc,tso,pso", &memtest], 0) {
        assert_eq!(verdict["operations"], 337);
        assert_eq!(verdict["sizes"], "recorded");
    }
    let random = trace("stock-random-MESI_Two_Level.trace.gz");
    let message = error(&["check", &random]);
    assert!(message.contains("twice, first at line"), "{message}");
    assert!(message.contains("--ambiguous search"), "{message}");
    let found = verdicts(&["--ambiguous", "search", "--model", "sc,tso,pso", &random], 0);
    assert_eq!(found.len(), 3);
}

/// Two stores to a location, and a reader that sees them in one order.
const ORDERED: &str =
    "0: M[1] := 1\n1: M[1] := 2\n2: M[1] == 1\n2: M[1] == 2\n3: M[2] := 1\ncheck\n";

#[test]
fn a_store_order_is_given() {
    let folder = Folder::new();
    let trace = folder.file("t.axe", ORDERED);
    let check = |order: &str, status| {
        let arguments = ["--algorithm", "tso-baseline", "--store-order", order, &trace];
        verdicts(&arguments, status)
    };
    let right = folder.file("right", "# both\n1: 1\n1: 0x2\n");
    assert_eq!(check(&right, 0)[0]["verdict"], "consistent");
    let wrong = folder.file("wrong", "1: 2 1\n");
    let found = check(&wrong, 3);
    assert_eq!(found[0]["verdict"], "undecided");
    let reason = found[0]["reason"].as_str().unwrap();
    assert!(reason.contains("store order that was given"), "{reason}");
    let partial = folder.file("partial", "1: 2\n");
    let arguments = ["check", "--algorithm", "heu", "--store-order", &partial, &trace];
    let message = error(&arguments);
    let expected = "partial:1: store M[1] := 1 (thread 0, line 1 of the trace) is missing";
    assert!(message.contains(expected), "{message}");
    let two = folder.file("two.axe", ORDERED.repeat(2));
    let message = error(&["check", "--algorithm", "heu", "--store-order", &right, &two]);
    assert!(message.contains("two.axe has 2"), "{message}");
}

#[test]
fn options_of_the_tso_tool_are_for_it_alone() {
    let folder = Folder::new();
    let trace = folder.file("t.axe", ORDERED);
    let order = folder.file("order", "1: 1 2\n");
    let message = error(&["check", "--store-order", &order, &trace]);
    assert!(
        message.contains(
            "tso-baseline, tso-baseline-figure, hpca-r8, heu, deriv, heu-back, deriv-back"
        )
    );
    let message = error(&["check", "--algorithm", "hpca-r8", "--no-baseline", &trace]);
    assert!(message.contains("heu, deriv, heu-back, deriv-back, not for hpca-r8"));
}

#[test]
fn backtracking_is_reported() {
    let folder = Folder::new();
    let trace = folder.file("t.axe", ORDERED);
    let arguments = ["--algorithm", "heu-back", "--no-baseline", &trace];
    let found = verdicts(&arguments, 0);
    assert_eq!(found[0]["decided_by"], "heu-back");
    let (number, depth) = (&found[0]["backtracks"], &found[0]["depth"]);
    assert_eq!((number.as_u64(), depth.as_u64()), (Some(0), Some(0)));
    let text = output(&[&["check"], &arguments[..]].concat());
    assert!(text.contains("\n  no backtracks\n"), "{text}");
}

#[test]
fn an_empty_file_is_an_empty_history() {
    let folder = Folder::new();
    for text in ["", "# nothing\n"] {
        let file = folder.path("empty.axe");
        fs::write(&file, text).unwrap();
        let output = output_of(&["check", "--model", "sc,sc", &file], 3);
        assert!(output.contains("the file is empty"), "{output}");
        assert!(output.contains("was gem5 run with --debug-flags"), "{output}");
        assert_eq!(output.matches("undecided").count(), 1, "{output}");
    }
}
