//! Makes the [`Ending`] of a run: the steps before a crash, and the controllers that outstanding requests wait for.

use history::{Crash, CrashKind, Unfinished};
use settings::Setting;

use crate::ending::{ControllerStatus, Ending, OutstandingRequest};
use crate::gem5::crash::last_steps::LastSteps;
use crate::gem5::crash::processor::sentences;
use crate::gem5::readers::reader::Reader;
use crate::transitions::Transitions;

/// Number of outstanding requests that are described, the oldest first.
const DESCRIBED_REQUESTS: usize = 64;
/// The states of gem5's protocols in which a controller does not hold a line.
const IDLE: [&str; 3] = ["I", "NP", "NPI"];

/// The last transitions and messages of a run that crashed or left requests unanswered.
pub(crate) struct EndOfRun<'a> {
    /// The last transitions and messages, by cache line.
    pub steps: &'a LastSteps,
    /// The table with the names that steps refer to.
    pub names: &'a Transitions,
    /// Size of a cache line in bytes, a power of two.
    pub line_size: u64,
}

impl EndOfRun<'_> {
    /// The steps before a crash, and the controllers that outstanding requests wait for. The caller adds what the trace does not record.
    pub(crate) fn ending(&self, crash: Option<&Crash>, outstanding: &[Unfinished]) -> Ending {
        let cache_line = crash.and_then(|crash| self.crash_line(crash, outstanding));
        let steps = match (crash, cache_line) {
            (Some(_), Some(line)) => self.steps.steps(line, self.names),
            (Some(_), None) => self.steps.last(self.names),
            (None, _) => Vec::new(),
        };
        let mut oldest: Vec<&Unfinished> = outstanding.iter().collect();
        oldest.sort_by_key(|request| request.issued);
        let waiting = oldest.into_iter().take(DESCRIBED_REQUESTS);
        let waiting = waiting.map(|request| self.waiting(request)).collect();
        let processor = crash.and_then(|crash| crash.processor).map(|processor| {
            let shown = (self.steps, self.names);
            sentences(processor, cache_line, outstanding, shown, self.line_size)
        });
        let processor = processor.unwrap_or_default();
        Ending { cache_line, steps, processor, waiting, ..Ending::default() }
    }

    /// The cache line that a crash is about.
    fn crash_line(&self, crash: &Crash, outstanding: &[Unfinished]) -> Option<u64> {
        let of_deadlock = || {
            // A deadlock without an address is that of the oldest request, of the processor that the message names.
            let is_deadlock = crash.kind == CrashKind::Deadlock;
            let own = |request: &&Unfinished| {
                crash.processor.is_none_or(|processor| request.thread == processor)
            };
            let oldest = outstanding.iter().filter(own).min_by_key(|request| request.issued);
            oldest.filter(|_| is_deadlock).map(|request| request.address)
        };
        let address = crash.address.or_else(of_deadlock)?;
        Some(self.cache_line(address))
    }

    /// The cache line of an address: the address itself if the trace has steps for it and none for the line that
    /// follows from the size of lines.
    fn cache_line(&self, address: u64) -> u64 {
        let line = address & !(self.line_size - 1);
        match self.steps.knows(line) {
            false if self.steps.knows(address) => address,
            _ => line,
        }
    }

    fn waiting(&self, request: &Unfinished) -> OutstandingRequest {
        let cache_line = self.cache_line(request.address);
        let all = self.steps.standing(cache_line, self.names);
        let is_idle =
            |it: &ControllerStatus| it.stalled.is_empty() && IDLE.contains(&it.state.as_str());
        let (idle, controllers): (Vec<ControllerStatus>, Vec<ControllerStatus>) =
            all.into_iter().partition(is_idle);
        OutstandingRequest { request: request.clone(), cache_line, controllers, idle: idle.len() }
    }
}

impl Reader<'_> {
    /// The end of the run, which left these requests unanswered, as far as the trace shows it.
    pub(crate) fn ending(&self, outstanding: &[Unfinished]) -> Ending {
        let crash = self.end.crash();
        if crash.is_none() && outstanding.is_empty() {
            return Ending::default();
        }
        let shown = self.sequencers.block_size.map(|size| size as u64);
        let configured = self.surroundings.block_size.map(u64::from);
        let size = shown.or(configured).filter(|size| size.is_power_of_two());
        let last = EndOfRun {
            steps: &self.raw.last_steps,
            names: &self.raw.transitions,
            line_size: size.unwrap_or(64),
        };
        Ending {
            missing: self.missing(crash),
            unexplained: self.unexplained(),
            ..last.ending(crash, outstanding)
        }
    }

    /// Returns a sentence that the run may have crashed, if no output was read in which gem5 would have reported it.
    fn unexplained(&self) -> Option<String> {
        let is_known = self.end.is_crash() || self.end.is_exit() || self.surroundings.has_output;
        let how = if self.is_simulated {
            "the command in the first line of the trace runs it again and says how it ends"
        } else {
            "gem5 prints why to standard error, so give the folder with the trace and simerr, or record both in one file (2>&1)"
        };
        (!is_known).then(|| format!("the run may have crashed: {how}"))
    }

    /// Returns sentences about the information that was not recorded and would explain the end.
    fn missing(&self, crash: Option<&Crash>) -> Vec<String> {
        let mut missing = Vec::new();
        if self.raw.controllers == 0 {
            missing.push(
                "the trace shows no transitions of controllers: record it with --debug-flags=ProtocolTrace,RubySequencer,RubyPort"
                    .to_owned(),
            );
        } else if !self.raw.last_steps.messages {
            let how = if self.is_simulated {
                let chart = Setting::Chart.to("fault.svg");
                format!("the command in the first line of the trace draws them if {chart} is added")
            } else {
                "add RubyQueue to --debug-flags, which prints each message as it enters a buffer"
                    .to_owned()
            };
            missing.push(format!("messages in flight are not recorded: {how}"));
        }
        let of_protocol = [CrashKind::FailedAssertion, CrashKind::ProtocolError];
        if crash.is_some_and(|crash| of_protocol.contains(&crash.kind) && crash.address.is_none()) {
            missing.push(
                "gem5 does not say which controller and which address failed, and the trace does not show the failing transition"
                    .to_owned(),
            );
        }
        missing
    }
}
