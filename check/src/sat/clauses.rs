//! Clauses under unit propagation, and a small conflict-driven search that says what each clause
//! it learns follows from.
//!
//! CaDiCaL does the solving; this only fills the gaps between the clauses that it reports. So it is
//! simple: two watched literals, the first unique implication point, activities, no restarts, and
//! nothing is ever forgotten.

use std::collections::BinaryHeap;

use crate::bounds::Bounds;

/// How much more a conflict counts than the one before it.
const GROWTH: f64 = 1.05;
/// Activities are made smaller when one is this large.
const LARGEST: f64 = 1e100;

/// Where a clause comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// It is given, under this number.
    Given(usize),
    /// It follows from these clauses, in the order in which they propagate.
    Derived(Vec<usize>),
}

/// A clause; those that are watched have their watched literals first.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The literals of the clause.
    pub literals: Vec<i32>,
    /// Where it comes from.
    pub source: Source,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The assumptions exclude each other: what that follows from.
    Excluded(Vec<usize>),
    /// They do not.
    Possible,
    /// A bound was met.
    Exceeded,
}

/// Clauses and what follows from them.
pub struct Clauses {
    /// All clauses, each after those it follows from.
    pub all: Vec<Clause>,
    /// Per literal the clauses that watch it.
    watching: Vec<Vec<usize>>,
    /// Per variable 1, -1, or 0 if it has no value.
    values: Vec<i8>,
    /// Per variable the value it last had.
    phases: Vec<bool>,
    /// Per variable the clause that gave it its value; for one that holds for good, a unit clause.
    reasons: Vec<Option<usize>>,
    level_of: Vec<usize>,
    /// Per variable with a value its place on the trail.
    place: Vec<usize>,
    /// Literals that hold, in the order in which they were found.
    trail: Vec<i32>,
    /// Where on the trail each level begins that a decision or assumption opened.
    levels: Vec<usize>,
    propagated: usize,
    activity: Vec<f64>,
    increment: f64,
    /// Variables by activity, as bits; entries may be out of date.
    queue: BinaryHeap<(u64, u32)>,
    seen: Vec<bool>,
}

impl Clauses {
    /// No clauses yet, over variables below `variables`.
    pub fn new(variables: usize) -> Clauses {
        Clauses {
            all: Vec::new(),
            watching: vec![Vec::new(); 2 * variables],
            values: vec![0; variables],
            phases: vec![true; variables],
            reasons: vec![None; variables],
            level_of: vec![0; variables],
            place: vec![0; variables],
            trail: Vec::new(),
            levels: Vec::new(),
            propagated: 0,
            activity: vec![0.0; variables],
            increment: 1.0,
            queue: (1..variables as u32).map(|variable| (0, variable)).collect(),
            seen: vec![false; variables],
        }
    }

    /// Adds a clause and all that follows from it without assumptions. Returns what the empty clause
    /// follows from, if it does now.
    pub fn add(&mut self, mut literals: Vec<i32>, source: Source) -> Option<Vec<usize>> {
        self.back_to(0);
        literals.sort_unstable();
        literals.dedup();
        // What does not fail comes first, to be watched.
        literals.sort_by_key(|&literal| self.value(literal) < 0);
        let free = literals.iter().filter(|&&literal| self.value(literal) >= 0);
        let (free, first) = (free.count(), literals.first().copied());
        let number = self.push(literals, source);
        match (free, first) {
            (0, _) => return Some(self.cone(number)),
            (1, Some(literal)) if self.value(literal) == 0 => self.hold(literal, Some(number)),
            _ => {}
        }
        let conflict = self.propagate()?;
        Some(self.cone(conflict))
    }

    fn push(&mut self, literals: Vec<i32>, source: Source) -> usize {
        let number = self.all.len();
        if literals.len() > 1 {
            for &literal in &literals[..2] {
                self.watching[index(literal)].push(number);
            }
        }
        self.all.push(Clause { literals, source });
        number
    }

    /// Whether these literals exclude each other.
    pub fn search(&mut self, assumptions: &[i32], bounds: &Bounds) -> Answer {
        self.back_to(0);
        let mut conflicts = 0u32;
        loop {
            if let Some(conflict) = self.propagate() {
                conflicts += 1;
                if self.levels.len() <= assumptions.len() {
                    return Answer::Excluded(self.cone(conflict));
                }
                if conflicts.is_multiple_of(64) && bounds.passed() {
                    return Answer::Exceeded;
                }
                self.learn(conflict);
                continue;
            }
            let next = match assumptions.get(self.levels.len()) {
                Some(&literal) if self.value(literal) < 0 => {
                    return Answer::Excluded(self.cone_of(literal));
                }
                Some(&literal) => Some(literal),
                None => self.decision(),
            };
            let Some(literal) = next else {
                return Answer::Possible;
            };
            self.levels.push(self.trail.len());
            // An assumption that holds already has a level of its own all the same.
            if self.value(literal) == 0 {
                self.hold(literal, None);
            }
        }
    }

    /// A variable without a value, as it last was.
    fn decision(&mut self) -> Option<i32> {
        while let Some((_, variable)) = self.queue.pop() {
            if self.values[variable as usize] == 0 {
                let literal = variable as i32;
                return Some(if self.phases[variable as usize] { literal } else { -literal });
            }
        }
        None
    }

    fn value(&self, literal: i32) -> i8 {
        let value = self.values[variable(literal)];
        if literal > 0 { value } else { -value }
    }

    fn hold(&mut self, literal: i32, reason: Option<usize>) {
        let at = variable(literal);
        self.values[at] = if literal > 0 { 1 } else { -1 };
        self.reasons[at] = reason;
        self.level_of[at] = self.levels.len();
        self.place[at] = self.trail.len();
        self.trail.push(literal);
        if let Some(reason) = reason
            && self.levels.is_empty()
            && self.all[reason].literals.len() > 1
        {
            // For good: the next reasons cite the unit clause.
            let mut premises = self.units(reason, literal);
            premises.push(reason);
            let unit = self.push(vec![literal], Source::Derived(premises));
            self.reasons[at] = Some(unit);
        }
    }

    /// The unit clauses that exclude all literals of a clause but one.
    fn units(&self, clause: usize, but: i32) -> Vec<usize> {
        let others = self.all[clause].literals.iter().filter(|&&literal| literal != but);
        others.filter_map(|&literal| self.reasons[variable(literal)]).collect()
    }

    fn back_to(&mut self, level: usize) {
        if self.levels.len() <= level {
            return;
        }
        let start = self.levels[level];
        for literal in self.trail.drain(start..) {
            let at = variable(literal);
            self.phases[at] = literal > 0;
            self.values[at] = 0;
            self.reasons[at] = None;
            self.queue.push((self.activity[at].to_bits(), at as u32));
        }
        self.levels.truncate(level);
        self.propagated = self.propagated.min(start);
    }

    /// Finds all that follows; returns a clause that fails.
    fn propagate(&mut self) -> Option<usize> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let failed = -literal;
            let mut watching = std::mem::take(&mut self.watching[index(failed)]);
            let mut conflict = None;
            watching.retain(|&number| {
                conflict.is_some()
                    || match self.visit(number, failed) {
                        Visit::Moved => false,
                        Visit::Stays => true,
                        Visit::Fails => {
                            conflict = Some(number);
                            true
                        }
                    }
            });
            // Nothing was added to this list: a watch moves to a literal that does not fail.
            self.watching[index(failed)] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Looks at a clause one of whose watched literals fails.
    fn visit(&mut self, number: usize, failed: i32) -> Visit {
        let mut literals = std::mem::take(&mut self.all[number].literals);
        if literals[0] == failed {
            literals.swap(0, 1);
        }
        let other = literals[0];
        let spare = (2..literals.len()).find(|&at| self.value(literals[at]) >= 0);
        let visit = match (self.value(other), spare) {
            (1, _) => Visit::Stays,
            (_, Some(at)) => {
                literals.swap(1, at);
                self.watching[index(literals[1])].push(number);
                Visit::Moved
            }
            (0, None) => Visit::Stays,
            _ => Visit::Fails,
        };
        self.all[number].literals = literals;
        if matches!(visit, Visit::Stays) && self.value(other) == 0 {
            self.hold(other, Some(number));
        }
        visit
    }

    /// Learns the clause of the first unique implication point, and jumps back to where it
    /// propagates.
    fn learn(&mut self, conflict: usize) {
        let level = self.levels.len();
        let mut literals = Vec::new();
        let mut premises = vec![conflict];
        let mut open = 0;
        let mut reason = conflict;
        let mut at = self.trail.len();
        let point = loop {
            for position in 0..self.all[reason].literals.len() {
                let literal = self.all[reason].literals[position];
                if std::mem::replace(&mut self.seen[variable(literal)], true) {
                    continue;
                }
                self.bump(variable(literal));
                match self.level_of[variable(literal)] {
                    0 => premises.extend(self.reasons[variable(literal)]),
                    its if its == level => open += 1,
                    _ => literals.push(literal),
                }
            }
            let literal = loop {
                at -= 1;
                let literal = self.trail[at];
                let here = self.level_of[variable(literal)] == level;
                if here && self.seen[variable(literal)] {
                    break literal;
                }
            };
            open -= 1;
            match self.reasons[variable(literal)] {
                Some(next) if open > 0 => {
                    premises.push(next);
                    reason = next;
                }
                _ => break literal,
            }
        };
        self.seen.fill(false);
        literals.push(-point);
        self.increment *= GROWTH;
        let order = |&clause: &usize| self.position(clause);
        premises.sort_by_cached_key(order);
        premises.dedup();
        self.assert(literals, premises);
    }

    /// Where on the trail the literal is that a clause gave a value; the conflict's comes last.
    fn position(&self, clause: usize) -> usize {
        let mut literals = self.all[clause].literals.iter();
        let given = literals.find(|&&literal| self.reasons[variable(literal)] == Some(clause));
        given.map_or(usize::MAX, |&literal| self.place[variable(literal)])
    }

    /// Adds a learned clause, whose last literal is the only one of the present level.
    fn assert(&mut self, mut literals: Vec<i32>, premises: Vec<usize>) {
        literals.reverse();
        let levels = literals.iter().map(|&literal| self.level_of[variable(literal)]);
        let second = levels.enumerate().skip(1).max_by_key(|&(_, level)| level);
        let back = second.map_or(0, |(_, level)| level);
        if let Some((at, _)) = second {
            literals.swap(1, at);
        }
        self.back_to(back);
        let literal = literals[0];
        let number = self.push(literals, Source::Derived(premises));
        self.hold(literal, Some(number));
    }

    fn bump(&mut self, at: usize) {
        self.activity[at] += self.increment;
        if self.activity[at] > LARGEST {
            self.activity.iter_mut().for_each(|activity| *activity /= LARGEST);
            self.increment /= LARGEST;
        }
        if self.values[at] == 0 {
            self.queue.push((self.activity[at].to_bits(), at as u32));
        }
    }

    /// What the failing of a clause rests on, in the order in which it propagates.
    fn cone(&self, conflict: usize) -> Vec<usize> {
        let mut premises = self.rests_on(&self.all[conflict].literals);
        premises.push(conflict);
        premises
    }

    /// What the failing of a literal rests on.
    fn cone_of(&self, failing: i32) -> Vec<usize> {
        self.rests_on(&[failing])
    }

    fn rests_on(&self, failing: &[i32]) -> Vec<usize> {
        let mut wanted = vec![false; self.values.len()];
        for &literal in failing {
            wanted[variable(literal)] = true;
        }
        let mut premises = Vec::new();
        for &literal in self.trail.iter().rev() {
            let Some(reason) =
                self.reasons[variable(literal)].filter(|_| wanted[variable(literal)])
            else {
                continue;
            };
            premises.push(reason);
            for &other in &self.all[reason].literals {
                wanted[variable(other)] = true;
            }
        }
        premises.reverse();
        premises
    }
}

/// What became of a watch.
enum Visit {
    Moved,
    Stays,
    Fails,
}

fn variable(literal: i32) -> usize {
    literal.unsigned_abs() as usize
}

fn index(literal: i32) -> usize {
    2 * variable(literal) + usize::from(literal < 0)
}
