//! Recipes as options of the command line.

use slicc::protocol::Protocol;

use super::Recipe;
use crate::client::Client;
use crate::config::{Caches, Options};
use crate::program::{ProgramSize, WeakShares};

impl Recipe {
    /// The options of `rubric simulate` for a recipe on a protocol and kind of core, without those that have their
    /// default. They are complete for a recipe that was drawn; edits and timing, which variations
    /// add, have no options.
    pub fn words(&self, protocol: &Protocol, client: Client) -> String {
        let (shape, options) = (&self.shape_for(protocol, client), &self.options(protocol));
        let (usual, system) = (ProgramSize::default(), Options::default());
        let mut words = Vec::new();
        let mut say = |option: &str, value: String, usual: String| {
            if value != usual {
                words.push(format!("--{option} {value}"));
            }
        };
        let counts = [
            ("threads", shape.threads, usual.threads),
            ("dma", shape.extras.devices, 0),
            ("flush", shape.extras.flushes, 0),
            ("operations", shape.operations, usual.operations),
            ("locations", shape.locations, usual.locations),
            ("per-line", shape.per_line, usual.per_line),
            ("reads", shape.reads, usual.reads),
            ("rmws", shape.rmws, usual.rmws),
            ("fences", shape.fences, usual.fences),
            ("fetches", shape.fetches, usual.fetches),
            ("linked", shape.linked, usual.linked),
            ("atomics", shape.extras.atomics, 0),
            ("partial", shape.extras.partial, 0),
            ("functional", shape.extras.functional, 0),
            ("think", shape.think, usual.think),
            ("l2-banks", options.l2_banks, system.l2_banks),
            ("directories", options.directories, system.directories),
        ];
        for (option, value, usual) in counts {
            say(option, value.to_string(), usual.to_string());
        }
        if let Some(weak) = &shape.weak {
            let usual = WeakShares::usual(weak.model);
            let shares = [
                ("dependencies", weak.dependencies, usual.dependencies),
                ("annotations", weak.annotations, usual.annotations),
                ("weak-fences", weak.weak_fences, usual.weak_fences),
            ];
            for (option, value, usual) in shares {
                say(option, value.to_string(), usual.to_string());
            }
        }
        say("skew", shape.skew.to_string(), usual.skew.to_string());
        say("cache-size", caches(options.caches), caches(system.caches));
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
