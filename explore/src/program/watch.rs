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
        Watch {
            monitors: models.iter().map(new).collect(),
        }
    }

    /// A step of the run: its events, the first of which has this number.
    pub fn step(&mut self, first: usize, events: &[Event], found: &mut dyn FnMut(Signal)) {
        let seen: Vec<monitor::Event> = events.iter().map(seen).collect();
        for (number, monitor) in self.monitors.iter_mut().enumerate() {
            monitor.step_together(&seen, &mut |at, store| {
                found(Signal {
                    monitor: number,
                    event: first + at,
                    store: store as usize,
                });
            });
        }
    }
}

fn seen(event: &Event) -> monitor::Event {
    monitor::Event {
        thread: event.thread,
        kind: event.kind,
        location: event.location,
    }
}
