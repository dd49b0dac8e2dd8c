//! Computes all final states of a test that a model allows: [`outcomes`] returns [`Outcomes`], a list of [`State`]s.

use memory::Model;
use rustc_hash::FxHashMap;

use crate::candidate::{Candidate, ReadSource};
use crate::error::Error;
use crate::execute::{End, Path, Unfolded, Unfolding, unfold};
use crate::expression::Incomputable;
use crate::order::{MOST_EVENTS, bits};
use crate::search::{Execution, executions};
use crate::test::{LitmusTest, Observed, Quantifier, ThreadRegister};
use crate::value::{Location, Value};

/// The final states of a test that a model allows.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The states in the order in which herd lists them. Each has the value of every register and
    /// location of [`LitmusTest::observed`].
    pub states: Vec<State>,
    /// The line of a branch that goes back more often than loops are unrolled, if there is one: states
    /// of longer runs are missing.
    pub loop_limit: Option<usize>,
}

/// A final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The values of [`LitmusTest::observed`].
    pub values: Vec<Value>,
    /// The number of executions that end in the state: ways for the threads to go, sources of the reads
    /// and orders of the writes of each location.
    pub executions: u64,
    /// Whether the proposition of the test's condition holds.
    pub holds: bool,
}

/// How often the proposition of a test holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// In no state.
    Never,
    /// In some states.
    Sometimes,
    /// In all states.
    Always,
}

impl Observation {
    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Observation::Never => "Never",
            Observation::Sometimes => "Sometimes",
            Observation::Always => "Always",
        }
    }
}

impl Outcomes {
    /// How often the proposition holds: never, if there are no states.
    pub fn observation(&self) -> Observation {
        let holding = self.states.iter().filter(|state| state.holds).count();
        match holding {
            0 => Observation::Never,
            all if all == self.states.len() => Observation::Always,
            _ => Observation::Sometimes,
        }
    }

    /// Whether the states satisfy the test's condition with this quantifier.
    pub fn satisfies(&self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::Exists => self.states.iter().any(|state| state.holds),
            Quantifier::NotExists => !self.states.iter().any(|state| state.holds),
            Quantifier::ForAll => self.states.iter().all(|state| state.holds),
        }
    }

    /// The numbers of executions in which the proposition holds and does not hold.
    pub fn witnesses(&self) -> (u64, u64) {
        let count = |holds| {
            let states = self.states.iter().filter(|state| state.holds == holds);
            states.map(|state| state.executions).sum()
        };
        (count(true), count(false))
    }
}

/// Finds all final states that the model allows. Each branch is followed backwards at most `unroll` times.
///
/// # Errors
/// Returns [`Error::Run`] if an instruction does something that is not supported, such as arithmetic on the address
/// of a location, an access elsewhere or accesses of different sizes to one location, and [`Error::TooLarge`] for a
/// test with too many events or paths.
pub fn outcomes(test: &LitmusTest, model: Model, unroll: usize) -> Result<Outcomes, Error> {
    let mut found: FxHashMap<Vec<Value>, State> = FxHashMap::default();
    let mut loop_limit = None;
    let mut see = |execution: &Execution<'_>| {
        match execution.candidate.unfinished() {
            None | Some(End::Program) => {}
            Some(End::LoopLimit(line)) => {
                loop_limit = Some(line);
                return Ok(true);
            }
            Some(End::UnknownAddress(line)) => {
                return Err(execution.error(test, line, "the address may be that of no location"));
            }
        }
        execution.refuse_mixed_sizes(test)?;
        if !execution.is_computed(test)? {
            return Ok(true);
        }
        let Some(state) = execution.state(test)? else {
            return Ok(true);
        };
        let counted = found.entry(state.values.clone()).or_insert(state);
        counted.executions += 1;
        Ok(true)
    };
    let options = Unfolding { unroll, splits_atomics: model.splits_atomics() };
    for_each_candidate(test, options, &mut |candidate| {
        executions(test, candidate, model, &mut see)
    })?;
    let mut states: Vec<State> = found.into_values().collect();
    states.sort_by(|first, second| {
        let pairs = first.values.iter().zip(&second.values);
        let orders = pairs.map(|(first, second)| test.order_values(*first, *second));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    Ok(Outcomes { states, loop_limit })
}

/// Calls `see` for each candidate, a path of each thread, until it returns false.
pub(crate) fn for_each_candidate(
    test: &LitmusTest,
    options: Unfolding,
    see: &mut dyn FnMut(&Candidate<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let threads: Vec<Unfolded> = (0..test.threads.len())
        .map(|thread| unfold(test, thread, options))
        .collect::<Result<_, _>>()?;
    let mut chosen = vec![0; threads.len()];
    loop {
        let paths: Vec<(&Unfolded, &Path)> =
            threads.iter().zip(&chosen).map(|(all, at)| (all, &all.paths[*at])).collect();
        let events: usize = paths.iter().map(|(_, path)| path.events.len()).sum();
        if events > MOST_EVENTS {
            return Err(Error::TooLarge {
                file: test.file.clone(),
                what: format!(
                    "an execution has {events} accesses and fences, more than {MOST_EVENTS}"
                ),
            });
        }
        if !see(&Candidate::new(&paths))? || !advance(&mut chosen, &threads) {
            return Ok(());
        }
    }
}

/// Advances to the next choice of a path for each thread; returns false after the last one.
fn advance(chosen: &mut [usize], threads: &[Unfolded]) -> bool {
    for (at, thread) in chosen.iter_mut().zip(threads) {
        *at += 1;
        if *at < thread.paths.len() {
            return true;
        }
        *at = 0;
    }
    false
}

impl Execution<'_> {
    /// Returns an error if accesses to one location have different sizes, which is not supported.
    fn refuse_mixed_sizes(&self, test: &LitmusTest) -> Result<(), Error> {
        let mut sizes: Vec<Option<u8>> = vec![None; test.locations.len()];
        for event in self.candidate.events.iter().map(|event| &event.event) {
            let Some(location) = event.location else {
                continue;
            };
            let bits = *sizes[usize::from(location.0)].get_or_insert(event.width.bits);
            if bits != event.width.bits {
                let name = test.location_name(location);
                let what = format!(
                    "`{name}` is accessed with {} bits here and {bits} bits elsewhere: accesses of \
                     different sizes to one location are not supported",
                    event.width.bits
                );
                return Err(self.error(test, event.line, &what));
            }
        }
        Ok(())
    }

    pub(crate) fn error(&self, test: &LitmusTest, line: usize, what: &str) -> Error {
        Error::Run { file: test.file.clone(), line, what: what.to_owned() }
    }

    /// The value that a write writes; `None` if it depends on a read whose value is not known.
    pub(crate) fn written(&self, test: &LitmusTest, write: usize) -> Result<Option<Value>, Error> {
        let line = self.candidate.events[write].event.line;
        match self.candidate.written(write, self.reads) {
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(Incomputable)) => Err(self.incomputable(test, line)),
            None => Ok(None),
        }
    }

    fn incomputable(&self, test: &LitmusTest, line: usize) -> Error {
        self.error(test, line, "the result depends on where a location lies in memory")
    }

    /// The last value of a location; `None` if values depend on each other in a circle.
    fn last(&self, test: &LitmusTest, location: Location) -> Result<Option<Value>, Error> {
        let locations = test.locations.len();
        let writes = self.candidate.writes_by_location(locations)[usize::from(location.0)];
        let is_last = |write: &usize| bits(writes).all(|other| !self.local.precedes(*write, other));
        match bits(writes).find(is_last) {
            Some(write) => self.written(test, write),
            None => Ok(Some(test.memory[usize::from(location.0)])),
        }
    }

    fn value(&self, test: &LitmusTest, observed: Observed) -> Result<Option<Value>, Error> {
        match observed {
            Observed::Location(location) => self.last(test, location),
            Observed::Register(register) => self.register(test, register).map(Some),
        }
    }

    /// The last value of a register.
    pub(crate) fn register(
        &self,
        test: &LitmusTest,
        register: ThreadRegister,
    ) -> Result<Value, Error> {
        match self.candidate.register(register, self.reads) {
            Some(Ok(value)) => Ok(value),
            Some(Err(Incomputable)) => {
                let steps = &test.threads[register.thread].steps;
                Err(self.incomputable(test, steps.last().map_or(1, |step| step.line)))
            }
            None => Ok(Value::ZERO),
        }
    }

    /// Whether all values are known. They are not if values depend on each other in a circle, which no
    /// model allows.
    pub(crate) fn is_computed(&self, test: &LitmusTest) -> Result<bool, Error> {
        let all_reads: u64 = self.candidate.all_reads().map(|read| 1 << read).sum();
        if let Err(line) = self.candidate.constraints_hold(self.reads, all_reads) {
            return Err(self.incomputable(test, line));
        }
        for read in self.candidate.all_reads() {
            if self.reads.known & (1 << read) == 0 {
                if let ReadSource::Write(write) = self.sources[read] {
                    self.written(test, write)?;
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The final state; `None` if the test's filter leaves it out.
    fn state(&self, test: &LitmusTest) -> Result<Option<State>, Error> {
        let mut failed = None;
        let mut value = |observed| match self.value(test, observed) {
            Ok(value) => value.unwrap_or(Value::ZERO),
            Err(error) => {
                failed = Some(error);
                Value::ZERO
            }
        };
        let values: Vec<Value> = test.observed.iter().map(|one| value(*one)).collect();
        if let Some(error) = failed {
            return Err(error);
        }
        let value = |observed| self.value(test, observed).ok().flatten().unwrap_or(Value::ZERO);
        if test.filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
            return Ok(None);
        }
        let holds = test.condition.proposition.holds(&value);
        Ok(Some(State { values, executions: 0, holds }))
    }
}
