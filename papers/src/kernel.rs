//! How much of the [kernel](check::kernel) of a history the papers' criteria derive.

use check::Algorithm;
use check::kernel::Kernel;
use check::published::Problem;
use history::{History, ReadsFrom};
use host::Bounds;
use memory::Model;

use crate::algorithms::{CCM, CCV, WCCM, WSC, WTSO};
use crate::criteria::causal;
use crate::execution::Execution;

/// The criteria that are weaker than a model and derive store order, the weakest first. Only SC and TSO have
/// such criteria.
pub fn criteria(model: Model) -> &'static [Algorithm] {
    if model == Model::SC {
        &[CCV, CCM, WSC]
    } else if model == Model::TSO {
        &[WCCM, WTSO]
    } else {
        &[]
    }
}

/// Number of operations up to which all criteria of [`criteria_for`] are derived.
const FEW_OPERATIONS: usize = 1 << 14;

/// The [`criteria`] that are derived of a history unless others are asked for. CCM and wCCM take memory and time in the
/// square of its length, so that a long history would wait for them instead of for its kernel.
pub fn criteria_for(model: Model, history: &History) -> impl Iterator<Item = Algorithm> {
    let is_long = history.len() > FEW_OPERATIONS;
    let all = criteria(model).iter().copied();
    all.filter(move |criterion| !is_long || ![CCM, WCCM].contains(criterion))
}

/// The number of pairs of writes that one of the [`criteria`] orders; `None` if the criterion does not hold, a
/// bound was met, or the history has weak fences. For CCv these are the pairs of `(po ∪ wr ∪ cf)⁺`, for CCM
/// `pww`, for wCCM `wpww`, for wSC and wTSO the pairs that saturation orders. CCM and wCCM need matrices of
/// n² bits.
pub fn derived(
    history: &History,
    reads_from: &ReadsFrom,
    criterion: Algorithm,
    kernel: &Kernel,
    bounds: &Bounds,
) -> Option<u64> {
    if [WSC, WTSO].contains(&criterion) {
        return Some(kernel.saturated);
    }
    let model = criterion.default_model();
    // The papers' criteria do not handle weak fences.
    if model.has_refined(history) {
        return None;
    }
    let Algorithm::Published(published) = criterion else { return None };
    let report = (published.run)(&Problem::new(history, reads_from, &[], model, bounds));
    report.statistics.ordered
}

/// The number of pairs of writes that the conflicts of CCv alone relate (`cf`, CAV 2019, section 3.1),
/// without program order and reads-from; `None` if CC does not hold, or a bound was met.
pub fn conflicting(history: &History, reads_from: &ReadsFrom, bounds: &Bounds) -> Option<u64> {
    causal::conflict_pairs(&Execution::new(history, reads_from), bounds)
}
