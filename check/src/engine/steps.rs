//! Turns a [`Violation`] into the numbered steps of a certificate.
//!
//! Facts that depend on no assumption are written once, outside of blocks, however many blocks use them.

use history::{History, OpId};
use rustc_hash::FxHashMap;

use crate::engine::proof::{Assumption, Block, Contradiction, Fact, Premise, Resolvent, Violation};
use certify::certificate::{Literal, Name, Node, ProofStep, Statement};
use certify::rule::Rule;

/// The steps of a proof. Cost: linear in the proof.
pub fn steps(history: &History, violation: &Violation) -> Vec<ProofStep> {
    let mut writer =
        Writer { history, steps: Vec::new(), lasting: FxHashMap::default(), lemmas: Vec::new() };
    for block in &violation.blocks {
        writer.block(block);
    }
    writer.resolve(&violation.resolvents);
    writer.steps
}

struct Writer<'h> {
    history: &'h History,
    steps: Vec<ProofStep>,
    /// The numbers of the facts that were written outside of blocks.
    lasting: FxHashMap<(Node, Node, Rule<OpId>), u32>,
    /// Per block, the number of its clause, and how many literals the clause has.
    lemmas: Vec<(u32, usize)>,
}

impl Writer<'_> {
    fn push(&mut self, statement: Statement, premises: Vec<u32>) -> u32 {
        let number = self.steps.len() as u32 + 1;
        self.steps.push(ProofStep { number, statement, premises });
        number
    }

    fn block(&mut self, block: &Block) {
        let lasting = self.lasting_facts(block);
        let mut numbers = vec![0; block.facts.len()];
        for at in (0..block.facts.len()).filter(|&at| lasting[at]) {
            numbers[at] = self.lasting_fact(&block.facts[at], &numbers);
        }
        for at in 0..block.facts.len() {
            if is_assumed(&block.facts[at]) {
                numbers[at] = self.fact(&block.facts[at], &numbers);
            }
        }
        for at in 0..block.facts.len() {
            if !lasting[at] && !is_assumed(&block.facts[at]) {
                numbers[at] = self.fact(&block.facts[at], &numbers);
            }
        }
        let end = match &block.end {
            Contradiction::Cycle(facts) => {
                let premises = facts.iter().map(|&fact| numbers[fact]).collect();
                self.push(Statement::Cycle, premises)
            }
            Contradiction::ThinAir(op) => {
                let op = Name::of(self.history, *op);
                self.push(Statement::ThinAir(op), Vec::new())
            }
            Contradiction::ThinFinal(location) => {
                let address = self.history.locations()[*location as usize].address;
                self.push(Statement::ThinFinal(address), Vec::new())
            }
        };
        self.lemmas.push((end, block.assumptions.len()));
    }

    /// Per fact, whether it depends on no assumption of the block.
    fn lasting_facts(&self, block: &Block) -> Vec<bool> {
        let mut lasting: Vec<bool> = Vec::with_capacity(block.facts.len());
        for fact in &block.facts {
            let free = !is_assumed(fact) && fact.premises.iter().all(|&premise| lasting[premise]);
            lasting.push(free);
        }
        lasting
    }

    fn lasting_fact(&mut self, fact: &Fact, numbers: &[u32]) -> u32 {
        let key = (fact.before, fact.after, fact.rule);
        if let Some(&number) = self.lasting.get(&key) {
            return number;
        }
        let number = self.fact(fact, numbers);
        self.lasting.insert(key, number);
        number
    }

    fn fact(&mut self, fact: &Fact, numbers: &[u32]) -> u32 {
        let (before, after) = (self.name(fact.before), self.name(fact.after));
        let mut premises: Vec<u32> = fact.premises.iter().map(|&fact| numbers[fact]).collect();
        let statement = match fact.rule {
            Rule::Assumed => Statement::Suppose(Literal::Before(before, after)),
            Rule::Source => Statement::Suppose(Literal::From(after, before)),
            Rule::Lemma(lemma) => {
                let (clause, literals) = self.lemmas[lemma as usize];
                if literals == 1 {
                    return clause;
                }
                premises.insert(0, clause);
                Statement::Clause(vec![Literal::Before(before, after)])
            }
            rule => {
                let (has_before, has_after) = rule.written_ends();
                Statement::Order {
                    rule: rule.map(|read| Name::of(self.history, read)),
                    before: has_before.then_some(before),
                    after: has_after.then_some(after),
                }
            }
        };
        self.push(statement, premises)
    }

    /// Writes the clauses that follow from those of the blocks.
    fn resolve(&mut self, resolvents: &[Resolvent]) {
        let mut numbers: Vec<u32> = Vec::with_capacity(resolvents.len());
        let mut candidates: FxHashMap<Node, u32> = FxHashMap::default();
        for resolvent in resolvents {
            let mut premises = Vec::with_capacity(resolvent.premises.len());
            for premise in &resolvent.premises {
                premises.push(match *premise {
                    Premise::Block(block) => self.lemmas[block].0,
                    Premise::Resolvent(earlier) => numbers[earlier],
                    Premise::OneInitial(first, second) => {
                        let names = [first, second].map(|read| Name::of(self.history, read));
                        self.push(Statement::OneInitial(names[0], names[1]), Vec::new())
                    }
                    Premise::Candidates(read) => match candidates.get(&read) {
                        Some(&number) => number,
                        None => {
                            let rule = Statement::Candidates(self.name(read));
                            let number = self.push(rule, Vec::new());
                            candidates.insert(read, number);
                            number
                        }
                    },
                });
            }
            let clause = resolvent.clause.iter();
            let clause = clause.map(|&literal| self.literal(literal)).collect();
            numbers.push(self.push(Statement::Clause(clause), premises));
        }
    }

    fn literal(&self, assumption: Assumption) -> Literal {
        match assumption {
            Assumption::Before(first, second) => {
                Literal::Before(Name::of(self.history, first), Name::of(self.history, second))
            }
            Assumption::From(read, source) => Literal::From(self.name(read), self.name(source)),
            Assumption::NotFrom(read, source) => {
                Literal::NotFrom(self.name(read), self.name(source))
            }
        }
    }

    fn name(&self, node: Node) -> Name {
        Name::of_node(self.history, node)
    }
}

fn is_assumed(fact: &Fact) -> bool {
    matches!(fact.rule, Rule::Assumed | Rule::Source)
}
