//! Searches a stretch of memory order, deriving the consequences of every choice.
//!
//! Events are placed one after the other, each as soon as everything that precedes it is placed (Manovit
//! & Hangal 2006, section 4.2, *Deriv+Back*). The search continues a given prefix up to a number of
//! events. Placing a write puts it before all unplaced writes of its location, so every reader of it must
//! precede those.
//!
//! **Safe placements.** If the unplaced readers of a write are already known to precede every other
//! unplaced write of the location, placing the write excludes nothing: in any order in which it comes
//! later, it can be moved to the front. Such writes are placed first.
//!
//! **Choices.** If no free write is safe, the one of lowest rank is ordered before the others; after
//! saturation it is safe. A contradiction is explained: the choices that it depends on give a *lemma*, and
//! the search jumps back to the last but one of them and takes the opposite of the last. A contradiction
//! that depends on no choice is a violation, and the lemmas are its proof. One that depends only on the
//! prefix refutes the prefix.
//!
//! **Invariant.** Everything that precedes a placed event is placed, and so are all readers of a placed
//! write, except those of the last one of its location, which are known to precede every unplaced
//! write. So no rule can order an unplaced event before a placed one, and no rule needs to consider
//! placed writes ([`Saturation::settle`]).
//!
//! The search is complete; its cost is exponential in the worst case. Without contradictions it is that of
//! saturation, plus a visit of every thread for each write with unplaced readers.

use crate::engine::choice::WriteOrderChoice;
use crate::engine::effort::Effort;
use crate::engine::explain::{Explanation, explain};
use crate::engine::frontier::Frontier;
use crate::engine::limits::Limits;
use crate::engine::proof::{Block, Violation};
use crate::engine::saturate::{Mark, NoFixpoint, Saturation};
use certify::rule::Rule;

/// The initial horizon, in ranks: events up to this far ahead of the lowest unplaced rank are visited after
/// each choice. Events beyond it wait, so that they are visited once for many choices. But a
/// contradiction that is found late costs more to undo, so each one widens the horizon, and choices
/// without one narrow it again.
const INITIAL_HORIZON: usize = 1024;

/// How a search ended.
#[derive(Debug)]
pub(super) enum End {
    /// The requested number of events is placed, or the trail has reached its limit.
    Reached,
    /// The prefix cannot be continued.
    Refuted,
    /// Every order leads to a contradiction.
    Violation(Violation),
    /// The budget of contradictions or of visits is spent.
    Budget,
    /// The proofs of the lemmas have more facts than [`Limits::facts`] allows.
    Memory,
    /// A bound was met.
    Exceeded,
}

/// The lemmas and counters that are kept from one stretch to the next.
#[derive(Debug)]
pub(super) struct Learned {
    lemmas: Vec<Lemma>,
    /// Number of facts in the proofs of the lemmas.
    facts: usize,
    /// Maximum number of facts.
    most_facts: usize,
    /// The work done so far, and its limits.
    pub effort: Effort,
    /// Length of the trail, in changes, at which a stretch ends.
    pub trail: usize,
}

impl Learned {
    /// Creates the state without lemmas.
    pub(super) fn new(limits: Limits) -> Learned {
        Learned {
            lemmas: Vec::new(),
            facts: 0,
            most_facts: limits.facts,
            effort: Effort::new(limits.budget, limits.visits),
            trail: limits.trail.max(1),
        }
    }

    fn learn(&mut self, lemma: Lemma) {
        self.facts += lemma.block.facts.len();
        self.lemmas.push(lemma);
    }

    /// The choices that were refuted independently of all others, in the order in which they were refuted.
    pub(super) fn wrong_choices(&self) -> impl Iterator<Item = WriteOrderChoice> {
        let alone = self.lemmas.iter().filter(|lemma| lemma.premises.is_empty());
        alone.map(|lemma| WriteOrderChoice { write: lemma.forced.1, other: lemma.forced.0 })
    }
}

/// Choices that were made together, and the state before them.
#[derive(Clone, Copy)]
struct Level {
    mark: Mark,
    placed: usize,
    /// The number of the first edge of these choices.
    edge: u32,
}

/// The refutation of a set of choices.
#[derive(Debug)]
struct Lemma {
    block: Block,
    /// The choices that it depends on, except the last, as edges of its stretch.
    premises: Vec<u32>,
    /// The edge that it forces: the opposite of the last choice.
    forced: (u32, u32),
}

/// A free write that is not safe, because `reader`, which reads it, is not known to precede `other`.
struct UnsafeWrite {
    write: u32,
    reader: u32,
    other: u32,
}

/// Continues the prefix that is placed on a frontier until `until` events are placed. `locks` are the
/// writes of the prefix that have unplaced readers. The saturated order is restored at the end.
pub(super) fn search<'e>(
    saturation: &mut Saturation<'e>,
    frontier: &mut Frontier<'e>,
    locks: &[u32],
    until: usize,
    memory: &mut Learned,
) -> End {
    let base = saturation.mark();
    frontier.start();
    let mut search = Search {
        visits: saturation.visits(),
        prefix: frontier.order().len(),
        frontier,
        saturation,
        held_back: Vec::new(),
        one_by_one: 0,
        ahead: INITIAL_HORIZON,
        levels: Vec::new(),
        memory,
    };
    let end = search.begin(locks).and_then(|()| search.run(until));
    if end.is_err() {
        search.go_back(search.prefix);
    }
    saturation.return_to(base);
    end.unwrap_or_else(|end| end)
}

struct Search<'s, 'e> {
    saturation: &'s mut Saturation<'e>,
    frontier: &'s mut Frontier<'e>,
    /// Length of the prefix.
    prefix: usize,
    /// Free writes that were not safe when they were last checked.
    held_back: Vec<UnsafeWrite>,
    /// Until this many events are placed, choices are made one by one.
    one_by_one: usize,
    /// The horizon, in ranks (see [`INITIAL_HORIZON`]).
    ahead: usize,
    /// The choices made. The first level has those of the prefix.
    levels: Vec<Level>,
    memory: &'s mut Learned,
    /// The visits of saturation that `memory` has counted.
    visits: u64,
}

impl Search<'_, '_> {
    /// Adds the choices of the prefix, and the lemmas that depend on no choice.
    fn begin(&mut self, locks: &[u32]) -> Result<(), End> {
        let pairs: Vec<(u32, u32)> = locks.iter().flat_map(|&write| self.pairs(write)).collect();
        if let Err(stop) = self.choose(&pairs)? {
            self.learn(stop)?;
        }
        for number in 0..self.memory.lemmas.len() {
            let Lemma { premises, forced, .. } = &self.memory.lemmas[number];
            let forced = *forced;
            if !premises.is_empty() || self.frontier.is_placed(forced.0) {
                continue;
            }
            if self.frontier.is_placed(forced.1) {
                return Err(End::Refuted);
            }
            let rule = Rule::Lemma(number as u32);
            if let Err(stop) = self.saturation.assume(&[forced], rule, self.horizon()) {
                self.learn(stop)?;
            }
        }
        Ok(())
    }

    fn run(&mut self, until: usize) -> Result<End, End> {
        loop {
            self.place_safe()?;
            if self.saturation.is_past_bounds() {
                return Err(End::Exceeded);
            }
            if self.release() {
                continue;
            }
            if self.frontier.order().len() >= until || self.is_trail_long() {
                return Ok(End::Reached);
            }
            if !self.look_ahead()? {
                self.decide()?;
            }
        }
    }

    /// Whether the trail has reached its limit, and at least one event was placed.
    fn is_trail_long(&self) -> bool {
        self.saturation.trail() > self.memory.trail && self.frontier.order().len() > self.prefix
    }

    /// The rank up to which events are visited.
    fn horizon(&self) -> usize {
        self.frontier.lowest().saturating_add(self.ahead)
    }

    /// Visits the events that wait near the frontier. Returns whether there were any.
    fn look_ahead(&mut self) -> Result<bool, End> {
        let before = self.saturation.visits();
        let all = self.saturation.events.len();
        let mut limit = self.horizon();
        loop {
            if let Err(stop) = self.saturation.saturate(limit) {
                self.learn(stop)?;
                return Ok(true);
            }
            // If nothing is free there is a cycle, which may be found only far ahead.
            let is_stuck = self.held_back.is_empty();
            if self.saturation.visits() > before || !is_stuck || limit >= all {
                return Ok(self.saturation.visits() > before);
            }
            limit = limit.saturating_add(limit - self.frontier.lowest());
        }
    }

    /// Places the free events that are safe, and holds back the others.
    fn place_safe(&mut self) -> Result<(), End> {
        let mut looks = 0u32;
        while let Some(event) = self.frontier.next(self.saturation) {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(256) && self.saturation.is_past_bounds() {
                return Err(End::Exceeded);
            }
            match self.obstacle(event) {
                None => self.frontier.place(event, self.saturation),
                Some(obstacle) => self.held_back.push(obstacle),
            }
        }
        Ok(())
    }

    /// The reason why an event is not safe; `None` if it is.
    fn obstacle(&self, event: u32) -> Option<UnsafeWrite> {
        if !self.saturation.events.writes(event) {
            return None;
        }
        self.frontier.unplaced_readers(event).find_map(|reader| {
            let mut others = self.frontier.first_others(event);
            let other = others.find(|&other| self.is_obstacle(reader, other))?;
            Some(UnsafeWrite { write: event, reader, other })
        })
    }

    fn is_obstacle(&self, reader: u32, other: u32) -> bool {
        other != reader && !self.saturation.precedes(reader, other)
    }

    /// Offers again the writes that may be safe now. Returns whether there are any.
    fn release(&mut self) -> bool {
        let before = self.held_back.len();
        let mut held_back = std::mem::take(&mut self.held_back);
        held_back.retain(|held| {
            // After placements were undone, an event may be held back twice, or be placed by now.
            if !self.frontier.is_head(held.write) {
                return false;
            }
            let gone = self.frontier.is_placed(held.reader)
                || self.frontier.is_placed(held.other)
                || self.saturation.precedes(held.reader, held.other);
            if gone {
                self.frontier.offer(held.write);
            }
            !gone
        });
        self.held_back = held_back;
        self.held_back.len() < before
    }

    /// Makes a choice: orders the free write of lowest rank before the other unplaced writes of its
    /// location that could come before one of its readers.
    fn decide(&mut self) -> Result<(), End> {
        if self.drop_blocked() {
            return Ok(());
        }
        let held = self.held_back.iter().map(|held| held.write);
        let Some(write) = held.min_by_key(|&write| self.frontier.rank(write)) else {
            return Ok(());
        };
        let pairs = self.pairs(write);
        if pairs.len() > 1 && self.frontier.order().len() >= self.one_by_one {
            let level = self.saturation.mark();
            if self.choose(&pairs)?.is_ok() {
                self.ahead = self.ahead.saturating_sub(1).max(INITIAL_HORIZON / 2);
                return Ok(());
            }
            self.levels.pop();
            self.saturation.undo(level);
        }
        // Chooses the pairs one by one, so that a contradiction shows which of them it depends on.
        for pair in pairs {
            if let Err(stop) = self.choose(&[pair])? {
                return self.learn(stop);
            }
        }
        Ok(())
    }

    /// Returns the writes that are no longer free to the frontier. Returns whether there are any.
    fn drop_blocked(&mut self) -> bool {
        let before = self.held_back.len();
        let mut held_back = std::mem::take(&mut self.held_back);
        held_back.retain(|held| {
            let is_free = self.frontier.is_free(held.write, self.saturation);
            if !is_free {
                self.frontier.offer(held.write);
            }
            is_free
        });
        self.held_back = held_back;
        self.held_back.len() < before
    }

    /// The choices that make a write safe.
    fn pairs(&self, write: u32) -> Vec<(u32, u32)> {
        let readers: Vec<u32> = self.frontier.unplaced_readers(write).collect();
        let in_the_way = |&other: &u32| {
            let mut readers = readers.iter();
            readers.any(|&reader| self.is_obstacle(reader, other))
        };
        let others = self.frontier.first_others(write);
        others.filter(in_the_way).map(|other| (write, other)).collect()
    }

    /// Chooses the order of some pairs. If they lead to a contradiction, its edges are left in place so
    /// that it can be explained.
    fn choose(&mut self, pairs: &[(u32, u32)]) -> Result<Result<(), NoFixpoint>, End> {
        let level = Level {
            mark: self.saturation.mark(),
            placed: self.frontier.order().len(),
            edge: self.saturation.edges().len() as u32,
        };
        self.levels.push(level);
        match self.saturation.assume(pairs, Rule::Assumed, self.horizon()) {
            Err(NoFixpoint::Exceeded) => Err(End::Exceeded),
            chosen => Ok(chosen),
        }
    }

    /// Turns contradictions into lemmas until saturation succeeds.
    fn learn(&mut self, mut stop: NoFixpoint) -> Result<(), End> {
        loop {
            self.count_visits();
            if stop != NoFixpoint::Exceeded && self.memory.effort.is_spent() {
                return Err(End::Budget);
            }
            if self.memory.facts > self.memory.most_facts {
                return Err(End::Memory);
            }
            let lemmas = &self.memory.lemmas;
            let premises = |lemma: u32| lemmas[lemma as usize].premises.as_slice();
            let Some(explanation) = explain(self.saturation, stop, premises) else {
                return Err(End::Exceeded);
            };
            self.memory.effort.contradictions += 1;
            self.ahead = self.ahead.saturating_add(self.ahead / 8);
            match self.flip(explanation)? {
                Ok(()) => return Ok(()),
                Err(next) => stop = next,
            }
        }
    }

    fn count_visits(&mut self) {
        let visits = self.saturation.visits();
        self.memory.effort.visits += visits - self.visits;
        self.visits = visits;
    }

    /// Jumps back and takes the opposite of the last choice that a contradiction depends on.
    fn flip(&mut self, explanation: Explanation) -> Result<Result<(), NoFixpoint>, End> {
        let Explanation { block, mut choices } = explanation;
        let Some(last) = choices.pop() else {
            let mut blocks: Vec<Block> =
                self.memory.lemmas.drain(..).map(|lemma| lemma.block).collect();
            blocks.push(block);
            let mut violation = Violation { blocks, resolvents: Vec::new() };
            violation.trim();
            return Err(End::Violation(violation));
        };
        let edge = self.saturation.edges()[last as usize];
        let lemma = self.memory.lemmas.len() as u32;
        let forced = (edge.to, edge.from);
        let level = self.levels.partition_point(|level| level.edge <= last);
        // If two choices of the contradiction were made together, the last cannot be flipped by itself.
        let first = self.levels[level - 1].edge;
        let made_together = choices.last().is_some_and(|&choice| choice >= first);
        if !made_together {
            self.memory.learn(Lemma { block, premises: choices, forced });
        }
        let keep = level - 1;
        if keep == 0 {
            return Err(End::Refuted);
        }
        let reached = self.frontier.order().len() + 1;
        let Level { mark, placed, .. } = self.levels[keep];
        let changed = self.saturation.undo(mark);
        self.go_back(placed);
        // Some may wait for events that are no longer known to precede them.
        self.frontier.offer_heads(changed);
        self.levels.truncate(keep);
        if made_together {
            self.one_by_one = self.one_by_one.max(reached);
            return Ok(Ok(()));
        }
        let rule = Rule::Lemma(lemma);
        Ok(self.saturation.assume(&[forced], rule, self.horizon()))
    }

    /// Undoes all but the first `placed` placements.
    fn go_back(&mut self, placed: usize) {
        self.frontier.truncate(placed, self.saturation);
        for held in self.held_back.drain(..) {
            self.frontier.offer(held.write);
        }
    }
}
