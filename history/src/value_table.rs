//! [`ValueTable`]: finds the write of a value at one location.

use rustc_hash::FxHashMap;

use crate::history::History;
use crate::operation::NONE32;

/// Largest ratio of the range of values to the number of writes for which a table is dense.
const DENSE: u64 = 4;

/// Maps the values that are written to a location to numbers. Most test programs count their values up, so that a value
/// can be an index into a vector.
#[derive(Clone, Debug)]
pub(crate) enum ValueTable {
    /// The numbers by the distance of the value from `least`; [`NONE32`] where the value has no number.
    Dense {
        least: u64,
        numbers: Vec<u32>,
    },
    Sparse(FxHashMap<u64, u32>),
}

/// The number of writes to a location, with the least and the greatest value written.
#[derive(Clone, Copy)]
struct Written {
    count: u64,
    least: u64,
    greatest: u64,
}

impl ValueTable {
    /// Empty tables for the writes to each location. Cost: linear.
    pub(crate) fn for_writes(history: &History) -> Vec<ValueTable> {
        let none = Written { count: 0, least: u64::MAX, greatest: 0 };
        let mut written = vec![none; history.locations().len()];
        for op in history.ops() {
            if let (Some(location), Some(value)) = (history.location(op), history.written(op)) {
                let of = &mut written[location as usize];
                of.count += 1;
                of.least = of.least.min(value);
                of.greatest = of.greatest.max(value);
            }
        }
        written.into_iter().map(ValueTable::for_values).collect()
    }

    fn for_values(written: Written) -> ValueTable {
        let Written { count, least, greatest } = written;
        let range = greatest.saturating_sub(least);
        if range / DENSE < count {
            return ValueTable::Dense { least, numbers: vec![NONE32; range as usize + 1] };
        }
        let mut sparse = FxHashMap::default();
        sparse.reserve(count as usize);
        ValueTable::Sparse(sparse)
    }

    /// The number of a value; `None` if the value has none.
    pub(crate) fn get(&self, value: u64) -> Option<u32> {
        match self {
            ValueTable::Dense { least, numbers } => {
                let at = usize::try_from(value.checked_sub(*least)?).ok()?;
                numbers.get(at).copied().filter(|&number| number != NONE32)
            }
            ValueTable::Sparse(numbers) => numbers.get(&value).copied(),
        }
    }

    /// Gives `number`, which must not be [`NONE32`], to a value that is written to the location. Returns the earlier
    /// number of the value.
    pub(crate) fn insert(&mut self, value: u64, number: u32) -> Option<u32> {
        match self {
            ValueTable::Dense { least, numbers } => {
                let before = std::mem::replace(&mut numbers[(value - *least) as usize], number);
                (before != NONE32).then_some(before)
            }
            ValueTable::Sparse(numbers) => numbers.insert(value, number),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn table(values: &[u64]) -> ValueTable {
        ValueTable::for_values(Written {
            count: values.len() as u64,
            least: values.iter().copied().min().unwrap_or(u64::MAX),
            greatest: values.iter().copied().max().unwrap_or(0),
        })
    }

    proptest! {
        #[test]
        fn a_table_is_a_map(
            factor in prop_oneof![Just(1u64), Just(3), Just(1 << 55)],
            values in vec(0u64..100, 0..50),
            absent in vec(any::<u64>(), 0..5),
        ) {
            let values: Vec<u64> = values.iter().map(|value| value * factor).collect();
            let mut table = table(&values);
            let mut map = std::collections::HashMap::new();
            for (number, &value) in values.iter().enumerate() {
                prop_assert_eq!(table.insert(value, number as u32), map.insert(value, number as u32));
            }
            for value in values.iter().copied().chain(0..400).chain(absent) {
                prop_assert_eq!(table.get(value), map.get(&value).copied());
            }
        }
    }

    #[test]
    fn both_kinds_of_tables_occur() {
        assert!(matches!(table(&[7, 9, 8]), ValueTable::Dense { .. }));
        assert!(matches!(table(&[7, u64::MAX]), ValueTable::Sparse(_)));
        assert_eq!(table(&[]).get(0), None);
    }
}
