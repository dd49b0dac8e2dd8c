//! Functional accesses of cores: which of their loads and stores they make functionally, and what becomes of these.

use history::random::Rng;

/// Makes the generator that draws functional accesses differ from the others.
const FUNCTIONAL: u64 = 0x46_55_4e_43 << 32;

/// What became of a functional access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionalAccess {
    /// It was made; the value is the one read or written.
    Done(u64),
    /// It would change what a request is about to write, so the core makes the access in the usual way.
    Refused,
    /// It failed, which ends the run.
    Failed,
}

/// The share of a thread's loads and stores that it makes functionally, which is drawn from a generator of its own.
#[derive(Debug)]
pub(super) struct Share {
    percent: u32,
    rng: Rng,
    /// The index of the operation for which it was drawn last.
    drawn: Option<usize>,
}

impl Share {
    pub(super) fn new(percent: u32, seed: u64, thread: u32) -> Share {
        let rng = Rng::new(seed, FUNCTIONAL + u64::from(thread));
        Share { percent, rng, drawn: None }
    }

    /// Whether the operation with an index is to be made functionally. Asked again, the answer is no: then the core has tried
    /// that.
    pub(super) fn takes(&mut self, index: usize) -> bool {
        let is_new = self.percent > 0 && self.drawn != Some(index);
        self.drawn = Some(index);
        is_new && self.rng.percent(self.percent)
    }
}
