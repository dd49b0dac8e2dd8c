//! Traces that passed through a terminal, an editor or a mail: they are read as before, with a note, or the cause is named.

use std::io::Read;

use flate2::read::GzDecoder;
use history::History;
use ingest::{Error, Options, Trace};

use crate::common::{compressed, workspace};

/// Recorded traces: a client's history, Ruby's, one with a crash, and committed instructions.
const TRACES: [&str; 4] = [
    "traces/mesi2-4x100-sb-16.trace.gz",
    "traces/mi-2x50-io-11.trace.gz",
    "traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz",
    "exec/riscv-o3-corr.trace.gz",
];

fn texts() -> Vec<String> {
    let text = |name: &&str| {
        let mut text = String::new();
        let file = std::fs::File::open(workspace().join("fixtures").join(name)).unwrap();
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
        text
    };
    TRACES.iter().map(text).collect()
}

fn read(bytes: &[u8]) -> Result<Trace, Error> {
    ingest::read(bytes, "t", &Options::default())
}

/// What decides the verdict on the only history of a trace, and how its run ended.
fn essence(trace: &Trace) -> (String, Option<String>, usize) {
    let history: &History = &trace.histories[0];
    let provenance = &history.provenance;
    (history.digest_with_ticks(), provenance.ended.clone(), provenance.unfinished.len())
}

/// Requires that a changed text is read as the text itself and that a note says what was changed, or that the error names
/// the cause. Returns whether it was read.
fn same_or_named(whole: &str, changed: &[u8], note: &str, causes: &[&str]) -> bool {
    let expected = essence(&read(whole.as_bytes()).unwrap());
    match read(changed) {
        Ok(trace) => {
            assert_eq!(essence(&trace), expected, "{note}");
            let notes = &trace.histories[0].provenance.notes;
            let is_noted = note.is_empty() || notes.iter().any(|it| it.contains(note));
            assert!(is_noted, "`{note}` is not in {notes:?}");
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(causes.iter().any(|cause| message.contains(cause)), "{note}: {message}");
            false
        }
    }
}

/// Changes every line of every trace. All of them must be read.
fn all_lines(note: &str, change: impl Fn(&str) -> String) {
    for text in texts() {
        let changed: String = text.lines().map(|line| change(line) + "\n").collect();
        assert!(same_or_named(&text, changed.as_bytes(), note, &[]));
    }
}

#[test]
fn escape_sequences_are_removed() {
    let note = "escape sequences of a terminal";
    all_lines(note, |line| format!("\x1b[31m{line}\x1b[0m"));
    all_lines(note, |line| line.replace("system", "\x1b[01;31m\x1b[Ksystem\x1b[m\x1b[K"));
    all_lines(note, |line| format!("{line}\x1b[K"));
    all_lines(note, |line| match line.split_once(':') {
        Some((tick, rest)) => format!("\x1b[38;5;10m{tick}:\x1b[m{rest}"),
        None => format!("\x1b]8;;x\x1b\\{line}\x1b]8;;\x1b\\"),
    });
}

/// Puts a tab in place of the blanks before each tab stop, as `unexpand -a` does.
fn unexpanded(line: &str) -> String {
    let mut text = String::new();
    for cell in line.as_bytes().chunks(8) {
        let cell = std::str::from_utf8(cell).unwrap();
        let kept = cell.trim_end_matches(' ');
        if cell.len() == 8 && cell.len() - kept.len() > 1 {
            text += kept;
            text.push('\t');
        } else {
            text += cell;
        }
    }
    text
}

#[test]
fn changed_blanks_are_read_by_words() {
    let note = "had other blanks than gem5 prints";
    let words = |line: &str| line.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let glued = ["the columns of ProtocolTrace"];
    for text in texts() {
        let read = |change: &dyn Fn(&str) -> String, causes: &[&str]| {
            let changed: String = text.lines().map(|line| change(line) + "\n").collect();
            let is_raw = text.contains(" Seq ");
            // Without raw lines, leading blanks do not matter and need no note.
            let note = if is_raw { note } else { "" };
            same_or_named(&text, changed.as_bytes(), note, causes)
        };
        assert!(read(&|line| line.trim_start().to_owned(), &[]));
        assert!(read(&words, &glued));
        assert!(read(&unexpanded, &[]));
        assert!(read(&|line| line.replace("  ", "\u{a0} "), &[]));
        assert!(read(&|line| line.replace(": ", ":\x1b[C"), &[]));
    }
    for text in texts() {
        let changed: String = text.lines().map(|line| format!("    {line}   \n")).collect();
        assert!(same_or_named(&text, changed.as_bytes(), "", &[]));
    }
}

#[test]
fn quotations_are_read() {
    let note = "quoted as in a mail";
    all_lines(note, |line| format!("> {line}"));
    all_lines(note, |line| format!(">> {}", line.trim_start()));
}

#[test]
fn byte_order_marks_are_removed() {
    let note = "a byte order mark was removed from 1 line (line 1)";
    for text in texts() {
        let changed = format!("\u{feff}{text}");
        assert!(same_or_named(&text, changed.as_bytes(), note, &[]));
    }
    let axe = "0: M[1] := 1\n1: M[1] == 1\n";
    assert!(same_or_named(axe, format!("\u{feff}{axe}").as_bytes(), note, &[]));
    let json = "{\"operations\":[{\"thread\":0,\"kind\":\"store\",\"address\":1,\"written\":1}]}\n";
    assert!(same_or_named(json, format!("\u{feff}{json}").as_bytes(), note, &[]));
    let utf16: Vec<u8> = "\u{feff}0: sync\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read(&utf16).unwrap_err().to_string().contains("UTF-16"));
}

/// Breaks lines at a width, as `fold` does, or `fold -s` at blanks.
fn folded(text: &str, width: usize, at_blanks: bool) -> String {
    let mut folded = String::new();
    for mut line in text.lines() {
        while line.len() > width {
            let blank = line[..width].rfind(' ').filter(|_| at_blanks).map(|at| at + 1);
            let (part, rest) = line.split_at(blank.unwrap_or(width));
            folded += part;
            folded.push('\n');
            line = rest;
        }
        folded += line;
        folded.push('\n');
    }
    folded
}

#[test]
fn wrapped_lines_are_put_together() {
    let causes = ["wrapped", "cut off"];
    for text in texts() {
        for width in [72, 80, 132] {
            let hard = folded(&text, width, false);
            if hard == text {
                continue;
            }
            let note = format!("wrapped at {width} columns");
            assert!(same_or_named(&text, hard.as_bytes(), &note, &causes), "{width}");
            let soft = folded(&text, width, true);
            same_or_named(&text, soft.as_bytes(), "wrapped at ", &causes);
            // Programs for mail remove the blank at which they break.
            let trimmed: String =
                soft.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
            same_or_named(&text, trimmed.as_bytes(), "wrapped at ", &causes);
        }
    }
}

/// gem5 prints tabs in the instructions of x86, which are no changed blanks, and count as columns where lines are wrapped.
#[test]
fn tabs_of_x86_stay() {
    let mut text = String::new();
    for tick in 0..20 {
        let line =
            format!("  {tick}4500: system.cpu{}: T0 : 0x40154{} @main+{tick}", tick % 2, tick % 8);
        text += &format!("{line}    : ret\t                          \n");
        text += &format!(
            "{line}. 0 :   \tMOV_R_M : ld   r8, FS:[rax] : MemRead :  D=0x{tick:016x} A=0x4c3360\n"
        );
        text += &format!(
            "{line}. 1 :   MOV_M_R : st   r8, FS:[rax] : MemWrite :  D=0x{:016x} A=0x4c3360\n",
            tick + 1
        );
    }
    let notes = read(text.as_bytes()).unwrap().histories[0].provenance.notes.join(" ");
    assert!(!notes.contains("blanks"), "{notes}");
    let mut folded = String::new();
    for line in text.lines() {
        let mut column = 0;
        for c in line.chars() {
            let next = if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 };
            if next > 80 {
                folded.push('\n');
            }
            column = if next > 80 { next - column } else { next };
            folded.push(c);
        }
        folded.push('\n');
    }
    assert!(same_or_named(&text, folded.as_bytes(), "wrapped at 80 columns", &[]));
}

#[test]
fn what_cannot_be_read_is_named() {
    let remains = ["remains of a terminal's escape sequences"];
    let front = ["text was put in front"];
    let coloured = ["escape sequences", "cut off"];
    for text in texts() {
        let refused = |causes: &[&str], change: &dyn Fn(&str) -> String| {
            let changed: String = text.lines().map(|line| change(line) + "\n").collect();
            assert!(!same_or_named(&text, changed.as_bytes(), "", causes));
        };
        refused(&remains, &|line| format!("[31m{line}[0m"));
        refused(&remains, &|line| format!("^[[31m{line}^[[0m"));
        refused(&coloured, &|line| format!("{line}[m"));
        refused(&front, &|line| format!("run.trace:{line}"));
        refused(&front, &|line| format!("12:{line}"));
        refused(&front, &|line| format!("Nov 29 10:00:00 host: {line}"));
        refused(&["CR LF"], &|line| format!("{line}\r"));
        refused(&["CR LF"], &|line| format!("\x1b[31m{line}\r\x1b[0m"));
        let moved = |line: &str| line.replacen(": ", ": x\x1b[1D", 1);
        refused(&["movements of a terminal's cursor"], &moved);
    }
}

/// A line that looks like a flag's is never skipped in silence, wherever it is.
#[test]
fn a_single_line_that_is_not_read_is_shown() {
    let text = &texts()[1];
    let hit = text.lines().position(|line| line.contains("Hit callback for")).unwrap();
    let with = |change: &dyn Fn(&str) -> String| -> String {
        let lines = text.lines().enumerate();
        lines
            .map(|(at, line)| if at == hit { change(line) } else { line.to_owned() } + "\n")
            .collect()
    };
    let message = read(with(&|line| format!("x{line}")).as_bytes()).unwrap_err().to_string();
    assert!(message.starts_with(&format!("t:{}:", hit + 1)), "{message}");
    assert!(message.contains("after `x`"), "{message}");
    let extra = with(&|line| format!("{line}\nread data [ 0x0 of old"));
    let trace = read(extra.as_bytes()).unwrap();
    let notes = &trace.histories[0].provenance.notes;
    let shown = |note: &String| note.contains("cannot be read") && note.contains("read data [ 0x0");
    assert!(notes.iter().any(shown), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains(&format!("line {}", hit + 2))), "{notes:?}");
}

#[test]
fn zero_bytes_behind_compressed_data_end_it() {
    for text in texts() {
        let (front, back) = text.split_at(text.len() / 2);
        let mut bytes = [compressed(front.as_bytes()), compressed(back.as_bytes())].concat();
        bytes.extend([0; 1000]);
        assert!(same_or_named(&text, &bytes, "", &[]));
        bytes.extend(b"more");
        assert!(!same_or_named(&text, &bytes, "", &["gzip data are corrupt"]));
    }
}
