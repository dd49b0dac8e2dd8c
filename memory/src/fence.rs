//! What a fence adds to a model.

use history::{Kind, WeakFence};

use crate::model::Buffering;

/// What a fence orders under a model that the model does not keep anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceEffect {
    /// The fence adds no order.
    Nothing,
    /// Stores before it precede reads after it.
    StoreLoad,
    /// Stores before it precede writes after it.
    StoreStore,
    /// All before it precedes all after it.
    Full,
}

impl FenceEffect {
    /// What a weak fence orders with such buffers.
    pub(crate) fn of(fence: WeakFence, buffering: Buffering) -> FenceEffect {
        match (fence.orders_store_load(), fence.orders_store_store()) {
            _ if buffering == Buffering::None => FenceEffect::Nothing,
            (true, _) if buffering == Buffering::InOrder => FenceEffect::Full,
            (false, _) if buffering == Buffering::InOrder => FenceEffect::Nothing,
            (true, true) => FenceEffect::Full,
            (true, false) => FenceEffect::StoreLoad,
            (false, true) => FenceEffect::StoreStore,
            (false, false) => FenceEffect::Nothing,
        }
    }

    /// Whether memory order can have the fence before an access that follows it. This and
    /// [`FenceEffect::follows`] give accesses no order, by way of the fence, that they do not have
    /// in their own right.
    pub(crate) fn precedes(self, access: Kind) -> bool {
        match self {
            FenceEffect::Nothing => false,
            FenceEffect::StoreLoad => access.reads(),
            FenceEffect::StoreStore => access.writes(),
            FenceEffect::Full => true,
        }
    }

    /// Whether memory order can have the fence after an access that precedes it.
    pub(crate) fn follows(self, access: Kind) -> bool {
        match self {
            FenceEffect::Nothing => false,
            FenceEffect::StoreLoad | FenceEffect::Full => true,
            FenceEffect::StoreStore => access.writes(),
        }
    }

    /// Whether memory order can have the fence before a later one. One that orders writes and one
    /// that orders reads must not order together what neither orders.
    pub(crate) fn precedes_fence(self, later: FenceEffect) -> bool {
        let fences = [self, later];
        !fences.contains(&FenceEffect::Nothing)
            && (self == later || fences.contains(&FenceEffect::Full))
    }
}
