//! Which repairs of released faults make a failing run clean.

use simulate::simulation::{Run, Simulation};
use slicc::mutant::{Mutant, repair};
use slicc::protocol::Protocol;

use super::finding::Known;
use crate::error::Error;
use crate::protocols::{Opened, plan, refused};

/// The smallest set of repairs found that makes a run clean, given that all repairs together do: one alone if that is enough, those
/// tried before first; else what is left after repairs that are not needed have been left out one by one.
///
/// # Errors
/// Those of `is_clean`, which says whether a run is clean on a protocol with some repairs.
pub fn needed<E>(
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

/// The released faults that explain why a run failed: the repairs with which it is clean. `None` if no repairs fit the protocol, or it is
/// not clean with all of them. Cost: up to a run for each repair.
///
/// # Errors
/// The system cannot be built, or those of `is_clean`, which says whether a run is clean.
pub fn known_faults(
    opened: &Opened,
    simulation: &Simulation,
    is_clean: &mut dyn FnMut(&Run) -> Result<bool, Error>,
) -> Result<Option<Known>, Error> {
    let repaired = repair::all_that_fit(&opened.protocol);
    let repaired = repaired.map_err(|failure| refused(&opened.given, failure))?;
    if repaired.applied.is_empty() {
        return Ok(None);
    }
    let mut run_is_clean = |protocol: &Protocol| {
        let plan = plan(protocol, &opened.given, simulation)?;
        let run = simulation.run(protocol, &plan, None).map_err(Error::run(&opened.given))?;
        is_clean(&run)
    };
    if !run_is_clean(&repaired.protocol)? {
        return Ok(None);
    }
    let repairs = needed(&repaired.applied, &[], &mut |some| {
        with(&opened.protocol, some).map_or(Ok(false), |protocol| run_is_clean(&protocol))
    })?;
    Ok(Some(Known { repairs }))
}

/// A protocol with some repairs, in order; none if they do not fit without the others.
pub fn with(protocol: &Protocol, repairs: &[&Mutant]) -> Option<Protocol> {
    let mut repaired = protocol.clone();
    for repair in repairs {
        repaired = repaired.with(repair).ok()?;
    }
    Some(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;
    use slicc::mutant::named;

    /// Any mutants serve: only their names matter here.
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
