//! Persistent requests of token protocols.
//!
//! A machine is identified by `type << 32 | number`, so that numbers compare as machines do.

use std::collections::BTreeMap;

use super::Misuse;

/// A machine that starves for a line.
#[derive(Clone, Copy, Debug)]
struct Starving {
    machine: u64,
    writes: bool,
    marked: bool,
}

/// The machines that starve, by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct PersistentTable {
    /// The starving machines of each line, the smallest first. No list is empty.
    lines: BTreeMap<u64, Vec<Starving>>,
}

impl PersistentTable {
    /// Creates a table without starving machines.
    pub(crate) fn new() -> PersistentTable {
        PersistentTable::default()
    }

    /// Records that a machine starves for a line, to write or to read it.
    pub(crate) fn lock(&mut self, line: u64, machine: u64, writes: bool) -> Result<(), Misuse> {
        let starving = self.lines.entry(line).or_default();
        match starving.binary_search_by_key(&machine, |other| other.machine) {
            Ok(_) => Err(Misuse::Persistent(line)),
            Err(at) => {
                let marked = false;
                starving.insert(at, Starving { machine, writes, marked });
                Ok(())
            }
        }
    }

    /// Records that a machine starves no longer.
    pub(crate) fn unlock(&mut self, line: u64, machine: u64) -> Result<(), Misuse> {
        let starving = self.lines.get_mut(&line);
        let starving = starving.ok_or(Misuse::Persistent(line))?;
        let at = starving
            .binary_search_by_key(&machine, |other| other.machine)
            .map_err(|_| Misuse::Persistent(line))?;
        starving.remove(at);
        if starving.is_empty() {
            self.lines.remove(&line);
        }
        Ok(())
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
    }

    /// All entries: line, machine, whether it wants to write, and whether it is marked.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, u64, bool, bool)> {
        self.lines.iter().flat_map(|(&line, starving)| {
            let each = starving.iter();
            each.map(move |one| (line, one.machine, one.writes, one.marked))
        })
    }

    /// Adds an entry in the form of [`PersistentTable::all`].
    pub(crate) fn put(&mut self, (line, machine, writes, marked): (u64, u64, bool, bool)) {
        let one = Starving { machine, writes, marked };
        self.lines.entry(line).or_default().push(one);
    }

    fn of(&self, line: u64) -> &[Starving] {
        self.lines.get(&line).map_or(&[], Vec::as_slice)
    }

    /// Whether a machine may issue a persistent request: it has none, and no machine is marked.
    pub(crate) fn ok_to_issue_starving(&self, line: u64, machine: u64) -> bool {
        let hinders = |other: &Starving| other.machine == machine || other.marked;
        !self.of(line).iter().any(hinders)
    }

    /// The smallest starving machine.
    pub(crate) fn find_smallest(&self, line: u64) -> Result<u64, Misuse> {
        let first = self.of(line).first();
        first.map(|first| first.machine).ok_or(Misuse::EmptySet)
    }

    /// Whether the smallest starving machine wants to write.
    pub(crate) fn smallest_writes(&self, line: u64) -> Result<bool, Misuse> {
        let first = self.of(line).first();
        first.map(|first| first.writes).ok_or(Misuse::EmptySet)
    }

    /// Marks all machines that starve for a line now.
    pub(crate) fn mark_entries(&mut self, line: u64) -> Result<(), Misuse> {
        let Some(starving) = self.lines.get_mut(&line) else {
            return Ok(());
        };
        if starving.iter().any(|other| other.marked) {
            return Err(Misuse::Marked(line));
        }
        starving.iter_mut().for_each(|other| other.marked = true);
        Ok(())
    }

    /// Whether any machine starves for a line.
    pub(crate) fn is_locked(&self, line: u64) -> bool {
        self.lines.contains_key(&line)
    }

    /// Number of starving machines.
    pub(crate) fn count_starving(&self, line: u64) -> u64 {
        self.of(line).len() as u64
    }

    /// Number of machines that starve to read.
    pub(crate) fn count_read_starving(&self, line: u64) -> u64 {
        self.of(line).iter().filter(|other| !other.writes).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_starving_machine_is_served() {
        let mut table = PersistentTable::new();
        let (cache, directory) = (1 << 32 | 5, 4 << 32);
        assert_eq!(table.find_smallest(64), Err(Misuse::EmptySet));
        assert!(table.ok_to_issue_starving(64, cache));
        table.lock(64, directory, true).unwrap();
        assert_eq!(table.smallest_writes(64), Ok(true));
        table.lock(64, cache, false).unwrap();
        assert_eq!(table.lock(64, cache, true), Err(Misuse::Persistent(64)));
        assert_eq!(table.find_smallest(64), Ok(cache));
        assert_eq!(table.smallest_writes(64), Ok(false));
        assert_eq!((table.count_starving(64), table.count_read_starving(64)), (2, 1));
        assert!(!table.ok_to_issue_starving(64, cache));
        assert!(table.ok_to_issue_starving(64, 2 << 32));
        table.unlock(64, cache).unwrap();
        assert_eq!(table.unlock(64, cache), Err(Misuse::Persistent(64)));
        table.mark_entries(64).unwrap();
        assert_eq!(table.mark_entries(64), Err(Misuse::Marked(64)));
        assert_eq!(table.mark_entries(128), Ok(()));
        assert!(!table.ok_to_issue_starving(64, cache));
        table.unlock(64, directory).unwrap();
        assert!(!table.is_locked(64) && table.ok_to_issue_starving(64, cache));
        assert_eq!(table.unlock(64, directory), Err(Misuse::Persistent(64)));
    }
}
