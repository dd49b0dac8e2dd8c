//! Known faults of gem5's released protocols, in words.

use settings::Setting;

use super::crashes::Recognised;
use super::{Released, of_repair};
use crate::testing::Known;

/// The width at which a paragraph is wrapped, in characters.
const WIDTH: usize = 100;

/// Says how faults were attributed to the failures of many runs.
pub const TRIED: &str =
    "the shortest run of each kind, and 8 variations of it, ran with the repairs";

/// Says how faults were attributed to the failures of runs in gem5.
pub const TRIED_IN_GEM5: &str = "what rubric's simulator finds as well, with the program of one of the shortest runs of a kind or a variation \
                                 of it, ran there with the repairs, and 8 variations of that, too";

/// Paragraphs about the released faults that explain a finding, each with its place and its effect, and about their repairs. If
/// runs take different sets of repairs, the sets follow one another.
pub fn explained(known: &Known) -> Vec<String> {
    known.sets().flat_map(|repairs| of_set(repairs)).collect()
}

fn of_set(repairs: &[String]) -> Vec<String> {
    if repairs.is_empty() {
        return vec![format!(
            "clean with all repairs; the time was over before it was known which of them it takes: \
             try the command with {}, or test for longer",
            Setting::Repair.to("all")
        )];
    }
    let faults = repairs.iter().flat_map(|repair| of_repair(repair));
    let told = faults.map(told);
    told.chain([format!("repaired by {}", Setting::Repair.to(repairs.join(",")))]).collect()
}

/// A known fault with its place and its effect.
fn told(fault: &Released) -> String {
    format!("{} ({}, gem5 {}): {}", fault.name, fault.place, fault.version, fault.what)
}

/// Paragraphs about the known faults that a crash shows. If the protocol is not known, several have the same sign.
pub fn recognised(known: &[Recognised]) -> Vec<String> {
    let paragraph = |(at, one): (usize, &Recognised)| {
        let what = match (one.is_certain, at) {
            (true, 0) => "known fault of gem5's released",
            (true, _) => "or of",
            (false, _) => "perhaps a known fault of gem5's released",
        };
        let Released { protocol, repair, .. } = one.fault;
        let told = told(one.fault);
        let told = told.trim_end_matches('.');
        if repair.is_empty() {
            format!("{what} {protocol}: {told}; there is no repair of it yet")
        } else {
            format!("{what} {protocol}: {told}; repaired by {}", Setting::Repair.to(repair))
        }
    };
    known.iter().enumerate().map(paragraph).collect()
}

/// [`recognised`] as lines for a terminal. The continuation lines of a paragraph are indented.
pub fn recognised_lines(known: &[Recognised]) -> Vec<String> {
    let paragraphs = recognised(known);
    let lines = paragraphs.iter().flat_map(|paragraph| {
        let rows = wrapped(paragraph, WIDTH).into_iter().enumerate();
        rows.map(|(row, line)| if row > 0 { format!("  {line}") } else { line })
    });
    lines.collect()
}

/// [`explained`] as lines for a terminal. The continuation lines of a paragraph and the last paragraph are indented.
pub fn explained_lines(known: &Known) -> Vec<String> {
    known.sets().flat_map(|repairs| lines_of_set(repairs)).collect()
}

fn lines_of_set(repairs: &[String]) -> Vec<String> {
    let paragraphs = of_set(repairs);
    let last = paragraphs.len() - 1;
    let lines = paragraphs.iter().enumerate().flat_map(|(at, paragraph)| {
        let rows = wrapped(paragraph, WIDTH).into_iter().enumerate();
        let is_indented = move |row| row > 0 || (at > 0 && at == last);
        rows.map(move |(row, line)| if is_indented(row) { format!("  {line}") } else { line })
    });
    lines.collect()
}

/// The names and places of the faults that the repairs take out, on one line.
pub fn explained_briefly(repairs: &[String]) -> String {
    let faults = repairs.iter().flat_map(|repair| of_repair(repair));
    let names: Vec<String> =
        faults.map(|fault| format!("{} ({})", fault.name, fault.place)).collect();
    match names.len() {
        0 => "not known".to_owned(),
        _ => format!("known: {}", names.join(", ")),
    }
}

/// Wraps the words of a text into lines of at most `width` characters, if no word is longer.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_variations_is_that_of_the_library() {
        let number = format!(" {} variations ", crate::testing::VARIATIONS);
        assert!(TRIED.contains(&number) && TRIED_IN_GEM5.contains(&number));
    }

    #[test]
    fn paragraphs_are_wrapped() {
        let known = Known::by(vec!["mesi2-l1-is-inv-no-notify".to_owned()]);
        let lines = explained_lines(&known);
        assert!(lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= WIDTH + 2));
        assert_eq!(
            lines.last().unwrap(),
            "  repaired by the setting repair = mesi2-l1-is-inv-no-notify"
        );
    }
}
