//! Initial values where the trace starts late and writes may be missing from it.

use rustc_hash::FxHashMap;

use crate::history::{History, Known, OpId};

/// How often each value is written to each location, and the first line that does.
type Written = FxHashMap<(u32, u64), (u32, u64)>;

/// What is known of a location.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Line of its first operation, and the value that this reads.
    first: Option<(u64, Option<u64>)>,
    /// Line of its first write.
    first_write: Option<u64>,
    /// Its first unwritten value, and the first line that reads it.
    unwritten: Option<(u64, u64)>,
    /// Whether there is another one.
    several: bool,
}

/// Infers the initial values of a history that may lack writes.
///
/// The one value that is read at a location and never written is its initial value if it is 0, or
/// if the trace shows a read of it before every other operation of the location: a kernel or a device
/// may write any other later. Where all values that are read are written, too, it is what the first
/// operation of all reads, which is an assumption that a note tells.
///
/// Elsewhere 0, a value that is written several times, and one that is read before every write of the
/// location may be the initial one: the reads of each thread that may have returned it, those before the thread
/// sees another value or writes, count as not shown. Memory is coherent per location under every
/// model, so that a later read cannot return the initial value any more.
pub(crate) fn infer(history: &mut History) -> Vec<Option<u64>> {
    let mut written = Written::default();
    for op in history.ops() {
        if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
            let line = line(history, op);
            let (count, first) = written.entry((location, value)).or_insert((0, line));
            *count += 1;
            *first = line.min(*first);
        }
    }
    let seen = look(history, &written);
    let initial: Vec<Option<u64>> = seen.iter().map(Seen::initial).collect();
    note_assumed(history, &seen, &written);
    free_sources(history, &initial);
    hide(history, &initial, &seen, &written);
    initial
}

/// The place of an operation in the trace.
fn line(history: &History, op: OpId) -> u64 {
    history.line(op).unwrap_or(u64::from(op.0))
}

/// Notes initial values that a first read shows, although the value is written later. Who assumes 0
/// has no use for the note where the value is 0.
fn note_assumed(history: &mut History, seen: &[Seen], written: &Written) {
    let assumed = (0..).zip(seen).filter_map(|(location, seen)| {
        let (read, value) = (seen.first?.0, seen.assumed().filter(|&value| value != 0)?);
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
         line {write} writes it{others}; with memory that was zero it may differ (--initial zero)",
        history.locations[location as usize],
    ));
}

/// A read of the initial value need not have the source that was found for the whole access.
fn free_sources(history: &mut History, initial: &[Option<u64>]) {
    let mut sources = std::mem::take(&mut history.fixed_sources);
    sources.retain(|&read, _| {
        let (op, read) = (OpId(read), history.read(OpId(read)));
        let holds = history.location(op).and_then(|location| initial[location as usize]);
        read.is_none() || read != holds
    });
    history.fixed_sources = sources;
}

impl Seen {
    fn initial(&self) -> Option<u64> {
        match (self.unwritten, self.several) {
            (Some((value, line)), false) => {
                let is_first = self.first.is_some_and(|(first, _)| line <= first);
                (value == 0 || is_first).then_some(value)
            }
            (Some(_), true) => None,
            (None, _) => self.assumed(),
        }
    }

    /// The initial value that the first operation shows, where all values are written, too.
    fn assumed(&self) -> Option<u64> {
        match self.unwritten {
            None => self.first?.1,
            Some(_) => None,
        }
    }
}

fn look(history: &History, written: &Written) -> Vec<Seen> {
    let mut seen = vec![Seen::default(); history.locations.len()];
    for op in history.ops() {
        let Some(location) = history.location(op) else {
            continue;
        };
        let slot = &mut seen[location as usize];
        let when = line(history, op);
        let read = history.read(op);
        if slot.first.is_none_or(|(line, _)| when < line) {
            slot.first = Some((when, read));
        }
        if history.kind(op).writes() {
            slot.first_write = Some(slot.first_write.map_or(when, |line| line.min(when)));
        }
        if let Some(value) = read.filter(|&value| !written.contains_key(&(location, value))) {
            let (unwritten, line) = slot.unwritten.get_or_insert((value, when));
            slot.several |= *unwritten != value;
            *line = when.min(*line);
        }
    }
    seen
}

/// Counts reads as not shown that may have returned an initial value that is not known.
fn hide(history: &mut History, initial: &[Option<u64>], seen: &[Seen], written: &Written) {
    for thread in 0..history.threads.len() {
        // The value that the thread has seen at a location; `None` once it cannot be the initial one.
        let mut prefix: FxHashMap<u32, Option<u64>> = FxHashMap::default();
        for op in history.thread_ops(thread) {
            let Some(location) = history.location(op) else {
                continue;
            };
            if initial[location as usize].is_some() {
                continue;
            }
            if let Some(value) = history.read(op) {
                let first = prefix.entry(location).or_insert(Some(value));
                if *first != Some(value) {
                    *first = None;
                } else if let Some(&(count, _)) = written.get(&(location, value)) {
                    // A value that is written, too, may be the initial one as well.
                    let first_write = seen[location as usize].first_write;
                    let is_early = first_write.is_some_and(|write| line(history, op) < write);
                    if count > 1 || value == 0 || is_early {
                        clear(history, op);
                    }
                }
            }
            if history.kind(op).writes() {
                prefix.insert(location, None);
            }
        }
    }
}

/// Takes back initial values that rest on the first read of a location alone, since a write has the value,
/// too: reads that may have returned the initial value, whatever it is, count as not shown. That memory
/// which nobody has written is 0 is no such assumption. Whether there was any.
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
    for thread in 0..history.threads.len() {
        // Per location the value that the thread has seen; `None` once it cannot be the initial one.
        let mut prefix: FxHashMap<u32, Option<u64>> = FxHashMap::default();
        for op in history.thread_ops(thread) {
            let location = history.location(op);
            let Some(location) = location.filter(|&location| assumed[location as usize]) else {
                continue;
            };
            if let Some(value) = history.read(op) {
                let first = prefix.entry(location).or_insert(Some(value));
                if *first == Some(value) {
                    clear(history, op);
                } else {
                    *first = None;
                }
            }
            if history.kind(op).writes() {
                prefix.insert(location, None);
            }
        }
    }
    for (location, assumed) in assumed.into_iter().enumerate() {
        if assumed {
            history.initial[location] = None;
        }
    }
    true
}

fn clear(history: &mut History, op: OpId) {
    history.known[op.at()].0 &= !Known::READ;
    history.read[op.at()] = 0;
    history.fixed_sources.remove(&op.0);
}

#[cfg(test)]
mod tests {
    use crate::{
        Access, Ambiguity, AssumedSize, History, HistoryBuilder, Initial, Kind, Place, Provenance,
        ReadSource, ReadsFrom,
    };

    /// Operations `(thread, read, written)` on one location, line after line.
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
        let provenance = Provenance { unrecorded_writes: true, ..Provenance::default() };
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
        // What was read before it was written may be the initial value, although 7 is not.
        let ops = [(0, Some(1), None), (0, None, Some(1)), (1, Some(7), None)];
        let (_, sources) = history(&ops);
        assert_eq!(sources[0], Some(ReadSource::NotShown));
    }

    #[test]
    fn an_assumed_initial_value_is_told() {
        let ops = [(0, Some(1), None), (1, Some(1), None), (1, None, Some(1))];
        let (assumed, _) = history(&ops);
        assert_eq!(assumed.initial(0), Some(1));
        let expected = "the verdict assumes that 0x8 held 0x1 at the start, since line 1 reads it before \
                        line 3 writes it; with memory that was zero it may differ (--initial zero)";
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
    fn what_may_be_initial_proves_nothing() {
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
