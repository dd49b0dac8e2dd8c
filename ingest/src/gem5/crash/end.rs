//! [`End`]: how a run ended, with a description in words and the message of a crash.

use history::{Crash, CrashKind, Unfinished};
use memchr::memmem;

use crate::gem5::crash::scan::CrashScan;

/// The messages of gem5 about the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct End {
    /// The search for the message of a crash in the file that is being read.
    scan: CrashScan,
    /// The crash that was found in the files that were read.
    crash: Option<Crash>,
    /// Whether gem5 itself certainly printed the crash, and not the simulated program.
    is_certain: bool,
    /// The reason that gem5 prints when the simulation leaves its event loop.
    exit: Option<String>,
}

impl End {
    /// Takes in a line that no debug flag printed; `is_cut` if its end is missing.
    pub(crate) fn scan(&mut self, line: &[u8], number: u64, is_cut: bool) {
        self.scan.scan(line, number, is_cut);
        if let Some(rest) = line.strip_prefix(b"Exiting @ tick ")
            && let Some(at) = memmem::find(rest, b" because ")
        {
            let reason = &rest[at + b" because ".len()..];
            self.exit = Some(crate::error::excerpt(reason, 120));
        }
    }

    /// Whether the message of a crash was found.
    pub(crate) fn is_crash(&self) -> bool {
        self.scan.is_found() || self.crash.is_some()
    }

    /// Whether gem5 printed that the simulation left its event loop.
    pub(crate) fn is_exit(&self) -> bool {
        self.exit.is_some()
    }

    /// Ends a file: parses the message of a crash that was found in it.
    pub(crate) fn finish(&mut self, file: &str) {
        let scan = std::mem::take(&mut self.scan);
        if let Some(crash) = scan.crash(file) {
            self.take(Some(crash), scan.is_certain(), None);
        }
    }

    /// Adds the crash and the exit that another file shows, where this one shows none.
    pub(crate) fn or(mut self, other: &End) -> End {
        self.take(other.crash.clone(), other.is_certain, other.exit.clone());
        self
    }

    fn take(&mut self, crash: Option<Crash>, is_certain: bool, exit: Option<String>) {
        self.exit = self.exit.take().or(exit);
        self.is_certain |= is_certain;
        let is_vague = |crash: &Crash| crash.kind == CrashKind::Abort;
        match (&mut self.crash, crash) {
            // A message with a reason replaces one without.
            (Some(own), Some(mut other)) if is_vague(own) && !is_vague(&other) => {
                other.tick = other.tick.or(own.tick);
                self.crash = Some(other);
            }
            (Some(own), Some(other)) => own.tick = own.tick.or(other.tick),
            (None, other) => self.crash = other,
            (Some(_), None) => {}
        }
        if self.exit.is_some() && !self.is_certain {
            // The run ended normally, so the message was output of the simulated program.
            self.crash = None;
        }
    }

    /// The crash, if there was one.
    pub(crate) fn crash(&self) -> Option<&Crash> {
        self.crash.as_ref()
    }

    /// The end in words; `None` if nothing is known. `answered` is false if the trace shows no requests, so that it
    /// does not show that all were answered.
    pub(crate) fn describe(
        &self,
        unfinished: &[Unfinished],
        last_tick: Option<u64>,
        answered: bool,
    ) -> Option<String> {
        let how = match (&self.crash, &self.exit) {
            (Some(crash), _) => Some(format!("crashed ({})", crash.headline())),
            (None, Some(exit)) => Some(format!("exited ({exit})")),
            (None, None) => None,
        };
        let oldest = unfinished.iter().min_by_key(|request| request.issued);
        let requests = match oldest {
            Some(oldest) => {
                let requests = outstanding(unfinished.len(), oldest, last_tick);
                return Some(match how {
                    Some(how) => format!("{how}, {requests}"),
                    None => format!("trace incomplete: {requests}"),
                });
            }
            None => answered.then(|| "all requests answered".to_owned()),
        };
        match (how, requests) {
            (Some(how), Some(requests)) => Some(format!("{how}, {requests}")),
            (how, requests) => how.or(requests),
        }
    }
}

/// Describes outstanding requests: `4 requests outstanding, the oldest (…) for 50024 ticks`.
pub(crate) fn outstanding(count: usize, oldest: &Unfinished, last_tick: Option<u64>) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let what = if oldest.writes { "store to" } else { "load of" };
    let line = oldest.line.map_or(String::new(), |line| format!("line {line}, "));
    let tick = oldest.issued.map_or(String::new(), |tick| format!("tick {tick}, "));
    let waited = match (last_tick, oldest.issued) {
        (Some(last), Some(issued)) => format!(" for {} ticks", last.saturating_sub(issued)),
        _ => String::new(),
    };
    format!(
        "{count} request{plural} outstanding, the oldest ({line}{tick}{what} {:#x} by thread {}){waited}",
        oldest.address, oldest.thread
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_kept() {
        let mut end = End::default();
        let lines = [
            "src/mem/ruby/system/Sequencer.cc:270: panic: Possible Deadlock detected. Aborting!",
            " version: 1 request.paddr: 0x1008 m_readRequestTable: 1 current time: 60002 issue_time: 9978 difference: 50024",
            "Memory Usage: 12 KBytes",
            "Program aborted at tick 60002",
            "panic: another",
        ];
        for (number, line) in lines.iter().enumerate() {
            end.scan(line.as_bytes(), number as u64 + 1, false);
        }
        end.finish("simerr");
        let words = end.describe(&[], Some(5), true).unwrap();
        assert_eq!(
            words,
            "crashed (deadlock: Seq 1, address 0x1008, tick 60002), all requests answered"
        );
    }

    #[test]
    fn another_file_that_says_why_comes_first() {
        let read = |file: &str, line: &str| {
            let mut end = End::default();
            end.scan(line.as_bytes(), 1, false);
            end.finish(file);
            end
        };
        let vague = read("simout", "Program aborted at tick 12");
        let why = read("simerr", "src/a.cc:7: panic: it broke");
        for end in [vague.clone().or(&why), why.or(&vague)] {
            let crash = end.crash().unwrap();
            assert_eq!(crash.headline(), "panic: it broke, tick 12");
            assert_eq!(crash.found.as_ref().unwrap().to_string(), "simerr:1");
        }
    }

    #[test]
    fn words_of_a_program_that_came_to_its_end_are_no_crash() {
        let read = |line: &str| {
            let mut end = End::default();
            end.scan(line.as_bytes(), 1, false);
            end.finish("file");
            end
        };
        let word = read("fatal: not a repository");
        let exit = read("Exiting @ tick 5 because exiting with last active thread context");
        let sure = read("src/a.cc:7: fatal: not a configuration");
        assert!(word.crash().is_some());
        assert!(word.clone().or(&exit).crash().is_none());
        assert!(exit.clone().or(&word).crash().is_none());
        assert!(exit.or(&sure).crash().is_some());
    }

    #[test]
    fn the_oldest_request_is_named() {
        let request = |issued, address| Unfinished {
            thread: 0,
            address,
            writes: true,
            issued: Some(issued),
            line: Some(7),
        };
        let words = End::default().describe(&[request(9, 1), request(5, 0x10c0)], Some(105), true);
        let expected = "trace incomplete: 2 requests outstanding, the oldest (line 7, tick 5, store to 0x10c0 \
                        by thread 0) for 100 ticks";
        assert_eq!(words.as_deref(), Some(expected));
    }
}
