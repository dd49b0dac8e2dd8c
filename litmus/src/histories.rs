//! Makes histories from the executions of a test that end in a given state ([`histories`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use history::{BuildError, History, HistoryBuilder, Initial, Provenance};
use rustc_hash::FxHashMap;

use crate::candidate::Candidate;
use crate::error::Error;
use crate::execute::{End, Unfolding};
use crate::operations::{self, DISTANCE, FIRST_ADDRESS};
use crate::order::bits;
use crate::outcomes::for_each_candidate;
use crate::search::{Execution, runs};
use crate::test::{LitmusTest, Observed, Proposition};
use crate::value::{CodeAddress, Location, Value};

/// Largest number of histories that are returned.
const MOST: usize = 1000;

/// The histories of a test in which a proposition holds at the end, whether a memory model allows them or not. They
/// have the operations of each thread with their values and dependencies, and the final values of the locations that
/// the proposition mentions. Location number `n` is at address `0x1000 + 64 n`. Each branch is followed backwards at
/// most `unroll` times.
///
/// # Errors
/// Returns [`Error::Run`] if an instruction does something that is not supported, and
/// [`Error::TooLarge`] for a test with too many events, paths, or histories.
pub fn histories(
    test: &LitmusTest,
    proposition: &Proposition,
    unroll: usize,
) -> Result<Vec<History>, Error> {
    let mut found = Found { test, proposition, histories: Vec::new(), digests: BTreeSet::new() };
    let options = Unfolding { unroll, splits_atomics: false };
    for_each_candidate(test, options, &mut |candidate| {
        if candidate.unfinished().is_some_and(|end| end != End::Program) {
            return Ok(true);
        }
        runs(test, candidate, &mut |execution| {
            if execution.is_computed(test)? {
                found.add(execution)?;
            }
            Ok(true)
        })
    })?;
    Ok(found.histories)
}

struct Found<'t> {
    test: &'t LitmusTest,
    proposition: &'t Proposition,
    histories: Vec<History>,
    digests: BTreeSet<String>,
}

impl Found<'_> {
    /// Adds the histories of an execution, one for each combination of final values of the locations that the
    /// proposition is about.
    fn add(&mut self, run: &Execution<'_>) -> Result<(), Error> {
        let mut known: FxHashMap<Observed, Value> = FxHashMap::default();
        let mut locations = BTreeSet::new();
        let mut registers = Vec::new();
        self.proposition.for_each_observed(&mut |observed| match observed {
            Observed::Register(register) => registers.push(register),
            Observed::Location(location) => {
                locations.insert(location);
            }
        });
        for register in registers {
            known.insert(Observed::Register(register), run.register(self.test, register)?);
        }
        let locations: Vec<Location> = locations.into_iter().collect();
        self.end(run, &locations, &mut known)
    }

    /// Tries all final values of `locations`, and adds a history for each combination in which the proposition holds.
    /// `known` has the values that are already chosen.
    fn end(
        &mut self,
        run: &Execution<'_>,
        locations: &[Location],
        known: &mut FxHashMap<Observed, Value>,
    ) -> Result<(), Error> {
        let Some((&location, rest)) = locations.split_first() else {
            let value = |observed: Observed| known.get(&observed).copied().unwrap_or(Value::ZERO);
            return if self.proposition.holds(&value) { self.keep(run, known) } else { Ok(()) };
        };
        let writes = run.candidate.writes_by_location(self.test.locations.len());
        let writes = writes[usize::from(location.0)];
        let mut ends = Vec::new();
        for write in bits(writes) {
            let value = run.written(self.test, write)?;
            ends.extend(value.filter(|value| !ends.contains(value)));
        }
        if writes == 0 {
            ends.push(self.test.memory[usize::from(location.0)]);
        }
        for value in ends {
            known.insert(Observed::Location(location), value);
            self.end(run, rest, known)?;
        }
        Ok(())
    }

    fn keep(
        &mut self,
        run: &Execution<'_>,
        known: &FxHashMap<Observed, Value>,
    ) -> Result<(), Error> {
        let history = self.history(run, known).map_err(|error| Error::TooLarge {
            file: self.test.file.clone(),
            what: error.to_string(),
        })?;
        if !self.digests.insert(history.digest()) {
            return Ok(());
        }
        if self.histories.len() == MOST {
            return Err(Error::TooLarge {
                file: self.test.file.clone(),
                what: format!("more than {MOST} histories end so"),
            });
        }
        self.histories.push(history);
        Ok(())
    }

    fn history(
        &self,
        run: &Execution<'_>,
        known: &FxHashMap<Observed, Value>,
    ) -> Result<History, BuildError> {
        let test = self.test;
        let mut builder = HistoryBuilder::new();
        let values = |event: usize| {
            let width = run.candidate.events[event].event.width.bits;
            let is_read = run.candidate.events[event].reads();
            let read = is_read.then(|| number(run.reads.values[event], width));
            let written = run.written(test, event).ok().flatten();
            (read, written.map(|value| number(value, width)))
        };
        operations::add(run.candidate, &mut builder, &values);
        for (observed, value) in known {
            if let Observed::Location(location) = observed {
                let width = width(run.candidate, *location);
                builder.final_value(address(*location), number(*value, width), None);
            }
        }
        let initial: HashMap<u64, u64> = (0..test.memory.len())
            .map(|at| {
                let location = Location(at as u16);
                (address(location), number(test.memory[at], width(run.candidate, location)))
            })
            .collect();
        let locations = test.locations.iter().enumerate();
        let names: BTreeMap<u64, String> =
            locations.map(|(at, name)| (address(Location(at as u16)), name.clone())).collect();
        let places: Vec<String> =
            names.iter().map(|(address, name)| format!("{name} is at {address:#x}")).collect();
        let notes = vec![places.join(", ")];
        let isa = Some(test.architecture.isa());
        let provenance = Provenance { notes, isa, names, ..Provenance::default() };
        let initial = Initial::Given(initial);
        let mut history = builder.finish(Default::default(), &initial, provenance)?;
        history.name = Some(test.name.clone());
        Ok(history)
    }
}

/// The address of the first thread's program, behind all locations. The programs are 64 KiB apart.
const CODE_ADDRESS: u64 = 0x1000_0000;

/// The address of a location in histories.
fn address(location: Location) -> u64 {
    FIRST_ADDRESS + DISTANCE * u64::from(location.0)
}

/// The size of the accesses to a location, in bits.
fn width(candidate: &Candidate<'_>, location: Location) -> u8 {
    let mut events = candidate.events.iter().map(|event| &event.event);
    events.find(|event| event.location == Some(location)).map_or(64, |event| event.width.bits)
}

/// Converts a value to a number of a history: unsigned, with `bits` bits.
fn number(value: Value, bits: u8) -> u64 {
    let number = match value {
        Value::Number(number) => number as u64,
        Value::Address(location, offset) => address(location).wrapping_add_signed(offset),
        Value::Code(CodeAddress { thread, step }) => {
            CODE_ADDRESS + (u64::from(thread) << 16) + 4 * u64::from(step)
        }
    };
    number & history::low_bytes(bits / 8)
}
