//! `rubric ingest`, `convert` and `stats` as a user runs them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use crate::common::{Folder, LITMUS, TRACES, error, output, output_of, rubric};

/// A file as JSON with one history per line, which is the same whatever format the history came from.
fn json_of(path: &str) -> String {
    output(&["convert", path, "-o", "-", "--to", "json"])
}

#[test]
fn stats_of_a_trace() {
    insta::assert_snapshot!(output(&["stats", TRACES[4]]));
}

#[test]
fn stats_of_a_clients_trace() {
    insta::assert_snapshot!(output(&["stats", TRACES[3]]));
    let ruby = output(&["stats", TRACES[3], "--source", "ruby"]);
    assert!(ruby.contains("operations    274"), "{ruby}");
}

#[test]
fn stats_of_litmus_tests() {
    insta::assert_snapshot!(output(&["stats", LITMUS]));
}

#[test]
fn stats_as_json() {
    let text = output(&["stats", TRACES[4], "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn help_has_examples_for_every_command() {
    for command in ["ingest", "convert", "generate", "stats"] {
        let help = output(&[command, "--help"]);
        assert!(help.contains("Examples:"), "{help}");
        assert!(help.contains(&format!("rubric {command} ")), "{help}");
    }
    assert!(output(&["--help"]).contains("Exit status"));
    assert!(output(&["--version"]).starts_with("rubric "));
}

#[test]
fn every_format_holds_a_trace() {
    let folder = Folder::new();
    for trace in TRACES {
        let whole = json_of(trace);
        let [parquet, json, again] =
            ["a.parquet", "b.jsonl", "c.parquet"].map(|name| folder.path(name));
        output(&["convert", trace, "-o", &parquet]);
        assert_eq!(json_of(&parquet), whole);
        output(&["convert", &parquet, "-o", &json]);
        assert_eq!(fs::read_to_string(&json).unwrap(), whole);
        output(&["convert", &json, "-o", &again]);
        assert!(fs::read(&again).unwrap() == fs::read(&parquet).unwrap());
    }
}

#[test]
fn a_chain_of_formats_keeps_the_histories() {
    let folder = Folder::new();
    for input in [LITMUS, TRACES[0], TRACES[3]] {
        let chain = ["1.axe", "2.parquet", "3.json", "4.axe"].map(|name| folder.path(name));
        output(&["convert", input, "-o", &chain[0]]);
        for pair in chain.windows(2) {
            output(&["convert", &pair[0], &pair[1]]);
        }
        let [first, last] = [&chain[0], &chain[3]].map(|path| fs::read_to_string(path).unwrap());
        if input == LITMUS {
            assert_eq!(first, last);
        }
        // Only the first conversion renumbers, and explains the numbers in comments, so the operations alone are compared.
        let operations = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with(['#', 'c']));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(operations(&first), operations(&last));
    }
}

/// The Axe checker reads nine digits, and values below 2^23.
#[test]
fn axe_text_has_numbers_that_the_axe_checker_reads() {
    let folder = Folder::new();
    let large = r#"{"name":"a","initial":[{"address":4294967296,"size":8,"value":77}],"operations":[{"thread":4000000000,"index":0,"kind":"store","address":4294967296,"size":8,"written":18446744073709551615},{"thread":4000000001,"index":0,"kind":"load","address":4294967296,"size":8,"read":18446744073709551615},{"thread":4000000001,"index":1,"kind":"load","address":4294967296,"size":8,"read":77}]}"#;
    let two = format!("{large}\n{}\n", large.replace("\"a\"", "\"b\""));
    let file = folder.file("large.json", two);
    let axe = folder.path("large.axe");
    output(&["convert", &file, "-o", &axe]);
    let text = fs::read_to_string(&axe).unwrap();
    let one = "# thread 0 is 4000000000\n# thread 1 is 4000000001\n\
               # M[0] is 0x100000000, where 0 is 0x4d, 1 is 0xffffffffffffffff\n\
               0: M[0] := 1\n1: M[0] == 1\n1: M[0] == 0\ncheck\n";
    assert_eq!(text, format!("# a\n{one}# b\n{one}"));
    for input in [&file, &axe] {
        let told = output_of(&["check", "--model", "sc,tso,pso", input], 1);
        let violations = told.lines().filter(|line| line.starts_with("violation  "));
        assert_eq!(violations.count(), 6, "{told}");
    }
    for trace in TRACES {
        let axe = folder.path("trace.axe");
        output(&["convert", trace, "-o", &axe]);
        let text = fs::read_to_string(&axe).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_digit()));
        let is_small =
            |word: &str| word.is_empty() || word.parse::<u32>().is_ok_and(|it| it < 1 << 23);
        assert!(words.into_iter().all(is_small), "{trace}");
        let verdicts = |input: &str| {
            let models = ["check", "--model", "sc,tso,pso", "--format", "json", input];
            let out = rubric(&models).output().unwrap().stdout;
            let lines = String::from_utf8(out).unwrap();
            let verdict = |line: &str| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                value["verdict"].as_str().unwrap().to_owned()
            };
            lines.lines().map(verdict).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(trace), verdicts(&axe), "{trace}");
    }
}

#[test]
fn the_litmus_tests_come_back_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let written = output(&["convert", LITMUS, "-o", "-", "--to", "axe"]);
    assert_eq!(written, fs::read_to_string(root.join(LITMUS)).unwrap());
}

#[test]
fn standard_input_is_any_format() {
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let parquet = folder.path("t.parquet");
    output(&["convert", TRACES[0], &parquet]);
    let json = folder.file("t.json", json_of(TRACES[0]));
    for path in [PathBuf::from(parquet), PathBuf::from(json), root.join(TRACES[0])] {
        let assert = rubric(&["convert", "-", "-o", "-", "--to", "json"])
            .write_stdin(fs::read(&path).unwrap())
            .assert()
            .success();
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        assert_eq!(text, json_of(TRACES[0]), "{}", path.display());
    }
}

#[test]
fn ingest_writes_operations_and_transitions() {
    let folder = Folder::new();
    let path = folder.path("run.parquet");
    rubric(&["ingest", TRACES[4], "-o", &path]).assert().success().stdout("").stderr(format!(
        "rubric: {path}: 100 operations\nrubric: {}: 190 transitions\n",
        folder.path("run.transitions.parquet")
    ));
    assert_eq!(json_of(&path), json_of(TRACES[4]));
    let first = fs::read(&path).unwrap();
    let transitions = fs::read(folder.path("run.transitions.parquet")).unwrap();
    rubric(&["ingest", TRACES[4], "-o", &path, "--quiet"]).assert().success().stderr("");
    assert!(fs::read(&path).unwrap() == first);
    assert!(fs::read(folder.path("run.transitions.parquet")).unwrap() == transitions);

    let axe = folder.path("litmus.parquet");
    output(&["ingest", LITMUS, "-o", &axe]);
    assert!(!Path::new(&folder.path("litmus.transitions.parquet")).exists());
}

#[test]
fn initial_values_come_from_a_file() {
    let folder = Folder::new();
    let axe = folder.file("t.axe", "0: M[16] == 7\n0: M[1] == 0\n");
    let values = folder.file("values", "# address value\n0x10 7\n\n17 0x9 # unused\n");
    let text = output(&["convert", &axe, "-o", "-", "--to", "json", "--initial", &values]);
    assert!(text.contains(r#""initial":[{"address":16,"value":7}]"#), "{text}");
    let inferred = output(&["convert", &axe, "-o", "-", "--to", "json", "--initial", "infer"]);
    assert!(inferred.contains(r#""initial_mode":"infer""#), "{inferred}");
    let parquet = folder.path("t.parquet");
    output(&["convert", &axe, "-o", &parquet]);
    let again = output(&["convert", &parquet, "-o", "-", "--to", "json", "--initial", &values]);
    assert_eq!(again, text);

    for (content, expected) in [
        ("1 2\nx 3\n", ":2: found `x 3`"),
        ("1\n", ":1: found `1`"),
        ("1 2\n0x1 3\n", ":2: address 0x1 has the value 0x3, but 0x2 at line 1"),
        ("1 99999999999999999999\n", ":1: found"),
    ] {
        let values = folder.file("values", content);
        let message = error(&["stats", &axe, "--initial", &values]);
        assert!(message.contains(&format!("{values}{expected}")), "{message}");
    }
    let message = error(&["stats", &axe, "--initial", "absent"]);
    assert!(message.contains("expected zero, infer or a file"), "{message}");
}

#[test]
fn selections_are_made_while_reading() {
    let text = output(&["stats", TRACES[4], "--addresses", "0x1000-0x1040"]);
    assert!(text.contains("locations     1,"), "{text}");
    let folder = Folder::new();
    let parquet = folder.path("t.parquet");
    output(&["convert", TRACES[4], &parquet]);
    for selection in [["--addresses", "1-2"], ["--from-tick", "1"], ["--to-tick", "9"]] {
        let message = error(&["stats", &parquet, selection[0], selection[1]]);
        assert!(message.contains("where the trace itself is read"), "{message}");
    }
    let message = error(&["stats", &parquet, "--source", "exec"]);
    assert!(message.contains("of the source `ruby`"), "{message}");
}

#[test]
fn bad_usage_says_what_was_expected() {
    let cases: [(&[&str], &str); 12] = [
        (&[], "Usage"),
        (&["frobnicate"], "unrecognized subcommand"),
        (&["stats"], "<TRACE>"),
        (&["stats", LITMUS, "--addresses", "12"], "LO-HI"),
        (&["stats", LITMUS, "--addresses", "2-1"], "above the start"),
        (&["stats", LITMUS, "--access-size", "3"], "possible values: 1, 2, 4, 8"),
        (&["stats", LITMUS, "--source", "axe"], "possible values: ruby, client, exec"),
        (&["stats", LITMUS, "--from-tick", "5", "--to-tick", "5"], "nothing is left"),
        (&["convert", LITMUS, "-o", "-"], "add --to axe or --to json"),
        (&["convert", LITMUS, "-o", "out.txt"], ".jsonl, .parquet or .litmus was expected"),
        (&["convert", LITMUS, "-o", "-", "--to", "parquet"], "Parquet needs a file"),
        (&["ingest", LITMUS, "-o", "out.json"], "ends in .parquet"),
    ];
    for (arguments, expected) in cases {
        let assert = rubric(arguments).assert().code(2);
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn bad_input_names_the_file_and_the_line() {
    let folder = Folder::new();
    let good = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(TRACES[4])).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    let cases: [(&str, Vec<u8>, &str); 11] = [
        ("empty", Vec::new(), "is empty"),
        ("binary", (0..=255).collect(), "not text"),
        ("cut.gz", good[..good.len() / 2].to_vec(), "truncated"),
        ("flipped.gz", flipped, "corrupt"),
        ("bad.axe", b"0: M[1] := 1\n0: M[1] = 1\n".to_vec(), "bad.axe:2: "),
        ("cut.axe", b"0: M[1] := 1\n0: M[1".to_vec(), "cut.axe:2: "),
        ("crlf.axe", b"0: M[1] := 1\r\n".to_vec(), "crlf.axe:1: "),
        ("comments.axe", b"# only\n# comments\n".to_vec(), "comments.axe"),
        ("bad.json", b"{\"operations\":[]}\n{\"operations\":3}\n".to_vec(), "bad.json:2: "),
        ("short.parquet", b"PAR1".to_vec(), "not a valid Parquet"),
        ("no.parquet", b"PAR1 and something else PAR1".to_vec(), "not a valid Parquet"),
    ];
    for (name, content, expected) in cases {
        let path = folder.file(name, content);
        let message = error(&["stats", &path]);
        assert!(message.contains(&path) && message.contains(expected), "{name}: {message}");
    }
    let absent = folder.path("absent");
    assert!(error(&["stats", &absent]).contains(&absent));
    let directory = Folder::new();
    assert!(error(&["stats", &directory.path("")]).contains("directory"));
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let folder = Folder::new();
    let axe = folder.file("t.axe", "# a\n0: M[1] := 1\ncheck\n# b\n0: M[1] := 0\n");
    let out = folder.path("out.axe");
    let message = error(&["convert", &axe, "-o", &out]);
    assert!(message.contains("history `b`: operation 0 of thread 0"), "{message}");
    assert!(message.contains("JSON or Parquet"), "{message}");
    assert!(!Path::new(&out).exists());
    for out in ["absent/out.axe", "absent/out.json", "absent/out.parquet"] {
        let message = error(&["convert", LITMUS, "-o", &folder.path(out)]);
        assert!(message.contains(out), "{message}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let mut text = String::new();
    for number in 0..20_000 {
        text += &format!("# a history with a long name, {number}\n0: M[1] := 1\ncheck\n");
    }
    let axe = folder.file("long.axe", text);
    let mut child = Process::new(assert_cmd::cargo::cargo_bin("rubric"))
        .args(["stats", &axe])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let result = child.wait_with_output().unwrap();
    assert!(result.status.success());
    assert_eq!(String::from_utf8_lossy(&result.stderr), "");
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let mut child = Process::new(assert_cmd::cargo::cargo_bin("rubric"))
        .args(["stats", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"0: M[1] := 1\n").unwrap();
    drop(stdin);
    let result = child.wait_with_output().unwrap();
    let text = String::from_utf8(result.stdout).unwrap();
    assert!(text.contains("1: 1 store"), "{text}");
}

#[test]
fn options_keep_their_earlier_names() {
    let folder = Folder::new();
    let axe = folder.path("run.axe");
    output(&["convert", TRACES[0], &axe]);
    let again = output(&["convert", TRACES[0], "-o", "-", "--to", "axe"]);
    assert_eq!(std::fs::read_to_string(&axe).unwrap(), again);
    let pairs: [(&[&str], &[&str]); 4] = [
        (
            &["simulate", "MI_example", "--ops", "5", "--caches", "tiny"],
            &["simulate", "MI_example", "--operations", "5", "--cache-size", "tiny"],
        ),
        (&["generate", "--format", "gem5"], &["generate", "--to", "gem5"]),
        (
            &["protocol", "show", "MI_example", "--format", "dot", "--machine", "L1Cache"],
            &["protocol", "show", "MI_example", "--to", "dot", "--machine", "L1Cache"],
        ),
        (
            &["check", "--algorithm", "complete", "--budget", "0", "--format", "json", TRACES[0]],
            &[
                "check",
                "--algorithm",
                "complete",
                "--max-contradictions",
                "0",
                "--format",
                "json",
                TRACES[0],
            ],
        ),
    ];
    for (earlier, now) in pairs {
        let without_time = |text: String| {
            let lines =
                text.lines().map(|line| line.split("\"seconds\"").next().unwrap_or("").to_owned());
            lines.collect::<Vec<_>>()
        };
        assert_eq!(without_time(output(earlier)), without_time(output(now)));
        let help = output(&[earlier[0], "--help"]);
        assert!(!help.contains("--ops") && !help.contains("--caches "), "{help}");
    }
    rubric(&["explore", "protocol", "MI_example", "--caches", "1", "--lines", "1"])
        .assert()
        .success();
    rubric(&["explore", "memory-system", "serial", "--processors", "1"]).assert().success();
}

#[test]
fn what_was_meant_is_said_where_another_word_is_expected() {
    let refused = error(&["explore", "MI_example"]);
    assert!(refused.contains("'rubric explore protocol MI_example'"), "{refused}");
    let refused = error(&["protocol", "path/to/My_protocol.slicc"]);
    assert!(refused.contains("'rubric protocol check path/to/My_protocol.slicc'"), "{refused}");
    let refused = error(&["MI_example"]);
    assert!(refused.contains("'rubric test MI_example'"), "{refused}");
    let refused = error(&["explore", "protocl"]);
    assert!(refused.contains("'protocol'"), "{refused}");
    for (word, model) in [("x86", "tso"), ("AArch64", "armv8"), ("risc-v", "rvwmo")] {
        let refused = error(&["check", "--model", word, "trace.gz"]);
        let tip = format!("the memory model of {word} is '{model}'");
        assert!(refused.contains(&tip), "{refused}");
    }
    // No kernel is defined for weak models.
    let refused = error(&["kernel", "--model", "arm", "trace.gz"]);
    assert!(!refused.contains("is 'armv8'"), "{refused}");
}

#[test]
fn a_stated_source_is_no_part_of_texts() {
    let folder = Folder::new();
    let history = r#"{"operations":[{"thread":0,"kind":"store","address":1,"written":1},{"thread":0,"kind":"load","address":1,"read":1,"reads_from":[0,0]}]}"#;
    let file = folder.file("h.json", history);
    for format in ["axe", "litmus"] {
        let said = error(&["convert", &file, "-o", &folder.path(&format!("h.{format}"))]);
        assert!(said.contains("states which write it reads"), "{said}");
    }
}

/// A litmus test of one thread that reads x.
fn reads_x(name: &str, condition: &str) -> String {
    format!("AArch64 {name}\n{{ 0:X1=x; }}\nP0 ;\nLDR W0,[X1] ;\n{condition}\n")
}

#[test]
fn a_bad_litmus_test_does_not_lose_the_others() {
    let folder = Folder::new();
    let deep = format!("exists {}x=0{}", "(".repeat(6000), ")".repeat(6000));
    folder.file("a-deep.litmus", reads_x("deep", &deep));
    folder.file("b-not.litmus", reads_x("not", &format!("exists {}x=0", "not ".repeat(9000))));
    folder.file("c-good.litmus", reads_x("good", "exists (0:X0=0)"));
    let printed = rubric(&["litmus", &folder.path("")]).output().unwrap();
    assert_eq!(printed.status.code(), Some(2));
    let text = String::from_utf8(printed.stdout).unwrap();
    assert!(text.contains("Observation good Always 1 0"), "{text}");
    let errors = String::from_utf8(printed.stderr).unwrap();
    for place in ["a-deep.litmus:5: ", "b-not.litmus:5: "] {
        assert!(errors.contains(place) && errors.contains("at most 200"), "{errors}");
    }
}

#[test]
fn limits_stop_a_litmus_test_and_the_others_run() {
    let folder = Folder::new();
    let column = |rows: &str| rows.repeat(6);
    let rows = column(
        "sw x8,0(x6) | sw x9,0(x6) | sw x8,0(x6) ;\nlw x5,0(x6) | lw x5,0(x6) | lw x5,0(x6) ;\n",
    );
    let head = "RISCV long\n{ 0:x6=x; 1:x6=x; 2:x6=x; 0:x8=1; 1:x9=2; 2:x8=3; }\nP0 | P1 | P2 ;\n";
    let long = folder.file("long.litmus", format!("{head}{rows}exists (x=1)\n"));
    let good = folder.file("good.litmus", reads_x("good", "exists (0:X0=0)"));
    let arguments = ["litmus", "--format", "json", "--timeout", "0.3", &long, &good];
    let printed = output_of(&arguments, 3);
    let lines: Vec<serde_json::Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["verdict"], "Undecided");
    assert_eq!(lines[0]["reason"], "timed out after 0.3 s (--timeout)");
    assert!(lines[0]["states"].is_null());
    assert_eq!(lines[1]["verdict"], "Ok");
    let text = output_of(&["litmus", "--max-memory", "1KB", &long], 3);
    assert!(text.contains("Undecided: more than ") && text.contains("--max-memory"), "{text}");
}
