//! The messages with which gem5 stops, as a table.
//!
//! [`MESSAGES`] has a row for each message of `src/mem/ruby`, of the code that SLICC generates, and of the testers of Ruby, in the
//! releases from v19.0 to v25.1. Messages that name nothing of the simulated system need no row. `docs/crashes.md` shows the table, and
//! `fixtures/crashes/messages.txt` has an example of each row.

use history::CrashKind;

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
pub(super) const FIRST: (&str, Option<&str>) = ("v19.0", None);

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
pub(crate) const WARNINGS: [&str; 4] = [
    ": Loaded value is not consistent with",
    ": Atomic Op returned unexpected value",
    ": Deadlock detected",
    " Possible deadlock detected!",
];
