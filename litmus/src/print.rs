//! Prints the outcomes of a test as herd does.

use std::fmt::Write;

use crate::outcomes::{Outcomes, State};
use crate::test::{LitmusTest, Observed, Proposition, Quantifier};

impl Quantifier {
    /// The keyword in a test.
    pub fn word(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::ForAll => "forall",
        }
    }

    /// The word with which herd describes a test with such a condition.
    pub fn kind(self) -> &'static str {
        match self {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::ForAll => "Required",
        }
    }
}

impl Outcomes {
    /// herd's word for a condition that is met or not, or `Undecided` if no run reached its end.
    pub fn verdict(&self, quantifier: Quantifier) -> &'static str {
        match self.satisfies(quantifier) {
            _ if self.is_open() => "Undecided",
            true => "Ok",
            false => "No",
        }
    }
}

impl LitmusTest {
    /// A state on one line: `0:x5=1; [x]=2; t={1,2};`.
    pub fn state(&self, state: &State) -> String {
        let pairs = self.observed.iter().zip(&state.values);
        let parts = pairs.map(|(observed, values)| {
            let scalar = self.scalar_type(*observed);
            let shown = values.iter().map(|value| self.show_typed(*value, scalar));
            let shown = self.list(*observed, shown.collect());
            format!("{}={shown};", self.show_observed(*observed))
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    /// The values of an array in braces, or the value of anything else.
    fn list(&self, observed: Observed, values: Vec<String>) -> String {
        let joined = values.join(",");
        match observed {
            Observed::Location(location)
                if self.types[usize::from(location.0)].length.is_some() =>
            {
                format!("{{{joined}}}")
            }
            Observed::Lanes(_) => format!("{{{joined}}}"),
            _ => joined,
        }
    }

    /// The condition on one line: `exists (0:x5=1 /\ [x]=2)`.
    pub fn condition(&self) -> String {
        let word = self.condition.quantifier.word();
        format!("{word} ({})", self.show_proposition(&self.condition.proposition, Binding::Loosest))
    }

    fn show_proposition(&self, proposition: &Proposition, around: Binding) -> String {
        let joined = |all: &[Proposition], with: &str, binding| {
            let parts = all.iter().map(|one| self.show_proposition(one, binding));
            let text = parts.collect::<Vec<_>>().join(with);
            if binding < around { format!("({text})") } else { text }
        };
        match proposition {
            Proposition::Equal(observed, value) => {
                format!("{}={}", self.show_observed(*observed), self.show(*value))
            }
            Proposition::NotEqual(observed, value) => {
                format!("not ({}={})", self.show_observed(*observed), self.show(*value))
            }
            Proposition::Contains(observed, values) => {
                let shown = values.iter().map(|value| self.show(*value)).collect();
                format!("{}={}", self.show_observed(*observed), self.list(*observed, shown))
            }
            Proposition::Same(first, second) => {
                format!("{}={}", self.show_observed(*first), self.show_observed(*second))
            }
            Proposition::Not(of) => {
                format!("not ({})", self.show_proposition(of, Binding::Loosest))
            }
            Proposition::And(all) if all.is_empty() => "true".to_owned(),
            Proposition::Or(all) if all.is_empty() => "false".to_owned(),
            Proposition::And(all) => joined(all, " /\\ ", Binding::And),
            Proposition::Or(all) => joined(all, " \\/ ", Binding::Or),
            Proposition::Implies(first, second) => {
                let both = [first, second].map(|one| self.show_proposition(one, Binding::Implies));
                let text = both.join(" => ");
                if Binding::Implies < around { format!("({text})") } else { text }
            }
        }
    }

    /// The outcomes as herd prints them, without its time and its hash.
    pub fn report(&self, outcomes: &Outcomes) -> String {
        let quantifier = self.condition.quantifier;
        let (positive, negative) = outcomes.witnesses();
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(text, "Test {} {}", self.name, quantifier.kind());
        let _ = writeln!(text, "States {}", outcomes.states.len());
        for state in &outcomes.states {
            let _ = writeln!(text, "{}", self.state(state));
        }
        if let Some(line) = outcomes.loop_limit {
            let _ = writeln!(text, "Loop unrolling exceeded at line {line}");
        }
        let _ = writeln!(text, "{}\nWitnesses", outcomes.verdict(quantifier));
        // herd counts the executions that support the condition here, and those in which the proposition holds in the
        // last line.
        let (speak_for, against) = match quantifier {
            Quantifier::NotExists => (negative, positive),
            Quantifier::Exists | Quantifier::ForAll => (positive, negative),
        };
        let _ = writeln!(text, "Positive: {speak_for} Negative: {against}");
        let _ = writeln!(text, "Condition {}", self.condition());
        let observation = outcomes.observation().name();
        let _ = writeln!(text, "Observation {} {observation} {positive} {negative}", self.name);
        text
    }
}

/// How tightly a connective binds, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loosest,
    Or,
    And,
    Implies,
}
