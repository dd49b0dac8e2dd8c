//! Finds the machines whose stalled attempts can be repeated without running them, and the ports that parameters
//! switch off.
//!
//! A message that has to wait for a resource is tried again in every cycle. If an attempt has no effects, the next
//! one has the same result until something that the attempt read changes. This module decides what the instructions
//! alone show. Whether a function of the library has effects is found out when it runs.

use super::code::{InPort, Transition};
use super::op::{Op, control, stall};

/// Whether the ports of a machine, and its transitions up to a stall, change nothing but registers and the control
/// words about the running transition. Each port must also wait for its buffer, so that the buffers that it reads are
/// known.
pub(super) fn is_poll_without_effects(
    code: &[Op],
    ports: &[InPort],
    transitions: &[Transition],
) -> bool {
    ports
        .iter()
        .all(|port| port.guarded && has_no_effects_until(code, port.code.start, is_port_end))
        && transitions.iter().all(|transition| {
            let own = &code[transition.code.start as usize..];
            own[..last_stall(own)].iter().all(has_no_effects)
        })
}

/// The control word that switches a port on: the port's code begins with a test of this word, does nothing if it is
/// 0, and no code of the protocol changes a word at this offset. `None` if there is no such word.
pub(super) fn enabling_word(code: &[Op], start: u32) -> Option<u16> {
    let own = &code[start as usize..];
    let [Op::LoadControl { to, offset }, Op::JumpUnless { condition, target }, ..] = *own else {
        return None;
    };
    let end = usize::try_from(2 + i64::from(target)).ok()?;
    let sets = |op: &Op| match *op {
        Op::StoreControl { offset: set, .. } | Op::ControlAddress { offset: set, .. } => {
            set == offset
        }
        _ => false,
    };
    let is_end = matches!(own.get(end), Some(Op::PortEnd));
    (to == condition && is_end && !code.iter().any(sets)).then_some(offset)
}

/// The index of the last stall of the transition whose code begins here; 0 if it has none. All jumps lead forwards,
/// so the instructions that run before a stall precede it in the code.
fn last_stall(code: &[Op]) -> usize {
    let mut last = 0;
    for (at, op) in code.iter().enumerate() {
        match *op {
            Op::Stall { how } if u64::from(how) == stall::PROTOCOL => return at,
            Op::Stall { .. } => last = at,
            Op::Done | Op::End => break,
            _ => {}
        }
    }
    last
}

fn is_port_end(op: &Op) -> bool {
    matches!(op, Op::PortEnd)
}

/// Whether no instruction from an index up to the first end has effects.
fn has_no_effects_until(code: &[Op], start: u32, is_end: impl Fn(&Op) -> bool) -> bool {
    code[start as usize..].iter().take_while(|op| !is_end(op)).all(has_no_effects)
}

/// Whether an instruction changes nothing but registers and the control words about the running transition. Instructions
/// whose effects are found when they run count as well: calls of the library, new objects, and delays of the head of a
/// buffer.
fn has_no_effects(op: &Op) -> bool {
    match op {
        Op::StoreControl { offset, .. } => *offset < control::FREE,
        Op::Small { .. }
        | Op::Constant { .. }
        | Op::Move { .. }
        | Op::Load { .. }
        | Op::LoadControl { .. }
        | Op::LoadThrough { .. }
        | Op::AddressThrough { .. }
        | Op::Address { .. }
        | Op::FrameAddress { .. }
        | Op::ControlAddress { .. }
        | Op::Initialize { .. }
        | Op::EqualWords { .. }
        | Op::Add { .. }
        | Op::Subtract { .. }
        | Op::Multiply { .. }
        | Op::Divide { .. }
        | Op::Remainder { .. }
        | Op::ShiftLeft { .. }
        | Op::ShiftRight { .. }
        | Op::Narrow { .. }
        | Op::Equal { .. }
        | Op::NotEqual { .. }
        | Op::Less { .. }
        | Op::LessEqual { .. }
        | Op::Below { .. }
        | Op::BelowEqual { .. }
        | Op::Not { .. }
        | Op::Jump { .. }
        | Op::JumpIf { .. }
        | Op::JumpUnless { .. }
        | Op::JumpIfSmall { .. }
        | Op::JumpUnlessSmall { .. }
        | Op::JumpIfNull { .. }
        | Op::JumpUnlessNull { .. }
        | Op::Lookup { .. }
        | Op::Peek { .. }
        | Op::PeekSure { .. }
        | Op::BlockOn { .. }
        | Op::CheckProbe { .. }
        | Op::Library { .. }
        | Op::NewMessage { .. }
        | Op::NewEntry { .. }
        | Op::Trigger { .. }
        | Op::Stall { .. }
        | Op::Error { .. }
        | Op::Assert
        | Op::NoResult => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::Protocol;

    #[test]
    fn machines_that_only_look() {
        let polls = |name: &str| {
            let protocol = Protocol::open(name).unwrap();
            let machines = protocol.program.machines.iter();
            let polls = machines.filter(|machine| machine.only_looks);
            polls.map(|machine| machine.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(polls("MOESI_AMD_Base"), ["L3Cache", "Directory", "CorePair"]);
        // A port of its L1 caches does not wait for its buffer alone.
        assert!(!polls("MESI_Two_Level").contains(&"L1Cache".to_owned()));
    }

    #[test]
    fn ports_that_a_parameter_switches_on() {
        let protocol = Protocol::open("MESI_Two_Level").unwrap();
        let machine = &protocol.program.machines[0];
        let word = |name: &str| {
            let members = &machine.parameters;
            members.iter().find(|member| &*member.name == name).map(|member| member.offset)
        };
        let ports = machine.in_ports.iter().filter(|port| port.enabled_by.is_some());
        let enabled: Vec<_> = ports.map(|port| (&*port.name, port.enabled_by)).collect();
        assert_eq!(enabled, [("prefetch_in", word("enable_prefetch"))]);
    }
}
