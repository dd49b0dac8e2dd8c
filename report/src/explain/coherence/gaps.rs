//! Puts a row between the rows of a cache line wherever several rows were left out, so that the rows around it are not
//! taken for consecutive ones.

use std::collections::BTreeSet;

use crate::numbers::counted;
use crate::picture::LineRow;

/// The largest number of a controller's states that such a row shows.
const STATES: usize = 4;

/// Returns the rows with these numbers, and a row for each gap between them. A gap of one row is filled, since its own
/// row needs the same room.
pub(super) fn marked(rows: Vec<LineRow>, kept: &BTreeSet<usize>) -> Vec<LineRow> {
    let (mut shown, mut gap): (Vec<LineRow>, Vec<LineRow>) = Default::default();
    for (at, row) in rows.into_iter().enumerate() {
        if kept.contains(&at) {
            shown.extend(standing_for(&mut gap));
            shown.push(row);
        } else {
            gap.push(row);
        }
    }
    shown.extend(standing_for(&mut gap));
    shown
}

/// Returns the row that stands for the rows of a gap, which it empties; `None` if there are none.
fn standing_for(gap: &mut Vec<LineRow>) -> Option<LineRow> {
    let last = gap.pop()?;
    if gap.is_empty() {
        return Some(last);
    }
    let states = (0..last.states.len()).map(|at| {
        let changes = gap.iter().chain([&last]).filter(|row| row.changed == Some(at));
        entered(changes.map(|row| row.states[at].as_str())).unwrap_or(last.states[at].clone())
    });
    let states = states.collect();
    let transitions = gap.iter().chain([&last]).filter(|row| row.changed.is_some()).count();
    let mut what = format!("\u{2026} {}", counted(transitions, "transition", "transitions"));
    let writes = gap.len() + 1 - transitions;
    if writes > 0 {
        what += &format!(", {}", counted(writes, "other write", "other writes"));
    }
    // The line of an operation may be the one at which it was issued.
    let changes = gap.iter().chain([&last]).filter(|row| row.changed.is_some());
    let lines: Vec<u64> = changes.filter_map(|row| row.line).collect();
    if let (Some(from), Some(to)) = (lines.iter().min(), lines.iter().max()) {
        what += &format!(", lines {from} to {to}");
    }
    gap.clear();
    Some(LineRow { what, states, left_out: transitions, ..LineRow::default() })
}

/// Returns the states that a controller entered, such as `M → M_I → I`; the first and the last ones if there are many.
/// `None` if there are none.
fn entered<'a>(states: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut states: Vec<&str> = states.collect();
    states.dedup();
    if states.len() > STATES {
        states.splice(STATES / 2..states.len() - 1, ["\u{2026}"]);
    }
    (!states.is_empty()).then(|| states.join(" \u{2192} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transitions of one cache into these states, at lines 1, 2, …; an empty state stands for a write.
    fn rows(states: &[&str]) -> Vec<LineRow> {
        let numbered = (1..).zip(states);
        let row = |(line, state): (u64, &&str)| LineRow {
            line: Some(line),
            states: vec![(*state).to_owned()],
            changed: (!state.is_empty()).then_some(0),
            is_other: state.is_empty(),
            ..LineRow::default()
        };
        numbered.map(row).collect()
    }

    #[test]
    fn a_gap_says_what_is_missing() {
        let all = rows(&["IM", "M", "M", "M_I", "I", "IS"]);
        let shown = marked(all.clone(), &BTreeSet::from([0, 5]));
        assert_eq!(shown.len(), 3);
        assert_eq!((&shown[0], &shown[2]), (&all[0], &all[5]));
        assert_eq!(shown[1].what, "\u{2026} 4 transitions, lines 2 to 5");
        assert_eq!(shown[1].states, ["M \u{2192} M_I \u{2192} I"]);
        assert_eq!(shown[1].left_out, 4);
    }

    #[test]
    fn long_gaps_show_the_first_and_the_last_states() {
        let shown = marked(rows(&["A", "B", "C", "", "D", "E", "F"]), &BTreeSet::from([6]));
        assert_eq!(shown[0].states, ["A \u{2192} B \u{2192} \u{2026} \u{2192} E"]);
        assert_eq!(shown[0].what, "\u{2026} 5 transitions, 1 other write, lines 1 to 6");
    }

    #[test]
    fn a_gap_of_one_row_is_filled() {
        let all = rows(&["IM", "M", "I"]);
        assert_eq!(marked(all.clone(), &BTreeSet::from([0, 2])), all);
        assert_eq!(marked(all.clone(), &BTreeSet::from([0, 1])), all);
    }
}
