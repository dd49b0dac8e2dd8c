//! `rubric explain` as a user runs it.

use std::fs;

use crate::common::{Folder, TRACES, error, output, output_of, rubric};

const VIOLATION: &str = TRACES[5];
const CONSISTENT: &str = TRACES[4];

fn explain(arguments: &[&str], status: i32) -> String {
    output_of(&[&["explain"], arguments].concat(), status)
}

fn drawn(trace: &str, name: &str, status: i32) -> String {
    let folder = Folder::new();
    let path = folder.path(name);
    let said = explain(&[trace, "-o", &path], status);
    assert!(said.contains(&format!("written: {path}")), "{said}");
    fs::read_to_string(path).unwrap()
}

/// Checks that tags that are opened are closed, in the right order.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1).filter_map(|part| part.split('>').next()) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_violation_is_drawn_with_its_lines_and_states() {
    let svg = drawn(VIOLATION, "why.svg", 1);
    assert_well_formed(&svg);
    for wanted in [
        "thread 0",
        "thread 2",
        "T2:8",
        "line 651",
        "co [a]",
        "although T2:8 comes before it",
        "Cache line 0x1000",
        "L1Cache 0",
        "reads before it is overwritten",
        // The title names the two caches that hold the line. The transition that kept the line, and which cache serves which
        // thread, are shown.
        "SC is violated: L1Cache 1 in M and L1Cache 2 in M hold line 0x1000 at once",
        "L1Cache 1 kept the line at Fwd_GETX (line 241)",
        "keeps the line",
        "L1Cache 2 (T2)",
        "thread 2 (L1Cache 2)",
        "M 0x300000006",
    ] {
        assert!(svg.contains(wanted), "{wanted}");
    }
    assert_eq!(svg, drawn(VIOLATION, "why.svg", 1), "the same bytes twice");
}

#[test]
fn a_page_has_the_reasons_behind_lines_to_open() {
    let page = drawn(VIOLATION, "why.html", 1);
    for wanted in ["<!DOCTYPE html>", "<svg", "<details>", "[a] ", "Cache line 0x1000", "line 651"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    // The only address in the page is that of the XML namespace, so the page loads nothing.
    let addresses = page.match_indices("http").map(|(at, _)| &page[at..]);
    let mut others = addresses.filter(|text| {
        !text.starts_with("http://www.w3.org/2000/svg") && !text.starts_with("http-equiv")
    });
    assert_eq!(others.next().map(|text| &text[..40]), None);
    let graph = drawn(VIOLATION, "why.dot", 1);
    assert!(graph.starts_with("digraph ") && graph.ends_with("}\n"), "{graph}");
    assert_eq!(graph.matches('{').count(), graph.matches('}').count());
}

#[test]
fn without_a_file_it_is_said_in_words() {
    let text = explain(&[VIOLATION], 1);
    for wanted in
        ["violation  sc", "the required orderings form a cycle", "Cache line 0x1000", "tick "]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let order = explain(&[CONSISTENT], 0);
    assert!(order.contains("the memory order that explains it, 100 steps"), "{order}");
}

#[test]
fn a_consistent_history_is_drawn_if_it_is_small_and_listed_if_not() {
    let folder = Folder::new();
    let small =
        folder.file("mp.axe", "0: M[0] := 1\n0: M[1] := 1\n1: M[1] == 1\n1: M[0] == 1\ncheck\n");
    let svg = drawn(&small, "order.svg", 0);
    assert_well_formed(&svg);
    assert!(svg.contains("is consistent with SC") && svg.contains(">rf<"), "{svg}");
    let tso = folder.path("tso.svg");
    explain(&[&small, "--model", "tso", "-o", &tso], 0);
    assert!(fs::read_to_string(tso).unwrap().contains("reaches memory"));
    let message = error(&["explain", CONSISTENT, "-o", &folder.path("large.svg")]);
    assert!(message.contains("too long to draw") && message.contains(".html"), "{message}");
    let page = drawn(CONSISTENT, "large.html", 0);
    assert!(page.contains("100 operations"), "{}", page.len());
    // The timeline has a mark for each operation.
    let timeline = page.split("class=\"timeline\"").nth(1).unwrap();
    assert_eq!(timeline.matches("<rect ").count(), 100);
}

#[test]
fn names_from_files_do_no_harm() {
    let folder = Folder::new();
    let text =
        "# <script>alert(1)</script> & \"x\" \u{1b}[31m\n0: M[0] := 1\n0: M[0] == 0\ncheck\n";
    let file = folder.file("bad.axe", text);
    for name in ["bad.svg", "bad.html", "bad.dot"] {
        let drawn = drawn(&file, name, 1);
        assert!(!drawn.contains('\u{1b}'), "{name}");
        assert!(name.ends_with("dot") || !drawn.contains("<script>alert"), "{name}");
    }
    assert_well_formed(&drawn(&file, "bad.svg", 1));
}

#[test]
fn what_cannot_be_done_is_said() {
    let message = error(&["explain", VIOLATION, "-o", "why.png"]);
    assert!(message.contains(".svg, .html, .dot or .txt"), "{message}");
    assert!(message.contains("For a PNG, convert the SVG"), "{message}");
    let message = error(&["explain", "none.gz", "-o", "why.svg"]);
    assert!(message.contains("none.gz"), "{message}");
    let late = explain(&[VIOLATION, "--timeout", "0"], 3);
    assert!(late.starts_with("undecided"), "{late}");
    let folder = Folder::new();
    let picture = folder.path("late.svg");
    let undrawn =
        rubric(&["explain", VIOLATION, "--timeout", "0", "-o", &picture]).assert().code(3);
    let undrawn = String::from_utf8(undrawn.get_output().stderr.clone()).unwrap();
    assert!(undrawn.contains("nothing to draw: ") && undrawn.contains("late.svg was not written"));
    let to = explain(&[VIOLATION, "-o", "-", "--to", "dot"], 1);
    assert!(to.starts_with("digraph "), "{to}");
}

#[test]
fn a_transition_that_stays_in_its_state_is_shown_unless_it_serves_a_hit() {
    // In this mutant the owner gives the line away and keeps it.
    let said = output_of(&["explain", TRACES[5]], 1);
    assert!(said.contains("L1Cache 1: Fwd_GETX (stays)"), "{said}");
    assert!(!said.contains("L1Cache 0: Load (stays)"), "{said}");
}

#[test]
fn a_buffered_store_stands_where_it_reached_memory() {
    let said = output_of(&["explain", TRACES[3]], 1);
    let rows: Vec<&str> = said.lines().filter(|line| line.starts_with("    tick ")).collect();
    let tick = |row: &str| row.split_whitespace().nth(1).and_then(|it| it.parse::<u64>().ok());
    let tables = said.split("Cache line").skip(1);
    for table in tables {
        let ticks: Vec<u64> = table
            .lines()
            .filter_map(|row| row.starts_with("    tick ").then(|| tick(row))?)
            .collect();
        assert!(ticks.is_sorted(), "{table}");
    }
    assert!(rows.iter().any(|row| row.contains(" store 0x")), "{said}");
    let folder = Folder::new();
    let page = folder.path("p.svg");
    output_of(&["explain", TRACES[3], "-o", &page], 1);
    let drawn = fs::read_to_string(page).unwrap();
    assert!(drawn.contains(", in memory at "), "{drawn}");
}

/// Store buffers violate SC on a correct protocol, so the picture needs only the transitions that move lines between the caches
/// of the operations.
#[test]
fn where_store_buffers_explain_a_violation_few_transitions_are_shown() {
    let folder = Folder::new();
    let simulated = |words: &[&str], name: &str| {
        let file = folder.path(name);
        let all = [&["simulate", "MESI_Two_Level", "--threads=4", "-o", &file], words].concat();
        output(&all);
        file
    };
    let trace =
        simulated(&["--client=store-buffer-8", "--operations=200", "--seed=1"], "tso.trace");
    let said = explain(&["--model", "sc", &trace], 1);
    assert_eq!(said.matches("    TSO allows these operations: ").count(), 2, "{said}");
    let rows = said.lines().filter(|line| line.starts_with("    tick ")).count();
    assert!((20..40).contains(&rows), "{rows}: {said}");
    for shown in ["T3:56 store 0x1100", "L1Cache 3: Fwd_GETS", "L1Cache 0: Data_all_Acks"] {
        assert!(said.contains(shown), "{shown}: {said}");
    }
    let drawn = explain(&["--model", "sc", &trace, "-o", "-", "--to", "svg"], 1);
    assert!(drawn.contains("TSO allows it: cores with store buffers may do this"), "{drawn}");
    // The title says which read returned which value, and boxes are placed by the first tick that they show.
    assert!(
        drawn.contains("<title>SC is violated: T") && drawn.contains(" does not return what T")
    );
    assert!(drawn.contains("Time goes down. Stores are placed at the tick at which they were"));
    let boxes = drawn.split("line ").filter_map(|rest| rest.split_once(", tick "));
    let ticks = boxes.map(|(_, rest)| rest.split(|letter: char| !letter.is_ascii_digit()).next());
    let ticks: Vec<u64> = ticks.map(|tick| tick.unwrap().parse().unwrap()).collect();
    assert!(ticks.len() > 3 && ticks.is_sorted(), "{ticks:?}");
    // A core that was not told of an invalidation reads a stale value.
    let fault = ["--mutant=mesi2-l1-s-inv-no-notify", "--client=early-8", "--operations=300"];
    let said = explain(&["--model", "sc", &simulated(&fault, "fault.trace")], 1);
    assert!(!said.contains(" allows these operations"), "{said}");
    assert!(said.contains(" transitions farther from these operations are left out"), "{said}");
    // Where rows are left out, a row says so.
    let sum = |is_wanted: &dyn Fn(&str) -> bool| -> usize {
        let lines = said.lines().map(str::trim).filter(|line| is_wanted(line));
        let words = lines.map(|line| line.trim_start_matches("\u{2026} ").split(' ').next());
        words.filter_map(|word| word?.parse::<usize>().ok()).sum()
    };
    let all = sum(&|line| line.contains(" farther from these operations "));
    assert_eq!(sum(&|line| line.starts_with('\u{2026}')), all, "{said}");
}

#[test]
fn a_source_that_is_assumed_is_drawn_as_one() {
    let folder = Folder::new();
    let twice = "0: M[0] := 1\n1: M[0] := 1\n2: M[0] == 1\n2: M[0] == 0\ncheck\n";
    let (file, path) = (folder.file("twice.axe", twice), folder.path("twice.dot"));
    explain(&["--ambiguous", "search", &file, "-o", &path], 1);
    let drawn = fs::read_to_string(path).unwrap();
    assert_eq!(drawn.matches("label=\"rf").count(), 1, "{drawn}");
    assert!(!drawn.contains("label=\"co"), "{drawn}");
}

#[test]
fn text_is_a_file_too() {
    let printed = explain(&[VIOLATION], 1);
    let written = drawn(VIOLATION, "why.txt", 1);
    let (without, with) = (printed.split_once('\n').unwrap(), written.split_once('\n').unwrap());
    assert_eq!(without.1, with.1);
    assert!(with.0.starts_with("violation "), "{written}");
}

#[test]
fn a_page_shows_its_title_once() {
    let page = drawn(VIOLATION, "why.html", 1);
    let (_, body) = page.split_once("<body>").unwrap();
    let (_, title) = body.split_once("<h1>").unwrap();
    let (title, rest) = title.split_once("</h1>").unwrap();
    assert!(title.contains("hold line 0x1000 at once"), "{title}");
    // The accessible name of the drawing and its tooltip repeat the title, but are not visible.
    let spoken = [format!("aria-label=\"{title}\""), format!("<title>{title}</title>")];
    let shown = spoken.iter().fold(rest.to_owned(), |text, spoken| text.replace(spoken, ""));
    assert!(!shown.contains(title), "{shown}");
}
