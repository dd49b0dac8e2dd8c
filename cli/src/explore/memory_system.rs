//! `rubric explore memory-system`: decides by Qadeer's method whether a built-in memory system is sequentially consistent.

use std::io::{self, Write};

use explore::memory::assumptions::{Assumption, AssumptionStatus};
use explore::memory::composed::Order;
use explore::memory::lazy_caching::LazyCaching;
use explore::memory::method::{Options, Proof, Search, VALUES, Verdict, prove};
use explore::memory::piranha::Piranha;
use explore::memory::serial::Serial;
use explore::memory::store_buffer::StoreBuffer;
use explore::memory::{Event, SystemSize};
use explore::search::{self, Progress, Stopped};
use schemars::JsonSchema;
use serde::Serialize;

use super::limits::Limits;
use crate::error::Error;
use crate::json;
use crate::options::Format;
use crate::progress;
use crate::simulate::parse::positive;
use crate::status::Status;
use crate::words;

/// Is a memory system sequentially consistent? By Qadeer's method
#[derive(clap::Args)]
#[command(after_help = "\
Every run of the system is explored, with the numbers of processors and locations that --threads and
--locations give. If the writes of each
location are ordered as they happened (the simple witness), a run that is not SC has a cycle, and if any
has one, some run has a canonical k-nice cycle, with k at most the number of processors and of
locations. So one search for each k decides, in a system that is symmetric, causal and data-independent,
which is checked first; each shows a shortest run with a cycle. A cycle refutes SC relative to that witness: where the writes take effect in
another order, as in lazy-caching, the system may still be SC.

Examples:
  rubric explore memory-system piranha --threads 2 --locations 2
  rubric explore memory-system piranha-buggy
  rubric explore memory-system store-buffer --capacity 2 --format json

Systems: serial (each access at once), piranha (a directory protocol, the paper's Figure 1),
piranha-buggy (its earlier version), store-buffer (a FIFO for each processor), lazy-caching (Afek, Brown
& Merritt).

JSON is one object: `system`, `processors`, `locations`, `values`, `verdict` (consistent, cycle,
undecided), `assumptions` (`hold`, `states`, `seconds`), `searches` (each with `k`, `processors` and
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

/// A built-in memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Serial,
    Piranha,
    PiranhaBuggy,
    StoreBuffer,
    LazyCaching,
}

impl System {
    const ALL: [System; 5] = [
        System::Serial,
        System::Piranha,
        System::PiranhaBuggy,
        System::StoreBuffer,
        System::LazyCaching,
    ];

    fn name(self) -> &'static str {
        match self {
            System::Serial => "serial",
            System::Piranha => "piranha",
            System::PiranhaBuggy => "piranha-buggy",
            System::StoreBuffer => "store-buffer",
            System::LazyCaching => "lazy-caching",
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let proof = prove_named(args);
    let printed = match args.format {
        Format::Text => text(args, &proof, out),
        Format::Json => print_json(args, &proof, out),
    };
    printed.map_err(Error::Output)?;
    Ok(match proof.verdict {
        Verdict::Consistent => Status::Done,
        Verdict::Cycle => Status::Violation,
        Verdict::NotApplicable(..) | Verdict::Undecided(_) => Status::Undecided,
    })
}

fn prove_named(args: &Args) -> Proof {
    let size =
        SystemSize { processors: args.processors, locations: args.locations, values: VALUES };
    let limits = args.limits.begin();
    let options = Options {
        assumptions: search::Limits {
            bounds: limits.bounds.clone(),
            states: Some(args.assumption_states as usize),
        },
        limits,
        without_symmetry: args.no_symmetry,
    };
    let line = progress::spinner(args.system.name().to_owned(), args.quiet);
    let report = &mut |progress: &Progress| line.set_message(format!("{} states", progress.states));
    let capacity = usize::from(args.capacity);
    let piranha = |is_buggy| Piranha { size, is_buggy };
    let proof = match args.system {
        System::Serial => prove(&Serial { size }, &options, report),
        System::Piranha => prove(&piranha(false), &options, report),
        System::PiranhaBuggy => prove(&piranha(true), &options, report),
        System::StoreBuffer => prove(&StoreBuffer { size, capacity }, &options, report),
        System::LazyCaching => prove(&LazyCaching { size, capacity }, &options, report),
    };
    line.finish_and_clear();
    proof
}

fn text(args: &Args, proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    let plural =
        |number: u8, word| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    writeln!(
        out,
        "{}: {}, {}, values 0 to {VALUES}",
        args.system.name(),
        plural(args.processors, "processor"),
        plural(args.locations, "location"),
    )?;
    let (known, progress) = &proof.assumptions;
    writeln!(out, "  {} ({:.3} s)", assumptions(known, progress), progress.time.as_secs_f64())?;
    for search in &proof.searches {
        text_of(search, out)?;
    }
    match &proof.verdict {
        Verdict::Consistent => writeln!(
            out,
            "consistent sc   every run, with the writes of each location ordered as they happened"
        ),
        Verdict::Cycle => writeln!(
            out,
            "violation  sc   relative to the simple witness, which orders the writes of each location as they happened"
        ),
        Verdict::NotApplicable(assumption, run) => writeln!(
            out,
            "undecided  sc   {} does not hold after {}",
            named(*assumption),
            listed(run)
        ),
        Verdict::Undecided(why) => writeln!(out, "undecided  sc   {}", limit(*why)),
    }
}

fn assumptions(known: &AssumptionStatus, progress: &Progress) -> String {
    let states = progress.states;
    match known {
        AssumptionStatus::All => {
            format!("symmetric, causal and data-independent: checked in all {states} states")
        }
        AssumptionStatus::Partly(_) => {
            format!("symmetric, causal and data-independent: checked in {states} states, of more")
        }
        AssumptionStatus::Broken(assumption, run) => {
            format!("{} does not hold after {}", named(*assumption), listed(run))
        }
    }
}

fn named(assumption: Assumption) -> &'static str {
    match assumption {
        Assumption::Symmetry => "symmetry",
        Assumption::DataIndependence => "data independence",
        Assumption::Causality => "causality",
    }
}

fn listed(run: &[Event]) -> String {
    let events: Vec<String> = run.iter().map(Event::to_string).collect();
    if events.is_empty() { "no event".to_owned() } else { events.join(" ") }
}

/// Prints a search, and the run and cycle that it found.
pub(crate) fn text_of(search: &Search, out: &mut dyn Write) -> io::Result<()> {
    let names = |letter, all: &[u8]| {
        let names = all.iter().map(|it| format!("{letter}{}", it + 1));
        names.collect::<Vec<String>>().join(" ")
    };
    let Order { processors, locations } = &search.order;
    let (processors, locations) = (names('P', processors), names('L', locations));
    writeln!(out, "  k = {}: {processors}, {locations}: {}", search.order.k(), searched(search))?;
    if let Some(found) = &search.found {
        for (number, event) in (1..).zip(&found.words) {
            writeln!(out, "    {number:2}  {event}")?;
        }
        writeln!(out, "    {}", found.cycle)?;
    }
    Ok(())
}

fn searched(search: &Search) -> String {
    let progress = &search.progress;
    let found = match (&search.found, search.stopped) {
        (Some(_), _) => "a cycle",
        (None, None) => "no cycle",
        (None, Some(_)) => "no cycle so far",
    };
    let left = match search.stopped {
        Some(_) => format!(", {} not looked at", progress.open),
        None => String::new(),
    };
    format!(
        "{found}; {} states{left}, {} moves, depth {} ({:.3} s, {:.0} states/s)",
        progress.states,
        progress.moves,
        progress.depth,
        progress.time.as_secs_f64(),
        progress.states_per_second()
    )
}

fn limit(why: Stopped) -> &'static str {
    match why {
        Stopped::Time => "the time limit passed (--timeout)",
        Stopped::Memory => "more memory would be needed than allowed (--max-memory)",
        Stopped::Count => "there are more states than allowed (--max-states, --assumption-states)",
        Stopped::Interrupted => "it was interrupted",
    }
}

/// What `rubric explore memory-system --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The system.
    #[schemars(extend("enum" = System::ALL.map(System::name)))]
    system: &'a str,
    /// The number of processors.
    processors: u8,
    /// The number of locations.
    locations: u8,
    /// The number of values.
    values: u8,
    /// Whether every run is SC.
    #[schemars(extend("enum" = ["consistent", "cycle", "undecided"]))]
    verdict: &'a str,
    /// Whether the system has the properties that the method needs.
    assumptions: Assumptions,
    /// The searches for nice cycles.
    searches: Vec<SearchJson<'a>>,
    /// Why it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The check of the properties that the method needs.
#[derive(Serialize, JsonSchema)]
struct Assumptions {
    /// Whether all hold.
    hold: bool,
    /// Seconds that the check took.
    seconds: f64,
    /// The number of states that were checked.
    states: usize,
}

/// A search for nice cycles.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SearchJson<'a> {
    /// The cycle that was found.
    cycle: Option<String>,
    /// The number of moves on a shortest run to the last explored state.
    depth: u32,
    /// The number of processors and locations of the cycles.
    k: usize,
    /// The locations of the cycles, in their order.
    locations: Vec<u8>,
    /// The number of moves, including those to known states.
    moves: u64,
    /// The processors of the cycles, in their order.
    processors: Vec<u8>,
    /// The run that was found.
    run: Option<&'a [String]>,
    /// Seconds that the search took.
    seconds: f64,
    /// The number of states that were found.
    states: usize,
    states_per_second: f64,
    /// The limit that stopped the search, in words.
    stopped: Option<&'static str>,
}

fn print_json(args: &Args, proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    let (known, progress) = &proof.assumptions;
    let document = Document {
        system: args.system.name(),
        processors: args.processors,
        locations: args.locations,
        values: VALUES,
        verdict: match &proof.verdict {
            Verdict::Consistent => "consistent",
            Verdict::Cycle => "cycle",
            Verdict::NotApplicable(..) | Verdict::Undecided(_) => "undecided",
        },
        assumptions: Assumptions {
            hold: matches!(known, AssumptionStatus::All),
            seconds: progress.time.as_secs_f64(),
            states: progress.states,
        },
        searches: proof.searches.iter().map(search_json).collect(),
        reason: match &proof.verdict {
            Verdict::Undecided(why) => Some(limit(*why).to_owned()),
            Verdict::NotApplicable(..) => Some(assumptions(known, progress)),
            _ => None,
        },
    };
    json::line(&document, out)
}

/// A search as JSON.
pub(crate) fn search_json(search: &Search) -> SearchJson<'_> {
    let progress = &search.progress;
    let names = |all: &[u8]| all.iter().map(|it| it + 1).collect();
    let found = search.found.as_ref();
    SearchJson {
        cycle: found.map(|found| found.cycle.to_string()),
        depth: progress.depth,
        k: search.order.k(),
        locations: names(&search.order.locations),
        moves: progress.moves,
        processors: names(&search.order.processors),
        run: found.map(|found| &found.words[..]),
        seconds: progress.time.as_secs_f64(),
        states: progress.states,
        states_per_second: progress.states_per_second(),
        stopped: search.stopped.map(limit),
    }
}
