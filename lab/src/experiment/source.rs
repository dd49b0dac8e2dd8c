//! Where the histories of an experiment come from.

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

/// A history, and what it was made of.
pub struct Made {
    /// The history itself.
    pub history: History,
    /// The source of each read.
    pub reads_from: ReadsFrom,
    /// Seed of the pseudo-random generator.
    pub seed: u64,
    /// `simulated`, `mutant` or `machine`.
    pub source: &'static str,
    /// What ran, unless a machine did.
    pub run: Option<Run>,
    /// Seconds that it took, runs that were of no use included.
    pub seconds: f64,
}

/// What ran.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// A built-in protocol.
    pub protocol: &'static str,
    /// What is wrong with it, if anything is.
    pub mutant: Option<&'static str>,
    /// The cores.
    pub client: Client,
}

/// Protocols that were opened once.
#[derive(Default)]
pub struct Sources {
    opened: Mutex<HashMap<Name, Arc<Protocol>>>,
}

/// A protocol and its mutant.
type Name = (&'static str, Option<&'static str>);

/// Runs in a row with a mutant that showed no violation, until the next mutant has a try.
const PATIENCE: u32 = 40;
/// Runs altogether.
const MOST: u32 = 4000;
/// Ticks without an answer that are a deadlock: as many that no protocol that is right meets them, however
/// many cores wait for one line.
const DEADLOCK: u64 = 100_000_000;

impl Sources {
    /// Makes the history of a recipe with this number.
    ///
    /// # Errors
    /// A protocol fails without a fault put in, or no run violates SC where one is wanted: defects.
    pub fn make(&self, recipe: &Recipe, number: u32, seed: u64) -> Result<Made, Error> {
        let start = Instant::now();
        let wants_violation =
            recipe.repointed(number) > 0 || matches!(recipe.origin, Origin::Mutants(_));
        for attempt in 0..MOST {
            let seed = mixed(recipe, number, seed, attempt);
            let (run, history) = self.attempt(recipe, number, seed, attempt)?;
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
        Err(Error::NoViolation { tried: MOST, recipe: format!("{recipe:?}"), number })
    }

    /// A history, or none if what ran came to nothing.
    fn attempt(
        &self,
        recipe: &Recipe,
        number: u32,
        seed: u64,
        attempt: u32,
    ) -> Result<(Option<Run>, Option<History>), Error> {
        let run = match recipe.origin {
            Origin::Machine(model) => return Ok((None, Some(machine(recipe, model, seed)?))),
            Origin::Protocols(client) => Run {
                protocol: BUILTINS[number as usize % BUILTINS.len()].name,
                mutant: None,
                client,
            },
            Origin::Mutants(faults) => {
                let at = (number + attempt / PATIENCE) as usize % faults.len();
                let Fault { protocol, mutant, client } = faults[at];
                Run { protocol, mutant: Some(mutant), client }
            }
        };
        let protocol = self.open(&run)?;
        let history = simulated(&protocol, recipe, &run, seed)?;
        let reads = recipe.repointed(number);
        let history = match history {
            // A run with too few reads that could be re-pointed is of no use here.
            Some(history) if reads > 0 => repointed(&history, reads, recipe.distance(), seed).ok(),
            other => other,
        };
        Ok((Some(run), history))
    }

    fn open(&self, run: &Run) -> Result<Arc<Protocol>, Error> {
        let key = (run.protocol, run.mutant);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(protocol) = opened.get(&key) {
            return Ok(Arc::clone(protocol));
        }
        let protocol = Arc::new(Opened::new(run.protocol, run.mutant)?.protocol);
        opened.insert(key, Arc::clone(&protocol));
        Ok(protocol)
    }
}

/// The seed of a try: as many as there are histories, and the same for the same recipe in every experiment.
fn mixed(recipe: &Recipe, number: u32, seed: u64, attempt: u32) -> u64 {
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
        recipe.repointed(number),
        recipe.distance(),
    );
    let digest = Sha256::digest(text);
    // Seeds that people can type: 32 bits.
    digest.iter().take(4).fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// Whether no order explains a history under SC.
fn is_violation(history: &History, reads_from: &ReadsFrom) -> bool {
    let outcome = decide(history, reads_from, Model::SC, &Options::default(), &Bounds::none());
    matches!(outcome.verdict, Verdict::Violation(_) | Verdict::Unproved)
}

/// What an operational machine did, without a hint at when.
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

/// What a protocol did; none if a faulty one failed, since then it did not do all.
fn simulated(
    protocol: &Protocol,
    recipe: &Recipe,
    run: &Run,
    seed: u64,
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
        deadlock_threshold: run.mutant.is_none().then_some(DEADLOCK),
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
            });
        }
        None => {}
    }
    let history = ran.history().map_err(Error::run(&title))?;
    Ok(Some(history))
}

/// The command that repeats a run of a protocol as it is.
fn command(run: &Run, simulation: &Simulation) -> String {
    let shape = &simulation.shape;
    format!(
        "rubric simulate {} --threads {} --operations {} --locations {} --client {} --reads {} --rmws {} --fences {} \
         --deadlock-threshold {DEADLOCK} --seed {}",
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
    use super::super::catalog::{ALL_FAULTS, MI_FAULTS};
    use super::super::point::Size;
    use super::*;

    /// The histories that a list of faults makes for an experiment, and by what.
    fn made(faults: &'static [Fault], count: u32) -> Vec<Made> {
        let recipe = super::super::catalog::mutated(faults, 4);
        let sources = Sources::default();
        let made = (0..count).map(|number| sources.make(&recipe, number, 1));
        made.collect::<Result<_, _>>().unwrap()
    }

    /// Each fault has its turn, and does not leave it to the next.
    #[test]
    fn every_fault_shows() {
        for faults in [&MI_FAULTS[..], &ALL_FAULTS] {
            for (number, made) in made(faults, faults.len() as u32).iter().enumerate() {
                let run = made.run.unwrap();
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
            let sources = Sources::default();
            let hashes = points.iter().filter_map(|point| match &point.source {
                super::super::point::Source::Made(recipe) => {
                    Some(sources.make(recipe, 3, 1).unwrap().history.digest())
                }
                super::super::point::Source::Recorded(_)
                | super::super::point::Source::Program(_) => None,
            });
            hashes.collect::<Vec<String>>()
        };
        assert_eq!(of("gcc-fig4"), of("gcc-fig6"));
        assert_ne!(of("gcc-fig4"), of("gcc-fig5"));
    }
}
