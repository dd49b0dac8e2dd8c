//! The order in which events are admitted to windows.

mod estimate;
mod near;

use crate::engine::csr::Csr;
use crate::engine::events::{INITIAL, NONE};

use super::Input;

/// Which pairs of a thread's events the order of admission keeps, besides those of preserved program order and of
/// external reads-from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Further {
    /// A read is admitted after the last write before it of its thread and location, and so is its source (R5), so that
    /// the rules see that write when the read becomes a member.
    OwnWrites,
    /// As with `OwnWrites`, but a read that returns the value of that write may be admitted first: another thread may
    /// have to read what its own store buffer served before memory performs the write.
    OverwrittenOwnWrites,
}

/// All events in a topological order of preserved program order and external reads-from. [`estimate::order`] says
/// which, if program order and external reads-from together have no cycle. If they have one, as they can under a
/// model that lets a write precede an earlier read, the pairs of `Further::OwnWrites`, or else of
/// `Further::OverwrittenOwnWrites`, are kept, and events come [near](near::order) program order. Of the events
/// that can come next, the one that could for the longest time does, so that threads that wait for others fall
/// behind. `None` if every such relation is cyclic. Cost: that of [`estimate::order`] and [`near::order`].
pub(super) fn order(input: &Input<'_>) -> Option<Vec<u32>> {
    let ways = [Further::OwnWrites, Further::OverwrittenOwnWrites];
    estimate::order(input)
        .or_else(|| ways.into_iter().find_map(|further| near_program(input, further)))
}

/// The events in an order near program order that keeps these pairs of it.
fn near_program(input: &Input<'_>, further: Further) -> Option<Vec<u32>> {
    let nodes = input.nodes() as u32;
    let known = (0..nodes).flat_map(|event| {
        let before = input.before.of(event).iter();
        before.map(move |&other| (other, event))
    });
    let sources = (0..nodes).filter(|&event| input.reads[event as usize]);
    let sources = sources.map(|event| (input.source[event as usize], event));
    let sources =
        sources.filter(|&(source, read)| source < INITIAL && !input.is_own_earlier(source, read));
    let own = own_writes(input, further);
    let graph = Csr::new(input.nodes(), known.chain(sources).chain(own.iter().copied()));
    near::order(input, &graph)
}

/// The pairs that [`Further::OwnWrites`] or [`Further::OverwrittenOwnWrites`] keep. The first event of a pair
/// is admitted first. Cost: linear.
fn own_writes(input: &Input<'_>, further: Further) -> Vec<(u32, u32)> {
    let own = input.own_writes();
    let mut pairs = Vec::new();
    for read in (0..input.nodes() as u32).filter(|&event| own[event as usize] != NONE) {
        let (own, source) = (own[read as usize], input.source[read as usize]);
        if own != source || further == Further::OwnWrites {
            pairs.push((own, read));
        }
        if own != source && source < INITIAL {
            pairs.push((own, source));
        }
    }
    pairs
}
