//! What a campaign is about: the protocols, and the mutants of them that were chosen.

use sha2::{Digest, Sha256};
use simulate::dice::Dice;
use simulate::mutant::operator::Operator;
use simulate::mutant::{self, Mutant, Origin, named};
use simulate::protocol::Protocol;
use simulate::slicc::builtin::builtin;

use super::args::Args;
use crate::error::Error;
use crate::mutants;
use crate::simulate::protocols::Opened;

/// A protocol as it is, or a mutant of it.
pub struct Subject {
    /// Place of the protocol among those that were opened.
    pub protocol: usize,
    /// The mutant; none is the protocol as it is.
    pub mutant: Option<Mutant>,
}

impl Subject {
    /// Its name in tables: none for the protocol as it is.
    pub fn name(&self) -> Option<String> {
        self.mutant.as_ref().map(|mutant| mutant.name.to_string())
    }

    /// Who made the mutant: an operator, or nobody for a named one.
    pub fn operator(&self) -> Option<Operator> {
        match &self.mutant.as_ref()?.origin {
            Origin::Made { operator, .. } => Some(*operator),
            Origin::Named => None,
        }
    }
}

/// The subjects that were asked for: each protocol, behind it its mutants, first the named ones.
///
/// # Errors
/// A mutant that is none, or of none of the protocols.
pub fn choose(args: &Args, opened: &[Opened]) -> Result<Vec<Subject>, Error> {
    let mut given = given(args, opened)?;
    let asks = |word: &str| args.mutants.iter().any(|asked| asked == word);
    let quota = args.sample.map(|sample| sample.div_ceil(opened.len().max(1) as u32));
    let mut left = args.sample.unwrap_or(u32::MAX);
    let mut subjects = Vec::new();
    for (at, one) in opened.iter().enumerate() {
        let mut mutants: Vec<Mutant> = Vec::new();
        if asks("named") && builtin(&one.given).is_some() {
            mutants.extend(named::of(&one.given));
        }
        if asks("made") {
            let made = made(&one.protocol, &args.operator);
            let most = quota.unwrap_or(u32::MAX).min(left);
            let made = sample(made, most as usize, args.seed);
            left -= (made.len() as u32).min(left);
            mutants.extend(made);
        }
        mutants.append(&mut given[at]);
        let mut known = std::collections::HashSet::new();
        mutants.retain(|mutant| known.insert(mutant.name.to_string()));
        let subject = |mutant| Subject {
            protocol: at,
            mutant,
        };
        subjects.push(subject(None));
        subjects.extend(mutants.into_iter().map(|mutant| subject(Some(mutant))));
    }
    Ok(subjects)
}

/// The mutants that were asked for by name, for each protocol.
fn given(args: &Args, opened: &[Opened]) -> Result<Vec<Vec<Mutant>>, Error> {
    let mut given: Vec<Vec<Mutant>> = opened.iter().map(|_| Vec::new()).collect();
    let is_name = |word: &&String| !["made", "named", "none"].contains(&word.as_str());
    for name in args.mutants.iter().filter(is_name) {
        let fits = |one: &Opened| mutants::find(name, &one.given, &one.protocol);
        let found: Vec<Result<Mutant, Error>> = opened.iter().map(fits).collect();
        let place = found.iter().position(Result::is_ok).unwrap_or(0);
        let Some(found) = found.into_iter().nth(place) else {
            continue;
        };
        given[place].push(found?);
    }
    Ok(given)
}

/// What these operators make of a protocol; all operators if none is named.
fn made(protocol: &Protocol, operators: &[Operator]) -> Vec<Mutant> {
    let mut all = mutant::all(protocol);
    all.retain(|mutant| match &mutant.origin {
        Origin::Made { operator, .. } => operators.is_empty() || operators.contains(operator),
        Origin::Named => false,
    });
    all
}

/// So many mutants by chance, in their order: of each operator alike, as far as it has any.
fn sample(mutants: Vec<Mutant>, most: usize, seed: u64) -> Vec<Mutant> {
    if mutants.len() <= most {
        return mutants;
    }
    let mut queues: std::collections::BTreeMap<Operator, Vec<usize>> = Default::default();
    for (at, mutant) in mutants.iter().enumerate() {
        if let Origin::Made { operator, .. } = &mutant.origin {
            queues.entry(*operator).or_default().push(at);
        }
    }
    let mut dice = Dice::new(seed, SAMPLE);
    queues.values_mut().for_each(|queue| dice.shuffle(queue));
    let mut chosen = std::collections::BTreeSet::new();
    while chosen.len() < most {
        for queue in queues.values_mut().filter(|queue| !queue.is_empty()) {
            if chosen.len() < most {
                chosen.extend(queue.pop());
            }
        }
    }
    let mutants = mutants.into_iter().enumerate();
    let chosen = mutants.filter(|(at, _)| chosen.contains(at));
    chosen.map(|(_, mutant)| mutant).collect()
}

/// Separates the choice of mutants from other choices of a seed.
const SAMPLE: u64 = 0x5341_4d50;

/// A digest of the texts of the protocols and the names and edits of all mutants.
pub fn digest(opened: &[Opened], subjects: &[Subject]) -> String {
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
