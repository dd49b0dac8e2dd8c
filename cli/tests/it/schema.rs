//! The JSON of commands has the schemas that `rubric schema` prints.

use serde_json::Value;

use crate::common::{Folder, TRACES, output, rubric};

/// What is wrong with a value, by the part of JSON Schema that the schemas use.
fn wrong(value: &Value, schema: &Value, place: &str) -> Vec<String> {
    let is_of = |kind: &str| match kind {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        other => panic!("{place}: unknown type {other}"),
    };
    let is_right = match &schema["type"] {
        Value::String(kind) => is_of(kind),
        Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind.as_str().unwrap())),
        _ => schema["enum"].as_array().is_some_and(|words| words.contains(value)),
    };
    if !is_right {
        return vec![format!("{place}: {value} is not {schema}")];
    }
    let mut found = Vec::new();
    for required in schema["required"].as_array().into_iter().flatten() {
        if value.get(required.as_str().unwrap()).is_none() {
            found.push(format!("{place}: {required} is missing"));
        }
    }
    for (key, below) in value.as_object().into_iter().flatten() {
        let place = format!("{place}.{key}");
        match (schema["properties"].get(key), &schema["additionalProperties"]) {
            (Some(schema), _) | (None, schema @ Value::Object(_)) => {
                found.extend(wrong(below, schema, &place));
            }
            (None, Value::Bool(false)) => found.push(format!("{place}: unknown key")),
            (None, _) => {}
        }
    }
    if let (Some(items), Some(schema)) = (value.as_array(), schema.get("items")) {
        found.extend(items.iter().flat_map(|item| wrong(item, schema, place)));
    }
    found
}

/// Holds each line of some text against a schema, and returns the number of lines.
fn hold(name: &str, lines: &str) -> usize {
    let schema: Value = serde_json::from_str(&output(&["schema", name])).unwrap();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let found = wrong(&value, &schema, name);
        assert!(found.is_empty(), "{found:?} in {line}");
    }
    lines.lines().count()
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(rubric(arguments).output().unwrap().stdout).unwrap()
}

#[test]
fn what_is_printed_has_its_schema() {
    let folder = Folder::new();
    let table = folder.path("verdicts.jsonl");
    let proofs = folder.path("proofs");
    let mut arguments = vec!["check", "--format", "json", "--model", "sc,tso,pso"];
    arguments.extend(["--certificate", &proofs, "-o", &table, "no-such-file"]);
    arguments.extend(TRACES);
    assert_eq!(hold("check", &printed(&arguments)), 3 * TRACES.len() + 1);
    let rows = std::fs::read_to_string(&table).unwrap();
    assert_eq!(hold("verdicts", &rows), 3 * TRACES.len() + 1);
    let all = ["check", "--format", "json", "--algorithm", "all", "fixtures/litmus/litmus.axe"];
    assert!(hold("check", &printed(&all)) > 100);
    let kernel = ["kernel", "--format", "json", "--pairs", "--model", "sc,tso", TRACES[0]];
    assert_eq!(hold("kernel", &printed(&kernel)), 2);
    let tests = ["litmus", "--format", "json", "fixtures/litmus/herd/x86_64"];
    assert!(hold("litmus", &printed(&tests)) > 3);
}

#[test]
fn what_is_printed_of_one_trace_has_its_schema() {
    for trace in TRACES {
        for name in ["shrink", "watch"] {
            assert_eq!(hold(name, &printed(&[name, trace, "--format", "json"])), 1);
        }
    }
}

#[test]
fn what_is_printed_of_protocols_has_its_schema() {
    let folder = Folder::new();
    let (fault, changed) = ("mi-dir-putx-not-written", folder.path("changed"));
    let runs = ["simulate", "MI_example", "--runs", "30", "--check", "--format", "json"];
    let failing = [&runs[..], &["--mutant", "mi-l1-nack-before-forward"]].concat();
    for command in [&runs[..], &failing, &[&runs[..], &["--mutant", fault]].concat()] {
        assert_eq!(hold("simulate", &printed(command)), 1);
    }
    output(&["protocol", "source", "MI_example", "--mutant", fault, "-o", &changed]);
    let changed = format!("{changed}/MI_example.slicc");
    // The unchanged protocol is explored, too.
    let explored = ["test", "MI_example", "--runs", "1", "--format", "json"];
    assert_eq!(hold("test", &printed(&explored)), 1);
    let few = ["--runs", "6", "--no-explore", "--format", "json"];
    assert_eq!(hold("test", &printed(&[&["test", &changed], &few[..]].concat())), 1);
    for versions in
        [["MI_example", &changed], [&changed, &changed], ["MI_example", "MESI_Two_Level"]]
    {
        let diff = [&["diff"], &versions[..], &few[..]].concat();
        assert_eq!(hold("diff", &printed(&diff)), 1);
    }
}

#[test]
fn a_schema_says_its_version() {
    let listed = output(&["schema"]);
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let schema: Value = serde_json::from_str(&output(&["schema", words[0]])).unwrap();
        assert_eq!(schema["$id"], format!("urn:rubric:{}:{}", words[0], words[2]));
    }
    assert!(listed.lines().count() >= 9);
}
