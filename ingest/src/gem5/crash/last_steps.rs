//! [`LastSteps`]: the last steps for each cache line, so that a crash can be explained when its message comes.
//!
//! The line that a crash is about is known only at the end, and standard input can be read only once. So the last steps
//! of each line are kept, with the last transition of each controller for it. Lines are kept if they were touched
//! recently or have an unanswered request. Memory is bounded by the numbers of lines, of steps of a line, and of
//! controllers of a line.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::ending::{ControllerStatus, LastStep, Stall, StalledEvent, StepKind};
use crate::transitions::{Names, Transitions};

/// Number of steps that are kept of each line.
pub(crate) const STEPS_PER_LINE: usize = 24;
/// Number of lines that are kept. Lines are dropped when there are twice as many.
const KEPT_LINES: usize = 2048;
/// Number of controllers whose state is kept for each line.
const CONTROLLERS_PER_LINE: usize = 256;
/// Number of different stalled events that are kept of each controller.
const STALLED_EVENTS_PER_CONTROLLER: usize = 4;
/// Number of names of buffers and messages that are kept.
const KEPT_NAMES: usize = 1 << 14;

/// A controller: the id of the name of its type, and its number.
type Controller = (u16, u32);

/// The kind of a step, with ids of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepDetail {
    Transition(Names, Option<Stall>),
    /// Ids of the names of a buffer and a message.
    Message(u32, u32),
}

/// A transition or a message for a cache line, with its repetitions.
#[derive(Clone, Copy, Debug)]
struct Step {
    tick: u64,
    line: u64,
    address: u64,
    version: u32,
    what: StepDetail,
    count: u64,
    last_tick: u64,
}

impl Step {
    fn controller(&self) -> Option<Controller> {
        match self.what {
            StepDetail::Transition(names, _) => Some((names.machine, self.version)),
            StepDetail::Message(..) => None,
        }
    }

    fn is_stall(&self) -> bool {
        matches!(self.what, StepDetail::Transition(_, Some(_)))
    }

    /// Whether the step may occur many times in a row: a stall, or a transition that stays in its state.
    fn repeats(&self) -> bool {
        match self.what {
            StepDetail::Transition(names, stall) => {
                stall.is_some() || names.state == names.next_state
            }
            StepDetail::Message(..) => false,
        }
    }

    fn is_message(&self) -> bool {
        matches!(self.what, StepDetail::Message(..))
    }
}

/// The last [`STEPS_PER_LINE`] steps; older ones are dropped.
#[derive(Debug, Default)]
struct Ring(VecDeque<Step>);

impl Ring {
    /// Adds a step, or counts it as a repetition of an earlier one.
    fn push(&mut self, step: Step) {
        if let Some(same) = self.same_again(step) {
            same.count += 1;
            same.last_tick = step.tick;
            return;
        }
        if self.0.len() == STEPS_PER_LINE {
            self.0.pop_front();
        }
        self.0.push_back(step);
    }

    /// The earlier step that this one repeats, if there is one. A stall, or a transition that keeps its state, repeats
    /// the last step of its controller. A message repeats the same message in the same buffer, since the messages of a
    /// locked line return to their buffers every few cycles. Steps on both sides of a change of state are not merged,
    /// so that the order of events is kept; stalls are, since their controller has not changed its state.
    fn same_again(&mut self, step: Step) -> Option<&mut Step> {
        let mut before = self.0.iter_mut().rev().filter(|it| it.address == step.address);
        let of_same = |it: &&mut Step| it.controller() == step.controller();
        let last = if step.is_message() {
            before.take_while(|it| it.is_message() || it.repeats()).find(|it| it.what == step.what)
        } else if step.is_stall() {
            before.find(of_same)
        } else if step.repeats() {
            before.take_while(|it| it.repeats()).find(of_same)
        } else {
            None
        };
        last.filter(|last| last.what == step.what)
    }
}

/// The state of a controller for a line, with its last transition.
#[derive(Clone, Debug)]
struct TrackedController {
    controller: Controller,
    state: u16,
    /// Tick, trace line and event of the last transition.
    entered: Option<(u64, u64, u16)>,
    stalled: Vec<StalledStep>,
}

/// An event that a controller stalled, with its repetitions.
#[derive(Clone, Debug)]
struct StalledStep {
    event: u16,
    stall: Stall,
    count: u64,
    first_tick: u64,
    last_tick: u64,
}

/// The steps and controllers of a cache line.
#[derive(Debug, Default)]
struct CacheLine {
    steps: Ring,
    controllers: Vec<TrackedController>,
    /// Number of requests that have no answer yet.
    requests: u32,
    /// The last trace line about the cache line.
    touched: u64,
}

/// The last steps of all lines.
#[derive(Debug, Default)]
pub(crate) struct LastSteps {
    lines: FxHashMap<u64, CacheLine>,
    /// The last transitions of all lines.
    all: Ring,
    /// Names of buffers and messages, by id.
    texts: Vec<Box<str>>,
    text_ids: FxHashMap<Box<str>, u32>,
    /// Whether the trace shows messages.
    pub messages: bool,
}

impl LastSteps {
    fn line(&mut self, address: u64, number: u64) -> &mut CacheLine {
        if self.lines.len() >= 2 * KEPT_LINES && !self.lines.contains_key(&address) {
            self.forget();
        }
        let line = self.lines.entry(address).or_default();
        line.touched = number;
        line
    }

    /// Drops the lines that were touched least recently. Lines with an unanswered request are kept, unless there are
    /// too many of them as well.
    fn forget(&mut self) {
        let mut touched: Vec<u64> = self.lines.values().map(|line| line.touched).collect();
        touched.sort_unstable();
        let bound = touched[touched.len() - KEPT_LINES];
        self.lines.retain(|_, line| line.touched >= bound || line.requests > 0);
        if self.lines.len() > 2 * KEPT_LINES - KEPT_LINES / 2 {
            self.lines.retain(|_, line| line.touched >= bound);
        }
    }

    /// Notes that a sequencer begins a request for a line.
    pub(crate) fn begin(&mut self, address: u64, number: u64) {
        self.line(address, number).requests += 1;
    }

    /// Notes that a request of a sequencer for a line is answered.
    pub(crate) fn done(&mut self, address: u64) {
        if let Some(line) = self.lines.get_mut(&address) {
            line.requests = line.requests.saturating_sub(1);
        }
    }

    /// Notes a transition that a controller takes, or that is stalled.
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
            what: StepDetail::Transition(names, stall),
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

    /// Notes a message that enters a buffer.
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
            what: StepDetail::Message(buffer, message),
            count: 1,
            last_tick: tick,
        };
        self.line(address, number).steps.push(step);
    }

    fn text(&mut self, text: &str) -> Option<u32> {
        if let Some(&id) = self.text_ids.get(text) {
            return Some(id);
        }
        if self.texts.len() >= KEPT_NAMES {
            return None;
        }
        let id = self.texts.len() as u32;
        self.texts.push(text.into());
        self.text_ids.insert(text.into(), id);
        Some(id)
    }

    /// The steps for a line, the oldest first.
    pub(crate) fn steps(&self, address: u64, names: &Transitions) -> Vec<LastStep> {
        let line = self.lines.get(&address);
        line.map_or(Vec::new(), |line| self.described(&line.steps, names))
    }

    /// The last transitions of all lines, the oldest first.
    pub(crate) fn last(&self, names: &Transitions) -> Vec<LastStep> {
        self.described(&self.all, names)
    }

    /// Whether a controller of this type has had a transition for one of the lines.
    pub(crate) fn has_machine(&self, machine: &str, names: &Transitions) -> bool {
        let mut controllers = self.lines.values().flat_map(|line| &line.controllers);
        controllers.any(|one| names.name(one.controller.0) == machine)
    }

    /// Whether there are steps for a line.
    pub(crate) fn knows(&self, address: u64) -> bool {
        self.lines.get(&address).is_some_and(|line| !line.steps.0.is_empty())
    }

    /// The states of the controllers for a line: first those with stalled events, then those whose state changed last.
    pub(crate) fn standing(&self, address: u64, names: &Transitions) -> Vec<ControllerStatus> {
        let Some(line) = self.lines.get(&address) else {
            return Vec::new();
        };
        let mut controllers: Vec<&TrackedController> = line.controllers.iter().collect();
        controllers.sort_by_key(|last| {
            let entered = last.entered.map_or(0, |(_, line, _)| line);
            (last.stalled.is_empty(), std::cmp::Reverse(entered))
        });
        let name = |id| names.name(id).to_owned();
        let standing = |last: &TrackedController| ControllerStatus {
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

    fn described(&self, steps: &Ring, names: &Transitions) -> Vec<LastStep> {
        let name = |id| names.name(id).to_owned();
        let text = |id: u32| self.texts.get(id as usize).map_or("", |text| text).to_owned();
        let what = |step: &Step| match step.what {
            StepDetail::Transition(names, stall) => StepKind::Transition {
                machine: name(names.machine),
                version: step.version,
                event: name(names.event),
                state: name(names.state),
                next_state: name(names.next_state),
                stall,
            },
            StepDetail::Message(buffer, message) => {
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
    /// Notes the last step of a controller.
    fn note(&mut self, step: Step, names: Names, stall: Option<Stall>) {
        let controller = (names.machine, step.version);
        let known = self.controllers.iter_mut().position(|it| it.controller == controller);
        let at = match known {
            Some(at) => at,
            None if self.controllers.len() == CONTROLLERS_PER_LINE => return,
            None => {
                self.controllers.push(TrackedController {
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
            // A transition that keeps the state does not change the tick of entry, but its event is no longer stalled.
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

impl TrackedController {
    fn stall(&mut self, event: u16, stall: Stall, tick: u64) {
        let known = |it: &StalledStep| it.event == event && it.stall == stall;
        if let Some(at) = self.stalled.iter().position(known) {
            let it = &mut self.stalled[at];
            it.count += 1;
            it.last_tick = tick;
        } else if self.stalled.len() < STALLED_EVENTS_PER_CONTROLLER {
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
