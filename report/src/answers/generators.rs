//! Compares guided programs with unguided (*blind*) ones: the number of runs that it takes to find the named mutants.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Campaign, Mutant, Scope};
use crate::statistics::{Estimate, median};
use tables::{CampaignRun, Generator};

/// The operator of named mutants in the rows of runs.
const NAMED: &str = "named";

/// The number of runs until each generator finds a named mutant with a client.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The protocol.
    pub protocol: String,
    /// The mutant.
    pub mutant: String,
    /// The cores.
    pub client: String,
    /// The runs with unguided programs; `None` if there are none.
    pub blind: Option<Effort>,
    /// The runs with guided programs; `None` if there are none.
    pub guided: Option<Effort>,
    /// The ratio of the medians of blind and guided programs, if both are known.
    pub gain: Option<f64>,
}

/// Runs until the first detection, over the repetitions of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Effort {
    /// The number of repetitions.
    pub repetitions: u64,
    /// The number of repetitions in which the mutant was found.
    pub detected: u64,
    /// The number of runs in all repetitions.
    pub runs: u64,
    /// The median number of runs up to the first that finds the mutant. Repetitions that do not find the mutant count
    /// as longer than all others; `None` if the median is one of these.
    pub median: Option<f64>,
}

/// A repetition: the number of its runs, and the number of the first that found the mutant, from 1.
#[derive(Clone, Copy, Default)]
struct Repetition {
    runs: u64,
    first: Option<u64>,
}

/// The repetitions of a generator, by number.
type Repetitions = BTreeMap<u32, Repetition>;

/// The comparisons, by protocol, mutant and client.
pub(super) fn comparisons(campaign: &Campaign<'_>) -> Vec<Comparison> {
    let mut bugs: BTreeMap<(Mutant<'_>, &str), BTreeMap<Generator, Repetitions>> = BTreeMap::new();
    let named = |run: &CampaignRun| run.operator.as_deref() == Some(NAMED);
    for (mutant, run) in campaign.tried(&Scope::All).filter(|(_, run)| named(run)) {
        let bug = bugs.entry((mutant, &run.client)).or_default();
        let repetitions = bug.entry(run.generator).or_default();
        let repetition = repetitions.entry(run.repetition).or_default();
        repetition.add(run, campaign.detects(run));
    }
    let comparison = |(((protocol, mutant), client), generators): ((Mutant<'_>, &str), _)| {
        compare(protocol, mutant, client, &generators)
    };
    bugs.into_iter().map(comparison).collect()
}

impl Repetition {
    fn add(&mut self, run: &CampaignRun, detects: bool) {
        self.runs += 1;
        if detects {
            let number = u64::from(run.number) + 1;
            self.first = Some(self.first.map_or(number, |first| first.min(number)));
        }
    }
}

fn compare(
    protocol: &str,
    mutant: &str,
    client: &str,
    generators: &BTreeMap<Generator, Repetitions>,
) -> Comparison {
    let of = |generator| generators.get(&generator).map(effort);
    let (blind, guided) = (of(Generator::Blind), of(Generator::Guided));
    let median = |effort: Option<Effort>| effort.and_then(|effort| effort.median);
    Comparison {
        protocol: protocol.to_owned(),
        mutant: mutant.to_owned(),
        client: client.to_owned(),
        gain: median(blind).zip(median(guided)).map(|(blind, guided)| blind / guided),
        blind,
        guided,
    }
}

fn effort(repetitions: &Repetitions) -> Effort {
    let firsts = repetitions.values().map(|repetition| match repetition.first {
        Some(number) => Estimate::exactly(number as f64),
        None => Estimate::at_least(f64::INFINITY),
    });
    let firsts: Vec<Estimate> = firsts.collect();
    Effort {
        repetitions: firsts.len() as u64,
        detected: firsts.iter().filter(|first| !first.is_open()).count() as u64,
        runs: repetitions.values().map(|repetition| repetition.runs).sum(),
        median: median(&firsts).filter(|median| !median.is_open()).map(|median| median.low),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Row, answers, run, violation};
    use super::*;

    /// The runs of a repetition, of which those with these numbers find the mutant.
    fn repetition(bug: &str, generator: Generator, at: u32, runs: u32, finds: &[u32]) -> Vec<Row> {
        let rows = (0..runs).map(|number| {
            if finds.contains(&number) {
                violation(bug, "named", "in-order", &["sc"])
            } else {
                run(bug, "named", "in-order")
            }
        });
        let rows = (0..).zip(rows);
        rows.map(|(number, row)| row.numbered(generator, at, number)).collect()
    }

    #[test]
    fn runs_until_the_first_detection() {
        let (blind, guided) = (Generator::Blind, Generator::Guided);
        let mut rows = [
            repetition("a", blind, 0, 20, &[9]),
            repetition("a", blind, 1, 20, &[]),
            repetition("a", blind, 2, 20, &[19]),
            repetition("a", guided, 0, 5, &[4, 3]),
            repetition("a", guided, 1, 7, &[5]),
            repetition("b", guided, 0, 3, &[]),
            repetition("c", blind, 0, 1, &[]),
        ]
        .concat();
        rows.reverse();
        rows.push(violation("d", "drop-action", "in-order", &["sc"]));
        let found = answers(&rows, &[]).generators;
        let [a, b, c] = &found[..] else { panic!("{found:?}") };
        let numbers = |effort: Option<Effort>| {
            effort.map(|effort| (effort.repetitions, effort.detected, effort.runs, effort.median))
        };
        // The first detections: blind in run 10, never, and in run 20; guided in runs 4 and 6.
        assert_eq!(numbers(a.blind), Some((3, 2, 60, Some(20.0))));
        assert_eq!(numbers(a.guided), Some((2, 2, 12, Some(5.0))));
        assert_eq!(a.gain, Some(4.0));
        assert_eq!((numbers(b.blind), numbers(b.guided)), (None, Some((1, 0, 3, None))));
        assert_eq!((b.gain, c.gain, c.guided), (None, None, None));
        assert_eq!((a.mutant.as_str(), a.client.as_str()), ("a", "in-order"));
    }
}
