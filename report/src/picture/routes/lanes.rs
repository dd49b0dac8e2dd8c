//! Chooses the lane of each arrow within its channel.

use super::Route;

/// The largest number of rounds of improvement.
const ROUNDS: usize = 8;

/// Orders the arrows of each channel so that few cross, and assigns the smallest number of lanes for that order.
pub(super) fn choose(routes: &mut [Route]) {
    let last = routes.iter().filter_map(|it| it.channel).max();
    for channel in 0..=last.unwrap_or(0) {
        let members: Vec<usize> =
            (0..routes.len()).filter(|&at| routes[at].channel == Some(channel)).collect();
        let order = ordered(routes, members);
        pack(routes, &order);
    }
}

/// Orders arrows from left to right. Each arrow moves to the position with the fewest crossings, until none moves.
fn ordered(routes: &[Route], members: Vec<usize>) -> Vec<usize> {
    let costs = Costs::of(routes, &members);
    let mut places: Vec<usize> = (0..members.len()).collect();
    for _ in 0..ROUNDS {
        let before = places.clone();
        for member in 0..places.len() {
            reinsert(&mut places, member, &costs);
        }
        if places == before {
            break;
        }
    }
    places.into_iter().map(|place| members[place]).collect()
}

/// Moves a member to the nearest of its best positions, which may be the present one.
fn reinsert(places: &mut Vec<usize>, member: usize, costs: &Costs) {
    let own = places.iter().position(|&other| other == member);
    let own = own.unwrap_or(0);
    places.remove(own);
    let mut cost: isize = 0;
    let mut best = (cost, own, 0);
    for at in 0..=places.len() {
        // `cost` is that of position `at`, relative to the first position.
        best = best.min((cost, at.abs_diff(own), at));
        if let Some(&other) = places.get(at) {
            cost += costs.get(other, member) - costs.get(member, other);
        }
    }
    places.insert(best.2, member);
}

/// The number of crossings of each pair of arrows in a channel if the first is to the left of the second.
struct Costs {
    count: usize,
    costs: Vec<usize>,
}

impl Costs {
    fn of(routes: &[Route], members: &[usize]) -> Costs {
        let lane = |at: usize, lane| Route { lane, ..routes[at] };
        let pairs =
            members.iter().flat_map(|&left| members.iter().map(move |&right| (left, right)));
        Costs {
            count: members.len(),
            costs: pairs.map(|(left, right)| lane(left, 0).crossings(&lane(right, 1))).collect(),
        }
    }

    fn get(&self, left: usize, right: usize) -> isize {
        self.costs[left * self.count + right] as isize
    }
}

/// Assigns each arrow the leftmost lane to the right of all earlier arrows that it would touch.
fn pack(routes: &mut [Route], order: &[usize]) {
    for (place, &at) in order.iter().enumerate() {
        let before = order[..place].iter().map(|&other| routes[other]);
        let touching = before.filter(|other| other.is_beside(&routes[at]));
        routes[at].lane = touching.map(|other| other.lane + 1).max().unwrap_or(0);
    }
}
