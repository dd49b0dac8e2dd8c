//! Cycles of the order that a model stands for, with few literals.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Arc, Graph};

/// Cycles that are looked for in one model at the most.
const MOST: usize = 256;
/// Events looked at in one model at the most, once a cycle is found.
const WORK: usize = 2_000_000;

/// Some cycles, each with as few literals as a cycle through one of its arcs can have. `left` says
/// which events are on cycles or between them. Finds at least one if there is one.
pub fn cycles(graph: &Graph<'_>, left: &[bool]) -> Vec<Vec<Arc>> {
    let is_left = |event: u32| left[event as usize];
    let mut found: Vec<Vec<Arc>> = Vec::new();
    let mut used: FxHashSet<i32> = FxHashSet::default();
    let mut work = 0;
    let chosen = graph.chosen().iter();
    for arc in chosen.filter(|arc| is_left(arc.from) && is_left(arc.to)) {
        if found.len() >= MOST || !found.is_empty() && work > WORK {
            break;
        }
        let literals = arc.link.literals();
        if literals.iter().any(|literal| used.contains(literal)) {
            continue;
        }
        if let Some(mut cycle) = way_back(graph, arc, &is_left, &mut work) {
            cycle.insert(0, *arc);
            let literals = cycle.iter().flat_map(|arc| arc.link.literals());
            used.extend(literals.filter(|&literal| literal != 0));
            found.push(cycle);
        }
    }
    found
}

/// A path from an arc's head to its tail with few literals.
fn way_back(
    graph: &Graph<'_>,
    arc: &Arc,
    is_left: impl Fn(u32) -> bool,
    work: &mut usize,
) -> Option<Vec<Arc>> {
    let cost_of = |other: &Arc| {
        let new = |literal: &&i32| **literal != 0 && !arc.link.literals().contains(literal);
        other.link.literals().iter().filter(new).count() as u32
    };
    // Number of literals, then of arcs.
    let mut best: FxHashMap<u32, (u32, u32)> = FxHashMap::from_iter([(arc.to, (0, 0))]);
    let mut parent: FxHashMap<u32, Arc> = FxHashMap::default();
    let mut open = BinaryHeap::from([Reverse(((0, 0), arc.to))]);
    while let Some(Reverse((cost, event))) = open.pop() {
        if best[&event] < cost {
            continue;
        }
        if event == arc.from {
            return Some(unwind(arc.from, arc.to, &parent));
        }
        *work += 1;
        for next in graph.from(event).filter(|next| is_left(next.to)) {
            let reached = (cost.0 + cost_of(next), cost.1 + 1);
            if best.get(&next.to).is_none_or(|&known| reached < known) {
                best.insert(next.to, reached);
                parent.insert(next.to, *next);
                open.push(Reverse((reached, next.to)));
            }
        }
    }
    None
}

fn unwind(end: u32, start: u32, parent: &FxHashMap<u32, Arc>) -> Vec<Arc> {
    let mut path = Vec::new();
    let mut event = end;
    while event != start {
        let arc = parent[&event];
        path.push(arc);
        event = arc.from;
    }
    path.reverse();
    path
}
