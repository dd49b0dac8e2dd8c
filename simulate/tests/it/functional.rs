//! Functional accesses: what they read and write while nothing else happens, and in running systems.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::outcome::{effect, traced};
use crate::stress;
use history::random::Rng;
use history::{Kind, Source};
use simulate::client::{Client, Core, CorePort, FunctionalAccess};
use simulate::config::{Options, Plan, most_threads};
use simulate::program::{Bytes, Extras};
use simulate::recipe::{Lineage, Recipe};
use simulate::record::Records;
use simulate::request::{Request, RequestKind, Response};
use simulate::simulation::Simulation;
use simulate::system::{Fault, Setup, System};
use slicc::protocol::Protocol;

const BUILT_IN: [&str; 4] = ["MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"];

/// Number of runs with functional accesses of each protocol.
const RUNS: u64 = 12;

/// Ticks after which a system in which nothing was requested has come to rest.
const REST: u64 = 3000;

/// An access of one of the cores that take turns.
#[derive(Clone, Copy, Debug)]
struct Access {
    core: usize,
    is_functional: bool,
    bytes: Bytes,
    /// The value of a store.
    written: Option<u64>,
}

/// The accesses of all cores, which are made one after the other, each when nothing else happens.
struct Turns {
    accesses: Vec<Access>,
    /// The index of the next access.
    next: usize,
    /// The first tick at which it may be made.
    ready: u64,
    /// What memory holds, by byte.
    memory: BTreeMap<u64, u8>,
    /// The loads that returned something else.
    wrong: Vec<String>,
}

impl Turns {
    fn new(seed: u64, cores: u64, count: usize) -> Turns {
        let mut rng = Rng::new(seed, 0);
        let accesses = (1..=count as u64).map(|value| {
            let size = 1 << rng.below(4);
            let address = 0x1000 + 64 * rng.below(6) + size * rng.below(64 / size);
            Access {
                core: rng.below(cores) as usize,
                is_functional: rng.percent(50),
                bytes: Bytes { address, size: size as u8 },
                written: rng.percent(50).then_some(value.wrapping_mul(0x0101_0203_0509_0d11)),
            }
        });
        let (next, ready) = (0, 0);
        Turns {
            accesses: accesses.collect(),
            next,
            ready,
            memory: BTreeMap::new(),
            wrong: Vec::new(),
        }
    }

    fn expected(&self, bytes: Bytes) -> u64 {
        let byte = |at: u64| u64::from(self.memory.get(&at).copied().unwrap_or(0));
        bytes.addresses().rev().fold(0, |value, at| value << 8 | byte(at))
    }

    /// Ends the access whose turn it is; a load has returned `value`.
    fn finish(&mut self, now: u64, value: u64) {
        let access = self.accesses[self.next];
        match access.written {
            Some(written) => {
                for (at, byte) in access.bytes.addresses().zip(written.to_le_bytes()) {
                    self.memory.insert(at, byte);
                }
            }
            None => {
                let expected = self.expected(access.bytes);
                if value != expected {
                    self.wrong.push(format!("{access:?}: {value:#x} and not {expected:#x}"));
                }
            }
        }
        (self.next, self.ready) = (self.next + 1, now + REST);
    }
}

/// A core that makes its accesses when their turn comes.
struct TurnCore {
    core: usize,
    turns: Arc<Mutex<Turns>>,
    waits: bool,
    records: Records,
}

impl Core for TurnCore {
    fn step(&mut self, now: u64, port: &mut dyn CorePort) {
        let mut turns = self.turns.lock().unwrap();
        let Some(&access) = turns.accesses.get(turns.next) else { return };
        if self.waits {
            return;
        }
        port.wake_at(now + REST / 10);
        if access.core != self.core || now < turns.ready {
            return;
        }
        let Access { is_functional, bytes, written, .. } = access;
        if is_functional {
            match port.functional(bytes, written) {
                FunctionalAccess::Done(value) => turns.finish(now, value),
                FunctionalAccess::Refused => panic!("{access:?} was refused while nothing happens"),
                FunctionalAccess::Failed => {}
            }
            return;
        }
        let kind = if written.is_some() { RequestKind::Store } else { RequestKind::Load };
        self.waits = port.send(Request::new(0, kind, bytes, written.unwrap_or(0))).is_ok();
    }

    fn performed(&mut self, _now: u64, _response: &Response, _port: &mut dyn CorePort) {}

    fn respond(&mut self, now: u64, response: &Response, port: &mut dyn CorePort) {
        self.waits = false;
        self.turns.lock().unwrap().finish(now, response.value);
        port.wake_at(now + 1);
    }

    fn position(&self) -> usize {
        self.turns.lock().unwrap().next
    }

    fn is_done(&self) -> bool {
        let turns = self.turns.lock().unwrap();
        turns.next >= turns.accesses.len()
    }

    fn records(&self) -> &Records {
        &self.records
    }
}

/// Lets cores take turns in a system with small caches. Returns the loads that returned something else than the last value.
fn take_turns(protocol: &Protocol, seed: u64, count: usize) -> Result<Vec<String>, Box<Fault>> {
    let threads = most_threads(protocol).unwrap_or(4).min(4);
    let options = Options { threads, ..Options::default() };
    let plan = Plan::of(protocol, &options).expect("the protocol has a plan");
    let turns = Arc::new(Mutex::new(Turns::new(seed, u64::from(threads), count)));
    let core = |core: u32| -> Box<dyn Core> {
        let records = Records::new(core, Source::Client);
        Box::new(TurnCore { core: core as usize, turns: Arc::clone(&turns), waits: false, records })
    };
    let setup = Setup {
        program: std::sync::Arc::clone(&protocol.program),
        plan: &plan,
        options: &options,
        cores: (0..threads).map(core).collect(),
        trace: None,
        seed,
        deadlock_threshold: None,
    };
    let mut system = System::new(setup).expect("the system can be built");
    system.simulate(None)?;
    let turns = turns.lock().unwrap();
    assert_eq!(turns.next, count);
    Ok(turns.wrong.clone())
}

/// Without anything else going on, a functional read returns the last value that was written, and what a functional write wrote is
/// what loads return.
#[test]
fn accesses_at_rest_are_exact() {
    for protocol in BUILT_IN.map(stress::open) {
        for seed in 0..3 {
            let wrong = take_turns(&protocol, seed, 400).unwrap_or_else(|fault| {
                panic!("{} {seed}: {fault} {:#?}", protocol.name(), fault.recent)
            });
            assert_eq!(wrong, <[String; 0]>::default(), "{} {seed}", protocol.name());
        }
    }
}

fn recipe(protocol: &Protocol, seed: u64) -> Simulation {
    let extras = Extras { functional: 10, ..Extras::default() };
    Recipe::of(&Lineage::root(seed).with_extras(extras)).simulation(protocol, Client::IN_ORDER)
}

/// In running systems a functional read finds the current value, or fails as in gem5; it never returns an older one.
#[test]
fn accesses_in_running_systems_keep_sequential_consistency() {
    let mut completed = 0;
    for protocol in BUILT_IN.map(stress::open) {
        for seed in 0..RUNS {
            let simulation = recipe(&protocol, seed);
            let plan = simulation.plan(&protocol).unwrap();
            let run = simulation.run(&protocol, &plan, None).unwrap();
            match &run.fault {
                None => completed += 1,
                Some(fault) => assert!(
                    fault.message.starts_with("Ruby functional read failed for address 0x"),
                    "{} {seed}: {fault}",
                    protocol.name()
                ),
            }
            let name = protocol.name();
            assert_eq!(crate::outcome::violation(&simulation, &run), None, "{name} {seed}");
        }
    }
    assert!(completed > 0);
}

/// Without functional accesses nothing changes, and with them only what is drawn for them.
#[test]
fn functional_accesses_are_drawn_apart() {
    let protocol = stress::open("MOESI_hammer");
    let program = |text: &str| stress::simulation_of(text, Client::IN_ORDER).program(&protocol);
    assert_eq!(program("--operations 50"), program("--operations 50 --functional 10"));
    let simulation = stress::simulation_of("--operations 50 --functional 100", Client::IN_ORDER);
    assert_eq!(effect(&protocol, &simulation), None);
    let plan = simulation.plan(&protocol).unwrap();
    let run = simulation.run(&protocol, &plan, None).unwrap();
    // No message was sent.
    assert_eq!((run.tally.transitions, run.operations()), (0, 200));
}

/// Ruby's lines do not show the accesses, so cores print theirs, and a reader of the trace sees the same history.
#[test]
fn a_trace_shows_functional_accesses() {
    let protocol = stress::open("MOESI_hammer");
    let options = "--operations 300 --locations 20 --cache-size 128:1 --functional 30";
    let mut simulation = stress::simulation_of(options, Client::IN_ORDER);
    simulation.shape.extras.suppressed = 1;
    let (trace, run) = traced(&protocol, &simulation);
    assert!(run.fault.is_none(), "{:?}", run.fault);
    let history = run.history().unwrap();
    let text = String::from_utf8(trace).unwrap();
    let count = |words: &str| text.matches(words).count();
    let (made, failed) =
        (count("Functional access successful!"), count("Functional access failed!"));
    assert_eq!(made + failed, count("Functional access for address: "));
    assert!(made > 100 && failed > 0, "{made} {failed}");
    assert_eq!((made as u64, failed as u64), (run.tally.functional, run.tally.functional_failures));
    let read = ingest::read(text.as_bytes(), "trace", &ingest::Options::default()).unwrap();
    assert_eq!(read.histories[0].digest(), history.digest());
    assert!(history.ops().any(|op| history.kind(op) == Kind::Store));
}

#[test]
#[ignore = "needs gem5's files: RUBRIC_GEM5=path/to/gem5"]
fn accesses_at_rest_are_exact_in_released_protocols() {
    let Some(root) = std::env::var_os("RUBRIC_GEM5") else { return };
    let folder = Path::new(&root).join("src/mem/ruby/protocol");
    let names = [
        "MI_example",
        "MESI_Two_Level",
        "MESI_Three_Level",
        "MESI_Three_Level_HTM",
        "MOESI_hammer",
        "MOESI_CMP_directory",
        "MOESI_CMP_token",
        "MOESI_AMD_Base",
        "chi/CHI",
    ];
    let mut wrong = Vec::new();
    for name in names {
        let file = folder.join(format!("{name}.slicc"));
        let protocol = Protocol::open(file.to_str().unwrap())
            .unwrap_or_else(|failure| panic!("{name}: {:#?}", failure.diagnostics));
        for seed in 0..3 {
            match take_turns(&protocol, seed, 400) {
                Ok(loads) => wrong.extend(loads.into_iter().map(|load| format!("{name}: {load}"))),
                Err(fault) => wrong.push(format!("{name}: {fault} {:#?}", fault.recent)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
