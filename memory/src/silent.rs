//! What a model makes of a read-modify-write that writes back what it read ([`SilentRmw`](history::Kind::SilentRmw)): it may have written, or
//! failed as a compare-and-swap.
//!
//! A history with `n` such operations has 2ⁿ *readings*, in each of which every one of them has written or failed. The
//! verdict on the history is that of its readings, if they agree. They need not be tried one by one. Mostly a write is
//! stricter: leave it out of a memory order that a model allows, and the model allows the rest, since reads that took its value
//! now take the equal value of the write before it, and a failed compare-and-swap orders no pair that the write does not
//! order. So if the history is consistent where all have written, it is in every reading, and if it is a violation where all
//! have failed, it is one in every reading. There are two exceptions, for which the [strictest](SilentForm::Strictest) and the
//! [mildest](SilentForm::Mildest) form are bounds of all readings, but no readings ([`Model::only_bounded`]), so that where the forms
//! disagree the readings of these operations have to be tried after all:
//!
//! - A write ends a reservation of its own thread, unless the model
//!   [pairs across own writes](Model::pairs_across_own_writes). In the strictest form it does not, but ends those of other threads
//!   (under a model with a machine it is then no write if there are none of these, and the reservation is lost if there are);
//!   in the mildest form a failed one ends the reservation of its own thread, and no others.
//! - Armv8 and RMO let a later load of the thread take the value of the write before the read part of the operation. In the
//!   strictest form the load comes after it (by a data dependency, or as after an acquire); in the mildest form the value of
//!   the load is unknown.

use std::borrow::Cow;

use history::{History, OpId, SilentEffect};
use rustc_hash::FxHashMap;

use crate::model::{Model, PsoRmw};
use crate::weak::PpoRule;

/// What is supposed of the silent read-modify-writes of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SilentForm {
    /// Under weak models they have written. Under the others they have failed, except under PSO in a history with weak
    /// fences or releases, which may order them as writes.
    Usual,
    /// If the history is consistent in this form, it is consistent whatever they did.
    Strictest,
    /// If the history is a violation in this form, it is a violation whatever they did.
    Mildest,
}

/// The load-linked and store-conditional of a pair, with their thread.
struct Reservation {
    thread: usize,
    load: OpId,
    store: OpId,
}

/// The reservations of a history, by location, and the threads that may write there.
#[derive(Default)]
struct Reservations {
    by_location: FxHashMap<u32, Vec<Reservation>>,
    /// A thread that may write the location, and whether several do.
    writers: FxHashMap<u32, (usize, bool)>,
}

impl Reservations {
    fn of(history: &History) -> Reservations {
        let mut found = Reservations::default();
        for thread in 0..history.threads().len() {
            for store in history.thread_ops(thread) {
                let Some(location) = history.location(store) else { continue };
                if let Some(load) = history.linked_load_across_writes(store) {
                    let own = found.by_location.entry(location).or_default();
                    own.push(Reservation { thread, load, store });
                }
            }
        }
        for thread in 0..history.threads().len() {
            for op in history.thread_ops(thread) {
                let location = history.location(op);
                let location = location.filter(|at| found.by_location.contains_key(at));
                if let Some(location) = location.filter(|_| history.kind(op).is_ordered_as_write())
                {
                    let (first, several) = found.writers.entry(location).or_insert((thread, false));
                    *several |= *first != thread;
                }
            }
        }
        found
    }

    /// Whether a write by the operation would end a reservation of another thread, and whether it would end one of its own
    /// thread that excludes writes of others.
    fn ended_by(&self, history: &History, op: OpId) -> (bool, bool) {
        let Some(location) = history.location(op) else { return (false, false) };
        let own = history.thread_of(op);
        let is_shared = self.writers.get(&location).is_some_and(|(_, several)| *several);
        let all = || self.by_location.get(&location).into_iter().flatten();
        let foreign = all().any(|it| it.thread != own);
        let around = all().any(|it| it.thread == own && it.load < op && op < it.store);
        (foreign, around && is_shared)
    }
}

impl Model {
    /// The history as the model sees it, in its [usual](SilentForm::Usual) form. Initial values that are not known and that reads show
    /// are filled in. If a read-modify-write is two events under the model,
    /// it becomes two operations. All functions that take a history and a weak model expect this form. Cost: linear.
    pub fn prepare(self, history: &History) -> Cow<'_, History> {
        self.prepare_as(history, SilentForm::Usual)
    }

    /// Prepares a history as [`Model::prepare`] does, with its silent read-modify-writes in this form.
    pub fn prepare_as(self, history: &History, form: SilentForm) -> Cow<'_, History> {
        match form {
            SilentForm::Usual => self.prepare_with(history, |history| self.usual(history)),
            SilentForm::Strictest => self.prepare_between(history, |_| false),
            SilentForm::Mildest => self.prepare_between(history, |_| true),
        }
    }

    /// Prepares a history as [`Model::prepare`] does, with those silent read-modify-writes in the mildest form for which
    /// `is_mild` is true, and the others in the strictest.
    pub fn prepare_between(
        self,
        history: &History,
        is_mild: impl Fn(OpId) -> bool,
    ) -> Cow<'_, History> {
        self.prepare_with(history, |history| {
            history.silent().next().and_then(|_| self.between(history, is_mild))
        })
    }

    fn prepare_with(
        self,
        history: &History,
        settle: impl FnOnce(&History) -> Option<History>,
    ) -> Cow<'_, History> {
        let split = |history: &History| {
            if self.splits_atomics() { history.split_atomics() } else { None }
        };
        let shown = history.with_shown_initial();
        let settled = settle(shown.as_ref().unwrap_or(history)).or(shown);
        let split = split(settled.as_ref().unwrap_or(history));
        split.or(settled).map_or(Cow::Borrowed(history), Cow::Owned)
    }

    /// The silent read-modify-writes that matter to the verdict under the model, the first by trace line first. Without any,
    /// all forms of the history have one verdict. Cost: linear.
    pub fn doubtful(self, history: &History) -> Vec<OpId> {
        let mut doubtful: Vec<OpId> = history.silent().collect();
        if !doubtful.is_empty() && !self.is_weak() && !self.orders_silent(history) {
            let reservations = Reservations::of(history);
            doubtful.retain(|&op| reservations.ended_by(history, op) != (false, false));
        }
        doubtful.sort_by_key(|&op| (history.line(op), op));
        doubtful
    }

    /// The silent read-modify-writes of which the strictest or the mildest form is a bound and no reading. Without any, the strictest
    /// form is the reading in which all have written, and the mildest that in which all have failed. Cost: linear.
    pub fn only_bounded(self, history: &History) -> Vec<OpId> {
        let mut bounded = Vec::new();
        if !self.pairs_across_own_writes() {
            let reservations = Reservations::of(history);
            bounded.extend(history.silent().filter(|&op| reservations.ended_by(history, op).1));
        }
        if self.forwards_before_atomics() {
            bounded.extend(history.reads_behind_silent().into_iter().map(|(_, silent)| silent));
        }
        bounded.sort_unstable();
        bounded.dedup();
        bounded
    }

    /// Whether something in the history may order a silent read-modify-write as a write under a model with a machine.
    fn orders_silent(self, history: &History) -> bool {
        self.rmw() == Some(PsoRmw::Own) && self.has_refined(history)
    }

    fn usual(self, history: &History) -> Option<History> {
        let effect = if self.is_weak() { SilentEffect::WRITTEN } else { SilentEffect::FAILED };
        if self.orders_silent(history) { None } else { history.settle_silent(|_| effect) }
    }

    fn between(self, history: &History, is_mild: impl Fn(OpId) -> bool) -> Option<History> {
        let reservations = Reservations::of(history);
        let orders_silent = self.orders_silent(history);
        let settled = history.settle_silent(|op| {
            let (foreign, own) = reservations.ended_by(history, op);
            let is_exception = own && !self.pairs_across_own_writes();
            if is_mild(op) {
                SilentEffect::Failed { ends_reservation: is_exception }
            } else if self.is_weak() {
                SilentEffect::Written { ends_reservation: !is_exception }
            } else if foreign && own {
                SilentEffect::WrittenUnnoticed
            } else if foreign {
                SilentEffect::WRITTEN
            } else if orders_silent {
                SilentEffect::Open
            } else {
                SilentEffect::FAILED
            }
        })?;
        if !self.forwards_before_atomics() {
            return Some(settled);
        }
        let (mild, strict): (Vec<_>, Vec<_>) =
            history.reads_behind_silent().into_iter().partition(|&(_, silent)| is_mild(silent));
        let settled = settled.without_values(mild.into_iter().map(|(read, _)| read));
        let strict = strict.into_iter().map(|(_, silent)| silent);
        Some(if self.splits_atomics() {
            settled.with_data_dependencies(strict)
        } else {
            settled.with_acquires(strict)
        })
    }

    /// Whether a load may take the value that an earlier atomic of its thread writes before that atomic has read.
    fn forwards_before_atomics(self) -> bool {
        let ordered = [PpoRule::AtomicForwarded, PpoRule::SameLocation];
        self.is_weak() && !self.ppo_rules().iter().any(|rule| ordered.contains(rule))
    }
}
