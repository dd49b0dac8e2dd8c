//! Names that somebody may have meant.

/// Most names to suggest.
const SUGGESTED: usize = 3;

/// Those of the names that have a part of `name` in them, or differ little from it, the likeliest
/// first.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
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
