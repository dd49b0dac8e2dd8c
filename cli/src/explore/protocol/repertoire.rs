//! The options for requests that cores and devices make in an exploration, besides loads and stores of cores.

use simulate::stepper::Repertoire;

/// Something that cores do beside loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(super) enum Also {
    /// Load-linked and store-conditional.
    Linked,
    /// Locked read-modify-writes: a read that locks the line, and a write that unlocks it.
    Locked,
    /// Atomic instructions, performed in the first-level cache.
    Atomic,
    /// Flushes of lines.
    Flush,
    /// Fetches of instructions.
    Fetch,
    /// Loads before older loads, for which the protocol has to tell cores about lines that they lose.
    Early,
    /// Prefetches by the controllers of cores, of any line at any time.
    Prefetch,
}

impl Also {
    /// The name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Also::Linked => "linked",
            Also::Locked => "locked",
            Also::Atomic => "atomic",
            Also::Flush => "flush",
            Also::Fetch => "fetch",
            Also::Early => "early",
            Also::Prefetch => "prefetch",
        }
    }
}

/// The options for what is asked beside loads and stores.
#[derive(clap::Args)]
pub(super) struct RepertoireArgs {
    /// What cores do beside loads and stores: linked (load-linked, store-conditional), locked (read-modify-writes that lock the
    /// line), atomic, flush, fetch (of instructions), early (loads before older loads), prefetch
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    also: Vec<Also>,

    /// Number of DMA devices, each of which reads and writes any line, one at a time
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(0..i64::from(simulate::stepper::MOST)))]
    dma: u32,
}

impl RepertoireArgs {
    /// The values of `--also`, each once and in the order of the documentation.
    pub(super) fn also(&self) -> Vec<Also> {
        let mut also = self.also.clone();
        also.sort_unstable();
        also.dedup();
        also
    }

    /// The number of DMA devices.
    pub(super) fn devices(&self) -> u32 {
        self.dma
    }

    /// The options as the library takes them.
    pub(super) fn repertoire(&self) -> Repertoire {
        let has = |one: Also| self.also.contains(&one);
        Repertoire {
            linked: has(Also::Linked),
            locked: has(Also::Locked),
            atomic: has(Also::Atomic),
            flush: has(Also::Flush),
            fetch: has(Also::Fetch),
            early: has(Also::Early),
            prefetch: has(Also::Prefetch),
            devices: self.dma,
        }
    }

    /// The options as words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let names: Vec<&str> = self.also().into_iter().map(Also::name).collect();
        let also = (!names.is_empty()).then(|| format!("--also {}", names.join(",")));
        let dma = (self.dma > 0).then(|| format!("--dma {}", self.dma));
        also.into_iter().chain(dma).collect()
    }

    /// All kinds of requests in words: `loads, stores, linked, flush and DMA`
    pub(super) fn asked(&self) -> String {
        let also = self.also();
        let dma = (self.dma > 0).then_some("DMA");
        joined(["loads", "stores"].into_iter().chain(also.into_iter().map(Also::name)).chain(dma))
    }

    /// The added requests and devices, as a part of the system's size in words: `, also linked and flush, 1 DMA device`
    pub(super) fn size(&self) -> String {
        let also = match joined(self.also().into_iter().map(Also::name)) {
            names if names.is_empty() => names,
            names => format!(", also {names}"),
        };
        let devices = match self.dma {
            0 => String::new(),
            1 => ", 1 DMA device".to_owned(),
            count => format!(", {count} DMA devices"),
        };
        also + &devices
    }
}

/// Joins names in a sentence: `linked, atomic and flush`
fn joined(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
