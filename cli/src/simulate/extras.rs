//! The options for requests of random programs besides the plain accesses of their cores: DMA, flushes, atomics, TLB invalidations, partial and
//! functional accesses.

use simulate::program::Extras;

use super::parse;

/// What random programs ask for beside the accesses of their cores.
#[derive(clap::Args)]
pub(crate) struct ExtrasArgs {
    /// Number of DMA devices, which read and write parts of lines through the protocol's DMA controllers, one access
    /// after the other. Each is a further thread of the history
    #[arg(long, value_name = "N", value_parser = parse::devices())]
    pub dma: Option<u32>,

    /// Of 100 operations, how many come right after the flush of a line. A flush is no operation of the history; of
    /// gem5's protocols, MOESI_hammer handles it, and since 25.1 MESI_Three_Level
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub flush: Option<u32>,

    /// Of 100 read-modify-writes, how many are one atomic request; half of these return nothing, and are stores in the
    /// history. CHI performs them where policy_type says, other protocols as a store in the first-level cache
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub atomics: Option<u32>,

    /// Of 100 operations, how many come right after TLB invalidations and syncs (CHI's DVM operations), which are no operations of
    /// the history. A core waits for its syncs, and answers those of other cores after what it has begun
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub dvm: Option<u32>,

    /// Of 100 loads and stores, how many are of 1, 2, 4 or 8 bytes, at any place of the line that overlaps their location.
    /// A history splits accesses that overlap in part, and a byte is written 255 times at most
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub partial: Option<u32>,
}

impl ExtrasArgs {
    /// The options as the library takes them; 0 for those that are not given.
    pub(crate) fn extras(&self) -> Extras {
        self.given().unwrap_or_default()
    }

    /// The options as the library takes them; `None` if none is given.
    pub(crate) fn given(&self) -> Option<Extras> {
        let given = [self.dma, self.flush, self.atomics, self.dvm, self.partial];
        let [devices, flushes, atomics, dvm, partial] = given.map(Option::unwrap_or_default);
        let is_given = given.iter().any(Option::is_some);
        is_given.then_some(Extras { devices, flushes, atomics, dvm, partial, ..Extras::default() })
    }
}

/// The option for functional accesses, which programs for gem5 cannot have.
#[derive(clap::Args)]
pub(crate) struct FunctionalArgs {
    /// Of 100 loads and stores of in-order cores, how many are made functionally: at once, whatever the controllers are doing,
    /// as gem5's MemTest makes percent_functional of its accesses. A read that finds no valid copy ends the run, as in gem5
    #[arg(long, value_name = "PERCENT", value_parser = parse::percent())]
    pub functional: Option<u32>,

    /// With --functional, make a read that would fail in the usual way instead, and go on. MemTest has suppress_func_errors
    #[arg(long, requires = "functional")]
    pub suppress_func_errors: bool,
}

impl FunctionalArgs {
    /// Other extras, with these accesses.
    pub(crate) fn with(&self, extras: Extras) -> Extras {
        let suppressed = u32::from(self.suppress_func_errors);
        Extras { functional: self.functional.unwrap_or_default(), suppressed, ..extras }
    }
}
