//! The monitors that follow a run.

use check::Model;

use super::compile::Program;
use super::machine::Event;
use crate::monitor::{self, Monitor, Sober};

/// The state of the monitors during a run, one for each model.
#[derive(Clone, Debug)]
pub(super) struct Monitors {
    monitors: Vec<Watcher>,
}

/// A monitor of one model.
#[derive(Clone, Debug)]
enum Watcher {
    Operational(Monitor),
    Sober(Sober),
}

/// The signal of a monitor: an event may come before a store of another thread that precedes it in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The index of the monitor.
    pub monitor: usize,
    /// The index of the event in the run.
    pub event: usize,
    /// The index of the store that may be delayed.
    pub store: usize,
}

impl Monitors {
    /// Creates monitors for these models, before the first event. With `sober`, that of TSO is SOBER's.
    pub(super) fn new(program: &Program, models: &[Model], sober: bool) -> Monitors {
        let (threads, locations) = (program.threads.len(), program.locations.len());
        let new = |&model| {
            if sober && model == Model::TSO {
                Watcher::Sober(Sober::new(threads, locations))
            } else {
                Watcher::Operational(Monitor::new(model, threads, locations))
            }
        };
        Monitors { monitors: models.iter().map(new).collect() }
    }

    /// Passes an event of the run, with this index, to the monitors.
    pub(super) fn step(&mut self, number: usize, event: &Event, found: &mut dyn FnMut(Signal)) {
        let seen =
            monitor::Event { thread: event.thread, kind: event.kind, location: event.location };
        for (monitor, watching) in self.monitors.iter_mut().enumerate() {
            let store = match watching {
                Watcher::Operational(monitor) => monitor.step(seen),
                Watcher::Sober(sober) => sober.step(seen),
            };
            if let Some(store) = store {
                found(Signal { monitor, event: number, store: store as usize });
            }
        }
    }
}
