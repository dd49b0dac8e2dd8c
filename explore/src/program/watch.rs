//! Monitors that watch a run.

use check::Model;

use super::compile::Program;
use super::machine::Event;
use crate::monitor::{self, Monitor};

/// A monitor for each model, in the middle of a run.
#[derive(Clone, Debug)]
pub struct Watch {
    monitors: Vec<Monitor>,
}

/// That an event may come before a store of another thread that is before it in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The number of the monitor.
    pub monitor: usize,
    /// The number of the event in the run.
    pub event: usize,
    /// The number of the store that may be delayed.
    pub store: usize,
}

impl Watch {
    /// Monitors for these models, before the first event.
    pub fn new(program: &Program, models: &[Model]) -> Watch {
        let (threads, locations) = (program.threads.len(), program.locations.len());
        let new = |&model| Monitor::new(model, threads, locations);
        Watch { monitors: models.iter().map(new).collect() }
    }

    /// A step of the run: the event of this number.
    pub fn step(&mut self, number: usize, event: &Event, found: &mut dyn FnMut(Signal)) {
        let seen =
            monitor::Event { thread: event.thread, kind: event.kind, location: event.location };
        for (monitor, watching) in self.monitors.iter_mut().enumerate() {
            if let Some(store) = watching.step(seen) {
                found(Signal { monitor, event: number, store: store as usize });
            }
        }
    }
}
