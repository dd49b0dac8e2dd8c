//! Tests that each form of line that gem5's debug flags print is read as `docs/gem5-lines.md` says, of which `ingest/src/gem5/lines/forms.tsv` is the
//! source.

use std::fmt::Write as _;
use std::path::Path;

use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::message::Message;

const TABLE: &str = include_str!("forms.tsv");

/// A form of line: its debug flag, gem5's file, the form, what has changed since v24.0.0.1, how it is read, what it means, and an example.
type Form = [&'static str; 7];

fn forms() -> Vec<Form> {
    let rows = TABLE.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.map(|row| Form::try_from(row).expect("seven columns")).collect()
}

/// How a line is read.
fn reading(example: &str) -> &'static str {
    let shape = line::shape(example.as_bytes()).unwrap_or_else(|it| panic!("{example}: {it:?}"));
    match shape.message().unwrap_or_else(|it| panic!("{example}: {it:?}")) {
        _ if matches!(shape, Shape::Raw(_)) => "raw",
        Message::Timing { .. } => "timing",
        Message::Issued { .. } => "issued",
        Message::Refused => "refused",
        Message::Pio => "pio",
        Message::IssuingAtomic { .. } => "atomic",
        Message::Data { .. } => "data",
        Message::Hit { .. } => "hit",
        Message::Response { .. } => "response",
        Message::Client(_) => "client",
        Message::Exec { .. } => "exec",
        Message::Known => "known",
        Message::Unknown => "ignored",
    }
}

#[test]
fn each_form_is_read_as_the_table_says() {
    let forms = forms();
    assert!(forms.len() > 80);
    for [_, _, form, _, expected, _, example] in forms {
        assert_eq!(reading(example), expected, "{form}: {example}");
    }
}

/// No part of a form that a history needs is taken for a whole line.
#[test]
fn forms_that_are_cut_are_damaged() {
    for [_, _, form, _, expected, _, example] in forms() {
        if !matches!(expected, "timing" | "issued" | "hit" | "data") {
            continue;
        }
        let message = example.rfind(": ").unwrap() + 2;
        for end in message + 4..example.len() - 1 {
            let cut = &example.as_bytes()[..end];
            let shape = line::shape(cut).unwrap();
            // An address without its last digits is an address.
            let is_whole = matches!(shape.message(), Ok(found) if found != Message::Unknown);
            assert!(!is_whole || expected == "hit", "{form}: {}", &example[..end]);
        }
    }
}

/// The beginning of the page, up to the table.
const PAGE: &str = include_str!("forms.md");

fn page() -> String {
    let mut page = PAGE.to_owned();
    for [flag, source, form, change, reading, meaning, _] in forms() {
        let read = match reading {
            "ignored" | "known" => meaning.to_owned(),
            _ => format!("{meaning} ({reading})"),
        };
        writeln!(page, "| {flag} | {form} | {source} | {change} | {read} |").unwrap();
    }
    page
}

#[test]
fn the_documentation_shows_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gem5-lines.md");
    if std::env::var_os("RUBRIC_DRAW").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/gem5-lines.md is not that of the table: run with RUBRIC_DRAW=1"
    );
}
