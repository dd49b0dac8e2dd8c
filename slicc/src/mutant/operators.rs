//! Where operators can be applied, and what they do there.

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

use super::Operator;
use super::made::Found;
use super::scene::Scene;

/// Finds all sites of an operator in a machine.
pub(super) fn enumerate(operator: Operator, scene: &Scene, found: &mut Found) {
    match operator {
        Operator::SwapActions => actions::swapped(scene, found),
        Operator::DropAction => actions::dropped(scene, found),
        Operator::DuplicateAction => actions::doubled(scene, found),
        Operator::NextStateSame => next::same(scene, found),
        Operator::NextStateOther => next::other(scene, found),
        Operator::DropTransition => actions::row_dropped(scene, found),
        Operator::StallRemoved => stalls::removed(scene, found),
        Operator::StallPopped => stalls::popped(scene, found),
        Operator::StallAnswered => stalls::answered(scene, found),
        Operator::StallAdded => stalls::added(scene, found),
        Operator::MessageType => messages::kinds(scene, found),
        Operator::MessageDestination => messages::destinations(scene, found),
        Operator::MessageNotSent => messages::not_sent(scene, found),
        Operator::FieldUnset => messages::unset(scene, found),
        Operator::DataNotWritten => data::not_written(scene, found),
        Operator::Payload => data::payloads(scene, found),
        Operator::DirtyFlag => data::dirty(scene, found),
        Operator::AcksOffByOne => acks::off_by_one(scene, found),
        Operator::NoNotify => notify::left_out(scene, found),
        Operator::WrongNetwork => buffers::wrong_network(scene, found),
        Operator::UnorderedBuffer => buffers::unordered(scene, found),
        Operator::PortOrder => ports::exchanged(scene, found),
        Operator::TriggerEvent => ports::other_events(scene, found),
        Operator::ConditionNegated => statements::negated(scene, found),
        Operator::ConditionIgnored => statements::ignored(scene, found),
        Operator::DropStatement => statements::dropped(scene, found),
        Operator::NoAllocationCheck => statements::no_allocation_check(scene, found),
        Operator::NoLockCheck => ports::no_lock_check(scene, found),
    }
}
