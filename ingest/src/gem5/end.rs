//! How a run ended, in words.

use history::Unfinished;
use memchr::memmem;

/// What gem5 said about its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct End {
    /// Why it stopped, if that was its fault.
    abort: Option<String>,
    /// Whether it was only said that it stopped, not why.
    vague: bool,
    /// Why the simulation left its loop.
    exit: Option<String>,
}

/// What stands before the reason of an abort, and whether the words themselves belong to it.
const REASONS: [(&str, bool); 5] = [
    ("panic: ", true),
    ("fatal: ", true),
    ("Possible Deadlock detected", true),
    ("Assertion `", true),
    ("Invalid transition", true),
];

impl End {
    /// Looks at a line that is not of a debug flag.
    pub(crate) fn scan(&mut self, line: &[u8]) {
        if self.abort.is_none() || self.vague {
            self.scan_abort(line);
        }
        if let Some(rest) = line.strip_prefix(b"Exiting @ tick ")
            && let Some(at) = memmem::find(rest, b" because ")
        {
            let reason = &rest[at + b" because ".len()..];
            self.exit = Some(crate::error::excerpt(reason, 120));
        }
    }

    fn scan_abort(&mut self, line: &[u8]) {
        for (word, _) in REASONS {
            if let Some(at) = memmem::find(line, word.as_bytes()) {
                self.abort = Some(crate::error::excerpt(&line[at..], 160));
                self.vague = false;
                return;
            }
        }
        if self.abort.is_none() && memmem::find(line, b"Program aborted").is_some() {
            self.abort = Some(crate::error::excerpt(line, 160));
            self.vague = true;
        }
    }

    /// Takes over what another file says, where this one says nothing.
    pub(crate) fn or(mut self, other: &End) -> End {
        if self.abort.is_none() || (self.vague && other.abort.is_some()) {
            self.abort = other.abort.clone();
        }
        if self.exit.is_none() {
            self.exit = other.exit.clone();
        }
        self
    }

    /// The end in words. `answered` is false where the trace does not show requests.
    pub(crate) fn describe(
        &self,
        unfinished: &[Unfinished],
        last_tick: Option<u64>,
        answered: bool,
    ) -> Option<String> {
        let requests = match unfinished.iter().min_by_key(|request| request.issued) {
            Some(oldest) => Some(outstanding(unfinished.len(), oldest, last_tick)),
            None if answered => Some("all requests answered".to_owned()),
            None => None,
        };
        let how = match (&self.abort, &self.exit) {
            (Some(abort), _) => Some(format!("aborted ({abort})")),
            (None, Some(exit)) => Some(format!("exited ({exit})")),
            (None, None) => None,
        };
        match (how, requests) {
            (Some(how), Some(requests)) => Some(format!("{how}, {requests}")),
            (how, requests) => how.or(requests),
        }
    }
}

/// `with 4 requests unanswered; the oldest (…) had waited 50024 ticks`.
fn outstanding(count: usize, oldest: &Unfinished, last_tick: Option<u64>) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let what = if oldest.writes { "store to" } else { "load of" };
    let line = oldest
        .line
        .map_or(String::new(), |line| format!("line {line}, "));
    let tick = oldest
        .issued
        .map_or(String::new(), |tick| format!("tick {tick}, "));
    let waited = match (last_tick, oldest.issued) {
        (Some(last), Some(issued)) => {
            format!(" had waited {} ticks", last.saturating_sub(issued))
        }
        _ => " had not been answered".to_owned(),
    };
    format!(
        "with {count} request{plural} unanswered; the oldest ({line}{tick}{what} {:#x} by thread {}){waited}",
        oldest.address, oldest.thread
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_kept() {
        let mut end = End::default();
        end.scan(b"Program aborted at tick 12");
        end.scan(
            b"src/mem/ruby/system/Sequencer.cc:270: panic: Possible Deadlock detected. Aborting!",
        );
        end.scan(b"panic: another");
        let words = end.describe(&[], Some(5), true).unwrap();
        assert_eq!(
            words,
            "aborted (panic: Possible Deadlock detected. Aborting!), all requests answered"
        );
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
        let expected = "with 2 requests unanswered; the oldest (line 7, tick 5, store to 0x10c0 by \
                        thread 0) had waited 100 ticks";
        assert_eq!(words.as_deref(), Some(expected));
    }
}
