//! Determines which repairs of released faults make a failing run clean.

use mutate::Mutant;
use mutate::repair::{self, Repaired};
use rayon::prelude::*;
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;

use super::finding::{Known, Signature};
use super::judge::{Judge, Simulated, Suspicion};
use crate::error::Error;
use crate::protocols::Opened;
use crate::released::crashes::of_transition;

/// A small set of repairs that makes a run clean, given that all repairs together do: the first clean one of the sets in `tried`; else a
/// single repair if that is enough; else the set that remains when unneeded repairs are left out one by one.
///
/// # Errors
/// Fails if `is_clean` does, which returns whether a run is clean on a protocol with some repairs.
pub(super) fn needed<E>(
    repairs: &[Mutant],
    tried: &[Vec<String>],
    is_clean: &mut dyn FnMut(&[&Mutant]) -> Result<bool, E>,
) -> Result<Vec<String>, E> {
    let named = |names: &[String]| -> Vec<&Mutant> {
        repairs.iter().filter(|one| names.iter().any(|name| *name == *one.name)).collect()
    };
    for names in tried {
        if is_clean(&named(names))? {
            return Ok(names.clone());
        }
    }
    for one in repairs {
        let name = vec![one.name.to_string()];
        if !tried.contains(&name) && is_clean(&[one])? {
            return Ok(name);
        }
    }
    let mut kept: Vec<&Mutant> = repairs.iter().collect();
    for one in repairs {
        let without: Vec<&Mutant> = kept.iter().copied().filter(|kept| *kept != one).collect();
        if is_clean(&without)? {
            kept = without;
        }
    }
    Ok(kept.iter().map(|one| one.name.to_string()).collect())
}

/// The number of variations of a run that must not show its finding with all repairs, before repairs count as its explanation. Repairs
/// change the timing, so a single run may be clean by chance.
pub const VARIATIONS: u64 = 8;

/// The largest number of kinds of findings of a protocol that are explained in a summary of many runs.
pub const MOST_KINDS: usize = 12;

/// The largest number of transitions of a run whose finding is explained in a summary of many runs. Explaining costs some dozen runs of
/// this length.
pub const MOST_TRANSITIONS: u64 = 1_000_000;

/// Explains what goes wrong in runs of a protocol by the known faults of gem5's released protocols.
///
/// A finding is known if the run that shows it is clean on the protocol with all repairs that fit, and [`VARIATIONS`] of the run
/// do not show it there.
pub struct Explainer<'a> {
    opened: &'a Opened,
    repaired: Repaired,
    judge: Judge<'a>,
}

impl<'a> Explainer<'a> {
    /// Finds the repairs that fit a protocol, and returns none if there are none. `checking` are the options with which histories are
    /// checked.
    pub fn new(opened: &'a Opened, checking: check::Options) -> Option<Explainer<'a>> {
        let repaired = repair::all_that_fit(&opened.protocol);
        let judge = Judge { given: &opened.given, checking };
        (!repaired.applied.is_empty()).then_some(Explainer { opened, repaired, judge })
    }

    /// The signatures of a run's problems: of the fault that ends it or the violation of the model that its cores guarantee, and of errors
    /// that gem5 accepts.
    ///
    /// # Errors
    /// Fails if the system cannot be built, or if a certificate is wrong.
    pub fn signatures(&self, simulation: &Simulation) -> Result<Vec<Signature>, Error> {
        let simulated = self.simulate(&self.opened.protocol, simulation, Suspicion::Confirmed)?;
        Ok(simulated.problems.into_iter().map(|one| one.signature).collect())
    }

    /// The known faults that explain the finding of a run; none if it is not known. Cost: the run and its variations, and up to two runs
    /// for each repair.
    ///
    /// # Errors
    /// Fails as [`Explainer::signatures`] does.
    pub fn explain(
        &self,
        simulation: &Simulation,
        signature: &Signature,
    ) -> Result<Option<Known>, Error> {
        let protocol = &self.repaired.protocol;
        let repaired = self.simulate(protocol, simulation, Suspicion::Confirmed)?;
        if !repaired.is_free_of(signature) || self.varied_shows(simulation, signature)? {
            return Ok(None);
        }
        let repairs = needed(&self.repaired.applied, &self.suspects(signature), &mut |some| {
            let Some(protocol) = with(&self.opened.protocol, some) else {
                return Ok::<bool, Error>(false);
            };
            let simulated = self.simulate(&protocol, simulation, Suspicion::Granted)?;
            Ok(simulated.is_free_of(signature))
        })?;
        Ok(Some(Known::by(repairs)))
    }

    /// The repairs of the known faults for which an undefined transition is a sign, which are tried first.
    fn suspects(&self, signature: &Signature) -> Vec<Vec<String>> {
        let Some(entry) = signature.entry() else { return Vec::new() };
        let faults = of_transition(self.opened.protocol.name(), &entry);
        let is_applied = |name: &str| self.repaired.applied.iter().any(|one| one.name == name);
        let repairs = faults.map(|fault| fault.repair.clone());
        repairs.filter(|name| is_applied(name)).map(|name| vec![name]).collect()
    }

    /// Whether variations of a run show a finding with all repairs.
    fn varied_shows(&self, simulation: &Simulation, signature: &Signature) -> Result<bool, Error> {
        let varied: Vec<Simulation> = (0..VARIATIONS).map(|seed| simulation.vary(seed)).collect();
        let shows = varied.into_par_iter().map(|simulation| {
            let protocol = &self.repaired.protocol;
            let simulated = self.simulate(protocol, &simulation, Suspicion::Confirmed)?;
            Ok(simulated.shows(signature))
        });
        Ok(shows.collect::<Result<Vec<bool>, Error>>()?.contains(&true))
    }

    fn simulate(
        &self,
        protocol: &Protocol,
        simulation: &Simulation,
        suspicion: Suspicion,
    ) -> Result<Simulated, Error> {
        self.judge.simulate(protocol, simulation, suspicion, None)
    }
}

/// A protocol with some repairs, in order; none if they do not fit without the others.
pub(super) fn with(protocol: &Protocol, repairs: &[&Mutant]) -> Option<Protocol> {
    let mut repaired = protocol.clone();
    for repair in repairs {
        repaired = repaired.with(*repair).ok()?;
    }
    Some(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mutate::named;

    /// Four mutants in the role of repairs: only their names matter here.
    fn repairs() -> Vec<Mutant> {
        named::of("MI_example").take(4).collect()
    }

    fn needed_for(wanted: &[usize], tried: &[Vec<String>]) -> (Vec<String>, usize) {
        let all = repairs();
        let mut asked = 0;
        let names: Vec<String> = wanted.iter().map(|&at| all[at].name.to_string()).collect();
        let found = needed(&all, tried, &mut |some| {
            asked += 1;
            Ok::<bool, Error>(names.iter().all(|name| some.iter().any(|one| *one.name == **name)))
        });
        (found.unwrap(), asked)
    }

    #[test]
    fn one_is_enough_or_as_few_as_needed() {
        let all = repairs();
        let name = |at: usize| all[at].name.to_string();
        assert_eq!(needed_for(&[2], &[]), (vec![name(2)], 3));
        assert_eq!(needed_for(&[2], &[vec![name(2)]]), (vec![name(2)], 1));
        assert_eq!(needed_for(&[1, 3], &[]).0, [name(1), name(3)]);
    }
}
