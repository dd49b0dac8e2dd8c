//! [`Proof`]: checks the steps of a model's refutation one by one, from the rules R1 to R7 and the rules of
//! preserved program order of weak models.

use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};
use memory::Execution;
use memory::Model;
use memory::weak::PpoRule;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Rejection, Verified};
use crate::certificate::{Literal, Name, ProofStep, Statement};
use crate::rule::Rule;

/// The result of a checked step, which later steps may cite.
enum Established {
    /// The literal holds, under the suppositions of the step's block.
    Fact(Literal),
    /// One of the literals holds.
    Clause(Vec<Literal>),
    /// The step belongs to a block that is closed, so no step may cite it.
    Closed,
}

/// The checker of a model's refutation.
pub(super) struct Proof<'h> {
    history: &'h History,
    model: Model,
    /// The history with its reads-from; `None` if reads-from cannot be derived.
    execution: Option<Execution<'h>>,
    writes: Writes,
    /// The results of the steps checked so far, by number.
    established: FxHashMap<u32, Established>,
    /// Suppositions of the open block.
    supposed: Vec<Literal>,
    /// Numbers of the steps of the open block.
    local: Vec<u32>,
    /// Number of the step that is being checked.
    step: u32,
}

/// The writes of a history, in the order of their numbers.
struct Writes {
    /// By location, all of its writes.
    by_location: FxHashMap<u32, Vec<OpId>>,
    /// By location and value, the writes of that value.
    by_value: FxHashMap<(u32, u64), Vec<OpId>>,
    /// The locations with a write whose value is not known.
    hidden: FxHashSet<u32>,
}

/// What a read or a location's final value can take its value from: the writes of the value, and perhaps the initial write.
struct Sources {
    location: u32,
    value: u64,
    initial: Option<Name>,
}

impl Writes {
    fn of(history: &History) -> Writes {
        let mut writes = Writes {
            by_location: FxHashMap::default(),
            by_value: FxHashMap::default(),
            hidden: FxHashSet::default(),
        };
        for op in history.ops().filter(|&op| history.kind(op).writes()) {
            let Some(location) = history.location(op) else { continue };
            writes.by_location.entry(location).or_default().push(op);
            match history.written(op) {
                Some(value) => writes.by_value.entry((location, value)).or_default().push(op),
                None => {
                    writes.hidden.insert(location);
                }
            }
        }
        writes
    }

    fn of_location(&self, location: u32) -> &[OpId] {
        self.by_location.get(&location).map_or(&[], Vec::as_slice)
    }

    fn of_value(&self, location: u32, value: u64) -> &[OpId] {
        self.by_value.get(&(location, value)).map_or(&[], Vec::as_slice)
    }
}

type Checked<T> = Result<T, Rejection>;

impl<'h> Proof<'h> {
    pub(super) fn new(history: &'h History, model: Model) -> Proof<'h> {
        Proof {
            history,
            model,
            execution: ReadsFrom::derive(history, Ambiguity::Keep)
                .ok()
                .map(|reads_from| Execution { history, reads_from }),
            writes: Writes::of(history),
            established: FxHashMap::default(),
            supposed: Vec::new(),
            local: Vec::new(),
            step: 0,
        }
    }

    /// Checks every step, up to the contradiction that ends the proof.
    pub(super) fn check(mut self, steps: &[ProofStep]) -> Checked<Verified> {
        for (at, step) in steps.iter().enumerate() {
            if step.number <= self.step {
                return self.unfounded("numbers must ascend");
            }
            self.step = step.number;
            match self.derive(step)? {
                Some(literal) => self.establish(Established::Fact(literal)),
                None if self.supposed.is_empty() && is_contradiction(&step.statement) => {
                    if at + 1 < steps.len() {
                        return Err(Rejection::Leftover(step.number));
                    }
                    return Ok(Verified::Violation { steps: steps.len() });
                }
                None if is_contradiction(&step.statement) => self.close_block(),
                None => {}
            }
        }
        Err(Rejection::Inconclusive)
    }

    fn unfounded<T>(&self, why: &'static str) -> Checked<T> {
        Err(Rejection::Unfounded { step: self.step, why })
    }

    fn require(&self, holds: bool, why: &'static str) -> Checked<()> {
        if holds { Ok(()) } else { self.unfounded(why) }
    }

    fn establish(&mut self, what: Established) {
        self.established.insert(self.step, what);
        if !self.supposed.is_empty() {
            self.local.push(self.step);
        }
    }

    /// Closes the open block: its steps can no longer be cited, and the contradiction establishes the
    /// clause of the suppositions' opposites.
    fn close_block(&mut self) {
        for number in self.local.drain(..) {
            self.established.insert(number, Established::Closed);
        }
        let clause = self.supposed.drain(..).map(Literal::opposite).collect();
        self.establish(clause_or_fact(clause));
    }

    /// Checks a step and returns the literal that it derives; `None` for a contradiction, and for a
    /// clause, which this function establishes itself.
    fn derive(&mut self, step: &ProofStep) -> Checked<Option<Literal>> {
        let premises = &step.premises;
        Ok(Some(match step.statement {
            Statement::Order { rule, before, after } => {
                self.order(rule, before, after, premises)?
            }
            Statement::Suppose(literal) => {
                self.may_be_supposed(literal)?;
                self.supposed.push(literal);
                literal
            }
            Statement::Candidates(l) => {
                let clause = self.candidates(l)?;
                self.establish(clause_or_fact(clause));
                return Ok(None);
            }
            Statement::OneInitial(l, m) => {
                let clause = self.one_initial(l, m)?;
                self.establish(clause_or_fact(clause));
                return Ok(None);
            }
            Statement::Clause(ref literals) => {
                self.unit_propagation(literals, premises)?;
                if !literals.is_empty() {
                    self.establish(clause_or_fact(literals.clone()));
                }
                return Ok(None);
            }
            Statement::Cycle => {
                let (start, end) = self.path(premises)?;
                self.require(start == end, "the cited facts do not close a cycle")?;
                return Ok(None);
            }
            Statement::ThinAir(l) => {
                let source = self.known_source(self.op(l)?);
                self.require(
                    source == Some(ReadSource::ThinAir),
                    "the history has a write of that value",
                )?;
                return Ok(None);
            }
            Statement::ThinFinal(address) => {
                self.thin_final(address)?;
                return Ok(None);
            }
        }))
    }

    /// Checks a step that applies a rule, and returns the literal that follows. [`Rule::written_ends`] says which of
    /// `before` and `after` the rule needs.
    fn order(
        &self,
        rule: Rule<Name>,
        before: Option<Name>,
        after: Option<Name>,
        premises: &[u32],
    ) -> Checked<Literal> {
        match (rule, before, after) {
            (Rule::ProgramOrder(_), Some(a), Some(b)) => self.program_order(rule, a, b),
            (Rule::Preserved(rule), Some(a), Some(b)) => self.preserved(rule, a, b, premises),
            (Rule::ReadsFrom, Some(s), Some(l)) => self.reads_from(s, l, premises),
            (Rule::OwnEarlier(l), Some(s), None) => self.own_earlier(s, l, premises),
            (Rule::Observed(l), Some(s), None) => self.observed(s, l, premises),
            (Rule::Overtaken, Some(l), Some(s)) => self.overtaken(l, s, premises),
            (Rule::InitialFirst, None, Some(s)) => self.first(s),
            (Rule::Final, Some(s), None) => self.final_write(s, premises),
            _ => self.unfounded("no rule derives this order"),
        }
    }

    fn op(&self, name: Name) -> Checked<OpId> {
        name.operation(self.history)
            .ok_or_else(|| Rejection::Unknown { step: self.step as usize, name: name.to_string() })
    }

    fn fact(&self, number: u32) -> Checked<Literal> {
        match self.established.get(&number) {
            Some(Established::Fact(literal)) => Ok(*literal),
            _ => self.unfounded("it cites a number that no fact has, or one of a closed block"),
        }
    }

    /// The two ends of the path that the cited order facts form. Facts about sources are skipped.
    fn path(&self, premises: &[u32]) -> Checked<(Name, Name)> {
        let mut ends: Option<(Name, Name)> = None;
        for &number in premises {
            let Literal::Before(a, b) = self.fact(number)? else {
                continue;
            };
            let start = match ends {
                None => a,
                Some((start, end)) => {
                    self.require(end == a, "the cited facts do not form a path")?;
                    start
                }
            };
            ends = Some((start, b));
        }
        ends.map_or_else(|| self.unfounded("it cites no step that orders two operations"), Ok)
    }

    fn known_source(&self, read: OpId) -> Option<ReadSource> {
        self.execution.as_ref()?.reads_from.source(read)
    }

    /// The read that has the source of `reader`: `reader` itself, or the load-linked of a store-conditional. In memory
    /// order no write comes between that source and `reader`. If the thread of a store-conditional wrote the location
    /// after the load-linked, this holds only for writes of other threads, so `other`, the write in question, must be
    /// of another thread.
    fn reading(&self, reader: OpId, other: Name) -> Checked<OpId> {
        if let Some(read) = self.history.observing_read(reader) {
            return Ok(read);
        }
        let Some(read) = self.model.exclusive_load(self.history, reader) else {
            return self.unfounded("the operation does not read");
        };
        let is_own = self.history.thread_of(self.op(other)?) == self.history.thread_of(reader);
        self.require(!is_own, "the write may come between the two operations of its own thread")?;
        Ok(read)
    }

    /// The source of a read, from the history or from a cited fact.
    fn source(&self, read: OpId, premises: &[u32]) -> Checked<Name> {
        let name = Name::of(self.history, read);
        for &number in premises {
            if let Literal::From(l, s) = self.fact(number)?
                && l == name
            {
                return Ok(s);
            }
        }
        match self.known_source(read) {
            Some(ReadSource::Write(write)) => Ok(Name::of(self.history, write)),
            Some(ReadSource::Initial) => Ok(self.initial(read)),
            _ => self.unfounded("the source of the read is not known"),
        }
    }

    fn initial(&self, op: OpId) -> Name {
        let location = self
            .history
            .location(op)
            .map_or(0, |location| self.history.locations()[location as usize].address);
        Name::Initial(location)
    }

    /// Checks that `write` is a write of the same location as `op`, and neither `op` nor `source`.
    fn other_write(&self, write: Name, op: OpId, source: Name) -> Checked<OpId> {
        let other = self.op(write)?;
        let same = self.history.location(other) == self.history.location(op);
        let is_write = self.history.kind(other).writes() && same;
        self.require(is_write, "the operation is not a write of the read's location")?;
        self.require(
            other != op && write != source,
            "the write must be neither the read itself nor its source",
        )?;
        Ok(other)
    }

    fn same_thread_earlier(&self, first: OpId, second: OpId) -> bool {
        first < second && self.history.thread_of(first) == self.history.thread_of(second)
    }

    fn program_order(&self, rule: Rule<Name>, a: Name, b: Name) -> Checked<Literal> {
        let (first, second) = (self.op(a)?, self.op(b)?);
        let falls_under = Rule::program_order(self.history.kind(first), self.history.kind(second));
        self.require(rule == falls_under, "the pair falls under another of R1 to R3")?;
        self.require(
            self.same_thread_earlier(first, second),
            "the operations are not in program order",
        )?;
        let kept = !self.model.is_weak() && self.model.preserves_ops(self.history, first, second);
        self.require(kept, "the model does not preserve this pair")?;
        Ok(Literal::Before(a, b))
    }

    /// Checks a pair of program order that a weak model preserves by a rule of its own.
    fn preserved(&self, rule: PpoRule, a: Name, b: Name, premises: &[u32]) -> Checked<Literal> {
        let (first, second) = (self.op(a)?, self.op(b)?);
        self.require(self.model.ppo_rules().contains(&rule), "the model has no such rule")?;
        self.require(
            self.same_thread_earlier(first, second),
            "the operations are not in program order",
        )?;
        let holds = match &self.execution {
            _ if rule == PpoRule::ReadsApart => {
                PpoRule::may_read_apart(self.history, first, second)
                    && self.source(first, premises)? != self.source(second, premises)?
            }
            Some(execution) => rule.holds(execution, first, second),
            None => false,
        };
        self.require(holds, "the rule does not order this pair")?;
        Ok(Literal::Before(a, b))
    }

    fn reads_from(&self, s: Name, l: Name, premises: &[u32]) -> Checked<Literal> {
        let read = self.op(l)?;
        self.require(self.history.kind(read).reads(), "the operation does not read")?;
        self.require(self.source(read, premises)? == s, "the read has another source")?;
        let own = self.same_thread_earlier(self.op(s)?, read);
        self.require(!own, "the source is earlier in the read's own thread")?;
        Ok(Literal::Before(s, l))
    }

    fn own_earlier(&self, s: Name, l: Name, premises: &[u32]) -> Checked<Literal> {
        let read = self.op(l)?;
        self.require(self.history.kind(read).reads(), "the operation does not read")?;
        let source = self.source(read, premises)?;
        let write = self.other_write(s, read, source)?;
        self.require(
            self.same_thread_earlier(write, read),
            "the write is not earlier in the read's thread",
        )?;
        Ok(Literal::Before(s, source))
    }

    fn observed(&self, s: Name, l: Name, premises: &[u32]) -> Checked<Literal> {
        let reader = self.op(l)?;
        let source = self.source(self.reading(reader, s)?, premises)?;
        self.other_write(s, reader, source)?;
        let ends = self.path(premises)?;
        self.require(ends == (s, l), "the path does not lead from the write to the read")?;
        Ok(Literal::Before(s, source))
    }

    fn overtaken(&self, l: Name, s: Name, premises: &[u32]) -> Checked<Literal> {
        let reader = self.op(l)?;
        let source = self.source(self.reading(reader, s)?, premises)?;
        self.other_write(s, reader, source)?;
        if !matches!(source, Name::Initial(_)) {
            let ends = self.path(premises)?;
            self.require(
                ends == (source, s),
                "the path does not lead from the source to the write",
            )?;
        }
        Ok(Literal::Before(l, s))
    }

    fn first(&self, s: Name) -> Checked<Literal> {
        let write = self.op(s)?;
        self.require(self.history.kind(write).writes(), "the operation does not write")?;
        Ok(Literal::Before(self.initial(write), s))
    }

    fn final_write(&self, s: Name, premises: &[u32]) -> Checked<Literal> {
        let write = self.op(s)?;
        let location = self.history.location(write);
        let last = self.history.finals().iter();
        let Some(last) = last.copied().find(|last| Some(last.location) == location) else {
            return self.unfounded("the location has no final value");
        };
        let address = self.history.locations()[last.location as usize].address;
        let source = match premises {
            [] => match self.candidates(Name::Final(address))?.as_slice() {
                &[Literal::From(_, only)] => only,
                _ => {
                    return self.unfounded(
                        "no write has the final value, or several do and no fact says which is last",
                    );
                }
            },
            &[number] => match self.fact(number)? {
                Literal::From(end, source) if end == Name::Final(address) => source,
                _ => {
                    return self
                        .unfounded("the cited fact does not name the source of the final value");
                }
            },
            _ => return self.unfounded("it cites more than one fact"),
        };
        self.require(self.history.kind(write).writes(), "the operation does not write")?;
        self.require(source != s, "the write is itself the source of the final value")?;
        Ok(Literal::Before(s, source))
    }

    fn thin_final(&self, address: u64) -> Checked<()> {
        let here = |location: u32| self.history.locations()[location as usize].address == address;
        let last = self.history.finals().iter().find(|last| here(last.location));
        let impossible = last.is_some_and(|last| {
            let mut written = false;
            let mut may_end_so = self.history.may_be_unfinished(last.location);
            for &op in self.writes.of_location(last.location) {
                written = true;
                let value = self.history.written(op);
                may_end_so |= value.is_none() || value == Some(last.value);
            }
            !may_end_so && (written || self.history.initial(last.location) != Some(last.value))
        });
        self.require(impossible, "the location can end with its final value")
    }

    fn may_be_supposed(&self, literal: Literal) -> Checked<()> {
        match literal {
            Literal::Before(a, b) => {
                let (a, b) = (self.op(a)?, self.op(b)?);
                let writes = self.history.kind(a).writes() && self.history.kind(b).writes();
                let same = self.history.location(a) == self.history.location(b);
                self.require(
                    writes && same && a != b,
                    "the operations are not two writes of one location",
                )
            }
            Literal::From(l, s) => {
                let is_candidate = self.is_candidate(l, s)?;
                self.require(is_candidate, "the read cannot have taken its value from there")
            }
            Literal::NotFrom(..) => Ok(()),
        }
    }

    /// The clause that not both of two reads return the initial value of their location, since they return different values.
    fn one_initial(&self, l: Name, m: Name) -> Checked<Vec<Literal>> {
        let reads = [self.op(l)?, self.op(m)?];
        let [first, second] =
            reads.map(|read| self.history.location(read).zip(self.history.read(read)));
        let (Some((location, value)), Some((other, another))) = (first, second) else {
            return self.unfounded("the operations are not two reads whose values are known");
        };
        let differ = location == other && value != another;
        self.require(differ, "the reads are of different locations, or return the same value")?;
        Ok([(l, reads[0]), (m, reads[1])]
            .map(|(name, op)| Literal::NotFrom(name, self.initial(op)))
            .into())
    }

    /// A literal for each write, the initial one included, that a read or a location's final value can take its value
    /// from.
    fn candidates(&self, l: Name) -> Checked<Vec<Literal>> {
        let Sources { location, value, initial } = self.sources(l)?;
        let writes = self.writes.of_value(location, value).iter();
        // A read-modify-write does not read the value that it writes itself.
        let writes = writes.map(|&write| Name::of(self.history, write)).filter(|&write| write != l);
        let from = writes.chain(initial).map(|source| Literal::From(l, source));
        Ok(from.collect())
    }

    /// Whether [`Proof::candidates`] has the literal that `l` takes its value from `s`. The list is not made, since a proof may
    /// suppose each of many candidates.
    fn is_candidate(&self, l: Name, s: Name) -> Checked<bool> {
        let Sources { location, value, initial } = self.sources(l)?;
        let is_write_of_value = |op: OpId| {
            self.history.kind(op).writes()
                && self.history.location(op) == Some(location)
                && self.history.written(op) == Some(value)
        };
        let is_other_write = s != l && s.operation(self.history).is_some_and(is_write_of_value);
        Ok(initial == Some(s) || is_other_write)
    }

    /// What a read with several candidates, or the final value of a location, can take its value from.
    fn sources(&self, l: Name) -> Checked<Sources> {
        match l {
            Name::Final(address) => self.final_value(address),
            _ => self.ambiguous_read(l),
        }
    }

    /// The sources of a read with several candidates.
    fn ambiguous_read(&self, l: Name) -> Checked<Sources> {
        let read = self.op(l)?;
        let known = self.known_source(read) == Some(ReadSource::Ambiguous);
        let (Some(location), Some(value), true) =
            (self.history.location(read), self.history.read(read), known)
        else {
            return self.unfounded("the source of the read is not ambiguous");
        };
        let is_initial = self.history.may_be_initial(location, value);
        let initial = is_initial.then(|| self.initial(read));
        Ok(Sources { location, value, initial })
    }

    /// The sources of the final value of an address. Rejects a location without writes, or with a write whose value is
    /// not known.
    fn final_value(&self, address: u64) -> Checked<Sources> {
        let here = |location: u32| self.history.locations()[location as usize].address == address;
        let last = self.history.finals().iter();
        let Some(last) = last.copied().find(|last| here(last.location)) else {
            return self.unfounded("the location has no final value");
        };
        let writes = self.writes.of_location(last.location);
        self.require(!writes.is_empty(), "the history has no write of the location")?;
        let hidden = self.writes.hidden.contains(&last.location);
        self.require(!hidden, "a write of the location has an unknown value")?;
        Ok(Sources { location: last.location, value: last.value, initial: None })
    }

    /// Checks that a clause follows from the cited facts and clauses: its opposite contradicts them by
    /// unit propagation.
    fn unit_propagation(&self, clause: &[Literal], premises: &[u32]) -> Checked<()> {
        let mut held: FxHashSet<Literal> =
            clause.iter().map(|literal| literal.opposite()).collect();
        let mut open: Vec<Vec<Literal>> = Vec::new();
        for number in premises {
            match self.established.get(number) {
                Some(Established::Fact(literal)) => open.push(vec![*literal]),
                Some(Established::Clause(literals)) => open.push(literals.clone()),
                _ => {
                    return self.unfounded("it cites an unknown number, or one of a closed block");
                }
            }
        }
        loop {
            let before = held.len();
            for literals in &open {
                let mut left =
                    literals.iter().filter(|literal| !held.contains(&literal.opposite()));
                match (left.next(), left.next()) {
                    (None, _) => return Ok(()),
                    (Some(&literal), None) => {
                        held.insert(literal);
                    }
                    _ => {}
                }
            }
            if held.len() == before {
                return self.unfounded("the clause does not follow by unit propagation");
            }
        }
    }
}

fn clause_or_fact(clause: Vec<Literal>) -> Established {
    match clause.as_slice() {
        [literal] => Established::Fact(*literal),
        _ => Established::Clause(clause),
    }
}

fn is_contradiction(statement: &Statement) -> bool {
    match statement {
        Statement::Cycle | Statement::ThinAir(_) | Statement::ThinFinal(_) => true,
        Statement::Clause(literals) => literals.is_empty(),
        _ => false,
    }
}
