//! How far runs on rubric's simulator and in gem5 agree: which finder detects each mutant, after how many operations,
//! and how often each transition is taken.
//!
//! ```
//! use report::fidelity::Fidelity;
//! use tables::results::Results;
//! use tables::{FidelityRun, Place};
//!
//! let run = |place, finder: Option<&str>| FidelityRun {
//!     protocol: "MI_example".to_owned(),
//!     mutant: Some("a".to_owned()),
//!     place,
//!     finder: finder.map(str::to_owned),
//!     ..FidelityRun::default()
//! };
//! let fidelity = vec![run(Place::Simulator, Some("sc")), run(Place::Gem5, Some("deadlock"))];
//! let fidelity = Fidelity::of(&Results { fidelity, ..Results::default() });
//! assert_eq!(fidelity.agreeing(), (0, 1));
//! assert_eq!(fidelity.found_as_often(), 1);
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::statistics::{Estimate, median};
use fishers_exact::fishers_exact;
use schemars::JsonSchema;
use serde::Serialize;
use tables::results::Results;
use tables::{FidelityRun, Place, TransitionPair};

/// Number of times that the simulator and gem5 must each have taken a transition for its shares to be compared.
pub const COMPARED: u64 = 1000;

/// Relative difference of shares that counts as agreement.
pub const TOLERANCE: f64 = 0.1;

/// The probability below which numbers of findings differ by more than chance.
pub const SIGNIFICANCE: f64 = 0.05;

/// The comparison of the runs on rubric's simulator with those in gem5.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fidelity {
    /// The unmutated protocols and the mutants.
    pub subjects: Vec<SubjectPair>,
    /// The transitions that the unmutated protocols took on the simulator or in gem5.
    pub transitions: Vec<SharePair>,
}

/// The findings about a protocol or mutant on the simulator and in gem5.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SubjectPair {
    /// The protocol.
    pub protocol: String,
    /// The mutant; `None` for the unmutated protocol.
    pub mutant: Option<String>,
    /// The findings on rubric's simulator.
    pub simulator: Findings,
    /// The findings in gem5, with the same programs.
    pub gem5: Findings,
    /// Whether the most frequent finder is the same on the simulator and in gem5.
    pub agrees: bool,
    /// The probability that the shares of runs that found something differ this much by chance alone, if the true
    /// shares are the same on the simulator and in gem5 (Fisher's exact test, two-sided).
    pub by_chance: f64,
}

/// The findings of the runs of a protocol or mutant on the simulator or in gem5.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The number of runs.
    pub runs: u64,
    /// The number of runs in which something was found.
    pub found: u64,
    /// The most frequent finder; `None` if nothing was found.
    pub finder: Option<String>,
    /// The number of runs for each kind of fault, and for each finder of runs without a fault.
    pub finders: BTreeMap<String, u64>,
    /// The median number of operations to detection.
    pub operations: Option<f64>,
    /// The number of transitions taken in all runs.
    pub transitions: u64,
    /// The simulated time of all runs, in ticks.
    pub ticks: u64,
    /// The real time of all runs, in seconds.
    pub seconds: f64,
}

/// A transition of an unmutated protocol, with how often the simulator and gem5 took it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharePair {
    /// The protocol.
    pub protocol: String,
    /// The machine, state and event.
    pub place: [String; 3],
    /// How often rubric's simulator and gem5 took the transition.
    pub counts: [u64; 2],
    /// The same counts as shares of all transitions of the protocol.
    pub shares: [f64; 2],
}

impl SharePair {
    /// The difference of the shares, relative to the larger one.
    pub fn difference(&self) -> f64 {
        let [simulator, gem5] = self.shares;
        let larger = simulator.max(gem5);
        if larger == 0.0 { 0.0 } else { (simulator - gem5).abs() / larger }
    }

    /// Whether the simulator and gem5 took the transition often enough for a comparison.
    pub fn is_compared(&self) -> bool {
        self.counts.iter().all(|&count| count >= COMPARED)
    }
}

impl SubjectPair {
    /// The name in tables: that of the mutant, or `unmutated`.
    pub fn name(&self) -> &str {
        self.mutant.as_deref().unwrap_or("unmutated")
    }
}

impl Fidelity {
    /// Compares the runs of `results` on the simulator and in gem5.
    pub fn of(results: &Results) -> Fidelity {
        let mut subjects: BTreeMap<(&str, Option<&str>), [Vec<&FidelityRun>; 2]> = BTreeMap::new();
        for run in &results.fidelity {
            let both = subjects.entry((&run.protocol, run.mutant.as_deref())).or_default();
            both[usize::from(run.place == Place::Gem5)].push(run);
        }
        let subjects = subjects.into_iter().map(|((protocol, mutant), both)| {
            let [simulator, gem5] = both.map(|runs| Findings::of(&runs));
            SubjectPair {
                protocol: protocol.to_owned(),
                mutant: mutant.map(str::to_owned),
                agrees: simulator.finder == gem5.finder,
                by_chance: by_chance(&simulator, &gem5),
                simulator,
                gem5,
            }
        });
        Fidelity { subjects: subjects.collect(), transitions: shares(&results.transition_pairs) }
    }

    /// Whether there are no runs.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty()
    }

    /// The number of mutants that have the same most frequent finder on the simulator and in gem5, and the number of
    /// mutants.
    pub fn agreeing(&self) -> (usize, usize) {
        let mutants = || self.subjects.iter().filter(|subject| subject.mutant.is_some());
        (mutants().filter(|subject| subject.agrees).count(), mutants().count())
    }

    /// The number of unmutated protocols that have the same most frequent finder on the simulator and in gem5, or none
    /// in both, and the number of these protocols.
    pub fn agreeing_unmutated(&self) -> (usize, usize) {
        let unmutated = || self.subjects.iter().filter(|subject| subject.mutant.is_none());
        (unmutated().filter(|subject| subject.agrees).count(), unmutated().count())
    }

    /// The numbers of runs of unmutated protocols that found something on the simulator and in gem5, and the number of
    /// runs in gem5.
    pub fn found_unmutated(&self) -> [u64; 3] {
        let unmutated = self.subjects.iter().filter(|subject| subject.mutant.is_none());
        unmutated.fold([0; 3], |[here, there, runs], subject| {
            let SubjectPair { simulator, gem5, .. } = subject;
            [here + simulator.found, there + gem5.found, runs + gem5.runs]
        })
    }

    /// The number of mutants whose shares of runs that found something do not differ significantly ([`SIGNIFICANCE`]).
    pub fn found_as_often(&self) -> usize {
        let mutants = self.subjects.iter().filter(|subject| subject.mutant.is_some());
        mutants.filter(|subject| subject.by_chance >= SIGNIFICANCE).count()
    }

    /// The names of the protocols.
    pub fn protocols(&self) -> BTreeSet<&str> {
        self.subjects.iter().map(|subject| &*subject.protocol).collect()
    }

    /// The transitions of a protocol.
    pub fn of_protocol<'a>(&'a self, protocol: &'a str) -> impl Iterator<Item = &'a SharePair> {
        self.transitions.iter().filter(move |pair| pair.protocol == protocol)
    }
}

/// Returns the probability that [`SubjectPair::by_chance`] holds, from the numbers of runs and findings in both places.
fn by_chance(simulator: &Findings, gem5: &Findings) -> f64 {
    let counts = [simulator, gem5].map(|one| [one.found, one.runs - one.found]);
    let [[found, missed], [found_there, missed_there]] = counts.map(|pair| pair.map(|n| n as u32));
    let test = fishers_exact(&[found, missed, found_there, missed_there]);
    // A table without runs, or too large for the test, shows no difference.
    test.map_or(1.0, |probabilities| probabilities.two_tail_pvalue)
}

impl Findings {
    fn of(runs: &[&FidelityRun]) -> Findings {
        let mut findings = Findings { runs: runs.len() as u64, ..Findings::default() };
        let mut main: BTreeMap<&str, u64> = BTreeMap::new();
        let detected = runs.iter().filter_map(|run| run.detected);
        let detected: Vec<Estimate> = detected.map(|at| Estimate::exactly(at.into())).collect();
        for run in runs {
            findings.transitions += run.transitions;
            findings.ticks += run.ticks;
            findings.seconds += run.seconds;
            if let Some(finder) = &run.finder {
                findings.found += 1;
                *main.entry(finder).or_default() += 1;
                let named = run.fault.as_ref().unwrap_or(finder);
                *findings.finders.entry(named.clone()).or_default() += 1;
            }
        }
        // Of several finders with equally many runs, the first by name counts, so that the simulator and gem5 agree on
        // it.
        let most = main.iter().max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)));
        findings.finder = most.map(|(name, _)| (*name).to_owned());
        findings.operations = median(&detected).map(|median| median.low);
        findings
    }
}

/// Computes the shares of the transitions of unmutated protocols.
fn shares(pairs: &[TransitionPair]) -> Vec<SharePair> {
    let mut sums: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    let unmutated = || pairs.iter().filter(|pair| pair.mutant.is_none());
    for pair in unmutated() {
        let sum = sums.entry(&pair.protocol).or_default();
        sum[0] += pair.simulator;
        sum[1] += pair.gem5;
    }
    let share = |pair: &TransitionPair| {
        let (counts, sums) = ([pair.simulator, pair.gem5], sums[&*pair.protocol]);
        let share = |at: usize| counts[at] as f64 / sums[at].max(1) as f64;
        SharePair {
            protocol: pair.protocol.clone(),
            place: [&pair.machine, &pair.state, &pair.event].map(Clone::clone),
            counts,
            shares: [share(0), share(1)],
        }
    };
    unmutated().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(event: &str, simulator: u64, gem5: u64) -> TransitionPair {
        TransitionPair {
            protocol: "MI_example".to_owned(),
            machine: "L1Cache".to_owned(),
            state: "I".to_owned(),
            event: event.to_owned(),
            simulator,
            gem5,
            ..TransitionPair::default()
        }
    }

    #[test]
    fn shares_are_of_the_unmutated_protocol() {
        let mutated = TransitionPair { mutant: Some("a".to_owned()), ..pair("Load", 5, 5) };
        let pairs = vec![pair("Load", 3000, 1000), pair("Store", 1000, 1000), mutated];
        let results = Results { transition_pairs: pairs, ..Results::default() };
        let found = Fidelity::of(&results).transitions;
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].shares, [0.75, 0.5]);
        assert!(found[0].is_compared() && (found[0].difference() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn the_finder_of_most_runs_counts() {
        let run = |number, place, finder: Option<&str>, detected| FidelityRun {
            mutant: Some("a".to_owned()),
            number,
            place,
            finder: finder.map(str::to_owned),
            detected,
            ..FidelityRun::default()
        };
        let fidelity = vec![
            run(0, Place::Simulator, Some("sc"), Some(30)),
            run(1, Place::Simulator, Some("sc"), Some(10)),
            run(2, Place::Simulator, Some("cc"), Some(20)),
            run(0, Place::Gem5, None, None),
            run(1, Place::Gem5, Some("sc"), Some(7)),
        ];
        let found = Fidelity::of(&Results { fidelity, ..Results::default() });
        let subject = &found.subjects[0];
        assert!(subject.agrees);
        assert_eq!((subject.simulator.found, subject.gem5.found), (3, 1));
        assert_eq!(
            (subject.simulator.operations, subject.gem5.operations),
            (Some(20.0), Some(7.0))
        );
        assert_eq!(found.agreeing(), (1, 1));
        // The shares are 3 of 3 and 1 of 2. There are ten ways to choose the simulator's three runs among the five, and
        // four of them avoid the run that found nothing.
        assert!((subject.by_chance - 0.4).abs() < 1e-9, "{}", subject.by_chance);
        assert_eq!(found.found_as_often(), 1);
    }

    #[test]
    fn protocols_without_mutants_count_by_themselves() {
        let run = |place, finder: Option<&str>| FidelityRun {
            place,
            finder: finder.map(str::to_owned),
            ..FidelityRun::default()
        };
        let fidelity = vec![run(Place::Simulator, Some("sc")), run(Place::Gem5, Some("sc"))];
        let found = Fidelity::of(&Results { fidelity, ..Results::default() });
        assert_eq!((found.agreeing(), found.agreeing_unmutated()), ((0, 0), (1, 1)));
        assert_eq!(found.found_unmutated(), [1, 1, 1]);
        assert_eq!(found.subjects[0].name(), "unmutated");
    }
}
