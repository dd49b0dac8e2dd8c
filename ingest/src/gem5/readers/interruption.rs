//! [`Interruption`]: what a skipped line leaves in doubt about the requests and completions of sequencers.

use rustc_hash::FxHashSet;

use crate::gem5::readers::fifo::Request;
use crate::gem5::readers::matching::Sequencers;
use crate::gem5::readers::sequencer::Sequencer;

/// What is in doubt since a line was skipped that may have shown a part of an operation.
#[derive(Debug, Default)]
pub(crate) struct Interruption {
    /// Whether such a line was skipped.
    pub is_interrupted: bool,
    /// Sequencers, by version, and addresses of the requests that were completed since then.
    completed: FxHashSet<(Option<u32>, u64)>,
    /// Whether the completion that was read last answers a request from before the trace starts.
    pub is_earlier: bool,
    /// The line of the data of which the completion turned out to be missing.
    pub lost: Option<u64>,
    /// Whether the line that was read last shows that a completion before it is missing, which was made up for.
    pub is_made_up: bool,
    /// Whether the completion that was read last shows that an earlier one was taken for the answer to another request.
    is_mixed_up: bool,
}

impl Interruption {
    /// Takes in a completion and the request that it seems to answer.
    pub(crate) fn hit(&mut self, sequencer: &Sequencer, request: Option<&Request>, address: u64) {
        if !self.is_interrupted {
            return;
        }
        let key = (sequencer.version, address);
        match request {
            Some(_) => {
                self.completed.insert(key);
            }
            // The request that it answers may have been taken for that of an earlier completion.
            None => self.is_mixed_up |= self.completed.contains(&key),
        }
    }
}

impl Sequencers {
    /// Takes in that a line was skipped which may have shown a part of an operation.
    pub(crate) fn interrupt(&mut self) {
        self.lossy.is_interrupted = true;
        for sequencer in &mut self.all {
            // The line may have been the completion of this data, and the next completion may lack its own.
            sequencer.data = None;
            sequencer.original.clear();
            sequencer.is_reservation_lost = true;
        }
    }

    /// Takes in that the line was skipped that shows the block that a store wrote. The store has an unknown value.
    pub(crate) fn hide_store(&mut self, at: usize, line: u64) {
        self.lossy.is_interrupted = true;
        let sequencer = &mut self.all[at];
        sequencer.end_hidden_store(false);
        sequencer.hidden_store = Some(line);
        sequencer.data = None;
        sequencer.original.clear();
    }

    /// Line of the first completion of a CPU's sequencer without data that is not that of a store.
    pub(crate) fn first_unshown(&self) -> Option<u64> {
        let of_cpus = self.all.iter().filter(|sequencer| sequencer.version.is_some());
        let lines = of_cpus.flat_map(|it| it.first_unshown.into_iter().chain(it.hidden_store));
        lines.min()
    }

    /// Line of the first completion of a sequencer that nothing was offered to. Its path may be damaged.
    pub(crate) fn first_stray(&self) -> Option<u64> {
        let strays = self.all.iter().filter(|sequencer| !sequencer.has_offered);
        strays.filter_map(|sequencer| sequencer.first_earlier).min()
    }

    /// Whether the completion that was skipped answers a request from before the trace starts.
    pub(crate) fn take_earlier(&mut self) -> bool {
        std::mem::take(&mut self.lossy.is_earlier)
    }

    /// The line of the data whose completion was found to be missing.
    pub(crate) fn take_lost(&mut self) -> Option<u64> {
        self.lossy.lost.take()
    }

    /// Whether the line that was read shows that a completion before it is missing, which was made up for.
    pub(crate) fn take_made_up(&mut self) -> bool {
        std::mem::take(&mut self.lossy.is_made_up)
    }

    /// Whether operations were mixed up before the line that was skipped.
    pub(crate) fn take_mixed_up(&mut self) -> bool {
        std::mem::take(&mut self.lossy.is_mixed_up)
    }
}
