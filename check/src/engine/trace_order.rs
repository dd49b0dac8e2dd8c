//! The stage `trace-order`: tries the trace's own order as memory order.
//!
//! If a trace shows when operations completed and stores reached memory, that order is most often a memory
//! order (Qadeer's simple witness, section 5). The operational machine runs it, so a wrong guess does no
//! harm. Cost: linear.

use history::{History, OpId};

use crate::engine::schedule::run_of;
use memory::Model;
use memory::machine::Step;

/// Tries the trace's order. Returns the steps of a consistent run, or `None` if the trace gives
/// no order or the order does not satisfy the model.
pub(crate) fn try_trace_order(
    history: &History,
    model: Model,
    left_out: impl Fn(OpId) -> bool,
) -> Option<Vec<Step>> {
    if !history.has_order() {
        return None;
    }
    let mut order = history.in_order_of_completion();
    order.retain(|&op| !left_out(op));
    run_of(history, model, &order, left_out)
}
