//! Hints at runs that would find the mutants that nothing found, as far as such runs are known.

use std::collections::BTreeMap;

use crate::answers::{Answers, CaughtMutant, Survivor};

/// The knowledge about undetected mutants that a campaign and the table of named mutants give.
pub(crate) struct Hints<'a> {
    known: &'a BTreeMap<String, String>,
    /// The mutants that were found, by protocol and place.
    found: BTreeMap<(&'a str, &'a str), Vec<&'a CaughtMutant>>,
}

impl<'a> Hints<'a> {
    /// Collects the knowledge from a campaign. `known` says for some named mutants how their fault can be detected.
    pub(crate) fn of(answers: &'a Answers, known: &'a BTreeMap<String, String>) -> Hints<'a> {
        let mut found: BTreeMap<_, Vec<&CaughtMutant>> = BTreeMap::new();
        for one in &answers.caught {
            if let Some(place) = place(&one.mutant) {
                found.entry((one.protocol.as_str(), place)).or_default().push(one);
            }
        }
        Hints { known, found }
    }

    /// Says which runs would find a mutant, in a sentence without its full stop; `not known` if there is no hint.
    pub(crate) fn about(&self, one: &Survivor) -> String {
        if let Some(known) = self.known.get(&one.mutant) {
            return known.clone();
        }
        if one.covered == Some(0) {
            return "programs that take the edited transition: none of these runs did".to_owned();
        }
        let same = place(&one.mutant).and_then(|place| self.found.get(&(&*one.protocol, place)));
        match same {
            Some(others) => {
                let by = others.iter().filter_map(|other| other.finders.last().copied());
                let mut by: Vec<&str> = by.collect();
                by.sort_unstable();
                by.dedup();
                let by = by.join(", ");
                format!(
                    "not known; others at the same place were found ({}), by {by}",
                    others.len()
                )
            }
            None => "not known".to_owned(),
        }
    }
}

/// The place that a generated mutant edits, which is the part of its id before the operator; `None` for a named mutant.
fn place(mutant: &str) -> Option<&str> {
    let (place, _) = mutant.rsplit_once('/')?;
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_comes_first() {
        let mut answers = Answers::of(&[], &[], &|_, _| true);
        answers.caught = vec![CaughtMutant {
            protocol: "P".to_owned(),
            mutant: "P/L1/I.Load/drop-action:a".to_owned(),
            operator: "drop-action".to_owned(),
            outcome: "deadlock",
            finders: vec!["sc", "deadlock"],
            clients: Vec::new(),
            runs: 1,
            command: String::new(),
        }];
        let known = BTreeMap::from([("p-fault".to_owned(), "a directory".to_owned())]);
        let hints = Hints::of(&answers, &known);
        let about = |mutant: &str, covered| {
            let (protocol, mutant) = ("P".to_owned(), mutant.to_owned());
            hints.about(&Survivor { protocol, mutant, covered, ..Survivor::default() })
        };
        assert_eq!(about("p-fault", Some(0)), "a directory");
        assert!(about("P/L1/I.Load/other:b", Some(0)).starts_with("programs that take"));
        let same = about("P/L1/I.Load/other:b", Some(3));
        assert_eq!(same, "not known; others at the same place were found (1), by deadlock");
        assert_eq!(about("P/L1/M.Load/other:b", None), "not known");
    }
}
