//! How much parts of a protocol go with a finding in programs, by Ochiai's coefficient, which ranks suspicious statements well in tests of
//! programs (Abreu, Zoeteweij and van Gemund, 2006).

use std::collections::{BTreeMap, BTreeSet};

/// The score of each part that some program took which shows the finding: 1 if just the programs that show it take the part, and the
/// nearer to 0 the more programs do only one of both. A program is given by whether it shows the finding, and the parts that it took.
pub(super) fn scores<T: Ord>(
    programs: impl Iterator<Item = (bool, BTreeSet<T>)>,
) -> BTreeMap<T, f64> {
    let mut showing = 0;
    // For each part, the programs that took it, and those of them that show the finding.
    let mut counts: BTreeMap<T, (usize, usize)> = BTreeMap::new();
    for (shows, taken) in programs {
        showing += usize::from(shows);
        for part in taken {
            let (all, with) = counts.entry(part).or_default();
            *all += 1;
            *with += usize::from(shows);
        }
    }
    let score = |(all, with): (usize, usize)| with as f64 / ((all * showing) as f64).sqrt();
    let going = counts.into_iter().filter(|(_, (_, with))| *with > 0);
    going.map(|(part, counts)| (part, score(counts))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_just_the_programs_with_the_finding_take_has_the_highest_score() {
        let programs = [(true, vec!["a", "b"]), (true, vec!["a", "b"]), (false, vec!["b", "c"])];
        let found =
            scores(programs.map(|(shows, taken)| (shows, BTreeSet::from_iter(taken))).into_iter());
        assert!((found["a"] - 1.0).abs() < 1e-9);
        assert!((found["b"] - 2.0 / 6.0_f64.sqrt()).abs() < 1e-9);
        assert!(!found.contains_key("c"));
    }
}
