//! The subjects of a campaign: protocols, and the mutants of them that were chosen.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};

use history::random::Rng;
use mutate::equivalent::Reason;
use mutate::touched::Touched;
use mutate::{Mutant, Operator, made, named};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use simulate::differences::{equivalent, touched};

use super::Options;
use crate::error::Error;
use crate::observer::{Observer, Stage};
use crate::protocols::{Opened, find_mutant};
use crate::shard::Shard;

/// An unmutated protocol, or a mutant of it.
pub(crate) struct Subject {
    /// Index of the protocol among those that were opened.
    pub protocol: usize,
    /// The mutant; none for the unmutated protocol.
    pub mutant: Option<Mutant>,
    /// What the mutant changes.
    pub touched: Touched,
    /// Why it is equivalent to the protocol, if that follows from the code alone.
    pub equivalent: Option<Reason>,
}

impl Subject {
    /// The name of the mutant in tables; none for the unmutated protocol.
    pub(crate) fn name(&self) -> Option<String> {
        self.mutant.as_ref().map(|mutant| mutant.name.to_string())
    }

    /// The operator that made the mutant, as in tables; `named` for a named mutant, empty for the unmutated protocol.
    pub(crate) fn operator(&self) -> &'static str {
        self.mutant
            .as_ref()
            .map_or("", |mutant| mutant.origin.operator().map_or("named", Operator::name))
    }
}

/// Chooses the subjects that the options ask for: each protocol, followed by its mutants, named ones first.
///
/// # Errors
/// Fails if a mutant does not exist, or belongs to none of the protocols.
pub(super) fn choose(
    options: &Options,
    opened: &[Opened],
    observer: &dyn Observer,
) -> Result<Vec<Subject>, Error> {
    observer.begin(Stage::Mutants);
    let comparison = &Comparison { observer, mutants: Cell::new(0) };
    let mut given = given(options, opened)?;
    let mut subjects = Vec::new();
    let mut left = options.sample;
    for (at, one) in opened.iter().enumerate() {
        let mut own = std::mem::take(&mut given[at]);
        if options.named {
            let loaded = &one.protocol.loaded;
            let fitting =
                named::of(one.protocol.name()).filter(|mutant| mutant.fits(loaded).is_ok());
            own.splice(0..0, fitting);
        }
        let mut known = HashSet::new();
        own.retain(|mutant| known.insert(mutant.name.to_string()));
        subjects.push(Subject {
            protocol: at,
            mutant: None,
            touched: Touched::default(),
            equivalent: None,
        });
        subjects.extend(comparison.of(own, at, one)?);
        if options.made {
            let mut made = made::by(&one.protocol, &options.operators);
            made.retain(|mutant| !known.contains(&*mutant.name));
            match &mut left {
                None => subjects.extend(comparison.of(made, at, one)?),
                Some(left) => {
                    let most = left.div_ceil(opened.len() - at);
                    let sample = sample(made, most, options.seed, |mutants| {
                        comparison.of(mutants, at, one)
                    })?;
                    *left -= sample
                        .iter()
                        .filter(|subject| subject.equivalent.is_none())
                        .count()
                        .min(*left);
                    subjects.extend(sample);
                }
            }
        }
    }
    observer.end();
    Ok(subjects)
}

/// Keeps the mutants of a shard, and all unmutated protocols, because every mutant is compared with their runs.
pub(super) fn keep(subjects: &mut Vec<Subject>, shard: Shard) {
    let mut mutants = 0..;
    subjects.retain(|subject| {
        subject.mutant.is_none() || mutants.next().is_some_and(|number| shard.has(number))
    });
}

/// Compares mutants with their protocols, and reports the progress.
struct Comparison<'a> {
    observer: &'a dyn Observer,
    /// Number of mutants to compare, as far as it is known.
    mutants: Cell<u64>,
}

impl Comparison<'_> {
    /// Compares mutants of a protocol with it, and makes them subjects.
    fn of(&self, mutants: Vec<Mutant>, at: usize, opened: &Opened) -> Result<Vec<Subject>, Error> {
        self.mutants.set(self.mutants.get() + mutants.len() as u64);
        let observer = self.observer;
        observer.total(self.mutants.get());
        let examine = |mutant: Mutant| {
            let (original, mutated) = (&opened.protocol, opened.with(&mutant)?);
            observer.advance();
            Ok(Subject {
                protocol: at,
                touched: touched(original, &mutated),
                equivalent: equivalent(original, &mutated, None),
                mutant: Some(mutant),
            })
        };
        mutants.into_par_iter().map(examine).collect()
    }
}

/// The mutants that the options name, for each protocol.
fn given(options: &Options, opened: &[Opened]) -> Result<Vec<Vec<Mutant>>, Error> {
    let mut given: Vec<Vec<Mutant>> = opened.iter().map(|_| Vec::new()).collect();
    for name in &options.mutants {
        let fits = |one: &Opened| find_mutant(name, &one.given, &one.protocol);
        let found: Vec<Result<Mutant, Error>> = opened.iter().map(fits).collect();
        let place = found.iter().position(Result::is_ok).unwrap_or(0);
        let Some(found) = found.into_iter().nth(place) else {
            continue;
        };
        given[place].push(found?);
    }
    Ok(given)
}

/// Draws a random sample of mutants: `most` that may differ from their protocol, and the equivalent ones that were drawn on the way. Each
/// operator contributes equally many, as far as it has any. The result is sorted by operator.
fn sample(
    mutants: Vec<Mutant>,
    most: usize,
    seed: u64,
    examined: impl Fn(Vec<Mutant>) -> Result<Vec<Subject>, Error>,
) -> Result<Vec<Subject>, Error> {
    let mut queues: BTreeMap<Option<Operator>, Vec<Mutant>> = BTreeMap::new();
    for mutant in mutants {
        queues.entry(mutant.origin.operator()).or_default().push(mutant);
    }
    let mut rng = Rng::new(seed, SAMPLE);
    queues.values_mut().for_each(|queue| rng.shuffle_from_back(queue));
    let (mut chosen, mut left): (Vec<Subject>, usize) = (Vec::new(), most);
    while left > 0 {
        let next: Vec<Mutant> = queues.values_mut().filter_map(Vec::pop).take(left).collect();
        if next.is_empty() {
            break;
        }
        let next = examined(next)?;
        left -= next.iter().filter(|subject| subject.equivalent.is_none()).count();
        chosen.extend(next);
    }
    chosen
        .sort_by_key(|subject| subject.mutant.as_ref().and_then(|mutant| mutant.origin.operator()));
    Ok(chosen)
}

/// The purpose in [`Rng::new`], which makes samples independent of other uses of the seed.
const SAMPLE: u64 = 0x5341_4d50;

/// A digest of the texts of the protocols and the names of all mutants.
pub(super) fn digest(opened: &[Opened], subjects: &[Subject]) -> String {
    let mut hash = Sha256::new();
    for one in opened {
        for (path, text) in one.protocol.loaded.own_files() {
            hash.update(path.len().to_le_bytes());
            hash.update(path);
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
    }
    for mutant in subjects.iter().filter_map(|subject| subject.mutant.as_ref()) {
        hash.update(mutant.name.len().to_le_bytes());
        hash.update(&*mutant.name);
    }
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
