//! The natural order of names: numbers in them count as numbers, so that `t2` comes before `t10`.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::path::Path;

use alphanumeric_sort::compare_str;

/// Compares two paths, folder by folder, in the natural order of their names.
pub fn of_paths(one: &Path, other: &Path) -> Ordering {
    let names = |path| Path::iter(path).map(OsStr::to_string_lossy);
    let (mut ones, mut others) = (names(one), names(other));
    loop {
        match (ones.next(), others.next()) {
            (Some(one), Some(other)) => match compare_str(&one, &other) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
            (one, other) => return one.is_some().cmp(&other.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let sorted = ["a", "a0", "a00", "a1b10", "a1c2", "a2", "a10", "a010", "a10b", "b1"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                let order = of_paths(Path::new(one), Path::new(other));
                assert_eq!(order, at.cmp(&other_at), "{one} {other}");
            }
        }
        let (big, bigger) = ("18446744073709551616", "18446744073709551617");
        assert_eq!(of_paths(Path::new(big), Path::new(bigger)), Ordering::Less);
    }

    #[test]
    fn folders_come_together() {
        let sorted = ["r2/t1.gz", "r2/t10.gz", "r2-b/t2.gz", "r10/t1.gz"];
        let mut paths = [sorted[3], sorted[1], sorted[2], sorted[0]];
        paths.sort_by(|a, b| of_paths(Path::new(a), Path::new(b)));
        assert_eq!(paths, sorted);
    }
}
