//! The parameters of the simulated system, as options of the plug-in's script and of rubric's simulator.

use simulate::config::{Caches, Options};
use simulate::recipe::{Lineage, Recipe};
use slicc::protocol::Protocol;

/// How many consecutive seeds share a system, so that one process of gem5 runs their programs.
const SEEDS_PER_SYSTEM: u64 = 64;

/// The largest number of threads of a recipe's program.
const MOST_THREADS: u32 = 8;

/// The parameters of a system that gem5's scripts and rubric's simulator both have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The number of cores. A program may have fewer threads.
    pub cores: u32,
    /// The sizes of the caches.
    pub caches: Caches,
    /// Banks of the second level.
    pub banks: u32,
    /// The number of directories.
    pub directories: u32,
    /// The number of DMA devices.
    pub devices: u32,
    /// Whether buffers delay messages at random.
    pub has_random_delays: bool,
}

impl System {
    /// The system of the programs with a lineage: that of the recipe of the first seed of its group, with as many cores as a
    /// program may need.
    pub fn of(lineage: &Lineage, protocol: &Protocol) -> System {
        let first = lineage.seed() - lineage.seed() % SEEDS_PER_SYSTEM;
        let recipe = Recipe::of(&Lineage::root(first));
        let client = simulate::client::Client::IN_ORDER;
        let options = recipe.simulation(protocol, client).options;
        System {
            cores: MOST_THREADS,
            caches: options.caches,
            banks: options.l2_banks,
            directories: options.directories,
            devices: lineage.extras().devices,
            has_random_delays: options.random_delays,
        }
    }

    /// The same system with another number of cores.
    #[must_use]
    pub fn with_cores(self, cores: u32) -> System {
        System { cores, ..self }
    }

    /// The options of such a system on rubric's simulator, with the latencies that gem5's scripts give it.
    pub fn options(&self) -> Options {
        let options = Options::default();
        let options = if self.has_random_delays { options } else { options.steady() };
        Options {
            caches: self.caches,
            l2_banks: self.banks,
            directories: self.directories,
            gem5_latencies: true,
            ..options
        }
    }

    /// The options of the script.
    pub fn arguments(&self) -> Vec<String> {
        let sizes = self.caches.sizes();
        let caches = [
            ("l1i", sizes.l1_instructions),
            ("l1d", sizes.l1_data),
            ("l2", sizes.l2),
            ("l3", sizes.l3),
        ];
        let mut arguments = vec![
            format!("--num-cpus={}", self.cores),
            format!("--num-l2caches={}", self.banks),
            // The home nodes of CHI.
            format!("--num-l3caches={}", self.banks),
            format!("--num-dirs={}", self.directories),
            format!("--dma={}", self.devices),
        ];
        for (name, cache) in caches {
            arguments.push(format!("--{name}_size={}B", cache.size));
            arguments.push(format!("--{name}_assoc={}", cache.ways));
        }
        if !self.has_random_delays {
            arguments.push("--steady".to_owned());
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_seeds_share_a_system() {
        let protocol = Protocol::open("MI_example").unwrap_or_else(|_| panic!("it is built in"));
        let of = |seed| System::of(&Lineage::root(seed), &protocol);
        assert_eq!(of(64), of(127));
        let systems: Vec<Vec<String>> = (0..40).map(|group| of(64 * group).arguments()).collect();
        let different: std::collections::BTreeSet<&Vec<String>> = systems.iter().collect();
        assert!(different.len() > 20, "{}", different.len());
    }
}
