//! The last steps for each cache line, so that a crash can be explained when its message comes.
//!
//! Which line that will be is known at the end only, and standard input is read once. So of each line the last steps are kept, and
//! what every controller did with it last; of lines, those that were touched last and those with an unanswered request.
//! Memory is bounded: by lines, by steps of a line, and by controllers of a line.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::raw::RawLines;
use crate::ending::{LastStep, Stall, StalledEvent, Standing, StepKind};
use crate::transitions::Names;

/// Steps of a line that are kept.
pub(crate) const STEPS_OF_LINE: usize = 24;
/// Lines that are kept; twice as many may be there for a while.
const LINES: usize = 2048;
/// Controllers whose state for a line is kept.
const CONTROLLERS_OF_LINE: usize = 256;
/// Different events that wait at a controller, and are kept.
const STALLED_EVENTS: usize = 4;
/// Names of buffers and messages that are kept.
const TEXTS: usize = 1 << 14;

/// A controller: the id of its type's name, and its number.
type Controller = (u16, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Transition(Names, Option<Stall>),
    /// The texts of a buffer and of a message.
    Message(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Step {
    tick: u64,
    line: u64,
    address: u64,
    version: u32,
    what: What,
    count: u64,
    last_tick: u64,
}

impl Step {
    fn controller(&self) -> Option<Controller> {
        match self.what {
            What::Transition(names, _) => Some((names.machine, self.version)),
            What::Message(..) => None,
        }
    }

    fn is_stall(&self) -> bool {
        matches!(self.what, What::Transition(_, Some(_)))
    }

    /// Whether the same thing may happen again and again: a stall, or a message that is looked at again.
    fn repeats(&self) -> bool {
        match self.what {
            What::Transition(names, stall) => stall.is_some() || names.state == names.next_state,
            What::Message(..) => false,
        }
    }
}

/// Steps, of which the oldest are dropped.
#[derive(Debug, Default)]
struct Ring(VecDeque<Step>);

impl Ring {
    /// Adds a step, or counts it where its controller did the same before it. A transition that was taken is counted only if no
    /// controller has left its state since, so that the order of what happened stays.
    fn push(&mut self, step: Step) {
        if step.repeats() {
            let of_same =
                |it: &&mut Step| it.controller() == step.controller() && it.address == step.address;
            let mut before = self.0.iter_mut().rev();
            let last = match step.is_stall() {
                true => before.find(of_same),
                false => before.take_while(|it| it.repeats()).find(of_same),
            };
            if let Some(last) = last.filter(|last| last.what == step.what) {
                last.count += 1;
                last.last_tick = step.tick;
                return;
            }
        }
        if self.0.len() == STEPS_OF_LINE {
            self.0.pop_front();
        }
        self.0.push_back(step);
    }
}

/// What a controller did last with a line.
#[derive(Clone, Debug)]
struct Last {
    controller: Controller,
    state: u16,
    /// Tick, trace line and event of the last transition.
    entered: Option<(u64, u64, u16)>,
    stalled: Vec<StalledStep>,
}

#[derive(Clone, Debug)]
struct StalledStep {
    event: u16,
    stall: Stall,
    count: u64,
    first_tick: u64,
    last_tick: u64,
}

#[derive(Debug, Default)]
struct CacheLine {
    steps: Ring,
    controllers: Vec<Last>,
    /// Requests without an answer.
    requests: u32,
    /// The line of the trace that touched it last.
    touched: u64,
}

/// The last steps of all lines.
#[derive(Debug, Default)]
pub(crate) struct LastSteps {
    lines: FxHashMap<u64, CacheLine>,
    /// The last transitions of all lines.
    all: Ring,
    /// Names of buffers and messages.
    texts: Vec<Box<str>>,
    text_ids: FxHashMap<Box<str>, u32>,
    /// Whether messages were seen at all.
    pub messages: bool,
}

impl LastSteps {
    fn line(&mut self, address: u64, number: u64) -> &mut CacheLine {
        if self.lines.len() >= 2 * LINES && !self.lines.contains_key(&address) {
            self.forget();
        }
        let line = self.lines.entry(address).or_default();
        line.touched = number;
        line
    }

    /// Drops the lines that were not touched for longest. Those with a request stay unless there are too many of them, too.
    fn forget(&mut self) {
        let mut touched: Vec<u64> = self.lines.values().map(|line| line.touched).collect();
        touched.sort_unstable();
        let bound = touched[touched.len() - LINES];
        self.lines.retain(|_, line| line.touched >= bound || line.requests > 0);
        if self.lines.len() > 2 * LINES - LINES / 2 {
            self.lines.retain(|_, line| line.touched >= bound);
        }
    }

    /// A sequencer begins a request for a line.
    pub(crate) fn begin(&mut self, address: u64, number: u64) {
        self.line(address, number).requests += 1;
    }

    /// A sequencer has its answer.
    pub(crate) fn done(&mut self, address: u64) {
        if let Some(line) = self.lines.get_mut(&address) {
            line.requests = line.requests.saturating_sub(1);
        }
    }

    /// A controller takes a transition, or waits with it.
    pub(crate) fn transition(
        &mut self,
        (tick, number): (u64, u64),
        version: u32,
        address: u64,
        names: Names,
        stall: Option<Stall>,
    ) {
        let step = Step {
            tick,
            line: number,
            address,
            version,
            what: What::Transition(names, stall),
            count: 1,
            last_tick: tick,
        };
        if stall.is_none() {
            self.all.push(step);
        }
        let line = self.line(address, number);
        line.steps.push(step);
        line.note(step, names, stall);
    }

    /// A message enters a buffer.
    pub(crate) fn message(
        &mut self,
        (tick, number): (u64, u64),
        address: u64,
        buffer: &str,
        message: &str,
    ) {
        self.messages = true;
        let (Some(buffer), Some(message)) = (self.text(buffer), self.text(message)) else {
            return;
        };
        let step = Step {
            tick,
            line: number,
            address,
            version: 0,
            what: What::Message(buffer, message),
            count: 1,
            last_tick: tick,
        };
        self.line(address, number).steps.push(step);
    }

    fn text(&mut self, text: &str) -> Option<u32> {
        if let Some(&id) = self.text_ids.get(text) {
            return Some(id);
        }
        if self.texts.len() >= TEXTS {
            return None;
        }
        let id = self.texts.len() as u32;
        self.texts.push(text.into());
        self.text_ids.insert(text.into(), id);
        Some(id)
    }

    /// The steps for a line, the oldest first.
    pub(crate) fn steps(&self, address: u64, names: &RawLines) -> Vec<LastStep> {
        let line = self.lines.get(&address);
        line.map_or(Vec::new(), |line| self.described(&line.steps, names))
    }

    /// The last transitions of all lines, the oldest first.
    pub(crate) fn last(&self, names: &RawLines) -> Vec<LastStep> {
        self.described(&self.all, names)
    }

    /// Whether something is known of a line.
    pub(crate) fn knows(&self, address: u64) -> bool {
        self.lines.get(&address).is_some_and(|line| !line.steps.0.is_empty())
    }

    /// What controllers are doing with a line: those where something waits first, then those that changed last.
    pub(crate) fn standing(&self, address: u64, names: &RawLines) -> Vec<Standing> {
        let Some(line) = self.lines.get(&address) else {
            return Vec::new();
        };
        let mut controllers: Vec<&Last> = line.controllers.iter().collect();
        controllers.sort_by_key(|last| {
            let entered = last.entered.map_or(0, |(_, line, _)| line);
            (last.stalled.is_empty(), std::cmp::Reverse(entered))
        });
        let name = |id| names.transitions.name(id).to_owned();
        let standing = |last: &Last| Standing {
            machine: name(last.controller.0),
            version: last.controller.1,
            state: name(last.state),
            since: last.entered.map(|(tick, _, _)| tick),
            line: last.entered.map(|(_, line, _)| line),
            after: last.entered.map(|(_, _, event)| name(event)),
            stalled: last
                .stalled
                .iter()
                .map(|it| StalledEvent {
                    event: name(it.event),
                    stall: it.stall,
                    count: it.count,
                    first_tick: it.first_tick,
                    last_tick: it.last_tick,
                })
                .collect(),
        };
        controllers.into_iter().map(standing).collect()
    }

    fn described(&self, steps: &Ring, names: &RawLines) -> Vec<LastStep> {
        let name = |id| names.transitions.name(id).to_owned();
        let text = |id: u32| self.texts.get(id as usize).map_or("", |text| text).to_owned();
        let what = |step: &Step| match step.what {
            What::Transition(names, stall) => StepKind::Transition {
                machine: name(names.machine),
                version: step.version,
                event: name(names.event),
                state: name(names.state),
                next_state: name(names.next_state),
                stall,
            },
            What::Message(buffer, message) => {
                StepKind::Message { buffer: text(buffer), message: text(message) }
            }
        };
        let steps = steps.0.iter();
        steps
            .map(|step| LastStep {
                tick: step.tick,
                line: step.line,
                address: step.address,
                what: what(step),
                count: step.count,
                last_tick: step.last_tick,
            })
            .collect()
    }
}

impl CacheLine {
    /// Remembers what a controller did last.
    fn note(&mut self, step: Step, names: Names, stall: Option<Stall>) {
        let controller = (names.machine, step.version);
        let known = self.controllers.iter_mut().position(|it| it.controller == controller);
        let at = match known {
            Some(at) => at,
            None if self.controllers.len() == CONTROLLERS_OF_LINE => return,
            None => {
                self.controllers.push(Last {
                    controller,
                    state: names.state,
                    entered: None,
                    stalled: Vec::new(),
                });
                self.controllers.len() - 1
            }
        };
        let last = &mut self.controllers[at];
        let Some(stall) = stall else {
            // A transition that stays in its state does not begin a new stay, but whatever waited was looked at.
            if last.entered.is_none() || names.state != names.next_state {
                last.entered = Some((step.tick, step.line, names.event));
            }
            last.state = names.next_state;
            last.stalled.retain(|it| it.event != names.event && names.state == names.next_state);
            return;
        };
        last.stall(names.event, stall, step.tick);
    }
}

impl Last {
    fn stall(&mut self, event: u16, stall: Stall, tick: u64) {
        let known = |it: &StalledStep| it.event == event && it.stall == stall;
        if let Some(at) = self.stalled.iter().position(known) {
            let it = &mut self.stalled[at];
            it.count += 1;
            it.last_tick = tick;
        } else if self.stalled.len() < STALLED_EVENTS {
            self.stalled.push(StalledStep {
                event,
                stall,
                count: 1,
                first_tick: tick,
                last_tick: tick,
            });
        }
    }
}

#[cfg(test)]
mod tests;
