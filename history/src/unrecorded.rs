//! Initial values of histories that may lack writes, such as those from before the trace starts.
//!
//! [`infer`] infers the initial values, and [`forget_assumed`] makes those unknown that rest on an assumption.

use rustc_hash::FxHashMap;
use settings::Setting;

use crate::history::History;
use crate::operation::{OpId, OperationFlags};

/// By location and value, the number of writes and the position of the first in the trace.
type Written = FxHashMap<(u32, u64), (u32, u64)>;

/// The first operations and the unwritten values of a location. A position is that of an operation in the trace.
#[derive(Clone, Copy, Default)]
struct LocationSummary {
    /// Position of the first operation, and the value that it reads.
    first: Option<(u64, Option<u64>)>,
    /// Position of the first write.
    first_write: Option<u64>,
    /// A value that is read but never written, and the position of its first read.
    unwritten: Option<(u64, u64)>,
    /// Whether several different values are read but never written.
    several_unwritten: bool,
}

/// Infers the initial values of a history that may lack writes.
///
/// - If one value is read at a location and never written, it is the initial value if it is 0, or if a
///   read of it comes before every other operation of the location. Otherwise a kernel or a device may
///   have written it later.
/// - If every value read is also written, the initial value is assumed to be the one that the first
///   operation of the location reads. A note says so.
/// - Otherwise the initial value is unknown. It may be 0, a value that is written several times, or one
///   that is read before every write of the location. The reads that may have returned it get an
///   unknown value ([`possible_initial_reads`]).
pub(crate) fn infer(history: &mut History) -> Vec<Option<u64>> {
    let mut written = Written::default();
    for op in history.ops() {
        if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
            let when = history.trace_position(op);
            let (count, first) = written.entry((location, value)).or_insert((0, when));
            *count += 1;
            *first = when.min(*first);
        }
    }
    let locations = summarise(history, &written);
    let initial: Vec<Option<u64>> = locations.iter().map(LocationSummary::initial).collect();
    note_assumed(history, &locations, &written);
    free_sources(history, &initial);
    hide_reads(history, &initial, &locations, &written);
    initial
}

/// Adds a note on the initial values that are assumed because a read returns them before a write of the same value. An
/// assumed 0 needs no note: it is what [`Initial::Zero`] assumes.
fn note_assumed(history: &mut History, locations: &[LocationSummary], written: &Written) {
    let assumed = (0..).zip(locations).filter_map(|(location, summary)| {
        let (read, value) = (summary.first?.0, summary.assumed().filter(|&value| value != 0)?);
        let &(_, write) = written.get(&(location, value))?;
        Some((read, location, value, write))
    });
    let assumed: Vec<(u64, u32, u64, u64)> = assumed.collect();
    let Some(&(read, location, value, write)) = assumed.iter().min() else {
        return;
    };
    let others = match assumed.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more location)".to_owned(),
        others => format!(" (and {others} more locations)"),
    };
    history.provenance.notes.push(format!(
        "the verdict assumes that {} held {value:#x} at the start, since line {read} reads it before \
         line {write} writes it{others}; with memory that was zero it may differ ({})",
        history.locations[location as usize],
        Setting::Initial.to("zero"),
    ));
}

/// Removes the fixed sources of reads that return the initial value, since it need not come from a write.
fn free_sources(history: &mut History, initial: &[Option<u64>]) {
    let mut sources = std::mem::take(&mut history.fixed_sources);
    sources.retain(|&read, _| {
        let (op, read) = (OpId(read), history.read(OpId(read)));
        let holds = history.location(op).and_then(|location| initial[location as usize]);
        read.is_none() || read != holds
    });
    history.fixed_sources = sources;
}

impl LocationSummary {
    /// The initial value, inferred as [`infer`] describes.
    fn initial(&self) -> Option<u64> {
        match (self.unwritten, self.several_unwritten) {
            (Some((value, line)), false) => {
                let is_first = self.first.is_some_and(|(first, _)| line <= first);
                (value == 0 || is_first).then_some(value)
            }
            (Some(_), true) => None,
            (None, _) => self.assumed(),
        }
    }

    /// The value that the first operation reads, if every value read at the location is also written.
    fn assumed(&self) -> Option<u64> {
        match self.unwritten {
            None => self.first?.1,
            Some(_) => None,
        }
    }
}

fn summarise(history: &History, written: &Written) -> Vec<LocationSummary> {
    let mut locations = vec![LocationSummary::default(); history.locations.len()];
    for op in history.ops() {
        let Some(location) = history.location(op) else {
            continue;
        };
        let summary = &mut locations[location as usize];
        let when = history.trace_position(op);
        let read = history.read(op);
        if summary.first.is_none_or(|(first, _)| when < first) {
            summary.first = Some((when, read));
        }
        if history.kind(op).writes() {
            summary.first_write = Some(summary.first_write.map_or(when, |first| first.min(when)));
        }
        if let Some(value) = read.filter(|&value| !written.contains_key(&(location, value))) {
            let (unwritten, first) = summary.unwritten.get_or_insert((value, when));
            summary.several_unwritten |= *unwritten != value;
            *first = when.min(*first);
        }
    }
    locations
}

/// The reads of these locations that may have returned the initial value, with location and value: the reads of each
/// thread before it reads another value of the location or writes to it. Memory is coherent per location under every
/// model, so later reads cannot return the initial value.
fn possible_initial_reads(history: &History, of: impl Fn(u32) -> bool) -> Vec<(OpId, u32, u64)> {
    let mut reads = Vec::new();
    for thread in 0..history.threads().len() {
        // Per location, the value that the thread has read; `None` once later reads cannot return the initial value.
        let mut candidate: FxHashMap<u32, Option<u64>> = FxHashMap::default();
        for op in history.thread_ops(thread) {
            let Some(location) = history.location(op).filter(|&location| of(location)) else {
                continue;
            };
            if let Some(value) = history.read(op) {
                let first = candidate.entry(location).or_insert(Some(value));
                if *first == Some(value) {
                    reads.push((op, location, value));
                } else {
                    *first = None;
                }
            }
            if history.kind(op).writes() {
                candidate.insert(location, None);
            }
        }
    }
    reads
}

/// Makes the values of reads unknown that may have returned an unknown initial value.
fn hide_reads(
    history: &mut History,
    initial: &[Option<u64>],
    locations: &[LocationSummary],
    written: &Written,
) {
    let is_unknown = |location: u32| initial[location as usize].is_none();
    for (op, location, value) in possible_initial_reads(history, is_unknown) {
        let Some(&(writes, _)) = written.get(&(location, value)) else {
            continue;
        };
        let first_write = locations[location as usize].first_write;
        let is_early = first_write.is_some_and(|write| history.trace_position(op) < write);
        if writes > 1 || value == 0 || is_early {
            hide_read(history, op);
        }
    }
}

/// Makes the initial values unknown that were only assumed, that is, those other than 0 that a write of the history has
/// too. The values of reads that may have returned them become unknown. Returns whether there was any such value.
pub(crate) fn forget_assumed(history: &mut History) -> bool {
    let mut assumed = vec![false; history.locations.len()];
    for op in history.ops() {
        if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
            assumed[location as usize] |= value != 0 && history.initial(location) == Some(value);
        }
    }
    if !assumed.contains(&true) {
        return false;
    }
    let is_assumed = |location: u32| assumed[location as usize];
    for (op, _, _) in possible_initial_reads(history, is_assumed) {
        hide_read(history, op);
    }
    for (location, assumed) in assumed.into_iter().enumerate() {
        if assumed {
            history.initial[location] = None;
        }
    }
    true
}

pub(crate) fn hide_read(history: &mut History, op: OpId) {
    history.known[op.at()].0 &= !OperationFlags::READ;
    history.read[op.at()] = 0;
    history.fixed_sources.remove(&op.0);
}

#[cfg(test)]
mod tests {
    use crate::{
        Access, Ambiguity, AssumedSize, History, HistoryBuilder, Initial, Kind, Place, Provenance,
        ReadSource, ReadsFrom,
    };

    /// A history of operations `(thread, read, written)` on one location, one a line, and the source of each operation.
    fn history(ops: &[(u32, Option<u64>, Option<u64>)]) -> (History, Vec<Option<ReadSource>>) {
        let mut builder = HistoryBuilder::new();
        for (line, &(thread, read, written)) in (1..).zip(ops) {
            let kind = match (read, written) {
                (Some(_), Some(_)) => Kind::Rmw,
                (None, Some(_)) => Kind::Store,
                _ => Kind::Load,
            };
            builder.push(Access {
                sequence: line,
                line: Some(line),
                read,
                written,
                ..Access::new(thread, kind, Place::Bytes { address: 8, size: 8 })
            });
        }
        let provenance = Provenance { unrecorded_writes: true, ..Provenance::made() };
        let history = builder.finish(AssumedSize::default(), &Initial::Infer, provenance).unwrap();
        let sources = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
        let sources = history.ops().map(|op| sources.source(op)).collect();
        (history, sources)
    }

    #[test]
    fn the_one_unwritten_value_is_initial() {
        let (history, sources) = history(&[(1, Some(7), None), (0, None, Some(1))]);
        assert_eq!(history.initial(0), Some(7));
        assert_eq!(sources[1], Some(ReadSource::Initial));
        assert!(history.provenance.notes.is_empty());
    }

    #[test]
    fn a_value_that_shows_up_after_a_write_is_that_of_another_write() {
        let (late, sources) = history(&[(0, None, Some(1)), (1, Some(7), None)]);
        assert_eq!(late.initial(0), None);
        assert_eq!(sources[1], Some(ReadSource::Unrecorded));
        let (zero, sources) = history(&[(0, None, Some(1)), (1, Some(0), None)]);
        assert_eq!(zero.initial(0), Some(0));
        assert_eq!(sources[1], Some(ReadSource::Initial));
        // A value that is read before it is written may be the initial value, although 7 is not.
        let ops = [(0, Some(1), None), (0, None, Some(1)), (1, Some(7), None)];
        let (_, sources) = history(&ops);
        assert_eq!(sources[0], Some(ReadSource::NotShown));
    }

    #[test]
    fn an_assumed_initial_value_is_noted() {
        let ops = [(0, Some(1), None), (1, Some(1), None), (1, None, Some(1))];
        let (assumed, _) = history(&ops);
        assert_eq!(assumed.initial(0), Some(1));
        let expected = "the verdict assumes that 0x8 held 0x1 at the start, since line 1 reads it before \
                        line 3 writes it; with memory that was zero it may differ (the setting initial = zero)";
        assert_eq!(assumed.provenance.notes, [expected]);
        let (zero, _) = history(&[(0, Some(0), Some(1)), (0, None, Some(0))]);
        assert!(zero.provenance.notes.is_empty());
    }

    #[test]
    fn of_two_unwritten_values_neither_is_thin_air() {
        let ops = [(0, Some(7), None), (0, Some(8), None), (1, None, Some(1))];
        let (history, sources) = history(&ops);
        assert_eq!(history.initial(0), None);
        assert_eq!(sources[..2], [Some(ReadSource::Unrecorded); 2]);
    }

    #[test]
    fn a_first_read_shows_the_initial_value_even_if_it_is_written_again() {
        let ops = [(0, Some(0), Some(1)), (0, None, Some(0)), (1, Some(0), None)];
        let (history, sources) = history(&ops);
        assert_eq!(history.initial(0), Some(0));
        assert_eq!(sources[0], Some(ReadSource::Ambiguous));
        assert_eq!(sources[2], Some(ReadSource::Ambiguous));
    }

    #[test]
    fn an_unwritten_value_that_is_not_read_first_is_that_of_another_write() {
        let ops = [(0, Some(0), None), (1, Some(5), None), (0, None, Some(0))];
        let (history, sources) = history(&ops);
        assert_eq!(history.initial(0), None);
        let expected = [ReadSource::NotShown, ReadSource::Unrecorded];
        assert_eq!(sources, [Some(expected[0]), None, Some(expected[1])]);
    }

    #[test]
    fn a_violation_must_be_one_whatever_an_assumed_initial_value_is() {
        let ops = [
            (0, Some(1), None),
            (1, None, Some(1)),
            (1, None, Some(2)),
            (0, Some(2), None),
            (0, Some(1), None),
        ];
        let (assumed, _) = history(&ops);
        assert_eq!(assumed.initial(0), Some(1));
        let basis = assumed.basis_of_violations();
        assert_eq!(basis.initial(0), None);
        let reads: Vec<Option<u64>> = basis.ops().map(|op| basis.read(op)).collect();
        assert_eq!(reads, [None, Some(2), Some(1), None, None]);
        let (shown, _) = history(&ops[1..]);
        assert!(matches!(shown.basis_of_violations(), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn reads_that_may_be_initial_have_unknown_values() {
        // Thread 1 may have read 0 before the first store, or after the second.
        let ops = [
            (0, None, Some(1)),
            (1, Some(0), None),
            (1, Some(0), None),
            (0, None, Some(0)),
            (1, Some(1), None),
            (1, Some(0), None),
        ];
        let (history, sources) = history(&ops);
        assert_eq!(history.initial(0), None);
        let unknown = Some(ReadSource::NotShown);
        assert_eq!(sources[2..4], [unknown, unknown]);
        assert!(matches!(sources[4], Some(ReadSource::Write(_))));
        assert!(matches!(sources[5], Some(ReadSource::Write(_))));
    }
}
