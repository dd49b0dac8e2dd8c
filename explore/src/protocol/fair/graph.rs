//! Finds cycles of a graph that a fair run can repeat for ever, by strongly connected components.
//!
//! Each edge of a [`Graph`] has a label, which says what happens, and each label has a [`Fairness`]. A run is fair if each label with
//! strong fairness that is possible again and again also happens again and again, and so does each label with weak fairness that is
//! possible all the time from some point on. The states that a run visits again and again lie in one strongly connected component. If all
//! labels that must happen in a component do happen in it, a fair run can visit it for ever. If one does not, the states in which it is
//! possible cannot be visited again and again; without them the component is divided further (Emerson & Lei, "Modalities for model
//! checking", 1987).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// An edge of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The state to which it leads.
    pub to: u32,
    /// The label of the move.
    pub label: u32,
}

/// When a label must happen again and again in a fair run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fairness {
    /// It need not happen.
    None,
    /// Again and again if it is possible all the time.
    Weak,
    /// Again and again if it is possible again and again.
    Strong,
}

/// A graph with labels on its edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// For each state, the end of its edges in `edges`.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    /// The fairness of each label.
    pub fairness: Vec<Fairness>,
}

/// The value for no number.
const NONE: u32 = u32::MAX;

impl Graph {
    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds the next state, with its edges.
    pub(super) fn push(&mut self, edges: &[Edge]) {
        self.edges.extend_from_slice(edges);
        self.ends.push(self.edges.len());
    }

    /// The edges of a state.
    pub(super) fn edges(&self, state: u32) -> &[Edge] {
        let at = state as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[at]]
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<usize>() + self.edges.capacity() * size_of::<Edge>()
    }

    /// A component of some states that a fair run can visit for ever, without the edges whose labels are dropped; of several, the one with
    /// the smallest state. Its states are sorted. Cost: linear in the states and edges, times the number of times that components are
    /// divided.
    pub(super) fn fair_component(
        &self,
        states: Vec<u32>,
        is_dropped: &dyn Fn(u32) -> bool,
    ) -> Option<Vec<u32>> {
        let mut seeker = Seeker {
            graph: self,
            is_dropped,
            set: vec![NONE; self.len()],
            index: vec![NONE; self.len()],
            low: vec![0; self.len()],
            happens: vec![NONE; self.fairness.len()],
            sets: 0,
            rounds: 0,
        };
        let mut best: Option<Vec<u32>> = None;
        let mut left = vec![states];
        while let Some(states) = left.pop() {
            for component in seeker.components(&states) {
                match seeker.judge(&component) {
                    Judgement::Fair => {
                        let first = component.iter().min();
                        if best.as_ref().is_none_or(|best| best.iter().min() > first) {
                            best = Some(component);
                        }
                    }
                    Judgement::Rest(rest) => left.push(rest),
                }
            }
        }
        if let Some(best) = &mut best {
            best.sort_unstable();
        }
        best
    }

    /// The labels that must happen on a cycle through all states of a component.
    pub(super) fn required(&self, component: &[u32]) -> Vec<u32> {
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for &state in component {
            let mut labels: Vec<u32> = self.edges(state).iter().map(|edge| edge.label).collect();
            labels.sort_unstable();
            labels.dedup();
            labels.into_iter().for_each(|label| *counts.entry(label).or_default() += 1);
        }
        let required = |&(label, count): &(u32, usize)| match self.fairness[label as usize] {
            Fairness::None => false,
            Fairness::Weak => count == component.len(),
            Fairness::Strong => true,
        };
        let required = counts.into_iter().filter(required);
        let mut required: Vec<u32> = required.map(|(label, _)| label).collect();
        required.sort_unstable();
        required
    }

    /// A walk from the first state of a component back to it, on which all required labels happen: its states, each with the label of the
    /// step from it.
    pub(super) fn cycle(
        &self,
        component: &[u32],
        is_dropped: &dyn Fn(u32) -> bool,
    ) -> Vec<(u32, u32)> {
        let Some(&start) = component.first() else {
            return Vec::new();
        };
        let mut required = self.required(component);
        let mut walk = Vec::new();
        let mut at = start;
        let inside = |state: u32| component.binary_search(&state).is_ok();
        let step = |edge: &Edge| !is_dropped(edge.label) && inside(edge.to);
        while !required.is_empty() {
            let wanted = |edge: &Edge| step(edge) && required.contains(&edge.label);
            let Some((path, end)) = self.path(at, &step, &wanted) else { break };
            walk.extend(path);
            at = end;
            required.retain(|label| !walk.iter().any(|(_, happened)| happened == label));
        }
        if at != start || walk.is_empty() {
            let closes = |edge: &Edge| step(edge) && edge.to == start;
            if let Some((path, _)) = self.path(at, &step, &closes) {
                walk.extend(path);
            }
        }
        walk
    }

    /// A shortest path from a state that ends with a wanted edge, and the state to which it leads.
    fn path(
        &self,
        from: u32,
        step: &dyn Fn(&Edge) -> bool,
        wanted: &dyn Fn(&Edge) -> bool,
    ) -> Option<(Vec<(u32, u32)>, u32)> {
        let mut parents = FxHashMap::from_iter([(from, (from, NONE))]);
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for edge in self.edges(state) {
                if wanted(edge) {
                    let mut path = vec![(state, edge.label)];
                    let mut at = state;
                    while at != from {
                        let (parent, label) = parents[&at];
                        path.push((parent, label));
                        at = parent;
                    }
                    path.reverse();
                    return Some((path, edge.to));
                }
                if step(edge) && !parents.contains_key(&edge.to) {
                    parents.insert(edge.to, (state, edge.label));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}

/// Whether a fair run can visit a component for ever.
enum Judgement {
    Fair,
    /// A fair run cannot visit the whole component for ever, but perhaps a part of these states.
    Rest(Vec<u32>),
}

/// The state of a search for fair components.
struct Seeker<'g> {
    graph: &'g Graph,
    is_dropped: &'g dyn Fn(u32) -> bool,
    /// For each state, the number of the set of states that has it; old numbers and [`NONE`] mean that it is in no set.
    set: Vec<u32>,
    /// For each state, its number in the order of discovery.
    index: Vec<u32>,
    /// For each state, the least number of a state on the stack that it reaches.
    low: Vec<u32>,
    /// For each label, the last round of [`Seeker::judge`] in whose component it happens.
    happens: Vec<u32>,
    sets: u32,
    rounds: u32,
}

impl Seeker<'_> {
    /// The components of some states that have an edge, by Tarjan's algorithm.
    fn components(&mut self, states: &[u32]) -> Vec<Vec<u32>> {
        self.sets += 1;
        for &state in states {
            self.set[state as usize] = self.sets;
            self.index[state as usize] = NONE;
        }
        let (mut found, mut count) = (Vec::new(), 0);
        let mut stack = Vec::new();
        let mut path: Vec<(u32, usize)> = Vec::new();
        for &root in states {
            if self.index[root as usize] != NONE {
                continue;
            }
            path.push((root, 0));
            while let Some((state, next)) = path.pop() {
                let at = state as usize;
                if next == 0 {
                    (self.index[at], self.low[at]) = (count, count);
                    count += 1;
                    stack.push(state);
                }
                match self.descend(state, next) {
                    Some((child, next)) => path.extend([(state, next), (child, 0)]),
                    None => {
                        if let Some(&(parent, _)) = path.last() {
                            let low = self.low[at].min(self.low[parent as usize]);
                            self.low[parent as usize] = low;
                        }
                        if self.low[at] == self.index[at] {
                            found.extend(self.popped(&mut stack, state));
                        }
                    }
                }
            }
        }
        found
    }

    /// The first edge of a state, from number `from` on, that leads to a new state: that state, and the number of the next edge.
    fn descend(&mut self, state: u32, from: usize) -> Option<(u32, usize)> {
        let graph = self.graph;
        for (at, edge) in graph.edges(state).iter().enumerate().skip(from) {
            let to = edge.to as usize;
            if self.set[to] != self.sets || (self.is_dropped)(edge.label) {
                continue;
            }
            if self.index[to] == NONE {
                return Some((edge.to, at + 1));
            }
            self.low[state as usize] = self.low[state as usize].min(self.index[to]);
        }
        None
    }

    /// Takes a component from the stack; `None` if it has no edge. Its states belong to no set any more.
    fn popped(&mut self, stack: &mut Vec<u32>, root: u32) -> Option<Vec<u32>> {
        let start = stack.iter().rposition(|&state| state == root)?;
        let component = stack.split_off(start);
        component.iter().for_each(|&state| self.set[state as usize] = NONE);
        let mut own = self.graph.edges(root).iter();
        let is_loop = own.any(|edge| edge.to == root && !(self.is_dropped)(edge.label));
        (component.len() > 1 || is_loop).then_some(component)
    }

    /// Decides whether a run may visit all states of a component for ever and be fair: each label that must happen there does. If
    /// not, returns the states that a fair run can still visit.
    fn judge(&mut self, component: &[u32]) -> Judgement {
        self.sets += 1;
        self.rounds += 1;
        let (graph, round) = (self.graph, self.rounds);
        component.iter().for_each(|&state| self.set[state as usize] = self.sets);
        for edge in component.iter().flat_map(|&state| graph.edges(state)) {
            if self.set[edge.to as usize] == self.sets && !(self.is_dropped)(edge.label) {
                self.happens[edge.label as usize] = round;
            }
        }
        component.iter().for_each(|&state| self.set[state as usize] = NONE);
        let never = |label: u32| self.happens[label as usize] != round;
        let required = graph.required(component);
        if !required.iter().any(|&label| never(label)) {
            return Judgement::Fair;
        }
        let is_wrong = |edge: &Edge| {
            graph.fairness[edge.label as usize] == Fairness::Strong && never(edge.label)
        };
        let is_weak = |label: &u32| graph.fairness[*label as usize] == Fairness::Weak;
        if required.iter().any(|label| is_weak(label) && never(*label)) {
            // The label is possible in all states of the component, so also in all of any part.
            return Judgement::Rest(Vec::new());
        }
        let rest = component.iter().filter(|state| !graph.edges(**state).iter().any(is_wrong));
        Judgement::Rest(rest.copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of edges from, to and label.
    fn graph(states: u32, edges: &[(u32, u32, u32)], fairness: &[Fairness]) -> Graph {
        let mut graph = Graph { fairness: fairness.to_vec(), ..Graph::default() };
        for state in 0..states {
            let own = edges.iter().filter(|(from, ..)| *from == state);
            graph.push(&own.map(|&(_, to, label)| Edge { to, label }).collect::<Vec<_>>());
        }
        graph
    }

    fn all(graph: &Graph) -> Option<Vec<u32>> {
        graph.fair_component((0..graph.len() as u32).collect(), &|_| false)
    }

    /// Two states in turn; in the second, something else is possible that leads away.
    #[test]
    fn fairness_decides_which_cycles_there_are() {
        let edges = [(0, 1, 0), (1, 0, 0), (1, 2, 1)];
        let with = |fairness| graph(3, &edges, &[Fairness::None, fairness]);
        assert_eq!(all(&with(Fairness::None)), Some(vec![0, 1]));
        // Label 1 is not possible all the time.
        assert_eq!(all(&with(Fairness::Weak)), Some(vec![0, 1]));
        assert_eq!(all(&with(Fairness::Strong)), None);
        let edges = [&edges[..], &[(0, 2, 1)]].concat();
        assert_eq!(all(&graph(3, &edges, &[Fairness::None, Fairness::Weak])), None);
    }

    #[test]
    fn a_component_is_divided_until_it_is_fair() {
        // The cycle through 2 makes label 1 possible, which leads away; that of 0 and 1 is fair.
        let edges = [(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 0, 0), (2, 3, 1)];
        let graph = graph(4, &edges, &[Fairness::None, Fairness::Strong]);
        assert_eq!(all(&graph), Some(vec![0, 1]));
        assert_eq!(graph.fair_component(vec![0, 2], &|_| false), None);
        assert_eq!(graph.fair_component(vec![0, 1], &|label| label == 0), None);
    }

    #[test]
    fn a_cycle_has_all_that_must_happen() {
        let edges = [(0, 1, 0), (1, 0, 0), (1, 2, 1), (2, 1, 0), (2, 2, 2)];
        let fairness = [Fairness::None, Fairness::Strong, Fairness::Strong];
        let graph = graph(3, &edges, &fairness);
        let component = all(&graph).expect("all states");
        assert_eq!(component, [0, 1, 2]);
        let cycle = graph.cycle(&component, &|_| false);
        assert_eq!(cycle, [(0, 0), (1, 1), (2, 2), (2, 0), (1, 0)]);
    }

    /// Each state has few edges; components are compared with those by reachability.
    #[test]
    fn components_are_those_of_reachability() {
        let mut random = history::random::Rng::new(7, 1);
        for _ in 0..300 {
            let states = 1 + random.below(9) as u32;
            let count = random.below(2 * u64::from(states) + 1);
            let edges: Vec<(u32, u32, u32)> = (0..count)
                .map(|_| {
                    let mut draw = || random.below(u64::from(states)) as u32;
                    (draw(), draw(), 0)
                })
                .collect();
            let graph = graph(states, &edges, &[Fairness::None]);
            let mut reach = vec![0_u64; states as usize];
            edges.iter().for_each(|&(from, to, _)| reach[from as usize] |= 1 << to);
            for _ in 0..states {
                for from in 0..states as usize {
                    let next = (0..states as usize).filter(|to| reach[from] >> to & 1 == 1);
                    reach[from] |= next.fold(0, |all, to| all | reach[to]);
                }
            }
            let both = |one: u32, other: u32| {
                reach[one as usize] >> other & 1 == 1 && reach[other as usize] >> one & 1 == 1
            };
            let first = (0..states).find(|&state| both(state, state));
            let expected = first.map(|first| (0..states).filter(|&one| both(first, one)).collect());
            assert_eq!(all(&graph), expected, "{edges:?}");
        }
    }
}
