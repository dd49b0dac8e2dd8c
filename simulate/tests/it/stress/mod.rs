//! Runs of the built-in protocols, as varied as recipes are.
#![allow(dead_code, reason = "each test file uses a part")]

use simulate::client::Client;
use simulate::config::{Caches, Options};
use simulate::program::ProgramSize;
use simulate::recipe::Recipe;
use simulate::simulation::{Run, Simulation};
use slicc::protocol::Protocol;

/// Number of runs in the standard stress run of a protocol.
pub(crate) const STANDARD: u64 = 800;

/// Every kind of core whose name contains no memory model, some of them with several sizes.
pub(crate) const CLIENTS: [Client; 8] = [
    Client::IN_ORDER,
    Client::store_buffer(8),
    Client::store_buffer(2),
    Client::per_location(8),
    Client::early(8),
    Client::early(24),
    Client::early_buffer(8, 4),
    Client::early_buffer(16, 8),
];

/// A built-in protocol.
pub(crate) fn open(name: &str) -> Protocol {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols");
    match Protocol::open(&format!("{folder}/{name}.slicc")) {
        Ok(protocol) => protocol,
        Err(failure) => {
            let messages = failure.diagnostics.iter().map(|one| match one.span {
                Some(span) => {
                    let (path, line, column) = failure.sources.position(span);
                    format!("{}:{line}:{column}: {}", path.display(), one.message)
                }
                None => one.message.clone(),
            });
            panic!("{}", messages.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// The recipe that a number stands for; the clients take turns.
pub(crate) fn simulation(protocol: &Protocol, number: u64) -> Simulation {
    let client = CLIENTS[(number % CLIENTS.len() as u64) as usize];
    Recipe::random(number).simulation(protocol, client)
}

/// The runs of the standard stress run.
pub(crate) fn standard(protocol: &Protocol) -> impl Iterator<Item = Simulation> {
    (0..STANDARD).map(|number| simulation(protocol, number))
}

/// The run of a client with these options of the program's command line.
pub(crate) fn simulation_of(text: &str, client: Client) -> Simulation {
    let mut shape = ProgramSize::default();
    let mut options = Options::default();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if word == "--steady" {
            options = options.steady();
            continue;
        }
        let value = words.next().unwrap_or_else(|| panic!("{text}"));
        let count = || value.parse().unwrap_or_else(|_| panic!("{text}"));
        match word {
            "--threads" => shape.threads = count(),
            "--dma" => shape.extras.devices = count(),
            "--flush" => shape.extras.flushes = count(),
            "--atomics" => shape.extras.atomics = count(),
            "--functional" => shape.extras.functional = count(),
            "--partial" => shape.extras.partial = count(),
            "--operations" => shape.operations = count(),
            "--locations" => shape.locations = count(),
            "--per-line" => shape.per_line = count(),
            "--reads" => shape.reads = count(),
            "--rmws" => shape.rmws = count(),
            "--fences" => shape.fences = count(),
            "--fetches" => shape.fetches = count(),
            "--linked" => shape.linked = count(),
            "--skew" => shape.skew = value.parse().unwrap(),
            "--think" => shape.think = count(),
            "--seed" => shape.seed = value.parse().unwrap(),
            "--l2-banks" => options.l2_banks = count(),
            "--directories" => options.directories = count(),
            "--network" => options.network = value.parse().unwrap(),
            "--memory" => options.memory = value.parse().unwrap(),
            "--cache-size" => options.caches = caches(value),
            "--set" => options.settings.push(value.parse().unwrap()),
            other => panic!("{other} is not known here"),
        }
    }
    Simulation { shape, client, options, deadlock_threshold: None }
}

/// Sizes of the levels; those that are left out are tiny.
fn caches(text: &str) -> Caches {
    if text == "default" {
        return Caches::Default;
    }
    let mut sizes = Caches::Tiny.sizes();
    for (level, text) in text.split(',').enumerate() {
        let shape = text.parse().unwrap();
        match level {
            0 => (sizes.l1_instructions, sizes.l1_data) = (shape, shape),
            1 => sizes.l2 = shape,
            _ => sizes.l3 = shape,
        }
    }
    Caches::Given(sizes)
}

/// Runs to the end, and expects no fault.
pub(crate) fn run(protocol: &Protocol, simulation: &Simulation) -> Run {
    match attempt(protocol, simulation) {
        Ok(run) => run,
        Err(why) => panic!("{why}"),
    }
}

/// Runs to the end.
///
/// # Errors
/// Fails if the run cannot be planned or built, or has a fault; the text describes that and the run.
pub(crate) fn attempt(protocol: &Protocol, simulation: &Simulation) -> Result<Run, String> {
    let name = protocol.name();
    let message = |why: &dyn std::fmt::Debug| format!("{name}: {why:?}\n{simulation:?}");
    let plan = simulation.plan(protocol).map_err(|why| message(&why))?;
    let run = simulation.run(protocol, &plan, None);
    let run = run.map_err(|why| message(&why))?;
    match &run.fault {
        None => Ok(run),
        Some(fault) => {
            let place = fault.span.map(|span| protocol.sources().position(span));
            let recent = fault.recent.join("\n");
            let message = &fault.message;
            Err(format!("{name}: {message}\nat {place:?}\n{recent}\n{simulation:?}"))
        }
    }
}
