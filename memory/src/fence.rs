//! [`FenceEffect`]: the order that a fence adds to what a model preserves anyway.

use history::{Kind, WeakFence};

use crate::model::Buffering;

/// The pairs of accesses that a fence orders, other than those that the model preserves without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceEffect {
    /// The fence adds no order.
    Nothing,
    /// Stores before the fence precede reads after it.
    StoreLoad,
    /// Stores before the fence precede writes after it.
    StoreStore,
    /// Every access before the fence precedes every access after it.
    Full,
}

impl FenceEffect {
    /// The effect of a weak fence in a model whose stores wait in this way.
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

    /// Whether the fence precedes an access after it in memory order. This and [`FenceEffect::follows`]
    /// are chosen so that the closure through the fence orders no pair that the fence does not order.
    pub(crate) fn precedes(self, access: Kind) -> bool {
        match self {
            FenceEffect::Nothing => false,
            FenceEffect::StoreLoad => access.reads(),
            FenceEffect::StoreStore => access.is_ordered_as_write(),
            FenceEffect::Full => true,
        }
    }

    /// Whether the fence follows an access before it in memory order.
    pub(crate) fn follows(self, access: Kind) -> bool {
        match self {
            FenceEffect::Nothing => false,
            FenceEffect::StoreLoad | FenceEffect::Full => true,
            FenceEffect::StoreStore => access.is_ordered_as_write(),
        }
    }

    /// Whether the fence precedes a later fence in memory order. A fence that orders writes and one that orders reads
    /// must not be ordered, since together they would order pairs of accesses that neither orders alone.
    pub(crate) fn precedes_fence(self, later: FenceEffect) -> bool {
        let fences = [self, later];
        !fences.contains(&FenceEffect::Nothing)
            && (self == later || fences.contains(&FenceEffect::Full))
    }
}
