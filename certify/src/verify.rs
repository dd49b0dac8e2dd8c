//! Checking a certificate against a history.
//!
//! [`verify`] is independent of the engines: it uses the history, its reads-from, the definitions of the
//! models and the operational machines, and nothing else. The run of a consistent history is replayed
//! on the machine, in linear time. The memory order of a weak model is checked against the model's axioms. The
//! steps of a refutation, of a model or of a weaker criterion, are checked one by one, each against the few
//! operations it names and the numbered facts it cites.

mod criterion;
mod proof;

use history::{Ambiguity, History, Kind, OpId, ReadSource, ReadsFrom, Supposition};
use memory::machine::{Machine, Refusal, Step};
use memory::weak::order::{self, OrderProblem};
use memory::{Model, SilentForm};
use rustc_hash::FxHashMap;
use thiserror::Error;

use criterion::Relations;
use proof::Proof;

use crate::certificate::{Case, Certificate, Claim, Evidence, Name, ProofStep, RelationStep};
use crate::criterion::Criterion;

/// What a verified certificate proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The history satisfies the model.
    Consistent {
        /// Number of steps of the machine; under a weak model, number of operations in memory order.
        steps: usize,
    },
    /// The history does not satisfy the model.
    Violation {
        /// Number of steps of the proof.
        steps: usize,
    },
    /// The history does not satisfy this criterion, and so not the model either.
    CriterionViolation {
        /// The criterion.
        criterion: Criterion,
        /// Number of steps of the proof.
        steps: usize,
    },
}

impl Verified {
    /// What this case and another prove together, if it is the same.
    fn and(self, other: Verified) -> Option<Verified> {
        use Verified::{Consistent, CriterionViolation, Violation};
        Some(match (self, other) {
            (Consistent { steps }, Consistent { steps: more }) => {
                Consistent { steps: steps + more }
            }
            (Violation { steps }, Violation { steps: more }) => Violation { steps: steps + more },
            (CriterionViolation { criterion, steps }, CriterionViolation { steps: more, .. }) => {
                CriterionViolation { criterion, steps: steps + more }
            }
            _ => return None,
        })
    }
}

/// Largest number of suppositions of a case, so that no certificate exhausts the stack.
const MOST_SUPPOSITIONS: usize = 1000;

/// Why a certificate is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Rejection {
    /// The certificate is about another history or was made under other assumptions.
    #[error("the certificate is about another claim: its {what} is {claimed}, here it is {actual}")]
    OtherClaim {
        /// The part of the claim that differs.
        what: &'static str,
        /// Its value in the certificate.
        claimed: String,
        /// Its value for the history given.
        actual: String,
    },
    /// A step names an operation or location that the history does not have.
    #[error("{}: the history has no {name}", step_in_words(*step))]
    Unknown {
        /// Number of the step, from 1; 0 for a `reads-from` line under a weak model.
        step: usize,
        /// The name that the step uses.
        name: String,
    },
    /// The cases are not all that there are, or not in their order.
    #[error("the cases are not all that there are, in the order of a tree, *wrote* first")]
    Cases,
    /// A case supposes something of an operation that is none of those that may have written or failed.
    #[error(
        "a case supposes something of {name}, which is no read-modify-write that may have failed"
    )]
    Supposed {
        /// The name that the case uses.
        name: String,
    },
    /// The machine refuses a step of the run.
    #[error("step {step} (operation {name}): {refusal}")]
    Refused {
        /// Number of the step, from 1.
        step: usize,
        /// The operation that the machine does not allow here.
        name: String,
        /// Why the machine refuses the step.
        refusal: Refusal,
    },
    /// The list is no memory order that satisfies the axioms of a weak model.
    #[error(
        "the list of operations is no memory order: {}{problem}",
        operation_before_problem(name)
    )]
    Unordered {
        /// The operation that the problem is about; empty if it is about none.
        name: String,
        /// What is wrong.
        problem: OrderProblem,
    },
    /// A read of the run takes its value from another write than the certificate says.
    #[error("{}: read {read} does not take its value from {source_name}", step_in_words(*step))]
    OtherSource {
        /// Number of the step, from 1; 0 under a weak model.
        step: usize,
        /// The read.
        read: String,
        /// The claimed source.
        source_name: String,
    },
    /// A step of the proof does not follow.
    #[error("proof step {step}: {why}")]
    Unfounded {
        /// Number of the step.
        step: u32,
        /// What is wrong.
        why: &'static str,
    },
    /// The steps refute a criterion, but the certificate names none, or one that the model does not imply.
    #[error("the certificate names no criterion that {0} implies, so its steps refute nothing")]
    OtherCriterion(Model),
    /// Steps follow the contradiction that ends the proof.
    #[error("steps follow the contradiction that ends the proof, step {0}")]
    Leftover(u32),
    /// The proof ends without a contradiction.
    #[error("the proof ends without a contradiction")]
    Inconclusive,
    /// The history has no completed operation. A run without steps proves nothing about the memory.
    #[error(
        "the history has no operation that completed, so a run of it proves nothing about the memory"
    )]
    NothingCompleted,
    /// A read may return the value of a write that the trace does not show, so consistency cannot be
    /// proved.
    #[error("a read's value may come from a write whose value the trace does not show")]
    Unknowable,
    /// The trace has an instruction that was not understood and that may change the verdict.
    #[error("line {0}: the trace has an instruction there that is not understood")]
    NotUnderstood(u64),
}

/// The place of a step in words: `step 3`, or a `reads-from` line for 0.
fn step_in_words(step: usize) -> String {
    if step == 0 { "a `reads-from` line".to_owned() } else { format!("step {step}") }
}

/// The beginning of a message about a problem: the operation that it is about and a colon, or nothing if it is about none.
fn operation_before_problem(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("{name}: ") }
}

/// Checks a certificate against a history: that it is about this history, and that its proof holds, in every case if there are
/// several. Of read-modify-writes that write back what they read and of which nothing is supposed, a run must be one of the
/// [strictest form](SilentForm::Strictest), and a refutation one of the [mildest](SilentForm::Mildest), so that the verdict holds
/// whether they have written or not.
///
/// # Errors
/// Returns the first [`Rejection`] found: of the claim first, then step by step.
pub fn verify(history: &History, certificate: &Certificate) -> Result<Verified, Rejection> {
    let claim = &certificate.claim;
    same_claim(claim, &Claim::new(history, claim.model, &claim.options))?;
    if !are_all(&certificate.cases, 0) {
        return Err(Rejection::Cases);
    }
    let mut verified: Option<Verified> = None;
    for case in &certificate.cases {
        let read = history.supposing(&supposed(history, &case.supposed)?);
        let also = verify_case(&read, claim, &case.evidence)?;
        let together = verified.map_or(Some(also), |verified| verified.and(also));
        verified = Some(together.ok_or(Rejection::Cases)?);
    }
    verified.ok_or(Rejection::Cases)
}

/// Whether the cases are all that there are of the operations that they suppose something of: they have this many suppositions in
/// common, and after those they are one, or the cases of one operation, that it wrote first.
fn are_all(cases: &[Case], common: usize) -> bool {
    let next = |case: &Case| case.supposed.get(common).copied();
    match cases {
        [only] => next(only).is_none(),
        [] => false,
        [first, ..] => {
            let Some((name, true)) = next(first) else { return false };
            let wrote = cases.iter().take_while(|case| next(case) == Some((name, true)));
            let (wrote, failed) = cases.split_at(wrote.count());
            failed.iter().all(|case| next(case) == Some((name, false)))
                && common < MOST_SUPPOSITIONS
                && are_all(wrote, common + 1)
                && are_all(failed, common + 1)
        }
    }
}

/// The suppositions with the operations of the history, which must be such as may have written or failed.
fn supposed(
    history: &History,
    suppositions: &[(Name, bool)],
) -> Result<Vec<Supposition>, Rejection> {
    let operation = |&(name, wrote): &(Name, bool)| {
        let op = name.operation(history);
        let op = op.filter(|&op| history.kind(op) == Kind::SilentRmw);
        let op = op.ok_or_else(|| Rejection::Supposed { name: name.to_string() })?;
        Ok(Supposition { op, wrote })
    };
    suppositions.iter().map(operation).collect()
}

fn verify_case(
    history: &History,
    claim: &Claim,
    evidence: &Evidence,
) -> Result<Verified, Rejection> {
    let model = claim.model;
    match evidence {
        Evidence::Consistent { reads_from, steps } => verify_run(history, model, reads_from, steps),
        Evidence::Violation(steps) => {
            refute(history, model, |history| verify_violation(history, model, steps))
        }
        Evidence::CriterionViolation(steps) => match claim.criterion {
            Some(criterion) if criterion.follows_from(model) => refute(history, model, |history| {
                verify_criterion_violation(history, criterion, steps)
            }),
            _ => Err(Rejection::OtherCriterion(model)),
        },
    }
}

/// Checks a refutation on the form of a history that refutations are about.
fn refute(
    history: &History,
    model: Model,
    check: impl FnOnce(&History) -> Result<Verified, Rejection>,
) -> Result<Verified, Rejection> {
    let mildest = model.prepare_as(history, SilentForm::Mildest);
    let basis = mildest.basis_of_violations();
    match basis.provenance.against_violation(model != Model::SC) {
        Some(instruction) => Err(Rejection::NotUnderstood(instruction.line)),
        None => check(&basis),
    }
}

/// Checks a run of the machine of a model, or the memory order of a weak one, without a certificate around it. `reads_from` are reads
/// with the sources that they are claimed to have; steps are operations, with true for the commit of a buffered store. Cost: linear.
///
/// # Errors
/// Returns the [`Rejection`] of the first step that the model does not allow, or of the history if no run of it proves anything.
pub fn verify_run(
    history: &History,
    model: Model,
    reads_from: &[(Name, Name)],
    steps: &[(bool, Name)],
) -> Result<Verified, Rejection> {
    let strictest = model.prepare_as(history, SilentForm::Strictest);
    match strictest.provenance.against_consistent() {
        Some(instruction) => Err(Rejection::NotUnderstood(instruction.line)),
        None => replay(&strictest, model, reads_from, steps),
    }
}

/// Checks the steps of a proof that a history violates a criterion, without a certificate around them.
///
/// # Errors
/// Returns the [`Rejection`] of the first step that does not follow, or [`Rejection::Inconclusive`] if the steps end without
/// a cycle.
pub fn verify_criterion_violation(
    history: &History,
    criterion: Criterion,
    steps: &[RelationStep],
) -> Result<Verified, Rejection> {
    Relations::new(history, criterion).check(steps)
}

/// Checks the steps of a proof that a history violates a model, without a certificate around them.
///
/// # Errors
/// Returns the [`Rejection`] of the first step that does not follow, or [`Rejection::Inconclusive`] if
/// the steps end without a contradiction.
pub fn verify_violation(
    history: &History,
    model: Model,
    steps: &[ProofStep],
) -> Result<Verified, Rejection> {
    Proof::new(history, model).check(steps)
}

fn same_claim(claim: &Claim, actual: &Claim) -> Result<(), Rejection> {
    let fields = [
        ("digest of the history", &claim.digest, &actual.digest),
        ("source", &claim.source, &actual.source),
        ("sizes", &claim.sizes, &actual.sizes),
        ("initial values", &claim.initial, &actual.initial),
    ];
    let text = |claimed: Option<u64>| claimed.map(|number| number.to_string());
    let number = |of: &Claim| (text(of.threads.map(u64::from)), text(of.operations));
    let (claimed, found) = (number(claim), number(actual));
    // A certificate of an older version, or of a history without a name, does not have these.
    let given = [
        ("name of the history", &claim.history, &actual.history),
        ("number of threads", &claimed.0, &found.0),
        ("number of operations", &claimed.1, &found.1),
    ];
    let unnamed = String::new();
    let given = given.iter().filter_map(|(what, claimed, actual)| {
        Some((*what, claimed.as_ref()?, actual.as_ref().unwrap_or(&unnamed)))
    });
    match fields.into_iter().chain(given).find(|(_, claimed, actual)| claimed != actual) {
        None => Ok(()),
        Some((what, claimed, actual)) => {
            Err(Rejection::OtherClaim { what, claimed: claimed.clone(), actual: actual.clone() })
        }
    }
}

fn replay(
    history: &History,
    model: Model,
    reads_from: &[(Name, Name)],
    steps: &[(bool, Name)],
) -> Result<Verified, Rejection> {
    if history.is_empty() {
        return Err(Rejection::NothingCompleted);
    }
    let sources = ReadsFrom::derive(history, Ambiguity::Keep).ok();
    let unknowable = |op| {
        let source = sources.as_ref().and_then(|sources| sources.source(op));
        matches!(
            source,
            Some(ReadSource::UnfinishedStore | ReadSource::HiddenWrite | ReadSource::Unrecorded)
        )
    };
    if history.ops().any(unknowable) {
        return Err(Rejection::Unknowable);
    }
    if model.is_weak() {
        return check_order(history, model, reads_from, steps);
    }
    let claimed: FxHashMap<Name, Name> = reads_from.iter().copied().collect();
    let mut machine = Machine::new(history, model);
    for (at, &(commit, name)) in steps.iter().enumerate() {
        let step = at + 1;
        let op = name
            .operation(history)
            .ok_or_else(|| Rejection::Unknown { step, name: name.to_string() })?;
        if !commit
            && let Some(&source) = claimed.get(&name)
            && would_read(history, &machine, op) != Some(source)
        {
            return Err(Rejection::OtherSource {
                step,
                read: name.to_string(),
                source_name: source.to_string(),
            });
        }
        let taken = if commit { Step::Commit(op) } else { Step::Execute(op) };
        machine.step(taken).map_err(|refusal| Rejection::Refused {
            step,
            name: name.to_string(),
            refusal,
        })?;
    }
    machine.finish().map_err(|refusal| Rejection::Refused {
        step: steps.len() + 1,
        name: "end".to_owned(),
        refusal,
    })?;
    Ok(Verified::Consistent { steps: steps.len() })
}

/// The write that a read would take its value from in the machine's current state.
fn would_read(history: &History, machine: &Machine<'_>, op: OpId) -> Option<Name> {
    let location = history.location(op)?;
    Some(match machine.visible(op) {
        Some(write) => Name::of(history, write),
        None => Name::Initial(history.locations()[location as usize].address),
    })
}

/// Checks the memory order of a weak model, and that its reads take their values from where the
/// certificate says.
fn check_order(
    history: &History,
    model: Model,
    reads_from: &[(Name, Name)],
    steps: &[(bool, Name)],
) -> Result<Verified, Rejection> {
    let mut order = Vec::with_capacity(steps.len());
    for (at, &(commit, name)) in steps.iter().enumerate() {
        let known = name.operation(history).filter(|_| !commit);
        order.push(known.ok_or(Rejection::Unknown { step: at + 1, name: name.to_string() })?);
    }
    let sources = order::check(history, model, &order).map_err(|problem| {
        let name = problem.op().map(|op| Name::of(history, op).to_string());
        Rejection::Unordered { name: name.unwrap_or_default(), problem }
    })?;
    for &(read, claimed) in reads_from {
        let op = read.operation(history);
        let op = op.ok_or(Rejection::Unknown { step: 0, name: read.to_string() })?;
        let actual = match sources.source(op) {
            Some(ReadSource::Write(write)) => Some(Name::of(history, write)),
            Some(ReadSource::Initial) => history
                .location(op)
                .map(|at| Name::Initial(history.locations()[at as usize].address)),
            _ => None,
        };
        if actual != Some(claimed) {
            let (read, source_name) = (read.to_string(), claimed.to_string());
            return Err(Rejection::OtherSource { step: 0, read, source_name });
        }
    }
    Ok(Verified::Consistent { steps: steps.len() })
}
