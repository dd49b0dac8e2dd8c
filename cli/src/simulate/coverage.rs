//! Counts how often runs took each transition of a protocol: [`Coverage`].

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use simulate::simulation::Run;

use crate::error::Error;
use crate::files;

/// An entry of a transition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Covered<'a> {
    /// Machine.
    pub machine: &'a str,
    /// State before.
    pub state: &'a str,
    /// Event.
    pub event: &'a str,
}

/// How often each transition was taken: by machine, state, event and next state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    counts: BTreeMap<[Box<str>; 4], u64>,
}

impl Coverage {
    /// Adds the transitions of a run.
    pub(crate) fn add(&mut self, run: &Run) {
        for row in run.coverage() {
            let key = [row.machine, row.state, row.event, row.next].map(Box::from);
            *self.counts.entry(key).or_default() += row.count;
        }
    }

    /// Adds the counts of another coverage.
    pub(crate) fn merge(&mut self, other: Coverage) {
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
    }

    /// The entries that were taken.
    pub(crate) fn taken(&self) -> BTreeSet<Covered<'_>> {
        let keys = self.counts.keys();
        keys.map(|[machine, state, event, _]| Covered { machine, state, event }).collect()
    }

    /// Writes the counts as CSV, to standard output if the path is `-`.
    ///
    /// # Errors
    /// Returns an error if the file or standard output cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        if path.as_os_str() == "-" {
            return self.print(&mut std::io::stdout().lock()).map_err(Error::Output);
        }
        files::create(path, |out| self.print(out).map_err(Error::Output))
    }

    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "machine,state,event,next_state,count")?;
        for ([machine, state, event, next], count) in &self.counts {
            writeln!(out, "{machine},{state},{event},{next},{count}")?;
        }
        Ok(())
    }
}
