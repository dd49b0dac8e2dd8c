//! The order in which events are admitted to windows.

use crate::engine::csr::Csr;
use crate::engine::digraph::topological;
use crate::engine::events::{INITIAL, NONE};

use super::Input;

/// All events in a topological order of preserved program order, program order and external reads-from, or
/// if there is none, as under a model that lets a write precede an earlier read, of preserved program order
/// and reads-from. An event that could come next for the longest time does, so that threads that wait for
/// others fall behind. `None` if these are cyclic, too. Cost: linear.
pub(super) fn order(input: &Input<'_>) -> Option<Vec<u32>> {
    sorted(input, true).or_else(|| sorted(input, false))
}

fn sorted(input: &Input<'_>, in_program_order: bool) -> Option<Vec<u32>> {
    let nodes = input.nodes() as u32;
    let known = (0..nodes).flat_map(|event| {
        let before = input.before.of(event).iter();
        before.map(move |&other| (other, event))
    });
    let sources = (0..nodes).filter(|&event| input.reads[event as usize]);
    let sources = sources.map(|event| (input.source[event as usize], event));
    let sources =
        sources.filter(|&(source, read)| source < INITIAL && !input.is_own_earlier(source, read));
    let program = (1..nodes).map(|event| (event - 1, event)).filter(|&(first, second)| {
        let thread = |event: u32| input.thread[event as usize];
        in_program_order && thread(first) != NONE && thread(first) == thread(second)
    });
    let graph = Csr::new(input.nodes(), known.chain(sources).chain(program));
    topological(&graph).ok()
}
