//! Makes findings of runs and explorations: runs of the same finding are grouped, and findings that repairs of released faults explain are
//! known. [`Gathered`] collects the runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use mutate::Mutant;
use rayon::prelude::*;
use simulate::client::Client;
use simulate::recipe::Lineage;
use slicc::protocol::Protocol;

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind, Known, Signature, Witness};
use super::judge::Problem;
use super::known::{VARIATIONS, needed, with};
use super::options::Options;
use super::program::{Bench, Ran};
use super::shrinking::part;
use super::small::{Explored, Shown};
use super::walks::FoundOnWalk;
use crate::error::Error;
use crate::observer::{Observer, Stage};

/// Largest number of runs of a signature whose repairs are determined one by one. Further runs are counted with the most frequent set of
/// repairs.
const ATTRIBUTED: usize = 6;

/// Largest number of runs of a signature that are varied before it counts as known.
const VARIED: usize = 3;

/// The runs and explorations of a test, grouped by the finding that they show.
pub(super) struct Gathered<'a> {
    bench: &'a Bench<'a>,
    options: &'a Options,
    /// New findings: on the protocol as it is, or on the repaired one only.
    new: BTreeMap<(Signature, IsRepaired), Vec<Showing>>,
    /// Findings that all repairs together explain.
    known: BTreeMap<Signature, Vec<Showing>>,
    /// Findings of explorations and of walks, with the commands that show them.
    explored: Vec<(String, Shown)>,
    compiled: HashMap<Vec<String>, Option<Protocol>>,
}

type IsRepaired = bool;

/// Names of repairs, and the runs that need them.
type Attributed = (Vec<String>, Vec<Showing>);

/// A run that shows a finding.
#[derive(Clone)]
struct Showing {
    client: Client,
    lineage: Lineage,
    operations: usize,
    ended: Instant,
    problem: Problem,
    /// Whether the same program shows nothing on the repaired protocol, so that a released fault may be what this run shows.
    may_be_known: bool,
}

impl<'a> Gathered<'a> {
    /// Creates an empty collection.
    pub(super) fn new(bench: &'a Bench<'a>, options: &'a Options) -> Gathered<'a> {
        Gathered {
            bench,
            options,
            new: BTreeMap::new(),
            known: BTreeMap::new(),
            explored: Vec::new(),
            compiled: HashMap::new(),
        }
    }

    /// Adds what a run shows. A problem that the repaired protocol shows, too, is new. One that only the protocol as it is shows is
    /// known if the repaired run is clean. If the repaired run shows another problem, that one is reported as new, and the first one is not, since
    /// its cause is open.
    pub(super) fn add_run(&mut self, ran: &Ran) {
        let showing = |problem: &Problem, may_be_known: bool| Showing {
            client: ran.client,
            lineage: ran.lineage.clone(),
            operations: ran.operations,
            ended: ran.ended,
            problem: problem.clone(),
            may_be_known,
        };
        let has = |problems: &[Problem], signature: &Signature| {
            problems.iter().any(|one| one.signature == *signature)
        };
        let is_clean = ran.left.iter().all(|one| one.signature.kind == FindingKind::Warning);
        for problem in &ran.problems {
            let signature = problem.signature.clone();
            if self.bench.repaired.applied.is_empty() || has(&ran.left, &problem.signature) {
                self.new.entry((signature, false)).or_default().push(showing(problem, false));
            } else if is_clean {
                self.known.entry(signature).or_default().push(showing(problem, true));
            }
        }
        for problem in ran.left.iter().filter(|one| !has(&ran.problems, &one.signature)) {
            let key = (problem.signature.clone(), true);
            self.new.entry(key).or_default().push(showing(problem, false));
        }
    }

    /// Moves findings from known to new that occur with all repairs after all: in another run, or in a variation of a program. Repairs
    /// change the timing, so one program may be clean with them by chance.
    ///
    /// # Errors
    /// Fails if a repeated run fails.
    fn doubt_known(&mut self, observer: &dyn Observer) -> Result<(), Error> {
        let signatures: Vec<Signature> = self.known.keys().cloned().collect();
        for signature in signatures {
            let mut keys = [false, true].into_iter().map(|repaired| (signature.clone(), repaired));
            let new = keys.find(|key| self.new.contains_key(key));
            let Some(runs) = self.known.get(&signature) else { continue };
            let (key, shown) = match new {
                Some(key) => (key, None),
                None => ((signature.clone(), true), self.shown_with_repairs(&signature, runs)?),
            };
            if shown.is_some() || self.new.contains_key(&key) {
                let runs = self.known.remove(&signature).unwrap_or_default();
                self.new.entry(key).or_default().extend(shown.into_iter().chain(runs));
            }
            observer.advance();
        }
        Ok(())
    }

    /// The first variation of some runs of a signature that shows the signature with all repairs; none if no variation does.
    fn shown_with_repairs(
        &self,
        signature: &Signature,
        runs: &[Showing],
    ) -> Result<Option<Showing>, Error> {
        let variations = runs.iter().take(VARIED).flat_map(|run| {
            (0..VARIATIONS).map(move |seed| Showing {
                lineage: run.lineage.vary(seed),
                may_be_known: false,
                ..run.clone()
            })
        });
        let protocol = &self.bench.repaired.protocol;
        let shown = variations.collect::<Vec<_>>().into_par_iter().map(|varied| {
            let simulated = self.bench.simulate(protocol, varied.client, &varied.lineage)?;
            let problem = simulated.problems.into_iter().find(|one| one.signature == *signature);
            Ok(problem.map(|problem| Showing { problem, ..varied }))
        });
        let shown = shown.collect::<Result<Vec<Option<Showing>>, Error>>()?;
        Ok(shown.into_iter().flatten().next())
    }

    /// Adds the findings of an exploration.
    pub(super) fn add_exploration(&mut self, explored: &Explored) {
        let shown = explored.problems.iter().cloned();
        self.explored.extend(shown.map(|shown| {
            let repairs = self.bench.repairs(shown.is_repaired);
            let given = &self.bench.opened.given;
            (explored.system.command(given, self.options, repairs), shown)
        }));
    }

    /// Adds a finding of an exploration of another kind, with the command that shows it.
    pub(super) fn add_shown(&mut self, command: String, shown: Shown) {
        self.explored.push((command, shown));
    }

    /// Adds the findings of walks.
    pub(super) fn add_walks(&mut self, found: Vec<FoundOnWalk>) {
        self.explored.extend(found.into_iter().map(|one| (one.command, one.shown)));
    }

    /// The findings: new ones before known ones, each group with the worst first.
    ///
    /// # Errors
    /// Fails if a repeated run fails.
    pub(super) fn findings(mut self, observer: &dyn Observer) -> Result<Vec<Finding>, Error> {
        observer.begin(Stage::Findings);
        observer.total((2 * self.known.len() + self.new.len()) as u64);
        self.doubt_known(observer)?;
        let mut groups: BTreeMap<(Option<Known>, Signature, IsRepaired), Vec<Showing>> =
            BTreeMap::new();
        // A finding of the protocol as it is, is not reported again for the repaired protocol.
        let plain: BTreeSet<Signature> =
            self.new.keys().filter(|key| !key.1).map(|key| key.0.clone()).collect();
        for ((signature, is_repaired), runs) in std::mem::take(&mut self.new) {
            if !is_repaired || !plain.contains(&signature) {
                groups.insert((None, signature, is_repaired), runs);
            }
        }
        for (signature, runs) in std::mem::take(&mut self.known) {
            for (repairs, runs) in self.attribute(&signature, runs)? {
                groups.insert((Some(Known::by(repairs)), signature.clone(), false), runs);
            }
            observer.advance();
        }
        let mut findings = Vec::new();
        for ((known, _, is_repaired), runs) in groups {
            let is_new = known.is_none();
            findings.push(self.finding(known, is_repaired, &runs)?);
            if is_new {
                observer.advance();
            }
        }
        observer.end();
        for (command, shown) in std::mem::take(&mut self.explored) {
            add_shown(&mut findings, command, shown);
        }
        let mut findings = without_doubtful(findings);
        findings.sort_by(|a, b| {
            let key =
                |one: &Finding| (one.known.is_some(), one.signature.clone(), one.known.clone());
            key(a).cmp(&key(b))
        });
        Ok(findings)
    }

    /// Groups the runs of a signature by the repairs that they need.
    fn attribute(
        &mut self,
        signature: &Signature,
        runs: Vec<Showing>,
    ) -> Result<Vec<Attributed>, Error> {
        let mut groups: Vec<Attributed> = Vec::new();
        let repairs: Vec<Mutant> = self.bench.repaired.applied.clone();
        for (at, run) in runs.into_iter().enumerate() {
            // When the time for work is over, only the first run is analysed.
            if at >= ATTRIBUTED || (at > 0 && !self.bench.deadlines.is_working()) {
                if let Some((_, runs)) = largest(&mut groups) {
                    runs.push(run);
                }
                continue;
            }
            let tried: Vec<Vec<String>> = groups.iter().map(|(names, _)| names.clone()).collect();
            let mut names =
                needed(&repairs, &tried, &mut |some| self.is_clean(some, signature, &run))?;
            if self.bench.deadlines.is_over() {
                names.clear();
            }
            match groups.iter_mut().find(|(known, _)| *known == names) {
                Some((_, runs)) => runs.push(run),
                None => groups.push((names, vec![run])),
            }
        }
        Ok(groups)
    }

    /// Whether a run does not show a finding on the protocol with some repairs, nor anything else but warnings.
    fn is_clean(
        &mut self,
        repairs: &[&Mutant],
        signature: &Signature,
        run: &Showing,
    ) -> Result<bool, Error> {
        if self.bench.deadlines.is_over() {
            return Ok(false);
        }
        let names: Vec<String> = repairs.iter().map(|one| one.name.to_string()).collect();
        let original = &self.bench.opened.protocol;
        let protocol = self.compiled.entry(names).or_insert_with(|| with(original, repairs));
        let Some(protocol) = protocol else {
            return Ok(false);
        };
        Ok(self.bench.simulate(protocol, run.client, &run.lineage)?.is_free_of(signature))
    }

    /// The finding that some runs show. One run represents it: if possible, one that no released fault explains and whose accesses are
    /// whole words, since others are split into bytes, which makes evidence harder to read; of these the one with the fewest operations.
    fn finding(
        &self,
        known: Option<Known>,
        is_repaired: IsRepaired,
        runs: &[Showing],
    ) -> Result<Finding, Error> {
        let first = runs
            .iter()
            .min_by_key(|run| (run.may_be_known, run.lineage.extras().partial > 0, run.operations));
        let Some(first) = first else { unreachable!("a finding has a run") };
        let protocol =
            if is_repaired { &self.bench.repaired.protocol } else { &self.bench.opened.protocol };
        let Problem { signature, message, source, recent } = first.problem.clone();
        let part = match signature.kind {
            FindingKind::Violation(model, _) => {
                part(self.bench, protocol, first.client, &first.lineage, model.0)?
            }
            _ => None,
        };
        let clients: BTreeSet<String> = runs.iter().map(|run| run.client.to_string()).collect();
        Ok(Finding {
            source,
            signature,
            message,
            clients: clients.into_iter().collect(),
            seen: runs.len() as u32,
            also: Vec::new(),
            first: runs.iter().map(|run| run.ended).min().unwrap_or(first.ended),
            change: None,
            witness: Some(Witness {
                client: first.client,
                lineage: first.lineage.clone(),
                is_repaired,
            }),
            command: self.bench.command(first.client, &first.lineage, is_repaired),
            known,
            evidence: part.unwrap_or(Evidence::Recent(recent)),
        })
    }
}

/// Adds a finding of an exploration or a walk: to the same finding of runs, if there is one. A short run of a small system is better evidence
/// than the last transitions of a long one.
fn add_shown(findings: &mut Vec<Finding>, command: String, shown: Shown) {
    let Shown { problem, steps, is_shortest, notes, known, is_settled, first, .. } = shown;
    let Problem { signature, message, source, .. } = problem;
    let known = known.map(Known::by);
    // If it is not known whether the finding is new, the runs decide.
    let is_same =
        |one: &&mut Finding| one.signature == signature && (one.known == known || !is_settled);
    let same = findings.iter_mut().find(is_same);
    match same {
        Some(finding) => {
            finding.seen += 1;
            finding.first = finding.first.min(first);
            if let Evidence::Recent(_) = finding.evidence {
                finding.message = message;
                finding.evidence = Evidence::Steps { steps, is_shortest, notes };
                finding.command = command;
            }
        }
        None => findings.push(Finding {
            source,
            signature,
            message,
            clients: Vec::new(),
            seen: 1,
            also: Vec::new(),
            first,
            change: None,
            witness: None,
            command,
            known,
            evidence: Evidence::Steps { steps, is_shortest, notes },
        }),
    }
}

/// The group with the most runs; of several with equally many, the first.
fn largest(groups: &mut [Attributed]) -> Option<&mut Attributed> {
    // `max_by_key` returns the last of several maxima.
    groups.iter_mut().rev().max_by_key(|(_, runs)| runs.len())
}

/// Merges known findings into a new one with the same signature: the new one has a cause that repairs do not remove, so the cause of the
/// others is uncertain.
fn without_doubtful(findings: Vec<Finding>) -> Vec<Finding> {
    let (mut new, known): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|one| one.known.is_none());
    let mut certain = Vec::new();
    for finding in known {
        match new.iter_mut().find(|one| one.signature == finding.signature) {
            Some(one) => one.absorb(finding),
            None => certain.push(finding),
        }
    }
    new.append(&mut certain);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(place: &str, known: Option<&str>) -> Finding {
        let signature =
            Signature { kind: FindingKind::UndefinedTransition, place: place.to_owned() };
        Finding {
            clients: vec![format!("client of {known:?}")],
            seen: 2,
            known: known.map(|repair| Known::by(vec![repair.to_owned()])),
            ..Finding::plain(signature)
        }
    }

    #[test]
    fn a_signature_that_is_new_is_not_known_as_well() {
        let all = vec![
            finding("a", None),
            finding("b", Some("x")),
            finding("a", Some("x")),
            finding("b", Some("y")),
        ];
        let left = without_doubtful(all);
        let shown: Vec<_> =
            left.iter().map(|one| (&*one.signature.place, one.known.is_some(), one.seen)).collect();
        assert_eq!(shown, [("a", false, 4), ("b", true, 2), ("b", true, 2)]);
        assert_eq!(left[0].clients.len(), 2);
    }

    #[test]
    fn the_first_of_several_largest_groups_is_taken() {
        let showing = Showing {
            client: Client::IN_ORDER,
            lineage: Lineage::root(1),
            operations: 1,
            ended: Instant::now(),
            problem: Problem {
                signature: finding("a", None).signature,
                message: String::new(),
                source: None,
                recent: Vec::new(),
            },
            may_be_known: true,
        };
        let group = |repair: &str, runs| (vec![repair.to_owned()], vec![showing.clone(); runs]);
        let mut groups = [group("x", 1), group("y", 2), group("z", 2)];
        let (repairs, _) = largest(&mut groups).unwrap();
        assert_eq!(*repairs, ["y"]);
    }

    #[test]
    fn causes_of_one_finding_are_told_together() {
        let mut one = finding("a", Some("x"));
        one.absorb(finding("a", Some("y")));
        one.absorb(finding("a", Some("y")));
        let known = one.known.unwrap();
        assert_eq!(known.sets().collect::<Vec<_>>(), [&["x"], &["y"]]);
        assert_eq!((known.all(), one.seen), (vec!["x", "y"], 6));
    }
}
