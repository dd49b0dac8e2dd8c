//! `rubric explore memory-system`: decides by Qadeer's method whether a built-in memory system is sequentially consistent.

use std::io::Write;

use explore::memory::Witness;
use explore::search::Progress;
use lab::exploration::memory_system::{Plan, System, document, outcome, witness_name, write};

use super::limits::Limits;
use crate::error::Error;
use crate::json;
use crate::options::Format;
use crate::progress;
use crate::simulate::parse::positive;
use crate::status::Status;
use crate::words;

const WITNESSES: [Witness; 2] = [Witness::MemoryOrder, Witness::Simple];

/// Is a memory system sequentially consistent? By Qadeer's method
#[derive(clap::Args)]
#[command(after_help = "\
Every run of the system is explored, with the numbers of processors and locations that --threads and
--locations give. If the writes of each location are ordered as they reached memory, a run that is not SC
has a cycle, and if any has one, some run has a canonical k-nice cycle, with k at most the number of
processors and of locations. So one search for each k decides, in a system that is symmetric, causal and
data-independent, which is checked first; each shows a shortest run with a cycle. A cycle refutes SC
relative to that order, the witness. The paper's simple witness orders writes as they happened
(--witness simple): relative to it lazy-caching, which is SC, has a cycle.

Examples:
  rubric explore memory-system piranha --threads 2 --locations 2
  rubric explore memory-system piranha-buggy
  rubric explore memory-system store-buffer --capacity 2 --format json
  rubric explore memory-system lazy-caching --witness simple --assumption-states 1000

Systems: serial (each access at once), piranha (a directory protocol, the paper's Figure 1),
piranha-buggy (its earlier version), store-buffer (a FIFO for each processor), lazy-caching (Afek, Brown
& Merritt).

JSON is one object: `system`, `processors`, `locations`, `values`, `witness`, `verdict`
(consistent, cycle, undecided), `assumptions` (`hold`, `states`, `seconds`), `searches` (each with `k`, `processors` and
`locations` of the cycles, `states`, `moves`, `depth`, `seconds`, `states_per_second`, `stopped`, and the
events of a shortest `run` with its `cycle`), and `reason`.

Exit status: 0 sequentially consistent, 1 a run with a cycle, 2 bad usage, 3 a limit was met.")]
pub(crate) struct Args {
    /// The system
    #[arg(value_name = "NAME", value_parser = words::one_of(&System::ALL, System::name))]
    system: System,

    /// Number of processors
    #[arg(long = "threads", alias = "processors", value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    processors: u8,

    /// Number of locations
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    locations: u8,

    /// Entries of each queue of store-buffer and lazy-caching
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    capacity: u8,

    /// Order in which the writes of a location are taken to have been: as they reached memory, or as they happened (simple)
    #[arg(long, value_name = "ORDER", default_value = "memory-order", value_parser = words::one_of(&WITNESSES, witness_name))]
    witness: Witness,

    /// Look at all states, also those that differ only by a symmetry
    #[arg(long)]
    no_symmetry: bool,

    /// States in which the method's assumptions are checked; if there are more, nothing is proved
    #[arg(long, value_name = "N", default_value = "1M", value_parser = positive)]
    assumption_states: u32,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    limits: Limits,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let plan = Plan {
        system: args.system,
        processors: args.processors,
        locations: args.locations,
        capacity: args.capacity,
        witness: args.witness,
        k: None,
        without_symmetry: args.no_symmetry,
        assumption_states: args.assumption_states,
        limits: args.limits.limits(),
    };
    let line = progress::spinner(args.system.name().to_owned(), args.quiet);
    let report = &mut |progress: &Progress| line.set_message(format!("{} states", progress.states));
    let proof = plan.prove(report);
    line.finish_and_clear();
    match args.format {
        Format::Text => write(&plan, &proof, out),
        Format::Json => json::line(&document(&plan, &proof), out),
    }
    .map_err(Error::Output)?;
    Ok(outcome(&proof).into())
}
