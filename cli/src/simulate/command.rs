//! The command that repeats a run.

use simulate::client::Client;
use simulate::program::Shape;

use super::args::{Args, Program, System};
use crate::generate::VERSION;

impl Args {
    /// The words behind `rubric simulate` that repeat a run, without options that change nothing.
    pub fn words(&self, protocol: &str, client: Client, seed: u64) -> String {
        let mut words = vec![quoted(protocol)];
        let mutant = self.mutant.iter();
        words.extend(mutant.map(|name| format!("--mutant {}", quoted(name))));
        let default = Shape::default();
        let mut say = |option: &str, value: String, usual: String| {
            if value != usual {
                words.push(format!("--{option} {value}"));
            }
        };
        let Program {
            reads,
            rmws,
            fences,
            fetches,
            linked,
            skew,
            think,
        } = self.program;
        if let Some(recipe) = self.recipe_of(seed) {
            say("client", client.to_string(), Client::InOrder.to_string());
            words.push(format!("--recipe {recipe}"));
            words.extend(self.system.said());
            return words.join(" ");
        }
        say("threads", self.threads.to_string(), "4".to_owned());
        say("ops", self.ops.to_string(), "100".to_owned());
        say("locations", self.locations.to_string(), "8".to_owned());
        say("per-line", self.per_line.to_string(), "1".to_owned());
        say("client", client.to_string(), Client::InOrder.to_string());
        say("reads", reads.to_string(), default.reads.to_string());
        say("rmws", rmws.to_string(), default.rmws.to_string());
        say("fences", fences.to_string(), default.fences.to_string());
        say("fetches", fetches.to_string(), default.fetches.to_string());
        say("linked", linked.to_string(), default.linked.to_string());
        say("skew", skew.to_string(), default.skew.to_string());
        say("think", think.to_string(), default.think.to_string());
        words.extend(self.system.said());
        words.push(format!("--seed {seed}"));
        words.join(" ")
    }

    /// The command that repeats a run, and the version that ran it.
    pub fn command(&self, protocol: &str, client: Client, seed: u64) -> String {
        format!(
            "rubric simulate {}{VERSION}",
            self.words(protocol, client, seed)
        )
    }
}

impl System {
    /// The options that are not as usual.
    fn said(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.caches.0 != "tiny" {
            words.push(format!("--caches {}", self.caches.0));
        }
        for (option, count) in [
            ("l2-banks", self.l2_banks),
            ("directories", self.directories),
        ] {
            if count != 1 {
                words.push(format!("--{option} {count}"));
            }
        }
        for (option, latency) in [("network", self.network), ("memory", self.memory)] {
            words.extend(latency.map(|latency| format!("--{option} {latency}")));
        }
        if self.steady {
            words.push("--steady".to_owned());
        }
        if self.strict {
            words.push("--strict".to_owned());
        }
        let settings = self.set.iter();
        words.extend(settings.map(|setting| format!("--set {}", quoted(&setting.to_string()))));
        words.extend(
            self.deadlock_threshold
                .map(|ticks| format!("--deadlock-threshold {ticks}")),
        );
        words
    }
}

/// A word as a shell takes it, on one line.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-=:+,@".contains(c);
    let word = word.replace(char::is_control, "\u{fffd}");
    match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
