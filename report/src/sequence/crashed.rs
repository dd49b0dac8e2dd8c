//! Charts the last steps of a run before it crashed, as far as its trace shows them for the cache line of the crash.
//!
//! gem5 prints which buffer a message enters, and not where it comes from. If a message enters buffers of two
//! controllers with the same words, the first controller is taken for its sender and the second for its receiver. If
//! already the first buffer is one that receives messages, the message was sent before the first step.

use history::Crash;
use ingest::Ending;
use ingest::ending::{LastStep, StepKind};

use super::{Chart, Event, Step};

/// Makes a chart of the last steps before a crash, with a column for each controller; `None` if the trace shows no
/// steps. The title says how the run crashed, and the line below it names the run.
pub fn crashed(name: &str, crash: &Crash, ending: &Ending) -> Option<Chart> {
    let (first, last) = (ending.steps.first()?, ending.steps.last()?);
    let mut parties = Parties::of(crash, ending);
    let mut steps = steps(&ending.steps, &mut parties);
    let end = failing(crash, &mut parties);
    steps.extend(end.map(|event| Step { events: vec![event], tick: crash.tick, line: None }));
    let ticks =
        format!("{name}: {}, from tick {} to {}", ending.title(), first.tick, last.last_tick);
    let wrong = Some(crash.headline());
    Some(Chart {
        title: crash.finding(),
        lead: vec![ticks],
        parties: parties.names,
        steps,
        notes: ending.missing.clone(),
        wrong,
        ..Chart::default()
    })
}

/// The controllers of the chart, a column each.
struct Parties {
    names: Vec<String>,
    /// The types of the controllers that are named by transitions and by the crash.
    machines: Vec<String>,
}

impl Parties {
    fn of(crash: &Crash, ending: &Ending) -> Parties {
        let of_step = |step: &LastStep| match &step.what {
            StepKind::Transition { machine, .. } => Some(machine.clone()),
            StepKind::Message { .. } => None,
        };
        let mut machines: Vec<String> = ending.steps.iter().filter_map(of_step).collect();
        machines.extend(crash.machine.clone());
        Parties { names: Vec::new(), machines }
    }

    /// Returns the column with a name, which is added if it is new.
    fn column(&mut self, name: String) -> usize {
        let known = self.names.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// Returns the column of the controller that has a buffer: `system.ruby.l1_cntrl0.requestFromCache` belongs to
    /// `L1Cache 0` by the names that gem5's scripts give to controllers. A controller with another name keeps it.
    fn owner(&mut self, buffer: &str) -> usize {
        let path = buffer.rsplit_once('.').map_or(buffer, |(path, _)| path);
        let controller = self.controller(path);
        self.column(controller.unwrap_or_else(|| inside_ruby(path).to_owned()))
    }

    /// Returns the controller to which gem5's scripts give a name: `L1Cache 0` for `system.ruby.l1_cntrl0`.
    fn controller(&self, object: &str) -> Option<String> {
        let (prefix, version) = inside_ruby(object).split_once("_cntrl")?;
        let version: u32 = version.parse().ok()?;
        let machine = self.machines.iter().find(|machine| is_short_for(prefix, machine))?;
        Some(format!("{machine} {version}"))
    }
}

/// Returns the name of an object without the prefixes `system.` and `ruby.`.
fn inside_ruby(object: &str) -> &str {
    let object = object.strip_prefix("system.").unwrap_or(object);
    object.strip_prefix("ruby.").unwrap_or(object)
}

/// Whether a prefix of an object's name abbreviates a type of controllers, by its first letters or its capitals: `dir`
/// for `Directory`, `cp` for `CorePair`.
fn is_short_for(prefix: &str, machine: &str) -> bool {
    let capitals: String = machine.chars().filter(char::is_ascii_uppercase).collect();
    machine.to_ascii_lowercase().starts_with(prefix) || capitals.to_ascii_lowercase() == prefix
}

/// A message that was sent: the step and the column from which it was sent, its words, and the steps in which it
/// arrives, each with a column.
struct Sent<'s> {
    step: usize,
    words: &'s str,
    from: usize,
    arrives: Vec<(usize, usize)>,
}

/// Collects the messages among some steps. A message that enters a buffer arrives from the controller that sent these
/// words last, unless such a message from there has arrived already.
fn messages<'s>(all: &'s [LastStep], parties: &mut Parties) -> Vec<Sent<'s>> {
    let mut sent: Vec<Sent<'s>> = Vec::new();
    for (step, one) in all.iter().enumerate() {
        let StepKind::Message { buffer, message: words } = &one.what else { continue };
        let at = parties.owner(buffer);
        let comes_from = |sent: &&mut Sent<'_>| {
            sent.words == words && sent.from != at && sent.arrives.iter().all(|(_, to)| *to != at)
        };
        match sent.iter_mut().rev().find(comes_from) {
            Some(sent) => sent.arrives.push((step, at)),
            None if receives(buffer) => {}
            None => sent.push(Sent { step, words, from: at, arrives: Vec::new() }),
        }
    }
    sent
}

/// Whether a buffer is named like one that receives messages, such as `responseToL1Cache`.
fn receives(buffer: &str) -> bool {
    let name = buffer.rsplit('.').next().unwrap_or(buffer);
    let (before, after) = name.split_once("To").unwrap_or_default();
    !before.is_empty() && after.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Returns the steps of the chart. The events of one controller at a tick are one step, but each arrival of a message
/// begins a new one.
fn steps(all: &[LastStep], parties: &mut Parties) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut before = None;
    // The columns of transitions come first, in the order in which they act.
    let columns: Vec<usize> = all.iter().map(|one| column(one, parties)).collect();
    let sent = messages(all, parties);
    for (number, one) in all.iter().enumerate() {
        let at = columns[number];
        let events = events(number, one, at, &sent);
        let is_arrival = matches!(events.first(), Some(Event::Arrived { .. }));
        match steps.last_mut() {
            Some(step) if before == Some((at, one.tick)) && !is_arrival => {
                step.events.extend(events)
            }
            _ => steps.push(Step { events, tick: Some(one.tick), line: Some(one.line) }),
        }
        before = Some((at, one.last_tick));
    }
    // gem5 prints the messages of a transition before the transition itself.
    for step in &mut steps {
        step.events.sort_by_key(|event| matches!(event, Event::Sent { .. }));
    }
    steps
}

/// Returns the column of a step.
fn column(one: &LastStep, parties: &mut Parties) -> usize {
    match &one.what {
        StepKind::Transition { machine, version, .. } => {
            parties.column(format!("{machine} {version}"))
        }
        StepKind::Message { buffer, .. } => parties.owner(buffer),
    }
}

/// Returns the events of a step.
fn events(number: usize, one: &LastStep, at: usize, sent: &[Sent<'_>]) -> Vec<Event> {
    let again = match one.count {
        1 => String::new(),
        count => format!("{count} times to tick {}", one.last_tick),
    };
    let more = if again.is_empty() { String::new() } else { format!(", {again}") };
    match &one.what {
        StepKind::Transition { event, state, next_state, stall: None, .. } => vec![Event::State {
            at,
            event: event.clone(),
            states: (state.clone(), next_state.clone()),
            of: format!("{:#x}", one.address),
            again,
        }],
        StepKind::Transition { event, state, stall: Some(_), .. } => {
            vec![Event::Note { at, what: format!("{event} stalls in {state}{more}") }]
        }
        StepKind::Message { buffer, message } => {
            let what = brief(message);
            if sent.iter().any(|one| one.arrives.iter().any(|(step, _)| *step == number)) {
                return vec![Event::Arrived { at, what, content: 0 }];
            }
            let own = sent.iter().find(|one| one.step == number);
            match own.filter(|one| !one.arrives.is_empty()) {
                Some(one) => {
                    let sent = |&(_, to): &(usize, usize)| Event::Sent {
                        from: one.from,
                        to,
                        what: what.clone(),
                        content: 0,
                    };
                    one.arrives.iter().map(sent).collect()
                }
                None => {
                    let name = buffer.rsplit('.').next().unwrap_or(buffer);
                    vec![Event::Note { at, what: format!("{what} enters {name}{more}") }]
                }
            }
        }
    }
}

/// Returns a message without its type, such as `GETX for L1Cache-0`.
fn brief(message: &str) -> String {
    let says_more = |rest: &&str| !rest.starts_with("for ") && !rest.starts_with("from ");
    let rest = message.split_once(' ').map(|(_, rest)| rest).filter(says_more);
    rest.unwrap_or(message).to_owned()
}

/// Returns the event that the crash reports, at the controller in which it happened.
fn failing(crash: &Crash, parties: &mut Parties) -> Option<Event> {
    let name = match (&crash.machine, crash.version, &crash.object) {
        (Some(machine), Some(version), _) => format!("{machine} {version}"),
        // A message whose first line is lost does not name the type of the controller.
        (_, _, Some(object)) => parties.controller(object)?,
        _ => return None,
    };
    let at = parties.column(name);
    let what = match (&crash.event, &crash.state) {
        (Some(event), Some(state)) => format!("{event} in {state}: {}", crash.kind),
        _ => crash.kind.to_string(),
    };
    Some(Event::Note { at, what })
}

#[cfg(test)]
mod tests {
    use history::CrashKind;

    use super::*;
    use crate::sequence::{svg, text};

    fn step(tick: u64, what: StepKind) -> LastStep {
        LastStep { tick, line: tick, address: 0x1000, what, count: 1, last_tick: tick }
    }

    fn transition(machine: &str, version: u32, event: &str, states: (&str, &str)) -> StepKind {
        StepKind::Transition {
            machine: machine.to_owned(),
            version,
            event: event.to_owned(),
            state: states.0.to_owned(),
            next_state: states.1.to_owned(),
            stall: None,
        }
    }

    fn message(buffer: &str, message: &str) -> StepKind {
        let buffer = format!("system.ruby.{buffer}");
        StepKind::Message { buffer, message: message.to_owned() }
    }

    fn forwarded() -> Ending {
        let getx = "RequestMsg GETX for L1Cache-0";
        let steps = vec![
            step(5, message("l1_cntrl0.mandatoryQueue", "RubyRequest ST")),
            step(6, message("l1_cntrl0.requestFromCache", getx)),
            step(6, transition("L1Cache", 0, "Store", ("I", "IM"))),
            step(9, message("dir_cntrl0.requestToDir", getx)),
            step(10, message("dir_cntrl0.forwardFromDir", getx)),
            step(10, transition("Directory", 0, "GETX", ("M", "M"))),
            step(14, message("l1_cntrl1.forwardToCache", getx)),
            step(15, transition("L1Cache", 1, "Fwd_GETX", ("M", "I"))),
        ];
        Ending { cache_line: Some(0x1000), steps, ..Ending::default() }
    }

    fn invalid() -> Crash {
        let mut crash = Crash::new(CrashKind::InvalidTransition, "Invalid transition".to_owned());
        (crash.machine, crash.version) = (Some("L1Cache".to_owned()), Some(1));
        (crash.event, crash.state) = (Some("Fwd_GETX".to_owned()), Some("I".to_owned()));
        crash
    }

    #[test]
    fn messages_come_from_the_controller_that_sent_their_words_last() {
        let chart = crashed("t", &invalid(), &forwarded()).unwrap();
        assert_eq!(chart.title, "Invalid transition: L1Cache 1 in I has none for Fwd_GETX");
        assert!(chart.lead[0].starts_with("t: the last transitions and messages for 0x1000"));
        let places: Vec<_> = chart.steps.iter().map(|step| (step.tick, step.line)).collect();
        assert_eq!(places[0], (Some(5), Some(5)));
        assert_eq!(chart.parties, ["L1Cache 0", "Directory 0", "L1Cache 1"]);
        let messages = chart.messages();
        let ways: Vec<(usize, usize)> = messages.iter().map(|one| (one.from, one.to)).collect();
        assert_eq!(ways, [(0, 1), (1, 2)]);
        assert!(messages.iter().all(|one| one.arrived.is_some()));
        let text = text(&chart);
        for (wanted, times) in [
            ("ST enters mandatoryQueue", 1),
            ("▶│ GETX for L1Cache-0", 2),
            ("Fwd_GETX in I: invalid transition", 1),
            ("invalid transition: L1Cache 1, state I, event Fwd_GETX", 1),
        ] {
            assert_eq!(text.matches(wanted).count(), times, "{wanted}: {text}");
        }
        // The failing step is marked.
        assert_eq!(svg(&chart).matches("<circle").count(), 1);
    }

    #[test]
    fn a_message_that_enters_its_buffer_again_says_how_often() {
        let mut again =
            step(5, message("l1_cntrl0.requestToL1Cache", "RequestMsg GETS for L1Cache-2"));
        (again.count, again.last_tick) = (2004, 39_950);
        let ending = Ending { steps: vec![again], ..forwarded() };
        let chart = crashed("", &invalid(), &ending).unwrap();
        let wanted = "GETS for L1Cache-2 enters requestToL1Cache, 2004 times to tick 39950";
        assert!(text(&chart).contains(wanted), "{}", text(&chart));
    }

    /// Messages that were sent before the first step have no known sender. The first controller at which they arrive is
    /// not taken for it.
    #[test]
    fn a_buffer_that_receives_sends_nothing() {
        let again = "PersistentMsg GETX_PERSISTENT for L1Cache-1";
        let steps = vec![
            step(5, message("l1_cntrl0.persistentToL1Cache", again)),
            step(9, message("l1_cntrl2.persistentToL1Cache", again)),
        ];
        let chart = crashed("", &invalid(), &Ending { steps, ..forwarded() }).unwrap();
        assert!(chart.messages().is_empty());
        assert!(receives("l1_cntrl0.responseToL1Cache") && receives("requestToDir"));
        assert!(!receives("requestFromCache") && !receives("mandatoryQueue"));
    }

    #[test]
    fn a_crash_of_an_object_is_marked_at_its_controller() {
        let crash = Crash {
            machine: None,
            version: None,
            object: Some("system.ruby.l1_cntrl1".to_owned()),
            ..invalid()
        };
        let [named, of_object] = [invalid(), crash].map(|crash| {
            let chart = crashed("", &crash, &forwarded()).unwrap();
            chart.steps.last().cloned()
        });
        assert_eq!(named, of_object);
        let of_none = Crash { object: Some("system.cpu1".to_owned()), ..invalid() };
        let of_none = Crash { machine: None, ..of_none };
        let chart = crashed("", &of_none, &forwarded()).unwrap();
        assert_ne!(named, chart.steps.last().cloned());
    }

    #[test]
    fn a_trace_without_steps_has_no_chart() {
        assert_eq!(crashed("", &invalid(), &Ending::default()), None);
    }

    #[test]
    fn objects_have_the_names_of_their_controllers() {
        let short = [("l1", "L1Cache"), ("dir", "Directory"), ("cp", "CorePair"), ("tcp", "TCP")];
        assert!(short.iter().all(|(prefix, machine)| is_short_for(prefix, machine)));
        assert!(!is_short_for("l2", "L1Cache") && !is_short_for("d", "CorePair"));
    }
}
