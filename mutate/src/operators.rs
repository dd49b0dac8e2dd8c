//! Enumerates the sites of operators, and makes the edits there.

mod acks;
mod actions;
mod buffers;
mod data;
mod messages;
mod next;
mod notify;
mod ports;
mod stalls;
mod statements;

use crate::collector::Collector;
use crate::operator::Operator;
use crate::scene::Scene;

/// Enumerates the sites of an operator in a machine.
pub(crate) fn enumerate(operator: Operator, scene: &Scene, mutants: &mut Collector) {
    match operator {
        Operator::SwapActions => actions::swapped(scene, mutants),
        Operator::DropAction => actions::dropped(scene, mutants),
        Operator::DuplicateAction => actions::doubled(scene, mutants),
        Operator::NextStateSame => next::same(scene, mutants),
        Operator::NextStateOther => next::other(scene, mutants),
        Operator::DropTransition => actions::row_dropped(scene, mutants),
        Operator::StallRemoved => stalls::removed(scene, mutants),
        Operator::StallPopped => stalls::popped(scene, mutants),
        Operator::StallAnswered => stalls::answered(scene, mutants),
        Operator::StallAdded => stalls::added(scene, mutants),
        Operator::MessageType => messages::kinds(scene, mutants),
        Operator::MessageDestination => messages::destinations(scene, mutants),
        Operator::MessageNotSent => messages::not_sent(scene, mutants),
        Operator::FieldUnset => messages::unset(scene, mutants),
        Operator::DataNotWritten => data::not_written(scene, mutants),
        Operator::Payload => data::payloads(scene, mutants),
        Operator::DirtyFlag => data::dirty(scene, mutants),
        Operator::AcksOffByOne => acks::off_by_one(scene, mutants),
        Operator::NoNotify => notify::left_out(scene, mutants),
        Operator::WrongNetwork => buffers::wrong_network(scene, mutants),
        Operator::UnorderedBuffer => buffers::unordered(scene, mutants),
        Operator::PortOrder => ports::exchanged(scene, mutants),
        Operator::TriggerEvent => ports::other_events(scene, mutants),
        Operator::ConditionNegated => statements::negated(scene, mutants),
        Operator::ConditionIgnored => statements::ignored(scene, mutants),
        Operator::DropStatement => statements::dropped(scene, mutants),
        Operator::NoAllocationCheck => statements::no_allocation_check(scene, mutants),
        Operator::NoLockCheck => ports::no_lock_check(scene, mutants),
    }
}
