//! Describes how the last run of a log ended: the transitions before a crash, and the controllers that outstanding
//! requests wait for.

use history::History;

use super::taken::ControllerTransitions;
use crate::ending::Ending;
use crate::gem5::crash::outstanding::EndOfRun;
use crate::gem5::run::RunProperties;

impl ControllerTransitions {
    /// The end of the last run, as far as the log shows it; empty if all operations completed.
    pub(super) fn ending(&self, history: &History, surroundings: &RunProperties) -> Ending {
        let (crash, unfinished) = (&history.provenance.crash, &history.provenance.unfinished);
        if crash.is_none() && unfinished.is_empty() {
            return Ending::default();
        }
        let last = EndOfRun {
            steps: &self.last_steps,
            names: &self.transitions,
            line_size: self.line_size,
        };
        let missing = "the log has no transitions of controllers: run it again with --transitions";
        let unexplained = "the run may have crashed: gem5 prints why to standard error, so give the output folder with the log and \
                           simerr, which `gem5.opt -r -e` and the option --fork of rubric.py write";
        Ending {
            missing: self.is_empty().then(|| missing.to_owned()).into_iter().collect(),
            unexplained: (!surroundings.has_output).then(|| unexplained.to_owned()),
            ..last.ending(crash.as_ref(), unfinished)
        }
    }
}
