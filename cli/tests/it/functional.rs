//! Functional accesses in runs of `rubric simulate`.

use crate::common::{Folder, output, output_of, rubric};

/// What a command that ends with this status prints on standard error.
fn complaint(arguments: &[&str], status: i32) -> String {
    let assert = rubric(arguments).assert().code(status);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn a_run_with_functional_accesses_is_repeated_by_its_command() {
    let folder = Folder::new();
    let trace = folder.path("a.trace");
    let options = ["--functional", "25", "--suppress-func-errors", "--operations", "80"];
    let mut arguments = vec!["simulate", "MOESI_hammer", "-o", &trace];
    arguments.extend(options);
    output(&arguments);
    let text = std::fs::read_to_string(&trace).unwrap();
    let command = text.lines().next().unwrap().strip_prefix("command line: rubric ").unwrap();
    assert!(command.contains("--functional 25 --suppress-func-errors"), "{command}");
    let again: Vec<&str> = command.split(' ').take_while(|word| *word != "#").collect();
    assert_eq!(output(&again), text);
    // The trace shows the same history as the run itself.
    let said = output(&["check", &trace]);
    assert!(said.contains("consistent sc") && said.contains("320 operations"), "{said}");
    let mut checked = vec!["simulate", "MOESI_hammer", "--check"];
    checked.extend(options);
    let said = complaint(&checked, 0);
    assert!(said.contains(" functional accesses"), "{said}");
    let table = output(&["simulate", "MI_example", "--functional", "10", "--runs", "3", "--check"]);
    assert!(table.contains("MI_example: ") && table.contains(" functional accesses"), "{table}");
}

#[test]
fn a_functional_read_that_fails_ends_the_run_as_in_gem5() {
    let arguments = [
        "simulate",
        "MOESI_hammer",
        "--operations",
        "300",
        "--locations",
        "20",
        "--cache-size",
        "128:1",
        "--functional",
        "30",
    ];
    let run = |more: &[&'static str]| [&arguments[..], more].concat();
    let said = complaint(&run(&["--check"]), 1);
    for wanted in ["Ruby functional read failed for address 0x1", "has permission Busy"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let suppressed = complaint(&run(&["--check", "--suppress-func-errors"]), 0);
    assert!(
        suppressed.contains("found no valid copy and were made in the usual way"),
        "{suppressed}"
    );
}

#[test]
fn only_in_order_cores_make_functional_accesses() {
    let arguments = ["simulate", "MI_example", "--client", "early", "--functional", "10"];
    let said = complaint(&arguments, 2);
    assert!(said.contains("--functional with --client early-8: "), "{said}");
    let said = complaint(&["simulate", "MI_example", "--suppress-func-errors"], 2);
    assert!(said.contains("--functional <PERCENT>"), "{said}");
    let recipe = ["generate", "program", "MI_example", "--recipe", "3+functional10"];
    assert!(complaint(&recipe, 2).contains("leave +functional out"));
    // A test of a protocol gives them to the cores that make them.
    let tested = ["test", "MI_example", "--runs", "2", "--functional", "10", "--no-explore"];
    let said = output_of(&tested, 0);
    assert!(said.contains("MI_example"), "{said}");
}
