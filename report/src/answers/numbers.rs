//! Shares, means and medians.

/// Which part `part` is of `whole`; none of nothing.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The mean of some numbers.
pub(super) fn mean(numbers: &[u64]) -> Option<f64> {
    share(numbers.iter().sum(), numbers.len() as u64)
}

/// The median of some numbers, the mean of the two in the middle if there are two.
pub(super) fn median(numbers: &[u64]) -> Option<f64> {
    median_with_none(&numbers.iter().copied().map(Some).collect::<Vec<_>>())
}

/// The median where some numbers are too large to be known: none if it is among them.
pub(super) fn median_with_none(numbers: &[Option<u64>]) -> Option<f64> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable_by_key(|number| (number.is_none(), *number));
    let (last, middle) = (numbers.len().checked_sub(1)?, numbers.len() / 2);
    let [low, high] = [numbers[last / 2]?, numbers[middle]?];
    Some((low as f64 + high as f64) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), Some(7.0));
        assert_eq!(median(&[9, 1, 4]), Some(4.0));
        assert_eq!(median(&[9, 1, 4, 5]), Some(4.5));
        assert_eq!(median_with_none(&[None, Some(3), Some(8)]), Some(8.0));
        assert_eq!(median_with_none(&[None, Some(3), Some(8), None]), None);
        assert_eq!(median_with_none(&[None, None, Some(8)]), None);
    }

    #[test]
    fn shares_and_means() {
        assert_eq!((share(1, 4), share(0, 0)), (Some(0.25), None));
        assert_eq!((mean(&[1, 2, 6]), mean(&[])), (Some(3.0), None));
    }
}
