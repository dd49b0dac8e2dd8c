//! `rubric experiment fidelity`, with a program that stands in for gem5.

use std::fs;

use serde_json::Value;

use super::campaign::binary;
use crate::common::{Folder, failure, lines_of, output, with_fault};

const MUTANT: &str = "mi-l1-nack-before-forward";

#[test]
fn both_places_are_compared() {
    let folder = Folder::new();
    let plain = format!("none={}", binary(&folder, "gem5"));
    let mutant = format!("{MUTANT}={}", binary(&folder, "panic"));
    let out = folder.path("out");
    let arguments = |runs| {
        let fixed = ["experiment", "fidelity", "--quiet", "-o", &out, "--gem5", &plain, &mutant];
        let given = ["--protocol", "MI_example", "--client", "in-order,early-8", "--runs", runs];
        output(&[&fixed[..], &given].concat())
    };
    arguments("2");
    let printed = arguments("6");
    // The journal has a line for the settings, and one for each program, mutant and kind of core.
    let journal = folder.path("out/fidelity.jsonl");
    assert_eq!(lines_of(journal.as_ref()), 1 + 2 * 2 * 6);
    assert!(printed.starts_with("MI_example\n"), "{printed}");
    assert!(printed.contains("transitions of the unmutated protocol: "), "{printed}");
    assert!(printed.contains("The same finder: "), "{printed}");
    assert_eq!(output(&["report", &out]).trim_end(), printed.split("\n\nTables").next().unwrap());
    let json: Value = serde_json::from_str(&output(&["report", &out, "--format", "json"])).unwrap();
    let subjects = json["fidelity"]["subjects"].as_array().unwrap();
    let mutated = &subjects[1];
    assert_eq!(mutated["mutant"], MUTANT);
    // Two of six programs panic, on each kind of core.
    assert_eq!(mutated["gem5"]["finders"], serde_json::json!({"invalid transition": 4}));
    let unmutated = &subjects[0];
    assert_eq!(
        (&unmutated["gem5"]["found"], &unmutated["simulator"]["found"]),
        (&0.into(), &0.into())
    );
    assert!(unmutated["gem5"]["transitions"].as_u64().unwrap() > 100, "{unmutated}");
    let page = folder.path("page.html");
    let figures = folder.path("figures");
    output(&["report", &out, "-o", &page, "--figures", &figures]);
    assert!(fs::read_to_string(page).unwrap().contains("What finds each mutant"));
    assert!(fs::exists(format!("{figures}/fidelity-shares.svg")).unwrap());
}

/// Without a mutant, the page and the terminal say the same about the protocol, which the user gives as a file.
#[test]
fn a_protocol_alone_is_compared() {
    let folder = Folder::new();
    let (wrong, out) = (binary(&folder, "panic"), folder.path("out"));
    let protocol = with_fault(folder.0.path(), "mi-l1-forward-blocks-queue");
    let fixed = ["experiment", "fidelity", "--quiet", "-o", &out, "--gem5", &wrong];
    let given = ["--protocol", &protocol, "--client", "in-order", "--runs", "3"];
    let printed = output(&[&fixed[..], &given].concat());
    assert!(printed.contains("  unmutated * "), "{printed}");
    assert!(printed.contains("The same finder: 0 of 1 unmutated protocols"), "{printed}");
    let page = folder.path("page.md");
    output(&["report", &out, "-o", &page]);
    let page = fs::read_to_string(page).unwrap();
    let expected = "0 of 1 unmutated protocol has the same finder here and in gem5: something was found in 0 of 3 runs here, and in 1 \
                    of 3 in gem5";
    assert!(page.contains(expected), "{page}");
    assert!(!page.contains("of 0"), "{page}");
}

#[test]
fn both_places_need_the_same_mutant() {
    let folder = Folder::new();
    let gem5 = binary(&folder, "gem5");
    let unknown = format!("nothing-known={gem5}");
    for (options, expected) in [
        (&[][..], "name binaries that were built with rubric's plug-in"),
        (&["--gem5", &unknown], "there is no mutant nothing-known"),
        (&["--gem5", &gem5, "--protocol", "MESI_Two_Level"], "is built with MI_example"),
    ] {
        let fixed = ["experiment", "fidelity", "-o", &folder.path("out")];
        let message = failure(&[&fixed[..], options].concat());
        assert!(message.contains(expected), "{message}");
    }
}
