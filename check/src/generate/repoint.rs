//! Reads that return the value of another write.

use history::OpId;

use super::dice::Dice;
use super::program::Program;
use super::run::Run;
use super::{Recipe, RecipeError};

/// Makes [`Recipe::violations`] random reads return the value of another write of their location,
/// at most [`Recipe::distance`] operations before or after them in memory order, chosen at random.
pub(super) fn repoint(
    program: &Program,
    run: &mut Run,
    recipe: &Recipe,
    dice: &mut Dice,
) -> Result<(), RecipeError> {
    if recipe.violations == 0 {
        return Ok(());
    }
    let order = Order::new(program, run, recipe.locations);
    let mut reads = program.reads();
    let mut found = 0;
    for at in 0..reads.len() {
        if found == recipe.violations {
            break;
        }
        dice.draw(&mut reads[at..], 1);
        let read = reads[at];
        let others = order.others(program, run, read, recipe.distance);
        if !others.is_empty() {
            run.source[read.at()] = others[dice.index(others.len())];
            found += 1;
        }
    }
    if found == recipe.violations {
        return Ok(());
    }
    Err(RecipeError::TooFewReads {
        wanted: recipe.violations,
        found,
        distance: recipe.distance,
    })
}

/// The memory order of a run.
struct Order {
    /// By operation, its place, from 1.
    place: Vec<u32>,
    /// By location, its writes in memory order.
    writes: Vec<Vec<OpId>>,
}

impl Order {
    fn new(program: &Program, run: &Run, locations: u32) -> Order {
        let mut ops: Vec<u32> = (0..run.completed.len() as u32).collect();
        ops.sort_unstable_by_key(|&op| run.completed[op as usize]);
        let mut order = Order {
            place: vec![0; ops.len()],
            writes: vec![Vec::new(); locations as usize],
        };
        for (place, op) in (1..).zip(ops) {
            order.place[op as usize] = place;
            if let Some(location) = program.writes_to(OpId(op)) {
                order.writes[location as usize].push(OpId(op));
            }
        }
        order
    }

    /// What a read could have read nearby and did not: writes, `None` for the initial value.
    fn others(&self, program: &Program, run: &Run, read: OpId, far: u32) -> Vec<Option<OpId>> {
        let place = self.place[read.at()];
        let writes = &self.writes[program.location_of(read) as usize];
        let from = place.saturating_sub(far);
        let to = place.saturating_add(far);
        let first = writes.partition_point(|write| self.place[write.at()] < from);
        let near = writes[first..]
            .iter()
            .take_while(|write| self.place[write.at()] <= to);
        let initial = (from == 0).then_some(None);
        initial
            .into_iter()
            .chain(near.map(|&write| Some(write)))
            .filter(|&other| other != run.source[read.at()] && other != Some(read))
            .collect()
    }
}
