//! [`Headline`]: the first line of an answer about a history, the same wherever one is shown.

use std::fmt;

use history::History;

/// The first line of an answer: `violation  sc   trace.gz  (2 threads, 10 operations; SC by saturate, 0.001 s)`
#[derive(Clone, Debug)]
pub struct Headline<'a> {
    /// The answer in a word or two, such as `consistent`.
    pub word: &'a str,
    /// The name of the model or criterion that was asked about.
    pub subject: &'a str,
    /// The file, and the history's name if it has one.
    pub name: &'a str,
    /// The number of threads.
    pub threads: usize,
    /// The number of operations.
    pub operations: usize,
    /// Whether the run crashed, so that the operations are those that completed before.
    pub crashed: bool,
    /// How the answer was found.
    pub how: String,
    /// The time that it took, in seconds.
    pub seconds: f64,
}

impl<'a> Headline<'a> {
    /// The first line about a history, without an answer yet.
    pub fn about(history: &History, subject: &'a str, name: &'a str) -> Headline<'a> {
        Headline {
            word: "",
            subject,
            name,
            threads: history.threads().len(),
            operations: history.operations(),
            crashed: history.provenance.crash.is_some(),
            how: String::new(),
            seconds: 0.0,
        }
    }

    /// The line with its first column, which has the width of the longest verdict, replaced by what `paint` makes of it.
    pub fn painted(&self, paint: impl FnOnce(&str) -> String) -> String {
        let plural = |number| if number == 1 { "" } else { "s" };
        format!(
            "{} {:4} {}  ({} thread{}, {} {}operation{}; {}, {:.3} s)",
            paint(&format!("{:10}", self.word)),
            self.subject,
            self.name,
            self.threads,
            plural(self.threads),
            self.operations,
            if self.crashed { "completed " } else { "" },
            plural(self.operations),
            self.how,
            self.seconds
        )
    }
}

impl fmt::Display for Headline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.painted(str::to_owned))
    }
}
