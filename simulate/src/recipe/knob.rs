//! The parameters of a run that are drawn one by one, and their values.

use history::random::Rng;

use super::{Filter, Recipe};
use crate::config::{CacheGeometry, Caches, Sizes};
use crate::ruby::delays::Latency;

/// A parameter of a run that is drawn independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Knob {
    Threads,
    Operations,
    PerLine,
    Lines,
    Reads,
    Rmws,
    Linked,
    Fences,
    Fetches,
    Skew,
    Think,
    Caches,
    Banks,
    Directories,
    Delays,
    Network,
    Memory,
    Filter,
}

impl Knob {
    /// All knobs, in the order in which a recipe is drawn. New ones come last, since the order is
    /// part of what a seed stands for.
    pub(super) const ALL: [Knob; 18] = [
        Knob::Threads,
        Knob::Operations,
        Knob::PerLine,
        Knob::Lines,
        Knob::Reads,
        Knob::Rmws,
        Knob::Linked,
        Knob::Fences,
        Knob::Fetches,
        Knob::Skew,
        Knob::Think,
        Knob::Caches,
        Knob::Banks,
        Knob::Directories,
        Knob::Delays,
        Knob::Network,
        Knob::Memory,
        Knob::Filter,
    ];

    /// Draws a value. Values that are listed twice are twice as likely.
    pub(super) fn draw(self, recipe: &mut Recipe, rng: &mut Rng) {
        let Recipe { shape, options, filter, .. } = recipe;
        match self {
            Knob::Threads => shape.threads = 2 + rng.below(7) as u32,
            Knob::Operations => shape.operations = 30 + rng.below(171) as u32,
            Knob::PerLine => {
                let lines = shape.locations.div_ceil(shape.per_line);
                shape.per_line = rng.one_of(&[1, 1, 1, 2, 3, 8]);
                shape.locations = lines * shape.per_line;
            }
            // Enough lines to replace each other, and few enough for threads to share them.
            Knob::Lines => {
                let most = rng.one_of(&[3, 10, 24, 40]);
                shape.locations = (1 + rng.below(most) as u32) * shape.per_line;
            }
            Knob::Reads => shape.reads = rng.one_of(&[20, 50, 50, 65, 90]),
            Knob::Rmws => shape.rmws = rng.one_of(&[0, 0, 10, 40]),
            Knob::Linked => shape.linked = rng.one_of(&[0, 50, 100]),
            Knob::Fences => shape.fences = rng.one_of(&[0, 0, 0, 6]),
            Knob::Fetches => shape.fetches = rng.one_of(&[0, 0, 20, 60]),
            Knob::Skew => shape.skew = rng.one_of(&[0.0, 0.0, 0.8, 1.5]),
            Knob::Think => shape.think = rng.one_of(&[0, 10, 10, 100]),
            Knob::Caches => options.caches = caches(rng),
            Knob::Banks => options.l2_banks = rng.one_of(&[1, 1, 2, 4]),
            Knob::Directories => options.directories = rng.one_of(&[1, 1, 2, 4]),
            Knob::Delays => options.random_delays = !rng.percent(15),
            Knob::Network => options.network = rng.one_of(&NETWORKS),
            Knob::Memory => options.memory = rng.one_of(&MEMORIES),
            Knob::Filter => *filter = drawn_filter(rng),
        }
    }
}

/// Latencies of the network.
const NETWORKS: [Latency; 6] = [
    Latency::Between(1, 18),
    Latency::Between(1, 18),
    Latency::Between(1, 200),
    Latency::Between(1, 1000),
    Latency::Between(1, 3),
    Latency::Constant(6),
];

/// Latencies of memory.
const MEMORIES: [Latency; 5] = [
    Latency::Between(20, 100),
    Latency::Between(20, 100),
    Latency::Between(1, 500),
    Latency::Between(1, 2),
    Latency::Constant(2),
];

/// The smallest cache with room for a line in each of two sets.
const SMALLEST: CacheGeometry = CacheGeometry::new(128, 1);

/// Draws the sizes of the caches: tiny ones, others of few lines, or large ones, half of these below the smallest
/// first level, so that lines move between levels.
fn caches(rng: &mut Rng) -> Caches {
    let large = Caches::Default.sizes();
    match rng.below(12) {
        0..5 => Caches::Tiny,
        5..10 => Caches::Given(few_lines(rng)),
        10 => Caches::Default,
        _ => Caches::Given(Sizes { l1_instructions: SMALLEST, l1_data: SMALLEST, ..large }),
    }
}

/// Caches of the smallest possible sizes, and slightly larger ones.
fn few_lines(rng: &mut Rng) -> Sizes {
    let cache = |(size, ways)| CacheGeometry::new(size, ways);
    let first = cache(rng.one_of(&[(128, 1), (256, 1), (256, 2), (512, 4)]));
    let second = [(128, 1), (256, 1), (256, 2), (512, 2), (1024, 4), (4096, 8)];
    Sizes {
        l1_instructions: first,
        l1_data: first,
        l2: cache(rng.one_of(&second)),
        l3: cache(rng.one_of(&[(256, 1), (256, 2), (1024, 4), (8192, 8)])),
    }
}

/// Draws a probe filter for every fourth run, small enough that lines have to leave it.
fn drawn_filter(rng: &mut Rng) -> Option<Filter> {
    let flag = match rng.below(8) {
        0 => "probe_filter_enabled",
        1 => "full_bit_dir_enabled",
        _ => return None,
    };
    let cache = |(size, ways)| CacheGeometry::new(size, ways);
    let size = cache(rng.one_of(&[(256, 1), (256, 2), (512, 2), (1024, 4)]));
    Some(Filter { flag, size })
}
