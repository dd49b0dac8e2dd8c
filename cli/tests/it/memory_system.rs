//! `rubric explore memory-system`.

use crate::common::{error, output, output_of};

fn memory_system(words: &[&str], status: i32) -> String {
    output_of(&[&["explore", "memory-system"], words].concat(), status)
}

#[test]
fn the_papers_protocol_is_proved() {
    let text = memory_system(&["piranha", "--no-symmetry"], 0);
    assert!(text.contains("k = 1: P1, L1: no cycle; 2581 states"), "{text}");
    assert!(text.contains("k = 2: P1 P2, L1 L2: no cycle; 34177 states"), "{text}");
    assert!(text.contains("consistent sc"), "{text}");
}

#[test]
fn its_earlier_version_has_a_run_with_a_cycle() {
    let few = ["piranha-buggy", "--assumption-states", "1000"];
    let text = memory_system(&few, 1);
    assert!(text.contains("k = 1: P1, L1: a cycle"), "{text}");
    assert!(text.contains("10  R(1,1,0)"), "{text}");
    assert!(text.contains("relative to the simple witness"), "{text}");
    let line = memory_system(&[&few[..], &["--format", "json"]].concat(), 1);
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["verdict"], "cycle");
    for (search, length) in [(0, 10), (1, 12)] {
        let search = &line["searches"][search];
        assert_eq!(search["run"].as_array().unwrap().len(), length);
        assert!(search["cycle"].as_str().unwrap().contains("-P1->"));
    }
}

#[test]
fn the_other_systems() {
    memory_system(&["serial", "--threads", "3", "--locations", "2"], 0);
    for name in ["store-buffer", "lazy-caching"] {
        let simple = ["--witness", "simple", "--assumption-states", "1000"];
        let text = memory_system(&[&[name], &simple[..]].concat(), 1);
        assert!(text.contains("relative to the simple witness"), "{text}");
    }
    let text = memory_system(&["store-buffer"], 1);
    assert!(text.contains("relative to the memory order"), "{text}");
    let line = memory_system(&["lazy-caching", "--locations", "1", "--format", "json"], 0);
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&line["verdict"], &line["witness"]),
        (&"consistent".into(), &"memory-order".into())
    );
}

#[test]
fn limits_are_said() {
    let text = memory_system(&["piranha", "--max-states", "50"], 3);
    assert!(text.contains("no cycle so far; "), "{text}");
    assert!(text.contains("--max-states"), "{text}");
    let text = memory_system(&["piranha", "--timeout", "0", "--format", "json"], 3);
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["verdict"], "undecided");
    assert!(line["reason"].as_str().unwrap().contains("--timeout"));
}

#[test]
fn bad_usage_is_refused() {
    let message = error(&["explore", "memory-system", "mesi"]);
    assert!(message.contains("lazy-caching"), "{message}");
    let message = error(&["explore", "memory-system", "serial", "--threads", "9"]);
    assert!(message.contains("1..=4"), "{message}");
    assert!(output(&["explore", "memory-system", "--help"]).contains("Examples:"));
}
