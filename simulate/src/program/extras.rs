//! Requests that a program makes in addition to the accesses that its size and its seed decide.
//!
//! Extras are drawn from generators of their own, after the program and its edits, so the rest of a program does not
//! depend on them.

use history::random::Rng;

use super::{Operation, Popular, Program, RmwForm, Translations};

/// The largest number of DMA devices of a program.
pub const MOST_DEVICES: u32 = 16;

/// The number or share of each kind of request that a program makes in addition to its accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extras {
    /// Number of DMA devices, each of which is a thread after those of cores.
    pub devices: u32,
    /// Of 100 operations, how many come right after a flush of a line.
    pub flushes: u32,
    /// Of 100 read-modify-writes, how many are one atomic request.
    pub atomics: u32,
    /// Of 100 operations, how many come right after requests about translations: invalidations of TLBs, and syncs.
    pub dvm: u32,
    /// Of 100 loads and stores, how many are to parts of words, or not aligned.
    pub partial: u32,
    /// Of 100 loads and stores of cores, how many are made functionally. Cores draw them when they run, so they change no
    /// program; only cores that complete each operation before the next make any.
    pub functional: u32,
    /// 1 if the policies of controllers are drawn, 2 if slots of CHI's other nodes are, too, in protocols that have any ([`policies`](crate::config::policies)). It changes no
    /// program.
    pub policies: u32,
    /// 1 if the clusters of cores are drawn, in protocols that have any ([`clusters`](crate::config::clusters())). It changes no program.
    pub clusters: u32,
    /// 1 if a functional read that fails is made again in the usual way, and 0 if it ends the run.
    pub suppressed: u32,
}

/// Separates the choice of a program's extras from other choices with the same seed.
const DRAWN: u64 = 0x45_58_44_52 << 32;
/// Of 100 programs, how many have no extras.
const PLAIN_PERCENT: u32 = 40;
/// Of 100 other programs, how many have each kind of extra.
const EACH_PERCENT: u32 = 60;
/// Of 100 other programs, how many have accesses to parts of words.
const PARTIAL_PERCENT: u32 = 30;

impl Extras {
    /// The extras of the program of a seed, if programs are to differ in them: none, or some of those in `self`.
    #[must_use]
    pub fn drawn(self, seed: u64) -> Extras {
        let mut rng = Rng::new(seed, DRAWN);
        if rng.percent(PLAIN_PERCENT) {
            return Extras::default();
        }
        let devices = 1 + rng.below(u64::from(self.devices.max(1))) as u32;
        let drawn = Extras {
            devices: if rng.percent(EACH_PERCENT) { devices.min(self.devices) } else { 0 },
            flushes: if rng.percent(EACH_PERCENT) { self.flushes } else { 0 },
            atomics: if rng.percent(EACH_PERCENT) { self.atomics } else { 0 },
            // Drawn last, as clusters are, so that the others are the same for protocols that have none of it.
            dvm: 0,
            // Rarer than the others, since splitting accesses makes histories longer.
            partial: if rng.percent(PARTIAL_PERCENT) { self.partial } else { 0 },
            // Never part of what is drawn: users ask for them.
            functional: self.functional,
            suppressed: self.suppressed,
            policies: if rng.percent(EACH_PERCENT) { self.policies } else { 0 },
            clusters: 0,
        };
        let [has_dvm, has_clusters] = [(); 2].map(|()| rng.percent(EACH_PERCENT));
        let dvm = if has_dvm { self.dvm } else { 0 };
        Extras { dvm, clusters: if has_clusters { self.clusters } else { 0 }, ..drawn }
    }

    /// The larger number in each field.
    #[must_use]
    pub fn max(self, other: Extras) -> Extras {
        Extras {
            devices: self.devices.max(other.devices),
            flushes: self.flushes.max(other.flushes),
            atomics: self.atomics.max(other.atomics),
            dvm: self.dvm.max(other.dvm),
            partial: self.partial.max(other.partial),
            functional: self.functional.max(other.functional),
            suppressed: self.suppressed.max(other.suppressed),
            policies: self.policies.max(other.policies),
            clusters: self.clusters.max(other.clusters),
        }
    }

    /// The smaller number in each field.
    #[must_use]
    pub fn min(self, other: Extras) -> Extras {
        Extras {
            devices: self.devices.min(other.devices),
            flushes: self.flushes.min(other.flushes),
            atomics: self.atomics.min(other.atomics),
            dvm: self.dvm.min(other.dvm),
            partial: self.partial.min(other.partial),
            functional: self.functional.min(other.functional),
            suppressed: self.suppressed.min(other.suppressed),
            policies: self.policies.min(other.policies),
            clusters: self.clusters.min(other.clusters),
        }
    }
}

/// Separates the random choices of a thread's extras from those of its program with the same seed.
const PURPOSE: u64 = 0x45_58_54_52 << 32;
/// Of 100 flushes, how many are of the line that the next operation accesses.
const OWN_LINE_PERCENT: u32 = 50;
/// Of 100 atomic requests, how many do not return the old value.
const NO_RETURN_PERCENT: u32 = 50;

/// Separates the choice of requests about translations from other choices with the same seed.
const DVM: u64 = 0x44_56_4d << 32;
/// Of 100 steps with requests about translations, how many have an invalidation alone.
const INVALIDATE_PERCENT: u32 = 50;
/// The other requests about translations, of which each is as frequent.
const SYNCS: [Translations; 2] = [Translations::InvalidateSync, Translations::Sync];

impl Program {
    /// Adds requests about translations before some of the operations.
    pub(super) fn add_translations(&mut self, dvm: u32, seed: u64) {
        if dvm == 0 {
            return;
        }
        for (thread, steps) in (0_u64..).zip(&mut self.threads) {
            let mut rng = Rng::new(seed, DVM + thread);
            for step in steps {
                let is_plain = rng.percent(INVALIDATE_PERCENT);
                let sync = rng.one_of(&SYNCS);
                let drawn = if is_plain { Translations::Invalidate } else { sync };
                step.translations = rng.percent(dvm).then_some(drawn);
            }
        }
    }

    /// Adds flushes, and turns read-modify-writes into atomic requests.
    pub(super) fn add_extras(
        &mut self,
        extras: Extras,
        line_bytes: u64,
        seed: u64,
        popular: &Popular,
    ) {
        if extras.flushes == 0 && extras.atomics == 0 {
            return;
        }
        for (thread, steps) in (0_u64..).zip(&mut self.threads) {
            let mut rng = Rng::new(seed, PURPOSE + thread);
            for step in steps {
                let own = step.operation.address().filter(|_| rng.percent(OWN_LINE_PERCENT));
                let address = own.unwrap_or_else(|| popular.choose(&mut rng));
                let is_flushed = rng.percent(extras.flushes);
                step.flush = is_flushed.then_some(address & !(line_bytes - 1));
                let form = drawn_form(extras.atomics, &mut rng);
                if let (Operation::Rmw { form: own, .. }, Some(form)) = (&mut step.operation, form)
                {
                    *own = form;
                }
            }
        }
    }
}

/// Draws the form of an atomic request for a read-modify-write; `None` if it is to be no atomic request.
fn drawn_form(atomics: u32, rng: &mut Rng) -> Option<RmwForm> {
    let returns = !rng.percent(NO_RETURN_PERCENT);
    let form = if returns { RmwForm::Atomic } else { RmwForm::AtomicNoReturn };
    rng.percent(atomics).then_some(form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ProgramSize, Step};

    fn program(flushes: u32, atomics: u32) -> Program {
        Program::random(&ProgramSize {
            operations: 2000,
            rmws: 20,
            linked: 50,
            extras: Extras { flushes, atomics, ..Extras::default() },
            ..ProgramSize::default()
        })
    }

    fn share(program: &Program, of: impl Fn(&Step) -> bool) -> usize {
        let steps = program.threads.iter().flatten();
        steps.filter(|step| of(step)).count() * 100 / program.operations()
    }

    #[test]
    fn programs_that_differ_ask_for_all_that_there_is() {
        let most =
            Extras { devices: 2, flushes: 10, atomics: 50, partial: 40, ..Extras::default() };
        let drawn: Vec<Extras> = (0..100).map(|seed| most.drawn(seed)).collect();
        let count = |is: &dyn Fn(&Extras) -> bool| drawn.iter().filter(|one| is(one)).count();
        assert!((35..=60).contains(&count(&|one| *one == Extras::default())));
        assert!(count(&|one| one.devices == 1) > 0 && count(&|one| one.devices == 2) > 10);
        assert!(count(&|one| one.flushes == 10) > 20 && count(&|one| one.atomics == 50) > 20);
        assert!(count(&|one| one.partial == 40) > 10 && count(&|one| *one == most) > 1);
        let none = Extras::default();
        assert!((0..100).all(|seed| none.drawn(seed) == none));
    }

    #[test]
    fn flushes_leave_the_operations_as_they_are() {
        let mut flushed = program(10, 0);
        let is_flush = |step: &Step| step.flush.is_some();
        assert!((8..=12).contains(&share(&flushed, is_flush)));
        let is_own = |step: &Step| step.flush.is_some() && step.flush == step.operation.address();
        assert!((4..=8).contains(&share(&flushed, is_own)));
        flushed.threads.iter_mut().flatten().for_each(|step| step.flush = None);
        assert_eq!(flushed, program(0, 0));
    }

    #[test]
    fn requests_about_translations_leave_the_operations_as_they_are() {
        let with = |dvm| {
            Program::random(&ProgramSize {
                operations: 2000,
                extras: Extras { dvm, ..Extras::default() },
                ..ProgramSize::default()
            })
        };
        let mut program = with(20);
        let is = |what| move |step: &Step| step.translations == Some(what);
        assert!((8..=12).contains(&share(&program, is(Translations::Invalidate))));
        assert!((18..=22).contains(&share(&program, |step| step.translations.is_some())));
        for sync in SYNCS {
            assert!((4..=6).contains(&share(&program, is(sync))), "{sync:?}");
        }
        program.threads.iter_mut().flatten().for_each(|step| step.translations = None);
        assert_eq!(program, with(0));
    }

    #[test]
    fn half_of_the_atomic_requests_return_the_old_value() {
        let is = |form| move |step: &Step| matches!(step.operation, Operation::Rmw { form: own, .. } if own == form);
        let all = program(0, 100);
        assert!((8..=12).contains(&share(&all, is(RmwForm::Atomic))));
        assert!((8..=12).contains(&share(&all, is(RmwForm::AtomicNoReturn))));
        assert_eq!(share(&all, is(RmwForm::Locked)) + share(&all, is(RmwForm::Linked)), 0);
        let some = program(0, 50);
        assert!(
            (8..=12)
                .contains(&(share(&some, is(RmwForm::Locked)) + share(&some, is(RmwForm::Linked))))
        );
    }
}
