//! The messages with which gem5 stops and that name an address, a state, a machine or another object, as a table.
//!
//! [`MESSAGES`] has a row for each message of `src/mem/ruby`, of the code that SLICC generates, and of the testers of Ruby, in the releases from
//! v19.0 to v25.1. Messages that name nothing of the simulated system need no row. `docs/crashes.md` shows the table, and
//! `fixtures/crashes/messages.txt` has an example of each row.
//!
//! The text of a row is that of the message, on one line and with single spaces. Where a value stands, it has the name of a [`Field`] in
//! braces; `{}` stands for what is not read. A message may end early, and may have more text at both ends.

use history::{Crash, CrashKind, FileLine};

/// A message of gem5.
pub(super) struct MessageForm {
    /// The text, with fields in braces.
    pub text: &'static str,
    /// The kind of crash; none if `panic` or `fatal` says all.
    pub kind: Option<CrashKind>,
    /// What prints it: a file below `src`, or a place in the code that SLICC generates.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation shows it"))]
    pub printed_by: &'static str,
    /// The releases that have it: the first, and the last unless later ones have it as well.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation shows it"))]
    pub releases: (&'static str, Option<&'static str>),
}

/// The first release that was looked at. It is older than the table.
const FIRST: (&str, Option<&str>) = ("v19.0", None);

const fn since(release: &'static str) -> (&'static str, Option<&'static str>) {
    (release, None)
}

const fn form(
    text: &'static str,
    kind: Option<CrashKind>,
    printed_by: &'static str,
    releases: (&'static str, Option<&'static str>),
) -> MessageForm {
    MessageForm { text, kind, printed_by, releases }
}

const DEADLOCK: Option<CrashKind> = Some(CrashKind::Deadlock);
const TESTER: Option<CrashKind> = Some(CrashKind::TesterFailure);

/// The messages. Of several rows that fit a text, the one with the most of its words there counts, the first of these.
pub(super) const MESSAGES: &[MessageForm] = &[
    // The code that SLICC generates of a protocol.
    form(
        "Invalid transition {controller} time: {cycle} addr: {address} event: {event} state: {state}",
        Some(CrashKind::InvalidTransition),
        "MACHINE_Transitions.cc",
        FIRST,
    ),
    form(
        "Runtime Error at {place}: assert failure. ",
        Some(CrashKind::FailedAssertion),
        "code of a protocol",
        ("v19.0", Some("v24.0")),
    ),
    form(
        "Runtime Error at {place}: assert failure for machine {controller}. ",
        Some(CrashKind::FailedAssertion),
        "code of a protocol",
        since("v25.1"),
    ),
    form("Runtime Error at {place}: ", Some(CrashKind::ProtocolError), "code of a protocol", FIRST),
    form(
        "Runtime Error at {place}: {} for machine {controller}. ",
        Some(CrashKind::ProtocolError),
        "code of a protocol",
        since("v25.1"),
    ),
    form(
        "Runtime Error at Ruby Time: {}. All ports rejected a message.",
        Some(CrashKind::ProtocolError),
        "MACHINE_Wakeup.cc",
        FIRST,
    ),
    form(
        "Error in action {machine}:{}: executed a peek statement with the wrong message type",
        Some(CrashKind::ProtocolError),
        "MACHINE_Controller.cc",
        FIRST,
    ),
    form("Invalid range for type {machine}_State", None, "MACHINE_State.cc", FIRST),
    form("Invalid range for type {machine}_Event", None, "MACHINE_Event.cc", FIRST),
    form("Invalid value for type {machine}_State ", None, "MACHINE_State.cc", since("v25.1")),
    form("Invalid value for type {machine}_Event ", None, "MACHINE_Event.cc", since("v25.1")),
    // Controllers.
    form(
        "{controller}: couldn't find mapping for address {hex} mtype={machine_sought}",
        None,
        "mem/ruby/slicc_interface/AbstractController.cc",
        since("v22.1"),
    ),
    form(
        "{controller}: couldn't find mapping for address {hex}",
        None,
        "mem/ruby/slicc_interface/AbstractController.cc",
        ("v21.0", Some("v22.0")),
    ),
    form(
        "{controller}: address {hex} mapped to multiple machine types.",
        None,
        "mem/ruby/slicc_interface/AbstractController.cc",
        ("v21.0", Some("v22.0")),
    ),
    form(
        "{controller}: [{hex}:{}] mapped to multiple machines of the same type",
        None,
        "mem/ruby/slicc_interface/AbstractController.cc",
        since("v21.0"),
    ),
    form(
        "Unknown memory request type ({}) for addr {hex}",
        None,
        "mem/ruby/slicc_interface/AbstractController.cc",
        since("v20.0"),
    ),
    form(
        "failed: {controller}: event type={} not marked as in_trans in SLICC",
        Some(CrashKind::FailedAssertion),
        "mem/ruby/slicc_interface/AbstractController.hh",
        since("v23.1"),
    ),
    form(
        "failed: {controller}: event type={} has no transition from state={}",
        Some(CrashKind::FailedAssertion),
        "mem/ruby/slicc_interface/AbstractController.hh",
        since("v23.1"),
    ),
    form(
        "failed: {controller}: event type={} not marked as out_trans in SLICC",
        Some(CrashKind::FailedAssertion),
        "mem/ruby/slicc_interface/AbstractController.hh",
        since("v23.1"),
    ),
    form(
        "occurred: {object} initializing a RubyPrefetcherProxy without a prefetch queue",
        None,
        "mem/ruby/structures/RubyPrefetcherProxy.cc",
        since("v23.1"),
    ),
    // Sequencers and ports.
    form(
        "Possible Deadlock detected. Aborting! version: {sequencer} request.paddr: {address} m_readRequestTable: {} current time: {tick} \
         issue_time: {since} difference: {}",
        DEADLOCK,
        "mem/ruby/system/Sequencer.cc",
        FIRST,
    ),
    form(
        "Possible Deadlock detected. Aborting! version: {sequencer} m_htmCmdRequestTable: {} current time: {tick} issue_time: {since} \
         difference: {}",
        DEADLOCK,
        "mem/ruby/system/HTMSequencer.cc",
        since("v20.1"),
    ),
    form(
        "Possible Deadlock detected. Aborting! version: {coalescer} request.paddr: {address} uncoalescedTable: {} current time: {tick} \
         issue_time: {since} difference: {}",
        DEADLOCK,
        "mem/ruby/system/GPUCoalescer.cc",
        since("v20.1"),
    ),
    form(
        "Aborting due to deadlock! warn: GPUCoalescer {coalescer} Possible deadlock detected!",
        DEADLOCK,
        "mem/ruby/system/GPUCoalescer.cc",
        since("v20.1"),
    ),
    form("Possible Deadlock detected", DEADLOCK, "mem/ruby/system", FIRST),
    form("Aborting due to deadlock!", DEADLOCK, "mem/ruby/system/GPUCoalescer.cc", since("v20.1")),
    form(
        "Ruby functional read failed for address {address}",
        None,
        "mem/ruby/system/RubyPort.cc",
        FIRST,
    ),
    form(
        "Ruby functional write failed for address {address}",
        None,
        "mem/ruby/system/RubyPort.cc",
        FIRST,
    ),
    form(
        "Inconsistent state on functional read for {address} ",
        None,
        "mem/ruby/system/RubySystem.cc",
        since("v21.0"),
    ),
    form(
        "Cannot convert packet [{} [{hex}:{}] to ruby request",
        None,
        "mem/ruby/system/Sequencer.cc",
        since("v25.1"),
    ),
    form(
        "occurred: {object} must have a dcache object to support LLSC requests.",
        None,
        "mem/ruby/system/Sequencer.cc",
        since("v21.0"),
    ),
    form(
        "No machineID {id}. Does not belong to a Ruby network?",
        None,
        "mem/ruby/system/RubySystem.cc",
        since("v20.1"),
    ),
    form(
        "Could not add MachineID {id}. Network not found",
        None,
        "mem/ruby/system/RubySystem.cc",
        since("v20.1"),
    ),
    // Buffers and networks.
    form(
        "FIFO ordering violated: {} name: {object} current time: {tick} delta: {} arrival_time: {} last arrival_time: {}",
        None,
        "mem/ruby/network/MessageBuffer.cc",
        FIRST,
    ),
    form(
        "Trying to connect {} to MessageBuffer {object}. {} already connected.",
        None,
        "mem/ruby/network/MessageBuffer.hh",
        FIRST,
    ),
    form("No Consumer for WireBuffer! {object}", None, "mem/ruby/structures/WireBuffer.cc", FIRST),
    form(
        "occurred: {object}: data message size > cache line size",
        None,
        "mem/ruby/network/Network.cc",
        since("v21.0"),
    ),
    form(
        "occurred: {object}: Possible network deadlock in vnet: {} at time: {tick}",
        DEADLOCK,
        "mem/ruby/network/garnet/NetworkInterface.cc",
        FIRST,
    ),
    form(
        "occurred: {object}: Connected Physical links have different vc requests",
        None,
        "mem/ruby/network/garnet/NetworkInterface.cc",
        since("v20.1"),
    ),
    form(
        "occurred: Widths of link {object}({}",
        None,
        "mem/ruby/network/garnet/Router.cc",
        since("v20.1"),
    ),
    // RubyTester. A processor is a port, which counts those for instructions alone first.
    form(
        "Deadlock detected: current_time: {cycle} last_progress_time: {} difference: {} processor: {processor}",
        DEADLOCK,
        "cpu/testers/rubytest/RubyTester.cc",
        ("v19.0", Some("v24.0")),
    ),
    form(
        "Possible deadlock detected: Processor: {processor} Addr: {address} Current Time: {cycle} Last Progress Time: {} Difference: {}",
        DEADLOCK,
        "cpu/testers/rubytest/RubyTester.cc",
        since("v25.1"),
    ),
    form(
        "Action/check failure: proc: {processor} address: {address} data: {} byte_number: {} m_value+byte_number: {} byte: {}Time: {cycle}",
        TESTER,
        "cpu/testers/rubytest/Check.cc",
        FIRST,
    ),
    form(
        "Unexpected TesterStatus: {address} proc: {processor} data: {} m_status: {} time: {cycle}",
        TESTER,
        "cpu/testers/rubytest/Check.cc",
        FIRST,
    ),
    form("{object} does not expect a retry", TESTER, "cpu/testers/rubytest/RubyTester.hh", FIRST),
    // memtest
    form(
        "{object}: read of {hex} (blk {}) @ cycle {tick} returns {}, expected {}",
        Some(CrashKind::BadData),
        "cpu/testers/memtest/memtest.cc",
        FIRST,
    ),
    form("Read access failed at {address}", TESTER, "cpu/testers/memtest/memtest.cc", FIRST),
    form("Write access failed at {address}", TESTER, "cpu/testers/memtest/memtest.cc", FIRST),
    form(
        "occurred: Tester {object} has more than 100 outstanding requests",
        TESTER,
        "cpu/testers/memtest/memtest.cc",
        FIRST,
    ),
    form(
        "{object} did not send a request for {} cycles",
        DEADLOCK,
        "cpu/testers/memtest/memtest.cc",
        FIRST,
    ),
    form(
        "{object} did not see a response for {} cycles",
        DEADLOCK,
        "cpu/testers/memtest/memtest.cc",
        FIRST,
    ),
    // The tester of GPUs says more in a warning before the message, of which the lines are added to it.
    form(
        "GPU Ruby Tester: Failed! warn: {object}: Loaded value is not consistent with the last stored value TesterThread {} Episode {} Lane ID {} \
         Address {address} Loaded value {} Last writer {}",
        Some(CrashKind::BadData),
        "cpu/testers/gpu_ruby_test/tester_thread.cc",
        since("v21.0"),
    ),
    form(
        "GPU Ruby Tester: Failed! warn: {object}: Atomic Op returned unexpected value Episode {} Lane ID {} Address {address} \
         Atomic Op's return value {}",
        Some(CrashKind::BadData),
        "cpu/testers/gpu_ruby_test/tester_thread.cc",
        since("v21.0"),
    ),
    form(
        "GPU Ruby Tester: Failed! warn: {object}: Deadlock detected Last active cycle: {} Current cycle: {cycle} Deadlock threshold: {}",
        DEADLOCK,
        "cpu/testers/gpu_ruby_test/tester_thread.cc",
        since("v21.0"),
    ),
    form(
        "GPU Ruby Tester: Failed!",
        TESTER,
        "cpu/testers/gpu_ruby_test/protocol_tester.cc",
        since("v21.0"),
    ),
    // Generators of traffic.
    form(
        "{object} deadlocked at cycle {tick}",
        DEADLOCK,
        "cpu/testers/garnet_synthetic_traffic/GarnetSyntheticTraffic.cc",
        FIRST,
    ),
    form(
        "BaseTrafficGen {object} spent {} ticks without making progress",
        DEADLOCK,
        "cpu/testers/traffic_gen/base.cc",
        FIRST,
    ),
];

/// Words of a warning that says more about the message that follows it.
pub(super) const WARNINGS: [&str; 4] = [
    ": Loaded value is not consistent with",
    ": Atomic Op returned unexpected value",
    ": Deadlock detected",
    " Possible deadlock detected!",
];

/// A value that a message has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// A number or text that is not read.
    Other,
    /// A simulated object.
    Object,
    /// A controller, as a simulated object whose name ends with its number.
    Controller,
    /// A controller as gem5's `MachineID`, such as `L1Cache-0`.
    Id,
    /// The type of a controller.
    Machine,
    /// The type of the controller that was looked for, which is not the one that stopped.
    MachineSought,
    /// The number of a sequencer.
    Sequencer,
    /// The number of a coalescer of a GPU.
    Coalescer,
    /// A port of RubyTester.
    Processor,
    /// An address with `0x` or, in older versions, in decimal, perhaps in brackets.
    Address,
    /// An address in hexadecimal digits, with or without `0x`.
    Hex,
    State,
    Event,
    Tick,
    Cycle,
    /// Tick since which a request waits.
    Since,
    /// File and line in a protocol.
    Place,
}

impl Field {
    /// The fields with their names in texts, and in words for the documentation.
    const NAMES: [(&str, Field, &str); 17] = [
        ("", Field::Other, ""),
        ("object", Field::Object, "object"),
        ("controller", Field::Controller, "controller"),
        ("id", Field::Id, "controller"),
        ("machine", Field::Machine, "machine"),
        ("machine_sought", Field::MachineSought, "machine that was looked for"),
        ("sequencer", Field::Sequencer, "sequencer"),
        ("coalescer", Field::Coalescer, "coalescer"),
        ("processor", Field::Processor, "processor"),
        ("address", Field::Address, "address"),
        ("hex", Field::Hex, "address"),
        ("state", Field::State, "state"),
        ("event", Field::Event, "event"),
        ("tick", Field::Tick, "tick"),
        ("cycle", Field::Cycle, "cycle"),
        ("since", Field::Since, "tick since when"),
        ("place", Field::Place, "place in the protocol"),
    ];

    fn of(name: &str) -> Field {
        let found = Field::NAMES.iter().find(|(known, ..)| *known == name);
        found.map_or(Field::Other, |(_, field, _)| *field)
    }

    /// The value of a message that stands for the field goes into the crash.
    fn read(self, value: &str, crash: &mut Crash) {
        let first = value.split(' ').next().unwrap_or_default();
        let last = value.rsplit(' ').next().unwrap_or_default();
        let name = |word: &str| Some(word.to_owned()).filter(|word| !word.is_empty());
        match self {
            Field::Other | Field::MachineSought => {}
            Field::Object => crash.object = name(last),
            Field::Controller => {
                crash.version = version(last);
                crash.object = name(last);
            }
            Field::Id => {
                if let Some((machine, number)) = first.rsplit_once('-') {
                    (crash.machine, crash.version) = (name(machine), number.parse().ok());
                }
            }
            Field::Machine => crash.machine = name(last),
            Field::Sequencer => {
                (crash.machine, crash.version) = (name("Seq"), first.parse().ok());
            }
            Field::Coalescer => {
                (crash.machine, crash.version) = (name("Coal"), first.parse().ok());
            }
            Field::Processor => crash.processor = first.parse().ok(),
            Field::Address => crash.address = address(first),
            Field::Hex => crash.address = hexadecimal(first),
            Field::State => crash.state = name(first),
            Field::Event => crash.event = name(first),
            Field::Tick => crash.tick = first.parse().ok(),
            Field::Cycle => crash.cycle = first.parse().ok(),
            Field::Since => crash.waiting_since = first.parse().ok(),
            Field::Place => crash.protocol_source = place(last),
        }
    }
}

/// A row that fits a text.
struct Fit<'a> {
    form: &'static MessageForm,
    /// The number of the row's characters that the text has, without those of fields.
    found: usize,
    values: Vec<(Field, &'a str)>,
}

impl MessageForm {
    /// The words of the text, each with the field that follows; the last ones have none.
    fn parts(&self) -> impl Iterator<Item = (&'static str, Option<Field>)> + use<> {
        let mut rest = Some(self.text);
        std::iter::from_fn(move || {
            let text = rest?;
            let (words, behind) = match text.split_once('{') {
                Some((words, behind)) => (words, Some(behind)),
                None => (text, None),
            };
            let field = behind.and_then(|behind| behind.split_once('}'));
            rest = field.map(|(_, rest)| rest);
            Some((words, field.map(|(name, _)| Field::of(name))))
        })
    }

    /// What a message names, in words, for the documentation.
    #[cfg(test)]
    fn names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for field in self.parts().filter_map(|(_, field)| field) {
            let row = Field::NAMES.iter().find(|(_, known, _)| *known == field);
            let words = row.map_or("", |(.., words)| *words);
            if !words.is_empty() && !names.contains(&words) {
                names.push(words);
            }
        }
        names.join(", ")
    }

    /// Reads a text, which ends with a space; `is_cut` if its end is missing. `None` if the text is not of this form. It may end early, if
    /// its beginning is certain.
    fn fit<'a>(&'static self, text: &'a str, is_cut: bool) -> Option<Fit<'a>> {
        let mut fit = Fit { form: self, found: 0, values: Vec::new() };
        let mut at = 0;
        // The field between the words that were found last and the next.
        let mut open: Option<Field> = None;
        let mut is_whole = true;
        for (words, field) in self.parts() {
            if words.is_empty() && open.is_some() {
                // The text ends with this field.
                break;
            }
            // At the end of a text, the space behind the words may be missing.
            let (rest, last) = (&text[at..], words.trim_end());
            let is_word = last.contains(char::is_alphanumeric);
            let at_end = || is_word.then(|| rest.strip_suffix(last)).flatten();
            let Some(start) = rest.find(words).or_else(|| at_end().map(str::len)) else {
                is_whole = false;
                break;
            };
            if let Some(open) = open {
                fit.values.push((open, rest[..start].trim()));
            }
            at = text.len().min(at + start + words.len());
            fit.found += words.len();
            open = field;
        }
        if let Some(open) = open.filter(|_| !is_cut) {
            fit.values.push((open, text[at..].trim()));
        }
        let begins_with_words = !self.text.starts_with('{');
        (is_whole || begins_with_words && fit.found >= CERTAIN).then_some(fit)
    }
}

/// The number of characters at the beginning of a message by which it is recognised if the rest is missing.
const CERTAIN: usize = 16;

/// Reads the message with which gem5 stopped into `crash`; `is_cut` says that its end is missing. Returns whether a row of the table fits.
pub(super) fn read(message: &str, is_cut: bool, crash: &mut Crash) -> bool {
    let text = normal(message, is_cut);
    let Some(fit) = best(&text, is_cut) else { return false };
    crash.kind = fit.form.kind.unwrap_or(crash.kind);
    fit.values.iter().for_each(|(field, value)| field.read(value, crash));
    true
}

/// A message on one line with single spaces, also at its end unless that is missing.
fn normal(message: &str, is_cut: bool) -> String {
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if is_cut { words } else { words + " " }
}

/// The row that fits a text best.
fn best(text: &str, is_cut: bool) -> Option<Fit<'_>> {
    let mut best: Option<Fit<'_>> = None;
    for fit in MESSAGES.iter().filter_map(|form| form.fit(text, is_cut)) {
        if best.as_ref().is_none_or(|best| fit.found > best.found) {
            best = Some(fit);
        }
    }
    best
}

/// Parses an address: `0x400`, `[0x400`, or 1024 as older versions print it.
pub(super) fn address(word: &str) -> Option<u64> {
    let word = word.trim_start_matches('[').trim_end_matches([',', ']', '.', ':']);
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// Parses hexadecimal digits, with or without `0x`.
fn hexadecimal(word: &str) -> Option<u64> {
    let word = word.trim_end_matches([',', ']', '.', ':']);
    u64::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
}

/// Parses `<file>:<line>`.
fn place(word: &str) -> Option<FileLine> {
    let (file, line) = word.rsplit_once(':')?;
    Some(FileLine { file: file.to_owned(), line: line.parse().ok()? })
}

/// The number at the end of an object's path.
fn version(object: &str) -> Option<u32> {
    let part = object.rsplit('.').next()?;
    let name = part.trim_end_matches(|c: char| c.is_ascii_digit());
    part[name.len()..].parse().ok()
}

#[cfg(test)]
mod tests;
