//! The last actions of controllers for a line, as signals between them, from which a message-sequence chart of a fault is
//! drawn.

use super::stepping::{Party, Signal};
use super::{MOST_RECORDED, RecordedEvent, System};

/// The most transitions that change the state, and messages, that are shown.
const MOST_SHOWN: usize = 60;
/// The most transitions that keep the state. They are shown because one of them may be the fault, but requests that hit
/// or wait must not hide other transitions.
const MOST_UNCHANGED: usize = 24;

/// A message that was sent, with the place and time of its arrival. The last ones are kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    /// The number of the event that records its sending.
    event: usize,
    /// The buffer to which it goes.
    buffer: u32,
    arrival: u64,
}

/// The signals of one party at a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedStep {
    /// Simulated time, in ticks.
    pub tick: u64,
    /// The signals, in order.
    pub signals: Vec<Signal>,
}

/// The last actions of controllers for a line, as steps of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// All parties of the chart, with their names: the controllers and memory.
    pub parties: Vec<(Party, String)>,
    /// The steps, the oldest first.
    pub steps: Vec<PlayedStep>,
}

impl System {
    /// Records that the message which was noted last goes to a buffer.
    #[inline]
    pub(super) fn note_delivery(&mut self, buffer: u32, arrival: u64) {
        if self.is_watched {
            // Explorations describe their moves in another way.
            return;
        }
        let delivery = Delivery { event: self.happened.wrapping_sub(1), buffer, arrival };
        match self.deliveries.get_mut(self.delivered % MOST_RECORDED) {
            Some(oldest) => *oldest = delivery,
            None => self.deliveries.push(delivery),
        }
        self.delivered += 1;
    }

    /// The last transitions and messages for the line of an address.
    pub(crate) fn played(&self, address: u64) -> Played {
        let mut shown = self.last_of(self.line_of(address));
        shown.reverse();
        // A message arrives before what it leads to at the same tick, and a transition comes before what it sends.
        let mut signals: Vec<(u64, u8, Party, Signal)> = Vec::new();
        for number in shown {
            let event = self.event(number);
            let at = Party::Controller(event.controller as usize);
            if event.is_message {
                self.delivered_of(number, at, &mut signals);
            } else {
                signals.push((event.tick, 1, at, self.change(event)));
            }
        }
        signals.sort_by_key(|(tick, rank, party, _)| (*tick, *party, *rank));
        let mut steps: Vec<(Party, PlayedStep)> = Vec::new();
        for (tick, _, at, signal) in signals {
            match steps.last_mut() {
                Some((party, step)) if (*party, step.tick) == (at, tick) => {
                    step.signals.push(signal);
                }
                _ => steps.push((at, PlayedStep { tick, signals: vec![signal] })),
            }
        }
        let steps = steps.into_iter().map(|(_, step)| step).collect();
        Played { parties: self.all_parties(), steps }
    }

    /// The numbers of the last events of a line that are shown, the newest first.
    fn last_of(&self, line: u64) -> Vec<usize> {
        let count = self.happened.min(MOST_RECORDED);
        let numbers = (1..=count).map(|back| self.happened - back);
        let (mut shown, mut unchanged) = (Vec::new(), 0);
        for number in numbers.filter(|number| self.line_of(self.event(*number).address) == line) {
            if self.changes_nothing(self.event(number)) {
                unchanged += 1;
                if unchanged > MOST_UNCHANGED {
                    continue;
                }
            } else if shown.len() - unchanged.min(MOST_UNCHANGED) == MOST_SHOWN {
                break;
            }
            shown.push(number);
        }
        shown
    }

    /// The recorded event with a number, which must be one of the last.
    pub(super) fn event(&self, number: usize) -> &RecordedEvent {
        &self.happenings[number % MOST_RECORDED]
    }

    /// Whether the message that an event sends goes to this controller alone.
    pub(super) fn goes_only_to(&self, number: usize, controller: usize) -> bool {
        let mut receivers = self
            .deliveries
            .iter()
            .filter(|one| one.event == number)
            .map(|one| self.consumers[one.buffer as usize] as usize)
            .peekable();
        receivers.peek().is_some() && receivers.all(|receiver| receiver == controller)
    }

    /// Adds the signals of a message: its sending, and those of its arrivals that are past.
    fn delivered_of(
        &self,
        number: usize,
        from: Party,
        signals: &mut Vec<(u64, u8, Party, Signal)>,
    ) {
        let event = self.event(number);
        let message = format!("{} for {:#x}", self.sent_name(event), event.address);
        for one in self.deliveries.iter().filter(|one| one.event == number) {
            let consumer = self.consumers[one.buffer as usize] as usize;
            let is_memory = self.controllers[consumer].requests_to_memory == Some(one.buffer);
            let to = if is_memory { Party::Memory } else { Party::Controller(consumer) };
            let sends =
                Signal::Sends { from, to, message: message.clone(), content: number as u64 };
            signals.push((event.tick, 2, from, sends));
            if one.arrival <= self.now {
                let arrives =
                    Signal::Arrives { at: to, message: message.clone(), content: number as u64 };
                signals.push((one.arrival, 0, to, arrives));
            }
        }
    }

    /// The value of the `Type` field of a message, or else the name of its type: `GETX`.
    fn sent_name(&self, event: &RecordedEvent) -> String {
        let name = self.message_name(event.what as usize, event.kind);
        name.split_once(' ').map_or(name.clone(), |(_, kind)| kind.to_owned())
    }

    fn change(&self, event: &RecordedEvent) -> Signal {
        let controller = event.controller as usize;
        let machine = &self.program.machines[self.controllers[controller].machine];
        let transition = &machine.transitions[event.what as usize];
        let after = machine.states.get(usize::from(event.after)).map_or("?", |state| state);
        Signal::Changes {
            at: Party::Controller(controller),
            machine: machine.name.to_string(),
            event: machine.events[usize::from(transition.event)].to_string(),
            states: (machine.states[usize::from(transition.state)].to_string(), after.to_owned()),
            line: format!("{:#x}", event.address),
            again: match event.repeated {
                0 => String::new(),
                more => format!("{} times to tick {}", more + 1, event.until),
            },
        }
    }

    fn all_parties(&self) -> Vec<(Party, String)> {
        let controllers = self.controllers.iter().enumerate();
        let controllers = controllers
            .map(|(number, controller)| (Party::Controller(number), self.name_of(controller)));
        controllers.chain([(Party::Memory, "memory".to_owned())]).collect()
    }
}
