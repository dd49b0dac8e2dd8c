//! [`Threads`]: finds the hardware thread of a CPU, which may be the thread of several CPUs that take turns, and says in words which are.

use instructions::{Instruction, Recording};
use rustc_hash::FxHashMap;

use super::LineContext;
use super::cpus::{Basis, Core, CpuName, Cpus, Stays, kind};

/// Difference between the labels of consecutive hardware threads of one CPU.
pub(crate) const HARDWARE_THREAD: u32 = 10_000;

/// The hardware threads of a trace, by the indices that the recording gave them.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    threads: Vec<Thread>,
    /// The index of the thread, by object and number of the hardware thread.
    by_name: FxHashMap<(usize, u32), usize>,
    /// The index of the thread, by core and number of the hardware thread.
    by_core: FxHashMap<(usize, u32), usize>,
    cpus: Cpus,
    /// Whether a CPU has several hardware threads.
    pub are_several: bool,
    /// Whether a thread got another label than its number, which another thread has.
    pub renumbered: bool,
}

/// A hardware thread.
#[derive(Debug)]
struct Thread {
    label: u32,
    stays: Stays,
}

impl Threads {
    /// The index of the `number`-th hardware thread of a CPU, which executes an instruction.
    pub(super) fn thread(
        &mut self,
        cpu: CpuName<'_>,
        number: u32,
        line: &Instruction<'_>,
        at: LineContext,
        recording: &mut Recording,
    ) -> usize {
        let mut thread = self.find(cpu, number, at.line, recording);
        if self.threads[thread].stays.cpu != cpu.object {
            thread = self.change(thread, cpu, line, at, recording);
        }
        self.threads[thread].stays.count();
        thread
    }

    fn find(
        &mut self,
        cpu: CpuName<'_>,
        number: u32,
        line: u64,
        recording: &mut Recording,
    ) -> usize {
        if let Some(&thread) = self.by_name.get(&(cpu.object, number)) {
            return thread;
        }
        self.are_several |= number > 0;
        let core = self.cpus.core(cpu);
        let thread = match self.by_core.get(&(core, number)) {
            Some(&thread) => thread,
            None => self.add(core, number, Stays::new(cpu.object, line), recording),
        };
        self.by_name.insert((cpu.object, number), thread);
        thread
    }

    fn add(&mut self, core: usize, number: u32, stays: Stays, recording: &mut Recording) -> usize {
        let wanted =
            self.cpus.cores[core].number.wrapping_add(number.wrapping_mul(HARDWARE_THREAD));
        let mut label = wanted;
        while self.threads.iter().any(|thread| thread.label == label) {
            label = label.wrapping_add(1);
        }
        self.renumbered |= label != wanted;
        self.threads.push(Thread { label, stays });
        let thread = recording.add_thread(label);
        self.by_core.insert((core, number), thread);
        thread
    }

    /// Takes in the first line of a hardware thread on another CPU than before. Returns the thread: another one if the CPUs turn out to run
    /// at once.
    fn change(
        &mut self,
        thread: usize,
        cpu: CpuName<'_>,
        line: &Instruction<'_>,
        at: LineContext,
        recording: &mut Recording,
    ) -> usize {
        let last = recording.last_address(thread);
        let stays = &mut self.threads[thread].stays;
        let are_at_once = stays.change(cpu.object, line, last, (at.tick, at.line));
        let core = self.cpus.core(cpu);
        if !are_at_once || self.cpus.cores[core].basis == Basis::Configuration {
            return thread;
        }
        let numbers = self.by_core.iter().filter(|((of, _), _)| *of == core);
        let numbers: Vec<(u32, usize)> =
            numbers.map(|(&(_, number), &thread)| (number, thread)).collect();
        let others = self.cpus.cores[core].cpus[1..].to_vec();
        self.cpus.part(core);
        let mut found = thread;
        for (number, joined) in numbers {
            let mut owners = vec![joined];
            for (object, path) in &others {
                let other = CpuName { object: *object, path: path.as_bytes(), ..cpu };
                let core = self.cpus.core(other);
                let own = self.add(core, number, Stays::new(*object, at.line), recording);
                self.by_name.insert((*object, number), own);
                owners.push(own);
                if joined == thread && *object == cpu.object {
                    found = own;
                }
            }
            let stays = &self.threads[joined].stays;
            recording.part(joined, |line| {
                let at = others.iter().position(|(object, _)| *object == stays.at(line));
                owners[at.map_or(0, |at| at + 1)]
            });
            let first = self.cpus.cores[core].cpus[0].0;
            self.threads[joined].stays = Stays::new(first, at.line);
        }
        found
    }

    /// Sentences about the CPUs that were taken for one hardware thread, and about those that were not although they may be.
    pub(crate) fn on_cpus(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let joined = |core: &&Core| core.cpus.len() > 1;
        if let Some(first) = self.cpus.cores.iter().find(joined) {
            let count = self.cpus.cores.iter().filter(joined).count();
            let changes: usize = self.threads.iter().map(|thread| thread.stays.changes()).sum();
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
            let thread = self.by_core.get(&(at, 0)).filter(|_| core.basis == Basis::Names)?;
            let kind = kind(&core.cpus[0].1)?;
            Some((kind, format!("{} is thread {}", names(core), self.threads[*thread].label)))
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
