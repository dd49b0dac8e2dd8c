//! Labels of moves, which are the same for the same move in different states.

use super::Known;
use super::in_flight::NOTHING_IN_FLIGHT;
use crate::system::stepping::{Action, Move};

/// The label of a move. For fairness, moves of different states with the same label count as the same move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A core or device asks for a line, or uses what it has loaded early.
    Asks {
        /// The core or, after the cores, the DMA device.
        agent: usize,
        /// The number of the line.
        line: usize,
        /// The action.
        action: Action,
    },
    /// A message arrives, or memory takes it.
    Arrives {
        /// The buffer.
        buffer: usize,
        /// The path on which messages keep their order, or 0.
        lane: u32,
        /// The number of the message, if its path has no order; the first message of a path with an order is any.
        message: u32,
    },
    /// A controller is woken.
    Wakes {
        /// The controller.
        controller: usize,
    },
    /// A timer runs out.
    Expires {
        /// The table of timers.
        table: usize,
        /// Number of the line, from 1.
        line: u64,
    },
}

impl Known {
    /// The label of a move of a state.
    pub fn label(&self, state: &[u32], chosen: Move) -> Label {
        match chosen {
            Move::Ask { core, line, action, .. } => Label::Asks { agent: core, line, action },
            Move::Arrive { buffer, at } | Move::Memory { buffer, at } => {
                let place = self.layout.receivers[buffer].at;
                let sequence = place.map_or(NOTHING_IN_FLIGHT, |place| state[place]);
                let (lane, message) = self.sequences.messages(sequence)[at];
                Label::Arrives { buffer, lane, message: if lane == 0 { message } else { 0 } }
            }
            Move::Wake { controller } => Label::Wakes { controller },
            Move::Timer { table, line } => Label::Expires { table, line },
        }
    }

    /// The requests under way in a state: for each line a byte, with a bit for each core or device.
    pub fn requests(&self, state: &[u32]) -> u64 {
        let all = 0..self.owned.len();
        all.fold(0, |requests, controller| requests | self.summary(state, controller).requests)
    }
}
