//! Completion: extending the forced order to a total one, or refuting every way to do so.
//!
//! Events are placed one after the other, each as soon as all that precedes it is placed
//! (Manovit & Hangal 2006, section 4.2, *Deriv+Back*). Placing a write chooses it before all
//! unplaced writes of its location; each choice between two unordered writes is an edge, and
//! saturation follows. A contradiction is explained: the choices it rests on give a *lemma*, the
//! search jumps back to the last but one of them and takes the opposite of the last. A
//! contradiction that rests on no choice is a violation, and the lemmas are its proof.
//!
//! Events that are placed stay closed under what is forced: when a write is placed, every write
//! before it and every reader of those is placed already, so no rule can order an unplaced event
//! before a placed one.
//!
//! The search is complete. Its cost is exponential in the worst case; `budget` bounds the number
//! of contradictions.

use crate::explain::{Explanation, explain};
use crate::frontier::Frontier;
use crate::proof::{Block, Rule, Violation};
use crate::saturate::{Mark, Reason, Saturation, Stop};

/// What a search found.
#[derive(Debug)]
pub enum Completion {
    /// All events, in an order that satisfies the model.
    Order(Vec<u32>),
    /// Every order contradicts.
    Violation(Violation),
    /// The budget of contradictions is spent.
    Budget,
    /// The deadline passed.
    Timeout,
}

/// A choice and where to come back to if it was wrong.
struct Level {
    mark: Mark,
    placed: usize,
    edge: u32,
}

/// What refuted a set of choices.
struct Lemma {
    block: Block,
    /// The other choices it rests on, as edges.
    premises: Vec<u32>,
}

/// Searches from a saturated order. Counts contradictions in `backtracks`.
pub fn complete(
    saturation: &mut Saturation<'_>,
    rank: &[u32],
    budget: u64,
    backtracks: &mut u64,
) -> Completion {
    let mut search = Search {
        frontier: Frontier::new(saturation.events),
        saturation,
        rank,
        levels: Vec::new(),
        lemmas: Vec::new(),
        budget,
        backtracks,
    };
    search.frontier.refresh(rank);
    match search.run() {
        Ok(()) => Completion::Order(search.frontier.order().to_vec()),
        Err(end) => end,
    }
}

struct Search<'s, 'e> {
    saturation: &'s mut Saturation<'e>,
    frontier: Frontier<'e>,
    rank: &'s [u32],
    levels: Vec<Level>,
    lemmas: Vec<Lemma>,
    budget: u64,
    backtracks: &'s mut u64,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(), Completion> {
        while let Some(event) = self.frontier.next(self.saturation) {
            if self.put_first(event)? {
                self.frontier.place(event, self.rank);
            } else {
                self.frontier.refresh(self.rank);
            }
        }
        debug_assert_eq!(self.frontier.order().len(), self.saturation.events.len());
        Ok(())
    }

    /// Orders a write before all unplaced writes of its location. False if that was refuted:
    /// then the state has changed.
    fn put_first(&mut self, event: u32) -> Result<bool, Completion> {
        let events = self.saturation.events;
        if !events.writes(event) {
            return Ok(true);
        }
        let location = events.location[event as usize];
        for group in events.groups(location) {
            let other = self.frontier.first_unplaced(group, location);
            let Some(other) = other.filter(|&other| other != event) else {
                continue;
            };
            if !self.saturation.precedes(event, other) && !self.choose(event, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Chooses `first` before `second`. False if that was refuted.
    fn choose(&mut self, first: u32, second: u32) -> Result<bool, Completion> {
        self.levels.push(Level {
            mark: self.saturation.mark(),
            placed: self.frontier.order().len(),
            edge: self.saturation.edges().len() as u32,
        });
        let reason = Reason::Chosen(self.levels.len() as u32);
        match self.saturation.assume(first, second, reason) {
            Ok(()) => Ok(true),
            Err(stop) => self.learn(stop).map(|()| false),
        }
    }

    /// Turns contradictions into lemmas until saturation succeeds.
    fn learn(&mut self, mut stop: Stop) -> Result<(), Completion> {
        loop {
            let lemmas = &self.lemmas;
            let premises = |lemma: u32| lemmas[lemma as usize].premises.as_slice();
            let Some(explanation) = explain(self.saturation, stop, premises) else {
                return Err(Completion::Timeout);
            };
            *self.backtracks += 1;
            match self.flip(explanation) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(next)) => stop = next,
                Err(end) => return Err(end),
            }
            if *self.backtracks >= self.budget {
                return Err(Completion::Budget);
            }
        }
    }

    /// Jumps back and takes the opposite of the last choice that a contradiction rests on.
    fn flip(&mut self, explanation: Explanation) -> Result<Result<(), Stop>, Completion> {
        let Explanation { block, mut choices } = explanation;
        let Some(last) = choices.pop() else {
            let mut blocks: Vec<Block> = self.lemmas.drain(..).map(|lemma| lemma.block).collect();
            blocks.push(block);
            let mut violation = Violation { blocks };
            violation.trim();
            return Err(Completion::Violation(violation));
        };
        let edge = self.saturation.edges()[last as usize];
        // Keep the levels up to the last remaining choice.
        let keep = choices.last().map_or(0, |&choice| {
            self.levels.partition_point(|level| level.edge <= choice)
        });
        if let Some(level) = self.levels.get(keep) {
            self.saturation.undo(level.mark);
            self.frontier.truncate(level.placed);
        }
        self.levels.truncate(keep);
        let lemma = self.lemmas.len() as u32;
        self.lemmas.push(Lemma {
            block,
            premises: choices,
        });
        Ok(self
            .saturation
            .assume(edge.to, edge.from, Reason::Lemma(lemma)))
    }
}

/// Explains a contradiction that saturation found before any choice.
pub fn refute(saturation: &Saturation<'_>, stop: Stop) -> Option<Violation> {
    let explanation = explain(saturation, stop, |_| &[])?;
    debug_assert!(
        explanation
            .block
            .facts
            .iter()
            .all(|fact| fact.rule != Rule::Assumed)
    );
    Some(Violation {
        blocks: vec![explanation.block],
    })
}
