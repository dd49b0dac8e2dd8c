//! The state of a line changes by its transitions only, in the machines that serve cores and devices: what `slicc::reachable` says of requests that
//! sequencers hold back rests on it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use mutate::repair::all_that_fit;
use simulate::config::handled;
use simulate::recipe::{Lineage, Recipe};
use simulate::trace::Output;
use slicc::protocol::Protocol;
use slicc::requests::is_sequencer;

use crate::stress;
use crate::unreachable::RELEASED;

/// A trace in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The states that a line has without a cache entry and a TBE. Other things may choose between them, and a trigger may name neither
/// although there are some.
const UNWRITTEN: [&str; 4] = ["I", "NP", "I_L", "READY"];

/// Follows each line through the transitions of a trace. Returns their number.
fn follow(protocol: &Protocol, trace: &str) -> usize {
    let is_of_requests =
        |one: &slicc::ast::Object| is_sequencer(one) || &*one.kind.text == "DMASequencer";
    let serves = |machine: &&slicc::ast::Machine| machine.parameters.iter().any(is_of_requests);
    let serving: Vec<&str> =
        protocol.machines().filter(serves).map(|machine| &*machine.name.text).collect();
    let mut last: BTreeMap<(&str, &str, &str), &str> = BTreeMap::new();
    let mut count = 0;
    for line in trace.lines().filter(|line| !line.contains("Stall")) {
        // `      71   0    L1Cache          Load      I>IS     [0x1040, line 0x1040] …`
        let words: Vec<&str> = line.split_whitespace().collect();
        // A long event has no space between it and the machine.
        let Some(at) = words.iter().position(|word| word.contains('>')) else { continue };
        let [version, machine, states, address] = [1, 2, at, at + 1].map(|at| words[at]);
        let Some((from, to)) = states.split_once('>') else { continue };
        let Some(machine) = serving.iter().find(|name| machine.starts_with(*name)) else {
            continue;
        };
        count += 1;
        let known = last.insert((machine, version, address), to);
        let is_known = known.is_none_or(|known| known == from) || UNWRITTEN.contains(&from);
        assert!(is_known, "{}: left in {known:?}: {line}", protocol.title());
    }
    count
}

fn check(protocol: &Protocol, runs: u64) {
    let mut count = 0;
    for number in 0..runs {
        let client = stress::CLIENTS[(number % stress::CLIENTS.len() as u64) as usize];
        let lineage = Lineage::root(number).with_extras(handled(protocol));
        let simulation = Recipe::of(&lineage).simulation(protocol, client);
        let Ok(plan) = simulation.plan(protocol) else { continue };
        let lines = Lines::default();
        let output = Output::Plain(Box::new(lines.clone()));
        let run = simulation.run(protocol, &plan, Some(output));
        drop(run);
        count += follow(protocol, &String::from_utf8_lossy(&lines.0.lock().unwrap()));
    }
    assert!(count > 1000, "{}: {count} transitions", protocol.title());
}

#[test]
fn a_line_is_in_the_state_in_which_its_last_transition_left_it() {
    for one in slicc::builtin::BUILTINS {
        check(&stress::open(one.name), 12);
    }
}

/// `RUBRIC_GEM5=path/to/gem5 cargo test -p rubric-simulate --test it states:: -- --ignored`
#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn so_it_is_in_released_protocols() {
    let Some(root) = std::env::var_os("RUBRIC_GEM5") else { return };
    for name in RELEASED {
        let path = Path::new(&root).join(format!("src/mem/ruby/protocol/{name}.slicc"));
        let protocol = Protocol::open(&path.display().to_string()).expect("it loads");
        check(&all_that_fit(&protocol).protocol, 12);
    }
}
