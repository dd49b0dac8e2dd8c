//! Takes a history apart into rows, as tables store it, and restores it from them.
//!
//! [`History::row`] returns an operation as a [`Row`] and [`History::frame`] everything else as a [`Frame`];
//! [`History::restore`] and [`Restorer`] build the history from them. [`crate::HistoryBuilder`] alone does not suffice:
//! it assumes sizes and splits accesses, while a table holds the result of both, which must be restored unchanged.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::annotation::Annotation;
use crate::builder::{Access, AssumedSize, BuildError, HistoryBuilder, Initial, Place};
use crate::dependency::DependencyKind;
use crate::history::{Final, History, Location};
use crate::initial::free_sources;
use crate::kind::Kind;
use crate::layout::low_bytes;
use crate::operation::{NONE32, OpId};
use crate::provenance::{Provenance, Sizes};

/// One operation of a history with all its columns, with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the thread in the trace.
    pub thread: u32,
    /// Position in the thread's program order, from 0.
    pub index: u32,
    /// Kind of the operation.
    pub kind: Kind,
    /// Acquire or release annotation; a fence has none.
    pub annotation: Annotation,
    /// Location; `None` for a fence.
    pub location: Option<Location>,
    /// Value read, if the kind reads and the trace shows it.
    pub read: Option<u64>,
    /// Value written, if the kind writes and the trace shows it.
    pub written: Option<u64>,
    /// Tick at which the operation was issued.
    pub issued: Option<u64>,
    /// Tick at which the operation completed.
    pub completed: Option<u64>,
    /// Trace line that shows the operation, from 1.
    pub line: Option<u64>,
    /// Rank in the order of completions.
    pub order: Option<u32>,
    /// Whether the operation is a further part of the access before it.
    pub continues: bool,
    /// Thread and index of the write that the operation reads from, where it is known (see [`History::fixed_source`]).
    pub source: Option<(u32, u32)>,
    /// The dependencies of the operation: the part that depends, and the index of the earlier operation of its thread.
    pub dependencies: Vec<(DependencyKind, u32)>,
}

impl Row {
    /// The operation in the form that [`HistoryBuilder::push`] takes.
    pub fn access(&self) -> Access {
        let place = self.location.map_or(Place::Nowhere, Place::from);
        Access {
            sequence: u64::from(self.index),
            annotation: self.annotation,
            read: self.read,
            written: self.written,
            issued: self.issued,
            completed: self.completed,
            line: self.line,
            order: self.order.map(u64::from),
            continues: self.continues,
            ..Access::new(self.thread, self.kind, place)
        }
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Place {
        let address = location.address;
        match location.size {
            None => Place::Cell(address),
            Some(size) => Place::Bytes { address, size },
        }
    }
}

/// Everything that a history has besides its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Name of the test, where the input gives one.
    pub name: Option<String>,
    /// Where the history came from.
    pub provenance: Provenance,
    /// Locations and their initial values, `None` for unknown. A location that an operation or a final
    /// value touches may be left out if it starts at 0.
    pub initial: Vec<(Location, Option<u64>)>,
    /// Final values, with the trace line that states each.
    pub finals: Vec<(Location, u64, Option<u64>)>,
}

impl Frame {
    /// Returns what a history from there has before anything else of it is known.
    pub fn of(provenance: Provenance) -> Frame {
        Frame { name: None, provenance, initial: Vec::new(), finals: Vec::new() }
    }
}

/// Why a history could not be restored from rows.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RestoreError {
    /// A row contradicts itself or the rows before it.
    #[error("operation {index} of thread {thread}: {problem}")]
    Row {
        /// Thread of the row.
        thread: u32,
        /// Index of the row.
        index: u32,
        /// Description of the contradiction, and of what was expected.
        problem: String,
    },
    /// A location contradicts the others.
    #[error("location {address:#x}: {problem}")]
    Location {
        /// The address of the location.
        address: u64,
        /// Description of the contradiction, and of what was expected.
        problem: String,
    },
    /// The rows are consistent, but no history can be built from them.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl History {
    /// The row of an operation.
    pub fn row(&self, op: OpId) -> Row {
        let operation = self.operation(op);
        let place = |op: OpId| (self.threads()[self.thread_of(op)].label, self.index_of(op));
        Row {
            thread: operation.thread,
            index: self.index_of(op),
            kind: operation.kind,
            annotation: operation.annotation,
            location: operation.location.map(|at| self.locations[at as usize]),
            read: operation.read,
            written: operation.written,
            issued: operation.issued,
            completed: operation.completed,
            line: operation.line,
            order: self.order(op),
            continues: operation.continues,
            source: self.fixed_source(op).map(place),
            dependencies: self
                .dependencies(op)
                .iter()
                .map(|it| (it.kind, self.index_of(it.on)))
                .collect(),
        }
    }

    /// Everything besides the operations. Locations are left out as [`Frame::initial`] allows.
    pub fn frame(&self) -> Frame {
        let mut touched = vec![false; self.locations.len()];
        for location in self.ops().filter_map(|op| self.location(op)) {
            touched[location as usize] = true;
        }
        for last in &self.finals {
            touched[last.location as usize] = true;
        }
        let place = |last: &Final| self.locations[last.location as usize];
        Frame {
            name: self.name.clone(),
            provenance: self.provenance.clone(),
            initial: self
                .locations
                .iter()
                .zip(&self.initial)
                .zip(&touched)
                .filter(|&((_, &value), &touched)| value != Some(0) || !touched)
                .map(|((&location, &value), _)| (location, value))
                .collect(),
            finals: self.finals.iter().map(|last| (place(last), last.value, last.line)).collect(),
        }
    }

    /// Restores a history from its frame and its rows, the rows of a thread in program order. Accesses
    /// of different sizes that still overlap are split.
    ///
    /// With `initial`, initial values are set or inferred by that rule; without, they are those of the frame.
    ///
    /// # Errors
    /// Returns [`RestoreError::Row`] or [`RestoreError::Location`] for rows or locations that contradict
    /// themselves or each other, and [`RestoreError::Build`] if no history can be built from them.
    pub fn restore(
        frame: Frame,
        rows: impl IntoIterator<Item = Row>,
        initial: Option<&Initial>,
    ) -> Result<History, RestoreError> {
        let mut restorer = Restorer::default();
        for row in rows {
            restorer.push(&row)?;
        }
        restorer.finish(frame, initial)
    }
}

/// Thread and index of an operation.
type Position = (u32, u32);

/// The operations of a thread that were added.
#[derive(Debug, Default)]
struct Added {
    /// Their ranks in the order of completions, which may have ties.
    order: Vec<u32>,
    /// Their numbers among all operations that were added.
    numbers: Vec<u32>,
}

/// Restores a history from rows that come one by one; see [`History::restore`].
#[derive(Debug, Default)]
pub struct Restorer {
    builder: HistoryBuilder,
    /// By label, what was added to each thread.
    threads: BTreeMap<u32, Added>,
    /// The label of the last operation's thread and what was added to that thread, which is then not in `threads`. The next
    /// operation is most often of the same thread.
    current: Option<(u32, Added)>,
    /// Positions of reads, with the positions of their fixed sources.
    sources: Vec<(Position, Position)>,
    /// Whether the locations are cells without a size; `None` before the first location.
    cells: Option<bool>,
}

impl Restorer {
    /// Whether no operation was added yet.
    pub fn is_empty(&self) -> bool {
        self.builder.is_empty()
    }

    /// The index of the operation of a thread that must be added next.
    pub fn next_index(&mut self, thread: u32) -> u32 {
        self.thread(thread).order.len() as u32
    }

    /// Adds an operation. The operations of a thread must come in program order.
    ///
    /// # Errors
    /// Returns [`RestoreError::Row`] or [`RestoreError::Location`] if the row contradicts itself or the
    /// rows before it.
    pub fn push(&mut self, row: &Row) -> Result<(), RestoreError> {
        let wrong =
            |problem: String| RestoreError::Row { thread: row.thread, index: row.index, problem };
        check_row(row).map_err(|problem| wrong(problem.to_owned()))?;
        let expected = self.next_index(row.thread);
        if row.index != expected {
            return Err(wrong(format!(
                "index {expected} was expected here: the operations of a thread must be in program order \
                 and numbered from 0"
            )));
        }
        if row.continues && row.index == 0 {
            return Err(wrong(
                "it continues an access, but it is the first of its thread".to_owned(),
            ));
        }
        if let Some(location) = row.location {
            self.place(location)?;
        }
        if let Some(source) = row.source {
            self.sources.push(((row.thread, row.index), source));
        }
        let number = self.builder.len() as u32;
        self.builder.push(row.access());
        let thread = self.thread(row.thread);
        thread.order.push(row.order.unwrap_or(NONE32));
        thread.numbers.push(number);
        for &(kind, on) in &row.dependencies {
            let numbers = &self.thread(row.thread).numbers;
            let is_own = on == row.index && kind.may_be_own(row.kind);
            let known = numbers.get(on as usize).filter(|_| on < row.index || is_own);
            let number = known.ok_or_else(|| {
                wrong(format!("it depends on operation {on}, but an earlier one was expected"))
            })?;
            let number = *number as usize;
            self.builder.depend(kind, number);
        }
        Ok(())
    }

    /// What was added to a thread.
    fn thread(&mut self, label: u32) -> &mut Added {
        if self.current.as_ref().is_none_or(|(current, _)| *current != label) {
            self.put_current_back();
            self.current = Some((label, self.threads.remove(&label).unwrap_or_default()));
        }
        &mut self.current.as_mut().expect("it was set").1
    }

    /// Moves the current thread to the others.
    fn put_current_back(&mut self) {
        self.threads.extend(self.current.take());
    }

    /// Checks a location and converts it to a place. Cells and bytes must not mix.
    fn place(&mut self, location: Location) -> Result<Place, RestoreError> {
        let wrong = |problem: &str| RestoreError::Location {
            address: location.address,
            problem: problem.to_owned(),
        };
        if *self.cells.get_or_insert(location.size.is_none()) != location.size.is_none() {
            return Err(wrong(
                "some locations have a size and others none: give all of them one, or none",
            ));
        }
        let size = location.size.unwrap_or(1);
        if !(1..=8).contains(&size) {
            return Err(wrong("a size of 1 to 8 bytes was expected"));
        }
        if location.address.checked_add(u64::from(size) - 1).is_none() {
            return Err(wrong("it ends beyond the 64-bit address space"));
        }
        Ok(location.into())
    }

    /// Returns the history. With `initial`, initial values are set or inferred by that rule; without, they are those of
    /// the frame.
    ///
    /// # Errors
    /// As [`History::restore`], for a frame that contradicts itself or the rows.
    pub fn finish(
        mut self,
        frame: Frame,
        initial: Option<&Initial>,
    ) -> Result<History, RestoreError> {
        for &(location, value) in &frame.initial {
            let place = self.place(location)?;
            check_width(location, value.unwrap_or(0))?;
            self.builder.mention(place);
        }
        for &(location, value, line) in &frame.finals {
            let place = self.place(location)?;
            check_width(location, value)?;
            self.builder.final_value_of(place, value, line);
        }
        let stated = frame.provenance.sizes;
        let mode = frame.provenance.initial;
        let rows = self.builder.len();
        self.put_current_back();
        let mut history = self.builder.finish(
            AssumedSize::default(),
            initial.unwrap_or(&Initial::Zero),
            frame.provenance,
        )?;
        history.name = frame.name;
        let cells = history.provenance.sizes == Sizes::Cells;
        if self.cells.is_none() || cells == (stated == Sizes::Cells) {
            history.provenance.sizes = stated;
        }
        if initial.is_none() {
            history.provenance.initial = mode;
            set_initial(&mut history, &frame.initial)?;
            free_sources(&mut history);
        }
        // If accesses were split, the operations have new numbers and the builder has fixed sources.
        if history.len() == rows {
            let orders = self.threads.into_values().map(|thread| thread.order);
            history.order = orders.flatten().collect();
            fix_sources(&mut history, &self.sources)?;
            if initial.is_some() {
                // The sources were stated for other initial values.
                free_sources(&mut history);
            }
        }
        Ok(history)
    }
}

/// Checks that the columns of a row fit its kind and location.
fn check_row(row: &Row) -> Result<(), &'static str> {
    match (row.kind.is_fence(), row.location) {
        (true, Some(_)) => return Err("a fence has no location"),
        (false, None) => return Err("a location was expected"),
        _ => {}
    }
    if row.kind.is_fence() && !row.annotation.is_none() {
        return Err("a fence has no acquire or release annotation");
    }
    if row.read.is_some() && !row.kind.reads() {
        return Err("it has a value read, but its kind does not read");
    }
    if row.written.is_some() && !row.kind.writes() {
        return Err("it has a value written, but its kind does not write");
    }
    let size = row.location.and_then(|location| location.size);
    if let Some(size @ 1..=7) = size {
        let is_wide = |value: Option<u64>| value.is_some_and(|value| value > low_bytes(size));
        if is_wide(row.read) || is_wide(row.written) {
            return Err("its value has more bytes than its location");
        }
    }
    Ok(())
}

/// Checks that an initial or final value fits its location.
fn check_width(location: Location, value: u64) -> Result<(), RestoreError> {
    if value <= low_bytes(location.size.unwrap_or(8)) {
        return Ok(());
    }
    let problem = format!("the value {value:#x} has more bytes than it, expected one that fits");
    Err(RestoreError::Location { address: location.address, problem })
}

fn set_initial(
    history: &mut History,
    stated: &[(Location, Option<u64>)],
) -> Result<(), RestoreError> {
    let mut known = FxHashMap::default();
    for &(location, value) in stated {
        if known.insert(location, value).is_some_and(|earlier| earlier != value) {
            return Err(RestoreError::Location {
                address: location.address,
                problem: "two initial values are stated for it, expected one".to_owned(),
            });
        }
        match history.locations.binary_search(&location) {
            Ok(at) => history.initial[at] = value,
            Err(_) => {
                return Err(RestoreError::Location {
                    address: location.address,
                    problem: "its initial value is stated for a size that operations there do not \
                              have"
                        .to_owned(),
                });
            }
        }
    }
    Ok(())
}

fn fix_sources(
    history: &mut History,
    sources: &[(Position, Position)],
) -> Result<(), RestoreError> {
    for &((thread, index), source) in sources {
        let wrong =
            |problem: &str| RestoreError::Row { thread, index, problem: problem.to_owned() };
        let (Some(read), Some(write)) =
            (history.find(thread, index), history.find(source.0, source.1))
        else {
            return Err(wrong("the write it is said to read does not exist"));
        };
        let matches = history.location(read) == history.location(write)
            && history.read(read).is_some()
            && history.read(read) == history.written(write);
        if !matches {
            return Err(wrong("it does not read what the write it is said to read wrote"));
        }
        history.fixed_sources.insert(read.0, write.0);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
