//! Protocols with random mistakes are rejected, or run into a fault, or run; nothing panics, and
//! everything ends.

use std::path::Path;

use mutate::named;
use simulate::client::Client;
use simulate::config::Options;
use simulate::program::ProgramSize;
use simulate::ruby::delays::Delays;
use simulate::simulation::Simulation;
use slicc::builtin::{ProtocolFiles, builtin};
use slicc::load::load_with;
use slicc::protocol::{BLOCK_BYTES, Protocol};

/// The words, numbers and signs of a text, each with the characters up to the next.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut last = None;
    for letter in text.chars() {
        let kind = match letter {
            _ if letter.is_alphanumeric() || letter == '_' => 'w',
            _ if letter.is_whitespace() => ' ',
            _ => letter,
        };
        match pieces.last_mut() {
            Some(piece) if kind == ' ' || (kind == 'w' && last == Some('w')) => piece.push(letter),
            _ => pieces.push(letter.to_string()),
        }
        last = Some(kind);
    }
    pieces
}

/// Lines that consist of one statement, or of one action of a transition.
fn statements(lines: &[String]) -> Vec<usize> {
    let is_statement = |line: &String| line.trim_end().ends_with(';') && !line.contains("include");
    (0..lines.len()).filter(|at| is_statement(&lines[*at])).collect()
}

/// A text with a statement removed, duplicated, or exchanged with another.
fn with_statements_edited(text: &str, random: &mut Delays) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let statements = statements(&lines);
    let mut any = || statements[random.below(statements.len() as u64) as usize];
    let (at, other) = (any(), any());
    match random.below(3) {
        0 => lines[at].clear(),
        1 => lines[at] = lines[at].repeat(2),
        _ => lines.swap(at, other),
    }
    lines.concat()
}

/// A text with words or signs removed, duplicated, or replaced by others.
fn with_pieces_edited(text: &str, random: &mut Delays) -> String {
    let mut pieces = pieces(text);
    for _ in 0..1 + random.below(2) {
        let at = random.below(pieces.len() as u64) as usize;
        let other = random.below(pieces.len() as u64) as usize;
        match random.below(4) {
            0 => pieces[at] = " ".into(),
            1 => pieces[at] = pieces[at].repeat(2),
            2 => pieces[at] = pieces[other].clone(),
            _ => pieces.swap(at, other),
        }
    }
    pieces.concat()
}

/// The files of a protocol with a random edit in one of them.
fn edited(protocol: &ProtocolFiles, random: &mut Delays) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        protocol.files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    let which = 1 + random.below(files.len() as u64 - 1) as usize;
    let text = &files[which].1;
    files[which].1 = match random.below(4) {
        0 => with_pieces_edited(text, random),
        _ => with_statements_edited(text, random),
    };
    files
}

/// The outcome of an edited protocol.
fn try_one(files: &[(String, String)], seed: u64) -> &'static str {
    let loaded = load_with(Path::new(&files[0].0), &mut |path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found
            .map(|(_, text)| text.clone().into_bytes())
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    });
    let Ok(protocol) = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES)) else {
        return "refused";
    };
    // A named fault may still apply to the protocol or not.
    for mutant in named::of(protocol.name()) {
        let _ = mutant.patch(&protocol.loaded);
    }
    let simulation = Simulation {
        shape: ProgramSize { threads: 3, operations: 30, rmws: 10, seed, ..ProgramSize::default() },
        client: Client::early(4),
        options: Options::default(),
        deadlock_threshold: Some(20_000),
    };
    let Ok(plan) = simulation.plan(&protocol) else {
        return "no plan";
    };
    match simulation.run(&protocol, &plan, None) {
        Err(_) => "no system",
        Ok(run) if run.fault.is_some() => "fault",
        Ok(run) => {
            run.history().expect("the records of a run agree");
            "ran"
        }
    }
}

#[test]
fn edited_protocols_do_no_harm() {
    let mut counts = std::collections::BTreeMap::new();
    let runs: u64 =
        std::env::var("RUBRIC_EDITS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    for seed in 0..runs {
        let mut random = Delays::new(seed);
        let name = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"]
            [random.below(4) as usize];
        let protocol = builtin(name).expect("it is built in");
        let files = edited(protocol, &mut random);
        *counts.entry(try_one(&files, seed)).or_insert(0) += 1;
    }
    // The edits are of all sorts: some are rejected, and others show only in a run, or not at all.
    for outcome in ["refused", "fault", "ran"] {
        assert!(counts.get(outcome).is_some_and(|count| *count >= runs / 100), "{counts:?}");
    }
}
