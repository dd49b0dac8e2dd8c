//! The options for requests that cores and devices make in an exploration, besides loads and stores of cores.

use clap::builder::PossibleValuesParser;
use simulate::stepper::Repertoire;

/// The options for what is asked beside loads and stores.
#[derive(clap::Args)]
pub(super) struct RepertoireArgs {
    /// What cores do beside loads and stores: linked (load-linked, store-conditional), locked (read-modify-writes that lock the
    /// line), atomic, flush, fetch (of instructions), early (loads before older loads), prefetch
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true,
        value_parser = PossibleValuesParser::new(Repertoire::NAMES))]
    also: Vec<String>,

    /// Number of DMA devices, each of which reads and writes any line, one at a time
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(0..i64::from(simulate::stepper::MOST)))]
    dma: u32,
}

impl RepertoireArgs {
    /// The options as the library takes them.
    pub(super) fn repertoire(&self) -> Repertoire {
        let mut repertoire = Repertoire { devices: self.dma, ..Repertoire::default() };
        for name in &self.also {
            if let Some(part) = repertoire.part(name) {
                *part = true;
            }
        }
        repertoire
    }
}
