//! Sorts the operations of a builder by thread and program order, and ranks their completions.
//!
//! The keys are line numbers and positions in program order. Most of them are different and close to each other, so
//! counting them takes less time than sorting.

use rustc_hash::FxHashMap;

use crate::operation::{NONE32, NONE64};

/// Largest ratio of the range of keys to their number for which keys are counted instead of sorted.
const DENSE: u64 = 64;

/// Largest number of ranks, for each row, that are counted instead of sorted; a rank takes 4 bytes.
const MOST_RANKS_PER_ROW: usize = 4;

/// All rows in ascending order of their labels; rows with the same label stay in their order. Cost: linear, plus
/// sorting the distinct labels.
pub(crate) fn rows_by_label(labels: &[u32]) -> Vec<u32> {
    let mut starts: FxHashMap<u32, u32> = FxHashMap::default();
    for same in labels.chunk_by(|a, b| a == b) {
        *starts.entry(same[0]).or_default() += same.len() as u32;
    }
    if starts.len() <= 1 {
        return (0..labels.len() as u32).collect();
    }
    let mut counts: Vec<(u32, u32)> =
        starts.iter().map(|(&label, &count)| (label, count)).collect();
    counts.sort_unstable();
    let mut next = 0;
    for (label, count) in counts {
        starts.insert(label, next);
        next += count;
    }
    let mut rows = vec![0; labels.len()];
    let mut row = 0;
    for same in labels.chunk_by(|a, b| a == b) {
        let start = starts.entry(same[0]).or_default();
        for place in &mut rows[*start as usize..*start as usize + same.len()] {
            *place = row;
            row += 1;
        }
        *start += same.len() as u32;
    }
    rows
}

/// Sorts rows by their keys of program order; rows with the same key stay in their order.
pub(crate) fn sort_by_sequence(rows: &mut [u32], sequence: impl Fn(u32) -> u64) {
    if rows.is_sorted_by_key(|&row| sequence(row)) {
        return;
    }
    let keys: Vec<u64> = rows.iter().map(|&row| sequence(row)).collect();
    match Counted::of(&keys).filter(|_| !keys.contains(&NONE64)) {
        Some(counted) => {
            let before = rows.to_vec();
            for (row, key) in before.into_iter().zip(keys) {
                rows[counted.rank(key) as usize] = row;
            }
        }
        None => rows.sort_by_key(|&row| sequence(row)),
    }
}

/// Returns the rank of each key; equal keys are ranked in the order in which they come. A missing key, `u64::MAX`, has
/// the rank [`NONE32`].
pub(crate) fn ranks(keys: &[u64]) -> Vec<u32> {
    if let Some(counted) = Counted::of(keys) {
        return keys.iter().map(|&key| counted.rank(key)).collect();
    }
    let mut ops: Vec<u32> =
        (0..keys.len() as u32).filter(|&op| keys[op as usize] != NONE64).collect();
    ops.sort_by_key(|&op| keys[op as usize]);
    let mut order = vec![NONE32; keys.len()];
    for (rank, &op) in ops.iter().enumerate() {
        order[op as usize] = rank as u32;
    }
    order
}

/// All rows in ascending order of their ranks; rows with the same rank stay in their order, and those without one come
/// last. Cost: linear, or that of sorting if the ranks have large gaps.
pub(crate) fn rows_by_rank(ranks: &[u32]) -> Vec<u32> {
    let known = ranks.iter().copied().filter(|&rank| rank != NONE32);
    let missing = known.max().map_or(0, |greatest| greatest as usize + 1);
    if missing > MOST_RANKS_PER_ROW * ranks.len() {
        let mut rows: Vec<u32> = (0..ranks.len() as u32).collect();
        rows.sort_by_key(|&row| ranks[row as usize]);
        return rows;
    }
    let rank = |rank: u32| if rank == NONE32 { missing } else { rank as usize };
    // By rank, the place of the next row that has it.
    let mut places = vec![0u32; missing + 2];
    for &own in ranks {
        places[rank(own) + 1] += 1;
    }
    for at in 1..places.len() {
        places[at] += places[at - 1];
    }
    let mut rows = vec![0; ranks.len()];
    for (row, &own) in (0..).zip(ranks) {
        let place = &mut places[rank(own)];
        rows[*place as usize] = row;
        *place += 1;
    }
    rows
}

/// A set of distinct keys as a bit set whose first bit is the least key.
struct Counted {
    least: u64,
    bits: Vec<u64>,
    /// For each word of bits, the number of keys in the words before it.
    before: Vec<u32>,
}

impl Counted {
    /// The set of the keys that are not missing; `None` if two of them are equal, or they are too far apart.
    fn of(keys: &[u64]) -> Option<Counted> {
        let known = || keys.iter().copied().filter(|&key| key != NONE64);
        let (least, greatest) =
            known().fold((u64::MAX, 0), |(least, most), key| (key.min(least), key.max(most)));
        let range = greatest.saturating_sub(least);
        if range / DENSE > keys.len() as u64 {
            return None;
        }
        let mut bits = vec![0u64; range as usize / 64 + 1];
        for key in known() {
            let (word, bit) = place(key - least);
            if bits[word] & bit != 0 {
                return None;
            }
            bits[word] |= bit;
        }
        let mut count = 0;
        let before = bits.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        Some(Counted { least, before: before.collect(), bits })
    }

    /// The number of keys below `key`, which is in the set or missing; [`NONE32`] for a missing key.
    fn rank(&self, key: u64) -> u32 {
        if key == NONE64 {
            return NONE32;
        }
        let (word, bit) = place(key - self.least);
        self.before[word] + (self.bits[word] & (bit - 1)).count_ones()
    }
}

/// The word that has the bit of a key, and a mask of that bit.
fn place(key: u64) -> (usize, u64) {
    ((key / 64) as usize, 1 << (key % 64))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Strategy for keys that are close together, far apart, repeated and missing.
    fn keys() -> impl Strategy<Value = Vec<u64>> {
        let key = prop_oneof![
            8 => 0u64..200,
            1 => 0u64..1 << 40,
            1 => Just(NONE64),
        ];
        let distinct = (0u64..1000, 1usize..80)
            .prop_flat_map(|(least, count)| {
                Just((least..least + count as u64).map(|key| key * 3).collect::<Vec<_>>())
            })
            .prop_shuffle();
        prop_oneof![vec(key, 0..60), distinct]
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_a_stable_sort(keys in keys()) {
            let mut sorted: Vec<usize> = (0..keys.len()).filter(|&at| keys[at] != NONE64).collect();
            sorted.sort_by_key(|&at| keys[at]);
            let mut expected = vec![NONE32; keys.len()];
            for (rank, at) in sorted.into_iter().enumerate() {
                expected[at] = rank as u32;
            }
            prop_assert_eq!(ranks(&keys), expected);
        }

        #[test]
        fn rows_by_rank_are_in_the_order_of_a_stable_sort(
            ranks in vec(prop_oneof![8 => 0u32..20, 1 => 0u32..u32::MAX, 1 => Just(NONE32)], 0..60)
        ) {
            let mut expected: Vec<u32> = (0..ranks.len() as u32).collect();
            expected.sort_by_key(|&row| ranks[row as usize]);
            prop_assert_eq!(rows_by_rank(&ranks), expected);
        }

        #[test]
        fn rows_are_in_the_order_of_a_stable_sort(labels in vec(0u32..5, 0..60), keys in keys()) {
            let mut rows = rows_by_label(&labels);
            let key = |row: u32| keys.get(row as usize).copied().unwrap_or(7);
            for own in rows.chunk_by_mut(|a, b| labels[*a as usize] == labels[*b as usize]) {
                sort_by_sequence(own, key);
            }
            let mut expected: Vec<u32> = (0..labels.len() as u32).collect();
            expected.sort_by_key(|&row| (labels[row as usize], key(row)));
            prop_assert_eq!(rows, expected);
        }
    }
}
