//! Explicit enumeration of store orders: the second half of Algorithms 1 and 2 of CAV 2019 (sections
//! 3.3 and 4.2).
//!
//! A partial store order that every witness contains (`pww` of CCM, `wpww` of wCCM, or any other) is
//! extended pair by pair: two writes of one location that are not ordered are ordered one way, and
//! if that does not lead to a witness, the other way. The store order `ww` is kept transitively
//! closed, and an extension is dropped once one of these is cyclic:
//!
//! | model | relations |
//! |---|---|
//! | SC | `po ∪ wr ∪ ww ∪ rw[ww]` |
//! | TSO | `po-loc ∪ wr_e ∪ ww ∪ rw[ww]`, `ppo ∪ wr_e ∪ ww ∪ rw[ww]` |
//!
//! No further order is inferred, unlike in saturation. When all pairs are ordered, a topological order of
//! the union (for TSO, the one with `ppo`) is a memory order. For TSO, a load that reads from its own
//! thread may come before its source: it is then served from the buffer, where the source is the newest
//! store to the location, since otherwise the union with `po-loc` would have a cycle. Other loads come
//! after their source by `wr_e`, before the next write by `rw`, and after their thread's own stores that
//! precede the source in `ww`; stores that follow the source would give a cycle with `po-loc`.
//!
//! **Is an extension cyclic?** Let (a, b) be added to a closed `ww` whose unions are acyclic. Every
//! pair of `ww` that follows leads from a write up to a, to b and on; every pair of `rw` leads from a
//! reader of such a write, which precedes a already or reads a, to b and on. So a new cycle has a path
//! from b to a or to a reader of a among the old pairs: one search from b for each union.
//!
//! **Cost.** A step costs O(n²/64), and there are up to 2^pairs. The number of orderings tried is
//! counted as nodes. Memory: 2 (TSO: 3) relations of n²/8 bytes and 40 bytes a pair of writes.

use history::OpId;

use check::engine::digraph::{Digraph, topological};
use check::kernel::pairs::write_pairs;
use check::verdict::Statistics;

use crate::execution::{Execution, NONE};
use crate::program_order::{program_order, program_order_by_location};
use check::engine::relation::{Relation, bits};
use check::published::{Answer, Problem, Report, may_start};

/// Enumerates the store orders that extend a partial one until one is a witness. `pww` relates
/// nodes of the execution; pairs that are not writes of one location are ignored.
pub fn enumerate(problem: &Problem<'_>, execution: &Execution<'_>, pww: &Relation) -> Report {
    let all = write_pairs(problem.history);
    let pairs = usize::try_from(all).unwrap_or(usize::MAX);
    let relations = 4 * Relation::bytes(execution.len());
    if !may_start(problem.bounds, relations.saturating_add(pairs.saturating_mul(40))) {
        return Answer::Exceeded.into();
    }
    let Some(mut extension) = Extension::new(execution, problem) else {
        return Answer::Exceeded.into();
    };
    extension.start_from(pww, problem.finals);
    let mut nodes = 0;
    let answer = extension.complete(problem, &mut nodes);
    Report {
        answer,
        statistics: Statistics {
            nodes: Some(nodes),
            ordered: Some(all - extension.open_at_first),
            ..Statistics::default()
        },
    }
}

/// A choice of the order of an open pair.
struct Choice {
    /// Index of the pair among the open pairs.
    pair: usize,
    /// Whether the second of the two orders was chosen.
    is_second: bool,
    /// Number of pairs that had been added to `ww` before the choice.
    added: usize,
}

/// A partial store order while it is extended.
struct Extension<'e> {
    execution: &'e Execution<'e>,
    /// Per union that must be acyclic, the pairs other than those of `ww` and `rw[ww]`. The last union is
    /// the one of memory order.
    unions: Vec<Relation>,
    ww: Relation,
    /// Pairs added to `ww` since the start.
    added: Vec<(u32, u32)>,
    /// Number of pairs that were open at the start.
    open_at_first: u64,
}

impl<'e> Extension<'e> {
    /// The extension that has ordered no pair. `None` if a bound was met.
    fn new(execution: &'e Execution<'e>, problem: &Problem<'_>) -> Option<Extension<'e>> {
        let model = problem.model;
        let union = |program_order: Vec<(u32, u32)>| {
            let mut union = Relation::new(execution.len());
            for (first, second) in program_order.into_iter().chain(execution.wr(model)) {
                union.insert(first, second);
            }
            union
        };
        let mut unions = vec![union(program_order(execution, model, problem.bounds)?)];
        if model.buffers() {
            unions.insert(0, union(program_order_by_location(execution)));
        }
        Some(Extension {
            execution,
            unions,
            ww: Relation::new(execution.len()),
            added: Vec::new(),
            open_at_first: 0,
        })
    }

    /// Sets the store order to extend: that of `pww`, with initial writes first and final writes last.
    fn start_from(&mut self, pww: &Relation, finals: &[OpId]) {
        let execution = self.execution;
        let mut last = vec![NONE; execution.locations() as usize];
        for write in finals {
            last[execution.location[write.at()] as usize] = write.0;
        }
        for (location, &last) in last.iter().enumerate() {
            let writes = execution.writes.of(location as u32);
            for &first in writes {
                for &second in writes.iter().filter(|&&second| second != first) {
                    let is_end = execution.is_initial(first) || second == last;
                    if is_end || pww.contains(first, second) {
                        self.order(first, second);
                    }
                }
            }
        }
        self.added.clear();
    }

    fn complete(&mut self, problem: &Problem<'_>, nodes: &mut u64) -> Answer {
        let orders: Option<Vec<Vec<u32>>> =
            self.unions.iter().map(|union| self.topological(union)).collect();
        let Some(order) = orders.and_then(|mut orders| orders.pop()) else {
            return Answer::Refuted;
        };
        let pairs = self.open_pairs(&order);
        self.open_at_first = pairs.len() as u64;
        let mut choices: Vec<Choice> = Vec::new();
        let mut at = 0;
        while let Some(&(first, second)) = pairs.get(at) {
            if problem.bounds.passed() {
                return Answer::Exceeded;
            }
            if self.is_ordered(first, second) {
                at += 1;
                continue;
            }
            let added = self.added.len();
            let found = self.choose(at, &pairs, false, added, nodes);
            let choice = found.or_else(|| self.choose(at, &pairs, true, added, nodes));
            match choice.or_else(|| self.backtrack(&mut choices, &pairs, nodes)) {
                Some(choice) => {
                    at = choice.pair + 1;
                    choices.push(choice);
                }
                None => return Answer::Refuted,
            }
        }
        self.memory_order()
    }

    /// Orders a pair, the other way around if `is_second`. Returns `None` if that gives a cycle. `added` is the
    /// number of pairs added to `ww` so far.
    fn choose(
        &mut self,
        pair: usize,
        pairs: &[(u32, u32)],
        is_second: bool,
        added: usize,
        nodes: &mut u64,
    ) -> Option<Choice> {
        let (mut first, mut second) = pairs[pair];
        if is_second {
            (first, second) = (second, first);
        }
        *nodes += 1;
        self.is_possible(first, second).then(|| {
            self.order(first, second);
            Choice { pair, is_second, added }
        })
    }

    /// Undoes choices back to the last one whose second order was not tried and gives no cycle, and chooses that
    /// order. `None` if there is no such choice.
    fn backtrack(
        &mut self,
        choices: &mut Vec<Choice>,
        pairs: &[(u32, u32)],
        nodes: &mut u64,
    ) -> Option<Choice> {
        while let Some(choice) = choices.pop() {
            for (first, second) in self.added.drain(choice.added..) {
                self.ww.remove(first, second);
            }
            if choice.is_second {
                continue;
            }
            let other = self.choose(choice.pair, pairs, true, choice.added, nodes);
            if other.is_some() {
                return other;
            }
        }
        None
    }

    /// The unordered pairs of writes of one location, in a topological order of the known order, and each
    /// pair ordered as there. Such a first guess is often right, and a wrong one fails early, since the
    /// pairs that it conflicts with are decided next.
    fn open_pairs(&self, order: &[u32]) -> Vec<(u32, u32)> {
        let mut rank = vec![0u32; order.len()];
        for (at, &node) in order.iter().enumerate() {
            rank[node as usize] = at as u32;
        }
        let rank = |node: u32| rank[node as usize];
        let mut pairs = Vec::new();
        for location in 0..self.execution.locations() {
            let writes = self.execution.writes.of(location);
            for (at, &one) in writes.iter().enumerate() {
                let others = writes[at + 1..].iter();
                let open = others.filter(|&&other| !self.is_ordered(one, other));
                pairs.extend(open.map(|&other| {
                    if rank(one) < rank(other) { (one, other) } else { (other, one) }
                }));
            }
        }
        pairs.sort_by_key(|&(first, second)| (rank(second), rank(first)));
        pairs
    }

    fn is_ordered(&self, first: u32, second: u32) -> bool {
        self.ww.contains(first, second) || self.ww.contains(second, first)
    }

    /// Adds a pair to `ww` and closes it.
    fn order(&mut self, first: u32, second: u32) {
        if self.ww.contains(first, second) {
            return;
        }
        let location = self.execution.location[first as usize];
        let writes = self.execution.writes.of(location).iter().copied();
        let before = |&write: &u32| write == first || self.ww.contains(write, first);
        let heads: Vec<u32> = writes.filter(before).collect();
        let mut tails: Vec<u32> = self.ww.successors(second).collect();
        tails.push(second);
        for &head in &heads {
            for &tail in &tails {
                if self.ww.insert(head, tail) {
                    self.added.push((head, tail));
                }
            }
        }
    }

    /// Whether the unions stay acyclic if a pair is added to `ww`.
    fn is_possible(&self, first: u32, second: u32) -> bool {
        let mut ends = vec![0u64; self.execution.len().div_ceil(64)];
        let readers = self.execution.readers.of(first).iter();
        for &end in readers.filter(|&&reader| reader != second).chain([&first]) {
            ends[end as usize / 64] |= 1 << (end % 64);
        }
        let mut unions = self.unions.iter();
        unions.all(|union| !self.reaches(union, second, &ends))
    }

    /// Whether a path in `union ∪ ww ∪ rw[ww]` leads from a node to one of a set.
    fn reaches(&self, union: &Relation, from: u32, ends: &[u64]) -> bool {
        let mut seen = vec![0u64; ends.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for (at, next) in self.successors(union, node).enumerate() {
                let new = next & !seen[at];
                if new & ends[at] != 0 {
                    return true;
                }
                seen[at] |= new;
                open.extend(bits(&[new]).map(|bit| at as u32 * 64 + bit));
            }
        }
        false
    }

    /// The successors of a node in `union ∪ ww ∪ rw[ww]`, as words of bits.
    fn successors<'a>(&'a self, union: &'a Relation, node: u32) -> impl Iterator<Item = u64> + 'a {
        let source = self.execution.source[node as usize];
        let overtaking = (source != NONE).then(|| self.ww.row(source));
        let rows = union.row(node).iter().zip(self.ww.row(node));
        rows.enumerate().map(move |(at, (fixed, ww))| {
            let mut later = overtaking.map_or(0, |row| row[at]);
            if at == node as usize / 64 {
                later &= !(1 << (node % 64));
            }
            fixed | ww | later
        })
    }

    /// A topological order of the nodes in `union ∪ ww ∪ rw[ww]`; `None` if that is cyclic.
    fn topological(&self, union: &Relation) -> Option<Vec<u32>> {
        let extension = self;
        topological(&Union { extension, union }).ok()
    }

    /// The answer once all pairs are ordered: a memory order.
    fn memory_order(&self) -> Answer {
        let union = self.unions.last();
        match union.and_then(|union| self.topological(union)) {
            Some(order) => {
                let operations = order.into_iter().filter_map(|node| self.execution.op(node));
                Answer::Order(operations.collect())
            }
            None => Answer::Refuted,
        }
    }
}

/// The relation `union ∪ ww ∪ rw[ww]` as a graph.
struct Union<'a> {
    extension: &'a Extension<'a>,
    union: &'a Relation,
}

impl Digraph for Union<'_> {
    fn nodes(&self) -> usize {
        self.extension.execution.len()
    }

    fn successors(&self, node: u32, mut visit: impl FnMut(u32)) {
        let words = self.extension.successors(self.union, node);
        for (at, word) in words.enumerate() {
            bits(&[word]).for_each(|bit| visit(at as u32 * 64 + bit));
        }
    }
}
