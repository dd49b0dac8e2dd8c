//! Runs of the protocols that come with the program, as varied as can be: what a number stands for
//! is a run of its own, the same one every time.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;

use simulate::client::Client;
use simulate::config::{Caches, Options, Setting, Shape as Cache, Sizes};
use simulate::dice::Dice;
use simulate::program::Shape;
use simulate::protocol::Protocol;
use simulate::ruby::delays::Latency;
use simulate::simulation::{Run, Simulation};

/// Runs of the standard stress run of a protocol.
pub const STANDARD: u64 = 400;

/// More runs of it, with so much room that lines stay until somebody else takes them.
pub const ROOMY: u64 = 120;

/// Every kind of core, some with more room than others.
pub const CLIENTS: [Client; 8] = [
    Client::InOrder,
    Client::StoreBuffer(8),
    Client::StoreBuffer(2),
    Client::PerLocation(8),
    Client::Early(8),
    Client::Early(24),
    Client::EarlyBuffer {
        window: 8,
        entries: 4,
    },
    Client::EarlyBuffer {
        window: 16,
        entries: 8,
    },
];

/// A file or folder of the protocols that come with the program.
pub fn fixture(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/protocols");
    PathBuf::from(folder).join(name)
}

/// A protocol that comes with the program.
pub fn open(name: &str) -> Protocol {
    let path = fixture(&format!("{name}.slicc"));
    match Protocol::open(path.to_str().unwrap_or(name)) {
        Ok(protocol) => protocol,
        Err(failure) => {
            let told = failure.diagnostics.iter().map(|one| match one.span {
                Some(span) => {
                    let (path, line, column) = failure.sources.position(span);
                    format!("{}:{line}:{column}: {}", path.display(), one.message)
                }
                None => one.message.clone(),
            });
            panic!("{}", told.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// One of a few, each as likely.
fn one_of<T: Copy>(dice: &mut Dice, choices: &[T]) -> T {
    choices[dice.below(choices.len() as u64) as usize]
}

/// How many operations the threads of a run have.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// At least so many operations each.
    pub least: u64,
    /// At most so many.
    pub most: u64,
}

/// The run that a number stands for, of a client.
pub fn simulation(number: u64, client: Client, length: Length) -> Simulation {
    let dice = &mut Dice::new(number, 0x57_4e_55);
    Simulation {
        shape: shape(dice, number, length),
        client,
        options: options(dice),
        deadlock_threshold: None,
    }
}

/// The runs of the standard stress run.
pub fn standard() -> impl Iterator<Item = Simulation> {
    let length = |least, most| Length { least, most };
    (0..STANDARD + ROOMY).map(move |number| {
        let client = CLIENTS[(number % CLIENTS.len() as u64) as usize];
        match number < STANDARD {
            true => simulation(number, client, length(10, 60)),
            false => roomy(simulation(number, client, length(60, 200))),
        }
    })
}

/// The run, with caches of the usual size; of the first level, every other time, as small as can be,
/// so that what it needs is at hand one level up.
pub fn roomy(mut simulation: Simulation) -> Simulation {
    let usual = Caches::Default.sizes();
    let smallest = Cache::new(128, 1);
    simulation.options.caches = match Dice::new(simulation.shape.seed, 0x52_4f_4f_4d).percent(50) {
        true => Caches::Default,
        false => Caches::Given(Sizes {
            l1_instructions: smallest,
            l1_data: smallest,
            ..usual
        }),
    };
    simulation
}

fn shape(dice: &mut Dice, seed: u64, length: Length) -> Shape {
    let per_line = one_of(dice, &[1, 1, 1, 2, 3, 8]);
    let lines = one_of(dice, &[3, 10, 24, 40]);
    Shape {
        threads: 2 + dice.below(15) as u32,
        operations: (length.least + dice.below(length.most - length.least + 1)) as u32,
        // Enough lines that they must replace each other, and few enough that threads meet.
        locations: per_line * (1 + dice.below(lines)) as u32,
        per_line,
        reads: one_of(dice, &[20, 50, 50, 65, 90]),
        rmws: one_of(dice, &[0, 0, 10, 40]),
        fences: one_of(dice, &[0, 0, 0, 6]),
        fetches: one_of(dice, &[0, 0, 20, 60]),
        linked: one_of(dice, &[0, 50, 100]),
        code_lines: one_of(dice, &[0, 0, 3, 12]),
        skew: one_of(dice, &[0.0, 0.0, 0.8, 1.5]),
        think: one_of(dice, &[0, 10, 10, 100]),
        seed,
        ..Shape::default()
    }
}

fn options(dice: &mut Dice) -> Options {
    let caches = match dice.below(3) {
        0 => Caches::Given(sizes(dice)),
        _ => Caches::Tiny,
    };
    Options {
        caches,
        l2_banks: one_of(dice, &[1, 1, 2, 4]),
        directories: one_of(dice, &[1, 1, 2, 4]),
        random_delays: !dice.percent(15),
        network: one_of(
            dice,
            &[
                Latency::Between(1, 18),
                Latency::Between(1, 18),
                Latency::Between(1, 200),
                Latency::Between(1, 3),
                Latency::Constant(6),
            ],
        ),
        memory: one_of(
            dice,
            &[
                Latency::Between(20, 100),
                Latency::Between(20, 100),
                Latency::Between(1, 500),
                Latency::Constant(2),
            ],
        ),
        ..Options::default()
    }
}

/// Caches of the smallest sizes that there can be, and some that are a little larger.
fn sizes(dice: &mut Dice) -> Sizes {
    let mut cache = |shapes: &[(u64, u32)]| {
        let (size, ways) = one_of(dice, shapes);
        Cache::new(size, ways)
    };
    Sizes {
        l1_instructions: cache(&[(128, 1), (256, 2)]),
        l1_data: cache(&[(128, 1), (256, 1), (256, 2), (512, 4)]),
        l2: cache(&[(256, 1), (256, 2), (512, 2), (1024, 4), (4096, 8)]),
        l3: cache(&[(256, 2), (1024, 4), (8192, 8)]),
    }
}

/// Flags that give a directory a filter, which knows which caches may have a line.
const FILTERS: [&str; 2] = ["probe_filter_enabled", "full_bit_dir_enabled"];

/// The run, fitted to a protocol that has filters: with a filter in every fourth one, and in every
/// eighth with a second level that keeps what a tiny first one loses, so that lines move between them.
fn fitted(protocol: &Protocol, simulation: &Simulation) -> Simulation {
    let mut simulation = simulation.clone();
    let mut parameters = protocol.machines().flat_map(|machine| &machine.parameters);
    if !parameters.any(|one| FILTERS.contains(&&*one.name.text)) {
        return simulation;
    }
    let dice = &mut Dice::new(simulation.shape.seed, 0x46_49_4c_54);
    let choice = dice.below(8) as usize;
    if let Some(&flag) = FILTERS.get(choice) {
        // Small enough that lines must leave it.
        let size = one_of(dice, &["256:1", "256:2", "512:2", "1024:4"]);
        let settings = [(flag, "true"), ("probeFilter", size)].map(setting);
        simulation.options.settings.extend(settings);
    } else if choice == FILTERS.len() {
        simulation.options.caches = Caches::Given(Sizes {
            l1_instructions: Cache::new(128, 1),
            l1_data: Cache::new(128, 1),
            l2: Cache::new(4096, 8),
            ..Caches::Tiny.sizes()
        });
        // Two cores that want many lines at once, so that several of one core's are on their way.
        simulation.shape = Shape {
            threads: 2,
            operations: simulation.shape.operations * 4,
            locations: 24,
            per_line: 1,
            think: 0,
            ..simulation.shape
        };
    }
    simulation
}

fn setting((parameter, value): (&str, &str)) -> Setting {
    Setting {
        machine: None,
        parameter: parameter.to_owned(),
        value: value.to_owned(),
    }
}

/// Runs to the end, which must come without a fault.
pub fn run(protocol: &Protocol, simulation: &Simulation) -> Run {
    match attempt(protocol, simulation) {
        Ok(run) => run,
        Err(why) => panic!("{why}"),
    }
}

/// Runs to the end.
///
/// # Errors
/// What went wrong, and in which run.
pub fn attempt(protocol: &Protocol, simulation: &Simulation) -> Result<Run, String> {
    let simulation = &fitted(protocol, simulation);
    let name = protocol.name();
    let told = |why: &dyn std::fmt::Debug| format!("{name}: {why:?}\n{simulation:?}");
    let plan = simulation.plan(protocol).map_err(|why| told(&why))?;
    let run = simulation.run(protocol, &plan, None);
    let run = run.map_err(|why| told(&why))?;
    match &run.fault {
        None => Ok(run),
        Some(fault) => {
            let place = fault.span.map(|span| protocol.sources().position(span));
            let recent = fault.recent.join("\n");
            let message = &fault.message;
            Err(format!(
                "{name}: {message}\nat {place:?}\n{recent}\n{simulation:?}"
            ))
        }
    }
}
