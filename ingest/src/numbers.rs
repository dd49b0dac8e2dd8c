//! [`Numbers`]: small numbers for the threads, locations and values of a history, for programs that cannot read large
//! ones.

use std::io::{self, Write};

use history::History;
use rustc_hash::FxHashMap;

/// The largest thread number, address and tick that the Axe checker reads: nine digits.
pub(crate) const LARGEST: u64 = 999_999_999;
/// The largest value that the Axe checker reads.
const LARGEST_VALUE: u64 = (1 << 23) - 1;

/// Numbers for the values of each location: 0 for the initial value, and 1, 2, … for the others.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    known: FxHashMap<(u32, u64), u64>,
    /// For each location, the values with the numbers 1, 2, …
    values: Vec<Vec<u64>>,
}

impl Numbers {
    /// Whether the Axe checker can read the numbers of a history as they are.
    pub(crate) fn are_small(history: &History) -> bool {
        let mut all = values(history);
        history.threads().iter().all(|it| u64::from(it.label) <= LARGEST)
            && history.locations().iter().all(|it| it.address <= LARGEST)
            && all.all(|(_, value)| value <= LARGEST_VALUE)
    }

    /// Numbers the values of a history in the order in which its operations have them first.
    pub(crate) fn of(history: &History) -> Numbers {
        let mut numbers =
            Numbers { values: vec![Vec::new(); history.locations().len()], ..Numbers::default() };
        for (location, value) in values(history) {
            let own = &mut numbers.values[location as usize];
            let is_initial = history.initial(location) == Some(value);
            numbers.known.entry((location, value)).or_insert_with(|| {
                if is_initial {
                    return 0;
                }
                own.push(value);
                own.len() as u64
            });
        }
        numbers
    }

    /// The number of a value that the history has.
    pub(crate) fn value(&self, location: u32, value: u64) -> u64 {
        self.known.get(&(location, value)).copied().unwrap_or(value)
    }

    /// Writes comments that say what the numbers stand for.
    pub(crate) fn explain(&self, history: &History, out: &mut dyn Write) -> io::Result<()> {
        for (number, thread) in history.threads().iter().enumerate() {
            if number as u32 != thread.label {
                writeln!(out, "# thread {number} is {}", thread.label)?;
            }
        }
        let locations = history.locations().iter().zip(&self.values);
        for (number, (location, written)) in locations.enumerate() {
            let initial = history.initial(number as u32).filter(|value| *value != 0);
            let values = initial.map(|value| (0, value)).into_iter();
            let values = values.chain((1..).zip(written.iter().copied()));
            let values = values.map(|(number, value)| format!("{number} is {value:#x}"));
            let values: Vec<String> = values.collect();
            let at = location.address;
            if values.is_empty() {
                writeln!(out, "# M[{number}] is {at:#x}")?
            } else {
                writeln!(out, "# M[{number}] is {at:#x}, where {}", values.join(", "))?
            }
        }
        Ok(())
    }
}

/// The values of a history, with their locations.
fn values(history: &History) -> impl Iterator<Item = (u32, u64)> {
    let of_ops = history.ops().flat_map(|op| {
        let values = [history.read(op), history.written(op)];
        let location = history.location(op);
        values.into_iter().flatten().filter_map(move |value| Some((location?, value)))
    });
    of_ops.chain(history.finals().iter().map(|last| (last.location, last.value)))
}
