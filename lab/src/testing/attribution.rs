//! Finds the repairs of released faults that remove a finding of an exploration.

use std::cell::RefCell;

use check::Bounds;
use explore::protocol::{
    Exploration, Finding, SearchOptions, Store, Verdict, Violation, WarningRun, explore_by,
};
use explore::search::{Limits, Progress, Stopped};
use mutate::Mutant;
use mutate::repair::all_that_fit;
use simulate::stepper::{Access, Move, Scope, Stepper, StepperError};
use slicc::protocol::Protocol;

use super::finding::{Known, Signature};
use super::judge::{of_fault, of_violation};
use super::known::{needed, with};
use super::small::shown;

/// Largest number of states of an exploration that tests whether a repair removes a finding, as a multiple of those explored until the
/// finding.
pub(super) const ATTRIBUTION: usize = 2;

/// The released faults that explain a finding of an exploration of `states` states: the repairs with which it is no longer found. `None` if
/// no repairs fit the protocol, if it is found with all of them, or if the bounds are met, which start anew for each exploration. Cost: an
/// exploration of up to twice as many states for each repair with which the finding's run is no longer possible.
///
/// # Errors
/// Fails as [`explore_by`] does, or if the protocol has errors with the repairs.
pub fn known_finding(
    protocol: &Protocol,
    scope: &Scope,
    search_options: &SearchOptions,
    found: &Violation,
    states: usize,
    bounds: &Bounds,
    report: &mut dyn FnMut(&Progress),
) -> Result<Option<Known>, StepperError> {
    let repaired = all_that_fit(protocol);
    let signature = of_violation(found, protocol).signature;
    let store = match found.finding {
        // Only exact states tell.
        Finding::Livelock { .. } => search_options.store,
        _ => Store::Compact,
    };
    let search_options = SearchOptions { store, ..*search_options };
    // Shared by both closures below.
    let report = RefCell::new(report);
    let finds_none = |protocol: &Protocol| {
        if repeats(protocol, scope, found, &signature)? {
            return Ok(false);
        }
        let limits = Limits { states: Some(states * ATTRIBUTION), bounds: bounds.clone() };
        let mut tell = |progress: &Progress| (report.borrow_mut())(progress);
        let exploration = explore_by(protocol, scope, &search_options, &limits, &mut tell)?;
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

/// The released fault that explains a warning, if there is one: with its repair, the run to the warning is still possible, and ends without
/// that warning. Cost: replays the run once for each repair.
///
/// # Errors
/// Fails as [`Stepper::new`] does.
pub fn known_warning(
    protocol: &Protocol,
    scope: &Scope,
    warned: &WarningRun,
) -> Result<Option<Known>, StepperError> {
    let Some((last, moves)) = warned.moves.split_last() else {
        return Ok(None);
    };
    let repaired = all_that_fit(protocol);
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

/// Whether the run to a finding is still possible on `protocol`, which has repairs, and ends in the same finding.
///
/// # Errors
/// Fails as [`Stepper::new`] does.
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
        // Only an exploration of all continuations can tell.
        Finding::Deadlock { .. } | Finding::Livelock { .. } => false,
    })
}

/// The state after a sequence of moves from the first state; none if a move is not possible or fails.
fn after_all(stepper: &mut Stepper, moves: &[Move]) -> Option<Vec<u8>> {
    let first = stepper.first();
    moves.iter().try_fold(first, |state, &chosen| {
        let is_move = stepper.moves(&state).contains(&chosen);
        is_move.then(|| stepper.take(&state, chosen).state.ok()).flatten()
    })
}

/// Whether an exploration does not show a finding, and was not ended by time, memory or the user.
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

    use mutate::named;
    use simulate::stepper::Repertoire;

    use super::*;

    const FAULT: &str = "mesi2-l1-sc-not-cleared";

    /// Explains what an exploration finds in a protocol with a released fault.
    fn explain(bounds: &Bounds) -> Option<Known> {
        let original = Protocol::open("MESI_Two_Level").expect("it is built in");
        let protocol = original.with(&named::find(FAULT).expect("it is named")).expect("it fits");
        let repertoire = Repertoire { linked: true, ..Repertoire::default() };
        let scope = Scope { repertoire, ..Scope::default() };
        let (search_options, limits) = (SearchOptions::default(), Limits::default());
        let explored = explore_by(&protocol, &scope, &search_options, &limits, &mut |_| {});
        let explored = explored.expect("it fits");
        let Verdict::Found(found) = &explored.verdict else {
            panic!("{:?}", explored.verdict);
        };
        let states = explored.progress.states;
        known_finding(&protocol, &scope, &search_options, found, states, bounds, &mut |_| {})
            .unwrap()
    }

    #[test]
    fn what_is_found_is_explained_within_the_bounds() {
        let known = explain(&Bounds::none());
        assert_eq!(known.map(|known| known.repairs), Some(vec![FAULT.to_owned()]));
        static INTERRUPTED: AtomicBool = AtomicBool::new(true);
        assert!(explain(&Bounds::none().or_interrupted(&INTERRUPTED)).is_none());
    }
}
