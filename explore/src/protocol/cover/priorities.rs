//! How the next move of a walk is chosen.

use history::random::Rng;
use simulate::stepper::{Known, Label, Move};

use crate::protocol::search::is_spontaneous;

/// The choices that a walk keeps to: how often cores ask, and what waits for what.
pub(super) struct Priorities {
    /// Of 100 moves, how many are new requests where there is a choice.
    ask_percent: u32,
    /// Of 100 other moves, how many are drawn from all; the rest are those of the highest priority.
    any_percent: u32,
    /// Decides the priorities of buffers, controllers and timers.
    salt: u64,
}

impl Priorities {
    pub(super) fn draw(rng: &mut Rng) -> Priorities {
        Priorities {
            ask_percent: rng.one_of(&[3, 10, 30, 60]),
            any_percent: rng.one_of(&[5, 20, 50, 100]),
            salt: rng.below(u64::MAX) | 1,
        }
    }

    /// Chooses one of the moves of a state; `None` if there are none.
    pub(super) fn choose(
        &self,
        known: &Known,
        state: &[u32],
        moves: &[Move],
        rng: &mut Rng,
    ) -> Option<Move> {
        let (mut rest, mut asks) = (Vec::new(), Vec::new());
        for &one in moves {
            if is_spontaneous(one) { rest.push(one) } else { asks.push(one) }
        }
        let asking = !asks.is_empty() && (rest.is_empty() || rng.percent(self.ask_percent));
        let pool = if asking { asks } else { rest };
        if asking || rng.percent(self.any_percent) {
            return pool.get(rng.index(pool.len())).copied();
        }
        pool.into_iter().max_by_key(|&one| self.of(known.label(state, one)))
    }

    /// The priority of what a move is about.
    fn of(&self, label: Label) -> u64 {
        let (kind, number) = match label {
            Label::Arrives { buffer, .. } => (1, buffer),
            Label::Wakes { controller } => (2, controller),
            Label::Expires { table, .. } => (3, table),
            Label::Asks { agent, .. } => (4, agent),
        };
        let key = (number as u64) << 3 | kind;
        // Fibonacci hashing: neighbouring numbers get unrelated priorities.
        key.wrapping_mul(self.salt).rotate_left(29).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}
