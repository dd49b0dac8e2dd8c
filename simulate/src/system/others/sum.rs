//! [`Sum`]: a number that counts caches.

/// The bits by which a word is known as a sum.
const SIGN: u64 = 5 << 28;
/// The caches that may have names.
const NAMED: usize = 3;
/// The largest constant and the largest coefficient.
const CONSTANT: i64 = 127;
const COEFFICIENT: i64 = 7;

/// A number: a constant, plus a coefficient for each named cache, plus the sum of the coefficients of the other caches.
///
/// A counter of acknowledgements is a sum of 1 for each cache that has to acknowledge, and an acknowledgement takes away
/// the 1 of its sender. So a sum says which of the named caches are meant, and whether any of the others is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub constant: i64,
    /// The coefficients of the named caches.
    pub named: [i64; NAMED],
    /// Whether any of the others has a positive coefficient.
    pub has_more: bool,
    /// Whether any of the others has a negative coefficient.
    pub has_less: bool,
}

impl Sum {
    /// The coefficients that a sum may have.
    pub(crate) const COEFFICIENTS: [i64; 15] = [-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7];

    /// Whether a word is a sum, and no plain number.
    pub(crate) fn is_one(word: u64) -> bool {
        word >> 28 == SIGN >> 28
    }

    /// The sum that a word is.
    pub(crate) fn of(word: u64) -> Sum {
        if !Sum::is_one(word) {
            return Sum { constant: word as i64, ..Sum::default() };
        }
        let field = |at: u32, bits: u32| (word >> at & ((1 << bits) - 1)) as i64;
        Sum {
            constant: field(0, 8) - 128,
            named: std::array::from_fn(|cache| field(8 + 4 * cache as u32, 4) - 8),
            has_more: field(20, 1) != 0,
            has_less: field(21, 1) != 0,
        }
    }

    /// The word for a sum: a plain number if all coefficients are 0; `None` if it is too large.
    pub(crate) fn word(self) -> Option<u64> {
        if self.named == [0; NAMED] && !self.has_more && !self.has_less {
            return Some(self.constant as u64).filter(|&word| !Sum::is_one(word));
        }
        let fits = self.constant.abs() <= CONSTANT
            && self.named.iter().all(|coefficient| coefficient.abs() <= COEFFICIENT);
        let named = self.named.iter().enumerate();
        let named = named.map(|(cache, coefficient)| ((coefficient + 8) as u64) << (8 + 4 * cache));
        let flags = u64::from(self.has_more) << 20 | u64::from(self.has_less) << 21;
        let word = named.fold(SIGN | (self.constant + 128) as u64 | flags, |all, one| all | one);
        fits.then_some(word)
    }

    /// The number of caches in a set, of which those below `named` have names.
    pub(crate) fn of_set(bits: u64, named: u32) -> Sum {
        Sum {
            named: std::array::from_fn(|cache| {
                i64::from((cache as u32) < named && bits >> cache & 1 == 1)
            }),
            has_more: bits >> named != 0,
            ..Sum::default()
        }
    }

    /// The sum with the opposite sign.
    pub(crate) fn negative(self) -> Sum {
        Sum {
            constant: -self.constant,
            named: self.named.map(|coefficient| -coefficient),
            has_more: self.has_less,
            has_less: self.has_more,
        }
    }

    /// The sum of two; `None` if it is too large. Where it depends on which of the others are meant, `choose` decides.
    pub(crate) fn plus(self, other: Sum, choose: &mut dyn FnMut() -> bool) -> Option<Sum> {
        let named = std::array::from_fn(|cache| self.named[cache] + other.named[cache]);
        let is_certain = |sum: Sum| !sum.has_more && !sum.has_less;
        let same_sign = (!self.has_less && !other.has_less) || (!self.has_more && !other.has_more);
        let (has_more, has_less) = if is_certain(self) || is_certain(other) || same_sign {
            (self.has_more || other.has_more, self.has_less || other.has_less)
        } else {
            (choose(), choose())
        };
        Some(Sum {
            constant: self.constant.checked_add(other.constant)?,
            named,
            has_more,
            has_less,
        })
    }

    /// The smallest and the largest value, where there is one.
    fn range(self) -> (Option<i64>, Option<i64>) {
        let base = self.constant.saturating_add(self.named.iter().sum());
        match (self.has_more, self.has_less) {
            (false, false) => (Some(base), Some(base)),
            (true, false) => (Some(base.saturating_add(1)), None),
            (false, true) => (None, Some(base.saturating_sub(1))),
            (true, true) => (None, None),
        }
    }

    /// Whether it is less than another; `None` if that is open.
    pub(crate) fn less(self, other: Sum) -> Option<bool> {
        let ((low, high), (other_low, other_high)) = (self.range(), other.range());
        let is_less = high.zip(other_low).is_some_and(|(high, low)| high < low);
        let is_not = low.zip(other_high).is_some_and(|(low, high)| low >= high);
        if is_less || is_not { Some(is_less) } else { None }
    }

    /// Whether it is equal to another; `None` if that is open.
    pub(crate) fn equal(self, other: Sum) -> Option<bool> {
        let ((low, high), (other_low, other_high)) = (self.range(), other.range());
        if low.is_some() && low == high && (low, high) == (other_low, other_high) {
            return Some(true);
        }
        let apart = |high: Option<i64>, low: Option<i64>| {
            high.zip(low).is_some_and(|(high, low)| high < low)
        };
        (apart(high, other_low) || apart(other_high, low)).then_some(false)
    }

    /// The sum after a cache has taken a part of the constant upon itself, if that is 1 or -1: its coefficient changes, the
    /// value does not. `cache` is its number, and those from `named` on are others, whose coefficients `choose` decides
    /// where they are open.
    pub(crate) fn attributed(self, cache: u32, named: u32, choose: &mut dyn FnMut() -> bool) -> Sum {
        if self.constant.abs() != 1 {
            return self;
        }
        let mut sum = Sum { constant: 0, ..self };
        if cache < named {
            let coefficient = &mut sum.named[cache as usize];
            *coefficient += self.constant;
            return if coefficient.abs() > COEFFICIENT { self } else { sum };
        }
        let (own, opposite) = match self.constant {
            1 => (&mut sum.has_more, &mut sum.has_less),
            _ => (&mut sum.has_less, &mut sum.has_more),
        };
        // The coefficient of the cache was of the opposite sign, and may have been the only one, or it was not.
        if *opposite && choose() {
            *opposite = choose();
        } else {
            *own = true;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that a sum may have when up to two other caches have coefficients from -2 to 2.
    fn values(sum: Sum) -> Vec<i64> {
        let base = sum.constant + sum.named.iter().sum::<i64>();
        let pairs = (-2..3).flat_map(|one| (-2..3).map(move |other| [one, other]));
        let fits = |pair: &[i64; 2]| {
            pair.iter().any(|&of| of > 0) == sum.has_more
                && pair.iter().any(|&of| of < 0) == sum.has_less
        };
        pairs.filter(fits).map(|pair| base + pair[0] + pair[1]).collect()
    }

    fn all() -> Vec<Sum> {
        let flags = [(false, false), (true, false), (false, true), (true, true)];
        let of = |constant: i64, first: i64, (has_more, has_less): (bool, bool)| Sum {
            constant,
            named: [first, 0, 1],
            has_more,
            has_less,
        };
        let constants = (-1..2).flat_map(|constant| (-1..2).map(move |first| (constant, first)));
        constants.flat_map(|(constant, first)| flags.map(|one| of(constant, first, one))).collect()
    }

    #[test]
    fn words_are_read_as_they_were_written() {
        for sum in all() {
            assert_eq!(Sum::of(sum.word().expect("it is small")), sum);
        }
        let plain = Sum { constant: -1, ..Sum::default() };
        assert_eq!(plain.word(), Some(u64::MAX));
        assert!(!Sum::is_one(u64::MAX));
    }

    #[test]
    fn comparisons_hold_for_all_values() {
        for (left, right) in all().into_iter().flat_map(|left| all().map_pairs(left)) {
            let pairs: Vec<(i64, i64)> = values(left)
                .into_iter()
                .flat_map(|one| values(right).into_iter().map(move |other| (one, other)))
                .collect();
            if let Some(less) = left.less(right) {
                assert!(pairs.iter().all(|(one, other)| (one < other) == less));
            }
            if let Some(equal) = left.equal(right) {
                assert!(pairs.iter().all(|(one, other)| (one == other) == equal));
            }
        }
    }

    trait Pairs {
        fn map_pairs(self, left: Sum) -> Vec<(Sum, Sum)>;
    }

    impl Pairs for Vec<Sum> {
        fn map_pairs(self, left: Sum) -> Vec<(Sum, Sum)> {
            self.into_iter().map(|right| (left, right)).collect()
        }
    }

    /// All sums that a function with choices may return.
    fn possible(of: &dyn Fn(&mut dyn FnMut() -> bool) -> Sum) -> Vec<Sum> {
        let scripts = (0..4).map(|bits| [bits & 1 == 1, bits & 2 == 2]);
        let run = |script: [bool; 2]| {
            let mut script = script.into_iter();
            of(&mut || script.next().unwrap_or(false))
        };
        scripts.map(run).collect()
    }

    /// The signs of the coefficients of two others.
    fn signed(sum: Sum, others: [i64; 2]) -> Sum {
        Sum {
            has_more: others.iter().any(|&of| of > 0),
            has_less: others.iter().any(|&of| of < 0),
            ..sum
        }
    }

    #[test]
    fn others_are_added_one_by_one() {
        let pairs: Vec<[i64; 2]> =
            (-1..2).flat_map(|one| (-1..2).map(move |other| [one, other])).collect();
        for (one, other) in pairs.iter().flat_map(|one| pairs.iter().map(move |other| (*one, *other))) {
            let (left, right) = (signed(Sum::default(), one), signed(Sum::default(), other));
            let sums = possible(&|choose| left.plus(right, choose).expect("it is small"));
            let exact = signed(Sum::default(), [one[0] + other[0], one[1] + other[1]]);
            assert!(sums.contains(&exact), "{one:?} + {other:?}: {sums:?}");
        }
        // The second of the others takes the constant upon itself.
        for (pair, constant) in pairs.iter().flat_map(|pair| [(*pair, 1), (*pair, -1)]) {
            let sum = signed(Sum { constant, ..Sum::default() }, pair);
            let sums = possible(&|choose| sum.attributed(3, 3, choose));
            let exact = signed(Sum::default(), [pair[0], pair[1] + constant]);
            assert!(sums.contains(&exact), "{pair:?} with {constant}: {sums:?}");
        }
    }
}
