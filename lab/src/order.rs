//! The natural order of names: numbers in them count as numbers, so that `t2` comes before `t10`.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::path::Path;

/// Compares two paths, folder by folder, in the natural order of their names.
pub fn of_paths(one: &Path, other: &Path) -> Ordering {
    let names = |path| Path::iter(path).map(OsStr::to_string_lossy);
    let (mut ones, mut others) = (names(one), names(other));
    loop {
        match (ones.next(), others.next()) {
            (Some(one), Some(other)) => match of_names(&one, &other) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
            (one, other) => return one.is_some().cmp(&other.is_some()),
        }
    }
}

/// Compares two names in their natural order. Names that differ only in leading zeros are not equal.
pub fn of_names(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    while !left.is_empty() && !right.is_empty() {
        let (first, second) = (part(left), part(right));
        let order = match (number(first), number(second)) {
            // Of numbers without leading zeros the longer one is larger.
            (Some(first), Some(second)) => (first.len(), first).cmp(&(second.len(), second)),
            _ => first.cmp(second),
        };
        if order != Ordering::Equal {
            return order;
        }
        (left, right) = (&left[first.len()..], &right[second.len()..]);
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The digits that a text begins with, or else what comes before its first digit.
fn part(text: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let end =
        if text.starts_with(is_digit) { text.find(|c| !is_digit(c)) } else { text.find(is_digit) };
    &text[..end.unwrap_or(text.len())]
}

/// A part without leading zeros, if it is a number.
fn number(part: &str) -> Option<&str> {
    part.starts_with(|c: char| c.is_ascii_digit()).then(|| part.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let sorted = ["", "a", "a0", "a00", "a1b10", "a1c2", "a2", "a010", "a10", "a10b", "b1"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(of_names(one, other), at.cmp(&other_at), "{one} {other}");
            }
        }
        let big = "18446744073709551617";
        assert_eq!(of_names(big, "18446744073709551616"), Ordering::Greater);
    }

    #[test]
    fn folders_come_together() {
        let sorted = ["r2/t1.gz", "r2/t10.gz", "r2-b/t2.gz", "r10/t1.gz"];
        let mut paths = [sorted[3], sorted[1], sorted[2], sorted[0]];
        paths.sort_by(|a, b| of_paths(Path::new(a), Path::new(b)));
        assert_eq!(paths, sorted);
    }
}
