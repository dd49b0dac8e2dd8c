//! [`Solver`]: CaDiCaL within bounds of time, memory and conflicts.

use cadical::Callbacks;

use host::Bounds;

use crate::verdict::SatStatistics;

/// The callbacks of CaDiCaL: they count and collect learned clauses, and stop it when a bound is met.
struct Watch<'b> {
    bounds: &'b Bounds,
    learned: u64,
    /// The learned clauses, if they are kept.
    log: Option<Vec<Vec<i32>>>,
}

impl Callbacks for Watch<'_> {
    fn terminate(&mut self) -> bool {
        self.bounds.passed()
    }

    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, clause: &[i32]) {
        self.learned += 1;
        if let Some(log) = &mut self.log {
            log.push(clause.to_vec());
        }
    }
}

/// Name and version of the solver: `cadical-2.1.3`.
pub fn version() -> String {
    cadical::Solver::<cadical::Timeout>::new().signature().to_owned()
}

/// Memory of CaDiCaL's tables in bytes for each of their rows, and of those of them that are copied at a time.
const BYTES_PER_ROW: usize = 150;
const BYTES_PER_COPIED_ROW: usize = 48;
/// Memory of a clause in CaDiCaL without its literals, in bytes: its header, and two watches.
const BYTES_PER_CLAUSE: usize = 68;
/// One part in so many of the memory of the clauses may double at once.
const GROWING_SHARE: usize = 3;
/// Memory of clauses between two checks of the bounds, in bytes.
const BYTES_PER_CHECK: usize = 1 << 20;

/// An incremental solver. Literals are numbers from 1, negative if negated.
///
/// It asks the bounds for the memory of its variables and clauses. Where these do not allow it they count as met: nothing is added any more,
/// and [`Solver::solve`] returns `None`.
pub struct Solver<'b> {
    solver: cadical::Solver<Watch<'b>>,
    bounds: &'b Bounds,
    variables: i32,
    /// Number of rows of CaDiCaL's tables, one for each variable and one more at least.
    rows: usize,
    /// Memory of the clauses in bytes, and what it was when the bounds were asked last.
    bytes: usize,
    asked: usize,
    clauses: u64,
    calls: u64,
}

impl<'b> Solver<'b> {
    /// A solver with CaDiCaL's default configuration.
    pub fn new(bounds: &'b Bounds) -> Solver<'b> {
        Solver::watched(cadical::Solver::new(), bounds, None)
    }

    /// A solver that keeps its learned clauses: CaDiCaL without preprocessing, so that each of them follows
    /// from those before it.
    pub fn proving(bounds: &'b Bounds) -> Solver<'b> {
        // CaDiCaL has a configuration of this name, so there is no error.
        let plain = cadical::Solver::with_config("plain").unwrap_or_default();
        Solver::watched(plain, bounds, Some(Vec::new()))
    }

    fn watched(
        mut solver: cadical::Solver<Watch<'b>>,
        bounds: &'b Bounds,
        log: Option<Vec<Vec<i32>>>,
    ) -> Solver<'b> {
        solver.set_callbacks(Some(Watch { bounds, learned: 0, log }));
        Solver { solver, bounds, variables: 0, rows: 0, bytes: 0, asked: 0, clauses: 0, calls: 0 }
    }

    /// Returns a new variable. The solver tries it as true first.
    pub fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// Makes rows for all variables. Returns false if a bound was met.
    fn make_rows(&mut self) -> bool {
        let variables = self.variables as usize;
        if variables >= self.rows {
            // CaDiCaL's tables have as many rows as are needed at first, and then twice as many as they had.
            let before = self.rows;
            self.rows = if before == 0 { variables + 1 } else { before };
            while self.rows <= variables {
                self.rows *= 2;
            }
            let more = self.rows - before;
            if self.bounds.allows(more * BYTES_PER_ROW + before * BYTES_PER_COPIED_ROW) {
                self.solver.reserve(self.variables);
            }
        }
        self.bounds.exceeded().is_none()
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: impl IntoIterator<Item = i32>) {
        if !self.make_rows() {
            return;
        }
        let mut literals = 0;
        self.solver.add_clause(clause.into_iter().inspect(|_| literals += 1));
        self.clauses += 1;
        self.bytes += BYTES_PER_CLAUSE + literals * size_of::<i32>();
        if self.bytes - self.asked >= BYTES_PER_CHECK {
            self.asked = self.bytes;
            // CaDiCaL's lists double when they are full.
            self.bounds.allows(BYTES_PER_CHECK + self.bytes / GROWING_SHARE);
        }
    }

    /// Searches a model in which the assumptions hold, and returns whether there is one; `None` if a bound
    /// was met, or after `conflicts` conflicts.
    pub fn solve(&mut self, assumptions: &[i32], conflicts: u64) -> Option<bool> {
        self.calls += 1;
        if !self.make_rows() {
            return None;
        }
        // Variables that are in no clause must have a value too.
        self.solver.reserve(self.variables);
        if let Ok(conflicts) = i32::try_from(conflicts) {
            // CaDiCaL has a limit of this name, so there is no error.
            let _ = self.solver.set_limit("conflicts", conflicts);
        }
        self.solver.solve_with(assumptions.iter().copied())
    }

    /// Whether a literal holds in the model that was found.
    pub fn holds(&self, literal: i32) -> bool {
        // A variable without a value does not matter; it gets the value that is tried first.
        self.solver.value(literal).unwrap_or(literal > 0)
    }

    /// The clauses learned since the last call, if they are kept.
    pub fn take_learned(&mut self) -> Vec<Vec<i32>> {
        let watch = self.solver.get_callbacks();
        let log = watch.and_then(|watch| watch.log.as_mut());
        log.map(std::mem::take).unwrap_or_default()
    }

    /// Statistics of the formula and the work so far.
    pub fn statistics(&mut self) -> SatStatistics {
        let learned = self.solver.get_callbacks().map_or(0, |watch| watch.learned);
        SatStatistics {
            variables: self.variables as u64,
            clauses: self.clauses,
            learned,
            calls: self.calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_assumptions_and_refutations() {
        let bounds = Bounds::none();
        let mut solver = Solver::proving(&bounds);
        let (a, b, unused) = (solver.variable(), solver.variable(), solver.variable());
        solver.add([a, b]);
        assert_eq!(solver.solve(&[-a], u64::MAX), Some(true));
        assert!(solver.holds(b) && solver.holds(-a) && solver.holds(unused));
        assert_eq!(solver.solve(&[-a, -b], u64::MAX), Some(false));
        solver.add([-b]);
        solver.add([-a]);
        assert_eq!(solver.solve(&[], u64::MAX), Some(false));
        let statistics = solver.statistics();
        assert_eq!((statistics.variables, statistics.clauses), (3, 3));
    }
}
