//! The permutations under which a system is symmetric.

use itertools::Itertools;
use slicc::compile::code::{Machine, Member};
use slicc::compile::types::TypeKind;

use super::super::values::Values;
use super::Symmetry;
use super::names::Permutation;
use super::places::Places;
use super::words::Kinds;
use crate::system::System;

/// The symmetries of a system.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The permutations, without the one that changes nothing.
    permutations: Vec<Permutation>,
    /// The symmetries that are used.
    used: Vec<Symmetry>,
    /// The symmetries that do not hold, each with the reason.
    unused: Vec<(Symmetry, String)>,
}

impl Group {
    /// The permutations, without the one that changes nothing.
    pub fn permutations(&self) -> &[Permutation] {
        &self.permutations
    }

    /// The symmetries that are used.
    pub fn used(&self) -> &[Symmetry] {
        &self.used
    }

    /// The symmetries that were wanted and do not hold, with the reasons. Symmetries of cores or lines of which the
    /// system has only one are left out.
    pub fn unused(&self) -> &[(Symmetry, String)] {
        &self.unused
    }

    /// The symmetries of a system with these numbers of cores and DMA devices, of those in `wanted`.
    pub(in super::super) fn of(
        system: &System,
        lines: &[u64],
        (cores, devices): (usize, usize),
        bases: &[Vec<u64>],
        kinds: &Kinds,
        values: Values,
        wanted: &[Symmetry],
    ) -> Group {
        let seeker = Seeker { system, lines, cores, devices, bases, kinds, values };
        let mut group = Group::default();
        let mut choices = |symmetry: Symmetry, count: usize| -> Vec<Places> {
            let single = vec![Places::same(count)];
            if count < 2 || !wanted.contains(&symmetry) {
                return single;
            }
            match seeker.difference(symmetry) {
                Some(reason) => {
                    group.unused.push((symmetry, reason));
                    single
                }
                None => {
                    group.used.push(symmetry);
                    (0..count).permutations(count).filter_map(Places::new).collect()
                }
            }
        };
        let of_cores = choices(Symmetry::Cores, cores);
        let of_lines = choices(Symmetry::Lines, lines.len());
        let pairs = of_cores.iter().cartesian_product(&of_lines).skip(1);
        group.permutations =
            pairs.filter_map(|(cores, lines)| seeker.permutation(cores, lines).ok()).collect();
        group
    }
}

/// The system whose symmetries are looked for.
struct Seeker<'a> {
    system: &'a System,
    lines: &'a [u64],
    cores: usize,
    devices: usize,
    bases: &'a [Vec<u64>],
    kinds: &'a Kinds,
    values: Values,
}

impl Seeker<'_> {
    /// The reason why the cores or the lines cannot be exchanged, if there is one.
    fn difference(&self, symmetry: Symmetry) -> Option<String> {
        if let Some(reason) = &self.kinds.opaque {
            return Some(reason.clone());
        }
        let ordered = &self.system.program.ordered;
        match symmetry {
            Symmetry::Lines if ordered.addresses.is_some() => {
                Some("the protocol calculates with addresses".to_owned())
            }
            Symmetry::Cores if ordered.numbers.is_some() => {
                Some("the protocol calculates with the numbers of machines".to_owned())
            }
            Symmetry::Lines => self.homes_differ(),
            Symmetry::Cores => self.cores_differ(),
        }
    }

    /// The reason why lines differ, if they belong to different controllers or sets.
    fn homes_differ(&self) -> Option<String> {
        let differ =
            |home: &dyn Fn(u64) -> u64| !self.lines.iter().map(|&line| home(line)).all_equal();
        let homes = self.system.homes.iter().flatten();
        if homes.into_iter().any(|home| differ(&|line| home.home(line))) {
            return Some("lines belong to different controllers".to_owned());
        }
        let caches = self.system.line_tables.caches.iter();
        let several = caches.into_iter().any(|cache| differ(&|line| cache.set(line) as u64));
        several.then(|| "lines belong to different sets of a cache".to_owned())
    }

    /// The reason why cores differ, if their controllers do.
    fn cores_differ(&self) -> Option<String> {
        let machines = &self.system.program.machines;
        for machine in machines {
            let count = self.system.machines.count(u64::from(machine.kind)) as usize;
            if count > 1 && count != self.cores && !self.stays(machine) {
                return Some(format!(
                    "there are {count} controllers {} for {} cores",
                    machine.name, self.cores
                ));
            }
        }
        for (core, &home) in self.system.homes_of.iter().take(self.cores).enumerate() {
            let home = &self.system.controllers[home];
            if home.version as usize != core {
                return Some(format!(
                    "core {core} is behind {} {}",
                    machines[home.machine].name, home.version
                ));
            }
        }
        // Exchanging two neighbours generates all permutations.
        let swaps = (1..self.cores).filter_map(|core| {
            let mut to: Vec<usize> = (0..self.cores).collect();
            to.swap(core - 1, core);
            Places::new(to)
        });
        let lines = Places::same(self.lines.len());
        swaps.into_iter().find_map(|cores| self.permutation(&cores, &lines).err())
    }

    /// The permutation of the whole system to which permutations of cores and lines lead. Fails with the reason if
    /// there is none.
    fn permutation(&self, cores: &Places, lines: &Places) -> Result<Permutation, String> {
        let system = self.system;
        let mut moves = vec![false; 64];
        for machine in &system.program.machines {
            moves[machine.kind as usize] = self.cores > 1
                && system.machines.count(u64::from(machine.kind)) as usize == self.cores
                && !self.stays(machine);
        }
        let new_place = |at: usize| {
            let controller = &system.controllers[at];
            let kind = system.program.machines[controller.machine].kind;
            if !moves[kind as usize] {
                return Some(at);
            }
            let version = cores.to(controller.version as usize);
            system.controllers.iter().position(|other| {
                other.machine == controller.machine && other.version as usize == version
            })
        };
        let controllers: Option<Vec<usize>> =
            (0..system.controllers.len()).map(new_place).collect();
        let controllers = controllers.and_then(Places::new).ok_or("a controller is missing")?;
        let mut parts = Parts::new(system);
        for at in 0..system.controllers.len() {
            self.connect(at, controllers.to(at), &mut parts)?;
        }
        let places = |to: Vec<Option<usize>>, what: &str| {
            let to: Vec<usize> =
                to.into_iter().enumerate().map(|(at, place)| place.unwrap_or(at)).collect();
            Places::new(to).ok_or_else(|| format!("controllers of several cores share a {what}"))
        };
        Ok(Permutation {
            cores: cores.clone(),
            agents: cores.and_others(self.devices),
            lines: lines.clone(),
            addresses: self.lines.to_vec(),
            values: self.values,
            moves,
            controllers,
            buffers: places(parts.buffers, "buffer")?,
            caches: places(parts.caches, "cache")?,
            tables: places(parts.tables, "table")?,
            directories: places(parts.directories, "directory")?,
            timers: places(parts.timers, "table of timers")?,
            persistents: places(parts.persistents, "table of persistent requests")?,
        })
    }

    /// Whether the controllers of a machine stay where they are: they serve DMA devices, or each some of the lines.
    fn stays(&self, machine: &Machine) -> bool {
        let mut parameters = machine.parameters.iter();
        let types = &self.system.program.types;
        let is_bank = matches!(&*machine.name, "L2Cache" | "Directory")
            || parameters.any(|member| &*types[member.of].name == "DirectoryMemory");
        is_bank
            || self.system.dma_homes.iter().any(|&home| {
                let of = self.system.controllers[home].machine;
                self.system.program.machines[of].kind == machine.kind
            })
    }

    /// Records that the parts of a controller move to the places of those of another one. Fails with the reason if they
    /// cannot.
    fn connect(&self, from: usize, to: usize, parts: &mut Parts) -> Result<(), String> {
        let controller = &self.system.controllers[from];
        let machine = &self.system.program.machines[controller.machine];
        for member in machine.parameters.iter().chain(&machine.variables) {
            let at = usize::from(member.offset);
            let (one, other) = (self.bases[from][at], self.bases[to][at]);
            if let Some(part) = self.part(member, parts) {
                let slot = part.get_mut(one as usize);
                if let Some(slot) = slot
                    && *slot.get_or_insert(other as usize) != other as usize
                {
                    return Err(format!(
                        "controllers of several cores share {}.{}",
                        machine.name, member.name
                    ));
                }
            } else if one != other && !self.is_handle(member) {
                return Err(format!("cores differ in {}.{}", machine.name, member.name));
            }
        }
        Ok(())
    }

    /// The new places of the objects of which a parameter or variable names one; `None` if these do not move.
    fn part<'p>(
        &self,
        member: &Member,
        parts: &'p mut Parts,
    ) -> Option<&'p mut Vec<Option<usize>>> {
        let name = &*self.system.program.types[member.of].name;
        Some(match name.rsplit('_').next().unwrap_or(name) {
            "MessageBuffer" | "WireBuffer" => &mut parts.buffers,
            "CacheMemory" if name != "PerfectCacheMemory" => &mut parts.caches,
            "TBETable" | "PerfectCacheMemory" => &mut parts.tables,
            "DirectoryMemory" => &mut parts.directories,
            "TimerTable" => &mut parts.timers,
            "PersistentTable" => &mut parts.persistents,
            _ => return None,
        })
    }

    /// Whether a parameter or variable names an object without a state that is written down.
    fn is_handle(&self, member: &Member) -> bool {
        self.system.program.types[member.of].kind == TypeKind::Library
    }
}

/// The new places of parts of controllers, as far as they are known.
struct Parts {
    buffers: Vec<Option<usize>>,
    caches: Vec<Option<usize>>,
    tables: Vec<Option<usize>>,
    directories: Vec<Option<usize>>,
    timers: Vec<Option<usize>>,
    persistents: Vec<Option<usize>>,
}

impl Parts {
    fn new(system: &System) -> Parts {
        Parts {
            buffers: vec![None; system.buffers.len()],
            caches: vec![None; system.line_tables.caches.len()],
            tables: vec![None; system.line_tables.tables.len()],
            directories: vec![None; system.line_tables.directories.len()],
            timers: vec![None; system.timers.len()],
            persistents: vec![None; system.persistents.len()],
        }
    }
}
