//! [`Reorder`]: places a stretch of a run anew, so that two of its events change their order.

use super::part::Part;
use super::search::{Progress, Search};
use super::{Columns, WindowLimits, admission};
use host::Bounds;

use crate::engine::events::{Events, NONE};

/// See [`WindowLimits::patience`]. There are many stretches, and other ways to decide the pair.
const PATIENCE: usize = 16;

/// A stretch of a run.
#[derive(Debug)]
pub struct Stretch<'a> {
    /// The events of the stretch, in the order of the run.
    pub events: &'a [u32],
    /// Per location, the write before the stretch that it holds at first, or
    /// [`INITIAL`](crate::engine::events::INITIAL).
    pub held: &'a [u32],
    /// The writes that have to be the last of their locations in the stretch.
    pub finals: &'a [u32],
}

/// Places stretches of the runs of a history anew.
pub struct Reorder<'e> {
    events: &'e Events,
    columns: Columns,
    /// See [`Part::new`].
    numbers: Vec<u32>,
}

impl<'e> Reorder<'e> {
    /// Prepares the columns that the search needs of all events. Cost: linear.
    pub fn new(events: &'e Events) -> Reorder<'e> {
        Reorder { events, columns: Columns::of(events), numbers: vec![NONE; events.len()] }
    }

    /// An order of a stretch in which `first` precedes `second`; `None` if none is found. The order keeps
    /// what preserved program order and reads require. Cost: the number of locations, and that of a search in
    /// the stretch.
    pub fn place(
        &mut self,
        stretch: &Stretch<'_>,
        first: u32,
        second: u32,
        bounds: &Bounds,
    ) -> Option<Vec<u32>> {
        let input = self.columns.input(self.events, &[]);
        let mut part =
            Part::new(&input, stretch.events, stretch.held, stretch.finals, &mut self.numbers);
        part.require(first, second);
        let input = part.input();
        let admission = admission::order(&input)?;
        let extent = WindowLimits { size: stretch.events.len(), patience: PATIENCE };
        let mut search = Search::new(&input, &admission, extent, bounds)?;
        if search.run(|_| false) != Progress::Complete {
            return None;
        }
        let order = search.into_order().into_iter();
        Some(order.map(|event| part.original(event)).collect())
    }
}
