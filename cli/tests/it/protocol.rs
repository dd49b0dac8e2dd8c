//! `rubric protocol` as a user runs it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command as Process;
use std::time::{Duration, Instant};

use crate::common::{Folder, error, output, output_of, rubric};
use serde_json::Value;

/// A machine that lacks only the rest of its body.
const MACHINE: &str = "machine(MachineType:L1Cache, \"a cache\") : MessageBuffer * b; {
  state_declaration(State) { I, AccessPermission:Invalid; }
  enumeration(Event) { Load; Store; }
  in_port(p, RubyRequest, b) { }
";

/// The name of a file, and its content.
type Content = (&'static str, Vec<u8>);

/// Protocols with errors, each with its files, of which the protocol's own file is the first.
fn wrong() -> Vec<(&'static str, Vec<Content>)> {
    let text = |text: &str| format!("protocol \"P\";\n{text}").into_bytes();
    let one = |content: Vec<u8>| vec![("p.slicc", content)];
    let body = |body: &str| one(text(&format!("{MACHINE}{body}}}\n")));
    let transition = "transition(I, Load) {go}\n";
    vec![
        ("empty", one(vec![])),
        ("no protocol line", one(b"structure(S) { }".to_vec())),
        ("two protocol lines", one(text("protocol \"Q\";"))),
        (
            "not UTF-8",
            one(text("// caf\u{e9}")
                .iter()
                .map(|&byte| if byte == 0xc3 { 0xff } else { byte })
                .collect()),
        ),
        ("no machine", one(text("structure(S) { }"))),
        ("missing include", one(text("include \"none.sm\";"))),
        (
            "include cycle",
            vec![
                ("p.slicc", text("include \"a.sm\";")),
                ("a.sm", b"// first\ninclude \"b.sm\";".to_vec()),
                ("b.sm", b"include \"./a.sm\";".to_vec()),
            ],
        ),
        (
            "included twice",
            vec![
                ("p.slicc", text("include \"a.sm\";\ninclude \"a.sm\";")),
                ("a.sm", b"structure(S) { }".to_vec()),
            ],
        ),
        ("a folder as include", one(text("include \".\";"))),
        ("missing semicolon", body("action(go, \"g\") {\n    x := 1\n    y := 2;\n  }\n")),
        (
            "missing brace",
            body("action(go, \"g\") {\n    if (a) {\n  }\n  action(stop, \"s\") { }\n"),
        ),
        ("stray character", body("action(go, \"g\") { x := a ? b; }")),
        ("string not closed", body("action(go, \"g) { }")),
        ("comment not closed", body("/* action(go, \"g\") { }")),
        ("large number", body("int x, default=123456789012345678901;")),
        ("several errors", body("action(a) { 1 2; }\naction(b) { }\ntransition(I) { }\n")),
        ("unknown names", body("action(go, \"g\") { }\ntransition(J, Laod, K) {gone}\n")),
        (
            "duplicate transitions",
            body(&format!("action(go, \"g\") {{ }}\n{transition}{transition}")),
        ),
        ("unknown permission", one(text(&format!("{}}}", MACHINE.replace("Invalid", "Invald"))))),
        (
            "unknown machine type",
            one(text(&format!("{}}}", MACHINE.replace("L1Cache", "L1cache")))),
        ),
        (
            "no in_port",
            one(text(
                "machine(MachineType:DMA) : {\n  state_declaration(State) { I, AccessPermission:Invalid; }\n  enumeration(Event) { Load; }\n}",
            )),
        ),
    ]
}

/// The output of `rubric protocol check` for a protocol in a folder.
fn check(folder: &Folder, file: &str) -> String {
    let text = output_of(&["protocol", "check", &folder.path(file)], 2);
    text.replace(folder.0.path().to_str().unwrap(), "DIR")
}

#[test]
fn what_is_wrong() {
    let mut all = String::new();
    for (what, files) in wrong() {
        let folder = Folder::new();
        for (name, content) in &files {
            folder.file(name, content);
        }
        all += &format!("# {what}\n\n{}\n", check(&folder, files[0].0));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    assert!(check(&folder, "none.slicc").contains("DIR/none.slicc: there is no such file"));
    assert!(check(&folder, ".").contains("is a folder, not a file"));
    let text = output_of(&["protocol", "check", "MI_exmaple"], 2);
    assert!(text.contains("the built-in protocols are MI_example, "), "{text}");
}

#[test]
fn unknown_types_and_names() {
    let folder = Folder::new();
    let body = "action(go, \"g\") { Gone x; z := 1; }\ntransition(I, {Load, Store}) {go}";
    folder.file("p.slicc", format!("protocol \"P\";\n{MACHINE}{body}}}"));
    let text = check(&folder, "p.slicc");
    for place in ["DIR/p.slicc:6:19", "`Gone`", "DIR/p.slicc:6:27", "`z`"] {
        assert!(text.contains(place), "{text}");
    }
}

/// Files of 10 MB are read, or refused, quickly.
#[test]
fn large_files() {
    let many = |text: &str| text.repeat(10_000_000 / text.len());
    let files = [
        many("structure(S) { }\n"),
        many("{"),
        many("action(a) { if ("),
        many("// nothing\n"),
        many("include \"none\";\n"),
        many("x "),
        format!(
            "machine(MachineType:DMA) : {{ transition({{ {} }}, {{ {} }}) {{}} }}",
            many("A "),
            many("B ")
        ),
    ];
    for file in files {
        let folder = Folder::new();
        folder.file("p.slicc", format!("protocol \"P\";\n{file}"));
        let begun = Instant::now();
        let text = check(&folder, "p.slicc");
        assert!(text.contains("error: "), "{text}");
        assert!(text.len() < 1_000_000);
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    }
}

#[test]
fn diagnostics_as_json() {
    let folder = Folder::new();
    let twice = "transition(I, Load) {}\n";
    let path = folder.file("p.slicc", format!("protocol \"P\";\n{MACHINE}{twice}{twice}}}"));
    let text = output_of(&["protocol", "check", &path, "--format", "json"], 2);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["protocol"], Value::Null);
    assert_eq!(value["errors"], 1);
    let one = &value["diagnostics"][0];
    assert_eq!(one["severity"], "error");
    assert_eq!(one["file"], path);
    let places = ["line", "column", "end_line", "end_column"].map(|key| one[key].as_u64().unwrap());
    assert_eq!(places, [7, 11, 7, 20]);
    assert_eq!(one["notes"][0]["line"], 6);

    let text = output(&["protocol", "check", "MI_example", "--format", "json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["protocol"], "MI_example");
    assert_eq!(value["errors"], 0);
}

#[test]
fn built_in_protocols_are_right() {
    for name in ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"] {
        let path = format!("fixtures/protocols/{name}.slicc");
        for protocol in [name, &path] {
            let text = output(&["protocol", "check", protocol]);
            assert!(text.contains(&format!("{name}: ")), "{text}");
        }
    }
}

/// Writes a small protocol of two machines, so that the tables do not change with the built-in protocols.
fn small(folder: &Folder) -> String {
    let rest = "  action(go, \"g\", desc=\"goes\") { }\n  action(z_stall, \"z\") { }
  transition(I, {Load, Store}) {go}\n}\n";
    let second = MACHINE.replace("L1Cache", "DMA").replace(
        "Invalid; }",
        "Invalid, desc=\"a <state>\"; M, AccessPermission:Busy; } enumeration(RequestType) { Tag; }",
    );
    let more = "  action(go, \"g\") { }\n  action(z_stall, \"z\") { } out_port(o, RubyRequest, b);
  State getNextState(Addr a) { return State:I; }
  transition(I, {Load, Store}, M) {Tag} {go}
  transition(M, Load, *) {}  transition(M, Store, I) {z_stall}\n}\n";
    folder.file("small.slicc", format!("protocol \"small\";\n{MACHINE}{rest}{second}{more}"))
}

#[test]
fn tables() {
    let folder = Folder::new();
    let path = small(&folder);
    let show = |format: &str, machine: &str| {
        let text = output(&["protocol", "show", &path, "--format", format, "--machine", machine]);
        text.replace(folder.0.path().to_str().unwrap(), "DIR")
    };
    insta::assert_snapshot!("text", output(&["protocol", "show", &path]));
    let value: Value = serde_json::from_str(&show("json", "DMA")).unwrap();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&value).unwrap());
    insta::assert_snapshot!("dot", show("dot", "DMA"));
    insta::assert_snapshot!("svg", show("svg", "DMA"));
}

#[test]
fn one_file_a_machine() {
    let folder = Folder::new();
    let path = small(&folder);
    for format in ["dot", "svg"] {
        let file = folder.path(&format!("a.b.{format}"));
        output(&["protocol", "show", &path, "--to", format, "-o", &file]);
        for machine in ["L1Cache", "DMA"] {
            let text = fs::read_to_string(folder.path(&format!("a.b-{machine}.{format}"))).unwrap();
            assert!(text.contains(machine));
        }
        assert!(fs::metadata(&file).is_err());
        output(&["protocol", "show", &path, "--format", format, "--machine", "DMA", "-o", &file]);
        assert!(fs::read_to_string(&file).unwrap().contains("DMA"));
    }
    let file = folder.path("all.json");
    output(&["protocol", "show", &path, "--to", "json", "-o", &file]);
    let value: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(value["machines"].as_array().unwrap().len(), 2);
    assert_eq!(output(&["protocol", "show", &path, "--to", "dot"]).matches("digraph").count(), 2);
}

#[test]
fn a_machine_of_any_size_is_a_table_with_links() {
    let folder = Folder::new();
    let page = folder.path("a.html");
    output(&["protocol", "show", "MOESI_AMD_Base", "--machine", "CorePair", "-o", &page]);
    let page = fs::read_to_string(&page).unwrap();
    let rows: Vec<&str> = page.match_indices("<tr id=\"").map(|(at, _)| &page[at + 8..]).collect();
    let ids: Vec<&str> = rows.iter().filter_map(|row| row.split('"').next()).collect();
    assert!(ids.len() > 50, "{}", ids.len());
    for link in page.split("<a href=\"#m").skip(1) {
        let id = format!("m{}", link.split('"').next().unwrap());
        assert!(ids.contains(&&*id), "{id}");
    }
}

#[test]
fn what_cannot_be_shown() {
    let folder = Folder::new();
    let path = small(&folder);
    let message = error(&["protocol", "show", &path, "--to", "svg"]);
    assert!(message.contains("L1Cache, DMA: choose one with --machine"), "{message}");
    let message = error(&["protocol", "show", &path, "--machine", "L2Cache"]);
    assert!(message.contains("there is no machine L2Cache; there are L1Cache, DMA"), "{message}");
    let broken = folder.file("broken.slicc", "protocol \"P\"");
    let message = error(&["protocol", "show", &broken]);
    assert!(message.contains("a `;` is missing here"), "{message}");
    for (arguments, expected) in [
        (
            &["-o", "a.png"][..],
            "a.png: a name that ends in .txt, .json, .dot, .svg or .html was expected",
        ),
        (&["-o", "a.svg", "--format", "json"], "a.svg: a name that ends in .json was expected"),
    ] {
        let message = error(&[&["protocol", "show", &path], arguments].concat());
        assert!(message.contains(expected), "{message}");
    }
    let unwritable = folder.path("none/a.json");
    error(&["protocol", "show", &path, "--format", "json", "-o", &unwritable]);
}

#[test]
fn graphviz_reads_the_graphs() {
    if Process::new("dot").arg("-V").output().is_err() {
        // `println!` would be shown only for failed tests, and `.ci/run` counts these lines.
        std::io::stdout().write_all(b"skipped: there is no program `dot` here\n").unwrap();
        return;
    }
    for name in ["MI_example", "MOESI_hammer"] {
        let folder = Folder::new();
        let file = folder.file("a.dot", output(&["protocol", "show", name, "--to", "dot"]));
        let run = Process::new("dot").args(["-Tcanon", &file]).output().unwrap();
        assert!(run.status.success());
    }
}

#[test]
fn help_has_examples() {
    for arguments in [
        &["protocol", "--help"][..],
        &["protocol", "check", "--help"],
        &["protocol", "show", "--help"],
    ] {
        assert!(output(arguments).contains("Examples:"));
    }
    rubric(&["protocol"]).assert().code(2);
}

#[test]
fn files_of_protocols_are_printed() {
    let list = output(&["protocol", "source", "MI_example"]);
    assert!(list.ends_with("MI_example-dma.sm\n") && list.lines().count() == 5, "{list}");
    let text = output(&["protocol", "source", "MI_example", "MI_example-cache.sm"]);
    let path = Path::new("../fixtures/protocols/MI_example-cache.sm");
    assert_eq!(text, fs::read_to_string(path).unwrap());
    let place = output(&["protocol", "source", "MI_example", "MI_example-cache.sm:154"]);
    let marked = place.lines().find(|line| line.starts_with("  154 > ")).unwrap();
    assert_eq!(marked[8..].trim_end(), text.lines().nth(153).unwrap());
    assert_eq!(place.lines().count(), 17);
    let folder = Folder::new();
    let copy = folder.path("copy");
    output(&["protocol", "source", "MI_example", "-o", &copy]);
    let own = format!("{copy}/MI_example.slicc");
    assert_eq!(output(&["protocol", "source", &own, "MI_example-cache.sm"]), text);
    // An edited file is replaced with --force only.
    let write = ["protocol", "source", "MI_example", "-o", &copy];
    output(&write);
    fs::write(&own, "changed").unwrap();
    let refused = error(&write);
    assert!(refused.contains("MI_example.slicc: exists and differs"), "{refused}");
    assert_eq!(fs::read_to_string(&own).unwrap(), "changed");
    output(&[&write[..], &["--force"]].concat());
    assert_ne!(fs::read_to_string(&own).unwrap(), "changed");
    let unknown = error(&["protocol", "source", "MI_example", "other.sm"]);
    assert!(unknown.contains("expected a file of MI_example: "), "{unknown}");
    let line = error(&["protocol", "source", "MI_example", "MI_example.slicc:9999"]);
    assert!(line.contains("expected a line from 1 to "), "{line}");
}

/// The command that a message names prints the place of a fault in a mutant of a built-in protocol.
#[test]
fn places_in_built_in_protocols_are_printed_by_the_command_that_messages_name() {
    let mutant = "mi-l1-nack-before-forward";
    let run = |seed: &str| {
        let asked = ["simulate", "MI_example", "--mutant", mutant, "--recipe", seed, "--check"];
        let shown = rubric(&asked).output().unwrap();
        String::from_utf8(shown.stderr).unwrap()
    };
    let told = ["1", "2", "3", "4", "5", "6", "7", "8"].map(run).concat();
    let tip = told.lines().find_map(|line| line.trim().strip_prefix("to see the place: rubric "));
    let place = told.lines().find_map(|line| line.strip_prefix("  at ")).unwrap();
    let (_, text) = place.split_once(": ").unwrap();
    let shown = output(&tip.unwrap().split(' ').collect::<Vec<_>>());
    let marked = shown.lines().find(|line| line[..8].ends_with(" > ")).unwrap();
    assert!(marked.contains(text), "{marked}: {text}");
}

/// The arguments that read the protocol of a fork in `fixtures/slicc/forks`, with its description.
fn fork(command: &[&str], description: &str) -> Vec<String> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/slicc");
    let protocol = format!("{fixtures}/forks/tracked.slicc");
    let mut arguments: Vec<String> =
        command.iter().map(|one| one.replace("PROTOCOL", &protocol)).collect();
    arguments.extend(["--include".to_owned(), fixtures.to_owned()]);
    if !description.is_empty() {
        arguments.extend(["--library".to_owned(), description.replace("FIXTURES", fixtures)]);
    }
    arguments
}

/// What a fork has in C++ is described for every command that reads a protocol; without a description each thing is one error.
#[test]
fn a_library_describes_what_a_fork_has_in_cplusplus() {
    let check = |description: &str| fork(&["protocol", "check", "PROTOCOL"], description);
    let run = |arguments: &[String], status: i32| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        output_of(&arguments, status)
    };
    let said = run(&check(""), 2);
    assert_eq!(said.matches("error: ").count(), 2, "{said}");
    assert!(
        said.contains(
            "`Tracker` is not supported by this runtime: it has no behaviour for touch, isTouched"
        ),
        "{said}"
    );
    assert!(said.contains("forks/RubySlicc_Types.sm:6:11"), "{said}");
    let library = "FIXTURES/forks/tracked.library";
    assert!(run(&check(library), 0).contains("tracked: 1 machine"));
    let one = ["--threads", "1", "--locations", "1"];
    for command in [
        &["simulate", "PROTOCOL", "--check"][..],
        &["mutants", "list", "PROTOCOL"],
        &["protocol", "show", "PROTOCOL"],
    ] {
        let mut arguments = fork(command, library);
        if command[0] == "simulate" {
            arguments.extend(one.map(str::to_owned));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        output(&arguments);
    }
    let missing = check("no-such-file");
    let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
    assert!(error(&missing).starts_with("rubric: error: no-such-file: "));
}
