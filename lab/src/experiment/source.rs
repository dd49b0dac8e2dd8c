//! Makes the histories of an experiment from recipes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use check::generate::{self, repointed, without_order};
use check::{Bounds, Model, Options, Verdict, decide};
use history::{Ambiguity, History, ReadsFrom};
use sha2::{Digest, Sha256};
use simulate::client::Client;
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use slicc::builtin::BUILTINS;
use slicc::protocol::Protocol;

use super::catalog::words;
use super::point::{Fault, Origin, Recipe};
use crate::error::Error;
use crate::protocols::Opened;
use crate::protocols::plan;

/// A generated history, and how it was made.
pub(super) struct Made {
    /// The history itself.
    pub history: History,
    /// The source of each read.
    pub reads_from: ReadsFrom,
    /// Seed of the pseudo-random generator.
    pub seed: u64,
    /// `simulated`, `mutant` or `machine`.
    pub source: &'static str,
    /// The protocol that ran; none for an operational machine.
    pub run: Option<Run>,
    /// Seconds that it took to make, including runs that were discarded.
    pub seconds: f64,
}

/// The protocol, mutant and cores of a run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// A built-in name, or the path of a `.slicc` file.
    pub protocol: String,
    /// The mutant, if there is one.
    pub mutant: Option<&'static str>,
    /// The kind of core.
    pub client: Client,
}

/// Makes histories, and keeps the protocols that it has opened.
#[derive(Default)]
pub(super) struct Maker {
    /// The protocols that make histories, in turn; the built-in ones if empty.
    protocols: Vec<String>,
    opened: Mutex<HashMap<Name, Arc<Protocol>>>,
}

/// A protocol and its mutant.
type Name = (String, Option<&'static str>);

/// Runs of a mutant without a violation after which the next mutant is tried.
const RUNS_PER_MUTANT: u32 = 40;
/// Runs after which the search for a violation ends with an error.
const MAX_RUNS: u32 = 4000;
/// Attempts at a history in which a protocol that the user chose may fail. Such runs are discarded, since released protocols have faults; a
/// failure in a later attempt is an error.
const FAILED_RUNS: u32 = 50;
/// Ticks without an answer that count as a deadlock. No correct protocol takes that long, however many cores wait for one line.
const DEADLOCK_THRESHOLD_TICKS: u64 = 100_000_000;

impl Maker {
    /// Makes histories with these protocols; with the built-in ones if there are none.
    pub(super) fn new(protocols: &[String]) -> Maker {
        Maker { protocols: protocols.to_vec(), ..Maker::default() }
    }

    /// The protocol of the history with a number.
    fn protocol(&self, number: u32) -> String {
        let number = number as usize;
        match self.protocols.len() {
            0 => BUILTINS[number % BUILTINS.len()].name.to_owned(),
            some => self.protocols[number % some].clone(),
        }
    }

    /// The number of reads that are re-pointed in the history with a number.
    pub(super) fn repointed(&self, recipe: &Recipe, number: u32) -> u32 {
        let protocols = match self.protocols.len() {
            0 => BUILTINS.len(),
            some => some,
        };
        recipe.repointed(number, protocols as u32)
    }

    /// Makes the history with a number, from a recipe and the seed of the experiment.
    ///
    /// # Errors
    /// Fails if an unmutated protocol cannot be opened or fails, or if no run violates SC where a violation is wanted. A protocol that the
    /// user chose may fail in the first attempts.
    pub(super) fn make(&self, recipe: &Recipe, number: u32, seed: u64) -> Result<Made, Error> {
        let start = Instant::now();
        let repointed = self.repointed(recipe, number);
        let wants_violation = repointed > 0 || matches!(recipe.origin, Origin::Mutants(_));
        let mut failed = 0;
        for attempt in 0..MAX_RUNS {
            let seed = seed_of_run(recipe, repointed, number, seed, attempt);
            let (run, history) = match self.attempt(recipe, number, seed, attempt, failed) {
                Err(Error::Failed { .. })
                    if !self.protocols.is_empty() && attempt < FAILED_RUNS =>
                {
                    failed += 1;
                    continue;
                }
                other => other?,
            };
            let Some(history) = history else {
                continue;
            };
            let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared)
                .map_err(|twice| Error::MadeTwice(Box::new(twice)))?;
            if !wants_violation || is_violation(&history, &reads_from) {
                return Ok(Made {
                    history,
                    reads_from,
                    seed,
                    source: match recipe.origin {
                        Origin::Machine(_) => "machine",
                        Origin::Mutants(_) => "mutant",
                        Origin::Protocols(_) => "simulated",
                    },
                    run,
                    seconds: start.elapsed().as_secs_f64(),
                });
            }
        }
        Err(Error::NoViolation { tried: MAX_RUNS, recipe: format!("{recipe:?}"), number })
    }

    /// Makes one run; `failed` of the attempts before it failed. Returns no history if a mutant failed, or if there are too few reads to
    /// re-point.
    fn attempt(
        &self,
        recipe: &Recipe,
        number: u32,
        seed: u64,
        attempt: u32,
        failed: u32,
    ) -> Result<(Option<Run>, Option<History>), Error> {
        let run = match recipe.origin {
            Origin::Machine(model) => return Ok((None, Some(machine(recipe, model, seed)?))),
            Origin::Protocols(client) => {
                Run { protocol: self.protocol(number), mutant: None, client }
            }
            Origin::Mutants(faults) => {
                let at = (number + attempt / RUNS_PER_MUTANT) as usize % faults.len();
                let Fault { protocol, mutant, client } = faults[at];
                Run { protocol: protocol.to_owned(), mutant: Some(mutant), client }
            }
        };
        let protocol = self.open(&run.protocol, run.mutant)?;
        let advice = if self.protocols.is_empty() {
            "please report this".to_owned()
        } else {
            format!("{failed} of the {attempt} runs before failed, too: `rubric test` says why")
        };
        let history = simulated(&protocol, recipe, &run, seed, advice)?;
        let reads = self.repointed(recipe, number);
        let history = match history {
            // A run with too few reads that can be re-pointed is discarded.
            Some(history) if reads > 0 => repointed(&history, reads, recipe.distance(), seed).ok(),
            other => other,
        };
        Ok((Some(run), history))
    }

    /// Opens a protocol or a mutant of it, once.
    ///
    /// # Errors
    /// Fails if it cannot be opened.
    pub(super) fn open(
        &self,
        protocol: &str,
        mutant: Option<&'static str>,
    ) -> Result<Arc<Protocol>, Error> {
        let key = (protocol.to_owned(), mutant);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(protocol) = opened.get(&key) {
            return Ok(Arc::clone(protocol));
        }
        let protocol = Arc::new(Opened::new(protocol, mutant)?.protocol);
        opened.insert(key, Arc::clone(&protocol));
        Ok(protocol)
    }
}

/// The seed of a run. It depends on the recipe and not on the experiment, so experiments with the same recipe have the same histories.
fn seed_of_run(recipe: &Recipe, repointed: u32, number: u32, seed: u64, attempt: u32) -> u64 {
    let origin = match recipe.origin {
        Origin::Machine(model) => model.name().to_owned(),
        Origin::Protocols(client) => client.to_string(),
        Origin::Mutants(faults) => faults.iter().map(|fault| fault.mutant).collect(),
    };
    let text = format!(
        "{seed} {origin} {} {} {} {} {} {} {number} {attempt}",
        recipe.threads,
        recipe.operations,
        recipe.locations,
        words(recipe.mix),
        repointed,
        recipe.distance(),
    );
    let digest = Sha256::digest(text);
    // 32 bits, so that the seed is easy to type.
    digest.iter().take(4).fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// Whether a history violates SC.
fn is_violation(history: &History, reads_from: &ReadsFrom) -> bool {
    let outcome = decide(history, reads_from, Model::SC, &Options::default(), &Bounds::none());
    matches!(outcome.verdict, Verdict::Violation(_) | Verdict::Unproved)
}

/// A history of an operational machine, without ticks and order of completions.
fn machine(recipe: &Recipe, model: Model, seed: u64) -> Result<History, Error> {
    let history = generate::generate(&generate::Recipe {
        model,
        threads: recipe.threads,
        operations: recipe.operations,
        locations: recipe.locations,
        mix: recipe.mix,
        seed,
        ..generate::Recipe::default()
    })
    .map_err(|error| Error::Recipe { seed, error })?;
    Ok(without_order(&history)?)
}

/// The history of a protocol's run; none if a mutant failed, since then the run is not complete.
fn simulated(
    protocol: &Protocol,
    recipe: &Recipe,
    run: &Run,
    seed: u64,
    advice: String,
) -> Result<Option<History>, Error> {
    let mix = recipe.mix;
    let accesses = (mix.loads + mix.stores).max(1);
    let simulation = Simulation {
        shape: ProgramSize {
            threads: recipe.threads,
            operations: (recipe.operations / recipe.threads).max(1),
            locations: recipe.locations,
            reads: (100 * mix.loads + accesses / 2) / accesses,
            rmws: mix.rmws,
            fences: mix.fences,
            seed,
            ..ProgramSize::default()
        },
        client: run.client,
        options: simulate::config::Options::default(),
        deadlock_threshold: run.mutant.is_none().then_some(DEADLOCK_THRESHOLD_TICKS),
    };
    let title = protocol.title();
    let plan = plan(protocol, &title, &simulation)?;
    let ran = simulation.run(protocol, &plan, None);
    let ran = ran.map_err(Error::run(&title))?;
    match &ran.fault {
        Some(_) if run.mutant.is_some() => return Ok(None),
        Some(fault) => {
            return Err(Error::Failed {
                protocol: title,
                fault: fault.message.clone(),
                command: command(run, &simulation),
                advice,
            });
        }
        None => {}
    }
    let history = ran.history().map_err(Error::run(&title))?;
    Ok(Some(history))
}

/// The command that reproduces a run of an unmutated protocol.
fn command(run: &Run, simulation: &Simulation) -> String {
    let shape = &simulation.shape;
    format!(
        "rubric simulate {} --threads {} --operations {} --locations {} --client {} --reads {} --rmws {} --fences {} \
         --deadlock-threshold {DEADLOCK_THRESHOLD_TICKS} --seed {}",
        run.protocol,
        shape.threads,
        shape.operations,
        shape.locations,
        run.client,
        shape.reads,
        shape.rmws,
        shape.fences,
        shape.seed
    )
}

#[cfg(test)]
mod tests {
    use super::super::catalog::faults::{ALL_FAULTS, MI_FAULTS, REORDERED};
    use super::super::point::Size;
    use super::*;

    /// The first histories of a recipe with these mutants.
    fn made(faults: &'static [Fault], count: u32) -> Vec<Made> {
        let recipe = super::super::catalog::mutated(faults, 4);
        let maker = Maker::default();
        let made = (0..count).map(|number| maker.make(&recipe, number, 1));
        made.collect::<Result<_, _>>().unwrap()
    }

    /// Each mutant has its turn, and shows a violation before the next one is tried.
    #[test]
    fn every_fault_shows() {
        for faults in [&MI_FAULTS[..], &REORDERED, &ALL_FAULTS] {
            for (number, made) in made(faults, faults.len() as u32).iter().enumerate() {
                let run = made.run.as_ref().unwrap();
                assert_eq!(run.mutant, Some(faults[number].mutant));
                assert!(is_violation(&made.history, &made.reads_from));
            }
        }
    }

    #[test]
    fn experiments_on_the_same_histories_have_the_same() {
        let of = |name: &str| {
            let mut all = super::super::catalog::EXPERIMENTS.into_iter();
            let found = all.find(|one| one.name == name).unwrap();
            let points = found.points(Size::Quick);
            let maker = Maker::default();
            let hashes = points.iter().filter_map(|point| match &point.source {
                super::super::point::Source::Made(recipe) => {
                    Some(maker.make(recipe, 3, 1).unwrap().history.digest())
                }
                _ => None,
            });
            hashes.collect::<Vec<String>>()
        };
        assert_eq!(of("gcc-fig4"), of("gcc-fig6"));
        assert_ne!(of("gcc-fig4"), of("gcc-fig5"));
    }
}
