//! Checks that `docs/decided.md` agrees with the rows of `fixtures/results/sizes.jsonl`. `RUBRIC_DRAW=1` writes the page anew.

use std::fmt::Write;
use std::path::Path;

use lab::decided::{Decided, SIZES, Size};
use lab::journal::Lines;

const HEAD: &str = "\
# What exploration decides

This page says which protocols `rubric explore protocol` decides at which sizes: how many states there are, in how much time and
memory they were explored, and what was found. The first command to try makes a row:
`rubric explore sizes MI_example --sizes 2x1`.

A size is a number of threads, each with a cache, and of locations, each in a line; *one line a cache* means that a cache has room for
one line. Rows with the name of a file are of gem5 v24.0.0.1's released protocols, as they are and, if something was found in
them, with their [known faults](released.md) repaired. Times are those of the processor, for all threads together. States are
stored exactly, and where more than four messages are on their way between a directory and memory, as in CHI alone, these come first
([more](protocols.md#what-is-decided)); memory is that of the states and of what was learnt of moves. Symmetry and partial order are used where the
[protocol allows them](protocols.md#symmetry). An exploration that a limit of states or time ended is *undecided*: all runs up to
the depth were looked at, and nothing was found. The rows are in `fixtures/results/sizes.jsonl`, each with the command that
explores it, made by

    rubric explore sizes all path/to/gem5/src/mem/ruby/protocol --max-states 2M -o fixtures/results/sizes.jsonl

and a few larger ones by the same command for one protocol and size with other limits of states, or with `--disk` and a limit of
time. With `--disk`, memory is what was needed beside the files.
";

/// A number with separators of thousands, such as `1,234,567`.
fn counted(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn outcome(row: &Decided) -> String {
    match row.outcome.as_str() {
        "clean" => "decided: nothing found".to_owned(),
        "unproved" => "nothing found among fingerprints".to_owned(),
        "stopped" => format!("undecided, {} states left", counted(row.open)),
        "refused" => format!("not explored: {}", row.what.as_deref().unwrap_or_default()),
        _ => {
            let known = if row.known.is_empty() {
                String::new()
            } else {
                format!(" (known: {})", row.known.join(", "))
            };
            let kind = row.kind.as_deref().unwrap_or_default();
            let what = row.what.as_deref().unwrap_or_default();
            let what = what.strip_prefix(kind).map_or(what, |rest| rest.trim_start_matches(": "));
            let moves = if row.steps == 1 { "move" } else { "moves" };
            format!("{kind} in {} {moves}: {}{known}", row.steps, what.replace('|', "\\|"))
        }
    }
}

/// The size of the files of states, such as `, 1234 MB in files`; empty if there are none.
fn on_disk(row: &Decided) -> String {
    match row.disk {
        0 => String::new(),
        bytes => format!(", {:.0} MB in files", bytes as f64 / 1e6),
    }
}

fn page(rows: &[Decided]) -> String {
    let mut page = HEAD.to_owned();
    let mut sizes: Vec<Size> = rows.iter().map(|row| row.size.parse().unwrap()).collect();
    sizes.extend(SIZES);
    sizes.sort_by_key(|size| (size.locations, size.threads, !size.tiny));
    sizes.dedup();
    for size in sizes {
        let mut of_size: Vec<&Decided> =
            rows.iter().filter(|row| row.size == size.to_string()).collect();
        if of_size.is_empty() {
            continue;
        }
        of_size.sort_by_key(|row| (!row.is_built_in, &row.protocol, !row.repairs.is_empty()));
        let tiny = if size.tiny { ", one line a cache" } else { "" };
        let plural = if size.locations == 1 { "" } else { "s" };
        let _ = writeln!(
            page,
            "\n## {} threads, {} location{plural}{tiny}\n\n\
             | protocol | states | depth | time | memory | outcome |\n|---|---|---|---|---|---|",
            size.threads, size.locations
        );
        for row in of_size {
            let name = match (row.is_built_in, row.repairs.is_empty()) {
                (true, _) => row.protocol.clone(),
                (false, true) => format!("`{}.slicc`", row.protocol),
                (false, false) => format!("`{}.slicc`, repaired", row.protocol),
            };
            let _ = writeln!(
                page,
                "| {name} | {} | {} | {:.1} s | {:.0} MB{} | {} |",
                counted(row.states),
                row.depth,
                row.seconds,
                row.bytes as f64 / 1e6,
                on_disk(row),
                outcome(row)
            );
        }
    }
    page
}

#[test]
fn the_page_of_decided_protocols_is_that_of_the_rows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let lines = Lines::read(&root.join("fixtures/results/sizes.jsonl")).unwrap();
    let rows: Vec<Decided> = lines.rows(0).unwrap().into_values().collect();
    assert!(!rows.is_empty());
    let path = root.join("docs/decided.md");
    let page = page(&rows);
    if std::env::var_os("RUBRIC_DRAW").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/decided.md is not that of the rows: run with RUBRIC_DRAW=1");
}
