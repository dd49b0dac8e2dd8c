//! Makes histories from the executions of a test that end in a given state ([`histories`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use history::{BuildError, History, HistoryBuilder, Initial, Provenance};
use host::Bounds;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::execute::{End, Unfolding};
use crate::operations;
use crate::order::bits;
use crate::outcomes::for_each_candidate;
use crate::parts::{Piece, Place};
use crate::search::{Execution, runs};
use crate::test::{LitmusTest, Observed, Proposition};
use crate::value::{CodeAddress, Value};

/// Largest number of histories that are returned.
const MOST: usize = 1000;

/// The histories of a test in which a proposition holds at the end, whether a memory model allows them or not. They
/// have the operations of each thread with their values and dependencies, and the final values of the locations that
/// the proposition mentions. Locations begin at `0x1000`, each at a multiple of 64 of its own. Each branch is followed backwards at
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
    histories_within(test, proposition, unroll, &Bounds::none())
}

/// The same as [`histories`], within limits of time and memory.
///
/// # Errors
/// Returns the errors of [`histories`], and [`Error::Stopped`] if a limit is met.
pub fn histories_within(
    test: &LitmusTest,
    proposition: &Proposition,
    unroll: usize,
    bounds: &Bounds,
) -> Result<Vec<History>, Error> {
    let mut found = Found { test, proposition, histories: Vec::new(), digests: BTreeSet::new() };
    let options = Unfolding { unroll, splits_atomics: false };
    for_each_candidate(test, options, bounds, &mut |candidate| {
        if candidate.unfinished().is_some_and(|end| end != End::Program) {
            return Ok(true);
        }
        runs(test, candidate, bounds, &mut |execution| {
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
    ///
    /// # Errors
    /// Returns [`Error::Run`] for an instruction whose accesses are in no order: those of a history are.
    fn add(&mut self, run: &Execution<'_>) -> Result<(), Error> {
        let accesses = &run.candidate.accesses;
        if let Some(pair) = accesses.iter().find(|access| access.event.group.is_some()) {
            let what =
                "a history cannot state that the two accesses of an instruction are in no order";
            return Err(run.error(self.test, pair.event.line, what));
        }
        let mut mentioned = BTreeSet::new();
        self.proposition.for_each_observed(&mut |observed| {
            if let Observed::Location(location) | Observed::Element(location, _) = observed {
                mentioned.insert(location);
            }
        });
        let writes = run.candidate.writes_by_place();
        let is_mentioned = |place: &usize| {
            mentioned.contains(&run.candidate.places[*place].location) && writes[*place] != 0
        };
        let places: Vec<usize> = (0..writes.len()).filter(is_mentioned).collect();
        self.end(run, &places, &mut Vec::new())
    }

    /// Tries all final values of `places`, by their numbers, and adds a history for each combination in which the
    /// proposition holds. `known` has the values that are already chosen.
    fn end(
        &mut self,
        run: &Execution<'_>,
        places: &[usize],
        known: &mut Vec<(Place, Piece)>,
    ) -> Result<(), Error> {
        let Some((&place, rest)) = places.split_first() else {
            return if self.holds(run, known)? { self.keep(run, known) } else { Ok(()) };
        };
        let mut ends = Vec::new();
        for write in bits(run.candidate.writes_by_place()[place]) {
            let value = run.written_part(self.test, write)?;
            ends.extend(value.filter(|value| !ends.contains(value)));
        }
        for value in ends {
            known.push((run.candidate.places[place], value));
            self.end(run, rest, known)?;
            known.pop();
        }
        Ok(())
    }

    /// Whether the proposition holds at the end of a run with these final values of the places that are written.
    fn holds(&self, run: &Execution<'_>, last: &[(Place, Piece)]) -> Result<bool, Error> {
        let mut values: FxHashMap<Observed, Value> = FxHashMap::default();
        let mut parts = Vec::new();
        self.proposition.for_each_observed(&mut |one| parts.extend(self.test.parts(one)));
        for part in parts {
            values.insert(part, run.value(self.test, part, last)?);
        }
        let value = |observed: Observed| values.get(&observed).copied().unwrap_or(Value::ZERO);
        Ok(self.proposition.holds(self.test, &value))
    }

    fn keep(&mut self, run: &Execution<'_>, known: &[(Place, Piece)]) -> Result<(), Error> {
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
        known: &[(Place, Piece)],
    ) -> Result<History, BuildError> {
        let (test, candidate) = (self.test, run.candidate);
        let addresses = operations::addresses(test);
        let address =
            |place: &Place| addresses[usize::from(place.location.0)] + u64::from(place.offset);
        let number = |value, bits| number(value, bits, &addresses);
        let mut builder = HistoryBuilder::new();
        let values = |access: usize| {
            let width = candidate.accesses[access].event.width.bits;
            let read = candidate.read(access, run.reads).map(|value| number(value, width));
            let written = candidate.written_by(access, run.reads).and_then(Result::ok);
            (read, written.map(|value| number(value, width)))
        };
        operations::add(&candidate.accesses, &addresses, &mut builder, &values);
        // A history takes a final value for that of the widest access at its address.
        let accessed = |place: &Place| {
            let all = candidate.accesses.iter().filter_map(Place::of);
            let begins = |it: &Place| it.location == place.location && it.offset == place.offset;
            all.filter(begins).max_by_key(|it| it.bytes).unwrap_or(*place)
        };
        for place in known.iter().map(|(place, _)| accessed(place)) {
            if let Some(value) = test.at_the_end(&place, known) {
                builder.final_value(address(&place), number(value, (place.bytes * 8) as u8), None);
            }
        }
        let initial: HashMap<u64, u64> = candidate
            .places
            .iter()
            .filter_map(|place| {
                let bits = (place.bytes * 8) as u8;
                let value = match test.initial(place) {
                    Piece::Whole(value) => number(value, bits),
                    Piece::OfAddress(value, shift) => {
                        number(value, 64).checked_shr(8 * u32::from(shift))?
                            & history::low_bytes(bits / 8)
                    }
                };
                Some((address(place), value))
            })
            .collect();
        let names = test.locations.iter().zip(&addresses);
        let names: BTreeMap<u64, String> = names.map(|(name, at)| (*at, name.clone())).collect();
        let places: Vec<String> =
            names.iter().map(|(address, name)| format!("{name} is at {address:#x}")).collect();
        let notes = vec![places.join(", ")];
        let isa = Some(test.architecture.isa());
        let provenance = Provenance { notes, isa, names, ..Provenance::made() };
        let initial = Initial::Given(initial);
        let mut history = builder.finish(Default::default(), &initial, provenance)?;
        history.name = Some(test.name.clone());
        Ok(history)
    }
}

/// The address of the first thread's program, after all locations. The programs are 64 KiB apart.
const CODE_ADDRESS: u64 = 0x1000_0000;

/// The number that stands for the first instruction as a value.
const INSTRUCTION: u64 = 0xd503_0000;

/// Converts a value to a number of a history: unsigned, with `bits` bits.
fn number(value: Value, bits: u8, addresses: &[u64]) -> u64 {
    let number = match value {
        Value::Number(number) => number as u64,
        Value::Address(location, offset) => {
            addresses[usize::from(location.0)].wrapping_add_signed(offset)
        }
        Value::Code(CodeAddress { thread, step }) => {
            CODE_ADDRESS + (u64::from(thread) << 16) + 4 * u64::from(step)
        }
        Value::Instruction(text) => INSTRUCTION + u64::from(text),
    };
    number & history::low_bytes(bits / 8)
}
