//! [`Plan`]: what the explorations of protocols have in common, and the commands that repeat them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use check::Bounds;
use explore::protocol::{Disk, SearchOptions, Store};
use explore::search;
use settings::Setting;
use simulate::stepper::{MEMORY_QUEUE, Order, Scope};

use crate::protocols::{Repairs, words_of};
use crate::text::{counted, quoted};

/// What the explorations of protocols have in common.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The system, and what its cores and devices do.
    pub scope: Scope,
    /// How states are searched and stored.
    pub search: SearchOptions,
    /// The limits of an exploration.
    pub limits: Limits,
    /// The repairs of known faults with which the protocols were opened.
    pub repairs: Repairs,
    /// Whether runs are looked for that are not SC, if stores are ordered as they are performed.
    pub nice_cycles: bool,
    /// Whether starvation is looked for if nothing else is found.
    pub fair: bool,
    /// Whether the transitions are listed that no run takes. Such an exploration uses no partial order.
    pub unreached: bool,
    /// The folder in which states are kept, if they are kept in files.
    pub disk: Option<PathBuf>,
    /// Called when an exploration in that folder is resumed, with the number of states and the depth that were reached.
    pub resumed: fn(&Path, usize, u32),
}

/// The limits of all searches of an exploration together.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest number of states.
    pub states: Option<u32>,
    /// The longest time.
    pub timeout: Option<Duration>,
    /// The memory that the process may occupy, in bytes.
    pub max_memory: u64,
}

impl Limits {
    /// The limits in words.
    pub(crate) fn in_words(&self) -> String {
        let states = self.states.map(|most| format!("{most} states, "));
        let time = self.timeout.map(|most| format!("{} s, ", most.as_secs_f64()));
        let memory = format!("{} bytes", self.max_memory);
        states.unwrap_or_default() + &time.unwrap_or_default() + &memory
    }

    /// The limits of a search that begins now, and that also ends when `interrupted` is set, if it is given.
    pub fn begin(&self, interrupted: Option<&'static AtomicBool>) -> search::Limits {
        let bounds = Bounds::new(self.timeout, Some(self.max_memory));
        search::Limits {
            bounds: match interrupted {
                Some(interrupted) => bounds.or_interrupted(interrupted),
                None => bounds,
            },
            states: self.states.map(|most| most as usize),
        }
    }
}

impl Plan {
    /// How states are searched and stored.
    pub(crate) fn search_options(&self) -> SearchOptions {
        let partial_order = self.search.partial_order && !self.unreached;
        SearchOptions { partial_order, ..self.search }
    }

    /// The folder of an exploration that this command repeats, if states are kept in files.
    pub(super) fn disk(&self, command: String) -> Option<Disk> {
        let folder = self.disk.clone()?;
        Some(Disk { folder, explores: command, tell: self.resumed })
    }

    /// The command that repeats the exploration of a protocol, or of a mutant of it.
    pub fn command(&self, given: &str, mutant: Option<&str>) -> String {
        let scope = &self.scope;
        let mut words = vec![format!("rubric explore protocol {}", words_of(given))];
        let counts = [
            ("threads", scope.caches, 2),
            ("locations", scope.lines, 1),
            ("requests", scope.requests, 1),
            ("memory-queue", scope.memory_queue, MEMORY_QUEUE),
            ("threads-per-cache", scope.threads_per_cache, 1),
            ("l2-banks", scope.l2_banks, 1),
            ("directories", scope.directories, 1),
        ];
        let unusual = counts.iter().filter(|(_, count, usual)| count != usual);
        words.extend(unusual.map(|(option, count, _)| format!("--{option} {count}")));
        let also = scope.repertoire.also();
        if !also.is_empty() {
            words.push(format!("--also {}", also.join(",")));
        }
        if scope.repertoire.devices > 0 {
            words.push(format!("--dma {}", scope.repertoire.devices));
        }
        let flags = [
            ("--tiny", scope.tiny),
            ("--nice-cycles", self.nice_cycles),
            ("--fair", self.fair),
            ("--unreached", self.unreached),
            ("--strict", scope.strict),
            ("--order vnets", scope.order == Order::VirtualNetworks),
            ("--symmetry off", scope.symmetries.is_empty()),
            ("--partial-order off", !self.search.partial_order),
            ("--live-variables auto", scope.live_variables),
            ("--store compact", self.search.store == Store::Compact),
        ];
        let given = flags.iter().filter(|(_, is_given)| *is_given);
        words.extend(given.map(|(flag, _)| (*flag).to_owned()));
        if self.repairs != Repairs::None {
            words.push(format!("--repair {}", self.repairs));
        }
        words.extend(mutant.map(|mutant| format!("--mutant {}", quoted(mutant))));
        let settings = scope.settings.iter();
        words.extend(settings.map(|setting| format!("--set {}", quoted(&setting.to_string()))));
        words.join(" ")
    }

    /// The settings that would add runs to those that were explored, such as `--tiny`, as the user writes them.
    pub fn other_runs(&self) -> Vec<String> {
        let Scope { lines, tiny, repertoire, .. } = &self.scope;
        let settings = [
            (Setting::Locations.to(2).to_string(), *lines == 1),
            (Setting::Tiny.to_string(), !tiny),
            (Setting::Dma.to(1).to_string(), repertoire.devices == 0),
            (Setting::Dma.to(2).to_string(), repertoire.devices == 1),
            (Setting::Also.to_string(), repertoire.also().is_empty()),
        ];
        settings.into_iter().filter(|(_, is_new)| *is_new).map(|(setting, _)| setting).collect()
    }

    /// The size of the system in words: `2 threads, 1 location`
    pub fn size(&self) -> String {
        size_of(&self.scope)
    }

    /// All kinds of requests in words: `loads, stores, linked, flush and DMA`
    pub(super) fn asked(&self) -> String {
        let repertoire = &self.scope.repertoire;
        let dma = (repertoire.devices > 0).then_some("DMA");
        joined(["loads", "stores"].into_iter().chain(repertoire.also()).chain(dma))
    }
}

/// The size of a system in words: `2 threads, 1 location`
pub(crate) fn size_of(scope: &Scope) -> String {
    let threads = counted(scope.caches as usize, "thread");
    let locations = counted(scope.lines as usize, "location");
    let room = if scope.tiny { ", one line a cache" } else { "" };
    let parts = [
        (scope.requests, "requests at a time"),
        (scope.threads_per_cache, "threads per cache"),
        (scope.l2_banks, "L2 banks"),
        (scope.directories, "directories"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 1);
    let parts: String = parts.map(|(count, what)| format!(", {count} {what}")).collect();
    let is_ordered = scope.order == Order::VirtualNetworks;
    let order = if is_ordered { ", ordered virtual networks" } else { "" };
    let also = match joined(scope.repertoire.also()) {
        names if names.is_empty() => names,
        names => format!(", also {names}"),
    };
    let devices = match scope.repertoire.devices {
        0 => String::new(),
        count => format!(", {}", counted(count as usize, "DMA device")),
    };
    format!("{threads}, {locations}{room}{parts}{order}{also}{devices}")
}

/// Joins names in a sentence: `linked, atomic and flush`
fn joined(names: impl IntoIterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
