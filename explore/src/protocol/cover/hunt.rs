//! Makes for a row on a walk: its event is held back until the state of the row is there.
//!
//! Many rows are races: a message arrives in a state in which it hardly ever comes. A random walk lets it arrive long before. So a walk that hunts
//! for a row looks one move ahead: a move that leads to the row, or to a finding, is made at once, and a move that would bring the row's event in
//! another state waits as long as anything else can be done.

use simulate::stepper::{Move, PartStepper};

use super::super::search::is_spontaneous;
use super::table::{Row, Table};

/// A row that a walk makes for.
pub(super) struct Hunt<'t> {
    table: &'t Table,
    row: Row,
}

impl<'t> Hunt<'t> {
    /// The hunt for the row with a triple, if the table has it.
    pub(super) fn new(table: &'t Table, triple: u32) -> Option<Hunt<'t>> {
        table.row(triple).map(|&row| Hunt { table, row })
    }

    /// Leaves those moves of a state that the hunt would make. At least one is left, if there are any.
    pub(super) fn narrow(&self, stepper: &mut PartStepper, state: &[u32], moves: &mut Vec<Move>) {
        let mut after = state.to_vec();
        let mut left = Vec::with_capacity(moves.len());
        for &one in moves.iter() {
            if !is_spontaneous(one) {
                left.push(one);
                continue;
            }
            let is_finding = stepper.take(state, one, &mut after).is_err();
            let triple = stepper.change().map(|change| change.triple);
            if is_finding || triple == Some(self.row.triple) {
                *moves = vec![one];
                return;
            }
            if !triple.is_some_and(|triple| self.is_early(triple)) {
                left.push(one);
            }
        }
        if !left.is_empty() {
            *moves = left;
        }
    }

    /// Whether a transition handles the row's event in another state.
    fn is_early(&self, triple: u32) -> bool {
        let other = self.table.row(triple);
        other.is_some_and(|other| {
            (other.machine, other.event) == (self.row.machine, self.row.event)
                && other.state != self.row.state
        })
    }
}
