//! Searching a stretch of memory order with every choice passed on.
//!
//! Events are placed one after the other, each as soon as all that precedes it is placed
//! (Manovit & Hangal 2006, section 4.2, *Deriv+Back*), beginning with a prefix that is given and up
//! to a number of events. Placing a write puts it before all unplaced writes of its location, so
//! every reader of it must precede those.
//!
//! **Safe placements.** If it is known already that the unplaced readers of a write precede every
//! other unplaced write of the location, placing it costs nothing: an order in which it comes
//! later stays one when it is moved to the front. Such writes are placed first.
//!
//! **Choices.** If no free write is safe, the one of lowest rank is chosen before those others;
//! saturation follows, after which it is safe. A contradiction is explained: the choices it rests
//! on give a *lemma*, the search jumps back to the last but one of them and takes the opposite of
//! the last. A contradiction that rests on no choice is a violation, and the lemmas are its proof.
//! One that rests on the prefix alone refutes the prefix.
//!
//! **Invariant.** The placed events are closed under what is forced: what precedes a placed event
//! is placed, and so are all readers of a placed write but those of the location's last one, which
//! are known to precede every unplaced write. So no rule can order an unplaced event before a
//! placed one, and no rule needs to look at placed writes ([`Saturation::settle`]).
//!
//! The search is complete; in the worst case its cost is exponential. Without contradictions it is
//! that of saturation plus, for each write with unplaced readers, a look at every thread.

use crate::engine::choice::Choice;
use crate::engine::complete::Limits;
use crate::engine::effort::Effort;
use crate::engine::explain::{Explanation, explain};
use crate::engine::frontier::Frontier;
use crate::engine::proof::{Block, Violation};
use crate::engine::saturate::{Mark, NoFixpoint, Saturation};
use certify::rule::Rule;

/// How far ahead of the lowest unplaced rank events are visited at first as soon as choices concern
/// them. Those beyond wait, so that they are visited once for many choices. What comes to light
/// late is undone at a cost: a contradiction widens the horizon, and many choices without one
/// narrow it again.
const HORIZON: usize = 1024;

/// How a search ended.
#[derive(Debug)]
pub enum End {
    /// As many events are placed as were asked for, or the trail is as long as it may be.
    Reached,
    /// The prefix cannot be continued.
    Refuted,
    /// Every order contradicts.
    Violation(Violation),
    /// The budget of contradictions or of visits is spent.
    Budget,
    /// Lemmas would take more memory than they may.
    Memory,
    /// A bound was met.
    Exceeded,
}

/// What is kept from one stretch to the next.
#[derive(Debug)]
pub struct Memory {
    lemmas: Vec<Lemma>,
    /// Facts in their proofs, and how many there may be.
    facts: usize,
    most_facts: usize,
    /// What was done so far.
    pub effort: Effort,
    /// Length of the trail, in changes, at which a stretch ends.
    pub trail: usize,
}

impl Memory {
    /// No lemmas.
    pub fn new(limits: Limits) -> Memory {
        Memory {
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

    /// Choices that are wrong whatever the others. New ones come behind those that were known.
    pub fn wrong_choices(&self) -> impl Iterator<Item = Choice> {
        let alone = self.lemmas.iter().filter(|lemma| lemma.premises.is_empty());
        alone.map(|lemma| Choice { write: lemma.forced.1, other: lemma.forced.0 })
    }
}

/// Choices made together, and where to come back to if they were wrong.
#[derive(Clone, Copy)]
struct Level {
    mark: Mark,
    placed: usize,
    /// The number that the first of its edges has.
    edge: u32,
}

/// What refuted a set of choices.
#[derive(Debug)]
struct Lemma {
    block: Block,
    /// The other choices it rests on, as edges of the stretch it comes from.
    premises: Vec<u32>,
    /// The edge that it forces.
    forced: (u32, u32),
}

/// A free write that is not safe, because this reader of it is not known to precede that write.
struct Unsafe {
    write: u32,
    reader: u32,
    other: u32,
}

/// Continues the prefix that is placed on a frontier until `until` events are placed. `locks` are
/// the writes in it that have unplaced readers. The saturated order is left as it was.
pub fn search<'e>(
    saturation: &mut Saturation<'e>,
    frontier: &mut Frontier<'e>,
    locks: &[u32],
    until: usize,
    memory: &mut Memory,
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
        ahead: HORIZON,
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
    /// Free writes that were not safe when they were last looked at.
    held_back: Vec<Unsafe>,
    /// Until so many events are placed, choices are made one by one.
    one_by_one: usize,
    /// How far ahead events are visited, in ranks.
    ahead: usize,
    /// The first has the choices of the prefix.
    levels: Vec<Level>,
    memory: &'s mut Memory,
    /// Visits of saturation that are counted.
    visits: u64,
}

impl Search<'_, '_> {
    /// Takes over what is known: the choices of the prefix, and lemmas that rest on none.
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
            if self.saturation.is_late() {
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

    /// Whether the trail is as long as it may be, and there is a placement to show for it.
    fn is_trail_long(&self) -> bool {
        self.saturation.trail() > self.memory.trail && self.frontier.order().len() > self.prefix
    }

    /// Up to which rank events are visited.
    fn horizon(&self) -> usize {
        self.frontier.lowest().saturating_add(self.ahead)
    }

    /// Visits the events that wait near the frontier. False if none did.
    fn look_ahead(&mut self) -> Result<bool, End> {
        let before = self.saturation.visits();
        let all = self.saturation.events.len();
        let mut limit = self.horizon();
        loop {
            if let Err(stop) = self.saturation.saturate(limit) {
                self.learn(stop)?;
                return Ok(true);
            }
            // If nothing is free there is a cycle, which may come to light far ahead.
            let is_stuck = self.held_back.is_empty();
            if self.saturation.visits() > before || !is_stuck || limit >= all {
                return Ok(self.saturation.visits() > before);
            }
            limit = limit.saturating_add(limit - self.frontier.lowest());
        }
    }

    /// Places what is free and no choice; holds back the rest.
    fn place_safe(&mut self) -> Result<(), End> {
        let mut looks = 0u32;
        while let Some(event) = self.frontier.next(self.saturation) {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(256) && self.saturation.is_late() {
                return Err(End::Exceeded);
            }
            match self.obstacle(event) {
                None => self.frontier.place(event, self.saturation),
                Some(obstacle) => self.held_back.push(obstacle),
            }
        }
        Ok(())
    }

    /// Why an event is not safe.
    fn obstacle(&self, event: u32) -> Option<Unsafe> {
        if !self.saturation.events.writes(event) {
            return None;
        }
        self.frontier.unplaced_readers(event).find_map(|reader| {
            let mut others = self.frontier.first_others(event);
            let other = others.find(|&other| self.is_obstacle(reader, other))?;
            Some(Unsafe { write: event, reader, other })
        })
    }

    fn is_obstacle(&self, reader: u32, other: u32) -> bool {
        other != reader && !self.saturation.precedes(reader, other)
    }

    /// Offers the writes again whose obstacle is gone. False if there is none.
    fn release(&mut self) -> bool {
        let before = self.held_back.len();
        let mut held_back = std::mem::take(&mut self.held_back);
        held_back.retain(|held| {
            // After going back an event may be held back twice, and be placed meanwhile.
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

    /// Puts the free write of lowest rank before the other unplaced writes of its location that
    /// could come before one of its readers.
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
                self.ahead = self.ahead.saturating_sub(1).max(HORIZON / 2);
                return Ok(());
            }
            self.levels.pop();
            self.saturation.undo(level);
        }
        // So that what refutes them can be told apart.
        for pair in pairs {
            if let Err(stop) = self.choose(&[pair])? {
                return self.learn(stop);
            }
        }
        Ok(())
    }

    /// Gives back the writes that are no longer free. False if there is none.
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

    /// The choices that put a write first.
    fn pairs(&self, write: u32) -> Vec<(u32, u32)> {
        let readers: Vec<u32> = self.frontier.unplaced_readers(write).collect();
        let in_the_way = |&other: &u32| {
            let mut readers = readers.iter();
            readers.any(|&reader| self.is_obstacle(reader, other))
        };
        let others = self.frontier.first_others(write);
        others.filter(in_the_way).map(|other| (write, other)).collect()
    }

    /// Chooses the order of some pairs. What refutes them is left in place to be explained.
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

    /// Jumps back and takes the opposite of the last choice that a contradiction rests on.
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
        // A choice that rests on one that was made with it cannot be turned by itself.
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
        // Some may wait for what is no longer known to precede them.
        self.frontier.offer_heads(changed);
        self.levels.truncate(keep);
        if made_together {
            self.one_by_one = self.one_by_one.max(reached);
            return Ok(Ok(()));
        }
        let rule = Rule::Lemma(lemma);
        Ok(self.saturation.assume(&[forced], rule, self.horizon()))
    }

    /// Takes back all but the first `placed` placements.
    fn go_back(&mut self, placed: usize) {
        self.frontier.truncate(placed, self.saturation);
        for held in self.held_back.drain(..) {
            self.frontier.offer(held.write);
        }
    }
}
