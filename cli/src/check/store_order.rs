//! The order of the writes of each location, as the user gives it: lines `ADDRESS: VALUE VALUE …`.

use std::collections::HashMap;
use std::path::Path;

use history::{History, OpId};
use host::inputs::{self, LARGEST_TEXT_BYTES};

use crate::error::Error;
use crate::number;
use lab::load::Input;

/// A file of store orders.
#[derive(Debug)]
pub(crate) struct StoreOrder {
    file: String,
    lines: usize,
    entries: Vec<Entry>,
}

/// A value of a line, with the address of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    line: usize,
    address: u64,
    value: u64,
}

impl StoreOrder {
    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or one of its lines cannot be parsed.
    pub(crate) fn read(path: &Path) -> Result<StoreOrder, Error> {
        let file = path.display().to_string();
        match inputs::read(path, LARGEST_TEXT_BYTES) {
            Ok(bytes) => StoreOrder::parse(&file, &String::from_utf8_lossy(&bytes)),
            Err(error) => Err(Error::File { file, error }),
        }
    }

    fn parse(file: &str, text: &str) -> Result<StoreOrder, Error> {
        let mut order =
            StoreOrder { file: file.to_owned(), lines: text.lines().count(), entries: Vec::new() };
        for (line, content) in (1..).zip(text.lines()) {
            let parsed = parse_line(content).map_err(|what| order.wrong(line, what))?;
            let Some((address, values)) = parsed else {
                continue;
            };
            order.entries.extend(values.into_iter().map(|value| Entry { line, address, value }));
        }
        Ok(order)
    }

    /// The order of the writes of the one history of an input.
    ///
    /// # Errors
    /// Returns an error if there are several histories, or if not every write of a location that several threads use is named
    /// exactly once.
    pub(crate) fn of(&self, input: &Input) -> Result<Vec<OpId>, Error> {
        match input.histories.as_slice() {
            [history] => self.resolve(history),
            histories => Err(Error::Usage(format!(
                "--store-order is about one history, but {} has {}",
                input.file,
                histories.len()
            ))),
        }
    }

    fn resolve(&self, history: &History) -> Result<Vec<OpId>, Error> {
        let mut writes = Writes::of(history);
        let mut order = Vec::with_capacity(self.entries.len());
        for &entry in &self.entries {
            let write = writes.take(history, entry);
            order.push(write.map_err(|what| self.wrong(entry.line, what))?);
        }
        match writes.first_missing(history) {
            Some(write) => Err(self.wrong(
                self.lines.max(1),
                format!(
                    "{} is missing: every write of a location that several threads use was expected \
                     exactly once",
                    named(history, write)
                ),
            )),
            None => Ok(order),
        }
    }

    fn wrong(&self, line: usize, what: String) -> Error {
        Error::Line { file: self.file.clone(), line, what }
    }
}

/// The writes of a history, by address and value.
struct Writes {
    /// Whether several threads use each location.
    shared: Vec<bool>,
    locations: HashMap<u64, u32>,
    values: HashMap<(u32, u64), Named>,
}

/// A write, and another write of the same value to the same location, if there is one.
struct Named {
    write: OpId,
    again: Option<OpId>,
    /// The line of the file that names the write.
    line: Option<usize>,
}

impl Writes {
    fn of(history: &History) -> Writes {
        let places = history.locations().iter().zip(0..);
        let mut writes = Writes {
            shared: vec![false; history.locations().len()],
            locations: places.map(|(place, at)| (place.address, at)).collect(),
            values: HashMap::new(),
        };
        let mut user = vec![None; history.locations().len()];
        for thread in 0..history.threads().len() {
            for op in history.thread_ops(thread) {
                let Some(location) = history.location(op) else {
                    continue;
                };
                let first = *user[location as usize].get_or_insert(thread);
                writes.shared[location as usize] |= first != thread;
                if let Some(value) = history.written(op) {
                    let named = Named { write: op, again: None, line: None };
                    let known = writes.values.entry((location, value));
                    known.and_modify(|known| known.again = Some(op)).or_insert(named);
                }
            }
        }
        writes
    }

    /// Returns the write that an entry names, and notes that it is named. The error says that there is no such write, that its
    /// value is written twice, or that an earlier entry names it.
    fn take(&mut self, history: &History, entry: Entry) -> Result<OpId, String> {
        let Entry { line, address, value } = entry;
        let location = self.locations.get(&address).ok_or_else(|| {
            format!(
                "nothing accesses address {address:#x} ({address}): the address of a location of \
                 the history was expected"
            )
        })?;
        let named = self.values.get_mut(&(*location, value)).ok_or_else(|| {
            format!(
                "no operation writes {value:#x} ({value}) to {}: values that are written there were \
                 expected",
                history.locations()[*location as usize]
            )
        })?;
        if let Some(again) = named.again {
            return Err(format!(
                "{value:#x} ({value}) is written twice, by {} and {}: values that are written once \
                 were expected",
                self::named(history, named.write),
                self::named(history, again)
            ));
        }
        match named.line.replace(line) {
            Some(first) => Err(format!(
                "{} is named again, first at line {first}: every write was expected once",
                self::named(history, named.write)
            )),
            None => Ok(named.write),
        }
    }

    /// The first write of a shared location that no line names.
    fn first_missing(&self, history: &History) -> Option<OpId> {
        history.ops().find(|&op| {
            let Some(location) = history.location(op) else {
                return false;
            };
            let is_named = history
                .written(op)
                .and_then(|value| self.values.get(&(location, value)))
                .is_some_and(|named| named.line.is_some());
            history.kind(op).writes() && self.shared[location as usize] && !is_named
        })
    }
}

/// An operation with its thread and its line of the trace, in words.
fn named(history: &History, op: OpId) -> String {
    let operation = history.operation(op);
    let line = operation.line.map_or(String::new(), |line| format!(", line {line} of the trace"));
    let thread = operation.thread;
    format!("{} (thread {thread}{line})", history.describe(op))
}

/// Parses a line into an address and its values; `None` if it is empty or a comment.
fn parse_line(line: &str) -> Result<Option<(u64, Vec<u64>)>, String> {
    let content = line.split('#').next().unwrap_or("").trim();
    if content.is_empty() {
        return Ok(None);
    }
    let parsed = content.split_once(':').and_then(|(address, values)| {
        let values: Option<Vec<u64>> = values.split_whitespace().map(number::parse).collect();
        Some((number::parse(address.trim())?, values?))
    });
    parsed.map(Some).ok_or_else(|| {
        format!(
            "found `{content}`, expected `ADDRESS: VALUE VALUE …` in store order, all hexadecimal \
             (0x1000) or decimal"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use history::{Access, HistoryBuilder, Initial, Kind, Place, Provenance};

    /// A history in which two threads write cell 7, and only one of them writes cell 8.
    fn history() -> History {
        let mut builder = HistoryBuilder::new();
        for (thread, cell, value) in [(0, 7, 1), (0, 7, 2), (1, 7, 3), (1, 8, 1)] {
            builder.push(Access {
                written: Some(value),
                ..Access::new(thread, Kind::Store, Place::Cell(cell))
            });
        }
        builder.finish(Default::default(), &Initial::Zero, Provenance::made()).unwrap()
    }

    fn resolve(text: &str) -> Result<Vec<u32>, String> {
        let order = StoreOrder::parse("f", text).and_then(|order| order.resolve(&history()));
        match order {
            Ok(order) => Ok(order.into_iter().map(|op| op.0).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn lines_hold_an_address_and_values() {
        assert_eq!(parse_line("0x10: 1 0x2 # why"), Ok(Some((16, vec![1, 2]))));
        assert_eq!(parse_line(" 7 :3"), Ok(Some((7, vec![3]))));
        assert_eq!(parse_line("7:"), Ok(Some((7, vec![]))));
        assert_eq!(parse_line("# nothing"), Ok(None));
        for bad in ["7 1 2", "x: 1", "7: 1,2", "7: -1", ": 1"] {
            assert!(parse_line(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_write_of_a_shared_location_is_named_once() {
        assert_eq!(resolve("7: 1 3\n# more\n7: 0x2\n"), Ok(vec![0, 2, 1]));
        assert_eq!(resolve("8: 1\n7: 3 1 2"), Ok(vec![3, 2, 0, 1]));
    }

    #[test]
    fn errors_name_file_and_line_and_what_was_expected() {
        for (text, start, part) in [
            ("7: 1 3\n", "f:1: ", "store M[7] := 2 (thread 0) is missing"),
            ("", "f:1: ", "is missing"),
            ("7: 1\n7: 2 1 3", "f:2: ", "first at line 1"),
            ("7: 1 2 3\n9: 1", "f:2: ", "nothing accesses address 0x9"),
            ("7: 1 2 3 4", "f:1: ", "no operation writes 0x4 (4) to M[7]"),
            ("\n7 1 2 3", "f:2: ", "expected `ADDRESS: VALUE VALUE …`"),
        ] {
            let error = resolve(text).unwrap_err();
            assert!(error.starts_with(start) && error.contains(part), "{error}");
        }
    }
}
