//! `rubric explore protocol`: explores all runs of coherence protocols in small systems.
//!
//! - [`repertoire`]: the options for requests of cores and devices besides loads and stores of cores;
//! - [`mutants`]: explorations of many mutants, as a table;
//! - [`chart`]: the run to a finding, as a message-sequence chart.

mod chart;
mod mutants;
mod repertoire;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ArgAction;
use explore::protocol::Verdict;
use explore::search::Progress;
use lab::exploration::{Explored, Phase, Plan, Subject, json as lines, text};
use lab::protocols::{Opened, Repairs};
use simulate::stepper::{MEMORY_QUEUE, MOST, Order, Scope, Symmetry, Values};
use slicc::setting::Setting;

use super::limits::Limits;
use super::search_options::SearchArgs;
use crate::error::{self, Error, warn_of_protocol};
use crate::files;
use crate::interrupt;
use crate::json;
use crate::options::Format;
use crate::progress;
use crate::sequence::Form;
use crate::simulate::parse;
use crate::status::Status;
use crate::words;
use mutants::MutantArgs;
use repertoire::RepertoireArgs;

/// Explore all runs of coherence protocols with a few threads and locations
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explore protocol MI_example
  rubric explore protocol path/to/My_protocol.slicc --threads 3 --timeout 600
  rubric explore protocol all --locations 2 --max-states 1M
  rubric explore protocol MESI_Two_Level --locations 2 --tiny --mutant mesi2-replacement-race
  rubric explore protocol MI_example --locations 2 --tiny --mutants
  rubric explore protocol MI_example --locations 2 --nice-cycles
  rubric explore protocol MOESI_hammer --also flush --dma 1 --mutant hammer-dir-dma-during-flush-missing
  rubric explore protocol MI_example --also linked --fair
  rubric explore protocol MI_example --unreached
  rubric explore protocol all --mutants=named,made --sample 300 --timeout 60 --shard 2/8 -o explored
  rubric explore protocol MI_example --locations 2 --tiny --mutant mi-l1-nack-before-forward -o run.svg
  rubric explore protocol MESI_Two_Level --threads 3 --locations 2 --tiny --disk states

Each core has a cache and at most one outstanding request, and issues any sequence of loads and stores (with
several outstanding requests it need not be sequentially consistent), and of what --also names. DMA devices read and write lines (--dma). A message arrives at any time after it
was sent; only ordered buffers preserve the order of messages. The search reports:

  fault           an event without a transition, a failed assertion, or another fault of the protocol
  SWMR violation  one core may write a line while another may read or write it, by the permissions of
                  the caches of the cores' own controllers (single writer, multiple readers)
  stale value     a load returns a value that was not the latest at any time since the load began
  atomicity violation
                  a read-modify-write has written a line that was written by another since it read it
  missed invalidation
                  a core has used a value that it had loaded early and that was overwritten meanwhile, and
                  was not told that it lost the line
  deadlock        no transition is possible, yet a core waits, or a message or transaction is left
  livelock        transitions are possible, but none of the continuations completes the requests
  starvation      with --fair: a request waits for ever, although every message arrives and every
                  controller goes on

Of states that differ only in the names of cores and lines, one is explored, where the protocol treats these
alike; --symmetry off explores all. Memory performs each request at once, where no run depends on when it does;
--partial-order off lets it wait. With --live-variables auto, states are the same that differ only in fields that are
not read before they are written.

Without a stale value every run is sequentially consistent. A run with one may be, too: --nice-cycles
looks for runs that are not, by Qadeer's method (`explore memory-system`), with loads in the order in
which they complete.

Mistakes that gem5 accepts (such as the use of an entry that was never allocated) are
warnings, with a shortest run to each place; --strict makes them faults, which end the exploration.

Each finding is shown with a shortest run that leads to it (apart from the moves of memory, unless --partial-order is off), and with -o as a message-sequence chart: cores, caches and
directories as columns, messages as arrows from where they are sent to where they arrive. A controller *looks again* when it handles
what has arrived before and had to wait; a message that it puts back arrives once more. Atomics that
are performed elsewhere than in the first-level cache are not modelled. Latencies are ignored, so a run may need timing that a real network cannot have.

JSON is one object a line for each protocol or mutant: `version` (2), `protocol`, `mutant`, `threads`,
`locations`, `tiny`, `requests`, `threads_per_cache`, `l2_banks`, `directories`, `order`, `also`, `dma`, `outcome` (`clean`, `found`, `stopped`, or with --store compact `unproved`), `states`, `moves`, `depth`,
`open`, `bytes`, `seconds`, `states_per_second`, `coverage` (`reached`, `reachable` and `table`, as `rubric
simulate` has them), `symmetries` (of which states are explored once), `asymmetries` (each with `of` and
`reason`), `partial_order` (`on`; `off`; or `refused`, if a run depends on the requests that wait for memory), `live_variables` (`on`, `off` or `refused`), `command` (that reproduces it), `warnings` (each with `message`, `known`, `file`, `line` and
`steps`); `stopped` (`time`, `memory`, `states` or `interrupted`); `missed` (the probability, at most, that states were missed); or `known` (the repairs of gem5's released protocol that
explain it, or null), and `found` with `kind`, `what`, `steps` (each with `happens` and `effects`), `latest` (of a wrong value: who has written the line last), `left` (what waits, of a deadlock or
livelock) and, where
the protocol failed, `fault` with `kind`, `message`, `file` and `line`; with --nice-cycles `searches`, as
`explore memory-system` has them; with --fair and if nothing else is found `fair` with `states`, `moves`, `outcome` and, if
a request may starve, `what`, `stem` and `cycle`; with --unreached `unreached` with `proved` (whether all runs were looked
at) and `transitions` (each with `machine`, `state`, `event` and `reason`).

With --disk, states take 20 to 60 bytes each in files: 4 bytes for each controller, and 12 more. An exploration that was
interrupted, or killed, or that met a limit, is resumed if the folder is given again, and ends as one that was not interrupted. The
folder belongs to one protocol, size and version of rubric; another exploration is refused. --timeout counts the time that reading the states takes. To begin again, remove the folder.

With --mutants several mutants are explored at a time, a thread each; the object of each also has `change_reached` (false if no run that was
looked at comes to what the mutant changes). With -o DIR each is stored in DIR/explorations.jsonl as
soon as it has ended (with --shard I/N in explorations.I-of-N.jsonl; all shards may share a folder). Whoever gives the same
command again, after an interruption or from another shard, gets what is stored; what a limit stopped is explored again with other limits.

Exit status: 0 if everything was explored and nothing found except warnings, 1 if something was found, 2 bad usage
or protocol files, 3 if a limit was reached first, or Ctrl-C: what was found until then is printed, and a second Ctrl-C ends the program.")]
pub(crate) struct Args {
    /// Protocols: built-in names, paths of `.slicc` files, or `all` for every built-in one
    #[arg(required = true, value_name = "PROTOCOL")]
    protocols: Vec<String>,

    /// Number of threads, each on a core and cache of its own
    #[arg(long, alias = "caches", value_name = "N", default_value = "2", value_parser = few())]
    threads: u32,

    /// Number of locations, each in a cache line of its own
    #[arg(long, alias = "lines", value_name = "N", default_value = "1", value_parser = few())]
    locations: u32,

    /// Number of threads that share a first-level cache, of a protocol whose caches serve several [default: 1]
    #[arg(long, value_name = "N", value_parser = few())]
    threads_per_cache: Option<u32>,

    /// Number of L2 caches, where threads share them: a power of two. Neighbouring locations belong to different ones [default: 1]
    #[arg(long, value_name = "N", value_parser = parse::power)]
    l2_banks: Option<u32>,

    /// Number of directories: a power of two. Neighbouring locations belong to different ones [default: 1]
    #[arg(long, value_name = "N", value_parser = parse::power)]
    directories: Option<u32>,

    /// Which messages between two controllers keep their order: those between ordered `buffers`, or those on ordered virtual
    /// networks (`vnets`), one of whose buffers is ordered
    #[arg(long = "order", value_name = "buffers|vnets", default_value = "buffers", hide_possible_values = true,
        action = ArgAction::Set, value_parser = words::switch("buffers", "vnets"))]
    by_buffers: bool,

    /// Caches with room for one line, so that lines replace each other [default: room for all]
    #[arg(long)]
    tiny: bool,

    /// Requests, of different lines, that a core may have under way
    #[arg(long, value_name = "N", default_value = "1", value_parser = few())]
    requests: u32,

    /// Messages that may be on their way between a directory and memory; with more of them memory catches up first
    #[arg(long, value_name = "N", default_value_t = MEMORY_QUEUE)]
    memory_queue: u32,

    #[command(flatten)]
    repertoire: RepertoireArgs,

    /// Put a fault into the protocol: a mutant from `rubric mutants list PROTOCOL`
    #[arg(long, value_name = "MUTANT", conflicts_with = "mutants")]
    mutant: Option<String>,

    /// Repair known faults of gem5's released protocol first: `all` that fit, or names from `rubric
    /// mutants list --repairs`
    #[arg(long, value_name = "REPAIRS", default_value = "none", hide_default_value = true)]
    repair: Repairs,

    #[command(flatten)]
    mutants: MutantArgs,

    /// Look for k-nice cycles as well: would a run not be SC, its stores being ordered as they are performed? For cores with
    /// one request at a time
    #[arg(long, conflicts_with_all = ["requests", "also", "dma"])]
    nice_cycles: bool,

    /// If nothing is found, look for starvation as well: a request that waits for ever in a run in which every message arrives and
    /// every controller goes on. Explores all states again, without symmetry, up to 10 million
    #[arg(long)]
    fair: bool,

    /// List the transitions of the table that no run of this size takes, and why. Explores without partial
    /// order
    #[arg(long, conflicts_with = "mutants")]
    unreached: bool,

    /// Give a parameter of the protocol's machines a value, or say whether a buffer is ordered
    /// (L1Cache.requestFromCache=ordered); may be repeated. L1Cache-1.send_evictions=false is for the second controller alone
    #[arg(long, value_name = "[MACHINE.]PARAMETER=VALUE", value_parser = clap::value_parser!(Setting))]
    set: Vec<Setting>,

    /// Explore one of the states that differ only in the names of cores and lines: `auto` where the protocol treats these
    /// alike, `off` never
    #[arg(long, value_name = "auto|off", default_value = "auto", hide_possible_values = true,
        action = ArgAction::Set, value_parser = words::switch("auto", "off"))]
    symmetry: bool,

    /// Let memory perform each request at once: `auto` where no run depends on when it does, `off` never. Only with `off` is
    /// the run that is shown a shortest one in all moves
    #[arg(long, value_name = "auto|off", default_value = "auto", hide_possible_values = true,
        action = ArgAction::Set, value_parser = words::switch("auto", "off"))]
    partial_order: bool,

    /// Take states for the same that differ only in fields of cache entries and TBEs that are not read before they are written:
    /// `auto` where the text of the protocol shows that, `off` never
    #[arg(long, value_name = "auto|off", default_value = "off", hide_possible_values = true,
        action = ArgAction::Set, value_parser = words::switch("auto", "off"))]
    live_variables: bool,

    /// Keep states in files in a folder, with about 11 bytes a state in memory, and what the parts of states stand for. If the program ends early, in whatever way, the same
    /// command resumes the exploration. States are stored exactly
    #[arg(long, value_name = "DIR", conflicts_with_all = ["store", "mutants", "nice_cycles"])]
    disk: Option<PathBuf>,

    #[command(flatten)]
    search_options: SearchArgs,

    /// Treat mistakes that gem5 accepts (such as the use of an entry that was never allocated) as faults, not only as
    /// warnings
    #[arg(long)]
    strict: bool,

    /// Draw the run to what is found, or else to the first warning, as a message-sequence chart: a name ending in .svg,
    /// .html or .txt. With --mutants: the folder in which what was explored is stored, so that it is resumed from there
    #[arg(long, short, value_name = "FILE|DIR")]
    output: Option<PathBuf>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    limits: Limits,
}

fn few() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MOST))
}

impl Args {
    fn scope(&self) -> Scope {
        Scope {
            caches: self.threads,
            threads_per_cache: self.threads_per_cache.unwrap_or(1),
            lines: self.locations,
            l2_banks: self.l2_banks.unwrap_or(1),
            directories: self.directories.unwrap_or(1),
            order: if self.by_buffers { Order::Buffers } else { Order::VirtualNetworks },
            tiny: self.tiny,
            large_below: false,
            requests: self.requests,
            memory_queue: self.memory_queue,
            repertoire: self.repertoire.repertoire(),
            values: Values::Latest,
            settings: self.set.clone(),
            strict: self.strict,
            symmetries: if self.symmetry {
                vec![Symmetry::Cores, Symmetry::Lines]
            } else {
                Vec::new()
            },
            live_variables: self.live_variables,
        }
    }

    /// What the explorations have in common.
    fn plan(&self) -> Plan {
        Plan {
            scope: self.scope(),
            search: self.search_options.with(self.partial_order),
            limits: self.limits.limits(),
            repairs: self.repair.clone(),
            nice_cycles: self.nice_cycles,
            fair: self.fair,
            unreached: self.unreached,
            disk: self.disk.clone(),
            resumed: if self.quiet { |_: &Path, _, _| {} } else { tell_resumed },
        }
    }
}

/// Says on standard error from where an exploration on disk is resumed.
fn tell_resumed(folder: &Path, states: usize, depth: u32) {
    let folder = folder.display();
    error::tell(format_args!("resumed from {states} states, depth {depth}, in {folder}"));
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let names = parse::protocols(&args.protocols);
    if args.mutant.is_some() && names.len() > 1 {
        return Err(Error::Usage(
            "--mutant: a mutant is of one protocol: name that one alone".to_owned(),
        ));
    }
    if args.requests > args.locations {
        return Err(Error::Usage(
            "--requests: the requests of a core are of different lines: give as many --locations"
                .to_owned(),
        ));
    }
    if args.disk.is_some() && (names.len() > 1 || args.mutants.are_asked()) {
        return Err(Error::Usage(
            "--disk: a folder has one exploration: name one protocol".to_owned(),
        ));
    }
    if args.output.is_some() && names.len() > 1 && !args.mutants.are_asked() {
        return Err(Error::Usage("-o: a chart shows one run: name one protocol".to_owned()));
    }
    let opened: Result<Vec<Opened>, lab::Error> = names
        .iter()
        .map(|name| Opened::repaired(name, &args.repair, args.mutant.as_deref()))
        .collect();
    let opened = opened?;
    let plan = args.plan();
    if args.mutants.are_asked() {
        return mutants::run(args, &plan, &opened, out);
    }
    // An output that cannot be written is reported before the work is done.
    let form = args.output.as_deref().map(|path| Form::of("-o", path)).transpose()?;
    args.output.as_deref().map(files::check_writable).transpose()?;
    let mut status = Status::Done;
    for opened in &opened {
        tell(opened, args);
        let subject = Subject::of(opened);
        let explored = explore(&subject, &plan, args.quiet)?;
        status = status.and(explored.outcome().into());
        let printed = match args.format {
            Format::Json => {
                let line = lines::line(&plan, &subject, &explored, lines::Change::NotAsked {});
                json::sorted_line(&line, out)
            }
            Format::Text => text::write(&plan, &subject, &explored, out),
        };
        printed.map_err(Error::Output)?;
        if let (Some(path), Some(form)) = (&args.output, form) {
            chart::write(&subject, &explored, &plan, args.format, path, form, out)?;
        }
        // Each result is shown as soon as it is known.
        out.flush().map_err(Error::Output)?;
        if interrupt::asked() {
            break;
        }
    }
    Ok(status)
}

/// Warns about buffers of a protocol whose order is assumed.
fn tell(opened: &Opened, args: &Args) {
    if !args.quiet {
        warn_of_protocol(opened, &args.set);
    }
}

/// Explores a protocol, and shows the progress.
fn explore(subject: &Subject<'_>, plan: &Plan, quiet: bool) -> Result<Explored, Error> {
    let bar = progress::spinner(subject.protocol.title(), quiet);
    let mut report = |phase: Phase, progress: &Progress| {
        bar.tick();
        bar.set_message(match phase {
            Phase::Exploring => format!(
                "{} states, {} to look at, depth {}, {:.0} a second",
                progress.states,
                progress.open,
                progress.depth,
                progress.states_per_second()
            ),
            Phase::Explaining => {
                format!("found; does a known fault explain it? {} states", progress.states)
            }
        });
    };
    let interrupted = Some(interrupt::gracefully());
    let explored = subject.explore(plan, interrupted, &mut report);
    bar.finish_and_clear();
    let is_found = |explored: &Explored| {
        matches!(&explored.exploration.verdict, Verdict::Found(_)) && explored.known.is_none()
    };
    if interrupt::asked() && explored.as_ref().is_ok_and(is_found) {
        error::tell(format_args!(
            "interrupted: whether a known fault explains what was found is open"
        ));
    }
    Ok(explored?)
}
