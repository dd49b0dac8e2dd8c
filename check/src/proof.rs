//! Why a history violates a model: facts about memory order, each with its reason, that end in a
//! contradiction.

use history::OpId;

/// Something that memory order orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// An operation.
    Op(OpId),
    /// The initial write of a location.
    Initial(u32),
}

/// The reason for a fact. S is the source of the read L, S' another write of its location; a
/// store-conditional counts as a reader of what its load-linked read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// R1-R3: program order that the model preserves.
    ProgramOrder,
    /// R4: S ≤ L, for S not earlier in L's own thread.
    ReadsFrom,
    /// R5: S' ≤ S, because S' comes before L in L's thread.
    OwnEarlier(OpId),
    /// R6: S' ≤ S, because S' ≤ L by the premises.
    Observed(OpId),
    /// R7: L ≤ S', because S ≤ S' by the premises (none if S is the initial write).
    Overtaken,
    /// The initial write precedes every write of its location.
    InitialFirst,
    /// S' precedes the write of the final value.
    Final,
    /// Assumed in this block.
    Assumed,
    /// Forced by the block of this number, whose other assumptions are the premises.
    Lemma(usize),
}

/// `before` precedes `after` in memory order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What precedes.
    pub before: Node,
    /// What follows.
    pub after: Node,
    /// Why.
    pub rule: Rule,
    /// Facts of the same block that the rule needs: for R6 and R7 a path.
    pub premises: Vec<usize>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// These facts form a cycle.
    Cycle(Vec<usize>),
    /// This read returns a value that nobody wrote.
    ThinAir(OpId),
    /// The final value of this location is none that it can end with.
    ThinFinal(u32),
}

/// Facts that follow from assumptions, up to a contradiction: so one of the assumptions is wrong,
/// that is, its opposite holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Pairs of writes of one location, the first assumed to precede the second.
    pub assumptions: Vec<(OpId, OpId)>,
    /// The facts; premises have smaller indices.
    pub facts: Vec<Fact>,
    /// The contradiction.
    pub end: Contradiction,
}

/// A proof that a history violates a model: blocks that only use lemmas of earlier ones, the last
/// without assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Violation {
    /// A proof by a contradiction that needs no facts.
    pub fn immediate(end: Contradiction) -> Violation {
        Violation {
            blocks: vec![Block {
                assumptions: Vec::new(),
                facts: Vec::new(),
                end,
            }],
        }
    }

    /// The block that ends the proof.
    pub fn last(&self) -> &Block {
        &self.blocks[self.blocks.len() - 1]
    }

    /// Drops blocks that the last one does not need.
    pub fn trim(&mut self) {
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
                    needed[lemma] = true;
                }
            }
        }
        let mut number = 0;
        let numbers: Vec<usize> = needed
            .iter()
            .map(|&needed| {
                number += usize::from(needed);
                number.saturating_sub(1)
            })
            .collect();
        let mut keep = needed.into_iter();
        self.blocks.retain(|_| keep.next().unwrap_or(false));
        for fact in self.blocks.iter_mut().flat_map(|block| &mut block.facts) {
            if let Rule::Lemma(lemma) = &mut fact.rule {
                *lemma = numbers[*lemma];
            }
        }
    }

    /// The operations that the proof speaks of, sources of reads included by `source`; ascending.
    pub fn operations(&self, source: impl Fn(OpId) -> Option<OpId>) -> Vec<OpId> {
        let mut ops = Vec::new();
        for block in &self.blocks {
            for fact in &block.facts {
                for node in [fact.before, fact.after] {
                    if let Node::Op(op) = node {
                        ops.push(op);
                    }
                }
                if let Rule::OwnEarlier(read) | Rule::Observed(read) = fact.rule {
                    ops.push(read);
                }
            }
            if let Contradiction::ThinAir(op) = block.end {
                ops.push(op);
            }
        }
        let sources: Vec<OpId> = ops.iter().filter_map(|&op| source(op)).collect();
        ops.extend(sources);
        ops.sort_unstable();
        ops.dedup();
        ops
    }
}
