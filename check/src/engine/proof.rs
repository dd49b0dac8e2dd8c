//! [`Violation`]: the proof that a history violates a model. It is a list of facts about memory order, each
//! with its justification, that ends in a contradiction.

use certify::certificate::Node;
use certify::rule::Rule;
use history::OpId;

/// A step of a proof: `before` precedes `after` in memory order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The event that precedes.
    pub before: Node,
    /// The event that follows.
    pub after: Node,
    /// The rule by which `before` precedes `after`.
    pub rule: Rule<OpId>,
    /// Indices of facts of the same block that the rule needs: a path for R6 and R7, and for a rule about
    /// a read whose source is assumed, that assumption.
    pub premises: Vec<usize>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// These facts form a cycle.
    Cycle(Vec<usize>),
    /// This read returns a value that no write has.
    ThinAir(OpId),
    /// This location cannot end with its final value.
    ThinFinal(u32),
}

/// A statement that a block may assume, or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    /// Of two writes of one location, the first precedes the second.
    Before(OpId, OpId),
    /// The first, a read or the end of a location, takes its value from the second, a write.
    From(Node, Node),
    /// The first, a read or the end of a location, does not take its value from the second, a write.
    NotFrom(Node, Node),
}

impl Assumption {
    /// The opposite assumption.
    pub fn opposite(self) -> Assumption {
        match self {
            Assumption::Before(first, second) => Assumption::Before(second, first),
            Assumption::From(read, source) => Assumption::NotFrom(read, source),
            Assumption::NotFrom(read, source) => Assumption::From(read, source),
        }
    }
}

/// Facts that follow from assumptions and end in a contradiction, so that the opposite of one of the
/// assumptions holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The assumptions.
    pub assumptions: Vec<Assumption>,
    /// The facts; premises have smaller indices.
    pub facts: Vec<Fact>,
    /// The contradiction.
    pub end: Contradiction,
}

/// A clause that a resolvent follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Premise {
    /// The opposites of a block's assumptions, one of which holds.
    Block(usize),
    /// A read, or a location's end, takes its value from one of its candidates.
    Candidates(Node),
    /// Two reads of one location that return different values do not both return the initial one.
    OneInitial(OpId, OpId),
    /// An earlier resolvent.
    Resolvent(usize),
}

/// A clause that follows from others by unit propagation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolvent {
    /// The literals of the clause, one of which holds.
    pub clause: Vec<Assumption>,
    /// The clauses that it follows from.
    pub premises: Vec<Premise>,
}

/// A proof that a history violates a model: blocks that use only lemmas of earlier blocks. Either the last
/// block has no assumptions, or the clauses of the blocks are resolved to the empty clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The clauses that follow from those of the blocks, ending with the empty clause. Empty if the last
    /// block has no assumptions.
    pub resolvents: Vec<Resolvent>,
}

impl Violation {
    /// A proof by a contradiction that needs no facts.
    pub fn immediate(end: Contradiction) -> Violation {
        Violation {
            blocks: vec![Block { assumptions: Vec::new(), facts: Vec::new(), end }],
            resolvents: Vec::new(),
        }
    }

    /// The block that ends the proof; `None` for a proof of resolvents alone, where reads leave no choice of their sources.
    pub fn last(&self) -> Option<&Block> {
        self.blocks.last()
    }

    /// Two reads that return different values and would both have to return the initial one, if the proof mentions any.
    pub fn one_initial(&self) -> Option<(OpId, OpId)> {
        self.premises().find_map(|premise| match *premise {
            Premise::OneInitial(first, second) => Some((first, second)),
            _ => None,
        })
    }

    fn premises(&self) -> impl Iterator<Item = &Premise> {
        self.resolvents.iter().flat_map(|resolvent| &resolvent.premises)
    }

    /// Whether the proof assumes sources of reads that have several candidates.
    pub fn chooses_sources(&self) -> bool {
        let mut facts = self.blocks.iter().flat_map(|block| &block.facts);
        facts.any(|fact| fact.rule == Rule::Source)
    }

    /// Drops the blocks that the last one does not need. The proof must have no resolvents.
    pub fn trim(&mut self) {
        debug_assert!(self.resolvents.is_empty());
        let mut needed = vec![false; self.blocks.len()];
        if let Some(last) = needed.last_mut() {
            *last = true;
        }
        for block in (0..self.blocks.len()).rev() {
            if !needed[block] {
                continue;
            }
            for fact in &self.blocks[block].facts {
                if let Rule::Lemma(lemma) = fact.rule {
                    needed[lemma as usize] = true;
                }
            }
        }
        let mut number = 0u32;
        let numbers: Vec<u32> = needed
            .iter()
            .map(|&needed| {
                number += u32::from(needed);
                number.saturating_sub(1)
            })
            .collect();
        let mut keep = needed.into_iter();
        self.blocks.retain(|_| keep.next().unwrap_or(false));
        for fact in self.blocks.iter_mut().flat_map(|block| &mut block.facts) {
            if let Rule::Lemma(lemma) = &mut fact.rule {
                *lemma = numbers[*lemma as usize];
            }
        }
    }

    /// Drops the blocks and resolvents that the last resolvent does not need.
    pub fn keep_needed(&mut self) {
        let mut needed_blocks = vec![false; self.blocks.len()];
        let mut needed = vec![false; self.resolvents.len()];
        if let Some(last) = needed.last_mut() {
            *last = true;
        }
        for at in (0..self.resolvents.len()).rev() {
            if !needed[at] {
                continue;
            }
            for premise in &self.resolvents[at].premises {
                match *premise {
                    Premise::Block(block) => needed_blocks[block] = true,
                    Premise::Resolvent(earlier) => needed[earlier] = true,
                    Premise::Candidates(_) | Premise::OneInitial(..) => {}
                }
            }
        }
        let (blocks, resolvents) = (new_numbers(&needed_blocks), new_numbers(&needed));
        retain(&mut self.blocks, &needed_blocks);
        retain(&mut self.resolvents, &needed);
        for premise in self.resolvents.iter_mut().flat_map(|it| &mut it.premises) {
            match premise {
                Premise::Block(block) => *block = blocks[*block],
                Premise::Resolvent(earlier) => *earlier = resolvents[*earlier],
                Premise::Candidates(_) | Premise::OneInitial(..) => {}
            }
        }
    }

    /// Renames the operations and locations of the proof to those of the enclosing history.
    pub fn rename(&mut self, op: &dyn Fn(OpId) -> OpId, location: &dyn Fn(u32) -> u32) {
        let node = |node: &mut Node| match node {
            Node::Op(it) => *it = op(*it),
            Node::Initial(it) | Node::Final(it) => *it = location(*it),
        };
        let assumption = |assumption: &mut Assumption| match assumption {
            Assumption::Before(first, second) => {
                *first = op(*first);
                *second = op(*second);
            }
            Assumption::From(read, source) | Assumption::NotFrom(read, source) => {
                node(read);
                node(source);
            }
        };
        for block in &mut self.blocks {
            block.assumptions.iter_mut().for_each(assumption);
            for fact in &mut block.facts {
                node(&mut fact.before);
                node(&mut fact.after);
                fact.rule = fact.rule.map(op);
            }
            match &mut block.end {
                Contradiction::Cycle(_) => {}
                Contradiction::ThinAir(read) => *read = op(*read),
                Contradiction::ThinFinal(it) => *it = location(*it),
            }
        }
        for resolvent in &mut self.resolvents {
            resolvent.clause.iter_mut().for_each(assumption);
            for premise in &mut resolvent.premises {
                match premise {
                    Premise::Candidates(read) => node(read),
                    Premise::OneInitial(first, second) => {
                        *first = op(*first);
                        *second = op(*second);
                    }
                    Premise::Block(_) | Premise::Resolvent(_) => {}
                }
            }
        }
    }

    /// The operations that the proof mentions, and with `source` the sources of its reads, in ascending order.
    pub fn operations(&self, source: impl Fn(OpId) -> Option<OpId>) -> Vec<OpId> {
        let mut ops = Vec::new();
        for block in &self.blocks {
            for fact in &block.facts {
                for node in [fact.before, fact.after] {
                    if let Node::Op(op) = node {
                        ops.push(op);
                    }
                }
                ops.extend(fact.rule.read());
            }
            if let Contradiction::ThinAir(op) = block.end {
                ops.push(op);
            }
        }
        for premise in self.premises() {
            match *premise {
                Premise::Candidates(Node::Op(read)) => ops.push(read),
                Premise::OneInitial(first, second) => ops.extend([first, second]),
                _ => {}
            }
        }
        let sources: Vec<OpId> = ops.iter().filter_map(|&op| source(op)).collect();
        ops.extend(sources);
        ops.sort_unstable();
        ops.dedup();
        ops
    }
}

/// Per element, its number among those that are kept.
fn new_numbers(kept: &[bool]) -> Vec<usize> {
    let mut next = 0;
    kept.iter()
        .map(|&is_kept| {
            next += usize::from(is_kept);
            next.saturating_sub(1)
        })
        .collect()
}

fn retain<T>(elements: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    elements.retain(|_| *kept.next().unwrap_or(&false));
}
