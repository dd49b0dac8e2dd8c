//! Chooses the channel of each arrow.

use super::{FROM, Route, TO};

/// The largest number of rounds of improvement. Few are needed.
const ROUNDS: usize = 4;
/// The cost of a crossing, and that of another arrow in the same channel, which makes the channel wider.
const CROSSING: usize = 4;
const NEIGHBOUR: usize = 1;

/// Chooses channels for one arrow after the other, and repeats this while it helps.
pub(super) fn choose(routes: &mut [Route]) {
    for route in routes.iter_mut().filter(|it| it.channel.is_some()) {
        route.channel = candidates(route).first().copied();
    }
    for _ in 0..ROUNDS {
        let mut has_changed = false;
        for at in 0..routes.len() {
            let best = best(routes, at);
            has_changed |= best != routes[at].channel;
            routes[at].channel = best;
        }
        if !has_changed {
            break;
        }
    }
}

/// The channels that are no detour for an arrow, the one beside its target first.
fn candidates(route: &Route) -> Vec<usize> {
    let [from, to] = route.columns;
    match from.cmp(&to) {
        std::cmp::Ordering::Less => (from + 1..=to).rev().collect(),
        std::cmp::Ordering::Equal => vec![from + 1, from],
        std::cmp::Ordering::Greater => (to + 1..=from).collect(),
    }
}

/// The channel of least cost for an arrow, given those of the others.
fn best(routes: &[Route], at: usize) -> Option<usize> {
    routes[at].channel?;
    let with = |channel| Route { channel: Some(channel), ..routes[at] };
    let channels = candidates(&routes[at]).into_iter();
    channels.min_by_key(|&channel| cost(routes, at, &with(channel)))
}

fn cost(routes: &[Route], at: usize, route: &Route) -> usize {
    let others = routes.iter().enumerate().filter(|&(other, _)| other != at);
    let costs = others.map(|(_, other)| {
        let is_neighbour = other.channel == route.channel && route.is_beside(other);
        CROSSING * route.crossings(other) + NEIGHBOUR * usize::from(is_neighbour)
    });
    costs.sum::<usize>() + outside(route)
}

/// A small additional cost of the channel at the left edge of the picture, which is kept free where possible.
fn outside(route: &Route) -> usize {
    let is_within = route.columns[FROM] == route.columns[TO];
    usize::from(is_within && route.channel == Some(0))
}
