//! What the processor that a message of RubyTester names did, or never did, for the address that failed.
//!
//! RubyTester numbers its ports. Caches of gem5's protocols have one port for each sequencer, so processor 2 is sequencer 2, and the first-level cache
//! that serves it has the same number, or half of it where two cores share one.

use history::Unfinished;

use crate::gem5::crash::last_steps::LastSteps;
use crate::transitions::Transitions;

/// The machines that serve a sequencer each, or several, with the number of sequencers. Only one of them is in a protocol with numbers that
/// follow those of sequencers.
const FIRST_LEVEL: [(&str, u32); 3] = [("L0Cache", 1), ("L1Cache", 1), ("CorePair", 2)];

/// Sentences about a processor and a cache line, if that is known. `outstanding` are the requests that were never answered.
pub(crate) fn sentences(
    processor: u32,
    cache_line: Option<u64>,
    outstanding: &[Unfinished],
    (steps, names): (&LastSteps, &Transitions),
    line_size: u64,
) -> Vec<String> {
    let is_of_line = |request: &&Unfinished| {
        cache_line.is_none_or(|line| request.address & !(line_size - 1) == line)
    };
    let own = outstanding.iter().filter(|request| request.thread == processor);
    let oldest = own.filter(is_of_line).min_by_key(|request| request.issued);
    let which = cache_line.map_or(String::new(), |line| format!(" for line {line:#x}"));
    let requests = match oldest {
        Some(request) => {
            let what = if request.writes { "store to" } else { "load of" };
            let since = request.issued.map_or(String::new(), |tick| format!(" since tick {tick}"));
            let line = request.line.map_or(String::new(), |line| format!(" (line {line})"));
            format!("its {what} {:#x} has waited{since}{line}", request.address)
        }
        None => format!("the trace shows no outstanding request of it{which}"),
    };
    let mut sentences = vec![format!("processor {processor} is sequencer {processor}: {requests}")];
    let Some(line) = cache_line else { return sentences };
    let mut first_level = FIRST_LEVEL.into_iter();
    let Some((machine, shared)) =
        first_level.find(|(machine, _)| steps.has_machine(machine, names))
    else {
        return sentences;
    };
    let number = processor / shared;
    let standing = steps.standing(line, names);
    let own = standing.iter().find(|one| one.machine == machine && one.version == number);
    sentences.push(match own {
        Some(status) => status.to_string(),
        None => format!(
            "{machine} {number}, which serves it, took no transition for line {line:#x}, as far as the trace shows"
        ),
    });
    sentences
}
