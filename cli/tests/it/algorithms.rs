//! The papers' algorithms, limits and kernels as a user runs them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::common::{Folder, LITMUS, TRACES, error, output, output_of, rubric};
use serde_json::Value;

/// The lines of JSON that a run prints.
fn lines(arguments: &[&str], status: i32) -> Vec<Value> {
    output_of(arguments, status).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Store buffering: SC forbids it, TSO does not.
const STORE_BUFFERING: &str = "\
# SB
0: M[0] := 1
0: M[1] == 0
1: M[1] := 1
1: M[0] == 0
check
";

/// A history that keeps most algorithms busy for a while.
fn busy(folder: &Folder) -> String {
    let path = folder.path("busy.axe");
    let recipe = ["--model", "sc", "--threads", "8", "--operations", "3K", "--seed", "3"];
    let place = ["--locations", "16", "-o", &path];
    output(&[["generate"].as_slice(), &recipe, &place].concat());
    path
}

#[test]
fn all_of_them_agree() {
    let folder = Folder::new();
    let file = folder.file("sb.axe", STORE_BUFFERING);
    let all = ["check", "--algorithm", "all", "--format", "json", "--model", "sc,tso", &file];
    let found = lines(&all, 1);
    let mut by_model: HashMap<&str, Vec<&Value>> = HashMap::new();
    for line in &found {
        by_model.entry(line["model"].as_str().unwrap()).or_default().push(line);
    }
    assert_eq!((by_model["sc"].len(), by_model["tso"].len()), (34, 22));
    let said = |model: &str, algorithm: &str| {
        let mut lines = by_model[model].iter();
        let line = lines.find(|line| line["algorithm"] == algorithm).unwrap();
        line["verdict"].as_str().unwrap().to_owned()
    };
    for algorithm in ["stages", "sat", "sc-sat", "sc-ccm-enum", "ccm", "wsc", "dbcop", "heu-back"] {
        assert_eq!(said("sc", algorithm), "violation", "{algorithm}");
    }
    for algorithm in ["cc", "ccv"] {
        assert_eq!(said("sc", algorithm), "consistent", "{algorithm}");
    }
    for algorithm in ["stages", "sat", "tso-sat", "tso-wccm-sat", "wccm", "wtso", "deriv-back"] {
        assert_eq!(said("tso", algorithm), "consistent", "{algorithm}");
    }
}

#[test]
fn all_of_them_as_a_table() {
    let folder = Folder::new();
    folder.file("sb.axe", STORE_BUFFERING);
    let assert = rubric(&["check", "--algorithm", "all", "sb.axe"])
        .current_dir(folder.0.path())
        .assert()
        .code(1);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    insta::assert_snapshot!("check_all", timeless(&text));
}

/// Replaces times in a text. Seconds are the only numbers with three decimals.
fn timeless(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for point in (1..chars.len().saturating_sub(4)).filter(|&at| text.as_bytes()[at] == b'.') {
        let decimals = chars[point + 1..].iter().take_while(|c| c.is_ascii_digit());
        if decimals.count() == 3 {
            chars[point + 1..point + 4].fill('0');
        }
    }
    chars.into_iter().collect()
}

#[test]
fn gradual_checking_says_which_criterion_fired() {
    let figures = "fixtures/criteria/figures.axe";
    let found = lines(&["check", "--algorithm", "sc-ccm-enum", "--format", "json", figures], 1);
    let fired = |name: &str| {
        let mut lines = found.iter();
        let line = lines.find(|line| line["history"] == name).unwrap();
        line["fired"].as_str().map(str::to_owned)
    };
    assert_eq!(fired("CAV2019-fig1a").as_deref(), Some("ccv"));
    assert_eq!(fired("CAV2019-fig1c").as_deref(), Some("ccm"));
    assert_eq!(fired("CAV2019-fig1d"), None);
}

#[test]
fn what_is_not_proved_by_an_algorithm_is_proved_all_the_same() {
    let folder = Folder::new();
    let file = folder.file("sb.axe", STORE_BUFFERING);
    let proofs = folder.path("proofs");
    for algorithm in ["dbcop", "sc-sat", "tso-baseline", "wsc-guess1"] {
        let check = ["check", "--algorithm", algorithm, "--certificate", &proofs, &file];
        output_of(&check, 1);
        output(&["verify", &file, &format!("{proofs}/sb.axe.SB.sc.cert")]);
        std::fs::remove_dir_all(&proofs).unwrap();
    }
}

/// Every algorithm stops soon after a limit is reached, and says which limit it was.
#[test]
fn limits_end_in_undecided() {
    let folder = Folder::new();
    let file = busy(&folder);
    let help = output(&["check", "-h"]);
    let names = help.split("possible values: stages").nth(1).unwrap();
    let names = names.split(']').next().unwrap().split(',').map(str::trim);
    let names: Vec<&str> = names.filter(|name| !["", "all"].contains(name)).collect();
    assert_eq!(names.len(), 41);
    for name in names.into_iter().chain(["stages"]) {
        for (limit, reason) in
            [(["--timeout", "0"], "time limit"), (["--max-memory", "1MB"], "memory")]
        {
            let limited = ["check", "--algorithm", name, limit[0], limit[1], "--format", "json"];
            let found = lines(&[limited.as_slice(), &[&file]].concat(), 3);
            let said = found[0]["reason"].as_str().unwrap();
            assert!(said.contains(reason), "{name} {limit:?}: {said}");
        }
    }
    let start = Instant::now();
    for name in ["sc-sat", "dbcop", "wsc-guess1", "heu-back"] {
        let limited = ["check", "--algorithm", name, "--timeout", "0.3", &file];
        let ended = rubric(&limited).assert().get_output().status.code();
        assert!(matches!(ended, Some(0 | 3)), "{name} {ended:?}");
    }
    // The bound is generous: an algorithm without limits takes minutes.
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn kernels() {
    let ring = "fixtures/hard/ring.axe";
    let found = lines(&["kernel", "--pairs", "--format", "json", ring], 0);
    assert_eq!(found[0]["write_pairs"], 3);
    assert_eq!(found[0]["kernel"], 1);
    let by: Vec<&String> = found[0]["by"].as_object().unwrap().keys().collect();
    assert_eq!(by, ["ccm", "ccv", "wsc"]);
    assert_eq!(found[0]["by"]["wsc"], 0);
    assert_eq!(found[0]["pairs"], serde_json::json!([["2", "1", "2"]]));
    let text = output(&["kernel", "--model", "tso", "--pairs", ring]);
    assert!(text.contains("2: 1 < 2") && text.contains("wtso"), "{text}");

    let folder = Folder::new();
    let file = folder.file("sb.axe", STORE_BUFFERING);
    let found = lines(&["kernel", "--format", "json", "--pairs", &file], 1);
    assert_eq!(found[0]["verdict"], "violation");
    assert!(found[0]["kernel"].is_null() && found[0]["by"]["wsc"].is_null());
    let found = lines(&["kernel", "--model", "tso", "--format", "json", &file], 0);
    assert_eq!(found[0]["by"], serde_json::json!({"wccm": 0, "wtso": 0}));
    let found = lines(&["kernel", "--timeout", "0", "--format", "json", &busy(&folder)], 3);
    assert!(found[0]["kernel"].is_null());
    output(&["kernel", TRACES[4], "--pairs"]);
    assert!(output_of(&["kernel", LITMUS], 1).contains("no kernel"));
}

#[test]
fn values_written_twice() {
    let folder = Folder::new();
    let twice =
        "# twice\n0: M[0] := 1\n1: M[0] := 1\n1: M[0] := 2\n2: M[0] == 2\n2: M[0] == 1\ncheck\n";
    let file = folder.file("twice.axe", twice);
    let message = error(&["kernel", &file]);
    for part in ["line 3", "line 2", "unique values"] {
        assert!(message.contains(part), "{message}");
    }
    let proofs = folder.path("proofs");
    let search = ["check", "--ambiguous", "search", "--certificate", &proofs];
    output(&[search.as_slice(), &[&file]].concat());
    let certificate = std::fs::read_to_string(format!("{proofs}/twice.axe.twice.sc.cert")).unwrap();
    assert!(certificate.contains("reads-from 2:1 0:0"), "{certificate}");
    output(&["verify", &file, &format!("{proofs}/twice.axe.twice.sc.cert")]);
    let weak = "# weak\n0: M[0] := 1\n1: M[0] := 1\n2: M[0] == 1\ncheck\n";
    let weak = folder.file("weak.axe", weak);
    output(&[search.as_slice(), &["--model", "rvwmo", &weak]].concat());
    output(&["verify", &weak, &format!("{proofs}/weak.axe.weak.rvwmo.cert")]);

    let wrong = twice.replace("2: M[0] == 1", "2: M[0] == 0\n2: M[0] == 1\n0: M[0] == 2");
    let file = folder.file("wrong.axe", wrong);
    let text = output_of(&[search.as_slice(), &[&file]].concat(), 1);
    output(&["verify", &file, &format!("{proofs}/wrong.axe.twice.sc.cert")]);
    assert!(text.contains("violation"), "{text}");
}
