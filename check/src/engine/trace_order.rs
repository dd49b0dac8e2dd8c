//! The stage `trace-order`: tries the trace's own order as memory order.
//!
//! If a trace shows when operations completed and stores reached memory, that order is most often a memory
//! order (Qadeer's simple witness, section 5). The operational machine runs it, so a wrong guess does no
//! harm. Cost: linear.

use history::{History, OpId};

use crate::engine::csr::Csr;
use crate::engine::schedule::run_of;
use memory::Model;
use memory::machine::Step;

/// Tries the trace's order. Returns the steps of a consistent run, or `None` if the trace gives
/// no order or the order does not satisfy the model.
pub fn try_trace_order(
    history: &History,
    model: Model,
    left_out: impl Fn(OpId) -> bool,
) -> Option<Vec<Step>> {
    if !history.has_order() {
        return None;
    }
    let ranks = history.ops().filter_map(|op| history.order(op)).max().map_or(0, |rank| rank + 1);
    let ops: Vec<OpId> = history.ops().filter(|&op| !left_out(op)).collect();
    // A store that the trace does not show reaching memory goes last.
    let ranked = ops.iter().map(|&op| (history.order(op).unwrap_or(ranks), op.0));
    let by_rank = Csr::new(ranks as usize + 1, ranked);
    let order: Vec<OpId> =
        (0..=ranks).flat_map(|rank| by_rank.of(rank)).map(|&op| OpId(op)).collect();
    run_of(history, model, &order, left_out)
}
