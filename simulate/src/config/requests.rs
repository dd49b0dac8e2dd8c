//! The kinds of requests that a protocol handles, and those that it gets in a run.

use mutate::unreached::Asked;
use settings::Setting;
use slicc::options::ProtocolOption;
use slicc::protocol::Protocol;
use slicc::requests::{FLUSH, TLBI, TLBI_SYNC, core_handles, has_atomics};
use slicc::scripts::Script;
use slicc::source::Diagnostic;

use super::chi::is_chi;
use super::plan::{FETCHER, Plan, Value, value_of};
use super::policies::has_policies;
use super::sequencers::{DMA_SEQUENCER, has_dma};
use crate::program::{Extras, ProgramSize};

/// The largest number of threads for which a protocol works, if it has one.
pub fn most_threads(protocol: &Protocol) -> Option<u32> {
    Script::find(protocol.name(), &protocol.declared())?.known.most_threads()
}

/// Whether a protocol handles flushes of cores: it says so, or the code of a machine with a sequencer names their type. Of gem5's
/// protocols MOESI_hammer does, and since 25.1 MESI_Three_Level.
pub fn takes_flushes(protocol: &Protocol) -> bool {
    protocol.loaded.options.has(ProtocolOption::Flushes)
        || core_handles(&protocol.loaded.declarations, FLUSH)
}

/// Whether a protocol handles TLB invalidations and syncs of cores: the code of a machine with a sequencer names their types. Of
/// gem5's protocols CHI does.
pub fn takes_invalidations(protocol: &Protocol) -> bool {
    [TLBI, TLBI_SYNC].iter().all(|name| core_handles(&protocol.loaded.declarations, name))
}

/// Whether the read-modify-writes of a program need reservations that no cache keeps: a data cache of CHI that allocates no
/// lines for its core (`alloc_on_seq_acc=false`) has nothing that a load-linked could reserve. Atomics need none if they are
/// performed elsewhere.
pub fn lacks_reservations(protocol: &Protocol, plan: &Plan, shape: &ProgramSize) -> bool {
    if shape.rmws == 0 || !is_chi(protocol) {
        return false;
    }
    let uses_reservations = shape.extras.atomics < 100 || performs_near(protocol, plan);
    uses_reservations && any_has(protocol, plan, "alloc_on_seq_acc", false)
}

/// Whether a protocol may perform atomic instructions elsewhere than in the first-level cache: CHI does, as its `policy_type` says.
pub fn performs_atomics_far(protocol: &Protocol, plan: &Plan) -> bool {
    performs_atomics(protocol) && any_has(protocol, plan, "policy_type", true)
}

/// Whether a controller of CHI performs the atomics of its core itself.
fn performs_near(protocol: &Protocol, plan: &Plan) -> bool {
    any_has(protocol, plan, "policy_type", false)
}

/// Whether a parameter is non-zero (or, if not `is_set`, zero) in some controller that has a core's sequencer.
fn any_has(protocol: &Protocol, plan: &Plan, name: &str, is_set: bool) -> bool {
    let machines = protocol.declared();
    let mut controllers = plan.machines.iter().flat_map(|machine| {
        machine.instances.iter().map(|instance| (&machines[machine.declared], &instance.values))
    });
    let is_core =
        |value: &Value| matches!(value, Value::Sequencer { core, .. } if *core != FETCHER);
    controllers.any(|(machine, values)| {
        let value = value_of(machine, values, name);
        let is_it = value.is_some_and(|value| (*value != Value::Number(0)) == is_set);
        is_it && values.iter().any(is_core)
    })
}

/// Whether a protocol gets atomic instructions as such, and not as stores that the first-level cache performs.
fn performs_atomics(protocol: &Protocol) -> bool {
    has_atomics(protocol.name(), &protocol.declared())
}

/// The largest extras of programs that test a protocol: those that the protocol handles, and the policies and clusters of
/// controllers that programs may differ in. Functional accesses are not among them, since they fail in states of most protocols: users have to ask for them.
pub fn handled(protocol: &Protocol) -> Extras {
    Extras {
        devices: if has_dma(protocol) { 2 } else { 0 },
        flushes: if takes_flushes(protocol) { 10 } else { 0 },
        atomics: if performs_atomics(protocol) { 50 } else { 0 },
        dvm: if takes_invalidations(protocol) { 10 } else { 0 },
        partial: 20,
        functional: 0,
        suppressed: 0,
        policies: if is_chi(protocol) { 4 } else { u32::from(has_policies(protocol)) },
        clusters: u32::from(is_chi(protocol)),
    }
}

/// The error that a protocol does not handle one of the requests that programs are asked to make in addition to their accesses. `None` if it
/// handles them all. Every protocol handles atomics, at least as stores of the first-level cache, and accesses to parts of words.
pub fn unhandled(protocol: &Protocol, extras: Extras) -> Option<Diagnostic> {
    let name = protocol.name();
    let (message, hint) = if extras.devices > 0 && !has_dma(protocol) {
        (
            format!(
                "{name} has no machine with a {DMA_SEQUENCER}, so no DMA device can be attached"
            ),
            format!(
                "leave {} out, or include the file of the protocol's DMA machine",
                Setting::Dma
            ),
        )
    } else if extras.flushes > 0 && !takes_flushes(protocol) {
        (
            format!(
                "{name} handles no flushes: no machine with a Sequencer names RubyRequestType:FLUSH"
            ),
            format!(
                "leave {} out; of gem5's protocols, MOESI_hammer handles flushes, and since 25.1 MESI_Three_Level",
                Setting::Flush
            ),
        )
    } else if extras.dvm > 0 && !takes_invalidations(protocol) {
        (
            format!(
                "{name} handles no TLB invalidations: no machine with a Sequencer names RubyRequestType:TLBI and \
                 RubyRequestType:TLBI_SYNC"
            ),
            format!("leave {} out; of gem5's protocols, CHI handles them", Setting::Dvm),
        )
    } else if let Some((machine, function)) = lacking_access(protocol, extras) {
        (
            format!(
                "{name} allows no functional accesses: the machine {machine} defines no {function}"
            ),
            format!("leave {} out, or define it as gem5's protocols do", Setting::Functional),
        )
    } else {
        return None;
    };
    let error = Diagnostic { span: None, ..Diagnostic::error(Default::default(), message) };
    Some(error.hint(hint))
}

/// The first machine that lacks a function for functional accesses, with that function, if programs are asked for such accesses.
fn lacking_access(protocol: &Protocol, extras: Extras) -> Option<(&str, &'static str)> {
    if extras.functional == 0 {
        return None;
    }
    let in_parts = protocol.loaded.options.has(ProtocolOption::PartialFunctionalReads);
    protocol.program.machines.iter().find_map(|machine| {
        let own = &machine.access;
        let read = if in_parts {
            (own.read_masked, "functionalRead(Addr, Packet*, WriteMask&)")
        } else {
            (own.read, "functionalRead(Addr, Packet*)")
        };
        let others = [
            (own.permission, "getAccessPermission(Addr)"),
            (own.write, "functionalWrite(Addr, Packet*)"),
        ];
        let mut needed = others.into_iter().chain([read]);
        let lacking = needed.find(|(code, _)| code.is_none());
        lacking.map(|(_, name)| (&*machine.name, name))
    })
}

/// The kinds of requests that runs with these extras make in addition to accesses of cores.
pub fn asked(protocol: &Protocol, extras: Extras) -> Asked {
    Asked {
        devices: extras.devices > 0 && has_dma(protocol),
        flushes: extras.flushes > 0 && takes_flushes(protocol),
    }
}
