//! Decides by Qadeer's method whether a built-in memory system is sequentially consistent: [`Plan`] says which and at what size, [`write()`] and
//! [`document`] show the proof.

use std::io::{self, Write};

use explore::memory::assumptions::{Assumption, AssumptionStatus};
use explore::memory::composed::Order;
use explore::memory::lazy_caching::LazyCaching;
use explore::memory::method::{Options, Proof, Search, VALUES, Verdict, prove};
use explore::memory::piranha::Piranha;
use explore::memory::serial::Serial;
use explore::memory::store_buffer::StoreBuffer;
use explore::memory::{Event, SystemSize, Witness};
use explore::search::{self, Progress, Stopped};
use schemars::JsonSchema;
use serde::Serialize;
use settings::Setting;

use super::Limits;
use crate::outcome::Outcome;
use crate::text::counted;

/// A built-in memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Each access at once.
    Serial,
    /// A directory protocol.
    Piranha,
    /// Its earlier version.
    PiranhaBuggy,
    /// A FIFO for each processor.
    StoreBuffer,
    /// The system of Afek, Brown and Merritt.
    LazyCaching,
}

impl System {
    /// All systems.
    pub const ALL: [System; 5] = [
        System::Serial,
        System::Piranha,
        System::PiranhaBuggy,
        System::StoreBuffer,
        System::LazyCaching,
    ];

    /// Whether writes of the system wait before they reach memory, so that the two witnesses differ.
    pub fn delays_writes(self) -> bool {
        matches!(self, System::StoreBuffer | System::LazyCaching)
    }

    /// The name of the system.
    pub fn name(self) -> &'static str {
        match self {
            System::Serial => "serial",
            System::Piranha => "piranha",
            System::PiranhaBuggy => "piranha-buggy",
            System::StoreBuffer => "store-buffer",
            System::LazyCaching => "lazy-caching",
        }
    }
}

/// A memory system to be decided, and the means.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The system.
    pub system: System,
    /// The number of processors.
    pub processors: u8,
    /// The number of locations.
    pub locations: u8,
    /// The entries of each queue of systems with queues.
    pub capacity: u8,
    /// The order of the writes of each location that is tried.
    pub witness: Witness,
    /// The only length of the cycles that are searched for; all lengths if there is none.
    pub k: Option<u8>,
    /// Whether states that differ only by a symmetry are looked at as well.
    pub without_symmetry: bool,
    /// The number of states in which the method's assumptions are checked.
    pub assumption_states: u32,
    /// The limits of the searches.
    pub limits: Limits,
}

impl Plan {
    /// The witness that is tried: the simple one where writes do not wait.
    pub fn order_of_writes(&self) -> Witness {
        if self.system.delays_writes() { self.witness } else { Witness::Simple }
    }

    /// Decides the system. `report` is called with the progress.
    pub fn prove(&self, report: &mut dyn FnMut(&Progress)) -> Proof {
        self.prove_within(self.limits.begin(None), report)
    }

    /// Decides the system within these limits instead of those of the plan.
    pub(crate) fn prove_within(
        &self,
        limits: search::Limits,
        report: &mut dyn FnMut(&Progress),
    ) -> Proof {
        let size =
            SystemSize { processors: self.processors, locations: self.locations, values: VALUES };
        let options = Options {
            assumptions: search::Limits {
                bounds: limits.bounds.clone(),
                states: Some(self.assumption_states as usize),
            },
            limits,
            without_symmetry: self.without_symmetry,
            k: self.k,
        };
        let (capacity, witness) = (usize::from(self.capacity), self.witness);
        let piranha = |is_buggy| Piranha { size, is_buggy };
        match self.system {
            System::Serial => prove(&Serial { size }, &options, report),
            System::Piranha => prove(&piranha(false), &options, report),
            System::PiranhaBuggy => prove(&piranha(true), &options, report),
            System::StoreBuffer => {
                prove(&StoreBuffer { size, capacity, witness }, &options, report)
            }
            System::LazyCaching => {
                prove(&LazyCaching { size, capacity, witness }, &options, report)
            }
        }
    }
}

/// What a proof came to.
pub fn outcome(proof: &Proof) -> Outcome {
    match proof.verdict {
        Verdict::Consistent => Outcome::Clean,
        Verdict::Cycle => Outcome::Found,
        Verdict::NotApplicable(..) | Verdict::Undecided(_) => Outcome::Undecided,
    }
}

/// Writes a proof, human-readable.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(plan: &Plan, proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{}: {}, {}, values 0 to {VALUES}",
        plan.system.name(),
        counted(plan.processors.into(), "processor"),
        counted(plan.locations.into(), "location"),
    )?;
    let (known, progress) = &proof.assumptions;
    writeln!(out, "  {} ({:.3} s)", assumptions(known, progress), progress.time.as_secs_f64())?;
    for search in &proof.searches {
        text_of(search, out)?;
    }
    match &proof.verdict {
        Verdict::Consistent => {
            let (_, order) = in_words(plan.order_of_writes());
            writeln!(
                out,
                "consistent sc   every run, with the writes of each location ordered {order}"
            )
        }
        Verdict::Cycle => {
            let (name, order) = in_words(plan.order_of_writes());
            writeln!(
                out,
                "violation  sc   relative to {name}, which orders the writes of each location {order}"
            )
        }
        Verdict::NotApplicable(assumption, run) => writeln!(
            out,
            "undecided  sc   {} does not hold after {}",
            named(*assumption),
            listed(run)
        ),
        Verdict::Undecided(why) => writeln!(out, "undecided  sc   {}", limit(*why)),
    }
}

/// A witness in words, and its order of writes.
fn in_words(witness: Witness) -> (&'static str, &'static str) {
    match witness {
        Witness::Simple => ("the simple witness", "as they happened"),
        Witness::MemoryOrder => ("the memory order", "as they reached memory"),
    }
}

/// The names of the witnesses, as users write them.
pub fn witness_name(witness: Witness) -> &'static str {
    match witness {
        Witness::Simple => "simple",
        Witness::MemoryOrder => "memory-order",
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

/// An assumption in words.
pub(crate) fn named(assumption: Assumption) -> &'static str {
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

/// Writes a search, and the run and cycle that it found.
pub(super) fn text_of(search: &Search, out: &mut dyn Write) -> io::Result<()> {
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

fn limit(why: Stopped) -> String {
    match why {
        Stopped::Time => format!("the time limit passed ({})", Setting::Timeout),
        Stopped::Memory => {
            format!("more memory would be needed than allowed ({})", Setting::MaxMemory)
        }
        Stopped::Count => format!(
            "there are more states than allowed ({}, {})",
            Setting::MaxStates,
            Setting::AssumptionStates
        ),
        Stopped::Interrupted => "it was interrupted".to_owned(),
    }
}

/// What `rubric explore memory-system --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    /// The system.
    #[schemars(extend("enum" = System::ALL.map(System::name)))]
    system: &'a str,
    /// The number of processors.
    processors: u8,
    /// The number of locations.
    locations: u8,
    /// The number of values.
    values: u8,
    /// The order of the writes of each location that was tried.
    #[schemars(extend("enum" = [Witness::Simple, Witness::MemoryOrder].map(witness_name)))]
    witness: &'a str,
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
pub struct SearchJson<'a> {
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
    stopped: Option<String>,
}

/// A proof as JSON.
pub fn document<'a>(plan: &Plan, proof: &'a Proof) -> Document<'a> {
    let (known, progress) = &proof.assumptions;
    Document {
        system: plan.system.name(),
        processors: plan.processors,
        locations: plan.locations,
        values: VALUES,
        witness: witness_name(plan.order_of_writes()),
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
            Verdict::Undecided(why) => Some(limit(*why)),
            Verdict::NotApplicable(..) => Some(assumptions(known, progress)),
            _ => None,
        },
    }
}

/// A search as JSON.
pub(super) fn search_json(search: &Search) -> SearchJson<'_> {
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
