//! Finds the hardware thread of a CPU, which may be the thread of several CPUs that take turns, and says in words which are.

use super::cpus::{Basis, Core, CpuName, Stays, kind};
use super::hart::Hart;
use super::line::Line;
use super::{Exec, HARDWARE_THREAD, LineContext};
use crate::options::Options;

impl Exec {
    /// The `thread`-th hardware thread of a CPU, at a line.
    pub(super) fn hart(&mut self, cpu: CpuName<'_>, thread: u32, line: u64) -> usize {
        if let Some(&hart) = self.by_name.get(&(cpu.object, thread)) {
            return hart;
        }
        self.hardware_threads |= thread > 0;
        let core = self.cpus.core(cpu);
        let hart = match self.by_core.get(&(core, thread)) {
            Some(&hart) => hart,
            None => self.new_hart(core, thread, Stays::new(cpu.object, line)),
        };
        self.by_name.insert((cpu.object, thread), hart);
        hart
    }

    fn new_hart(&mut self, core: usize, thread: u32, stays: Stays) -> usize {
        let wanted =
            self.cpus.cores[core].number.wrapping_add(thread.wrapping_mul(HARDWARE_THREAD));
        let mut label = wanted;
        while self.harts.iter().any(|hart| hart.label == label) {
            label = label.wrapping_add(1);
        }
        self.renumbered |= label != wanted;
        self.harts.push(Hart::new(label, stays));
        self.by_core.insert((core, thread), self.harts.len() - 1);
        self.harts.len() - 1
    }

    /// Takes in the first line of a hardware thread on another CPU than before. Returns the thread: another one if the CPUs turn out to run
    /// at once.
    pub(super) fn change(
        &mut self,
        hart: usize,
        cpu: CpuName<'_>,
        line: &Line<'_>,
        at: LineContext,
        options: &Options,
    ) -> usize {
        let last = self.harts[hart].last_address();
        let are_at_once = self.harts[hart].stays.change(cpu.object, line, last, (at.tick, at.line));
        let core = self.cpus.core(cpu);
        if !are_at_once || self.cpus.cores[core].basis == Basis::Configuration {
            return hart;
        }
        let threads = self.by_core.iter().filter(|((of, _), _)| *of == core);
        let threads: Vec<(u32, usize)> =
            threads.map(|(&(_, thread), &hart)| (thread, hart)).collect();
        let others = self.cpus.cores[core].cpus[1..].to_vec();
        self.cpus.part(core);
        let mut found = hart;
        for (thread, joined) in threads {
            let recorder = &mut self.recorder;
            self.harts[joined].finish(&mut |entry| recorder.keep(entry, options));
            // Registers of one CPU may have been taken for those of the other.
            self.harts[joined].decoders = Default::default();
            self.harts[joined].decoders.lose();
            self.lost_dependencies += 1;
            let mut owners = vec![joined];
            for (object, path) in &others {
                let other = CpuName { object: *object, path: path.as_bytes(), ..cpu };
                let core = self.cpus.core(other);
                let own = self.new_hart(core, thread, Stays::new(*object, at.line));
                self.by_name.insert((*object, thread), own);
                owners.push(own);
                if joined == hart && *object == cpu.object {
                    found = own;
                }
            }
            let stays = &self.harts[joined].stays;
            let owner = |line| {
                let at = others.iter().position(|(object, _)| *object == stays.at(line));
                owners[at.map_or(0, |at| at + 1)]
            };
            self.recorder.distribute(joined, owner);
            let first = self.cpus.cores[core].cpus[0].0;
            self.harts[joined].stays = Stays::new(first, at.line);
        }
        found
    }

    /// Sentences about the CPUs that were taken for one hardware thread, and about those that were not although they may be.
    pub(crate) fn on_cpus(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let joined = |core: &&Core| core.cpus.len() > 1;
        if let Some(first) = self.cpus.cores.iter().find(joined) {
            let count = self.cpus.cores.iter().filter(joined).count();
            let changes: usize = self.harts.iter().map(|hart| hart.stays.changes()).sum();
            let basis = match first.basis {
                Basis::Configuration => "as config.json says",
                _ => {
                    "as their names say; config.json, in the folder of the trace, would show if they ran at once"
                }
            };
            sentences.push(format!(
                "{} are one hardware thread, which changed CPUs{}, {basis} ({changes} change{} in all).",
                names(first),
                match count - 1 {
                    0 => String::new(),
                    1 => " (and so are those of 1 more thread)".to_owned(),
                    more => format!(" (and so are those of {more} more threads)"),
                },
                if changes == 1 { "" } else { "s" },
            ));
        }
        let apart: Vec<String> =
            self.cpus.cores.iter().filter(|core| core.basis == Basis::AtOnce).map(names).collect();
        if !apart.is_empty() {
            sentences.push(format!(
                "{} have names of CPUs that take turns, but run at once, so each is a thread of its own.",
                listed(&apart)
            ));
        }
        if let Some(which) = self.unexplained_cpus() {
            sentences.push(format!(
                "CPUs with different names are threads of their own: {which}; config.json, in the folder of the trace, would show if they \
                 take turns on one thread."
            ));
        }
        sentences
    }

    /// The CPUs of different names beside each other, each with the label of its thread, if there are any and no configuration says what
    /// they are to each other.
    fn unexplained_cpus(&self) -> Option<String> {
        let label = |at: usize| {
            let core = &self.cpus.cores[at];
            let hart = self.by_core.get(&(at, 0)).filter(|_| core.basis == Basis::Names)?;
            let kind = kind(&core.cpus[0].1)?;
            Some((kind, format!("{} is thread {}", names(core), self.harts[*hart].label)))
        };
        let all: Vec<_> = (0..self.cpus.cores.len()).filter_map(label).collect();
        let is_mixed = |((parent, name), _): &&((&str, &str), String)| {
            all.iter().any(|((other, others), _)| other == parent && others != name)
        };
        let mixed: Vec<String> =
            all.iter().filter(is_mixed).map(|(_, text)| text.clone()).collect();
        (!mixed.is_empty()).then(|| listed(&mixed))
    }
}

/// The paths of the CPUs of a core.
fn names(core: &Core) -> String {
    let paths: Vec<String> = core.cpus.iter().map(|(_, path)| path.clone()).collect();
    listed(&paths)
}

/// Largest number of things that a sentence lists.
const MOST_LISTED: usize = 8;

/// `a, b and c`; of many things the first ones.
fn listed(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        _ if all.len() > MOST_LISTED => {
            format!("{} and {} more", all[..MOST_LISTED].join(", "), all.len() - MOST_LISTED)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
