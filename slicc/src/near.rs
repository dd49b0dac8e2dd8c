//! Suggestions for unknown names.

/// Most names to suggest.
const SUGGESTED: usize = 3;

/// The names that contain `name`, or differ from it in few letters, the most similar first; at most three.
pub(crate) fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_ascii_lowercase();
    let most = name.chars().count() / 2;
    let distance = |other: &str| match other.to_ascii_lowercase() {
        other if other.contains(&name) && !name.is_empty() => 0,
        // The distance is no smaller than that of the lengths.
        other if other.len().abs_diff(name.len()) > most => usize::MAX,
        other => strsim::osa_distance(&name, &other),
    };
    let mut near: Vec<(usize, &str)> = names
        .map(|other| (distance(other), other))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.truncate(SUGGESTED);
    near.into_iter().map(|(_, name)| name).collect()
}
