//! `rubric generate` as a user runs it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::common::{Folder, error, output, output_of, rubric};
use check::generate::families::Family;
use flate2::read::GzDecoder;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// The arguments for a small history of a model, with more options.
fn small<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["generate", "--model", model, "--operations", "300"];
    words.extend_from_slice(more);
    words
}

/// Checks that every history of a file is consistent with the model. Returns the output of `rubric check`.
fn assert_consistent(model: &str, path: &str) -> String {
    output(&["check", "--model", model, "--format", "json", path])
}

fn without_version(text: &str) -> String {
    text.replacen(env!("CARGO_PKG_VERSION"), "VERSION", 1)
}

/// The command in an axe text's first line, without the program's name, and the version.
fn command_of(text: &str) -> (&str, &str) {
    let name = text.lines().next().unwrap().strip_prefix("# rubric ");
    name.unwrap().split_once(" # version ").unwrap()
}

#[test]
fn a_small_trace() {
    let trace = output(&[
        "generate",
        "--model",
        "tso",
        "--threads",
        "2",
        "--operations",
        "9",
        "--locations",
        "2",
        "--mix",
        "3,3,1,1",
        "--seed",
        "8",
        "--format",
        "gem5",
    ]);
    insta::assert_snapshot!(without_version(&trace));
}

#[test]
fn a_small_axe_text() {
    let text = output(&[
        "generate",
        "--threads",
        "3",
        "--operations",
        "12",
        "--locations",
        "3",
        "--seed",
        "5",
    ]);
    insta::assert_snapshot!(without_version(&text));
}

#[test]
fn every_format_is_consistent_under_the_model() {
    let folder = Folder::new();
    for model in MODELS {
        let mut digests = Vec::new();
        for name in ["a.axe", "a.axe.gz", "a.json", "a.parquet", "a.trace", "a.trace.gz"] {
            let path = folder.path(name);
            output(&small(model, &["--seed", "3", "-o", &path]));
            let verdict = assert_consistent(model, &path);
            let is_ordered = !name.starts_with("a.axe");
            assert_eq!(verdict.contains(r#""decided_by":"trace-order""#), is_ordered, "{verdict}");
            if !name.contains("trace") {
                let axe = output(&["convert", &path, "-o", "-", "--to", "axe"]);
                // JSON and Parquet keep ticks, which axe text has after an `@`, so the text is compared without them.
                let bare = axe.lines().map(|line| line.split(" @").next().unwrap_or(line));
                digests.push(bare.collect::<Vec<_>>().join("\n"));
            }
        }
        assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn weaker_models_violate_stronger_ones() {
    let folder = Folder::new();
    let path = folder.path("tso.axe");
    output(&["generate", "--model", "tso", "--histories", "20", "-o", &path]);
    let verdicts = output_of(&["check", "--model", "sc", "--format", "json", &path], 1);
    assert!(verdicts.matches(r#""verdict":"violation""#).count() > 15);
    assert_consistent("tso", &path);
}

#[test]
fn compressed_text_is_the_same_text() {
    let folder = Folder::new();
    for (format, name) in [("axe", "t.axe.gz"), ("gem5", "t.trace.gz"), ("gem5", "odd.gz")] {
        let path = folder.path(name);
        output(&small("pso", &["--format", format, "-o", &path]));
        let mut text = String::new();
        GzDecoder::new(&fs::read(&path).unwrap()[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, output(&small("pso", &["--format", format])));
    }
}

#[test]
fn a_seed_gives_the_same_bytes() {
    let folder = Folder::new();
    for name in ["s.axe", "s.json", "s.parquet", "s.trace", "s.trace.gz"] {
        let bytes = |seed| {
            let path = folder.path(name);
            output(&small("tso", &["--seed", seed, "--violations", "2", "-o", &path]));
            fs::read(path).unwrap()
        };
        assert!(bytes("1") == bytes("1"), "{name}");
        assert!(bytes("1") != bytes("2"), "{name}");
    }
}

#[test]
fn the_name_is_the_command() {
    for more in [
        &["--seed", "9", "--buffer", "3"][..],
        &["--skew", "0.5", "--threads", "7", "--mix", "1,2,3,4"],
        &["--violations", "2", "--distance", "40", "--locations", "5"],
        &["--pso-rmw", "all"],
    ] {
        for model in MODELS {
            let text = output(&small(model, more));
            let (command, version) = command_of(&text);
            assert_eq!(version, env!("CARGO_PKG_VERSION"));
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(output(&words), text, "{command}");
        }
    }
}

#[test]
fn several_histories_have_their_own_seeds() {
    let whole = output(&small("pso", &["--histories", "3", "--seed", "10"]));
    let one = |seed| output(&small("pso", &["--seed", seed]));
    assert_eq!(whole, one("10") + &one("11") + &one("12"));

    let folder = Folder::new();
    let path = folder.path("three.parquet");
    output(&small("pso", &["--histories", "3", "--seed", "10", "-o", &path]));
    let verdicts = assert_consistent("pso", &path);
    assert_eq!(verdicts.lines().count(), 3);
    assert!(verdicts.lines().nth(2).unwrap().contains("--seed 12"));
}

#[test]
fn re_pointed_reads_are_found_out() {
    let folder = Folder::new();
    let path = folder.path("bad.axe");
    let mut words = small("sc", &["--violations", "3", "--distance", "60"]);
    words.extend(["--histories", "20", "-o", &path]);
    output(&words);
    let verdicts = output_of(&["check", "--format", "json", &path], 1);
    assert!(verdicts.matches(r#""verdict":"violation""#).count() > 15);
    assert!(!verdicts.contains("thin-air"), "{verdicts}");
}

#[test]
fn counts_have_units() {
    let thousand = output(&["generate", "--operations", "1K", "--threads", "2"]);
    assert_eq!(thousand.lines().count(), 1002);
    assert!(thousand.contains("--operations 1000 "));
}

#[test]
fn help_has_examples_and_says_what_a_violation_is() {
    let help = output(&["generate", "--help"]);
    assert!(help.contains("Examples:") && help.contains("rubric generate "), "{help}");
    assert!(help.contains("Not every such history violates the model"), "{help}");
    assert!(help.contains("K (thousands)"), "{help}");
}

#[test]
fn wrong_options_say_what_was_expected() {
    let folder = Folder::new();
    let (odd, zipped) = (folder.path("a.txt"), folder.path("a.parquet.gz"));
    let trace = folder.path("a.trace");
    for (words, expected) in [
        (&["--threads", "0"][..], "no threads: at least 1"),
        (&["--operations", "0"], "no operations"),
        (&["--locations", "0"], "no locations"),
        (&["--threads", "2K"], "2000 threads: at most 1000"),
        (&["--mix", "0,0,0,0"], "every weight of the mix is 0"),
        (&["--model", "tso", "--buffer", "0"], "no room for a store"),
        (&["--skew=-1"], "a skew of -1"),
        (&["--skew", "nan"], "a skew of NaN"),
        (&["--violations", "1K"], "of 1000 reads can be re-pointed"),
        (&["--violations", "1", "--distance", "0"], "no distance"),
        (&["--format", "parquet"], "Parquet needs a file"),
        (&["-o", &odd], "a name that ends in .trace, .axe"),
        (&["-o", &zipped], "a name that ends in .trace, .axe"),
        (&["--histories", "2", "-o", &trace], "holds one history"),
        (&["-o", "absent/a.axe"], "absent/a.axe: "),
        (&["-o", "absent/a.parquet"], "absent/a.parquet: "),
    ] {
        let words: Vec<&str> = ["generate"].iter().chain(words).copied().collect();
        let message = error(&words);
        assert!(message.contains(expected), "{message}");
    }
    for words in [["--mix", "1,2,3"], ["--operations", "1G"], ["--model", "weak"], ["--seed", "x"]]
    {
        let assert = rubric(&["generate", words[0], words[1]]).assert();
        assert.code(2).stdout("");
    }
}

#[test]
fn a_recipe_that_fails_leaves_no_file() {
    let folder = Folder::new();
    for name in ["a.axe", "a.axe.gz", "a.parquet", "a.trace.gz"] {
        let path = folder.path(name);
        let message = error(&["generate", "--violations", "1K", "--seed", "4", "-o", &path]);
        assert!(message.contains("(seed 4)"), "{message}");
        assert!(!fs::exists(&path).unwrap(), "{name}");
    }
}

#[test]
fn hard_histories_have_the_verdict_of_their_family() {
    for (family, status) in [("chain", 0), ("chain-violation", 1)] {
        for model in MODELS {
            let words = ["generate", "--family", family, "--size", "3", "--model", model];
            let folder = Folder::new();
            let path = folder.path("hard.axe");
            let text = output(&words);
            fs::write(&path, &text).unwrap();
            output_of(&["check", "--model", model, &path], status);
            output_of(&["check", "--model", model, "--algorithm", "saturate", &path], 3);
            // The name of the history is the command that generates it.
            let (command, _) = command_of(&text);
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(output(&words), text);
        }
    }
    let copies = output(&["generate", "--family", "ring", "--copies", "5", "--seed", "1"]);
    assert!(copies.contains("--family ring --size 2 --copies 5 --seed 1 "));
    assert_eq!(copies.lines().count(), 2 + 5 * 10);
}

#[test]
fn families_are_listed_with_what_they_are() {
    let help = output(&["generate", "--help"]);
    for family in ["ring", "pairs-violation", "hpca-2c"] {
        assert!(help.contains(&format!("- {family}:")), "{family} {help}");
    }
    let message = error(&["generate", "--family", "ring", "--size", "1"]);
    assert!(message.contains("size 1: ring has sizes from 2 to 1048576"), "{message}");
    let message = error(&["generate", "--family", "ring", "--to", "gem5"]);
    assert!(message.contains("no ticks"), "{message}");
    for words in [
        &["--family", "ring", "--operations", "5"][..],
        &["--family", "ring", "--violations", "1"],
        &["--family", "ring", "--pso-rmw", "all"],
        &["--size", "3"],
        &["--copies", "3"],
        &["--family", "list"],
    ] {
        let words: Vec<&str> = ["generate"].iter().chain(words).copied().collect();
        rubric(&words).assert().code(2).stdout("");
    }
}

/// The commands in the names of a file's histories.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let names = text.lines().filter_map(|line| line.strip_prefix("# rubric "));
    names.map(|name| name.split(' ').take_while(|word| *word != "#").collect()).collect()
}

#[test]
fn the_hard_fixtures_are_what_their_names_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut families = BTreeSet::new();
    for entry in fs::read_dir(root.join("fixtures/hard")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension() != Some("axe".as_ref()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let commands = commands(&text);
        let made: String = commands.iter().map(|words| output(words)).collect();
        assert_eq!(made, text, "{}", path.display());
        let file = path.file_stem().unwrap().to_str().unwrap();
        families.insert(file.to_owned());

        let path = path.to_str().unwrap();
        let is_violation = file.ends_with("-violation");
        let (status, verdict) = if is_violation {
            (1, r#""verdict":"violation""#)
        } else {
            (0, r#""verdict":"consistent""#)
        };
        let all = ["check", "--model", "sc,tso,pso", "--format", "json", path];
        let verdicts = output_of(&all, status);
        assert_eq!(verdicts.matches(verdict).count(), 3 * commands.len(), "{path}");
        let saturate = [&all[..], &["--algorithm", "saturate"]].concat();
        let verdicts = output_of(&saturate, 3);
        let undecided = verdicts.matches(r#""verdict":"undecided""#).count();
        assert_eq!(undecided, 3 * commands.len(), "{path}");
    }
    let expected = Family::all().map(|family| family.name().to_owned());
    let copies = ["copies", "copies-violation"].map(str::to_owned);
    assert_eq!(families, expected.chain(copies).collect());
}

#[test]
fn weak_models_have_programs_of_their_own() {
    let folder = Folder::new();
    for model in ["ztso", "rvwmo", "armv8", "wmo", "rmo"] {
        let path = folder.path("a.json");
        output(&small(model, &["--mix", "40,40,10,10", "--seed", "3", "-o", &path]));
        assert_consistent(model, &path);
        output_of(&["check", &path], 1);
    }
    let text = output(&small("rvwmo", &["--mix", "40,40,10,10", "--dependencies", "50"]));
    for word in ["depends", "acquire-release", "load-linked", "fence r,rw", "--dependencies 50"] {
        assert!(text.contains(word), "{word}");
    }
    let plain =
        ["--dependencies", "0", "--annotations", "0", "--linked", "0", "--weak-fences", "0"];
    let text = output(&small("rvwmo", &plain));
    for word in ["depends", "acquire", "load-linked", "fence r"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn the_ticks_of_wmo_are_written_as_axe_text() {
    let folder = Folder::new();
    let path = folder.path("a.axe");
    output(&small("wmo", &["--linked", "0", "-o", &path]));
    assert_consistent("wmo", &path);
    assert!(fs::read_to_string(&path).unwrap().contains(" @ "));
}

#[test]
fn options_of_weak_models_are_refused_elsewhere() {
    let message = error(&["generate", "--model", "tso", "--window", "4"]);
    assert!(message.contains("--window: only programs for a weak model have that"), "{message}");
    let message = error(&["generate", "--model", "rvwmo", "--to", "gem5"]);
    assert!(message.contains("a gem5 trace cannot show dependencies"), "{message}");
    error(&["generate", "--model", "rvwmo", "--window", "0"]);
}
