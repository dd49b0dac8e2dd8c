//! [`Sum`]: a number that counts caches.

/// The bits by which a word is known as a sum.
const SIGN: u64 = 5 << 28;
/// The bit of a sum that the running move has calculated.
const CALCULATED: u64 = 1 << 7;
/// The caches that may have names.
const NAMED: usize = 4;
/// The largest constant and the largest coefficient.
const CONSTANT: i64 = 63;
const COEFFICIENT: i64 = 1;
/// Stands for 2 and all larger numbers.
const MANY: u8 = 2;

/// A number: a constant, plus a coefficient for each named cache, plus the coefficients of the other caches.
///
/// A counter of acknowledgements is a sum of 1 for each cache that has to acknowledge, and an acknowledgement takes away
/// the 1 of its sender. So a sum says which of the named caches are meant, and how many of the others: none, one or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub constant: i64,
    /// The coefficients of the named caches.
    pub named: [i64; NAMED],
    /// The sum of the positive coefficients of the others, up to [`MANY`].
    pub more: u8,
    /// The sum of their negative coefficients without the sign, up to [`MANY`].
    pub less: u8,
}

/// The number that a sum of numbers up to [`MANY`] is.
fn capped(number: i64) -> u8 {
    number.clamp(0, i64::from(MANY)) as u8
}

impl Sum {
    /// The coefficients that a sum may have.
    pub(crate) const COEFFICIENTS: [i64; 3] = [-1, 0, 1];

    /// What may be known of the coefficients of the others: those that are positive, and those that are negative.
    pub(crate) const OF_OTHERS: [(u8, u8); 9] =
        [(0, 0), (1, 0), (0, 1), (1, 1), (MANY, 0), (0, MANY), (MANY, 1), (1, MANY), (MANY, MANY)];

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
            constant: field(0, 7) - 64,
            named: std::array::from_fn(|cache| field(8 + 4 * cache as u32, 4) - 8),
            more: field(24, 2) as u8,
            less: field(26, 2) as u8,
        }
    }

    /// The word for a sum: a plain number if all coefficients are 0; `None` if it is too large.
    pub(crate) fn word(self) -> Option<u64> {
        if self.named == [0; NAMED] && self.more == 0 && self.less == 0 {
            return Some(self.constant as u64).filter(|&word| !Sum::is_one(word));
        }
        let fits = self.constant.abs() <= CONSTANT
            && self.named.iter().all(|coefficient| coefficient.abs() <= COEFFICIENT);
        let named = self.named.iter().enumerate();
        let named = named.map(|(cache, coefficient)| ((coefficient + 8) as u64) << (8 + 4 * cache));
        let others = u64::from(self.more) << 24 | u64::from(self.less) << 26;
        let word = named.fold(SIGN | (self.constant + 64) as u64 | others, |all, one| all | one);
        fits.then_some(word)
    }

    /// Whether a sum was calculated by the running move, so that it is none of those that were there before.
    pub(crate) fn is_calculated(word: u64) -> bool {
        Sum::is_one(word) && word & CALCULATED != 0
    }

    /// The word of a sum that the running move has calculated.
    pub(crate) fn calculated(word: u64) -> u64 {
        if Sum::is_one(word) { word | CALCULATED } else { word }
    }

    /// The number of caches in a set: of those with names by their bits, and of the others.
    pub(crate) fn of_set(bits: u64, others: u8) -> Sum {
        let named = std::array::from_fn(|cache| (bits >> cache & 1) as i64);
        Sum { named, more: others, ..Sum::default() }
    }

    /// The sum with the opposite sign.
    pub(crate) fn negative(self) -> Sum {
        Sum {
            constant: -self.constant,
            named: self.named.map(|coefficient| -coefficient),
            more: self.less,
            less: self.more,
        }
    }

    /// The coefficient of one more cache among the others.
    #[must_use]
    pub(crate) fn with_other(self, coefficient: i64) -> Sum {
        Sum {
            more: capped(i64::from(self.more) + coefficient.max(0)),
            less: capped(i64::from(self.less) - coefficient.min(0)),
            ..self
        }
    }

    /// The sum of two; `None` if it is too large. Where it depends on which of the others are meant, `pick` chooses among a
    /// number of results, those that are `allowed`; `excluded` becomes true if others are not.
    pub(crate) fn plus(
        self,
        other: Sum,
        allowed: &dyn Fn(u8, u8) -> bool,
        excluded: &mut bool,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Option<Sum> {
        let named = std::array::from_fn(|cache| self.named[cache] + other.named[cache]);
        let constant = self.constant.checked_add(other.constant)?;
        let sum = Sum { constant, named, more: 0, less: 0 };
        let positive = i64::from(self.more) + i64::from(other.more);
        let negative = i64::from(self.less) + i64::from(other.less);
        // If no coefficient of one meets one of the opposite sign of the other, none changes its sign.
        let meet = (self.more > 0 && other.less > 0) || (self.less > 0 && other.more > 0);
        if !meet {
            return Some(Sum { more: capped(positive), less: capped(negative), ..sum });
        }
        let mut results = Sum::cancelled(
            (self.more == MANY || other.more == MANY, positive),
            (self.less == MANY || other.less == MANY, negative),
        );
        let all = results.len();
        results.retain(|&(more, less)| allowed(more, less));
        *excluded |= results.len() < all;
        // If nothing is left, there is no such state, and whatever follows is none either.
        let (more, less) = if results.is_empty() { (0, 0) } else { results[pick(results.len())] };
        Some(Sum { more, less, ..sum })
    }

    /// What may be known of the coefficients of the others if positive and negative ones cancel each other: of each the sum
    /// is given, and whether it may be larger.
    fn cancelled(positive: (bool, i64), negative: (bool, i64)) -> Vec<(u8, u8)> {
        // Larger numbers lead to the same results.
        let range = |(is_open, least): (bool, i64)| {
            if is_open { least..=least + 2 * i64::from(MANY) } else { least..=least }
        };
        let mut results = Vec::new();
        for (more, less) in
            range(positive).flat_map(|one| range(negative).map(move |two| (one, two)))
        {
            for both in 0..=more.min(less) {
                let result = (capped(more - both), capped(less - both));
                if !results.contains(&result) {
                    results.push(result);
                }
            }
        }
        results
    }

    /// The smallest and the largest value, where there is one.
    fn range(self) -> (Option<i64>, Option<i64>) {
        let base = self.constant.saturating_add(self.named.iter().sum());
        let least = base.saturating_add(i64::from(self.more));
        let most = base.saturating_sub(i64::from(self.less));
        match (self.more == MANY, self.less == MANY) {
            (false, false) => {
                let exact = least.saturating_sub(i64::from(self.less));
                (Some(exact), Some(exact))
            }
            (true, false) => (Some(least.saturating_sub(i64::from(self.less))), None),
            (false, true) => (None, Some(most.saturating_add(i64::from(self.more)))),
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

    /// The sum after a cache has taken the constant upon itself, if that is 1 or -1: its coefficient changes, the value
    /// does not. `cache` is its number, and those from `named` on are others, whose coefficients `pick` chooses where they are
    /// open.
    pub(crate) fn attributed(
        self,
        cache: u32,
        named: u32,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Sum {
        if self.constant.abs() != 1 {
            return self;
        }
        let mut sum = Sum { constant: 0, ..self };
        if cache < named {
            let coefficient = &mut sum.named[cache as usize];
            *coefficient += self.constant;
            return if coefficient.abs() > COEFFICIENT { self } else { sum };
        }
        // If the coefficient of the cache was of the opposite sign, it comes nearer to 0.
        let (own, opposite) = match self.constant {
            1 => (self.more, self.less),
            _ => (self.less, self.more),
        };
        let mut results = vec![(capped(i64::from(own) + 1), opposite)];
        match opposite {
            0 => {}
            1 => results.push((own, 0)),
            _ => results.extend([(own, 1), (own, MANY)]),
        }
        let (own, opposite) = results[pick(results.len())];
        (sum.more, sum.less) = if self.constant == 1 { (own, opposite) } else { (opposite, own) };
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The coefficients of two other caches.
    type Two = [i64; 2];

    fn twos(most: i64) -> Vec<Two> {
        (-most..=most).flat_map(|one| (-most..=most).map(move |other| [one, other])).collect()
    }

    /// What is known of a sum with these coefficients.
    fn known(sum: Sum, others: Two) -> Sum {
        others.into_iter().fold(sum, Sum::with_other)
    }

    fn firsts() -> Vec<Sum> {
        let of = |constant, first| Sum { constant, named: [first, 0, 1, 0], ..Sum::default() };
        (-1..2).flat_map(|constant| (-1..2).map(move |first| of(constant, first))).collect()
    }

    fn value(sum: Sum, others: Two) -> i64 {
        sum.constant + sum.named.iter().sum::<i64>() + others[0] + others[1]
    }

    /// What chooses among a number of results.
    type Pick<'a> = &'a mut dyn FnMut(usize) -> usize;

    /// All sums that a function may return.
    fn possible(of: &dyn Fn(Pick<'_>) -> Sum) -> Vec<Sum> {
        (0..9).map(|chosen| of(&mut |count: usize| chosen % count)).collect()
    }

    #[test]
    fn words_are_read_as_they_were_written() {
        for sum in
            firsts().into_iter().flat_map(|sum| twos(3).into_iter().map(move |two| known(sum, two)))
        {
            assert_eq!(Sum::of(sum.word().expect("it is small")), sum);
        }
        let plain = Sum { constant: -1, ..Sum::default() };
        assert_eq!(plain.word(), Some(u64::MAX));
        assert!(!Sum::is_one(u64::MAX));
    }

    #[test]
    fn comparisons_hold_for_all_values() {
        let mut decided = 0;
        for (left, right) in firsts()
            .into_iter()
            .flat_map(|left| firsts().into_iter().map(move |right| (left, right)))
        {
            for (one, other) in twos(2)
                .into_iter()
                .flat_map(|one| twos(2).into_iter().map(move |other| (one, other)))
            {
                let (values, sums) = (
                    (value(left, one), value(right, other)),
                    (known(left, one), known(right, other)),
                );
                let (less, equal) = (sums.0.less(sums.1), sums.0.equal(sums.1));
                assert!(less.is_none_or(|less| less == (values.0 < values.1)));
                assert!(equal.is_none_or(|equal| equal == (values.0 == values.1)));
                decided += usize::from(less.is_some());
            }
        }
        assert!(decided > 1000);
    }

    #[test]
    fn others_are_added_one_by_one() {
        for (one, other) in
            twos(2).into_iter().flat_map(|one| twos(2).into_iter().map(move |other| (one, other)))
        {
            let (left, right) = (known(Sum::default(), one), known(Sum::default(), other));
            let sums = possible(&|pick| {
                left.plus(right, &|_, _| true, &mut false, pick).expect("it is small")
            });
            let exact = known(Sum::default(), [one[0] + other[0], one[1] + other[1]]);
            assert!(sums.contains(&exact), "{one:?} + {other:?}: {sums:?}");
        }
        // The second of the others takes the constant upon itself.
        for (two, constant) in twos(3).into_iter().flat_map(|two| [(two, 1), (two, -1)]) {
            let sum = known(Sum { constant, ..Sum::default() }, two);
            let sums = possible(&|pick| sum.attributed(4, 4, pick));
            let exact = known(Sum::default(), [two[0], two[1] + constant]);
            assert!(sums.contains(&exact), "{two:?} with {constant}: {sums:?}");
        }
    }
}
