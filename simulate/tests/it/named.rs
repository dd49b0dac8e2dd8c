//! Named mutants in protocols of other authors, and in edited ones: the built-in ones with
//! other names of actions and ports, other formatting and another order. Every fault applies there
//! as it does to the built-in protocol, and has the same effect.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::outcome::{effect, traced};
use crate::stress;
use mutate::named;
use simulate::differences::touched;
use simulate::named_effects::named_effects;
use slicc::ast::{Declaration, Machine, Name, Transition};
use slicc::builtin::BUILTINS;
use slicc::protocol::Protocol;
use slicc::source::Span;

/// Replacements for ranges of a file.
type Edits = Vec<(Span, String)>;

fn apply(text: &str, file: u32, edits: &Edits) -> String {
    let mut own: Vec<&(Span, String)> = edits.iter().filter(|one| one.0.file == file).collect();
    own.sort_by_key(|(span, _)| span.start);
    let mut result = String::new();
    let mut at = 0;
    for (span, new) in own {
        result.push_str(&text[at..span.start as usize]);
        result.push_str(new);
        at = span.end as usize;
    }
    result + &text[at..]
}

/// A different name for an action or port.
fn strange(name: &str) -> String {
    match name {
        // The name alone makes this action a stall.
        "z_stall" => name.to_owned(),
        _ => format!("my_{name}_x"),
    }
}

/// A transition in the style of gem5's files: one action in a line, each with a semicolon.
fn rewritten(protocol: &Protocol, transition: &Transition) -> String {
    let list = |names: &[Name]| {
        let names: Vec<&str> = names.iter().map(|name| &*name.text).collect();
        match names[..] {
            [one] => one.to_owned(),
            _ => format!("{{{}}}", names.join(",")),
        }
    };
    let head = protocol.sources().text(transition.head);
    let after_events = transition.events.last().unwrap().span.end - transition.head.start;
    let next = &head[after_events as usize..];
    let next = next.trim_start_matches([' ', '}', '\n']).trim_end_matches(')');
    let (states, events) = (list(&transition.states), list(&transition.events));
    let requests = transition.requests.as_ref();
    let requests = requests.map_or(String::new(), |names| {
        let names: Vec<&str> = names.iter().map(|name| &*name.text).collect();
        format!(" {{{}}}", names.join(", "))
    });
    let actions: String =
        transition.actions.iter().map(|name| format!("    {};\n", strange(&name.text))).collect();
    format!(
        "transition({states}, {events}{next}){requests} {{\n    // What happens.\n{actions}  }}"
    )
}

fn transitions(machine: &Machine) -> Vec<&Transition> {
    let body = machine.body.iter();
    let found = body.filter_map(|one| match one {
        Declaration::Transition(transition) => Some(transition),
        _ => None,
    });
    found.collect()
}

/// Writes a built-in protocol into a folder, with other names and formatting, and opens it.
fn estranged(original: &Protocol, folder: &Path) -> Protocol {
    let mut edits = Edits::new();
    let mut ports = BTreeSet::new();
    for machine in original.machines() {
        let transitions = transitions(machine);
        let turned = transitions.iter().rev();
        for (place, transition) in transitions.iter().zip(turned) {
            edits.push((place.span, rewritten(original, transition)));
        }
        for declaration in &machine.body {
            match declaration {
                Declaration::Action(action) => {
                    edits.push((action.name.span, strange(&action.name.text)));
                }
                Declaration::InPort(port) => _ = ports.insert(port.name.text.to_string()),
                Declaration::OutPort(port) => _ = ports.insert(port.name.text.to_string()),
                _ => {}
            }
        }
    }
    let files = original.loaded.own_files();
    for (number, (path, text)) in (1..).zip(files) {
        let mut text = apply(text, number, &edits);
        for port in &ports {
            text = renamed(&text, port, &strange(port));
        }
        std::fs::write(folder.join(path), text).unwrap();
    }
    let root = folder.join(format!("{}.slicc", original.name()));
    Protocol::open(root.to_str().unwrap()).unwrap_or_else(|failure| {
        let messages: Vec<_> = failure.diagnostics.iter().map(|one| &one.message).collect();
        panic!("{}: {messages:?}", original.name())
    })
}

/// Replaces a word by another one.
fn renamed(text: &str, word: &str, other: &str) -> String {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let is_word = !is_part(before.chars().next_back()) && !is_part(behind.chars().next());
        result.push_str(before);
        result.push_str(if is_word { other } else { word });
        rest = behind;
    }
    result + rest
}

#[test]
fn faults_apply_to_protocols_of_others() {
    let ways = ways();
    for one in BUILTINS {
        let ours = stress::open(one.name);
        let folder = tempfile::tempdir().unwrap();
        let theirs = estranged(&ours, folder.path());
        for mutant in named::of(one.name) {
            let name = &mutant.name;
            let with = |protocol: &Protocol| {
                protocol.with(&mutant).unwrap_or_else(|failure| {
                    let messages: Vec<_> =
                        failure.diagnostics.iter().map(|one| &one.message).collect();
                    panic!("{name}: {messages:?}\n{:?}", mutant.patch(&protocol.loaded))
                })
            };
            let (our_mutant, their_mutant) = (with(&ours), with(&theirs));
            let places = |before: &Protocol, after: &Protocol| -> BTreeSet<String> {
                let entries = touched(before, after).entries;
                entries.iter().map(ToString::to_string).collect()
            };
            assert_eq!(places(&ours, &our_mutant), places(&theirs, &their_mutant), "{name}");
            for simulation in stress::standard(&ours).take(2) {
                let (our_trace, _) = traced(&our_mutant, &simulation);
                let (their_trace, _) = traced(&their_mutant, &simulation);
                assert!(same_runs(&our_trace, &their_trace), "{name}");
            }
            if let Some((client, options, shown)) = ways.get(&**name) {
                let simulation = stress::simulation_of(options, client.parse().unwrap());
                let effect = effect(&their_mutant, &simulation);
                assert_eq!(effect.as_ref(), Some(shown), "{name}");
            }
        }
    }
}

/// Whether two traces are the same except for their first line, which contains the name of the
/// protocol.
fn same_runs(a: &[u8], b: &[u8]) -> bool {
    let rest = |trace: &[u8]| -> Vec<u8> {
        let at = trace.iter().position(|&byte| byte == b'\n');
        trace[at.unwrap_or(0)..].to_vec()
    };
    rest(a) == rest(b)
}

/// The first way to see each fault: client, options and effect.
fn ways() -> BTreeMap<String, (String, String, String)> {
    let rows = named_effects().expect("every row of mutants.csv can be read");
    let mut ways = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.why.is_empty()) {
        let options = format!("{} --seed {}", row.options, row.seed);
        ways.entry(row.mutant).or_insert((row.client, options, row.effect));
    }
    ways
}

#[test]
fn patches_fit_the_files_they_are_made_of() {
    if Command::new("patch").arg("--version").output().is_err() {
        return;
    }
    for one in BUILTINS {
        let folder = tempfile::tempdir().unwrap();
        let theirs = estranged(&stress::open(one.name), folder.path());
        let files = theirs.loaded.own_files();
        for mutant in named::of(one.name) {
            for (path, text) in &files {
                std::fs::write(folder.path().join(path), text).unwrap();
            }
            let patch = mutant.patch(&theirs.loaded).unwrap();
            if patch.is_empty() {
                continue;
            }
            let file = folder.path().join("patch");
            std::fs::write(&file, patch).unwrap();
            let mut program = Command::new("patch");
            program.args(["-p1", "--silent", "--fuzz=0", "-i"]).arg(&file);
            let output = program.current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{}: {output:?}", mutant.name);
            for changed in mutant.changed(&theirs.loaded).unwrap() {
                let text = std::fs::read_to_string(folder.path().join(&changed.path)).unwrap();
                assert_eq!(text, changed.text, "{}", mutant.name);
            }
        }
    }
}
