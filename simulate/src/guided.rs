//! Coverage-guided choice of runs: runs that reached rare transitions are varied.
//!
//! A [`Guide`] learns what each run reached, keeps the runs that reached something rare, and
//! proposes variations of them between fresh runs. McVerSi searches for memory bugs in this way
//! (Elver and Nagarajan, HPCA 2016: programs are fitter if they take rare transitions), and AFL for
//! bugs of other programs.
//!
//! ```
//! use simulate::client::Client;
//! use simulate::guided::Guide;
//! use slicc::protocol::Protocol;
//! use simulate::recipe::Recipe;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let mut guide = Guide::new(1);
//! for _ in 0..20 {
//!     let lineage = guide.next();
//!     let simulation = Recipe::of(&lineage).simulation(&protocol, Client::IN_ORDER);
//!     let plan = simulation.plan(&protocol).expect("it fits every protocol");
//!     let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
//!     guide.learn(&lineage, &run.reached());
//! }
//! assert!(guide.covered() > 20);
//! ```

use std::collections::BTreeMap;

use history::random::Rng;

use crate::program::Extras;
use crate::recipe::Lineage;
use crate::system::Reached;

/// Proposes runs of one client on one protocol or mutant.
///
/// The n-th proposal depends on the seed and on what was learned before it, in order. A guide that
/// learns the recorded runs of another guide continues as that one would, if it had learned from
/// each run before it proposed the next.
#[derive(Clone, Debug)]
pub struct Guide {
    seed: u64,
    /// The extras of its runs; if runs differ in them, the most that a run has.
    extras: Extras,
    /// Whether the extras of each fresh run are drawn from its seed.
    draws_extras: bool,
    /// The extras that every second fresh run has at least, if the extras of runs are drawn.
    needed: Extras,
    /// Number of proposals, or of runs learned if that is larger.
    proposed: u64,
    learned: u64,
    /// Number of fresh runs among the proposals.
    fresh: u64,
    /// For each triple of machine, state and event, the number of runs that reached it.
    runs: BTreeMap<u32, u64>,
    kept: Vec<Kept>,
}

/// A run that is worth varying.
#[derive(Clone, Debug)]
struct Kept {
    lineage: Lineage,
    reached: Vec<u32>,
    /// Number of transitions that were taken or stalled.
    length: u64,
    /// Number of times that it was varied.
    varied: u64,
}

/// Makes the generator of a guide differ from others with the same seed.
const PURPOSE: u64 = 0x47_55_49_44;
/// Number of fresh runs before anything is varied. Only after them is it known which triples are rare, and what fresh
/// runs show easily is found as fast as without a guide.
const FIRST_FRESH: u64 = 40;
/// The percentage of later proposals that are fresh.
const FRESH_PERCENT: u32 = 33;
/// Number of runs from which on a triple is no longer rare.
const RARE_BELOW_RUNS: u64 = 8;
/// Largest number of runs that are kept. With more, runs without anything rare would be varied too often.
const MOST_KEPT: usize = 24;
/// Bound of the seeds of variations: large enough that a run is hardly ever varied twice alike, and short in
/// lineages.
const VARIATION_SEEDS: u64 = 1000;
/// The weight of a triple that only one run has reached.
const UNIQUE_WEIGHT: u64 = 1 << 40;

impl Guide {
    /// Creates a guide without knowledge. Its fresh runs have the seeds `seed`, `seed + 1` and so
    /// on.
    pub fn new(seed: u64) -> Guide {
        Guide {
            seed,
            extras: Extras::default(),
            draws_extras: false,
            needed: Extras::default(),
            proposed: 0,
            learned: 0,
            fresh: 0,
            runs: BTreeMap::new(),
            kept: Vec::new(),
        }
    }

    /// The same guide for programs with these extras.
    #[must_use]
    pub fn with_extras(self, extras: Extras) -> Guide {
        Guide { extras, draws_extras: false, ..self }
    }

    /// The same guide for programs that differ in their extras: some have none, and each of the others has some of these.
    #[must_use]
    pub fn with_drawn_extras(self, most: Extras) -> Guide {
        Guide { extras: most, draws_extras: true, ..self }
    }

    /// The same guide, but every second program that is drawn anew has at least these extras, unless all have the same.
    #[must_use]
    pub fn with_needed_extras(self, needed: Extras) -> Guide {
        Guide { needed, ..self }
    }

    /// Proposes the next run.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator's user could not have it learn between two proposals"
    )]
    pub fn next(&mut self) -> Lineage {
        let mut rng = Rng::new(self.seed, PURPOSE.wrapping_add(self.proposed << 32));
        self.proposed += 1;
        let is_fresh = self.fresh < FIRST_FRESH || rng.percent(FRESH_PERCENT);
        match self.choose(&mut rng).filter(|_| !is_fresh) {
            Some(kept) => kept.lineage.vary(rng.below(VARIATION_SEEDS)),
            None => {
                let seed = self.seed.wrapping_add(self.fresh);
                self.fresh += 1;
                let needed =
                    if self.fresh.is_multiple_of(2) { self.needed } else { Extras::default() };
                let drawn = || self.extras.drawn(seed).max(needed);
                let extras = if self.draws_extras { drawn() } else { self.extras };
                Lineage::root(seed).with_extras(extras)
            }
        }
    }

    /// Learns the triples that a run reached, and how often.
    pub fn learn(&mut self, lineage: &Lineage, reached: &[Reached]) {
        self.learned += 1;
        self.proposed = self.proposed.max(self.learned);
        match lineage.parent() {
            None => {
                let number = lineage.seed().wrapping_sub(self.seed);
                self.fresh = self.fresh.max(number.saturating_add(1));
            }
            Some(parent) => {
                let parent = self.kept.iter_mut().find(|kept| kept.lineage == parent);
                parent.into_iter().for_each(|kept| kept.varied += 1);
            }
        }
        let mut is_rare = false;
        for one in reached {
            let runs = self.runs.entry(one.triple).or_insert(0);
            *runs += 1;
            is_rare |= *runs <= RARE_BELOW_RUNS;
        }
        if is_rare {
            self.keep(Kept {
                lineage: lineage.clone(),
                reached: reached.iter().map(|one| one.triple).collect(),
                length: reached.iter().map(|one| one.count).sum(),
                varied: 0,
            });
        }
    }

    /// Number of triples that have been reached.
    pub fn covered(&self) -> usize {
        self.runs.len()
    }

    /// Keeps a run, and drops the one of least weight if there are too many.
    fn keep(&mut self, kept: Kept) {
        self.kept.push(kept);
        if self.kept.len() > MOST_KEPT {
            let all = 0..self.kept.len();
            let least = all.min_by_key(|&at| self.weight(&self.kept[at]));
            least.into_iter().for_each(|at| {
                self.kept.remove(at);
            });
        }
    }

    /// The weight of a run when one is chosen for variation: larger if its triples are rare, smaller if it was
    /// varied often or is long. Long runs reach more, so length counts in part only. The arithmetic is on
    /// integers, which give the same result on every machine.
    fn weight(&self, kept: &Kept) -> u64 {
        let runs = |triple: &u32| self.runs.get(triple).copied().unwrap_or(1);
        let rarity = kept.reached.iter().map(|triple| {
            let runs = runs(triple);
            UNIQUE_WEIGHT / runs.saturating_mul(runs)
        });
        rarity.sum::<u64>() / (1 + kept.varied) / kept.length.max(1).isqrt()
    }

    /// Chooses a run that was kept, with a probability proportional to its weight.
    fn choose(&self, rng: &mut Rng) -> Option<&Kept> {
        let mut sum = 0;
        let sums: Vec<u64> = self
            .kept
            .iter()
            .map(|kept| {
                sum += self.weight(kept).max(1);
                sum
            })
            .collect();
        let point = rng.below(sum);
        self.kept.get(sums.partition_point(|&sum| sum <= point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triples that a made-up protocol reaches: common ones, some that one root in 16 and often
    /// its variations reach, and one of its own for every 64th lineage.
    fn reached(lineage: &Lineage) -> Vec<Reached> {
        let last = lineage.variations().last().copied().unwrap_or(0);
        let mut reached = vec![1, 2, 3];
        if lineage.seed().is_multiple_of(16) && last % 4 != 1 {
            reached.push(100 + (lineage.seed() / 16 % 4) as u32);
        }
        if last % 64 == 63 {
            reached.push(1000 + (lineage.seed() % 1000) as u32);
        }
        let once = |triple| Reached { triple, count: 1 };
        reached.into_iter().map(once).collect()
    }

    fn proposals(guide: &mut Guide, count: usize) -> Vec<Lineage> {
        let one = |_| {
            let lineage = guide.next();
            guide.learn(&lineage, &reached(&lineage));
            lineage
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn a_guide_resumes_from_the_record_of_its_runs() {
        let mut guide = Guide::new(7);
        let all = proposals(&mut guide, 300);
        for done in [0, 1, 50, 299] {
            let mut resumed = Guide::new(7);
            for lineage in &all[..done] {
                resumed.learn(lineage, &reached(lineage));
            }
            assert_eq!(proposals(&mut resumed, 300 - done), all[done..], "{done}");
        }
        assert_ne!(proposals(&mut Guide::new(8), 300), all);
    }

    #[test]
    fn fresh_runs_have_successive_seeds() {
        let all = proposals(&mut Guide::new(7), 300);
        let fresh = all.iter().filter(|one| one.parent().is_none());
        let fresh: Vec<u64> = fresh.map(Lineage::seed).collect();
        assert!((90..=150).contains(&fresh.len()), "{}", fresh.len());
        let expected: Vec<u64> = (7..7 + fresh.len() as u64).collect();
        assert_eq!(fresh, expected);
    }

    #[test]
    fn every_second_fresh_run_has_the_extras_that_are_needed() {
        let needed = Extras { devices: 1, ..Extras::default() };
        let most = Extras { flushes: 10, ..Extras::default() };
        let devices = |guide: Guide| -> Vec<u32> {
            let mut guide = guide.with_needed_extras(needed);
            (0..6).map(|_| guide.next().extras().devices).collect()
        };
        assert_eq!(devices(Guide::new(1).with_drawn_extras(most)), [0, 1, 0, 1, 0, 1]);
        // What the user asks for is all that programs have.
        assert_eq!(devices(Guide::new(1).with_extras(most)), [0; 6]);
    }

    #[test]
    fn runs_that_reach_what_is_rare_are_varied() {
        let all = proposals(&mut Guide::new(1), 400);
        let is_rare = |one: &&Lineage| one.seed().is_multiple_of(16);
        let varied: Vec<&Lineage> = all.iter().filter(|one| one.parent().is_some()).collect();
        let rare = varied.iter().copied().filter(is_rare).count();
        // One root in 16 is such a run; without a preference, a sixteenth of the variations would
        // be.
        assert!(rare * 4 > varied.len(), "{rare} of {}", varied.len());
    }

    #[test]
    fn proposals_differ_before_anything_is_learned() {
        let mut guide = Guide::new(u64::MAX);
        let first: Vec<String> = (0..3).map(|_| guide.next().to_string()).collect();
        assert_eq!(first, ["18446744073709551615", "0", "1"]);
        guide.learn(&Lineage::root(5), &[]);
        assert!(guide.covered() == 0 && guide.kept.is_empty());
    }
}
