//! Clusters of CHI: which cores share a second level, and which have none.
//!
//! gem5's script gives each core a request node with a private second level. Users' scripts, which extend `CHI_config.py`, build others: nodes
//! whose cores share a second level, in banks or not, and nodes without one, whose first levels ask the home nodes.

use std::fmt;
use std::str::FromStr;

use history::random::Rng;
use slicc::error::ParseError;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use super::Options;
use super::chi::is_chi;

/// A cluster: cores that share a second level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cluster {
    /// Number of cores, at least 1.
    cores: u32,
    /// Number of banks of the second level: a power of two, or 0 if there is none.
    banks: u32,
}

/// The clusters of a system, in the order of their cores. The list begins again until all cores have a place.
/// Written `4:2,1:0` for four cores that share a second level of two banks, and one without a second level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clusters(Vec<Cluster>);

impl Default for Clusters {
    /// A private second level for each core, as in gem5's script.
    fn default() -> Clusters {
        Clusters(vec![Cluster { cores: 1, banks: 1 }])
    }
}

/// The name of the setting.
pub(super) const PARAMETER: &str = "clusters";

/// Separates the choice of clusters from others with the same seed.
const PURPOSE: u64 = 0x43_4c_55_53;

impl Clusters {
    /// The clusters that are set, or else those of gem5's script.
    pub(super) fn of(options: &Options) -> Clusters {
        let own = |setting: &&Setting| setting.machine.is_none() && setting.parameter == PARAMETER;
        let set = options.settings.iter().rfind(own);
        set.and_then(|setting| setting.value.parse().ok()).unwrap_or_default()
    }

    /// The clusters of a seed: up to three, alike or not.
    fn drawn(seed: u64) -> Clusters {
        let mut rng = Rng::new(seed, PURPOSE);
        let count = rng.one_of(&[1, 1, 2, 3]);
        let drawn = |_| Cluster {
            cores: rng.one_of(&[1, 2, 2, 3, 4, 8]),
            banks: rng.one_of(&[0, 1, 1, 1, 2, 4]),
        };
        Clusters((0..count).map(drawn).collect())
    }

    /// The cluster of each core, by number, and how many banks its second level has.
    fn of_cores(&self, cores: u32) -> impl Iterator<Item = (u32, u32)> {
        let all = (0..).zip(self.0.iter().cycle());
        let places = all.flat_map(|(at, one)| (0..one.cores).map(move |_| (at, one.banks)));
        places.take(cores as usize)
    }

    /// The number of the cluster of a core.
    pub(super) fn of_core(&self, core: u32) -> u32 {
        self.of_cores(core + 1).last().map_or(0, |(cluster, _)| cluster)
    }

    /// The clusters of a system with this many cores: the number of each, and how many banks its second level has.
    pub(super) fn of_system(&self, cores: u32) -> Vec<(u32, u32)> {
        let mut all: Vec<_> = self.of_cores(cores).collect();
        all.dedup();
        all
    }
}

/// The clusters of a seed, as a setting; protocols other than CHI have none.
pub fn clusters(protocol: &Protocol, seed: u64) -> Option<Setting> {
    is_chi(protocol).then(|| Setting::of_all(PARAMETER, Clusters::drawn(seed)))
}

impl fmt::Display for Clusters {
    /// Writes what [`FromStr`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Cluster { cores, banks }) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{cores}:{banks}")?;
        }
        Ok(())
    }
}

impl FromStr for Clusters {
    type Err = ParseError;

    /// Parses `CORES:BANKS`, or several of these separated by commas.
    fn from_str(text: &str) -> Result<Clusters, ParseError> {
        const EXPECTED: &str = "expected numbers of cores with the banks of the second level that they share, such as 4:1, or 2:2,1:0 (banks: \
                                none, or a power of two)";
        let cluster = |one: &str| {
            let (cores, banks) = one.split_once(':')?;
            let [cores, banks] = [cores.parse().ok()?, banks.parse().ok()?];
            let fits = cores > 0 && (banks == 0 || u32::is_power_of_two(banks));
            fits.then_some(Cluster { cores, banks })
        };
        let all: Option<Vec<Cluster>> = text.split(',').map(cluster).collect();
        all.map(Clusters).ok_or_else(|| ParseError::new(text, EXPECTED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_repeated_until_all_cores_have_a_place() {
        let clusters: Clusters = "2:4,1:0".parse().unwrap();
        assert_eq!(clusters.of_system(5), [(0, 4), (1, 0), (2, 4)]);
        assert_eq!((0..5).map(|core| clusters.of_core(core)).collect::<Vec<_>>(), [0, 0, 1, 2, 2]);
        assert_eq!(Clusters::default().of_system(2), [(0, 1), (1, 1)]);
    }

    #[test]
    fn drawn_clusters_are_read_as_they_are_written() {
        for seed in 0..100 {
            let drawn = Clusters::drawn(seed);
            assert_eq!(drawn.to_string().parse(), Ok(drawn));
        }
        for wrong in ["", "2", "0:1", "2:3", "2:-1", "2:1,", "2:1:1", "x:1"] {
            assert!(wrong.parse::<Clusters>().is_err(), "{wrong}");
        }
    }
}
