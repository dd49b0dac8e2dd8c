//! Initial values where the trace starts late and writes may be missing from it.

use rustc_hash::FxHashMap;

use crate::history::{History, Known, OpId};

/// How often each value is written to each location.
type Written = FxHashMap<(u32, u64), u32>;

/// What is known of a location.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Line of its first operation, and the value that this reads.
    first: Option<(u64, Option<u64>)>,
    /// Its first unwritten value.
    unwritten: Option<u64>,
    /// Whether there is another one.
    several: bool,
}

/// Infers the initial values of a history that may lack writes.
///
/// The one value that is read at a location and never written is its initial value; where there is
/// none, what the first operation of all on it reads. Elsewhere 0, and a value that is written
/// several times, may be the initial one too: the reads of each thread that may have returned it,
/// those before the thread sees another value or writes, count as not shown. Memory is coherent per
/// location under every model, so that a later read cannot return the initial value any more.
pub(crate) fn infer(history: &mut History) -> Vec<Option<u64>> {
    let mut written = Written::default();
    for op in history.ops() {
        if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
            *written.entry((location, value)).or_default() += 1;
        }
    }
    let seen = look(history, &written);
    let initial: Vec<Option<u64>> = seen.iter().map(Seen::initial).collect();
    free_sources(history, &initial);
    hide(history, &initial, &written);
    initial
}

/// A read of the initial value need not have the source that was found for the whole access.
fn free_sources(history: &mut History, initial: &[Option<u64>]) {
    let mut sources = std::mem::take(&mut history.fixed_sources);
    sources.retain(|&read, _| {
        let (op, read) = (OpId(read), history.read(OpId(read)));
        let holds = history
            .location(op)
            .and_then(|location| initial[location as usize]);
        read.is_none() || read != holds
    });
    history.fixed_sources = sources;
}

impl Seen {
    fn initial(&self) -> Option<u64> {
        match (self.unwritten, self.several) {
            (Some(value), false) => Some(value),
            (Some(_), true) => None,
            (None, _) => self.first?.1,
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
        let when = history.line(op).unwrap_or(u64::from(op.0));
        let read = history.read(op);
        if slot.first.is_none_or(|(line, _)| when < line) {
            slot.first = Some((when, read));
        }
        if let Some(value) = read.filter(|&value| !written.contains_key(&(location, value))) {
            slot.several |= *slot.unwritten.get_or_insert(value) != value;
        }
    }
    seen
}

/// Counts reads as not shown that may have returned an initial value that is not known.
fn hide(history: &mut History, initial: &[Option<u64>], written: &Written) {
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
                } else if may_be_initial(written.get(&(location, value)), value) {
                    clear(history, op);
                }
            }
            if history.kind(op).writes() {
                prefix.insert(location, None);
            }
        }
    }
}

/// Whether a value that is written so often may be the initial one as well.
fn may_be_initial(written: Option<&u32>, value: u64) -> bool {
    written.is_some_and(|&count| count > 1 || value == 0)
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
                ..Access::new(
                    thread,
                    kind,
                    Place::Bytes {
                        address: 8,
                        size: 8,
                    },
                )
            });
        }
        let provenance = Provenance {
            unrecorded_writes: true,
            ..Provenance::default()
        };
        let history = builder
            .finish(AssumedSize::default(), &Initial::Infer, provenance)
            .unwrap();
        let sources = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
        let sources = history.ops().map(|op| sources.source(op)).collect();
        (history, sources)
    }

    #[test]
    fn the_one_unwritten_value_is_initial() {
        let (history, sources) = history(&[(0, None, Some(1)), (1, Some(7), None)]);
        assert_eq!(history.initial(0), Some(7));
        assert_eq!(sources[1], Some(ReadSource::Initial));
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
        let ops = [
            (0, Some(0), Some(1)),
            (0, None, Some(0)),
            (1, Some(0), None),
        ];
        let (history, sources) = history(&ops);
        assert_eq!(history.initial(0), Some(0));
        assert_eq!(sources[0], Some(ReadSource::Ambiguous));
        assert_eq!(sources[2], Some(ReadSource::Ambiguous));
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
