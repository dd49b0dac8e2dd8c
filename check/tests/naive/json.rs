//! A run as JSON Lines, which `rubric` reads.

use std::fmt::Write;

use crate::run::{Annotation, Initial, Operation, Place, Run};

/// The run as one line, without a line break.
pub(crate) fn line(run: &Run) -> String {
    let mut text = String::from("{");
    match &run.initial {
        Initial::Infer => text.push_str("\"initial_mode\":\"infer\","),
        Initial::Given(values) if values.is_empty() => {}
        Initial::Given(values) => {
            let values = values.iter().map(|&(place, value)| {
                let value = value.map_or(String::new(), |value| format!(",\"value\":{value}"));
                format!("{{{}{value}}}", location(place))
            });
            let _ = write!(
                text,
                "\"initial_mode\":\"given\",\"initial\":[{}],",
                values.collect::<Vec<_>>().join(",")
            );
        }
    }
    let operations = run.threads.iter().enumerate().flat_map(|(thread, own)| {
        own.iter().map(move |operation| self::operation(thread, operation))
    });
    let _ = write!(text, "\"operations\":[{}]", operations.collect::<Vec<_>>().join(","));
    if !run.finals.is_empty() {
        let finals = run.finals.iter();
        let finals =
            finals.map(|&(place, value)| format!("{{{},\"value\":{value}}}", location(place)));
        let _ = write!(text, ",\"final\":[{}]", finals.collect::<Vec<_>>().join(","));
    }
    text + "}"
}

fn location(place: Place) -> String {
    let size = place.size.map_or(String::new(), |size| format!(",\"size\":{size}"));
    format!("\"address\":{}{size}", place.address)
}

fn operation(thread: usize, operation: &Operation) -> String {
    let mut text = format!("{{\"thread\":{thread},\"kind\":\"{}\"", operation.kind.name());
    if let Some(place) = operation.place {
        let _ = write!(text, ",{}", location(place));
    }
    let numbers = [
        ("read", operation.read),
        ("written", operation.written),
        ("issued", operation.issued),
        ("completed", operation.completed),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            let _ = write!(text, ",\"{name}\":{value}");
        }
    }
    if operation.annotation != Annotation::None {
        let _ = write!(text, ",\"annotation\":\"{}\"", operation.annotation.name());
    }
    if !operation.depends.is_empty() {
        let depends = operation.depends.iter();
        let depends = depends.map(|(kind, on)| format!("[\"{}\",{on}]", kind.name()));
        let _ = write!(text, ",\"depends\":[{}]", depends.collect::<Vec<_>>().join(","));
    }
    text + "}"
}
