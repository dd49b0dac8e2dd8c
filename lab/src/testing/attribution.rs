//! Which repairs of released faults make what an exploration found go away.

use std::cell::RefCell;

use check::Bounds;
use explore::protocol::{
    Exploration, Finding, Means, Store, Verdict, Violation, WarningRun, explore_by,
};
use explore::search::{Limits, Progress, Stopped};
use simulate::stepper::{Access, Move, Scope, Stepper, StepperError};
use slicc::mutant::Mutant;
use slicc::mutant::repair::all_that_fit;
use slicc::protocol::Protocol;

use super::finding::{Known, Signature};
use super::judge::of_fault;
use super::known::{needed, with};
use super::small::{problem, shown};

/// The states that may be looked at to find out which repair makes a finding go away, as a multiple of those that led to it.
pub(super) const ATTRIBUTION: usize = 2;

/// The released faults that explain what an exploration found after so many states: the repairs without which it is found again. `None` if
/// no repairs fit the protocol, if it is found with all of them, or if the bounds are met, which count anew for each exploration.
/// Cost: an exploration of twice as many states for each repair with which the run that was found is none any more.
///
/// # Errors
/// As [`explore_by`], or the protocol has errors with the repairs.
pub fn known_finding(
    protocol: &Protocol,
    scope: &Scope,
    means: &Means,
    found: &Violation,
    states: usize,
    bounds: &Bounds,
    report: &mut dyn FnMut(&Progress),
) -> Result<Option<Known>, StepperError> {
    let repaired = all_that_fit(protocol);
    let repaired = repaired.map_err(|failure| StepperError::Protocol(Box::new(failure)))?;
    let signature = problem(found, protocol).signature;
    let store = match found.finding {
        // Only exact states tell.
        Finding::Livelock { .. } => means.store,
        _ => Store::Compact,
    };
    let means = Means { store, ..*means };
    // Shared by both closures below.
    let report = RefCell::new(report);
    let finds_none = |protocol: &Protocol| {
        if repeats(protocol, scope, found, &signature)? {
            return Ok(false);
        }
        let limits = Limits { states: Some(states * ATTRIBUTION), bounds: bounds.again() };
        let mut tell = |progress: &Progress| (report.borrow_mut())(progress);
        let exploration = explore_by(protocol, scope, &means, &limits, &mut tell)?;
        Ok::<bool, StepperError>(is_without(&exploration, protocol, &signature))
    };
    let with_some =
        |some: &[&Mutant]| with(protocol, some).map_or(Ok(false), |protocol| finds_none(&protocol));
    for repair in &repaired.applied {
        if with_some(&[repair])? {
            return Ok(Some(Known::by(vec![repair.name.to_string()])));
        }
    }
    if repaired.applied.len() < 2 || !finds_none(&repaired.protocol)? {
        return Ok(None);
    }
    let tried: Vec<Vec<String>> = Vec::new();
    let repairs = needed(&repaired.applied, &tried, &mut |some| match some {
        [_] => Ok(false),
        some => with_some(some),
    })?;
    Ok(Some(Known::by(repairs)))
}

/// The released fault that explains a warning, if there is one: with its repair, the run to the warning is still a run, and ends
/// without that warning. Takes the moves of the run once for each repair.
///
/// # Errors
/// As [`Stepper::new`].
pub fn known_warning(
    protocol: &Protocol,
    scope: &Scope,
    warned: &WarningRun,
) -> Result<Option<Known>, StepperError> {
    let Some((last, moves)) = warned.moves.split_last() else {
        return Ok(None);
    };
    let repaired = all_that_fit(protocol);
    let repaired = repaired.map_err(|failure| StepperError::Protocol(Box::new(failure)))?;
    for repair in &repaired.applied {
        let Some(protocol) = with(protocol, &[repair]) else { continue };
        let mut stepper = Stepper::new(&protocol, scope)?;
        let Some(state) = after_all(&mut stepper, moves) else { continue };
        if !stepper.moves(&state).contains(last) {
            continue;
        }
        let outcome = stepper.take(&state, *last);
        let warns = outcome.warnings.iter().any(|one| one.summary == warned.warning.summary);
        if outcome.state.is_ok() && !warns {
            return Ok(Some(Known::by(vec![repair.name.to_string()])));
        }
    }
    Ok(None)
}

/// Whether the run to a finding is also one of a protocol with repairs, and ends in the same way.
///
/// # Errors
/// As [`Stepper::new`].
fn repeats(
    protocol: &Protocol,
    scope: &Scope,
    found: &Violation,
    signature: &Signature,
) -> Result<bool, StepperError> {
    let mut stepper = Stepper::new(protocol, scope)?;
    let Some((last, moves)) = found.moves.split_last() else {
        return Ok(false);
    };
    let Some(state) = after_all(&mut stepper, moves) else {
        return Ok(false);
    };
    if !stepper.moves(&state).contains(last) {
        return Ok(false);
    }
    let outcome = stepper.take(&state, *last);
    Ok(match &found.finding {
        Finding::Fault => {
            let fault = outcome.state.err();
            fault.is_some_and(|fault| of_fault(&fault, protocol).signature == *signature)
        }
        Finding::StaleValue { .. }
        | Finding::AtomicityViolation { .. }
        | Finding::MissedInvalidation { .. } => outcome.performed.iter().any(Access::is_wrong),
        Finding::SwmrViolation { .. } => outcome.holders.iter().any(|holders| holders.clash()),
        // It takes all continuations to tell.
        Finding::Deadlock { .. } | Finding::Livelock { .. } => false,
    })
}

/// The state after moves from the first state on, if they are moves and nothing fails.
fn after_all(stepper: &mut Stepper, moves: &[Move]) -> Option<Vec<u8>> {
    let first = stepper.first();
    moves.iter().try_fold(first, |state, &chosen| {
        let is_move = stepper.moves(&state).contains(&chosen);
        is_move.then(|| stepper.take(&state, chosen).state.ok()).flatten()
    })
}

/// Whether an exploration was not ended by time, memory or its user, and does not show a finding.
pub(super) fn is_without(
    exploration: &Exploration,
    protocol: &Protocol,
    signature: &Signature,
) -> bool {
    let found = shown(exploration, protocol, true);
    let is_cut = matches!(
        exploration.verdict,
        Verdict::Stopped(Stopped::Time | Stopped::Memory | Stopped::Interrupted)
    );
    !is_cut && !found.iter().any(|one| one.problem.signature == *signature)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use simulate::stepper::Repertoire;
    use slicc::mutant::named;

    use super::*;

    const FAULT: &str = "mesi2-l1-sc-not-cleared";

    /// Explains what an exploration finds in a protocol with a released fault.
    fn explain(bounds: &Bounds) -> Option<Known> {
        let original = Protocol::open("MESI_Two_Level").expect("it is built in");
        let protocol = original.with(&named::find(FAULT).expect("it is named")).expect("it fits");
        let repertoire = Repertoire { linked: true, ..Repertoire::default() };
        let scope = Scope { repertoire, ..Scope::default() };
        let (means, limits) = (Means::default(), Limits::default());
        let explored = explore_by(&protocol, &scope, &means, &limits, &mut |_| {});
        let explored = explored.expect("it fits");
        let Verdict::Found(found) = &explored.verdict else {
            panic!("{:?}", explored.verdict);
        };
        let states = explored.progress.states;
        known_finding(&protocol, &scope, &means, found, states, bounds, &mut |_| {}).unwrap()
    }

    #[test]
    fn what_is_found_is_explained_within_the_bounds() {
        let known = explain(&Bounds::none());
        assert_eq!(known.map(|known| known.repairs), Some(vec![FAULT.to_owned()]));
        static INTERRUPTED: AtomicBool = AtomicBool::new(true);
        assert!(explain(&Bounds::none().or_interrupted(&INTERRUPTED)).is_none());
    }
}
