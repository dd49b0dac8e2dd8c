//! Computes all final states of a test that a model allows: [`outcomes`] returns [`Outcomes`], a list of [`State`]s.

use host::Bounds;
use memory::Model;
use rustc_hash::FxHashMap;

use crate::candidate::{Candidate, ReadSource};
use crate::error::Error;
use crate::execute::{End, Path, Unfolded, Unfolding, unfold};
use crate::expression::Incomputable;
use crate::order::{MOST_EVENTS, bits};
use crate::parts::{Piece, Place};
use crate::search::{Execution, executions};
use crate::test::{LitmusTest, Observed, Quantifier, ThreadLanes, ThreadRegister};
use crate::types::ScalarType;
use crate::value::Value;

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
    /// The values of [`LitmusTest::observed`]: one of each, but several of an array.
    pub values: Vec<Vec<Value>>,
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

    /// Whether the answer of [`Outcomes::satisfies`] stands however often loops are followed: no state can be missing, or
    /// there is one that decides.
    pub fn is_certain(&self, quantifier: Quantifier) -> bool {
        let decides = match quantifier {
            Quantifier::Exists | Quantifier::NotExists => {
                self.states.iter().any(|state| state.holds)
            }
            Quantifier::ForAll => self.states.iter().any(|state| !state.holds),
        };
        self.loop_limit.is_none() || decides
    }

    /// Whether there is no answer, because the limit of loops stopped every run.
    pub fn is_open(&self) -> bool {
        self.states.is_empty() && self.loop_limit.is_some()
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
/// of a location or an access elsewhere, and [`Error::TooLarge`] for a test with too many events or paths.
pub fn outcomes(test: &LitmusTest, model: Model, unroll: usize) -> Result<Outcomes, Error> {
    outcomes_within(test, model, unroll, &Bounds::none())
}

/// The same as [`outcomes`], within limits of time and memory.
///
/// # Errors
/// Returns the errors of [`outcomes`], and [`Error::Stopped`] if a limit is met.
pub fn outcomes_within(
    test: &LitmusTest,
    model: Model,
    unroll: usize,
    bounds: &Bounds,
) -> Result<Outcomes, Error> {
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
        if !execution.is_computed(test)? {
            return Ok(true);
        }
        let Some(state) = execution.state(test)? else {
            return Ok(true);
        };
        let counted = found.entry(test.as_shown(&state)).or_insert(state);
        counted.executions += 1;
        Ok(true)
    };
    let options = Unfolding { unroll, splits_atomics: model.splits_atomics() };
    for_each_candidate(test, options, bounds, &mut |candidate| {
        executions(test, candidate, model, bounds, &mut see)
    })?;
    let mut states: Vec<State> = found.into_values().collect();
    states.sort_by(|first, second| {
        let pairs = first.values.iter().flatten().zip(second.values.iter().flatten());
        let orders = pairs.map(|(first, second)| test.order_values(*first, *second));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    Ok(Outcomes { states, loop_limit })
}

/// Calls `see` for each candidate, a path of each thread, until it returns false.
///
/// # Errors
/// Returns the errors of `see` and of the unfolding, and [`Error::Stopped`] if a bound is met.
pub(crate) fn for_each_candidate(
    test: &LitmusTest,
    options: Unfolding,
    bounds: &Bounds,
    see: &mut dyn FnMut(&Candidate<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let threads: Vec<Unfolded> = (0..test.threads.len())
        .map(|thread| unfold(test, thread, options, bounds))
        .collect::<Result<_, _>>()?;
    let mut chosen = vec![0; threads.len()];
    loop {
        let paths: Vec<(&Unfolded, &Path)> =
            threads.iter().zip(&chosen).map(|(all, at)| (all, &all.paths[*at])).collect();
        let events: usize = paths.iter().map(|(_, path)| path.events.len()).sum();
        if events > MOST_EVENTS {
            return Err(too_many(test, events));
        }
        let candidate = Candidate::new(&paths).map_err(|events| too_many(test, events))?;
        let goes_on = see(&candidate)?;
        if bounds.passed() {
            return Err(Error::stopped(&test.file, bounds));
        }
        if !goes_on || !advance(&mut chosen, &threads) {
            return Ok(());
        }
    }
}

fn too_many(test: &LitmusTest, events: usize) -> Error {
    Error::TooLarge {
        file: test.file.clone(),
        what: format!("an execution has {events} accesses and fences, more than {MOST_EVENTS}"),
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

impl LitmusTest {
    /// The values of a state as their types have them. States that look the same are one.
    fn as_shown(&self, state: &State) -> Vec<Value> {
        let all = self.observed.iter().zip(&state.values);
        let shown = all.flat_map(|(observed, values)| {
            let scalar = self.scalar_type(*observed);
            values.iter().map(move |value| scalar.converted(*value))
        });
        shown.collect()
    }
}

impl Execution<'_> {
    pub(crate) fn error(&self, test: &LitmusTest, line: usize, what: &str) -> Error {
        Error::Run { file: test.file.clone(), line, what: what.to_owned() }
    }

    /// The value that an event writes; `None` if it depends on a read whose value is not known.
    pub(crate) fn written_part(
        &self,
        test: &LitmusTest,
        write: usize,
    ) -> Result<Option<Piece>, Error> {
        let found = self.candidate.written(write, self.reads).transpose();
        let line = self.candidate.events[write].event.line;
        found.map_err(|Incomputable| self.incomputable(test, line))
    }

    fn incomputable(&self, test: &LitmusTest, line: usize) -> Error {
        self.error(test, line, "the result depends on where a location lies in memory")
    }

    /// The last value of each place that is written.
    fn last(&self, test: &LitmusTest) -> Result<Vec<(Place, Piece)>, Error> {
        let mut last = Vec::new();
        for (place, writes) in self.candidate.places.iter().zip(self.candidate.writes_by_place()) {
            let is_last =
                |write: &usize| bits(writes).all(|other| !self.local.precedes(*write, other));
            if let Some(write) = bits(writes).find(is_last)
                && let Some(value) = self.written_part(test, write)?
            {
                last.push((*place, value));
            }
        }
        Ok(last)
    }

    /// The value of a register, of a location that is no array, or of an element, given the last value of each place.
    pub(crate) fn value(
        &self,
        test: &LitmusTest,
        observed: Observed,
        last: &[(Place, Piece)],
    ) -> Result<Value, Error> {
        match observed {
            Observed::Register(register) => match self.register(test, register)? {
                Value::Code(address) if test.label(address).is_none() => {
                    let name = test.show_observed(observed);
                    let what =
                        format!("{name} ends with the address of an instruction without a label");
                    Err(self.error(test, 1, &what))
                }
                value => Ok(value),
            },
            Observed::Lanes(lanes) => self.lane(test, &lanes, 0),
            Observed::Lane(lanes, at) => self.lane(test, &lanes, at),
            Observed::Location(location) | Observed::Element(location, _) => {
                let place = self.candidate.observed_place(test, observed, location);
                let value = test.at_the_end(&place, last);
                value.ok_or_else(|| self.incomputable(test, 1))
            }
        }
    }

    /// The last value of a lane of a vector register.
    fn lane(&self, test: &LitmusTest, lanes: &ThreadLanes, at: u8) -> Result<Value, Error> {
        let (half, below) = lanes.half(at);
        let lane = match self.register(test, half)? {
            Value::Number(number) => {
                let scalar = ScalarType { bits: lanes.bits, signed: true };
                scalar.converted(Value::Number(number >> below))
            }
            address if lanes.bits == 64 => address,
            _ => return Err(self.incomputable(test, 1)),
        };
        Ok(lane)
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
                    self.written_part(test, write)?;
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The final state; `None` if the test's filter leaves it out.
    fn state(&self, test: &LitmusTest) -> Result<Option<State>, Error> {
        let last = self.last(test)?;
        let values = |observed: &Observed| {
            let parts = test.parts(*observed).into_iter();
            parts.map(|part| self.value(test, part, &last)).collect::<Result<Vec<_>, _>>()
        };
        let values: Vec<Vec<Value>> = test.observed.iter().map(values).collect::<Result<_, _>>()?;
        let failed = std::cell::RefCell::new(None);
        let value = |observed| {
            let value = self.value(test, observed, &last);
            value.unwrap_or_else(|error| {
                failed.borrow_mut().get_or_insert(error);
                Value::ZERO
            })
        };
        let is_kept = test.filter.as_ref().is_none_or(|filter| filter.holds(test, &value));
        let holds = test.condition.proposition.holds(test, &value);
        match failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(is_kept.then_some(State { values, executions: 0, holds })),
        }
    }
}
