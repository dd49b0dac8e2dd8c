//! Recipes as options of the command line.

use slicc::protocol::Protocol;

use super::{Recipe, threshold};
use crate::client::Client;
use crate::config::{Caches, Options};
use crate::program::{Spelled, WeakShares};

impl Recipe {
    /// The options of `rubric simulate` for a recipe on a protocol and kind of core, without those that have their
    /// default. They are complete for a recipe that was drawn; edits and timing, which variations
    /// add, have no options.
    pub fn words(&self, protocol: &Protocol, client: Client) -> String {
        let (shape, options) = (&self.shape_for(protocol, client), &self.options(protocol, client));
        let system = Options::default();
        let (skew, mix): (Vec<Spelled>, Vec<Spelled>) =
            shape.mix().into_iter().partition(|one| one.option == "skew");
        let banks = [
            Spelled::new("l2-banks", options.l2_banks, system.l2_banks),
            Spelled::new("directories", options.directories, system.directories),
        ];
        let counts = shape.counts().into_iter().chain(mix).chain(banks);
        let weak = shape.weak.iter().flat_map(WeakShares::words);
        let sizes = [Spelled::new("cache-size", caches(options.caches), caches(system.caches))];
        let spelled = counts.chain(weak).chain(skew).chain(sizes);
        let mut words: Vec<String> = spelled.filter_map(|one| one.word()).collect();
        if shape.extras.suppressed > 0 {
            words.push("--suppress-func-errors".to_owned());
        }
        // Steady delays change the default latencies.
        let steady = !options.random_delays;
        let latencies = [
            ("network", options.network, system.network),
            ("memory", options.memory, system.memory),
        ];
        for (option, value, usual) in latencies {
            if steady || value != usual {
                words.push(format!("--{option} {value}"));
            }
        }
        if steady {
            words.insert(0, "--steady".to_owned());
        }
        words.extend(options.settings.iter().map(|setting| format!("--set {setting}")));
        let patience = threshold(options).map(|ticks| format!("--deadlock-threshold {ticks}"));
        words.extend(patience);
        words.push(format!("--seed {}", shape.seed));
        words.join(" ")
    }
}

/// The sizes of the caches. The first level is named once, since recipes have the same for
/// instructions and data.
fn caches(caches: Caches) -> String {
    match caches {
        Caches::Tiny => "tiny".to_owned(),
        Caches::Default => "default".to_owned(),
        Caches::Given(sizes) => format!("{},{},{}", sizes.l1_data, sizes.l2, sizes.l3),
    }
}
