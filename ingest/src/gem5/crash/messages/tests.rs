//! Every message of the table has an example, and the documentation shows the table.

use std::collections::BTreeSet;
use std::path::Path;

use history::CrashKind;

use super::table::FIRST;
use super::*;
use crate::gem5::crash::scan::CrashScan;

/// The examples: the fields in words, and the text.
fn examples() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/crashes/messages.txt");
    let file = std::fs::read_to_string(path).unwrap();
    let blocks = file.split("\n--- ").skip(1);
    let example = |block: &str| {
        let (fields, text) = block.split_once('\n').unwrap();
        (fields.to_owned(), text.to_owned())
    };
    blocks.map(example).collect()
}

/// The crash that a text describes.
fn crash(text: &str) -> Crash {
    let mut scan = CrashScan::default();
    text.lines().zip(1..).for_each(|(line, number)| scan.scan(line.as_bytes(), number, false));
    scan.crash("simerr").unwrap_or_else(|| panic!("no crash: {text}"))
}

/// The fields of a crash, as the examples name them.
fn described(crash: &Crash) -> String {
    let fields = [
        ("object", crash.object.clone()),
        ("machine", crash.machine.clone()),
        ("version", crash.version.map(|number| number.to_string())),
        ("processor", crash.processor.map(|number| number.to_string())),
        ("state", crash.state.clone()),
        ("event", crash.event.clone()),
        ("address", crash.address.map(|address| format!("{address:#x}"))),
        ("cycle", crash.cycle.map(|cycle| cycle.to_string())),
        ("place", crash.protocol_source.as_ref().map(ToString::to_string)),
        ("tick", crash.tick.map(|tick| tick.to_string())),
        ("waiting since", crash.waiting_since.map(|tick| tick.to_string())),
    ];
    let fields =
        fields.into_iter().filter_map(|(name, value)| Some(format!("; {name} {}", value?)));
    format!("{}{}", crash.kind, fields.collect::<String>())
}

#[test]
fn every_message_is_read_with_its_fields() {
    for (fields, text) in examples() {
        assert_eq!(described(&crash(&text)), fields, "{text}");
    }
}

#[test]
fn every_row_can_be_read() {
    let rows = include_str!("table.txt").lines().filter(|line| line.contains(" | "));
    assert_eq!(rows.clone().count(), MESSAGES.len());
    for row in rows {
        let kind = row.split(" | ").nth(2).unwrap();
        assert!(kind == "-" || CrashKind::ALL.iter().any(|known| known.name() == kind), "{row}");
    }
}

#[test]
fn every_row_has_an_example() {
    let forms: BTreeSet<&str> = examples()
        .iter()
        .filter_map(|(_, text)| Some(best(&normal(&crash(text).message, false), false)?.form.text))
        .collect();
    for form in MESSAGES.iter() {
        assert!(forms.contains(form.text), "{}", form.text);
    }
}

/// A message that is cut off anywhere gives no half of a word.
#[test]
fn half_a_message_has_whole_fields() {
    for (_, text) in examples() {
        let whole = crash(&text);
        for end in (0..whole.message.len()).filter(|&end| whole.message.is_char_boundary(end)) {
            let mut cut = Crash::new(CrashKind::Panic, "");
            read(&whole.message[..end], true, &mut cut);
            assert!(cut.address.is_none() || cut.address == whole.address, "{end}: {text}");
            assert!(cut.state.is_none() || cut.state == whole.state, "{end}: {text}");
            assert!(cut.object.is_none() || cut.object == whole.object, "{end}: {text}");
            assert!(cut.tick.is_none() || cut.tick == whole.tick, "{end}: {text}");
        }
    }
}

const PAGE: &str = "\
# Messages of crashes

The messages with which gem5 stops and that name an address, a state, a machine or another object, from v19.0 to v25.1. `check`, `explain`
and `watch` find them in standard error (`simerr`, or a trace that has it) and show what the trace has about the address that a message
names. Messages about settings that name nothing of the simulated system are shown as they are. Where a value stands, the table
has dots. Places are below gem5's `src`, or in the code that SLICC generates; releases before v19.0 were not looked at.

If a message is that of a [known fault](released.md) of gem5's released protocols, `check`, `explain` and `simulate` name the fault.

RubyTester counts its ports, those for instructions alone first. In a protocol whose caches have one port each, as all of gem5's but
MOESI_AMD_Base and GPU_VIPER, processor 2 is sequencer 2 and the first-level cache 2.

| message | names | printed by | releases |
|---|---|---|---|
";

/// The documentation's page of the table.
fn page() -> String {
    let mut page = PAGE.to_owned();
    for form in MESSAGES.iter() {
        let mut text = String::new();
        for (words, field) in form.parts() {
            text.push_str(words);
            text.push_str(if field.is_some() { "…" } else { "" });
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let releases = match form.releases {
            (first, None) if first == FIRST => "all".to_owned(),
            (first, None) => format!("since {first}"),
            (first, Some(last)) if first == FIRST => format!("until {last}"),
            (first, Some(last)) => format!("{first} to {last}"),
        };
        let printed_by = form.printed_by;
        page.push_str(&format!("| `{text}` | {} | {printed_by} | {releases} |\n", form.names()));
    }
    page
}

#[test]
fn the_documentation_shows_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/crashes.md");
    if std::env::var_os("RUBRIC_DRAW").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page(), "docs/crashes.md is not that of the table: run with RUBRIC_DRAW=1");
}
