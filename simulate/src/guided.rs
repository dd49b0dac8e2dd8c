//! Which run to make next: runs that went where others seldom go are varied.
//!
//! A [`Guide`] learns what each run has reached, keeps the runs that reached something rare, and
//! proposes variations of them, between fresh runs. So McVerSi looks for memory bugs (Elver and
//! Nagarajan, HPCA 2016: programs are fitter if they take rare transitions), and AFL for those of other
//! programs.
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

use crate::recipe::Lineage;
use crate::system::Reached;

/// Proposes runs of one client on one protocol or mutant.
///
/// The n-th proposal depends on the seed, and on what was learned before it in which order. A guide that
/// learns the record of runs that another one proposed goes on as that one would, if it had learned
/// from each run before it proposed the next.
#[derive(Clone, Debug)]
pub struct Guide {
    seed: u64,
    /// Proposals; or runs that were learned, if there are more of those.
    proposed: u64,
    learned: u64,
    /// Fresh runs among them.
    fresh: u64,
    /// By triple, how many runs have reached it.
    runs: BTreeMap<u32, u64>,
    kept: Vec<Kept>,
}

/// A run that is worth varying.
#[derive(Clone, Debug)]
struct Kept {
    lineage: Lineage,
    reached: Vec<u32>,
    /// Transitions that were taken or stalled.
    length: u64,
    /// How often it was varied.
    varied: u64,
}

/// Separates the choices of a guide from all else that is made of its seed.
const PURPOSE: u64 = 0x47_55_49_44;
/// So many runs are fresh before anything is varied: only then it is known what is rare, and what fresh
/// runs show with ease is found as fast as without a guide.
const FIRST: u64 = 40;
/// Of 100 proposals after these, how many are fresh.
const FRESH: u32 = 33;
/// A triple is rare until so many runs have reached it.
const RARE: u64 = 8;
/// Most runs that are kept. With more, those are varied too often that stand for nothing rare.
const KEPT: usize = 24;
/// Seeds of variations are below this: many enough that a run is hardly ever varied alike, and short.
const SEEDS: u64 = 1000;
/// What a triple is worth that one run alone has reached.
const UNIQUE: u64 = 1 << 40;

impl Guide {
    /// A guide that knows nothing yet. Its fresh runs are drawn from the seed, the seed + 1 and so on.
    pub fn new(seed: u64) -> Guide {
        Guide { seed, proposed: 0, learned: 0, fresh: 0, runs: BTreeMap::new(), kept: Vec::new() }
    }

    /// What to run next.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator's user could not have it learn between two proposals"
    )]
    pub fn next(&mut self) -> Lineage {
        let mut rng = Rng::new(self.seed, PURPOSE.wrapping_add(self.proposed << 32));
        self.proposed += 1;
        let is_fresh = self.fresh < FIRST || rng.percent(FRESH);
        match self.choose(&mut rng).filter(|_| !is_fresh) {
            Some(kept) => kept.lineage.vary(rng.below(SEEDS)),
            None => {
                let seed = self.seed.wrapping_add(self.fresh);
                self.fresh += 1;
                Lineage::root(seed)
            }
        }
    }

    /// Takes note of the triples that a run reached, and how often.
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
            is_rare |= *runs <= RARE;
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

    /// How many triples have been reached.
    pub fn covered(&self) -> usize {
        self.runs.len()
    }

    /// Keeps a run, and gives up the one that is worth least if there are too many.
    fn keep(&mut self, kept: Kept) {
        self.kept.push(kept);
        if self.kept.len() > KEPT {
            let all = 0..self.kept.len();
            let least = all.min_by_key(|&at| self.worth(&self.kept[at]));
            least.into_iter().for_each(|at| {
                self.kept.remove(at);
            });
        }
    }

    /// What it is worth to vary a run: more if its triples are rare, less if that was done often or
    /// takes long. Long runs reach more, so they pay for their length in part only. In whole numbers,
    /// which are the same on every machine.
    fn worth(&self, kept: &Kept) -> u64 {
        let runs = |triple: &u32| self.runs.get(triple).copied().unwrap_or(1);
        let rarity = kept.reached.iter().map(|triple| {
            let runs = runs(triple);
            UNIQUE / runs.saturating_mul(runs)
        });
        rarity.sum::<u64>() / (1 + kept.varied) / kept.length.max(1).isqrt()
    }

    /// A run that was kept, each as likely as it is worth.
    fn choose(&self, rng: &mut Rng) -> Option<&Kept> {
        let mut sum = 0;
        let sums: Vec<u64> = self
            .kept
            .iter()
            .map(|kept| {
                sum += self.worth(kept).max(1);
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

    /// What a made-up protocol reaches: common triples, some that one root in 16 has and its
    /// variations often, and one of its own for every 64th lineage.
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
    fn a_guide_goes_on_from_the_record_of_its_runs() {
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
    fn fresh_runs_are_all_that_the_seed_has() {
        let all = proposals(&mut Guide::new(7), 300);
        let fresh = all.iter().filter(|one| one.parent().is_none());
        let fresh: Vec<u64> = fresh.map(Lineage::seed).collect();
        assert!((90..=150).contains(&fresh.len()), "{}", fresh.len());
        let expected: Vec<u64> = (7..7 + fresh.len() as u64).collect();
        assert_eq!(fresh, expected);
    }

    #[test]
    fn runs_that_reach_what_is_rare_are_varied() {
        let all = proposals(&mut Guide::new(1), 400);
        let is_rare = |one: &&Lineage| one.seed().is_multiple_of(16);
        let varied: Vec<&Lineage> = all.iter().filter(|one| one.parent().is_some()).collect();
        let rare = varied.iter().copied().filter(is_rare).count();
        // One root in 16 is such a run: without a preference it would be a sixteenth.
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
