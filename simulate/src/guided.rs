//! Which run to make next: runs that went where others seldom do are varied.
//!
//! A [`Guide`] learns what each run has reached, keeps those that reached something new or rare, and
//! proposes variations of them, between fresh runs. McVerSi (Elver and Nagarajan, HPCA 2016) guides
//! programs by rare transitions, AFL inputs of programs by what they cover.
//!
//! ```
//! use simulate::client::Client;
//! use simulate::guided::Guide;
//! use simulate::protocol::Protocol;
//! use simulate::recipe::Recipe;
//!
//! let protocol = Protocol::open("MI_example").expect("it is built in");
//! let mut guide = Guide::new(1);
//! for _ in 0..20 {
//!     let lineage = guide.next();
//!     let simulation = Recipe::of(&lineage).simulation(&protocol, Client::InOrder);
//!     let plan = simulation.plan(&protocol).expect("it fits every protocol");
//!     let run = simulation.run(&protocol, &plan, None).expect("the plan fits");
//!     guide.learn(&lineage, &run.reached());
//! }
//! assert!(guide.covered() > 20);
//! ```

use std::collections::BTreeMap;

use crate::dice::Dice;
use crate::recipe::Lineage;
use crate::system::Reached;

/// Proposes runs of one client on one protocol, or on mutants that have its states and events.
///
/// The n-th proposal depends on the seed and on what was learned before, in its order, and on nothing
/// else: a guide that learns a record of runs goes on as the one that proposed them.
#[derive(Clone, Debug)]
pub struct Guide {
    seed: u64,
    /// Fresh runs so far.
    fresh: u64,
    /// Proposals, or runs that were learned if those are more.
    proposed: u64,
    learned: u64,
    /// How many runs have reached each triple.
    runs: BTreeMap<u32, u64>,
    kept: Vec<Kept>,
    /// Experimental.
    pub tuning: Tuning,
}

/// Experimental.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Tuning {
    pub fresh: u32,
    pub most: usize,
    pub rare: u64,
    pub power: f64,
    pub decay: f64,
    pub buckets: bool,
    pub depth: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            fresh: 33,
            most: 64,
            rare: 8,
            power: 1.0,
            decay: 1.0,
            buckets: true,
            depth: 100,
        }
    }
}

/// A run that is worth varying.
#[derive(Clone, Debug)]
struct Kept {
    lineage: Lineage,
    reached: Vec<u32>,
    varied: u64,
}

const PURPOSE: u64 = 0x47_55_49_44;
const SEEDS: u64 = 1000;

impl Guide {
    /// A guide that knows nothing yet. Its fresh runs are those of the seed, the seed + 1 and so on.
    pub fn new(seed: u64) -> Guide {
        Guide {
            seed,
            fresh: 0,
            proposed: 0,
            learned: 0,
            runs: BTreeMap::new(),
            kept: Vec::new(),
            tuning: Tuning::default(),
        }
    }

    /// What to run next.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Lineage {
        let mut dice = Dice::new(self.seed ^ (self.proposed << 32), PURPOSE);
        self.proposed += 1;
        if self.kept.is_empty() || dice.percent(self.tuning.fresh) {
            let lineage = Lineage::root(self.seed.wrapping_add(self.fresh));
            self.fresh += 1;
            return lineage;
        }
        let at = self.choose(&mut dice);
        self.kept[at].varied += 1;
        self.kept[at].lineage.vary(dice.below(SEEDS))
    }

    fn worth(&self, kept: &Kept) -> f64 {
        let rarity = kept
            .reached
            .iter()
            .map(|triple| 1.0 / (self.runs[triple] as f64).powf(self.tuning.power));
        rarity.sum::<f64>() / (1.0 + self.tuning.decay * kept.varied as f64)
    }

    fn choose(&self, dice: &mut Dice) -> usize {
        let mut sum = 0;
        let sums: Vec<u64> = self
            .kept
            .iter()
            .map(|kept| {
                sum += (self.worth(kept) * 1e6) as u64 + 1;
                sum
            })
            .collect();
        let point = dice.below(sum);
        sums.partition_point(|&sum| sum <= point)
    }

    /// Takes note of what a run reached.
    pub fn learn(&mut self, lineage: &Lineage, reached: &[Reached]) {
        self.learned += 1;
        self.proposed = self.proposed.max(self.learned);
        if lineage.variations().is_empty() {
            let number = lineage.seed().wrapping_sub(self.seed);
            self.fresh = self.fresh.max(number.saturating_add(1));
        }
        let code = |one: &Reached| match self.tuning.buckets {
            true => one.triple * 16 + (one.count.ilog2()).min(15),
            false => one.triple * 16,
        };
        let mut reached: Vec<u32> = reached.iter().map(code).collect();
        reached.sort();
        let mut is_rare = false;
        for triple in &reached {
            let runs = self.runs.entry(*triple).or_insert(0);
            *runs += 1;
            is_rare |= *runs <= self.tuning.rare;
        }
        if !is_rare || lineage.variations().len() >= self.tuning.depth {
            return;
        }
        self.kept.push(Kept {
            lineage: lineage.clone(),
            reached,
            varied: 0,
        });
        if self.kept.len() > self.tuning.most {
            let worth: Vec<f64> = self.kept.iter().map(|one| self.worth(one)).collect();
            let least = (0..worth.len())
                .min_by(|&a, &b| worth[a].total_cmp(&worth[b]))
                .unwrap_or(0);
            self.kept.swap_remove(least);
        }
    }

    /// How many triples have been reached.
    pub fn covered(&self) -> usize {
        self.runs.len()
    }
}
