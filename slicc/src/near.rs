//! Suggestions for unknown names.

/// Largest number of suggestions.
const MOST_SUGGESTED: usize = 3;

/// Returns up to three of `names` that contain `name` or have a small edit distance to it, the most
/// similar first.
pub fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_ascii_lowercase();
    let most = name.chars().count() / 2;
    let distance = |other: &str| match other.to_ascii_lowercase() {
        other if other.contains(&name) && !name.is_empty() => 0,
        // The edit distance is at least the difference of the lengths.
        other if other.len().abs_diff(name.len()) > most => usize::MAX,
        other => strsim::osa_distance(&name, &other),
    };
    let mut near: Vec<(usize, &str)> = names
        .map(|other| (distance(other), other))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.truncate(MOST_SUGGESTED);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Longest name that is compared with others, in bytes.
const LONGEST: usize = 100;

/// Returns the candidate with the smallest edit distance to a name, unless that is more than about a
/// third of the name's length. It is for typing errors, where [`near`] is also for parts of names.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    // Changing one letter of two makes another name.
    let most = match name.len() {
        0..=2 => 0,
        len => (len / 3).max(1),
    };
    let lower = name.to_ascii_lowercase();
    let distance = |other: &str| strsim::osa_distance(&lower, &other.to_ascii_lowercase());
    candidates
        .into_iter()
        .filter(|other| other.len().abs_diff(name.len()) <= name.len() / 3 + 1)
        .map(|other| (distance(other), other))
        .min()
        .filter(|&(distance, _)| distance <= most)
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name() {
        let names = ["Load", "Store", "Writeback_Ack", "Writeback_Nack"];
        assert_eq!(nearest("load", names), Some("Load"));
        assert_eq!(nearest("Laod", names), Some("Load"));
        assert_eq!(nearest("WritebackAck", names), Some("Writeback_Ack"));
        assert_eq!(nearest("Inv", names), None);
        assert_eq!(nearest(&"Load".repeat(100), names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("i", ["M", "I"]), Some("I"));
        assert_eq!(nearest("N", ["M", "I"]), None);
    }
}
