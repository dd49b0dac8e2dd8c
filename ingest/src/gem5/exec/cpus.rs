//! [`Cpus`]: finds the CPUs of a run that are one hardware thread, because gem5 changes from one to the other.
//!
//! gem5 changes CPUs while a program runs: a simple one warms the caches up and a detailed one is measured, or two take turns. Each is an object
//! of its own, such as `processor.start0.core` and `processor.switch0.core`, or `cpu0` and `switch_cpus0`. `config.json` says which belong
//! together: they have the same number, and all but one begin switched out. Without it their names say so, unless their lines show that they
//! run at once ([`Stays::change`]).

use instructions::Instruction;
use rustc_hash::FxHashMap;

use crate::gem5::readers::sequencer::trailing_number;

/// A CPU in the configuration of a run.
#[derive(Clone, Debug)]
pub(crate) struct ConfiguredCpu {
    pub path: String,
    /// The path of its system.
    pub system: String,
    /// Its number in its system; negative if gem5 chose it.
    pub number: i64,
    /// Whether it does not run at first, and takes over from another one.
    pub begins_out: bool,
}

/// The object of a trace that is a CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuName<'a> {
    /// The number of the object in the trace.
    pub object: usize,
    pub path: &'a [u8],
    /// The CPUs of the run's configuration; empty if there is none.
    pub configured: &'a [ConfiguredCpu],
}

/// A core: one CPU, or several of which one runs at a time.
#[derive(Debug)]
pub(super) struct Core {
    pub number: u32,
    /// The CPUs that lines have shown, each with its object and path.
    pub cpus: Vec<(usize, String)>,
    pub basis: Basis,
    identity: Identity,
}

/// Why CPUs are taken for one core, or for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The configuration of the run.
    Configuration,
    /// The names of the CPUs.
    Names,
    /// The names say that the CPUs are one core, and their lines that they run at once.
    AtOnce,
}

/// What the CPUs of one core have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// System and number in the configuration.
    Configured(String, i64),
    /// The path of what holds the CPUs, the words around their numbers, and the number.
    Named(String, &'static str, u32),
    /// A path, of a CPU alone.
    Alone(String),
}

/// The cores of a trace.
#[derive(Debug, Default)]
pub(super) struct Cpus {
    pub cores: Vec<Core>,
    by_object: FxHashMap<usize, usize>,
}

/// The names of CPUs that gem5's scripts change to and from. A longer name precedes its own beginning.
const CLASSIC: [&str; 4] = ["repeat_switch_cpus", "switch_cpus_1", "switch_cpus", "cpu"];
const STANDARD_LIBRARY: [&str; 2] = ["switch", "start"];

impl Cpus {
    /// The core of a CPU.
    pub(super) fn core(&mut self, cpu: CpuName<'_>) -> usize {
        if let Some(&core) = self.by_object.get(&cpu.object) {
            return core;
        }
        let path = String::from_utf8_lossy(cpu.path).into_owned();
        let (identity, basis, number) = identify(&path, cpu.configured);
        let same = |core: &Core| core.identity == identity && core.basis != Basis::AtOnce;
        let core = self.cores.iter().position(same).unwrap_or_else(|| {
            self.cores.push(Core { number, cpus: Vec::new(), basis, identity });
            self.cores.len() - 1
        });
        self.cores[core].cpus.push((cpu.object, path));
        self.by_object.insert(cpu.object, core);
        core
    }

    /// Makes each CPU of a core a core of its own, since they run at once.
    pub(super) fn part(&mut self, core: usize) {
        self.cores[core].basis = Basis::AtOnce;
        let others = self.cores[core].cpus[1..].to_vec();
        for (object, path) in others {
            let number = self.cores[core].number;
            let identity = Identity::Alone(path.clone());
            let cpus = vec![(object, path)];
            self.by_object.insert(object, self.cores.len());
            self.cores.push(Core { number, cpus, basis: Basis::AtOnce, identity });
        }
        self.cores[core].cpus.truncate(1);
    }
}

/// What a CPU has in common with those of its core, how that is known, and the number of the core.
fn identify(path: &str, configured: &[ConfiguredCpu]) -> (Identity, Basis, u32) {
    let number = trailing_number(path);
    let named = name_of(path);
    let named_number = match named {
        Some(Identity::Named(_, _, named)) => named,
        _ => number,
    };
    let alone = || Identity::Alone(path.to_owned());
    let Some(own) = configured.iter().find(|cpu| cpu.path == path) else {
        return (named.unwrap_or_else(alone), Basis::Names, named_number);
    };
    let same = |cpu: &&ConfiguredCpu| cpu.system == own.system && cpu.number == own.number;
    let running = configured.iter().filter(same).filter(|cpu| !cpu.begins_out).count();
    match u32::try_from(own.number) {
        Ok(number) if running == 1 => {
            (Identity::Configured(own.system.clone(), own.number), Basis::Configuration, number)
        }
        _ => (alone(), Basis::Configuration, named_number),
    }
}

/// The name that a CPU shares with those that it takes turns with, if its path is that of such a CPU.
fn name_of(path: &str) -> Option<Identity> {
    let (rest, names, kind): (&str, &[&str], _) = match path.strip_suffix(".core") {
        Some(rest) => (rest, &STANDARD_LIBRARY, "start"),
        None => (path, &CLASSIC, "cpu"),
    };
    let (parent, name) = rest.rsplit_once('.')?;
    let digits = names.iter().find_map(|known| {
        let digits = name.strip_prefix(known)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
    })?;
    // A single CPU has no number.
    let number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    Some(Identity::Named(parent.to_owned(), kind, number))
}

/// The path of what holds a CPU, and the name of the CPU without its number.
pub(super) fn kind(path: &str) -> Option<(&str, &str)> {
    let (parent, name) = path.strip_suffix(".core").unwrap_or(path).rsplit_once('.')?;
    Some((parent, name.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// Distance up to which the next instruction of a thread is taken for the one after the last.
const NEXT_INSTRUCTION_BYTES: u64 = 16;
/// Number of changes of CPUs from which on their frequency counts.
const MANY_CHANGES: u64 = 8;
/// Number of lines between two changes below which changes are frequent.
const FEW_LINES: u64 = 4;

/// The CPUs that a hardware thread ran on.
#[derive(Debug)]
pub(super) struct Stays {
    /// The object of the CPU that it runs on.
    pub cpu: usize,
    /// The first line of each stay on a CPU, and the CPU.
    stays: Vec<(u64, usize)>,
    /// The tick at which the last stay began.
    since: Option<u64>,
    /// The address of the last instruction on each CPU that it left.
    left: Vec<(usize, Option<u64>)>,
    /// Number of lines of the thread.
    lines: u64,
    /// Number of changes after which the instruction before the change was executed again.
    repeated: u32,
}

impl Stays {
    pub(super) fn new(cpu: usize, line: u64) -> Stays {
        Stays {
            cpu,
            stays: vec![(line, cpu)],
            since: None,
            left: Vec::new(),
            lines: 0,
            repeated: 0,
        }
    }

    /// Counts a line of the thread.
    pub(super) fn count(&mut self) {
        self.lines += 1;
    }

    pub(super) fn changes(&self) -> usize {
        self.stays.len() - 1
    }

    /// The CPU that executed a line of the thread.
    pub(super) fn at(&self, line: u64) -> usize {
        let behind = self.stays.partition_point(|&(first, _)| first <= line);
        self.stays[behind.saturating_sub(1)].1
    }

    /// Takes in the first line on another CPU, after an instruction at address `last`. Returns whether the CPUs seem to run at once:
    /// each goes on where it stopped itself instead of where the other one stopped, or executes what the other one has executed, or they
    /// change within a tick, or every few instructions.
    pub(super) fn change(
        &mut self,
        cpu: usize,
        line: &Instruction<'_>,
        last: Option<u64>,
        (tick, number): (Option<u64>, u64),
    ) -> bool {
        let own = self.left.iter().find(|(left, _)| *left == cpu).map(|(_, pc)| *pc);
        let follows = |before: Option<u64>| {
            let distance = line.pc?.wrapping_sub(before?);
            (distance <= NEXT_INSTRUCTION_BYTES).then_some(distance)
        };
        let goes_on_alone = own.is_some_and(|own| follows(own).is_some())
            && last.is_some()
            && follows(last).is_none();
        self.repeated += u32::from(follows(last) == Some(0) && line.micro.is_none());
        let repeats = own.is_some() && self.repeated > 1;
        let is_within_tick = own.is_some() && tick.is_some() && tick == self.since;
        let changes = self.stays.len() as u64;
        let is_frequent = changes >= MANY_CHANGES && self.lines < FEW_LINES * changes;
        self.left.retain(|(left, _)| *left != self.cpu);
        self.left.push((self.cpu, last));
        self.cpu = cpu;
        self.since = tick;
        self.stays.push((number, cpu));
        goes_on_alone || repeats || is_within_tick || is_frequent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(path: &str, number: i64, begins_out: bool) -> ConfiguredCpu {
        let (path, system) = (path.to_owned(), "board".to_owned());
        ConfiguredCpu { path, system, number, begins_out }
    }

    fn cores(paths: &[&str], configured: &[ConfiguredCpu]) -> Vec<(usize, u32)> {
        let mut cpus = Cpus::default();
        let core = |(object, path): (usize, &&str)| {
            let path = path.as_bytes();
            let core = cpus.core(CpuName { object, path, configured });
            (core, cpus.cores[core].number)
        };
        paths.iter().enumerate().map(core).collect()
    }

    #[test]
    fn names_say_which_cpus_take_turns() {
        let of = |paths: &[&str]| cores(paths, &[]);
        let board = "board.processor";
        let [start0, switch0, start1, other] =
            ["start0", "switch0", "start1", "cores0"].map(|name| format!("{board}.{name}.core"));
        let expected = [(0, 0), (1, 1), (0, 0), (2, 0)];
        assert_eq!(of(&[&start0, &start1, &switch0, &other]), expected);
        assert_eq!(of(&["b.p.start.core", "b.p.switch.core"]), [(0, 0), (0, 0)]);
        assert_eq!(of(&["system.cpu", "system.switch_cpus"]), [(0, 0), (0, 0)]);
        let classic = ["system.cpu1", "system.switch_cpus1", "system.switch_cpus_11"];
        assert_eq!(of(&classic), [(0, 1), (0, 1), (0, 1)]);
        assert_eq!(of(&["system.cpu10", "system.repeat_switch_cpus10"]), [(0, 10), (0, 10)]);
        // Systems have CPUs of their own.
        assert_eq!(of(&["testsys.cpu", "drivesys.switch_cpus"]), [(0, 0), (1, 0)]);
        assert_eq!(of(&["system.big0", "system.little0"]), [(0, 0), (1, 0)]);
    }

    #[test]
    fn the_configuration_knows_better_than_names() {
        let [a, b, c] = ["b.p.boot0.core", "b.p.warm0.core", "b.p.o30.core"];
        let three = [configured(a, 0, false), configured(b, 0, true), configured(c, 0, true)];
        assert_eq!(cores(&[a, b, c], &three), [(0, 0), (0, 0), (0, 0)]);
        assert_eq!(cores(&[a, b], &[]), [(0, 0), (1, 0)]);
        let (start, switch) = ("b.p.start0.core", "b.p.switch0.core");
        let both = [configured(start, 0, false), configured(switch, 0, false)];
        assert_eq!(cores(&[start, switch], &both), [(0, 0), (1, 0)]);
        let unnumbered = [configured(start, -1, false), configured(switch, -1, true)];
        assert_eq!(cores(&[start, switch], &unnumbered), [(0, 0), (1, 0)]);
    }
}
