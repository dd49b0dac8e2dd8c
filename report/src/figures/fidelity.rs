//! Shares of transitions in gem5 over those on rubric's simulator, a panel for each protocol.

use std::collections::BTreeSet;
use std::path::Path;

use crate::fidelity::{Fidelity, SharePair, TOLERANCE};
use crate::numbers::{capitalized, count, in_a_word, percent};
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{Layer, LegendEntry, Panel, Plot, Symbol, Table, share_axis_name};
use crate::plot::style::{BLACK, GREY, Marker, Style, VERMILLION};

/// Largest number of transitions that a panel names.
const NAMED: usize = 5;

/// Plots a panel for each protocol with a transition that both the simulator and gem5 took.
pub(super) fn plot(fidelity: &Fidelity) -> Option<Plot> {
    let common = |pair: &&SharePair| pair.counts.iter().all(|&count| count > 0);
    let all: Vec<&SharePair> = fidelity.transitions.iter().filter(common).collect();
    if all.is_empty() {
        return None;
    }
    let x = Axis::counts(
        "times taken on rubric's simulator",
        all.iter().map(|pair| at(pair).0),
        Scale::Logarithmic,
    );
    let ratios = all.iter().map(|pair| at(pair).1).chain([1.0 - TOLERANCE, 1.0 + TOLERANCE]);
    let y = Axis::ratios("share in gem5 / here", ratios, Scale::Logarithmic);
    let protocols = fidelity.protocols();
    let panels = protocols.iter().filter_map(|protocol| {
        let own: Vec<&SharePair> =
            all.iter().copied().filter(|pair| pair.protocol == *protocol).collect();
        (!own.is_empty()).then(|| panel(&heading(protocol, &protocols), &own, &x, &y))
    });
    let mut panels: Vec<Panel> = panels.collect();
    share_axis_name(&mut panels);
    let rows = fidelity.transitions.iter().map(|pair| {
        let [machine, state, event] = pair.place.clone();
        let [simulator, gem5] = pair.counts;
        let [here, there] = pair.shares.map(percent);
        let counts = [simulator.to_string(), gem5.to_string()];
        [vec![pair.protocol.clone(), machine, state, event], counts.to_vec(), vec![here, there]]
            .concat()
    });
    let columns =
        ["protocol", "machine", "state", "event", "here", "in gem5", "share here", "share in gem5"];
    let (compared, differing) = totals(&all);
    let agreeing = compared - differing;
    let beyond = format!("differs by more than {}", percent(TOLERANCE));
    Some(Plot {
        finding: capitalized(&format!(
            "{} frequent transitions have the same share in gem5, within {}",
            in_a_word(agreeing as f64 / compared.max(1) as f64),
            percent(TOLERANCE)
        )),
        subtitle: format!(
            "{} of {} transitions that both took at least {} times differ by more than {}",
            differing,
            compared,
            count(crate::fidelity::COMPARED),
            percent(TOLERANCE)
        ),
        panels,
        panel_height: 160,
        legend: [
            (differing > 0).then_some((mark(VERMILLION), false, beyond.as_str())),
            Some((mark(BLACK), false, "agrees")),
            Some((mark(GREY), true, "too rare to compare")),
        ]
        .into_iter()
        .flatten()
        .map(|(mark, is_open, text)| LegendEntry::new(Symbol::Mark(mark, is_open), text))
        .collect(),
        table: Table::new(&columns, rows.collect()),
    })
}

fn mark(color: plotters::style::RGBColor) -> Style {
    Style { color, marker: Marker::Circle }
}

/// The position of a transition in its panel: how often the simulator took it, and the ratio of its shares.
fn at(pair: &SharePair) -> (f64, f64) {
    let [here, there] = pair.shares;
    (pair.counts[0] as f64, there / here)
}

fn differs(pair: &SharePair) -> bool {
    pair.is_compared() && pair.difference() > TOLERANCE
}

/// The number of transitions that are compared, and the number of these that differ.
fn totals(pairs: &[&SharePair]) -> (usize, usize) {
    let compared = pairs.iter().filter(|pair| pair.is_compared()).count();
    (compared, pairs.iter().filter(|pair| differs(pair)).count())
}

/// The heading of a protocol's panel: its name. For a protocol that was given by a path, it is the name of the file, or
/// the end of the path if several protocols have that name.
fn heading(protocol: &str, all: &BTreeSet<&str>) -> String {
    let name = |given: &str| {
        let file = Path::new(given).file_stem().and_then(|stem| stem.to_str());
        file.unwrap_or(given).to_owned()
    };
    if all.iter().filter(|other| name(other) == name(protocol)).count() == 1 {
        return name(protocol);
    }
    let skipped = protocol.chars().count().saturating_sub(LONGEST_HEADING);
    let last: String = protocol.chars().skip(skipped).collect();
    if skipped > 0 { format!("…{last}") } else { last }
}

/// Largest number of characters of a path above a panel.
const LONGEST_HEADING: usize = 50;

fn panel(protocol: &str, pairs: &[&SharePair], x: &Axis, y: &Axis) -> Panel {
    let mut panel = Panel::new(protocol, x.clone(), y.clone());
    for level in [1.0 - TOLERANCE, 1.0, 1.0 + TOLERANCE] {
        let points = vec![(x.low(), level), (x.high(), level)];
        panel.layers.push(Layer::Line { color: GREY, points });
    }
    let points = |chosen: &dyn Fn(&SharePair) -> bool| {
        pairs.iter().filter(|pair| chosen(pair)).map(|pair| at(pair)).collect::<Vec<_>>()
    };
    panel.add_marks(mark(GREY), true, points(&|pair| !pair.is_compared()));
    panel.add_marks(mark(BLACK), false, points(&|pair| pair.is_compared() && !differs(pair)));
    panel.add_marks(mark(VERMILLION), false, points(&differs));
    let mut named: Vec<&&SharePair> = pairs.iter().filter(|pair| differs(pair)).collect();
    named.sort_by(|a, b| b.difference().total_cmp(&a.difference()));
    let notes = named.into_iter().take(NAMED).map(|pair| {
        let [_, state, event] = &pair.place;
        (at(pair), format!("{state}, {event}"))
    });
    panel.layers.push(Layer::Notes { notes: notes.collect(), color: VERMILLION });
    panel
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn panels_have_the_names_of_their_protocols() {
        let all = ["MI_example", "a/MESI_Two_Level.slicc", "b/CHI.slicc", "c/CHI.slicc"];
        let headings = all.map(|one| heading(one, &all.into()));
        assert_eq!(headings, ["MI_example", "MESI_Two_Level", "b/CHI.slicc", "c/CHI.slicc"]);
    }
}
