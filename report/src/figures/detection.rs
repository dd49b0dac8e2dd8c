//! Operations completed until the violation of a criterion is detected. There is a panel for each model, and in it a
//! column for each protocol.

use std::collections::{BTreeMap, BTreeSet};

use super::kills::{HeatCell, ROW_HEIGHT, heat_panel};
use crate::answers::{Answers, Detection, Scope};
use crate::claims::measure::FEWEST;
use crate::numbers::{digits, halves};
use crate::plot::chart::{Panel, Plot, Table};
use tables::CRITERIA;

/// The detections of each protocol, by model and protocol.
type Detections<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<Detection>>>;

/// Plots the medians by criterion and protocol.
pub(super) fn plot(answers: &Answers) -> Option<Plot> {
    let detections = detections(answers);
    let shown = detections.iter().flat_map(|(model, protocols)| panel(model, protocols));
    let panels: Vec<(Panel, usize)> = shown.collect();
    let rows = panels.iter().map(|(_, rows)| *rows).max()?;
    Some(Plot {
        finding: finding(&detections),
        subtitle: "median operations; in parentheses the runs that the criterion refutes"
            .to_owned(),
        panels: panels.into_iter().map(|(panel, _)| panel).collect(),
        panel_height: ROW_HEIGHT * rows as i32,
        table: table(&detections),
        ..Plot::default()
    })
}

fn detections(answers: &Answers) -> Detections<'_> {
    let mut all: Detections<'_> = BTreeMap::new();
    for one in answers.shown(&answers.operations, |one| &one.scope) {
        let (protocol, model) = match &one.scope {
            Scope::Cores { protocol, model } => (protocol.as_str(), model.as_str()),
            // There is only one protocol.
            Scope::Model(model) => ("the protocol", model.as_str()),
            Scope::All | Scope::Client(_) | Scope::Protocol(_) => continue,
        };
        let known = one.criteria.iter().filter(|detection| detection.runs > 0);
        let known: Vec<Detection> = known.copied().collect();
        if !known.is_empty() {
            all.entry(model).or_default().insert(protocol, known);
        }
    }
    all
}

/// Makes a matrix of criteria and protocols, and returns it with its number of rows; `None` if there is nothing to
/// show.
fn panel(model: &str, protocols: &BTreeMap<&str, Vec<Detection>>) -> Option<(Panel, usize)> {
    let known: BTreeSet<&str> = protocols.values().flatten().map(|one| one.criterion).collect();
    let criteria: Vec<&str> = CRITERIA.iter().copied().filter(|one| known.contains(one)).collect();
    let most = protocols.values().flatten().filter_map(|one| one.median).reduce(f64::max)?;
    let cell = |criterion: &str, own: &[Detection]| -> HeatCell {
        let one = own.iter().find(|one| one.criterion == criterion)?;
        let median = one.median?;
        Some((median / most.max(1.0), format!("{} ({})", halves(median), one.runs)))
    };
    let cells: Vec<Vec<HeatCell>> = criteria
        .iter()
        .map(|criterion| protocols.values().map(|own| cell(criterion, own)).collect())
        .collect();
    let columns: Vec<String> = protocols.keys().map(|&name| name.to_owned()).collect();
    let names: Vec<String> = criteria.iter().map(|&name| name.to_owned()).collect();
    let heading = format!("cores that guarantee {}", model.to_uppercase());
    Some((heat_panel(&heading, "", &columns, &names, &cells), criteria.len()))
}

/// Says which protocols have the smallest and the largest median of the criterion that is the model itself, for the first model that has
/// any.
fn finding(detections: &Detections<'_>) -> String {
    let told = detections.iter().find_map(|(model, protocols)| {
        let medians = protocols.iter().filter_map(|(protocol, own)| {
            let own = own.iter().find(|one| one.criterion == *model)?;
            Some((own.median?, *protocol, few(own.runs)))
        });
        let mut medians: Vec<(f64, &str, String)> = medians.collect();
        medians.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (model, (least, protocol, runs)) = (model.to_uppercase(), medians.first()?);
        Some(match medians.last() {
            Some((_, other, others)) if medians.len() > 1 => format!(
                "Violations of {model} are detected earliest in {protocol}{runs}, latest in {other}{others}"
            ),
            _ => format!(
                "Half of the violations of {model} are detected within {} operations{runs}",
                halves(*least)
            ),
        })
    });
    told.unwrap_or_default()
}

/// Says on how many runs a median rests, if they are so few that chance decides it.
fn few(runs: u64) -> String {
    match runs {
        1 => " (1 run)".to_owned(),
        few if few < FEWEST as u64 => format!(" ({few} runs)"),
        _ => String::new(),
    }
}

fn table(detections: &Detections<'_>) -> Table {
    let number = |number: Option<f64>| number.map_or_else(String::new, |one| digits(one, 5));
    let rows = detections.iter().flat_map(|(model, protocols)| {
        protocols.iter().flat_map(move |(protocol, own)| {
            own.iter().map(move |detection| {
                vec![
                    (*model).to_owned(),
                    (*protocol).to_owned(),
                    detection.criterion.to_owned(),
                    detection.runs.to_string(),
                    number(detection.median),
                    number(detection.mean),
                ]
            })
        })
    });
    let columns =
        ["model", "protocol", "criterion", "runs", "median (operations)", "mean (operations)"];
    Table::new(&columns, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detection(runs: u64, median: f64) -> Vec<Detection> {
        vec![Detection { criterion: "sc", runs, mean: None, median: Some(median) }]
    }

    #[test]
    fn a_median_of_few_runs_says_so() {
        let found = |protocols: &[(&'static str, u64, f64)]| {
            let own =
                protocols.iter().map(|(name, runs, median)| (*name, detection(*runs, *median)));
            finding(&Detections::from([("sc", own.collect())]))
        };
        assert_eq!(
            found(&[("A", 2, 191.5), ("B", 40, 24.5)]),
            "Violations of SC are detected earliest in B, latest in A (2 runs)"
        );
        assert_eq!(
            found(&[("the protocol", 1, 7.0)]),
            "Half of the violations of SC are detected within 7 operations (1 run)"
        );
    }
}
