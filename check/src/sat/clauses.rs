//! [`Clauses`]: clauses under unit propagation, and a small conflict-driven search that records the clauses
//! that each learned clause follows from.
//!
//! CaDiCaL does the solving; this search only fills the gaps between the clauses that it reports. So it is
//! simple: two watched literals, the first unique implication point, activities, no restarts, and no
//! deletion of clauses.

use host::Bounds;
use std::collections::BinaryHeap;

/// The factor by which a conflict raises activities more than the conflict before it.
const ACTIVITY_GROWTH: f64 = 1.05;
/// The activity above which all activities are scaled down.
const MAX_ACTIVITY: f64 = 1e100;

/// The origin of a clause.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The clause was given, with this number.
    Given(usize),
    /// The clause follows from these clauses, in the order in which they propagate.
    Derived(Vec<usize>),
}

/// A clause. Its watched literals, if it has any, come first.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// The literals of the clause.
    pub literals: Vec<i32>,
    /// The origin of the clause.
    pub source: Source,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The assumptions contradict the clauses: these clauses are enough to refute them.
    Excluded(Vec<usize>),
    /// The clauses have a model in which the assumptions hold.
    Possible,
    /// A bound was met.
    Exceeded,
}

/// Clauses, and the state of a search over them.
pub(super) struct Clauses {
    /// All clauses, each after those that it follows from.
    pub all: Vec<Clause>,
    /// Per literal, the clauses that watch it.
    watching: Vec<Vec<usize>>,
    /// Per variable, its value: 1, -1, or 0 for none.
    values: Vec<i8>,
    /// Per variable, the value that it had last, which a decision tries first.
    phases: Vec<bool>,
    /// Per variable, the clause that implied its value; a unit clause if it was implied without decisions
    /// and assumptions.
    reasons: Vec<Option<usize>>,
    level_of: Vec<usize>,
    /// Per variable with a value, its position on the trail.
    place: Vec<usize>,
    /// The literals that hold, in the order in which they were found.
    trail: Vec<i32>,
    /// Per level, the position on the trail where it starts. A decision or an assumption opens a level.
    levels: Vec<usize>,
    /// Number of literals of the trail that were propagated.
    propagated: usize,
    activity: Vec<f64>,
    increment: f64,
    /// Variables by activity, as bits; entries may be out of date.
    queue: BinaryHeap<(u64, u32)>,
    seen: Vec<bool>,
}

impl Clauses {
    /// Creates the search without clauses, for variables below `variables`.
    pub(super) fn new(variables: usize) -> Clauses {
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

    /// Adds a clause, and propagates what follows without assumptions. If the clauses contradict each
    /// other now, returns the clauses that the empty clause follows from.
    pub(super) fn add(&mut self, mut literals: Vec<i32>, source: Source) -> Option<Vec<usize>> {
        self.back_to(0);
        literals.sort_unstable();
        literals.dedup();
        // Literals that do not fail come first, to be watched.
        literals.sort_by_key(|&literal| self.value(literal) < 0);
        let free = literals.iter().filter(|&&literal| self.value(literal) >= 0);
        let (free, first) = (free.count(), literals.first().copied());
        let number = self.push(literals, source);
        match (free, first) {
            (0, _) => return Some(self.premises_of_conflict(number)),
            (1, Some(literal)) if self.value(literal) == 0 => self.hold(literal, Some(number)),
            _ => {}
        }
        let conflict = self.propagate()?;
        Some(self.premises_of_conflict(conflict))
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

    /// Searches a model of the clauses in which the assumptions hold.
    pub(super) fn search(&mut self, assumptions: &[i32], bounds: &Bounds) -> Answer {
        self.back_to(0);
        let mut conflicts = 0u32;
        loop {
            if let Some(conflict) = self.propagate() {
                conflicts += 1;
                if self.levels.len() <= assumptions.len() {
                    return Answer::Excluded(self.premises_of_conflict(conflict));
                }
                if conflicts.is_multiple_of(64) && bounds.passed() {
                    return Answer::Exceeded;
                }
                self.learn(conflict);
                continue;
            }
            let next = match assumptions.get(self.levels.len()) {
                Some(&literal) if self.value(literal) < 0 => {
                    return Answer::Excluded(self.premises_of_literal(literal));
                }
                Some(&literal) => Some(literal),
                None => self.decision(),
            };
            let Some(literal) = next else {
                return Answer::Possible;
            };
            self.levels.push(self.trail.len());
            // An assumption that already holds gets a level of its own nevertheless.
            if self.value(literal) == 0 {
                self.hold(literal, None);
            }
        }
    }

    /// The next decision: a variable without a value, with the value that it had last.
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
            // The literal holds without assumptions, so later reasons cite the unit clause.
            let mut premises = self.units(reason, literal);
            premises.push(reason);
            let unit = self.push(vec![literal], Source::Derived(premises));
            self.reasons[at] = Some(unit);
        }
    }

    /// The unit clauses that falsify all literals of a clause but one.
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

    /// Propagates all literals of the trail. Returns a clause that fails, if there is one.
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
            // Nothing was added to this list meanwhile: watches move to literals that do not fail.
            self.watching[index(failed)] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Updates a clause one of whose watched literals fails.
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
        self.increment *= ACTIVITY_GROWTH;
        let order = |&clause: &usize| self.position(clause);
        premises.sort_by_cached_key(order);
        premises.dedup();
        self.assert(literals, premises);
    }

    /// The position on the trail of the literal that a clause implied; the conflict comes last.
    fn position(&self, clause: usize) -> usize {
        let mut literals = self.all[clause].literals.iter();
        let given = literals.find(|&&literal| self.reasons[variable(literal)] == Some(clause));
        given.map_or(usize::MAX, |&literal| self.place[variable(literal)])
    }

    /// Adds a learned clause, whose last literal is the only one of the current level.
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
        if self.activity[at] > MAX_ACTIVITY {
            self.activity.iter_mut().for_each(|activity| *activity /= MAX_ACTIVITY);
            self.increment /= MAX_ACTIVITY;
        }
        if self.values[at] == 0 {
            self.queue.push((self.activity[at].to_bits(), at as u32));
        }
    }

    /// The clauses that falsify a clause by propagation, in the order in which they propagate, followed by
    /// that clause.
    fn premises_of_conflict(&self, conflict: usize) -> Vec<usize> {
        let mut premises = self.premises_of(&self.all[conflict].literals);
        premises.push(conflict);
        premises
    }

    /// The clauses that falsify a literal by propagation, in the order in which they propagate.
    fn premises_of_literal(&self, failing: i32) -> Vec<usize> {
        self.premises_of(&[failing])
    }

    fn premises_of(&self, failing: &[i32]) -> Vec<usize> {
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

/// The result of updating a watch.
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
