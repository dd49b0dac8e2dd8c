//! Recognises the known faults of gem5's released protocols by how a run crashed.
//!
//! Everything that names the known fault of a crash asks this module: `check`, `explain` and `watch` for the message of a run of gem5, and
//! [`testing`](crate::testing), which then confirms it by running the program again with the repair. A fault shows by
//!
//! - an undefined transition that its repair adds, or a sign `MACHINE (STATE, EVENT)` in the table of faults;
//! - a sign `FILE:LINE`: the assertion of the released files that fails;
//! - a sign `deadlock MACHINE (STATE, EVENT)`: a request waits for a controller that stalls the event in this state, which other faults might cause
//!   as well;
//! - a sign that is none of these: words of the message.

use history::{Crash, CrashKind};
use ingest::Ending;
use mutate::repair;
use slicc::outline::TableEntry;

use super::{Released, all};

/// A known fault that a crash shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The fault.
    pub fault: &'static Released,
    /// Whether nothing else that is known causes such a crash.
    pub is_certain: bool,
}

/// The known faults that a crash shows. `protocol` is the protocol if it is known, and `ending` is what the trace shows of the end of the
/// run.
pub fn of_crash(crash: &Crash, protocol: Option<&str>, ending: &Ending) -> Vec<Recognised> {
    let protocol = protocol_of(crash).or(protocol);
    let of_protocol = all().iter().filter(|fault| is_of(fault, protocol));
    let recognise = |fault: &'static Released| {
        let is_certain = shows(fault, crash, protocol.is_some());
        let is_stalled = || stalls(fault, crash, ending);
        (is_certain || is_stalled()).then_some(Recognised { fault, is_certain })
    };
    of_protocol.filter_map(recognise).collect()
}

/// The known faults of a protocol for which an undefined transition is a sign.
pub fn of_transition<'a>(
    protocol: &'a str,
    entry: &'a TableEntry,
) -> impl Iterator<Item = &'static Released> + use<'a> {
    let of_protocol = all().iter().filter(|fault| is_of(fault, Some(protocol)));
    of_protocol.filter(|fault| transitions(fault).contains(entry))
}

/// Whether a fault is one of a protocol, or of the one on which it is built. If the protocol is not known, it may be any.
fn is_of(fault: &Released, protocol: Option<&str>) -> bool {
    let Some(protocol) = protocol else { return true };
    // The title of a mutant follows the name of its protocol.
    let name = protocol.split(' ').next().unwrap_or(protocol);
    match repair::find(&fault.repair) {
        Some(found) => repair::is_of(&found, name),
        None => fault.protocol == name,
    }
}

/// The protocol whose generated code printed the message. Since gem5 25.0 its folder has the name of the protocol.
fn protocol_of(crash: &Crash) -> Option<&'static str> {
    let file = &crash.source.as_ref()?.file;
    let mut folders = file.rsplit('/').skip(1);
    let folder = folders.next()?;
    let named = |fault: &&Released| fault.protocol.eq_ignore_ascii_case(folder);
    let known = all().iter().find(named)?;
    (folders.next() == Some("protocol")).then_some(known.protocol.as_str())
}

/// The signs of a fault in the table.
fn signs(fault: &Released) -> impl Iterator<Item = &str> {
    fault.crash.split("; ").filter(|sign| !sign.is_empty())
}

/// The undefined transitions that are signs of a fault.
fn transitions(fault: &Released) -> Vec<TableEntry> {
    let mut entries = repair::added_rows(&fault.repair);
    entries.extend(signs(fault).filter_map(entry));
    entries
}

/// Parses `MACHINE (STATE, EVENT)`.
fn entry(text: &str) -> Option<TableEntry> {
    let (machine, row) = text.split_once(" (")?;
    let (state, event) = row.strip_suffix(')')?.split_once(", ")?;
    (!machine.contains(' ')).then(|| TableEntry::new(machine, state, event))
}

/// Whether the message of a crash shows a fault. Words that any protocol may cause are a sign only of a protocol that is known.
fn shows(fault: &Released, crash: &Crash, is_protocol_known: bool) -> bool {
    match crash.kind {
        CrashKind::InvalidTransition => {
            let (Some(state), Some(event)) = (&crash.state, &crash.event) else { return false };
            let is_it = |entry: &TableEntry| {
                entry.state == *state
                    && entry.event == *event
                    && crash.machine.as_ref().is_none_or(|machine| *machine == entry.machine)
            };
            transitions(fault).iter().any(is_it)
        }
        CrashKind::FailedAssertion | CrashKind::ProtocolError => {
            let Some(place) = &crash.protocol_source else { return false };
            let file = place.file.rsplit('/').next().unwrap_or(&place.file);
            let place = format!("{file}:{}", place.line);
            signs(fault).any(|sign| sign == place)
        }
        _ => {
            let are_words = |sign: &&str| !sign.contains(':') && !sign.contains(" (");
            is_protocol_known
                && signs(fault).filter(are_words).any(|words| crash.message.contains(words))
        }
    }
}

/// Whether a request waits for a controller that stalls an event, as the fault makes it.
fn stalls(fault: &Released, crash: &Crash, ending: &Ending) -> bool {
    if crash.kind != CrashKind::Deadlock {
        return false;
    }
    let stalled = signs(fault).filter_map(|sign| entry(sign.strip_prefix("deadlock ")?));
    let controllers = || ending.waiting.iter().flat_map(|waiting| &waiting.controllers);
    stalled.into_iter().any(|entry| {
        controllers().any(|one| {
            one.machine == entry.machine
                && one.state == entry.state
                && one.stalled.iter().any(|stalled| stalled.event == entry.event)
        })
    })
}

#[cfg(test)]
mod tests {
    use history::FileLine;

    use super::*;

    fn names(crash: &Crash, protocol: Option<&str>) -> Vec<&'static str> {
        let found = of_crash(crash, protocol, &Ending::default());
        found.iter().map(|one| one.fault.name.as_str()).collect()
    }

    fn invalid(machine: &str, state: &str, event: &str) -> Crash {
        let mut crash = Crash::new(CrashKind::InvalidTransition, "Invalid transition");
        crash.machine = Some(machine.to_owned());
        (crash.state, crash.event) = (Some(state.to_owned()), Some(event.to_owned()));
        crash
    }

    #[test]
    fn undefined_transitions_are_recognised() {
        let mut crash = invalid("Directory", "M_DRD", "CleanReplacement");
        let [two, three] =
            ["mesi2-dir-cleanreplacement-during-dma", "mesi3-dir-cleanreplacement-during-dma"];
        assert_eq!(names(&crash, Some("MESI_Two_Level")), [two]);
        assert_eq!(names(&crash, Some("MESI_Three_Level_HTM")), [three]);
        assert_eq!(names(&crash, None), [two, three]);
        assert!(names(&crash, Some("MI_example")).is_empty());
        let file = "build/ALL/mem/ruby/protocol/MESI_Two_Level/Directory_Transitions.cc".to_owned();
        crash.source = Some(FileLine { file, line: 268 });
        assert_eq!(names(&crash, None), [two]);
        let file = "build/ALL/mem/ruby/protocol/Directory_Transitions.cc".to_owned();
        crash.source = Some(FileLine { file, line: 268 });
        assert_eq!(names(&crash, None), [two, three]);
        assert!(names(&invalid("Directory", "M", "Inv"), None).is_empty());
        let crash = invalid("Directory", "E", "Memory_Ack");
        assert_eq!(names(&crash, Some("MOESI_hammer")), ["hammer-dir-dma-write-ack-unaligned"]);
    }

    #[test]
    fn assertions_are_recognised_by_their_place() {
        let mut crash = Crash::new(CrashKind::FailedAssertion, "Runtime Error at …");
        let file = "src/mem/ruby/protocol/MESI_Two_Level-dir.sm".to_owned();
        crash.protocol_source = Some(FileLine { file: file.clone(), line: 380 });
        let expected = ["mesi2-dir-dma-write-ack-unaligned"];
        assert_eq!(names(&crash, Some("MESI_Two_Level")), expected);
        crash.protocol_source = Some(FileLine { file, line: 381 });
        assert!(names(&crash, Some("MESI_Two_Level")).is_empty());
    }

    #[test]
    fn words_of_a_message_are_recognised() {
        let text =
            "FIFO ordering violated: [MessageBuffer: …] name: system.ruby.l0_cntrl0.bufferFromL1";
        let crash = Crash::new(CrashKind::Panic, text);
        let expected = ["mesi3-l0-locked-head-overtaken"];
        assert_eq!(names(&crash, Some("MESI_Three_Level")), expected);
        assert!(names(&crash, Some("MI_example")).is_empty());
        assert!(names(&crash, None).is_empty());
    }

    /// A sign that cannot be read would never be found.
    #[test]
    fn every_sign_is_of_a_known_form() {
        for fault in all() {
            for sign in signs(fault) {
                let row = sign.strip_prefix("deadlock ").unwrap_or(sign);
                let is_place =
                    sign.rsplit_once(".sm:").is_some_and(|(_, line)| line.parse::<u32>().is_ok());
                let is_known = entry(row).is_some() || is_place || sign == "FIFO ordering violated";
                assert!(is_known, "{}: {sign}", fault.name);
            }
        }
    }

    /// Each fault that is an undefined transition, as its description says, has a sign.
    #[test]
    fn undefined_transitions_of_the_table_have_signs() {
        for fault in all()
            .iter()
            .filter(|fault| fault.name.ends_with("-missing") || fault.name.ends_with("-undefined"))
        {
            assert!(!transitions(fault).is_empty(), "{}", fault.name);
        }
    }
}
