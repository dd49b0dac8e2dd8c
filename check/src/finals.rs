//! The writes that final values come from.

use history::{History, OpId};
use rustc_hash::FxHashMap;

use crate::machine;
use crate::proof::Contradiction;

/// Where the final values that a history states can come from.
#[derive(Clone, Debug, Default)]
pub struct Finals {
    /// Writes whose value is final at their location; each comes last there.
    pub writes: Vec<OpId>,
    /// Locations whose final value several writes have, with these writes.
    pub open: Vec<(u32, Vec<OpId>)>,
}

impl Finals {
    /// Finds them. Cost: linear.
    ///
    /// # Errors
    /// A location cannot end with its final value.
    pub fn of(history: &History) -> Result<Finals, Contradiction> {
        let mut finals = Finals::default();
        if history.finals().is_empty() {
            return Ok(finals);
        }
        let mut writers: FxHashMap<(u32, u64), Vec<OpId>> = FxHashMap::default();
        let mut written = vec![false; history.locations().len()];
        let free = machine::unconstrained_locations(history);
        for op in history.ops() {
            if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
                writers.entry((location, value)).or_default().push(op);
                written[location as usize] = true;
            }
        }
        for last in history.finals() {
            match writers.get(&(last.location, last.value)).map(Vec::as_slice) {
                _ if free[last.location as usize] => {}
                Some(&[write]) => finals.writes.push(write),
                Some(several) => finals.open.push((last.location, several.to_vec())),
                None if !written[last.location as usize]
                    && history.initial(last.location) == Some(last.value) => {}
                None => return Err(Contradiction::ThinFinal(last.location)),
            }
        }
        Ok(finals)
    }
}
